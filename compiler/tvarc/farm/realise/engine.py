"""Nix at work: `nix-store --realise`, followed while it runs."""

# ruff: noqa: PTH100
# pathlib costs too much at start.
from __future__ import annotations

import os
import signal
import subprocess
import threading

from tvarc.farm.realise.follow import Following, read_event
from tvarc.farm.realise.model import Build
from tvarc.farm.realise.store import StoreRefused
from tvarc.light import Callable, Final, Sequence
from tvarc.nix.judge.nix import NotInstalled, begin, printed

_PROGRAM: Final = "nix-store"
_POINTER: Final = 9  # bytes that a word takes beside itself
_USUAL: Final = 1 << 17
_FEWEST: Final = 1 << 13
_SECONDS_TO_END: Final = 10
"""Nix ends its builders first when it is asked to end."""


def parts(derivations: Sequence[str]) -> list[list[str]]:
    """*derivations* in runs of Nix: as many together as a command line takes. It is one run of far
    more than ten thousand, so that machines have to wait for its last build."""
    found: list[list[str]] = []
    room = 0
    most = most_bytes()
    for one in derivations:
        size = len(one) + _POINTER
        if size > room or not found:
            found.append([])
            room = most
        found[-1].append(one)
        room -= size
    return found


def most_bytes() -> int:
    """The most bytes of arguments that a command takes: half of this system's limit, since
    environment variables share it.
    """
    try:
        most = os.sysconf("SC_ARG_MAX")
    except (ValueError, OSError):
        most = _USUAL
    return max(_FEWEST, most // 2 if most > 0 else _USUAL)


def command(
    derivations: Sequence[str], builders: str | None, jobs: int | None, *, keep_going: bool
) -> list[str]:
    """The command that builds *derivations*: on the machines that the file *builders* names, and
    with so many *jobs* at a time on this one; None leaves it to Nix's settings. With *keep_going*
    it continues after a failure.
    """
    found = [_PROGRAM, "--realise", "--no-gc-warning", "--log-format", "internal-json"]
    if keep_going:
        found.append("--keep-going")
    if jobs is not None:
        found += ["--max-jobs", str(jobs)]
    if builders is not None:
        found += ["--builders", f"@{os.path.abspath(builders)}"]
    return [*found, *derivations]


def run(
    words: Sequence[str],
    following: Following,
    note: Callable[[Build | None], object],
    *,
    to_the_end: bool,
) -> KeyboardInterrupt | None:
    """Run *words* until Nix ends, or, if not *to_the_end*, until the first recipe is known to be
    broken. Returns the interrupt that ended it, None if there was none. *note* is called with each
    build whose state changed, and with None if nothing happens for a while. Raises NotInstalled and
    StoreRefused.
    """
    begun: list[subprocess.Popen[bytes]] = []
    try:
        process = begin(words, subprocess.DEVNULL, begun)
    except FileNotFoundError:
        raise NotInstalled(_PROGRAM) from None
    except OSError as fault:
        raise StoreRefused(f"{_PROGRAM}: {fault.strerror}") from None
    except KeyboardInterrupt as fault:
        for one in begun:
            _end(one)
        return fault
    late = threading.Timer(_SECONDS_TO_END, process.kill)
    interrupted: KeyboardInterrupt | None = None
    ended = False
    try:
        for data in printed(process):
            line = data.decode("utf-8", "replace")
            event = read_event(line) if line else None
            for build in following.take(event) if event is not None else ():
                note(build)
            for build in following.tick():
                note(build)
            if not line:
                note(None)
            if following.failed and not to_the_end and not ended:
                ended = True
                process.send_signal(signal.SIGTERM)
                late.start()
        if process.wait() < 0 and not ended:
            following.fault = f"`{_PROGRAM}` was ended by signal {-process.returncode}"
    except KeyboardInterrupt as fault:
        interrupted = fault
    finally:
        late.cancel()
        _end(process)
    for build in following.end(interrupted=interrupted is not None or ended):
        note(build)
    return interrupted


def _end(process: subprocess.Popen[bytes]) -> None:
    """Have *process* end, with all that it has begun."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
