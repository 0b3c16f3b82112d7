"""The digest in files of tvarc, by which a later run recognizes its own files; and the check
whether a user has edited a file with conflicts of a merge. The head of a file consists of the lines
at its beginning that start with `#`. One of them has the digest of the rest of the file, so that
any edit is noticed. JSON has no comments. There a string begins with the digest of everything
except its own digits.
"""

from __future__ import annotations

from binascii import b2a_base64

from tvarc.digest import MANY, sha256_of
from tvarc.light import (
    Callable,
    Enum,
    Final,
    Iterable,
    Iterator,
    Literal,
    Mapping,
    Protocol,
    Sequence,
    dataclass,
)
from tvarc.text.diagnostics.model import CompilerBug

DIGEST_PREFIX: Final = "# tvarc digest: "
_PREFIX = DIGEST_PREFIX.encode()
_SEAL = _PREFIX + b"sha256-"
_IN_JSON: Final = b'"tvarc digest: sha256-'
_FIRST: Final = 1 << 13  # bytes of a JSON file that contain its seal
_DIGITS = 44  # digits of a written digest
SEAL_BYTES: Final = len(_SEAL) + _DIGITS + 1
"""The bytes of a digest line, with its end."""
MARK: Final = 22  # digits that identify a file: half of the digest


class File(Protocol):
    """A file to be written."""

    @property
    def path(self) -> str:
        """The path below the output root, with `/` between its steps."""

    def data(self) -> bytes:
        """The content. It may be computed at each access."""


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file with its text."""

    path: str
    text: str

    def data(self) -> bytes:
        try:
            return self.text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise CompilerBug(f"text for {self.path!r} cannot be encoded") from error


class Ownership(Enum):
    """The author of a file: this compiler (unchanged), this compiler with later edits, or another
    author."""

    OURS = "ours"
    EDITED = "edited"
    FOREIGN = "foreign"


def seal(header_lines: Sequence[str], body: str) -> str:
    """The text of a file: its header lines, the digest line, and its body."""
    head = "".join([f"{line}\n" for line in header_lines])
    data = [text.encode("utf-8", "surrogateescape") for text in (head, body)]
    return sealing(1)(*data).decode("utf-8", "surrogateescape")


def sealing(count: int) -> Callable[[bytes, bytes], bytes]:
    """A function that seals *count* files as `seal` does. Its arguments are the header, each line
    with its end, and the body, both in UTF-8."""
    sha256 = sha256_of(count)

    def sealed(head: bytes, body: bytes) -> bytes:
        found = sha256(head + body).digest()
        return b"".join((head, _SEAL, b2a_base64(found), body))

    return sealed


def digest_line(head: str, body: str) -> str:
    """The digest line of one of many files, in the form of `seal`, with its end."""
    return (_SEAL + b2a_base64(sha256_of(MANY)((head + body).encode()).digest())).decode()


def json_seal(made: str) -> str:
    """The string that identifies JSON from the origin *made*; see `sealed_json`."""
    return f"tvarc digest: sha256-; {made}"


def sealed_json(data: bytes) -> bytes:
    """*data* with the digest in its `json_seal`. No such text may be before the seal."""
    place = data.index(_IN_JSON) + len(_IN_JSON)
    return data[:place] + _digits_of(data[:place], data[place:]) + data[place:]


def _digits_of(before: bytes, after: bytes, count: int = 1) -> bytes:
    """The digest of a file with the parts *before* and *after* the digest, in Nix's spelling."""
    found = sha256_of(count)(before)
    found.update(after)
    return b2a_base64(found.digest(), newline=False)


def _json_place(data: bytes) -> int:
    """The offset of the digits of a seal in JSON; -1 if there is none."""
    place = data.find(_IN_JSON, 0, _FIRST) if data.startswith(b"{") else -1
    return place + len(_IN_JSON) if place >= 0 else -1


def mark_of(data: bytes) -> tuple[int, bytes]:
    """The offset of the digest line of the sealed *data*, or in JSON of its digits, -1 if there is
    none; and half of the digest, which identifies the file."""
    place = _json_place(data)
    if place >= 0:
        return place, data[place : place + MARK]
    start = data.find(_SEAL)
    digits = start + len(_SEAL)
    return start, data[digits : digits + MARK]


def recognizing(count: int) -> Callable[[bytes, int, bytes], bool]:
    """A function for *count* files that says whether a file is still the same, byte for byte, as
    when `mark_of` was called. Its arguments are the present bytes, and the offset and the mark from
    then."""
    sha256 = sha256_of(count)
    before = len(_SEAL)

    def is_same(data: bytes, start: int, mark: bytes) -> bool:
        if data.startswith(b"{"):
            return mark_of(data) == (start, mark) and inspect_bytes(data) is Ownership.OURS
        end = start + SEAL_BYTES
        line = data[start:end]
        rest = sha256(data[:start])
        rest.update(data[end:])
        return line[before : before + MARK] == mark and line == _SEAL + b2a_base64(rest.digest())

    return is_same


def unsealed(data: bytes) -> bytes:
    """*data* without the digits of its digest, if it has one."""
    start, mark = mark_of(data)
    if start < 0 or not mark:
        return data
    place = start if data.startswith(b"{") else start + len(_SEAL)
    return data[:place] + data[place + _DIGITS :]


def inspect(text: str) -> Ownership:
    """The author of the file with the content *text*."""
    # Bytes that were not UTF-8 when the file was read are restored.
    return inspect_bytes(text.encode("utf-8", "surrogateescape"))


def inspect_bytes(data: bytes, count: int = 1) -> Ownership:
    """The author of the file with the content *data*. *count* is the approximate number of files to
    check."""
    place = _json_place(data)
    if place >= 0:
        end = place + _DIGITS
        whole = data[place:end] == _digits_of(data[:place], data[end:])
        return Ownership.OURS if whole else Ownership.EDITED
    found = Ownership.FOREIGN
    for start, end in _head(data):
        if data.startswith(_PREFIX, start):
            if data[start:end] == _SEAL + _digits_of(data[:start], data[end + 1 :], count):
                return Ownership.OURS
            found = Ownership.EDITED
    return found


def made_from(data: bytes) -> str:
    """The source that the head of *data* names; empty if it names none."""
    place = _json_place(data)
    if place >= 0:
        head = _json_origin(data[place:])
    else:
        lines = head_lines(data)
        head = " ".join([line for line in lines if not line.startswith("tvarc digest: ")])
    _, found, rest = head.rpartition("Made by tvarc from ")
    if not found:
        return ""
    return rest.rpartition(": matrix ")[0] or rest.rpartition(": variant ")[0]


def _json_origin(rest: bytes) -> str:
    """The content of the string that ends in *rest*, and the text after it."""
    import json

    text = '"' + rest.decode("utf-8", "replace")
    try:
        found = json.JSONDecoder().raw_decode(text)[0]
    except ValueError:
        return ""
    return " ".join(str(found).split())


def is_sealed(data: bytes) -> bool:
    """Whether the head of *data* has a digest, right or wrong."""
    return _json_place(data) >= 0 or any(
        data.startswith(_PREFIX, start) for start, _ in _head(data)
    )


def head_lines(data: bytes) -> list[str]:
    """The lines of the head of *data*, without `#` and blanks."""
    return [
        " ".join(data[start + 1 : end].decode("utf-8", "replace").split())
        for start, end in _head(data)
    ]


def after_head(data: bytes) -> bytes:
    """The text after the head of *data*."""
    end = 0
    for _, last in _head(data):
        end = last + 1
    return data[end:]


def _head(data: bytes) -> Iterator[tuple[int, int]]:
    """Start and end, without the line end, of each line of the head."""
    start = 0
    while data.startswith(b"#", start):
        end = data.find(b"\n", start)
        if end < 0:
            end = len(data)
        yield start, end
        start = end + 1


# --- conflicts of a merge --------------------------------------------------------------
#
# A merge takes changes of both sides where they are apart and marks them where they are not. So
# neither side is whole in the file, and its digest shows nothing. Two things together show that
# nothing is lost: both sides are as tvarc wrote them, and the file is a merge of them.


_START: Final = b"<<<<<<<"  # the beginning of a mark that begins a conflict
_MOST: Final = 200_000  # the greatest number of places to examine; then the search fails


@dataclass(frozen=True, slots=True)
class Hunk:
    """A conflict: the lines of each side, and those of the base in styles that show them."""

    ours: tuple[bytes, ...]
    theirs: tuple[bytes, ...]
    base: tuple[bytes, ...] | None


@dataclass(frozen=True, slots=True)
class Conflict:
    """A file with conflicts: its version of each side, including the parts without conflicts.
    `parts` are its lines and conflicts in order. `as_git_marks` says whether the marks have the
    form of git, without notes of a user after them. `names` are the words after marks that may be
    names of branches or notes of one word, which only the repository can distinguish.
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
    """The two versions of a file that were merged, and perhaps their base."""

    sides: tuple[bytes, bytes]
    base: bytes = b""


class VersionsOf(Protocol):
    """Finds data about merges in a repository."""

    def __call__(self, path: str) -> Iterable[Versions]:
        """The versions that may have been merged to the file with an absolute path, the most likely
        first."""

    def knows(self, path: str, name: bytes) -> bool:
        """Whether *name* is a commit or a branch in the repository of that file. True if the file
        is in no repository."""


_At = Literal["outside", "ours", "base", "theirs"]
_AFTER: Final[Mapping[_At, Mapping[bytes, _At]]] = {
    "outside": {b"<": "ours"},
    "ours": {b"|": "base", b"=": "theirs"},
    "base": {b"=": "theirs"},  # a base may have conflicts itself, with longer marks
    "theirs": {b">": "outside"},
}
"""The text after each mark, by its sign."""


def conflict_of(data: bytes) -> Conflict | None:
    """The conflicts in *data*, in the styles `merge`, `diff3` and `zdiff3`; None if there are none,
    or if the marks do not belong together."""
    if _START not in data:
        return None
    parts = list[bytes | Hunk]()
    labels = _Labels()
    lines: dict[_At, list[bytes]] = {}
    at: _At = "outside"
    size = 0
    for line in _lines(data):
        if at == "outside":
            size = _opening(line)
        sign = line[:1] if size and _is_mark(line, line[:1], size) else b""
        after = _AFTER[at].get(sign)
        if after is None:
            if sign == b"<" and at in ("ours", "theirs"):
                return None
            lines.get(at, parts).append(line)
            continue
        labels.note(line, size)
        match after:
            case "ours":
                lines = {"ours": [], "theirs": []}
            case "base":
                lines["base"] = []
            case "outside":
                base = lines.get("base")
                shown = tuple(base) if base is not None else None
                parts.append(Hunk(tuple(lines["ours"]), tuple(lines["theirs"]), shown))
                lines = {}
            case _:
                pass
        at = after
    if at != "outside" or not any(isinstance(part, Hunk) for part in parts):
        return None
    sides = _side(parts, lambda hunk: hunk.ours), _side(parts, lambda hunk: hunk.theirs)
    return Conflict(sides, tuple(parts), labels.are_of_git, frozenset(labels.names))


def _side(parts: Iterable[bytes | Hunk], lines_of: Callable[[Hunk], tuple[bytes, ...]]) -> bytes:
    """The file of *parts* with these lines of each conflict."""
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
    """The texts after the marks of one file. git writes the same name after all marks of a kind."""

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
    """Whether git may write *text* after a mark: a name of its own, the name of a branch, or a
    commit and its subject, with the path of the file if it differs between the sides."""
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
    """The lines of *data* with their ends. A lone CR does not end a line."""
    parts = data.split(b"\n")
    yield from (part + b"\n" for part in parts[:-1])
    if parts[-1]:
        yield parts[-1]


def _opening(line: bytes) -> int:
    """The length of the mark with which *line* begins a conflict; 0 for any other line. A setting
    of git decides this length, and a name may follow the mark."""
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
    """Whether tvarc or git wrote everything in *conflict*. *versions* is used only if the file
    itself does not show it. *knows* says whether the repository has a name.
    """
    if not conflict.as_git_marks or not all(map(knows, filter(None, sorted(conflict.names)))):
        return False
    return _shows_itself(conflict) or any(_made_of(conflict, one) for one in versions)


def _shows_itself(conflict: Conflict) -> bool:
    """Whether both sides in *conflict*, and the shown parts of their base, are unchanged texts of
    tvarc."""
    if not all(map(_is_ours, conflict.sides)):
        return False
    if not any(part.base for part in conflict.parts if isinstance(part, Hunk)):
        return True
    return _is_ours(_side(conflict.parts, lambda hunk: hunk.base or ()))


def _made_of(conflict: Conflict, versions: Versions) -> bool:
    """Whether both sides are unchanged texts of tvarc, and *conflict* is a merge of them, so that
    no user has edited it."""
    if not all(map(_is_ours, versions.sides)):
        return False
    ours, theirs = (tuple(_lines(side)) for side in versions.sides)
    return is_merge(conflict.parts, ours, tuple(_lines(versions.base)), theirs)


def _is_ours(data: bytes) -> bool:
    return inspect_bytes(data) is Ownership.OURS


# --- whether a text is a merge ----------------------------------------------------------------
#
# git has several ways to compare lines, and each aligns the same files differently. So this code
# does not repeat the merge. It searches an alignment for which the text is the merge, and in which
# every line of each side and of their base occurs once and in order.


class _In(Enum):
    """The sides with changes since the last line that all three texts have in common. Two adjacent
    changes are one conflict for git, so only such a line ends a run of changes."""

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
    """Whether *merged*, lines and conflicts, may be the merge of the lines of two sides with the
    base *base*. False if a short search does not show it."""
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
    """The places that a merge may reach from *place* by one line or one conflict, the most likely
    last."""
    at, o, b, t, within = place
    # None means past the end, and equals no line.
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
    """The place of a merge after *hunk*; None if the sides do not have its lines there."""
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
