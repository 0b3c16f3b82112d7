"""The kind of each part of a source, for editors that colour it."""

from __future__ import annotations

import re

from tvarc.blocks import BY_NAME
from tvarc.editor.meanings import Meanings
from tvarc.files.cache import Cache
from tvarc.light import Final, Iterator, Literal, dataclass
from tvarc.meaning.declarations.noted import Meaning
from tvarc.meaning.functions import SIGNATURES
from tvarc.syntax.format.trivia import leaves
from tvarc.syntax.parser import parse_trees
from tvarc.syntax.terminals import FENCED, LITERALS, PUNCTUATION
from tvarc.text.source import Source

PartKind = Literal[
    "comment", "string", "number", "keyword", "namespace", "class", "enum", "enumMember", "struct",
    "property", "variable", "function",
]  # fmt: skip

KINDS: Final[tuple[PartKind, ...]] = (
    "comment", "string", "number", "keyword", "namespace", "class", "enum", "enumMember", "struct",
    "property", "variable", "function",
)  # fmt: skip
"""All kinds, in the order of their numbers."""

_COMMENT: Final = re.compile(r"#[^\r\n]*")
_LINE: Final = re.compile(r"[^\r\n]+")
_OF_MEANING: Final[dict[str, PartKind]] = {
    "axis": "enum",
    "row": "enumMember",
    "field": "property",
    "setting": "property",
    "need": "variable",
    "flag": "variable",
    "element": "variable",
}
_OF_SYMBOL: Final[dict[str, PartKind]] = {
    "table": "struct",
    "module": "namespace",
    "let": "variable",
}


@dataclass(frozen=True, slots=True)
class Part:
    """A part of one line. Parts do not overlap."""

    start: int
    end: int
    kind: PartKind


def parts(source: Source, meanings: Meanings, cache: Cache) -> Iterator[Part]:
    """The parts of *source* that have a colour, in their order."""
    names = {
        span.start: Part(span.start, span.end, _kind_of(place.meaning, meanings))
        for span, place in meanings.places.items()
        if span.file == source.file
    }
    text, at = source.text, 0
    for tree in parse_trees(source, cache):
        for leaf in leaves(tree):
            yield from _comments(text, at, leaf.start_pos)
            at = leaf.end_pos
            if leaf.type in ("NAME", "NUMBER"):
                yield from _word(text, leaf.start_pos, at, names.get(leaf.start_pos))
            elif leaf.type in LITERALS:
                inner = [names[one] for one in range(leaf.start_pos, at) if one in names]
                # Text between three quotes is Bash or Nix, which the grammar of the editor colours.
                yield from inner if leaf.type in FENCED else _text(text, leaf.start_pos, at, inner)
            elif leaf.type not in PUNCTUATION:
                yield Part(leaf.start_pos, at, "keyword")
    yield from _comments(text, at, len(text))


def _comments(text: str, start: int, end: int) -> Iterator[Part]:
    for found in _COMMENT.finditer(text, start, end):
        yield Part(found.start(), found.end(), "comment")


def _word(text: str, start: int, end: int, name: Part | None) -> Iterator[Part]:
    """A number, or a name; one with a meaning is *name*."""
    word = text[start:end]
    if name is not None:
        yield name
    elif word[0].isdigit():
        yield Part(start, end, "number")
    elif word in BY_NAME:
        yield Part(start, end, "namespace")
    elif word in SIGNATURES:
        yield Part(start, end, "function")


def _text(text: str, start: int, end: int, names: list[Part]) -> Iterator[Part]:
    """A string, line by line, with the *names* in it."""
    for name in [*names, None]:
        stop = name.start if name is not None else end
        for line in _LINE.finditer(text, start, stop):
            yield Part(line.start(), line.end(), "string")
        if name is not None:
            yield name
            start = name.end


def _kind_of(meaning: Meaning, meanings: Meanings) -> PartKind:
    if meaning[0] in _OF_MEANING:
        return _OF_MEANING[meaning[0]]
    return _OF_SYMBOL.get(meanings.kind_of(meaning[1]), "class")
