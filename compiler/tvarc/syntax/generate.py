"""From the grammar to the parser's tables. The only module that knows the parser library."""

from __future__ import annotations

from lark import Lark
from lark.lexer import PatternStr
from lark.parsers.lalr_analysis import Shift

from tvarc.light import Any, Final, Iterator, cast
from tvarc.syntax.automaton import END, WRAP, Rows, Rule, Tables
from tvarc.syntax.terminals import RESERVED
from tvarc.text.diagnostics.model import CompilerBug

STARTS: Final = ("line", "expression")

_Row = dict[str, tuple[Any, Any]]  # action and what it goes to, by the name of the symbol


def generate(grammar: str) -> Tables:
    """The tables of *grammar*: equal for equal text, whatever order sets have today."""
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
            found[END] = number[state]  # to itself: the parser ends here
        actions.append({name: value for name, value in found.items() if name in terminals})
        goals.append({name: value for name, value in found.items() if name not in terminals})
    return Tables(
        _pattern(made), _keywords(made), frozenset(made.ignore_tokens),
        tuple(_rule(rule, empty) for rule in rules), Rows.of(actions), Rows.of(goals),
        {start: number[table.start_states[start]] for start in STARTS},
    )  # fmt: skip


def _empty(made: Lark) -> frozenset[str]:
    """The rules that hold nothing but line ends that count for nothing."""
    held: dict[str, set[str]] = {}
    for rule in made.rules:
        names = {str(symbol.name) for symbol in rule.expansion}
        held.setdefault(str(rule.origin.name), set()).update(names)
    return frozenset(name for name, names in held.items() if names <= {WRAP})


def _rows(table: Any, empty: frozenset[str]) -> dict[Any, _Row]:
    """The parser's actions in each state, in the order in which the states are reached.

    No rule of *empty* is left: the row of a state before one is that of the state after it. So no
    token costs a step for a line end that does not follow it. If a line end may follow, the state
    goes with WRAP to itself.
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
    """The one pattern of all states: which words are keywords and which line ends count for nothing
    is all that they differ in."""
    lexer = cast("Any", made.parser).lexer
    terminals = [found for found in lexer.scanner.terminals if found.name != WRAP]
    terminals.sort(key=lambda found: found.name in RESERVED)  # they are rare
    groups = [f"(?P<{found.name}>{found.pattern.to_regexp()})" for found in terminals]
    return _possessive("|".join(groups))


def _possessive(pattern: str) -> str:
    """*pattern* with groups that never backtrack.

    The grammar never has the beginning of a repeated group after that group, so backtracking never
    finds a match. But `re` would keep 600 bytes for each repetition, and a source may have
    millions. lark itself does not take this form.
    """
    return pattern.replace(")*", ")*+").replace(")+", ")++")


def _keywords(made: Lark) -> dict[str, str]:
    """The words that a NAME could be as well."""
    words = {
        str(terminal.pattern.value): terminal.name
        for terminal in made.terminals
        if isinstance(terminal.pattern, PatternStr)
    }
    return {word: name for word, name in sorted(words.items()) if word.isalpha()}
