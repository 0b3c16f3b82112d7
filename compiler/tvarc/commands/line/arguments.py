"""Command lines: their content, and a quick reader that needs only the table of the commands.

Importing the library for command lines takes 50 ms, more than most commands take: compare `tvarc
--version` with `tvarc list`. This module reads simple lines: known options, each with a value that
is not an option. It reports nothing about other lines. The library reads these again, and prints
help, completes or reports errors.
"""

from __future__ import annotations

import sys

from tvarc.commands.line.console import Console, can_erase
from tvarc.commands.table import COMMANDS, Parameter
from tvarc.light import TYPE_CHECKING, Callable, Final, Mapping, Sequence, cast
from tvarc.text.diagnostics.model import Format

if TYPE_CHECKING:
    from tvarc.commands.programs.missed import Missed

_SEVERAL: Final = 2


class Misused(Exception):
    """The words of a line misuse a command; `hint` names the option, if one is the cause."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Arguments:
    """The content of a line: the command, and the value of each of its parameters. Callers get a
    value by its name and kind in the table."""

    __slots__ = ("command", "values")

    def __init__(self, command: str, values: Mapping[str, object]) -> None:
        self.command = command
        self.values = values

    def flag(self, name: str) -> bool:
        return cast("bool", self.values[name])

    def text(self, name: str) -> str | None:
        """The value of an option, or the argument; None if it is not given."""
        return cast("str | None", self.values[name])

    def number(self, name: str, least: int, wanted: str) -> int | None:
        """The value of an option that takes a number, *least* or more, of at most nine digits. None
        if it is not given. Raises Misused, which says what is *wanted*."""
        text = self.text(name)
        if text is None:
            return None
        if not text.isascii() or not text.isdigit() or int(text[:9]) < least:
            raise Misused(wanted, f"--{name.replace('_', '-')}")
        return int(text[:9])

    def words(self, name: str) -> tuple[str, ...]:
        """The values of an option that may be given several times, or the arguments."""
        return tuple(cast("Sequence[str] | None", self.values[name]) or ())

    def is_given(self, name: str) -> bool:
        """Whether the line has a parameter that has no default."""
        return bool(self.values[name])

    def console(self) -> Console:
        return Console(self._format())

    def _format(self) -> Format:
        """The format of errors. Some commands have formats of their own for the output. If such a
        format is not one for errors, errors are text."""
        if "format" in self.values:
            return Format(self.text("format"))
        form = self.values.get("form")
        return next((one for one in Format if one.value == form), Format.TEXT)

    def program(self) -> str | None:
        """The one program that the line names, as its argument or after `--file`; None if it names
        none."""
        named = self.text("program")
        return self.one_program((named,) if named is not None else ())

    def program_and_words(self, *, folders: bool = True) -> tuple[str | None, list[str]]:
        """The one program that the line names, None if it names none, and the other words. Without
        *folders* a word that ends in `/` is one of the other words."""
        programs, others = self.programs_and_words(folders=folders)
        return self.one_program(programs), others

    def programs_and_words(self, *, folders: bool = True) -> tuple[list[str], list[str]]:
        """The words that name programs, and all other words."""
        from tvarc.commands.programs.find import is_program

        words = self.words("words")
        programs = [
            word for word in words if is_program(word) and (folders or word.endswith(".tvar"))
        ]
        return programs, [word for word in words if word not in programs]

    def one_program(self, words: Sequence[str]) -> str | None:
        """The one program among *words* and after `--file`; None if there is none."""
        given = list(dict.fromkeys([*words, *self.words("file")]))
        if len(given) > 1:
            listed = ", ".join(f"`{one}`" for one in given)
            raise Misused(f"name one program; these are {len(given)}: {listed}")
        return given[0] if given else None

    def for_each(
        self,
        words: Sequence[str],
        run: Callable[[Console, str | None, Missed | None], int],
        *,
        as_json: bool | None = None,
    ) -> int:
        """The exit code of *run* for the program that *words* and `--file` name. If they name
        several, each runs in a section of its own. With `--all` there are sections even for a
        single program. *as_json* says that results are JSON; the default is `--json`."""
        words = [*words, *self.words("file")]
        everywhere, exclude = self.flag("all"), self.words("exclude")
        if exclude and not everywhere:
            raise Misused("it leaves out programs that --all finds: add --all", "--exclude")
        if not everywhere and len(words) < _SEVERAL:
            return run(self.console(), words[0] if words else None, None)
        from tvarc.commands.line.several import Sections, run_each

        if as_json is None:
            as_json = "json" in self.values and self.flag("json")
        sections = Sections(self._format(), as_json=as_json)
        return run_each(
            sections,
            words,
            lambda program, missed: run(sections, program, missed),
            everywhere=everywhere,
            exclude=exclude,
        )

    def run(self) -> int:
        """Run the command; its exit code. Raises Misused if the words misuse it."""
        name = f"tvarc.commands.{COMMANDS[self.command].module}"
        module = __import__(name, fromlist=("command",))
        if self._format() is Format.TEXT and can_erase(sys.stderr):
            from tvarc.commands.line.progress import Progress

            with Progress():
                return cast("int", module.command(self))
        return cast("int", module.command(self))


def read(words: Sequence[str]) -> Arguments | None:
    """The content of a simple line; None for any other line."""
    if not words or words[0] not in COMMANDS:
        return None
    parameters = COMMANDS[words[0]].parameters
    named = {one.option: one for one in parameters if one.option}
    values: dict[str, object] = {one.name: _default(one) for one in parameters}
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
    return Arguments(words[0], values)


def _default(one: Parameter) -> object:
    return False if one.kind == "flag" else one.choices[0] if one.choices else None


def _arguments(
    parameters: Sequence[Parameter], given: list[str], values: dict[str, object]
) -> bool:
    """Assign the words that belong to no option; False if there are too many."""
    for one in parameters:
        if one.kind == "arguments":
            values[one.name] = given or None
            given = []
        elif one.kind == "argument" and given:
            values[one.name] = given[0]
            given = given[1:]
    return not given
