"""Texts that an editor shows between the lines of a source: counts, and values that win over a
line."""

from __future__ import annotations

from tvarc.commands.lsp.open_programs import Snapshot
from tvarc.commands.shown.tree import Node, recipe_tree, shown
from tvarc.editor.counts import Produced, produced
from tvarc.light import Final, Iterator, dataclass
from tvarc.syntax import ast
from tvarc.text.diagnostics.words import counted_long
from tvarc.text.source import Span
from tvarc.values.value import Missing

_LONGEST: Final = 40
_DECIDED: Final = 6
"""The greatest number of variants that are decided to find values that lose."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A text after the place `at`, and a longer explanation."""

    at: int
    text: str
    more: str


@dataclass(frozen=True, slots=True)
class Lens:
    """A text above the declaration at `span`. `recipe` says that the declaration has one."""

    span: Span
    name: str
    text: str
    recipe: bool


def lenses(snapshot: Snapshot, file: str) -> Iterator[Lens]:
    """The lenses of the declarations in *file*."""
    for one in produced(snapshot.made):
        if one.span.file == file:
            yield Lens(one.span, one.name, made_text(one), bool(one.cells and one.variants))


def made_text(one: Produced) -> str:
    """How many variants a declaration makes, and how many cells it drops."""
    made = counted_long(one.variants, "variant")
    dropped = one.cells - one.variants
    return f"{made}, {dropped:,} of {one.cells:,} cells dropped" if dropped > 0 else made


def hints(snapshot: Snapshot, file: str, chosen: str, first: int, last: int) -> Iterator[Hint]:
    """The hints in *file* from the offset *first* to *last*. Values are those in the variant
    *chosen*, or in the variants of the declarations there."""
    tree = snapshot.tree(file)
    if tree is None or snapshot.made.expansion is None:
        return
    items = [one for one in tree.items if one.span.start <= last and first <= one.span.end]
    for hit in snapshot.counting.hits(tuple(items)):
        if first <= hit.span.end <= last:
            verb = "holds in" if hit.kind == "variants" else "drops"
            text = f"{hit.hits:,} of {hit.all:,}"
            yield Hint(hit.span.end, text, f"It {verb} {text} {hit.kind}.")
    if snapshot.ok:
        for hint in _losses(snapshot, file, chosen, items):
            if first <= hint.at <= last:
                yield hint


def _losses(
    snapshot: Snapshot, file: str, chosen: str, items: list[ast.Item]
) -> Iterator[Hint]:
    """The values in *items* that lose in a variant which is shown for them."""
    found: dict[Span, Hint] = {}
    variants = {
        variant.name: variant
        for offset in _starts(items)
        if (variant := snapshot.looking.variant(chosen, file, offset)) is not None
    }
    for variant in list(variants.values())[:_DECIDED]:
        recipe = snapshot.looking.recipe(variant)
        tree = recipe_tree(recipe) if recipe is not None else None
        for node in tree.walk() if tree is not None else ():
            for one in node.shadowed:
                span = one.origin.span
                if any(item.span.has(span) for item in items):
                    more = f"In {variant.name} this value loses: {one.reason}."
                    found.setdefault(span, Hint(span.end, _winner(node), more))
    yield from found.values()


def _starts(items: list[ast.Item]) -> Iterator[int]:
    """A place in each declaration and in each `when` of *items*."""
    for item in items:
        if isinstance(item, ast.Recipe | ast.Matrix | ast.Variant | ast.When):
            yield item.body[0].span.start if item.body else item.span.end
        yield from _starts(list(ast.items_in(item)))


def _winner(node: Node) -> str:
    text = shown(node.value) if not isinstance(node.value, Missing) else "another text"
    first = text.split("\n")[0]
    return f"{first[:_LONGEST]}… wins" if first != text or len(text) > _LONGEST else f"{text} wins"
