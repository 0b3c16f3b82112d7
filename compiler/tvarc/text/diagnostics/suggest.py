"""Did you mean …? The nearest of some known words, for messages."""

from __future__ import annotations

from posixpath import commonprefix

from tvarc.light import Final, Iterable, dataclass, lru_cache

_LONGEST = 64  # a longer word is no typing error
COMPARED: Final = 40
"""If there are more candidates, only this many are compared letter by letter: those with letters
that are most like those of the word. A program may have thousands of names, and as many unknown
ones."""


@dataclass(frozen=True, slots=True)
class Guess:
    """The known word that the user may have meant, as a field of a message. Empty if no word is
    near. It is `sure` if no other word is as near."""

    word: str = ""
    sure: bool = False

    def __str__(self) -> str:
        return self.word


def guess(word: str, candidates: Iterable[str]) -> Guess:
    """The candidate that differs least from *word*; an empty guess if none is near.

    A candidate is near with one change for every three letters, and at least one. A change is a
    letter more, less or other, or two letters exchanged. Among equals, the one with exactly the
    letters of *word* is best, then the one with the longest common beginning, then the first one in
    alphabetical order. The order of the candidates does not count, and case does not count either.
    """
    if not word or len(word) > _LONGEST:
        return Guess()
    small = word.lower()
    best: tuple[int, bool, int, str] | None = None
    sure = True
    for candidate in _likely(word, candidates):
        limit = _limit(word, candidate)
        if best is not None:
            limit = min(limit, best[0])
        distance = edits_between(small, candidate.lower(), limit)
        if distance > limit:
            continue
        other = candidate.lower()
        alike = len(commonprefix((small, other)))
        found = (distance, sorted(small) != sorted(other), -alike, candidate)
        if best is not None and candidate != best[3]:
            sure = distance < best[0]
        if best is None or found < best:
            best = found
    return Guess(best[3], sure) if best is not None else Guess()


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The word that `guess` finds, or None."""
    return guess(word, candidates).word or None


def _limit(word: str, candidate: str) -> int:
    """The number of changes up to which these two words are near."""
    if len(word) == 1 and len(candidate) == 1:
        return 0  # every letter would be near every other one
    return max(1, max(len(word), len(candidate)) // 3)


def _likely(word: str, candidates: Iterable[str]) -> list[str]:
    """The members of *candidates* that may be near by their lengths and letters. The likeliest is
    first."""
    letters = _letters(word)
    found: list[tuple[int, str]] = []
    for candidate in candidates:
        if not candidate or candidate == word or len(candidate) > _LONGEST:
            continue
        least = abs(len(word) - len(candidate))
        limit = max(1, max(len(word), len(candidate)) // 3)
        if least > limit:
            continue
        others = _letters(candidate)
        # A change removes at most one letter, and adds at most one.
        least = max(least, (letters & ~others).bit_count(), (others & ~letters).bit_count())
        if least <= limit:
            found.append((least, candidate))
    if len(found) > COMPARED:
        small = word.lower()
        ranked = [
            (least, -len(commonprefix((small, candidate.lower()))), candidate)
            for least, candidate in found
        ]
        return [candidate for _, _, candidate in sorted(ranked)[:COMPARED]]
    return [candidate for _, candidate in found]


@lru_cache(maxsize=1 << 14)  # each unknown name is compared with the same words
def _letters(word: str) -> int:
    """The letters of *word* as bits; letters beyond ASCII may share one."""
    bits = 0
    for letter in word.lower():
        bits |= 1 << (ord(letter) & 127)
    return bits


def edits_between(first: str, second: str, limit: int) -> int:
    """The number of changes from *first* to *second*; limit + 1 if there are more than *limit*. An
    exchange of neighbours is one change."""
    if abs(len(first) - len(second)) > limit:
        return limit + 1
    beyond = limit + 1
    before: list[int] = []
    above = list(range(len(second) + 1))
    for row, letter in enumerate(first, 1):
        # A cell that is further from the diagonal than the limit needs more changes than the limit.
        low, high = max(1, row - limit), min(len(second), row + limit)
        current = [row if low == 1 else beyond] * low + [beyond] * (len(second) + 1 - low)
        for column in range(low, high + 1):
            other = second[column - 1]
            cost = min(
                above[column] + 1, current[column - 1] + 1, above[column - 1] + (letter != other)
            )
            if row > 1 and column > 1 and letter == second[column - 2] and first[row - 2] == other:
                cost = min(cost, before[column - 2] + 1)
            current[column] = cost
        if min(current) > limit:
            return beyond
        before, above = above, current
    return min(above[-1], beyond)
