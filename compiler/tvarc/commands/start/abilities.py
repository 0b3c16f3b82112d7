"""`tvarc --version --json`: the formats and commands of this version, for programs that call it."""

from __future__ import annotations

from tvarc import __version__
from tvarc.commands.table import COMMANDS
from tvarc.meaning.declarations.outputs import FORMS
from tvarc.meaning.names.load import NEWEST
from tvarc.values.plain import Data


def abilities() -> Data:
    """The version, the number of the language, the forms of outputs, and of each command its
    options: with those that have choices, these."""
    return {
        "version": __version__,
        "language": NEWEST,
        "outputs": [*FORMS],
        "commands": {
            name: {
                one.option: [*one.choices] if one.choices else None
                for one in command.parameters
                if one.option
            }
            for name, command in COMMANDS.items()
        },
    }
