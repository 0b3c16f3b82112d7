"""Makes the parser's tables from the grammar. Only this module uses the parser library."""

from __future__ import annotations

from lark import Lark
from lark.lexer import PatternStr
from lark.parsers.lalr_analysis import Shift

from tvarc.light import Any, Final, Iterator, cast
from tvarc.syntax.automaton import END, WRAP, Rows, Rule, Tables
from tvarc.syntax.terminals import RESERVED
from tvarc.text.diagnostics.model import CompilerBug

STARTS: Final = ("line", "expression")

_Row = dict[str, tuple[Any, Any]]  # an action and its target, by the name of the symbol


def generate(grammar: str) -> Tables:
    """The tables of *grammar*. Equal text gives equal tables: they do not depend on the order of
    sets."""
    made = Lark(grammar, parser="lalr", lexer="basic", start=list(STARTS))
    table = cast("Any", made.parser).parser._parse_table
    empty = _empty(made)
    rows = _rows(table, empty)
    number = {state: index for index, state in enumerate(rows)}
    rules = sorted({rule for row in rows.values() for rule in _reduced(row)}, key=_sorting)
    place = {rule: index for index, rule in enumerate(rules)}
    actions: list[dict[str, int]] = []
    goals: list[dict[str, int]] = []
    terminals = {terminal.name for terminal in made.terminals} | {END}
    ends = set(table.end_states.values())
    for state, row in rows.items():
        found = {
            name: number[arg] if action is Shift else -1 - place[arg]
            for name, (action, arg) in sorted(row.items())
        }
        if state in ends:
            found[END] = number[state]  # the target is the state itself: the parser ends here
        actions.append({name: value for name, value in found.items() if name in terminals})
        goals.append({name: value for name, value in found.items() if name not in terminals})
    return Tables(
        _pattern(made), _keywords(made), frozenset(made.ignore_tokens),
        tuple(_rule(rule, empty) for rule in rules), Rows.of(actions), Rows.of(goals),
        {start: number[table.start_states[start]] for start in STARTS},
    )  # fmt: skip


def _empty(made: Lark) -> frozenset[str]:
    """The rules that match only line ends without meaning."""
    held: dict[str, set[str]] = {}
    for rule in made.rules:
        names = {str(symbol.name) for symbol in rule.expansion}
        held.setdefault(str(rule.origin.name), set()).update(names)
    return frozenset(name for name, names in held.items() if names <= {WRAP})


def _rows(table: Any, empty: frozenset[str]) -> dict[Any, _Row]:
    """The parser's actions in each state. States are in the order in which they are reached.

    Rules in *empty* are removed: a state before such a rule gets the row of the state after it. So
    the parser makes no step for a line end that is not there. If a line end may come in a state,
    the row has WRAP with that same state as its target.
    """
    rows: dict[Any, _Row] = {}
    waiting = [table.start_states[start] for start in STARTS]
    for state in waiting:
        if state in rows:
            continue
        row = rows[state] = _row(table, state, empty)
        waiting += [arg for _, (action, arg) in sorted(row.items()) if action is Shift]
    return rows


def _row(table: Any, state: Any, empty: frozenset[str]) -> _Row:
    row: _Row = table.states[state]
    skipped = empty & row.keys()
    if not skipped:
        return row
    own = {
        name: (action, arg)
        for name, (action, arg) in row.items()
        if name not in (*skipped, WRAP) and (action is Shift or arg.origin.name not in skipped)
    }
    for name in skipped:
        after = _row(table, row[name][1], empty)
        if own.keys() & after.keys():
            raise CompilerBug(f"the grammar takes {name} in some rules only: {[*own]}")
        own |= after
    return own | ({WRAP: (Shift, state)} if WRAP in row else {})


def _reduced(row: _Row) -> Iterator[Any]:
    return (arg for action, arg in row.values() if action is not Shift)


def _sorting(rule: Any) -> tuple[str, str, tuple[str, ...]]:
    return rule.origin.name, rule.alias or "", tuple(symbol.name for symbol in rule.expansion)


def _rule(rule: Any, empty: frozenset[str]) -> Rule:
    symbols = [symbol for symbol in rule.expansion if symbol.name not in empty]
    dissolved = [
        index
        for index, symbol in enumerate(symbols)
        if (symbol.filter_out if symbol.is_term else symbol.name.startswith("_"))
    ]
    return Rule(
        str(rule.origin.name), str(rule.alias or rule.options.template_source or rule.origin.name),
        len(symbols), bool(rule.options.expand1 and not rule.alias), tuple(dissolved),
    )  # fmt: skip


def _pattern(made: Lark) -> str:
    """One pattern for all states. States differ only in which words are keywords and which line
    ends have a meaning, and the tables handle both."""
    lexer = cast("Any", made.parser).lexer
    terminals = [found for found in lexer.scanner.terminals if found.name != WRAP]
    terminals.sort(key=lambda found: found.name in RESERVED)  # last, since they are rare
    groups = [f"(?P<{found.name}>{found.pattern.to_regexp()})" for found in terminals]
    return _possessive("|".join(groups))


def _possessive(pattern: str) -> str:
    """*pattern* with groups that never backtrack.

    In the grammar, a repeated group is never followed by something that the group could match, so
    backtracking never finds another match. But `re` would keep 600 bytes for each repetition, and a
    source may have millions of them. lark does not accept a pattern in this form.
    """
    return pattern.replace(")*", ")*+").replace(")+", ")++")


def _keywords(made: Lark) -> dict[str, str]:
    """The words that could also be a NAME."""
    words = {
        str(terminal.pattern.value): terminal.name
        for terminal in made.terminals
        if isinstance(terminal.pattern, PatternStr)
    }
    return {word: name for word, name in sorted(words.items()) if word.isalpha()}
