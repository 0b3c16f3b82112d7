"""Files that recipes name, which differ from one to the next: one value, where axes say it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from support.command import tvarc
from support.families import put
from support.nix import requires_nix
from support.recipes import drv_paths

GPUS: Final = ("sm80", "sm86", "sm89", "sm90", "sm100")
ISAS: Final = ("avx2", "avx512", "armv9")
NEXT: Final = dict(zip(GPUS, (*GPUS[1:], GPUS[0]), strict=True))


def _tool(gpu: str, isa: str, attributes: str) -> str:
    return f"""{{ pkgs }}:
pkgs.hello.overrideAttrs (old: {{
  pname = "tool-{gpu}-{isa}";
  {attributes}
}})
"""


def _family(
    said: Callable[[str, str], str], *more: str, place: str = "pkgs/{}.nix"
) -> dict[str, str]:
    """Recipes that have the attributes that are *said* of their cells, and *more* files."""
    made = {
        place.format(f"tool-{gpu}-{isa}"): _tool(gpu, isa, said(gpu, isa))
        for gpu in GPUS
        for isa in ISAS
    }
    return {**made, **{path: f"--- {path}\n" for path in more}}


def in_a_folder() -> dict[str, str]:
    return _family(
        lambda gpu, _: f"patches = (old.patches or [ ]) ++ [ ./all.patch ./patches/{gpu}.patch ];",
        "pkgs/all.patch",
        *[f"pkgs/patches/{gpu}.patch" for gpu in GPUS],
    )


def beside_recipes() -> dict[str, str]:
    return _family(
        lambda gpu, isa: f"patches = [ ./{isa}_{gpu}.patch ];",
        *[f"pkgs/{isa}_{gpu}.patch" for gpu in GPUS for isa in ISAS],
    )


def of_their_own() -> dict[str, str]:
    return _family(
        lambda *_: "patches = [ ./fix.patch ]; src = ./. + \"/src\";",
        *[f"pkgs/tool-{gpu}-{isa}/fix.patch" for gpu in GPUS for isa in ISAS],
        *[f"pkgs/tool-{gpu}-{isa}/src/main.c" for gpu in GPUS for isa in ISAS],
        place="pkgs/{}/default.nix",
    )  # fmt: skip


def sources() -> dict[str, str]:
    return _family(
        lambda _, isa: f"src = ../sources/{isa}; more = builtins.readFile ../sources/{isa}/main.c;",
        *[f"sources/{isa}/main.c" for isa in ISAS],
    )


def in_texts() -> dict[str, str]:
    return _family(
        lambda gpu, isa: (
            f"preBuild = ''\n    cp ${{./set/{gpu}.json}} ${{./all.json}} .\n    echo {isa}\n  '';"
            f' flag = "--with=${{../tool-{gpu}-{isa}/x}}";'
        ),
        "pkgs/all.json",
        *[f"pkgs/set/{gpu}.json" for gpu in GPUS],
        *[f"tool-{gpu}-{isa}/x" for gpu in GPUS for isa in ISAS],
    )


def by_another_rule() -> dict[str, str]:
    return _family(
        lambda gpu, _: f"src = ./{NEXT[gpu]}.c; more = builtins.readFile ./{NEXT[gpu]}.c;",
        *[f"pkgs/{gpu}.c" for gpu in GPUS],
    )


FAMILIES: Final = {
    # How it is written, and what stands in the program, once each.
    "in a folder": (
        in_a_folder,
        ('path = "./pkgs/patches"', 'file(patches, "{{gpu}}.patch")', 'path("./pkgs/all.patch")'),
    ),
    "beside the recipes": (
        beside_recipes,
        ('patches = [nix"""{{path("./pkgs")}} + "/{{isa}}_{{gpu}}.patch" """]',),
    ),
    "in folders of their own": (
        of_their_own,
        ('"/{{variant}}/fix.patch"', '{{path("./pkgs")}} + "/{{variant}}/src"'),
    ),
    "of other folders": (
        sources,
        ('src   = file(sources, "{{isa}}")', '{{path("./sources")}} + "/{{isa}}/main.c"'),
    ),
    "in texts": (
        in_texts,
        ('{{path("./pkgs/set")}} + "/{{gpu}}.json"', "cp {{gpu-json}} {{all-json}} ."),
    ),
    "by another rule": (
        by_another_rule,
        ("src = src-by-gpu[gpu]", 'path("./pkgs/sm80.c")', "{{src-by-gpu[gpu]}}"),
    ),
}


@pytest.mark.parametrize("kind", FAMILIES)
def test_files_that_differ_are_one_value(kind: str, here: Path) -> None:
    files, values = FAMILIES[kind]
    done = tvarc("import", str(put(here, files())), code=0)
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert "15 imported" in done.stdout
    for value in values:
        assert made.count(value) == 1, made
    assert "when " not in made and made.count("\n") < 40


@pytest.mark.slow
@requires_nix
@pytest.mark.nix
@pytest.mark.once
@pytest.mark.parametrize("kind", FAMILIES)
def test_what_is_built_is_the_same_derivation(kind: str, here: Path) -> None:
    folder = put(here, FAMILIES[kind][0]())
    assert tvarc("import", "pkgs").exit_code == 0
    assert tvarc("build", "--out", "built", "--no-git").exit_code == 0
    by_hand, built = (
        {
            path.parent.name if path.stem == "default" else path.stem: path
            for path in root.rglob("*.nix")
        }
        for root in (folder, here / "built")
    )
    assert len(by_hand) == 15 and set(built) == set(by_hand)
    assert drv_paths(built) == drv_paths(by_hand)


def test_a_file_that_follows_no_axis_stands_behind_its_condition(here: Path) -> None:
    rare = {"sm80": "old", "sm90": "slow"}
    files = _family(
        lambda gpu, _: (
            f"patches = (old.patches or [ ]) ++ [ ./{rare[gpu]}.patch ];" if gpu in rare else ""
        ),
        "pkgs/old.patch",
        "pkgs/slow.patch",
    )
    assert tvarc("import", str(put(here, files))).exit_code == 0
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert re.search(r'gpu == sm80 +\{ patches \+= \[path\("./pkgs/old.patch"\)\] \}', made), made


@pytest.mark.slow
def test_one_file_that_is_another_is_drift(here: Path) -> None:
    files = in_a_folder()
    odd = "pkgs/tool-sm90-avx512.nix"
    files[odd] = files[odd].replace("patches/sm90", "patches/sm80")
    done = tvarc("import", str(put(here, files)), code=3)
    assert "drift: 1 of 15: attrs.patches, tool-sm90-avx512.nix:4" in done.stdout
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert made.count('file(patches, "{{gpu}}.patch")') == 2
    assert 'patches -= [file(patches, "{{gpu}}.patch")]' in made


@pytest.mark.slow
def test_a_folder_of_which_nothing_is_taken_is_no_input(here: Path) -> None:
    """Where it was tried to say the files by their folder, and each is named in the end."""
    files = {
        f"pkgs/tool-{isa}-{kind}.nix": "{ pkgs }:\npkgs.stdenv.mkDerivation {\n"
        f'  name = "tool-{isa}-{kind}";\n  jobs = {number};\n'
        f"  patches = [ ./files/{isa if (isa, number) == ('avx512', 0) else 'fix'}.patch ];\n}}\n"
        for isa in ISAS
        for number, kind in enumerate(("glibc", "musl"))
    }
    files |= dict.fromkeys(("pkgs/files/fix.patch", "pkgs/files/avx512.patch"), "")
    assert "6 imported" in tvarc("import", str(put(here, files))).stdout
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert "input files" not in made or "file(files, " in made
    assert "6 variants, 0 errors" in tvarc("check").output
