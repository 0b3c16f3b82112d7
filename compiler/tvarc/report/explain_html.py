"""What `explain` knows of a variant as one page: its recipes beside the sources, then all that is
decided, block by block."""

from __future__ import annotations

import posixpath

from tvarc import ir
from tvarc.assembly.source_map import SourceMaps
from tvarc.driver import Compilation
from tvarc.light import Final, Iterable, Iterator, Sequence, dataclass, replace
from tvarc.matrix.variants import Variant
from tvarc.provenance.reads import Reads
from tvarc.report.data import added_nothing, all_reads, fact_text, named, place_of, span_text
from tvarc.report.html import Markup, document, element
from tvarc.report.inputs import shown
from tvarc.report.lookup import path_text
from tvarc.report.side_by_side import SIDES_SCRIPT, SIDES_STYLE, sides_html
from tvarc.report.tree import Node, recipe_tree, script_text
from tvarc.report.why import Why
from tvarc.source import SourceMap
from tvarc.values import Missing, NixText

_STYLE: Final = """
h1 { font-size: 1.4rem; margin: 0 0 .6rem }
nav { margin-bottom: 1rem }
pre, .value { font-family: ui-monospace, monospace }
pre { margin: .3rem 0 .3rem 1rem; padding-left: .6rem; border-left: 2px solid var(--edge);
  white-space: pre-wrap }
details, .leaf { margin: .2rem 0 .2rem 1rem }
body > details, body > .leaf { margin-left: 0 }
details > div.note, .leaf > div.note { margin-left: 1rem }
.leaf { padding-left: 1rem }
summary { cursor: pointer }
:target { outline: 2px solid var(--made-bar); outline-offset: 2px }
.line:target { outline: none }
.place, .note { color: var(--faint); font-size: .85em }
.lost { text-decoration: line-through }
"""


def variant_page(made: Compilation, variant: Variant, recipe: ir.Recipe, why: Why) -> str:
    """The page on *variant*, which *recipe* is. Where no output writes it, it is shown as it would
    be written beside the program."""
    maps = SourceMaps(made.traced(), posixpath.basename(made.file), made.file)
    mapped = maps.of(variant)
    sides: Iterator[Markup] = iter(())
    if mapped is not None:
        written = bool(mapped.files)
        if not written:
            alone = maps.file(mapped.recipe, f"{variant.name}.nix")
            mapped = replace(mapped, files=(alone,))
        sides = sides_html(mapped, maps, made.file, written=written)
    return _page(recipe_tree(recipe, made.inputs), made.sources, why, sides)


def _page(tree: Node, sources: SourceMap, why: Why, sides: Iterable[Markup]) -> str:
    """The page on the variant of *tree*; *sides* are its recipes beside the sources. Blocks fold,
    and each setting has an anchor, which is its path."""
    name = str(tree.value)
    page = _Blocks(sources, why)
    links: list[Markup | str] = []
    for block in tree.children:
        links += [element("a", block.label, href=f"#{anchor(block)}"), " "]
    return document(
        name,
        element("h1", name),
        *sides,
        element("nav", *links),
        *map(page.block, tree.children),
        style=SIDES_STYLE + _STYLE,
        script=SIDES_SCRIPT,
    )


def anchor(node: Node) -> str:
    """The name of *node* in the page: its path, in which what no address may hold is `~` and a
    number."""
    path = path_text(node.path)
    return "".join([one if one.isalnum() or one in "._:+-" else f"~{ord(one):x}" for one in path])


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    sources: SourceMap
    why: Why

    def block(self, node: Node) -> Markup:
        return Markup(self.folded(node, element("b", node.label), opened=True).text + "\n")

    def node(self, node: Node) -> Markup:
        """A setting and all beneath it."""
        return self.folded(node, element("a", node.label, href=f"#{anchor(node)}"))

    def folded(self, node: Node, label: Markup, *, opened: bool = False) -> Markup:
        """What has nothing beneath it does not fold."""
        head = [label, *self.shown(node)]
        inner = [*self.text(node), *self.reasons(node), *map(self.node, node.children)]
        if not inner:
            return element("div", *head, id=anchor(node), class_="leaf")
        more = {"open": "open"} if opened else {}
        return element("details", element("summary", *head), *inner, id=anchor(node), **more)

    def shown(self, node: Node) -> Iterator[Markup]:
        """The value of *node*, and where it is written."""
        if not isinstance(node.value, Missing) and not _is_text(node):
            sign = " += " if node.extends else " = "
            yield element("span", sign, _value(node), class_="value")
        if node.kind == "part" and isinstance(node.value, Missing):
            yield element("span", " the package's own script", class_="note")
        if node.kind == "removed" and isinstance(node.value, Missing):
            yield element("span", " taken out", class_="note")
        if node.kind == "unset":
            yield element("span", " unset", class_="note")
        if node.of:
            yield element("span", f" {node.of}", class_="note")
        span = place_of(node, self.why)
        if span is not None:
            layer = f"{node.origin.layer} " if node.origin is not None else ""
            place = f" \N{MIDDLE DOT} {layer}{self.sources.locate(span)}"
            yield element("span", place, class_="place")

    def text(self, node: Node) -> Iterator[Markup]:
        """A text of several lines, as it is."""
        if not isinstance(node.value, Missing) and _is_text(node):
            yield element("pre", script_text(node.value))

    def reasons(self, node: Node) -> Iterator[Markup]:
        if node.because:
            yield self.note(f"because {node.because}")
        yield from self.conditions(node.origin)
        for lost in node.shadowed:
            rank = self.why.rank(node.origin, lost.origin) if node.origin is not None else ""
            yield element(
                "div", "shadows ", element("span", shown(lost.value), class_="lost"),
                f" ({lost.reason}{': ' if rank else ''}{rank}) {lost.origin.layer} "
                f"{self.sources.locate(lost.origin.span)}",
                class_="note",
            )  # fmt: skip
        for origin in added_nothing(node, self.why):
            yield self.note(f"adds nothing: {origin.layer} {self.sources.locate(origin.span)}")
        yield from self.read(all_reads(node, self.why))

    def conditions(self, origin: ir.Origin | None) -> Iterator[Markup]:
        for held in self.why.conditions(origin) if origin is not None else ():
            pairs = ", ".join(f"{text} = {shown(value)}" for text, value in held.operands)
            text = span_text(held.span, self.sources)
            yield self.note(f"when {text}: {pairs}" if pairs else f"when {text}")

    def read(self, reads: Reads) -> Sequence[Markup]:
        found = [self.note(f"reads {path}") for path in reads.settings]
        found += [
            self.note(f"reads {named(name)} {self.sources.locate(name.span)}")
            for name in reads.names
        ]
        for fact in reads.facts:
            text = f"reads {fact.table}.{fact.row}.{fact.field} = {fact_text(fact)}"
            found.append(self.note(f"{text} {self.sources.locate(fact.span)}"))
            if fact.because:
                found.append(self.note(f"because {fact.because}"))
            if fact.shadowed is not None:
                old = fact.shadowed
                shadows = f"shadows {fact_text(old, ir.CORRECTED)}"
                found.append(self.note(f"{shadows} {self.sources.locate(old.span)}"))
        return found

    def note(self, text: str) -> Markup:
        return element("div", text, class_="note")


def _is_text(node: Node) -> bool:
    """Whether the value is better read line by line."""
    several = isinstance(node.value, str | NixText) and "\n" in script_text(node.value)
    return not isinstance(node.value, Missing) and (node.kind == "part" or several)


def _value(node: Node) -> str:
    """A value on one line."""
    if node.path == ("pin", "hash") and node.value is None:
        return "none yet"
    if node.path == ("recipe",) and isinstance(node.value, tuple):
        return " \N{RIGHTWARDS ARROW} ".join(map(str, node.value))
    if node.kind in ("plain", "pin") and isinstance(node.value, str):
        return node.value
    if not isinstance(node.head, Missing):
        return shown(node.head)  # what is added to it stands beneath it
    assert not isinstance(node.value, Missing)
    return shown(node.value)
