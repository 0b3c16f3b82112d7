"""The model nixpkgs has the ages of the real one: what each knows, and what it says of the rest.

What is said of 20.09 was seen on that release itself.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from support.nix import requires_nix
from support.recipes import Asked, NixError, model_value, outcomes

# Two recipes are one derivation in each Nix or in none.
pytestmark = [pytest.mark.nix, pytest.mark.once, requires_nix]

OLDEST, NEWEST = '"20.09"', '"today"'
# What Nix says of a function in the place of a set, the older and the newer.
NO_SET = "a function while a set was expected|expected a set but found a function"
HASH = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="


def at(age: str, expression: str, overlays: str = "", more: str = "") -> Any:
    """The value of *expression* with `p`, a nixpkgs of *age* (Nix text), and its `lib`."""
    return model_value(f"""
      let
        p = import <nixpkgs> {{
          system = "x86_64-linux"; age = {age}; overlays = [ {overlays} ];
          config = {{ allowUnfree = true; allowBroken = true; }}; {more}
        }};
        inherit (p) lib;
      in {expression}
    """)


def refusal(age: str, expression: str, overlays: str = "") -> str:
    with pytest.raises(NixError) as raised:
        at(age, expression, overlays)
    return str(raised.value)


def without(*features: str) -> str:
    """The newest nixpkgs less these features."""
    return f'{{ release = "today"; without = [ {" ".join(map(repr_nix, features))} ]; }}'


def repr_nix(text: str) -> str:
    return f'"{text}"'


@pytest.mark.slow
def test_ages_say_which_release_they_are() -> None:
    assert at(OLDEST, "[ lib.trivial.release lib.version ]") == ["20.09", "20.09pre-git"]
    assert at(NEWEST, "lib.trivial.release") == "26.11"
    assert "no age '19.03'" in refusal('"19.03"', "lib.version")
    assert "no feature 'flakes'" in refusal(without("flakes"), "p.hello.drvPath")


# mkDerivation


@pytest.mark.slow
def test_variables_in_a_set_came_late() -> None:
    hello = '(p.hello.overrideAttrs (old: { env = { A = "1"; }; }))'
    assert "cannot coerce a set to a string" in refusal(OLDEST, f"{hello}.drvPath")
    assert "cannot coerce a set to a string" in refusal(without("env"), f"{hello}.drvPath")
    assert at('"23.05"', f"{hello}.drvAttrs.A") == "1"
    probe = '(p.stdenv.mkDerivation { name = "probe"; env = { }; }).drvAttrs ? env'
    assert [at(age, probe) for age in (OLDEST, '"22.11"', '"23.05"')] == [True, True, False]
    both = '(p.hello.overrideAttrs (_: { A = "1"; env.A = "2"; })).drvPath'
    assert "overlapping: A" in refusal(NEWEST, both)


@pytest.mark.slow
def test_attributes_are_overridden_by_a_function_of_one_argument_everywhere() -> None:
    changes = {
        'old: { A = "${old.pname}"; }': (True, True),
        '{ A = "hello"; }': (False, True),
        'final: prev: { A = "${prev.pname}"; }': (False, True),
    }
    for change, (old, new) in changes.items():
        expression = f"(p.hello.overrideAttrs ({change})).drvAttrs.A"
        for age, there in ((OLDEST, old), (NEWEST, new)):
            if there:
                assert at(age, expression) == "hello"
            else:
                said = refusal(age, expression)
                assert re.search(f"not a function but a set|{NO_SET}", said)
    assert re.search(
        NO_SET, refusal(OLDEST, '(p.stdenv.mkDerivation (final: { name = "x"; })).drvPath')
    )


@pytest.mark.slow
def test_the_newest_torch_exports_nothing_but_its_env() -> None:
    torch = "p.python3Packages.torch"
    switches = f"[ ({torch}.drvAttrs.__structuredAttrs or false) ({torch}.drvAttrs ? USE_NCCL) ]"
    assert at('"26.05"', switches) == [False, True]
    assert at(NEWEST, switches) == [True, False]
    assert at(NEWEST, f"{torch}.drvAttrs.env.USE_NCCL") == "0"


# Fetchers


@pytest.mark.parametrize(
    ("feature", "call", "said"),
    [
        ("gitHash", f'fetchgit {{ url = "u"; rev = "r"; hash = "{HASH}"; }}', "argument 'hash'"),
        (
            "gitHash",
            'fetchFromGitHub { owner = "o"; repo = "r"; rev = "v"; fetchSubmodules = true; '
            f'hash = "{HASH}"; }}',
            "argument 'hash'",
        ),
        ("patchHash", f'fetchpatch {{ url = "u"; hash = "{HASH}"; }}', "'sha256' missing"),
        (
            "patchRelative",
            f'fetchpatch {{ url = "u"; sha256 = "{HASH}"; relative = "a"; }}',
            "argument 'relative'",
        ),
        (
            "githubTag",
            f'fetchFromGitHub {{ owner = "o"; repo = "r"; tag = "v"; hash = "{HASH}"; }}',
            "without required argument 'rev'",
        ),
        ("fetchpatch2", f'fetchpatch2 {{ url = "u"; hash = "{HASH}"; }}', "'fetchpatch2' missing"),
    ],
)
def test_fetchers_take_what_they_know_at_that_age(feature: str, call: str, said: str) -> None:
    assert said in refusal(OLDEST, f"(p.{call}).drvPath")
    assert said in refusal(without(feature), f"(p.{call}).drvPath")
    assert at(NEWEST, f"(p.{call}).drvPath").endswith(".drv")


@pytest.mark.slow
def test_the_old_spellings_work_at_every_age_and_give_the_same() -> None:
    calls = """
      let
        github = given: p.fetchFromGitHub ({ owner = "o"; repo = "r"; } // given);
        sha256 = "HASH";
      in map (drv: drv.outPath) [
        (github { rev = "refs/tags/v1"; inherit sha256; })
        (github { rev = "refs/tags/v1"; hash = sha256; })
        (github { rev = "v1"; inherit sha256; fetchSubmodules = true; })
        (p.fetchgit { url = "u"; rev = "r"; inherit sha256; })
        (p.fetchpatch { url = "u"; inherit sha256; })
      ]
    """.replace("HASH", HASH)
    for age in (OLDEST, NEWEST):
        first, second, *_ = at(age, calls)
        assert first == second
    probes = "map (f: lib.functionArgs f ? hash) [ p.fetchgit ] ++ [ (p ? fetchpatch2) ]"
    assert at(OLDEST, probes) == [False, False]
    assert at(NEWEST, probes) == [True, True]
    probes = (
        "[ (lib.functionArgs p.fetchFromGitHub ? tag) (lib.functionArgs p.fetchpatch ? relative) ]"
    )
    assert at(OLDEST, probes) == [False, False]
    assert at(NEWEST, probes) == [True, True]


# Package sets

METHODS = """lib.mapAttrs (_: set: lib.filter (method: set ? ${method}) [
  "extend" "override" "overrideScope" "overrideScope'"
]) {
  inherit (p) beamPackages gst_all_1 haskellPackages linuxPackages llvmPackages luaPackages
    ocamlPackages perlPackages python3Packages qt5 rPackages rubyPackages cudaPackages;
  erlang = p.beam.packages.erlang;
}"""


def test_each_kind_of_set_is_changed_as_it_was_then() -> None:
    assert at(OLDEST, METHODS) == {
        "beamPackages": [],
        "cudaPackages": ["override"],
        "erlang": ["extend", "override"],
        "gst_all_1": ["override"],
        "haskellPackages": ["extend", "override"],
        "linuxPackages": ["extend"],
        "llvmPackages": ["extend", "override"],
        "luaPackages": ["extend", "override"],
        "ocamlPackages": ["overrideScope", "overrideScope'"],
        "perlPackages": ["override"],
        "python3Packages": ["override"],
        "qt5": ["override", "overrideScope", "overrideScope'"],
        "rPackages": ["override"],
        "rubyPackages": [],
    }
    assert at(NEWEST, METHODS) == {
        "beamPackages": ["extend", "override"],
        "cudaPackages": ["override", "overrideScope"],
        "erlang": ["extend", "override"],
        "gst_all_1": ["override"],
        "haskellPackages": ["extend", "override"],
        "linuxPackages": ["extend"],
        "llvmPackages": ["overrideScope"],
        "luaPackages": ["overrideScope"],
        "ocamlPackages": ["overrideScope"],
        "perlPackages": ["overrideScope"],
        "python3Packages": ["override", "overrideScope"],
        "qt5": ["override", "overrideScope"],
        "rPackages": ["override"],
        "rubyPackages": [],
    }


def test_llvm_was_two_sets_of_which_one_can_be_extended() -> None:
    members = """builtins.filter (name: set ? ${name}) [ "clang" "libcxx" "libraries" ]"""
    extended = f"let set = p.llvmPackages.extend (_: _: {{ }}); in {members}"
    assert at(OLDEST, f"let set = p.llvmPackages; in {members}") == ["clang", "libcxx", "libraries"]
    assert at(OLDEST, extended) == ["clang"]
    scope = f"let set = p.llvmPackages.overrideScope (_: _: {{ }}); in {members}"
    assert at(NEWEST, scope) == ["clang", "libcxx"]


@pytest.mark.slow
def test_override_scope_changed_the_order_of_its_arguments() -> None:
    given = "(a: b: { isPrev = a ? isPrev; mark = b ? mark; seen = [ (a ? mark) (b ? mark) ]; })"
    seen = f"(p.ocamlPackages.overrideScope {given}).seen"
    for age in (OLDEST, '"23.05"'):
        assert at(age, seen) == [False, True]  # the end of all overlays is the second
    for age in ('"23.11"', NEWEST):
        assert at(age, seen) == [True, False]
    primed = f"(p.ocamlPackages.overrideScope' {given}).seen"
    for age in (OLDEST, '"23.11"', '"24.11"'):
        assert at(age, primed) == [True, False]
    assert "missing" in refusal('"25.05"', primed)
    # A spliced set never had the other order.
    assert at('"23.05"', f"(p.perlPackages.overrideScope {given}).seen") == [True, False]


@pytest.mark.slow
def test_overrides_of_perl_get_nixpkgs_and_those_of_r_are_a_set() -> None:
    perl = "(p.perlPackages.override { overrides = pkgs: { found = pkgs ? perlPackages; }; }).found"
    assert at(OLDEST, perl) is True
    r = "(p.rPackages.override { overrides = { found = 1; }; }).found"
    assert [at(age, r) for age in (OLDEST, NEWEST)] == [1, 1]
    taken = "lib.functionArgs p.SET.override ? overrides"
    for name, takes in (("perlPackages", True), ("luaPackages", True), ("gst_all_1", False)):
        assert at(OLDEST, taken.replace("SET", name)) is takes
    assert "argument 'overrides'" in refusal(
        OLDEST, "(p.gst_all_1.override { overrides = _: _: { }; }).gstreamer.drvPath"
    )


@pytest.mark.slow
def test_an_old_python_looks_at_no_extensions() -> None:
    overlay = """(final: prev: {
      pythonPackagesExtensions = prev.pythonPackagesExtensions or [ ] ++ [
        (f: p: { numpy = p.numpy.overrideAttrs (old: { mark = 1; }); })
      ];
    })"""
    mark = "p.python3Packages.numpy.mark or null"
    assert at(OLDEST, mark, overlay) is None
    assert at('"22.11"', mark, overlay) == 1
    assert [at(age, "p ? pythonPackagesExtensions") for age in (OLDEST, NEWEST)] == [False, True]


def test_an_interpreter_is_overridden_with_itself_at_the_end_of_overlays() -> None:
    overlay = """(final: prev: {
      python38 = prev.python38.override {
        packageOverrides = f: p: { numpy = p.numpy.overrideAttrs (old: { mark = 1; }); };
        self = final.python38;
      };
    })"""
    sets = "[ p.python3Packages p.python38Packages p.python3.pkgs p.python37Packages ]"
    marks = f"map (set: set.numpy.mark or null) {sets}"
    assert at(OLDEST, marks, overlay) == [1, 1, 1, None]


@pytest.mark.slow
def test_torch_and_cuda_have_the_names_of_their_time() -> None:
    assert at(OLDEST, 'map (n: p.python3Packages ? ${n}) [ "torch" "pytorch" ]') == [False, True]
    assert at(NEWEST, 'map (n: p.python3Packages ? ${n}) [ "torch" "pytorch" ]') == [True, True]
    taken = "map (n: lib.functionArgs p.python3Packages.pytorch.override ? ${n}) "
    names = '[ "gpuTargets" "cudaArchList" ]'
    assert at(OLDEST, taken + names) == [False, True]
    assert at(NEWEST, taken + names) == [True, False]
    assert at(OLDEST, "builtins.attrNames p.cudaPackages")[:3] == [
        "cudatoolkit_10_0",
        "cudatoolkit_10_1",
        "cudatoolkit_10_2",
    ]
    assert at('"24.11"', "p.cudaPackages.cudaMajorMinorVersion") == "12.4"


# The library and platforms


@pytest.mark.slow
def test_the_library_grows() -> None:
    names = """lib.filter (name: lib ? ${name}) [
      "assertMsg" "throwIf" "warnIf" "toExtension" "makeScopeWithSplicing'" "versionOlder"
    ]"""
    assert at(OLDEST, names) == ["assertMsg", "versionOlder"]
    assert at('"21.05"', names) == ["assertMsg", "warnIf", "versionOlder"]
    assert len(at(NEWEST, names)) == 6
    asserted = 'assert lib.assertMsg false "in words"; 1'
    assert "error: in words" not in refusal(OLDEST, asserted)
    assert "error: in words" in refusal('"22.05"', asserted)


@pytest.mark.slow
def test_the_processor_is_read_where_it_was_read_then() -> None:
    new, old = "gcc.arch", "platform.gcc.arch"
    reached = """(import <nixpkgs> {
      age = AGE; localSystem = { system = "x86_64-linux"; PLACE = "skylake"; };
    }).stdenv.march or null"""
    for age, place, value in (
        (OLDEST, old, "skylake"),
        (OLDEST, new, None),
        (NEWEST, new, "skylake"),
        (NEWEST, old, None),
    ):
        assert model_value(reached.replace("AGE", age).replace("PLACE", place)) == value
    with pytest.raises(NixError, match="not both"):
        model_value('(import <nixpkgs> { system = "x86_64-linux"; localSystem = "x"; }).hello')


def test_what_is_built_for_another_machine_is_built_on_this_one() -> None:
    cross = """
      let p = import <nixpkgs> {
        localSystem = "x86_64-linux"; crossSystem.config = "aarch64-unknown-linux-gnu";
      }; in [ p.hello.system p.hello.stdenv.hostPlatform.system (p.hello.drvPath == NATIVE) ]
    """.replace("NATIVE", '(import <nixpkgs> { system = "x86_64-linux"; }).hello.drvPath')
    assert model_value(cross) == ["x86_64-linux", "aarch64-linux", False]


# How recipes are tried


@pytest.mark.slow
def test_what_becomes_of_a_recipe_is_told_apart(tmp_path: Path) -> None:
    recipes = {
        "landed": 'hello.overrideAttrs (_: { MARK = "1"; })',
        "below": 'hello.overrideAttrs (_: { x = hello.overrideAttrs (_: { MARK = "1"; }); })',
        "silent": 'hello.overrideAttrs (_: { passthru.MARK = "1"; })',
        "said": 'assert hello ? none || throw "`hello` has none"; hello',
        "within": 'hello.overrideAttrs (_: { x = throw "not here"; })',
        "riddle": "hello.none",
        "coerced": "hello.overrideAttrs (_: { x = { }; })",
        "loop": "let x = hello.overrideAttrs (_: { inherit x; }); in x",
        "refused": "hello.overrideAttrs (_: { meta.broken = true; })",
    }
    asked = {}
    for name, text in recipes.items():
        path = tmp_path / f"{name}.nix"
        path.write_text(f"{{ hello }}: {text}", encoding="utf-8")
        asked[name] = Asked(path, "20.09", ("MARK",), 1 if name == "below" else 0)
    asked["above"] = Asked(asked["below"].file, "20.09", ("MARK",), 0)
    asked["both"] = Asked(asked["landed"].file, "20.09", ("MARK", "OTHER"), 0)
    found = outcomes(asked)
    landed = {name for name, outcome in found.items() if outcome.landed}
    assert landed == {"landed", "below"}
    assert {name for name, outcome in found.items() if outcome.drv_path} == {
        *landed, "silent", "above", "both"
    }  # fmt: skip
    assert found["said"].said == ("`hello` has none",)
    assert found["within"].said == ("not here",)
    assert "'none' missing" in found["riddle"].error
    assert "cannot coerce" in found["coerced"].error
    assert re.search("infinite recursion|overflow", found["loop"].error)
    assert "is marked as broken" in found["refused"].error
    assert all(
        not outcome.said for name, outcome in found.items() if name not in ("said", "within")
    )
