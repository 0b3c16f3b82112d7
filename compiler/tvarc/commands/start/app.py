"""The table of the commands in the form of the library for command lines, which prints helps and
completions, and reports wrong lines. Ordinary lines are read without it, in `line/arguments.py`."""

from __future__ import annotations

import inspect
from enum import StrEnum
from io import StringIO
from textwrap import fill
from typing import Annotated, Any

import typer

from tvarc import __version__
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.console import Console
from tvarc.commands.start import complete
from tvarc.commands.table import ABOUT, COMMANDS, ROOT, Parameter
from tvarc.light import Callable, Mapping, Sequence, dataclass
from tvarc.values.plain import Ordinal

_WIDTH = 78  # the width of help, as in the library


def _exit_codes() -> str:
    """The meaning of exit codes, a paragraph for each; `\b` keeps the library from joining
    lines."""
    rows = [
        fill(
            meaning,
            _WIDTH - 2,
            initial_indent=f"  {code:<4}",
            subsequent_indent=" " * 6,
            break_on_hyphens=False,
        )
        for code, meaning in exits.MEANINGS
    ]
    return "\n".join(["\b", "Exit codes:", *rows])


def _root(
    ctx: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help=ROOT["--version"],
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", hidden=True)] = False,
) -> None:
    if version:
        _print_version(as_json=json)
        raise typer.Exit(exits.OK)
    if json:
        raise typer.BadParameter(
            "before a command, it works only with --version", param_hint="--json"
        )
    if ctx.invoked_subcommand is None:
        raise typer.BadParameter("name a command: `tvarc --help` lists them")


def _print_version(*, as_json: bool) -> None:
    if not as_json:
        Console().out(f"tvarc {__version__}\n")
        return
    from tvarc.values.plain import json_text

    Console().data(json_text(abilities()))


def wrong_line(fault: Exception) -> tuple[str, int] | None:
    """The message about a wrong line, and the exit code; None if *fault* is another error. The
    classes of the library's errors have no public name that is the same in all of its versions."""
    show, code = getattr(fault, "show", None), getattr(fault, "exit_code", None)
    if show is None or not isinstance(code, int):
        return None
    text = StringIO()
    show(file=text)
    return text.getvalue(), code


def function_of(name: str) -> Callable[..., None]:
    """The function that the library calls with the values of a line of the command *name*. Its
    parameters are those of the table. It ends with the command's code, or reports words that are
    misused."""

    def called(**values: object) -> None:
        try:
            code = Arguments(name, values).run()
        except Misused as wrong:
            raise typer.BadParameter(wrong.message, param_hint=wrong.hint) from None
        raise typer.Exit(code)

    called.__doc__ = COMMANDS[name].help
    parameters = [_parameter(one) for one in COMMANDS[name].parameters]
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return called


def _parameter(one: Parameter) -> inspect.Parameter:
    type, default = _type(one)
    if one.required:
        default = inspect.Parameter.empty
    elif default is None:
        type = type | None
    about: dict[str, Any] = {"help": one.help}
    if one.metavar:
        about |= {"metavar": one.metavar, "show_default": False}
    if one.complete:
        about["autocompletion"] = complete.offering(one.complete)
    spellings = filter(None, (one.option, one.short))
    told = typer.Option(*spellings, **about) if one.option else typer.Argument(**about)
    return inspect.Parameter(
        one.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[type, told],
    )


def _type(one: Parameter) -> tuple[Any, object]:
    """The type of a value, and its default; None for nothing."""
    if one.kind == "flag":
        return bool, False
    if one.choices:
        members: Any = [(choice.upper(), choice) for choice in one.choices]
        choices: Any = StrEnum("Choice", members)  # type: ignore[misc]
        return choices, choices(one.choices[0])
    return (list[str] if one.kind in ("values", "arguments") else str), None


def _app() -> typer.Typer:
    made = typer.Typer(
        name="tvarc",
        help=ABOUT,
        epilog=_exit_codes(),
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    made.callback(invoke_without_command=True)(_root)
    for name in COMMANDS:
        made.command(name)(function_of(name))
    return made


# --- the result of `--version --json` -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Result:
    """The abilities of a version of tvarc."""

    version: str
    language: Ordinal
    """The number of the newest language that it reads."""
    outputs: tuple[str, ...]
    """The forms of outputs."""
    commands: Mapping[str, Mapping[str, Sequence[str] | None]]
    """The options of each command; of one that takes one of several words these, and null for
    others."""


def abilities() -> Result:
    """The abilities of this version."""
    from tvarc.meaning.declarations.outputs import FORMS
    from tvarc.meaning.names.load import NEWEST

    commands = {
        name: {one.option: one.choices or None for one in command.parameters if one.option}
        for name, command in COMMANDS.items()
    }
    return Result(__version__, NEWEST, tuple(FORMS), commands)


app = _app()
