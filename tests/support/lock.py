"""Programs in the place of Nix's own, which note how they were called; and real Nix in a store."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_CONFIGURATION = Path(__file__).resolve().parents[2] / ".ci"
_SECONDS = 120

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


class RealNix:
    """Nix with a store of its own below a folder, no network and no helpers."""

    def __init__(self, folder: Path) -> None:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("NIX_")}
        self.environment = {
            **kept,
            "HOME": str(folder),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "NIX_REMOTE": str(folder / "store"),
            "NIX_CONF_DIR": str(_CONFIGURATION),
            # A store below a folder has a sandbox whatever is set. Only builders of Nix itself run
            # here, which need no shell: with none in it, no busybox has to be there.
            "NIX_CONFIG": "sandbox = false\nsandbox-paths =",
        }

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=_SECONDS,
            check=False,
        )

    @contextmanager
    def around(self) -> Iterator[None]:
        """Within, what this process starts has this Nix."""
        before = dict(os.environ)
        os.environ.clear()
        os.environ.update(self.environment)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def told(text: str, code: str) -> int:
    """How many errors of this code *text* tells of."""
    return text.count(f"error[{code}]")


def has_programs() -> bool:
    """Whether the Nix on the path can build and prefetch; where all is meant to run, it has to."""
    wanted = ("nix-instantiate", "nix-build", "nix-prefetch-url")
    return all(map(shutil.which, wanted)) or bool(os.environ.get("CI"))
