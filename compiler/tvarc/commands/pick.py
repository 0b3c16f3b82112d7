"""`tvarc pick`: finds the variants that run on a host. The host is this machine, or the one that
files describe."""

from __future__ import annotations

import sys

from tvarc.advice.hosts.choose import (
    Choice,
    Judged,
    KindChoice,
    MissingCell,
    WorksOf,
    choose,
    group,
    no_parts,
    own_values,
    unknown,
)
from tvarc.advice.hosts.description import BadDescription, read_description
from tvarc.advice.hosts.detect import describe, described
from tvarc.advice.hosts.judge import NOTHING, Stated, stated
from tvarc.advice.hosts.machine import ThisMachine
from tvarc.advice.hosts.model import Gpu, Host
from tvarc.advice.hosts.nvidia_smi import QUERY, is_answer, is_table
from tvarc.advice.hosts.verdict import Reason
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
from tvarc.light import Final, Iterator, Literal, Mapping, Sequence, dataclass
from tvarc.matrix import variants
from tvarc.matrix.variants import axis_text
from tvarc.text.diagnostics.message import Message, Text
from tvarc.text.diagnostics.model import Failed, Sink, filled
from tvarc.text.diagnostics.render_cells import safe, wrap
from tvarc.text.source import SourceMap, Span, UnreadableSource
from tvarc.values.plain import json_text
from tvarc.values.row_facts import version_fact
from tvarc.values.value import Value

_QUOTED: Final = 80


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
        begins = smi.strip().splitlines()[0][:_QUOTED]
        table = is_table(smi)
        message = msg.hosts.TABLE_OF_NVIDIA_SMI if table else msg.hosts.NOT_OF_NVIDIA_SMI
        raise _no_host(message, files.nvidia_smi, sink, begins=begins, query=QUERY)
    host = described(_read(files.cpuinfo, sink), smi, capability)
    if host is None:
        raise _no_host(msg.hosts.NO_CPUINFO, files.cpuinfo, sink)
    return host


def chosen(
    made: Compilation,
    host: Host,
    among: Sequence[variants.Variant] | None,
    *,
    by_ledger: bool = True,
) -> Choice:
    """The choice for *host* from *made*, which has been expanded: from *among*, or from all its
    variants. With *by_ledger*, a variant that is known to work comes first. Errors of the judged
    variants go to the sink of *made*.
    """
    assert made.expansion is not None
    elaboration = made.elaboration

    def stated_of(variant: variants.Variant) -> Stated:
        deciding = elaboration.deciding(variant)
        try:
            return stated(lambda block, key: deciding.decide((block, key)))
        except Failed:
            return NOTHING

    return choose(
        made.program,
        made.expansion,
        host,
        stated_of,
        among,
        made.stack.values if made.is_stacked else own_values,
        made.stack.unlike if made.is_stacked else no_parts,
        _works_of(made) if by_ledger else unknown,
    )


def _works_of(made: Compilation) -> WorksOf:
    """A function that says whether a variant works, from the ledger of *made*. Errors of the ledger
    are reported."""
    from tvarc.farm.ledger import known_to

    results = known_to(made)

    def works(variant: variants.Variant) -> int:
        found = results.standing(variant)
        return 1 if found.is_good else -1 if found.state else 0

    return works


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


# --- as a result ------------------------------------------------------------------------------


SCHEMA: Final = "tvarc-pick/1"


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant with the reasons for it and against it on this host."""

    variant: str
    matrix: str
    axes: Mapping[str, Value]
    gpu: str
    """How it uses the GPU: `no-gpu` for a build without GPU code."""
    reasons: tuple[Reason, ...]
    refusals: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """An exclusion that drops a cell."""

    KEYS = (("place", ""),)

    place: Span
    because: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that would be better than the best variant, and that exclusions drop."""

    KEYS = (("excluded_by", "excluded-by"),)

    matrix: str
    axes: Mapping[str, Value]
    excluded_by: tuple[Exclusion, ...]


@dataclass(frozen=True, slots=True)
class GpuKind:
    """The answer for the GPUs of one kind; for the CPU alone if `gpus` is empty."""

    gpus: tuple[Gpu, ...]
    best: str | None
    """The name of the best variant; null if none runs."""
    fits: tuple[Variant, ...]
    """The variants that run, the best first."""
    refused: tuple[Variant, ...]
    better: tuple[str, ...]
    """The names of those refused variants that would come before the best."""
    missing: tuple[Cell, ...]
    remarks: tuple[str, ...]
    """What the matrices do not offer for this GPU."""


@dataclass(frozen=True, slots=True)
class Result:
    """The variants for a host, by kind of GPU."""

    KEYS = (("serves_all", "serves-all"),)

    schema: Literal["tvarc-pick/1"]
    host: Host
    kinds: tuple[GpuKind, ...]
    serves_all: str | None
    """The best variant that uses the GPUs of every kind; null if there is none, or one kind."""


def result_of(choice: Choice) -> Result:
    """*choice* as the result of `pick`."""
    every = choice.serves_all
    return Result(
        SCHEMA,
        choice.host,
        tuple(map(_kind, choice.kinds)),
        every.name if every is not None else None,
    )


def _kind(kind: KindChoice) -> GpuKind:
    return GpuKind(
        kind.gpus,
        kind.best.variant.name if kind.best is not None else None,
        tuple(map(_judged, kind.fits)),
        tuple(map(_judged, kind.refused)),
        tuple([one.variant.name for one in kind.better]),
        tuple(map(_missing, kind.missing)),
        kind.remarks,
    )


def _judged(one: Judged) -> Variant:
    variant, judgement = one.variant, one.judgement
    return Variant(
        variant.name,
        variant.matrix.name,
        variant.values,
        judgement.rank.reach.name.lower().replace("_", "-"),
        judgement.reasons,
        judgement.refusals,
    )


def _missing(cell: MissingCell) -> Cell:
    checks = [Exclusion(one.span, one.because) for one in cell.excluded_by]
    return Cell(cell.matrix.name, cell.values, tuple(checks))


# --- for a person -----------------------------------------------------------------------------


_SHOWN: Final = 3
_NAMED: Final = 4  # variants of a group that are named; the others are only counted


def choice_text(choice: Choice, sources: SourceMap, *, whole: bool, width: int) -> str:
    """The answer of `pick`; *whole* shows every variant. Lines are wrapped at *width* cells."""
    lines = [*_host_lines(choice.host)]
    for kind in choice.kinds:
        lines.append("")
        lines += _kind_lines(kind, sources, whole=whole, several=len(choice.kinds) > 1)
    if len(choice.kinds) > 1:
        every = "every GPU of this host"
        lines.append("")
        if choice.serves_all is not None:
            lines.append(f"One for {every}: {safe(choice.serves_all.name)}")
        else:
            lines.append(f"No variant serves {every}.")
    return "".join(_wrapped(line, width) + "\n" for line in lines)


def host_line(host: Host) -> str:
    """The host in a few words, for titles."""
    gpus = ", ".join(_gpus(kind) for kind in host.kinds())
    cpu = f", {host.cpu}" if host.cpu else ""
    return safe(f"{host.platform}{cpu}{f', {gpus}' if gpus else ''}")


def _host_lines(host: Host) -> Iterator[str]:
    made = " (from facts, not from a machine)" if host.made else ""
    yield f"Host: {safe(host.platform)}{made}"
    yield f"  CPU  {safe(host.cpu) or 'unknown name'}, {len(host.flags)} features"
    for kind in host.kinds():
        yield f"  GPU  {safe(_gpus(kind))}, {_known_by(kind)}"
    for note in host.notes:
        yield f"  note: {safe(note)}"


def _known_by(kind: Sequence[Gpu]) -> str:
    target = kind[0].target
    if kind[0].capability is None:
        return target
    drivers = dict.fromkeys(gpu.driver.text for gpu in kind if gpu.driver is not None)
    driver = f"driver {', '.join(drivers)}" if drivers else "driver unknown"
    return f"compute capability {target}, {driver}"


def _gpus(kind: Sequence[Gpu]) -> str:
    names: dict[str, int] = {}
    for gpu in kind:
        names[gpu.name] = names.get(gpu.name, 0) + 1
    return " + ".join(name if n == 1 else f"{n} × {name}" for name, n in names.items())


def _kind_lines(
    kind: KindChoice, sources: SourceMap, *, whole: bool, several: bool
) -> Iterator[str]:
    if several:
        yield f"For {safe(_gpus(kind.gpus))}:"
    if not kind.fits:
        yield "No variant runs on this host."
    shown = kind.fits if whole else kind.fits[:_SHOWN]
    for place, one in enumerate(shown, 1):
        yield f"{place}. {safe(one.variant.name)}"
        yield from (f"     {_reason(reason, sources)}" for reason in one.judgement.reasons)
    if len(kind.fits) > len(shown):
        yield f"   and {len(kind.fits) - len(shown)} more that run: --all shows them"
    for remark in kind.remarks:
        yield f"note: {safe(remark)}"
    if kind.better or kind.missing:
        yield ""
        yield "Better, but:" if kind.fits else "Nearest, but:"
        yield from _groups(kind.better, sources)
        for cell in kind.missing:
            yield from _missing_lines(cell, sources)
    yield from _others(kind, sources, whole=whole)


def _others(kind: KindChoice, sources: SourceMap, *, whole: bool) -> Iterator[str]:
    better = {id(one) for one in kind.better}
    others = [one for one in kind.refused if id(one) not in better]
    if not others:
        return
    if whole:
        yield ""
        yield "Not for this host:"
        yield from _groups(others, sources)
        return
    foreign = sum(one.judgement.foreign for one in others)
    if foreign:
        yield f"{foreign} are for GPUs or platforms that this host does not have: --all shows them"


def _groups(judged: Sequence[Judged], sources: SourceMap) -> Iterator[str]:
    for reasons, built in group(judged):
        yield f"   {_names(built)}"
        yield from (f"     {_reason(reason, sources)}" for reason in reasons)


def _names(built: Sequence[variants.Variant]) -> str:
    shown = ", ".join(safe(variant.name) for variant in built[:_NAMED])
    more = len(built) - _NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _missing_lines(cell: MissingCell, sources: SourceMap) -> Iterator[str]:
    values = " ".join(f"{axis}={safe(axis_text(value))}" for axis, value in cell.values.items())
    yield f"   {values}: no such cell in matrix `{cell.matrix.name}`"
    for check in cell.excluded_by:
        because = f": {safe(check.because)}" if check.because else ""
        yield f"     excluded at {sources.locate(check.span)}{because}"


def _reason(reason: Reason, sources: SourceMap) -> str:
    text = f"{reason.value}: {reason.text}" if reason.value else reason.text
    warns = "warning: " if reason.kind == "documented" else ""
    where = f" ({sources.locate(reason.place)})" if reason.place is not None else ""
    return safe(f"{warns}{text}{where}")


def _wrapped(line: str, width: int) -> str:
    indent = len(line) - len(line.lstrip(" "))
    rows = wrap(line[indent:], max(width - indent - 2, 20))
    return "\n".join(
        f"{' ' * (indent if at == 0 else indent + 2)}{row}" for at, row in enumerate(rows)
    )
