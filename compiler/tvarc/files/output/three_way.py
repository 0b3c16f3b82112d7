"""Whether a text with conflicts is what a merge of three others comes to, by any way to compare
their lines.

git compares lines in one of several ways, of which each aligns the same files differently. So a
merge is not made again here: it is looked for an alignment of which the text is the merge. In it
every line of each side and of their base is accounted for, once and in order.
"""

from __future__ import annotations

from tvarc.light import Enum, Final, Sequence, dataclass

_MOST: Final = 200_000  # places that are looked at; what is not shown by then is not shown


@dataclass(frozen=True, slots=True)
class Hunk:
    """A conflict: the lines of each side, and those of the base in styles that show them."""

    ours: tuple[bytes, ...]
    theirs: tuple[bytes, ...]
    base: tuple[bytes, ...] | None


class _In(Enum):
    """Which sides have changed something since the last line that all three texts have in common.
    For git two changes that touch are one conflict, so only such a line ends a run of changes."""

    NOTHING = 0
    OURS = 1
    THEIRS = 2
    BOTH = 3


_Place = tuple[int, int, int, int, _In]  # in the merged text, ours, base, theirs


def is_merge(
    merged: Sequence[bytes | Hunk],
    ours: Sequence[bytes],
    base: Sequence[bytes],
    theirs: Sequence[bytes],
) -> bool:
    """Whether *merged*, lines and conflicts, may be the merge of the lines of two sides that came
    from *base*; False where that is not found with little work."""
    end = (len(merged), len(ours), len(base), len(theirs))
    waiting: list[_Place] = [(0, 0, 0, 0, _In.NOTHING)]
    seen = set(waiting)
    while waiting and len(seen) < _MOST:
        place = waiting.pop()
        if place[:4] == end:
            return True
        for found in _steps(place, merged, ours, base, theirs):
            if found not in seen:
                seen.add(found)
                waiting.append(found)
    return False


def _steps(
    place: _Place,
    merged: Sequence[bytes | Hunk],
    ours: Sequence[bytes],
    base: Sequence[bytes],
    theirs: Sequence[bytes],
) -> list[_Place]:
    """The places that a merge may reach from *place* by one line or one conflict, the likeliest
    last."""
    at, o, b, t, within = place
    # None is past the end, and like no line.
    item = merged[at] if at < len(merged) else None
    one = ours[o] if o < len(ours) else None
    old = base[b] if b < len(base) else None
    other = theirs[t] if t < len(theirs) else None
    found: list[_Place] = []
    if within in (_In.NOTHING, _In.BOTH):
        if old is not None:  # neither side has kept it, or a conflict does not show it
            found.append((at, o, b + 1, t, _In.BOTH))
        if isinstance(item, Hunk):
            after = _after(item, place, ours, base, theirs)
            if after is not None:
                found.append(after)
        elif item is not None and item == one == other:
            found.append((at + 1, o + 1, b, t + 1, _In.BOTH))
    if within in (_In.NOTHING, _In.OURS):
        if old is not None and old == other:
            found.append((at, o, b + 1, t + 1, _In.OURS))
        if item is not None and item == one:
            found.append((at + 1, o + 1, b, t, _In.OURS))
    if within in (_In.NOTHING, _In.THEIRS):
        if old is not None and old == one:
            found.append((at, o + 1, b + 1, t, _In.THEIRS))
        if item is not None and item == other:
            found.append((at + 1, o, b, t + 1, _In.THEIRS))
    if item is not None and item == one == old == other:
        found.append((at + 1, o + 1, b + 1, t + 1, _In.NOTHING))
    return found


def _after(
    hunk: Hunk,
    place: _Place,
    ours: Sequence[bytes],
    base: Sequence[bytes],
    theirs: Sequence[bytes],
) -> _Place | None:
    """Where a merge goes on behind *hunk*; None where the sides have not its lines there."""
    at, o, b, t, _ = place
    shown = hunk.base or ()
    ends = o + len(hunk.ours), b + len(shown), t + len(hunk.theirs)
    if (
        hunk.ours == hunk.theirs
        or tuple(ours[o : ends[0]]) != hunk.ours
        or tuple(base[b : ends[1]]) != shown
        or tuple(theirs[t : ends[2]]) != hunk.theirs
    ):
        return None
    return (at + 1, *ends, _In.BOTH)
