"""Did you mean …? The nearest of some known words, for messages."""

from __future__ import annotations

from posixpath import commonprefix

from tvarc.light import Final, Iterable, dataclass, lru_cache

_LONGEST = 64  # a longer word is no typing error
_LISTED: Final = 5  # near words in one message
COMPARED: Final = 40
"""If there are more candidates, only this many are compared letter by letter: those with letters
that are most like those of the word. A program may have thousands of names, and as many unknown
ones."""


@dataclass(frozen=True, slots=True)
class Guess:
    """The known word that the user may have meant, as a field of a message. Empty if no word is
    near. `others` are the other near words, the nearest first. The guess is `sure` if there are
    none, and if the two words have the same digits: `armv8` and `armv9` are two things."""

    word: str = ""
    sure: bool = False
    others: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.word

    def __format__(self, form: str) -> str:
        """The word; with the form `or`, all near words, each in its own marks."""
        if form != "or":
            return self.word
        *before, last = [f"`{word}`" for word in (self.word, *self.others)]
        return f"{', '.join(before)} or {last}" if before else last


def guess(word: str, candidates: Iterable[str]) -> Guess:
    """The candidate that differs least from *word*, and the others that are near. An empty guess if
    none is near.

    A candidate is near with one change for every three letters, and at least one. A change is a
    letter more, less or other, or two letters exchanged. If *word* ends with a digit, a candidate
    that continues it is near, too: `armv8` and `armv8_4-sve`. The first are those with the digits
    of *word*, or with more digits after them. Among equals, the one with exactly the letters of
    *word* is best, then the one with the longest common beginning, then the first one in
    alphabetical order. The others need at most one change more than the first. The order of the
    candidates does not count, nor does case.
    """
    if not word or len(word) > _LONGEST:
        return Guess()
    small = word.lower()
    found: dict[str, tuple[bool, int, bool, int, str]] = {}
    for candidate in _likely(word, candidates):
        limit = _limit(word, candidate)
        other = candidate.lower()
        distance = edits_between(small, other, limit)
        longer = _continues(small, other)
        if distance <= limit or longer:
            alike = len(commonprefix((small, other)))
            swapped = sorted(small) != sorted(other)
            distance = min(distance, 1) if longer else distance
            digits = not other.startswith(small) and _digits(small) != _digits(other)
            found[candidate] = (digits, distance, swapped, -alike, candidate)
    if not found:
        return Guess()
    best, *others = sorted(found, key=found.__getitem__)
    others = [other for other in others if found[other][1] <= found[best][1] + 1]
    same = _digits(small) == _digits(best.lower())
    return Guess(best, same and not others, tuple(others[: _LISTED - 1]))


def nearest(word: str, candidates: Iterable[str]) -> str | None:
    """The word that `guess` finds, or None."""
    return guess(word, candidates).word or None


def _digits(word: str) -> str:
    return "".join([letter for letter in word if letter.isdigit()])


def _continues(word: str, candidate: str) -> bool:
    """Whether *candidate* is *word*, which ends with a digit, and one more part of a name."""
    return word[-1].isdigit() and candidate.startswith((f"{word}-", f"{word}_"))


def _limit(word: str, candidate: str) -> int:
    """The number of changes up to which these two words are near."""
    if len(word) == 1 and len(candidate) == 1:
        return 0  # every letter would be near every other one
    return max(1, max(len(word), len(candidate)) // 3)


def _likely(word: str, candidates: Iterable[str]) -> list[str]:
    """The members of *candidates* that may be near by their lengths and letters. The likeliest is
    first."""
    small, letters = word.lower(), _letters(word)
    found: list[tuple[int, str]] = []
    for candidate in candidates:
        if not candidate or candidate == word or len(candidate) > _LONGEST:
            continue
        if _continues(small, candidate.lower()):
            found.append((0, candidate))
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
