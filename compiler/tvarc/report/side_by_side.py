"""The recipes of a variant beside the sources, as HTML: each line leads to those that made it, and
each line of a source to what it made.

Without its script the page still has, on each line of a recipe, a link to the line of source that
says most of it; with it lines are chosen by mouse or by keyboard, and all that belongs to one is
marked and named.
"""

from __future__ import annotations

import posixpath

from tvarc.assembly.source_map import MappedFile, MappedVariant, SourceMaps
from tvarc.light import Final, Iterator, Sequence
from tvarc.provenance.model import Lines, Place
from tvarc.report.html import Markup, element
from tvarc.report.source_map import Sharpness, entry_text

_SMALLEST_GAP: Final = 2
"""So few lines are not left out."""

_CONTEXT: Final = 3
"""So many lines of a source are shown before and after one that something comes from."""

SIDES_STYLE: Final = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1b1f24; --faint: #626a73; --edge: #d5d9de;
  --bar: #f3f5f7; --chosen: #fff0b8; --made: #d9ebff; --made-bar: #1765c1; --around: #f1edf8;
  --around-bar: #8a63c9; --link: #1257a8 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171b; --ink: #dfe3e8; --faint: #a9b2bc; --edge: #363c44; --bar: #1d2126;
    --chosen: #403708; --made: #123456; --made-bar: #6cb2ff; --around: #2c2440;
    --around-bar: #b493ee; --link: #8cc2ff }
}
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 100rem;
  padding: 0 1rem; overflow-wrap: anywhere; background: var(--paper); color: var(--ink) }
a { color: var(--link) }
.sides { margin: 0 0 2rem }
.status { position: sticky; top: 0; z-index: 2; margin: 0; padding: .5rem .75rem;
  background: var(--bar); border: 1px solid var(--edge); border-radius: .4rem .4rem 0 0;
  height: 3em; overflow: auto; font-size: .9em }
.panes { display: grid; grid-template-columns: 1fr 1fr; border: 1px solid var(--edge);
  border-top: 0; border-radius: 0 0 .4rem .4rem }
.pane { position: relative; height: calc(100vh - 9rem); min-height: 16rem; overflow: auto;
  min-width: 0; scroll-padding-top: 3rem }
.pane + .pane { border-left: 1px solid var(--edge) }
.pane h2 { position: sticky; top: 0; z-index: 1; margin: 0; padding: .3rem .75rem;
  font: 600 .85rem/1.5 ui-monospace, monospace; background: var(--bar);
  border-bottom: 1px solid var(--edge) }
.line { display: grid; grid-template-columns: 3.2em minmax(0, 1fr) auto; column-gap: .6em;
  align-items: baseline;
  padding: 0 .6em 0 0; border-left: 4px solid transparent;
  font: 12.5px/1.55 ui-monospace, monospace }
.line .number { text-align: right; color: var(--faint); user-select: none }
.line code { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; tab-size: 4;
  padding-left: 2ch; text-indent: -2ch }
.indent { white-space: pre }
.line .from { color: var(--faint); text-decoration: none; font-size: .92em; text-align: right;
  user-select: none }
.line .from:hover { text-decoration: underline }
.leads { cursor: pointer }
.leads:hover { background: var(--bar) }
.line:focus { outline: none }
.line:focus-visible { outline: 2px solid var(--made-bar); outline-offset: -2px }
.quiet code, .gap { color: var(--faint) }
.gap { padding: .1rem 0 .1rem 5.5em; font-size: .8rem }
.line.around { background: var(--around); border-left: 4px dashed var(--around-bar) }
.line.made { background: var(--made); border-left: 4px solid var(--made-bar) }
.line.chosen { background: var(--chosen); border-left: 4px double var(--ink) }
.mark { padding: 0 .35em; border-left: 4px solid }
.mark.made { background: var(--made); border-color: var(--made-bar) }
.mark.around { background: var(--around); border-left: 4px dashed var(--around-bar) }
@media (max-width: 50rem) {
  body { padding: 0 .5rem; margin-top: .5rem }
  .panes { grid-template-columns: 1fr }
  .status { height: 4.6em; font-size: .85em }
  .pane { height: 36vh; height: 36dvh; min-height: 10rem }
  .pane + .pane { border-left: 0; border-top: 3px solid var(--edge) }
  .line { grid-template-columns: 2.4em minmax(0, 1fr); font-size: 12px }
  .line .from { display: none }
}
@media print {
  :root { --paper: #fff; --ink: #000; --faint: #444; --bar: #fff; --edge: #999 }
  body { max-width: none; margin: 0; font-size: 10pt }
  .status, nav { display: none }
  .panes { display: block; border: 0 }
  .pane { height: auto; overflow: visible; border: 0 }
  .pane h2 { position: static; margin-top: 1em }
  .line { font-size: 8pt; break-inside: avoid;
    grid-template-columns: 3.2em minmax(0, 1fr) auto }
  .line .from { display: inline }
}
"""

SIDES_SCRIPT: Final = """
"use strict";
(() => {
  const rows = [...document.querySelectorAll(".leads")];
  const byId = new Map(rows.map((row) => [row.id, row]));
  const idOf = new Map(rows.map((row) => [row, row.id]));
  // From here on an address is followed by this alone: the browser would scroll the page as well.
  for (const row of rows) row.removeAttribute("id");
  const links = new Map(rows.map((row) => [row, { made: [], around: [] }]));
  for (const row of rows) {
    for (const kind of ["made", "around"]) {
      for (const id of (row.dataset[kind] || "").split(" ").filter(Boolean)) {
        const other = byId.get(id);
        links.get(row)[kind].push(other);
        links.get(other)[kind].push(row);
      }
    }
  }
  const panes = [...document.querySelectorAll(".pane")];
  const status = document.getElementById("status");
  const introduction = status ? [...status.childNodes] : [];
  let chosen = null;
  let came = null;

  const paneOf = (row) => row.closest(".pane");
  const rowsOf = (pane) => rows.filter((row) => pane.contains(row));
  const linked = (row) => [...links.get(row).made, ...links.get(row).around];

  const show = (row) => {
    const pane = paneOf(row);
    if (getComputedStyle(pane).overflowY === "visible") return;
    const top = row.offsetTop - pane.scrollTop;
    const margin = 48;
    if (top < margin || top + row.offsetHeight > pane.clientHeight - margin / 2) {
      pane.scrollTop = row.offsetTop - pane.clientHeight / 3;
    }
  };

  const mark = (kind) => {
    const sign = document.createElement("span");
    sign.className = `mark ${kind}`;
    return sign;
  };

  const tell = (row) => {
    const { made, around } = links.get(row);
    const back = paneOf(row) === panes[1];
    const said = [`${row.dataset.place}: `];
    for (const [kind, words, several] of [
      ["made", back ? "makes" : "made of", made],
      ["around", back ? "brings about what stands around" : "around it", around],
    ]) {
      if (!several.length) continue;
      const sign = mark(kind);
      sign.textContent = words;
      const most = matchMedia("(max-width: 50rem)").matches ? 4 : 8;
      const places = several.slice(0, most).map((one) => one.dataset.place);
      const more = several.length > most ? ` and ${several.length - most} more` : "";
      said.push(sign, ` ${places.join(", ")}${more} `);
    }
    status.replaceChildren(...said);
  };

  const clear = () => {
    for (const row of rows) {
      row.classList.remove("chosen", "made", "around");
      row.removeAttribute("aria-current");
    }
  };

  const choose = (row, focus) => {
    if (chosen && chosen !== row) came = chosen;
    clear();
    chosen = row;
    for (const one of rowsOf(paneOf(row))) one.tabIndex = -1;
    row.tabIndex = 0;
    row.classList.add("chosen");
    row.setAttribute("aria-current", "true");
    for (const kind of ["around", "made"]) {
      for (const other of links.get(row)[kind]) other.classList.add(kind);
    }
    show(row);
    const first = linked(row)[0];
    if (first) show(first);
    tell(row);
    if (focus) row.focus({ preventScroll: true });
    history.replaceState(null, "", `#${idOf.get(row)}`);
  };

  const cross = (row) => {
    const others = linked(row);
    return others.includes(came) ? came : others[0];
  };

  const step = (row, key) => {
    const own = rowsOf(paneOf(row));
    const at = own.indexOf(row);
    const back = paneOf(row) === panes[1];
    switch (key) {
      case "ArrowDown": return own[at + 1];
      case "ArrowUp": return own[at - 1];
      case "Home": return own[0];
      case "End": return own[own.length - 1];
      case "PageDown": return own[Math.min(at + 15, own.length - 1)];
      case "PageUp": return own[Math.max(at - 15, 0)];
      case "ArrowRight": return back ? undefined : cross(row);
      case "ArrowLeft": return back ? cross(row) : undefined;
      case "Enter": case " ": return row === chosen ? cross(row) : row;
      default: return undefined;
    }
  };

  for (const pane of panes) {
    const own = rowsOf(pane);
    for (const row of own) {
      row.tabIndex = -1;
      for (const link of row.querySelectorAll("a")) link.tabIndex = -1;
    }
    if (own.length) own[0].tabIndex = 0;
    pane.addEventListener("click", (event) => {
      const row = event.target.closest(".leads");
      if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      choose(row, true);
    });
    pane.addEventListener("keydown", (event) => {
      const row = event.target.closest(".leads");
      if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape") {
        clear();
        chosen = came = null;
        status.replaceChildren(...introduction);
        return;
      }
      const next = step(row, event.key);
      if (!next) return;
      event.preventDefault();
      choose(next, true);
    });
  }

  const follow = () => {
    const row = byId.get(decodeURIComponent(location.hash.slice(1)));
    if (!row) return;
    scrollTo(0, 0);
    choose(row, true);
  };
  addEventListener("hashchange", follow);
  follow();
  addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("details")) one.open = true;
  });
})();
"""


def sides_html(
    variant: MappedVariant, maps: SourceMaps, program: str, *, written: bool
) -> Iterator[Markup]:
    """The recipes of *variant*, of the program of that name, beside the sources. Where they are not
    *written* anywhere, that is told."""
    sides = _Sides(variant, maps, program, written)
    # Those of sources are known when all of the recipes have been gone through.
    recipes = list(sides.recipes())
    yield element(
        "section",
        element(
            "p", "Choose a line, by mouse or with \N{UPWARDS ARROW} \N{DOWNWARDS ARROW}: the other "
            "side shows ",
            element("span", "what made it", class_="mark made"), ", and ",
            element("span", "what stands around it", class_="mark around"),
            ". \N{RIGHTWARDS ARROW} goes to the source, \N{LEFTWARDS ARROW} back.",
            class_="status", id="status", role="status",
        ),
        element(
            "div",
            element("div", *recipes, class_="pane", role="region", aria_label="Recipe"),
            element("div", *sides.sources(), class_="pane", role="region", aria_label="Sources"),
            class_="panes",
        ),
        class_="sides",
    )  # fmt: skip


class _Sides:
    """The two panes of one variant."""

    def __init__(
        self, variant: MappedVariant, maps: SourceMaps, program: str, written: bool
    ) -> None:
        self.variant = variant
        self.written = written
        self.numbering = maps.numbering
        self.program = program
        # The sources that lines come from, in the order in which they were loaded.
        reached = 0
        for one in variant.files:
            for lines in (*one.made, *one.around):
                reached |= lines
        for entry in variant.entries:
            reached |= entry.lines
        self.reached = self.numbering.places(reached)
        self.files = {
            file: n for n, file in enumerate(dict.fromkeys(f for f, _ in self.reached), 1)
        }

    # --- recipes -------------------------------------------------------------------------

    def recipes(self) -> Iterator[Markup]:
        for number, file in enumerate(self.variant.files):
            yield from self.recipe(file, f"recipe{number + 1}" if number else "recipe")
        told: dict[tuple[str, Lines], None] = {}
        for entry in self.variant.entries:
            told.setdefault((entry_text(entry), entry.lines))
        if told:
            yield element("h2", "on no line")
        for number, (text, lines) in enumerate(told, 1):
            yield self.row(f"entry:{number}", text, "", text, lines, 0, None)

    def recipe(self, file: MappedFile, name: str) -> Iterator[Markup]:
        yield element("h2", file.path if self.written else f"{file.path}, which no output writes")
        sharpness = Sharpness(self.numbering, file, self.program)
        texts = file.text.split("\n")[:-1]  # what follows the last line end is no line
        for number, (text, made, around) in enumerate(
            zip(texts, file.made, file.around, strict=False), 1
        ):
            place = f"{posixpath.basename(file.path)}:{number}"
            beside = around & ~made
            yield self.row(f"{name}:{number}", place, str(number), text, made, beside, sharpness)

    def row(
        self,
        name: str,
        place: str,
        number: str,
        text: str,
        made: Lines,
        around: Lines,
        sharpness: Sharpness | None,
    ) -> Markup:
        """One line; that which says most of it is the first of those that it leads to."""
        inner = [element("span", number, class_="number"), _code(text)]
        sets = [self.numbering.places(lines) for lines in (made, around)]
        if sharpness is not None:
            sets = [sharpness.ordered(one) for one in sets]
        if not any(sets):
            return element("div", *inner, class_="line quiet")
        first, *more = [place for one in sets for place in one]
        shown = f"{first[0]}:{first[1]}{f' +{len(more)}' if more else ''}"
        inner.append(element("a", shown, href=f"#{self.name(first)}", class_="from"))
        marks = [" ".join(map(self.name, one)) for one in sets]
        return element(
            "div", *inner, id=name, class_="line leads", data_place=place, data_made=marks[0],
            data_around=marks[1],
        )  # fmt: skip

    def name(self, place: Place) -> str:
        return f"source{self.files[place[0]]}:{place[1]}"

    # --- sources -------------------------------------------------------------------------

    def sources(self) -> Iterator[Markup]:
        for file in self.files:
            lines = [line for name, line in self.reached if name == file]
            yield element("h2", file)
            yield from self.source(file, lines)

    def source(self, file: str, reached: Sequence[int]) -> Iterator[Markup]:
        """The lines of *file* that something comes from, and some around them."""
        source = self.numbering.sources.get(file)
        assert source is not None  # it has lines
        count = len(source.text.removesuffix("\n").split("\n"))
        leading, last = set(reached), 0
        near = [one for one in range(1, count + 1) if _is_near(one, leading)]
        for line in _closed(near, count):
            yield from _gap(line - last - 1)
            last = line
            inner = [element("span", str(line), class_="number"), _code(source.line(line))]
            if line in leading:
                place = f"{file}:{line}"
                name = self.name((file, line))
                yield element("div", *inner, id=name, class_="line leads", data_place=place)
            else:
                yield element("div", *inner, class_="line quiet")
        yield from _gap(count - last)


def _is_near(line: int, leading: set[int]) -> bool:
    return not leading.isdisjoint(range(line - _CONTEXT, line + _CONTEXT + 1))


def _closed(lines: Sequence[int], count: int) -> list[int]:
    """*lines* with all between them, where that is no more than the word that would stand there."""
    found: list[int] = []
    for line in (*lines, count + 1):
        last = found[-1] if found else 0
        found += range(last + 1 if line - last - 1 <= _SMALLEST_GAP else line, line + 1)
    return found[:-1]


def _code(text: str) -> Markup:
    """A line of code; it is not broken behind what it is indented by."""
    bare = text.lstrip(" ")
    if not bare or bare == text:
        return element("code", text)
    indent = text[: len(text) - len(bare)]
    return element("code", element("span", indent, class_="indent"), bare)


def _gap(count: int) -> Iterator[Markup]:
    """That so many lines of a source are left out."""
    if count:
        yield element("div", f"\N{VERTICAL ELLIPSIS} {count} lines", class_="gap")
