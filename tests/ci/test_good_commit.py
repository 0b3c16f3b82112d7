"""The form `github` of an output: what a run compares with, where it gets tvarc, when it runs, and
the steps of the person's own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ci.conftest import EVERY, GITHUB, PROGRAM, change, put
from support.command import git, tvarc
from support.services import demand_good_workflows, put_tvarc, read_yaml, require
from tvarc.commands.line import exits
from tvarc.farm.ci.github import reference

WORKFLOW = Path(".github/workflows/build.yml")
COMMIT = "6a030d535719c5190187c4cec156f335e95e3211"
TVARC = f'tvarc   = "github:example/tvarc/{COMMIT}"'
RELEASE = f"https://example.org/tvarc-0.1.0-py3-none-any.whl#sha256={'0' * 63}1"
# A stand-in for GitHub's own program: runs of a workflow from a file, by the filter it is given.
GH = """\
#!/bin/sh
echo "$@" >> "$RUNS.asked"
for word; do
  case $last in --jq) query=$word ;; esac
  case $word in branch=*) branch=${word#branch=} ;; esac
  last=$word
done
test -e "$RUNS" || { echo "gh: Not Found (HTTP 404)" >&2; exit 1; }
jq --arg branch "$branch" '.workflow_runs |= map(select(.head_branch == $branch))' "$RUNS" |
  jq -r "$query"
"""


def built(text: str) -> Any:
    put(text)
    tvarc("build", code=exits.OK)
    return read_yaml(WORKFLOW.read_text(encoding="utf-8"))


# --- what it compares with ------------------------------------------------------------------------


class Pushes:
    """A repository whose pushes GitHub has seen: each is a commit, whose run ended well or not."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        require(shutil.which("jq") is not None, "jq is not installed")
        self.folder = tmp_path
        put_tvarc(tmp_path / "bin", monkeypatch)
        program = tmp_path / "bin" / "gh"
        program.write_text(GH, encoding="utf-8")
        program.chmod(0o755)
        self.runs: list[dict[str, str]] = []
        monkeypatch.setenv("RUNS", str(tmp_path / "runs.json"))
        git("init", "-q")

    def commit(self, text: str) -> str:
        put(text)
        git("add", "variants.tvar")
        git("commit", "-q", "--allow-empty", "-m", "one")
        return git("rev-parse", "HEAD").strip()

    def ended_well(self, commit: str, branch: str = "main", event: str = "push") -> None:
        """GitHub lists the newest run first."""
        self.runs.insert(0, {"head_sha": commit, "head_branch": branch, "event": event})
        text = json.dumps({"workflow_runs": self.runs})
        (self.folder / "runs.json").write_text(text, encoding="utf-8")

    def step(self, step: dict[str, Any], **values: str) -> dict[str, str]:
        """What a step puts out, run by a shell as a runner of GitHub does it."""
        outputs = self.folder / "outputs"
        outputs.write_text("", encoding="utf-8")
        env = {**os.environ, **step["env"], **values, "GITHUB_OUTPUT": str(outputs)}
        subprocess.run(["bash", "-e", "-c", step["run"]], check=True, env=env)
        lines = outputs.read_text(encoding="utf-8").splitlines()
        return {name: value for name, _, value in (line.partition("=") for line in lines)}

    def planned(self, branch: str = "main") -> list[str]:
        """The variants that a run for the files as they are plans."""
        tvarc("build", "--no-git")
        *_, good, plan = read_yaml(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["plan"]["steps"]
        found = self.step(good, GH_TOKEN="", REPOSITORY="a/b", BRANCH=branch, DEFAULT="main")
        matrix = str(self.folder / "matrix")
        made = self.step(plan, BASE=found.get("base", ""), MATRIX=matrix)
        shards = [json.loads(one)["include"] for one in made.values()]
        return [one["variant"] for shard in shards for one in shard]


@pytest.fixture
def pushes(started: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pushes:
    return Pushes(tmp_path, monkeypatch)


ALL = ["app-sm80", "app-sm90", "app-sm121"]
SECOND = EVERY.replace('"H100"', '"H200"')
THIRD = SECOND.replace('"GB10"', '"GB11"')


@pytest.mark.slow
def test_a_variant_that_failed_in_one_push_is_planned_in_the_next(pushes: Pushes) -> None:
    first = pushes.commit(EVERY)
    assert pushes.planned() == ALL
    pushes.ended_well(first)
    assert pushes.planned() == []
    second = pushes.commit(SECOND)
    assert pushes.planned() == ["app-sm90"]  # and it fails
    third = pushes.commit(THIRD)
    assert pushes.planned() == ["app-sm90", "app-sm121"]
    pushes.ended_well(third)
    assert pushes.planned() == []
    assert second not in {one["head_sha"] for one in pushes.runs}


@pytest.mark.slow
def test_what_the_workflow_was_not_for_there_is_planned(pushes: Pushes) -> None:
    """A run that ended well has built what `only` names, and nothing else."""
    part = change(EVERY, TVARC, f"{TVARC}\n  only = gpu == sm80")
    first = pushes.commit(part)
    assert pushes.planned() == ["app-sm80"]
    pushes.ended_well(first)
    pushes.commit(EVERY)
    assert pushes.planned() == ["app-sm90", "app-sm121"]


@pytest.mark.slow
def test_a_new_branch_compares_with_the_default_branch(pushes: Pushes) -> None:
    first = pushes.commit(EVERY)
    pushes.ended_well(first)
    second = pushes.commit(SECOND)
    assert pushes.planned("faster") == ["app-sm90"]
    pushes.ended_well(second, "faster")
    assert pushes.planned("faster") == []
    assert pushes.planned("main") == ["app-sm90"]


@pytest.mark.slow
def test_what_a_pull_request_built_is_not_the_commit_of_the_branch(pushes: Pushes) -> None:
    """The run of one builds what a merge would be, and not the commit that it is told by."""
    first = pushes.commit(EVERY)
    pushes.ended_well(first, event="pull_request")
    assert pushes.planned() == ALL


@pytest.mark.slow
def test_a_commit_that_the_checkout_has_not_is_passed_over(pushes: Pushes) -> None:
    first = pushes.commit(EVERY)
    pushes.ended_well(first)
    pushes.ended_well("0" * 40)  # its branch was pushed anew since
    pushes.commit(SECOND)
    assert pushes.planned() == ["app-sm90"]


@pytest.mark.slow
def test_all_is_planned_where_github_does_not_answer(pushes: Pushes) -> None:
    pushes.commit(EVERY)
    assert pushes.planned() == ALL
    asked = (pushes.folder / "runs.json.asked").read_text(encoding="utf-8")
    assert "repos/a/b/actions/workflows/build.yml/runs" in asked
    assert "status=success" in asked


# --- when it runs ---------------------------------------------------------------------------------


def test_one_run_for_a_push_and_its_pull_request() -> None:
    found = built(EVERY)
    # YAML 1.1 takes a plain `on` for true; the printer quotes it.
    assert found["on"]["push"] == {"branches": ["**"]}
    assert found["jobs"]["plan"]["if"] == (
        "github.event_name != 'pull_request' || "
        "github.event.pull_request.head.repo.full_name != github.repository"
    )
    # What needs a job that was left out is left out as well.
    assert found["jobs"]["build"]["needs"] == "plan"


def test_a_newer_run_takes_the_place_of_one_but_on_the_default_branch() -> None:
    assert built(EVERY)["concurrency"] == {
        "group": ".github/workflows/build.yml "
        "${{ github.event.pull_request.number || github.ref }}",
        "cancel-in-progress": "${{ github.ref_name != github.event.repository.default_branch }}",
    }


def test_a_run_by_hand_plans_all() -> None:
    *_, good, plan = built(EVERY)["jobs"]["plan"]["steps"]
    assert good["if"] == "github.event_name != 'workflow_dispatch'"
    assert plan["env"]["BASE"] == "${{ steps.good.outputs.base }}"


@pytest.mark.slow
def test_its_name_is_the_program() -> None:
    assert built(EVERY)["name"] == "variants.tvar"
    other = GITHUB.replace("output github:", "output nightly:").replace("build.yml", "n.yml")
    found = built(EVERY + other.replace("matrix.json", "nightly.json"))
    assert found["name"] == "variants.tvar, github"


# --- where it gets tvarc --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "installed"),
    [
        (f"github:example/tvarc/{COMMIT}", f"git+https://github.com/example/tvarc@{COMMIT}"),
        (RELEASE, RELEASE),
    ],
)
def test_it_installs_a_commit_or_a_file_by_its_hash(written: str, installed: str) -> None:
    found = built(change(EVERY, TVARC, f'tvarc = "{written}"'))
    step = found["jobs"]["plan"]["steps"][2]
    assert step["env"] == {"TVARC": installed}
    assert step["run"] == 'pip install --quiet "$TVARC"'


@pytest.mark.parametrize(
    "text",
    [
        "", "tvarc", "tvarc==0.1.0", "github:example/tvarc", "github:example/tvarc/main",
        "github:example/tvarc/6a030d5", f"github:example/tvarc/{COMMIT.upper()}",
        f"github:a b/tvarc/{COMMIT}", "https://example.org/tvarc-0.1.0-py3-none-any.whl",
        RELEASE.replace("https", "http"), RELEASE[:-1], f"{RELEASE}\n",
        f"github:example/tvarc/{COMMIT}\n",
    ],
)  # fmt: skip
def test_what_may_be_another_program_tomorrow_is_refused(text: str) -> None:
    assert reference(text) is None
    shown = text.replace("\n", "\\n")
    put(change(EVERY, TVARC, f'tvarc = "{shown}"'))
    done = tvarc("build", code=exits.FAILED)
    assert "error[E809]: the workflow of output `github` cannot get tvarc from there" in done.stderr
    assert not WORKFLOW.exists()


def test_nobody_makes_up_where_tvarc_is() -> None:
    put(EVERY.replace(f"  {TVARC}\n", ""))
    for command in ("build", "check"):
        done = tvarc(command, code=exits.FAILED)
        assert "error[E809]: output `github` does not say where its workflow gets tvarc" in (
            done.stderr
        )
        assert "github:OWNER/tvarc/REV" in done.stderr
        assert not WORKFLOW.exists()


# --- steps of one's own ---------------------------------------------------------------------------

STEPS = f"""\
{TVARC}
  before = [
    {{ uses = "cachix/cachix-action@v15"
      with = {{ name = "mine", authToken = "$\\{{{{ secrets.CACHIX_AUTH_TOKEN }}}}" }} }},
    {{ name = "Room", run = "df -h\\nfree -h\\n", timeout-minutes = 5 }},
  ]
  after  = [{{ "if" = "always()", uses = "./.github/actions/after" }}]
"""


@pytest.mark.slow
def test_steps_of_ones_own_stand_around_the_build() -> None:
    found = built(change(EVERY, TVARC, STEPS))
    steps = found["jobs"]["build"]["steps"]
    assert steps[2:4] == [
        {
            "uses": "cachix/cachix-action@v15",
            "with": {"name": "mine", "authToken": "${{ secrets.CACHIX_AUTH_TOKEN }}"},
        },
        {"name": "Room", "run": "df -h\nfree -h\n", "timeout-minutes": 5},
    ]
    assert "nix build" in steps[4]["run"]
    assert steps[5:] == [{"if": "always()", "uses": "./.github/actions/after"}]
    assert len(found["jobs"]["plan"]["steps"]) == 5
    demand_good_workflows([WORKFLOW])


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ('"df -h"', "this is a string"),
        ('["df -h"]', "a step must be a record, this is a string"),
        ('[{ runs = "df -h" }]', "a step cannot have `runs`"),
        ('[{ name = "x" }]', "a step needs either `uses` or `run`"),
        ('[{ uses = "a/b@v1", run = "x" }]', "a step needs either `uses` or `run`"),
        ('[{ run = ["x"] }]', "`run` of a step must be a string"),
        ('[{ run = "x", env = "y" }]', "`env` of a step must be a record"),
        ('[{ run = "x", id = "a b" }]', "`id` of a step must be a name"),
        ('[{ run = "x", id = "" }]', "`id` of a step must be a name"),
        ('[{ run = "x", id = "a" }, { run = "y", id = "a" }]', "two steps have the `id` `a`"),
        ('[{ run = "x", timeout-minutes = "long" }]', "`timeout-minutes` of a step must be a"),
        ('[{ run = "x", continue-on-error = "yes" }]', "of a step must be true or false"),
    ],
)
def test_what_is_no_step(written: str, label: str) -> None:
    put(change(EVERY, TVARC, f"{TVARC}\n  before = {written}"))
    done = tvarc("build", code=exits.FAILED)
    assert "error[E403]: `before` of an output must be a list of steps" in done.stderr
    assert label in " ".join(done.stderr.replace("|", " ").split())


def test_no_step_behind_the_build_has_the_id_of_one_before_it() -> None:
    step = '[{ run = "x", id = "cache" }]'
    put(change(EVERY, TVARC, f"{TVARC}\n  before = {step}\n  after = {step}"))
    done = tvarc("build", code=exits.FAILED)
    assert "two steps have the `id` `cache`" in done.stderr


def test_steps_are_the_same_for_all_variants() -> None:
    put(change(EVERY, TVARC, f'{TVARC}\n  after = [{{ run = "echo {{{{gpu}}}}" }}]'))
    tvarc("build", code=exits.FAILED)
    assert PROGRAM in EVERY
