"""`tvarc pick`: which variant is for this machine, or for the one of a description."""

from __future__ import annotations

import sys

from tvarc.advice.hosts.description import host_data
from tvarc.advice.hosts.model import Host
from tvarc.commands.cli import exits
from tvarc.commands.cli.arguments import Arguments, Misused
from tvarc.commands.cli.console import terminal_width
from tvarc.commands.cli.session import Session, run
from tvarc.commands.programs.host import HostFiles, NoHost, chosen, host_of, report_none
from tvarc.values.plain import json_text


def command(given: Arguments) -> int:
    """Print the variants for a host, by default this machine, or its description."""
    file = given.program()
    files = HostFiles(given.text("host"), given.text("cpuinfo"), given.text("nvidia_smi"))
    if files.nvidia_smi is not None and files.cpuinfo is None:
        raise Misused("--nvidia-smi does not describe the CPU: add --cpuinfo")
    if files.description is not None and files.cpuinfo is not None:
        raise Misused("--host describes the CPU as well: leave out --cpuinfo")
    if not given.flag("describe"):
        return run(given, lambda session: _pick(session, given, file, files))
    if file is not None:
        raise Misused(f"--describe prints to standard output; leave out `{file}`")
    if given.words("only"):
        raise Misused("--describe chooses no variant: leave out --only")
    return run(given, lambda session: _describe(session, files))


def _pick(session: Session, given: Arguments, file: str | None, files: HostFiles) -> int:
    """Print the variants for the host of *files*: those that `--only` means, by default all."""
    made = session.compile(file)
    session.stop_on_errors()
    only = given.words("only")
    among = session.select(only) if only else None
    host = _host(session, files)
    choice = chosen(made, host, among)
    session.stop_on_errors()
    if given.flag("json"):
        from tvarc.advice.hosts.data import choice_data

        session.console.data(json_text(choice_data(choice, session.sources)))
    else:
        from tvarc.advice.hosts.text import choice_text

        width = terminal_width(sys.stdout)
        session.console.out(
            choice_text(choice, session.sources, whole=given.flag("all"), width=width)
        )
    if not any(kind.fits for kind in choice.kinds):
        report_none(host, session.sink)
    session.show()
    return exits.FAILED if session.sink.has_errors else exits.OK


def _describe(session: Session, files: HostFiles) -> int:
    """Print the description of the host in *files*, or of this machine if there are none."""
    host = _host(session, files)
    session.console.data(json_text(host_data(host), ascii=False))
    return exits.OK


def _host(session: Session, files: HostFiles) -> Host:
    """The host in *files*; ends the command if they describe none."""
    try:
        return host_of(files, session.cache, session.sink)
    except NoHost:
        session.finish(exits.FAILED)
