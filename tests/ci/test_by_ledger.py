"""Workflows with a ledger on a branch: what they plan, and what they add to it. Each step is
run by a shell, and a bare repository stands in for that of GitHub.
`tests/nix/test_workflow_steps.py` builds with real Nix."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ci.conftest import GITHUB, PROGRAM, change, put
from support.command import git, tvarc
from support.effort import for_each
from support.library_cache import library_cache
from support.services import (
    demand_good_scripts,
    demand_good_workflows,
    put_tvarc,
    read_yaml,
    require,
)
from tvarc.build.driver import compile_file
from tvarc.commands.line import exits
from tvarc.farm import LEDGER
from tvarc.farm.ledger import Entry, Inputs, record
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir
from tvarc.text.diagnostics.model import Sink

WORKFLOW = Path(".github/workflows/build.yml")
BRANCH = "of/results"
BY_LEDGER = PROGRAM + change(GITHUB, "  matrix  =", f'  ledger  = "{BRANCH}"\n  matrix  =')
PUBLISHED = change(BY_LEDGER, "  ledger", '  publish = { cachix = { cache = "mine" } }\n  ledger')
PATH = f"/nix/store/{'a' * 32}-tool.drv"
ALL = ["app-sm80", "app-sm90", "app-sm121"]


def built(text: str) -> Any:
    put(text)
    tvarc("build", "--no-git", code=exits.OK)
    return read_yaml(WORKFLOW.read_text(encoding="utf-8"))["jobs"]


def results(folder: Path, run: int, **events: str) -> None:
    """Put what a job of each variant keeps into *folder*, as GitHub's action downloads it."""
    when = f"2026-01-02T03:04:{run:02}.000Z"
    made = compile_file("variants.tvar", DiskLoader(stdlib_dir()), cache=library_cache())
    inputs = Inputs(made)
    for number, variant in enumerate(made.variants):
        event = events.get(variant.name.removeprefix("app-"))
        if event is not None:
            own = folder / f"results-build-{number}"
            own.mkdir(parents=True)
            digest = inputs.digest(variant)
            entry = Entry(variant.name, "", event, PATH, digest, when, "there", 7)  # type: ignore[arg-type]
            assert record(str(own / "variants.tvar"), [entry], Sink())


class Pushes:
    """Runs of the workflow for pushes to a repository."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        require(shutil.which("jq") is not None, "jq is not installed")
        put_tvarc(folder / "bin", monkeypatch)
        self.folder = folder
        self.origin = folder / "origin"
        self.runs = 0
        git("init", "-q", "--bare", str(self.origin))
        git("init", "-q")
        git("remote", "add", "origin", str(self.origin))
        put(BY_LEDGER)
        git("add", ".")
        git("commit", "-qm", "one")
        git("push", "-q", "origin", "HEAD:main")

    def checkout(self) -> tuple[Path, Path]:
        """The checkout of a job, and its temporary folder."""
        self.runs += 1
        job = self.folder / f"job-{self.runs}"
        git("clone", "-q", "--depth", "1", "-b", "main", f"file://{self.origin}", str(job / "it"))
        return job / "it", job

    def step(
        self, step: dict[str, Any], folder: Path, temporary: Path, **values: str
    ) -> subprocess.CompletedProcess[str]:
        """A step, run as a runner of GitHub does it."""
        env = {
            key: value.replace("${{ runner.temp }}", str(temporary))
            for key, value in step["env"].items()
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=folder,
            env={**os.environ, **env, "GITHUB_OUTPUT": str(temporary / "outputs"), **values},
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip

    def planned(self, text: str = BY_LEDGER, *, every: bool = False) -> tuple[list[str], str]:
        """The variants that a run plans, and what its last step reports."""
        *_, read, plan = built(text)["plan"]["steps"]
        folder, temporary = self.checkout()
        put(text, str(folder / "variants.tvar"))
        done = self.step(read, folder, temporary)
        assert done.returncode == 0, done.stderr
        done = self.step(plan, folder, temporary, ALL=str(every).lower())
        assert done.returncode == 0, done.stderr
        lines = (temporary / "outputs").read_text(encoding="utf-8").splitlines()
        shards = [json.loads(line.partition("=")[2])["include"] for line in lines]
        return [one["variant"] for shard in shards for one in shard], done.stdout + done.stderr

    def add(self, jobs: Any, **events: str) -> subprocess.CompletedProcess[str]:
        """Add the results of jobs to the ledger, as the last job does it."""
        folder, temporary = self.checkout()
        results(temporary / "results", self.runs, **events)
        return self.step(jobs["ledger"]["steps"][-1], folder, temporary)

    def ledger(self, branch: str = BRANCH) -> list[dict[str, Any]]:
        text = git("show", f"{branch}:{LEDGER}", cwd=self.origin)
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def pushes(tmp_path: Path, started: Path, monkeypatch: pytest.MonkeyPatch) -> Pushes:
    return Pushes(tmp_path, monkeypatch)


@pytest.mark.slow
def test_a_variant_that_failed_in_one_push_is_planned_in_the_next(pushes: Pushes) -> None:
    jobs = built(BY_LEDGER)
    assert pushes.planned()[0] == ALL  # there is no branch yet
    done = pushes.add(jobs, sm80="built", sm90="failed", sm121="built")
    assert done.returncode == 0, done.stderr
    assert pushes.planned()[0] == ["app-sm90"]
    # A later push changes another variant. The one that failed is still planned.
    changed = BY_LEDGER.replace('"GB10"', '"GB11"')
    assert pushes.planned(changed)[0] == ["app-sm90", "app-sm121"]
    put(changed)
    assert pushes.add(jobs, sm90="built", sm121="built").returncode == 0
    assert pushes.planned(changed)[0] == []
    # The results of the earlier recipes are kept: the other branch has nothing to build.
    assert pushes.planned()[0] == []
    assert pushes.planned(every=True)[0] == ALL  # a run that a person starts


@pytest.mark.slow
def test_two_runs_at_once_lose_nothing(pushes: Pushes) -> None:
    """The first push of one is refused, because the other has pushed since it read the branch."""
    jobs = built(BY_LEDGER)
    for first, second in (("sm80", "sm90"), ("sm121", "")):
        hook = pushes.origin / "hooks" / "update"
        hook.write_text('#!/bin/sh\nrm "$0"\nexit 1\n', encoding="utf-8")
        hook.chmod(0o755)
        assert pushes.add(jobs, **{first: "built"}).returncode == 0
        assert not hook.exists()
        if second:
            assert pushes.add(jobs, **{second: "built"}).returncode == 0
    assert sorted(one["variant"] for one in pushes.ledger()) == sorted(ALL)
    assert git("ls-tree", "--name-only", "-r", BRANCH, cwd=pushes.origin).split() == [LEDGER]
    assert len(git("log", "--format=%h", BRANCH, cwd=pushes.origin).split()) == 3


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["{\n", '"version": 2', '"event": "built"'])
def test_a_damaged_ledger_is_reported_and_all_is_planned(pushes: Pushes, damage: str) -> None:
    jobs = built(BY_LEDGER)
    assert pushes.add(jobs, sm80="built", sm90="failed", sm121="built").returncode == 0
    text = git("show", f"{BRANCH}:{LEDGER}", cwd=pushes.origin)
    text = text.replace('":', '": ').replace('":  ', '": ')
    match damage:
        case "{\n":
            text += damage
        case '"version": 2':
            text = text.replace('"version": 1', damage)
        case _:
            text = text.replace('"event": "failed"', damage)
    folder, _ = pushes.checkout()
    git("checkout", "-q", "--orphan", "x", cwd=folder)
    git("rm", "-qrf", ".", cwd=folder)
    (folder / LEDGER).write_text(text, encoding="utf-8")
    git("add", ".", cwd=folder)
    git("commit", "-qm", "damage", cwd=folder)
    git("push", "-qf", "origin", f"x:{BRANCH}", cwd=folder)
    planned, said = pushes.planned()
    assert planned == ALL
    assert "error[E918]" in said
    assert f"::warning::All variants are planned. Repair the ledger on the branch {BRANCH}" in said
    if damage == "{\n":
        before = git("rev-parse", BRANCH, cwd=pushes.origin)
        done = pushes.add(jobs, sm80="built")
        assert done.returncode == 1 and f"::error::Repair the ledger on the branch {BRANCH}" in (
            done.stdout
        )
        assert git("rev-parse", BRANCH, cwd=pushes.origin) == before


@pytest.mark.slow
def test_no_branch_of_a_person_is_written(pushes: Pushes) -> None:
    before = git("rev-parse", "main", cwd=pushes.origin)
    done = pushes.add(built(BY_LEDGER.replace(f'"{BRANCH}"', '"main"')), sm80="built")
    assert done.returncode == 1
    assert "::error::The branch main has other files than ledgers" in done.stdout
    assert git("rev-parse", "main", cwd=pushes.origin) == before


@pytest.mark.slow
def test_the_ledger_keeps_the_last_results_of_a_variant(pushes: Pushes) -> None:
    jobs = built(BY_LEDGER)
    step = jobs["ledger"]["steps"][-1]
    assert step["env"]["MOST"] == "20"
    step["env"]["MOST"] = "2"
    for event in ("failed", "failed", "built"):
        assert pushes.add(jobs, sm80=event, sm90="built").returncode == 0
    found = [(one["variant"], one["event"]) for one in pushes.ledger()]
    assert found == [
        ("app-sm80", "failed"), ("app-sm80", "built"), ("app-sm90", "built"), ("app-sm90", "built"),
    ]  # fmt: skip
    assert pushes.planned()[0] == ["app-sm121"]


@pytest.mark.slow
def test_where_no_job_has_a_result_nothing_is_pushed(pushes: Pushes) -> None:
    assert pushes.add(built(BY_LEDGER)).returncode == 0
    assert git("branch", "--list", BRANCH, cwd=pushes.origin) == ""


# --- the workflow ---------------------------------------------------------------------------------


def test_only_the_last_job_may_write() -> None:
    jobs = built(BY_LEDGER)
    whole = read_yaml(WORKFLOW.read_text(encoding="utf-8"))
    assert whole["permissions"] == {"contents": "read"}
    assert {name: job.get("permissions") for name, job in jobs.items()} == {
        "plan": None,
        "build": None,
        "ledger": {"contents": "write"},
    }
    last = jobs["ledger"]
    assert last["needs"] == ["plan", "build"]
    # A run for a pull request of another repository may not write, and only reads.
    assert "github.event_name != 'pull_request'" in last["if"]
    assert "pip" not in "".join(step.get("run", "") for step in last["steps"])


def test_what_cannot_be_published_has_no_result() -> None:
    """So the next run plans it. A build that failed has one."""
    steps = built(PUBLISHED)["build"]["steps"]
    names = [step.get("name", "") for step in steps]
    assert names.index("Build and test") < names.index("Publish to cachix") < len(names) - 1
    assert names[-1] == "Keep the results"
    assert steps[-1]["if"] == "success() || steps.build.outcome == 'failure'"


@pytest.mark.slow
def test_tools_of_github_take_the_workflow(tmp_path: Path) -> None:
    made = []
    for name, text in (("alone", BY_LEDGER), ("published", PUBLISHED)):
        demand_good_scripts(built(text), tmp_path)
        made.append(tmp_path / f"{name}.yml")
        shutil.copy(WORKFLOW, made[-1])
    demand_good_workflows(made)


@for_each(
    "written, told",
    [
        ('"a b"', "error[E403]: `ledger` of an output must be the name of a branch"),
        ('"a..b"', "must be the name of a branch"),
        ('"-a"', "must be the name of a branch"),
        ('"a.lock"', "must be the name of a branch"),
        ("true", "must be the name of a branch"),
        ('"{{gpu}}"', "cannot be computed"),
    ],
)
def test_what_is_no_branch(written: str, told: str) -> None:
    put(BY_LEDGER.replace(f'"{BRANCH}"', written))
    assert told in tvarc("check").stderr


def test_a_variant_for_two_systems_has_no_one_result() -> None:
    old = 'if gpu == sm121 then "aarch64-linux" else "x86_64-linux"'
    put(change(BY_LEDGER, old, '"x86_64-linux", "aarch64-linux"'))
    done = tvarc("check")
    assert "error[E403]: output `github` cannot have a ledger" in done.stderr
    told = " ".join(done.stderr.replace("|", " ").replace("^", " ").split())
    assert "`app-sm80` has a job for x86_64-linux and aarch64-linux" in told


def test_no_own_step_has_the_id_of_the_build() -> None:
    step = '  before = [{ run = "x", id = "build" }]\n'
    put(change(BY_LEDGER, "  ledger", f"{step}  ledger"))
    assert "two steps have the `id` `build`" in tvarc("check").stderr
