"""The output of `pick` for a person: the host, the best variants, and the reasons against better
ones.
"""

from __future__ import annotations

from tvarc.advice.hosts.choose import Choice, Judged, KindChoice, MissingCell, group
from tvarc.advice.hosts.model import Gpu, Host
from tvarc.advice.hosts.verdict import Reason
from tvarc.light import Final, Iterator, Sequence
from tvarc.matrix.variants import Variant, axis_text
from tvarc.text.diagnostics.render_cells import safe, wrap
from tvarc.text.source import SourceMap

_SHOWN: Final = 3
_NAMED: Final = 4  # variants of one group by name; of more only the count is printed


def choice_text(choice: Choice, sources: SourceMap, *, whole: bool, width: int) -> str:
    """The answer of `pick`; *whole* shows every variant. Lines are wrapped at *width* cells."""
    lines = [*_host(choice.host)]
    for kind in choice.kinds:
        lines.append("")
        lines += _kind(kind, sources, whole=whole, several=len(choice.kinds) > 1)
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


def _host(host: Host) -> Iterator[str]:
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


def _kind(kind: KindChoice, sources: SourceMap, *, whole: bool, several: bool) -> Iterator[str]:
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
            yield from _missing(cell, sources)
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
    for reasons, variants in group(judged):
        yield f"   {_names(variants)}"
        yield from (f"     {_reason(reason, sources)}" for reason in reasons)


def _names(variants: Sequence[Variant]) -> str:
    shown = ", ".join(safe(variant.name) for variant in variants[:_NAMED])
    more = len(variants) - _NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _missing(cell: MissingCell, sources: SourceMap) -> Iterator[str]:
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
