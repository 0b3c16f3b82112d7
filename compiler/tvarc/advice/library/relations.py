"""What the library says about a row besides its facts: the meaning of its source ids, the day of
the last comparison with the sources, and related rows.

At the head of a module, `# Sources:` begins a list of `# ID description`; a description may
continue on further lines. Above a table, `# As of 2026-11-22.` is the day when it was last compared
with its sources. Rows that a program adds to a table have the day written above them, and not the
table's.
"""

from __future__ import annotations

import re
from datetime import date
from functools import cmp_to_key

from tvarc.advice.hosts.capability import Capability, capability, gfx_of, suffix_of
from tvarc.advice.hosts.gpu import Reach, reach
from tvarc.advice.hosts.toolkit import compiles_for, gap_of, in_gap
from tvarc.advice.library.tables import Found, Library
from tvarc.light import Iterator, dataclass
from tvarc.text.source import SourceMap, Span
from tvarc.values.row_facts import has_fact, text_fact, texts_fact, version_fact, versions_fact
from tvarc.values.value import RowValue, Version

_ENTRY = re.compile(r"#   (\S+) {2,}(\S.*)")
_MORE = re.compile(r"# {6,}(\S.*)")
_FACTS = re.compile(r"^(?:# As of (\d{4}-\d{2}-\d{2})\.\n)?facts\s", re.MULTILINE)


def as_of(span: Span, sources: SourceMap) -> date | None:
    """The day when the table or the row at *span* was last compared with its sources, as written
    above its `facts`; None if nothing is written there.
    """
    source = sources.get(span.file)
    heads = _FACTS.finditer(source.text) if source is not None else ()
    dates = [one[1] for one in heads if one.start() <= span.start]
    return date.fromisoformat(dates[-1]) if dates and dates[-1] else None


def listed_sources(text: str) -> dict[str, str]:
    """The description of each id, in the order of the list; empty if there is no list."""
    found: dict[str, str] = {}
    last = ""
    for line in text.partition("# Sources:\n")[2].splitlines():
        entry, more = _ENTRY.fullmatch(line), _MORE.fullmatch(line)
        if entry is not None:
            last = entry[1]
            found[last] = entry[2]
        elif more is not None and last:
            found[last] += f" {more[1]}"
        else:
            break
    return found


def named_sources(row: RowValue, sources: SourceMap) -> list[tuple[str, str]]:
    """The ids in the field `sources` of *row*, each with its description; empty if nothing
    describes it.
    """
    ids = texts_fact(row, "sources") or ()
    source = sources.get(row.span.file)
    known = listed_sources(source.text) if source is not None and ids else {}
    return [(id, known.get(id, "")) for id in ids]


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of a row to others: its title, and the names of these, or other words. The names
    are None if the fact on which they depend is not known."""

    title: str
    names: tuple[str, ...] | None


def relations(row: RowValue, library: Library) -> list[Relation]:
    """The relations of *row*. An empty relation is included, because it is a result, too."""
    found: list[Relation] = []
    if version_fact(row, "capability") is not None:
        found += _of_gpu(row, library)
    if has_fact(row, "cpuinfo"):
        found += _of_cpu(row, library)
    if is_toolkit(row):
        gpus = tuple(one.row.name for one in library.rows() if has_hosts_for(row, one.row))
        found.append(Relation("GPUs", gpus))
        found.append(Relation("PyTorch that is released for it", _released_for(row, library)))
    target = gfx_of(text_fact(row, "target") or "")
    if target:
        found.append(Relation("builds for it run on", (target,)))
    return found


def is_toolkit(row: RowValue) -> bool:
    return has_fact(row, "min-driver") and version_fact(row, "version") is not None


def _released_for(toolkit: RowValue, library: Library) -> tuple[str, ...]:
    """The minor versions of PyTorch with official builds for *toolkit*."""
    version = version_fact(toolkit, "version")
    found: dict[str, None] = {}
    for one in library.rows():
        minor = version_fact(one.row, "version")
        listed = (versions_fact(one.row, f"{kind}-cuda") for kind in ("stable", "experimental"))
        if minor is not None and any(version in versions for versions in listed):
            found.setdefault(minor.text)
    return tuple(found)


def holds(toolkit: RowValue, row: RowValue) -> bool:
    """Whether *toolkit* can compile for the GPU *row*."""
    version, first = version_fact(toolkit, "version"), version_fact(row, "first-cuda")
    if version is None or first is None or version_fact(row, "capability") is None:
        return False
    return compiles_for(version, first, version_fact(row, "last-cuda"))


def has_hosts_for(toolkit: RowValue, row: RowValue) -> bool:
    """Whether some host can run the code that *toolkit* compiles for the GPU *row*."""
    version, gap = version_fact(toolkit, "version"), gap_of(row)
    if version is None or not holds(toolkit, row):
        return False
    return gap is None or not in_gap(version, version, gap)


def satisfied(row: RowValue, library: Library) -> tuple[str, ...]:
    """The instruction sets whose builds run wherever those of *row* do."""
    sets = [one for one in library.rows() if has_fact(one.row, "cpuinfo") and one.row != row]
    rows = {one.row.name: one.row for one in sets if one.row.table == row.table}
    reached: set[str] = set()
    waiting = [row]
    while waiting:
        for name in _below(waiting.pop(), rows):
            if name not in reached:
                reached.add(name)
                waiting.append(rows[name])
    return tuple(name for name in rows if name in reached)


def _below(row: RowValue, rows: dict[str, RowValue]) -> Iterator[str]:
    """The rows that *row* satisfies according to its own field."""
    yield from (name for name in texts_fact(row, "satisfies") or () if name in rows)


def _of_cpu(row: RowValue, library: Library) -> list[Relation]:
    above = tuple(
        one.row.name
        for one in library.rows()
        if one.row.table == row.table and row.name in satisfied(one.row, library)
    )
    # The row of a CPU lists all sets that it runs. The row of a system on a chip names only the
    # best one.
    able = {row.name, *above}
    cpus = tuple(
        one.row.name
        for one in library.rows()
        if row.name in (texts_fact(one.row, "runs") or ()) or text_fact(one.row, "best") in able
    )
    return [
        Relation("such a CPU runs builds for", (row.name, *satisfied(row, library))),
        Relation("builds for it run on CPUs with", (row.name, *above)),
        Relation("known CPUs that have it", cpus),
    ]


def _of_gpu(row: RowValue, library: Library) -> list[Relation]:
    mine = _capability(row)
    toolkits = [one for one in library.rows() if is_toolkit(one.row)]
    gpus = [one for one in library.rows() if _capability(one.row) is not None]
    found: list[Relation] = []
    if toolkits:
        versions = [_version(one) for one in toolkits if has_hosts_for(one.row, row)]
        able = tuple(one.text for one in sorted(versions, key=cmp_to_key(Version.compare)))
        is_known = version_fact(row, "first-cuda") is not None
        found.append(Relation("CUDA toolkits", able if is_known else None))
    if has_fact(row, "hosts"):
        hosts = texts_fact(row, "hosts")
        sets = [one.row for one in library.rows() if has_fact(one.row, "cpuinfo")]
        fit = tuple(one.name for one in sets if text_fact(one, "arch") in _arches(hosts or ()))
        found.append(Relation("instruction sets of its hosts", fit if hosts is not None else None))
    if mine is not None and gpus:
        runs = tuple(one.row.name for one in gpus if _runs(_capability(one.row), mine))
        serves = tuple(one.row.name for one in gpus if _runs(mine, _capability(one.row)))
        if not mine.suffix:
            found.append(Relation("it runs builds for", runs))
        found.append(Relation("builds for it run on", serves))
    return found


def _runs(build: Capability | None, device: Capability | None) -> bool:
    # A target with a suffix is not an existing GPU.
    if build is None or device is None or device.suffix:
        return False
    return reach(build, device) > Reach.NO_GPU


def _capability(row: RowValue) -> Capability | None:
    version = version_fact(row, "capability")
    return (
        capability(version, text_fact(row, "suffix") or suffix_of(row.name))
        if version is not None
        else None
    )


def _arches(hosts: tuple[str, ...]) -> set[str]:
    """CPU architectures of host names such as `x86_64` or `aarch64-tegra`, which is a Tegra."""
    return {"aarch64" if host.startswith(("aarch64", "tegra")) else host for host in hosts}


def _version(found: Found) -> Version:
    version = version_fact(found.row, "version")
    assert version is not None  # otherwise it is not a toolkit
    return version
