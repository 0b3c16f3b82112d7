"""Builds the program that it is called with in the current folder, once for each line of the input.

Each build is a process of its own, in which the modules of the compiler are loaded and nothing of
an earlier build is known. Each prints one line: the event of a watch.
"""

from __future__ import annotations

import os
import sys

from tvarc.commands.watch import Screen, Watch
from tvarc.files.output.plan import BuildOptions
from tvarc.text.diagnostics.model import Format


def watch_of(program: str, kind: type[Watch] = Watch) -> Watch:
    """A watch of *program*, whose builds print events."""
    options = BuildOptions(program, None, (), (), check=False, force=False, json=True, git=False)
    return kind(Screen(Format.TEXT, as_json=True), options, cached=True)


class _Once(Watch):
    """A watch whose process ends after a build, so that no memory has to be freed."""

    def _forget(self) -> None:
        pass


def main() -> None:
    (program,) = sys.argv[1:]
    watch_of(program).build()  # loads the modules
    for _ in sys.stdin:
        sys.stdout.flush()
        child = os.fork()
        if child:
            os.waitpid(child, 0)
        else:
            try:
                watch_of(program, _Once).build()
                sys.stdout.flush()
            finally:
                os._exit(0)


if __name__ == "__main__":
    main()
