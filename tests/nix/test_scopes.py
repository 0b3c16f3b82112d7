"""What `pkgs.NAME` means, by real Nix: what callPackage of the recipe's scope hands.

Each recipe comes to the derivation of a function that a packager writes by hand, `{ cmake, … }: …`,
called by the same callPackage: native, for two other machines, and within a package set.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Final

import pytest

from support.command import tvarc
from support.compile import compile_text, write_recipes
from support.effort import for_each, sampled
from support.nix import put_project, requires_nix
from support.recipes import MODEL, RELEASES, NixError, model_value, nix_instantiate
from tvarc.commands.line import exits
from tvarc.nix.language.uses import uses_of

# Two recipes are one derivation in each Nix or in none.
pytestmark = [pytest.mark.nix, pytest.mark.once, requires_nix]

PROGRAM: Final = '''
pin native { path = "../nixpkgs" STATED }
pin arm { path = "../nixpkgs", crossSystem { config = "aarch64-unknown-linux-gnu" } STATED }
pin mac { path = "../nixpkgs", crossSystem { config = "aarch64-apple-darwin" } STATED }

overlay tool for zlib { nativeBuildInputs += [pkgs.pkg-config] }

recipe own {
  package = pkgs.hello
  attrs {
    nativeBuildInputs += [pkgs.cmake]
    buildInputs += [pkgs.numpy-or-not.LIBRARY, pkgs.pkgs.curl]
    asTool = nix"""[ (pkgs.cmake.__spliced.buildHost or pkgs.cmake) ]"""
    depsBuildBuild = nix"""
      let inherit (pkgs) ninja; in [ ninja (pkgs.nothing or pkgs.ninja) ] ++ (with pkgs; [ which ])
        ++ [ pkgs.${"numpy-or-zlib"} ]
    """
  }
  script postInstall { part one """echo {{pkgs.ninja}} {{pkgs.pkgs.zlib}}""" }
}
recipe called extends own { pin = none }
recipe tooled extends called { overlays += [tool] }
recipe in-set extends called { scope = pkgs.python3Packages }
recipe pinned-in-set extends own { pin = native, scope = pkgs.python3Packages }
recipe on-native extends own { pin = native, overlays += [tool] }
recipe on-arm extends own { pin = arm, overlays += [tool] }
recipe on-mac extends own { pin = mac, overlays += [tool] }
recipe arm-in-set extends own { pin = arm, scope = pkgs.python3Packages }

variant v-called { recipe = called }
variant v-tooled { recipe = tooled }
variant v-in-set { recipe = in-set }
variant v-pinned-in-set { recipe = pinned-in-set }
variant v-native { recipe = on-native }
variant v-arm { recipe = on-arm }
variant v-mac { recipe = on-mac }
variant v-arm-in-set { recipe = arm-in-set }
output o { file = "recipes/{{variant}}.nix" }
'''.replace("pkgs.numpy-or-not.LIBRARY", "pkgs.numpy-or-zlib")

BY_HAND: Final = """
{ hello, cmake, ninja, which, numpy-or-zlib, pkgs }:
hello.overrideAttrs (old: {
  nativeBuildInputs = (old.nativeBuildInputs or [ ]) ++ [ cmake ];
  buildInputs = (old.buildInputs or [ ]) ++ [ numpy-or-zlib pkgs.curl ];
  asTool = [ (cmake.__spliced.buildHost or cmake) ];
  depsBuildBuild = [ ninja ninja which numpy-or-zlib ];
  postInstall = "echo ${ninja} ${pkgs.zlib}";
})
"""

# `numpy-or-zlib` is one package at the top level, and another in the set of Python.
NIXPKGS: Final = """
arguments:
import MODEL (arguments // {
  age = AGE;
  overlays = [
    (final: prev: { numpy-or-zlib = prev.zlib.overrideAttrs (_: { top = "1"; }); })
    (final: prev: {
      python3Packages = prev.python3Packages // rec {
        numpy-or-zlib = prev.zlib.overrideAttrs (_: { of = "python"; });
        callPackage = prev.lib.callPackageWith (final.splicedAsHanded // {
          inherit callPackage numpy-or-zlib;
        });
      };
    })
    (final: prev: {
      splicedAsHanded = import MODEL/splice.nix { inherit (prev) lib; pkgs = final; };
    })
  ] ++ arguments.overlays or [ ];
})
"""

JUDGE: Final = """
let
  import-it = import NIXPKGS;
  here = { localSystem = "x86_64-linux"; };
  crossed = config: import-it (here // { crossSystem = { inherit config; }; });
  native = import-it here;
  arm = crossed "aarch64-unknown-linux-gnu";
  mac = crossed "aarch64-apple-darwin";
  hand = import HAND;
  tool = final: prev: {
    zlib = (final.callPackage ({ pkg-config }: {
      made = prev.zlib.overrideAttrs (old: {
        nativeBuildInputs = (old.nativeBuildInputs or [ ]) ++ [ pkg-config ];
      });
    }) { }).made;
  };
  with-tool = pkgs: pkgs.appendOverlays [ tool ];
  same = one: other: if one.drvPath == other.drvPath then "same" else "other";
  recipe = name: import (RECIPES + "/${name}.nix");
  alone = name: recipe name { pkgs.stdenv.hostPlatform.system = "x86_64-linux"; };
  calls = pkgs: {
    called = same (pkgs.callPackage (recipe "v-called") { }) (pkgs.callPackage hand { });
    tooled = same
      (pkgs.callPackage (recipe "v-tooled") { }) ((with-tool pkgs).callPackage hand { });
    in-set = same
      (pkgs.python3Packages.callPackage (recipe "v-in-set") { })
      (pkgs.python3Packages.callPackage hand { });
  };
in
{
  native = calls native;
  arm = calls arm;
  mac = calls mac;
  pinned = {
    native = same (alone "v-native") ((with-tool native).callPackage hand { });
    arm = same (alone "v-arm") ((with-tool arm).callPackage hand { });
    mac = same (alone "v-mac") ((with-tool mac).callPackage hand { });
    in-set = same (alone "v-pinned-in-set") (native.python3Packages.callPackage hand { });
    arm-in-set = same (alone "v-arm-in-set") (arm.python3Packages.callPackage hand { });
  };
  # The judge tells packages apart.
  told-apart = same (native.callPackage hand { }) (native.python3Packages.callPackage hand { });
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("release", sampled(RELEASES))
@pytest.mark.parametrize("stated", [True, False], ids=["stated", "unknown"])
def test_a_name_means_what_call_package_hands(tmp_path: Path, release: str, stated: bool) -> None:
    folder = tmp_path / "nixpkgs"
    folder.mkdir()
    nixpkgs = NIXPKGS.replace("MODEL", str(MODEL)).replace("AGE", f'"{release}"')
    (folder / "default.nix").write_text(nixpkgs, encoding="utf-8")
    (tmp_path / "hand.nix").write_text(BY_HAND, encoding="utf-8")
    program = PROGRAM.replace("STATED", f", release = {release}" if stated else "")
    made = compile_text(program, files={"../nixpkgs/default.nix": ""})
    write_recipes(made, tmp_path / "project")
    judge = JUDGE.replace("NIXPKGS", str(folder)).replace("HAND", str(tmp_path / "hand.nix"))
    found = model_value(judge.replace("RECIPES", str(tmp_path / "project/recipes")))
    assert found.pop("told-apart") == "other"
    assert [
        (caller, name)
        for caller, outcomes in found.items()
        for name, outcome in outcomes.items()
        if outcome != "same"
    ] == []


def test_a_scope_that_nixpkgs_lacks_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "nixpkgs").symlink_to(MODEL)
    program = """
      pin p { path = "../nixpkgs" }
      recipe r { package = pkgs.hello, scope = pkgs.python9Packages }
      variant v { recipe = r }
      output o { file = "recipes/{{variant}}.nix" }
    """
    made = compile_text(program, files={"../nixpkgs/default.nix": ""})
    recipe = write_recipes(made, tmp_path / "project")["v"]
    with pytest.raises(NixError, match="no package set `python9Packages`"):
        model_value(f"(import {recipe} {{ pkgs = import {MODEL} {{ }}; }}).drvPath")


def test_names_that_no_argument_can_have_come_from_the_scope_too(tmp_path: Path) -> None:
    """`final` and `prev` are names that emitted Nix binds itself."""
    program = """
      recipe r { package = pkgs.hello, pin = none, attrs { buildInputs += [pkgs.final.out] } }
      variant v { recipe = r }
      output o { file = "recipes/{{variant}}.nix" }
    """
    recipe = write_recipes(compile_text(program), tmp_path)["v"]
    called = """
      let
        pkgs = import <nixpkgs> { };
        final = pkgs.zlib;
        callPackage = pkgs.lib.callPackageWith { inherit final; };
        call = pkgs.lib.callPackageWith (pkgs // { inherit callPackage final; });
      in
      (call RECIPE { }).buildInputs == [ final.out ]
    """
    assert model_value(called.replace("RECIPE", str(recipe))) is True


def test_nix_text_takes_packages_from_the_caller_of_the_recipe(tmp_path: Path) -> None:
    """A scope made by `newScope` has packages of its own, and the callPackage of nixpkgs."""
    program = '''
      recipe r {
        package = pkgs.hello
        pin     = none
        attrs {
          buildInputs += nix"""lib.optional true pkgs.zlib ++ [ (pkgs.nothing or pkgs.curl) ]"""
        }
      }
      variant v { recipe = r }
      output o { file = "recipes/{{variant}}.nix" }
    '''
    recipe = write_recipes(compile_text(program), tmp_path)["v"]
    called = """
      let
        pkgs = import <nixpkgs> { };
        marked = pkgs.zlib.overrideAttrs (_: { marked = true; });
        call = pkgs.lib.callPackageWith (pkgs // { zlib = marked; });
        package = call RECIPE { };
        again = package.override { zlib = pkgs.curl; };
      in
      package.buildInputs == [ marked pkgs.curl ] && again.buildInputs == [ pkgs.curl pkgs.curl ]
    """
    assert model_value(called.replace("RECIPE", str(recipe))) is True


PKGS: Final = "let pkgs = import <nixpkgs> { }; in"


def called(settings: str, folder: Path) -> str:
    """Nix that calls `hello` with these *settings* and no pin."""
    program = f'''
      recipe r {{ package = pkgs.hello, pin = none, {settings} }}
      variant v {{ recipe = r }}
      output o {{ file = "recipes/{{{{variant}}}}.nix" }}
    '''
    return f"(pkgs.callPackage {write_recipes(compile_text(program), folder)['v']} {{ }})"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("with pkgs; [ (with lib; optional true zlib) ]", "[ [ pkgs.zlib ] ]"),
        ("with pkgs; with lib; [ licenses.mit zlib ]", "[ pkgs.lib.licenses.mit pkgs.zlib ]"),
        ("if true then with pkgs; [ zlib ] else [ ]", "[ pkgs.zlib ]"),
    ],
)
def test_a_name_below_with_is_looked_for_in_each_of_them(
    text: str, value: str, tmp_path: Path
) -> None:
    """An argument of the recipe would take the place of what the other `with` provides."""
    made = called(f'passthru {{ found = nix"""{text}""" }}', tmp_path)
    assert model_value(f"{PKGS} {made}.found == {value}") is True


def test_no_argument_hides_what_a_with_provides(tmp_path: Path) -> None:
    settings = '''
      attrs { buildInputs += [pkgs.zlib], more = nix"""pkgs.curl or null""" }
      passthru { found = nix"""with { zlib = 1; curl = 2; }; [ zlib curl ]""" }
    '''
    made = called(settings, tmp_path)
    assert model_value(f"{PKGS} {made}.found == [ 1 2 ]") is True
    assert model_value(f"{PKGS} {made}.buildInputs == [ pkgs.zlib ]") is True


def test_a_package_that_nixpkgs_lacks_is_missed_below_with(tmp_path: Path) -> None:
    settings = 'attrs { buildInputs += nix"""with pkgs; lib.optional true nothing""" }'
    with pytest.raises(NixError, match="undefined variable 'nothing'"):
        model_value(f"{PKGS} {called(settings, tmp_path)}.buildInputs")


@for_each(
    "text, required, optional, beyond",
    [
        ("pkgs.zlib", {"zlib"}, set(), ""),
        ("pkgs.zlib.dev", {"zlib"}, set(), ""),
        ("pkgs.a or pkgs.b", set(), {"a", "b"}, ""),
        ("if pkgs ? a.b then pkgs.a else null", set(), {"a"}, ""),
        ("pkgs ? a", set(), {"a"}, ""),
        ("{ inherit (pkgs) a b; }", {"a", "b"}, set(), ""),
        ("with pkgs; [ a (b c) null ]", {"a", "b", "c"}, set(), ""),
        ("with pkgs; let a = 1; in [ a b ]", {"b"}, set(), ""),
        ("with lib; with pkgs; [ a b ]", set(), {"a", "b"}, ""),
        ("with pkgs.set; [ a ]", {"set"}, set(), ""),
        ("with pkgs; { inherit a; }", {"a"}, set(), ""),
        ("x: with pkgs; x y", {"y"}, set(), ""),
        ("let pkgs = 1; in pkgs.a", set(), set(), ""),
        ("pkgs: pkgs.a", set(), set(), ""),
        ("{ pkgs }: pkgs.a", set(), set(), ""),
        ("rec { pkgs = 1; b = pkgs.a; }", set(), set(), ""),
        ("{ pkgs = 1; b = pkgs.a; }", {"a"}, set(), ""),
        ("f pkgs", set(), set(), "whole"),
        ("{ inherit pkgs; }", set(), set(), "whole"),
        ("pkgs.${x}", set(), set(), "computed"),
        ("pkgs.${pkgs.name}", {"name"}, set(), "computed"),
        ("lib.optionals c [ pkgs.a ]", set(), {"a"}, ""),
        ("with lib; optional c pkgs.a", set(), {"a"}, ""),
        ("with pkgs; [ __currentSystem a ]", {"a"}, set(), ""),
        ('"${pkgs.a}"', {"a"}, set(), ""),
        ("no nix }", set(), set(), "whole"),
    ],
)
def test_what_nix_text_takes_of_a_set(
    text: str, required: set[str], optional: set[str], beyond: str
) -> None:
    found = uses_of(text, "pkgs")
    assert (found.required, found.optional) == (required, optional)
    assert (found.computed, found.whole) == (beyond == "computed", beyond == "whole")


def test_with_takes_no_name_that_is_bound_around_a_text() -> None:
    assert uses_of("with pkgs; old.b ++ [ a ]", "pkgs", ["old", "pkgs"]).required == {"a"}


ODD_TEXTS: Final = [
    "with pkgs; [ (toString old.pname) zlib.pname lib.trivial.release ]",
    "with pkgs; 1",
    "lib.optional false pkgs.there-is-no-such-package",
    "with pkgs; [ caller.zlib.pname ]",
    "[ pkgs.names.pname pkgs.zlib.pname ]",
]


@pytest.mark.parametrize(
    "caller", ["pin = none", "pin = here, scope = pkgs.python3Packages", "pin = here"]
)
def test_odd_texts_come_to_what_they_say(tmp_path: Path, caller: str) -> None:
    """`with` takes no name that tvarc binds, a set of which nothing is taken is bound as well, and
    what a condition leaves out may be missing."""
    (tmp_path / "nixpkgs").mkdir()
    (tmp_path / "nixpkgs/default.nix").write_text(
        f"a: import {MODEL} (a // {{ overlays = [ (_: p: {{ names = p.zlib; }}) ]; }})"
    )
    settings = "".join(f't{n} = nix"""{text}"""\n' for n, text in enumerate(ODD_TEXTS))
    pin = 'pin here { path = "../nixpkgs", crossSystem { config = "aarch64-unknown-linux-gnu" } }'
    program = f"""
      {pin if "here" in caller else ""}
      recipe r {{ package = pkgs.hello, {caller}
        attrs {{ {settings} }} }}
      variant v {{ recipe = r }}
      output o {{ file = "recipes/{{{{variant}}}}.nix" }}
    """
    made = compile_text(program, files={"../nixpkgs/default.nix": ""})
    recipe = write_recipes(made, tmp_path / "project")["v"]
    taken = " ".join(f"t{n}" for n in range(len(ODD_TEXTS)))
    found = model_value(f"""
      let pkgs = import {tmp_path}/nixpkgs {{ }}; in
      {{ inherit (pkgs.callPackage {recipe} {{ }}) {taken}; zlib = pkgs.zlib.pname; }}
    """)
    zlib = found["zlib"]
    assert found["t0"][1] == zlib
    assert [found[f"t{n}"] for n in range(1, 5)] == [1, [], [zlib], [zlib, zlib]]


PINNED: Final = (
    'github = "NixOS/nixpkgs", rev = "0182a361324364ae3f436a63005877674cf45efb", '
    'hash = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="'
)
SCOPED: Final = """\
pin model { path = "./nixpkgs" }
recipe numpy {
  package = pkgs.numpy
  scope   = pkgs.python3Packages
  attrs { tool = nix\"\"\"pkgs.torch\"\"\" }
}
recipe called extends numpy { pin = none }
variant v-pinned { recipe = numpy }
variant v-called { recipe = called }
output nix { file = "pkgs/{{variant}}.nix" }
output all: all { file = "default.nix" }
"""


@pytest.mark.slow
def test_every_command_calls_a_recipe_by_its_scope(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = put_project(tmp_path, monkeypatch)
    monkeypatch.setenv("NIX_PATH", f"nixpkgs={MODEL}")
    program = folder / "variants.tvar"
    program.write_text(SCOPED, encoding="utf-8")
    hand = (
        "((import <nixpkgs> { }).python3Packages.callPackage"
        " ({ numpy, torch }: numpy.overrideAttrs (_: { tool = torch; })) { }).drvPath"
    )
    asked = [nix_instantiate(), "--eval", "--json", "-E", hand]
    wanted = json.loads(subprocess.run(asked, capture_output=True, check=True).stdout)
    lines = [json.loads(line) for line in tvarc("jobs", "--eval").stdout.splitlines()]
    assert {one["attr"]: one["drvPath"] for one in lines} == dict.fromkeys(
        ("v-pinned", "v-called"), wanted
    )
    evaluated = json.loads(tvarc("check", "--eval", "--json").stdout)
    assert {one["derivation"] for one in evaluated["variants"]} == {wanted}
    (ran,) = [line for line in tvarc("realise", "--dry-run").stdout.splitlines() if ".drv" in line]
    assert [word for word in ran.split() if word.endswith(".drv")] == [wanted]
    assert tvarc("build").exit_code == exits.OK
    asked[-1] = f"(import {folder}/default.nix {{ }}).v-called.drvPath"
    assert json.loads(subprocess.run(asked, capture_output=True, check=True).stdout) == wanted
    # The recipe by hand that stands in its place is called by the same callPackage.
    (folder / "pkgs/v-called.nix").write_text(
        "{ numpy, torch }: numpy.overrideAttrs (_: { tool = torch; })\n", encoding="utf-8"
    )
    audited = tvarc("audit", "--nix")
    assert "v-called.nix: the same derivation as v-called" in audited.stdout, audited.stdout

    program.write_text(SCOPED.replace("python3Packages", "python9Packages"), encoding="utf-8")
    refused = tvarc("check", "--eval", code=exits.FAILED)
    assert "variants.tvar:4:" in refused.stderr
    assert "no package set `python9Packages`" in refused.stderr


def test_a_flake_takes_a_recipe_from_its_scope(here: Path) -> None:
    program = SCOPED.partition("recipe called")[0].replace('path = "./nixpkgs"', PINNED)
    program += 'variant v { recipe = numpy }\noutput f: flake { file = "flake.nix" }\n'
    Path("variants.tvar").write_text(program, encoding="utf-8")
    assert tvarc("build", "--no-git").exit_code == exits.OK
    found = model_value(f"""
      let
        flake = import {here}/flake.nix;
        inputs = builtins.mapAttrs (_: _: {{ outPath = {MODEL}; }}) flake.inputs;
        system = "x86_64-linux";
        made = (flake.outputs (inputs // {{ self = {{ }}; }})).packages.${{system}}.v;
        inherit (import {MODEL} {{ localSystem = system; }}) python3Packages;
        hand = {{ numpy, torch }}: numpy.overrideAttrs (_: {{ tool = torch; }});
      in
      made.drvPath == (python3Packages.callPackage hand {{ }}).drvPath
    """)
    assert found is True
