"""`tvarc lock`: the hash of each source that states none, found out and kept."""

from __future__ import annotations

# ruff: noqa: PTH118, PTH120
import codecs
import os
import sys

from tvarc.cli import exits
from tvarc.cli.session import Session, counted
from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.render_cells import safe
from tvarc.light import Sequence, dataclass, suppress
from tvarc.lock.book import Asked
from tvarc.lock.fill import fetch_all, from_log
from tvarc.lock.lockfile import LockFile, demand_date
from tvarc.lock.log import Reports, read_reports
from tvarc.lock.match_reports import match_reports
from tvarc.lock.model import LOCK_NAME, Entry
from tvarc.lock.printer import source_order
from tvarc.output.folders import reason_of
from tvarc.plain import json_text
from tvarc.report.lock_report import lock_data


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
    announce = Announcer(session, as_json=options.json)
    if not options.check:
        demand_date(session.sink)
        if session.sink.has_errors:
            session.finish(exits.FAILED)
    missing = sorted(hashes.missing(), key=lambda one: source_order(one.source))
    name = os.path.join(os.path.dirname(made.file), LOCK_NAME)
    source = made.sources.get(made.loader.join(made.file, LOCK_NAME))
    written = source.text if source is not None else None
    kept = LockFile(name, written, made.lock, session.sink)
    unused = hashes.unused()
    if not options.check:
        if reports is not None:
            from_log(
                reports, match_reports(reports.found, hashes), kept, announce, done=not missing
            )
        else:
            fetch_all(missing, found, kept, announce)
        # The entry of an old version may be wanted still, while the new one cannot be had.
        if options.prune and not session.sink.has_errors:
            kept.remove(unused)
        kept.save()
    if options.json:
        session.console.data(json_text(lock_data(kept, missing, unused, session.sources)))
    elif options.check:
        for asked in missing:
            announce(f"{asked.source.describe()}: not locked\n")
        announce(f"{counted(len(missing), 'source')} to be locked\n")
    else:
        _summary(kept, missing, unused, announce)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    return exits.STALE if options.check and missing else exits.OK


def _without(sink: Sink, code: str) -> Sink:
    rest = Sink()
    for one in sink:
        if one.code != code:
            rest.add(one)
    return rest


@dataclass(frozen=True, slots=True, eq=False)
class Announcer:
    """Tells what happens at once, as what comes next may take minutes. Where a program reads the
    result, people read it on the other stream."""

    session: Session
    as_json: bool

    def __call__(self, text: str) -> None:
        """A name in *text* may hold anything."""
        console = self.session.console
        lines = "".join(f"{safe(line)}\n" for line in text.splitlines())
        (console.error if self.as_json else console.remark)(lines)
        if sys.stdout is not None and not sys.stdout.closed:
            with suppress(OSError):
                sys.stdout.flush()


def _summary(
    kept: LockFile, missing: Sequence[Asked], unused: Sequence[Entry], announce: Announcer
) -> None:
    added = sum(source in kept.on_disk for source in kept.added)
    for entry in unused:
        announce(f"unused: {entry.source.describe()}\n")
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
    announce(f"{text}\n")
    if added:
        announce("`tvarc build` writes the recipes with what was added\n")


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
