"""`tvarc --version --json`: the formats and commands of this version, for programs that call it."""

from __future__ import annotations

from tvarc import __version__
from tvarc.commands.table import COMMANDS
from tvarc.light import Mapping, Sequence, dataclass
from tvarc.meaning.declarations.outputs import FORMS
from tvarc.meaning.names.load import NEWEST
from tvarc.values.plain import Ordinal


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
    commands = {
        name: {one.option: one.choices or None for one in command.parameters if one.option}
        for name, command in COMMANDS.items()
    }
    return Result(__version__, NEWEST, tuple(FORMS), commands)
