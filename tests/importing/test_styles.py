"""Recipes of one package in several styles: each style a recipe, as short as if it were alone."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from support.byhand import HASH, filled
from support.command import tvarc
from support.effort import sampled
from support.families import family, put
from support.nix import requires_nix
from support.recipes import drv_paths

GPUS: Final = {
    "sm75": "7.5", "sm80": "8.0", "sm86": "8.6", "sm89": "8.9", "sm90": "9.0",
    "sm100": "10.0", "sm103": "10.3", "sm110": "11.0", "sm120": "12.0", "sm121": "12.1",
}  # fmt: skip
CPUS: Final = {
    "avx2": "haswell",
    "avx512": "skylake-avx512",
    "avx512vnni": "cascadelake",
    "avx512bf16": "cooperlake",
    "armv8_2": "armv8.2-a",
    "armv9": "armv9-a",
}

Cell = tuple[str, str]

STYLES: Final = (
    "changed",  # attributes of a package
    "configured",  # other arguments, and attributes changed in other ways
    "from-scratch",  # a derivation that is written out, and called
)


def tool(style: str, gpu: str, isa: str) -> str:
    """One tool by hand, in a style of writing."""
    new, arm = float(GPUS[gpu]) >= 10, isa.startswith("arm")
    parts = {
        "gpu": gpu, "isa": isa, "target": GPUS[gpu], "cpu": CPUS[isa], "hash": HASH,
        "platform": "aarch64-linux" if arm else "x86_64-linux",
        "option": "-DUSE_SVE=ON" if arm else "-DUSE_AVX2=ON",
        "numactl": " pkgs.numactl" if arm else "", "openssl": " openssl" if arm else "",
        "arm": "true" if arm else "false", "other": "false" if arm else "true",
        "new": "true" if new else "false", "one": "1" if new else "0",
    }  # fmt: skip
    return filled(f"tool-{style}", parts)


def by_gpu() -> dict[Cell, int]:
    """The number of a style for each GPU and each CPU: a style for some of the GPUs."""
    numbers = {gpu: number % len(STYLES) for number, gpu in enumerate(GPUS)}
    return {cell: numbers[cell[0]] for cell in product(GPUS, CPUS)}


def scattered(seed: int) -> dict[Cell, int]:
    """The same, each in the style of the day on which it was written."""
    chance = random.Random(seed)
    return {cell: chance.randrange(len(STYLES)) for cell in product(GPUS, CPUS)}


def recipes(styles: dict[Cell, int], only: int | None = None) -> dict[str, str]:
    """The recipes, or those of one style *only*."""
    return {
        f"pkgs/tool-{gpu}-{isa}.nix": tool(STYLES[style], gpu, isa)
        for (gpu, isa), style in styles.items()
        if only in (None, style)
    }


@dataclass(frozen=True, slots=True)
class Spread:
    """Recipes below *root*, each in a style by its cell, with the program that `import` makes of
    them, which has *lines*."""

    root: Path
    styles: dict[Cell, int]
    lines: int


SPREAD = {"by GPU": by_gpu(), **{f"scattered {seed}": scattered(seed) for seed in range(6)}}


def _lines(folder: Path, files: dict[str, str]) -> int:
    """How long the program of *files* is; all of them are imported, and none has drift."""
    done = tvarc("import", str(put(folder, files)), "--json", "-o", str(folder / "program.tvar"))
    data = json.loads(done.stdout)
    assert len(data["imported"]) == len(files) and not data["left"] and not data["drift"]
    return (folder / "program.tvar").read_text(encoding="utf-8").count("\n")


@pytest.fixture(scope="module", params=sampled(SPREAD, 2, ci=3))
def spread(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Spread:
    """Recipes in several styles, imported once for what is tried of them."""
    root = tmp_path_factory.mktemp("spread")
    styles = SPREAD[request.param]
    return Spread(root, styles, _lines(root, recipes(styles)))


@pytest.mark.slow
def test_several_styles_are_as_long_as_each_alone(spread: Spread, here: Path) -> None:
    alone = [_lines(here / str(one), recipes(spread.styles, one)) for one in range(len(STYLES))]
    assert spread.lines <= 1.3 * sum(alone), (spread.lines, alone)


@pytest.mark.slow
@requires_nix
@pytest.mark.nix
@pytest.mark.once
def test_what_is_built_is_the_same_derivation(
    spread: Spread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(spread.root)
    assert tvarc("build", "program.tvar", "--out", "built", "--no-git").exit_code == 0
    by_hand = {path.stem: path for path in (spread.root / "pkgs").glob("*.nix")}
    built = {path.stem: path for path in (spread.root / "built").rglob("*.nix")}
    assert len(by_hand) == 60 and set(built) == set(by_hand)
    wanted = drv_paths(by_hand)
    assert len(set(wanted.values())) == 60
    assert drv_paths(built) == wanted


@pytest.mark.slow
def test_a_part_is_called_after_what_it_builds_on(here: Path) -> None:
    assert tvarc("import", str(put(here, recipes(scattered(1))))).exit_code == 0
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert re.findall(r"^matrix (\S+)", made, re.MULTILINE) == [
        "tool-ffmpeg",
        "tool-mk-derivation",
        "tool-ffmpeg-2",
    ]
    assert made.count('name   = "tool-{{gpu}}-{{isa}}"') == 3
    assert 'because "no file of this kind has it"' in made and "no file has it" not in made


@pytest.mark.slow
def test_styles_with_much_in_common_stay_one_matrix(here: Path) -> None:
    plain, more = family("chain"), family("function")
    files = {path: (more if "sm90" in path else plain)[path] for path in plain}
    assert tvarc("import", str(put(here, files))).exit_code == 0
    assert Path("variants.tvar").read_text(encoding="utf-8").count("matrix ") == 1


@pytest.mark.slow
def test_what_cannot_be_said_as_one_is_parted_by_how_it_is_said(here: Path) -> None:
    chosen = scattered(3)
    files = {}
    for (gpu, isa), style in chosen.items():
        text = tool("changed", gpu, isa)
        if style == 1:
            text = text.replace('(old.preConfigure or "") + ', "")
        files[f"pkgs/tool-{gpu}-{isa}.nix"] = text
    done = tvarc("import", str(put(here, files)))
    assert done.exit_code == 0 and "60 imported" in done.stdout, done.output
    assert Path("variants.tvar").read_text(encoding="utf-8").count("matrix ") == 2


@pytest.mark.slow
def test_a_style_that_cannot_be_said_keeps_no_other_from_it(here: Path) -> None:
    quotes = "mkdir -p build && echo " + '"' * 6
    files = {
        path: text.replace("mkdir -p build", quotes) for path, text in recipes(scattered(4)).items()
    }
    done = tvarc("import", str(put(here, files)), "--json")
    data = json.loads(done.stdout)
    assert {one["reason"] for one in data["left"]} == {
        "a string has more quotes in a row than one of tvar can have"
    }
    assert len(data["imported"]) + len(data["left"]) == 60
    assert len(data["left"]) == sum("mkDerivation" in text for text in files.values())


@pytest.mark.slow
def test_a_part_of_few_recipes_is_told_as_drift(here: Path) -> None:
    odd: Cell = ("sm90", "avx2")
    files = {
        f"pkgs/tool-{gpu}-{isa}.nix": tool("changed", gpu, isa) for gpu, isa in scattered(1)
    }
    files["pkgs/tool-sm90-avx2.nix"] = tool("from-scratch", *odd)
    done = tvarc("import", str(put(here, files)))
    assert done.exit_code == 3 and "60 imported" in done.stdout
    told = "drift: 1 of 60: package, tool-sm90-avx2.nix:1"
    assert told in done.stdout
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert f"# {told}\nvariant tool-mk-derivation {{" in made


@pytest.mark.slow
def test_what_few_recipes_say_otherwise_is_drift_and_no_part(here: Path) -> None:
    files = family("chain")
    (odd,) = [path for path in files if "sm90-avx512." in path]
    files[odd] = "{ pkgs }: pkgs.hello.override { level = 4; }\n"
    done = tvarc("import", str(put(here, files)))
    assert done.exit_code == 3 and "12 imported" in done.stdout
    assert "drift: 1 of 12: package, pytorch-sm90-avx512.nix:1" in done.stdout
    assert Path("variants.tvar").read_text(encoding="utf-8").count("matrix ") == 1


@pytest.mark.slow
def test_parts_are_needed_by_other_recipes(here: Path) -> None:
    files = recipes(scattered(2))
    for gpu, isa in (("sm80", "avx2"), ("sm90", "armv9"), ("sm120", "avx512")):
        files[f"pkgs/app-{gpu}-{isa}.nix"] = (
            "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
            f"  buildInputs = [ (pkgs.callPackage ./tool-{gpu}-{isa}.nix {{ }}) ];\n}})\n"
        )
    folder = put(here, files)
    assert tvarc("import", str(folder)).exit_code == 0
    assert re.search(r"needs \S+ = (if .* then )?tool-", Path("variants.tvar").read_text("utf-8"))
    assert tvarc("build", "--out", "built", "--no-git").exit_code == 0
