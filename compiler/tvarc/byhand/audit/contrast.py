"""Two values that differ, in few words, and never in the same."""

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
from tvarc.light import Final

_LENGTH: Final = 60
_BEFORE: Final = 20
_LINE: Final = 80


def contrast(mine: Found, theirs: Found) -> tuple[str, str]:
    """*mine* and *theirs*, which differ, as a person reads them. Where they are too long, or are
    shown alike, what is alike in them is left out."""
    whole = (show_whole(mine), show_whole(theirs))
    if whole[0] != whole[1] and whole == (show(mine), show(theirs)):
        return whole
    label, one, other = _inmost("", mine, theirs)
    shown = (show_whole(one), show_whole(other))
    if shown[0] == shown[1]:  # they differ in blanks
        shown = (show_exactly(one), show_exactly(other))
    return _apart(label, *shown)


def lines_apart(mine: str, theirs: str) -> tuple[str, str]:
    """Two lines that differ; where they are too long, what is alike in them is left out."""
    return (mine, theirs) if max(len(mine), len(theirs)) <= _LINE else _apart("", mine, theirs)


def _inmost(label: str, mine: Found, theirs: Found) -> tuple[str, Found, Found]:
    """The one part in which two values differ, and how it is called; of several the first."""
    match mine, theirs:
        case Added(_, one, here), Added(_, other, there) if not here and not there:
            return _inmost(label, one, other)
        case Fetched(function, one_of), Fetched(name, other_of) if function == name:
            return _entry(function, one_of, other_of, mine, theirs)
        case Table(one_of), Table(other_of):
            return _entry("", one_of, other_of, mine, theirs)
        case tuple(), tuple() if len(mine) == len(theirs):
            for one, other in zip(mine, theirs, strict=True):
                if canonical(one) != canonical(other):
                    return _inmost(label, one, other)
        case _:
            pass
    return label, mine, theirs


def _entry(
    function: str,
    mine: tuple[tuple[str, Found], ...],
    theirs: tuple[tuple[str, Found], ...],
    one: Found,
    other: Found,
) -> tuple[str, Found, Found]:
    has, wants = dict(mine), dict(theirs)
    for key in sorted(has.keys() & wants.keys()):
        if canonical(has[key]) != canonical(wants[key]):
            return _inmost(f"{function} … {key} = ".lstrip(), has[key], wants[key])
    for key in sorted(has.keys() ^ wants.keys()):
        entry = ((key, has.get(key, wants.get(key))),)
        here, there = Table(entry), Table(())
        words = f"{function} … ".lstrip()
        return (words, here, there) if key in has else (words, there, here)
    return "", one, other


def _apart(label: str, mine: str, theirs: str) -> tuple[str, str]:
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
