"""Programs in the place of Nix's own, which note how they were called."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

_PROGRAM = """\
#!{python}
import json, pathlib, sys
here = pathlib.Path(__file__)
with open(here.parent / "calls", "a") as calls:
    calls.write(json.dumps([here.name, *sys.argv[1:]]) + "\\n")
answers = here.parent / (here.name + ".answers")
for word, answer in json.loads(answers.read_text()).items():
    if word in sys.argv[-1]:
        out, _, err = answer.partition("|")
        sys.stdout.write(out + "\\n")
        sys.stderr.write(err + "\\n")
        sys.exit(1 if err else 0)
sys.exit("nothing is known of " + sys.argv[-1])
"""


class Programs:
    """Programs of a folder that stands alone on the path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def answer(self, program: str, answers: Mapping[str, str]) -> None:
        """Let *program* print the answer to the word that its last argument holds; what stands
        after `|` is its complaint."""
        path = self.folder / program
        path.write_text(_PROGRAM.replace("{python}", sys.executable), encoding="utf-8")
        path.chmod(0o755)
        (self.folder / f"{program}.answers").write_text(json.dumps(answers), encoding="utf-8")

    def calls(self) -> list[list[str]]:
        path = self.folder / "calls"
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        return [json.loads(call) for call in text.splitlines()]


def told(text: str, code: str) -> int:
    """How many errors of this code *text* tells of."""
    return text.count(f"error[{code}]")
