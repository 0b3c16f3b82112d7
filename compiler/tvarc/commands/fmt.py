"""`tvarc fmt`: find the selected sources, and write each in the layout of the language."""

# pathlib costs too much at start.
# ruff: noqa: PTH112
from __future__ import annotations

import os
import sys

from tvarc.commands import messages as msg
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, in_session
from tvarc.commands.programs.below import LeftOut, sources_below
from tvarc.commands.programs.find import DEFAULT_FILE, find_source, source_name
from tvarc.commands.shown.unified_diff import difference
from tvarc.files.cache import Cache
from tvarc.files.disk import MAX_BYTES, DiskLoader, decode, input_stream, report_unreadable
from tvarc.files.persons import rewrite
from tvarc.light import Final, Mapping, Sequence, dataclass
from tvarc.syntax.format.format import format_source
from tvarc.text.diagnostics.model import Diagnostic, Sink, filled
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import Source, SourceMap, UnreadableSource

STDIN: Final = "-"
_STDIN_NAME: Final = "<stdin>"
_SUFFIX: Final = ".tvar"


@in_session
def command(session: Session, given: Arguments) -> int:
    """Format files, or with `--check` and `--diff` report what would change; the exit code."""
    files = (*given.words("programs"), *given.words("file"))
    if STDIN in files and len(files) > 1:
        raise Misused("`-` cannot be combined with files")
    if files == (STDIN,):
        return _stream(session, given)
    return _files(session, given, files)


def _files(session: Session, given: Arguments, files: tuple[str, ...]) -> int:
    check, diff = given.flag("check"), given.flag("diff")
    left = LeftOut(given.words("exclude"))
    names = sources_meant(files, left, session.sink)
    session.end_on_errors()
    outcomes: dict[str, Formatted | None] = {}
    for name in names:
        made = formatted(name, session.sources, session.sink, session.cache)
        if made is not None and made.differs:
            if diff:
                _show(session, made)
            elif not check and not _rewrite(session, name, made):
                made = None
        outcomes[name] = made
    other = [name for name, made in outcomes.items() if made is not None and made.differs]
    if check and other:
        session.sink.add(not_formatted(other))
    session.show()
    told = left.told("file")
    if not (check or diff) or (check and not other):
        session.console.remark(f"{summary(outcomes, check=check)}{f', {told}' if told else ''}\n")
    elif told:
        session.console.error(f"{told}\n")
    if None in outcomes.values():
        return exits.FAILED
    return exits.STALE if check and other else exits.OK


def _rewrite(session: Session, name: str, made: Formatted) -> bool:
    return rewrite(name, made.source.text.encode(), made.text.encode(), session.sink)


def _stream(session: Session, given: Arguments) -> int:
    """From stdin to stdout."""
    check = given.flag("check")
    made = formatted(STDIN, session.sources, session.sink, session.cache)
    if made is None:
        session.finish(exits.FAILED)
    if check and made.differs:
        session.sink.add(not_formatted([made.source.file]))
    session.show()
    # A source is UTF-8, whatever the encoding of the terminal.
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", newline="")
    if given.flag("diff"):
        _show(session, made)
    elif not check:
        session.console.file(made.text)
    return exits.STALE if check and made.differs else exits.OK


def _show(session: Session, made: Formatted) -> None:
    """The differences: byte for byte for `patch`, without control characters for a terminal."""
    session.console.file(difference(made.source.file, made.source.text, made.text))


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
    """The file *name*, or the input for `-`; None after reporting why it cannot be formatted.
    *cache* has the tables of the parser."""
    try:
        source = _input() if name == STDIN else DiskLoader("").read(name)
    except UnreadableSource as fault:
        report_unreadable(fault, sink)
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
    """The selected files, each once: all sources below a named folder, except those that are *left*
    out; by default the nearest program. Reports if there is none."""
    if not files:
        nearest = find_source()
        if nearest is not None:
            return [nearest]
        sink.report(msg.programs.NO_PROGRAM_TO_FORMAT, file=DEFAULT_FILE)
    named: dict[str, str] = {}
    for file in files:
        before = left.count
        is_folder = os.path.isdir(file)
        found = sources_below(file, _is_source, left, sink) if is_folder else [file]
        if not found:
            left_out = left.told("file") if left.count > before else ""
            message = msg.programs.NOTHING_TO_FORMAT
            sink.report(message, suffix=_SUFFIX, folder=file, left_out=left_out)
            break
        for one in found:
            named.setdefault(os.path.realpath(one), source_name(one))
    return list(named.values())


def _is_source(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(_SUFFIX) and not entry.is_dir()


def not_formatted(names: Sequence[str]) -> Diagnostic:
    """The report on files that are not in the layout of the language."""
    listed = "\n".join(["they are:", *(f"  {safe(name)}" for name in names)])
    return filled(
        msg.programs.NOT_FORMATTED,
        None,
        {
            "file": names[0],
            "count": len(names),
            "listed": listed if len(names) > 1 else "",
        },
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
