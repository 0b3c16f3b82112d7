"""`tvarc who`: a line of source reaches the lines that change when the line does."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, cast

import pytest

from support.alone import emit
from support.command import ROOT, SMALL, tvarc
from support.compile import compile_variants
from support.effort import for_each
from tvarc.build.driver import Compilation
from tvarc.build.impact.line_impact import line_impact
from tvarc.build.impact.unreached import sample
from tvarc.commands.line import exits
from tvarc.files.output.header import DIGEST_PREFIX
from tvarc.matrix.variants import Variant

PLAN = (ROOT / "variants.tvar").read_text()


def line_of(text: str, within: str = PLAN) -> int:
    found = [n for n, line in enumerate(within.splitlines(), start=1) if text in line]
    assert len(found) == 1, f"{text!r} stands on lines {found}"
    return found[0]


def texts(made: Compilation) -> list[list[str]]:
    files = [file.text.split("\n") for file in emit(made.recipes(), "variants.tvar")]
    return [["" if line.startswith(DIGEST_PREFIX) else line for line in file] for file in files]


# What is changed in the plan, on a line of its own, to another text as wide.
MUTATIONS = [
    ("let torch = 2.10.0", "let torch = 2.11.0"),
    ("let cuda  = 13.0", "let cuda  = 13.1"),
    ('rev = "6a030d', 'rev = "7a030d'),
    ("allowBroken = true", "allowBroken = null"),
    ("cudaPackages = final.cudaPackages_13", "cudaPackages = final.cudaPackages_14"),
    ('name = "cuda-13.0-clockrate', 'name = "cuda-13.1-clockrate'),
    ("commit/235aef", "commit/335aef"),
    ("sha256-i9InbxD5", "sha256-i8InbxD5"),
    ('github("pytorch/pytorch"', 'github("pytorch/pytorcx"'),
    ("sha256-RKiZLHBC", "sha256-SKiZLHBC"),
    ('"pytorch210-{{variant}}"', '"pytorch211-{{variant}}"'),
    ('"-j32"', '"-j64"'),
    ("-DTORCH_BUILD_VERSION", "-DTORCH_BUILD_VERSIOX"),
    ('export CXXFLAGS="{{isa.flags}} $CXXFLAGS"', 'export CXXFLAGZ="{{isa.flags}} $CXXFLAGS"'),
    ("export MAX_JOBS=32", "export MAX_JOBS=64"),
    ("> version.txt", "> version.tyt"),
    ('echo "{{meta.description}}"', 'ecko "{{meta.description}}"'),
    ("CPU-only + {{", "CPU-olny + {{"),
    ("without GPU support.", "without GPU suppost."),
    ("platforms       = [isa.platform]", "platforms       = [isa.oldest]  "),
    ("toolkit-driver = 580.0", "toolkit-driver = 590.0"),
    ("config { cudaSupport = true }", "config { cudaSupport = null }"),
    ("-DUSE_CUDA=OFF", "-DUSE_CUDA=OFE"),
    ("for dir in cuda cub thrust nv; do", "for dir in cuda cub thrusx nv; do"),
    ("ln -sfn {{pkgs.cudaPackages.cuda_cccl}}", "ln -sfx {{pkgs.cudaPackages.cuda_cccl}}"),
    ("list(REMOVE_ITEM", "list(REMOVE_ITEX"),
    ("for NVIDIA {{gpu.label}}", "for NVIDIE {{gpu.label}}"),
    ("Driver: {{major(driver)}} or newer.", "Drover: {{major(driver)}} or newer."),
    ('name   = "python313-cuda', 'name   = "python314-cuda'),
    ('name   = "python313-cpu', 'name   = "python314-cpu'),
]


@pytest.fixture(scope="module")
def plan() -> tuple[Compilation, list[list[str]]]:
    made = compile_variants()
    return made, texts(made)


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new"), MUTATIONS, ids=[old for old, _ in MUTATIONS])
def test_what_changes_is_what_was_named(
    plan: tuple[Compilation, list[list[str]]], old: str, new: str
) -> None:
    made, before = plan
    assert len(old) == len(new)
    other = compile_variants(PLAN.replace(old, new.replace("isa.oldest]  ", "isa.arch]    ")))
    after = texts(other)
    assert len(before) == len(after)
    target = ("variants.tvar", line_of(old))
    impact = line_impact(made, made.variants, target)
    named = {
        number: {line for first, last in group.lines for line in range(first, last + 1)}
        for group in impact.groups
        for number in group.variants
    }
    hit = 0
    for number, (was, now) in enumerate(zip(before, after, strict=True)):
        assert len(was) == len(now)
        pairs = enumerate(zip(was, now, strict=True), start=1)
        changed = {n for n, (one, two) in pairs if one != two}
        # A line with several values is named for all that stands on it, of which one was changed.
        lines = named.get(number, set())
        assert changed <= lines
        if old not in SEVERAL:
            assert changed == lines
        hit += bool(changed)
    assert hit


# Lines on which more than one value stands.
SEVERAL = {"allowBroken = true", 'github("pytorch/pytorch"'}


def asked(place: str, *more: str) -> dict[str, Any]:
    result = tvarc("who", place, *more, "--json", code=exits.OK)
    data = json.loads(result.stdout)
    assert isinstance(data, dict)
    return data


@pytest.mark.slow
def test_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    jobs = line_of("MAX_JOBS=32")
    data = asked(f"variants.tvar:{jobs}")
    assert (data["variants"], data["reached"]) == (44, 44)
    assert [len(group["variants"]) for group in data["groups"]] == [40, 4]
    text = tvarc("who", f"./variants.tvar:{jobs}").stdout
    assert text.startswith(f"variants.tvar:{jobs}: export MAX_JOBS=32\naffects 44 of 44 variants\n")
    assert "in 4 variants (matrix cpu-builds): line" in text
    row = (ROOT / "stdlib" / "nvidia.tvar").read_text().splitlines()
    label = 1 + next(n for n, line in enumerate(row) if "Blackwell Ultra (B300" in line)
    data = asked(f"std/nvidia.tvar:{label}")
    assert data["reached"] == 4
    assert all("-sm103-" in one["variant"] for one in data["groups"][0]["variants"])
    assert asked(f"variants.tvar:{jobs}", "--only", "sm103")["variants"] == 4
    drops = asked(f"variants.tvar:{line_of('gpu not in [sm110, sm121]')}")["dropped"]
    assert drops == [{"matrix": "gpu-builds", "cells": 14}]
    axis = asked(f"variants.tvar:{line_of('axis gpu')}")["decides"]
    assert len(axis["variants"]) == 40


PROGRAM = """\
pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
# a comment
axis n { one { size = 1, other = 7 }, two { size = 2, other = 8 } }

let unread = "x"
let jobs = [
  "first",
  "second",
]
recipe base {
  package = pkgs.hello
  attrs {
    lost = 1
    empty = []
    list = [
      "a",
      # no value
      "b",
    ]
    jobs = jobs
    when n.size == 2 {
      big = true
    }
  }
}
recipe child extends base {
  attrs { lost = 2 }
}
recipe idle {
  package = pkgs.git
}
matrix m {
  recipe = child
  axes = n
  name = "v-{{n}}"
}
require n.size < 3 because "so"
output out { file = "{{variant}}.nix" }
"""


@pytest.fixture
def program(here: Path) -> Path:
    (here / "variants.tvar").write_text(PROGRAM)
    return here


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# a comment", "it is a comment"),
        ("# no value", "it is a comment"),
        ("let unread", "nothing that is emitted reads `unread`"),
        ("lost = 1", "it is shadowed in 2 of 2 variants by variants.tvar:27 (child sets it anew)"),
        ("recipe idle", "no variant uses the declaration that it stands in"),
        ("require n.size", "it is a check: it emits nothing"),
    ],
)
def test_why_a_line_reaches_nothing(program: Path, text: str, reason: str) -> None:
    data = asked(f"variants.tvar:{line_of(text, PROGRAM)}")
    assert data["why"] == [reason]
    assert data["groups"] == []


TAKING = """\
pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
facts words (
  text: string,
) {
  one { text = "1" }
}
axis n { one { size = 1 }, two { size = 2 }, three { size = 3 } }
let empty-let = [
  "-z",
]
recipe base {
  package = pkgs.hello
  attrs {
    lost  = 1
    list  = ["x", "y", "z"]
    other = [
      "p",
      "q",
    ]
    list -= ["y"]
    given = empty-let
  }
  flag unread: bool = false
  script build {
    part first "echo first\\n"
    part second "echo second\\n"
  }
  when n.size > 1 {
    script build { part first = none }
    attrs { other -= ["q"] }
  }
  when n.size > 1 { require n.size < 9 because "it is" }
}
recipe child extends base { attrs { lost = 2 } }
matrix m { recipe = child, axes = n, name = "v-{{n}}" }
output o { file = "{{variant}}.nix" }
"""


OVERLAYS = """\
pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
axis n = [1, 2]
overlay one in python3Packages {
  via = scope
  numpy = final.numpy_2 because "two needs it"
}
overlay two in python3Packages {
  via = scope
  scipy = final.scipy_2
}
recipe base {
  package  = pkgs.hello
  overlays = [one, two]
  attrs { n = n }
}
matrix m { recipe = base, axes = n, name = "two-{{n}}" }
output o { file = "{{variant}}.nix" }
"""


@pytest.mark.parametrize(("name", "count"), [("one", 18), ("two", 13)])
def test_the_head_of_an_overlay_reaches_all_of_it(name: str, count: int, here: Path) -> None:
    """Whatever else has its name in the file: the variant, and what is said of another overlay."""
    (here / "variants.tvar").write_text(OVERLAYS)
    assert tvarc("build").exit_code == exits.OK
    file = (here / "two-1.nix").read_text().splitlines()
    first = 1 + file.index(f"      # {name}")
    (group,) = asked(f"variants.tvar:{line_of(f'overlay {name}', OVERLAYS)}")["groups"]
    assert group["lines"] == [[first, first + count - 1]]
    assert len(group["variants"]) == 2


@pytest.mark.parametrize(
    ("most", "line", "reason"),
    [
        (1, "lost = 1", "it is shadowed in 1 of 1 variants that were looked at by "
         "variants.tvar:27 (child sets it anew)"),
        (1, "recipe idle",
         "none of the 1 variants that were looked at uses the declaration that it stands in"),
        (2, "recipe idle", "no variant uses the declaration that it stands in"),
    ],
)  # fmt: skip
def test_of_a_sample_it_is_said_that_it_is_one(
    most: int, line: str, reason: str, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tvarc.build.impact.unreached.MOST_SAMPLED", most)
    assert asked(f"variants.tvar:{line_of(line, PROGRAM)}")["why"] == [reason]


@for_each("count", [1, 499, 500, 501, 999, 1000, 1499, 2000, 99_540])
def test_a_sample_is_no_larger_than_it_may_be(count: int) -> None:
    variants = cast("list[Variant]", list(range(count)))
    assert min(count, 251) <= len(sample(variants, 500)) <= 500


def place_in(text: str) -> str:
    return f"variants.tvar:{line_of(text, TAKING)}"


@pytest.fixture
def taking(here: Path) -> None:
    (here / "variants.tvar").write_text(TAKING)


@pytest.mark.parametrize(
    ("text", "what", "variants"),
    [
        ("list -= [", 'takes "y" out of attrs.list', ["v-one", "v-two", "v-three"]),
        ("other -= [", 'takes "q" out of attrs.other', ["v-two", "v-three"]),
        ("part first = none", "takes part first out of script build", ["v-two", "v-three"]),
    ],
)
def test_what_is_taken_out(taking: None, text: str, what: str, variants: list[str]) -> None:
    data = asked(place_in(text))
    (effect,) = data["effects"]
    assert (effect["what"], effect["variants"]) == (what, variants)
    assert data["reached"] == len(variants)
    assert data["why"] == []
    shown = tvarc("who", place_in(text)).stdout
    assert f": {what} (variants.tvar:" in shown
    assert "reaches nothing" not in shown


def test_a_list_of_which_nothing_is_left(here: Path) -> None:
    """It is empty because of all that writes it."""
    text = TAKING.replace('list -= ["y"]', 'list -= ["x", "y", "z"]')
    (here / "variants.tvar").write_text(text)
    for word in ("    list  = [", "list -= ["):
        (group,) = asked(f"variants.tvar:{line_of(word, text)}")["groups"]
        assert len(group["variants"]) == 3


def test_a_shadowed_line_decides_the_place_alone(taking: None) -> None:
    data = asked(place_in("    lost  = 1"))
    assert data["reached"] == 0
    winner = place_in("recipe child")
    assert data["why"] == [f"it is shadowed in 3 of 3 variants by {winner} (child sets it anew)"]
    (effect,) = data["effects"]
    assert effect["only-place"]
    assert effect["what"] == "decides where attrs.lost stands"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("facts words", "it opens a table, and each row tells what it reaches"),
        ("one { text", "nothing that is emitted reads this fact"),
        ("require n.size", "it is a check: it emits nothing"),
        ("flag unread", "nothing that is emitted reads it"),
    ],
)
def test_the_reasons_are_true(taking: None, text: str, reason: str) -> None:
    assert asked(place_in(text))["why"] == [reason]


def test_a_line_that_only_begins_a_let_reaches_all_of_it(taking: None) -> None:
    first, whole = asked(place_in("let empty-let")), asked(place_in('"-z"'))
    assert first["reached"] == whole["reached"] == 3
    assert first["groups"]


def test_an_element_that_is_taken_out_is_covered_by_what_takes_it(taking: None) -> None:
    """The place is that of the `-=`, not of the list."""
    why = asked(place_in('      "q",'), "--only", "v-two")["why"]
    taker = place_in("other -= [")
    assert why == [f"it is shadowed in 1 of 1 variants by {taker} (base removes it)"]


def test_all_are_named_where_that_is_asked_for(taking: None) -> None:
    rows = tvarc("who", place_in("list -= ["), "--all").stdout.splitlines()
    assert rows[-3:] == ["    v-one", "    v-two", "    v-three"]


def test_a_line_that_no_file_has(taking: None) -> None:
    result = tvarc("who", f"variants.tvar:{'9' * 5000}", code=exits.FAILED)
    assert "has no such line" in result.stderr
    assert len(result.stderr) < 500


@pytest.mark.slow
def test_groups_without_a_short_name_tell_what_they_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "examples" / "torch-2.10")
    shown = tvarc("who", "variants.tvar:46")
    assert "in 57 variants, all of them toolkit cuda13_0" in shown.stdout
    assert "`--all` prints the names of the variants" in shown.stdout
    whole = tvarc("who", "variants.tvar:46", "--all").stdout
    assert whole.count("    pytorch-python313-cuda13_0-") == 60
    assert "`--all`" not in whole


def test_a_condition_that_never_holds(program: Path) -> None:
    (program / "variants.tvar").write_text(PROGRAM.replace("n.size == 2", "n.size == 5"))
    result = tvarc("who", f"variants.tvar:{line_of('big = true', PROGRAM)}", code=exits.OK)
    assert "affects nothing: its condition never holds" in result.stdout


@pytest.mark.parametrize(
    ("text", "variants", "pieces"),
    [
        ("empty = []", 2, ["empty = [ ];"]),
        ('      "b",', 2, ['"b"']),
        ('  "second",', 2, ['"second"']),
        ("when n.size == 2", 1, ["big = true;"]),
        ("    list = [", 2, ["list = [", '"a"', '"b"']),
        ("axis n {", 2, None),
    ],
)
def test_lines_of_a_program(
    program: Path, text: str, variants: int, pieces: list[str] | None
) -> None:
    data = asked(f"variants.tvar:{line_of(text, PROGRAM)}")
    assert data["reached"] == variants
    if pieces is None:
        assert len(data["decides"]["variants"]) == 2
        return
    assert tvarc("build").exit_code == exits.OK
    for group in data["groups"]:
        for variant in group["variants"]:
            lines = (program / variant["files"][0]).read_text().split("\n")
            shown = [lines[n - 1] for first, last in group["lines"] for n in range(first, last + 1)]
            assert len(shown) <= len(pieces)
            for piece in pieces:
                assert any(piece in line for line in shown), (piece, shown)


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["other.tvar:1"], exits.FAILED, "error[E904]: the program does not read `other.tvar`"),
        (["variants.tvar:999"], exits.FAILED, "error[E904]: `variants.tvar` has no line 999"),
        (["variants.tvar"], exits.USAGE, "`variants.tvar` is not a line of a file"),
        (["variants.tvar:0"], exits.USAGE, "`variants.tvar:0` is not a line of a file"),
        (["27"], exits.USAGE, "write the file of line 27: `variants.tvar:27`"),
        (["27", "--file", "x.tvar"], exits.USAGE, "write the file of line 27: `x.tvar:27`"),
    ],
)
def test_faults(program: Path, words: list[str], code: int, told: str) -> None:
    result = tvarc("who", *words, code=code)
    assert told in result.stderr
    assert result.stdout == ""


@pytest.mark.slow
def test_thousands_of_variants_in_seconds(here: Path) -> None:
    versions = ", ".join(f"12.{minor}" for minor in range(12))
    text = SMALL.replace("[12.8, 13.0]", f"[{versions}]").replace("cuda == 13.0", "cuda == 12.1")
    text = text.replace("axes   = gpu * cuda", "axes   = gpu * cuda * more\n  limit  = 20000")
    text = text.replace("-{{gpu}}", "-{{gpu}}-{{more}}")
    text += f"axis more = [{', '.join(map(str, range(40)))}]\n"
    (here / "variants.tvar").write_text(text)
    (here / "fix me.patch").touch()
    start = time.process_time()
    data = asked(f"variants.tvar:{line_of('flags   =', text)}")
    assert (data["variants"], data["reached"]) == (1_400, 1_400)
    data = asked(f"variants.tvar:{line_of('sm90  {', text)}")
    assert data["reached"] == 440
    assert time.process_time() - start < 20  # about two, where nothing else runs


@pytest.mark.slow
def test_the_larger_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = ROOT / "examples" / "torch-2.10"
    monkeypatch.chdir(folder)
    source = (folder / "variants.tvar").read_text()
    first = source[: source.index("-DTORCH_BUILD_VERSION")].count("\n") + 1
    data = asked(f"variants.tvar:{first}")
    assert data["variants"] == 237
    named = {one["variant"]: group for group in data["groups"] for one in group["variants"]}
    assert data["reached"] == len(named) == 229  # all that matrix `cuda` has
    monkeypatch.chdir(ROOT)
    made = asked("examples/shared/torch.tvar:1", "--file", "examples/torch-2.10/variants.tvar")
    assert made["variants"] == 237
