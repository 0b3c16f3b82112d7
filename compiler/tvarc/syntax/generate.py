"""From the grammar to the parser's tables. The only module that knows the parser library."""

from __future__ import annotations

from lark import Lark
from lark.lexer import PatternStr
from lark.parsers.lalr_analysis import Shift

from tvarc.diagnostics.model import CompilerBug
from tvarc.light import Any, Iterator, cast
from tvarc.syntax.automaton import END, Rows, Rule, Tables
from tvarc.syntax.terminals import ALWAYS

STARTS = ("item", "expr")


class _Everywhere:
    """Tells the lexer which terminals it accepts in every state; layout filters them later."""

    always_accept = ALWAYS

    def process(self, stream: Iterator[object]) -> Iterator[object]:
        return stream


def built(grammar: str) -> Lark:
    """The library's own parser of *grammar*."""
    return Lark(
        grammar, parser="lalr", start=list(STARTS), postlex=cast("Any", _Everywhere()),
        keep_all_tokens=True, maybe_placeholders=False,
    )  # fmt: skip


def generate(grammar: str) -> Tables:
    """The tables of *grammar*: equal for equal text, whatever order sets have today."""
    made = built(grammar)
    table = cast("Any", made.parser).parser._parse_table
    order = _states(table)
    number = {state: index for index, state in enumerate(order)}
    rules = sorted({rule for row in table.states.values() for rule in _reduced(row)}, key=_sorting)
    place = {rule: index for index, rule in enumerate(rules)}
    actions: list[dict[str, int]] = []
    goals: list[dict[str, int]] = []
    terminals = {terminal.name for terminal in made.terminals} | {END}
    ends = set(table.end_states.values())
    for state in order:
        row = table.states[state]
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
        tuple(_rule(rule) for rule in rules), Rows.of(actions), Rows.of(goals),
        {start: number[table.start_states[start]] for start in STARTS},
    )  # fmt: skip


def _states(table: Any) -> list[Any]:
    """The states in the order in which they are reached."""
    order = [table.start_states[start] for start in STARTS]
    known = set(order)
    for state in order:
        for _, (action, arg) in sorted(table.states[state].items()):
            if action is Shift and arg not in known:
                known.add(arg)
                order.append(arg)
    return order


def _reduced(row: Any) -> Iterator[Any]:
    return (arg for action, arg in row.values() if action is not Shift)


def _sorting(rule: Any) -> tuple[str, str, tuple[str, ...]]:
    return rule.origin.name, rule.alias or "", tuple(symbol.name for symbol in rule.expansion)


def _rule(rule: Any) -> Rule:
    dissolved = [
        index
        for index, symbol in enumerate(rule.expansion)
        if not symbol.is_term and symbol.name.startswith("_")
    ]
    return Rule(
        str(rule.origin.name), str(rule.alias or rule.options.template_source or rule.origin.name),
        len(rule.expansion), bool(rule.options.expand1 and not rule.alias), tuple(dissolved),
    )  # fmt: skip


def _pattern(made: Lark) -> str:
    """The one pattern of all states: which words are keywords is all that they differ in."""
    lexer = cast("Any", made.parser).lexer.lexer
    found = {
        one.pattern for each in (*lexer.lexers.values(), lexer.root_lexer) for one in
        each.scanner._mres
    }  # fmt: skip
    if len(found) != 1:
        raise CompilerBug("some state of the parser takes other literals than the rest")
    return _possessive(str(found.pop()))


def _possessive(pattern: str) -> str:
    """*pattern* with groups that give nothing back once they have matched.

    What follows a repeated group of the grammar never begins like the group, so nothing is ever
    found by giving back; but `re` would keep 600 bytes for each repetition, of which a source may
    have millions. lark itself does not take this form.
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
