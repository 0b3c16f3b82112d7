"""`tvarc lock`: the hash of each source that states none, found out and kept."""

from __future__ import annotations

import codecs
import os
import shlex
import sys

from tvarc import ir
from tvarc.backend.nix.fetch import Nixpkgs
from tvarc.cli import exits
from tvarc.cli.lockfile import LockFile, Told, Way, demand_date, lock_data
from tvarc.cli.prefetch import FetchFailed, request, run
from tvarc.cli.session import Session, counted
from tvarc.diagnostics.model import Sink
from tvarc.light import Sequence, dataclass
from tvarc.lock.book import Asked, changed
from tvarc.lock.log import Mismatch, Reports, read_reports
from tvarc.lock.match_reports import Matched, match_reports
from tvarc.lock.model import Entry
from tvarc.lock.printer import source_order
from tvarc.lock.sri import is_fake
from tvarc.output.folders import reason_of
from tvarc.sema.fetched import Fetched


@dataclass(frozen=True, slots=True)
class LockOptions:
    file: str | None
    log: str | None
    check: bool
    prune: bool
    json: bool = False


def lock(session: Session, options: LockOptions) -> int:
    """Fill in what is missing from the lock; the exit code."""
    reports = None
    if options.log is not None:
        reports = read_log(session, options.log)
    made = session.compile(options.file)
    if made.lock.merged and not options.check:
        # Both sides together are what this command writes.
        made.sink = session.sink = _without(made.sink, "E943")
    found = session.recipes()
    assert made.elaboration is not None
    hashes = made.elaboration.shared.hashes
    # That sources are not locked yet is what this command mends.
    session.sink = _without(made.sink, "W002")
    session.show()
    session.sink = Sink()
    told = Told(session, as_json=options.json)
    if not options.check:
        demand_date(session.sink)
        if session.sink.has_errors:
            session.finish(exits.FAILED)
    missing = sorted(hashes.missing(), key=lambda one: source_order(one.source))
    kept = LockFile(made, dict(hashes.lock.entries), session.sink)
    unused = hashes.unused()
    if not options.check:
        if reports is not None:
            from_log(reports, match_reports(reports.found, hashes), kept, told, done=not missing)
        else:
            _fetch_all(session, missing, found, kept, told)
        # The entry of an old version may be wanted still, while the new one cannot be had.
        if options.prune and not session.sink.has_errors:
            kept.remove(unused)
        kept.save()
    if options.json:
        session.console.data(lock_data(kept, missing, unused, session.sources))
    elif options.check:
        for asked in missing:
            told(f"{asked.source.describe()}: not locked\n")
        told(f"{counted(len(missing), 'source')} to be locked\n")
    else:
        _summary(kept, missing, unused, told)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    return exits.STALE if options.check and missing else exits.OK


def _fetch_all(
    session: Session,
    missing: Sequence[Asked],
    found: Sequence[ir.Recipe],
    kept: LockFile,
    told: Told,
) -> None:
    for asked in missing:  # tarballs come first: the others may be fetched by the nixpkgs in them
        wanted = request(asked.source, _nixpkgs(found, kept))
        told(f"{asked.source.describe()}\n$ {shlex.join(wanted.words)}\n")
        try:
            hash = run(wanted)
        except FetchFailed as fault:
            session.sink.error(
                "E944",
                f"{asked.source.describe()} cannot be fetched",
                asked.place,
                "its hash is not known",
                notes=(f"`{wanted.words[0]}` failed:\n{fault}",),
                help="mend what it says, or build the recipe and run `tvarc lock --from-log FILE`",
            )
            continue
        told(f"{hash}\n\n")
        if kept.take(asked, hash, Way(wanted.by, wanted.words)) and not kept.save():
            return


def _nixpkgs(found: Sequence[ir.Recipe], kept: LockFile) -> Nixpkgs | None:
    """The nixpkgs of the first recipe that has one, with its hash where that is known."""
    for recipe in found:
        if recipe.pin is not None and recipe.pin.path:
            return Nixpkgs("", None, os.path.abspath(recipe.pin.path))  # noqa: PTH100
        if recipe.pin is not None:
            url, hash = recipe.pin.url, recipe.pin.hash
            entry = kept.entries.get(Fetched("tarball", (("url", url),)))
            if hash is None or is_fake(hash):
                hash = entry.hash if entry is not None else None
            return Nixpkgs(url, hash)
    return None


def _without(sink: Sink, code: str) -> Sink:
    rest = Sink()
    for one in sink:
        if one.code != code:
            rest.add(one)
    return rest


def _summary(kept: LockFile, missing: Sequence[Asked], unused: Sequence[Entry], told: Told) -> None:
    added = sum(source in kept.on_disk for source in kept.added)
    for entry in unused:
        told(f"unused: {entry.source.describe()}\n")
    text = f"{kept.name}: {counted(len(kept.on_disk), 'source')}, {added} added"
    if kept.merged:
        text += ", the sources of both sides of a merge kept"
    removed = sum(one.source not in kept.on_disk for one in kept.removed)
    if removed:
        text += f", {removed} removed"
    elif unused:
        text += f", {len(unused)} unused: see `--prune`"
    left = sum(asked.source not in kept.on_disk for asked in missing)
    if left:
        text += f", {left} to lock still"
    told(f"{text}\n")
    if added:
        told("`tvarc build` writes the recipes with what was added\n")


# --- from a log ----------------------------------------------------------------------------------

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


def from_log(reports: Reports, matched: Matched, kept: LockFile, told: Told, *, done: bool) -> None:
    """Lock what the log says for certain, and tell of all the rest. A log without any report is
    what is hoped for when all was locked before, which is *done*."""
    for asked, report in matched.found:
        what = f": {report.what}" if report.what else ""
        told(f"{asked.source.describe()}\n{_place(report)}{what}\n{report.got}\n\n")
        kept.take(asked, report.got, Way("log", line=report.line))
    _alarms(matched, kept)
    _doubts(matched, kept)
    silent = done and not (reports.found or reports.torn)
    if not (matched.found or kept.sink.has_errors or silent):
        _nothing_found(matched.foreign, reports.torn, kept)


def _alarms(matched: Matched, kept: LockFile) -> None:
    for asked, known, report in matched.changed:
        entry = kept.entries.get(asked.source)
        span = next(iter(asked.stated.values()), None) or (entry.span if entry else asked.place)
        pair = (known, report.got)
        found = _place(report)
        changed(kept.sink, asked.source, span, "this one is known", (), pair, found=found)


def _doubts(matched: Matched, kept: LockFile) -> None:
    for report, fitting in matched.doubtful:
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
    for asked, found in matched.several:
        listed = "\n".join(f"{report.got}, {_place(report)}" for report in found)
        kept.sink.error(
            "E945",
            f"the log has several hashes of {asked.source.describe()}",
            asked.place,
            "its hash is not known",
            notes=(f"none of them was taken:\n{listed}",),
            help="find out why it is not the same each time before one is trusted",
        )
    for asked, report in matched.fake:
        kept.sink.error(
            "E945",
            f"the log has a fake hash for {asked.source.describe()}",
            asked.place,
            "its hash is not known",
            notes=(f"{_place(report)}: no content has {report.got}",),
            help="build the recipe again, and read what Nix itself prints",
        )
    for asked, report in matched.stated:
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
