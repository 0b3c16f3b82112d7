"""Flakes whose packages are files: the nixpkgs that a lock names becomes the pin."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.command import tvarc
from support.families import put

PIN_NONE = re.compile(r"^  pin +=  *none$", re.MULTILINE)
REVISION = "0182a361324364ae3f436a63005877674cf45efb"
HASH = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
ZLIB = "overlays = [ (final: prev: { zlib = prev.zlib.override { static = true; }; }) ];"


def _lock(**changes: str) -> str:
    locked = {
        "type": "github", "owner": "NixOS", "repo": "nixpkgs", "rev": REVISION, "narHash": HASH,
    }  # fmt: skip
    nodes = {
        "nixpkgs_2": {"locked": {**locked, **changes}},
        "root": {"inputs": {"nixpkgs": "nixpkgs_2", "same": ["nixpkgs"]}},
    }
    return json.dumps({"nodes": nodes, "root": "root", "version": 7})


def _flake(given: str, around: str, called: str) -> str:
    end = "}" + ")" * (around.count("(") - around.count(")"))
    return f"""{{
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/{REVISION}";
  outputs = {given}:
    {around}
      tool-4 = {called} ./a.nix {{ }};
      tool-5 = {called} ./b.nix {{ level = 5; }};
    {end};
}}
"""


@pytest.fixture(autouse=True)
def folder(here: Path) -> Path:
    put(
        here,
        {
            "repo/a.nix": "{ hello }:\nhello.override { level = 4; }\n",
            "repo/b.nix": "{ hello, level }:\nhello.override { inherit level; }\n",
            "repo/flake.lock": _lock(),
        },
    )
    return here


def _imported(folder: Path, flake: str) -> tuple[str, str]:
    """The program, and what is told of it."""
    (folder / "repo/flake.nix").write_text(flake, encoding="utf-8")
    done = tvarc("import", "repo", code=0)
    assert tvarc("check").exit_code == 0
    return (folder / "variants.tvar").read_text(encoding="utf-8"), done.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "around", "called"),
    [
        (
            "{ self, nixpkgs }",
            "let pkgs = nixpkgs.legacyPackages.x86_64-linux; in {",
            "pkgs.callPackage",
        ),
        (
            "{ self, nixpkgs, ... }@all",
            'let system = "x86_64-linux"; pkgs = import all.nixpkgs { inherit system; }; in {',
            "pkgs.callPackage",
        ),
        (
            "inputs",
            "inputs.nixpkgs.lib.genAttrs [ ] (system: let"
            " pkgs = inputs.nixpkgs.legacyPackages.${system};"
            " inherit (pkgs) callPackage; in { } // {",
            "callPackage",
        ),
    ],
)
def test_what_a_lock_names_is_the_pin(given: str, around: str, called: str, folder: Path) -> None:
    flake = _flake(given, around, called)
    text, told = _imported(folder, flake)
    assert f'rev    = "{REVISION}"' in text and f'hash   = "{HASH}"' in text
    assert not PIN_NONE.search(text) and "caller" not in told
    assert tvarc("build", "--no-git").exit_code == 0
    built = (folder / "repo/tool-4.nix").read_text(encoding="utf-8")
    assert f"archive/{REVISION}.tar.gz" in built and "system" in built


@pytest.mark.slow
def test_the_configuration_and_the_overlays_of_the_import_are_kept(folder: Path) -> None:
    around = f"let pkgs = import nixpkgs {{ config.allowUnfree = true; {ZLIB} }}; in {{"
    text, _ = _imported(folder, _flake("{ nixpkgs, ... }", around, "pkgs.callPackage"))
    assert "config { allowUnfree = true }" in text
    assert "overlay zlib for zlib { args { static = true } }" in text


@pytest.mark.parametrize(
    ("around", "called", "reason"),
    [
        ("{", "pkgs.callPackage", "it is not the `callPackage` of an input that is locked"),
        (
            "let pkgs = nixpkgs.legacyPackages.x86_64-linux; in each (pkgs: {",
            "pkgs.callPackage",
            "it is not the `callPackage` of an input that is locked",
        ),
        (
            "let pkgs = nixpkgs.legacyPackages.x86_64-linux; in {",
            "pkgs.python3Packages.callPackage",
            "it is not the `callPackage` of an input that is locked",
        ),
        (
            'let pkgs = import nixpkgs { system = "x86_64-linux"; }; in {',
            "pkgs.callPackage",
            "its nixpkgs is for a fixed system",
        ),
    ],
)
def test_what_is_not_known_is_that_of_the_caller_and_told(
    around: str, called: str, reason: str, folder: Path
) -> None:
    flake = _flake("{ nixpkgs, ... }", around, called)
    text, told = _imported(folder, flake)
    assert PIN_NONE.search(text) and "pin at-" not in text
    assert f"flake.nix:5, 6: the recipes called here use their caller's nixpkgs: {reason}" in told


@pytest.mark.slow
@pytest.mark.parametrize("lock", ["", "{", '{"nodes": []}', _lock(type="path")])
def test_without_a_lock_that_names_it_the_lines_are_told(lock: str, folder: Path) -> None:
    (folder / "repo/flake.lock").write_text(lock, encoding="utf-8")
    around = "let pkgs = nixpkgs.legacyPackages.x86_64-linux; in {"
    text, told = _imported(folder, _flake("{ nixpkgs, ... }", around, "pkgs.callPackage"))
    assert PIN_NONE.search(text)
    assert "use their caller's nixpkgs: no `flake.lock` says where it is from" in told
    data = json.loads(tvarc("import", "repo", "--json", "--dry-run").stdout)
    assert [one["line"] for one in data["unpinned"]] == [5, 6]


@pytest.mark.slow
def test_what_pins_itself_keeps_its_own(folder: Path) -> None:
    other = "6a030d535719c5190187c4cec156f335e95e3211"
    url = f"https://github.com/NixOS/nixpkgs/archive/{other}.tar.gz"
    own = f'{{ }}:\n(import (builtins.fetchTarball "{url}") {{ }}).hello\n'
    (folder / "repo/a.nix").write_text(own, encoding="utf-8")
    around = "let pkgs = nixpkgs.legacyPackages.x86_64-linux; in {"
    text, _ = _imported(folder, _flake("{ nixpkgs, ... }", around, "pkgs.callPackage"))
    assert other in text and REVISION in text


@pytest.mark.slow
def test_each_call_of_one_file_is_a_recipe(folder: Path) -> None:
    calls = """{ nixpkgs, ... }:
    let pkgs = nixpkgs.legacyPackages.x86_64-linux; in {
      tool-4 = pkgs.callPackage ./a.nix { };
      tool-5 = pkgs.callPackage ./a.nix { hello = pkgs.zlib; };
      other = pkgs.callPackage ./a.nix { };
    }"""
    (folder / "repo/b.nix").unlink()
    _imported(folder, f"{{ outputs = {calls}; }}\n")
    data = json.loads(tvarc("import", "repo", "--json", "--dry-run").stdout)
    assert sorted(data["imported"]) == ["a.nix", "flake.nix#other", "flake.nix#tool-5"]
    assert not data["left"] and not data["helpers"]


@pytest.mark.slow
def test_within_a_flake_the_way_on_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    around = "let pkgs = nixpkgs.legacyPackages.x86_64-linux; in {"
    flake = _flake("{ nixpkgs, ... }", around, "pkgs.callPackage")
    (folder / "repo/flake.nix").write_text(flake, encoding="utf-8")
    monkeypatch.chdir(folder / "repo")
    done = tvarc("import", ".")
    assert done.exit_code == 1 and "error[E803]" in done.output
    assert "help: name a file outside of it: `-o ../variants.tvar`" in done.output
    assert tvarc("import", ".", "-o", "../variants.tvar").exit_code == 0
    done = tvarc("import", ".", "-o", "../again.tvar", "--report", "told.txt")
    assert "help: name a file outside of it: `--report ../told.txt`" in done.output
