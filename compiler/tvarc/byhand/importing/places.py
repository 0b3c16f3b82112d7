"""Where things stand in files: on which lines offsets are, and where the parts of a recipe."""

from __future__ import annotations

import re
from bisect import bisect_left

from tvarc.light import Final, Mapping, Sequence, dataclass, field
from tvarc.nix.language.reader import NixParser
from tvarc.nix.language.syntax import NixExpr

_LINE_END: Final = re.compile("\n")

Ends = Mapping[str, Sequence[int]]
"""The offsets of the ends of lines of each file."""


def ends_of(text: str) -> list[int]:
    """The offsets of the ends of lines of *text*."""
    return [found.start() for found in _LINE_END.finditer(text)]


def line_at(ends: Sequence[int], offset: int) -> int:
    """The line, from 1 on, on which *offset* is in a text whose lines have these *ends*."""
    return 1 + bisect_left(ends, offset)


@dataclass(slots=True, eq=False)
class Original:
    """The *text* of a recipe, as somebody wrote it. Where its parts stand is worked out when
    somebody asks: few do, and it takes as long as to read what it says."""

    parser: NixParser
    text: str
    _root: NixExpr | None = field(default=None)

    def root(self) -> NixExpr:
        """The expression that it is, its places counted in code points."""
        if self._root is None:
            self._root = self.parser.parse(self.text)
        return self._root
