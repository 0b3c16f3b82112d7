"""Pins by real Nix: without a search path, in a folder, for a machine, beside the caller's."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.compile import compile_text, write_recipes
from support.nix import requires_nix
from support.recipes import MODEL, NixError, nix_instantiate

pytestmark = [pytest.mark.nix, requires_nix]

PIN = 'pin p { path = "../nixpkgs"\n'
OUTPUT = 'output o { file = "recipes/{{variant}}.nix" }'
FILES = {"../nixpkgs/default.nix": ""}
CALLER = f"import {MODEL} {{ system = builtins.currentSystem; }}"


def recipes(folder: Path, program: str) -> dict[str, Path]:
    """The recipes of *program*, beside the model nixpkgs; no others are there."""
    (folder / "nixpkgs").symlink_to(MODEL)
    return write_recipes(compile_text(f"{program}\n{OUTPUT}\n", files=FILES), folder / "project")


def one(folder: Path, program: str) -> Path:
    return next(iter(recipes(folder, program).values()))


def asked(*arguments: str, search: str = "") -> str:
    """What Nix evaluates, from another folder than the recipe's."""
    environment = {name: text for name, text in os.environ.items() if name != "NIX_PATH"}
    if search:
        environment["NIX_PATH"] = search
    done = subprocess.run(
        [nix_instantiate(), "--store", "dummy://", "--readonly-mode", "--eval", *arguments],
        env=environment,
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode:
        raise NixError(done.stderr)
    return done.stdout.strip().strip('"')


def built(recipe: Path, attribute: str, **options: str) -> str:
    """The attribute as `nix-build` gets at it: a function whose arguments have defaults."""
    return asked(str(recipe), "-A", attribute, **options)


def called(recipe: Path, attribute: str, pkgs: str = CALLER) -> str:
    """The attribute where a caller hands its nixpkgs."""
    return asked("--expr", f"(({pkgs}).callPackage {recipe} {{ }}).{attribute}")


# --- no search path ------------------------------------------------------------------------------


def test_a_pinned_recipe_needs_no_search_path(tmp_path: Path) -> None:
    recipe = one(
        tmp_path, PIN + "}\nvariant hello { recipe = r }\nrecipe r { package = pkgs.ninja }"
    )
    assert "<nixpkgs>" not in recipe.read_text(encoding="utf-8")
    path = built(recipe, "drvPath")
    assert path.endswith(".drv")
    # The caller decides no more than the system, so it is the same derivation.
    assert path == called(recipe, "drvPath")


def test_the_caller_decides_the_system(tmp_path: Path) -> None:
    recipe = one(
        tmp_path, PIN + "}\nvariant hello { recipe = r }\nrecipe r { package = pkgs.ninja }"
    )
    for system in ("x86_64-linux", "aarch64-linux"):
        pkgs = f'import {MODEL} {{ system = "{system}"; }}'
        assert called(recipe, "system", pkgs) == system


def test_pure_evaluation_without_a_caller_is_told_in_words(tmp_path: Path) -> None:
    recipe = one(
        tmp_path, PIN + "}\nvariant hello { recipe = r }\nrecipe r { package = pkgs.ninja }"
    )
    pure = '{ builtins = removeAttrs builtins [ "currentSystem" ]; }'
    with pytest.raises(NixError, match="has to be called with `pkgs`, as callPackage does"):
        asked("--expr", f"(builtins.scopedImport {pure} {recipe} {{ }}).drvPath")
    given = f"(builtins.scopedImport {pure} {recipe} {{ pkgs = {CALLER}; }}).drvPath"
    assert asked("--expr", given) == built(recipe, "drvPath")


def test_without_a_pin_the_readme_says_how(tmp_path: Path) -> None:
    recipe = one(
        tmp_path, "variant hello { recipe = r }\nrecipe r { package = pkgs.ninja, pin = none }"
    )
    text = f"with import <nixpkgs> {{ }}; (callPackage {recipe} {{ }}).drvPath"
    assert asked("--expr", text, search=f"nixpkgs={MODEL}").endswith(".drv")


# --- a folder ------------------------------------------------------------------------------------


def test_the_folder_is_seen_from_the_recipe(tmp_path: Path) -> None:
    recipe = one(
        tmp_path, PIN + "}\nvariant hello { recipe = r }\nrecipe r { package = pkgs.ninja }"
    )
    assert "nixpkgs = ../../nixpkgs;" in recipe.read_text(encoding="utf-8")
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("project", "nixpkgs"):
        shutil.move(tmp_path / name, moved / name)
    assert built(moved / "project" / "recipes" / "hello.nix", "drvPath").endswith(".drv")


def test_the_config_of_a_folder_is_the_pins(tmp_path: Path) -> None:
    text = PIN + "config { allowUnfree = true } }\nvariant v { recipe = r }\n"
    recipe = one(
        tmp_path, text + "recipe r { package = pkgs.ninja, attrs { u = pkgs.config.allowUnfree } }"
    )
    assert built(recipe, "u") == "true"


# --- machines ------------------------------------------------------------------------------------

ARCH = "pkgs.stdenv.hostPlatform.gcc.arch"


@pytest.mark.slow
def test_a_machine_of_the_callers_system(tmp_path: Path) -> None:
    text = (
        'axis isa { sky { arch = "skylake" }, zen { arch = "znver3" } }\n'
        + PIN
        + "localSystem { gcc.arch = isa.arch, when isa == zen { gcc.tune = isa.arch } } }\n"
        + 'recipe r { package = pkgs.ninja, attrs { arch = "{{'
        + ARCH
        + '}}" } }\nmatrix m { recipe = r, axes = isa, name = "h-{{isa}}" }'
    )
    found = recipes(tmp_path, text)
    assert [built(found[name], "arch") for name in ("h-sky", "h-zen")] == ["skylake", "znver3"]
    assert called(found["h-sky"], "system") == asked("--expr", "builtins.currentSystem")
    pkgs = f'import {MODEL} {{ system = "aarch64-linux"; }}'
    assert called(found["h-zen"], "system", pkgs) == "aarch64-linux"
    assert built(found["h-sky"], "drvPath") != built(found["h-zen"], "drvPath")
    # It reaches the compiler, and so every package, not only the one that says so.
    assert built(found["h-sky"], "stdenv.march") == "skylake"


def test_a_machine_that_is_named(tmp_path: Path) -> None:
    text = PIN + 'localSystem { system = "aarch64-linux" } }\n'
    recipe = one(tmp_path, text + "variant v { recipe = r }\nrecipe r { package = pkgs.ninja }")
    assert called(recipe, "system") == "aarch64-linux"


@pytest.mark.slow
@pytest.mark.parametrize(
    "key", ['system = "aarch64-linux"', 'config = "aarch64-unknown-linux-gnu"']
)
def test_a_pin_for_another_machine_builds_for_that_machine(tmp_path: Path, key: str) -> None:
    text = PIN + f"crossSystem {{ {key} }} }}\n"
    recipe = one(tmp_path, text + "variant v { recipe = r }\nrecipe r { package = pkgs.ninja }")
    assert built(recipe, "stdenv.hostPlatform.system") == "aarch64-linux"
    # It is built here.
    assert called(recipe, "system") == asked("--expr", "builtins.currentSystem")


def of_age(folder: Path, age: str) -> None:
    """Put a nixpkgs of that age in the place of the model."""
    (folder / "nixpkgs").unlink()
    (folder / "nixpkgs" / "lib").mkdir(parents=True)
    (folder / "nixpkgs" / "default.nix").write_text(
        f'arguments: import {MODEL} (arguments // {{ age = "{age}"; }})', encoding="utf-8"
    )
    elaborate = 'named: { platform = { name = "pc"; known = named.system; }; }'
    (folder / "nixpkgs" / "lib" / "default.nix").write_text(
        f"{{ systems.elaborate = {elaborate}; }}", encoding="utf-8"
    )


TUNED = """
variant v { recipe = r }
recipe r { package = pkgs.ninja, passthru { machine = pkgs.stdenv.hostPlatform } }
"""


@pytest.mark.slow
def test_the_machine_reaches_the_compiler_of_an_older_nixpkgs(tmp_path: Path) -> None:
    text = PIN + 'release = 20.09\nlocalSystem { gcc.arch = "skylake", other = 1 } }' + TUNED
    recipe = one(tmp_path, text)
    of_age(tmp_path, "20.09")
    assert built(recipe, "stdenv.march") == "skylake"
    # What nixpkgs knows of the machine besides is kept, and so is what was never below it.
    assert built(recipe, "machine.platform.name") == "pc"
    assert built(recipe, "machine.platform.known") == built(recipe, "system")
    assert built(recipe, "machine.other") == "1"


def test_a_nixpkgs_of_unknown_age_says_that_the_machine_would_not_reach_it(tmp_path: Path) -> None:
    recipe = one(tmp_path, PIN + 'localSystem { gcc.arch = "skylake" } }' + TUNED)
    assert built(recipe, "stdenv.march") == "skylake"
    of_age(tmp_path, "20.09")
    with pytest.raises(NixError, match=r"`gcc` of a platform is known to nixpkgs from 21.05 on"):
        built(recipe, "drvPath")


# --- the caller's nixpkgs ------------------------------------------------------------------------

MIXED = '''
overlay mark for which { fromPin = true }
recipe r {
  package  = pkgs.ninja
  overlays = [mark]
  attrs {
    theirs = caller.which
    ours   = pkgs.which
    nix    = nix"""builtins.toJSON [ (caller.which ? fromPin) (pkgs.which ? fromPin) ]"""
  }
}
variant v { recipe = r }
'''


@pytest.mark.slow
def test_the_callers_nixpkgs_stands_beside_the_pin(tmp_path: Path) -> None:
    recipe = one(tmp_path, PIN + "}" + MIXED)
    theirs = (
        f"{CALLER[:-2]} overlays = [ (_: prev: {{ which = prev.which // {{ c = 1; }}; }}) ]; }}"
    )
    assert called(recipe, "nix") == "[false,true]"
    assert called(recipe, "theirs.c", theirs) == "1"
    assert called(recipe, "ours.fromPin") == "true"
    # What is taken of it is nixpkgs, so that is what stands for it where nobody calls.
    assert built(recipe, "theirs.pname", search=f"nixpkgs={MODEL}") == "which"
    with pytest.raises(NixError, match="nixpkgs' was not found"):
        built(recipe, "theirs.pname")


def test_without_a_pin_it_is_the_nixpkgs_before_overlays(tmp_path: Path) -> None:
    recipe = one(tmp_path, MIXED.replace("recipe r {", "recipe r {\n  pin = none"))
    assert called(recipe, "nix") == "[false,true]"
    assert called(recipe, "ours.fromPin") == "true"


# --- targets that are computed -------------------------------------------------------------------


@pytest.mark.slow
def test_an_overlay_changes_the_set_that_an_axis_chooses(tmp_path: Path) -> None:
    text = """
axis python { py312 { set = "python312Packages" }, py313 { set = "python313Packages" } }
overlay newer for pkgs[python.set].numpy {
  via  = override
  mark = "{{python}}"
}
overlay own in pkgs["python3{{if python == py312 then 12 else 13}}Packages"] {
  mine = final.numpy
}
recipe r {
  package  = pkgs[python.set].numpy
  overlays = [newer, own]
  passthru {
    mine  = pkgs[python.set].mine
    other = pkgs["python3{{if python == py312 then 13 else 12}}Packages"].numpy
  }
}
matrix m { recipe = r, axes = python, name = "numpy-{{python}}" }
"""
    found = recipes(tmp_path, PIN + "}" + text)
    for name in ("py312", "py313"):
        assert built(found[f"numpy-{name}"], "mark") == name
        assert built(found[f"numpy-{name}"], "mine.mark") == name
        with pytest.raises(NixError, match="'mark'"):
            built(found[f"numpy-{name}"], "other.mark")
