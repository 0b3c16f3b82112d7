"""The loader that reads sources from disk. No other module reads sources."""

# Plain `os` calls, because importing pathlib takes longer than the work of this module.
# ruff: noqa: PTH114, PTH116, PTH117, PTH118, PTH120, PTH208
from __future__ import annotations

import errno
import os
import stat
import sys
import time

from tvarc.digest import blake2b
from tvarc.light import TYPE_CHECKING, Final, Mapping, dataclass, field
from tvarc.text.source import FileKind, Source, SourceLoader, UnreadableSource

if TYPE_CHECKING:
    from typing import BinaryIO

    from tvarc.text.diagnostics.model import Sink
    from tvarc.text.source import Span

# No hand-written source is nearly as large. A file of this size was named by mistake.
MAX_BYTES = 4 << 20

PATIENCE: Final = 3  # seconds within which another process must write to a pipe
_PAUSE: Final = 0.05


def read_plain(path: str, file: str, most: int = -1) -> bytes:
    """The content of the regular file *path*, at most *most* bytes of it. Raises OSError. Raises
    UnreadableSource with the name *file* if it is not a regular file, because a pipe without a
    writer, or a device, may never end."""
    return _read(path, file, most, pipes=False)


def _read(path: str, file: str, most: int, *, pipes: bool) -> bytes:
    """The same, and with *pipes* also for a pipe."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise UnreadableSource(file, "it is a folder, not a file")
        if stat.S_ISREG(mode):
            return _whole(handle, most)
        if not pipes:
            raise UnreadableSource(file, "it is not a plain file")
        if not stat.S_ISFIFO(mode):
            raise UnreadableSource(file, "it is neither a plain file nor a pipe")
        return _read_pipe(handle, path, most)
    finally:
        os.close(handle)


def _whole(handle: int, most: int) -> bytes:
    """The content of a regular file. Raises BlockingIOError for a file of the system that has no
    content yet, for which Python's reader returns None."""
    with open(handle, "rb", closefd=False) as stream:
        data: bytes | None = stream.read(most)
    if data is None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    return data


def read_named(path: str, most: int, *, binary: bool = False) -> bytes:
    """The content of a file that the user names: a regular file, or a pipe, such as a shell makes
    for `<(command)`. Raises UnreadableSource, also for a device, for a pipe without a writer for
    some seconds, for more than *most* bytes, and for a text with a NUL unless it may be
    *binary*."""
    try:
        data = _read(path, path, most + 1, pipes=True)
    except OSError as fault:
        raise UnreadableSource(path, (fault.strerror or str(fault)).lower()) from None
    except ValueError as fault:  # no path has a NUL
        raise UnreadableSource(path, str(fault)) from None
    if len(data) > most:
        raise UnreadableSource(path, f"it is larger than {most:,} bytes")
    if not binary and b"\0" in data:
        raise UnreadableSource(path, "it contains a NUL character, so it is not text")
    return data


def _read_pipe(handle: int, path: str, most: int) -> bytes:
    """The content of a pipe until its last writer has closed it, at most *most* bytes."""
    import select  # few commands read one

    found = bytearray()
    begun = False
    end = time.monotonic() + PATIENCE
    while len(found) < most:
        try:
            part = os.read(handle, min(1 << 16, most - len(found)))
        except BlockingIOError:  # a writer has it open, and has written nothing yet
            begun = True
            select.select([handle], [], [], _PAUSE)
            continue
        if part:
            begun = True
            found += part
        elif begun:
            break
        elif time.monotonic() > end:
            raise UnreadableSource(
                path, f"it is a pipe, and no program wrote to it for {PATIENCE} s"
            )
        else:
            time.sleep(_PAUSE)
    return bytes(found)


def input_stream() -> BinaryIO:
    """The input that is piped to the command. Raises OSError if it was started without one."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "the input is closed")
    return sys.stdin.buffer


@dataclass(slots=True, eq=False)
class DiskLoader:
    """Names files as the user named them, relative to their folder. Modules of the standard library
    have the names `std/<name>.tvar`.
    """

    std_folder: str
    inputs: dict[str, str] = field(default_factory=dict)

    def read(self, file: str) -> Source:
        path = self.real(place_of(self, file))
        try:
            data = read_plain(path, file, MAX_BYTES + 1)
        except (OSError, ValueError) as fault:
            reason = getattr(fault, "strerror", None) or str(fault)
            raise UnreadableSource(file, reason[:1].lower() + reason[1:]) from None
        return Source(file, decode(file, data))

    def real(self, file: str) -> str:
        if file.startswith("std/"):
            return os.path.join(self.std_folder, file.removeprefix("std/"))
        return file

    def join(self, importer: str, relative: str) -> str:
        return joined(importer, relative, self.inputs)

    def identity(self, file: str) -> str:
        return os.path.realpath(self.real(placed(file, self.inputs)))

    def kind(self, file: str) -> FileKind:
        path = self.real(place_of(self, file))
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as fault:
            if os.path.islink(path) and isinstance(fault, FileNotFoundError):
                raise UnreadableSource(file, "it is a link to a file that does not exist") from None
            reason = getattr(fault, "strerror", None) or str(fault)
            raise UnreadableSource(file, reason[:1].lower() + reason[1:]) from None
        folder = stat.S_ISDIR(mode)
        if not folder and not stat.S_ISREG(mode):  # reading a pipe may take for ever
            raise UnreadableSource(file, "it is not a plain file and not a folder")
        if not os.access(path, os.R_OK | os.X_OK if folder else os.R_OK):
            raise UnreadableSource(file, "permission denied")
        return "folder" if folder else "file"

    def std(self, name: str) -> str | None:
        return f"std/{name}.tvar" if name in self.std_names() else None

    def std_names(self) -> tuple[str, ...]:
        try:
            listed = os.listdir(self.std_folder)
        except OSError:
            return ()
        return tuple(sorted(n.removesuffix(".tvar") for n in listed if n.endswith(".tvar")))


@dataclass(frozen=True, slots=True)
class Seen:
    """The answers of a loader, without the standard library. For each read file it has the digest
    of its text, empty if the file was missing, or the reason why it cannot be read. It also has
    identities of files by real path. For a file that recipes name and the compiler does not read,
    it has whether it is a file or a folder, empty if it is neither.
    """

    texts: dict[str, str]
    identities: dict[str, str]
    kinds: dict[str, str]

    def still_so(self) -> bool:
        """Whether all answers would be the same now."""
        loader = DiskLoader("")
        for file, known in self.texts.items():
            if _answer(loader, file) != known:
                return False
        for file, kind in self.kinds.items():
            try:
                if loader.kind(file) != kind:
                    return False
            except UnreadableSource:
                if kind:
                    return False
        return all(loader.identity(file) == real for file, real in self.identities.items())


class WatchingLoader(DiskLoader):
    """A loader that records its requests, so that they can be repeated."""

    __slots__ = ("seen",)

    def __init__(self, std_folder: str) -> None:
        super().__init__(std_folder)
        self.seen = Seen({}, {}, {})

    def read(self, file: str) -> Source:
        if file.startswith("std/"):
            return super().read(file)
        try:
            source = super().read(file)
        except UnreadableSource as fault:
            self.seen.texts[placed(file, self.inputs)] = _answer_of(fault)
            raise
        self.seen.texts[placed(file, self.inputs)] = _digest(source.text)
        return source

    def identity(self, file: str) -> str:
        found = super().identity(file)
        if not file.startswith("std/"):
            self.seen.identities[placed(file, self.inputs)] = found
        return found

    def kind(self, file: str) -> FileKind:
        place = placed(file, self.inputs)
        self.seen.kinds[place] = ""
        found = super().kind(file)
        self.seen.kinds[place] = found
        return found


def _answer(loader: DiskLoader, file: str) -> str:
    """The answer of *loader* for the text of *file*, in the form of `Seen`."""
    try:
        return _digest(loader.read(file).text)
    except UnreadableSource as fault:
        return _answer_of(fault)


def _answer_of(fault: UnreadableSource) -> str:
    return "" if fault.missing else fault.reason


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=32).hexdigest()


class MemoryLoader:
    """Reads sources from a dictionary, for `tvarc.api` and for tests."""

    __slots__ = ("files", "inputs", "std_files")

    def __init__(
        self, files: Mapping[str, str | bytes], std_files: Mapping[str, str] | None = None
    ) -> None:
        """*files* by their paths, *std_files* the modules of the standard library by name."""
        self.files = files
        self.inputs: dict[str, str] = {}
        self.std_files = std_files or {}

    def read(self, file: str) -> Source:
        if file.startswith("std/"):
            return Source(file, self.std_files[file.removeprefix("std/").removesuffix(".tvar")])
        text = self.files.get(self.identity(file))
        if text is None:
            raise UnreadableSource(file, "no such file or directory")
        return Source(file, text if isinstance(text, str) else decode(file, text))

    def join(self, importer: str, relative: str) -> str:
        return joined(importer, relative, self.inputs)

    def identity(self, file: str) -> str:
        return placed(file, self.inputs).removeprefix("./")

    def kind(self, file: str) -> FileKind:
        file = self.identity(file)
        if file in self.files:
            return "file"
        inside = "" if file in (os.curdir, "/") else f"{file}/"
        if any(name.startswith(inside) for name in self.files):
            return "folder"
        raise UnreadableSource(file, "no such file or directory")

    def std(self, name: str) -> str | None:
        return f"std/{name}.tvar" if name in self.std_files else None

    def std_names(self) -> tuple[str, ...]:
        return tuple(sorted(self.std_files))


def joined(importer: str, relative: str, inputs: Mapping[str, str]) -> str:
    """The name of the file to which *relative* refers in *importer*. Raises UnreadableSource if
    *importer* is a file of one of *inputs* and the other file is not in it."""
    of = importer.partition("/")[0]
    inside = of in inputs and importer != of
    found = os.path.normpath(os.path.join(os.path.dirname(importer), relative))
    if inside and not found.startswith(f"{of}/"):
        raise UnreadableSource(relative, f"it is outside of the input `{of}`")
    if inside or os.path.isabs(relative):
        return found
    # A folder of the user may also have the name `std`, or that of an input.
    first = found.partition("/")[0]
    own = (first == "std" and not importer.startswith("std/")) or first in inputs
    return f"./{found}" if own and found != first else found


def placed(file: str, inputs: Mapping[str, str]) -> str:
    """The place of *file*, which may be a file of one of *inputs*."""
    if not inputs:
        return file
    of, slash, rest = file.partition("/")
    return f"{inputs[of]}/{rest}" if slash and of in inputs else file


def place_of(loader: SourceLoader, file: str) -> str:
    """The place of *file* for *loader*. Raises UnreadableSource if a link leads a file of an input
    out of the input."""
    place = placed(file, loader.inputs)
    if place != file:
        folder = loader.identity(loader.inputs[file.partition("/")[0]])
        if not f"{loader.identity(place)}/".startswith(f"{folder}/"):
            raise UnreadableSource(file, "a link leads from there out of the input")
    return place


def decode(file: str, data: bytes) -> str:
    """The text of a source. Raises UnreadableSource if it is too large or not UTF-8."""
    if len(data) > MAX_BYTES:
        raise UnreadableSource(file, f"it is larger than {MAX_BYTES >> 20} MiB", "E108")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        reason = (
            f"byte {fault.start + 1} (line {line}) is 0x{data[fault.start]:02x}, which is not UTF-8"
        )
        raise UnreadableSource(file, reason, "E107") from None


def report_unreadable(
    fault: UnreadableSource,
    sink: Sink,
    span: Span | None = None,
    *,
    label: str = "",
    advice: str = "",
) -> None:
    """Report a file that cannot be read, with the code of *fault*. If a source names it, *span* is
    the place of the name, and gets the *label*. *advice* is the help."""
    from tvarc.files import messages as msg

    match fault.code:
        case "E107":
            message = msg.paths.NOT_UTF8
        case "E108":
            message = msg.paths.TOO_LARGE
        case _:
            message = msg.paths.UNREADABLE
    sink.report(message, span, file=fault.file, reason=fault.reason, label=label, advice=advice)
