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

_FITS = WIDTH - len("# ")


class Headers:
    """The comment at the head of each variant's file, its digest left out."""

    __slots__ = ("_parts", "_rest", "_widest", "rest")

    def __init__(self, present: Present, source: str) -> None:
        matrix = present.built.matrix
        parts: list[NamePart] = []
        self._widest = 0  # all labels of a line together
        for place, pick in enumerate(matrix.axes):
            name = pick.axis.name
            labels = [comment_line(labelled(name, v, describe(v))) for v in pick.values]
            before = ", " if place else ": "
            self._widest += len(before) + max(map(len, labels), default=0)
            projection = present.built.projections.on([place])
            parts.append(NamePart(projection, True, _picker(before, labels, place, present)))
        self._parts = joined(parts, present.built.projections, len(present.cells))
        first, second = made_by(source, matrix.name, matrix.recipe.name)
        declared, last = print_comment(first), print_comment(second)
        self._rest = f"{declared}\n{last}\n"
        # How many lines these take.
        self.rest = (declared.count("\n") + 1, last.count("\n") + 1)

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

    def heights(self, batch: Batch, names: Sequence[str]) -> list[int]:
        """How many lines the first paragraph takes in the header of each cell of *batch*."""
        if max(map(len, names), default=0) + self._widest < _FITS:
            return [1] * len(names)
        below = sum(self.rest)
        return [text.count(b"\n") - below for text in self.texts(batch, names)]


def _picker(
    before: str, labels: list[str], axis: int, present: Present
) -> Callable[[Sequence[int]], list[str | None]]:
    """Gives the labels of cells' values of one axis."""
    indices = present.built.grid.indices
    return lambda cells: [before + labels[indices(cell)[axis]] for cell in cells]
