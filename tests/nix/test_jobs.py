"""`tvarc jobs --eval`: derivations and their names, as real Nix has them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.command import tvarc
from support.nix import put_project, requires_nix
from support.recipes import nix_instantiate
from tvarc.commands.line import exits

pytestmark = [requires_nix, pytest.mark.nix, pytest.mark.slow]

PROGRAM = """\
pin model { path = "./nixpkgs", config { allowUnfree = true } }
axis workers = ["8", "16"]
recipe torch {
  package = pkgs.python3Packages.torch
  args { cudaSupport = true }
  env  { MAX_JOBS = workers }
  meta { platforms = ["x86_64-linux", "aarch64-linux"] }
}
matrix all { recipe = torch, axes = workers, name = "torch-{{workers}}" }
output nix { file = "pkgs/{{variant}}.nix" }
output jobs: jobs { file = "jobs.jsonl" }
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the model as its nixpkgs, and the Nix that is to judge."""
    folder = put_project(tmp_path, monkeypatch)
    (folder / "variants.tvar").write_text(PROGRAM, encoding="utf-8")
    return folder


def lines(*words: str, code: int = exits.OK) -> list[dict[str, Any]]:
    done = tvarc("jobs", *words, code=code)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_derivations_are_those_of_the_recipes() -> None:
    """Each of the one system that Nix was asked about, with the name that the derivation has."""
    assert tvarc("build").exit_code == exits.OK
    found = lines("--eval")
    assert len(found) == 4
    known = {
        one["attr"]: one for one in found if "drvPath" in one and one["system"] == "x86_64-linux"
    }
    assert len(known) == 2 == len([one for one in found if "drvPath" in one])
    for name, one in known.items():
        command = [nix_instantiate(), "--readonly-mode", f"pkgs/{name}.nix"]
        pkgs = '{ stdenv.hostPlatform.system = "x86_64-linux"; }'
        done = subprocess.run(
            [*command, "--arg", "pkgs", pkgs], capture_output=True, text=True, check=True
        )
        assert one["drvPath"] == done.stdout.strip()
        expression = f"(import ./pkgs/{name}.nix {{ pkgs = {pkgs}; }}).name"
        asked = [nix_instantiate(), "--readonly-mode", "--eval", "--json", "-E", expression]
        done = subprocess.run(asked, capture_output=True, text=True, check=True)
        assert one["name"] == json.loads(done.stdout)
    assert all(one.keys().isdisjoint(("drvPath", "name")) for one in lines())


def test_what_nix_refuses_is_told_and_the_rest_printed() -> None:
    text = PROGRAM.replace(
        "  env", '  attrs { x = if workers == "8" then pkgs.nothing else 1 }\n  env'
    )
    Path("variants.tvar").write_text(text, encoding="utf-8")
    done = tvarc("jobs", "--eval", code=exits.FAILED)
    assert "error[E991]" in done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["attr"] for one in found if "drvPath" in one] == ["torch-16"]


def test_without_nix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    done = tvarc("jobs", "--eval", code=exits.UNJUDGED)
    assert "error[E912]" in done.stderr
    assert done.stdout == ""


def test_as_nix_eval_jobs_finds_them_in_the_flake() -> None:
    """What it walks through is `hydraJobs`: these attributes are there, and no others."""
    text = PROGRAM.replace('path = "./nixpkgs"', 'github = "NixOS/nixpkgs", rev = "'
                           '6a030d535719c5190187c4cec156f335e95e3211"')  # fmt: skip
    Path("variants.tvar").write_text(
        text + 'output flake: flake { file = "flake.nix" }\n', encoding="utf-8"
    )
    assert tvarc("build").exit_code == exits.OK
    expression = (
        "let jobs = ((import ./flake.nix).outputs { self = { }; nixpkgs = ./nixpkgs; "
        "model = ./nixpkgs; }).hydraJobs; in map (name: map (system: [ name system ]) "
        "(builtins.attrNames jobs.${name})) (builtins.attrNames jobs)"
    )
    command = [nix_instantiate(), "--readonly-mode", "--eval", "--strict", "--json", "-E"]
    done = subprocess.run([*command, expression], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    paths = [path for paths in json.loads(done.stdout) for path in paths]
    assert sorted(paths) == sorted(one["attrPath"] for one in lines())
