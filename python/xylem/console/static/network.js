// The screen of networks: sites with their streams and subscriptions, the networks that they have joined with their traffic,
// and the plan of a network.
"use strict";
(() => {
  const { find, made, drawn, bytes, count, get } = window.page;
  const table = (label, heads, rows) => {
    const element = made("table", null, { "aria-label": label }), head = made("tr"), body = made("tbody");
    head.append(...heads.map((text) => made("th", text)));
    for (const [name, ...cells] of rows) {
      const line = made("tr", null, { "data-name": name });
      line.append(made("td", name), ...cells.map((text) => made("td", text)));
      body.append(line);
    }
    const top = made("thead");
    top.append(head);
    element.append(top, body);
    element.hidden = rows.length === 0;
    return element;
  };

  // --- sites: each stream on the left, the subscriptions that share its scan on the right

  const map = (site) => {
    const live = site.subscriptions.filter((one) => site.sources.some((source) => source.name === one.source));
    const height = 30 * Math.max(site.sources.length, live.length, 1) + 10;
    const svg = drawn("svg", { viewBox: `0 0 700 ${height}`, role: "img", "aria-label": `Streams and subscriptions of ${site.site}` });
    const at = (index, all) => ((index + 0.5) * (height - 10)) / Math.max(all, 1) + 5;
    const rows = new Map(site.sources.map((one, index) => [one.name, at(index, site.sources.length)]));
    live.forEach((one, index) => {
      const from = rows.get(one.source), to = at(index, live.length);
      svg.append(drawn("path", { d: `M220 ${from}C330 ${from} 330 ${to} 440 ${to}`, class: "edge", "data-from": one.source, "data-to": one.name }));
    });
    const node = (x, y, text, kind) => {
      const group = drawn("g", { class: `peer ${kind}`, "data-name": text });
      group.append(drawn("rect", { x, y: y - 11, width: 210, height: 22, rx: 4 }), drawn("text", { x: x + 8, y: y + 4 }, text.slice(0, 32)));
      svg.append(group);
    };
    for (const [name, y] of rows) node(10, y, name, "source");
    live.forEach((one, index) => node(440, at(index, live.length), one.name, "subscription"));
    return svg;
  };
  const shown = (site) => {
    const section = made("section", null, { "data-site": site.site });
    section.append(made("h2", `Site ${site.site}`));
    if (site.error) section.append(made("p", site.error));
    if (site.sources.length) section.append(map(site));
    section.append(table(`Streams of ${site.site}`, ["Stream", "Records", "Bytes", "Evaluated", "Subscriptions"], site.sources.map((one) => [one.name, count(one.records), count(one.bytes), count(one.evaluated), count(one.subscriptions)])));
    section.append(table(`Subscriptions of ${site.site}`, ["Subscription", "Stream", "From", "To", "State", "Answer bytes", "Error"], site.subscriptions.map((one) => [one.name, one.source, count(one.from), count(one.to), one.state, count(one.answer_bytes), one.error || ""])));
    return section;
  };
  // --- peers by their distance from the source, links with what they carry

  const levels = (names, links, source) => {
    const columns = [[source]], seen = new Set(columns[0]);
    for (;;) {
      const here = columns[columns.length - 1];
      const next = names.filter((name) => !seen.has(name) && links.some(([a, b]) => (a === name && here.includes(b)) || (b === name && here.includes(a))));
      if (!next.length) break;
      next.forEach((name) => seen.add(name));
      columns.push(next);
    }
    const apart = names.filter((name) => !seen.has(name));
    return apart.length ? [...columns, apart] : columns;
  };
  const graph = (names, links, carried, source) => {
    const place = new Map(), columns = levels(names, links, source);
    const height = 90 * Math.max(...columns.map((column) => column.length), 1);
    columns.forEach((column, level) => column.forEach((name, index) => {
      place.set(name, { x: 50 + (600 * level) / Math.max(columns.length - 1, 1), y: (height * (index + 0.5)) / column.length });
    }));
    const svg = drawn("svg", { viewBox: `0 0 700 ${height}`, role: "img", "aria-label": `${names.length} peers, ${links.length} links` });
    const labels = [];
    for (const [one, other] of links) {
      const from = place.get(one), to = place.get(other), size = carried(one, other);
      svg.append(drawn("path", { d: `M${from.x} ${from.y}L${to.x} ${to.y}`, class: "edge", "data-from": one, "data-to": other, "data-bytes": size }));
      labels.push(drawn("text", { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 - 6, class: "counts", "text-anchor": "middle" }, bytes(size)));
    }
    for (const name of names) {
      const { x, y } = place.get(name), group = drawn("g", { class: `peer ${name === source ? "source" : ""}`, "data-name": name });
      group.append(drawn("rect", { x: x - 30, y: y - 12, width: 60, height: 24, rx: 4 }), drawn("text", { x: x - 22, y: y + 4 }, name));
      svg.append(group);
    }
    svg.append(...labels);
    return svg;
  };

  // --- a running network: what its links have carried so far, and where each stream of a peer comes from

  const joined = (told) => {
    const section = made("section"), publisher = told.peers.find((one) => one.answers && one.sources.length) || told.peers[0];
    const sent = new Map(told.links.map((one) => [one.between.join(), Object.values(one.bytes).reduce((sum, size) => sum + size, 0)]));
    section.append(made("h2", `Network of ${count(told.peers.length)} peers`));
    section.append(graph(told.peers.map((one) => one.name), told.links.map((one) => one.between), (...between) => sent.get(between.join()), publisher.name));
    const streams = (one) => one.streams.map((each) => `${each.name}: ${each.origin}`).join("; ");
    section.append(table("Peers", ["Peer", "Kind", "Publishes", "Streams and their origins", "Subscriptions", "Alerts"], told.peers.map((one) => one.answers
      ? [one.name, one.kind, one.sources.join(", "), streams(one), one.subscriptions.join(", "), Object.entries(one.alerts || {}).map(([what, load]) => `${what} ${Math.round(100 * load)} %`).join(", ")]
      : [one.name, one.kind, "does not answer", "", "", ""])));
    return section;
  };
  let files = "";
  const look = async () => {
    const told = await get("/api/network");
    find("networks").replaceChildren(...told.networks.map(joined));
    find("sites").replaceChildren(...told.sites.map(shown));
    find("no-sites").hidden = told.sites.length > 0;
    if (files !== told.files.join()) {
      files = told.files.join();
      find("network-file").append(...told.files.map((name) => made("option", name)));
    }
    document.body.dataset.ready = "yes";
    setTimeout(look, told.sites.length ? 1000 : 5000);
  };


  // --- the plan of a network

  const network = (told) => {
    const carried = new Map(told.links.map((one) => [[...one.between].sort().join(), one.bytes]));
    const size = (one, other) => carried.get([one, other].sort().join()) || 0;
    find("network").replaceChildren(graph(Object.keys(told.kinds), told.all_links, size, told.source));
    const rows = told.plans.map((one) => [one.subscription, one.at, one.uses, one.filter.at, one.transformation.at, one.residual.join(", ")]);
    find("plans").tBodies[0].replaceChildren(...table("", [], rows).tBodies[0].children);
    find("plans").hidden = false;
  };
  find("network-file").addEventListener("change", async (event) => {
    find("problem").textContent = "";
    if (!event.target.value) return;
    const told = await get(`/api/network/plan?file=${encodeURIComponent(event.target.value)}`);
    if (told.error) find("problem").textContent = told.error;
    else network(told);
  });
  look();
})();
