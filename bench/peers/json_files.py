"""Write a JSON object of texts as files.   FOLDER [JSONNET]

The object comes from standard input, or is what the Rust jsonnet makes of a file.
"""

# ruff: noqa: PTH103, PTH118, PTH123 - the peer is not to pay for pathlib
from __future__ import annotations

import json
import os
import sys


def main() -> None:
    folder, *program = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    if program:
        import rjsonnet

        files = json.loads(rjsonnet.evaluate_file(program[0]))
    else:
        files = json.load(sys.stdin)
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
