"""`tvarc pick`: which variant fits a host. The host is this machine, or the one that files
describe."""

from __future__ import annotations

import sys

from tvarc.advice.hosts.choose import Choice, choose, no_parts, own_values
from tvarc.advice.hosts.description import BadDescription, read_description
from tvarc.advice.hosts.detect import describe, described
from tvarc.advice.hosts.judge import NOTHING, Stated, stated
from tvarc.advice.hosts.machine import ThisMachine
from tvarc.advice.hosts.model import Host
from tvarc.advice.hosts.nvidia_smi import QUERY, is_answer, is_table
from tvarc.advice.hosts.result import result_of
from tvarc.advice.hosts.text import choice_text, host_line
from tvarc.advice.library.products import named_products
from tvarc.advice.library.rows import LibraryRows
from tvarc.build.driver import Compilation
from tvarc.commands import messages as msg
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.console import terminal_width
from tvarc.commands.line.session import Session, in_session
from tvarc.commands.programs.find import file_name
from tvarc.files.cache import Cache
from tvarc.files.disk import DiskLoader, report_unreadable
from tvarc.files.resources import stdlib_dir
from tvarc.light import Final, Sequence, dataclass
from tvarc.matrix.variants import Variant
from tvarc.text.diagnostics.message import Message, Text
from tvarc.text.diagnostics.model import Failed, Sink, filled
from tvarc.text.source import UnreadableSource
from tvarc.values.plain import json_text
from tvarc.values.row_facts import version_fact

_SHOWN: Final = 80


@in_session
def command(session: Session, given: Arguments) -> int:
    """Print the variants for a host, by default this machine, or its description."""
    file = given.program()
    files = HostFiles(given.text("host"), given.text("cpuinfo"), given.text("nvidia_smi"))
    if files.nvidia_smi is not None and files.cpuinfo is None:
        raise Misused("--nvidia-smi does not describe the CPU: add --cpuinfo")
    if files.description is not None and files.cpuinfo is not None:
        raise Misused("--host describes the CPU as well: leave out --cpuinfo")
    if not given.flag("describe"):
        return _pick(session, given, file, files)
    if file is not None:
        raise Misused(f"--describe prints to standard output; leave out `{file}`")
    if given.words("only"):
        raise Misused("--describe chooses no variant: leave out --only")
    return _describe(session, files)


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
        session.console.data(json_text(result_of(choice), session.sources))
    else:
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
    session.console.data(json_text(host, ascii=False))
    return exits.OK


def _host(session: Session, files: HostFiles) -> Host:
    """The host in *files*; ends the command if they describe none."""
    try:
        return host_of(files, session.cache, session.sink)
    except NoHost:
        session.finish(exits.FAILED)


class NoHost(Exception):
    """Files describe no host; the error is reported."""


@dataclass(frozen=True, slots=True)
class HostFiles:
    """The source of a host: a description; or its /proc/cpuinfo and the output of its nvidia-smi;
    or, if none is given, this machine itself."""

    description: str | None = None
    cpuinfo: str | None = None
    nvidia_smi: str | None = None


def host_of(files: HostFiles, cache: Cache, sink: Sink) -> Host:
    """The host in *files*, or this machine if there are none. Raises NoHost."""

    def capability(name: str) -> str | None:
        return _capability_of(name, cache)

    if files.description is not None:
        text = _read(files.description, sink)
        try:
            return read_description(text)
        except BadDescription as fault:
            raise _no_host(
                msg.hosts.BAD_DESCRIPTION, files.description, sink, reason=str(fault)
            ) from None
    if files.cpuinfo is None:
        return describe(ThisMachine(), capability)
    smi = _read(files.nvidia_smi, sink) if files.nvidia_smi is not None else None
    if files.nvidia_smi is not None and smi is not None and (is_table(smi) or not is_answer(smi)):
        begins = smi.strip().splitlines()[0][:_SHOWN]
        table = is_table(smi)
        message = msg.hosts.TABLE_OF_NVIDIA_SMI if table else msg.hosts.NOT_OF_NVIDIA_SMI
        raise _no_host(message, files.nvidia_smi, sink, begins=begins, query=QUERY)
    host = described(_read(files.cpuinfo, sink), smi, capability)
    if host is None:
        raise _no_host(msg.hosts.NO_CPUINFO, files.cpuinfo, sink)
    return host


def chosen(made: Compilation, host: Host, among: Sequence[Variant] | None) -> Choice:
    """The choice for *host* from *made*, which has been expanded: from *among*, or from all its
    variants. Faults of the judged variants go to the sink of *made*.
    """
    assert made.resolution is not None and made.expansion is not None
    elaboration = made.elaboration
    assert elaboration is not None

    def stated_of(variant: Variant) -> Stated:
        deciding = elaboration.deciding(variant)
        try:
            return stated(lambda block, key: deciding.decide((block, key)))
        except Failed:
            return NOTHING

    return choose(
        made.resolution.program,
        made.expansion,
        host,
        stated_of,
        among,
        made.stack.values if made.is_stacked else own_values,
        made.stack.unlike if made.is_stacked else no_parts,
    )


def report_none(host: Host, sink: Sink) -> None:
    """Report that no variant runs on *host*."""
    sink.report(msg.hosts.NO_VARIANT, host=host_line(host))


def _read(file: str, sink: Sink) -> str:
    """Raises NoHost."""
    name = file_name(file)
    try:
        return DiskLoader(stdlib_dir()).read(name).text
    except UnreadableSource as fault:
        report_unreadable(fault, sink)
        raise NoHost from None


def _no_host(message: Message, file: str, sink: Sink, **fields: Text) -> NoHost:
    sink.add(filled(message, None, {"file": file_name(file), **fields}))
    return NoHost()


def _capability_of(name: str, cache: Cache) -> str | None:
    """The compute capability of the GPU called *name*, by the library."""
    rows = LibraryRows(DiskLoader(stdlib_dir()), cache).all("nvidia")
    found = {
        one.text for row in named_products(name, rows) if (one := version_fact(row, "capability"))
    }
    return found.pop() if len(found) == 1 else None
