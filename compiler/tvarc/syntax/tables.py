"""Finds the tables of the parser (`syntax/automaton.py`).

They are made once from grammar/tvar.lark (`syntax/generate.py`). A wheel includes them. Elsewhere
the cache keeps them: lark takes 0.4 s to make them, and reading them takes a millisecond. `tvarc
list --no-cache` in a checkout shows how long a command takes without them.
"""

from __future__ import annotations

from tvarc.files.cache import Cache
from tvarc.files.resources import grammar_text
from tvarc.light import Any
from tvarc.syntax.automaton import Rows, Rule, Tables


def tables(cache: Cache | None = None) -> Tables:
    """The tables of the grammar, from *cache* if it has them."""
    grammar = grammar_text()
    key = cache.key("tables", grammar) if cache is not None else ""
    data = cache.load(key) if cache is not None else None
    if data is not None:
        return tables_of(data)
    from tvarc.syntax.generate import generate

    made = generate(grammar)
    if cache is not None:
        cache.store(key, plain(made))
    return made


def plain(made: Tables) -> object:
    """*made* as plain data. Many states have the same terminals and rules in their rows, so each of
    these is written only once."""
    actions, goals = made.actions.whole(), made.goals.whole()
    heads: dict[tuple[str, ...], int] = {}
    which = [heads.setdefault(tuple(row), len(heads)) for row in (*actions, *goals)]
    values = [[value for row in some for value in row.values()] for some in (actions, goals)]
    rules = [tuple(getattr(rule, name) for name in Rule.__match_args__) for rule in made.rules]
    return (
        made.pattern, made.keywords, sorted(made.ignored), rules, list(heads), which, *values,
        made.starts,
    )  # fmt: skip


def tables_of(data: Any) -> Tables:
    """The tables, from the *data* that `plain` made of them."""
    pattern, keywords, ignored, rules, heads, which, actions, goals, starts = data
    rows = [heads[number] for number in which]
    states = len(rows) // 2
    return Tables(
        pattern, keywords, frozenset(ignored), tuple([Rule(*rule) for rule in rules]),
        Rows(rows[:states], actions), Rows(rows[states:], goals), starts,
    )  # fmt: skip
