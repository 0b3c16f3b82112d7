"""The tables of the parser, as data: what the parser does in each state with each token."""

from __future__ import annotations

from itertools import accumulate

from tvarc.light import Final, Sequence, dataclass

END: Final = "$END"
WRAP: Final = "_WRAP"
"""The terminal of a line end that has no meaning."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One alternative of a rule of the grammar.

    `size` is the number of its symbols. `name` is the name of its node. If `single` is true, an
    only child takes the place of the node. `dissolved` are places of children: a node there is
    replaced by its own children, and a token there is dropped.
    """

    origin: str
    name: str
    size: int
    single: bool
    dissolved: tuple[int, ...]


class Rows(dict[int, dict[str, int]]):
    """The row of each state, made when it is first asked for. One item needs only a few rows."""

    __slots__ = ("_at", "_heads", "_values")

    def __init__(self, heads: Sequence[tuple[str, ...]], values: Sequence[int]) -> None:
        """*heads* has the names in each row. *values* has the values of all these names, one row
        after the other."""
        super().__init__()
        self._heads = heads
        self._values = values
        self._at = list(accumulate(map(len, heads), initial=0))

    @classmethod
    def of(cls, rows: Sequence[dict[str, int]]) -> Rows:
        return cls([tuple(row) for row in rows], [value for row in rows for value in row.values()])

    def __missing__(self, state: int) -> dict[str, int]:
        values = self._values[self._at[state] : self._at[state + 1]]
        row = self[state] = dict(zip(self._heads[state], values, strict=True))
        return row

    def whole(self) -> list[dict[str, int]]:
        return [self[state] for state in range(len(self._heads))]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and self.whole() == other.whole()

    __hash__ = None


@dataclass(frozen=True, slots=True)
class Tables:
    """`pattern` finds the next token, and the name of the group that matched is its terminal.
    `keywords` has the texts of a NAME that are terminals of their own in the states that accept
    them.

    `actions` has the accepted terminals of each state. A number from 0 on is the state to go to;
    `~r` says to reduce by rule `r`. A state that accepts WRAP ignores a line end. `goals` has the
    state to go to after a rule.
    """

    pattern: str
    keywords: dict[str, str]
    ignored: frozenset[str]
    rules: tuple[Rule, ...]
    actions: Rows
    goals: Rows
    starts: dict[str, int]
