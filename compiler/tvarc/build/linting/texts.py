"""Texts of a matrix, line by line.

A description that names all axes has as many values as there are variants. But each of its lines
varies along few axes, and few words of an insertion matter to a lint. So a line is composed from
its insertions. These are evaluated once for each combination of the axes that they depend on.
"""

from __future__ import annotations

from itertools import pairwise

from tvarc.build.linting.settings import Axes, Settings
from tvarc.build.linting.tables import Table, combined, constant
from tvarc.decide.decide import Deciding
from tvarc.decide.plan import GroupKey
from tvarc.light import Callable, Final, Iterable, Iterator, Sequence, dataclass
from tvarc.meaning import hir
from tvarc.meaning.functions import kind_text
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.values.value import NixText

NIX: Final = "\0"
"""Represents a part that only Nix knows, as in `tvarc.advice.lints.subjects.text_lines`."""

VARIANT: Final = ("variant",)
_DEEPEST: Final = 40
_MOST_PIECES: Final = 1000
FEW: Final = 16
"""A text with at most this many combinations is evaluated for each of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Inserted:
    """An insertion into a text at one place."""

    expr: hir.Expr

    @property
    def is_name(self) -> bool:
        """Whether it inserts the name of the variant."""
        return isinstance(self.expr, hir.SettingRef) and self.expr.path == VARIANT


Piece = str | Inserted
Line = list[Piece]


def pieces(expr: hir.Expr) -> list[Piece] | None:
    """The pieces of *expr* if it is a text; else None."""
    if not isinstance(expr, hir.Text | hir.Const | hir.LetRef):
        return None
    found = list(_pieces(expr, 0))
    is_inserted = len(found) == 1 and isinstance(found[0], Inserted) and found[0].expr is expr
    return found if not is_inserted and len(found) <= _MOST_PIECES else None


def _pieces(expr: hir.Expr, depth: int) -> Iterator[Piece]:
    match expr:
        case hir.Text() if depth < _DEEPEST:
            for part in expr.parts:
                if isinstance(part, str):
                    yield part
                else:
                    yield from _pieces(part, depth + 1)
        case hir.Const(value=str(text)):
            yield text
        case hir.LetRef() if isinstance(expr.target.expr, hir.Text) and depth < _DEEPEST:
            yield from _pieces(expr.target.expr, depth + 1)
        case _:
            yield Inserted(expr)


def lines_of(found: Iterable[Piece]) -> list[Line]:
    """*found*, divided into lines. Insertions contain no line ends."""
    lines: list[Line] = [[]]
    for piece in found:
        if isinstance(piece, Inserted):
            lines[-1].append(piece)
            continue
        first, *others = piece.split("\n")
        lines[-1].append(first)
        lines += [[text] for text in others]
    return lines


class Texts:
    """The texts of some variants of a matrix."""

    __slots__ = ("_inserted", "settings")

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._inserted: dict[int, tuple[hir.Expr, Table | None]] = {}

    def inserted(self, one: Inserted) -> Table | None:
        """The texts that *one* inserts. None if one of them is no text on one line, or if there are
        as many as variants."""
        known = self._inserted.get(id(one.expr))
        if known is None:
            known = self._inserted[id(one.expr)] = (one.expr, self._evaluated(one.expr))
        return known[1]

    def _evaluated(self, expr: hir.Expr) -> Table | None:
        axes = self.axes([expr])
        if axes[1]:
            return None
        same: dict[str, str] = {}
        try:
            found = self.settings.table(axes, lambda deciding: _inserted(expr, deciding))
        except Failed:
            return None  # the text that contains it may not apply
        for key, text in found.values.items():
            if not isinstance(text, str) or "\n" in text:
                return None
            found.values[key] = same.setdefault(text, text)
        return found

    def may_be_nix(self, line: Line) -> bool:
        """Whether *line* has an insertion that only Nix knows."""
        tables = [self.inserted(one) for one in line if isinstance(one, Inserted)]
        return any(NIX in str(text) for one in tables if one is not None for text in one.distinct())

    def axes(self, exprs: Iterable[hir.Expr]) -> Axes:
        """The axes that *exprs* depend on."""
        reads = self.settings.elaboration.shared.reads
        return self.settings.axes_of([reads.expr(one) for one in exprs])

    def is_wide(self, group: GroupKey) -> bool:
        """Whether *group* has more than a few combinations."""
        return self.settings.many(self.settings.axes(group)) > FEW

    def line(
        self, line: Line, read: Callable[[Line, int], Callable[[str], str]] | None = None
    ) -> Table | None:
        """The text of *line*. *read* returns the part of an insertion that matters, at an index.
        None if an insertion has no texts."""
        tables: list[Table] = []
        for index, piece in enumerate(line):
            if isinstance(piece, str):
                tables.append(constant(self.settings.present, piece))
                continue
            found = self.inserted(piece)
            if found is None:
                return None
            tables.append(self._read(found, read(line, index)) if read is not None else found)
        same: dict[str, str] = {}

        def joined(*texts: str) -> str:
            text = "".join(texts)
            return same.setdefault(text, text)

        return combined(self.settings.present, tables, joined)

    def _read(self, found: Table, read: Callable[[str], str]) -> Table:
        same: dict[str, str] = {}

        def shared(text: str) -> str:
            made = read(text)
            return same.setdefault(made, made)

        return combined(self.settings.present, [found], shared)

    def may_hold(
        self, line: Line, words: Sequence[str], spelled: Callable[[str], str] = str
    ) -> bool:
        """Whether *line*, with *spelled* applied to each text, may contain one of *words* for any
        insertion. A word may consist of several pieces."""
        texts: list[list[str]] = []
        for piece in line:
            if isinstance(piece, str):
                texts.append([spelled(piece)])
            elif piece.is_name:
                # A name consists of several texts, so a word may begin in one and end in another.
                texts.append([spelled(text) for text in self._names()])
                texts.append(texts[-1])
            elif (found := self.inserted(piece)) is None:
                return True
            else:
                texts.append([spelled(str(text)) for text in found.distinct()])
        whole = "\n".join([text for some in texts for text in some])
        return any(word in whole or _may_join(texts, word) for word in words)

    def _names(self) -> list[str]:
        """The texts that names of variants consist of."""
        present = self.settings.present
        return [
            text or ""
            for part in present.built.parts
            for text in part.texts(present.batch(part.projection))
        ]


def _inserted(expr: hir.Expr, deciding: Deciding) -> str | None:
    """The text that *expr* inserts; None if it has none. Raises Failed without reporting, because
    the write with *expr* may not apply to this variant."""
    evaluator = deciding.evaluator(Sink())
    value = deciding.evaluated(evaluator, expr, "aside")
    known = kind_text(value)
    if known is not None:
        return known
    match deciding.evaluated(evaluator, hir.Text((expr,), expr.span), "aside"):
        case NixText(parts):
            return "".join([part if isinstance(part, str) else NIX for part in parts])
        case str(text):
            return text
        case _:
            return None


def _may_join(texts: Sequence[Sequence[str]], word: str) -> bool:
    """Whether *word* may begin in one of *texts* and continue in the next. Each of *texts* has
    several possible texts."""
    for some, following in pairwise(texts):
        last = {text[-1:] for text in some}
        for cut in range(1, len(word)):
            if word[cut - 1] in last and any(text.endswith(word[:cut]) for text in some):
                rest = word[cut:]
                if any(text.startswith(rest) or rest.startswith(text) for text in following):
                    return True
    return False
