"""Runs Nix: the installed `nix-instantiate`, and other programs of Nix."""

# ruff: noqa: PTH103, PTH120, PTH123
# pathlib costs too much at start.
from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import tempfile
import threading
from collections import deque

from tvarc.light import (
    TYPE_CHECKING,
    Any,
    Callable,
    Final,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    dataclass,
)
from tvarc.nix import messages as msg
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.programs_say import NIX, message_in

if TYPE_CHECKING:
    from types import FrameType
    from typing import IO

_PROGRAM: Final = "nix-instantiate"
_SECONDS: Final = 3600  # the first evaluation fetches nixpkgs
_GRACE: Final = 0.5  # seconds to wait for the last output after the process has ended
_KEPT: Final = 4000  # lines to keep from the beginning of the output, and from its end
_WIDEST: Final = 1 << 16  # characters of a line to keep
_NO_REASON: Final = "Nix gave no reason"


class NotInstalled(Exception):
    """Nix is not installed on this machine, or the named program of Nix is missing."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of an expression, or what Nix prints if it refuses the expression. `lost`: the
    result is unknown, because Nix was killed or took too long."""

    value: Any = None
    refused: str = ""
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Installed:
    """The Nix of this machine, and its search path for `<NAME>`: names, or beginnings of names,
    with their paths. The version is empty if it is not known."""

    version: str = ""
    search_path: tuple[tuple[str, str], ...] = ()


def command(
    arguments: Mapping[str, str], *, expression: str = "", file: str = "", writes: bool = False
) -> list[str]:
    """The command that evaluates a function with *arguments*. The function is *expression*, or that
    in *file*. With *writes*, the derivations are written to the store."""
    found = [_PROGRAM, "--eval", "--strict", "--json", "--show-trace"]
    if writes:
        found.append("--read-write-mode")
    for name, value in arguments.items():
        found += ["--argstr", name, value]
    return [*found, "--expr", expression] if expression else [*found, file]


def ask(
    words: Sequence[str],
    note: Callable[[str], bool] | None = None,
    started: Callable[[subprocess.Popen[bytes]], object] | None = None,
) -> Answer:
    """The answer of the command *words*. While it runs, *note* gets each line that Nix prints
    besides the answer, and returns whether the line was meant for it. *started* gets the process,
    for callers that may have to end it. Raises NotInstalled."""
    with tempfile.TemporaryFile() as out:
        first: list[str] = []
        last: deque[str] = deque(maxlen=_KEPT)

        def keep(line: str) -> None:
            if note is None or not note(line):
                (first if len(first) < _KEPT else last).append(line[:_WIDEST])

        try:
            code = follow(words, keep, started, out=out)
        except FileNotFoundError:
            raise NotInstalled from None
        except OSError as fault:
            return Answer(refused=str(fault), lost=True)
        lines = [*first, *last]
        if code < 0:
            return Answer(refused=f"`{_PROGRAM}` was ended by signal {-code}", lost=True)
        if code:
            return Answer(refused="".join(lines))
        out.seek(0)
        try:
            return Answer(json.loads(out.read()))
        except ValueError:
            return Answer(refused=f"the output of `{_PROGRAM}` is not JSON", lost=True)


def follow(
    words: Sequence[str],
    note: Callable[[str], object],
    started: Callable[[subprocess.Popen[bytes]], object] | None,
    *,
    out: IO[bytes] | int = subprocess.PIPE,
    errors: IO[bytes] | int = subprocess.PIPE,
) -> int:
    """Run the command *words* to its end, and return its exit code. It is killed if it takes too
    long.

    While it runs, *note* gets each line that it prints. If the output goes to *out*, these are the
    lines of stderr. Otherwise they are the lines of the output, and stderr goes to *errors*.
    *started* is as in `ask`. Raises OSError if the command cannot be started.
    """
    begun: list[subprocess.Popen[bytes]] = []
    late = threading.Timer(_SECONDS, _kill, [begun])
    try:
        process = begin(words, out, begun, errors)
        if started is not None:
            started(process)
        late.start()
        for data in printed(process):
            if data:
                note(data.decode("utf-8", "replace"))
        return process.wait()
    finally:
        late.cancel()
        for one in begun:
            one.kill()
            one.wait()


def begin(
    words: Sequence[str],
    out: IO[bytes] | int,
    begun: list[subprocess.Popen[bytes]],
    errors: IO[bytes] | int = subprocess.PIPE,
    **how: Any,
) -> subprocess.Popen[bytes]:
    """Start the command *words*, and add its process to *begun* before a signal can raise an
    exception. Otherwise no code would know of the process. *how* has more arguments of Popen.
    Raises OSError."""
    waiting: list[int] = []
    handlers: dict[int, Callable[[int, FrameType | None], object]] = {}
    if threading.current_thread() is threading.main_thread():
        for number in map(int, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)):
            handler = signal.getsignal(number)
            if callable(handler):
                handlers[number] = handler
                signal.signal(number, lambda number, _: waiting.append(number))
    try:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=out, stderr=errors, **how
        )
        begun.append(process)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for number in waiting:
        handlers[number](number, None)
    return process


def _kill(processes: Iterable[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.kill()


def printed(
    process: subprocess.Popen[bytes], at_end: Callable[[], object] | None = None
) -> Iterator[bytes]:
    """The output of *process* on its one pipe, line by line, until the process has ended; its
    children may keep the pipe open for longer: *at_end* is called as long as output may come after
    its end. An empty line without a line end means that no line came for a while."""
    pipe = process.stderr if process.stdout is None else process.stdout
    assert pipe is not None
    handle = pipe.fileno()
    begun: list[bytes] = []
    with pipe:
        while True:
            ended = process.poll() is not None
            if ended and at_end is not None:
                at_end()
            if not select.select([handle], [], [], _GRACE)[0]:
                if ended:
                    break
                yield b""
                continue
            data = os.read(handle, 1 << 16)
            if not data:
                break
            *whole, rest = data.split(b"\n")
            for line in whole:
                yield b"".join([*begun, line, b"\n"])
                begun.clear()
            begun.append(rest)
    if any(begun):
        yield b"".join(begun)


def refused_whole(
    file: str, started: Callable[[subprocess.Popen[bytes]], object] | None = None
) -> bool:
    """Whether Nix cannot read *file* at all: it has a syntax error, or a name that nothing binds.
    *started* is as in `ask`. Raises NotInstalled."""
    answer = ask([_PROGRAM, "--parse", file], started=started)
    return bool(answer.refused) and not answer.lost


def make_store() -> Installed:
    """The installed Nix, after it has made the folders and the database of its store. This must
    come first: if several processes of Nix start on a new store at once, one may make a folder that
    another is about to make, and the other fails. Raises NotInstalled."""
    expression = "{ version = builtins.nixVersion; path = builtins.nixPath; }"
    match ask(command({}, expression=expression)).value:
        case {"version": str(version), "path": list(path)}:
            return Installed(version, tuple([(one["prefix"], one["path"]) for one in path]))
        case _:
            return Installed()


def put_file(path: str, data: bytes) -> None:
    """Write a file for Nix to read, and the folder that it is in. Raises OSError."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def as_text(path: str) -> str:
    """*path*, a name of this system, as it is in Nix text and in the output of Nix: in UTF-8,
    whatever the locale. Raises OSError for a name that is not UTF-8."""
    try:
        return os.fsencode(path).decode("utf-8")
    except UnicodeDecodeError:
        raise OSError(0, "its name is not UTF-8, and Nix text must be", path) from None


def refuse_missing(sink: Sink, wants: str, help_: str, program: str = _PROGRAM) -> None:
    """Report that Nix, or its *program*, is not installed; *wants* says why it is needed."""
    sink.report(
        msg.evaluation.NO_NIX if program == _PROGRAM else msg.evaluation.NO_PROGRAM,
        program=program,
        wants=wants,
        advice=help_,
    )


def error_text(text: str) -> str:
    """The message in the output of Nix, made readable."""
    return message_in(text, NIX) or _NO_REASON
