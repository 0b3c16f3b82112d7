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
    (OK, "all went well"),
    (
        FAILED,
        "the source has errors, a selector does not fit, or a file was refused; `diff`: differs; "
        "`realise`: a recipe is broken",
    ),
    (USAGE, "wrong usage of the command line; `diff`: cannot compare"),
    (
        STALE,
        "`--check` found files that would change, `audit` something out of line, `stale` an "
        "overlay that is not needed any more, or `import` files not imported or not alike",
    ),
    (
        UNJUDGED,
        "`check --eval`, `jobs --eval`, `audit --nix`, `build --if-equal`, `realise`: Nix is not "
        "here, or cannot fetch a pin or an input; nothing was evaluated. `realise`: a machine or a "
        "store keeps variants from being built, and no recipe is known to be broken",
    ),
    (
        UNREAD,
        "`audit` could read none of the recipes, so nothing was judged",
    ),
    (BUG, "a fault of tvarc itself: please report it"),
    (HUNG_UP, "the terminal hung up (SIGHUP)"),
    (INTERRUPTED, "interrupted"),
    (TERMINATED, "ended from outside (SIGTERM)"),
)
