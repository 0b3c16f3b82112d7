"""Signals that end a process, as an exception: it ends the child processes and removes the
temporary folders."""

from __future__ import annotations

# `signal` takes longer to load than many commands run.
import _signal  # type: ignore[import-not-found]
import _thread

from tvarc.commands.line import exits
from tvarc.light import TYPE_CHECKING, Final, suppress

if TYPE_CHECKING:
    from types import FrameType

_NAMES: Final = ("SIGTERM", "SIGHUP")
_CALLBACK: Final = ("<frozen importlib._bootstrap>", "cb")
_CALLBACK_SECONDS: Final = 0.002


class EndedFromOutside(KeyboardInterrupt):
    """The process got a signal that ends it; `code` is its exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def heed_signals() -> None:
    """From here on have signals that would end this process raise EndedFromOutside. Those that it
    was started to pass over, as by `nohup`, stay so."""
    with suppress(ValueError):  # Python lets only the main thread do so
        if _signal.getsignal(_signal.SIGINT) == _signal.SIG_DFL:  # see `start/entry.py`
            _signal.signal(_signal.SIGINT, _interrupt)
        for number in _numbers():
            if _signal.getsignal(number) == _signal.SIG_DFL:
                _signal.signal(number, _end)


def interrupted(fault: KeyboardInterrupt) -> int:
    """The exit code of a command that ended by *fault*."""
    return fault.code if isinstance(fault, EndedFromOutside) else exits.INTERRUPTED


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _would_be_lost(frame):
        _thread.start_new_thread(_again, (number,))
        return
    raise KeyboardInterrupt


def _would_be_lost(frame: FrameType | None) -> bool:
    """Whether Python would print an exception from here and go on: *frame* is the callback that
    ends each import."""
    code = frame.f_code if frame is not None else None
    return code is not None and (code.co_filename, code.co_name) == _CALLBACK


def _again(number: int) -> None:
    """Get the signal once more, when the callback has ended."""
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
    raise EndedFromOutside(exits.ENDED_BY_SIGNAL + number)


def _numbers() -> list[int]:
    """The signals that this system has."""
    return [getattr(_signal, name) for name in _NAMES if hasattr(_signal, name)]
