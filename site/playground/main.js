// The page: an editor, the matrix of the program, and what tvarc says of the variant that is chosen.
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { basicSetup } from "codemirror";

const PAUSE = 120; // milliseconds without an edit before the program is compiled
const NAME = "variants.tvar";
const one = (selector) => document.querySelector(selector);

// --- tvarc, in its worker ----------------------------------------------------------------------

const worker = new Worker("worker.js", { type: "module" });
const waiting = new Map();
let asked = 0;
worker.onmessage = ({ data: { id, answer, fault } }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (fault === undefined) resolve(answer);
  else reject(new Error(fault));
};
const ask = (name, ...args) =>
  new Promise((resolve, reject) => {
    waiting.set(++asked, { resolve, reject });
    worker.postMessage({ id: asked, name, args });
  });

// --- the editor --------------------------------------------------------------------------------

const WORDS =
  /^(language|use|let|facts|axis|pin|input|overlay|patch|recipe|mixin|matrix|variant|output|flag|needs|script|part|when|include|exclude|require|warn|because|until|extends|with|from|for|as|if|then|else|default|force|and|or|not|in|is|where|true|false|null|none)(?![\w-])/;
const tvar = StreamLanguage.define({
  startState: () => ({ quotes: 0 }),
  token(stream, state) {
    if (state.quotes) {
      if (stream.match(/^\{\{.*?\}\}/)) return "variableName";
      const end = stream.match(/^"{3,}/);
      if (end && end[0].length >= state.quotes) state.quotes = 0;
      else if (!end) stream.next();
      return "string";
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^#.*/)) return "comment";
    const begin = stream.match(/^"{3,5}(?!")/);
    if (begin) {
      state.quotes = begin[0].length;
      return "string";
    }
    if (stream.match(/^"([^"\\]|\\.)*"/)) return "string";
    if (stream.match(WORDS)) return "keyword";
    if (stream.match(/^\d[\w.]*/)) return "number";
    if (!stream.match(/^[\w-]+/)) stream.next();
    return null;
  },
});

// The colours are those of the page, which knows light and dark.
const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--comment)" },
  { tag: tags.keyword, color: "var(--word)" },
  { tag: tags.string, color: "var(--string)" },
  { tag: tags.number, color: "var(--number)" },
  { tag: tags.variableName, color: "var(--text)" },
]);

let timer;
const editor = new EditorView({
  parent: one("#editor"),
  extensions: [
    basicSetup,
    tvar,
    syntaxHighlighting(colours),
    EditorView.contentAttributes.of({ "aria-label": "Program" }),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      clearTimeout(timer);
      timer = setTimeout(run, PAUSE);
    }),
  ],
});

editor.scrollDOM.tabIndex = 0; // it scrolls by the keyboard

function put(text, ownFiles) {
  files = ownFiles;
  chosen = 0;
  tab = "recipe";
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
}

// Offsets of tvarc count code points, those of the editor units of UTF-16.
function unitOf(text, offset) {
  let units = 0;
  for (const letter of text) {
    if (offset-- <= 0) break;
    units += letter.length;
  }
  return units;
}

// --- what is shown -----------------------------------------------------------------------------

const TABS = ["recipe", "explain", "messages"];
let files = {};
let result = null;
let chosen = 0;
let tab = "recipe";
let runs = 0;

async function run() {
  const now = ++runs;
  const text = editor.state.doc.toString();
  const before = performance.now();
  let found;
  try {
    found = JSON.parse(await ask("check", text, JSON.stringify(files)));
  } catch (fault) {
    const messages = `tvarc has failed on this program: please report it.\n\n${fault.message}`;
    found = { ok: false, matrices: [], variants: [], dropped: [], diagnostics: [], messages };
  }
  if (now !== runs) return; // there has been another edit
  const took = Math.round(performance.now() - before);
  result = found;
  chosen = Math.min(chosen, Math.max(0, found.variants.length - 1));
  if (!found.ok) tab = "messages";
  else if (tab === "messages" && !found.diagnostics.length) tab = "recipe";
  const count = `${found.variants.length} variants, ${found.dropped.length} dropped`;
  one("#state").textContent = `${count}, ${found.diagnostics.length} messages, ${took} ms`;
  mark(text);
  grid();
  await show();
  window.playground = { took, result, runs: now, editor };
}

function mark(text) {
  const own = result.diagnostics.flatMap((each) =>
    each.labels
      .filter((label) => label.primary && label.range.file === NAME)
      .map(({ range }) => ({
        from: unitOf(text, range.start.offset),
        to: unitOf(text, range.end.offset),
        severity: each.severity,
        message: [`${each.code}: ${each.title}`, ...each.notes, each.help].filter(Boolean).join("\n"),
      })),
  );
  const room = editor.state.doc.length;
  editor.dispatch(setDiagnostics(editor.state, own.filter((each) => each.to <= room)));
}

function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// The last axis goes across, all others down.
function grid() {
  const key = (matrix, axes) => JSON.stringify([matrix, axes]);
  const built = new Map(result.variants.map((each, index) => [key(each.matrix, each.axes), index]));
  const dropped = new Map(result.dropped.map((each) => [key(each.matrix, each.axes), each]));
  const tables = result.matrices.map(({ name, axes }) => {
    const names = Object.keys(axes);
    const across = names.at(-1);
    const down = names.slice(0, -1).reduce(
      (rows, axis) => rows.flatMap((row) => axes[axis].map((value) => ({ ...row, [axis]: value }))),
      [{}],
    );
    const columns = across === undefined ? [null] : axes[across];
    const head = across === undefined ? [] : columns.map((value) => make("th", { scope: "col", textContent: value }));
    const rows = down.map((row) => {
      const cells = columns.map((value) => {
        const place = key(name, across === undefined ? {} : { ...row, [across]: value });
        return make("td", {}, ...cell(built.get(place), dropped.get(place)));
      });
      const title = Object.values(row).join(" ");
      const begin = title ? make("th", { scope: "row", textContent: title }) : make("td");
      return make("tr", {}, begin, ...cells);
    });
    return make("table", {}, make("tr", {}, make("th", { textContent: name }), ...head), ...rows);
  });
  one("#matrix").replaceChildren(...tables);
}

function cell(index, without) {
  if (index !== undefined) {
    const name = result.variants[index].name;
    const button = make("button", { textContent: "✓", title: name, ariaLabel: `${name} is built` });
    button.ariaPressed = String(index === chosen);
    button.onclick = () => {
      chosen = index;
      if (tab === "messages") tab = "recipe";
      grid();
      show();
    };
    return [button];
  }
  if (without === undefined) return [];
  const why = without.reasons.map((reason) => reason.because || reason.exclusion).join("; ");
  const label = `${without.name || "a cell"} is dropped: ${why}`;
  const button = make("button", { className: "dropped", textContent: "–", title: why, ariaLabel: label });
  button.onclick = () => {
    const lines = without.reasons.map(
      ({ because, exclusion, values, range }) =>
        `${because || "no reason is given"}\n  ${range.file}:${range.start.line}: ${exclusion}\n` +
        Object.entries(values).map(([text, value]) => `  ${text} = ${value}\n`).join(""),
    );
    text(`${without.name || "This cell"} is dropped.\n\n${lines.join("\n")}`);
  };
  return [button];
}

function text(shown, bad = false) {
  one("#view").className = bad ? "bad" : "";
  one("#view").textContent = shown;
}

async function show() {
  const titles = { messages: `messages (${result.diagnostics.length})` };
  const tabs = TABS.map((name) =>
    make("button", {
      role: "tab",
      textContent: titles[name] ?? name,
      ariaSelected: String(name === tab),
      onclick: () => {
        tab = name;
        show();
      },
    }),
  );
  one("[role=tablist]").replaceChildren(...tabs);
  one("#path").classList.toggle("shown", tab === "explain");
  if (tab === "messages" || !result.ok) {
    text(result.messages || "no errors and no warnings", !result.ok);
  } else if (!result.variants.length) {
    text("The program has no variants.");
  } else {
    const args = tab === "explain" ? [chosen, one("#path input").value.trim()] : [chosen];
    text(await ask(tab, ...args));
  }
}

one("#path input").oninput = show;

// --- the beginning -----------------------------------------------------------------------------

// An address may hold a program: `#p=`, and its text in base64 for addresses.
function given() {
  const found = /^#p=([\w-]+)/.exec(location.hash);
  if (!found) return null;
  const raw = atob(found[1].replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(raw, (letter) => letter.charCodeAt(0)));
}

const examples = await (await fetch("examples.json")).json();
const select = one("#example");
select.append(...examples.map(({ title }, index) => make("option", { value: index, textContent: title })));
select.onchange = () => put(examples[select.value].text, examples[select.value].files);

function begin() {
  const own = given();
  if (own !== null) {
    select.prepend(make("option", { textContent: "from the address", disabled: true, selected: true }));
    put(own, {});
  } else {
    put(examples[0].text, examples[0].files);
  }
}
window.onhashchange = begin;
begin();
