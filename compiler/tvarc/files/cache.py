"""The cache on disk: results that can be made again from a source and the compiler that read it.

It holds the parser's tables, the trees and rows of the standard library, and records of builds.
Without the cache, each command would make the tables with lark, which takes 0.4 s, and parse its
modules of the library, which takes 30 to 100 ms. To measure both, compare `tvarc list --no-cache`
with `tvarc list` in a checkout.

An entry is plain data as `marshal` writes it, which C reads at the speed of a copy. `marshal`
checks nothing, so an entry is read only when its digest is right. Its name is also a digest, of
everything on which it depends: the version of this compiler, its code, the source text, the format
and the implementation of Python. So no entry is ever out of date. An entry that is damaged, or
cannot be read or written, counts as missing. No code in an entry is ever executed.

A wheel has entries of its own. The others are in the user's cache folder, which only that user may
read and write. Any of them may be deleted at any time.
"""

# pathlib and tempfile cost too much at start.
# ruff: noqa: PTH103, PTH111, PTH112, PTH117, PTH118
from __future__ import annotations

import marshal
import os
import stat
import sys

from tvarc import __version__
from tvarc.digest import blake2b
from tvarc.files.resources import compiler_texts, made_compiler, made_dir
from tvarc.light import Any, Final, lru_cache, own_user, suppress

LARGEST: Final = 16 << 20  # bytes of one entry
MOST_BYTES: Final = 64 << 20  # of all entries; if there are more, the oldest half is deleted
MOST_ENTRIES: Final = 500  # all entries are examined when one is added
_OFF: Final = "TVARC_NO_CACHE"
_FOLDER: Final = "tvarc"
_TEMPORARY: Final = ".tmp"
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_DIGITS: Final = 64  # of a key's digest
_DAY: Final = 86_400  # seconds
_SEAL: Final = 32  # bytes of the digest of an entry's content
# The last format of `marshal` in which equal data is equal bytes: later formats write objects that
# the interpreter shares as references. Each later Python reads this format, so an entry of a wheel
# is valid for all of them.
_FORMAT: Final = 2
_READER: Final = f"{__version__} {sys.implementation.name} marshal {_FORMAT}\0".encode()

Bytes = bytes | memoryview


class Damaged(ValueError):
    """The content of an entry is invalid: no version of this compiler made it."""


def dumped(value: Any) -> bytes:
    """*value* as bytes. It must be plain: None, booleans, integers, texts, bytes, and lists, tuples
    and dicts of these. Raises ValueError for any other value."""
    return marshal.dumps(value, _FORMAT)


def loaded(data: Bytes) -> Any:
    """The inverse of `dumped`, for *data* from `Cache.get`, because `marshal` checks nothing.
    Raises Damaged for data that it cannot read.
    """
    try:
        return marshal.loads(data)
    except (EOFError, TypeError, ValueError) as fault:
        raise Damaged from fault


class Cache:
    """Entries by key. No method raises for a fault of the disk."""

    __slots__ = ("_folder", "_made", "at_hand", "parsed")

    def __init__(self, folder: str | None, made: str | None) -> None:
        """*folder* is that of the user, or None. *made* came with the compiler and is read only.
        *at_hand* keeps results that were made from entries, by key and file, during this process,
        because a command may compile many programs.
        """
        self.at_hand: dict[tuple[str, str], object] = {}
        # The data of the parser about each file, in a process that reads its files repeatedly.
        self.parsed: dict[str, object] | None = None
        self._folder = folder
        self._made = made

    @property
    def keeps(self) -> bool:
        """Whether entries can be added."""
        return self._folder is not None

    def key(self, kind: str, text: str) -> str:
        """The name of the entry of *kind* that this compiler makes from *text*; empty if entries
        cannot be stored, because the text of the compiler is missing.
        """
        compiler = this_compiler()
        if not compiler:
            return ""
        found = blake2b(compiler, digest_size=_DIGITS // 2)
        found.update(_READER)
        found.update(kind.encode() + b"\0")
        found.update(text.encode("utf-8", "surrogatepass"))
        return f"{kind}-{found.hexdigest()}"

    def get(self, key: str) -> memoryview | None:
        """The entry under *key*; None if there is none, or if it is incomplete."""
        for folder, shared in ((self._made, True), (self._folder, False)):
            if folder is None or not key:
                continue
            found = _read(folder, key, shared=shared)
            # An entry contains its own key, so that a copied or renamed entry is not used for
            # another key.
            head = _head(key)
            if found is None or not found.startswith(head):
                continue
            body = memoryview(found)[len(head) + _SEAL :]
            if found[len(head) : len(head) + _SEAL] == _digest(body):
                return body
        return None

    def put(self, key: str, data: bytes) -> None:
        """Store *data* under *key*, whole or not at all."""
        if self._folder is None or not key or len(data) > LARGEST:
            return
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            folder = _opened(self._folder)
        except OSError:
            return
        try:
            _write(folder, key, _head(key) + _digest(data) + data)
            _prune(folder)
        except OSError:
            pass
        finally:
            os.close(folder)

    def load(self, key: str) -> Any:
        """The plain data that was stored under *key*; None if `get` returns None."""
        found = self.get(key)
        with suppress(Damaged):
            return loaded(found) if found is not None else None
        return None

    def store(self, key: str, value: object) -> None:
        """Store *value*, which must be plain data. Raises ValueError if it is not."""
        self.put(key, dumped(value))


class MemoryCache(Cache):
    """A cache in memory only. When it is full, the oldest entries are dropped.
    """

    __slots__ = ("_kept", "_size")

    def __init__(self, made: str | None) -> None:
        """*made* came with the compiler and is read only."""
        super().__init__(None, made)
        self._kept: dict[str, bytes] = {}
        self._size = 0

    @property
    def keeps(self) -> bool:
        return True

    def get(self, key: str) -> memoryview | None:
        found = self._kept.get(key)
        return memoryview(found) if found is not None else super().get(key)

    def put(self, key: str, data: bytes) -> None:
        if not key or len(data) > LARGEST:
            return
        self._size += len(data) - len(self._kept.pop(key, b""))
        self._kept[key] = data
        while self._size > MOST_BYTES:
            self._size -= len(self._kept.pop(next(iter(self._kept))))


def _head(key: str) -> bytes:
    """The beginning of the entry of *key*."""
    return key.encode() + b"\n"


def _digest(data: Bytes) -> bytes:
    return blake2b(data, digest_size=_SEAL).digest()


@lru_cache(maxsize=1)
def this_compiler() -> bytes:
    """The digest of this compiler, from its wheel or computed from its text; empty if neither can
    be read. It is computed once for a process."""
    try:
        return made_compiler() or compiler_digest()
    except OSError:
        return b""


def compiler_digest() -> bytes:
    """A digest that differs between compilers that may make different entries. Raises OSError."""
    whole = blake2b(digest_size=_SEAL)
    for part in compiler_texts():
        whole.update(len(part).to_bytes(8, "little"))
        whole.update(part)
    return whole.digest()


def open_cache(*, wanted: bool = True) -> Cache:
    """The cache of this user. If *wanted* is false, only the entries that came with the
    compiler."""
    return Cache(user_folder() if wanted else None, made_dir())


def user_folder() -> str | None:
    """The folder of the cache: below XDG_CACHE_HOME, else ~/.cache. None if there is no existing
    home, or if TVARC_NO_CACHE is set to a value other than `0`."""
    if os.environ.get(_OFF, "0") not in ("", "0"):
        return None
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the specification says to ignore it
        # An empty HOME would be expanded to `/`. Builders name a home that must not be created.
        home = os.environ.get("HOME")
        if home is None:
            home = os.path.expanduser("~")
        if not os.path.isabs(home) or not os.path.isdir(home):
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, _FOLDER)


def _opened(path: str) -> int:
    """Open the folder *path*, which must belong only to this user. Raises OSError."""
    folder = os.open(path, _READ | os.O_DIRECTORY)
    try:
        state = os.fstat(folder)
        if state.st_uid != own_user():
            raise PermissionError("the folder is another's")
        if stat.S_IMODE(state.st_mode) & 0o077:
            os.fchmod(folder, 0o700)
    except OSError:
        os.close(folder)
        raise
    return folder


def _read(path: str, key: str, *, shared: bool) -> bytes | None:
    try:
        folder = os.open(path, _READ | os.O_DIRECTORY) if shared else _opened(path)
    except OSError:
        return None
    try:
        entry = os.open(key, _READ | os.O_NONBLOCK, dir_fd=folder)
        try:
            state = os.fstat(entry)
            if not stat.S_ISREG(state.st_mode) or state.st_size > LARGEST:
                return None
            if not shared and state.st_uid != own_user():
                return None
            with open(entry, "rb", buffering=0, closefd=False) as stream:
                return stream.read()
        finally:
            os.close(entry)
    except OSError:
        return None
    finally:
        os.close(folder)


def _write(folder: int, key: str, data: bytes) -> None:
    name = f".{key[-16:]}-{os.getpid()}{_TEMPORARY}"
    try:
        entry = os.open(name, _NEW, 0o600, dir_fd=folder)
    except FileExistsError:
        os.unlink(name, dir_fd=folder)  # of a killed process with this number
        entry = os.open(name, _NEW, 0o600, dir_fd=folder)
    try:
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(entry, left) :]
        finally:
            os.close(entry)
        os.rename(name, key, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        os.unlink(name, dir_fd=folder)
        raise


def _prune(folder: int) -> None:
    """Remove the oldest entries if there are too many, and the files that killed processes left."""
    found: list[tuple[float, str, int]] = []
    with os.scandir(folder) as listed:
        for entry in listed:
            state = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(state.st_mode) and _ours(entry.name):
                found.append((state.st_mtime, entry.name, state.st_size))
    found.sort()
    newest = found[-1][0] if found else 0.0
    size, count = sum(entry[2] for entry in found), len(found)
    full = size > MOST_BYTES or count > MOST_ENTRIES
    for time, name, length in found:
        left = name.endswith(_TEMPORARY) and newest - time > _DAY
        if left or (full and (size > MOST_BYTES // 2 or count > MOST_ENTRIES // 2)):
            os.unlink(name, dir_fd=folder)
            size, count = size - length, count - 1


def _ours(name: str) -> bool:
    return name.endswith(_TEMPORARY) or len(name.rpartition("-")[2]) == _DIGITS
