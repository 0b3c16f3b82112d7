"""What an audit says is so: what it cannot follow is no finding, and the innocent are not named."""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from audit.broken import HEAD, file, put, rewrite
from support.command import ROOT, tvarc
from support.effort import for_each
from support.handmade import forms, handmade
from tvarc.byhand.audit import examine
from tvarc.byhand.audit.answer import says_of
from tvarc.byhand.audit.compare import (
    Apart,
    Expected,
    apart,
    contrast,
    differences,
    lines_apart,
    signature,
)
from tvarc.byhand.audit.model import Added, Fetched, Linked, RecipeFacts, Ref, Table
from tvarc.byhand.audit.names import Siblings
from tvarc.byhand.audit.read import read_facts
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.commands.line import exits
from tvarc.nix.language.reader import NotNix

CELL = "sm120-avx512"


def read(text: str) -> RecipeFacts:
    return read_facts(RecipeParser(), text)


def findings(cell: str = CELL) -> list[tuple[str, str]]:
    """The findings of one file: code and message."""
    done = tvarc("audit", "--json")
    assert done.exit_code in (exits.OK, exits.STALE), done.stderr
    found = json.loads(done.stdout)["findings"]
    name = f"{HEAD}{cell}.nix"
    return [(one["code"], one["message"]) for one in found if one["file"] == name]


def codes(cell: str = CELL) -> set[str]:
    return {code for code, _ in findings(cell)}


def by_hand(recipes: Path, *changes: tuple[str, str]) -> list[tuple[str, str]]:
    """What is found in a recipe by hand because of *changes*, texts and what they become."""
    text = handmade(f"{HEAD}{CELL}")
    put(recipes, CELL, text)
    before = findings()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    put(recipes, CELL, text)
    return [one for one in findings() if one not in before]


# --- which folder ------------------------------------------------------------------------------

PROGRAM = """\
let dir = "pk"
axis g = [{values}]
axis i = ["x", "y"]
recipe base {{
  package = pkgs.hello
  pin = none
  attrs {{ at = "{{{{g}}}}{{{{i}}}}" }}
}}
matrix m {{
  recipe = base
  axes = g * i
  name = "{{{{g}}}}-{{{{i}}}}"
}}
output o {{ file = "{file}" }}
"""


@pytest.fixture
def program(here: Path) -> Any:
    def write(path: str, *values: str) -> None:
        listed = ", ".join(f'"{value}"' for value in values)
        Path("variants.tvar").write_text(PROGRAM.format(values=listed, file=path))

    return write


FOLDERS = [
    ("pk/{{variant}}.nix", "pk"),
    ("{{variant}}.nix", "."),
    ("{{dir}}/{{variant}}.nix", "pk"),
    ("{{variant}}/default.nix", "."),
    ("r/{{g}}/{{i}}.nix", "r"),
    ("pk/{{variant}}/default.nix", "pk"),
]


@pytest.mark.parametrize(("path", "folder"), FOLDERS)
def test_the_folder_is_that_of_the_output_and_not_of_todays_variants(
    path: str, folder: str, program: Any
) -> None:
    program(path, "a", "b")
    assert tvarc("build").exit_code == exits.OK
    program(path, "a")
    data = json.loads(tvarc("audit", "--json").stdout)
    assert data["folder"] == folder
    assert data["counts"]["current"] == 2
    assert data["counts"]["no longer in the matrix"] == 2
    pruned = json.loads(tvarc("build", "--prune", "--json").stdout)["removed"]
    found = [one["file"] for one in data["findings"]]
    assert sorted(pruned) == sorted(one if folder == "." else f"{folder}/{one}" for one in found)
    done = tvarc("audit")
    assert done.exit_code == exits.OK and done.stdout.endswith("\nno findings\n")


@pytest.mark.parametrize("path", ["pk/{{variant}}.nix", "{{variant}}.nix"])
def test_a_program_of_one_variant(path: str, program: Any) -> None:
    Path("variants.tvar").write_text(
        "recipe base {\n  package = pkgs.hello\n  pin = none\n}\n"
        f'variant v {{ recipe = base }}\noutput o {{ file = "{path}" }}\n'
    )
    assert tvarc("build").exit_code == exits.OK
    for folder in ((), (".",)):
        done = tvarc("audit", *folder, code=exits.OK)
        assert "1 variant, 1 file\n  1 up to date\n" in done.stdout


# --- the Python that is built for --------------------------------------------------------------

TORCH_OF = "pkgs.{set}.torch.override {{ cudaSupport = true; }}"


def test_the_python_of_a_package_is_read_as_it_is_written() -> None:
    for written, shown in (
        ("python312Packages", "python312Packages"),
        ("python312.pkgs", "python312Packages"),
        ("python3Packages", "python3Packages"),
        ("python3.pkgs", "python3Packages"),
    ):
        facts = read("{ pkgs }:\n" + TORCH_OF.format(set=written))
        assert facts.package is not None and facts.package.value == f"{shown}.torch"


@pytest.mark.slow
def test_another_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Torch for 3.12 under a name that says 3.13; the program is one of the examples."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples" / "torch-2.10")
    program = Path("variants.tvar")
    text, count = re.subn(r"(?<== cpu\[).*(?=\])", "avx, avx2", program.read_text("utf-8"))
    assert count == 1  # fewer recipes to read
    program.write_text(text, encoding="utf-8")
    assert tvarc("build").exit_code == exits.OK
    name = "pytorch-python313-cuda13_0-sm90-avx2.nix"
    (path,) = Path().glob(f"**/{name}")
    rewrite(path, "python313Packages", "python312Packages")
    data = json.loads(tvarc("audit", "--json").stdout)
    found = {one["code"]: one["message"] for one in data["findings"]}
    assert found.keys() == {"W204", "W212"}
    assert found["W212"] == (
        "changes `python312Packages.torch`; the matrix changes `python313Packages.torch`"
    )


OVERLAY = "{set} = p.{set}.override {{ overrides = a: b: {{ torch = b.hello; }}; }};"


@pytest.mark.parametrize(
    ("package", "overlay", "reaches"),
    [
        ("python313Packages", "python313Packages", True),
        ("python313Packages", "python3Packages", False),
        ("python313Packages", "python312Packages", False),
        ("python3Packages", "python3Packages", True),
        ("python3Packages", "python313Packages", True),  # perhaps: nixpkgs decides which it is
    ],
)
def test_an_overlay_of_another_python_does_not_reach_the_package(
    package: str, overlay: str, *, reaches: bool
) -> None:
    change = OVERLAY.format(set=overlay)
    facts = read(f"{{ pkgs }}: (pkgs.appendOverlays [ (f: p: {{ {change} }}) ]).{package}.torch")
    target = "pythonPackages" if reaches else overlay
    assert forms(facts) == {f"{target}.torch": "override"}


@pytest.mark.slow
def test_overlays_that_do_not_reach_the_package_are_lacking(recipes: Path) -> None:
    """The two are one set at this pin, but an overlay that changes the one leaves the other."""
    found = by_hand(recipes, ("fixed.python3Packages", "fixed.python313Packages"))
    assert "W212" not in {code for code, _ in found}
    assert any(
        code == "W209" and text.startswith("lacks the overlay `torch-source`")
        for code, text in found
    )
    assert any("has `python3Packages.torch: version`" in text for _, text in found)


# --- what is built otherwise -------------------------------------------------------------------


@pytest.mark.slow
def test_a_script_that_replaces_the_packages_own_is_reported(recipes: Path) -> None:
    ((code, text),) = by_hand(recipes, ('(oldAttrs.preConfigure or "") + ', ""))
    assert code == "W213" and text.startswith(
        "`attrs.preConfigure` replaces the package's own value; the matrix adds to it"
    )


@pytest.mark.slow
def test_a_list_that_replaces_the_packages_own_is_reported(recipes: Path) -> None:
    """What is in it is told as well."""
    ((_, text),) = by_hand(
        recipes, ("(oldAttrs.cmakeFlags or []) ++ [", "["), ('"-DCUDA_VERSION=13.0"', '"-DX=1"')
    )
    assert text == (
        "`attrs.cmakeFlags` replaces the package's own value; the matrix adds to it; "
        'and lacks "-DCUDA_VERSION=13.0" and has "-DX=1", which the matrix does not have'
    )


FLAGS = """[
      "-DTORCH_BUILD_VERSION=2.10.0"
      "-DCMAKE_CUDA_FLAGS=-I/build/cccl-compat"
      "-DCUDA_VERSION=13.0"
    ]"""
OWN_FLAGS = "(oldAttrs.cmakeFlags or [])"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("added", "told"),
    [
        (f"{FLAGS} ++ {OWN_FLAGS}", "is before the package's own value; in the matrix it is after"),
        (f"{OWN_FLAGS} ++ ({FLAGS} ++ [ ])", ""),
        (
            FLAGS.replace('"-DCUDA', f'] ++ {OWN_FLAGS} ++ [ "-DCUDA'),
            "is before and after the package's own value; in the matrix it is after",
        ),
        (
            FLAGS.replace("=13.0", "=1") + f" ++ {OWN_FLAGS}",
            "is before the package's own value; in the matrix it is after; "
            'and lacks "-DCUDA_VERSION=13.0" and has "-DCUDA_VERSION=1", which the matrix does '
            "not have",
        ),
    ],
)
def test_where_the_packages_own_part_of_a_list_stands(added: str, told: str, recipes: Path) -> None:
    found = by_hand(recipes, (f"{OWN_FLAGS} ++ {FLAGS}", added))
    assert found == ([("W213", f"`attrs.cmakeFlags` {told}")] if told else [])


SCRIPT = """\
{ pkgs ? import <nixpkgs> { } }: pkgs.hello.overrideAttrs (old: { postInstall = %s; })
"""
OWN = '(old.postInstall or "")'


@for_each(
    "written, told",
    [
        (f"{OWN} + ''\n  a\n  b\n''", ""),
        (
            f"''\n  a\n  b\n'' + {OWN}",
            "is before the package's own value; in the matrix it is after",
        ),
        (f"''\n  a\n'' + {OWN} + ''\n  b\n''", "is before and after the package's own value; in"),
        (
            "''\n  a\n  ${old.postInstall or \"\"}b\n''",
            "is before and after the package's own value",
        ),
        ("''\n  ${old.postInstall or \"\"}a\n  b\n''", ""),
        (f'"\\n" + {OWN} + "a\\nb\\n"', "differs from the matrix in white space"),
    ],
)
def test_where_the_packages_own_part_of_a_script_stands(written: str, told: str) -> None:
    wanted = read(SCRIPT % f"{OWN} + ''\n  a\n  b\n''")
    found = list(differences(Expected(wanted), read(SCRIPT % written), Siblings(())))
    assert [one.code for one in found] == (["W213"] if told else [])
    assert all(one.text.startswith(f"`attrs.postInstall` {told}") for one in found)


def test_copies_that_add_at_another_end_are_two_builds() -> None:
    def made(body: str) -> object:
        pinned = 'import (fetchTarball "https://github.com/NixOS/nixpkgs/archive/1.tar.gz") { }'
        return signature(read(f"let p = {pinned}; in p.hello.overrideAttrs (old: {{ {body} }})"))

    after = made('x = (old.x or []) ++ [ 1 ]; y = (old.y or "") + "a\\nb\\n";')
    assert after is not None
    assert after != made('x = [ 1 ] ++ (old.x or []); y = (old.y or "") + "a\\nb\\n";')
    assert after != made('x = (old.x or []) ++ [ 1 ]; y = "a\\nb\\n" + (old.y or "");')
    assert after == made('x = (old.x or []) ++ [ 1 ]; y = (old.y or "") + "\\na\\nb";')


def test_a_list_of_an_overlay_is_compared_by_its_elements() -> None:
    def made(flags: str) -> RecipeFacts:
        change = f"prev.hello.overrideAttrs (old: {{ x = [ {flags} ]; }})"
        overlay = f"final: prev: {{ hello = {change}; }}"
        pinned = 'import (fetchTarball "https://github.com/NixOS/nixpkgs/archive/1.tar.gz")'
        return read(f"({pinned} {{ overlays = [ ({overlay}) ]; }}).hello")

    (one,) = differences(Expected(made('"a" "b"')), made('"b" "c"'), Siblings(()))
    told = '`hello: x` lacks "a" and has "c", which the matrix does not have'
    assert (one.code, one.path, one.text) == ("W209", "hello: x", told)


def test_the_blanks_that_differ_are_shown() -> None:
    wanted = read(SCRIPT % """''echo "hello x265"\n''""")
    found = read(SCRIPT % """''echo "hello  x265"\n''""")
    (one,) = differences(Expected(wanted), found, Siblings(()))
    assert one.text == (
        '`attrs.postInstall` in comments and printed text lacks `echo "hello x265"` '
        'and has `echo "hello  x265"`, which the matrix does not have'
    )
    assert contrast("a  b\n", "a b\n") == ('"a  b\\n"', '"a b\\n"')
    assert contrast("a" * 99 + " \tb", "a" * 99 + " b")[0].endswith('a \\tb"')
    assert contrast(("a b", "c"), ("a  b", "c")) == ('"a b"', '"a  b"')
    begin = "x" * 90
    assert lines_apart(f"{begin}1", f"{begin}2") == (f"… {'x' * 20}1", f"… {'x' * 20}2")


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("# a\n  echo hi\n", "2 lines of comments and printed text"),
        ("# a\n", "1 line of comments and printed text"),
        ("# a\n  make\n", "1 line"),
        ("cd x\n  make\n", "2 lines"),
    ],
)
def test_how_much_of_a_script_is_lacking(script: str, told: str) -> None:
    wanted = read(SCRIPT % f"''\n  {script}''")
    found = read(SCRIPT.replace("postInstall = %s; ", ""))
    (one,) = differences(Expected(wanted), found, Siblings(()))
    assert one.text == f"lacks `attrs.postInstall`, {told}"


@pytest.mark.slow
def test_a_file_that_the_matrix_does_not_know(recipes: Path) -> None:
    (recipes / "extra.nix").write_text("{ pkgs }: pkgs.hello\n", encoding="utf-8")
    assert "  1 unrelated to the matrix\n" in tvarc("audit").stdout


@pytest.mark.slow
def test_a_package_of_the_callers_nixpkgs(recipes: Path) -> None:
    assert "${pinned.cudaPackages.cuda_cccl}" in file(recipes, CELL).read_text()
    rewrite(
        file(recipes, CELL), "${pinned.cudaPackages.cuda_cccl}", "${pkgs.cudaPackages.cuda_cccl}"
    )
    found = dict(findings())
    assert found.keys() == {"W204", "W213"}
    assert "${nixpkgs.cudaPackages.cuda_cccl}" in found["W213"]
    assert "${pkgs.cudaPackages.cuda_cccl}" in found["W213"]


@pytest.mark.slow
def test_the_callers_nixpkgs_may_name_functions(recipes: Path) -> None:
    assert by_hand(recipes, ("fixed.lib.concatStringsSep", "pkgs.lib.concatStringsSep")) == []


def test_what_is_built_of_the_callers_nixpkgs_is_built_of_it_throughout() -> None:
    facts = read("{ pkgs }: pkgs.hello.overrideAttrs { preBuild = ''${pkgs.ninja}/bin/ninja''; }")
    assert facts.settings["attrs.preBuild"].value == "${nixpkgs.ninja}/bin/ninja"


# --- what is not followed ----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "made",
    [
        'import ../common.nix { inherit pkgs; gpu = "8.6"; isa = "avx512vnni"; }',
        "let make = import ../common.nix; in make { inherit pkgs; }",
        "(import ../common.nix { inherit pkgs; }).torch",
        "(import ../common.nix { inherit pkgs; }).python3Packages.torch",
        "pkgs.callPackage ../common.nix { }",
        "(import ../common.nix { }).overrideAttrs (old: { ninjaFlags = [ \"-j32\" ]; })",
    ],
)  # fmt: skip
def test_what_another_file_may_say_is_no_finding(made: str, recipes: Path) -> None:
    put(recipes, CELL, "{ pkgs ? import <nixpkgs> { } }:\n" + made + "\n")
    assert codes() == {"W203"}
    done = tvarc("audit")
    assert "and the audit does not look into that" in done.stdout
    assert "in the place of a variant match" not in done.stdout


@pytest.mark.slow
def test_among_many_the_one_that_is_not_followed_is_shown(recipes: Path) -> None:
    for path in recipes.glob("*.nix"):
        text = path.read_text(encoding="utf-8")
        path.write_text("{" + text.partition("\n{")[2], encoding="utf-8")
    put(recipes, "sm90-avx512", "{ pkgs }: import ../common.nix { inherit pkgs; }")
    done = tvarc("audit").stdout
    assert done.count("and the audit does not look into that") == 1
    shown = done.partition("What these files say:\n")[2]
    assert shown.startswith(f"  {HEAD}sm90-avx512.nix (not ours)\n")


@pytest.mark.slow
def test_what_is_said_beside_it_is_compared(recipes: Path) -> None:
    made = '(import ../common.nix { }).overrideAttrs (old: { ninjaFlags = [ "-j8" ]; })'
    put(recipes, CELL, "{ pkgs }: " + made)
    assert dict(findings())["W213"].startswith("`attrs.ninjaFlags` ")


@pytest.mark.slow
def test_targets_that_are_computed(recipes: Path) -> None:
    """The text is cut out of a number; and where it cannot be known, it is no contradiction."""
    cut = 'builtins.substring 0 2 n + "." + builtins.substring 2 1 n'
    assert by_hand(recipes, ('gpuArchSM = "12.0";', f'n = "120"; gpuArchSM = {cut};')) == []
    found = by_hand(recipes, ('gpuArchSM = "12.0";', 'gpuArchSM = f 12 + "." + "0";'))
    assert (
        "W217",
        "`args.gpuTargets`: `${? f 12}.0`: Nix computes this part of the string",
    ) in (found)
    assert all("gpuTargets" not in text for code, text in found if code != "W217")
    assert re.search(r"GPU targets +not understood\n", tvarc("audit").stdout)


@pytest.mark.slow
def test_a_list_as_a_text(recipes: Path) -> None:
    joined = '${fixed.lib.concatStringsSep " " cpuFlags}'
    assert by_hand(recipes, (joined, "${toString cpuFlags}")) == []


@pytest.mark.slow
def test_a_line_that_is_understood_in_part(recipes: Path) -> None:
    joined = '${fixed.lib.concatStringsSep " " cpuFlags}'
    unclear = (joined, "${f cpuFlags}")
    assert [text for _, text in by_hand(recipes, unclear) if "CFLAGS" in text or "-m" in text] == []
    found = by_hand(recipes, unclear, ("export MAX_JOBS=32", "export MAX_JOBS=8"))
    assert [code for code, _ in found] == ["W213", "W217"]
    assert "has `export MAX_JOBS=8`, which the matrix does not have" in found[0][1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("    pname = ", '    pname = "a";\n    pname = ', "pname"),
        ("    pname = ", "    inherit (oldAttrs) pname;\n    pname = ", "pname"),
        ("    meta = ", "    meta.x.y = 1;\n    meta.x.y = 2;\n    meta = ", "meta.x.y"),
        ("  cpuFlags = ", "  cpuFlags = [ ];\n  cpuFlags = ", "cpuFlags"),
    ],
)
def test_what_nix_refuses_to_read(old: str, new: str, name: str, recipes: Path) -> None:
    assert by_hand(recipes, (old, new)) == [("W206", f"`{name}` is defined twice")]


def test_two_sets_of_one_name_are_one() -> None:
    text = "{ pkgs }: pkgs.hello.overrideAttrs { env = { a = 1; }; env = { b = 2; }; meta.a = 1; }"
    whole = "{ pkgs }: pkgs.hello.overrideAttrs { env = { a = 1; b = 2; }; meta.a = 1; }"
    assert says_of(read(text), "") == says_of(read(whole), "")


# --- how it is told ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("fetchSubmodules = true", "fetchSubmodules = false",
         "fetchFromGitHub … fetchSubmodules = false; the matrix has fetchFromGitHub … "
         "fetchSubmodules = true"),
        ("sha256-RKiZ", "sha256-SKiZ", 'fetchFromGitHub … hash = "sha256-SKiZ'),
        ("commit/235aefb7", "commit/335aefb7", "tk-edu/magma/commit/335aefb7"),
    ],
)  # fmt: skip
def test_two_sides_are_never_told_in_the_same_words(
    old: str, new: str, told: str, recipes: Path
) -> None:
    ((code, text),) = by_hand(recipes, (old, new))
    assert code == "W209" and told in text
    sides = re.split(" is | lacks ", text.removesuffix(", which the matrix does not have"))[1]
    mine, theirs = re.split("; the matrix has | and has ", sides)
    assert mine != theirs
    assert text[:100] in tvarc("audit").stdout


def test_long_texts_are_told_from_where_they_differ() -> None:
    mine, theirs = contrast("a" * 200 + "b" + "c" * 200, "a" * 200 + "d" + "c" * 200)
    assert mine != theirs and len(mine) < 80 and len(theirs) < 80


def test_the_parts_in_which_values_differ_are_found_by_their_places() -> None:
    def made(ref: str, need: str, *more: str) -> Added:
        fetched = Fetched("fetchurl", (("url", "u"), ("ref", ref)))
        return Added(Ref("old.patches"), (fetched, Linked(need), "same", *more), 1)

    one = made("1", "a.nix")
    assert list(apart(one, one)) == []
    assert list(apart(one, made("2", "b.nix"))) == [
        Apart("fetchurl … ref = ", "1", "2"),
        Apart("", Linked("a.nix"), Linked("b.nix")),
    ]
    longer = made("1", "a.nix", "more")
    assert list(apart(one, longer)) == [Apart("", one.value, longer.value)]
    assert list(apart(one, Table(()))) == [Apart("", one, Table(()))]
    lone = Table((("x", 1),))
    assert list(apart(lone, Table(()))) == [Apart("… ", lone, Table(()))]


@pytest.mark.slow
def test_the_file_that_departs_is_named_and_not_the_one_that_it_is_like(recipes: Path) -> None:
    """The recipe of sm86 was given the target of sm89: it builds what that builds."""
    for path in recipes.glob("*.nix"):
        text = path.read_text(encoding="utf-8")
        path.write_text("{" + text.partition("\n{")[2], encoding="utf-8")
    rewrite(file(recipes, "sm86-avx512"), '"8.6"', '"8.9"')
    found = json.loads(tvarc("audit", "--json").stdout)["findings"]
    departing = [(one["code"], one["file"]) for one in found if one["code"] != "W203"]
    assert {name for _, name in departing} == {f"{HEAD}sm86-avx512.nix"}
    assert {code for code, _ in departing} == {"W119", "W213", "W214"}


@pytest.mark.slow
def test_what_departs_is_shown_first(recipes: Path) -> None:
    for path in recipes.glob("*.nix"):
        text = path.read_text(encoding="utf-8")
        path.write_text("{" + text.partition("\n{")[2], encoding="utf-8")
    assert "44 of 44 recipes in the place of a variant match the matrix" in tvarc("audit").stdout
    rewrite(file(recipes, "sm90-avx2"), '"-j32"', '"-j8"')
    done = tvarc("audit").stdout
    assert "43 of 44 recipes in the place of a variant match the matrix" in done
    shown = done.partition("What these files say:\n")[2]
    files = [line for line in shown.splitlines() if line.endswith("(not ours)")]
    assert files[0] == f"  {HEAD}sm90-avx2.nix (not ours)"


# --- one odd file ------------------------------------------------------------------------------


CIRCLES = [
    "let inherit (a) a; in a",
    "let a = with a; b; in a.override { }",
    "let inherit (b) a; inherit (a) b; in b.override { x = a; }",
    "let a = a.b; in a",
    "rec { a = a.override { }; }.a",
    "let f = x: f x; in f f",
]


@pytest.mark.slow
@pytest.mark.parametrize("circle", CIRCLES)
def test_a_circle_ends_nothing(circle: str, recipes: Path) -> None:
    put(recipes, CELL, circle)
    rewrite(file(recipes, "sm90-avx2"), '"-j32"', '"-j8"')
    assert codes() & {"W203", "W206"}
    assert codes("sm90-avx2") == {"W204", "W213"}


def test_a_circle_is_told() -> None:
    with pytest.raises(NotNix, match="circle"):
        read("let inherit (a) a; in a")


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["read_facts", "differences"])
def test_a_fault_of_the_reader_ends_nothing(
    stage: str, recipes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(recipes, CELL, handmade(f"{HEAD}{CELL}", sm="5.5"))
    rewrite(file(recipes, "sm90-avx2"), '"-j32"', '"-j8"')
    real = getattr(examine, stage)

    def failing(first: Any, second: Any, *more: Any) -> Any:
        facts = second if isinstance(second, RecipeFacts) else None
        if (facts is not None and facts.texts("args.gpuTargets") == ("5.5",)) or (
            isinstance(second, str) and '"5.5"' in second
        ):
            raise KeyError("x")
        return real(first, second, *more)

    monkeypatch.setattr(examine, stage, failing)
    assert ("W206", "tvarc failed on this file (KeyError): please report this bug") in findings()
    assert codes("sm90-avx2") == {"W204", "W213"}


@pytest.mark.slow
def test_twice_the_files_take_twice_the_time(recipes: Path) -> None:
    """All of them are read, and each copy is named."""

    def took(count: int) -> float:
        text = handmade(f"{HEAD}sm90-avx2", sm="9.0")
        for number in range(count):
            put(recipes, f"sm90-avx2-{number}", text)
        started = time.process_time()
        found = tvarc("audit", "--json")
        seconds = time.process_time() - started
        data = json.loads(found.stdout)
        assert data["counts"]["extra"] == count
        assert sum(one["code"] == "W211" for one in data["findings"]) == count - 1
        return seconds

    took(1)
    few, many = took(200), took(800)
    assert many < 8 * few
