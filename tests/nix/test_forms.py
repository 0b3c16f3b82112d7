"""Real Nix on a nixpkgs of a few lines, old and new: what is written lands, or fails in words."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from tempfile import mkdtemp

import pytest

from support.alone import emit, one_by_one
from support.compile import compile_text, messages
from support.nix import requires_nix

pytestmark = [pytest.mark.nix, requires_nix]

# A package is a set of attributes; `env` is lifted as stdenv does it, or as an old one refuses it.
NIXPKGS = """
{ system, config, overlays }:
let
  new = NEW;
  lib = {
    trivial.release = "RELEASE";
    versionAtLeast = a: b: builtins.compareVersions a b >= 0;
    functionArgs = f: f.__functionArgs or (builtins.functionArgs f);
    composeExtensions = f: g: final: prev:
      let first = f final prev; in first // g final (prev // first);
    mapAttrs = builtins.mapAttrs;
    toList = x: if builtins.isList x then x else [ x ];
    remove = x: builtins.filter (y: y != x);
    filterAttrs = keep: set: builtins.listToAttrs (builtins.concatMap
      (name: if keep name set.${name} then [ { inherit name; value = set.${name}; } ] else [ ])
      (builtins.attrNames set));
  } // (if new then { "makeScopeWithSplicing'" = null; } else { });
  extends = overlay: f: final: let prev = f final; in prev // overlay final prev;
  fix = f: let x = f x; in x;
  drv = attrs: rec {
    drvAttrs = if new then removeAttrs attrs [ "env" ] else attrs;
    said = if attrs ? env && !new then builtins.seq attrs.env (throw "cannot coerce a set")
      else removeAttrs attrs [ "env" ] // attrs.env or { };
    overrideAttrs = f: drv (attrs // f attrs);
  };
  scope = f: let self = f self; in self // {
    overrideScope = if new then o: scope (extends o f)
      else o: scope (extends (a: b: o b a) f);
  } // (if new then { } else { "overrideScope'" = o: scope (extends o f); });
  python = final: { packageOverrides ? (_: _: { }), self }@args: {
    pkgs = fix (builtins.foldl' (f: o: extends o f) (_: { numpy = drv { a = "1"; }; })
      ([ packageOverrides ] ++ (if new then final.pythonPackagesExtensions else [ ])));
    override = change: python final (args // change args);
  };
  all = final: {
    inherit lib;
    stdenv = { hostPlatform.system = "x86_64-linux"; mkDerivation = drv; };
    hello = drv { a = "1"; };
    odd = { };
    text = "text";
    kinds = drv {
      name = "kinds";
      list = [ "a" "b" ]; text = "c"; empty = null; truth = true; one = { outPath = "/p"; };
      phases = "a"; file = ./default.nix; files = [ ./default.nix ]; set = { k = 1; };
      patches = ./default.nix; buildPhase = ./default.nix; NIX_CFLAGS_COMPILE = [ "-g" "-O" ];
    };
    nulls = drv { patches = null; postPatch = null; preConfigure = [ "a" "b" ]; buildPhase = "c"; };
    qt5 = scope (self: { qtbase = drv { a = "1"; }; });
    plain.thing = drv { a = "1"; };
    python38 = python final { self = final.python38; };
    python3 = final.python38;
    python3Packages = final.python38.pkgs;
    fetchgit = if new then { hash, url ? "" }: hash else { sha256, url ? "" }: sha256;
    fetchFromGitHub = if new then { owner, repo, hash ? "", tag ? null, rev ? null }: "t${tag}"
      else { owner, repo, hash ? "", rev }: "r${rev}";
    fetchpatch = if new then { url, hash, relative ? "" }: hash else { url, sha256 }: sha256;
  } // (if new then { pythonPackagesExtensions = [ ]; } else { });
in
fix (builtins.foldl' (f: o: extends o f) all overlays)
"""

SRI = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="

# The package, what stands beside the recipe and in it, and what its derivation says then.
CASES = {
    "env": ("hello", "", 'env { MARK = "1" }'),
    "tag": ("hello", "", f'attrs {{ MARK = github("a/b", tag = "v1", hash = "{SRI}") }}'),
    "overlay": ("hello", 'overlay o for hello { MARK = "1" }', ""),
    "python": ("python3Packages.numpy", 'overlay o for python3Packages.numpy { MARK = "1" }', ""),
    "scope": ("qt5.qtbase", 'overlay o for qt5.qtbase { MARK = "1" }', ""),
    "update": ("plain.thing", 'overlay o for plain.thing { via = update, MARK = "1" }', ""),
    "patch": ("hello", f'patch o for hello {{ url = "MARK", hash = "{SRI}" }}', ""),
}  # fmt: skip


def judged(
    tmp_path: Path, nixpkgs: str, stated: str, package: str, top: str, inner: str
) -> tuple[dict[str, object], str]:
    """What the recipe's derivation says on a *nixpkgs* of this release, or the error."""
    said, error = evaluated(tmp_path, [written(tmp_path, nixpkgs, stated, package, top, inner)])
    return (said[0] if said else {}), error


def written(tmp_path: Path, nixpkgs: str, stated: str, package: str, top: str, inner: str) -> str:
    """The recipe in a folder of its own, as Nix text for what its derivation says on a *nixpkgs*
    of this release."""
    top = top.replace('url = "MARK"', 'url = "https://e.org/MARK"')
    made = compile_text(f"""
pin p {{
  github = "NixOS/nixpkgs", rev = "cd63096d6d887d689543a0b97743d28995bc9bc3", hash = "{SRI}"
  {stated}
}}
{top}
recipe r {{
  package = pkgs.{package}
  overlays = [{"o" if top else ""}]
  {inner}
}}
variant v {{ recipe = r }}
output nix {{ file = "v.nix" }}
""")
    files = list(emit(one_by_one(made), made.file))
    assert not made.sink.has_errors, messages(made)
    new = "true" if nixpkgs == "26.05" else "false"
    folder = Path(mkdtemp(dir=tmp_path))
    (folder / "default.nix").write_text(
        NIXPKGS.replace("NEW;", f"{new};").replace("RELEASE", nixpkgs), encoding="utf-8"
    )
    (folder / "v.nix").write_text(files[0].text, encoding="utf-8")
    fetched = f"builtins // {{ fetchTarball = _: {folder}; }}"
    return f"""
      (builtins.scopedImport {{ builtins = {fetched}; }} {folder}/v.nix
        {{ pkgs.stdenv.hostPlatform.system = "x86_64-linux"; }}).said
    """


def evaluated(tmp_path: Path, texts: Sequence[str]) -> tuple[list[dict[str, object]], str]:
    """What one Nix makes of all *texts*, or the error of the first that fails."""
    listed = " ".join(f"({text})" for text in texts)
    done = subprocess.run(
        ["nix-instantiate", "--eval", "--strict", "--json", "--expr", f"[ {listed} ]"],
        capture_output=True, text=True, check=False,
        env={**os.environ, "NIX_STATE_DIR": str(tmp_path / "state")},
    )  # fmt: skip
    if done.returncode:
        return [], done.stderr
    said: list[dict[str, object]] = json.loads(done.stdout)
    return said, ""


@pytest.mark.parametrize("nixpkgs", ["20.09", "26.05"])
def test_what_is_written_lands_where_the_release_is_stated(tmp_path: Path, nixpkgs: str) -> None:
    stated = f"release = {nixpkgs}"
    texts = [written(tmp_path, nixpkgs, stated, *case) for case in CASES.values()]
    found, error = evaluated(tmp_path, texts)
    assert not error
    said = dict(zip(CASES, found, strict=True))
    assert said.pop("patch")["patches"] == [SRI]
    assert said.pop("tag")["MARK"] == ("tv1" if nixpkgs == "26.05" else "rrefs/tags/v1")
    assert [name for name, one in said.items() if one["MARK"] != "1"] == []


@pytest.mark.once
@pytest.mark.parametrize("nixpkgs", ["20.09", "26.05"])
@pytest.mark.parametrize("case", CASES)
def test_what_is_written_lands_or_says_why_where_nothing_is_stated(
    tmp_path: Path, case: str, nixpkgs: str
) -> None:
    said, error = judged(tmp_path, nixpkgs, "", *CASES[case])
    if nixpkgs == "26.05" or case in ("overlay", "update"):
        assert not error
        assert "MARK" in said or said["patches"] == [SRI]
    else:
        assert "state the `release` of the pin" in error


@pytest.mark.once
@pytest.mark.parametrize(
    ("package", "top", "inner", "sentence"),
    [
        ("hello", 'overlay o for gone { A = "1" }', "", "overlay `o`: this nixpkgs has no `gone`"),
        ("odd", "", 'attrs { A = "1" }', "this nixpkgs has no package `odd` with `.overrideAttrs`"),
        ("gone", "", 'attrs { A = "1" }', "this nixpkgs has no package `gone`"),
        ("python3Packages.gone", 'overlay o for python3Packages.gone { A = "1" }', "",
         "overlay `o`: this nixpkgs has no package `gone` with `.overrideAttrs`"),
        # Nobody but the recipe looks at these.
        ("hello", 'overlay o for python3Packages.gone { A = "1" }', "",
         "overlay `o`: this nixpkgs has no package `gone` with `.overrideAttrs`"),
        ("hello", 'overlay o for plain.gone { via = update, A = "1" }', "",
         "overlay `o`: this nixpkgs has no package `plain.gone` with `.overrideAttrs`"),
        ("hello", 'patch o for qt5.gone { file = path("./v.nix") }', "",
         "patch `o`: this nixpkgs has no package `qt5.gone` with `.overrideAttrs`"),
        ("hello", 'overlay o for python3Packages.numpy.pkgs.thing { via = update, A = "1" }', "",
         "overlay `o`: this nixpkgs has no `python3Packages.numpy.pkgs`"),
        ("hello", "overlay o in plain { via = extend, a = 1 }", "",
         "overlay `o`: `plain` of this nixpkgs has no `.extend`"),
        *(
            ("hello", f"overlay o {relation} {{ a = 1 }}", "",
             "overlay `o`: this nixpkgs has no `octavePackages`")
            for relation in ("in octavePackages", "for octavePackages.thing")
        ),
        ("plain.thing", 'overlay o for plain.thing { A = "1" }', "",
         "overlay `o`: `plain` of this nixpkgs has no `.overrideScope`"),
        ("plain.thing", 'overlay o for plain.thing { via = extend, A = "1" }', "",
         "overlay `o`: `plain` of this nixpkgs has no `.extend`"),
        ("plain.thing", 'overlay o for plain.thing { via = override, A = "1" }', "",
         "overlay `o`: `plain` of this nixpkgs has no `.override`"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("nixpkgs", ["20.09", "26.05"])
def test_what_is_not_there_is_told_in_words(
    tmp_path: Path, nixpkgs: str, package: str, top: str, inner: str, sentence: str
) -> None:
    _, error = judged(tmp_path, nixpkgs, f"release = {nixpkgs}", package, top, inner)
    assert sentence in error


SCRIPTS = 'script postPatch { part x "x" }, script preConfigure { part x "x" }'


NULLS: list[tuple[str, str, dict[str, object]]] = [
    ("", 'attrs { patches += ["x"] }', {"patches": ["x"]}),
    ("", 'attrs { patches -= ["x"] }', {"patches": []}),
    (f'patch o for nulls {{ url = "MARK", hash = "{SRI}" }}', "", {"patches": [SRI]}),
    ("", SCRIPTS.replace(", ", "\n") + "\nscript buildPhase { part x \"x\" }",
     {"postPatch": "x", "preConfigure": "a bx", "buildPhase": "cx"}),
    (f"overlay o for nulls {{ {SCRIPTS} }}", "",
     {"postPatch": "x", "preConfigure": "a bx"}),
    ('overlay o for nulls { patches += ["x"] }', "", {"patches": ["x"]}),
]  # fmt: skip


def test_null_is_as_empty_and_a_script_that_is_a_list_is_as_its_builder_gets_it(
    tmp_path: Path,
) -> None:
    stated = ("26.05", "release = 26.05", "nulls")
    found, error = evaluated(tmp_path, [written(tmp_path, *stated, *row[:2]) for row in NULLS])
    assert not error
    for (_, _, expected), said in zip(NULLS, found, strict=True):
        assert {key: said.get(key) for key in expected} == expected


ADDED: list[tuple[str, dict[str, object]]] = [
    ('attrs { list += ["x"] }', {"list": ["a", "b", "x"]}),
    ('attrs { text += ["x"] }', {"text": ["c", "x"]}),
    ('attrs { empty += ["x"] }', {"empty": ["x"]}),
    ('attrs { new += ["x"] }', {"new": ["x"]}),
    ('attrs { one += ["x"] }', {"one": ["/p", "x"]}),
    ('attrs { list += nix"""map (name: pkgs.${name}) {{["text"]}}""" }',
     {"list": ["a", "b", "text"]}),
    ('attrs { list -= ["a"] }', {"list": ["b"]}),
    ('attrs { empty -= ["a"] }', {"empty": []}),
    ('attrs { outputs += ["dev"] }', {"outputs": ["out", "dev"]}),
    ('attrs { phases += ["x"] }', {"phases": ["a", "x"]}),
    ('attrs { list += ["x"], list -= ["b"] }', {"list": ["a", "x"]}),
    ('attrs { NIX_CFLAGS_COMPILE = "{{old.NIX_CFLAGS_COMPILE}} -w" }',
     {"NIX_CFLAGS_COMPILE": "-g -O -w"}),
    ('attrs { a = "{{old.list}}/{{old.text}}/{{old.empty}}/{{old.truth}}/{{old.gone}}" }',
     {"a": "a b/c//1/"}),
    ('attrs { __structuredAttrs = true, set += { l = 2 } }', {"set": {"k": 1, "l": 2}}),
    ('attrs { __structuredAttrs = true, fresh.l = 2 }', {"fresh": {"l": 2}}),
]  # fmt: skip


def test_what_a_package_has_is_added_to_whatever_its_kind(tmp_path: Path) -> None:
    """In the recipe and in an overlay, on an old nixpkgs and on a new one."""
    tried, texts = [], []
    for nixpkgs, (inner, expected) in product(("20.09", "26.05"), ADDED):
        stated = f"release = {nixpkgs}"
        overlay = f"overlay o for kinds {inner.removeprefix('attrs ')}"
        for top, own in (("", inner), (overlay, "")):
            tried.append((nixpkgs, top or own, expected))
            texts.append(written(tmp_path, nixpkgs, stated, "kinds", top, own))
    found, error = evaluated(tmp_path, texts)
    assert not error
    wrong = [
        (*row, said)
        for row, said in zip(tried, found, strict=True)
        if {key: said.get(key) for key in row[2]} != row[2]
    ]
    assert wrong == []


@pytest.mark.parametrize("name", ["file", "files", "patches", "buildPhase"])
def test_a_file_of_a_package_is_copied_for_its_builder(tmp_path: Path, name: str) -> None:
    inner = f'attrs {{ a = "{{{{old.{name}}}}} x" }}'
    if name == "buildPhase":
        inner = 'script buildPhase { part x " x" }'
    said, error = judged(tmp_path, "26.05", "release = 26.05", "kinds", "", inner)
    assert not error
    text = said["buildPhase" if name == "buildPhase" else "a"]
    assert isinstance(text, str)
    assert re.fullmatch(r"/nix/store/\w+-default\.nix x", text)


@pytest.mark.parametrize(
    ("top", "inner", "sentence"),
    [
        ("", 'attrs { text -= ["c"] }',
         "`text` of `kinds` is of the kind `string`; `-=` takes from a list"),
        ('overlay o for kinds { text -= ["c"] }', "",
         "overlay `o`: `text` of `kinds` is of the kind `string`; `-=` takes from a list"),
        ("", 'attrs { installTargets += ["x"] }',
         "`installTargets`: `kinds` has none of its own, but nixpkgs' default; write it with `=`"),
        ('overlay o for kinds { patchFlags -= ["-p1"] }', "",
         "overlay `o`: `patchFlags`: `kinds` has none of its own"),
        ("", "attrs { list += { a = 1 } }",
         "`list`: the attributes of `kinds` are not structured, so its builder gets no set"),
        ("", "attrs { fresh = { a = 1 } }",
         "`fresh`: the attributes of `kinds` are not structured"),
        ("", "attrs { fresh = [[{ a = 1 }]] }",
         "`fresh`: the attributes of `kinds` are not structured"),
        ("", "attrs { __structuredAttrs = true, list.a = 1 }",
         "`list` of `kinds` is of the kind `list`; keys are added to a set that is no package"),
        ("", "attrs { __structuredAttrs = true, one.a = 1 }",
         "`one` of `kinds` is of the kind `set`; keys are added to a set that is no package"),
        ('overlay o { text += ["x"] }', "attrs { a = pkgs.text }",
         "overlay `o`: `text` of this nixpkgs is of the kind `string`; `+=` adds to a list"),
        ("overlay o { text.a = 1 }", "attrs { a = pkgs.text.a }",
         "overlay `o`: `text` of this nixpkgs is of the kind `string`; keys are added to a set"),
    ],
)  # fmt: skip
def test_what_cannot_be_added_to_is_told_with_its_kind(
    tmp_path: Path, top: str, inner: str, sentence: str
) -> None:
    _, error = judged(tmp_path, "26.05", "release = 26.05", "kinds", top, inner)
    assert sentence in error


def test_a_number_has_no_attributes(tmp_path: Path) -> None:
    # `1.x` would be a number and a name. The words are those of each Nix.
    _, error = judged(
        tmp_path, "26.05", "release = 26.05", "kinds", "", 'attrs { a = nix"""1""".x }'
    )
    assert "an integer" in error
    assert "a set" in error


def test_lists_of_one_kind_everywhere_are_added_to_as_they_are() -> None:
    made = compile_text("""
recipe r {
  package = pkgs.hello
  pin     = none
  attrs { buildInputs += [pkgs.zlib], cmakeFlags += ["-DA=1"], a = "{{old.version}}" }
}
variant v { recipe = r }
output nix { file = "v.nix" }
""")
    text = next(iter(emit(one_by_one(made), made.file))).text
    assert "buildInputs = (old.buildInputs or [ ]) ++ [" in text
    assert "cmakeFlags = (old.cmakeFlags or [ ]) ++ [" in text
    assert '"${old.version or ""}"' in text
    assert "{ hello, zlib }:" in text


def test_a_release_that_is_not_the_pins_is_told(tmp_path: Path) -> None:
    _, error = judged(tmp_path, "20.09", "release = 26.05", "hello", "", 'attrs { A = "1" }')
    assert "pin `p` states release 26.05, its nixpkgs is of 20.09" in error
