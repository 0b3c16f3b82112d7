"""`tvarc init`: the first program of a folder, of a template or of the recipes that are there."""

from __future__ import annotations

import os

from tvarc.commands.init.dialogue import Dialogue, can_ask
from tvarc.commands.init.starting import (
    TEMPLATES,
    Importable,
    about,
    begun,
    demand_beginning,
    demand_choice,
    demand_reference,
    demand_template,
    has_program,
    importable,
    nobody_to_ask,
)
from tvarc.commands.init.text import beginning_lines, next_after_import, next_line
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, read
from tvarc.commands.line.session import Session, run
from tvarc.commands.programs.find import file_name
from tvarc.files.persons import Beginning, write_beginning
from tvarc.light import Final

_NOTHING: Final = "nothing was written"


def command(given: Arguments) -> int:
    """Begin a program; the exit code."""
    return run(given, lambda session: _init(session, given))


def _init(session: Session, given: Arguments) -> int:
    folder = (file_name(given.text("folder") or os.curdir).rstrip("/")) or os.curdir
    template, yes = given.text("template"), given.flag("yes")
    if template is not None:
        demand_template(template, session.sink)
    given_reference = given.text("tvarc")
    tvarc = demand_reference(given_reference, session.sink) if given_reference else None
    only_workflow = tvarc is not None and template is None and has_program(folder)
    if not only_workflow:
        demand_beginning(folder, session.sink)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    asking = template is None and not yes and not only_workflow
    if template is None and not only_workflow:
        found = importable(folder)
        if found is not None and _is_import_wanted(session, found, yes=yes):
            return _import(session, given, found)
        template = _chosen(session, yes=yes)
    made = begun(folder, template, tvarc)
    dry_run = given.flag("dry_run")
    if asking and not dry_run:
        _demand_agreement(session, made)
    if not dry_run and not write_beginning(made, session.sink):
        session.finish(exits.FAILED, closing=_NOTHING)
    for line in beginning_lines(made, dry_run=dry_run):
        session.console.remark(f"{line}\n")
    if not dry_run and not only_workflow:
        session.console.remark(f"{next_line(made)}\n")
    return exits.OK


def _is_import_wanted(session: Session, found: Importable, *, yes: bool) -> bool:
    """Whether to import the recipes. `--yes` does not agree to that: a person should look at the
    result."""
    if yes or not can_ask():
        demand_choice(found, session.sink)
        session.finish(exits.FAILED)
    return Dialogue(session.console).confirm(f"There are {found.recipes}. Import them?")


def _chosen(session: Session, *, yes: bool) -> str:
    """The template that is wanted."""
    if yes:
        return TEMPLATES[0]
    if not can_ask():
        nobody_to_ask(session.sink)
        session.finish(exits.FAILED)
    options = [(name, about(name)) for name in TEMPLATES]
    return Dialogue(session.console).choose("What do you want to build?", options)


def _demand_agreement(session: Session, made: Beginning) -> None:
    """Show the files that would be written; end the command if the person declines."""
    for line in beginning_lines(made, dry_run=True):
        session.console.error(f"{line}\n")
    if not Dialogue(session.console).confirm("Write these files?"):
        session.finish(exits.FAILED, closing=_NOTHING)


def _import(session: Session, given: Arguments, found: Importable) -> int:
    """Do what `tvarc import` does; its exit code."""
    words = [*found.command, "--format", session.console.format.value]
    if given.flag("dry_run"):
        words.append("--dry-run")
    if given.flag("no_cache"):
        words.append("--no-cache")
    line = read(words)
    assert line is not None
    code = line.run()
    if code in (exits.OK, exits.STALE) and not given.flag("dry_run"):
        session.console.remark(f"{next_after_import(found.program)}\n")
    return code
