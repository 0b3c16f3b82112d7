"""Runs `command.py` from the top of the repository: `python -m tests.fuzz --help`."""

from __future__ import annotations

import sys
from pathlib import Path

# As pytest has it: modules of tests are named from their folder on.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if __name__ == "__main__":
    from fuzz.command import main

    sys.exit(main())
