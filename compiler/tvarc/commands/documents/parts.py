"""A person's page, and its parts that are ours: each is between a line that names the part and one
that ends it. All else on the page stays as it is, byte for byte.

The line that ends a part has a digest of it, which shows whether somebody has changed the part.
"""

from __future__ import annotations

import re

from tvarc.digest import sha256
from tvarc.light import Callable, Final, Iterator, Literal, Sequence, dataclass

_MARK: Final = re.compile(r"[ \t]*<!--[ \t]*tvarc:[ \t]*(?P<words>.*?)[ \t]*-->[ \t]*")
# Within a list fences are indented. What follows backticks has none, or it is code within a line.
_FENCE: Final = re.compile(r"[ \t]*(?P<fence>`{3,}(?=[^`]*$)|~{3,})")
_END: Final = "end"
_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a page: its words, the offsets of the line that begins it, and of what stands
    between that and the line that ends it, with the digest that this has; empty for none."""

    words: tuple[str, ...]
    start: int
    stop: int
    inner: int
    end: int
    after: int
    digest: str

    def is_edited(self, page: str) -> bool:
        """Whether what stands there is something that we have not written."""
        inner = page[self.inner : self.end]
        return bool(inner.strip()) and _digest(inner) != self.digest


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A mark that begins or ends nothing, by the offsets of its line."""

    what: Literal["no end", "no beginning", "no words"]
    start: int
    stop: int


def parts_of(page: str) -> Iterator[Part | Misplaced]:
    """The parts of *page*, and the marks that make none, in order. In fenced code no line is a
    mark: there somebody shows one."""
    begun: tuple[tuple[str, ...], int, int, int] | None = None
    fence = ""
    at = 0
    for line in page.splitlines(keepends=True):
        start, at = at, at + len(line)
        bare = line.rstrip("\r\n")
        found = _FENCE.match(bare)
        if fence:
            closes = found is not None and found["fence"].startswith(fence)
            fence = "" if closes and not bare.strip().strip(fence[0]) else fence
            continue
        if found is not None:
            fence = found["fence"]
            continue
        mark = _MARK.fullmatch(bare)
        if mark is None:
            continue
        words = tuple(mark["words"].split())
        stop = start + len(bare)
        if not words:
            yield Misplaced("no words", start, stop)
        elif words[0] != _END:
            if begun is not None:
                yield Misplaced("no end", begun[1], begun[2])
            begun = (words, start, stop, at)
        elif begun is None:
            yield Misplaced("no beginning", start, stop)
        else:
            digest = words[1] if len(words) > 1 else ""
            yield Part(*begun, start, at, digest)
            begun = None
    if begun is not None:
        yield Misplaced("no end", begun[1], begun[2])


def filled(page: str, parts: Sequence[Part], text: Callable[[Part], str]) -> str:
    """*page* with the *text* of each of its *parts* between its marks."""
    made: list[str] = []
    at = 0
    for part in parts:
        newline = "\r\n" if page[part.start : part.inner].endswith("\r\n") else "\n"
        inner = "\n" + text(part).rstrip("\n") + "\n\n"
        inner = inner.replace("\n", newline)
        ended = page[part.end : part.after]
        indent = ended[: len(ended) - len(ended.lstrip(" \t"))]
        tail = ended[len(ended.rstrip("\r\n")) :]
        made += [page[at : part.inner], inner, f"{indent}{_end(inner)}{tail}"]
        at = part.after
    return "".join([*made, page[at:]])


def begin_mark(words: Sequence[str]) -> str:
    """The line that begins a part."""
    return f"<!-- tvarc: {' '.join(words)} -->"


def empty_part(words: Sequence[str]) -> str:
    """A part in which nothing stands yet, as two lines."""
    return f"{begin_mark(words)}\n<!-- tvarc: {_END} -->\n"


def _end(inner: str) -> str:
    return f"<!-- tvarc: {_END} {_digest(inner)} -->"


def _digest(inner: str) -> str:
    """What tells *inner* from all else; ends of lines do not count, which git may change."""
    return sha256(inner.replace("\r\n", "\n").encode()).hexdigest()[:_DIGITS]
