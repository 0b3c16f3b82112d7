"""Did you mean …? The nearest of some known words, for messages."""

from __future__ import annotations

from posixpath import commonprefix

from tvarc.light import Iterable

_LONGEST = 64  # a longer word is no slip of the keyboard


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that differs least from *word*, or None when none is near.

    Near means one change (a letter more, less, other, or two swapped) in each three letters,
    one at least. Of equals one of the very letters of *word*, then the one that begins most like
    it, then the first in alphabetical order: the order of the candidates never matters. Case
    counts for nothing.
    """
    if not word or len(word) > _LONGEST:
        return None
    small = word.lower()
    best: tuple[int, bool, int, str] | None = None
    for candidate in candidates:
        if not candidate or candidate == word or len(candidate) > _LONGEST:
            continue
        limit = max(1, max(len(word), len(candidate)) // 3)
        if len(word) == 1 and len(candidate) == 1:
            limit = 0  # any one letter is near any other
        if best is not None:
            limit = min(limit, best[0])
        distance = _distance(small, candidate.lower(), limit)
        if distance > limit:
            continue
        other = candidate.lower()
        alike = len(commonprefix((small, other)))
        found = (distance, sorted(small) != sorted(other), -alike, candidate)
        if best is None or found < best:
            best = found
    return best[3] if best is not None else None


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """The question for a message's help, or the empty string when nothing is near."""
    found = nearest(word, candidates)
    return f"did you mean `{found}`?" if found is not None else ""


def _distance(first: str, second: str, limit: int) -> int:
    """Changes from *first* to *second* (a swap of neighbours is one); above *limit*, limit + 1."""
    if abs(len(first) - len(second)) > limit:
        return limit + 1
    before: list[int] = []
    above = list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        current = [row]
        for column, other in enumerate(second, 1):
            cost = min(above[column] + 1, current[-1] + 1, above[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == second[column - 2] and first[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        if min(current) > limit:
            return limit + 1
        before, above = above, current
    return above[-1]
