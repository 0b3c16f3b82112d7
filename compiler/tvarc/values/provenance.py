"""The provenance of values: the source lines of a value, and of each part of it.

A set of lines is an int with one bit for each line; see `Numbering`. Without tracing, this module
is not loaded, and the nodes that carry provenance have None.
"""

from __future__ import annotations

from tvarc.light import Final, Iterator, Mapping, Sequence, dataclass
from tvarc.text.source import SourceMap, Span
from tvarc.values.value import NixText, Value

Lines = int
"""A set of source lines and of names of decided values. A `Numbering` assigns the bits."""

Run = tuple[int | None, Lines]
"""A piece of a text: its number of characters (None for a part that only Nix knows), and its lines.
"""


@dataclass(frozen=True, slots=True)
class Prov:
    """The provenance of a value.

    - `own`: the lines that reach all of the value.
    - `items`: the provenance of a list's elements, a record's entries, or a call's arguments.
    - `rope`: the pieces of a text, in order.
    - `head`: the lines on which the writes of a setting begin, and those of their conditions.
    - `opens`: the lines of `head` that reach all of the setting, including its name: the blocks
      around the writes, their conditions, and a first line without any of the value.
    """

    own: Lines
    items: tuple[Prov, ...] | None = None
    rope: tuple[Run, ...] | None = None
    head: Lines = 0
    opens: Lines = 0

    @property
    def all(self) -> Lines:
        """All lines of the value and of its parts."""
        found = self.own
        for item in self.items or ():
            found |= item.all
        for _, lines in self.rope or ():
            found |= lines
        return found

    def under(self, lines: Lines) -> Prov:
        """A copy in which *lines* reach all of the value."""
        if self.own | lines == self.own:
            return self
        return Prov(self.own | lines, self.items, self.rope, self.head, self.opens)

    def headed(self, head: Lines, opens: Lines = 0) -> Prov:
        """A copy with *head* and *opens* added."""
        return Prov(self.own, self.items, self.rope, self.head | head, self.opens | opens)

    def headed_as(self, *others: Prov) -> Prov:
        """A copy with the heads of *others* added."""
        head, opens = self.head, self.opens
        for one in others:
            head |= one.head
            opens |= one.opens
        return Prov(self.own, self.items, self.rope, head, opens)

    def flat(self) -> Prov:
        """A copy for a value whose parts can no longer be distinguished."""
        return Prov(self.all, head=self.head, opens=self.opens)

    def item(self, number: int) -> Prov:
        """The provenance of one element, entry or argument."""
        if self.items is None or number >= len(self.items):
            return Prov(self.all)
        return self.items[number].under(self.own)

    def runs(self, value: Value) -> tuple[Run, ...]:
        """The provenance of each piece of *value*, a text. Each includes `own`."""
        if self.rope is not None:
            # Equal runs are one object, because a text that `let`s double has many of them.
            own = {run: (run[0], run[1] | self.own) for run in set(self.rope)}
            return tuple([own[run] for run in self.rope])
        parts = value.parts if isinstance(value, NixText) else (value,)
        return tuple([(len(p) if isinstance(p, str) else None, self.all) for p in parts])


Filled = tuple[Mapping[Lines, Lines], ...]
"""The source lines of the texts that a variant fills into late parts, by the bits of these parts.
The last mapping is for its name; the variant shares the others with other variants."""


def all_filled(several: Sequence[Lines], filled: Filled) -> tuple[Lines, ...]:
    """The same sets of lines, in which each bit of a late part is replaced by its lines in
    *filled*."""
    bits = 0
    pairs: list[tuple[Lines, Lines]] = []
    for some in filled:
        for bit, own in some.items():
            bits |= bit
            pairs.append((bit, own))
    return tuple([_filled(one, pairs) if one & bits else one for one in several])


def _filled(lines: Lines, pairs: Sequence[tuple[Lines, Lines]]) -> Lines:
    found = lines
    for bit, own in pairs:
        if lines & bit:
            found = found & ~bit | own
    return found


NOWHERE: Final = Prov(0)


def joined(provs: Sequence[Prov]) -> Prov:
    """The provenance of a list or record. *provs* are those of its elements or entries."""
    return Prov(0, tuple(provs)).headed_as(*provs)


@dataclass(frozen=True, slots=True)
class Places:
    """The provenance of a node of output. `made` are the lines of its value. `around` are the lines
    of the text around it (keys, brackets, heads of blocks). `lines` has a set for each line of a
    text over several lines."""

    made: Lines = 0
    around: Lines = 0
    lines: tuple[Lines, ...] = ()


class Tagged(str):
    """A text for output, with its provenance. A join of such texts has the provenance of all."""

    __slots__ = ("around", "made")

    made: Lines
    around: Lines

    def __new__(cls, text: str, made: Lines, around: Lines) -> Tagged:
        one = str.__new__(cls, text)
        one.made = made
        one.around = around
        return one

    def __add__(self, other: str) -> Tagged:
        made, around = marks_of(other)
        return Tagged(str.__add__(self, other), self.made | made, self.around | around)

    def __radd__(self, other: str) -> Tagged:
        return Tagged(str.__add__(other, self), self.made, self.around)


def marks_of(text: str) -> tuple[Lines, Lines]:
    """The source lines of *text*, and those of the text around it."""
    return (text.made, text.around) if isinstance(text, Tagged) else (0, 0)


def like(text: str, *others: str) -> str:
    """*text*, which was made from *others*, with their source lines."""
    made = around = 0
    for other in others:
        if type(other) is not str:
            more, beside = marks_of(other)
            made |= more
            around |= beside
    return Tagged(text, made, around) if made or around else text


def marked(text: str, made: Lines, around: Lines = 0) -> str:
    """*text* with these lines added to those that it already has."""
    more, beside = marks_of(text)
    return Tagged(text, more | made, beside | around)


Place = tuple[str, int]
"""A source, and the number of a line in it, from 1."""


class Numbering:
    """Numbers the lines of all sources, and the names of decided values. Each has a bit of its own,
    so that a set of them is one int."""

    __slots__ = ("_bases", "_first", "_known", "_next", "_paths", "sources")

    def __init__(self, sources: SourceMap) -> None:
        self.sources = sources
        self._bases: dict[str, tuple[int, int]] = {}  # the first bit, and the number of bits
        self._paths: dict[tuple[str, ...], int] = {}
        self._known: dict[Span, Lines] = {}
        self._first: dict[tuple[str, int], Lines] = {}
        self._next = 0

    def line(self, file: str, number: int) -> Lines:
        """The bit of line *number*, from 1, of *file*; 0 if there is no such source."""
        base = self._base(file)
        return 0 if base is None else 1 << (base + number - 1)

    def first(self, span: Span) -> Lines:
        """The bit of the line on which *span* begins."""
        place = (span.file, span.start)
        known = self._first.get(place)
        if known is None:
            source = self.sources.get(span.file)
            line = source.position(span.start).line if source is not None else 0
            known = self._first[place] = self.line(span.file, line) if line else 0
        return known

    def lines(self, span: Span) -> Lines:
        """The bits of all lines of *span*. Empty lines and comments have no effect, so they are
        left out. In a text over several lines they count."""
        known = self._known.get(span)
        if known is None:
            known = 0
            source, base = self.sources.get(span.file), self._base(span.file)
            if source is not None and base is not None:
                first = source.position(span.start).line
                last = source.position(max(span.start, span.end - 1)).line
                known = ((1 << (last - first + 1)) - 1) << (base + first - 1)
                if last > first and '"""' not in source.text[span.start : span.end]:
                    for number in range(first, last + 1):
                        if source.line(number).lstrip()[:1] in ("", "#"):
                            known &= ~(1 << (base + number - 1))
            self._known[span] = known
        return known

    def value(self, path: tuple[str, ...]) -> Lines:
        """The bit of the name of a decided value."""
        bit = self._paths.get(path)
        if bit is None:
            bit = self._paths[path] = self._next
            self._next += 1
        return 1 << bit

    def another(self) -> Lines:
        """A new bit that is neither a line nor a name."""
        self._next += 1
        return 1 << (self._next - 1)

    def places(self, lines: Lines) -> tuple[Place, ...]:
        """The source lines in a set. They are sorted by source, in the order of loading."""
        found: list[Place] = []
        for file, (base, count) in sorted(
            self._bases.items(), key=lambda one: self.sources.rank(one[0])
        ):
            found += [(file, number + 1) for number in _bits((lines >> base) & ((1 << count) - 1))]
        return tuple(found)

    def values(self, lines: Lines) -> tuple[tuple[str, ...], ...]:
        """The names of values in a set. A value inside another one is after it."""
        return tuple(sorted(path for path, bit in self._paths.items() if lines >> bit & 1))

    def _base(self, file: str) -> int | None:
        known = self._bases.get(file)
        if known is not None:
            return known[0]
        source = self.sources.get(file)
        if source is None:
            return None
        base, count = self._next, len(source.line_starts())
        self._bases[file] = (base, count)
        self._next += count
        return base


def _bits(number: int) -> Iterator[int]:
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
