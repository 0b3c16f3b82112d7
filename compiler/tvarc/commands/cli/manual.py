"""`tvarc man`: the page of the manual on a command, or on all."""

from __future__ import annotations

from tvarc.commands.cli import exits
from tvarc.commands.cli.arguments import Arguments, Misused
from tvarc.commands.cli.console import Console
from tvarc.commands.report.manual import main_page, page_of
from tvarc.commands.report.roff import print_roff
from tvarc.commands.table import COMMANDS


def command(given: Arguments) -> int:
    """Print the page of a command, or of all; the exit code."""
    name = given.text("name")
    if name is not None and name not in COMMANDS:
        from tvarc.text.diagnostics.suggest import did_you_mean

        near = did_you_mean(name, COMMANDS)
        raise Misused(f"there is no command `{name}`" + (f": {near}" if near else ""))
    meanings = exits.MEANINGS
    page = page_of(name, meanings) if name is not None else main_page(meanings)
    Console().file(print_roff(page))
    return exits.OK
