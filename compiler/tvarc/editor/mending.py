"""A source without its broken statements, for questions about a source that is being typed.

The parser drops a whole declaration with a fault. So that the rest of the declaration still has
answers, each broken statement is replaced by blanks, and the source is parsed again. All other text
keeps its place.
"""

from __future__ import annotations

from tvarc.files.cache import Cache
from tvarc.light import Final, Iterable, dataclass
from tvarc.syntax.parser import parse_module
from tvarc.text.diagnostics.model import Diagnostic, Sink
from tvarc.text.source import Source

_ROUNDS: Final = 6
_OPENERS: Final = "{[("
_CLOSERS: Final = "}])"
_NOT_CLOSED: Final = "E102"


def mended(source: Source, cache: Cache) -> Source:
    """*source* with blanks in the place of broken statements. The same one if it has no faults of
    syntax, or if blanks save nothing."""
    first = best = _Tried.of(source, cache)
    last = best
    for _ in range(_ROUNDS):
        if not last.faults:
            break
        tried = [
            _Tried.of(Source(source.file, _without(last.source.text, last.faults, before)), cache)
            for before in (False, True)
        ]
        last = max(tried, key=lambda one: one.rank)
        best = max(best, last, key=lambda one: one.rank)
    return best.source if best.rank > first.rank else source


@dataclass(frozen=True, slots=True)
class _Tried:
    """A source, its faults of syntax, and the number of characters in items that were read."""

    source: Source
    faults: tuple[Diagnostic, ...]
    read: int

    @classmethod
    def of(cls, source: Source, cache: Cache) -> _Tried:
        sink = Sink()
        tree = parse_module(source, sink, cache)
        read = sum(item.span.end - item.span.start for item in tree.items)
        return cls(source, tuple(sink), read)

    @property
    def rank(self) -> tuple[int, int]:
        """The more is read, the better; then, the fewer faults."""
        return self.read, -len(self.faults)


def _without(text: str, faults: Iterable[Diagnostic], before: bool) -> str:
    """*text* with blanks in the place of the statements with *faults*. With *before*, a fault at
    the start of a line is one of the line before: its statement does not end there."""
    for fault in faults:
        if not fault.labels or not text:
            continue
        starts = [label.span.start for label in fault.labels]
        # What is never closed is at fault where it is opened.
        at = min(starts) if fault.code == _NOT_CLOSED else starts[0]
        at = min(at, len(text) - 1)
        ahead = text[:at].rstrip()
        if before and "\n" in text[len(ahead) : at]:
            at = max(len(ahead) - 1, 0)
        start, end = _statement(text, at)
        blanks = "".join([letter if letter in "\r\n" else " " for letter in text[start:end]])
        text = text[:start] + blanks + text[end:]
    return text


def _statement(text: str, at: int) -> tuple[int, int]:
    """The start and the end of the line around *at*. If it opens a body, the end is that of the
    body, by its indentation."""
    start = text.rfind("\n", 0, at) + 1
    end = _end_of_line(text, at)
    line = text[start:end]
    opened = sum((char in _OPENERS) - (char in _CLOSERS) for char in line)
    if opened <= 0:
        return start, end
    indent = len(line) - len(line.lstrip())
    while end < len(text):
        begin = end + 1
        stop = _end_of_line(text, begin)
        inner = text[begin:stop]
        if inner.strip() and len(inner) - len(inner.lstrip()) <= indent:
            return start, stop if inner.strip()[0] in _CLOSERS else end
        end = stop
    return start, len(text)


def _end_of_line(text: str, at: int) -> int:
    found = text.find("\n", at)
    return found if found >= 0 else len(text)
