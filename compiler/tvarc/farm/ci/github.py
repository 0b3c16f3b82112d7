"""Jobs as matrices of GitHub Actions, and the workflow that builds them."""

from __future__ import annotations

import posixpath
import re

from tvarc.farm.ci.lines import Built, Job
from tvarc.farm.yaml import Yaml
from tvarc.light import Final, Iterator, Mapping, Sequence, assert_never, dataclass
from tvarc.values.plain import ABSENT, Absent, json_text

MOST_JOBS: Final = 256
"""The most jobs of one matrix."""
MOST_OUTPUT: Final = 1 << 20
"""The most bytes of all outputs of a job. Each character takes two bytes."""
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

_COMMIT: Final = re.compile(r"github:([A-Za-z0-9][A-Za-z0-9-]*)/([A-Za-z0-9._-]+)/([0-9a-f]{40})")
_RELEASE: Final = re.compile(r"https://[^\s#]+/tvarc-[^\s#/]+\.(?:whl|tar\.gz)#sha256=[0-9a-f]{64}")

FORMS: Final = (
    "`github:OWNER/tvarc/REV`, with the 40 digits of a commit; or the address of a released file "
    "with its hash, `https://…/tvarc-VERSION-py3-none-any.whl#sha256=…`"
)
"""The form of a reference, for messages."""
MOVES: Final = "a name or a branch may point to another program tomorrow"
"""The reason for that form."""

BY_HAND_OR_TAG: Final = (
    "github.event_name == 'workflow_dispatch' || startsWith(github.ref, 'refs/tags/')"
)
"""The condition of runs that someone started by hand or by a tag."""

CHECKOUT: Final = "actions/checkout@v4"
_PYTHON: Final = "actions/setup-python@v5"
_NIX: Final = "cachix/install-nix-action@v31"

_GOOD: Final = """\
good() {
  gh api --method GET "repos/$REPOSITORY/actions/workflows/$WORKFLOW/runs" \\
    -f branch="$1" -f status=success -f per_page=100 \\
    --jq '.workflow_runs[] | select(.event != "pull_request") | .head_sha'
}
for branch in "$BRANCH" "$DEFAULT"; do
  for commit in $(good "$branch" || true); do
    if git cat-file -e "$commit^{commit}" 2>/dev/null; then
      echo "All variants of $commit on $branch were built."
      echo "base=$commit" >> "$GITHUB_OUTPUT"
      exit
    fi
  done
done
echo "No run of this workflow is known to have ended well: all variants are planned."
"""
"""The last commit of the branch, or else of the default branch, with a successful run. Such a run
has built everything that was not built before, so all variants of that commit are good."""
_PLAN: Final = """\
if [ -n "$BASE" ] && git cat-file -e "$BASE^{commit}" 2>/dev/null; then
  set -- --changed-since "$BASE"
fi
tvarc jobs --file "$PROGRAM" --output "$OUTPUT" --as github "$@" > "$MATRIX"
jq -r '.shards | to_entries[] | "shard-\\(.key + 1)=\\(.value | tojson)"' "$MATRIX" \\
  >> "$GITHUB_OUTPUT"
"""
"""The matrix of the variants that changed since a commit that the checkout has, or else of all
variants."""
_BUILD: Final[Mapping[str, str]] = {
    "flake": 'nix build --print-build-logs "$FLAKE#packages.$SYSTEM.\\"$VARIANT\\""',
    "all": 'nix-build "$FILE" -A "\\"$VARIANT\\""',
    "recipes": 'nix-build "$FILE"',
    "called": "nix-build --expr "
    '\'(import <nixpkgs> { }).callPackage (./. + "/${builtins.getEnv "FILE"}") { }\'',
    "scoped": """\
nix-build --expr '
  let
    pkgs = import <nixpkgs> { };
    inherit (pkgs.lib) attrByPath remove splitString;
    name = builtins.getEnv "SCOPE";
    missing = throw "this nixpkgs has no package set ${name}";
    scope = attrByPath (remove "" (splitString "." name)) missing pkgs;
  in
  scope.callPackage (./. + "/${builtins.getEnv "FILE"}") { }
'
""",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A job with the labels of its runner."""

    job: Job
    runner: tuple[str, ...]
    package: str = ""
    """Flox's name of its package, if Flox publishes it."""


@dataclass(frozen=True, slots=True)
class ByLedger:
    """The parts of a workflow with a ledger on `branch`: the steps of the first job that
    `plan`, the steps that `build` a variant, the step that keeps its results, and the job that adds
    all results to the ledger."""

    branch: str
    plan: tuple[Yaml, ...]
    build: tuple[Yaml, ...]
    keep: Yaml
    add: Mapping[str, Yaml]


@dataclass(frozen=True, slots=True)
class Plan:
    """The content of a workflow: its own `file` and the path of the `program`, both from the top of
    the repository, the name of the output, the name by which the workflow is `called`, the form of
    its jobs and their number, the place from which tvarc is installed, and more steps before and
    after each build. `tagged` says that it also runs for tags.
    """

    file: str
    program: str
    output: str
    called: str
    built: Built
    jobs: int
    tvarc: str
    before: tuple[Yaml, ...] = ()
    after: tuple[Yaml, ...] = ()
    tagged: bool = False
    ledger: ByLedger | None = None


@dataclass(frozen=True, slots=True)
class Include:
    """A job of a matrix of GitHub."""

    KEYS = (("runs_on", "runs-on"),)

    variant: str
    system: str
    file: str
    runs_on: tuple[str, ...] | str
    """The labels of its runner; a string if there is one label."""
    scope: str | Absent
    """The package set whose callPackage calls the file; there is none for the top level."""
    package: str | Absent
    """Flox's name of the package, if the workflow publishes it with Flox."""


@dataclass(frozen=True, slots=True)
class Shard:
    """A matrix with at most the allowed number of jobs."""

    include: tuple[Include, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """All matrices of a workflow."""

    made: str | Absent
    """What made the file, if it is one that `build` writes."""
    shards: tuple[Shard, ...]


def matrix_of(entries: Sequence[Entry], made: str | Absent = ABSENT) -> Matrix:
    """The matrices of *entries*."""
    parts = [entries[at : at + MOST_JOBS] for at in range(0, len(entries), MOST_JOBS)]
    return Matrix(made, tuple([Shard(tuple(map(_include, part))) for part in parts]))


def output_size(entries: Sequence[Entry]) -> int:
    """How many bytes the matrices take as outputs of a job."""
    return sum(2 * len(json_text(one, indent=None)) for one in matrix_of(entries).shards)


def _include(entry: Entry) -> Include:
    job = entry.job
    labels = entry.runner if len(entry.runner) > 1 else entry.runner[0]
    scope = ".".join(job.scope) if job.scope else ABSENT
    package = entry.package or ABSENT
    return Include(job.variant, job.system, job.file, labels, scope, package)


def reference(text: str) -> str | None:
    """The place of tvarc that *text* names, in the form for pip; None if it names none, or if it
    may name another version later."""
    commit = _COMMIT.fullmatch(text)
    if commit is not None:
        owner, name, rev = commit.groups()
        return f"git+https://github.com/{owner}/{name}@{rev}"
    return text if _RELEASE.fullmatch(text) else None


# --- the workflow -----------------------------------------------------------------------------


def workflow(plan: Plan) -> Yaml:
    """The workflow: one job finds the variants to build, and one for each matrix builds them. One
    more adds the results to the ledger, if the workflow has one."""
    count = max(1, -(-plan.jobs // MOST_JOBS))
    names = [f"shard-{number}" for number in range(1, count + 1)]
    builds = {
        "build" if count == 1 else f"build-{number}": _build(plan, name)
        for number, name in enumerate(names, 1)
    }
    pushes: dict[str, Yaml] = {"branches": ["**"]}
    if plan.tagged:
        pushes["tags"] = ["**"]
    jobs: dict[str, Yaml] = {"plan": _plan(plan, names), **builds}
    reads: dict[str, Yaml] = {"contents": "read"}
    if plan.ledger is not None:
        jobs["ledger"] = {"needs": [*jobs], **plan.ledger.add}
    else:
        reads["actions"] = "read"
    return {
        "name": plan.called.replace("${{", "$ {{"),  # a name is no expression
        "on": {"push": pushes, "pull_request": None, "workflow_dispatch": None},
        "permissions": reads,
        # A run on the default branch continues to its end, because other runs compare with it.
        "concurrency": {
            "group": f"{literal(plan.file)} "
            + expression("github.event.pull_request.number || github.ref"),
            "cancel-in-progress": expression(
                "github.ref_name != github.event.repository.default_branch"
            ),
        },
        "jobs": jobs,
    }


def _plan(plan: Plan, names: Sequence[str]) -> Yaml:
    history: dict[str, Yaml] = {"with": {"fetch-depth": 0}} if plan.ledger is None else {}
    return {
        # A push to this repository builds the commit of a pull request from it.
        "if": "github.event_name != 'pull_request' || "
        "github.event.pull_request.head.repo.full_name != github.repository",
        "runs-on": RUNNERS[USUAL][0],
        "outputs": {name: expression(f"steps.matrix.outputs.{name}") for name in names},
        "steps": [
            {"uses": CHECKOUT, **history},
            *install_steps(plan.tvarc),
            *(_since_good(plan) if plan.ledger is None else plan.ledger.plan),
        ],
    }


def _since_good(plan: Plan) -> Iterator[Yaml]:
    """The steps that plan the variants that changed since the last good commit."""
    from urllib.parse import quote  # few programs have a workflow

    yield {
        "id": "good",
        "name": "Find the last commit of which all variants were built",
        # All variants of a tag are published, and none of them was before.
        "if": f"!({BY_HAND_OR_TAG})"
        if plan.tagged
        else "github.event_name != 'workflow_dispatch'",
        "env": {
            "GH_TOKEN": expression("github.token"),
            "REPOSITORY": expression("github.repository"),
            "WORKFLOW": quote(posixpath.basename(plan.file)),
            "BRANCH": expression("github.event.pull_request.base.ref || github.ref_name"),
            "DEFAULT": expression("github.event.repository.default_branch"),
        },
        "run": _GOOD,
    }
    yield {
        "id": "matrix",
        "name": "Plan what is not as it was there",
        "env": {
            "BASE": expression("steps.good.outputs.base"),
            "PROGRAM": literal(plan.program),
            "OUTPUT": plan.output,
            "MATRIX": expression("runner.temp") + "/matrix.json",
        },
        "run": _PLAN,
    }


def install_steps(tvarc: str) -> tuple[Yaml, ...]:
    """The steps that install tvarc."""
    return (
        {"uses": _PYTHON, "with": {"python-version": "3.13"}},
        {
            "name": "Install tvarc",
            "env": {"TVARC": literal(tvarc)},
            "run": 'pip install --quiet "$TVARC"',
        },
    )


def checks(tvarc: str) -> Yaml:
    """The workflow of a new project. It checks that its programs have no errors, and that the
    recipes in git are up to date."""
    return {
        "name": "tvarc",
        "on": {"push": None, "pull_request": None},
        "permissions": {"contents": "read"},
        "jobs": {
            "recipes": {
                "runs-on": RUNNERS[USUAL][0],
                "steps": [
                    {"uses": CHECKOUT},
                    *install_steps(tvarc),
                    {"run": "tvarc fmt --check"},
                    {"run": "tvarc check --all --format github"},
                    {"run": "tvarc build --all --check --locked --format github"},
                ],
            }
        },
    }


def _build(plan: Plan, name: str) -> Yaml:
    outputs = f"needs.plan.outputs.{name}"
    ledger = plan.ledger
    return {
        "needs": "plan",
        "if": f"{outputs} != ''",
        "strategy": {"fail-fast": False, "matrix": expression(f"fromJSON({outputs})")},
        "name": expression("matrix.variant") + " " + expression("matrix.system"),
        "runs-on": expression("matrix.runs-on"),
        "steps": [
            {"uses": CHECKOUT},
            _nix(plan),
            *plan.before,
            *((_step(plan.built),) if ledger is None else ledger.build),
            *plan.after,
            *(() if ledger is None else (ledger.keep,)),
        ],
    }


def _nix(plan: Plan) -> Yaml:
    """The step that installs Nix. Recipes that are called with a nixpkgs need one."""
    if plan.built.pinned or (plan.built.form == "flake" and plan.ledger is None):
        return {"uses": _NIX}
    return {"uses": _NIX, "with": {"nix_path": "nixpkgs=channel:nixos-unstable"}}


def _step(built: Built) -> Yaml:
    """The step that builds a variant. Texts of a program are passed as variables of the shell, so
    that none is executed as a command.
    """
    match built.form:
        case "flake":
            folder = posixpath.dirname(built.file)
            return {
                "env": {
                    "FLAKE": literal(f"./{folder}") if folder else ".",
                    "SYSTEM": expression("matrix.system"),
                    "VARIANT": expression("matrix.variant"),
                },
                "run": _BUILD["flake"],
            }
        case "all":
            return {
                "env": {"FILE": literal(built.file), "VARIANT": expression("matrix.variant")},
                "run": _BUILD["all"],
            }
        case "recipes":
            if built.scoped:
                variables = {"FILE": expression("matrix.file"), "SCOPE": expression("matrix.scope")}
                return {"env": variables, "run": _BUILD["scoped"]}
            command = _BUILD["recipes" if built.pinned else "called"]
            return {"env": {"FILE": expression("matrix.file")}, "run": command}
        case _:
            assert_never(built.form)


def literal(text: str) -> str:
    """*text* as a literal for GitHub: an expression in it is replaced by an expression with its
    characters as the value.
    """
    return text.replace("${{", expression("'${{'"))


def expression(text: str) -> str:
    """The expression of GitHub that inserts the value of *text*."""
    return f"${{{{ {text} }}}}"
