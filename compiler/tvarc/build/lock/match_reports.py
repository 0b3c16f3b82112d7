"""Finds the source of a program that each report of a log is about."""

from __future__ import annotations

from tvarc.build.lock.log import Mismatch
from tvarc.decide.book import Asked, Hashes
from tvarc.decide.lock import NIXPKGS_FAKE, differ, fake_hash
from tvarc.light import Sequence, dataclass, field
from tvarc.meaning.evaluation.formats import is_open


@dataclass(slots=True)
class Matched:
    """The reports of a log, grouped by their meaning for the sources of a program.

    - `found`: hashes that were missing.
    - `changed`: hashes that differ from those of their sources.
    - `doubtful`: reports that may be about several sources, with these sources.
    - `several`: sources with more than one hash in the log.
    - `stated`: sources for which the program itself has the fake hash of the report.
    - `fake`: sources for which the log has a hash that no content has.
    - `foreign`: reports about no source of the program.
    """

    found: list[tuple[Asked, Mismatch]] = field(default_factory=list)
    changed: list[tuple[Asked, str, Mismatch]] = field(default_factory=list)
    doubtful: list[tuple[Mismatch, list[Asked]]] = field(default_factory=list)
    several: list[tuple[Asked, list[Mismatch]]] = field(default_factory=list)
    stated: list[tuple[Asked, Mismatch]] = field(default_factory=list)
    fake: list[tuple[Asked, Mismatch]] = field(default_factory=list)
    foreign: list[Mismatch] = field(default_factory=list)


def match_reports(reports: Sequence[Mismatch], hashes: Hashes) -> Matched:
    """Find the source of each report. The fake hash that a recipe was built with identifies it. A
    hash of zeros may belong to any source, so the name must fit exactly one."""
    matched = Matched()
    missing = hashes.missing()
    by_fake = {fake_hash(asked.source): asked for asked in missing}
    given: dict[int, list[tuple[Asked, Mismatch]]] = {}
    for read in reports:
        report = _ordered(read, hashes)
        asked = by_fake.get(report.wanted)
        if asked is None and report.wanted == NIXPKGS_FAKE:
            fitting = [one for one in missing if _fits(one, report)]
            if len(fitting) > 1:
                matched.doubtful.append((report, fitting))
                continue
            asked = fitting[0] if fitting else None
        if asked is not None:
            given.setdefault(id(asked), []).append((asked, report))
        elif not _known(report, hashes, matched):
            matched.foreign.append(report)
    for pairs in given.values():
        asked = pairs[0][0]
        if len({report.got for _, report in pairs}) > 1:
            matched.several.append((asked, [report for _, report in pairs]))
        else:
            _accept(asked, pairs[0][1], matched)
    return matched


def _accept(asked: Asked, report: Mismatch, matched: Matched) -> None:
    """Accept the hash for *asked*, unless no content can have it, or another place in the program
    states a different hash."""
    if is_open(report.got):
        matched.fake.append((asked, report))
        return
    for stated in asked.stated:
        if differ(stated, report.got):
            matched.changed.append((asked, stated, report))
            return
    matched.found.append((asked, report))


def _known(report: Mismatch, hashes: Hashes, matched: Matched) -> bool:
    """Whether *report* is about a hash that is in the program or its lock."""
    if is_open(report.wanted):
        stated = [one for one in hashes.asked.values() if report.wanted in one.stated]
        fitting = [one for one in stated if _fits(one, report)] or stated
        if fitting:
            matched.stated += [(one, report) for one in fitting]
            return True
        # This is the fake hash of a source that is locked by now.
        fakes = {fake_hash(asked.source): asked for asked in hashes.asked.values()}
        asked = fakes.get(report.wanted)
        entry = hashes.lock.entries.get(asked.source) if asked is not None else None
        if asked is None or entry is None:
            return False
        if differ(entry.hash, report.got):
            matched.changed.append((asked, entry.hash, report))
        return True
    about = [
        asked
        for asked in hashes.asked.values()
        if report.wanted in asked.stated or _locked(asked, hashes) == report.wanted
    ]
    matched.changed += [(asked, report.wanted, report) for asked in about]
    return bool(about)


def _locked(asked: Asked, hashes: Hashes) -> str | None:
    entry = hashes.lock.entries.get(asked.source)
    return entry.hash if entry is not None and asked.open else None


def _ordered(report: Mismatch, hashes: Hashes) -> Mismatch:
    """*report* with the two hashes in the right order, as far as it is known. No content has a fake
    hash, and a hash in the program is the wanted one."""
    if report.ordered or is_open(report.wanted):
        return report
    turned = report.turned()
    if is_open(turned.wanted):
        return turned
    known = {hash for one in hashes.asked.values() for hash in (*one.stated, _locked(one, hashes))}
    return turned if report.wanted not in known and turned.wanted in known else report


def _fits(asked: Asked, report: Mismatch) -> bool:
    """Whether the report's derivation or address can be that of the source."""
    given = dict(asked.source.fields)
    address = report.url or report.what
    if asked.source.kind == "github":
        owner, _, name = str(given["repository"]).partition("/")
        if "://" in address:
            which = str(given.get("rev") or given.get("tag"))
            return f"/{owner}/{name}/" in address and which in address
        return report.what == "source" or report.what.endswith(f"-{name}")
    if asked.source.kind in ("call", "attribute"):
        return False  # Nix decides its name
    url = str(given["url"])
    if asked.source.kind == "tarball" or "://" in address:
        return address == url
    return report.what == url.rpartition("/")[2].partition("?")[0]
