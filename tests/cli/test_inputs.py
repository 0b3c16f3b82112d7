"""Inputs on the command line: what nobody else has is refused, and nothing is written into one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.command import tvarc

HASH = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="
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
    told = " ".join(done.stderr.split())  # how long its lines are depends on the folder
    assert "a link leads from there to" in told
    assert "may lead elsewhere tomorrow" in told


def test_a_link_on_the_way_is_one_too(beside: Path) -> None:
    Path("far").symlink_to(beside.parent)
    source = Path("variants.tvar")
    source.write_text(PROGRAM.replace("../tools", "far/tools"), encoding="utf-8")
    assert "a link leads from there to" in " ".join(tvarc("check").stderr.split())


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
    recipe = (tmp_path / "recipes" / "r-a.nix").read_text(encoding="utf-8")
    fake = recipe.split('sha256 = "')[1].split('"')[0]
    (tmp_path / "log").write_text(
        f"error: hash mismatch in fixed-output derivation '/nix/store/x-source.drv':\n"
        f"         specified: {fake}\n            got:    {HASH}\n",
        encoding="utf-8",
    )
    assert tvarc("lock", "--from-log", "log").exit_code == 0
    assert tvarc("build", "--no-git", "--locked").exit_code == 0
    assert HASH in (tmp_path / "recipes" / "r-a.nix").read_text(encoding="utf-8")


def test_diff_tells_of_another_commit_of_an_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = f'github = "a/b", rev = "{"1" * 40}", hash = "{HASH}"'
    in_list = 'pin = none\n  package = pkgs.hello\n  attrs { x = [file(tools, "a.nix")] }'
    program = PROGRAM.replace('path = "../tools"', fields)
    program += f"recipe q {{ {in_list} }}\nvariant one {{ recipe = q }}\n"
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "variants.tvar").write_text(program, encoding="utf-8")
    (tmp_path / "variants.tvar").write_text(program.replace("1" * 40, "2" * 40), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = tvarc("diff", "--against", "old")
    told = done.stdout
    assert "3 variants: 3 changed" in told, done.stderr
    assert f"archive/{'1' * 40}.tar.gz" in told and f"archive/{'2' * 40}.tar.gz" in told


def test_who_leads_from_pin_none_to_the_head_of_a_recipe(beside: Path) -> None:
    line = PROGRAM.split("\n").index("  pin     = none") + 1
    told = tvarc("who", f"variants.tvar:{line}").stdout
    assert "reaches 2 of 2 variants" in told


def test_a_pipe_is_no_recipe(beside: Path) -> None:
    os.mkfifo("q.nix")
    done = tvarc("explain", "q.nix:1")
    assert done.exit_code == 1
    assert "error[E909]: cannot read `q.nix`" in done.stderr
    assert "not a plain file" in done.stderr


def test_audit_tells_of_another_input(beside: Path) -> None:
    (beside.parent / "other" / "pkgs").mkdir(parents=True)
    assert tvarc("build", "--no-git").exit_code == 0
    recipe = Path("recipes/r-a.nix")
    text = recipe.read_text(encoding="utf-8")
    recipe.write_text(text.replace("../../tools", "../../other"), encoding="utf-8")
    told = tvarc("audit", "recipes").stdout
    assert "W217" in told
    assert "r-a.nix" in told.partition("W217")[2]
    assert "r-b.nix" not in told.partition("W217")[2].partition("What these files say")[0]
