"""The start of a process, before slow modules are loaded."""

# `signal` takes longer to load than many commands run.
import _signal  # type: ignore[import-not-found]


def process() -> None:
    """Run the whole process, see `start/main.py`. An interrupt during the loading of modules ends
    the process at once: there is nothing to clean up yet, and Python would print a traceback."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    from tvarc.commands.start import main

    main.process()
