"""Fills in missing hashes of the lock: by Nix's programs, or from a log of a build."""

from __future__ import annotations

import os
import shlex
from binascii import a2b_base64

from tvarc.build import messages as msg
from tvarc.build.lock.lockfile import LockFile, Way
from tvarc.build.lock.log import Mismatch, Reports
from tvarc.build.lock.match_reports import Matched
from tvarc.build.lock.prefetch import FetchFailed, Request, built, fetched_for, request, run
from tvarc.decide.book import Asked, StatedFake, changed, known_hash
from tvarc.decide.lock import fake_hash
from tvarc.doing import each
from tvarc.light import Callable, Sequence
from tvarc.meaning.evaluation.fetched import Fetched
from tvarc.meaning.evaluation.formats import is_open
from tvarc.nix import ir
from tvarc.nix.lower.fetch import Nixpkgs, call_text, recipe_alone

Announce = Callable[[str], None]
"""Receives each event when it happens, because the next one may take minutes."""


def fetch_all(
    missing: Sequence[Asked],
    found: Sequence[ir.Recipe],
    kept: LockFile,
    announce: Announce,
    elsewhere: Callable[[Fetched], str],
) -> None:
    """Find the hash of each source of *missing*, and lock it. *found* are the recipes. The nixpkgs
    of one fetches some sources, and others are attributes of their packages. *elsewhere* has hashes
    that can be locked if a source cannot be fetched."""
    # Tarballs are first, because the nixpkgs in them may fetch the others.
    for asked in each("fetching", missing, len(missing), "sources"):
        name = asked.source.describe()
        program = "nix-instantiate"
        try:
            wanted = _request(asked, found, kept)
            program = wanted.words[0]
            announce(f"{name}\n$ {shlex.join(wanted.words)}\n")
            hash = run(wanted)
        except FetchFailed as fault:
            known = elsewhere(asked.source)
            kept.sink.report(
                msg.locks.NOT_FETCHED,
                asked.place,
                name=name,
                program=program,
                fault=str(fault),
                known=known_hash(known) if known else "",
            )
            continue
        announce(f"{hash}\n\n")
        if kept.take(asked, hash, Way(wanted.by, wanted.words)) and not kept.save():
            return


def fetch_module(
    asked: Asked, known: str | None, kept: LockFile, announce: Announce
) -> Way | None:
    """Fetch an input with modules into the store of Nix, which checks a *known* hash. Otherwise the
    hash is locked. None after reporting that the input cannot be fetched."""
    wanted = request(asked.source, None)
    if known is not None:
        digits = a2b_base64(known.partition("-")[2]).hex()
        wanted = Request((*wanted.words, digits), wanted.by)
    try:
        announce(f"{asked.source.describe()}\n$ {shlex.join(wanted.words)}\n")
        hash = run(wanted)
    except FetchFailed as fault:
        kept.sink.report(
            msg.locks.MODULES_NOT_FETCHED,
            asked.place,
            name=asked.source.describe(),
            program=wanted.words[0],
            fault=str(fault),
        )
        return None
    announce(f"{hash}\n\n")
    way = Way(wanted.by, wanted.words)
    if known is None and not (kept.take(asked, hash, way) and kept.save()):
        return None
    return way


def _request(asked: Asked, found: Sequence[ir.Recipe], kept: LockFile) -> Request:
    """The request that finds the hash of *asked*, with all hashes that are already locked. Raises
    FetchFailed."""

    def with_hashes(text: str) -> str:
        for source in kept.added:
            text = text.replace(fake_hash(source), kept.entries[source].hash)
        return text

    call = asked.call
    if asked.source.kind not in ("attribute", "call") or call is not None:
        text = call_text(call, _nixpkgs(found, kept), _anywhere) if call is not None else ""
        if text:
            return built(with_hashes(text), fake_hash(asked.source))
        return request(asked.source, _nixpkgs(found, kept))
    fake = fake_hash(asked.source)
    for recipe in found:
        text = recipe_alone(recipe, _anywhere)
        if fake in text:
            return fetched_for(with_hashes(text), fake)
    raise FetchFailed("no recipe of the program uses it")


def _anywhere(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100


def _nixpkgs(found: Sequence[ir.Recipe], kept: LockFile) -> Nixpkgs | None:
    """The nixpkgs of the first recipe that has one, with its hash if it is known."""
    for recipe in found:
        if recipe.pin is not None and recipe.pin.path:
            return Nixpkgs("", None, os.path.abspath(recipe.pin.path))  # noqa: PTH100
        if recipe.pin is not None:
            url, hash = recipe.pin.url, recipe.pin.hash
            entry = kept.entries.get(Fetched("tarball", (("url", url),)))
            if hash is None or is_open(hash):
                hash = entry.hash if entry is not None else None
            return Nixpkgs(url, hash)
    return None


# --- from a log -------------------------------------------------------------------------------


def from_log(
    reports: Reports,
    matched: Matched,
    fakes: Sequence[StatedFake],
    kept: LockFile,
    announce: Announce,
    *,
    done: bool,
) -> None:
    """Lock the hashes that the log certainly gives, and report the others. If all sources were
    already locked (*done*), a log without any report is expected. A log cannot replace *fakes*, the
    fake hashes that the program itself states."""
    for asked, report in matched.found:
        what = f": {report.what}" if report.what else ""
        announce(f"{asked.source.describe()}\n{_place(report)}{what}\n{report.got}\n\n")
        kept.take(asked, report.got, Way("log", line=report.line))
    _alarms(matched, kept)
    _doubts(matched, kept)
    silent = done and not (reports.found or reports.torn)
    if not (matched.found or kept.sink.has_errors or silent):
        _nothing_found(matched.foreign, reports.torn, fakes, kept)


def _alarms(matched: Matched, kept: LockFile) -> None:
    for asked, known, report in matched.changed:
        entry = kept.entries.get(asked.source)
        span = next(iter(asked.stated.values()), None) or (entry.span if entry else asked.place)
        pair = (known, report.got)
        found = _place(report)
        changed(kept.sink, asked.source, span, "this hash is known", (), pair, found=found)


def _doubts(matched: Matched, kept: LockFile) -> None:
    for report, fitting in matched.doubtful:
        names = "\n".join(asked.source.describe() for asked in fitting)
        kept.sink.report(
            msg.locks.DOUBTFUL_HASH,
            fitting[0].place,
            others=tuple((asked.place, "or this one?") for asked in fitting[1:]),
            got=report.got,
            place=_place(report),
            what=report.what,
            names=names,
        )
    for asked, found in matched.several:
        listed = "\n".join(f"{report.got}, {_place(report)}" for report in found)
        kept.sink.report(
            msg.locks.SEVERAL_HASHES, asked.place, source=asked.source.describe(), listed=listed
        )
    for asked, report in matched.fake:
        kept.sink.report(
            msg.locks.FAKE_IN_LOG,
            asked.place,
            source=asked.source.describe(),
            place=_place(report),
            got=report.got,
        )
    for asked, report in matched.stated:
        kept.sink.report(
            msg.locks.FAKE_IN_PROGRAM,
            asked.stated[report.wanted],
            source=asked.source.describe(),
            place=_place(report),
            what=report.what or "a source",
            got=report.got,
        )


def _nothing_found(
    foreign: Sequence[Mismatch],
    torn: Sequence[int],
    fakes: Sequence[StatedFake],
    kept: LockFile,
) -> None:
    notes = []
    if foreign:
        listed = "\n".join(f"{_line(one)}: {one.what or 'no name'}, {one.got}" for one in foreign)
        notes.append(f"it has hashes of other sources:\n{listed}")
    if torn:
        lines = ", ".join(map(str, torn))
        notes.append(f"not used, because cut off or mixed with other reports: line {lines}")
    if not notes:
        notes.append("Nix writes `hash mismatch in …`, then `specified:` and `got:`")
    kept.sink.report(
        msg.locks.ONLY_STATED_FAKES if fakes else msg.locks.NOTHING_FOUND,
        fakes[0].place if fakes else None,
        others=[one.place for one in fakes[1:]],
        notes=notes,
    )


def _line(report: Mismatch) -> str:
    return f"line {report.line}"


def _place(report: Mismatch) -> str:
    return f"{_line(report)} of the log"
