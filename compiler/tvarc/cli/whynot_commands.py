"""For the name of a file the command that says why there is no such variant."""

from __future__ import annotations

import shlex

from tvarc.driver import Compilation
from tvarc.light import Iterator
from tvarc.matrix.dropped import dropped_cells
from tvarc.matrix.reads import ReadsOf
from tvarc.matrix.select import is_pairs
from tvarc.matrix.variants import Unbuilt
from tvarc.sema.functions import kind_text
from tvarc.values import show


class WhyNotCommands:
    """Knows the cells that exclusions drop by the names that they would have, from the first
    time that it is asked on."""

    __slots__ = ("_file", "_known", "_made")

    def __init__(self, made: Compilation, file: str | None) -> None:
        """*file* is the program as it was given on the command line, None for the usual one."""
        self._made = made
        self._file = file
        self._known: dict[str, Unbuilt] | None = None

    def command(self, package: str) -> str:
        """What to run for the dropped cell that the name *package* holds; empty for none."""
        if self._known is None:
            self._known = dict(self._names())
        words = package.replace(".", "-").split("-")
        found = ""
        for start in range(len(words) if self._known else 0):
            for end in range(start + 1, len(words) + 1):
                name = "-".join(words[start:end])
                if len(name) > len(found) and name in self._known:
                    found = name
        return self._spelt(self._known[found]) if found else ""

    def _names(self) -> Iterator[tuple[str, Unbuilt]]:
        made = self._made
        if made.expansion is None or made.resolution is None:
            return
        reads = ReadsOf()
        for matrix in made.resolution.program.matrices:
            for cell in dropped_cells(matrix, made.expansion.excludes.get(matrix.id, ()), reads):
                if cell.variant.name:
                    yield cell.variant.name, cell.variant

    def _spelt(self, variant: Unbuilt) -> str:
        pairs = [
            f"{axis}={kind_text(value) or show(value)}" for axis, value in variant.values.items()
        ]
        # A value with a blank or a quote cannot be part of a pair: the name has to do.
        words = pairs if all(map(is_pairs, pairs)) else [variant.name]
        if self._file is not None:
            words += ["--file", self._file]
        return " ".join(["tvarc why-not", *map(shlex.quote, words)])
