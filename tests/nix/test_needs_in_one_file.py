"""Variants that need others, all in one file, by real Nix: each needs the variant beside it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from nix.test_collections import called, nix, written
from nix.test_needs import AXES, LINK, TORCH, TORCHES
from support.compile import compile_on_disk
from support.nix import requires_nix
from support.recipes import MODEL, drv_paths, nix_value
from tvarc.build.driver import Compilation

# Two recipes are one derivation in each Nix or in none.
pytestmark = [requires_nix, pytest.mark.nix, pytest.mark.once, pytest.mark.slow]

VISIONS = """
matrix visions { recipe = tv, axes = vision * gpu, name = "vision-{{vision}}-{{gpu}}" }
recipe app {
  package = pkgs.hello
  needs vision = visions
  attrs { PARTS = [needs.vision] }
}
matrix apps { recipe = app, axes = vision * gpu, name = "app-{{vision}}-{{gpu}}" }
output o { file = "recipes/{{variant}}.nix" }
output all: all { file = "all/default.nix", prefix = "{{matrix}}" }
"""
ALL = "(import ./all { inherit pkgs; })"
FORMS = {
    "args": "args { torch = needs.torch }",
    "overlay": "overlays = [with-torch]",
    "text": 'attrs { A = "{{needs.torch.out}}", B = nix"""needs.torch.name""" }',
}
OVERLAY = "overlay with-torch in python3Packages { torch = needs.torch }\n"


def compiled(folder: Path, program: str) -> Compilation:
    (folder / "nixpkgs").symlink_to(MODEL)
    (folder / "project").mkdir(exist_ok=True)
    file = folder / "project" / "variants.tvar"
    file.write_text(program, encoding="utf-8")
    return compile_on_disk(file)


def stack(form: str, theirs: str, mine: str, target: str = LINK) -> str:
    return f"""{AXES}{TORCH}{theirs} }}{TORCHES if "torches" in target else ""}
{OVERLAY if form == "overlay" else ""}
recipe tv {{
  package = pkgs.python3Packages.torchvision
  needs torch = {target}
  {mine}
  {FORMS[form]}
  passthru {{ needed = needs.torch }}
}}{VISIONS}"""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("theirs", ["", "pin = none", "attrs { A = caller.hello }"])
@pytest.mark.parametrize("mine", ["", "pin = none"])
def test_each_variant_is_what_its_own_file_is(
    tmp_path: Path, mine: str, theirs: str, form: str
) -> None:
    made = compiled(tmp_path, stack(form, theirs, mine))
    folder = tmp_path / "project"
    own = {name: folder / path for name, path in written(made, folder).items()}
    assert len(own) == 12
    assert called(folder, [(ALL, {name: f'"{name}"' for name in own})]) == [drv_paths(own)]


@pytest.mark.parametrize("target", ["torch", "pkgs.python3Packages.torch"])
def test_recipes_and_what_nix_makes_are_put_in(tmp_path: Path, target: str) -> None:
    """What is put into a recipe reads the axes that the recipe has."""
    reads = AXES.replace("v24 { torch", "v24 { version = 2.9, torch").replace(
        "v25 { torch", "v25 { version = 2.10, torch"
    )
    assert reads != AXES
    text = stack("args", "", "", target).replace(AXES, reads)
    text = text.replace(", RELEASE = release.version", "")
    made = compiled(tmp_path, text)
    folder = tmp_path / "project"
    own = {name: folder / path for name, path in written(made, folder).items()}
    assert called(folder, [(ALL, {name: f'"{name}"' for name in own})]) == [drv_paths(own)]


def test_by_argument_is_the_variant_that_is_there(tmp_path: Path) -> None:
    made = compiled(tmp_path, stack("args", "", "", f"{LINK} by argument"))
    folder = tmp_path / "project"
    written(made, folder)
    text = (folder / "all" / "default.nix").read_text()
    assert text.count("torch = variants.torch-torch2_9-sm80;") == 1
    asked = """
      let
        pkgs = import ../nixpkgs { system = builtins.currentSystem; config = { }; overlays = [ ]; };
        all = import ./all { inherit pkgs; };
        torch = import ./recipes/torch-torch2_9-sm80.nix { inherit pkgs; };
        vision = pkgs.callPackage ./recipes/vision-v24-sm80.nix { torch-torch2_9-sm80 = torch; };
      in
      map (one: one.drvPath) [ all.vision-v24-sm80 vision all.vision-v24-sm80.needed torch ]
    """
    together, alone, needed, torch = nix_value(asked, cwd=folder)
    assert together == alone
    assert needed == torch


def test_a_nixpkgs_is_imported_once_for_all_that_share_it(tmp_path: Path) -> None:
    """One for the four Torches and what needs them; with an overlay that reads what is needed, one
    for each Torch beside it."""
    for form, imports in (("args", 1), ("overlay", 1 + 4)):
        (tmp_path / form).mkdir()
        made = compiled(tmp_path / form, stack(form, "", ""))
        folder = tmp_path / form / "project"
        written(made, folder)
        (tmp_path / form / "nixpkgs").unlink()
        (tmp_path / form / "nixpkgs").mkdir()
        loud = f'{{ ... }}@a: builtins.trace "imported" (import {MODEL} a)'
        (tmp_path / form / "nixpkgs" / "default.nix").write_text(loud)
        names = (
            "(one: one.drvPath) (builtins.filter (one: one ? drvPath) (builtins.attrValues all))"
        )
        asked = f"let all = import ./all {{ }}; in map {names}"
        done = nix("nix-instantiate", "--eval", "--strict", "--json", "-E", asked, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert len(json.loads(done.stdout)) == 12
        assert done.stderr.count("trace: imported") == imports


@pytest.mark.parametrize("form", ["args", "overlay"])
def test_a_flake_of_a_stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    """It is checked purely, and has the derivations of the single files."""
    flake = 'output flake: flake { file = "flake.nix", prefix = "{{matrix}}" }\n'
    text = stack(form, "", "").replace("../nixpkgs", "./nixpkgs") + flake
    folder = tmp_path / "project"
    shutil.copytree(MODEL, folder / "nixpkgs")
    monkeypatch.chdir(folder)
    Path("variants.tvar").write_text(text, encoding="utf-8")
    written(compile_on_disk("variants.tvar"), folder)
    where = f"path:{folder}"
    for name in ("vision-v24-sm80", "app-v25-sm90"):
        own = nix("nix-instantiate", f"recipes/{name}.nix", cwd=folder)
        asked = f"{where}#packages.x86_64-linux.{name}.drvPath"
        found = nix("nix", "eval", "--raw", asked, cwd=folder)
        assert found.stdout == own.stdout.strip(), found.stderr + own.stderr
    shutil.rmtree(folder / "store", ignore_errors=True)
    done = nix("nix", "flake", "check", "--no-build", where, cwd=folder)
    assert done.returncode == 0, done.stderr
    found = nix(
        "nix", "eval", "--json", f"{where}#hydraJobs", "--apply", "builtins.attrNames", cwd=folder
    )
    assert len(json.loads(found.stdout)) == 12


# How nix-eval-jobs goes through what it is given: into the outermost set in any case, into those in
# it where they say so or with --force-recurse, and a derivation is a job.
WALK = """
force:
let
  walk = path: value:
    if value.type or "" == "derivation" then [ { inherit path; drv = value.drvPath; } ]
    else if builtins.isAttrs value
      && (path == [ ] || force || value.recurseForDerivations or false)
    then builtins.concatMap (name: walk (path ++ [ name ]) value.${name}) (builtins.attrNames value)
    else [ ];
in
walk [ ]
"""


def test_a_walk_over_all_jobs_finds_each_variant_once(tmp_path: Path) -> None:
    text = stack("overlay", "", "")
    program = f'{text}output flake: flake {{ file = "up/flake.nix", prefix = "{{{{matrix}}}}" }}\n'
    fetched = 'url = "https://example.org/n.tar.gz", hash = "sha256-' + "A" * 43 + '="'
    made = compiled(tmp_path, program.replace('path = "../nixpkgs"', fetched))
    folder = tmp_path / "project"
    written(made, folder)
    for file in (folder / "all" / "default.nix", *(folder / "recipes").iterdir()):
        fetching = re.compile(r"builtins\.fetchTarball \{[^}]*\}")
        file.write_text(fetching.sub(str(MODEL), file.read_text()))
    outputs = f"(import ./up/flake.nix).outputs {{ p = {MODEL}; }}"
    ways = {
        "all": "(import ./all { })",
        "packages": f"({outputs}).packages.x86_64-linux",
        "jobs": f"({outputs}).hydraJobs",
    }
    names = sorted(file.stem for file in (folder / "recipes").iterdir())
    path = '(import (./recipes + "/${one}.nix") { }).drvPath'
    own = nix_value(f"map (one: {path}) {nix_list(names)}", cwd=folder)
    for way, force in (("all", False), ("packages", False), ("jobs", True)):
        found = nix_value(f"({WALK}) {json.dumps(force)} {ways[way]}", cwd=folder)
        mine = [one for one in found if one["path"][-1] in ("x86_64-linux", one["path"][0])]
        assert sorted(one["path"][0] for one in mine) == names, way
        assert {one["path"][0]: one["drv"] for one in mine} == dict(zip(names, own, strict=True))
    assert nix_value(f"({WALK}) false {ways['jobs']}", cwd=folder) == []


def nix_list(names: list[str]) -> str:
    return f"[ {' '.join(map(json.dumps, names))} ]"
