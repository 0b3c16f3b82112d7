"""`tvarc fmt`: sources in the one layout of the language."""

# ruff: noqa: PTH112, PTH118
from __future__ import annotations

import os
import sys
from enum import Enum

from tvarc.cli import exits
from tvarc.cli.console import is_terminal
from tvarc.cli.session import Session, counted
from tvarc.diagnostics.render_cells import safe
from tvarc.disk import MAX_BYTES, DiskLoader, decode
from tvarc.format.format import format_source
from tvarc.light import Iterator, dataclass
from tvarc.output.rewrite import rewrite
from tvarc.programs.find import DEFAULT_FILE, find_source, source_name
from tvarc.report.unified_diff import difference
from tvarc.resources import stdlib_dir
from tvarc.source import Source, UnreadableSource

STDIN = "-"
_STDIN_NAME = "<stdin>"
_SUFFIX = ".tvar"


@dataclass(frozen=True, slots=True)
class FmtOptions:
    """`files` are files and folders, or `-` alone; with none it is the nearest program."""

    files: tuple[str, ...]
    check: bool
    diff: bool


class _Outcome(Enum):
    SAME = "same"
    OTHER = "other"  # than it was, or than it should be
    FAULTY = "faulty"


def fmt(session: Session, options: FmtOptions) -> int:
    """Lay files out anew, or with `check` and `diff` tell what would change; the exit code."""
    with session.guarded():
        if options.files == (STDIN,):
            return _stream(session, options)
        outcomes = {name: _one(session, name, options) for name in _names(session, options.files)}
    other = [name for name, outcome in outcomes.items() if outcome is _Outcome.OTHER]
    if options.check and other:
        _told(session, other)
    session.show()
    if not (options.check or options.diff) or (options.check and not other):
        session.console.remark(f"{_summary(outcomes, check=options.check)}\n")
    if _Outcome.FAULTY in outcomes.values():
        return exits.FAILED
    return exits.STALE if options.check and other else exits.OK


def _stream(session: Session, options: FmtOptions) -> int:
    """From stdin to stdout."""
    source = None
    try:
        source = _input()
    except UnreadableSource as fault:
        _unreadable(session, fault)
    made = _formatted(session, source) if source is not None else None
    if source is None or made is None:
        session.finish(exits.FAILED)
    if options.check and made != source.text:
        _told(session, [_STDIN_NAME])
    session.show()
    # What is no source in UTF-8 is of no use, whatever the terminal's own encoding is.
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", newline="")
    if options.diff:
        _show(session, source, made)
    elif not options.check:
        session.console.file(made)
    return exits.STALE if options.check and made != source.text else exits.OK


def _input() -> Source:
    """What stands in the input. Raises UnreadableSource."""
    if sys.stdin is None:
        raise UnreadableSource(_STDIN_NAME, "the input is closed")
    try:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
    except OSError as fault:
        raise UnreadableSource(_STDIN_NAME, (fault.strerror or str(fault)).lower()) from None
    return Source(_STDIN_NAME, decode(_STDIN_NAME, data))


def _one(session: Session, name: str, options: FmtOptions) -> _Outcome:
    try:
        source = DiskLoader(stdlib_dir()).read(name)
    except UnreadableSource as fault:
        _unreadable(session, fault)
        return _Outcome.FAULTY
    made = _formatted(session, source)
    if made is None:
        return _Outcome.FAULTY
    if made == source.text:
        return _Outcome.SAME
    if options.diff:
        _show(session, source, made)
    if options.check or options.diff:
        return _Outcome.OTHER
    before, after = source.text.encode(), made.encode()
    return _Outcome.OTHER if rewrite(name, before, after, session.sink) else _Outcome.FAULTY


def _show(session: Session, source: Source, made: str) -> None:
    """What would change: for `patch` to the last byte, for a terminal without what steers it."""
    text = difference(source.file, source.text, made)
    if is_terminal(sys.stdout):
        lines = ("\t".join(map(safe, line.split("\t"))) for line in text.split("\n"))
        text = "\n".join(lines)
    session.console.file(text)


def _formatted(session: Session, source: Source) -> str | None:
    session.sources.add(source)
    return format_source(source, session.sink)


def _names(session: Session, files: tuple[str, ...]) -> list[str]:
    """The files that are meant, each once; all sources below a folder that is named."""
    if not files:
        nearest = find_source()
        if nearest is None:
            session.sink.error(
                "E903",
                f"there is no `{DEFAULT_FILE}` in this folder or any above it",
                help="name the files to format on the command line",
            )
            session.finish(exits.FAILED)
        return [nearest]
    named: dict[str, str] = {}
    for file in files:
        found = [file] if not os.path.isdir(file) else list(_below(file))
        if not found:
            session.sink.error("E903", f"there is no `{_SUFFIX}` file in `{file}`")
            session.finish(exits.FAILED)
        for one in found:
            named.setdefault(os.path.realpath(one), source_name(one))
    return list(named.values())


def _below(folder: str) -> Iterator[str]:
    """The sources in *folder* and the folders in it, but for hidden ones; sorted."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.endswith(_SUFFIX):
                yield os.path.join(place, name)


def _unreadable(session: Session, fault: UnreadableSource) -> None:
    session.sink.error(fault.code, f"cannot read `{fault.file}`", notes=(fault.reason,))


def _told(session: Session, names: list[str]) -> None:
    one = len(names) == 1
    session.sink.error(
        "E951",
        f"`{names[0]}` is not formatted" if one else f"{len(names)} files are not formatted",
        notes=() if one else ("\n".join(["they are:", *(f"  {safe(name)}" for name in names)]),),
        help="`tvarc fmt` does it, `tvarc fmt --diff` shows what would change",
    )


def _summary(outcomes: dict[str, _Outcome], *, check: bool) -> str:
    count = {kind: sum(one is kind for one in outcomes.values()) for kind in _Outcome}
    files = counted(len(outcomes), "file")
    if check and not count[_Outcome.FAULTY]:
        return f"{files}: formatted already"
    alone = f", {count[_Outcome.FAULTY]} left alone" if count[_Outcome.FAULTY] else ""
    return f"{files}: {count[_Outcome.OTHER]} formatted, {count[_Outcome.SAME]} unchanged{alone}"
