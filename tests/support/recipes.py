"""Recipes judged by real Nix: evaluated against the model nixpkgs in `tests/nixpkgs`.

Each file is evaluated as it stands; only what it fetches is put in place. Hundreds of files are
one Nix process, without a store and without a network.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

MODEL: Final = Path(__file__).resolve().parent.parent / "nixpkgs"
RELEASES: Final = (
    "20.09", "21.05", "21.11", "22.05", "22.11", "23.05", "23.11", "24.05", "24.11",
    "25.05", "25.11", "26.05", "26.11",
)  # fmt: skip
"""The ages of the model: all of `ages.nix` in it."""
_CONFIGURATION: Final = MODEL.parent.parent / ".ci"
_SECONDS: Final = 300
# What one process may hold: a recipe takes 1.3 MB of it, and a command line ends at 2 MB.
_RECIPES_PER_PROCESS: Final = 500
_FILES_PER_COMMAND: Final = 5000
# What `judge.nix` tells before it has ended.
_ALOUD: Final = "trace: judge: "


class NixError(AssertionError):
    """Nix refused; the message is what it printed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One recipe to try: its file, the nixpkgs that it is to meet, and the markers to look for, all
    of them in its own derivation or `depth` steps down those that it is made from."""

    file: Path
    age: str | Mapping[str, object]
    markers: tuple[str, ...]
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a recipe.

    `drv_path` is that of its derivation, or None where there is none, and `landed` whether the
    markers are in it. `said` is what the recipe itself refused with, and `error` Nix's own last
    words where nobody refused anything.
    """

    drv_path: str | None
    landed: bool = False
    said: tuple[str, ...] = ()
    error: str = ""


RecipeFacts = dict[str, Any]
"""What one recipe comes to, as `judge.nix` has it. Where nixpkgs refuses the package, and the
caller asked for refusals to be recorded, `refusal` is a sentence, and every other value is missing.
"""
TorchFacts = Any
"""How the PyTorch of a recipe was called: its own, or the one that it builds on."""


def evaluate(
    files: Mapping[str, Path] | Sequence[Path],
    systems: Mapping[str, str] | None = None,
    *,
    sources: Mapping[str, Path] | None = None,
    pure: bool = False,
    record_refusals: bool = False,
) -> dict[str, RecipeFacts]:
    """What each recipe comes to, by its name (of the mapping, or the file's stem).

    A recipe is evaluated for its system in `systems`; otherwise for x86_64-linux if its
    `meta.platforms` has that, and for their first if not. `sources` gives the folder that stands
    for a fetched URL other than nixpkgs. With `pure`, whatever fails in pure evaluation fails.
    With `record_refusals`, a package that nixpkgs refuses (broken, unfree, another platform) is
    an entry with `refusal`; every other failure, and without it that one too, is a `NixError`.
    """
    return _judge(files, systems, sources, pure=pure, refusals=record_refusals, details=True)


def drv_paths(
    files: Mapping[str, Path] | Sequence[Path],
    systems: Mapping[str, str] | None = None,
    *,
    sources: Mapping[str, Path] | None = None,
    ages: Mapping[str, str | Mapping[str, object]] | None = None,
) -> dict[str, str]:
    """The derivation path of each recipe: two recipes are one build when these are equal.

    Arguments and errors as `evaluate`; several times as fast. `ages` says how old the nixpkgs is
    that a recipe fetches: a release, or `{"release": …, "without": […], "with": […]}` with names of
    features in `tests/nixpkgs/ages.nix`.
    """
    answers = _judge(files, systems, sources, ages)
    return {name: answer["drvPath"] for name, answer in answers.items()}


def drv_paths_of_sets(
    files: Mapping[str, Path], systems: Mapping[str, str] | None = None, *, pure: bool = False
) -> dict[str, dict[str, str]]:
    """The derivation paths that each of *files* comes to: its `drvPath` is a set of them, by name.

    Arguments and errors as `evaluate`. It reads a file of many variants once for all of them.
    """
    answers = _judge(files, systems, None, pure=pure)
    return {name: answer["drvPath"] for name, answer in answers.items()}


def outcomes(asked: Mapping[str, Asked]) -> dict[str, Outcome]:
    """What becomes of each recipe, whatever that is: nothing is an error here.

    One process tries them one after the other. An error of Nix that nothing catches ends it, and
    the next process goes on behind the recipe that met it.
    """
    found: dict[str, Outcome] = {}
    # The order in which Nix goes through a set.
    waiting = sorted(asked)
    while waiting:
        chunk = waiting[:_RECIPES_PER_PROCESS]
        _try(chunk, asked, found)
        waiting = [name for name in waiting if name not in found]
    return found


def _try(names: Sequence[str], asked: Mapping[str, Asked], found: dict[str, Outcome]) -> None:
    files = {name: asked[name].file for name in names}
    ages = {name: asked[name].age for name in names}
    marks = {name: (asked[name].markers, asked[name].depth) for name in names}
    code, _, stderr = _run_judge(files, ages=ages, marks=marks, refusals=True)
    refused: dict[str, list[str]] = {}
    for line in stderr.splitlines():
        if not line.startswith(_ALOUD):
            continue
        told = json.loads(line[len(_ALOUD) :])
        if "refused" in told:
            refused.setdefault(told["refused"], []).append(told["message"])
            continue
        name, answer = told["judged"], told["answered"]
        said = tuple(dict.fromkeys(refused.get(name, ())))
        error = (answer.get("refusal") or "") if not said else ""
        found[name] = Outcome(answer["drvPath"], answer.get("landed", False), said, error)
    if code == 0:
        return
    culprit = re.search(r"while judging the recipe '([^']*)'", stderr)
    if culprit is None or culprit[1] in found:
        raise NixError(stderr.strip())
    errors = [line.strip() for line in stderr.splitlines() if "error:" in line]
    found[culprit[1]] = Outcome(None, error=errors[-1] if errors else "no word")


def parse_ok(paths: Iterable[Path]) -> bool:
    """True if Nix parses every file; otherwise a `NixError` that names the first bad one."""
    names = [str(path) for path in paths]
    for start in range(0, len(names), _FILES_PER_COMMAND):
        run_nix(["--parse", *names[start : start + _FILES_PER_COMMAND]])
    return True


def model_value(expression: str) -> Any:
    """The value of a Nix expression in which `<nixpkgs>` is the model; it has to be JSON-able."""
    return nix_value(expression, "-I", f"nixpkgs={MODEL}")


def nix_instantiate() -> str:
    """The Nix under test: `TVARC_NIX_INSTANTIATE`, or the one on the path."""
    return os.environ.get("TVARC_NIX_INSTANTIATE") or "nix-instantiate"


def nix_value(expression: str, *options: str, cwd: Path | None = None) -> Any:
    """The value of a Nix expression, as JSON has it."""
    return json.loads(run_nix(["--eval", "--strict", "--json", *options, "-"], expression, cwd))


def run_nix(words: Sequence[str], text: str = "", cwd: Path | None = None) -> str:
    """Standard output of `nix-instantiate`, which reads *text*; `NixError` where it fails."""
    code, out, err = _nix(words, text, cwd)
    if code:
        raise NixError(f"{err.strip()}\n{text}")
    return out


def _judge(
    files: Mapping[str, Path] | Sequence[Path],
    systems: Mapping[str, str] | None,
    sources: Mapping[str, Path] | None,
    ages: Mapping[str, str | Mapping[str, object]] | None = None,
    **switches: bool,
) -> dict[str, dict[str, Any]]:
    named = files if isinstance(files, Mapping) else {path.stem: path for path in files}
    if len(named) != len(files):
        raise ValueError("two of the files have one name: give a mapping")
    names = list(named)
    answers: dict[str, dict[str, Any]] = {}
    for start in range(0, len(names), _RECIPES_PER_PROCESS):
        chunk = {name: named[name] for name in names[start : start + _RECIPES_PER_PROCESS]}
        code, out, err = _run_judge(chunk, systems, sources, ages, None, **switches)
        if code:
            raise NixError(err.strip())
        answers |= json.loads(out)
    return answers


def _run_judge(
    files: Mapping[str, Path],
    systems: Mapping[str, str] | None = None,
    sources: Mapping[str, Path] | None = None,
    ages: Mapping[str, str | Mapping[str, object]] | None = None,
    marks: Mapping[str, tuple[tuple[str, ...], int]] | None = None,
    *,
    pure: bool = False,
    refusals: bool = False,
    details: bool = False,
) -> tuple[int, str, str]:
    """A run of `judge.nix`. With *marks* it tells of each recipe at once."""
    recipes = {
        name: {
            "file": str(path.resolve()),
            "age": (ages or {}).get(name),
            "markers": (marks or {}).get(name, ((), 0))[0],
            "depth": (marks or {}).get(name, ((), 0))[1],
            "system": (systems or {}).get(name),
            "sources": {url: str(folder.resolve()) for url, folder in (sources or {}).items()},
        }
        for name, path in files.items()
    }
    request = {
        "pure": pure, "recordRefusals": refusals, "details": details, "aloud": bool(marks),
        "recipes": recipes,
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="tvarc-judge-") as folder:
        jobs = Path(folder, "jobs.json")
        jobs.write_text(json.dumps(request), encoding="utf-8")
        options = ["--eval", "--strict", "--json", "--show-trace", "--argstr", "jobs", str(jobs)]
        return _nix([*options, str(MODEL / "judge.nix")])


def _nix(words: Sequence[str], text: str = "", cwd: Path | None = None) -> tuple[int, str, str]:
    """How a run of `nix-instantiate` ended, and what it printed. It gets no store and no search
    path."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NIX_")}
    environment["NIX_CONF_DIR"] = str(_CONFIGURATION)
    done = subprocess.run(
        [nix_instantiate(), "--store", "dummy://", "--readonly-mode", *words],
        cwd=cwd, env=environment, input=text.encode(), capture_output=True, timeout=_SECONDS,
        check=False,
    )  # fmt: skip
    out, err = (stream.decode(errors="replace") for stream in (done.stdout, done.stderr))
    return done.returncode, out, err
