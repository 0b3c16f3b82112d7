"""Printed text with placeholders, and what fills them."""

from __future__ import annotations

from tvarc.assembly.present import Present, Texts
from tvarc.diagnostics.model import Failed
from tvarc.elaborate.elaborate import Elaboration
from tvarc.elaborate.placeholders import Placeholder
from tvarc.light import Callable, Collection, Iterable, fields, is_dataclass, replace
from tvarc.matrix.variants import Variant
from tvarc.nix.syntax import NixString
from tvarc.sema import hir
from tvarc.sema.budget import LIMIT_TEXT
from tvarc.sema.functions import kind_text
from tvarc.values import DeclValue, RowValue, Version

# Wider than any line: what is laid out alike with the narrowest and with the widest filling is
# laid out so with each between them.
_WIDE = 120
_LONGEST = 1000
_ESCAPED = frozenset("\"\\$'{}")

Template = tuple[tuple[bytes, ...], str]
"""Texts, and the characters of the placeholders between them: one fewer."""


class Unsteady(Exception):
    """The layout of a text depends on what fills its placeholders."""


def fills(text: str) -> bool:
    """Whether *text* may fill a placeholder of any string: it is printed as it is, and the
    string around it as with any other."""
    return (
        0 < len(text) <= _LONGEST
        and text.isprintable()
        and _ESCAPED.isdisjoint(text)
        and text[0] != " "
        and text[-1] != " "
    )


def print_with_placeholders(
    print_all: Callable[[Callable[[object], object]], str], placeholders: Collection[str]
) -> Template:
    """What *print_all* prints, as a template. It is given a function that every tree goes
    through before it is printed. Raises Unsteady."""
    text = print_all(lambda tree: tree)
    found = "".join(sorted(set(text).intersection(placeholders)))
    if not found:
        return (text.encode(),), ""
    table = {ord(char): char * _WIDE for char in found}
    if len(text) + _LONGEST * sum([text.count(char) for char in found]) > LIMIT_TEXT:
        raise Unsteady  # filled, it may be longer than a text can be, which is told of elsewhere
    wide = print_all(lambda tree: _widened(tree, table))
    for char in found:
        wide = wide.replace(char * _WIDE, char)
    if wide != text:
        raise Unsteady
    for char in found:
        text = text.replace(char, f"\0{char}\0")
    cut = text.split("\0")
    return tuple([part.encode() for part in cut[::2]]), "".join(cut[1::2])


def _widened(node: object, table: dict[int, str]) -> object:
    """A Nix tree with each placeholder in its strings made as wide as *table* says."""
    if isinstance(node, tuple):
        return tuple([_widened(item, table) for item in node])
    if isinstance(node, NixString):
        parts = tuple(
            [
                part.translate(table) if isinstance(part, str) else _widened(part, table)
                for part in node.parts
            ]
        )
        return NixString(parts, node.block)  # type: ignore[arg-type]
    if is_dataclass(node) and not isinstance(node, type):
        changed = {
            field.name: _widened(getattr(node, field.name), table)
            for field in fields(node)
            if not isinstance(getattr(node, field.name), str | bool | int | None)
        }
        return replace(node, **changed) if changed else node
    return node


class Fillings:
    """What fills the placeholders in the texts of some variants of a matrix: for each combination
    of what a placeholder depends on its text."""

    __slots__ = ("_elaboration", "_names_fill", "_present")

    def __init__(self, elaboration: Elaboration, present: Present) -> None:
        self._elaboration = elaboration.silent()
        self._present = present
        self._names_fill: bool | None = None

    def names_fill(self) -> bool:
        """Whether the names of the variants may fill a placeholder: they are looked at part by
        part, of which there are few."""
        if self._names_fill is None:
            present = self._present
            texts = {
                text or ""
                for part in present.built.parts
                for text in part.texts(present.batch(part.projection))
            }
            self._names_fill = all(not text or fills(text) for text in texts)
        return self._names_fill

    def refuses(self, expr: hir.Expr, whole: bool) -> bool:
        """Whether *expr* has no text for the first cell, and so perhaps for none."""
        first = Variant(self._present.built, self._present.cells[0], "-")
        return self._text(expr, first, whole=whole) is None

    def of(self, placeholder: Placeholder) -> Texts | None:
        """The texts of *placeholder*, which is not the variant's name; None where one has none."""
        expr, whole = placeholder.expr, placeholder.whole
        assert expr is not None
        known = self._present.fillings.get((id(expr), whole))
        if known is None:
            known = expr, self._texts(expr, placeholder.axes, whole=whole)
            self._present.fillings[id(expr), whole] = known
        return known[1]

    def _texts(self, expr: hir.Expr, axes: Iterable[str], *, whole: bool) -> Texts | None:
        projection = self._present.projection(axes)
        texts: dict[int, str] = {}
        for key, variant in self._present.variants(projection):
            text = self._text(expr, variant, whole=whole)
            if text is None:
                return None
            texts[key] = text
        return projection, texts

    def _text(self, expr: hir.Expr, variant: Variant, *, whole: bool) -> str | None:
        try:
            value = self._elaboration.deciding(variant).evaluator().value(expr)
        except Failed:
            return None
        if whole and not isinstance(value, str | Version | RowValue | DeclValue):
            return None
        text = kind_text(value)
        return text if text is not None and fills(text) else None
