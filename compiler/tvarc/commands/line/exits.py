"""The exit codes of the command line, all of them."""

from __future__ import annotations

from tvarc.light import Final

OK: Final = 0
FAILED: Final = 1
DIFFERENT: Final = 1  # `diff`, as the program of that name has it
TROUBLE: Final = 2  # `diff`, where others say FAILED
USAGE: Final = 2  # the code of the library that reads the arguments, too
STALE: Final = 3
UNJUDGED: Final = 4
UNREAD: Final = 5
BUG: Final = 70  # EX_SOFTWARE of sysexits.h
ENDED_BY_SIGNAL: Final = 128  # as shells have it: and the number of the signal
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
