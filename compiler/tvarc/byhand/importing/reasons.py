"""The reasons for settings, from the comments that most recipes have before them."""

from __future__ import annotations

from collections import Counter

from tvarc.byhand.importing.comments import reason_of, sign_of
from tvarc.byhand.importing.explain import Explaining
from tvarc.byhand.importing.model import Recipe
from tvarc.light import Sequence, dataclass, field
from tvarc.nix.language.syntax import NixExpr


@dataclass(frozen=True, slots=True, eq=False)
class Reasons:
    """Finds the comments of *recipes*, in the *cells* of one matrix. `kept` has the cells and
    offsets of the lines that the program keeps."""

    cells: Explaining
    recipes: Sequence[Recipe]
    kept: set[tuple[int, int]] = field(default_factory=set)

    def comment(self, name: str, cells: Sequence[int]) -> tuple[str, ...]:
        """The comment that most of *cells* have before the setting *name*. Its lines become
        `kept`."""
        names = [name] * len(cells)
        lines = self._usual(names, cells)
        self._keep(lines, names, cells)
        return lines

    def why(self, name: str, cells: Sequence[int]) -> str:
        """The reason for a setting that most of *cells* have before it."""
        return self._usual_reason([name] * len(cells), cells)

    def why_in(self, within: str, nodes: Sequence[NixExpr], cells: Sequence[int]) -> str:
        """The reason for an element of the list *within* that most of *cells* have before it."""
        names = [
            self.recipes[cell].comments.of_element(within, sign_of(node))
            for cell, node in zip(cells, nodes, strict=True)
        ]
        return self._usual_reason(names, cells)

    def _usual_reason(self, names: Sequence[str], cells: Sequence[int]) -> str:
        """The reason that most of *cells* have under *names*."""
        lines = self._usual(names, cells)
        reason = reason_of(lines)
        if reason:
            self._keep(lines, names, cells)
        return reason

    def _usual(self, names: Sequence[str], cells: Sequence[int]) -> tuple[str, ...]:
        """The lines that most of *cells* have under *names*."""
        rows = [
            self.recipes[cell].comments.texts(name) if name else ()
            for cell, name in zip(cells, names, strict=True)
        ]
        lines, count = Counter(rows).most_common(1)[0]
        return lines if 2 * count > len(rows) else ()

    def _keep(self, lines: Sequence[str], names: Sequence[str], cells: Sequence[int]) -> None:
        """Note that *lines* are kept, in all of their places."""
        if self.cells.lenient or not lines:
            return
        for cell, name in zip(cells, names, strict=True):
            comments = self.recipes[cell].comments
            if name and comments.texts(name) == lines:
                self.kept.update([(cell, offset) for offset, _ in comments.before[name]])
