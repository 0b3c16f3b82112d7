"""Packages of files, calls and inputs by real Nix: what is built is what is written by hand."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.command import tvarc
from support.compile import compile_text, write_recipes
from support.nix import requires_nix
from support.recipes import MODEL, nix_instantiate

pytestmark = [pytest.mark.nix, pytest.mark.slow, requires_nix]

PIN = 'pin p { path = "../nixpkgs" }\n'
OUTPUT = 'axis n = ["1.3", "1.4"]\noutput o { file = "recipes/{{variant}}.nix" }\n'
MATRIX = 'matrix m { recipe = r, axes = n, name = "v{{under(n)}}" }\n'
THING = """{ stdenv, zlib, size ? 1 }:
stdenv.mkDerivation { name = "thing"; inherit size; buildInputs = [ zlib ]; }
"""
PLAIN = """{ pkgs, size ? 1 }: pkgs.callPackage ./thing.nix { inherit size; }
"""


def drv(folder: Path, expression: str) -> str:
    """The derivation of *expression*, which is evaluated in *folder*."""
    return drvs(folder, [expression])[0]


def drvs(folder: Path, expressions: Sequence[str]) -> list[str]:
    """The derivation of each of *expressions*. One process evaluates all of them."""
    asked = ("--store", "dummy://", "--readonly-mode", "--eval", "--strict", "--json", "--expr")
    listed = " ".join(f"({one}).drvPath" for one in expressions)
    done = subprocess.run(
        [nix_instantiate(), *asked, f"[ {listed} ]"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """A folder with the model nixpkgs, a repository of tools and another checkout of it."""
    (tmp_path / "nixpkgs").symlink_to(MODEL)
    for name, thing in (("tools", THING), ("mine", THING.replace('"thing"', '"my-thing"'))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "thing.nix").write_text(thing, encoding="utf-8")
        (tmp_path / name / "plain.nix").write_text(PLAIN, encoding="utf-8")
    (tmp_path / "project" / "recipes").mkdir(parents=True)
    (tmp_path / "project" / "own.nix").write_text(THING, encoding="utf-8")
    return tmp_path


def written(places: Path, program: str) -> Path:
    """The recipe of the first variant of *program*."""
    files = {
        "../nixpkgs/default.nix": "",
        "../tools/thing.nix": "",
        "../tools/plain.nix": "",
        "own.nix": "",
    }
    made = compile_text(program + OUTPUT + MATRIX, files=files)
    return next(iter(write_recipes(made, places / "project").values()))


PINNED = "import ../nixpkgs { system = builtins.currentSystem; config = { }; overlays = [ ]; }"
TOOLS = 'input tools { path = "../tools" }\n'


@pytest.mark.parametrize(
    ("body", "by_hand"),
    [
        ('package = path("./own.nix")', "pkgs.callPackage ./own.nix { }"),
        (
            'package = path("./own.nix")\nargs { size = n }',
            'pkgs.callPackage ./own.nix { size = "1.3"; }',
        ),
        (
            'package = file(tools, "thing.nix")\nargs { size = 2 }\nattrs { A = n }',
            '(pkgs.callPackage ../tools/thing.nix { size = 2; }).overrideAttrs (_: { A = "1.3"; })',
        ),
        (
            'package = call(file(tools, "plain.nix"), { pkgs = pkgs, size = 3 })',
            "import ../tools/plain.nix { inherit pkgs; size = 3; }",
        ),
        (
            'package = call(pkgs.stdenv.mkDerivation, { name = "x", src = path("./own.nix") })',
            'pkgs.stdenv.mkDerivation { name = "x"; src = ./own.nix; }',
        ),
        (
            'package = call(pkgs.stdenv.mkDerivation, { name = "x", src = tools })\nenv { B = n }',
            '(pkgs.stdenv.mkDerivation { name = "x"; src = ../tools; }).overrideAttrs (old: '
            '{ env = (old.env or { }) // { B = "1.3"; }; })',
        ),
    ],
)
def test_what_is_built_is_what_is_written_by_hand(places: Path, body: str, by_hand: str) -> None:
    expected = drv(places / "project", f"let pkgs = {PINNED}; in {by_hand}")
    tools = TOOLS if "tools" in body else ""
    recipe = written(places, PIN + tools + f"recipe r {{ {body}\n}}\n")
    assert drv(places / "project", f"import {recipe} {{ }}") == expected
    called = written(places, tools + f"recipe r {{ pin = none\n{body}\n}}\n")
    assert drv(places / "project", f"({PINNED}).callPackage {called} {{ }}") == expected


def test_a_checkout_takes_the_place_of_an_input(places: Path) -> None:
    recipe = written(places, PIN + TOOLS + 'recipe r { package = file(tools, "thing.nix") }\n')
    plain = drv(places, f"import {recipe} {{ }}")
    mine = drv(places, f"import {recipe} {{ tools-input = ./mine; }}")
    assert mine != plain
    assert mine.endswith("-my-thing.drv")


def test_a_package_of_an_inputs_name_is_not_taken_for_it(places: Path) -> None:
    """nixpkgs has a `zlib`, and callPackage fills arguments of that name."""
    program = 'input zlib { path = "../tools" }\nrecipe r { package = file(zlib, "thing.nix") }\n'
    recipe = written(places, PIN + program)
    expected = drv(places, f"({PINNED.replace('../', './')}).callPackage ./tools/thing.nix {{ }}")
    assert drv(places / "project", f"({PINNED}).callPackage {recipe} {{ }}") == expected


@pytest.mark.parametrize("pin", [PIN, ""])
def test_what_a_build_says_of_a_checkout_is_what_nix_takes(
    places: Path, monkeypatch: pytest.MonkeyPatch, pin: str
) -> None:
    """`--input` changes no recipe, and tells how Nix gets the checkout."""
    chosen = "" if pin else "pin = none, "
    program = f'{pin}{TOOLS}recipe r {{ {chosen}package = file(tools, "thing.nix") }}\n'
    monkeypatch.chdir(places / "project")
    Path("variants.tvar").write_text(program + OUTPUT + MATRIX, encoding="utf-8")
    assert tvarc("build", "--no-git").exit_code == 0
    before = {path: path.read_bytes() for path in Path("recipes").iterdir()}
    done = tvarc("build", "--no-git", "--input", "tools=../mine", code=0)
    assert {path: path.read_bytes() for path in Path("recipes").iterdir()} == before
    told = done.stdout.rpartition(": `")[2].rpartition("`")[0]
    expected = f"({PINNED}).callPackage ../mine/thing.nix {{ }}"
    if pin:
        program_name, file, *arguments = shlex.split(told)
        assert program_name == "nix-build"
        asked = [nix_instantiate(), "--store", "dummy://", "--readonly-mode", "--eval", file]
        run = subprocess.run(
            [*asked, *arguments, "-A", "drvPath"], capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        found = run.stdout.strip().strip('"')
    else:
        found = drv(Path(), f"let pkgs = {PINNED}; in {told}")
    assert found == drv(Path(), expected)


STACK = """
pin p { path = "../nixpkgs" }
input tools { path = "../tools" }
axis n = ["1.3", "1.4"]

recipe lib { package = file(tools, "thing.nix"), args { size = n }, LIB }
recipe mid { package = pkgs.hello, needs lib = libs, attrs { lib = needs.lib, n = n }, MID }
recipe app {
  package = pkgs.hello
  needs mid = mids
  attrs { mid = needs.mid, n = n }
  passthru { part = needs.mid }
  APP
}
matrix libs { recipe = lib, axes = n, name = "lib-{{under(n)}}" }
matrix mids { recipe = mid, axes = n, name = "mid-{{under(n)}}" }
matrix apps { recipe = app, axes = n, name = "app-{{under(n)}}" }
output o { file = "recipes/{{variant}}.nix" }
output all: all { file = "all.nix", prefix = "{{matrix}}" }
"""


@pytest.mark.once
@pytest.mark.parametrize("lib", ["pin = p", "pin = none"])
@pytest.mark.parametrize("mid", ["pin = p", "pin = none"])
@pytest.mark.parametrize("app", ["pin = p", "pin = none"])
def test_a_whole_stack_takes_the_checkout(
    places: Path, monkeypatch: pytest.MonkeyPatch, lib: str, mid: str, app: str
) -> None:
    """What is needed, and what that needs, is built from it: what a build says of it is what Nix
    takes for each part of the stack."""
    project = places / "project"
    text = STACK.replace("LIB", lib).replace("MID", mid).replace("APP", app)
    (project / "variants.tvar").write_text(text, encoding="utf-8")
    monkeypatch.chdir(project)
    tvarc("build", code=0)
    before = {file: file.read_bytes() for file in project.rglob("*.nix")}
    pkgs = f"let pkgs = {PINNED.replace('system = builtins.currentSystem;', '')}; in "
    mine = "tools-input = ../mine;"

    def built(name: str, more: str) -> str:
        given = f"import ./{name}" if name == "all.nix" else f"pkgs.callPackage ./recipes/{name}"
        arguments = f"{{ inherit pkgs; {more} }}" if name == "all.nix" else f"{{ {more} }}"
        return f"{given} {arguments}"

    alike: list[tuple[str, str]] = []
    for more in ("", mine):
        app_, mid_, lib_ = (built(f"{one}-1_3.nix", more) for one in ("app", "mid", "lib"))
        alike += [(f"({app_}).part", mid_), (f"({mid_}).lib", lib_)]
        for name, one in (("app", app_), ("mid", mid_), ("lib", lib_)):
            alike.append((one, f"({built('all.nix', more)}).{name}-1_3"))
    apart = (built("app-1_3.nix", ""), built("app-1_3.nix", mine))
    found = drvs(project, [f"{pkgs} {one}" for pair in (*alike, apart) for one in pair])
    *same, different = zip(found[::2], found[1::2], strict=True)
    for names, (one, other) in zip(alike, same, strict=True):
        assert one == other, names
    assert different[0] != different[1]
    told = tvarc("build", "--input", "tools=../mine", "--only", "app-1_3", code=0)
    assert {file: file.read_bytes() for file in project.rglob("*.nix")} == before
    assert "to use files of the checkout in its place: `" in told.stdout
