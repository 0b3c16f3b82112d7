"""Whatever nixpkgs is pinned: a setting reaches the derivation, or is refused in words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from support.ages import (
    HASH,
    MARK,
    MEMBERS,
    PIN_HASH,
    RELEASES,
    REV,
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
from support.nix import requires_nix
from support.recipes import Asked, NixError, Outcome, drv_paths, model_value, outcomes

# --- recipes as people wrote them by hand at each age of nixpkgs ----------------------------------

def by_hand(release: str) -> dict[str, str]:
    """Nix text by the name of a setting: the same build, in the idiom of *release*."""
    return {
        name: _recipe(name, changes, overlays)
        for name, (changes, overlays) in _written(release).items()
    }


def _recipe(name: str, changes: str, overlays: str) -> str:
    package = settings()[name].package
    changed = f".overrideAttrs (old: {{ {changes} }})" if changes else ""
    return f"""
{{ pkgs }}:
let
  nixpkgs = builtins.fetchTarball {{
    url = "https://github.com/NixOS/nixpkgs/archive/{REV}.tar.gz";
    sha256 = "{PIN_HASH}";
  }};
  p = import nixpkgs {{
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {{ allowUnfree = true; allowBroken = true; }};
    overlays = [ {overlays} ];
  }};
in
p.{package}{changed}
"""


_SCRIPT: Final = f"(old.preConfigure or \"\") + ''\n  echo {MARK}\n''"


def _written(release: str) -> Mapping[str, tuple[str, str]]:
    git = "hash" if release >= "22.05" else "sha256"
    patch = git
    tag = 'tag = "v1"' if release >= "25.05" else 'rev = "refs/tags/v1"'
    variable = (
        f'env = (old.env or {{ }}) // {{ {MARK} = "1"; }};'
        if release >= "23.05"
        else f'{MARK} = "1";'
    )
    source = f'owner = "a"; repo = "{MARK}";'
    fetched = f'url = "https://e.org/{MARK}.patch"; {patch} = "{HASH}";'
    patched = f"patches = (old.patches or [ ]) ++ [ (final.fetchpatch {{ {fetched} }}) ];"
    found = {
        "attr": (f'{MARK} = "1";', ""),
        "list": (f'buildFlags = (old.buildFlags or [ ]) ++ [ "{MARK}" ];', ""),
        "script": (f"preConfigure = {_SCRIPT};", ""),
        "env": (variable, ""),
        "env-of-python": (variable, ""),
        "github-tag": (f'src = p.fetchFromGitHub {{ {source} {tag}; hash = "{HASH}"; }};', ""),
        "github-rev": (
            f'src = p.fetchFromGitHub {{ {source} rev = "{REV}"; hash = "{HASH}"; }};',
            "",
        ),
        "github-tag-submodules": (
            f"src = p.fetchFromGitHub {{ {source} {tag}; fetchSubmodules = true; "
            f'{git} = "{HASH}"; }};',
            "",
        ),
        "github-rev-submodules": (
            f'src = p.fetchFromGitHub {{ {source} rev = "{REV}"; fetchSubmodules = true; '
            f'{git} = "{HASH}"; }};',
            "",
        ),
        "url": (
            f'src = p.fetchurl {{ url = "https://e.org/{MARK}.tar.gz"; hash = "{HASH}"; }};',
            "",
        ),
        "patch-url": ("", _top("hello", patched)),
        "patch-file": (
            "",
            _top("hello", f"patches = (old.patches or [ ]) ++ [ ./{MARK}.patch ];"),
        ),
        "patch-url-python": ("", _python(release, patched)),
    }
    for name, package in MEMBERS.items():
        for kind, change in (("", f'{MARK} = "1";'), ("-env", variable)):
            overlay = (
                _python(release, change)
                if name == "python"
                else _set(release, name, package, change)
            )
            found[f"for-{name}{kind}"] = ("", overlay)
    return found


def _change(package: str, change: str) -> str:
    return f"{package}.overrideAttrs (old: {{ {change} }})"


def _top(package: str, change: str) -> str:
    return f"(final: prev: {{ {package} = {_change(f'prev.{package}', change)}; }})"


def _python(release: str, change: str) -> str:
    extension = f"(f: p: {{ numpy = {_change('p.numpy', change)}; }})"
    if release >= "22.11":
        return f"""(final: prev: {{
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [ {extension} ];
        }})"""
    # The interpreter that python3 is, at these ages.
    interpreter = "python39" if release >= "21.11" else "python38"
    return f"""(final: prev: {{
      {interpreter} = prev.{interpreter}.override {{
        packageOverrides = {extension};
        self = final.{interpreter};
      }};
    }})"""


def _set(release: str, name: str, package: str, change: str) -> str:
    path, _, member = package.rpartition(".")
    if not path:
        return _top(package, change)
    function = f"(f: p: {{ {member} = {_change(f'p.{member}', change)}; }})"
    alone = f"{{ {member} = {_change(f'prev.{package}', change)}; }}"
    scope = "overrideScope" if release >= "23.11" else "overrideScope'"
    match name:
        case "perl":
            method = (
                f"overrideScope {function}"
                if release >= "23.05"
                else (f"override {{ overrides = _: {alone}; }}")
            )
        case "lua":
            method = f"overrideScope {function}" if release >= "22.11" else f"extend {function}"
        case "llvm" | "llvm-libraries" if release >= "26.05":
            method = f"overrideScope {function}"
        case "ocaml" | "qt":
            method = f"{scope} {function}"
        case "r":
            method = f"override {{ overrides = {alone}; }}"
        case "beam":
            return f"""(final: prev: {{
              beam = prev.beam // {{
                packages = prev.beam.packages // {{
                  erlang = prev.{path}.extend {function};
                }};
              }};
            }})"""
        case "haskell" | "linux":
            method = f"extend {function}"
        case _:
            return f"(final: prev: {{ {path} = prev.{path} // {alone}; }})"
    return f"(final: prev: {{ {path} = prev.{path}.{method}; }})"


# --- the tests ------------------------------------------------------------------------------------

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
