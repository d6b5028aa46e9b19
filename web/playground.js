// The playground: an editor for the query, with errors underlined and the effect of each line in the margin.
import { autocompletion } from "@codemirror/autocomplete";
import { history, historyKeymap, defaultKeymap } from "@codemirror/commands";
import { StreamLanguage, syntaxHighlighting, defaultHighlightStyle, bracketMatching } from "@codemirror/language";
import { linter, lintGutter, forceLinting } from "@codemirror/lint";
import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { EditorView, GutterMarker, gutter, keymap, lineNumbers } from "@codemirror/view";

const WORDS = new Set(
  ("for let where order group by return in at some every satisfies if then else switch case default typeswitch try catch " +
    "declare namespace variable function external import module tumbling sliding window start end when only stable " +
    "ascending descending and or eq ne lt le gt ge is div idiv mod to union intersect except instance of treat as castable " +
    "cast map array element attribute document text forseq landmark newstart force bestmatch join left right full outer").split(" "),
);

const xquery = StreamLanguage.define({
  startState: () => ({ comment: 0, quote: null }),
  token(stream, state) {
    if (state.comment > 0 || stream.match("(:")) {
      if (state.comment === 0) state.comment = 1;
      while (!stream.eol()) {
        if (stream.match(":)")) { if (--state.comment === 0) break; }
        else if (stream.match("(:")) state.comment++;
        else stream.next();
      }
      return "comment";
    }
    if (state.quote === null && stream.match(/["']/, false)) state.quote = stream.next();
    if (state.quote !== null) {
      while (!stream.eol()) if (stream.next() === state.quote) { state.quote = null; break; }
      return "string";
    }
    if (stream.match(/\$[\w:.-]+/)) return "variableName";
    if (stream.match(/\d+(\.\d+)?([eE][+-]?\d+)?/)) return "number";
    if (stream.match(/<\/?[A-Za-z_][\w:.-]*/)) return "tagName";
    const word = stream.match(/[A-Za-z_][\w:.-]*/);
    if (word) return WORDS.has(word[0]) ? "keyword" : stream.match(/\s*\(/, false) ? "function" : "name";
    stream.next();
    return null;
  },
});

const { find, made, plan, bytes, count, post } = window.page;
const WIDTH = 600;
let operators = [];

class Effect extends GutterMarker {
  constructor(effect, text) { super(); this.effect = effect; this.text = text; }
  eq(other) { return other.effect === this.effect && other.text === this.text; }
  toDOM() {
    const mark = document.createElement("span");
    mark.className = `effect ${this.effect}`;
    mark.textContent = this.effect;
    mark.title = this.text;
    return mark;
  }
}
const setEffects = StateEffect.define();
const effects = StateField.define({
  create: () => RangeSet.empty,
  update(set, transaction) {
    set = set.map(transaction.changes);
    for (const one of transaction.effects) if (one.is(setEffects)) set = one.value;
    return set;
  },
});

const offset = (doc, line, column) => {
  const found = doc.line(Math.min(line, doc.lines));
  return Math.min(found.from + column - 1, found.to);
};

async function diagnose(view) {
  const told = await post("/api/check", { query: view.state.doc.toString() });
  const doc = view.state.doc;
  const strongest = { holds: 3, folds: 2, passes: 1 };
  const byLine = new Map();
  for (const note of told.notes) {
    const known = byLine.get(note.line);
    if (!known || (strongest[note.effect] ?? 0) > (strongest[known.effect] ?? 0)) byLine.set(note.line, note);
  }
  const marks = [...byLine.values()]
    .filter((note) => note.line <= doc.lines)
    .sort((a, b) => a.line - b.line)
    .map((note) => new Effect(note.effect, note.text).range(doc.line(note.line).from));
  view.dispatch({ effects: setEffects.of(RangeSet.of(marks)) });
  find("explain").textContent = told.explain;
  operators = told.operators;
  find("plan").replaceChildren(...(operators.length ? [plan(operators, WIDTH)] : []));
  return told.errors.map((one) => {
    const from = offset(doc, one.line, one.column);
    return {
      from,
      to: Math.max(offset(doc, one.end_line, one.end_column), Math.min(from + 1, doc.length)),
      severity: "error",
      message: `${one.code}: ${one.message}` + (one.hint ? `\nhint: ${one.hint}` : ""),
    };
  });
}

async function names(context) {
  const line = context.state.doc.lineAt(context.pos);
  const before = context.state.sliceDoc(line.from, context.pos);
  if (!context.explicit && !/[$@\w:.-]$/.test(before)) return null;
  const told = await post("/api/names", { before, query: context.state.doc.toString(), sample: sample.value.slice(0, 65536) });
  const options = told.names.map((one) => ({ label: one.text, detail: one.detail || one.kind }));
  return { from: context.pos - told.word, options };
}

const sample = find("sample");
const view = new EditorView({
  doc: find("query").textContent.trim(),
  parent: find("editor"),
  extensions: [
    lineNumbers(), history(), bracketMatching(), xquery, syntaxHighlighting(defaultHighlightStyle),
    effects, gutter({ class: "effects", markers: (view) => view.state.field(effects) }),
    lintGutter(), linter(diagnose, { delay: 300 }), autocompletion({ override: [names] }),
    keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }, ...defaultKeymap, ...historyKeymap]),
    EditorView.cspNonce.of(find("playground").dataset.nonce), EditorView.contentAttributes.of({ "aria-label": "Query" }), EditorView.lineWrapping,
  ],
});
window.xylemEditor = view;

async function run() {
  const answer = find("answer");
  answer.textContent = "…";
  find("figures").replaceChildren();
  const told = await post("/api/run", {
    query: view.state.doc.toString(),
    sample: sample.value,
    format: find("format").value,
  });
  answer.textContent = told.output;
  find("messages").textContent = told.messages;
  const plot = find("plot");
  plot.replaceChildren();
  if (told.plot) {
    const image = document.createElement("img");
    image.alt = "Buffered bytes and output over the input";
    image.src = `data:image/svg+xml;base64,${btoa(String.fromCharCode(...new TextEncoder().encode(told.plot)))}`;
    plot.append(image);
  }
  figures(told.figures ? JSON.parse(told.figures) : {});
}

// The figures as a table, and the counters of operators in the plan.
function figures(told) {
  const rows = [
    ["Streamed", told.streamed === undefined ? "" : told.streamed ? `yes, in ${told.passes} ${told.passes === 1 ? "pass" : "passes"}` : `no: ${told.reason}`],
    ["Input", bytes(told.input_bytes)],
    ["Results", count(told.results)],
    ["Peak of buffers", bytes(told.peak_buffered_bytes)],
    ["Peak of memory", bytes(told.peak_rss_bytes)],
    ["Seconds", count(told.seconds)],
  ];
  find("figures").replaceChildren(...rows.filter(([, value]) => value !== "").map(([name, value]) => {
    const row = made("tr");
    row.append(made("th", name, { scope: "row" }), made("td", value));
    return row;
  }));
  const counted = new Map((told.operators || []).map((one) => [one.id, one]));
  find("plan").replaceChildren(...(operators.length ? [plan(operators.map((one) => ({ ...one, ...counted.get(one.id) })), WIDTH)] : []));
}

find("run").addEventListener("click", run);
find("upload").addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (file) sample.value = await file.text();
});
find("examples").addEventListener("change", async (event) => {
  if (!event.target.value) return;
  const told = await (await fetch(`/api/example/${encodeURIComponent(event.target.value)}`)).json();
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: told.query } });
  sample.value = told.sample;
  forceLinting(view);
});
forceLinting(view);
document.body.dataset.ready = "yes";
