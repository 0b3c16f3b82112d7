"""Where a process begins: before anything is loaded that takes time."""

from __future__ import annotations

# `signal` takes longer to load than many commands run.
import _signal  # type: ignore[import-not-found]


def process() -> None:
    """Be the whole of a process, see `start/main.py`. An interrupt while that is loaded ends the
    process as the system does it: nothing is to be cleared away yet, and Python would print a
    traceback."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    from tvarc.commands.start import main

    main.process()
