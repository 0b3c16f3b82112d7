"""Signals that end a process, as an exception: so what it has started ends with it, and its
temporary folders go."""

from __future__ import annotations

# `signal` takes longer to load than many commands run.
import _signal  # type: ignore[import-not-found]

from tvarc.cli import exits
from tvarc.light import TYPE_CHECKING, Final, NoReturn, suppress

if TYPE_CHECKING:
    from types import FrameType

_NAMES: Final = ("SIGTERM", "SIGHUP")


class EndedFromOutside(KeyboardInterrupt):
    """The process got a signal that ends it; `code` is what it is to exit with."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def heed_signals() -> None:
    """From here on have signals that would end this process raise EndedFromOutside. Those that it
    was started to pass over, as by `nohup`, stay so."""
    with suppress(ValueError):  # Python lets only the main thread do so
        if _signal.getsignal(_signal.SIGINT) == _signal.SIG_DFL:  # see `cli/entry.py`
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        for number in _numbers():
            if _signal.getsignal(number) == _signal.SIG_DFL:
                _signal.signal(number, _end)


def interrupted(fault: KeyboardInterrupt) -> int:
    """The exit code of a command that ended by *fault*."""
    return fault.code if isinstance(fault, EndedFromOutside) else exits.INTERRUPTED


def _end(number: int, frame: FrameType | None) -> NoReturn:
    for one in (_signal.SIGINT, *_numbers()):  # what is cleared away now is not to be interrupted
        _signal.signal(one, _signal.SIG_IGN)
    raise EndedFromOutside(exits.ENDED_BY_SIGNAL + number)


def _numbers() -> list[int]:
    """Those that this system has."""
    return [getattr(_signal, name) for name in _NAMES if hasattr(_signal, name)]
