"""Edits the text of a manifest: entries of `[install]`, and nothing else.

Each entry of tvarc ends with a comment: the program that wrote it, and a digest of its content. So
an entry is recognised wherever it is moved to, and a change by hand is noticed.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Comment, InlineTable, Item, Table, Whitespace

from tvarc.build.manifest.model import Edited, Fields, InTheWay, Unreadable
from tvarc.digest import sha256
from tvarc.light import Final, Iterator, Mapping, Sequence, dataclass, field

_INSTALL: Final = "install"
_MARK: Final = re.compile(r"# tvarc (\S.*) ([0-9a-f]{16})\s*")
_PLACE: Final = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)$")
_AS_TABLE: Final = "write its entries below a line `[install]`"


def edit(
    text: str, wanted: Mapping[str, Fields], program: str, *, whole: bool, prune: bool, take: bool
) -> Edited:
    """*text* with the *wanted* entries of *program*. *whole* says that they are all of its entries:
    its other entries are then out of date, and *prune* removes them. A foreign entry with the name
    of a wanted one is replaced with *take*. Otherwise it is reported, and the text is unchanged.
    Raises Unreadable."""
    values = _parsed(text)
    document = tomlkit.parse(text)
    there = _installed(values)
    marks = {name: mark for table in _tables(document) for name, mark in _marks(table)}
    found = _Found()
    for name, fields in wanted.items():
        present = there.get(name)
        if present is None:
            found.added.append(name)
        elif _plain(fields) == present:
            found.unchanged += 1
        else:
            kept = _kind(name, present, marks.get(name), program)
            if kept is None or take:
                found.changed.append(name)
            else:
                found.in_the_way.append(kept)
    if whole:
        for name, (author, digest) in marks.items():
            if author == program and name not in wanted:
                pristine = digest == _digest(name, there.get(name))
                to = found.kept if not pristine else found.removed if prune else found.stale
                to.append(name)
    if not found.in_the_way and (found.added or found.changed or found.removed):
        after = _edited(document, wanted, found, program, "\r\n" if "\r\n" in text else "\n")
        _demand_all_else(text, after, values, wanted, found, take=take)
        text = after
    return Edited(
        text,
        tuple(found.added),
        tuple(found.changed),
        tuple(found.removed),
        found.unchanged,
        tuple(found.stale),
        tuple(found.kept),
        tuple(found.in_the_way),
    )


def entry_line(name: str, fields: Fields) -> str:
    """The line of an entry in a manifest, without the comment of tvarc."""
    document = tomlkit.document()
    document.add(name, _table(fields))
    return tomlkit.dumps(document).strip()


@dataclass(slots=True)
class _Found:
    """The planned changes of entries, by their names."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0
    stale: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    in_the_way: list[InTheWay] = field(default_factory=list)


def _kind(
    name: str, present: object, mark: tuple[str, str] | None, program: str
) -> InTheWay | None:
    """The author of the entry *name*, which differs from the wanted one; None if it is this
    program."""
    if mark is None:
        return InTheWay("foreign", name)
    author, digest = mark
    if author != program:
        return InTheWay("program", name, author)
    return None if digest == _digest(name, present) else InTheWay("edited", name)


# --- reading ----------------------------------------------------------------------------------


def _parsed(text: str) -> dict[str, Any]:
    """The values in *text*. Raises Unreadable."""
    try:
        found = _values(text)
        tomlkit.parse(text)
    except tomllib.TOMLDecodeError as fault:
        words = str(fault)
        place = _PLACE.search(words)
        start = len(text)
        if place is not None and place[1] is not None:
            starts = [0, *[one.end() for one in re.finditer("\n", text)]]
            start = starts[int(place[1]) - 1] + int(place[2]) - 1
        reason = _PLACE.sub("", words).strip()
        reason = f"not valid TOML: {reason[:1].lower()}{reason[1:]}"
        raise Unreadable(reason, start, start + 1) from None
    except (TOMLKitError, RecursionError, ValueError) as fault:  # e.g. a number that never ends
        raise Unreadable(f"it cannot be read: {str(fault)[:200]}") from None
    return found


def _values(text: str) -> dict[str, Any]:
    """The values of *text*. A number with a point is its text, because `nan` does not equal itself.
    """
    return tomllib.loads(text, parse_float=str)


def _installed(values: Mapping[str, Any]) -> Mapping[str, Any]:
    install = values.get(_INSTALL, {})
    if not isinstance(install, dict):
        raise Unreadable("`install` is not a table", help=_AS_TABLE)
    return install


def _tables(document: tomlkit.TOMLDocument) -> list[Table]:
    """The tables `[install]` of *document*. There may be several, which TOML treats as one."""
    return [
        item
        for key, item in document.body
        if key is not None and key.key == _INSTALL and isinstance(item, Table)
    ]


def _marks(table: Table) -> Iterator[tuple[str, tuple[str, str]]]:
    """The entries that programs have written, by name, with the program and the digest."""
    for key, item in table.value.body:
        if key is not None and isinstance(item, InlineTable):
            mark = _MARK.fullmatch(item.trivia.comment)
            if mark is not None:
                yield key.key, (mark[1], mark[2])


# --- writing ----------------------------------------------------------------------------------


def _edited(
    document: tomlkit.TOMLDocument,
    wanted: Mapping[str, Fields],
    found: _Found,
    program: str,
    end: str,
) -> str:
    try:
        for table in _tables(document):
            for name in found.removed:
                if name in table:
                    table.remove(name)
        for name in found.changed:
            _place_of(document, name)[name] = _entry(name, wanted[name], program, end)
        if found.added:
            if _INSTALL not in document:
                if document.body:
                    document.add(tomlkit.ws(end))
                document.add(_INSTALL, tomlkit.table())
                document[_INSTALL].trivia.trail = end
            _append(document, found.added, wanted, program, end)
        return tomlkit.dumps(document)
    except (TOMLKitError, TypeError, KeyError, AttributeError):
        raise Unreadable("no entry can be added to its `install`") from None


def _place_of(document: tomlkit.TOMLDocument, name: str) -> Any:
    for table in _tables(document):
        if name in table:
            return table
    return document[_INSTALL]


def _append(
    document: tomlkit.TOMLDocument,
    names: Sequence[str],
    wanted: Mapping[str, Fields],
    program: str,
    end: str,
) -> None:
    """Add the entries with these *names* after the last one of `[install]`, and before the text
    between that entry and the next table."""
    whole = [one for one in _tables(document) if not one.is_super_table()]
    if not whole:
        install: Any = document[_INSTALL]
        for name in names:
            install[name] = _entry(name, wanted[name], program, end)
        return
    table = whole[0]
    body = table.value.body
    between: list[Item] = []
    while body and body[-1][0] is None and isinstance(body[-1][1], Comment | Whitespace):
        between.insert(0, body.pop()[1])
    for name in names:
        table.append(name, _entry(name, wanted[name], program, end))
    for item in between:
        body.append((None, item))


def _entry(name: str, fields: Fields, program: str, end: str) -> Item:
    entry = _table(fields)
    entry.comment(f"tvarc {program} {_digest(name, _plain(fields))}")
    entry.trivia.trail = end
    return entry


def _table(fields: Fields) -> InlineTable:
    entry = tomlkit.inline_table()
    entry.add(tomlkit.ws(" "))
    for key, value in fields:
        entry.append(key, value if isinstance(value, str) else list(value))
    entry.add(tomlkit.ws(" "))
    return entry


def _plain(fields: Fields) -> dict[str, object]:
    return {key: value if isinstance(value, str) else list(value) for key, value in fields}


def _digest(name: str, value: object) -> str:
    """The digest that identifies an entry in its written form."""
    text = json.dumps([name, value], sort_keys=True, ensure_ascii=True, default=str)
    return sha256(text.encode()).hexdigest()[:16]


def _demand_all_else(
    before: str,
    after: str,
    values: Mapping[str, Any],
    wanted: Mapping[str, Fields],
    found: _Found,
    *,
    take: bool,
) -> None:
    """Raise Unreadable unless *after* has the same foreign parts as *before*: the same values, and
    the same lines in the same order."""
    expected = {**values.get(_INSTALL, {})}
    for name in found.removed:
        del expected[name]
    for name in (*found.changed, *found.added):
        expected[name] = _plain(wanted[name])
    try:
        same = _values(after) == {**values, _INSTALL: expected}
    except tomllib.TOMLDecodeError:
        same = False
    if same and not take:
        written = iter(after.split("\n"))
        own = [line for line in before.split("\n") if line and not _MARK.search(line)]
        same = all(line in written for line in own)
    if not same:
        raise Unreadable(
            "no entry can be added to its `install` without changing others",
            help=_AS_TABLE,
        )
