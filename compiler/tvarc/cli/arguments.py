"""Ordinary command lines, read by the table of the commands alone.

To import the library for command lines takes 50 ms, more than most commands do: `tvarc --version`
beside `tvarc list` shows it. A line that is plain by the table (known options, each with a value
that is no option) is read here. Of any other line nothing is said here: the library reads it again,
and helps, completes or tells what is wrong with it.
"""

from __future__ import annotations

from tvarc.cli.commands import COMMANDS, Parameter
from tvarc.light import Sequence, cast

Values = dict[str, object]


def read(words: Sequence[str]) -> tuple[str, Values] | None:
    """The command and its values; None for a line that is not ordinary."""
    if not words or words[0] not in COMMANDS:
        return None
    parameters = COMMANDS[words[0]].parameters
    named = {one.option: one for one in parameters if one.option}
    values: Values = {one.name: _default(one) for one in parameters}
    given: list[str] = []
    left = iter(words[1:])
    for word in left:
        if not word.startswith("-"):
            given.append(word)
            continue
        option, equals, value = word.partition("=")
        one = named.get(option)
        if one is None:
            return None
        if one.kind == "flag":
            if equals:
                return None
            values[one.name] = True
            continue
        if not equals:
            value = next(left, "-")
        if value.startswith("-") or (one.choices and value not in one.choices):
            return None
        if one.kind == "values":
            known = cast("list[str] | None", values[one.name])
            values[one.name] = [*(known or ()), value]
        else:
            values[one.name] = value
    if not _arguments(parameters, given, values):
        return None
    if any(one.required and values[one.name] in (None, []) for one in parameters):
        return None
    return words[0], values


def _default(one: Parameter) -> object:
    return False if one.kind == "flag" else one.choices[0] if one.choices else None


def _arguments(parameters: Sequence[Parameter], given: list[str], values: Values) -> bool:
    """Put what stands alone where it belongs; False when there is too much of it."""
    for one in parameters:
        if one.kind == "arguments":
            values[one.name] = given or None
            given = []
        elif one.kind == "argument" and given:
            values[one.name] = given[0]
            given = given[1:]
    return not given
