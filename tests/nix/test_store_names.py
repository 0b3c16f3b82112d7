"""The lint `name-unreached`, judged by real Nix: what a package is called in the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.compile import compile_on_disk, lints, write_recipes
from support.nix import requires_nix
from support.recipes import MODEL, model_value

pytestmark = [requires_nix, pytest.mark.nix, pytest.mark.once]

PROGRAM = """
pin nixpkgs {{ path = "./nixpkgs", release = {release} }}

recipe torch {{
  package = pkgs.{package}
  attrs {{ pname = "mine-{{{{variant}}}}", version = "9.9"{more} }}
}}
variant one {{ recipe = torch }}
output nix {{ file = "{{{{variant}}}}.nix" }}
"""
NAME = ', name = "python3-{{attrs.pname}}-{{attrs.version}}"'


def name_of(folder: Path, release: str, package: str, more: str = "") -> tuple[str, bool]:
    """The name of the store path, and whether the lint speaks of it."""
    (folder / "nixpkgs").mkdir(exist_ok=True)
    called = f'arguments: import {MODEL} (arguments // {{ age = "{release}"; }})\n'
    (folder / "nixpkgs" / "default.nix").write_text(called, encoding="utf-8")
    program = folder / "variants.tvar"
    program.write_text(PROGRAM.format(release=release, package=package, more=more))
    made = compile_on_disk(program)
    (recipe,) = write_recipes(made, folder).values()
    host = '{ stdenv.hostPlatform.system = "x86_64-linux"; }'
    name = model_value(f"(import {recipe} {{ pkgs = {host}; }}).name")
    return str(name), "name-unreached" in lints(made)


@pytest.mark.slow
@pytest.mark.parametrize("release", ["20.09", "23.05", "24.11"])
def test_a_python_package_is_called_as_before_where_the_lint_speaks(
    tmp_path: Path, release: str
) -> None:
    name, told = name_of(tmp_path, release, "python3Packages.numpy")
    assert told and "mine-one" not in name
    name, told = name_of(tmp_path, release, "python3Packages.numpy", NAME)
    assert not told and name == "python3-mine-one-9.9"


@pytest.mark.parametrize("release", ["20.09", "24.11"])
def test_other_packages_are_called_anew(tmp_path: Path, release: str) -> None:
    assert name_of(tmp_path, release, "hello") == ("mine-one-9.9", False)
