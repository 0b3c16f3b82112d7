"""Inputs on the command line: what nobody else has is refused, and nothing is written into one."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import tvarc

PROGRAM = """
input tools { path = "../tools" }

axis n = ["a", "b"]
recipe r {
  pin     = none
  package = file(tools, "pkgs/{{n}}.nix")
}
matrix m { recipe = r, axes = n, name = "r-{{n}}" }
output nix { file = "recipes/{{variant}}.nix" }
"""


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program with a checkout of another repository beside it; the checkout."""
    checkout, project = tmp_path / "tools", tmp_path / "project"
    (checkout / "pkgs").mkdir(parents=True)
    project.mkdir()
    for name in ("a", "b"):
        (checkout / "pkgs" / f"{name}.nix").write_text("{ hello }: hello\n", encoding="utf-8")
    (project / "variants.tvar").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.chdir(project)
    return checkout


def test_nothing_is_written_into_it(beside: Path) -> None:
    before = sorted(beside.rglob("*"))
    for option in ("--check", "--force", "--adopt"):
        refused = tvarc("build", "--no-git", "--out", "../tools", option)
        assert refused.exit_code == 1
        assert "error[E803]: 2 outputs lie in a folder that recipes are built from" in (
            refused.stderr
        )
    assert sorted(beside.rglob("*")) == before
    assert tvarc("build", "--no-git").exit_code == 0


def test_a_link_is_none_that_others_have(beside: Path) -> None:
    beside.rename(beside.parent / "result-1")
    beside.symlink_to(beside.parent / "result-1")
    done = tvarc("check")
    assert done.exit_code == 1
    assert "error[E703]: `../tools` cannot be an input" in done.stderr
    assert "a link leads from there to" in done.stderr
    assert "may lead elsewhere tomorrow" in done.stderr


def test_a_link_on_the_way_is_one_too(beside: Path) -> None:
    Path("far").symlink_to(beside.parent)
    source = Path("variants.tvar")
    source.write_text(PROGRAM.replace("../tools", "far/tools"), encoding="utf-8")
    assert "a link leads from there to" in tvarc("check").stderr


def test_the_program_itself_may_be_reached_over_a_link(
    beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (beside.parent / "link").symlink_to("project")
    monkeypatch.chdir(beside.parent)
    assert tvarc("check", "link/variants.tvar").exit_code == 0


def test_a_file_that_it_lost_is_missed_by_the_next_build(beside: Path) -> None:
    assert tvarc("build", "--no-git").exit_code == 0
    (beside / "pkgs" / "b.nix").unlink()
    done = tvarc("build", "--no-git")
    assert done.exit_code == 1
    assert "error[E106]: input `tools` has no file `pkgs/b.nix`" in done.stderr
    assert "where n is" in done.stderr


def test_an_unlocked_one_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "variants.tvar"
    source.write_text(
        PROGRAM.replace(
            'path = "../tools"', f'github = "a/b", rev = "{"1" * 40}", hash = unlocked'
        ),
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    done = tvarc("build", "--no-git")
    assert done.exit_code == 0
    assert done.stderr.count("warning[W002]") == 1
    found = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="
    recipe = (tmp_path / "recipes" / "r-a.nix").read_text(encoding="utf-8")
    fake = recipe.split('sha256 = "')[1].split('"')[0]
    (tmp_path / "log").write_text(
        f"error: hash mismatch in fixed-output derivation '/nix/store/x-source.drv':\n"
        f"         specified: {fake}\n            got:    {found}\n",
        encoding="utf-8",
    )
    assert tvarc("lock", "--from-log", "log").exit_code == 0
    assert tvarc("build", "--no-git", "--locked").exit_code == 0
    assert found in (tmp_path / "recipes" / "r-a.nix").read_text(encoding="utf-8")
