"""What the files of a run are known by, so that a later run can tell that all are as they should
be without making them again.

Of a file this is where its digest line stands and half of the digest, which is that of all the
rest: nothing is hashed a second time to take it down.
"""

# Plain `os` calls: a run may look at a hundred thousand files.
from __future__ import annotations

import os
import struct

from tvarc.files.cache import Bytes, Damaged
from tvarc.files.output.folders import Folders
from tvarc.files.output.header import MARK, mark_of, recognising
from tvarc.files.output.leftovers import clear_leftovers
from tvarc.files.output.model import Sweep, WriteReport
from tvarc.files.output.on_disk import LARGEST, READ
from tvarc.files.output.stale import find_stale
from tvarc.light import Callable, Final, Iterator, dataclass
from tvarc.text.diagnostics.model import CompilerBug

_OFTEN: Final = 64  # files between two reports of progress
_PIECE: Final = 1 << 16  # bytes of names that are looked at together
_MANY: Final = 4096  # files for which room is made together
_MARK: Final = struct.Struct(f"=H{MARK}s")  # where the digest line of a file starts, and its mark


class Notes:
    """Takes down the files of a run, in order, while they are compared and written."""

    __slots__ = ("_broken", "_count", "_longest", "_marks", "_names", "_waiting")

    def __init__(self) -> None:
        self._broken = False
        self._count = 0
        self._longest = 0
        self._marks = bytearray()
        self._names = bytearray()
        self._waiting: list[str] = []  # names that are to be made bytes

    def enter(self, folder: str) -> None:
        """The files that follow are in *folder*."""
        self._waiting.append(f"{folder}/")

    def add(self, name: str, data: bytes | None) -> None:
        """The file *name* holds *data*; None where it has not been made yet."""
        place = self._count
        self._count = place + 1
        self._waiting.append(name)
        if not place % _MANY:
            self._marks += bytes(_MANY * _MARK.size)
            self._take()
        if data is not None:
            self.fill(place, data)

    def fill(self, place: int, data: bytes) -> None:
        """The file number *place* holds *data*, as it turns out."""
        start, mark = mark_of(data)
        if len(data) > self._longest:
            self._longest = len(data)
        try:
            _MARK.pack_into(self._marks, place * _MARK.size, start, mark)
        except struct.error:  # there is no digest, or it stands too far down
            self._broken = True

    def _take(self) -> None:
        if self._waiting:
            text = "\0".join(self._waiting)
            self._names += f"{text}\0".encode("utf-8", "surrogatepass")
            self._waiting.clear()

    def expected(self) -> Expected | None:
        """What was taken down; None where one of the files cannot be known again."""
        self._take()
        if self._broken or self._longest >= LARGEST:
            return None
        marks = memoryview(self._marks)[: self._count * _MARK.size]
        return Expected(self._count, self._longest, marks, self._names)


@dataclass(frozen=True, slots=True)
class Expected:
    """Files as they should be: how many, and the size of the largest in bytes; what each is known
    by, and the names, a folder before those that are in it."""

    count: int
    longest: int
    marks: Bytes
    names: Bytes

    @property
    def parts(self) -> tuple[Bytes, Bytes]:
        """All but the numbers, as `expected_of` takes it."""
        return self.marks, self.names

    def confirmed(
        self,
        root: str,
        sweep: Sweep | None,
        *,
        check: bool,
        progress: Callable[[int], None],
    ) -> WriteReport | None:
        """The report of a run that finds all of the files below the absolute real path *root* as
        they should be, and none that is of no variant any more; None where that is not so. Raises
        OSError.

        As any run it clears away what killed runs left, unless it only checks (*check*).
        """
        folders = Folders(root)
        try:
            used = self._compared(folders, progress)
        finally:
            folders.leave()
        if used is None:
            return None
        if sweep is not None:
            full = (used[0], self.count) if len(used) == 1 else None
            if find_stale(folders, sweep, _Hashes(self), _Files(self), full):
                return None
        if not check:
            for folder in folders.known():
                if folders.state(folder) is True:
                    clear_leftovers(folders.full(folder))
        return WriteReport((), (), self.count, tuple(used))

    def _compared(self, folders: Folders, progress: Callable[[int], None]) -> list[str] | None:
        """The folders of the files, each once; None when a file is not as it should be."""
        is_same = recognising(self.count)
        marks = _MARK.iter_unpack(self.marks)
        size = self.longest + 1
        used: dict[str, None] = {}
        handle = -1
        place = 0
        for name in self._entries():
            if name[-1] == "/":
                folder = name[:-1]
                if folders.state(folder) is not True:
                    return None
                handle = folders.enter(folder)
                used[folder] = None
                continue
            file = os.open(name, READ, dir_fd=handle)
            try:
                data = os.read(file, size)
            finally:
                os.close(file)
            known = next(marks, None)
            if known is None:
                raise Damaged
            if not is_same(data, *known):
                return None
            place += 1
            if place < _OFTEN or not place % _OFTEN:
                progress(place)
        if place < self.count:
            raise Damaged
        return list(used)

    def _entries(self) -> Iterator[str]:
        """Names of files, and of folders with `/` at their end. Raises Damaged."""
        names = memoryview(self.names)
        start = 0
        while start < len(names):
            piece = bytes(names[start : start + _PIECE])
            end = piece.rfind(b"\0")
            entries = piece[: max(end, 0)].decode("utf-8", "surrogatepass").split("\0")
            if "" in entries:
                raise Damaged
            yield from entries
            start += end + 1

    def paths(self) -> Iterator[str]:
        """The paths of all files, below the root."""
        prefix = ""
        for name in self._entries():
            if name[-1] == "/":
                prefix = "" if name == "/" else name
            else:
                yield prefix + name


def expected_of(count: int, longest: int, data: memoryview) -> Expected:
    """What the joined `parts` of *count* files say; raises Damaged."""
    end = count * _MARK.size
    if count == 0 or end > len(data):
        raise Damaged
    return Expected(count, longest, data[:end], data[end:])


class _Hashes:
    """The hashes of the paths, made when the first is looked for: mostly none is."""

    __slots__ = ("_expected", "_found")

    def __init__(self, expected: Expected) -> None:
        self._expected = expected
        self._found: set[int] | None = None

    def __contains__(self, value: object) -> bool:
        if self._found is None:
            self._found = set(map(hash, self._expected.paths()))
        return value in self._found


@dataclass(slots=True, eq=False)
class _File:
    """A file of which only the path is asked."""

    path: str

    def data(self) -> bytes:
        raise CompilerBug("the text of a file that was not made is asked for")


@dataclass(frozen=True, slots=True, eq=False)
class _Files:
    expected: Expected

    def __iter__(self) -> Iterator[_File]:
        return map(_File, self.expected.paths())
