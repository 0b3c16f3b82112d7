"""What the recipes of one matrix are said by: statements, and what the matrices share."""

from __future__ import annotations

from tvarc.byhand.importing.conditions import Cells
from tvarc.byhand.importing.lookups import Lookups
from tvarc.byhand.importing.model import Pin
from tvarc.byhand.importing.names import free_name, is_name
from tvarc.byhand.importing.written import braced
from tvarc.light import Sequence, dataclass, field
from tvarc.values.value import quote


@dataclass(frozen=True, slots=True)
class Statement:
    """A line or more within a *block* of a recipe, where *condition* holds; no block for what
    stands in the recipe itself. The lines of *comment* stand above it."""

    block: str
    text: str
    condition: str = ""
    comment: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drift:
    """What is different in a few *cells*: the *setting* by its path, and the statements that say
    so."""

    cells: tuple[int, ...]
    setting: str
    statements: tuple[Statement, ...]


Trials = dict[tuple[object, ...], frozenset[int]]
"""The cells that are exceptions, by the setting, the first variant and the values."""


@dataclass(slots=True)
class Shared:
    """What the matrices of a program share: pins and overlays by their text, and names; the folder
    of its *outputs*; and which exceptions were found when it was written before, with axes of
    another kind."""

    taken: set[str]
    outputs: str
    trials: Trials
    pins: dict[Pin, str] = field(default_factory=dict)
    inputs: dict[tuple[str, str], str] = field(default_factory=dict)
    overlays: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)
    lets: dict[str, str] = field(default_factory=dict)
    lookups: Lookups = field(default_factory=lambda: Lookups(set()))

    def name(self, wanted: str) -> str:
        """A name like *wanted* that nothing else has."""
        base = wanted if is_name(wanted) else f"o-{wanted}"
        name = free_name(base, self.taken, self.lets)
        self.taken.add(name)
        return name


@dataclass(frozen=True, slots=True)
class Conditions:
    """Says in which of its cells something is."""

    cells: Cells
    every: tuple[int, ...]

    def of(self, some: Sequence[int]) -> str:
        """The condition of the cells *some*; empty for all of them."""
        if len(some) == len(self.every):
            return ""
        return self.cells.condition(some, self.every).code


def under_conditions(rows: Sequence[tuple[tuple[int, ...], str]], holds: Conditions) -> list[str]:
    """Texts under the conditions of the cells that have them. Neighbours of the same cells are in
    one block, and a text of some of these cells between two of them is in a block within it."""
    found: list[str] = []
    at = 0
    while at < len(rows):
        here, text = rows[at]
        end = at + 1
        if len(here) == len(holds.every):
            found.append(text)
        else:
            for number in range(at, len(rows)):
                if not set(rows[number][0]) <= set(here):
                    break
                end = number + 1 if rows[number][0] == here else end
            inner = under_conditions(rows[at:end], Conditions(holds.cells, here))
            found.append("\n".join(braced(f"when {holds.of(here)}", inner)))
        at = end
    return found


def both(left: str, right: str) -> str:
    """The condition that two conditions hold, either of which may be empty."""
    if not left or not right:
        return left or right
    return " and ".join([f"({one})" if " or " in one else one for one in (left, right)])


def because(reason: str) -> str:
    """Why something is so, as a statement ends with it."""
    return f" because {quote(reason)}" if reason else ""
