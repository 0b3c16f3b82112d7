"""Arguments of recipes: what callPackage fills, and what their defaults are."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import tvarc
from support.families import put
from support.nix import requires_nix
from support.recipes import model_value

RECIPE = """{ config, stdenv, lib, python3, python ? python3
, cudaSupport ? config.cudaSupport or false, cudatoolkit, isSlow ? false }:
stdenv.mkDerivation {
  pname = "%s";
  doCheck = isSlow;
  buildInputs = [ python ] ++ lib.optional cudaSupport cudatoolkit;
}
"""


def test_a_default_counts_where_nixpkgs_has_nothing_by_the_name(here: Path) -> None:
    files = {f"pkgs/tree-{size}.nix": RECIPE % f"tree-{size}" for size in ("big", "small")}
    tvarc("import", str(put(here, files)), code=0)
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert "pkgs.python or pkgs.python3" in made, made
    assert "pkgs.cudaSupport or (pkgs.config.cudaSupport or false)" in made
    assert 'doCheck     = nix"""pkgs.isSlow or false"""' in made
    assert tvarc("build", "--adopt", "--no-git").exit_code == 0
    text = Path("pkgs/tree-big.nix").read_text(encoding="utf-8")
    assert "pkgs.cudaSupport or (pkgs.config.cudaSupport or false)" in text


OF_SCOPES = """{ stdenv, lib, zlib, curl, isSlow ? false, withCurl ? true, label ? "none" }:
stdenv.mkDerivation {
  pname = "tree";
  version = "1";
  doCheck = isSlow;
  inherit label;
  note = "for ${label}";
  buildInputs = [ zlib ] ++ lib.optional withCurl curl;
}
"""


@pytest.mark.nix
@pytest.mark.once
@requires_nix
@pytest.mark.parametrize(
    "scope",
    [
        "{ }",
        "{ isSlow = true; }",
        "{ withCurl = false; }",
        '{ label = "another"; }',
        "{ zlib = pkgs.curl; }",
        "{ curl = pkgs.zlib; isSlow = true; }",
    ],
)
def test_a_scope_gives_the_arguments_of_the_file_to_the_recipe_too(scope: str, here: Path) -> None:
    put(here, {"pkgs/tree.nix": OF_SCOPES})
    assert tvarc("import", "pkgs").exit_code == 0
    assert tvarc("build", "--out", "built", "--no-git").exit_code == 0
    (built,) = (here / "built").rglob("tree.nix")
    judge = f"""
      let
        pkgs = import <nixpkgs> {{ }};
        call = pkgs.lib.callPackageWith (pkgs // {scope});
        of = file: (call file {{ }}).drvPath;
        changed = file: ((call file {{ }}).override {{ isSlow = true; curl = pkgs.zlib; }}).drvPath;
      in
      [
        (of {here}/pkgs/tree.nix == of {built})
        (changed {here}/pkgs/tree.nix == changed {built})
        (of {here}/pkgs/tree.nix == changed {built})
      ]
    """
    same, same_changed, told_apart = model_value(judge)
    assert same and same_changed
    assert told_apart == (scope == "{ curl = pkgs.zlib; isSlow = true; }")


@pytest.mark.slow
def test_a_constant_of_a_recipe_with_a_pin_is_its_value(here: Path) -> None:
    recipe = f"""{{ pkgs, isSlow ? false }}:
let
  pinned = import (fetchTarball {{
    url = "https://github.com/NixOS/nixpkgs/archive/{"1" * 40}.tar.gz";
  }}) {{ inherit (pkgs.stdenv.hostPlatform) system; }};
in
pinned.hello.overrideAttrs (old: {{ doCheck = isSlow; }})
"""
    tvarc("import", str(put(here, {"pkgs/hello.nix": recipe})), code=0)
    assert "doCheck = false" in Path("variants.tvar").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.nix
@pytest.mark.once
@requires_nix
@pytest.mark.parametrize("scope", ["{ }", "{ withCurl = false; }", "{ zlib = pkgs.curl; }"])
def test_a_file_passes_its_arguments_on_to_another_file(scope: str, here: Path) -> None:
    generic = OF_SCOPES.replace("{ stdenv,", "{ version, note, stdenv,", 1)
    generic = generic.replace('"none" }', '"none", ... }')
    files = {"pkgs/generic.nix": generic.replace('version = "1"', "inherit version")}
    for number in ("1", "2"):
        files[f"pkgs/tree-{number}.nix"] = (
            "{ stdenv, callPackage, ... }@args:\n"
            f'callPackage ./generic.nix (args // {{ version = "{number}"; note = "n"; }})\n'
        )
    tvarc("import", str(put(here, files)), code=0)
    assert tvarc("build", "--out", "built", "--no-git").exit_code == 0
    for built in (here / "built").rglob("*.nix"):
        judge = f"""
          let
            pkgs = import <nixpkgs> {{ }};
            call = pkgs.lib.callPackageWith (pkgs // {scope} // {{ callPackage = call; }});
            of = file: (call file {{ }}).drvPath;
          in
          of {here}/pkgs/{built.name} == of {built}
        """
        assert model_value(judge) is True
