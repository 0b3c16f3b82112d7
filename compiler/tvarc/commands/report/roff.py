"""Manual pages as data, and the one printer of roff: nothing else escapes or lays out roff."""

from __future__ import annotations

from tvarc.light import Final, Iterator, Literal, Sequence, assert_never, dataclass

Font = Literal["plain", "bold", "italic"]
_FONTS: Final[dict[Font, str]] = {"plain": "R", "bold": "B", "italic": "I"}


@dataclass(frozen=True, slots=True)
class Run:
    """Words in one font."""

    text: str
    font: Font = "plain"


Words = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Section:
    title: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    words: Words


@dataclass(frozen=True, slots=True)
class Item:
    """What is explained, and below it, indented, the explanation."""

    term: Words
    words: Words


Block = Section | Paragraph | Item


@dataclass(frozen=True, slots=True)
class Page:
    """A page by its name in section 1 of the manual; `source` is what it is a part of. It has no
    day, so that it is the same whenever it is made."""

    name: str
    source: str
    blocks: tuple[Block, ...]


def print_roff(page: Page) -> str:
    """The text of a page, in ASCII, ended by a newline."""
    head = f".TH {_argument(page.name.upper())} 1 {_argument('')} {_argument(page.source)}"
    return "".join(f"{line}\n" for line in (head, *_lines(page.blocks)))


def _lines(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Section():
                yield f".SH {_argument(block.title.upper())}"
            case Paragraph():
                yield ".PP"
                yield _words(block.words)
            case Item():
                yield ".TP"
                yield _words(block.term)
                yield _words(block.words)
            case _:
                assert_never(block)


def _words(words: Words) -> str:
    """*words* as one line: what stands first in it is no request, whatever it is."""
    text = "".join(map(_run, words))
    return f"\\&{text}" if text.startswith((".", "'")) else text


def _run(run: Run) -> str:
    text = _escaped(" ".join(run.text.split("\n")))
    return text if run.font == "plain" else f"\\f{_FONTS[run.font]}{text}\\fR"


def _argument(text: str) -> str:
    """*text* as an argument of a request, in which a quote ends it."""
    return '"' + _escaped(text).replace('"', "\\(dq") + '"'


def _escaped(text: str) -> str:
    """*text* as it is to be read: a plain `-`, quotes and carets are not made typographic."""
    return "".join([_ESCAPES.get(char) or _beyond(char) for char in text])


_ESCAPES: Final = {
    "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti",
}  # fmt: skip


def _beyond(char: str) -> str:
    return char if char.isascii() and char.isprintable() else f"\\[u{ord(char):04X}]"
