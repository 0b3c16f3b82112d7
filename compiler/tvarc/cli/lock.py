"""`tvarc lock`: the hash of each source that states none, found out and kept."""

# ruff: noqa: PTH118, PTH120
from __future__ import annotations

import os
import shlex
import sys
import time
from contextlib import suppress

from tvarc import ir
from tvarc.backend.nix.fetch import Nixpkgs
from tvarc.cli import exits
from tvarc.cli.prefetch import FetchFailed, request, run
from tvarc.cli.session import Session, counted
from tvarc.cli.states import recipes
from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.render_cells import safe
from tvarc.driver import Compilation
from tvarc.light import Sequence, dataclass
from tvarc.lock.book import Asked, changed
from tvarc.lock.log import Mismatch, mismatches
from tvarc.lock.model import LOCK_NAME, Entry
from tvarc.lock.printer import lock_text, source_order
from tvarc.lock.sri import differ, is_fake
from tvarc.lock.taken import Taken, take
from tvarc.output.atomic import clear_leftovers, put_one
from tvarc.output.folders import reason_of
from tvarc.output.rewrite import rewrite
from tvarc.sema.fetched import Fetched

_LARGEST_LOG = 256 << 20


@dataclass(frozen=True, slots=True)
class LockOptions:
    file: str | None
    log: str | None
    check: bool
    prune: bool


class LockFile:
    """The lock on its way to disk; each change is written at once, so that none is lost."""

    def __init__(self, made: Compilation, entries: dict[Fetched, Entry], sink: Sink) -> None:
        self.name = os.path.join(os.path.dirname(made.file), LOCK_NAME)
        source = made.sources.get(made.loader.join(made.file, LOCK_NAME))
        self.written = source.text if source is not None else None
        self.entries = entries
        self.sink = sink

    def save(self) -> bool:
        """Whether the lock stands on disk as it is here; E802 where it cannot."""
        text = lock_text(self.entries.values())
        if text == self.written or (self.written is None and not self.entries):
            return True
        if self.written is not None:
            done = rewrite(self.name, self.written.encode(), text.encode(), self.sink)
        else:
            done = self.create(text.encode())
        if done:
            self.written = text
        return done

    def create(self, data: bytes) -> bool:
        folder = os.path.realpath(os.path.dirname(self.name) or ".")
        try:
            if os.path.lexists(self.name):
                raise FileExistsError(0, "it was made while this command ran")
            clear_leftovers(folder)
            put_one(folder, LOCK_NAME, data, None)
        except OSError as fault:
            reason = reason_of(fault).lower()
            self.sink.error("E802", f"`{self.name}` cannot be written: {reason}")
            return False
        return True


def lock(session: Session, options: LockOptions) -> int:
    """Fill in what is missing from the lock; the exit code."""
    log = _read_log(session, options.log) if options.log is not None else None
    made = session.compile(options.file)
    found = recipes(session, made)
    assert made.elaboration is not None
    hashes = made.elaboration.shared.hashes
    # That sources are not locked yet is what this command mends.
    session.sink = _without(made.sink, "W002")
    session.show()
    session.sink = Sink()
    missing = sorted(hashes.missing(), key=lambda one: source_order(one.source))
    if options.check:
        return _checked(session, missing)
    kept = LockFile(made, dict(hashes.lock.entries), session.sink)
    before = len(kept.entries)
    if log is not None:
        _from_log(session, take(mismatches(log), hashes), kept)
    else:
        _fetch_all(session, missing, found, kept)
    added = len(kept.entries) - before
    unused = hashes.unused()
    if options.prune:
        for entry in unused:
            del kept.entries[entry.source]
    written = kept.save()
    _summary(session, kept, added if written else 0, unused, pruned=options.prune)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    return exits.OK


# --- fetching ------------------------------------------------------------------------------------


def _fetch_all(
    session: Session, missing: Sequence[Asked], found: Sequence[ir.Recipe], kept: LockFile
) -> None:
    for asked in missing:  # tarballs come first: the others may be fetched by the nixpkgs in them
        wanted = request(asked.source, _nixpkgs(found, kept))
        _say(session, f"{asked.source.describe()}\n$ {shlex.join(wanted.words)}\n")
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
        _say(session, f"{hash}\n\n")
        if _agrees(session, asked, hash, kept, wanted.by) and not kept.save():
            return


def _nixpkgs(found: Sequence[ir.Recipe], kept: LockFile) -> Nixpkgs | None:
    """The nixpkgs of the first recipe that has one, with its hash where that is known."""
    for recipe in found:
        if recipe.pin is not None:
            url, hash = recipe.pin.url, recipe.pin.hash
            entry = kept.entries.get(Fetched("tarball", (("url", url),)))
            if hash is None or is_fake(hash):
                hash = entry.hash if entry is not None else None
            return Nixpkgs(url, hash)
    return None


def _agrees(session: Session, asked: Asked, hash: str, kept: LockFile, by: str) -> bool:
    """Take *hash* for the source, unless another place of the program states a different one."""
    for stated, span in asked.stated.items():
        if differ(stated, hash):
            others = ((asked.place, "and asked for here"),)
            pair = (stated, hash)
            changed(session.sink, asked.source, span, "stated here", others, pair, found=by)
            return False
    kept.entries[asked.source] = Entry(asked.source, hash, _today(), by)
    return True


def _today() -> str:
    """The date in UTC, or that of SOURCE_DATE_EPOCH."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(given) if given.isdecimal() else None
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))


# --- the log -------------------------------------------------------------------------------------


def _read_log(session: Session, name: str) -> str:
    """The text of the log *name*, `-` for the input; ends the command when it cannot be read."""
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
    return data.decode("utf-8", "replace")


def _from_log(session: Session, taken: Taken, kept: LockFile) -> None:
    for asked, report in taken.found:
        _say(
            session,
            f"{asked.source.describe()}\nline {report.line} of the log: {report.what}\n"
            f"{report.got}\n\n",
        )
        _agrees(session, asked, report.got, kept, "log")
    for asked, known, report in taken.changed:
        place = _log_line(report)
        entry = kept.entries.get(asked.source)
        span = next(iter(asked.stated.values()), None) or (entry.span if entry else asked.place)
        pair = (known, report.got)
        changed(session.sink, asked.source, span, "this one is known", (), pair, found=place)
    for report, fitting in taken.doubtful:
        names = "\n".join(asked.source.describe() for asked in fitting)
        session.sink.error(
            "E945",
            f"the log does not say which source has {report.got}",
            fitting[0].place,
            "this one?",
            others=tuple((asked.place, "or this one?") for asked in fitting[1:]),
            notes=(f"{_log_line(report)}: `{report.what}` may be\n{names}",),
            help="build recipes that this tvarc wrote: their fake hashes name the source",
        )
    for asked, reports in taken.several:
        listed = "\n".join(f"{report.got}, {_log_line(report)}" for report in reports)
        session.sink.error(
            "E945",
            f"the log has several hashes of {asked.source.describe()}",
            asked.place,
            "its hash is not known",
            notes=(f"none of them was taken:\n{listed}",),
            help="find out why it is not the same each time before one is trusted",
        )
    if not (taken.found or session.sink.has_errors):
        _nothing_found(session, taken.foreign)


def _nothing_found(session: Session, foreign: Sequence[Mismatch]) -> None:
    listed = "\n".join(f"line {one.line}: {one.what}, {one.got}" for one in foreign)
    session.sink.error(
        "E945",
        "the log has no hash that is missing here",
        notes=(f"it has these, of other sources:\n{listed}",)
        if foreign
        else ("Nix writes `hash mismatch in …`, then `specified:` and `got:`",),
        help="log the build of a recipe: `nix-build … 2>&1 | tee FILE`",
    )


def _log_line(report: Mismatch) -> str:
    return f"line {report.line} of the log"


# --- what is told --------------------------------------------------------------------------------


def _without(sink: Sink, code: str) -> Sink:
    rest = Sink()
    for one in sink:
        if one.code != code:
            rest.add(one)
    return rest


def _say(session: Session, text: str) -> None:
    """Tell it at once: what comes next may take minutes. A name may hold anything."""
    session.console.remark("".join(f"{safe(line)}\n" for line in text.splitlines()))
    if sys.stdout is not None and not sys.stdout.closed:
        with suppress(OSError):
            sys.stdout.flush()


def _checked(session: Session, missing: Sequence[Asked]) -> int:
    for asked in missing:
        _say(session, f"{asked.source.describe()}: not locked\n")
    _say(session, f"{counted(len(missing), 'source')} to be locked\n")
    return exits.STALE if missing else exits.OK


def _summary(
    session: Session, kept: LockFile, added: int, unused: Sequence[Entry], *, pruned: bool
) -> None:
    for entry in unused:
        _say(session, f"unused: {entry.source.describe()}\n")
    text = f"{kept.name}: {counted(len(kept.entries), 'source')}, {added} added"
    if unused:
        text += f", {len(unused)} removed" if pruned else f", {len(unused)} unused: see `--prune`"
    _say(session, f"{text}\n")
