"""The form `github` of an output: a workflow that its own tools take, and matrices that
GitHub can take."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ci.conftest import EVERY, FLAKE, GITHUB, PROGRAM, change, put
from support.command import git, spawn, tvarc
from support.services import demand_good_workflows, put_tvarc, read_yaml, require
from tvarc.commands.line import exits
from tvarc.farm.ci.github import MOST_JOBS, RUNNERS

WORKFLOW = Path(".github/workflows/build.yml")
MATRIX = Path(".github/matrix.json")
MANY = """\
axis a = [{numbers}]
axis b = [{numbers}]
recipe app {{ package = pkgs.hello, attrs {{ x = variant }} }}
matrix apps {{ recipe = app, axes = a * b, name = "{long}-{{{{a}}}}-{{{{b}}}}" }}
pin nixpkgs {{
  github = "NixOS/nixpkgs"
  rev    = "0182a361324364ae3f436a63005877674cf45efb"
  hash   = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
}}
output flox {{ file = ".flox/pkgs/{{{{variant}}}}.nix" }}
"""


def many(count: int, long: str = "app") -> str:
    """A program with *count* times *count* variants."""
    numbers = ", ".join(f'"n{number}"' for number in range(count))
    return MANY.format(numbers=numbers, long=long) + GITHUB


def built() -> Any:
    """The workflow, which its tools take."""
    tvarc("build", code=exits.OK)
    return read_yaml(WORKFLOW.read_text(encoding="utf-8"))


def matrix(*words: str) -> list[list[dict[str, Any]]]:
    done = tvarc("jobs", "--as", "github", *words, code=exits.OK)
    return [one["include"] for one in json.loads(done.stdout)["shards"]]


SCOPED = "  pin = none\n  scope = pkgs.perlPackages\n  package = "
FORMS = {
    "flake": EVERY,
    "all": PROGRAM + 'output all: all { file = "default.nix" }\n' + GITHUB,
    "recipes": PROGRAM + GITHUB,
    "called": change(PROGRAM, "  package = ", "  pin = none\n  package = ") + GITHUB,
    "scoped": change(PROGRAM, "  package = ", SCOPED) + GITHUB,
    "several": many(17),
}


@pytest.mark.slow
def test_its_own_tools_take_the_workflow(tmp_path: Path) -> None:
    made = []
    for form, text in FORMS.items():
        put(text)
        built()
        made.append(tmp_path / f"{form}.yml")
        shutil.copy(WORKFLOW, made[-1])
    demand_good_workflows(made)


def test_the_workflow_asks_for_what_changed_and_builds_it() -> None:
    found = built()
    plan, build = found["jobs"]["plan"], found["jobs"]["build"]
    assert plan["outputs"] == {"shard-1": "${{ steps.matrix.outputs.shard-1 }}"}
    assert plan["steps"][-1]["env"]["PROGRAM"] == "variants.tvar"
    assert build["needs"] == "plan"
    assert build["strategy"]["matrix"] == "${{ fromJSON(needs.plan.outputs.shard-1) }}"
    assert build["steps"][-1]["run"] == (
        'nix build --print-build-logs "$FLAKE#packages.$SYSTEM.\\"$VARIANT\\""'
    )
    assert found["permissions"] == {"contents": "read", "actions": "read"}


@pytest.mark.slow
def test_its_script_prints_the_matrices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The step that plans, run by a shell: all at first, and then what changed since a commit."""
    require(shutil.which("jq") is not None, "jq is not installed")
    step = built()["jobs"]["plan"]["steps"][-1]
    put_tvarc(tmp_path / "bin", monkeypatch)
    for words in (["init", "-q"], ["add", "variants.tvar"], ["commit", "-qm", "one"]):
        git(*words)
    put(EVERY.replace('"H100"', '"H200"'))

    def planned(base: str) -> dict[str, Any]:
        out = tmp_path / "out"
        out.write_text("", encoding="utf-8")
        env = {
            **os.environ, **step["env"], "BASE": base, "MATRIX": str(tmp_path / "matrix"),
            "GITHUB_OUTPUT": str(out),
        }  # fmt: skip
        subprocess.run(["bash", "-e", "-c", step["run"]], check=True, env=env)
        pairs = [line.partition("=") for line in out.read_text(encoding="utf-8").splitlines()]
        return {name: json.loads(value) for name, _, value in pairs}

    for base in ("", "0" * 40):
        assert [len(one["include"]) for one in planned(base).values()] == [3]
    found = planned("HEAD")
    assert [one["variant"] for one in found["shard-1"]["include"]] == ["app-sm90"]
    put(EVERY)
    assert planned("HEAD") == {}


def test_a_job_says_what_is_built_and_where() -> None:
    tvarc("build")
    data = json.loads(MATRIX.read_text(encoding="utf-8"))
    assert data.pop("made").endswith("Made by tvarc from variants.tvar: matrix apps.")
    assert [one["include"] for one in data["shards"]] == matrix() == [
        [
            {"variant": "app-sm80", "system": "x86_64-linux", "file": "flake.nix",
             "runs-on": "ubuntu-latest"},
            {"variant": "app-sm90", "system": "x86_64-linux", "file": "flake.nix",
             "runs-on": ["self-hosted", "gpu"]},
            {"variant": "app-sm121", "system": "aarch64-linux", "file": "flake.nix",
             "runs-on": "ubuntu-24.04-arm"},
        ]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("runners", "of"),
    [
        ("{ }", ["ubuntu-latest", "ubuntu-latest", "ubuntu-24.04-arm"]),
        ('{ x86_64-linux = "big" }', ["big", "big", "ubuntu-24.04-arm"]),
        ('{ big-parallel = "a", cuda = "b" }', ["ubuntu-latest", "b", "ubuntu-24.04-arm"]),
        ('{ x86_64-linux = if gpu == sm80 then "a" else "b" }', ["a", "b", "ubuntu-24.04-arm"]),
    ],
)
def test_runners_by_feature_and_by_system(runners: str, of: list[str]) -> None:
    put(change(EVERY, '{ cuda = ["self-hosted", "gpu"] }', runners))
    assert [one["runs-on"] for one in matrix()[0]] == of


def test_a_system_without_a_runner() -> None:
    text = change(EVERY, '"aarch64-linux" else', '"riscv64-linux" else')
    put(text)
    done = tvarc("build", code=exits.FAILED)
    assert "error[E403]: there is no runner for riscv64-linux" in done.stderr
    assert not WORKFLOW.exists()
    put(text.replace("{ cuda", '{ riscv64-linux = "mine", cuda'))
    assert matrix()[0][2]["runs-on"] == "mine"


# --- limits ---------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("count", "sizes"), [(16, [256]), (17, [256, 33]), (23, [256, 256, 17])])
def test_no_matrix_has_more_jobs_than_it_can_have(count: int, sizes: list[int]) -> None:
    put(many(count))
    found = built()
    assert MOST_JOBS == 256
    assert [len(one) for one in matrix()] == sizes
    numbers = range(1, len(sizes) + 1)
    builds = ["build"] if len(sizes) == 1 else [f"build-{number}" for number in numbers]
    assert list(found["jobs"]) == ["plan", *builds]
    for number, name in zip(numbers, builds, strict=True):
        assert found["jobs"][name]["if"] == f"needs.plan.outputs.shard-{number} != ''"
        assert f"shard-{number}" in found["jobs"]["plan"]["outputs"]


@pytest.mark.slow
def test_more_than_a_job_can_tell_another_one() -> None:
    """Outputs of a job have a limit: [E806]."""
    put(many(40, "a" * 120))
    for command in ("check", "build"):
        done = tvarc(command, code=exits.FAILED)
        assert (
            "error[E806]: output `github` has too many jobs for one workflow: 1600" in done.stderr
        )
        assert not WORKFLOW.exists()
    text = many(40, "a" * 120).replace("  runners = ", '  only = a in ["n1", "n2"]\n  runners = ')
    put(text)
    assert tvarc("build").exit_code == exits.OK


def test_a_system_that_nobody_knows() -> None:
    """A variant whose systems nobody wrote, and no flake that had it for any."""
    platforms = PROGRAM.index("  meta  {"), PROGRAM.index("}\nmatrix")
    put(PROGRAM[: platforms[0]] + PROGRAM[platforms[1] :] + GITHUB)
    assert [(one["system"], one["runs-on"]) for one in matrix("sm80")[0]] == [("", "ubuntu-latest")]


@pytest.mark.parametrize("form", FORMS)
def test_no_command_has_what_a_program_says(form: str) -> None:
    put(FORMS[form])
    for job in built()["jobs"].values():
        assert all("${{" not in step.get("run", "") for step in job["steps"])
        assert not any("app" in step.get("run", "") for step in job["steps"])


@pytest.mark.slow
def test_no_path_is_an_expression() -> None:
    """What GitHub would evaluate in the name of a file or of the program."""
    name = "a ${{ secrets.X }}.tvar"
    put(FORMS["all"].replace('"default.nix"', '"$\\{{ github.token }}/default.nix"'), name)
    assert tvarc("build", name).exit_code == exits.OK
    jobs = read_yaml(WORKFLOW.read_text(encoding="utf-8"))["jobs"]
    assert jobs["plan"]["steps"][-1]["env"]["PROGRAM"] == "a ${{ '${{' }} secrets.X }}.tvar"
    file = jobs["build"]["steps"][-1]["env"]["FILE"]
    assert file == "${{ '${{' }} github.token }}/default.nix"
    demand_good_workflows([WORKFLOW])


def test_runners_are_those_of_github() -> None:
    assert set(RUNNERS) == {"x86_64-linux", "aarch64-linux", "x86_64-darwin", "aarch64-darwin"}


@pytest.mark.slow
def test_the_commands_build(started: Path) -> None:
    """What a step says is what this program's files are called."""
    for form, file in (
        ("all", "default.nix"),
        ("recipes", "matrix.file"),
        ("called", "callPackage"),
    ):
        put(FORMS[form])
        step = built()["jobs"]["build"]["steps"][-1]
        assert file in f"{step['env']} {step['run']}"
    put(EVERY.replace('"flake.nix"', '"nix/flake.nix"'))
    assert built()["jobs"]["build"]["steps"][-1]["env"]["FLAKE"] == "./nix"
    assert spawn("build", "--check", cwd=started).returncode == exits.OK
    assert FLAKE in EVERY
