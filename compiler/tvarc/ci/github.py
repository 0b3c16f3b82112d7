"""Jobs as matrices of GitHub Actions, and the workflow that builds them."""

from __future__ import annotations

import posixpath

from tvarc import __version__
from tvarc.ci.model import Built, Job
from tvarc.light import Final, Mapping, Sequence, assert_never, dataclass
from tvarc.plain import Data, Json, json_text
from tvarc.yaml import Yaml

MOST_JOBS: Final = 256
"""Jobs of one matrix."""
MOST_OUTPUT: Final = 1 << 20
"""Bytes of all outputs of a job, of which each character takes two."""
WORKFLOWS: Final = ".github/workflows/"
"""The folder in which GitHub looks for workflows, at the top of a repository."""

RUNNERS: Final[Mapping[str, tuple[str, ...]]] = {
    "x86_64-linux": ("ubuntu-latest",),
    "aarch64-linux": ("ubuntu-24.04-arm",),
    "x86_64-darwin": ("macos-15-intel",),
    "aarch64-darwin": ("macos-15",),
}
"""The labels of the runners that GitHub has for a system."""
USUAL: Final = "x86_64-linux"

_CHECKOUT: Final = "actions/checkout@v4"
_PYTHON: Final = "actions/setup-python@v5"
_NIX: Final = "cachix/install-nix-action@v31"

_PLAN: Final = """\
if [ -n "$BASE" ] && git cat-file -e "$BASE^{commit}" 2>/dev/null; then
  set -- --changed-since "$BASE"
fi
tvarc jobs --file "$PROGRAM" --output "$OUTPUT" --as github "$@" > "$MATRIX"
jq -r '.shards | to_entries[] | "shard-\\(.key + 1)=\\(.value | tojson)"' "$MATRIX" \\
  >> "$GITHUB_OUTPUT"
"""
"""The matrix of what has changed since a commit that the checkout has, and otherwise of all."""
_BUILD: Final[Mapping[str, str]] = {
    "flake": 'nix build --print-build-logs "$FLAKE#packages.$SYSTEM.$VARIANT"',
    "all": 'nix-build "$FILE" -A "$VARIANT"',
    "recipes": 'nix-build "$FILE"',
    "called": "nix-build --expr "
    '\'(import <nixpkgs> { }).callPackage (./. + "/${builtins.getEnv "FILE"}") { }\'',
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A job with the labels of its runner."""

    job: Job
    runner: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a workflow is made of: the path of the program from the top of the repository, the name
    of the output, what jobs are built from, and how many of them there are."""

    program: str
    output: str
    built: Built
    jobs: int


def shards(entries: Sequence[Entry]) -> list[Json]:
    """Matrices of no more jobs than one can have."""
    parts = [entries[at : at + MOST_JOBS] for at in range(0, len(entries), MOST_JOBS)]
    return [{"include": [_entry_data(one) for one in part]} for part in parts]


def matrix_data(entries: Sequence[Entry]) -> Data:
    """All matrices as data."""
    return {"shards": shards(entries)}


def output_size(entries: Sequence[Entry]) -> int:
    """How many bytes the matrices take as outputs of a job."""
    return sum(2 * len(json_text(one, indent=None)) for one in shards(entries))


def _entry_data(entry: Entry) -> Data:
    job = entry.job
    labels: Json = [*entry.runner] if len(entry.runner) > 1 else entry.runner[0]
    return {"variant": job.variant, "system": job.system, "file": job.file, "runs-on": labels}


# --- the workflow -----------------------------------------------------------------------------


def workflow(plan: Plan) -> Yaml:
    """The workflow: one job finds out what is to be built, and one for each matrix builds it."""
    count = max(1, -(-plan.jobs // MOST_JOBS))
    names = [f"shard-{number}" for number in range(1, count + 1)]
    builds = {
        "build" if count == 1 else f"build-{number}": _build(plan, name)
        for number, name in enumerate(names, 1)
    }
    return {
        "name": plan.output,
        "on": {"push": None, "pull_request": None, "workflow_dispatch": None},
        "permissions": {"contents": "read"},
        "jobs": {"plan": _plan(plan, names), **builds},
    }


def _plan(plan: Plan, names: Sequence[str]) -> Yaml:
    return {
        "runs-on": RUNNERS[USUAL][0],
        "outputs": {name: _value(f"steps.matrix.outputs.{name}") for name in names},
        "steps": [
            {"uses": _CHECKOUT, "with": {"fetch-depth": 0}},
            {"uses": _PYTHON, "with": {"python-version": "3.13"}},
            {"run": f"pip install tvarc=={__version__}"},
            {
                "id": "matrix",
                "env": {
                    "BASE": _value("github.event.pull_request.base.sha || github.event.before"),
                    "PROGRAM": _literal(plan.program),
                    "OUTPUT": plan.output,
                    "MATRIX": _value("runner.temp") + "/matrix.json",
                },
                "run": _PLAN,
            },
        ],
    }


def _build(plan: Plan, name: str) -> Yaml:
    outputs = f"needs.plan.outputs.{name}"
    return {
        "needs": "plan",
        "if": f"{outputs} != ''",
        "strategy": {"fail-fast": False, "matrix": _value(f"fromJSON({outputs})")},
        "name": _value("matrix.variant") + " " + _value("matrix.system"),
        "runs-on": _value("matrix.runs-on"),
        "steps": [{"uses": _CHECKOUT}, _nix(plan.built), _step(plan.built)],
    }


def _nix(built: Built) -> Yaml:
    """The step that brings Nix; what is called with a nixpkgs needs one."""
    if built.pinned or built.form == "flake":
        return {"uses": _NIX}
    return {"uses": _NIX, "with": {"nix_path": "nixpkgs=channel:nixos-unstable"}}


def _step(built: Built) -> Yaml:
    """The step that builds a variant. What a program says stands in variables of the shell, which
    takes none of it for a command."""
    match built.form:
        case "flake":
            folder = posixpath.dirname(built.file)
            return {
                "env": {
                    "FLAKE": _literal(f"./{folder}") if folder else ".",
                    "SYSTEM": _value("matrix.system"),
                    "VARIANT": _value("matrix.variant"),
                },
                "run": _BUILD["flake"],
            }
        case "all":
            return {
                "env": {"FILE": _literal(built.file), "VARIANT": _value("matrix.variant")},
                "run": _BUILD["all"],
            }
        case "recipes":
            command = _BUILD["recipes" if built.pinned else "called"]
            return {"env": {"FILE": _value("matrix.file")}, "run": command}
        case _:
            assert_never(built.form)


def _literal(text: str) -> str:
    """*text* as it is: what GitHub would take for an expression in it is one that gives its
    characters."""
    return text.replace("${{", _value("'${{'"))


def _value(expression: str) -> str:
    """What GitHub puts in the place of *expression*."""
    return f"${{{{ {expression} }}}}"
