"""The form `github` of an output in a repository: where its workflow lands, and what it calls
things there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ci.conftest import GITHUB, PROGRAM, put
from support.command import git, tvarc
from support.services import put_tvarc, read_yaml, require
from tvarc.commands.line import exits

WORKFLOW = Path(".github/workflows/build.yml")
IN_FOLDER = PROGRAM.replace(".flox/pkgs/", "nightly/pkgs/").replace("flox {", "nix {") + GITHUB


@pytest.fixture
def repository(started: Path) -> Path:
    """A repository with a program in a folder of it."""
    Path("variants.tvar").unlink()
    git("init", "-q")
    Path("nightly").mkdir()
    put(IN_FOLDER, "nightly/variants.tvar")
    return started


def planning(file: Path = WORKFLOW) -> Any:
    """The step that plans."""
    return read_yaml(file.read_text(encoding="utf-8"))["jobs"]["plan"]["steps"][-1]


@pytest.mark.slow
def test_a_workflow_that_github_would_not_find(repository: Path) -> None:
    done = tvarc("build", "nightly", code=exits.FAILED)
    assert "error[E808]: GitHub would not find the workflow of output `github`" in done.stderr
    assert "--> nightly/variants.tvar:16:13" in done.stderr
    assert "this is `nightly/.github/workflows/build.yml`" in done.stderr
    assert "= help: build with `--out .`;" in done.stderr
    assert [one.name for one in Path("nightly").iterdir()] == ["variants.tvar"]
    assert not WORKFLOW.exists()
    assert tvarc("build", "nightly", "--check").exit_code == exits.FAILED
    # What has nothing to do with a place says nothing of it.
    assert tvarc("check", "nightly").exit_code == exits.OK
    assert tvarc("build", "nightly", "--only", "sm90").exit_code == exits.OK


@pytest.mark.slow
@pytest.mark.parametrize("at", [".", "nightly"])
def test_a_workflow_calls_the_program_by_its_path_in_the_repository(
    repository: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    monkeypatch.chdir(repository / at)
    file, out = os.path.relpath(repository / "nightly"), os.path.relpath(repository)
    tvarc("build", file, "--out", out, code=exits.OK)
    assert planning(repository / WORKFLOW)["env"]["PROGRAM"] == "nightly/variants.tvar"
    text = (repository / WORKFLOW).read_text(encoding="utf-8")
    assert "Builds the variants of nightly/variants.tvar" in text
    assert tvarc("build", file, "--out", out, "--check").exit_code == exits.OK


@pytest.mark.slow
def test_what_it_plans_is_in_the_checkout(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step that plans, run as GitHub does: at the top of a fresh checkout."""
    require(shutil.which("jq") is not None, "jq is not installed")
    put_tvarc(tmp_path / "bin", monkeypatch)
    assert tvarc("build", "nightly", "--out", ".").exit_code == exits.OK
    git("add", ".")
    git("commit", "-qm", "one")
    put(IN_FOLDER.replace('"H100"', '"H200"'), "nightly/variants.tvar")
    assert tvarc("build", "nightly", "--out", ".").exit_code == exits.OK
    git("commit", "-qam", "two")
    git("clone", "-q", str(repository), str(tmp_path / "checkout"))
    monkeypatch.chdir(tmp_path / "checkout")
    step = planning()
    for base, names in (("", 3), ("HEAD~1", 1)):
        out = tmp_path / f"out{names}"
        env = {**os.environ, **step["env"], "BASE": base, "MATRIX": str(tmp_path / "matrix"),
               "GITHUB_OUTPUT": str(out)}  # fmt: skip
        subprocess.run(["bash", "-e", "-c", step["run"]], check=True, env=env)
        shard = json.loads(out.read_text(encoding="utf-8").removeprefix("shard-1="))
        assert len(shard["include"]) == names
        assert all(Path(one["file"]).is_file() for one in shard["include"])


def test_a_program_of_another_repository(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git("init", "-q", cwd=other)
    done = tvarc("build", "nightly", "--out", str(other), code=exits.FAILED)
    assert "error[E808]: the workflow of output `github` would not find its program" in done.stderr
    assert "`nightly/variants.tvar` is not in that repository" in done.stderr
    assert [one.name for one in other.iterdir()] == [".git"]
    # Nor is one in a repository inside of it: a checkout has its commit alone.
    git("init", "-q", cwd=Path("nightly"))
    done = tvarc("build", "nightly", "--out", ".")
    assert done.exit_code == exits.FAILED and "would not find its program" in done.stderr


@pytest.mark.slow
def test_outside_of_any_repository(repository: Path, tmp_path: Path) -> None:
    """Nothing is known of where it will be: paths start where the program's repository does, else
    in the output folder, else the program is beside what it writes."""
    assert tvarc("build", "nightly", "--out", str(tmp_path / "a")).exit_code == exits.OK
    assert planning(tmp_path / "a" / WORKFLOW)["env"]["PROGRAM"] == "nightly/variants.tvar"
    shutil.rmtree(".git")
    assert tvarc("build", "nightly", "--out", ".").exit_code == exits.OK
    assert planning()["env"]["PROGRAM"] == "nightly/variants.tvar"
    assert tvarc("build", "nightly", "--out", str(tmp_path / "b")).exit_code == exits.OK
    assert planning(tmp_path / "b" / WORKFLOW)["env"]["PROGRAM"] == "variants.tvar"
    assert tvarc("build", "nightly").exit_code == exits.OK
    assert planning("nightly" / WORKFLOW)["env"]["PROGRAM"] == "variants.tvar"
    git("init", "-q")
    assert tvarc("build", "nightly").exit_code == exits.FAILED
