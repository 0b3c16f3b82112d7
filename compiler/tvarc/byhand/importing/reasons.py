"""Why settings are as they are: what most recipes say in comments before them."""

from __future__ import annotations

from collections import Counter

from tvarc.byhand.importing.comments import reason_of, sign_of
from tvarc.byhand.importing.explain import Explaining
from tvarc.byhand.importing.model import Recipe
from tvarc.light import Sequence, dataclass, field
from tvarc.nix.language.syntax import NixExpr


@dataclass(frozen=True, slots=True, eq=False)
class Reasons:
    """Finds the comments of *recipes*, in the *cells* of one matrix. Lines that are `kept` are
    taken down, by their cells and offsets."""

    cells: Explaining
    recipes: Sequence[Recipe]
    kept: set[tuple[int, int]] = field(default_factory=set)

    def comment(self, name: str, cells: Sequence[int]) -> tuple[str, ...]:
        """The comment that most of *cells* have before the setting *name*; it is kept."""
        names = [name] * len(cells)
        lines = self._usual(names, cells)
        self._keep(lines, names, cells)
        return lines

    def why(self, name: str, cells: Sequence[int]) -> str:
        """Why a setting is as it is, as most of *cells* say before it."""
        return self._usual_reason([name] * len(cells), cells)

    def why_in(self, within: str, nodes: Sequence[NixExpr], cells: Sequence[int]) -> str:
        """Why an element of the list *within* is there, as most of *cells* say before it."""
        names = [
            self.recipes[cell].comments.of_element(within, sign_of(node))
            for cell, node in zip(cells, nodes, strict=True)
        ]
        return self._usual_reason(names, cells)

    def _usual_reason(self, names: Sequence[str], cells: Sequence[int]) -> str:
        """The reason that most of *cells* give under *names*."""
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
        """Take down that *lines* are kept, wherever they stand."""
        if self.cells.lenient or not lines:
            return
        for cell, name in zip(cells, names, strict=True):
            comments = self.recipes[cell].comments
            if name and comments.texts(name) == lines:
                self.kept.update([(cell, offset) for offset, _ in comments.before[name]])
