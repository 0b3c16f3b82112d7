"""What `tvarc bump` tells: what it changed, and what it left though it may hang on that."""

from __future__ import annotations

from tvarc.cli.console import json_text
from tvarc.cli.difference import difference
from tvarc.cli.places import UNLOCKED, Edit
from tvarc.cli.session import counted
from tvarc.cli.stays import Stay, kept_sources, mentions, row_of_commit, unknown_rows, versions
from tvarc.driver import Compilation
from tvarc.light import Iterator, Mapping, Sequence, dataclass, field
from tvarc.plain import Data, Json
from tvarc.source import Source

_LISTED = 12  # lines of one kind; more is a wall of text


@dataclass(frozen=True, slots=True)
class Change:
    """One edit: where it stands in the old text, and what stood there."""

    edit: Edit
    place: Data
    old: str


@dataclass(frozen=True, slots=True)
class Stays:
    """What was left: lines that say the old value still, what the program has beside it, the
    tables of the library that know nothing of the new value, and its row of a new commit."""

    saying: tuple[Stay, ...] = ()
    beside: tuple[Stay, ...] = ()
    unknown: tuple[str, ...] = ()
    row: str = ""


@dataclass(frozen=True, slots=True)
class Bumped:
    """A bump: `texts` are the old and the new text of each file that differs, `to_lock` are the
    sources whose hash nobody knows now, `pinned` says how many variants a pin is for."""

    name: str
    value: str
    dry_run: bool
    changes: tuple[Change, ...] = ()
    texts: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    to_lock: tuple[str, ...] = ()
    stays: Stays = field(default_factory=Stays)
    pinned: str = ""


def stays(
    before: Compilation, after: Compilation, name: str, old: str, new: str, *, pin: bool
) -> Stays:
    """What is left after *old* became *new* for the pin or the `let` called *name*."""
    assert after.graph is not None and before.elaboration is not None
    assert after.elaboration is not None
    own: dict[str, Source] = {}
    for file, module in after.graph.modules.items():
        source = after.sources.get(file)
        if not module.std and source is not None:
            own[file] = source
    hashes = before.elaboration.shared.hashes, after.elaboration.shared.hashes
    saying = mentions({file: source.text for file, source in own.items()}, old, new)
    said = {(stay.file, stay.line) for stay in saying}
    beside = [*versions(after.graph, "" if pin else name, own), *kept_sources(*hashes, own)]
    from tvarc.cache import open_cache
    from tvarc.library.tables import load_library

    library = load_library(after.loader, open_cache())
    return Stays(
        tuple(saying),
        tuple(one for one in beside if (one.file, one.line) not in said),
        () if pin else tuple(unknown_rows(library, name, old, new)),
        row_of_commit(library, new) if pin else "",
    )


def bump_lines(told: Bumped) -> Iterator[str]:
    """For people: the diff, what was left, and what comes next."""
    if not told.texts:
        yield f"nothing to change: {told.name} is {told.value} already"
        return
    for file, (old, new) in told.texts.items():
        yield from difference(file, old, new, around=2).split("\n")[:-1]
    would = "would be " if told.dry_run else ""
    count = sum(change.edit.text == UNLOCKED for change in told.changes)
    hashes = f", {count} {'hash' if count == 1 else 'hashes'} unlocked" if count else ""
    yield f"{', '.join(told.texts)}: {would}changed{hashes}"
    if told.pinned:
        yield told.pinned
    yield from _listed(
        "still there, as it was:",
        [f"{one.file}:{one.line}: {one.what} in `{one.text}`" for one in told.stays.saying],
    )
    yield from _listed(
        "not changed:", [f"{one.file}:{one.line}: {one.what}" for one in told.stays.beside]
    )
    if told.stays.unknown:
        tables = ", ".join(told.stays.unknown)
        yield f"the library knows no {told.value}: there is no such row in {tables}"
    if told.stays.row:
        yield f"the library has this commit: {told.stays.row}"
    if told.to_lock:
        hashes = f"{counted(len(told.to_lock), 'source')} to lock"
        yield f"{hashes}: `tvarc lock`, or build and `tvarc lock --from-log FILE`"


def _listed(title: str, found: Sequence[str]) -> Iterator[str]:
    if not found:
        return
    yield title
    yield from (f"  {one}" for one in found[:_LISTED])
    if len(found) > _LISTED:
        yield f"  and {len(found) - _LISTED} more: see `--json`"


def bump_data(told: Bumped) -> str:
    """What `--json` prints."""
    changes: list[Json] = [
        {
            **change.place,
            "old": change.old,
            "new": change.edit.text,
            "unlocked": change.edit.text == UNLOCKED,
        }
        for change in told.changes
    ]
    return json_text(
        {
            "name": told.name,
            "value": told.value,
            "written": bool(told.texts) and not told.dry_run,
            "files": list(told.texts),
            "changes": changes,
            "to_lock": list(told.to_lock),
            "still_there": [_stay_data(one) for one in told.stays.saying],
            "not_changed": [_stay_data(one) for one in told.stays.beside],
            "tables_without_row": list(told.stays.unknown),
            "library_row": told.stays.row or None,
            "diff": "".join(difference(file, *texts) for file, texts in told.texts.items()),
        }
    )


def _stay_data(stay: Stay) -> Json:
    return {"file": stay.file, "line": stay.line, "what": stay.what, "text": stay.text}
