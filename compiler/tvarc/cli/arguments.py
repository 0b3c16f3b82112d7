"""Ordinary command lines, read without the library that defines the commands.

To import that library takes longer than most commands do. What it knows of the options is kept as a
table in the cache, and a line that is plain by that table (known options, each with a value that is
no option) is read here. Of any other line nothing is said here: the library reads it again, and
helps, completes or tells what is wrong with it.
"""

from __future__ import annotations

from tvarc.cache import Cache
from tvarc.light import TYPE_CHECKING, Callable, Final, Literal, Sequence, cast, dataclass
from tvarc.packed import Damaged, pack, unpack
from tvarc.resources import command_line_texts

if TYPE_CHECKING:
    from typer import Typer

Kind = Literal["flag", "value", "values", "argument", "arguments"]
KINDS: Final[tuple[Kind, ...]] = ("flag", "value", "values", "argument", "arguments")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One option or argument of a command: `name` is what the command calls it, `options` how it
    is written. A value is one of `choices`, if there are any; `default` is empty for none."""

    name: str
    kind: Kind
    required: bool
    options: tuple[str, ...]
    choices: tuple[str, ...]
    default: str


Commands = dict[str, tuple[Parameter, ...]]
Values = dict[str, object]


def read(words: Sequence[str], commands: Commands) -> tuple[str, Values] | None:
    """The command and its values; None for a line that is not ordinary."""
    if not words or words[0] not in commands:
        return None
    parameters = commands[words[0]]
    named = {option: one for one in parameters for option in one.options}
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
    return False if one.kind == "flag" else one.default or None


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


# --- the table -------------------------------------------------------------------------------


def known_commands(cache: Cache) -> Commands | None:
    """The table in *cache*; None where there is none."""
    data = cache.get(_key(cache))
    try:
        found = _read(*unpack(data)) if data is not None else None
    except Damaged:
        return None
    return found if found is None or _fits(found) else None


def _fits(found: Commands) -> bool:
    """Whether the commands are as *found* has them: what is kept was made for these."""
    from tvarc.cli.commands import COMMANDS

    return all(
        name in COMMANDS and {one.name for one in parameters} == set(_names(COMMANDS[name]))
        for name, parameters in found.items()
    )


def _names(command: Callable[..., int]) -> tuple[str, ...]:
    code = command.__code__
    return code.co_varnames[: code.co_argcount]


def keep_commands(app: Typer, cache: Cache) -> None:
    """Put the table of *app* into *cache*."""
    cache.put(_key(cache), pack(*_written(commands_of(app))))


def _key(cache: Cache) -> str:
    try:
        return cache.key("commands", "\0".join(command_line_texts()))
    except OSError:
        return ""


def commands_of(app: Typer) -> Commands:
    """What the library knows of the commands."""
    from typer.main import get_command

    group = get_command(app)
    found: Commands = {}
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        parameters = [_parameter(one) for one in command.params]
        if None not in parameters:
            found[name] = tuple(one for one in parameters if one is not None)
    return found


def _parameter(one: object) -> Parameter | None:
    """*one* as this module knows parameters; None for what it does not know."""
    about = {
        name: getattr(one, name, None)
        for name in (
            "name", "opts", "secondary_opts", "is_flag", "multiple", "nargs", "required", "default",
            "type", "param_type_name", "callback", "envvar", "count",
        )
    }  # fmt: skip
    several = about["multiple"] or about["nargs"] == -1
    odd = about["secondary_opts"] or about["envvar"] or about["count"] or about["callback"]
    kind: Kind
    if about["param_type_name"] == "argument":
        kind = "arguments" if several else "argument"
    elif about["is_flag"]:
        kind = "flag"
    else:
        kind = "values" if several else "value"
    choices = [getattr(choice, "value", choice) for choice in getattr(about["type"], "choices", ())]
    default = about["default"]
    default = getattr(default, "value", default)
    plain = default in (None, False) or (isinstance(default, str) and not several)
    if odd or not plain or about["nargs"] not in (1, -1):
        return None
    options = tuple(map(str, about["opts"] or ())) if not kind.startswith("argument") else ()
    if any(not option.startswith("--") for option in options):
        return None
    return Parameter(
        str(about["name"]), kind, bool(about["required"]), options, tuple(map(str, choices)),
        str(default or ""),
    )  # fmt: skip


def _written(commands: Commands) -> tuple[list[int], list[str]]:
    numbers, texts = [len(commands)], list[str]()
    for name, parameters in commands.items():
        texts.append(name)
        numbers.append(len(parameters))
        for one in parameters:
            numbers += [KINDS.index(one.kind), one.required, len(one.options), len(one.choices)]
            texts += [one.name, one.default, *one.options, *one.choices]
    return numbers, texts


def _read(numbers: Sequence[int], texts: list[str]) -> Commands:
    number, text = iter(numbers).__next__, iter(texts).__next__
    found: Commands = {}
    try:
        for _ in range(number()):
            name, parameters = text(), list[Parameter]()
            for _ in range(number()):
                kind, required, options, choices = number(), number(), number(), number()
                called, default = text(), text()
                parameters.append(
                    Parameter(
                        called, KINDS[kind], bool(required),
                        tuple([text() for _ in range(options)]),
                        tuple([text() for _ in range(choices)]), default,
                    )
                )  # fmt: skip
            found[name] = tuple(parameters)
    except (StopIteration, IndexError) as fault:
        raise Damaged from fault
    return found
