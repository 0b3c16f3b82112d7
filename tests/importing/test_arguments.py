"""Arguments of recipes: what callPackage fills, and what their defaults are."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import tvarc
from support.families import put

RECIPE = """{ config, stdenv, lib, python3, python ? python3
, cudaSupport ? config.cudaSupport or false, cudatoolkit, isSlow ? false }:
stdenv.mkDerivation {
  pname = "%s";
  doCheck = isSlow;
  buildInputs = [ python ] ++ lib.optional cudaSupport cudatoolkit;
}
"""


def test_a_default_counts_where_nixpkgs_has_nothing_by_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {f"pkgs/tree-{size}.nix": RECIPE % f"tree-{size}" for size in ("big", "small")}
    done = tvarc("import", str(put(tmp_path, files)))
    assert done.exit_code == 0, done.output
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert "pkgs.python or pkgs.python3" in made, made
    assert "pkgs.cudaSupport or (pkgs.config.cudaSupport or false)" in made
    assert "doCheck     = false" in made
    assert tvarc("build", "--adopt", "--no-git").exit_code == 0
    text = Path("pkgs/tree-big.nix").read_text(encoding="utf-8")
    assert "pkgs.cudaSupport or (pkgs.config.cudaSupport or false)" in text
