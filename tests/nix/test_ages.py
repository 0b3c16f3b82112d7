"""Whatever nixpkgs is pinned: a setting reaches the derivation, or is refused in words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from support.ages import (
    RELEASES,
    Setting,
    declared,
    paired,
    pairs,
    settings,
    write,
    write_all,
)
from support.compile import compile_text, write_recipes
from support.effort import sampled
from support.idioms import by_hand
from support.nix import requires_nix
from support.recipes import Asked, NixError, Outcome, drv_paths, model_value, outcomes

# What lands at which age is decided by nixpkgs, whatever Nix reads it.
pytestmark = [pytest.mark.nix, pytest.mark.once, pytest.mark.slow, requires_nix]

Age = str | Mapping[str, object]

# What came to nixpkgs at one time, one thing before the other.
FEATURES = (
    ("env",),
    ("finalAttrs",),
    ("overrideAttrsSet",),
    ("gitHash",),
    ("patchHash", "patchRelative"),
    ("githubTag",),
    ("pythonExtensions",),
    ("pythonScope",),
    ("scopeFinalFirst", "makeScopeWithSplicing'"),
    ("perlScope",),
    ("luaScope",),
    ("beamTop",),
    ("llvmScope",),
    ("torchName",),
    ("torchStructured",),
    ("scopePrime",),
)

# Where sources do not agree on a release, it is written for both.
UNSURE: tuple[tuple[str, str, str], ...] = (
    ("21.11", "with", "gitHash"),
    ("22.05", "with", "pythonExtensions"),
    ("24.11", "with", "githubTag"),
    ("20.09", "with", "luaScope"),
    ("26.05", "without", "luaScope"),
    ("26.05", "without", "beamTop"),
    ("25.11", "with", "llvmScope"),
    ("26.05", "without", "llvmScope"),
    ("26.05", "with", "torchStructured"),
)


def judged(folder: Path, age: Age, release: str | None) -> dict[str, Outcome]:
    """What becomes of all settings whose recipes the compiler makes."""
    return tried(write(folder, release), settings(), age)


def tried(
    written: Mapping[str, Path], known: Mapping[str, Setting], age: Age
) -> dict[str, Outcome]:
    """What becomes of these recipes, of settings that are *known*."""
    asked = {
        name: Asked(path, age, known[name].markers, known[name].depth)
        for name, path in written.items()
    }
    return outcomes(asked)


def faults(
    found: Mapping[str, Outcome],
    land_in: str | None,
    known: Mapping[str, Setting] | None = None,
) -> list[str]:
    """What is wrong, a line for each setting that is neither in the derivation nor refused in words
    that name it; and for those that are refused though the release *land_in* has a way."""
    return [
        f"{name}: {fault}"
        for name, setting in (settings() if known is None else known).items()
        if (fault := _fault(name, setting, found.get(name), land_in))
    ]


def _fault(name: str, setting: Setting, outcome: Outcome | None, land_in: str | None) -> str | None:
    must_land = land_in is not None and setting.lands_in(land_in)
    if outcome is None:
        return "refused by the compiler" if must_land else None
    if outcome.drv_path is not None:
        return None if outcome.landed else "silently without effect"
    if not outcome.said:
        return f"a riddle: {outcome.error}"
    named = [text.replace("NAME", name) for text in setting.named]
    if not any(text in sentence for text in named for sentence in outcome.said):
        return f"refused without naming {' or '.join(named)}: {outcome.said[0]}"
    if must_land:
        return f"refused: {outcome.said[0]}"
    return None


@pytest.mark.slow
@pytest.mark.parametrize("release", sampled(RELEASES, 6, ci=2))
def test_where_the_release_is_stated_every_setting_lands(tmp_path: Path, release: str) -> None:
    assert faults(judged(tmp_path, release, release), release) == []


@pytest.mark.parametrize("release", sampled(RELEASES, 6, ci=2))
def test_where_no_release_is_stated_a_setting_lands_or_is_refused_in_words(
    tmp_path: Path, release: str
) -> None:
    land_in = release if release >= "25.05" else None
    assert faults(judged(tmp_path, release, None), land_in) == []


@pytest.mark.slow
@pytest.mark.parametrize("stated", [True, False])
@pytest.mark.parametrize("release", sampled(["20.09", "22.05", "23.05", "24.11", "26.05"], 4, ci=2))
def test_two_overlays_on_one_package_both_take_effect(
    tmp_path: Path, release: str, *, stated: bool
) -> None:
    written = write_all(tmp_path, paired(release if stated else None))
    assert set(written) == set(pairs())
    found = tried(written, pairs(), release)
    assert faults(found, release if stated else None, pairs()) == []


@pytest.mark.parametrize("via", ["override", "update"])
@pytest.mark.parametrize(
    ("other", "markers"),
    [
        ('overlay two for python3Packages.numpy { OTHER_2 = "1" }', ("MARK_1", "OTHER_2")),
        ('overlay two for python38Packages.numpy { via = override, OTHER_2 = "1" }', ("MARK_1",)),
        # The interpreter itself is made anew.
        ('overlay two for python38 { OTHER_2 = "1" }', ("MARK_1",)),
    ],
)
def test_a_set_of_an_interpreter_is_not_lost_with_it(
    tmp_path: Path, via: str, other: str, markers: tuple[str, ...]
) -> None:
    one = f'overlay one for python38.pkgs.numpy {{ via = {via}, MARK_1 = "1" }}'
    texts = [
        Setting("python38.pkgs.numpy", beside="\n".join(both)).declarations(name)
        for name, both in (("first", (one, other)), ("last", (other, one)))
    ]
    for name, text in zip(("first", "last"), texts, strict=True):
        folder = tmp_path / name
        files = write_recipes(compile_text(declared([text], "20.09")), folder)
        found = outcomes({name: Asked(files[name], "20.09", markers)})
        assert found[name].landed, (name, found[name])


@pytest.mark.parametrize("features", sampled(FEATURES, ci=2), ids="-".join)
def test_any_nixpkgs_between_two_ages_is_met_in_words(
    tmp_path: Path, features: tuple[str, ...]
) -> None:
    # Of a commit of the development branch nobody states what it has.
    ages: list[Age] = [
        {"release": "26.11", "without": list(features)},
        {"release": "20.09", "with": list(features)},
    ]
    for age in ages:
        assert faults(judged(tmp_path, age, None), None) == [], age


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "features"),
    sampled(
        [
            ("22.05", ("gitHash",)),
            ("22.05", ("patchHash", "patchRelative")),
            ("22.05", ("cudaScope",)),
            ("22.11", ("pythonExtensions",)),
            ("22.11", ("torchName",)),
            ("23.05", ("env",)),
            ("23.05", ("perlScope",)),
            ("23.11", ("scopeFinalFirst", "makeScopeWithSplicing'")),
            ("25.05", ("githubTag",)),
        ],
        4,
        several=True,
    ),
)
def test_a_commit_on_the_way_to_a_release_calls_itself_by_it(
    tmp_path: Path, release: str, features: tuple[str, ...]
) -> None:
    age = {"release": release, "without": list(features)}
    assert faults(judged(tmp_path, age, release), None) == []


@pytest.mark.slow
@pytest.mark.parametrize(("release", "switch", "feature"), sampled(UNSURE, 4, several=True))
def test_where_it_is_unsure_what_a_release_has_settings_land_either_way(
    tmp_path: Path, release: str, switch: str, feature: str
) -> None:
    age = {"release": release, switch: [feature]}
    assert faults(judged(tmp_path, age, release), release) == []


@pytest.mark.parametrize(("stated", "real"), [("25.05", "20.09"), ("20.09", "25.05")])
def test_a_release_that_is_not_the_pinned_one_is_refused_in_words(
    tmp_path: Path, stated: str, real: str
) -> None:
    wrong = []
    for name, outcome in judged(tmp_path, real, stated).items():
        said = " ".join(outcome.said)
        if outcome.drv_path is not None or real not in said or stated not in said:
            wrong.append(f"{name}: {outcome}")
    assert wrong == []


@pytest.mark.parametrize("release", sampled(RELEASES, 6, ci=2))
def test_a_recipe_is_the_build_that_people_wrote_by_hand_at_that_age(
    tmp_path: Path, release: str
) -> None:
    made = write(tmp_path, release)
    files: dict[str, Path] = {}
    for name, text in by_hand(release).items():
        files[f"{name}.by-hand"] = tmp_path / f"{name}.by-hand.nix"
        files[f"{name}.by-hand"].write_text(text, encoding="utf-8")
        files[name] = made[name]
    paths = drv_paths(files, ages=dict.fromkeys(files, release))
    assert [name for name in by_hand(release) if paths[name] != paths[f"{name}.by-hand"]] == []


@pytest.mark.parametrize(
    ("release", "setting", "variable"),
    [
        ("26.05", Setting("jq", 'attrs { CFLAGS = "1" }'), "CFLAGS"),
        ("26.05", Setting("python3Packages.torch", 'env { USE_NNPACK = "1" }'), "USE_NNPACK"),
    ],
)
def test_a_variable_in_the_other_place_than_the_packages_own_is_refused_by_nixpkgs(
    tmp_path: Path, release: str, setting: Setting, variable: str
) -> None:
    # Where a package keeps its own variables only nixpkgs knows, and says it in words.
    text = declared([setting.declarations("v")], release)
    files = write_recipes(compile_text(text), tmp_path)
    with pytest.raises(NixError, match=f"overlapping: {variable}"):
        drv_paths(files, ages={"v": release})


def test_the_features_are_those_of_the_model() -> None:
    known = model_value("import <nixpkgs/ages.nix> { }")
    assert tuple(known["releases"]) == RELEASES
    assert {name for names in FEATURES for name in names} <= set(known["featureNames"])
