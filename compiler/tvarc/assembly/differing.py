"""Which lines of a text are others in another text."""

from __future__ import annotations

from tvarc.light import Sequence, TypeVar

Line = TypeVar("Line", str, bytes)


def differing(before: Sequence[Line], after: Sequence[Line], first: int = 1) -> list[int]:
    """The numbers of the lines of *before* that are others in *after*, from *first* on."""
    if len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True), start=first)
        return [number for number, (one, other) in pairs if one != other]
    # A value was laid out in another way: what is new is found as by any comparison of texts.
    from difflib import SequenceMatcher

    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    most = min(len(before), len(after)) - start
    while end < most and before[-1 - end] == after[-1 - end]:
        end += 1
    changed = before[start : len(before) - end]
    matcher = SequenceMatcher(None, changed, after[start : len(after) - end], autojunk=False)
    return [
        first + start + line
        for kind, one, other, _, _ in matcher.get_opcodes()
        if kind in ("replace", "delete")
        for line in range(one, other)
    ]
