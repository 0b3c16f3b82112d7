"""Markdown as data, and its only printer: no other module escapes or lays out Markdown."""

from __future__ import annotations

import re

from tvarc.light import Iterable, Iterator, Sequence, assert_never, dataclass
from tvarc.text.diagnostics.log_commands import without_commands
from tvarc.text.diagnostics.render_cells import safe

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>|~&]|(?<=#)#")
# Characters that begin a block at the start of a line.
_OPENING = re.compile(r"(?=[#+\-=:])|(?<=\d)(?=[.)](?:\s|$))")
_TICKS = re.compile(r"`+")
_KNOWN = 1 << 12  # cells of a table whose texts are kept


@dataclass(frozen=True, slots=True)
class Text:
    """Words for reading."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Words for typing; not empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead to `target`: an address without blanks, or `#anchor`."""

    text: str
    target: str


Inline = Text | Code | Link
Line = tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """`level` is 1 for the title of a page."""

    level: int
    line: Line


@dataclass(frozen=True, slots=True)
class Paragraph:
    line: Line


@dataclass(frozen=True, slots=True)
class Bullets:
    items: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """All rows are as long as the head."""

    head: tuple[Line, ...]
    rows: tuple[tuple[Line, ...], ...]


@dataclass(frozen=True, slots=True)
class Fenced:
    """Unchanged lines, coloured as text of `language`, such as `diff`."""

    language: str
    lines: tuple[str, ...]


Block = Heading | Paragraph | Bullets | Table | Fenced


def print_markdown(blocks: Iterable[Block]) -> str:
    """The text of a page, ended by a newline."""
    return "\n\n".join("\n".join(_block(block)) for block in blocks) + "\n"


def prose(text: str) -> Line:
    """Plain words, in which text between backticks is code."""
    found: list[Inline] = []
    for number, part in enumerate(text.split("`")):
        if part:
            found.append(Code(part) if number % 2 else Text(part))
    return tuple(found)


def _block(block: Block) -> Iterator[str]:
    match block:
        case Heading():
            yield "#" * block.level + " " + _line(block.line)
        case Paragraph():
            yield _opened(block.line)
        case Bullets():
            for item in block.items:
                yield "- " + _opened(item)
        case Table():
            known: dict[Line, str] = {}
            yield _row(block.head, known)
            yield "|" + "---|" * len(block.head)
            for row in block.rows:
                yield _row(row, known)
                if len(known) > _KNOWN:
                    known.clear()
        case Fenced():
            fence = _fence("\n".join(block.lines), 3)
            yield fence + block.language
            yield from (without_commands(safe(line)) for line in block.lines)
            yield fence
        case _:
            assert_never(block)


def _row(cells: Sequence[Line], known: dict[Line, str]) -> str:
    """A row of a table. *known* is a cache of the texts of cells, because columns repeat values."""
    for cell in cells:
        if cell not in known:
            known[cell] = _cell(cell)
    return "|" + "".join([f" {text} |" if (text := known[cell]) else "  |" for cell in cells])


def _cell(line: Line) -> str:
    """In a table a `|` ends the cell, even within code."""
    return "".join(
        _inline(one).replace("|", "\\|") if isinstance(one, Code) else _inline(one) for one in line
    )


def _opened(line: Line) -> str:
    """A line of text. Its beginning is escaped if it would start another kind of block."""
    text = _line(line)
    if not line or not isinstance(line[0], Text):
        return text
    return _OPENING.sub(r"\\", text[:12], count=1) + text[12:] if _opens(text) else text


def _opens(text: str) -> bool:
    return re.match(r"[#+\-=:]|\d{1,9}[.)](?:\s|$)", text) is not None


def _line(line: Line) -> str:
    return "".join(map(_inline, line))


def _inline(inline: Inline) -> str:
    match inline:
        case Text():
            return _escaped(inline.text)
        case Code():
            # Code has no escapes, unlike words, in which `\#` is one.
            return _code(without_commands(safe(" ".join(inline.text.split()))))
        case Link():
            return f"[{_escaped(inline.text)}]({inline.target})"
        case _:
            assert_never(inline)


def _escaped(text: str) -> str:
    """*text* as words, without markup, control characters, or commands of a log."""
    return _SPECIAL.sub(r"\\\g<0>", safe(" ".join(text.split("\n"))))


def _code(text: str) -> str:
    """*text* between more backticks than it has in a row. A blank separates its own backticks from
    these."""
    fence = _fence(text, 1)
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{blank}{text}{blank}{fence}"


def _fence(text: str, least: int) -> str:
    """At least *least* backticks, and more than *text* has in a row."""
    return "`" * max([least, *(len(run) + 1 for run in _TICKS.findall(text))])
