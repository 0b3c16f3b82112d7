"""`std.nixpkgs` against the collected facts, and against the toolkits and GPUs it speaks of."""

from __future__ import annotations

import base64
import re
from datetime import date
from typing import Any

import pytest

from support.compile import codes, compile_text, messages
from support.library import MARKS, collected, fact, rows, text, texts
from tvarc.values.value import RowValue

FACTS = collected("pins")
EXTRA = collected("tables")["nixpkgs_torch"]
PINS = rows("nixpkgs", "nixpkgs-pin")
USES = rows("nixpkgs", "nixpkgs-use")
GPUS = rows("nvidia", "nvidia")
RELEASES = rows("torch", "torch-release")
CONFIG = rows("nixpkgs", "nixpkgs-config")
SETS = {text(row, "set") for row in rows("cuda", "cuda-toolkit").values()} - {None}
ALIASES = rows("cuda", "cuda-alias")


def pin(rev: str) -> RowValue:
    return PINS[f"nixpkgs-{rev[:7]}"]


def test_pins_are_those_of_the_facts() -> None:
    groups = ("pins", "flox_nixpkgs", "known_hash_alternatives", "other")
    assert [text(row, "rev") for row in PINS.values()] == [
        entry["rev"] for group in groups for entry in FACTS[group]
    ]
    for name, row in PINS.items():
        assert name == f"nixpkgs-{(text(row, 'rev') or '')[:7]}"


@pytest.mark.parametrize("entry", FACTS["pins"], ids=lambda entry: entry["rev"][:7])
def test_a_pin_has_the_facts(entry: dict[str, Any]) -> None:
    row = pin(entry["rev"])
    assert text(row, "github") == "NixOS/nixpkgs"
    assert text(row, "hash") == entry["narHash"]
    day = re.search(r"\d{4}-\d\d-\d\d", entry["commit_date"])
    assert day is not None and text(row, "date") == day[0]
    assert fact(row, "date-exact") == (not entry["commit_date"].startswith("<="))
    known = entry["torch"].partition(" ")[0]
    assert text(row, "torch") == (known if known[0].isdigit() else None)
    assert text(row, "torch-mark") == (
        MARKS[entry["torch_mark"][0]] if fact(row, "torch") is not None else None
    )
    for package in ("vision", "audio"):
        told = re.search(rf"torch{package} ([\d.]+\d)", entry["torch"])
        assert text(row, package) == (told[1] if told else None)
    cudnn = re.search(r"cuDNN ([\d.]+\d)", entry.get("other") or "")
    assert text(row, "cudnn") == (cudnn[1] if cudnn else None)
    assert set(texts(row, "python")) == set(re.findall(r"3\.\d+", entry["python3"]))
    named = {found for told in entry["cuda_sets"] for found in re.findall(r"\d\d_\d", told)}
    assert {one.removeprefix("cudaPackages_") for one in texts(row, "cuda-sets")} == named
    assert text(row, "branch") in (None, entry["branch"].partition(" ")[0])
    marks = {
        entry[key][0] for key in ("commit_date_mark", "torch_mark", "python_mark", "cuda_mark")
    }
    assert text(row, "mark") == ("conflicting" if "C" in marks else "single")


def test_other_pins_have_the_facts() -> None:
    for entry in FACTS["flox_nixpkgs"]:
        row = pin(entry["rev"])
        assert text(row, "github") == "flox/nixpkgs"
        assert text(row, "date") == entry["rev_date"][:10]
        assert str(entry["rev_count"]) in (text(row, "note") or "")
        assert entry["source"].startswith(texts(row, "sources")[0])
    for entry in FACTS["known_hash_alternatives"]:
        row = pin(entry["rev"])
        assert text(row, "hash") == entry["narHash"]
        assert text(row, "date") == entry["date"]
        assert entry["source"] in texts(row, "sources")
    for entry in FACTS["other"]:
        row = pin(entry["rev"])
        assert text(row, "note") == entry["what"]
        assert text(row, "hash") == (
            sri(entry["sha256_base32"]) if entry["sha256_base32"] else None
        )
    for group in ("flox_nixpkgs", "known_hash_alternatives", "other"):
        for entry in FACTS[group]:
            assert text(pin(entry["rev"]), "mark") == MARKS[entry["mark"]]


def sri(base32: str) -> str:
    """The SRI form of a hash in Nix's base 32, whose first letter is its highest."""
    number = 0
    for letter in base32:
        number = number * 32 + "0123456789abcdfghijklmnpqrsvwxyz".index(letter)
    return f"sha256-{base64.b64encode(number.to_bytes(32, 'little')).decode()}"


def test_dates_are_dates() -> None:
    for row in PINS.values():
        day = text(row, "date")
        assert day is None or date.fromisoformat(day) > date(2025, 1, 1)
        assert (day is None) == (fact(row, "date-exact") is None)


def test_what_pins_hold_is_known() -> None:
    releases = {text(row, "version") for row in RELEASES.values()}
    companions = {"vision": "torch-vision", "audio": "torch-audio"}
    for row in PINS.values():
        assert set(texts(row, "cuda-sets")) <= SETS, row.name
        assert text(row, "torch") in {*releases, None}
        for field, table in companions.items():
            known = {text(one, "version") for one in rows("torch", table).values()}
            assert text(row, field) in {*known, None}


def test_uses_are_those_of_the_facts() -> None:
    assert len(USES) == len(FACTS["usage"])
    for row, entry in zip(USES.values(), FACTS["usage"], strict=True):
        assert text(row, "repository") == entry["repo"]
        assert text(row, "branch") == entry["branch"]
        assert PINS[text(row, "pin") or ""] == pin(entry["rev"])
        assert fact(row, "recipes") == entry["files"]
        assert texts(row, "cuda-sets") == list(entry["cuda_sets"])
        assert set(texts(row, "cuda-sets")) <= SETS | ALIASES.keys()
        assert set(texts(row, "python")) == entry["python"].keys()
        assert text(row, "version") == next(iter(entry["versions"]), None)


def test_sets_that_recipes_use_are_those_of_the_pin() -> None:
    for row in USES.values():
        known = set(texts(PINS[text(row, "pin") or ""], "cuda-sets"))
        assert set(texts(row, "cuda-sets")) - ALIASES.keys() <= known, row.name


def test_nixpkgs_own_ranges_are_those_of_the_facts() -> None:
    table = rows("nixpkgs", "nixpkgs-gpu")
    told = {
        entry["sm"].replace("_", ""): entry["nixpkgs"]
        for entry in collected("gpu")["architectures"]
        if entry["nixpkgs"]["min"] is not None
    }
    assert [text(row, "gpu") for row in table.values()] == list(told)
    for row in table.values():
        entry = told[text(row, "gpu") or ""]
        assert text(row, "gpu") in GPUS
        assert text(row, "first-cuda") == entry["min"].partition(" ")[0]
        assert text(row, "last-cuda") == entry["max"]
        assert fact(row, "jetson") == entry["jetson"]
        assert text(row, "default-until") == entry["default_until"]
        assert text(row, "note") in (None, entry["min"])


def test_torch_in_nixpkgs_is_that_of_the_facts() -> None:
    table = rows("nixpkgs", "nixpkgs-torch")
    assert [text(row, "torch") for row in table.values()] == list(EXTRA)
    for row in table.values():
        entry = EXTRA[text(row, "torch")]
        assert list(fact(row, "cuda-majors") or ()) == entry["cuda_majors"]  # type: ignore[arg-type]
        assert texts(row, "missing-capabilities") == entry["lacks"]


def test_config_has_what_recipes_set() -> None:
    needed = {"allowUnfree", "allowBroken", "cudaSupport", "cudaCapabilities", "rocmSupport"}
    assert needed <= CONFIG.keys()
    assert list(CONFIG) == sorted(CONFIG, key=str.lower)
    for row in CONFIG.values():
        default = text(row, "default")
        if text(row, "type") == "bool":
            assert default in ("true", "false"), row.name
        if text(row, "type") == "function":
            assert default is None, row.name


def test_a_pin_is_made_from_a_row() -> None:
    made = compile_text(
        "use std.nixpkgs\n"
        "pin nixpkgs {\n"
        "  github = nixpkgs-0182a36.github\n"
        "  rev    = nixpkgs-0182a36.rev\n"
        "  hash   = nixpkgs-0182a36.hash\n"
        "  config { allowUnfree = true }\n"
        "}\n"
        "variant hello { recipe = r }\n"
        "recipe r { package = pkgs.hello }\n"
        'output o { file = "{{variant}}.nix" }\n'
    )
    (recipe,) = made.recipes()
    assert codes(made) == [], messages(made)
    assert recipe.pin is not None
    assert recipe.pin.hash == FACTS["pins"][0]["narHash"]


def test_pins_with_a_hash_are_an_axis_too() -> None:
    made = compile_text(
        "use std.nixpkgs\n"
        'axis at = nixpkgs-pin[where hash != null and github == "NixOS/nixpkgs"]\n'
        "pin nixpkgs { github = at.github, rev = at.rev, hash = at.hash }\n"
        "recipe r { package = pkgs.hello }\n"
        'matrix m { recipe = r, axes = at, name = "{{at}}" }\n'
        'output o { file = "{{variant}}.nix" }\n'
    )
    found = made.recipes()
    assert codes(made) == [], messages(made)
    assert len(found) == 8
