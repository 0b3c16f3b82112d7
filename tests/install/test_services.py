"""The action for GitHub and the hooks for pre-commit: what they run, and that their readers take
them."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.command import ROOT, git, put_small, spawn, tvarc
from support.services import demand_schema, put_tvarc, read_yaml, require
from support.wheel import UNCOMPILED
from tvarc.commands.line import exits
from tvarc.commands.table import COMMANDS

ACTION = ROOT / "action.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"


def test_the_schema_of_actions() -> None:
    demand_schema("github-actions", ACTION)


def commands() -> list[str]:
    steps = read_yaml(ACTION.read_text(encoding="utf-8"))["runs"]["steps"]
    return [one["run"] for one in steps if "run" in one]


@pytest.mark.slow
def test_the_action_runs_what_it_says(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its commands, in a shell: in a folder with a program that is as it should be, and then in one
    that is not. Without `locked: false` it wants what is fetched to be locked."""
    install, *checks = commands()
    assert install == 'pip install --quiet "$TVARC"'
    put_tvarc(tmp_path / "bin", monkeypatch)
    assert tvarc("fmt").exit_code == exits.OK
    assert tvarc("build").exit_code == exits.OK

    def codes(locked: str) -> list[int]:
        env = {**os.environ, "LOCKED": locked}
        run = [subprocess.run(["bash", "-e", "-c", one], env=env, check=False) for one in checks]
        return [one.returncode for one in run]

    assert codes("false") == [exits.OK, exits.OK, exits.OK]
    assert codes("true") == [exits.OK, exits.OK, exits.FAILED]
    put_small(project, (project / "variants.tvar").read_text(encoding="utf-8") + "let  x = 1\n")
    (project / "pkgs" / "hello-cuda12_8-sm90.nix").unlink()
    assert codes("false") == [exits.STALE, exits.OK, exits.STALE]


@pytest.mark.slow
def test_the_project_by_its_own_action() -> None:
    """Its sources are laid out and without errors, fixtures left out. What is not locked is the one
    pin of which nobody has published the hash."""
    assert spawn("fmt", "--check", ".", cwd=ROOT).returncode == exits.OK
    done = spawn("check", "--all", cwd=ROOT)
    assert (done.returncode, done.stdout.splitlines()[0]) == (exits.OK, b"variants.tvar:")
    done = spawn("lock", "--check", cwd=ROOT)
    pin = json.loads((ROOT / "tests/data/plan44.json").read_text(encoding="utf-8"))
    (rev,) = {one["rev"] for one in pin.values()}
    assert done.stdout.decode() == (
        f"tarball https://github.com/NixOS/nixpkgs/archive/{rev}.tar.gz: not locked\n"
        "1 source not locked\n"
    )


def test_what_a_workflow_hands_over_is_no_command() -> None:
    assert all("${{" not in one for one in commands())


# --- pre-commit -----------------------------------------------------------------------------------


def hooks() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read_yaml(HOOKS.read_text(encoding="utf-8"))
    return found


def test_pre_commit_takes_the_hooks() -> None:
    program = shutil.which("pre-commit")
    require(program is not None, "pre-commit is not installed")
    command = [str(program), "validate-manifest", str(HOOKS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_hooks_run_commands_that_there_are(project: Path) -> None:
    assert tvarc("fmt").exit_code == exits.OK
    assert tvarc("build").exit_code == exits.OK
    for hook in hooks():
        name, *words = shlex.split(hook["entry"])
        assert name == "tvarc" and words[0] in COMMANDS
        files = [] if hook.get("pass_filenames") is False else ["variants.tvar"]
        assert spawn(*words, *files, cwd=project).returncode == exits.OK


@pytest.mark.slow(seconds=11)
def test_pre_commit_runs_them(project: Path, tmp_path: Path) -> None:
    """From a copy of the repository, as it would be cloned: laid out, checked, and refused."""
    program = shutil.which("pre-commit")
    require(program is not None, "pre-commit is not installed")
    clone = tmp_path / "clone"
    names = ("bin", "compiler", "completions", "docs", "grammar", "stdlib", "templates")
    for name in names:
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", HOOKS.name):
        shutil.copy(ROOT / name, clone / name)
    for folder in (clone, project):
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
            git(*words, cwd=folder)
    head = git("rev-parse", "HEAD", cwd=clone).strip()
    ids = [{"id": hook["id"]} for hook in hooks()]
    config = {"repos": [{"repo": str(clone), "rev": head, "hooks": ids}]}
    # JSON, which is YAML too. It is installed once, and then kept for each further run.
    (project / ".pre-commit-config.yaml").write_text(json.dumps(config), encoding="utf-8")
    git("add", ".", cwd=project)
    env = {**os.environ, **UNCOMPILED, "PRE_COMMIT_HOME": str(tmp_path / "home")}

    def run(hook: str) -> subprocess.CompletedProcess[str]:
        command = [str(program), "run", hook, "--all-files"]
        return subprocess.run(
            command, cwd=project, env=env, capture_output=True, text=True, check=False
        )

    laid_out = run("tvarc-fmt")
    if "pip install" in laid_out.stdout + laid_out.stderr:
        pytest.skip("what tvarc needs cannot be fetched")
    assert "files were modified by this hook" in laid_out.stdout
    assert run("tvarc-fmt").returncode == 0
    assert run("tvarc-check").returncode == 0
    assert run("tvarc-build").returncode != 0  # nothing is built yet
    assert spawn("build", cwd=project).returncode == exits.OK
    assert run("tvarc-build").returncode == 0
