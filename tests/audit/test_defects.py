"""The defects that hand-made matrices have had, each found in a folder that has it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.broken import BROKEN, HEAD, file, put, rewrite
from support.alone import emit
from support.command import ROOT, tvarc
from support.compile import compile_on_disk
from support.handmade import (
    CUDA_13,
    GOOD_PIN,
    MAGMA_PATCH,
    OLD_PIN,
    TORCH_SOURCE,
    handmade,
    nightly,
    outdated,
)
from tvarc.commands.line import exits

Findings = dict[tuple[str, str], list[dict[str, Any]]]


def audited() -> Findings:
    """The findings by code and by what the file is called after the head of all names."""
    done = tvarc("audit", "--json")
    data = json.loads(done.stdout)
    assert done.exit_code == (exits.STALE if data["findings"] else exits.OK), done.stderr
    found: Findings = {}
    for one in data["findings"]:
        cell = one["file"].removeprefix(HEAD).removesuffix(".nix")
        found.setdefault((one["code"], cell), []).append(one)
    return found


def said(found: Findings, code: str, cell: str) -> str:
    return "\n".join(one["message"] for one in found[code, cell])


@pytest.mark.slow
def test_what_tvarc_writes_has_no_finding(recipes: Path) -> None:
    assert audited() == {}
    assert tvarc("audit").stdout.endswith("44 up to date\n\nno findings\n")


@pytest.mark.slow
@pytest.mark.parametrize(("code", "breaks"), BROKEN.items())
def test_each_kind_is_found(code: str, breaks: Callable[[Path], None], recipes: Path) -> None:
    breaks(recipes)
    assert code in {code for code, _ in audited()}


# --- the folder of six that the plan of the 44 began with --------------------------------------


@pytest.fixture
def six(recipes: Path) -> Path:
    """Six recipes by hand: one right, one a copy under another name, three outdated, one that is
    made in another way altogether."""
    for path in recipes.glob("*.nix"):
        path.unlink()
    name = f"{HEAD}sm120-avx512"
    put(recipes, "sm120-avx512", handmade(name))
    put(recipes, "sm120-avx512-magma", handmade(f"{name}-magma"))
    arm = {"sm": "11.0", "platform": "aarch64-linux"}
    put(
        recipes,
        "sm110-armv8_2",
        outdated(f"{HEAD}sm110-armv8_2", flags=["-march=armv8.2-a"], **arm),
    )
    put(recipes, "sm110-armv9", outdated(f"{HEAD}sm110-armv9", flags=["-march=armv9-a"], **arm))
    put(recipes, "sm120-avx", outdated(f"{HEAD}sm120-avx", flags=["-mavx"]))
    put(recipes, "sm121-armv9-nightly", nightly())
    return recipes


OUTDATED = ("sm110-armv8_2", "sm110-armv9", "sm120-avx")


@pytest.mark.slow
@pytest.mark.usefixtures("six")
def test_the_wrong_pin() -> None:
    found = audited()
    assert {cell for code, cell in found if code == "W208"} == {*OUTDATED, "sm121-armv9-nightly"}
    for cell in OUTDATED:
        assert said(found, "W208", cell) == f"pins {OLD_PIN[:12]}; the matrix pins {GOOD_PIN[:12]}"
        assert found["W208", cell][0]["line"] == 5
    assert said(found, "W208", "sm121-armv9-nightly").startswith("uses the nixpkgs of its caller")


@pytest.mark.slow
@pytest.mark.usefixtures("six")
def test_the_missing_overlays() -> None:
    found = audited()
    for cell in (*OUTDATED, "sm121-armv9-nightly"):
        lacking = said(found, "W209", cell)
        for overlay in ("cuda-13_0", "magma-clockrate", "torch-source"):
            assert f"lacks the overlay `{overlay}`" in lacking
    assert ("W209", "sm120-avx512") not in found


@pytest.mark.slow
@pytest.mark.usefixtures("six")
def test_the_name_that_follows_no_rule() -> None:
    found = audited()
    notes = {cell: found["W202", cell][0]["notes"] for code, cell in found if code == "W202"}
    assert notes == {
        "sm120-avx": ["no variant has `avx` in its name"],
        "sm120-avx512-magma": ["no variant has `magma` in its name"],
        "sm121-armv9-nightly": ["no variant has `nightly` in its name"],
    }
    assert {cell for code, cell in found if code == "W210"} >= {"sm110-armv8_2", "sm110-armv9"}
    assert "the matrix names it `pytorch210-" in said(found, "W210", "sm110-armv9")


@pytest.mark.slow
@pytest.mark.usefixtures("six")
def test_the_redundant_copy() -> None:
    found = audited()
    copies = {cell: said(found, code, cell) for code, cell in found if code == "W211"}
    told = f"it builds the same as `{HEAD}sm120-avx512.nix`, apart from names, comments "
    told += "and printed text"
    assert copies == {"sm120-avx512-magma": told}


@pytest.mark.slow
@pytest.mark.usefixtures("six")
def test_the_other_attribute_and_what_is_lacking() -> None:
    found = audited()
    for cell in OUTDATED:
        assert "changes `python3Packages.pytorch`" in said(found, "W212", cell)
        assert "lacks `attrs.postPatch`" in said(found, "W213", cell)
        assert "lacks `config.allowBroken` = true" in said(found, "W213", cell)
    assert "`attrs.preConfigure` lacks" in said(found, "W213", "sm110-armv9")


@pytest.mark.slow
@pytest.mark.usefixtures("six")
def test_the_target_without_its_dot() -> None:
    assert '"sm_121"' in said(audited(), "W103", "sm121-armv9-nightly")


@pytest.mark.slow
@pytest.mark.usefixtures("six")
def test_the_others_are_missing() -> None:
    assert sum(code == "W201" for code, _ in audited()) == 44 - 3


# --- what is verified after a rewrite ----------------------------------------------------------


@pytest.mark.slow
def test_the_patch_of_magma_is_there_or_missed(recipes: Path) -> None:
    name = f"{HEAD}sm120-avx512"
    put(recipes, "sm120-avx512", handmade(name))
    assert ("W209", "sm120-avx512") not in audited()
    put(recipes, "sm120-avx512", handmade(name, overlays=(CUDA_13, TORCH_SOURCE)))
    assert "lacks the overlay `magma-clockrate`" in said(audited(), "W209", "sm120-avx512")
    other = MAGMA_PATCH.replace("235aefb7b064954fce09d035c69907ba8a87cbcd", "0" * 40)
    put(recipes, "sm120-avx512", handmade(name, overlays=(CUDA_13, other, TORCH_SOURCE)))
    assert "`magma: patches` lacks fetchpatch" in said(audited(), "W209", "sm120-avx512")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "how"),
    [
        ("export MAX_JOBS=32\n", "export USE_MAGMA=0\n", "`USE_MAGMA=0`"),
        ('"-DCUDA_VERSION=13.0"', '"-DUSE_MAGMA=OFF"', "`-DUSE_MAGMA=OFF`"),
        ("cudaSupport = true;\n  gpu", "cudaSupport = true;\n  magma = null;\n  gpu",
         "`magma = null`"),
        ('  ninjaFlags = [ "-j32" ];',
         '  buildInputs = builtins.filter (d: d.pname != "magma") old.buildInputs;',
         "filtered out of `buildInputs`"),
    ],
)  # fmt: skip
def test_no_way_to_switch_magma_off(recipes: Path, old: str, new: str, how: str) -> None:
    rewrite(file(recipes, "sm120-avx512"), old, new)
    assert said(audited(), "W215", "sm120-avx512") == f"switches MAGMA off: {how}"


def test_one_pin_for_all(recipes: Path) -> None:
    rewrite(file(recipes, "sm90-avx2"), GOOD_PIN, OLD_PIN)
    found = audited()
    assert {cell for code, cell in found if code == "W208"} == {"sm90-avx2"}
    assert found["W208", "sm90-avx2"][0]["notes"] == ["43 of 44 recipes have 6a030d535719"]


# --- what departs ------------------------------------------------------------------------------


@pytest.mark.slow
def test_four_of_forty_are_no_exception(recipes: Path) -> None:
    """The ARM recipes differ from the other forty, as their instruction set says."""
    for path in recipes.glob("*armv*.nix"):
        path.write_text(f"# mine\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    assert {code for code, _ in audited()} == {"W204"}


@pytest.mark.slow
def test_a_whole_folder_by_hand_is_judged_by_itself(recipes: Path) -> None:
    for path in recipes.glob("*.nix"):
        text = path.read_text(encoding="utf-8")
        path.write_text("{" + text.partition("\n{")[2], encoding="utf-8")
    rewrite(file(recipes, "sm90-avx2"), GOOD_PIN, OLD_PIN)
    found = audited()
    assert sum(code == "W203" for code, _ in found) == 44
    assert {pair for pair in found if pair[0] != "W203"} == {("W208", "sm90-avx2")}


def test_what_is_not_understood_is_a_class_of_its_own(recipes: Path) -> None:
    rewrite(file(recipes, "sm90-avx2"), '"x86_64-linux"', "(f x)")
    rewrite(
        file(recipes, "sm90-avx2"), f'"https://github.com/NixOS/nixpkgs/archive/{GOOD_PIN}', 'u + "'
    )
    done = json.loads(tvarc("audit", "--json").stdout)
    found = {(one["code"], one["subject"], one["message"]) for one in done["findings"][1:]}
    assert done["findings"][0]["code"] == "W204"
    assert found == {
        (
            "W217",
            "meta.platforms",
            "`meta.platforms`: `f x`: the audit does not apply the function `f`",
        ),
        (
            "W217",
            "pin",
            '`pin`: `builtins.fetchTarball { url = u + ".tar.gz"; }`: its address is computed',
        ),
    }
    (edited,) = [one for one in done["files"] if one["state"] == "edited"]
    gaps = edited["says"]["not understood"]
    assert sorted(gap["what"] for gap in gaps) == ["meta.platforms", "pin"]
    assert all(gap["line"] for gap in gaps)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "cell", "pin", "name"),
    [
        ("torch-2.8", 8, "57 of 58 recipes have", "57 of 58 recipes have"),
        ("torch-2.10", 17, "50 of 51 recipes with toolkit cuda12_8 have", "50 of 51 recipes"),
    ],
)
def test_one_of_a_whole_matrix_by_hand(
    program: str, cell: int, pin: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all recipes none is tvarc's, and one has another pin, another platform and no prefix."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples" / program)
    made = compile_on_disk("variants.tvar")
    recipes = made.recipes()
    for recipe, output in zip(recipes, emit(recipes, "variants.tvar"), strict=True):
        path = Path(output.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "{" + output.text.partition("\n{")[2]
        if recipe is recipes[cell]:
            assert recipe.pin is not None
            broken = path.name
            text = text.replace(recipe.pin.rev, "0" * 40)
            text = re.sub(r'platforms = \[ "[^"]*" \]', 'platforms = [ "riscv64-linux" ]', text)
            text = re.sub(r'pname = "[^"]*"', 'pname = "torch"', text)
        path.write_text(text, encoding="utf-8")
    data = json.loads(tvarc("audit", "--json").stdout)
    found = [
        one
        for one in data["findings"]
        if one["code"].startswith("W2") and one["code"] not in ("W203", "W211", "W214")
    ]
    assert {one["file"] for one in found} == {broken}, [
        (o["code"], o["file"], o["notes"][:3]) for o in found
    ]
    assert [one["code"] for one in found] == ["W208", "W210", "W213"]
    for one, usual in zip(found[:2], (pin, name), strict=True):
        assert re.match(usual, one["notes"][0]), one["notes"]
    assert found[2]["message"].startswith("`meta.platforms` lacks ")


CALLS_A_FILE = """pin nixpkgs {
  github = "NixOS/nixpkgs"
  rev    = "0182a361324364ae3f436a63005877674cf45efb"
  hash   = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
}
axis gpu = ["sm90"]
recipe r { package = path("./torch.nix"), args { sm = "9.0", jobs = 4 } }
matrix m { recipe = r, axes = gpu, name = "t-{{gpu}}" }
output o { file = "pkgs/FOLDERt-{{gpu}}.nix" }
"""


@pytest.mark.parametrize("folder", ["", "{{gpu}}/"])
@pytest.mark.parametrize(
    ("called", "given", "told"),
    [
        # Of another file the arguments are its own.
        ("other", 'target = "8.0";', {"W212"}),
        # One that is followed says what it says.
        ("alike", 'target = "9.0";', set()),
        ("alike", 'target = "8.0";', {"W213"}),
        ("torch", 'sm = "8.0"; jobs = 4;', {"W213"}),
    ],
)
def test_the_file_that_a_recipe_calls(
    called: str, given: str, told: set[str], folder: str, here: Path
) -> None:
    program = CALLS_A_FILE.replace("FOLDER", folder)
    (here / "variants.tvar").write_text(program, encoding="utf-8")
    body = "python3Packages.torch.override { gpuTargets = [ NAME ]; }"
    for name, argument, more in (("torch", "sm", ", jobs"), ("alike", "target", "")):
        text = f"{{ python3Packages, {argument}{more} }}: {body.replace('NAME', argument)}"
        (here / f"{name}.nix").write_text(text, encoding="utf-8")
    assert tvarc("build").exit_code == 0
    (path,) = (here / "pkgs").rglob("*.nix")
    text = path.read_text(encoding="utf-8").partition("\n{")[2]
    head, _, rest = text.partition("torch.nix {")
    path.write_text(f"{{{head}{called}.nix {{ {given} }}\n", encoding="utf-8")
    assert rest
    found = json.loads(tvarc("audit", "--json").stdout)["findings"]
    codes = {one["code"] for one in found if one["about"] == "program"} - {"W203"}
    assert codes == told, found
