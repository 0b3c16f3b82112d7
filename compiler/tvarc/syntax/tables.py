"""The tables of the parser: what it does with each token in each state, as plain data.

They are made of grammar/tvar.lark once (`syntax/generate.py`), travel in the wheel, and are kept in
the cache otherwise.
"""

from __future__ import annotations

from itertools import accumulate

from tvarc.cache import Cache
from tvarc.light import Final, Sequence, dataclass
from tvarc.packed import Damaged, pack, unpack
from tvarc.resources import grammar_text

END: Final = "$END"


@dataclass(frozen=True, slots=True)
class Rule:
    """One alternative of a rule of the grammar.

    `size` is how many symbols it has, `name` what its node is called. With `single` a lone child
    stands for the node itself. The children at `dissolved` are replaced by their own children.
    """

    origin: str
    name: str
    size: int
    single: bool
    dissolved: tuple[int, ...]


class Rows(dict[int, dict[str, int]]):
    """The row of each state, made when it is asked for: an item needs a few of them."""

    __slots__ = ("_at", "_heads", "_values")

    def __init__(self, heads: Sequence[tuple[str, ...]], values: Sequence[int]) -> None:
        """*heads* has the names of each row, *values* what all of them stand for."""
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
    go on to, `~r` says to reduce by rule `r`. `goals` has the state after a rule.
    """

    pattern: str
    keywords: dict[str, str]
    ignored: frozenset[str]
    rules: tuple[Rule, ...]
    actions: Rows
    goals: Rows
    starts: dict[str, int]


def tables(cache: Cache | None = None) -> Tables:
    """The tables of the grammar, from *cache* where it has them."""
    grammar = grammar_text()
    key = cache.key("tables", grammar) if cache is not None else ""
    data = cache.get(key) if cache is not None else None
    if data is not None:
        try:
            return _read(*unpack(data))
        except Damaged:
            pass
    from tvarc.syntax.generate import generate

    made = generate(grammar)
    if cache is not None:
        cache.put(key, pack(*_written(made)))
    return made


# --- as numbers and texts --------------------------------------------------------------------

# The rows of the states: what terminals and rules they have is the same for many, and written once.
_LIFT: Final = 1 << 16  # what is added to an action, so that none is below 0


def _written(made: Tables) -> tuple[list[int], list[str]]:
    texts: dict[str, int] = {}

    def number(text: str) -> int:
        return texts.setdefault(text, len(texts))

    out = [number(made.pattern), len(made.keywords)]
    for text, kind in made.keywords.items():
        out += [number(text), number(kind)]
    out += [len(made.ignored), *map(number, sorted(made.ignored)), len(made.rules)]
    for rule in made.rules:
        out += [number(rule.origin), number(rule.name), rule.size, rule.single]
        out += [len(rule.dissolved), *rule.dissolved]
    rows = [*made.actions.whole(), *made.goals.whole(), made.starts]
    heads: dict[tuple[str, ...], int] = {}
    which = [heads.setdefault(tuple(row), len(heads)) for row in rows]
    out.append(len(heads))
    for head in heads:
        out += [len(head), *map(number, head)]
    values = [value + _LIFT for row in rows for value in row.values()]
    out += [len(rows), *which, len(values), *values]
    return out, list(texts)


def _read(numbers: Sequence[int], texts: list[str]) -> Tables:
    left, at = list(numbers), 0

    def some(count: int) -> list[int]:
        nonlocal at
        at += count
        if at > len(left):
            raise Damaged
        return left[at - count : at]

    def names() -> tuple[str, ...]:
        return tuple([texts[place] for place in some(some(1)[0])])

    try:
        pattern = texts[some(1)[0]]
        words = [texts[place] for place in some(2 * some(1)[0])]
        keywords = dict(zip(words[::2], words[1::2], strict=True))
        ignored = frozenset(names())
        rules: list[Rule] = []
        for _ in range(some(1)[0]):
            origin, name, size, single, count = some(5)
            dissolved = tuple(some(count))
            rules.append(Rule(texts[origin], texts[name], size, single > 0, dissolved))
        heads = [names() for _ in range(some(1)[0])]
        rows = [heads[one] for one in some(some(1)[0])]
    except IndexError as fault:
        raise Damaged from fault
    values = [value - _LIFT for value in some(some(1)[0])]
    states = len(rows) // 2
    half = sum(map(len, rows[:states]))
    whole = sum(map(len, rows)) == len(values) and at == len(left) and len(rows) % 2 == 1
    inside = whole and values and min(values) >= -len(rules) and max(values) < states
    if not inside or any(len({*head}) != len(head) for head in heads):
        raise Damaged
    end = len(values) - len(rows[-1])
    return Tables(
        pattern, keywords, ignored, tuple(rules), Rows(rows[:states], values[:half]),
        Rows(rows[states:-1], values[half:end]),
        dict(zip(rows[-1], values[end:], strict=True)),
    )  # fmt: skip
