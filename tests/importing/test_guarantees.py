"""What `tvarc import` promises: nothing runs, nothing is lost, and what is written is proven."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from support.byhand import STYLES
from support.command import tvarc
from support.effort import sampled
from support.families import ISAS, ODD, codecs, family, planted, put
from support.library_cache import library_cache
from support.nix import requires_nix
from support.recipes import evaluate
from tvarc.advice.library.tables import load_library
from tvarc.byhand.importing import imported
from tvarc.byhand.importing.folder import Choices, HandMade
from tvarc.byhand.importing.imported import import_recipes
from tvarc.byhand.importing.program import Written, write_program
from tvarc.byhand.importing.tables import tables_of
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir

PROGRAM = "variants.tvar"


def told(folder: Path, *more: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(tvarc("import", str(folder), "--json", *more).stdout)
    return data


def program() -> str:
    return Path(PROGRAM).read_text(encoding="utf-8")


def of_one(here: Path, recipe: str) -> str:
    """The program of one recipe, which is imported without a fault, with a blank for all white
    space."""
    tvarc("import", str(put(here, {"pkgs/hello.nix": recipe})), code=0)
    return re.sub(r"\s+", " ", program())


# --- 1: no Nix, the same bytes, in the one layout, without an error ------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_each_style_is_imported(style: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("an import runs nothing")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    folder = put(here, family(style))
    before = {path: path.read_bytes() for path in here.rglob("*.nix")}
    tvarc("import", "pkgs", code=0)
    first = program()
    assert "axis gpu = nvidia[sm80, sm90, sm100, sm120]" in first
    assert "isa.flags" in first and "gpu.capability" in first
    assert tvarc("fmt", "--check").exit_code == 0
    assert "12 variants, 0 errors" in tvarc("check").output
    assert tvarc("import", str(folder), "-o", "again.tvar").exit_code == 0
    assert Path("again.tvar").read_text(encoding="utf-8") == first
    assert {path: path.read_bytes() for path in here.rglob("*.nix")} == before


def crossed() -> dict[str, str]:
    """Recipes of which three axes are known by their rows alone."""
    colours = {"red": "cherry", "green": "lime", "blue": "plum"}
    sizes = {"tiny": "watch", "huge": "hall", "middle": "desk"}
    hosts = {"here": "cellar", "there": "roof", "beyond": "moon"}
    return {
        f"pkgs/app-{colour}-{size}-{host}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        f'  fruit = "{fruit}";\n  note = "{note}";\n  place = "{place}";\n}})\n'
        for colour, fruit in colours.items()
        for size, note in sizes.items()
        for host, place in hosts.items()
    }


@pytest.mark.slow
def test_neither_hashes_nor_a_locale_nor_an_order_decides(here: Path) -> None:
    put(here, {**family("chain"), **codecs(), **crossed()})
    made: list[str] = []
    for number, (seed, locale) in enumerate((("1", "C"), ("2", "C.UTF-8"), ("3", "tr_TR.UTF-8"))):
        out = f"{number}.tvar"
        environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": locale}
        command = [sys.executable, "-m", "tvarc", "import", "pkgs", "-o", out]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        made.append(Path(out).read_text(encoding="utf-8"))
    assert made[0] == made[1] == made[2]
    cache, folder = library_cache(), stdlib_dir()
    tables = tables_of(load_library(DiskLoader(folder), cache))
    texts = sorted((path.stem, path.read_text()) for path in (here / "pkgs").glob("*.nix"))
    files = [HandMade(f"{name}.nix", name, text) for name, text in texts]
    for some in (files, files[::-1]):
        found = import_recipes(
            some, lambda *_: "none", tables, Choices("keep", (), "pkgs"), folder, cache
        )
        assert found.text == made[0]


@pytest.mark.slow
@requires_nix
@pytest.mark.nix
@pytest.mark.once
@pytest.mark.parametrize("style", STYLES)
def test_what_is_built_is_the_same_derivation(style: str, here: Path) -> None:
    put(here, family(style))
    assert tvarc("import", "pkgs").exit_code == 0
    assert tvarc("build", "--out", "built", "--no-git").exit_code == 0
    by_hand = {path.stem: path for path in (here / "pkgs").glob("*.nix")}
    built = {path.stem: path for path in (here / "built").rglob("*.nix")}
    assert len(by_hand) == 12 and set(built) == set(by_hand)
    wanted, made = evaluate(by_hand), evaluate(built)
    for name in by_hand:
        assert made[name]["drvPath"] == wanted[name]["drvPath"], name


# --- 2: every file is imported, or listed --------------------------------------------------------


@pytest.mark.slow
def test_every_file_is_imported_or_listed_with_reason_and_line(here: Path) -> None:
    files = family("chain")
    files["pkgs/broken.nix"] = "{ pkgs }:\n\n(pkgs.hello.override { a = ; })\n"
    files["pkgs/other.nix"] = "{ pkgs }:\nimport ./gone.nix\n"
    files["pkgs/set.nix"] = "{\n  a = 1;\n}\n"
    files["pkgs/more/hello.nix"] = "{ pkgs }: pkgs.hello.overrideAttrs (old: { a = 1; })\n"
    folder = put(here, files)
    (folder / "link.nix").symlink_to("broken.nix")
    data = told(folder)
    assert {one["file"]: one["line"] for one in data["left"]} == {
        "broken.nix": 3,
        "link.nix": 1,
        "other.nix": 2,
        "set.nix": 1,
    }
    assert all(one["reason"] for one in data["left"])
    assert len(data["imported"]) == 13
    count = len(list(folder.rglob("*.nix")))
    assert count == len(data["imported"]) + len(data["left"]) + len(data["helpers"])


def test_a_file_that_others_import_is_told_as_theirs(here: Path) -> None:
    files = {
        "pkgs/one-4.nix": 'import ./shared.nix { name = "a"; }\n',
        "pkgs/one-5.nix": 'import ./shared.nix { name = "b"; }\n',
        "pkgs/shared.nix": "{ name }:\n"
        "{ pkgs }: pkgs.hello.overrideAttrs (old: { pname = name; })\n",
    }
    data = told(put(here, files))
    assert data["imported"] == ["one-4.nix", "one-5.nix"]
    assert data["helpers"] == ["shared.nix"] and not data["left"]


# --- 3: proven before it is written --------------------------------------------------------------


@pytest.mark.slow
def test_what_would_be_built_otherwise_is_not_written(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*given: Any) -> Written:
        made = write_program(*given)
        made.text = re.sub(r"(?<=recipe = )pytorch-build(?=,)", _with_fault, made.text)
        return made

    def _with_fault(found: re.Match[str]) -> str:
        return found[0] + ', when gpu == sm90 { attrs { pname = "wrong" } }'

    monkeypatch.setattr(imported, "write_program", wrong)
    data = told(put(here, family("chain")))
    assert [one["file"] for one in data["left"]] == [
        f"pytorch-sm90-{isa}.nix" for isa in ("avx2", "avx512", "avx512vnni")
    ] or not data["imported"]
    assert all("pname" in one["reason"] or "E" in one["reason"] for one in data["left"])
    assert not any("sm90" in name for name in data["imported"])


@pytest.mark.slow
def test_a_program_with_an_error_is_not_written(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*given: Any) -> Written:
        made = write_program(*given)
        made.text += "let x = y\n"
        return made

    monkeypatch.setattr(imported, "write_program", wrong)
    done = tvarc("import", str(put(here, family("chain"))))
    assert done.exit_code == 1 and "error[E961]" in done.output
    assert "has an error: E201" in done.output
    assert not Path(PROGRAM).exists()


# --- 4: what is left out is counted, and what explains is kept -----------------------------------


@pytest.mark.slow
def test_comments_that_explain_are_kept_and_others_are_counted(here: Path) -> None:
    more = """    jobs = oldAttrs.jobs ++ [
      # two
      # cores
      2
    ];
    flags = (oldAttrs.flags or [ ]) ++ [
      # It is
      # slow.
      "-a=1"
      "-b"
    ];
    # The name that the cache has.
    pname"""
    files = {
        path: "# For the machines in the cellar.\n"
        + text.replace("    pname", more)
        .replace("  gpu =", "  unread = 1; # lost\n  gpu =")
        .replace("    cudaSupport", "    # ----- CUDA -----\n    # all of it\n    cudaSupport")
        for path, text in family("chain").items()
    }
    data = told(put(here, files))
    text = program()
    assert "# For the machines in the cellar.\nrecipe pytorch-build {" in text
    assert re.search(r'pname += variant because "The name that the cache has\.\"', text)
    assert re.search(r"# ----- CUDA -----\n +# all of it\n +cudaSupport = true\n", text)
    assert re.search(r'flags +\+= \["-a=1"\] because "It is slow\."\n', text)
    assert re.search(r'flags +\+= \["-b"\]\n', text)
    assert data["comments"] == 12 + 24  # what is behind a setting, and what is before a number
    (unread,) = data["unread"]
    assert unread["name"] == "unread" and len(unread["files"]) == 12


def test_elements_of_one_sign_share_no_reason(here: Path) -> None:
    text = """{ pkgs }:
pkgs.hello.overrideAttrs (old: {
  buildInputs = (old.buildInputs or [ ]) ++ [
    # it is small
    pkgs.zlib
    pkgs.other.zlib
  ];
  nativeBuildInputs = (old.nativeBuildInputs or [ ]) ++ [
    # it unpacks
    pkgs.unzip
  ];
  checkInputs = (old.checkInputs or [ ]) ++ [ pkgs.unzip ];
})
"""
    done = tvarc("import", str(put(here, {"pkgs/hello.nix": text})), "--report", "told.txt")
    made = program()
    assert "it is small" not in made
    assert re.search(r'nativeBuildInputs \+= \[pkgs.unzip\] because "it unpacks"', made), made
    assert re.search(r"checkInputs +\+= \[pkgs.unzip\]\n", made), made
    assert "left out: 1 line of comments" in done.stdout
    assert "hello.nix:4: # it is small\n" in Path("told.txt").read_text(encoding="utf-8")


def test_an_argument_that_is_another_recipe_is_a_need(here: Path) -> None:
    files = {
        "pkgs/base.nix": "{ pkgs }: pkgs.zlib.override { static = true; }\n",
        "pkgs/user.nix": "{ pkgs, base, other }:\n"
        "pkgs.hello.overrideAttrs (old: { buildInputs = [ base other ]; })\n",
    }
    tvarc("import", str(put(here, files)), code=0)
    assert re.search(r"needs base += base\S* by argument", program()), program()
    assert "pkgs.other" in program()
    assert tvarc("build", "--out", "built", "--no-git").exit_code == 0
    (built,) = Path("built").rglob("user.nix")
    assert "  base,\n" in built.read_text(encoding="utf-8")


def test_a_revision_that_git_fetches_is_a_pin(here: Path) -> None:
    revision = "8b27c1239e5c421a2bbc2c65d52e4a6fbf2ff296"
    text = f"""{{ }}:
let
  source = builtins.fetchGit {{
    url = "https://github.com/NixOS/nixpkgs.git";
    ref = "nixos-24.11";
    rev = "{revision}";
  }};
in
(import source {{ }}).hello
"""
    tvarc("import", str(put(here, {"pkgs/hello.nix": text})), code=0)
    assert f'rev = "{revision}"' in program()


def test_words_that_differ_in_prose_are_columns_of_rows(here: Path) -> None:
    boards = {"sm80": "A100 and A30 boards", "sm90": "H100 accelerators", "sm120": "one RTX 5090"}
    hosts = {"avx2": "any desktop", "avx512": "servers by Intel only", "armv9": "hosts with Grace"}
    files = {
        f"pkgs/torch-{gpu}-{isa}.nix": "{ pkgs }: pkgs.hello.overrideAttrs (old: {\n"
        f'  meta = old.meta // {{ description = "Torch for {board}, on {host}."; }};\n}})\n'
        for gpu, board in boards.items()
        for isa, host in hosts.items()
    }
    assert tvarc("import", str(put(here, files))).exit_code == 0
    made = program()
    assert all(made.count(words) == 1 for words in (*boards.values(), *hosts.values())), made
    assert made.count("Torch for") == 1


def _doubled(first: str, twice: str) -> str:
    """A recipe with a name for twice what the name before stands for, forty times over."""
    names = [f"a{number + 1} = {twice.format(f'a{number}')};" for number in range(40)]
    return f"let a0 = {first}; {' '.join(names)} in pkgs.hello.override {{ a = a40; }}"


# --- 5: what cannot be said is kept as Nix, or not imported --------------------------------------


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("doCheck = pkgs.stdenv.isLinux;", "doCheck = pkgs.stdenv.isLinux"),
        ("a = if pkgs.stdenv.isLinux then 1 else 2;", "if pkgs.stdenv.isLinux then 1 else 2"),
        ("a = -3;", "a = -3"),
        ("a = [ (-3) 4 ];", "a = [-3, 4]"),
        ("a = [ 1.50 (-0.5) 1.e3 ];", 'a = [float(1.5), float("-0.5"), float(1000.0)]'),
        ("a = map (x: x + 1) old.list;", "map (x: x + 1) old.list"),
        ("buildInputs = [ pkgs.zlib ] ++ old.buildInputs;", "[ pkgs.zlib ] ++ old.buildInputs"),
        ('a = "${pkgs.zlib}/lib {{x}}";', '"{{pkgs.zlib}}/lib \\{{x}}"'),
        ("meta = { };", "pkgs.hello.overrideAttrs (_: { meta = { }; })"),
        ("a = old.a; meta.x = old.a;", "overrideAttrs (old: { meta = { x = old.a; }; })"),
        ("a = old.meta.x; meta.x = 1;", "a = old.meta.x; meta = { x = 1; };"),
        ("buildInputs = [ 1 ] ++ (old.buildInputs or [ ]);", "[ 1 ] ++ (old.buildInputs or [ ])"),
    ],
)
def test_what_only_nix_knows_is_kept_as_it_is(written: str, kept: str, here: Path) -> None:
    assert kept in of_one(here, f"{{ pkgs }}:\npkgs.hello.overrideAttrs (old: {{ {written} }})\n")


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("m = with lib; with maintainers; [ me ];", '[nix"""lib.maintainers.me or lib.me"""]'),
        ("m = with pkgs; with lib; licenses.mit;", 'm = nix"""lib.licenses.mit"""'),
        ("m = with pkgs; with lib; [ zlib ];", '[nix"""lib.zlib or pkgs.zlib"""]'),
        ("m = with pkgs; with { zlib = 1; }; [ zlib ];", "m = [1]"),
        ("m = with pkgs; with { zstd = 1; }; [ zlib ];", "m = [pkgs.zlib]"),
        ("m = with lib; with { optional = 1; }; optional;", "m = 1"),
        ("m = with { x = 3; }; with lib; optional true x;", 'nix"""lib.x or 3"""'),
    ],
)
def test_a_name_is_of_the_innermost_with_that_has_it(written: str, kept: str, here: Path) -> None:
    recipe = f"{{ pkgs, lib }}:\npkgs.hello.overrideAttrs (old: {{ {written} }})\n"
    assert kept in of_one(here, recipe)


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("lib.singleton pkgs.zlib", "[pkgs.zlib]"),
        ('lib.concatMap (x: [ x "b" ]) [ "a" ]', '["a", "b"]'),
        ('lib.optional ([ ./hello.nix ] != [ ]) "a"', '["a"]'),
        ('lib.optional ([ pkgs.zlib ] == null) "a"', "[]"),
        ('lib.optional (lib.elem "a" [ "b" "a" ]) "c"', '["c"]'),
        ('lib.optional (lib.elem pkgs.a [ "b" ]) "c"', 'lib.elem pkgs.a [ "b" ]'),
        ('[ (lib.boolToString (lib.hasPrefix "a" "ab")) ]', '["true"]'),
        ('[ (lib.boolToString (lib.hasSuffix "a" "ab")) ]', '["false"]'),
        ('[ (lib.boolToString (lib.hasInfix "b" "abc")) ]', '["true"]'),
        ('lib.id [ "a" ]', '["a"]'),
    ],
)
def test_functions_of_the_library_are_worked_out(written: str, made: str, here: Path) -> None:
    recipe = f"{{ pkgs, lib }}:\npkgs.hello.overrideAttrs (old: {{ a = {written}; }})\n"
    tvarc("import", str(put(here, {"pkgs/hello.nix": recipe})), code=0)
    assert made in re.sub(r"\s+", " ", program())


SHA256: Final = "0ssi1wpaf7plaswqqjwigppsg5fyh99vdlb9kzl7c9lng89ndq1i"
SRI: Final = "sha256-MeBmE3qWJnbon2nRtlOC3pWn732RS4y5VvQepy4PUWs="


@pytest.mark.parametrize(
    "named", [f'sha256 = "{SHA256}"', f'sha256 = "{SRI}"', f'hash = "{SHA256}"', 'hash = ""']
)
@pytest.mark.parametrize(
    "fetched",
    [
        'pkgs.fetchurl { url = "https://e.org/a.gz"; ',
        f'pkgs.fetchFromGitHub {{ owner = "o"; repo = "r"; rev = "{"1" * 40}"; ',
        'pkgs.fetchpatch { url = "https://e.org/a.patch"; ',
    ],
)
def test_a_hash_by_another_name_or_spelling_is_kept(named: str, fetched: str, here: Path) -> None:
    """By `hash`, as the language says it, the derivation would be another."""
    recipe = f"pkgs.hello.overrideAttrs (old: {{ src = {fetched}{named}; }}; }})"
    tvarc("import", str(put(here, {"pkgs/hello.nix": f"{{ pkgs }}:\n{recipe}\n"})), code=0)
    made = re.sub(r"\s+", " ", program())
    fetcher, _, given = fetched.partition(" { ")
    assert f"call({fetcher}, {{ " in made and named in made
    assert all(f"{one} " in made.replace(",", " ") for one in given.strip("; ").split("; "))


@pytest.mark.slow
def test_a_patch_whose_hash_is_of_old_is_kept(here: Path) -> None:
    fetched = f'prev.fetchpatch {{ url = "https://e.org/a.patch"; sha256 = "{SHA256}"; }}'
    recipe = f"""{{ pkgs }}:
let
  pinned = import (builtins.fetchTarball {{
    url = "https://github.com/NixOS/nixpkgs/archive/{"1" * 40}.tar.gz";
  }}) {{
    inherit (pkgs.stdenv.hostPlatform) system;
    overlays = [
      (final: prev: {{
        hello = prev.hello.overrideAttrs (old: {{
          patches = (old.patches or [ ]) ++ [ ({fetched}) ];
        }});
      }})
    ];
  }};
in
pinned.hello
"""
    tvarc("import", str(put(here, {"pkgs/hello.nix": recipe})), code=0)
    assert f'sha256 = "{SHA256}"' in program()


@pytest.mark.slow
def test_a_member_of_a_set_is_changed_in_the_way_of_its_file(here: Path) -> None:
    made = of_one(
        here,
        """{ }:
let
  pkgs = import (builtins.fetchTarball { url = "https://example.org/nixpkgs.tar.gz"; }) {
    overlays = [
      (final: prev: {
        python3Packages = prev.python3Packages.override {
          overrides = pfinal: pprev: {
            six = pprev.six_2;
            attrs = pprev.attrs.overrideAttrs (old: { doCheck = false; });
          };
        };
      })
    ];
  };
in
pkgs.python3Packages.attrs
""",
    )
    assert "overlay six in python3Packages { via = override, six = prev.six_2 }" in made
    assert "for python3Packages.attrs { via = override, doCheck = false }" in made


def test_an_empty_list_is_none_that_is_not_there(here: Path) -> None:
    """Beside derivations that have elements in that list, and some that do not have it."""
    files = {
        f"pkgs/tool-{name}.nix": "{ stdenv, zlib }:\nstdenv.mkDerivation {\n"
        f'  pname = "tool-{name}";\n  {given}\n}}\n'
        for name, given in {
            "a": "buildInputs = [ ];",
            "b": "buildInputs = [ zlib ];",
            "c": "buildInputs = [ zlib zlib ];",
            "d": "",
        }.items()
    }
    tvarc("import", str(put(here, files)), code=0)
    assert tvarc("build", "--no-git", "--out", "built").exit_code == 0
    texts = [path.read_text(encoding="utf-8") for path in sorted(Path("built").rglob("*.nix"))]
    assert ["buildInputs" in one for one in texts] == [True, True, True, False]


@pytest.mark.parametrize(
    ("recipe", "kept"),
    [
        ("pkgs.hello.override (given: { a = given.b; })", "override (given: { a = given.b; })"),
        (
            "pkgs.hello.overridePythonAttrs (o: { a = o.b; })",
            "overridePythonAttrs (o: { a = o.b; }",
        ),
        ("pkgs.hello.overrideAttrs (f: o: { a = f.b; c = 1; })", "(final: _: { a = final.b; })"),
        ("pkgs.hello.overrideAttrs (o: pkgs.lib.x o)", "overrideAttrs (o: lib.x o)"),
        (
            "(pkgs.python3.override { a = 1; }).pkgs.torch",
            "(pkgs.python3.override { a = 1; }).pkgs",
        ),
        ('pkgs.writeShellScriptBin "x" "y"', 'pkgs.writeShellScriptBin "x" "y"'),
        ("pkgs.python3.withPackages (ps: [ ps.numpy ])", "withPackages (ps: [ ps.numpy ])"),
        (
            "pkgs.haskell.lib.dontCheck pkgs.haskellPackages.x",
            "lib.dontCheck pkgs.haskellPackages.x",
        ),
    ],
)
def test_changes_that_no_setting_says_are_part_of_the_package(
    recipe: str, kept: str, here: Path
) -> None:
    text = f"{{ pkgs }}:\n({recipe}).overrideAttrs (old: {{ d = 2; }})\n"
    made = of_one(here, text)
    assert 'package = nix"""' in made and kept in made, made
    assert re.search(r"attrs \{\s+(c = 1[\s,]+)?d = 2", made)


@pytest.mark.parametrize(
    ("recipe", "reason"),
    [
        ("pkgs.hello.overrideAttrs (old: { patches = [ ./a.patch ]; })", "pkgs/a.patch`: no such"),
        ("pkgs.hello.overrideAttrs (old: { src = ./.; })", "it names its own folder"),
        ("pkgs.hello.overrideAttrs (old: { src = ~/x; })", "which other machines may not have"),
        ("let a = b; b = a; in pkgs.hello.override { inherit a; }", "or refers to itself"),
        ("(import <nixpkgs> { config = { }; }).hello", "configures a nixpkgs"),
        ("{ a = pkgs.hello; }", "it does not build a package of nixpkgs"),
        ("(import <nixpkgs> { }).hello", "of a nixpkgs from a search path"),
        ("pkgs.hello.overrideAttrs (old: { ${pkgs.name} = 1; })", "is computed"),
        ("with { a = 1; }; with { b = 2; }; hello.override { a = c; }", "in none of the sets"),
        ("pkgs.hello.override { a = { }.b; }", "there is no attribute `b`"),
        (_doubled("[ 1 ]", "{0} ++ {0}"), "parts with its names resolved"),
        (_doubled('"x"', '"${{{0}}}${{{0}}}"'), "parts with its names resolved"),
        (_doubled("1", "{{ a = {0}; b = {0}; }}"), "parts with its names resolved"),
    ],
)
def test_what_is_not_understood_is_refused_with_the_reason(
    recipe: str, reason: str, here: Path
) -> None:
    done = tvarc("import", str(put(here, {"pkgs/hello.nix": f"{{ pkgs }}:\n{recipe}\n"})), code=1)
    assert reason in done.output, done.output
    assert not Path(PROGRAM).exists()


# --- drift ---------------------------------------------------------------------------------------

FAULTS = {
    "a flag": ('"-mfma" ]', '"-mfma" "-O3" ]', "attrs.preConfigure"),
    "a target": ('gpu = "9.0"', 'gpu = "9.1"', "args.gpuTargets"),
    "a name": ('pname = "pytorch-sm90', 'pname = "pytorch-sm91', "attrs.pname"),
    "a version": ('version = "2.10.0"', 'version = "2.9.1"', "attrs.version"),
    "a pin": ("0182a361324364ae3f436a63005877674cf45efb", "1" * 40, "pin"),
    "an overlay": ("cudaPackages_12_9", "cudaPackages_12_8", "overlays"),
    "a removed attribute": ('version = "2.10.0";', "", "attrs.version"),
    "an added attribute": ('version = "2.10.0";', 'version = "2.10.0"; jobs = 4;', "attrs.jobs"),
    "a removed line": ('      echo "GPU target: ${gpu}"\n', "", "attrs.preConfigure"),
    "an added line": ("      echo", "      export X=1\n      echo", "attrs.preConfigure"),
    "a platform": ('"x86_64-linux"', '"aarch64-linux"', "meta.platforms"),
    "a description": ("PyTorch for SM90", "PyTorch for H90", "meta.description"),
    "a config": ("allowBroken = true;", "", "config.allowBroken"),
    "a package": ("python3Packages.torch.", "python3Packages.torchvision.", "package"),
    "an argument": ("cudaSupport = true;\n", "cudaSupport = false;\n", "args.cudaSupport"),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_recipe_that_is_not_as_the_others_is_named(fault: str, here: Path) -> None:
    old, new, setting = FAULTS[fault]
    done = tvarc("import", str(put(here, planted(old, new))), "--json")
    data = json.loads(done.stdout)
    assert done.exit_code == 3 and not data["left"]
    named = {one["setting"]: [place["file"] for place in one["places"]] for one in data["drift"]}
    assert setting in named and {file for one in named.values() for file in one} == {f"{ODD}.nix"}
    text = program()
    assert re.search(rf"# drift: 1 of 12: {re.escape(setting)}, {ODD}\.nix:\d+\n", text)
    assert "when gpu == sm90 and isa == avx512 {" in text


PLANTED: dict[str, dict[str, Any]] = {
    "a target": {"target": "9.1"},
    "a set": {"set": "cudaPackages_12_8"},
    "a flag more": {"flags": (*ISAS["avx512"], "-O3")},
    "a flag less": {"flags": ISAS["avx512"][:-1]},
    "flags of another CPU": {"flags": ISAS["avx2"]},
    "a platform": {"platform": "aarch64-linux"},
    "a hash": {"hash": "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="},
    "no capabilities": {"caps": False},
    "a description": {"description": "PyTorch for H90"},
    "a version": {"version": "2.9.1"},
}


# Of a number of styles that three does not divide, CI has each fault and each style in turn.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "style"), sampled(product(PLANTED, STYLES), ci=3, several=True)
)
def test_a_fault_is_named_whatever_the_style(fault: str, style: str, here: Path) -> None:
    changed = PLANTED[fault]
    files = family(style, lambda one: replace(one, **changed))
    if files == family(style):
        pytest.skip("recipes of this style do not say it")
    data = told(put(here, files))
    told_of = {place["file"] for one in data["drift"] for place in one["places"]}
    assert told_of | {one["file"] for one in data["left"]} == {f"{ODD}.nix"}
    if fault == "a hash":  # a program has one hash of one tarball
        assert "has two hashes" in data["left"][0]["reason"]
    else:
        assert not data["left"] and "when gpu == sm90 and isa == avx512 {" in program()


@pytest.mark.slow
def test_to_mend_drift_is_to_delete_a_block(here: Path) -> None:
    whole = planted(*FAULTS["a flag"][:2])
    put(here, whole)
    assert tvarc("import", "pkgs").exit_code == 3
    text = program()
    at = text.index("  # drift:")
    Path(PROGRAM).write_text(text[:at].rstrip() + "\n}\n" + text[text.index("\noutput") :])
    assert tvarc("build", "--out", "built", "--no-git").exit_code == 0
    mended = next((here / "built").rglob(f"{ODD}.nix")).read_text()
    assert '"-O3"' not in mended and "-mfma $CXXFLAGS" in mended
