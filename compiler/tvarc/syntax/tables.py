"""The tables of the parser: what it does with each token in each state, as plain data.

They are made of grammar/tvar.lark once (`syntax/generate.py`), travel in the wheel, and are kept in
the cache otherwise.
"""

from __future__ import annotations

from itertools import islice

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
    actions: tuple[dict[str, int], ...]
    goals: tuple[dict[str, int], ...]
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
    rows = [*made.actions, *made.goals, made.starts]
    heads: dict[tuple[str, ...], int] = {}
    which = [heads.setdefault(tuple(row), len(heads)) for row in rows]
    out.append(len(heads))
    for head in heads:
        out += [len(head), *map(number, head)]
    values = [value + _LIFT for row in rows for value in row.values()]
    out += [len(rows), *which, len(values), *values]
    return out, list(texts)


def _read(numbers: Sequence[int], texts: list[str]) -> Tables:
    left = iter(numbers)
    take = left.__next__

    def some(count: int) -> list[int]:
        found = list(islice(left, count))
        if len(found) != count:
            raise Damaged
        return found

    def names() -> tuple[str, ...]:
        return tuple([texts[place] for place in some(take())])

    try:
        pattern = texts[take()]
        words = some(2 * take())
        keywords = {
            texts[one]: texts[two] for one, two in zip(words[::2], words[1::2], strict=True)
        }
        ignored = frozenset(names())
        rules: list[Rule] = []
        for _ in range(take()):
            origin, name, size, single, count = some(5)
            dissolved = tuple(some(count))
            rules.append(Rule(texts[origin], texts[name], size, single > 0, dissolved))
        heads = [names() for _ in range(take())]
        which = some(take())
        values = iter([value - _LIFT for value in some(take())])
        # `zip` asks the names first, and takes no value for a name that is not there.
        rows = [dict(zip(heads[one], values, strict=False)) for one in which]
    except (StopIteration, IndexError) as fault:
        raise Damaged from fault
    if next(values, None) is not None or any(map(_unlike, rows, [heads[one] for one in which])):
        raise Damaged
    states = len(rows) // 2
    made = Tables(
        pattern, keywords, ignored, tuple(rules), tuple(rows[:states]), tuple(rows[states:-1]),
        rows[-1] if rows else {},
    )  # fmt: skip
    _check(made, rows)
    return made


def _unlike(row: dict[str, int], head: tuple[str, ...]) -> bool:
    return len(row) != len(head)


def _check(made: Tables, rows: Sequence[dict[str, int]]) -> None:
    """Raises Damaged for tables that lead out of themselves."""
    states, rules = len(made.actions), len(made.rules)
    found = [value for row in rows for value in row.values()]
    if not found or min(found) < -rules or max(found) >= states or len(made.goals) != states:
        raise Damaged
