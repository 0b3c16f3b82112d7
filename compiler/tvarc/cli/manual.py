"""`tvarc man`: the page of the manual on a command, or on all."""

from __future__ import annotations

from tvarc.cli import exits
from tvarc.cli.arguments import Arguments, Misused
from tvarc.cli.console import Console
from tvarc.commands import COMMANDS
from tvarc.report.manual import main_page, page_of
from tvarc.report.roff import print_roff


def command(given: Arguments) -> int:
    """Print the page of a command, or of all; the exit code."""
    name = given.text("name")
    if name is not None and name not in COMMANDS:
        from tvarc.diagnostics.suggest import did_you_mean

        near = did_you_mean(name, COMMANDS)
        raise Misused(f"there is no command `{name}`" + (f": {near}" if near else ""))
    meanings = exits.MEANINGS
    page = page_of(name, meanings) if name is not None else main_page(meanings)
    Console().file(print_roff(page))
    return exits.OK
