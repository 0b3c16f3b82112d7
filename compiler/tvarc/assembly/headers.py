"""The headers of the recipes of a matrix: one line differs from variant to variant."""

from __future__ import annotations

from tvarc.assembly.present import Present
from tvarc.backend.nix.lower import describe, labelled, made_by
from tvarc.light import Callable, Sequence
from tvarc.matrix.cells import Batch
from tvarc.matrix.variants import NamePart, joined
from tvarc.nix.document import WIDTH
from tvarc.nix.printer import print_comment
from tvarc.nix.quoting import comment_line
from tvarc.source import Span
from tvarc.values import RowValue, Value

_FITS = WIDTH - len("# ")


class Headers:
    """The comment at the head of each variant's file, its digest left out."""

    __slots__ = ("_parts", "_rest")

    def __init__(
        self,
        present: Present,
        source: str,
        label: Callable[[Value, Span], str] | None = None,
        titles: tuple[str, str] | None = None,
    ) -> None:
        """*label* tells a value of an axis, of which the place is given, by default as its facts
        do; *titles* stand for the names of the matrix and the recipe."""
        matrix = present.built.matrix
        told = label or _label
        parts: list[NamePart] = []
        for place, pick in enumerate(matrix.axes):
            labels: list[str] = []
            for value in pick.values:
                span = value.span if isinstance(value, RowValue) else pick.axis.span
                labels.append(comment_line(labelled(pick.axis.name, value, told(value, span))))
            before = ", " if place else ": "
            projection = present.built.projections.on([place])
            parts.append(NamePart(projection, True, _picker(before, labels, place, present)))
        self._parts = joined(parts, present.built.projections, len(present.cells))
        lines = made_by(source, *(titles or (matrix.name, matrix.recipe.name)))
        self._rest = "".join([f"{print_comment(line)}\n" for line in lines])

    def texts(self, batch: Batch, names: Sequence[str]) -> list[bytes]:
        """The header of each cell of *batch*, which have these names."""
        rest = self._rest
        columns = [part.texts(batch) for part in self._parts]
        lines = map("".join, zip(names, *columns, strict=True))
        # A line that fits is printed as it is; for its labels this has been seen to.
        return [
            (
                f"# {line}\n{rest}"
                if len(line) < _FITS and line[-1] != " "
                else f"{print_comment(line)}\n{rest}"
            ).encode()
            for line in lines
        ]


def _label(value: Value, _: Span) -> str:
    return describe(value)


def _picker(before: str, labels: list[str], axis: int, present: Present) -> Callable[[int], str]:
    """Gives the label of a cell's value of one axis."""
    return lambda cell: before + labels[present.built.grid.indices(cell)[axis]]
