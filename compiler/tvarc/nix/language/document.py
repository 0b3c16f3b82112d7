"""A document algebra: text, line breaks, nesting and choices, rendered to a fixed width.

A document is a text without line ends (a string, or `Open` if it has late parts) or one of the
nodes below. Every node has its *flat* text, the form on one line. It is None if the node needs
several lines or is wider than a line may be. So the question "does it fit?" is a comparison of
lengths, and a document that fits is written as one text. The functions at the end build nodes;
never build them directly.

A text may be `Tagged` with its provenance. It has the same layout as any text, and texts that are
joined from it are tagged, too. `render_around` joins the tags of each line.

The renderer has its own stack. Its time is linear in the size of the document, because it looks
ahead no further than the width.
"""

from __future__ import annotations

from itertools import pairwise

from tvarc.light import TYPE_CHECKING, Sequence, assert_never, dataclass, replace
from tvarc.nix.language.late import TEXT, MappedLine, Open, Printed, Text
from tvarc.text.diagnostics.model import CompilerBug

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines

WIDTH = 100
"""The widest line, in code points."""

INDENT = 2
"""The blanks that one level of nesting adds."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line break. On one line its flat text replaces it; None for a break that always breaks."""

    flat: str | None


@dataclass(frozen=True, slots=True)
class Concat:
    parts: tuple[Doc, ...]
    flat: Text | None


@dataclass(frozen=True, slots=True)
class Nest:
    """Lines that begin inside the parts are indented one level further."""

    parts: tuple[Doc, ...]
    flat: Text | None


@dataclass(frozen=True, slots=True)
class Group:
    """On one line if that fits. Otherwise every line break directly inside it breaks."""

    parts: tuple[Doc, ...]
    flat: Text


@dataclass(frozen=True, slots=True)
class Choice:
    """Flat if that fits. Otherwise `compact`, broken, if its first line fits. Otherwise `expanded`.
    """

    compact: Doc
    expanded: Doc
    flat: Text | None


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A paragraph with a line break after it. Each of its lines begins with `prefix`.

    A line that fits keeps its inner blanks. Otherwise the words fill lines up to the width.
    """

    prefix: str
    line: str
    flat: None = None


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Text of several lines that is written unchanged, whatever the indentation."""

    text: str
    flat: None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot, on lines of its own, for text that is rendered separately; see `render_around`."""

    name: str
    flat: None = None


Doc = Text | Line | Concat | Nest | Group | Choice | Wrapped | Verbatim | Slot

LINE = Line(" ")
SOFTLINE = Line("")
HARDLINE = Line(None)


def flat_text(doc: Doc) -> Text | None:
    """The form on one line, or None if there is none or it is wider than a line."""
    return doc if isinstance(doc, str) else doc.flat


def concat(*parts: Doc) -> Doc:
    """The parts, joined. If all are text, the result is text, of any width."""
    for part in parts:
        if type(part) is not str:
            return _concat(parts)
    return "".join(parts)  # type: ignore[arg-type]  # the loop has seen that all are text


def _concat(parts: tuple[Doc, ...]) -> Doc:
    texts = [part for part in parts if isinstance(part, TEXT)]
    if len(texts) < len(parts):
        return Concat(parts, _join(parts))
    return _joined(texts)


def _joined(texts: Sequence[Text]) -> Text:
    """The texts as one, with the source lines of all of them."""
    plain = [one for one in texts if isinstance(one, str)]
    if len(plain) < len(texts):
        return Open.of(texts)
    from tvarc.values.provenance import like

    return like("".join(plain), *plain)


def nest(*parts: Doc) -> Doc:
    return Nest(parts, _join(parts))


def group(*parts: Doc) -> Doc:
    flat = _join(parts)
    if flat is None:  # it never fits, so there is nothing to decide
        return parts[0] if len(parts) == 1 else Concat(parts, None)
    return Group(parts, flat)


def choice(compact: Doc, expanded: Doc) -> Doc:
    return Choice(compact, expanded, flat_text(compact))


def broken(doc: Doc) -> Doc:
    """The document with the line breaks directly inside it broken, even if it would fit."""
    return Concat(doc.parts, doc.flat) if isinstance(doc, Group) else doc


def separated(separator: Doc, docs: list[Doc]) -> list[Doc]:
    """The documents with the separator between each two."""
    parts: list[Doc] = [separator] * (2 * len(docs) - 1)
    parts[::2] = docs
    return parts


def _join(parts: tuple[Doc, ...]) -> Text | None:
    texts: list[Text] = []
    room = WIDTH
    plain = True
    for part in parts:
        text = part if isinstance(part, str) else part.flat
        if text is None:
            return None
        room -= len(text)
        if room < 0:
            return None
        if type(text) is not str:
            plain = False
        texts.append(text)
    return "".join(texts) if plain else _joined(texts)  # type: ignore[arg-type]


class AsksWidth(Exception):
    """The layout depends on the width of a late part of a text."""


def is_unsure(text: Text) -> bool:
    """Whether only the least width of *text* is known."""
    return type(text) is Open and not text.sure


_Frame = tuple[tuple[Doc, ...], int, int]
"""Parts of a broken document, the index of the next one, and the indentation of its lines."""


def render(doc: Doc, indent: int = 0) -> str:
    """The text of a document without late parts and slots. The only blanks at line ends are those
    that its texts have.

    Its first line, like those inside it, begins with *indent* blanks.
    """
    out: list[Text] = []
    slots = _render(doc, indent, out)
    assert not slots
    return "".join(out)  # type: ignore[arg-type]


class LineMap:
    """The source lines that made each line of a text, and those of the text around it. The text
    after the last line end counts as a line."""

    __slots__ = ("around", "made")

    def __init__(self) -> None:
        self.made: list[Lines] = [0]
        self.around: list[Lines] = [0]

    def add(self, text: Text, item: Doc) -> None:
        """Note *text*, which is written for *item*."""
        if isinstance(text, Open):
            text = text.tagged
        marked = item.line if isinstance(item, Wrapped) else text
        made = around = 0
        if type(marked) is not str:
            from tvarc.values.provenance import marks_of

            made, around = marks_of(marked)
            self.made[-1] |= made
            self.around[-1] |= around
        breaks = text.count("\n")
        if breaks:
            self.made += [made] * breaks
            self.around += [around] * breaks

    def end_line(self) -> None:
        self.made.append(0)
        self.around.append(0)

    def part(self, start: int, end: int) -> list[MappedLine]:
        """The source lines of the lines from *start* to *end*."""
        return list(zip(self.made[start:end], self.around[start:end], strict=True))


def tagged(doc: Doc, made: Lines, around: Lines) -> Doc:
    """*doc*, with *made* added to the lines of each of its parts. Parts without lines so far also
    get *around*."""
    return _Tagging(made, around).of(doc)


class _TaggedParts(tuple["Doc", ...]):
    """Parts of a document whose texts are all tagged."""

    __slots__ = ()


class _Tagging:
    """Adds tags to a document. A part that is in several forms of it, such as both sides of a
    choice, is tagged once. Otherwise each node around it would double the work. Parts that an inner
    node has tagged are visited again only to add `made`, because `around` changes nothing there."""

    __slots__ = ("_around", "_known", "_made", "_tagged")

    def __init__(self, made: Lines, around: Lines) -> None:
        from tvarc.values.provenance import Tagged

        self._tagged = Tagged
        self._made = made
        self._around = around
        self._known: dict[int, tuple[Doc, Doc]] = {}  # by the identity of a document, which is kept

    def of(self, doc: Doc) -> Doc:
        if isinstance(doc, str):
            return self.text(doc)
        known = self._known.get(id(doc))
        if known is None:
            known = self._known[id(doc)] = (doc, self._of(doc))
        return known[1]

    def text(self, text: str) -> str:
        if isinstance(text, self._tagged):
            return self._tagged(str(text), text.made | self._made, text.around)
        return self._tagged(text, self._made, self._around)

    def parts(self, parts: tuple[Doc, ...]) -> tuple[Doc, ...]:
        if not self._made and isinstance(parts, _TaggedParts):
            return parts
        return _TaggedParts(map(self.of, parts))

    def _of(self, doc: Doc) -> Doc:
        match doc:
            case str():
                return self.text(doc)
            case Open():
                return replace(doc, tagged=self.text(doc.tagged))
            case Concat():
                parts = self.parts(doc.parts)
                return Concat(parts, None if doc.flat is None else _join(parts))
            case Nest():
                parts = self.parts(doc.parts)
                return Nest(parts, None if doc.flat is None else _join(parts))
            case Group():
                parts = self.parts(doc.parts)
                return Group(parts, _join(parts) or doc.flat)
            case Choice():
                compact = self.of(doc.compact)
                flat = None if doc.flat is None else flat_text(compact)
                return Choice(compact, self.of(doc.expanded), flat)
            case Wrapped():
                return Wrapped(doc.prefix, self.text(doc.line))
            case Verbatim():
                return Verbatim(self.text(doc.text))
            case Line() | Slot():
                return doc
            case _:
                assert_never(doc)


def on_one_line(doc: Doc) -> str:
    """The text of a document with a blank for each line break, whatever its width."""
    match doc:
        case str():
            return doc
        case Line():
            return " " if doc.flat is None else doc.flat
        case Concat() | Nest() | Group():
            return "".join(map(on_one_line, doc.parts))
        case Choice():
            return on_one_line(doc.compact)
        case Wrapped() | Verbatim() | Slot() | Open():
            raise CompilerBug("this does not go on one line")
        case _:
            assert_never(doc)


def render_around(
    doc: Doc, indent: int = 0, *, mapped: bool = False
) -> tuple[list[Printed], list[tuple[str, int]]]:
    """The texts before, between and after the slots of a document, which itself is indented, and
    the slots, each with the indentation of its lines. With *mapped*, the texts have source lines.

    Line breaks belong to the text of a slot: there is one before each of its lines, and none after
    the last.
    """
    out: list[Text] = []
    lines = LineMap() if mapped else None
    found = _render(doc, indent, out, lines)
    texts: list[list[Text]] = []
    after = 0
    for _, end in found:
        # The line break before the slot was written last.
        texts.append(out[after : end - 1])
        after = end
    texts.append(out[after:])
    slots = [(slot.name, slot.indent) for slot, _ in found]
    if lines is None:
        return list(map(Printed, texts)), slots
    starts = pairwise([0, *[slot.line for slot, _ in found], len(lines.made)])
    maps = [lines.part(start, end) for start, end in starts]
    return list(map(Printed, texts, maps)), slots


@dataclass(slots=True, eq=False)
class _Found:
    """A rendered slot with its indentation. `line` is the number of line ends before it."""

    name: str
    indent: int
    line: int


def _render(
    doc: Doc, indent: int, out: list[Text], lines: LineMap | None = None
) -> list[tuple[_Found, int]]:
    """Append the text of *doc* to *out*. The result is its slots, each with the length of *out*
    there. *lines* gets the source lines of each line."""
    write = out.append
    slots: list[tuple[_Found, int]] = []
    stack: list[_Frame] = []
    parts: tuple[Doc, ...] = (doc,)
    index = 0
    column = start = indent
    fresh = True  # whether the line is empty; its indentation is written with its first text
    while True:
        if index == len(parts):
            if not stack:
                return slots
            parts, index, indent = stack.pop()
            continue
        item = parts[index]
        index += 1
        text: Text | None = None
        match item:
            case str():
                text = item
            case Line():
                write("\n")
                if lines is not None:
                    lines.end_line()
                fresh = True
                column = start = indent
            case Concat():
                stack.append((parts, index, indent))
                parts, index = item.parts, 0
            case Nest():
                stack.append((parts, index, indent))
                parts, index = item.parts, 0
                indent += INDENT
            case Group():
                if _fits(column, item.flat, parts, index, stack):
                    text = item.flat
                else:
                    stack.append((parts, index, indent))
                    parts, index = item.parts, 0
            case Choice():
                if item.flat is not None and _fits(column, item.flat, parts, index, stack):
                    text = item.flat
                else:
                    stack.append((parts, index, indent))
                    hugs = _first_line_fits(WIDTH - column, (item.compact,), 0, stack)
                    parts, index = ((item.compact if hugs else item.expanded),), 0
            case Wrapped():
                text = wrapped(item.prefix, item.line, column)
            case Verbatim():
                text = item.text
            case Slot():
                line = len(lines.made) - 1 if lines is not None else 0
                slots.append((_Found(item.name, indent, line), len(out)))
            case Open():
                text = item
            case _:
                assert_never(item)
        if text:
            if fresh:
                if start:
                    write(" " * start)
                fresh = False
            write(text)
            if lines is not None:
                lines.add(text, item)
            column += len(text)
            if isinstance(item, Verbatim):
                column = len(text) - item.text.rfind("\n") - 1


def _fits(column: int, flat: Text, parts: tuple[Doc, ...], index: int, stack: list[_Frame]) -> bool:
    """Whether the flat text, and the text after it up to the next possible break, fits."""
    room = WIDTH - column - len(flat)
    if room < 0 or not _first_line_fits(room, parts, index, stack):
        return False
    if is_unsure(flat):
        raise AsksWidth
    return True


def _first_line_fits(room: int, parts: tuple[Doc, ...], index: int, stack: list[_Frame]) -> bool:
    """Whether the next document fits up to its first line end, if every break may break."""
    depth = len(stack)
    inner: list[tuple[tuple[Doc, ...], int]] = []
    late = False
    while room >= 0:
        if index == len(parts):
            if inner:
                parts, index = inner.pop()
            elif depth:
                depth -= 1
                parts, index, _ = stack[depth]
            else:
                return _sure(late)
            continue
        item = parts[index]
        index += 1
        match item:
            case str():
                room -= len(item)
            case Line() | Wrapped() | Slot():
                return _sure(late)
            case Verbatim():
                return item.text.find("\n") <= room and _sure(late)
            case Concat() | Nest() | Group():
                inner.append((parts, index))
                parts, index = item.parts, 0
            case Choice():
                inner.append((parts, index))
                parts, index = (item.compact,), 0
            case Open():
                room -= item.width
                late = late or not item.sure
            case _:
                assert_never(item)
    return False


def _sure(late: bool) -> bool:
    """True for a text that fits. A text with late parts may not fit."""
    if late:
        raise AsksWidth
    return True


def wrapped(prefix: str, line: str, column: int = 0) -> str:
    """The text of a paragraph that begins at *column* (`Wrapped`)."""
    line = line.rstrip(" ")
    room = WIDTH - column - len(prefix)
    if 0 < len(line) <= room:  # the usual case
        return prefix + line
    if not line:
        return prefix.rstrip(" ")
    room = max(room, 1)
    rest = " ".join(line.split())
    lines: list[str] = []
    while len(rest) > room:
        end = rest.rfind(" ", 0, room + 1)
        if end < 0:  # a word that is wider than a line
            end = rest.find(" ")
        if end < 0:
            break
        lines.append(prefix + rest[:end])
        rest = rest[end + 1 :]
    lines.append(prefix + rest)
    return ("\n" + " " * column).join(lines)
