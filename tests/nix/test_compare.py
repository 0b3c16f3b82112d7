"""`docs/compare.md` is fair: its plain Nix and its program come to the same derivations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.compile import ROOT, compile_text, write_recipes
from support.nix import requires_nix
from support.recipes import model_value

PAGE = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
JUDGE = """
let
  pkgs = import <nixpkgs> { localSystem = "x86_64-linux"; };
  plain = import PLAIN { inherit pkgs; };
  recipe = name: pkgs.callPackage (RECIPES + "/${name}.nix") { };
  same = name: plain.${name}.drvPath == (recipe name).drvPath;
in
{
  names = builtins.attrNames plain;
  different = builtins.filter (name: !(same name)) (builtins.attrNames plain);
  paths = map (name: plain.${name}.drvPath) (builtins.attrNames plain);
}
"""


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_lines_are_counted() -> None:
    for language, sentence in [
        ("nix", "writes {} lines of Nix"),
        ("tvar", "The program for tvarc has {} lines"),
    ]:
        lines = [line for line in block(language).splitlines() if line.strip()]
        assert sentence.format(len(lines)) in PAGE


@pytest.mark.nix
@requires_nix
def test_both_build_the_same(tmp_path: Path) -> None:
    (tmp_path / "plain.nix").write_text(block("nix"), encoding="utf-8")
    recipes = write_recipes(compile_text(block("tvar")), tmp_path)
    judge = JUDGE.replace("PLAIN", str(tmp_path / "plain.nix"))
    found = model_value(judge.replace("RECIPES", str(tmp_path / "recipes")))
    assert len(set(found.pop("paths"))) == 20
    assert found == {"names": sorted(recipes), "different": []}
