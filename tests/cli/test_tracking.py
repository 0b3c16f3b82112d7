"""New recipes that git does not track are named, for Flox sees tracked files only."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.command import tvarc

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
NAME = "pkgs/hello-cuda12_8-sm90.nix"


def git(*arguments: str) -> None:
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    subprocess.run(("git", *arguments), check=True, capture_output=True, env=env)


@pytest.fixture
def checkout(project: Path) -> Path:
    git("init", "-q", ".")
    return project


def test_new_files_are_named_with_the_command(checkout: Path) -> None:
    told = tvarc("build").stdout
    assert "git does not track 5 new files:\n" in told
    assert f"\n  {NAME}\n" in told
    assert told.endswith("Flox sees tracked files only: `git add -- pkgs`\n")
    git("add", "--", "pkgs")
    assert tvarc("build").stdout == "5 recipes in pkgs: 0 written, 5 unchanged\n"
    (checkout / NAME).unlink()
    assert tvarc("build").stdout == "5 recipes in pkgs: 1 written, 4 unchanged\n"


def test_from_another_folder(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (checkout / "in ner").mkdir()
    monkeypatch.chdir(checkout / "in ner")
    assert tvarc("build").stdout.endswith("`git add -- ../pkgs`\n")


def test_ignored_files_are_named_with_the_line(checkout: Path) -> None:
    (checkout / ".gitignore").write_text("# all\npkgs/*sm90*\n")
    told = tvarc("build").stdout
    assert "git does not track 4 new files:\n" in told
    assert told.endswith(
        f"git ignores 1 new file:\n  {NAME}\n"
        "Flox sees tracked files only: mend line 2 of .gitignore, `pkgs/*sm90*`\n"
    )


def test_a_repository_runs_no_program_of_its_own(checkout: Path) -> None:
    program = checkout / "hostile"
    program.write_text("#!/bin/sh\ntouch ran\n")
    program.chmod(0o755)
    git("config", "core.fsmonitor", str(program))
    assert "git does not track" in tvarc("build").stdout
    assert not (checkout / "ran").exists()


def test_it_can_be_left_out(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "git" not in tvarc("build", "--no-git").stdout
    assert "git" not in tvarc("build", "--out", "dry", "--dry-run").stdout
    assert tvarc("build", "--out", "json", "--json").stdout.count("\n") == 1
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert "git" not in tvarc("build", "--out", "other").stdout
