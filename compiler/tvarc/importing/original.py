"""A recipe as somebody wrote it, with the places of its parts."""

from __future__ import annotations

from tvarc.light import dataclass, field
from tvarc.nix.reader import NixParser
from tvarc.nix.syntax import NixExpr


@dataclass(slots=True, eq=False)
class Original:
    """The *text* of a recipe. Where its parts stand is worked out when somebody asks: few do, and
    it takes as long as to read what it says."""

    parser: NixParser
    text: str
    _root: NixExpr | None = field(default=None)

    def root(self) -> NixExpr:
        """The expression that it is, its places counted in code points."""
        if self._root is None:
            self._root = self.parser.parse(self.text)
        return self._root
