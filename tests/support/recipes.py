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
from typing import Any, Final, TypedDict, cast

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


class PinFacts(TypedDict):
    """The nixpkgs that the package came from; `url` is None for the one that Flox hands in."""

    url: str | None
    sha256: str | None
    config: dict[str, Any]
    overlays: int


class SourceFacts(TypedDict, total=False):
    """The arguments of `fetchFromGitHub`; empty for a source of another kind."""

    owner: str
    repo: str
    rev: str | None
    tag: str | None
    hash: str
    fetchSubmodules: bool


class TorchFacts(TypedDict):
    """How the PyTorch of a recipe was called: its own, or the one that it builds on."""

    version: str
    cudaSupport: bool
    rocmSupport: bool
    gpuTargets: list[str]
    cuda: str | None
    cudaCapabilities: list[str]
    blas: str
    patches: list[str]
    magmaPatches: list[str] | None
    magmaFlags: list[str] | None
    ncclFlags: list[str]
    rocmTargets: list[str]


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


class RecipeFacts(TypedDict):
    """What one recipe comes to.

    `refusal` is a sentence, and every other value is missing, when nixpkgs refuses the package
    and the caller asked for refusals to be recorded.
    """

    drvPath: str | None
    refusal: str | None
    name: str
    pname: str | None
    version: str | None
    system: str
    pin: PinFacts
    torch: TorchFacts | None
    patches: list[str]
    src: SourceFacts | None
    env: dict[str, str]
    phases: dict[str, str]
    cmakeFlags: list[str]
    ninjaFlags: list[str]
    requiredSystemFeatures: list[str]
    passthru: dict[str, Any]
    meta: dict[str, Any]


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
    request = _Request(systems or {}, sources or {}, pure, record_refusals, details=True)
    return cast("dict[str, RecipeFacts]", _judge(files, request))


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
    request = _Request(systems or {}, sources or {}, False, False, details=False, ages=ages)
    answers = _judge(files, request)
    return {name: cast("str", answer["drvPath"]) for name, answer in answers.items()}


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
    request = _Request({}, {}, False, True, details=False, ages=ages, marks=marks)
    done = _run_judge(request.document(files))
    refused: dict[str, list[str]] = {}
    for line in done.stderr.splitlines():
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
    if done.returncode == 0:
        return
    culprit = re.search(r"while judging the recipe '([^']*)'", done.stderr)
    if culprit is None or culprit[1] in found:
        raise NixError(done.stderr.strip())
    errors = [line.strip() for line in done.stderr.splitlines() if "error:" in line]
    found[culprit[1]] = Outcome(None, error=errors[-1] if errors else "no word")


def parse_ok(paths: Iterable[Path]) -> bool:
    """True if Nix parses every file; otherwise a `NixError` that names the first bad one."""
    names = [str(path) for path in paths]
    for start in range(0, len(names), _FILES_PER_COMMAND):
        _run(["--parse", *names[start : start + _FILES_PER_COMMAND]])
    return True


def model_value(expression: str) -> Any:
    """The value of a Nix expression in which `<nixpkgs>` is the model; it has to be JSON-able."""
    options = ["--eval", "--strict", "--json", "-I", f"nixpkgs={MODEL}"]
    return json.loads(_run([*options, "--expr", expression]))


def nix_instantiate() -> str:
    """The Nix under test: `TVARC_NIX_INSTANTIATE`, or the one on the path."""
    return os.environ.get("TVARC_NIX_INSTANTIATE") or "nix-instantiate"


class _Request:
    """The settings of one run of `judge.nix`."""

    __slots__ = ("ages", "details", "marks", "pure", "record_refusals", "sources", "systems")

    def __init__(
        self,
        systems: Mapping[str, str],
        sources: Mapping[str, Path],
        pure: bool,
        record_refusals: bool,
        *,
        details: bool,
        ages: Mapping[str, str | Mapping[str, object]] | None = None,
        marks: Mapping[str, tuple[tuple[str, ...], int]] | None = None,
    ) -> None:
        self.ages = ages or {}
        self.marks = marks or {}
        self.systems = systems
        self.sources = {url: str(path.resolve()) for url, path in sources.items()}
        self.pure = pure
        self.record_refusals = record_refusals
        self.details = details

    def document(self, files: Mapping[str, Path]) -> dict[str, object]:
        return {
            "pure": self.pure,
            "recordRefusals": self.record_refusals,
            "details": self.details,
            "aloud": bool(self.marks),
            "recipes": {
                name: {
                    "file": str(path.resolve()),
                    "age": self.ages.get(name),
                    "markers": self.marks.get(name, ((), 0))[0],
                    "depth": self.marks.get(name, ((), 0))[1],
                    "system": self.systems.get(name),
                    "sources": self.sources,
                }
                for name, path in files.items()
            },
        }


def _judge(
    files: Mapping[str, Path] | Sequence[Path], request: _Request
) -> dict[str, dict[str, Any]]:
    named = files if isinstance(files, Mapping) else _by_stem(files)
    names = list(named)
    answers: dict[str, dict[str, Any]] = {}
    for start in range(0, len(names), _RECIPES_PER_PROCESS):
        chunk = names[start : start + _RECIPES_PER_PROCESS]
        answers |= _judge_at_once(request.document({name: named[name] for name in chunk}))
    return answers


def _judge_at_once(document: dict[str, object]) -> dict[str, dict[str, Any]]:
    answers: dict[str, dict[str, Any]] = json.loads(_checked(_run_judge(document)))
    return answers


def _run_judge(document: dict[str, object]) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory(prefix="tvarc-judge-") as folder:
        jobs = Path(folder, "jobs.json")
        jobs.write_text(json.dumps(document), encoding="utf-8")
        options = ["--eval", "--strict", "--json", "--show-trace", "--argstr", "jobs", str(jobs)]
        return _nix([*options, str(MODEL / "judge.nix")])


def _by_stem(paths: Sequence[Path]) -> dict[str, Path]:
    named = {path.stem: path for path in paths}
    if len(named) != len(paths):
        raise ValueError("two of the files have one name: give a mapping")
    return named


def _run(arguments: Sequence[str]) -> str:
    """Standard output of `nix-instantiate`; `NixError` where it fails."""
    return _checked(_nix(arguments))


def _checked(done: subprocess.CompletedProcess[str]) -> str:
    if done.returncode != 0:
        raise NixError(done.stderr.strip())
    return done.stdout


def _nix(arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """A run of `nix-instantiate`, which gets no store, no search path and no input."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NIX_")}
    environment["NIX_CONF_DIR"] = str(_CONFIGURATION)
    return subprocess.run(
        [nix_instantiate(), "--store", "dummy://", "--readonly-mode", *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=_SECONDS,
        check=False,
    )
