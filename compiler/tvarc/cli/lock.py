"""`tvarc lock`: the hash of each source that states none, found out and kept."""

from __future__ import annotations

import shlex

from tvarc import ir
from tvarc.backend.nix.fetch import Nixpkgs
from tvarc.cli import exits
from tvarc.cli.lockfile import LockFile, Told, Way, lock_data
from tvarc.cli.prefetch import FetchFailed, request, run
from tvarc.cli.session import Session, counted
from tvarc.cli.states import recipes
from tvarc.diagnostics.model import Sink
from tvarc.light import Sequence, dataclass
from tvarc.lock.book import Asked
from tvarc.lock.model import Entry
from tvarc.lock.printer import source_order
from tvarc.lock.sri import is_fake
from tvarc.lock.taken import take
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
        from tvarc.cli.fromlog import from_log, read_log

        reports = read_log(session, options.log)
    made = session.compile(options.file)
    found = recipes(session, made)
    assert made.elaboration is not None
    hashes = made.elaboration.shared.hashes
    # That sources are not locked yet is what this command mends.
    session.sink = _without(made.sink, "W002")
    session.show()
    session.sink = Sink()
    told = Told(session, as_json=options.json)
    missing = sorted(hashes.missing(), key=lambda one: source_order(one.source))
    kept = LockFile(made, dict(hashes.lock.entries), session.sink)
    unused = hashes.unused()
    if not options.check:
        if reports is not None:
            from_log(reports, take(reports.found, hashes), kept, told, done=not missing)
        else:
            _fetch_all(session, missing, found, kept, told)
        # The entry of an old version may be wanted still, while the new one cannot be had.
        if options.prune and not session.sink.has_errors:
            kept.remove(unused)
        kept.save()
    if options.json:
        session.console.out(lock_data(kept, missing, unused, session.sources))
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
