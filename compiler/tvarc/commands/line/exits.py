"""The ends of a process: all exit codes of the command line, and the signals that end it. A signal
becomes an exception, so that child processes are ended and temporary folders are removed.
"""

from __future__ import annotations

# `signal` takes longer to load than many commands run.
import _signal  # type: ignore[import-not-found]
import _thread

from tvarc.light import TYPE_CHECKING, Final, suppress

if TYPE_CHECKING:
    from types import FrameType

OK: Final = 0
FAILED: Final = 1
DIFFERENT: Final = 1  # of `diff`, as in the program `diff`
TROUBLE: Final = 2  # of `diff`, in place of FAILED
USAGE: Final = 2  # also the code of the library that reads arguments
STALE: Final = 3
UNJUDGED: Final = 4
UNREAD: Final = 5
BUG: Final = 70  # EX_SOFTWARE of sysexits.h
ENDED_BY_SIGNAL: Final = 128  # as in shells; the number of the signal is added
INTERRUPTED: Final = ENDED_BY_SIGNAL + 2
HUNG_UP: Final = ENDED_BY_SIGNAL + 1
TERMINATED: Final = ENDED_BY_SIGNAL + 15
INTERRUPTIONS: Final = (INTERRUPTED, HUNG_UP, TERMINATED)

MEANINGS: Final = (
    (OK, "success"),
    (
        FAILED,
        "an error: in the source, in a selector, or with a file. `diff`: something differs. "
        "`realise`: a recipe is broken",
    ),
    (USAGE, "the command line is wrong. `diff`: the two cannot be compared"),
    (
        STALE,
        "`--check`: files would change, or a source is not locked. `audit`: it found something. "
        "`stale`: an overlay is not needed any more. `import`: a recipe was not imported, or "
        "differs from its neighbours",
    ),
    (
        UNJUDGED,
        "Nix is missing, or cannot fetch a pin or an input, so `check --eval`, `jobs --eval`, "
        "`audit --nix`, `build --if-equal` or `realise` evaluated nothing. `realise`: a "
        "machine or a store prevents a build, and no recipe is known to be broken. `lock --check`: "
        "the modules of an input are locked, but not on this machine",
    ),
    (UNREAD, "`audit` could not read any of the recipes"),
    (BUG, "a fault of tvarc itself: please report it"),
    (HUNG_UP, "the terminal hung up (SIGHUP)"),
    (INTERRUPTED, "interrupted (SIGINT)"),
    (TERMINATED, "ended by another program (SIGTERM)"),
)


# --- signals that end a process ---------------------------------------------------------------


_NAMES: Final = ("SIGTERM", "SIGHUP")
_CALLBACK: Final = ("<frozen importlib._bootstrap>", "cb")
_CALLBACK_SECONDS: Final = 0.002


class EndedFromOutside(KeyboardInterrupt):
    """The process got a signal that ends it; `code` is its exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def heed_signals() -> None:
    """Let signals that would end this process raise EndedFromOutside from now on. Signals that the
    process was started to ignore, as by `nohup`, stay ignored."""
    with suppress(ValueError):  # Python lets only the main thread do so
        if _signal.getsignal(_signal.SIGINT) == _signal.SIG_DFL:  # see `start/entry.py`
            _signal.signal(_signal.SIGINT, _interrupt)
        for number in _numbers():
            if _signal.getsignal(number) == _signal.SIG_DFL:
                _signal.signal(number, _end)


def interrupted(fault: KeyboardInterrupt) -> int:
    """The exit code of a command that ended by *fault*."""
    return fault.code if isinstance(fault, EndedFromOutside) else INTERRUPTED


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _would_be_lost(frame):
        _thread.start_new_thread(_again, (number,))
        return
    raise KeyboardInterrupt


def _would_be_lost(frame: FrameType | None) -> bool:
    """Whether Python would print an exception from here and continue, because *frame* is the
    callback that ends each import."""
    code = frame.f_code if frame is not None else None
    return code is not None and (code.co_filename, code.co_name) == _CALLBACK


def _again(number: int) -> None:
    """Send the signal again, so that it arrives after the callback."""
    waiting = _thread.allocate_lock()
    waiting.acquire()
    waiting.acquire(timeout=_CALLBACK_SECONDS)
    _signal.raise_signal(number)


def _end(number: int, frame: FrameType | None) -> None:
    if _would_be_lost(frame):
        _thread.start_new_thread(_again, (number,))
        return
    for one in (_signal.SIGINT, *_numbers()):  # the cleanup must not be interrupted
        _signal.signal(one, _signal.SIG_IGN)
    raise EndedFromOutside(ENDED_BY_SIGNAL + number)


def _numbers() -> list[int]:
    """The signals that this system has."""
    return [getattr(_signal, name) for name in _NAMES if hasattr(_signal, name)]
