"""The tables of the parser, as data: its action for each token in each state."""

from __future__ import annotations

from itertools import accumulate

from tvarc.light import Final, Sequence, dataclass

END: Final = "$END"
WRAP: Final = "_WRAP"
"""The terminal of a line end that counts for nothing."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One alternative of a rule of the grammar.

    `size` is the number of its symbols, `name` the name of its node. With `single` a lone child
    replaces the node. A child at `dissolved` is replaced by its own children, and a token there is
    dropped.
    """

    origin: str
    name: str
    size: int
    single: bool
    dissolved: tuple[int, ...]


class Rows(dict[int, dict[str, int]]):
    """The row of each state, made on the first request: an item needs a few of them."""

    __slots__ = ("_at", "_heads", "_values")

    def __init__(self, heads: Sequence[tuple[str, ...]], values: Sequence[int]) -> None:
        """*heads* has the names of each row, *values* the values of all names."""
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
    """`pattern` finds the next token, its group names the terminal; `keywords` says which texts of
    a NAME are terminals of their own where the state knows them.

    For each state `actions` has the accepted terminals: a number at or above 0 is the state to
    go on to, `~r` says to reduce by rule `r`. A state with WRAP drops a line end. `goals` has the
    state after a rule.
    """

    pattern: str
    keywords: dict[str, str]
    ignored: frozenset[str]
    rules: tuple[Rule, ...]
    actions: Rows
    goals: Rows
    starts: dict[str, int]
