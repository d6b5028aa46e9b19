// What all screens share: finding and making elements, numbers for people, requests to this origin.
"use strict";
window.page = (() => {
  const known = (n) => n !== undefined && n !== null;
  const svgSpace = "http://www.w3.org/2000/svg";
  const filled = (element, attributes, text) => {
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    if (known(text)) element.textContent = text;
    return element;
  };
  const made = (name, text, attributes) => filled(document.createElement(name), attributes, text);
  const drawn = (name, attributes, text) => filled(document.createElementNS(svgSpace, name), attributes, text);
  const count = (n) => (known(n) ? n.toLocaleString("en") : "");
  const sources = (operator) => [...(operator.inputs || []), ...(operator.over ? [operator.over] : [])];
  // Operators below each other, those that an operator reads further in.
  const plan = (operators, width = 900) => {
    const depth = new Map(), below = (id, level) => {
      depth.set(id, Math.max(level, depth.get(id) || 0));
      const found = operators.find((one) => one.id === id);
      for (const input of found ? sources(found) : []) below(input, level + 1);
    };
    if (operators.length) below(operators[0].id, 0);
    const place = new Map(operators.map((one, index) => [one.id, { x: 10 + 24 * (depth.get(one.id) || 0), y: 8 + 44 * index }]));
    const svg = drawn("svg", { viewBox: `0 0 ${width} ${44 * operators.length + 8}`, role: "img", "aria-label": `${operators.length} operators` });
    for (const one of operators) for (const input of sources(one)) {
      const from = place.get(input), to = place.get(one.id);
      if (from && to) svg.append(drawn("path", { d: `M${to.x + 10} ${to.y + 34}V${from.y + 17}H${from.x}`, class: "edge", "data-from": input, "data-to": one.id }));
    }
    for (const one of operators) {
      const { x, y } = place.get(one.id), group = drawn("g", { class: "operator", "data-id": one.id });
      const figures = ["items_in", "items_out", "entries", "peak_bytes"].filter((name) => one[name] !== undefined && one[name] !== null);
      const keeps = one.properties?.keeps && one.properties.keeps !== "nothing" ? `keeps ${one.properties.keeps}` : "";
      const told = [one.runs, one.line ? `line ${one.line}` : "", keeps, ...figures.map((name) => `${name.replaceAll("_", " ")} ${count(one[name])}`)].filter(Boolean).join(", ");
      const room = Math.floor((width - 36 - x) / 6.2), cut = (text) => (text.length > room ? `${text.slice(0, room - 1)}…` : text);
      group.append(drawn("title", {}, `${one.text || one.operator}\n${told}`));
      group.append(drawn("rect", { x, y, width: width - 20 - x, height: 34, rx: 4, class: `${one.runs || ""}${/whole/.test(keeps) ? " grows" : ""}` }));
      group.append(drawn("text", { x: x + 8, y: y + 15 }, cut(one.text || one.operator)));
      group.append(drawn("text", { x: x + 8, y: y + 29, class: "counts" }, cut(told)));
      svg.append(group);
    }
    return svg;
  };
  return {
    find: (id) => document.getElementById(id),
    made,
    drawn,
    plan,
    bytes: (n) => (!known(n) ? "" : n < 1e3 ? `${n} B` : n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`),
    count,
    rate: (n, seconds) => (known(n) && seconds ? (n / seconds).toLocaleString("en", { maximumSignificantDigits: 3 }) : ""),
    seconds: (n) => (known(n) ? `${n.toFixed(2)} s` : ""),
    get: async (path) => (await fetch(path)).json(),
    post: async (path, data) => {
      const headers = { "content-type": "application/json", "x-xylem-token": document.body.dataset.token };
      return (await fetch(path, { method: "POST", headers, body: JSON.stringify(data || {}) })).json();
    },
  };
})();
