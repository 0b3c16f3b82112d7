"""Folders of packages that have little in common: each is imported, by itself where one recipe
cannot say several."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import tvarc
from support.families import put
from tvarc.byhand.importing.model import Family, Recipe
from tvarc.byhand.importing.parting import Parting
from tvarc.byhand.importing.shapes import Shape
from tvarc.nix.language.syntax import NixIdent, NixInt

NAMES = ("attrs", "babel", "click", "docutils", "evdev", "flask", "gevent", "idna", "jinja", "kiwi")


def unlike(number: int, name: str) -> str:
    """A Python package that no other is like: each has other arguments, and other inputs."""
    words = [f"dep{number}x{one}" for one in range(1 + number % 4)]
    choices = (
        'format = "setuptools";',
        "postPatch = ''\n    sed -i s/a/b/ setup.py\n  '';",
        "doCheck = false;",
        f'LIB = "${{{words[0]}}}/lib";',
    )
    more = "\n  ".join([one for bit, one in enumerate(choices) if number >> bit & 1])
    return f"""{{ {", ".join(["lib", "buildPythonPackage", "fetchPypi", *words])} }}:

buildPythonPackage rec {{
  pname = "{name}";
  version = "{number}.{number % 3}";
  src = fetchPypi {{ inherit pname version; sha256 = "{str(number % 10) * 52}"; }};
  {more}
  propagatedBuildInputs = [ {" ".join(words)} ];
  meta.license = lib.licenses.mit;
}}
"""


def test_files_of_which_each_has_its_own_style_are_not_parted_by_style() -> None:
    """A part of one file would be drift of the others, and have no name of its own."""
    for styles, parted in (("aaabbb", True), ("aabbcc", True), ("abcdef", False)):
        cells = tuple([{"name": name} for name in NAMES[:6]])
        shape = Shape((), "{{name}}", NAMES[:6], cells)
        hello = NixIdent("hello")
        recipes = tuple([Recipe(None, hello, (), {one: NixInt(1)}) for one in styles])
        families = [Family(shape, recipes, NAMES[:6])]
        assert Parting().part(families, NAMES[:6]) == parted


@pytest.mark.slow
def test_packages_that_one_recipe_cannot_say_stand_by_themselves(here: Path) -> None:
    files = {f"pkgs/{name}.nix": unlike(at, name) for at, name in enumerate(NAMES)}
    done = tvarc("import", str(put(here, files)), code=0)
    assert f": {len(NAMES)} imported" in done.output
    assert f"{len(NAMES)} variants, 0 errors" in tvarc("check").output


ALONE = '{ stdenv, fetchurl }: stdenv.mkDerivation { pname = "%s"; version = "%d"; %s}\n'
TAKES = '{ stdenv, base64 }: stdenv.mkDerivation { pname = "%s"; buildInputs = [ base64 ]; %s}\n'


@pytest.mark.slow
def test_what_parts_of_a_family_need_has_a_name(here: Path) -> None:
    """Words that all names of a family have are none here, and nothing is needed by no name."""
    files = {f"pkgs/{name}.nix": unlike(at, name) for at, name in enumerate(NAMES)}
    files["pkgs/base64.nix"] = ALONE % ("base64", 1, "")
    files["pkgs/curl.nix"] = TAKES % ("curl", "")
    files["pkgs/tar.nix"] = TAKES % ("tar", "doCheck = true; ")
    tvarc("import", str(put(here, files)), code=0)
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert made.count("by argument") == 2, made
    assert f"{len(NAMES) + 3} variants, 0 errors" in tvarc("check").output


@pytest.mark.slow
def test_what_cannot_be_needed_by_argument_takes_what_its_caller_has(here: Path) -> None:
    """`sums` takes `base64`, which is a recipe too, and hands on `pkgs.base64`: no argument of one
    name can be both."""
    sums = """{ pkgs, stdenv, base64 }:
stdenv.mkDerivation { pname = "sums"; buildInputs = [ base64 pkgs.base64 ]; }
"""
    files = {"pkgs/base64.nix": ALONE % ("base64", 1, ""), "pkgs/sums.nix": sums}
    tvarc("import", str(put(here, files)), code=0)


ODD = ("pillow", "python36")
KINDS = {"cffi": "pkgs.zlib", "h5py": "[ 1 ]", "jinja2": "a: a", "pillow": "{ }"}
PYTHONS = ("python36", "python37", "python38", "python39")


def _overridden(name: str, python: str, more: str = "") -> str:
    return f"""{{ pkgs ? import <nixpkgs> {{ }} }}:
let
  py = pkgs.{python}.override {{
    packageOverrides = self: super: {{
      {name} = super.{name}.overridePythonAttrs (o: {{
        doCheck = {str((name, python) == ODD).lower()};
      }});
    }};{more}
  }};
in
py.pkgs.{name}
"""


@pytest.mark.slow
def test_what_no_recipe_says_together_is_parted_by_an_axis(here: Path) -> None:
    """The name of the package is an attribute that an overlay binds, and each package has a value
    of another kind: there is a recipe for each package and not for each file."""
    files = {
        f"pkgs/{name}-{python}.nix": _overridden(name, python, f" kept = {kind};")
        for name, kind in KINDS.items()
        for python in PYTHONS
    }
    done = tvarc("import", str(put(here, files)), code=0)
    assert ": 16 imported" in done.output and "in 4 matrices" in done.output
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert 'name = "cffi-{{python}}"' in made, made
    assert "16 variants, 0 errors" in tvarc("check").output


def test_what_differs_in_nix_text_is_a_condition_there(here: Path) -> None:
    files = {
        f"pkgs/{name}-{python}.nix": _overridden(name, python)
        for name in KINDS
        for python in PYTHONS
    }
    done = tvarc("import", str(put(here, files)), code=0)
    assert ": 16 imported" in done.output and "in 1 matrix" in done.output
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert 'doCheck = {{python == "python36"}};' in made, made
    assert "16 variants, 0 errors" in tvarc("check").output
