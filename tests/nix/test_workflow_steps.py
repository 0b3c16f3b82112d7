"""The steps of a workflow that build, each run by a shell as a runner of GitHub does it, by real
Nix in a fresh checkout, for the jobs that the step before them has planned."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from nix.farm import Farm, builds, put_farm
from support.command import git, tvarc
from support.recipes import MODEL
from support.services import put_tvarc, read_yaml, require
from tvarc.commands.line import exits

pytestmark = [*builds, pytest.mark.slow]

PROGRAM = """\
pin model { path = "./nixpkgs" }
axis jobs = ["8", "16"]
recipe tool {
  package = pkgs.hello
  env { MAX_JOBS = jobs }
  script preBuild {
    part greet "echo with {{jobs}} jobs"
  }
  meta { platforms = ["x86_64-linux"] }
}
matrix tools { recipe = tool, axes = jobs, name = "tool-{{jobs}}" }
output nix { file = "it's pkgs/{{variant}}.nix" }
output github: github {
  file  = ".github/workflows/build.yml"
  tvarc = "github:example/tvarc/6a030d535719c5190187c4cec156f335e95e3211"
}
"""
CALLED = PROGRAM.replace("  package = ", "  pin = none\n  package = ").partition("\n")[2]
FORMS = {
    "recipes": PROGRAM,
    "called": CALLED,
    "scoped": CALLED.replace("  package = ", "  scope = pkgs.python3Packages\n  package = "),
    "all": PROGRAM + 'output all: all { file = "a b/default.nix" }\n',
    "flake": PROGRAM + 'output flake: flake { file = "flake.nix" }\n',
}
_ALL = "github.event_name == 'workflow_dispatch' || startsWith(github.ref, 'refs/tags/')"
_EXPRESSION = re.compile(r"\$\{\{ (.*?) \}\}")


@pytest.fixture
def farm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Farm:
    require(shutil.which("jq") is not None, "jq is not installed")
    found = put_farm(tmp_path, monkeypatch)
    put_tvarc(tmp_path / "tvarc-bin", monkeypatch)
    # A flake sees nothing outside of its repository.
    shutil.copytree(MODEL, found.project / "nixpkgs" / "model")
    (found.project / "nixpkgs" / "default.nix").write_text(
        "given: import ./model (given // { modelArgs.builds = true; })\n", encoding="utf-8"
    )
    return found


def checkout(farm: Farm) -> Path:
    """What GitHub checks out: all that is committed."""
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        git(*words, cwd=farm.project)
    folder = farm.root / "checkout"
    git("clone", "-q", str(farm.project), str(folder))
    return folder


def step_run(step: dict[str, Any], folder: Path, values: dict[str, str], code: int = 0) -> str:
    """What a step tells; *values* are what GitHub knows of expressions."""

    def valued(text: str) -> str:
        return _EXPRESSION.sub(lambda found: values[found[1]], text)

    env = {**os.environ, **{name: valued(text) for name, text in step.get("env", {}).items()}}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
        capture_output=True, text=True, cwd=folder, env=env, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def jobs_planned(jobs: dict[str, Any], folder: Path, temporary: Path) -> list[dict[str, Any]]:
    """The jobs of the one matrix that the first job of the workflow hands to the next."""
    outputs = temporary / "outputs"
    outputs.write_text("", encoding="utf-8")
    values = {
        "steps.good.outputs.base": "",
        "runner.temp": str(temporary),
        _ALL: "false",
    }
    step = jobs["plan"]["steps"][-1]
    step["env"]["GITHUB_OUTPUT"] = str(outputs)
    step_run(step, folder, values)
    name, _, text = outputs.read_text(encoding="utf-8").partition("=")
    if not name:
        return []
    assert name == "shard-1"
    found: list[dict[str, Any]] = json.loads(text)["include"]
    return found


@pytest.mark.parametrize("form", FORMS)
def test_each_job_builds_its_variant(
    farm: Farm, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    farm.write(FORMS[form])
    tvarc("build", code=exits.OK)
    build_jobs(farm, farm.project, monkeypatch)


def test_each_job_of_a_program_in_a_folder_builds_its_variant(
    farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = farm.project / "of the night"
    folder.mkdir()
    text = PROGRAM.replace("./nixpkgs", "../nixpkgs").replace("it's pkgs", "of the night/it's pkgs")
    (folder / "variants.tvar").write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q"], check=True)
    tvarc("build", "of the night", "--out", ".", code=exits.OK)
    build_jobs(farm, folder, monkeypatch)


def build_jobs(farm: Farm, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = checkout(farm)
    monkeypatch.chdir(farm.root)
    # As the action that installs Nix sets it where the workflow asks for it.
    monkeypatch.setenv("NIX_PATH", f"nixpkgs={folder / 'nixpkgs'}")
    text = (folder / ".github/workflows/build.yml").read_text(encoding="utf-8")
    jobs = read_yaml(text)["jobs"]
    planned = jobs_planned(jobs, folder, farm.root)
    assert [one["variant"] for one in planned] == ["tool-8", "tool-16"]
    for one in planned:
        values = {f"matrix.{key}": str(value) for key, value in one.items()}
        told = step_run(jobs["build"]["steps"][-1], folder, values)
        assert f"with {one['variant'].removeprefix('tool-')} jobs\n" in told
        result = (folder / "result").readlink()
        assert (farm.root / "store" / result.relative_to("/")).is_file()
    # What `tvarc realise` would build is there then.
    file = folder / program.relative_to(farm.project) / "variants.tvar"
    done = tvarc("realise", str(file), "--dry-run", code=exits.OK)
    assert done.stdout == "# 2 variants already in the store\n"


def test_what_is_built_is_signed_and_copied_to_a_store(
    farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step of `publish` for a store, with a store that is a folder."""
    place = f'  publish = {{ store = {{ to = "file://{farm.root}/cache", key = "OUR_KEY" }} }}\n'
    farm.write(PROGRAM.replace("  file  =", f"{place}  file  ="))
    assert tvarc("build").exit_code == exits.OK
    folder = checkout(farm)
    monkeypatch.chdir(farm.root)
    monkeypatch.setenv("NIX_PATH", f"nixpkgs={folder / 'nixpkgs'}")
    jobs = read_yaml((folder / ".github/workflows/build.yml").read_text(encoding="utf-8"))["jobs"]
    first, _ = jobs_planned(jobs, folder, farm.root)
    words = ("--generate-binary-cache-key", "ours-1", "secret", "public")
    farm.nix("nix-store", *words)
    values = {f"matrix.{key}": str(value) for key, value in first.items()}
    values["secrets.OUR_KEY"] = (farm.root / "secret").read_text(encoding="utf-8")
    values["runner.temp"] = str(farm.root)
    build, publish = jobs["build"]["steps"][-2:]
    step_run(build, folder, values)
    step_run(publish, folder, values)
    assert not (farm.root / "signing-key").exists()
    result = (folder / "result").readlink().name
    (about,) = (farm.root / "cache").glob(f"{result[:32]}.narinfo")
    assert "\nSig: ours-1:" in about.read_text(encoding="utf-8")


BY_LEDGER = PROGRAM.replace(
    '    part greet "echo with {{jobs}} jobs"\n',
    """\
    part greet \"\"\"
      echo with {{jobs}} jobs
      [ "$MAX_JOBS" != 16 ] || { echo no more; false; }
    \"\"\"
""",
).replace(
    "  meta {", '  test greets { script = "test -e $package" }\n  meta {'
).replace("  file  =", '  ledger = "results"\n  file  =')  # fmt: skip


def test_what_failed_is_planned_until_it_is_built(
    farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs of a workflow with a ledger."""
    farm.write(BY_LEDGER)
    assert tvarc("build").exit_code == exits.OK
    checkout(farm)
    monkeypatch.chdir(farm.root)
    assert run_by_ledger(farm) == {"tool-8": 0, "tool-16": 1}
    assert run_by_ledger(farm) == {"tool-16": 1}
    farm.write(BY_LEDGER.replace("!= 16 ]", "!= 16 ] || true"))
    git("commit", "-qam", "two", cwd=farm.project)
    assert run_by_ledger(farm) == {"tool-8": 0, "tool-16": 0}
    assert run_by_ledger(farm) == {}
    lines = git("show", "results:tvarc-results.jsonl", cwd=farm.project).splitlines()
    found = [json.loads(line) for line in lines]
    assert [(one["variant"], one["test"], one["event"]) for one in found] == [
        ("tool-16", None, "failed"),
        ("tool-16", None, "failed"),
        ("tool-16", None, "built"),
        ("tool-16", "greets", "tested"),
        ("tool-8", None, "built"),
        ("tool-8", None, "built"),
        ("tool-8", "greets", "tested"),
        ("tool-8", "greets", "tested"),
    ]


def run_by_ledger(farm: Farm) -> dict[str, int]:
    """The exit code of each build of a run with a ledger."""
    run = farm.root / f"run-{len(list(farm.root.glob('run-*')))}"

    def fresh(name: str) -> tuple[Path, Path]:
        git("clone", "-q", "--branch", "main", str(farm.project), str(run / name / "checkout"))
        return run / name / "checkout", run / name

    folder, temporary = fresh("plan")
    workflow = (folder / ".github/workflows/build.yml").read_text(encoding="utf-8")
    jobs = read_yaml(workflow)["jobs"]
    step_run(jobs["plan"]["steps"][-2], folder, {})
    codes: dict[str, int] = {}
    for one in jobs_planned(jobs, folder, temporary):
        variant = one["variant"]
        folder, temporary = fresh(variant)
        values = {"matrix.variant": variant, "runner.temp": str(temporary)}
        code = codes[variant] = int(variant == "tool-16" and "|| true" not in program_of(folder))
        told = step_run(jobs["build"]["steps"][-2], folder, values, code)
        assert f"with {variant.removeprefix('tool-')} jobs\n" in told or not code
        assert (folder / "result").is_symlink() is not bool(code)
        kept = run / "ledger" / "results" / f"results-{variant}"
        kept.mkdir(parents=True)
        path = jobs["build"]["steps"][-1]["with"]["path"]
        shutil.copy(folder / path, kept / "tvarc-results.jsonl")
    if codes:
        folder, temporary = fresh("ledger")
        values = {"runner.temp": str(temporary), "github.ref_name": "main", "github.sha": "1"}
        step_run(jobs["ledger"]["steps"][-1], folder, values)
    return codes


def program_of(folder: Path) -> str:
    return (folder / "variants.tvar").read_text(encoding="utf-8")
