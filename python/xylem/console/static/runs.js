// The screens of runs: the list, and one run with its result, figures, plan and dead letters. Nothing is loaded from elsewhere.
"use strict";
(() => {
  const { find, made, drawn, bytes, count, rate, seconds, plan, get, post } = window.page;
  const body = document.body;
  const go = (told) => {
    if (told.error) { find("problem").textContent = told.error; return; }
    location.assign(`/runs/${told.id}`);
  };

  // --- the list

  const RUNNERS = { process: "one process", spark: "Spark, once", stream: "Spark, continuous" };
  let next;

  const actions = (run) => {
    const cell = made("td");
    const button = (text, act) => {
      const one = made("button", text, { "aria-label": `${text} ${run.query}` });
      one.addEventListener("click", act);
      cell.append(one, " ");
    };
    if (run.state === "running") button("Stop", async () => { await post(`/api/runs/${run.id}/stop`); list(); });
    else if (!run.command) button(run.runner === "stream" ? "Continue" : "Start again", async () => go(await post(`/api/runs/${run.id}/restart`)));
    return cell;
  };
  const told = (when) => (when.toDateString() === new Date().toDateString() ? when.toLocaleTimeString() : when.toLocaleString());
  const row = (run) => {
    const line = made("tr"), f = run.figures, head = made("td"), state = made("td");
    state.append(made("span", run.state, { class: `state ${run.state}` }));
    head.append(made("a", told(new Date(run.started * 1000)), { href: `/runs/${run.id}` }));
    const results = f.results === undefined ? f.changes : f.results;
    const read = f.megabytes_per_second === undefined ? f.input_bytes / f.seconds : f.megabytes_per_second * 1e6;
    const speed = Number.isFinite(read) ? `${bytes(Math.round(read))}/s` : "";
    const items = f.items_per_second === undefined ? rate(results, f.seconds) : rate(f.items_per_second, 1);
    const values = [run.query, run.input, RUNNERS[run.runner], bytes(f.input_bytes), speed, count(f.items === undefined ? results : f.items), items, seconds(f.latency_seconds), bytes(f.held_bytes), count(f.malformed), count(f.late)];
    line.append(head, state, ...values.map((value, index) => made("td", value, index > 2 ? { class: "number" } : {})), actions(run));
    return line;
  };
  const list = async () => {
    const runs = await get("/api/runs"), rows = find("runs").tBodies[0];
    const focused = document.activeElement && document.activeElement.getAttribute("aria-label");
    rows.replaceChildren(...runs.map(row));
    if (focused && !document.activeElement.isConnected) rows.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
    find("none").hidden = runs.length > 0;
    body.dataset.ready = "yes";
    clearTimeout(next);
    next = setTimeout(list, runs.some((run) => run.state === "running") ? 500 : 3000);
  };
  const runsScreen = () => {
    find("start").addEventListener("submit", async (event) => {
      event.preventDefault();
      go(await post("/api/runs", Object.fromEntries(new FormData(event.target))));
    });
    list();
  };

  // --- one run

  const here = `/api/runs/${body.dataset.run}`;
  const regions = new Map();
  const piece = (region, text) => {
    const element = made("div", text, { class: "region", "data-region": region });
    regions.set(region, element);
    return element;
  };
  const apply = (change) => {
    const result = find("result");
    if (change.op === "insert") result.insertBefore(piece(change.region, change.new), result.children[change.place] || null);
    else if (change.op === "remove") { regions.get(change.region)?.remove(); regions.delete(change.region); }
    else regions.get(change.region).textContent = change.new;
  };
  const asOf = (commit) => { find("as-of").textContent = body.dataset.updates ? `as of commit ${commit}` : `${count(commit)} ${commit === 1 ? "item" : "items"}`; };
  const listen = () => {
    const source = new EventSource(`${here}/events`);
    source.addEventListener("display", (event) => {
      const told = JSON.parse(event.data);
      regions.clear();
      find("result").replaceChildren(...told.regions.map(([region, text]) => piece(region, text)));
      asOf(told.commit);
    });
    source.addEventListener("rows", (event) => {
      const told = JSON.parse(event.data);
      told.rows.forEach(apply);
      asOf(told.commit);
    });
    source.addEventListener("end", (event) => {
      source.close();
      if (JSON.parse(event.data).full) find("as-of").textContent += ", the first of them";
      find("result").dataset.ended = "yes";
      show();
    });
  };
  const PLOTS = [["Read", "input_bytes", bytes], ["Results", "results", count], ["Changes", "changes", count], ["Latency of a batch", "latency_seconds", seconds], ["Held in buffers and state", "held_bytes", bytes], ["Most held so far", "peak_buffered_bytes", bytes], ["Memory of the process", "peak_rss_bytes", bytes]];
  const plot = ([title, name, told], samples) => {
    const measured = samples.filter((sample) => sample[name] !== undefined);
    if (!measured.length) return null;
    const seen = [{ seconds: 0, [name]: 0 }, ...measured];
    const most = Math.max(...seen.map((sample) => sample[name])), end = Math.max(...seen.map((sample) => sample.seconds), 0.001);
    const figure = made("figure", null, { "data-plot": name, "data-most": most });
    const text = `${title}: ${told(most)} at most, ${end.toFixed(1)} s`;
    const svg = drawn("svg", { viewBox: "0 0 320 90", role: "img", "aria-label": text });
    const at = (sample) => `${(10 + (300 * sample.seconds) / end).toFixed(1)},${(80 - (70 * sample[name]) / (most || 1)).toFixed(1)}`;
    svg.append(drawn("polyline", { points: seen.map(at).join(" "), class: "line" }), drawn("path", { d: "M10 10V80H310", class: "axis" }));
    figure.append(svg, made("figcaption", text));
    return figure;
  };
  const letterRow = (letter, index) => {
    const line = made("tr"), open = made("td");
    open.append(made("a", "Open in the playground", { href: `/?run=${body.dataset.run}&letter=${index}` }));
    const excerpt = letter.text.slice(0, 300);
    const values = [letter.error_line ?? letter.line, letter.error_byte_offset ?? letter.byte_offset, letter.path, `${letter.code}: ${letter.reason}`, excerpt];
    line.append(...values.map((value) => made("td", value)), open);
    return line;
  };
  let lettersShown = -1, planShown = "";
  const show = async () => {
    const run = await get(here), f = run.figures, running = run.state === "running";
    find("state").textContent = run.state;
    find("state").className = `state ${run.state}`;
    find("figures").textContent = [f.seconds === undefined ? "" : `${f.seconds.toFixed(1)} s`, f.input_bytes === undefined ? "" : `${bytes(f.input_bytes)} read`, f.batch === undefined ? "" : `batch ${count(f.batch)}, ${count(f.items)} items, latency ${seconds(f.latency_seconds)}`, f.malformed ? `${count(f.malformed)} malformed` : "", f.late ? `${count(f.late)} late` : ""].filter(Boolean).join(", ");
    find("stop").hidden = !running;
    if (find("restart")) find("restart").hidden = running && run.runner === "stream";
    find("messages").textContent = run.told.split("\n").filter((line) => !line.startsWith("{")).join("\n");
    find("plots").replaceChildren(...PLOTS.map((one) => plot(one, run.samples)).filter(Boolean));
    const letters = await get(`${here}/letters`);
    if (letters.length !== lettersShown) {
      lettersShown = letters.length;
      find("letters").tBodies[0].replaceChildren(...letters.map(letterRow));
      find("letters").hidden = letters.length === 0;
      find("no-letters").hidden = letters.length > 0;
    }
    if (find("plan") && (running || planShown !== run.state)) { planShown = run.state; find("plan").replaceChildren(plan(await get(`${here}/plan`))); }
    const slider = find("slider");
    if (slider && run.commits.length - 1 !== Number(slider.max)) {
      slider.max = Math.max(0, run.commits.length - 1);
      slider.commits = run.commits;
    }
    body.dataset.ready = "yes";
    return running;
  };
  const watch = async () => { if (await show()) setTimeout(watch, 500); };
  const runScreen = () => {
    find("stop").addEventListener("click", async () => { await post(`${here}/stop`); show(); });
    find("restart")?.addEventListener("click", async () => go(await post(`${here}/restart`)));
    find("slider")?.addEventListener("input", async (event) => {
      const chosen = (event.target.commits || [])[Number(event.target.value)];
      if (!chosen) return;
      find("slider-commit").textContent = `commit ${chosen.commit}, t = ${chosen.t}`;
      find("earlier").textContent = (await get(`${here}/display?commit=${chosen.commit}`)).display;
      find("earlier").dataset.commit = chosen.commit;
    });
    listen();
    watch();
  };

  if (body.dataset.screen === "runs") runsScreen();
  else runScreen();
})();
