"""Formatting of sources: the selected files, and the result for each."""

# pathlib costs too much at start.
# ruff: noqa: PTH112
from __future__ import annotations

import os

from tvarc.commands.programs.below import LeftOut, sources_below
from tvarc.commands.programs.find import DEFAULT_FILE, find_source, source_name
from tvarc.files.cache import Cache
from tvarc.files.disk import MAX_BYTES, DiskLoader, decode, input_stream
from tvarc.light import Final, Mapping, Sequence, dataclass
from tvarc.syntax.format.format import format_source
from tvarc.text.diagnostics.model import Diagnostic, Sink
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import Source, SourceMap, UnreadableSource

STDIN: Final = "-"
_STDIN_NAME: Final = "<stdin>"
_SUFFIX: Final = ".tvar"


@dataclass(frozen=True, slots=True)
class Formatted:
    """A source, and its text in the layout of the language."""

    source: Source
    text: str

    @property
    def differs(self) -> bool:
        return self.text != self.source.text


Outcomes = Mapping[str, Formatted | None]
"""The result for each file; None for a file that cannot be formatted."""


def formatted(name: str, sources: SourceMap, sink: Sink, cache: Cache) -> Formatted | None:
    """The file *name*, or the input for `-`; None, after reporting why, when it cannot be. *cache*
    has the tables of the parser."""
    try:
        source = _input() if name == STDIN else DiskLoader("").read(name)
    except UnreadableSource as fault:
        sink.error(fault.code, f"cannot read `{fault.file}`", notes=(fault.reason,))
        return None
    sources.add(source)
    text = format_source(source, sink, cache)
    return Formatted(source, text) if text is not None else None


def _input() -> Source:
    """The text of the input. Raises UnreadableSource."""
    try:
        data = input_stream().read(MAX_BYTES + 1)
    except OSError as fault:
        raise UnreadableSource(_STDIN_NAME, (fault.strerror or str(fault)).lower()) from None
    return Source(_STDIN_NAME, decode(_STDIN_NAME, data))


def sources_meant(files: Sequence[str], left: LeftOut, sink: Sink) -> list[str]:
    """The selected files, each once: all sources below a named folder, except the ones that are
    *left* out; by default the nearest program. Report if there is none."""
    if not files:
        nearest = find_source()
        if nearest is not None:
            return [nearest]
        sink.error(
            "E903",
            f"there is no `{DEFAULT_FILE}` in this folder or any above it",
            help="name the files to format on the command line",
        )
    named: dict[str, str] = {}
    for file in files:
        before = left.count
        is_folder = os.path.isdir(file)
        found = sources_below(file, _is_source, left, sink) if is_folder else [file]
        if not found:
            told = left.told("file") if left.count > before else ""
            notes = (told,) if told else ()
            sink.error("E903", f"there is no `{_SUFFIX}` file in `{file}`", notes=notes)
            break
        for one in found:
            named.setdefault(os.path.realpath(one), source_name(one))
    return list(named.values())


def _is_source(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(_SUFFIX) and not entry.is_dir()


def not_formatted(names: Sequence[str]) -> Diagnostic:
    """The report on files that are not in the layout of the language."""
    one = len(names) == 1
    return Diagnostic(
        "E951",
        f"`{names[0]}` is not formatted" if one else f"{len(names)} files are not formatted",
        notes=() if one else ("\n".join(["they are:", *(f"  {safe(name)}" for name in names)]),),
        help="run `tvarc fmt`; `tvarc fmt --diff` shows what would change",
    )


def summary(outcomes: Outcomes, *, check: bool) -> str:
    """The number of files, and their results."""
    faulty = sum(one is None for one in outcomes.values())
    files = counted(len(outcomes), "file")
    if check and not faulty:
        return f"{files}: already formatted"
    other = sum(one is not None and one.differs for one in outcomes.values())
    alone = f", {faulty} not formatted" if faulty else ""
    return f"{files}: {other} formatted, {len(outcomes) - other - faulty} unchanged{alone}"
