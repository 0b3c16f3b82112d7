"""The recipes of a stack in a folder beside the model nixpkgs, and what real Nix says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from support.alone import emit
from support.assembled import assembled
from support.compile import compile_text, messages
from support.recipes import MODEL

CALLER: Final = (
    "(import ../nixpkgs { system = builtins.currentSystem; config = { }; overlays = [ ]; })"
)

SCOPE: Final = """
let
  pkgs = {caller};
  names = builtins.attrNames (builtins.readDir ./recipes);
  stem = name: builtins.substring 0 (builtins.stringLength name - 4) name;
  scope = pkgs.lib.makeScope pkgs.newScope (
    self: builtins.listToAttrs (map (name: {{
      name = stem name;
      value = self.callPackage (./recipes + "/${{name}}") {{ }};
    }}) names)
  );
in
{asked}
"""
"""Calls each recipe with those beside it, as Flox does."""


def prepared(folder: Path) -> Path:
    """A folder for recipes, beside the model."""
    (folder / "nixpkgs").symlink_to(MODEL)
    (folder / "project").mkdir()
    return folder / "project"


def written(project: Path, program: str) -> dict[str, str]:
    """The paths of all recipes of *program*, by their names; they are the same strings however they
    are made."""
    files = {"../nixpkgs/default.nix": "", "../tools/torch.nix": ""}
    made = compile_text(program, files=files)
    recipes = made.recipes()
    assert not made.sink.has_errors, messages(made)
    texts = {file.path: file.text for file in emit(recipes, made.file)}
    again = compile_text(program, files=files)
    assert dict(assembled(again)) == texts
    for path, text in texts.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text, encoding="utf-8")
    return {Path(path).stem: path for path in texts}
