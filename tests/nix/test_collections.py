"""All variants in one file, judged by real Nix: each is the derivation of its own file."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from support.compile import ROOT, VARIANTS, compile_on_disk, messages
from support.nix import requires_nix
from support.recipes import MODEL, drv_paths, drv_paths_of_sets, evaluate, nix_instantiate
from tvarc.build.driver import Compilation
from tvarc.values.value import show

# Two recipes are one derivation in each Nix or in none.
pytestmark = [requires_nix, pytest.mark.nix, pytest.mark.once]

BOTH = '\noutput all: all { file = "default.nix" }\noutput flake: flake { file = "flake.nix" }\n'
ALL = "(import ./default.nix { inherit pkgs; })"


def written(made: Compilation, folder: Path) -> dict[str, str]:
    """Write all files of *made* below *folder*; the file of each variant by its name."""
    files = list(made.files(made.file.rpartition("/")[2], collections=True))
    assert not made.sink.has_errors, messages(made)
    for file in files:
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data())
    return {variant.name: file.path for variant, file in zip(made.variants, files, strict=False)}


def called(
    folder: Path,
    ways: Iterable[tuple[str, Mapping[str, str]]],
    systems: Mapping[str, str] | None = None,
    *,
    pure: bool = False,
) -> list[dict[str, str]]:
    """For each way, which is an expression that knows `pkgs` and the part of each name in it, the
    derivation paths by name. To read an expression takes longer than all variants in it, so it is
    read once for each system."""
    files: dict[str, Path] = {}
    of: dict[str, str] = {}
    numbered = [*enumerate(ways)]
    for number, (whole, parts) in numbered:
        by_system: dict[str, list[str]] = {}
        for name, part in parts.items():
            system = (systems or {}).get(name, "x86_64-linux")
            by_system.setdefault(system, []).append(f'"{name}" = (whole.{part}).drvPath;')
        for system, paths in by_system.items():
            key = f"{number} {system}"
            of[key], files[key] = system, folder / f"called-{number}-{system}.nix"
            text = f"{{ pkgs }}: let whole = {whole}; in {{ drvPath = {{ {' '.join(paths)} }}; }}\n"
            files[key].write_text(text, encoding="utf-8")
    found = drv_paths_of_sets(files, of, pure=pure)
    return [
        {name: path for key, one in found.items() if int(key.split()[0]) == number
         for name, path in one.items()}
        for number, _ in numbered
    ]


def paths_by_axes(made: Compilation) -> Iterator[tuple[str, str]]:
    """Each variant with its name by those of its axes that have several values."""
    for variant in made.variants:
        picks = [pick for pick in variant.matrix.axes if len(pick.values) > 1]
        names = [getattr(variant.values[pick.axis.name], "name", "") for pick in picks]
        if names:
            yield variant.name, ".".join(names)


def in_flake(pins: Mapping[str, str]) -> str:
    """The outputs of the flake, with what stands for its inputs."""
    inputs = " ".join(
        f'{name} = builtins.fetchTarball {{ url = "{url}"; }};' for name, url in pins.items()
    )
    return f"((import ./flake.nix).outputs {{ {inputs} }})"


def pins_of(made: Compilation) -> dict[str, str]:
    found: dict[str, str] = {}
    for variant in made.variants:
        recipe = made.recipe(variant)
        assert recipe is not None and recipe.pin is not None
        found[recipe.pin.name] = recipe.pin.url
    return found


SYSTEM = "${pkgs.stdenv.hostPlatform.system}"


def hold(made: Compilation, folder: Path, some: Container[str] | None = None) -> int:
    """Each variant of *made*, or each of *some*, is one derivation: by its own file, by its name
    and by its axes in the file of all, and in the flake as a package and as a job. How many are."""
    files = written(made, folder)
    own = {name: folder / path for name, path in files.items() if some is None or name in some}
    facts = evaluate(own)
    systems = {name: fact["system"] for name, fact in facts.items()}
    expected = {name: fact["drvPath"] for name, fact in facts.items()}
    flake = in_flake(pins_of(made))
    by = {name: axes for name, axes in paths_by_axes(made) if name in own}
    ways: dict[str, tuple[str, dict[str, str]]] = {
        "by name": (ALL, {name: f'"{name}"' for name in own}),
        "by axes": (ALL, by),
        "package": (flake, {name: f'packages.{SYSTEM}."{name}"' for name in own}),
        "in the flake by axes": (
            flake, {name: f"legacyPackages.{SYSTEM}.{axes}" for name, axes in by.items()}
        ),
        "job": (flake, {name: f'hydraJobs."{name}".{SYSTEM}' for name in own}),
    }  # fmt: skip
    for way, found in zip(ways, called(folder, ways.values(), systems), strict=True):
        assert found == {name: expected[name] for name in ways[way][1]}, way
    return len(expected)


@pytest.mark.slow
def test_all_44_of_the_plan(tmp_path: Path) -> None:
    (tmp_path / "variants.tvar").write_text(VARIANTS.read_text(encoding="utf-8") + BOTH)
    made = compile_on_disk(tmp_path / "variants.tvar")
    assert hold(made, tmp_path) == 44


@pytest.mark.slow(seconds=4)
def test_those_of_the_largest_example(tmp_path: Path) -> None:
    for folder in ("shared", "torch-2.10"):
        (tmp_path / folder).mkdir()
        for file in (ROOT / "examples" / folder).glob("*.tvar"):
            (tmp_path / folder / file.name).write_bytes(file.read_bytes())
    program = tmp_path / "torch-2.10" / "variants.tvar"
    program.write_text(program.read_text(encoding="utf-8") + BOTH, encoding="utf-8")
    made = compile_on_disk(program)
    assert len(made.variants) == 237
    # The files are of all of them, and each way leads through all: where it leads is asked of some.
    some = with_all_values(made)
    assert 20 < len(some) < 60
    assert hold(made, program.parent, some) == len(some)


def with_all_values(made: Compilation) -> set[str]:
    """Variants that have, between them, each value of each axis with each pin that it meets."""
    known: set[tuple[str, str, str]] = set()
    found: set[str] = set()
    for variant in made.variants:
        recipe = made.recipe(variant)
        assert recipe is not None and recipe.pin is not None
        pin = recipe.pin.url
        has = {(axis, show(value), pin) for axis, value in variant.values.items()}
        if not has <= known:
            known |= has
            found.add(variant.name)
    return found


# --- one import, one caller ---------------------------------------------------------------------

SMALL = """
axis gpu { sm80 { label = "A100" }, sm90 { label = "H100" } }
axis isa = [avx2, avx512]
axis wide = [true, false]
pin model { path = "./nixpkgs", release = 25.11, config { allowUnfree = wide } }
overlay zlib-of for zlib { pname = "zlib-{{isa}}" }
recipe app {
  package  = pkgs.hello
  overlays = [zlib-of]
  attrs { buildInputs += [pkgs.zlib] }
  env { GPU = gpu.label, WIDE = "{{if wide then "wide" else "narrow"}}" }
  meta { platforms = ["x86_64-linux"] }
}
matrix apps {
  recipe = app, axes = wide * gpu * isa
  name   = "app-{{if wide then "wide" else "narrow"}}-{{gpu}}-{{isa}}"
}
"""
# A nixpkgs that says when it is imported.
LOUD = """{ ... }@arguments: builtins.trace "imported" (import MODEL arguments)\n"""


@pytest.fixture
def loud(here: Path) -> Path:
    """A folder with the program above, built, and a nixpkgs that says when it is imported."""
    (here / "nixpkgs").mkdir()
    (here / "nixpkgs" / "default.nix").write_text(LOUD.replace("MODEL", "../model"))
    shutil.copytree(MODEL, here / "model")
    program = Path("variants.tvar")
    program.write_text(SMALL + BOTH + 'output each { file = "pkgs/{{variant}}.nix" }\n')
    written(compile_on_disk(program), here)
    return here


def nix(program: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A run of a command that stands beside `nix-instantiate`, with a store of its own."""
    found = shutil.which(nix_instantiate())
    assert found is not None
    command = Path(found).with_name(program)
    if not command.exists():
        pytest.skip(f"there is no `{program}`")
    store = ["--store", str(cwd / "store")]
    options = ["--option", "substituters", "", "--option", "build-users-group", ""]
    if program == "nix":
        options += ["--extra-experimental-features", "nix-command flakes"]
    return subprocess.run(
        [str(command), *arguments, *store, *options],
        cwd=cwd, capture_output=True, text=True, check=False, timeout=300,
        env={**os.environ, "HOME": str(cwd)},
    )  # fmt: skip


def test_a_nixpkgs_is_imported_once_for_all_that_share_it(loud: Path) -> None:
    """Two configurations with two overlays each: four imports for eight variants."""
    names = (
        "map (one: one.drvPath) (builtins.filter (one: one ? drvPath) (builtins.attrValues all))"
    )
    expression = f"let all = import ./default.nix {{ }}; in {names}"
    done = nix("nix-instantiate", "--eval", "--strict", "--json", "-E", expression, cwd=loud)
    assert done.returncode == 0, done.stderr
    assert len(set(json.loads(done.stdout))) == 8
    assert done.stderr.count("trace: imported") == 4


@pytest.mark.slow
def test_one_attribute_imports_one_nixpkgs(loud: Path) -> None:
    own = nix("nix-instantiate", "pkgs/app-wide-sm90-avx512.nix", cwd=loud)
    for name in ("app-wide-sm90-avx512", "true.sm90.avx512"):
        done = nix("nix-instantiate", "-A", name, cwd=loud)
        assert done.returncode == 0, done.stderr
        assert done.stdout == own.stdout
        assert done.stderr.count("trace: imported") == 1


def test_nix_build_takes_each_variant_once(loud: Path) -> None:
    """Without a name all are built: by their names, which is each of them once."""
    done = nix("nix-build", "--dry-run", cwd=loud)
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"^  /nix/store/\S+-hello-\S+\.drv$", done.stderr, re.MULTILINE)) == 8
    one = nix("nix-build", "--dry-run", "-A", "true.sm90.avx512", cwd=loud)
    assert len(re.findall(r"^  /nix/store/\S+-hello-\S+\.drv$", one.stderr, re.MULTILINE)) == 1


@pytest.mark.slow
def test_nix_checks_the_flake(loud: Path) -> None:
    """All that is in it is evaluated, purely: what is refused there is an error."""
    own = nix("nix-instantiate", "pkgs/app-narrow-sm80-avx2.nix", cwd=loud)
    flake = loud / "source"
    flake.mkdir()
    for name in ("nixpkgs", "model"):
        shutil.copytree(loud / name, flake / name)
    shutil.copy(loud / "flake.nix", flake)
    where = f"path:{flake}"
    done = nix("nix", "flake", "check", "--no-build", where, cwd=loud)
    assert done.returncode == 0, done.stderr
    shown = nix("nix", "flake", "show", "--json", where, cwd=loud)
    found = json.loads(shown.stdout)
    assert sorted(found) == ["hydraJobs", "legacyPackages", "packages"]
    assert list(found["packages"]) == ["x86_64-linux"]
    assert len(found["packages"]["x86_64-linux"]) == len(found["hydraJobs"]) == 8
    path = nix("nix", "eval", "--raw", f"{where}#false.sm80.avx2.drvPath", cwd=loud)
    assert path.stdout == own.stdout.strip()
    broken = flake / "model" / "default.nix"
    broken.write_text('{ ... }: throw "not today"\n')
    refused = nix("nix", "flake", "check", "--no-build", where, cwd=loud)
    assert refused.returncode != 0
    assert "not today" in refused.stderr


FORMS = """
axis gpu { sm80 { label = "A100" }, sm90 { label = "H100" } }
input other { path = "./other" }
pin nixpkgs {
  github  = "NixOS/nixpkgs"
  rev     = "0182a361324364ae3f436a63005877674cf45efb"
  hash    = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
  release = 25.11
}
recipe base { package = pkgs.hello, attrs { buildInputs += [pkgs.zlib], fix = path("./a.patch") } }
recipe of-caller extends base { env { HOST = "{{caller.stdenv.hostPlatform.system}}" } }
recipe by-caller extends base { pin = none }
recipe of-input extends base { attrs { file = file(other, "a.txt") } }
matrix bases { recipe = base, axes = gpu, name = "base-{{gpu}}" }
matrix callers { recipe = of-caller, axes = gpu, name = "caller-{{gpu}}" }
matrix called { recipe = by-caller, axes = gpu, name = "called-{{gpu}}" }
matrix inputs { recipe = of-input, axes = gpu, name = "input-{{gpu}}" }
output all: all { file = "nix/default.nix", prefix = "{{matrix}}" }
output each { file = "pkgs/{{variant}}.nix" }
"""


def forms(folder: Path) -> dict[str, Path]:
    (folder / "other").mkdir()
    (folder / "other" / "a.txt").write_text("a\n")
    (folder / "a.patch").write_text("--- a\n")
    program = Path("variants.tvar")
    program.write_text(FORMS.replace("env { HOST", "env { GPU = gpu.label, HOST"))
    made = compile_on_disk(program)
    return {name: folder / path for name, path in written(made, folder).items()}


@pytest.mark.slow
def test_a_caller_without_a_pin_and_an_input(here: Path) -> None:
    """Each form of a recipe has its derivation in the file of all, which is pure as they are."""
    own = forms(here)
    whole = "(import ./nix { inherit pkgs; })"
    parts = {name: f'"{name}"' for name in own}
    assert called(here, [(whole, parts)]) == [drv_paths(own)]
    pinned = {name: part for name, part in parts.items() if not name.startswith("called")}
    (found,) = called(here, [(whole, pinned)], pure=True)
    assert len(found) == 6
