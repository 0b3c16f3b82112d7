"""Folders of packages that have little in common: each is imported, by itself where one recipe
cannot say several."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import tvarc
from support.families import put
from support.nix import requires_nix
from support.recipes import model_value
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


CHANGED_TWICE = """{ pkgs, lib, isSlow ? false }:
(pkgs.hello.overrideAttrs (old: {
  passthru = (old.passthru or { }) // { kind = "x"; };
  note = "first";
})).overrideAttrs (old: {
  foo = "${old.foo or ""}${lib.optionalString isSlow "slow"}";
  checks = lib.attrNames (old.passthru.checks or { });
  hasNote = old ? note;
  hasOther = old ? other;
  patchFlags = (old.patchFlags or [ ]) ++ [ "-p2" ];
  label = "${lib.optionalString isSlow "q\\"r"}.so";
})
"""
UNDER_CONDITIONS = """{ stdenv, lib, isSlow ? false, isSmall ? false }:
let
  base = {
    version = "1.2";
    preConfigure = ''
      echo first
    '';
    flags = [ "a" ];
  };
  both = if isSlow then base // {
    pname = "slow";
    preConfigure = base.preConfigure + "echo slow";
    postBuild = "echo built";
  } else base // {
    pname = "fast";
    flags = base.flags ++ [ "b" ];
    outputs = [ "out" "dev" ];
  };
in
stdenv.mkDerivation both
"""
ADDED = """{ stdenv, lib, isSlow ? false }:
(stdenv.mkDerivation ({ pname = "added"; version = "1"; a = "1"; b = "2"; }
  // lib.optionalAttrs isSlow { b = "3"; c = "4"; postInstall = "first"; })
).overrideAttrs (old: { postInstall = (old.postInstall or "") + "second"; })
"""


@pytest.mark.slow
@requires_nix
@pytest.mark.nix
@pytest.mark.once
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (CHANGED_TWICE, '((old.passthru or { }) // { kind = "x"; }).checks or { }'),
        (UNDER_CONDITIONS, 'if pkgs.isSlow or false then "slow"'),
        (ADDED, "lib.optionalAttrs (pkgs.isSlow or false)"),
    ],
    ids=["changed-twice", "under-conditions", "added"],
)
def test_attributes_under_conditions_and_changes_of_changes_are_equal(
    text: str, kept: str, here: Path
) -> None:
    tvarc("import", str(put(here, {"pkgs/tool.nix": text})), code=0)
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert kept in made, made
    assert made.count("echo first") == text.count("echo first")
    tvarc("build", "--out", "built", "--no-git", code=0)
    (built,) = (here / "built").rglob("tool.nix")
    slow, fast = model_value(f"""
      let
        pkgs = import <nixpkgs> {{ }};
        of = file: given: (pkgs.callPackage file given).drvPath;
      in
      map (given: [ (of {here}/pkgs/tool.nix given) (of {built} given) ])
        [ {{ isSlow = true; }} {{ isSlow = false; }} ]
    """)
    assert slow[0] == slow[1] and fast[0] == fast[1]
    assert slow[0] != fast[0]


def test_a_list_with_a_default_in_nixpkgs_is_set_whole(here: Path) -> None:
    """To add to a list that the package may lack is an error if nixpkgs has a default for it."""
    text = '{ stdenv }: stdenv.mkDerivation { pname = "%s"; version = "1"; patchFlags = [ %s ]; }\n'
    files = {
        "pkgs/tool-a.nix": text % ("tool", '"-p0"'),
        "pkgs/tool-b.nix": text % ("tool", '"-p0" "-l"'),
    }
    tvarc("import", str(put(here, files)), code=0)
    assert "patchFlags +=" not in Path("variants.tvar").read_text(encoding="utf-8")


def test_a_column_that_follows_most_versions_is_computed(here: Path) -> None:
    """Two files have another form of what three others show to follow the version."""
    text = """{{ stdenv, fetchurl }}:
stdenv.mkDerivation {{
  pname = "tool";
  version = "{version}";
  src = fetchurl {{ {url}; sha256 = "{sha}"; }};
}}
"""
    files = {}
    for number, version in enumerate(("1.5.0", "1.6.0", "1.7.1", "1.8.0", "1.9.0")):
        name = f"tool_{version.replace('.', '_')}.tgz"
        one, other = f'"mirror://sf/{name}"', f'"https://example.org/{name}"'
        url = f"urls = [ {one} {other} ]" if number > 2 else f"url = {one}"
        made = text.format(version=version, url=url, sha=str(number) * 52)
        files[f"pkgs/{version[:3]}.nix"] = made
    tvarc("import", str(put(here, files)), code=0)
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert "under(by-series[series].version)" in made, made
    assert "1_5_0" not in made and "1_9_0" not in made
