"""Recipes in which a merge has left its conflicts: whether a person wrote anything in them.

A merge takes changes of both sides where they are apart and marks them where they are not. So
neither side stands whole in the file, and its digest shows nothing. Whoever has the sides shows
that nothing is lost: both are as tvarc wrote them, and the file is what a merge of them comes to.
"""

from __future__ import annotations

from tvarc.files.output.header import Ownership, inspect_bytes, is_sealed
from tvarc.light import (
    Callable,
    Enum,
    Final,
    Iterable,
    Iterator,
    Protocol,
    Sequence,
    assert_never,
    dataclass,
)

_START: Final = b"<<<<<<<"  # what each mark of a beginning begins with
_MOST: Final = 200_000  # places that are looked at; what is not shown by then is not shown


@dataclass(frozen=True, slots=True)
class Hunk:
    """A conflict: the lines of each side, and those of the base in styles that show them."""

    ours: tuple[bytes, ...]
    theirs: tuple[bytes, ...]
    base: tuple[bytes, ...] | None


@dataclass(frozen=True, slots=True)
class Conflict:
    """A file with conflicts: what it holds of either side, with all that is not in conflict.

    `parts` are its lines and conflicts in their order; `as_git_marks` tells whether the marks are
    as git writes them, so that nobody has written a note behind one. `names` are the words behind
    marks that may be names of branches or notes of one word: only a repository tells them apart.
    """

    sides: tuple[bytes, bytes]
    parts: tuple[bytes | Hunk, ...]
    as_git_marks: bool
    names: frozenset[bytes] = frozenset()

    @property
    def is_of_recipe(self) -> bool:
        """Whether a side has the head of a recipe."""
        return any(map(is_sealed, self.sides))


@dataclass(frozen=True, slots=True)
class Versions:
    """The two files that a merge was made of, and perhaps what both came from."""

    sides: tuple[bytes, bytes]
    base: bytes = b""


class VersionsOf(Protocol):
    """What a repository knows about merges."""

    def __call__(self, path: str) -> Iterable[Versions]:
        """What may have been merged to the file of an absolute path, the likeliest first."""

    def knows(self, path: str, name: bytes) -> bool:
        """Whether *name* names a commit in the repository of that file, such as a branch; true
        also where there is no repository to ask."""


class _At(Enum):
    OUTSIDE = 0
    OURS = 1
    BASE = 2
    THEIRS = 3


def conflict_of(data: bytes) -> Conflict | None:
    """The conflicts in *data*, in the styles `merge`, `diff3` and `zdiff3`; None where there are
    none, or the marks do not go together."""
    if _START not in data:
        return None
    parts = list[bytes | Hunk]()
    labels = _Labels()
    ours, theirs = list[bytes](), list[bytes]()
    base: list[bytes] | None = None
    at, size, found = _At.OUTSIDE, 0, False
    for line in _lines(data):
        match at:
            case _At.OUTSIDE:
                length = _opening(line)
                if length:
                    at, size, found = _At.OURS, length, True
                    ours, base, theirs = [], None, []
                    labels.note(line, size)
                else:
                    parts.append(line)
            case _At.OURS:
                if _is_mark(line, b"|", size):
                    at, base = _At.BASE, []
                    labels.note(line, size)
                elif _is_mark(line, b"=", size):
                    at = _At.THEIRS
                    labels.note(line, size)
                elif _is_mark(line, b"<", size):
                    return None
                else:
                    ours.append(line)
            case _At.BASE:  # it may have conflicts itself, whose marks are longer
                assert base is not None
                if _is_mark(line, b"=", size):
                    at = _At.THEIRS
                    labels.note(line, size)
                else:
                    base.append(line)
            case _At.THEIRS:
                if _is_mark(line, b">", size):
                    at = _At.OUTSIDE
                    labels.note(line, size)
                    shown = None if base is None else tuple(base)
                    parts.append(Hunk(tuple(ours), tuple(theirs), shown))
                elif _is_mark(line, b"<", size):
                    return None
                else:
                    theirs.append(line)
            case _:
                assert_never(at)
    if not found or at is not _At.OUTSIDE:
        return None
    sides = _side(parts, lambda hunk: hunk.ours), _side(parts, lambda hunk: hunk.theirs)
    return Conflict(sides, tuple(parts), labels.are_of_git, frozenset(labels.names))


def _side(parts: Iterable[bytes | Hunk], lines_of: Callable[[Hunk], tuple[bytes, ...]]) -> bytes:
    """The file that *parts* are with these lines of each conflict."""
    return b"".join(
        [b"".join(lines_of(part)) if isinstance(part, Hunk) else part for part in parts]
    )


_PHRASES: Final = frozenset(
    (
        b"Updated upstream", b"Stashed changes", b"Stash base", b"merged common ancestors",
        b"constructed merge base", b"constructed fake ancestor", b"empty tree",
    )
)  # fmt: skip
_WORDS: Final = frozenset((b"HEAD", b"ours", b"theirs", b"base", b"local"))
_HEXADECIMAL: Final = frozenset(b"0123456789abcdef")
_PARENT: Final = b"parent of "


class _Labels:
    """What follows the marks of one file: git writes one name behind all marks of a kind."""

    __slots__ = ("_by_sign", "are_of_git", "names")

    def __init__(self) -> None:
        self._by_sign: dict[bytes, bytes] = {}
        self.are_of_git = True
        self.names: set[bytes] = set()

    def note(self, line: bytes, size: int) -> None:
        """Look at *line*, whose mark has *size* signs."""
        sign, label = line[:1], line[size:].removesuffix(b"\n")
        same = self._by_sign.setdefault(sign, label) == label
        known = not label if sign == b"=" else _is_label(label)
        self.are_of_git = self.are_of_git and same and known
        name = label.removeprefix(b" ").removeprefix(_PARENT).partition(b":")[0]
        if b" " not in name and name not in _WORDS and not _is_commit(name):
            self.names.add(name)


def _is_label(text: bytes) -> bool:
    """Whether git may write *text* behind a mark: a name of its own, that of a branch, or a commit
    and its subject; before the path of a file, where it differs between the sides."""
    name = text.removeprefix(b" ")
    if not text or (name != text and name in _PHRASES):
        return True
    commit, blank, subject = name.removeprefix(_PARENT).partition(b" ")
    if not blank:
        plain = not any(sign <= 32 or sign == 127 for sign in name.removeprefix(_PARENT))
        return name != text and bool(commit) and plain
    return (
        name != text
        and _is_commit(commit.removesuffix(b"..."))
        and subject.startswith(b"(")
        and subject.endswith(b")")
    )


def _is_commit(name: bytes) -> bool:
    """Whether *name* is written as the id of a commit."""
    return len(name) >= 4 and _HEXADECIMAL.issuperset(name)


def _lines(data: bytes) -> Iterator[bytes]:
    """The lines of *data* with their ends; a lone CR ends none."""
    parts = data.split(b"\n")
    yield from (part + b"\n" for part in parts[:-1])
    if parts[-1]:
        yield parts[-1]


def _opening(line: bytes) -> int:
    """How long the mark is that begins a conflict with *line*; 0 for any other line. Marks are as
    long as git is told to make them, and a name may follow."""
    if not line.startswith(_START):
        return 0
    size = len(line) - len(line.lstrip(b"<"))
    return size if _is_mark(line, b"<", size) else 0


def _is_mark(line: bytes, sign: bytes, size: int) -> bool:
    return line[:size] == sign * size and line[size : size + 1] in (b"", b" ", b"\n", b"\r")


def is_of_tvarc(
    conflict: Conflict,
    versions: Iterable[Versions],
    knows: Callable[[bytes], bool] = lambda _: True,
) -> bool:
    """Whether all that *conflict* holds is tvarc's own, or git's. *versions* is gone through only
    where the file does not show that itself; *knows* says whether a name is one of the repository.
    """
    if not conflict.as_git_marks or not all(map(knows, filter(None, sorted(conflict.names)))):
        return False
    return _shows_itself(conflict) or any(_made_of(conflict, one) for one in versions)


def _shows_itself(conflict: Conflict) -> bool:
    """Whether both sides stand in *conflict* as tvarc wrote them, and so does what it shows of
    their base."""
    if not all(map(_is_ours, conflict.sides)):
        return False
    if not any(part.base for part in conflict.parts if isinstance(part, Hunk)):
        return True
    return _is_ours(_side(conflict.parts, lambda hunk: hunk.base or ()))


def _made_of(conflict: Conflict, versions: Versions) -> bool:
    """Whether both sides are as tvarc wrote them, and *conflict* is what a merge of them comes to:
    nobody has written into it since."""
    if not all(map(_is_ours, versions.sides)):
        return False
    ours, theirs = (tuple(_lines(side)) for side in versions.sides)
    return is_merge(conflict.parts, ours, tuple(_lines(versions.base)), theirs)


def _is_ours(data: bytes) -> bool:
    return inspect_bytes(data) is Ownership.OURS


# --- whether a text is a merge ----------------------------------------------------------------
#
# git compares lines in one of several ways, of which each aligns the same files differently. So a
# merge is not made again here. Instead an alignment is searched of which the text is the merge. In
# it every line of each side and of their base is accounted for, once and in order.


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
