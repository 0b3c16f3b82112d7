"""A document algebra: text, line breaks, nesting and choices, rendered to a fixed width.

A document is a string (text without line ends) or one of the nodes below. Every node carries
its *flat* text, the form on one line, or None when it has to span several lines or is wider
than a line may be. So the question "does it fit?" is a comparison of lengths, and what fits
is written as one string. Build nodes with the functions at the end, never directly.

The renderer keeps its own stack and takes time linear in the size of the document, as the
look ahead for what must stay on a line ends at the width.
"""

from __future__ import annotations

from tvarc.light import assert_never, dataclass

WIDTH = 100
"""The widest line, in code points."""

INDENT = 2
"""The blanks that one nesting adds."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line break; its flat text (None for a break that is always one) replaces it when flat."""

    flat: str | None


@dataclass(frozen=True, slots=True)
class Concat:
    parts: tuple[Doc, ...]
    flat: str | None


@dataclass(frozen=True, slots=True)
class Nest:
    """Lines that begin within the parts are indented one step further."""

    parts: tuple[Doc, ...]
    flat: str | None


@dataclass(frozen=True, slots=True)
class Group:
    """On one line if that fits, else with every line break that is directly inside it."""

    parts: tuple[Doc, ...]
    flat: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Flat if that fits; else `compact`, broken, if its first line fits; else `expanded`."""

    compact: Doc
    expanded: Doc
    flat: str | None


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A paragraph, each line of which begins with `prefix`; it is followed by a line break.

    A line that fits keeps its inner blanks; else the words fill lines to the width.
    """

    prefix: str
    line: str
    flat: None = None


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Text of several lines that is written as it is, whatever the indentation."""

    text: str
    flat: None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """A place, on lines of its own, for what is rendered by itself; see `render_around`."""

    name: str
    flat: None = None


Doc = str | Line | Concat | Nest | Group | Choice | Wrapped | Verbatim | Slot

LINE = Line(" ")
SOFTLINE = Line("")
HARDLINE = Line(None)


def flat_text(doc: Doc) -> str | None:
    """The form on one line, or None when there is none or it is wider than a line."""
    return doc if isinstance(doc, str) else doc.flat


def concat(*parts: Doc) -> Doc:
    """The parts one after the other; only text gives text, of any width."""
    for part in parts:
        if not isinstance(part, str):
            return Concat(parts, _join(parts))
    return "".join(parts)  # type: ignore[arg-type]  # the loop has seen that all are text


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


def _join(parts: tuple[Doc, ...]) -> str | None:
    texts: list[str] = []
    room = WIDTH
    for part in parts:
        text = part if isinstance(part, str) else part.flat
        if text is None:
            return None
        room -= len(text)
        if room < 0:
            return None
        texts.append(text)
    return "".join(texts)


_Frame = tuple[tuple[Doc, ...], int, int]
"""Parts of a broken document, the index of the next one, and the indentation of its lines."""


def render(doc: Doc, indent: int = 0) -> str:
    """The text of a document, without blanks at line ends other than those that texts have.

    Its first line, like those within, begins with *indent* blanks.
    """
    out: list[str] = []
    slots = _render(doc, indent, out)
    assert not slots
    return "".join(out)


def render_around(doc: Doc) -> tuple[list[str], list[tuple[str, int]]]:
    """The texts before, between and after the slots of a document, and the slots, each with the
    indentation of its lines.

    A line break is part of what stands in a slot: one before each line, none after the last.
    """
    out: list[str] = []
    texts: list[str] = []
    slots: list[tuple[str, int]] = []
    start = 0
    for slot, end in _render(doc, 0, out):
        # The line break before the slot is the last that was written.
        texts.append("".join(out[start : end - 1]))
        slots.append((slot.name, slot.indent))
        start = end
    texts.append("".join(out[start:]))
    return texts, slots


class _Found:
    """A slot that has been rendered, at an indentation."""

    __slots__ = ("indent", "name")

    def __init__(self, name: str, indent: int) -> None:
        self.name = name
        self.indent = indent


def _render(doc: Doc, indent: int, out: list[str]) -> list[tuple[_Found, int]]:
    """Append the text of *doc* to *out*; the slots in it, and how long *out* was at each."""
    write = out.append
    slots: list[tuple[_Found, int]] = []
    stack: list[_Frame] = []
    parts: tuple[Doc, ...] = (doc,)
    index = 0
    column = start = indent
    fresh = True  # nothing stands on the line yet; its indentation is written with the first text
    while True:
        if index == len(parts):
            if not stack:
                return slots
            parts, index, indent = stack.pop()
            continue
        item = parts[index]
        index += 1
        text: str | None = None
        match item:
            case str():
                text = item
            case Line():
                write("\n")
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
                text = _wrap(item, column)
            case Verbatim():
                text = item.text
            case Slot():
                slots.append((_Found(item.name, indent), len(out)))
            case _:
                assert_never(item)
        if text:
            if fresh:
                if start:
                    write(" " * start)
                fresh = False
            write(text)
            column += len(text)
            if isinstance(item, Verbatim):
                column = len(text) - text.rfind("\n") - 1


def _fits(column: int, flat: str, parts: tuple[Doc, ...], index: int, stack: list[_Frame]) -> bool:
    """Whether the flat text and all that follows up to the next possible break fits."""
    room = WIDTH - column - len(flat)
    return room >= 0 and _first_line_fits(room, parts, index, stack)


def _first_line_fits(room: int, parts: tuple[Doc, ...], index: int, stack: list[_Frame]) -> bool:
    """Whether what comes next, broken wherever it may be, fits up to its first line end."""
    depth = len(stack)
    inner: list[tuple[tuple[Doc, ...], int]] = []
    while room >= 0:
        if index == len(parts):
            if inner:
                parts, index = inner.pop()
            elif depth:
                depth -= 1
                parts, index, _ = stack[depth]
            else:
                return True
            continue
        item = parts[index]
        index += 1
        match item:
            case str():
                room -= len(item)
            case Line() | Wrapped() | Slot():
                return True
            case Verbatim():
                return item.text.find("\n") <= room
            case Concat() | Nest() | Group():
                inner.append((parts, index))
                parts, index = item.parts, 0
            case Choice():
                inner.append((parts, index))
                parts, index = (item.compact,), 0
            case _:
                assert_never(item)
    return False


def _wrap(item: Wrapped, column: int) -> str:
    return wrapped(item.prefix, item.line, column)


def wrapped(prefix: str, line: str, column: int = 0) -> str:
    """The text of a paragraph that begins at *column*; see `Wrapped`."""
    line = line.rstrip(" ")
    room = max(WIDTH - column - len(prefix), 1)
    if len(line) <= room:
        return (prefix + line).rstrip(" ")
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
