"""`tvarc lock --from-log`: the hashes that Nix found, from what it printed."""

from __future__ import annotations

import codecs
import sys

from tvarc.cli import exits
from tvarc.cli.lockfile import LockFile, Told, Way
from tvarc.cli.session import Session
from tvarc.light import Sequence
from tvarc.lock.book import changed
from tvarc.lock.log import Mismatch, Reports, read_reports
from tvarc.lock.taken import Taken
from tvarc.output.folders import reason_of

_LARGEST_LOG = 256 << 20


def read_log(session: Session, name: str) -> Reports:
    """What the log *name* reports, `-` for the input; ends the command when it cannot be read."""
    try:
        if name == "-":
            data = sys.stdin.buffer.read(_LARGEST_LOG)
        else:
            with open(name, "rb") as stream:  # noqa: PTH123
                data = stream.read(_LARGEST_LOG)
    except OSError as fault:
        session.sink.error(
            "E945",
            f"cannot read the log `{name}`",
            notes=(reason_of(fault).lower(),),
            help="name a file with what Nix printed, or `-` for the input",
        )
        session.finish(exits.FAILED)
    # What a shell of Windows has written, such as one that calls into Linux, is UTF-16.
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return read_reports(data.decode("utf-16" if wide else "utf-8", "replace"))


def from_log(reports: Reports, taken: Taken, kept: LockFile, told: Told, *, done: bool) -> None:
    """Lock what the log says for certain, and tell of all the rest. A log without any report is
    what is hoped for when all was locked before, which is *done*."""
    for asked, report in taken.found:
        what = f": {report.what}" if report.what else ""
        told(f"{asked.source.describe()}\n{_place(report)}{what}\n{report.got}\n\n")
        kept.take(asked, report.got, Way("log", line=report.line))
    _alarms(taken, kept)
    _doubts(taken, kept)
    silent = done and not (reports.found or reports.torn)
    if not (taken.found or kept.sink.has_errors or silent):
        _nothing_found(taken.foreign, reports.torn, kept)


def _alarms(taken: Taken, kept: LockFile) -> None:
    for asked, known, report in taken.changed:
        entry = kept.entries.get(asked.source)
        span = next(iter(asked.stated.values()), None) or (entry.span if entry else asked.place)
        pair = (known, report.got)
        found = _place(report)
        changed(kept.sink, asked.source, span, "this one is known", (), pair, found=found)


def _doubts(taken: Taken, kept: LockFile) -> None:
    for report, fitting in taken.doubtful:
        names = "\n".join(asked.source.describe() for asked in fitting)
        kept.sink.error(
            "E945",
            f"the log does not say which source has {report.got}",
            fitting[0].place,
            "this one?",
            others=tuple((asked.place, "or this one?") for asked in fitting[1:]),
            notes=(f"{_place(report)}: `{report.what}` may be\n{names}",),
            help="build recipes that this tvarc wrote: their fake hashes name the source",
        )
    for asked, found in taken.several:
        listed = "\n".join(f"{report.got}, {_place(report)}" for report in found)
        kept.sink.error(
            "E945",
            f"the log has several hashes of {asked.source.describe()}",
            asked.place,
            "its hash is not known",
            notes=(f"none of them was taken:\n{listed}",),
            help="find out why it is not the same each time before one is trusted",
        )
    for asked, report in taken.fake:
        kept.sink.error(
            "E945",
            f"the log has a fake hash for {asked.source.describe()}",
            asked.place,
            "its hash is not known",
            notes=(f"{_place(report)}: no content has {report.got}",),
            help="build the recipe again, and read what Nix itself prints",
        )
    for asked, report in taken.stated:
        kept.sink.error(
            "E945",
            f"{asked.source.describe()} states a fake hash itself",
            asked.stated[report.wanted],
            "what is written here wins over the lock",
            notes=(f"{_place(report)}: {report.what or 'a source'} has\n{report.got}",),
            help="write `hash = unlocked` here and run this again, or write that hash here if it "
            "is of this source",
        )


def _nothing_found(foreign: Sequence[Mismatch], torn: Sequence[int], kept: LockFile) -> None:
    notes = []
    if foreign:
        listed = "\n".join(f"{_line(one)}: {one.what or 'no name'}, {one.got}" for one in foreign)
        notes.append(f"it has these, of other sources:\n{listed}")
    if torn:
        lines = ", ".join(map(str, torn))
        notes.append(f"cut off, or mixed with other reports, and so not used: line {lines}")
    if not notes:
        notes.append("Nix writes `hash mismatch in …`, then `specified:` and `got:`")
    kept.sink.error(
        "E945",
        "the log has no hash that is missing here",
        notes=tuple(notes),
        help="run `tvarc build`, and log the build of a recipe: `nix-build … 2>&1 | tee FILE`",
    )


def _line(report: Mismatch) -> str:
    return f"line {report.line}"


def _place(report: Mismatch) -> str:
    return f"{_line(report)} of the log"
