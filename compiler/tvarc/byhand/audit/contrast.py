"""Two values that differ: in which parts, and in few words that are never the same."""

from __future__ import annotations

from tvarc.byhand.audit.model import (
    Added,
    Fetched,
    Found,
    Table,
    canonical,
    show,
    show_exactly,
    show_whole,
)
from tvarc.light import Final, Iterator, Mapping, dataclass

_LENGTH: Final = 60
_BEFORE: Final = 20
_LINE: Final = 80


@dataclass(frozen=True, slots=True)
class Apart:
    """Two parts in the same place of two values: the place in words, and each part."""

    label: str
    mine: Found
    theirs: Found


def contrast(mine: Found, theirs: Found) -> tuple[str, str]:
    """*mine* and *theirs*, which differ, as a person reads them. Where they are too long, or are
    shown alike, what is alike in them is left out."""
    whole = (show_whole(mine), show_whole(theirs))
    if whole[0] != whole[1] and whole == (show(mine), show(theirs)):
        return whole
    first = next(apart(mine, theirs), Apart("", mine, theirs))
    shown = (show_whole(first.mine), show_whole(first.theirs))
    if shown[0] == shown[1]:  # they differ in blanks
        shown = (show_exactly(first.mine), show_exactly(first.theirs))
    return _cut(first.label, *shown)


def lines_apart(mine: str, theirs: str) -> tuple[str, str]:
    """Two lines that differ; where they are too long, what is alike in them is left out."""
    return (mine, theirs) if max(len(mine), len(theirs)) <= _LINE else _cut("", mine, theirs)


def apart(mine: Found, theirs: Found, label: str = "") -> Iterator[Apart]:
    """The parts in which two values differ. Parts of values of one form are compared by their
    place in it; values of different forms differ as a whole. The *label* is that of the whole."""
    if canonical(mine) == canonical(theirs):
        return
    parts: list[Apart] = []
    match mine, theirs:
        case Added(_, one, here), Added(_, other, there) if here == there:
            parts = list(apart(one, other, label))
        case Fetched(function, has), Fetched(name, wants) if function == name:
            parts = list(_entries(f"{function} … ", dict(has), dict(wants)))
        case Table(has), Table(wants):
            parts = list(_entries("… ", dict(has), dict(wants)))
        case tuple(), tuple() if len(mine) == len(theirs):
            for pair in zip(mine, theirs, strict=True):
                parts += apart(*pair, label)
        case _:
            pass
    yield from parts or [Apart(label, mine, theirs)]


def _entries(words: str, has: Mapping[str, Found], wants: Mapping[str, Found]) -> Iterator[Apart]:
    """The entries in which two sets differ, first of those that both have."""
    for key in sorted(has.keys() & wants.keys()):
        yield from apart(has[key], wants[key], f"{words}{key} = ")
    for key in sorted(has.keys() ^ wants.keys()):
        here, there = (Table(((key, one[key]),) if key in one else ()) for one in (has, wants))
        yield Apart(words, here, there)


def _cut(label: str, mine: str, theirs: str) -> tuple[str, str]:
    """Both texts, each cut to the part around the place where they begin to differ."""
    same = 0
    for one, other in zip(mine, theirs, strict=False):
        if one != other:
            break
        same += 1
    start = max(0, same - _BEFORE) if max(len(mine), len(theirs)) > _LENGTH else 0

    def part(text: str) -> str:
        begin = "… " if start else ""
        end = " …" if len(text) > start + _LENGTH else ""
        return f"{label}{begin}{text[start : start + _LENGTH]}{end}"

    return part(mine), part(theirs)
