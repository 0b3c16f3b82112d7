"""Reads the lock from text. All faults are reported at once, each with its line, up to a limit that
fits on a screen."""

from __future__ import annotations

import re

from tvarc.build import messages as msg
from tvarc.decide.lock import FORMAT, Entry, Lock, differ
from tvarc.light import Sequence, cast, suppress
from tvarc.meaning.evaluation.fetched import KINDS, Fetched, Kind, fetched
from tvarc.meaning.evaluation.formats import HASH, SOURCE_FORMATS, bad_tarball_hash, is_open
from tvarc.meaning.names.conflicts import both_sides
from tvarc.text.diagnostics.message import Message, Text
from tvarc.text.diagnostics.model import Sink, filled
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import Source, Span
from tvarc.text.toml import TomlFault, line_span, toml_of
from tvarc.values.value import Value

_HEADING = re.compile(r"^[ \t]*\[\[[ \t]*source[ \t]*\]\]", re.MULTILINE)
# The marks that git and others write where two sides differ.
_MARK = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})(?=[ \r\n]|\Z)", re.MULTILINE)
_MARKS_SHOWN = 11
_MOST = 100  # faults that are reported
_OWN = ("hash", "date", "by")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def parse_lock(source: Source, sink: Sink) -> Lock:
    """The lock with the text of *source*."""
    before = len(sink)
    if _has_conflicts(source):
        merged = _merged(source)
        _conflicts(source, sink, agreed=merged is not None)
        return Lock(merged or {}, broken=merged is None, merged=merged is not None)
    data = toml_of(source)
    if isinstance(data, TomlFault):
        sink.report(msg.locks.NO_TOML, data.span, file=source.file, said=data.said)
        return Lock({}, broken=True)
    reading = _Reading(source, sink)
    with suppress(_Enough):
        if reading.head(data):
            reading.entries_of(data)
    return Lock(reading.entries, broken=len(sink) > before)


def _has_conflicts(source: Source) -> bool:
    """Whether the text has the marks of a merge."""
    return any(match[0].startswith("<") for match in _MARK.finditer(source.text))


def _merged(source: Source) -> dict[Fetched, Entry] | None:
    """The entries of both sides of the conflicts in *source*. None if a side is no lock, or if the
    sides have different hashes for one source."""
    entries: dict[Fetched, Entry] = {}
    for side in both_sides(source):
        sink = Sink()
        if _has_conflicts(side):  # marks that do not match
            return None
        for key, entry in parse_lock(side, sink).entries.items():
            if differ(entries.setdefault(key, entry).hash, entry.hash):
                return None
        if sink.has_errors:
            return None
    return entries


def _conflicts(source: Source, sink: Sink, *, agreed: bool) -> None:
    """Report all marks of a merge. *agreed* says that both sides are correct together."""
    found = [
        line_span(source, source.position(match.start()).line)
        for match in _MARK.finditer(source.text)
    ]
    first, *others = found
    sink.report(
        msg.locks.CONFLICTS_THAT_AGREE if agreed else msg.locks.CONFLICTS,
        first,
        others=others[:_MARKS_SHOWN],
        file=source.file,
    )


class _Enough(Exception):
    """There are so many faults that the others are not reported."""


class _Reading:
    """Reads one lock, entry by entry."""

    def __init__(self, source: Source, sink: Sink) -> None:
        self.source = source
        self.sink = sink
        self.entries: dict[Fetched, Entry] = {}
        self.faults = 0
        self.starts = [match.start() for match in _HEADING.finditer(source.text)]

    def head(self, data: dict[str, object]) -> bool:
        """Whether this is a lock with a known version."""
        version = data.get("version")
        if version != FORMAT or type(version) is not int:  # 1.0 and true are no versions
            self.wrong(
                msg.locks.NO_FORMAT if version is None else msg.locks.OTHER_FORMAT,
                self.field(0, self.starts[0] if self.starts else len(self.source.text), "version"),
                file=self.source.file,
                format=FORMAT,
                mend=None if isinstance(version, int) else msg.locks.MEND,
            )
            return False
        for name in data:
            if name not in ("version", "source"):
                span = self.field(0, len(self.source.text), name)
                self.wrong(msg.locks.UNKNOWN_KEY, span, name=name)
        return True

    def entries_of(self, data: dict[str, object]) -> None:
        listed = data.get("source", [])
        if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
            self.wrong(msg.locks.NO_LIST, line_span(self.source, 1))
            return
        for number, one in enumerate(listed):
            found = self.entry(one, number)
            if found is None:
                continue
            first = self.entries.setdefault(found.source, found)
            if first is not found:
                self.twice(first, found)

    def entry(self, table: dict[str, object], number: int) -> Entry | None:
        """Entry *number*, from 0; None after reporting its faults."""
        before = len(self.sink)
        start, end = self.block(number)
        kind = table.get("kind")
        if not isinstance(kind, str) or kind not in KINDS:
            self.wrong(
                msg.locks.UNKNOWN_KIND,
                self.field(start, end, "kind"),
                kinds=", ".join(KINDS),
                guess=guess(str(kind), KINDS) if kind is not None else None,
            )
            return None
        known = KINDS[kind]
        for name, value in table.items():
            if name == "kind":
                continue
            wanted = str if name in _OWN else known.get(name)
            if wanted is None:
                self.wrong(
                    msg.locks.UNKNOWN_FIELD,
                    self.field(start, end, name),
                    name=name,
                    kind=kind,
                    guess=guess(name, [*known, *_OWN]),
                )
            elif not _fits(value, wanted):
                span = self.field(start, end, name)
                self.wrong(msg.locks.WRONG_TYPE, span, name=name, wanted=_WORDS[wanted])
        for name in (*_required(kind), *_OWN):
            if name not in table:
                span = self.field(start, end, "kind")
                self.wrong(msg.locks.FIELD_MISSING, span, kind=kind, name=name)
        if len(self.sink) > before:
            return None
        given = {key: tuple(v) if isinstance(v, list) else v for key, v in table.items()}
        return self.made(kind, given, start, end)

    def made(self, kind: str, given: dict[str, object], start: int, end: int) -> Entry | None:
        texts = {name: str(given[name]) for name in _OWN}
        span = self.field(start, end, "hash")
        wrong = HASH.check(texts["hash"])
        if wrong is None and kind == "tarball":
            wrong = bad_tarball_hash(texts["hash"])
        if wrong is not None:
            why, advice = wrong
            self.wrong(msg.locks.NO_HASH, span, why=why, advice=advice)
            return None
        if is_open(texts["hash"]):
            self.wrong(msg.locks.FAKE_HASH, span)
            return None
        if not _DATE.fullmatch(texts["date"]):
            self.wrong(msg.locks.BAD_DATE, self.field(start, end, "date"))
            return None
        for name, known in SOURCE_FORMATS.items():
            text = given.get(name)
            if name != "hash" and isinstance(text, str) and (bad := known.check(text)):
                why, advice = bad
                self.wrong(
                    msg.locks.BAD_FIELD,
                    self.field(start, end, name),
                    fault=known.title(name),
                    why=why,
                    advice=advice,
                )
                return None
        source = fetched(cast("Kind", kind), cast("dict[str, Value]", given))
        if source is None or (kind == "github" and ("rev" in given) == ("tag" in given)):
            at = self.field(start, end, "kind")
            self.wrong(msg.locks.REV_OR_TAG, at)
            return None
        return Entry(source, texts["hash"], texts["date"], texts["by"], span)

    # --- places --------------------------------------------------------------------------

    def block(self, number: int) -> tuple[int, int]:
        """The offsets at which the text of entry *number* begins and ends."""
        if number >= len(self.starts):
            return 0, len(self.source.text)
        last = number + 1 == len(self.starts)
        return self.starts[number], len(self.source.text) if last else self.starts[number + 1]

    def field(self, start: int, end: int, name: str) -> Span:
        """The line of the field *name* between two offsets, or the first line there."""
        written = rf'[ \t]*"?{re.escape(name)}"?[ \t]*'
        pattern = re.compile(rf"^(?:{written}=|[ \t]*\[+{written}\])", re.MULTILINE)
        match = pattern.search(self.source.text, start, end)
        at = match.start() if match else start
        return line_span(self.source, self.source.position(at).line)

    # --- faults --------------------------------------------------------------------------

    def wrong(self, message: Message, span: Span, **fields: Text) -> None:
        self.counted()
        self.sink.add(filled(message, span, fields))

    def twice(self, first: Entry, second: Entry) -> None:
        self.counted()
        self.sink.report(
            msg.locks.TWO_ENTRIES,
            second.span,
            others=[first.span] if first.span is not None else [],
            source=second.source.describe(),
        )

    def counted(self) -> None:
        """Count one more fault. Raises _Enough after many."""
        if self.faults == _MOST:
            raise _Enough
        self.faults += 1


_WORDS: dict[type, str] = {
    str: "a string",
    int: "an integer",
    bool: "true or false",
    tuple: "a list of strings",
}


def _fits(value: object, wanted: type) -> bool:
    if wanted is tuple:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, wanted) and not (wanted is int and isinstance(value, bool))


def _required(kind: str) -> Sequence[str]:
    match kind:
        case "github":
            return ("repository",)
        case "call" | "attribute":
            return tuple(KINDS[kind])
        case _:
            return ("url",)
