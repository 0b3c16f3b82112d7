"""Run a command once and write what it cost to a file.   RESULT COMMAND [ARGUMENT ...]

The file gets "wall user system peak_kib status"; times are in seconds. What the command prints is
thrown away. This is a process of its own because a child's peak memory never reads below that of
the process that started it: this one holds 9 MiB.
"""

# ruff: noqa: PTH123 - pathlib would be memory of this process
from __future__ import annotations

import os
import sys
import time


def main() -> None:
    result, *command = sys.argv[1:]
    # The ends of a pipe that has nobody else would keep a command waiting: both are /dev/null.
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
    ]
    start = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status, used = os.wait4(child, 0)
    wall = time.perf_counter() - start
    code = os.waitstatus_to_exitcode(status)
    with open(result, "w", encoding="ascii") as file:
        file.write(f"{wall:.6f} {used.ru_utime:.6f} {used.ru_stime:.6f} {used.ru_maxrss} {code}\n")


if __name__ == "__main__":
    main()
