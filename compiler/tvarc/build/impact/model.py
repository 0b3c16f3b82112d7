"""The effect of a line of source, as data."""

from __future__ import annotations

from tvarc.light import dataclass
from tvarc.values.plain import Ordinal

Run = tuple[int, int]
"""Lines from a first to a last one, both counted from 1."""


@dataclass(frozen=True, slots=True)
class Reached:
    """Variants, by their numbers, whose files have the effect on the same lines."""

    lines: tuple[Run, ...]
    variants: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """The cells of a matrix that an exclusion on the line drops."""

    matrix: str
    cells: Ordinal


@dataclass(frozen=True, slots=True)
class Withheld:
    """A condition that reads the line, its place, and the variants, by their numbers, in which it
    keeps something out."""

    condition: str
    place: str
    variants: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """An effect of the line that shows on no line of a file; the place that has it, and the
    variants, by their numbers."""

    what: str
    place: str
    variants: tuple[int, ...]
    only_place: bool = False  # whether only the place of a setting among others depends on it


@dataclass(frozen=True, slots=True)
class LineImpact:
    """The effect of the line at `place`; `line` is its text. `decides` is its effect beside values,
    with the variants concerned; `why` says why it has none.
    """

    place: str
    line: str
    names: tuple[str, ...]
    files: tuple[tuple[str, ...], ...]
    groups: tuple[Reached, ...]
    decides: tuple[str, tuple[int, ...]] | None = None
    dropped: tuple[Dropped, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    why: tuple[str, ...] = ()
    effects: tuple[Done, ...] = ()
    through: tuple[int, ...] = ()  # variants that it reaches only through their needs

    @property
    def reached(self) -> int:
        """The number of variants that the line has an effect on."""
        found = {number for group in self.groups for number in group.variants}
        return len(found.union(*[one.variants for one in self.effects if not one.only_place]))


def runs(lines: tuple[int, ...]) -> tuple[Run, ...]:
    """*lines* as runs, each with its first and last line."""
    found: list[Run] = []
    for line in lines:
        if found and found[-1][1] == line - 1:
            found[-1] = (found[-1][0], line)
        else:
            found.append((line, line))
    return tuple(found)
