"""A folder as the pin, on the command line: nothing is written into it, and nothing asks more of it
than there is to know."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from support.command import tvarc
from support.families import put
from support.nix import requires_nix

PROGRAM = """
axis isa = ["haswell", "skylake"]

pin near {
  path = "../nixpkgs"
  localSystem { gcc.arch = isa }
}

recipe r { package = pkgs.hello }
matrix m { recipe = r, axes = isa, name = "h-{{isa}}" }
output nix { file = "recipes/{{variant}}.nix" }
"""


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program with a checkout of a nixpkgs beside it; the checkout."""
    put(tmp_path, {"nixpkgs/default.nix": "_: { }", "project/variants.tvar": PROGRAM})
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "nixpkgs"


def test_nothing_is_written_into_it(beside: Path) -> None:
    (beside / "out").mkdir()
    before = sorted(path for path in beside.rglob("*"))
    for out in ("../nixpkgs", "../nixpkgs/out", "../nixpkgs/new"):
        for option in ("--check", "--force", "--adopt"):
            refused = tvarc("build", "--no-git", "--out", out, option, code=1)
            assert (
                "error[E803]: 2 outputs are in a folder that recipes are built from"
                in refused.stderr
            )
    assert sorted(path for path in beside.rglob("*")) == before
    assert tvarc("build", "--no-git", "--out", "../nixpkgs-recipes").exit_code == 0


def test_its_default_is_a_file(beside: Path) -> None:
    (beside / "default.nix").unlink()
    (beside / "default.nix").mkdir()
    done = tvarc("build", "--no-git", code=1)
    assert "error[E703]: there is no nixpkgs at `../nixpkgs`" in done.stderr
    assert "it is a folder, not a file" in done.stderr


def test_nor_where_a_link_leads_to_it(beside: Path) -> None:
    shutil.move(beside, beside.parent / "real")
    beside.symlink_to(beside.parent / "real")
    assert tvarc("build", "--no-git", "--out", "../real").exit_code == 1
    assert [path.name for path in beside.iterdir()] == ["default.nix"]


def test_a_build_is_made_again_where_it_has_gone(beside: Path) -> None:
    """The record of a build is none of a folder that is no longer there."""
    assert tvarc("build", "--no-git").exit_code == 0
    again = tvarc("build", "--no-git")
    assert "0 written, 2 unchanged" in again.stdout + again.stderr
    (beside / "default.nix").unlink()
    gone = tvarc("build", "--no-git", code=1)
    assert "error[E703]: there is no nixpkgs at `../nixpkgs`" in gone.stderr


def test_there_is_nothing_to_lock_and_nothing_to_bump(beside: Path) -> None:
    assert tvarc("build", "--no-git", "--locked").exit_code == 0
    assert tvarc("lock", "--check").exit_code == 0
    assert not Path("tvar.lock").exists()
    for value in ("6a030d535719c5190187c4cec156f335e95e3211", "./np2105", "nixos-unstable"):
        refused = tvarc("bump", "pin", "near", value, code=1)
        assert "error[E946]: pin `near` is a folder, not a commit" in refused.stderr
        assert "write another folder here" in refused.stderr


def test_explain_tells_the_folder_and_the_machine(beside: Path) -> None:
    shown = tvarc("explain", "h-skylake").stdout
    assert "path = ../nixpkgs" in shown
    assert "hash" not in shown
    told = json.loads(tvarc("explain", "h-skylake", "localSystem.gcc.arch", "--json").stdout)
    assert (told["value"], told["origin"]["line"]) == ("skylake", 6)


def test_diff_tells_machines_and_folders(beside: Path) -> None:
    """Another state is compared where its folder is not there, too."""
    other = beside.parent / "elsewhere" / "deep"
    other.mkdir(parents=True)
    shutil.copy("variants.tvar", other)
    alike = json.loads(tvarc("diff", "--against", str(other), "--json").stdout)
    assert (alike["changed"], alike["renamed"]) == ([], [])
    changed = PROGRAM.replace('"../nixpkgs"', '"../../nixpkgs"').replace('"skylake"', '"znver3"')
    (other / "variants.tvar").write_text(changed, encoding="utf-8")
    shown = tvarc("diff", "--against", str(other)).stdout
    assert "pin.path" in shown
    assert "../../nixpkgs" in shown


@pytest.mark.nix
@requires_nix
def test_diff_asks_nix_of_the_folder(beside: Path) -> None:
    from support.recipes import MODEL

    (beside / "default.nix").write_text(f"import {MODEL}", encoding="utf-8")
    Path("variants.tvar").write_text(PROGRAM.replace("hello", "ninja"), encoding="utf-8")
    found = json.loads(tvarc("diff", "h-haswell", "h-skylake", "--nix", "--json").stdout)
    assert "drv" in json.dumps(found)
