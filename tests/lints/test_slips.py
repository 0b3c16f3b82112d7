"""Lints on slips that the language itself lets pass: a `=` for a `+=`, marks of other languages in
a text, values that an axis does not have, names and folders that do not fit."""

from __future__ import annotations

import pytest

from support.compile import compile_text, messages
from support.effort import for_each
from support.lints import about, build, pin

FREE = "allowUnfree = true"
FROM_SCRATCH = 'call(pkgs.stdenv.mkDerivation, { name = "x" })'


def lists_dropped(body: str, package: str = "pkgs.hello") -> list[str]:
    found = about(pin(config=FREE) + build(body, package), "own-list-dropped")
    return [item.labels[0].text for item in found]


@for_each(
    "body, told",
    [
        ('attrs { cmakeFlags = ["-DX=1"] }', True),
        ("attrs { buildInputs = [pkgs.zlib] }", True),
        ("attrs { nativeBuildInputs = [pkgs.zlib] }", True),
        ("attrs { propagatedBuildInputs = [pkgs.zlib] }", True),
        ('attrs { configureFlags = ["a"], configureFlags += ["b"] }', True),
        ('attrs { force makeFlags = ["a"] }', True),
        ('attrs { cmakeFlags += ["-DX=1"] }', False),
        ('attrs { cmakeFlags = ["-DX=1"] because "on purpose" }', False),
        ('attrs { cmakeFlags -= ["-DX=1"] }', False),
        ("attrs { patches = [] }", False),
        ('attrs { cmakeFlags = [], cmakeFlags += ["a"] }', False),
        ('attrs { mine = ["a"] }', False),
        ('attrs { outputs = ["out"] }', False),
        ('attrs { cmakeFlags = nix"""lib.remove "a" old.cmakeFlags""" }', False),
        ('attrs { cmakeFlags = [nix"""toString old.cmakeFlags"""] }', False),
    ],
)
def test_a_list_in_the_place_of_the_packages_own(body: str, *, told: bool) -> None:
    assert bool(lists_dropped(body)) is told


def test_what_is_built_from_scratch_has_no_list_of_its_own() -> None:
    body = 'attrs { cmakeFlags = ["-DX=1"] }'
    assert lists_dropped(body, FROM_SCRATCH) == []
    made = compile_text(
        f'recipe r {{ package = path("./f.nix"), pin = none, {body} }}\n'
        "variant v { recipe = r }\n",
        files={"f.nix": "{ stdenv }: stdenv.mkDerivation { }"},
    )
    made.recipes()
    assert not [one for one in made.diagnostics if one.name == "own-list-dropped"], messages(made)


CALLED = """call(pkgs.stdenv.mkDerivation, {
  version   = "1.2", src = call(pkgs.fetchurl, { url = "mirror://gnu/x-1.2.tar.gz" })
  makeFlags = ["A=1", "B=1"], buildInputs = nix\"\"\"[ pkgs.zlib ]\"\"\", patches = []
})"""


@for_each(
    "body, told",
    [
        ('attrs { makeFlags = ["C=1"] }', ["replaces the 2 elements of the call"]),
        ("attrs { buildInputs = [pkgs.zlib] }", ["replaces the elements of the call"]),
        ('attrs { version = "2" }', ["the source stays that of 1.2"]),
        ('attrs { makeFlags += ["C=1"] }', []),
        ('attrs { makeFlags = ["C=1"] because "on purpose" }', []),
        ('attrs { patches = ["x"], cmakeFlags = ["-DX=1"] }', []),
        ('attrs { version = "1.2" }', []),
        ('attrs { version = "2", src = pkgs.hello.src }', []),
        ('attrs { version = "2" because "on purpose" }', []),
    ],
)
def test_an_attribute_in_the_place_of_the_calls(body: str, told: list[str]) -> None:
    found = about(pin() + build(body, CALLED), "call-value-replaced")
    assert [item.labels[0].text for item in found] == told
    assert lists_dropped(body, CALLED) == []
    other = CALLED.replace("mkDerivation", "override")  # these are no attributes
    assert about(pin() + build(body, other), "call-value-replaced") == []


@pytest.mark.parametrize(("relation", "count"), [("for openmpi", 1), ("in python3Packages", 0)])
def test_overlays_drop_lists_of_one_package(relation: str, count: int) -> None:
    head = pin(config=FREE) + f'overlay o {relation} {{ configureFlags = ["a"] }}\n'
    found = about(head + build("overlays = [o]", "pkgs.hello"), "own-list-dropped")
    assert [item.labels[0].text for item in found] == [
        "drops all that `openmpi` has in `configureFlags`"
    ] * count


def test_each_variant_that_drops_a_list_is_named() -> None:
    text = """
axis gpu { sm80 { }, sm90 { } }
recipe r {
  package = pkgs.hello
  when gpu == sm90 { attrs { cmakeFlags = ["{{gpu}}"] } }
}
matrix all { recipe = r, axes = gpu, name = "{{gpu}}" }
"""
    (found,) = about(pin(config=FREE) + text, "own-list-dropped")
    assert found.notes[0] == "for 1 variant: sm90"


# --- marks of other languages ----------------------------------------------------------------

PROGRAM = """axis gpu {{ g1 {{ label = "x" }} }}
let toolkit = "t"
recipe r {{
  package = pkgs.hello
  pin     = none
  {setting}
  script preConfigure {{ part one \"\"\"
      {script}
    \"\"\" }}
}}
matrix m {{ recipe = r, axes = gpu, name = "v-{{{{gpu}}}}" }}
"""


def marks(script: str = "echo", setting: str = "") -> list[str]:
    made = compile_text(PROGRAM.format(script=script, setting=setting))
    made.recipes()
    assert not made.sink.has_errors, messages(made)
    return [one.help.split("`")[1] for one in made.diagnostics if one.name == "other-mark-in-text"]


@for_each(
    "mark, in_text, in_script",
    [
        ("{gpu}", True, False),
        ("{gpu.label}", True, True),
        ("-march={gpu.label}", True, True),
        ("{ gpu.label }", True, True),
        ("{ gpu }", False, False),
        ("{variant}", True, False),
        ("$gpu", True, True),
        ("$toolkit", True, True),
        ("${{ gpu }}", True, True),
        ("${{ gpu.label }}", True, True),
        ("${{gpu}}", True, False),  # in a shell the variable that it names
        ("$CFLAGS $out $version", False, False),
        ("{nobody} $nobody {nobody.x}", False, False),
        ("{a,b} { } {} {1} $ $1 ${x:-y}", False, False),
        ("\\{{gpu}} {{gpu}}}", False, False),
        ("gpu=1; echo $gpu", False, False),
        ("for toolkit in a; do echo $toolkit; done", False, False),
    ],
)
def test_values_as_other_languages_write_them(mark: str, *, in_text: bool, in_script: bool) -> None:
    assert bool(marks(mark)) is in_script
    assigned = any(word in mark for word in ("gpu=1", "for toolkit"))
    assert bool(marks(setting=f'meta {{ description = "{mark} " }}')) is (in_text or assigned)
    assert marks(f"# {mark}") == []


def test_the_help_says_what_to_write() -> None:
    assert marks(setting='env { X = "-{gpu.label}-" }') == ["{{gpu.label}}"]
    assert marks(setting='env { X = "${{ gpu }}" }') == ["{{gpu}}"]
    assert marks(setting='env { X = "=$gpu" }') == ["{{gpu}}"]
    assert marks(setting='env { X = "{ gpu.label }" }') == ["{{gpu.label}}"]


def test_a_variable_of_the_build_is_no_slip() -> None:
    assert marks("echo $toolkit", 'env { toolkit = "x" }') == []
    assert marks(setting='env { toolkit = "x", Y = "$toolkit" }') == []


# --- values of axes ---------------------------------------------------------------------------

AXES = """use std.nvidia
axis gpu = nvidia[sm80, sm90]
axis tests = [true, false]
recipe r { package = pkgs.hello, pin = none, env { G = gpu.label, T = if tests then "1" else "" } }
matrix m {
  recipe = r
  axes   = gpu * tests
  name   = "{{gpu}}-{{if tests then "t" else "p"}}"
  IN_MATRIX
}
"""


@pytest.mark.parametrize("in_matrix", [True, False])
@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("gpu in [sm86, sm100] and tests or gpu == sm90", ["sm86", "sm100"]),
        ("gpu in [sm86, sm90] and tests", []),  # the axis may have been shortened
        ("sm86 == gpu or (gpu == sm90 and tests)", ["sm86"]),
        ("gpu != sm100 and tests", ["sm100"]),
        ("gpu not in [sm121] and not (gpu == sm86) and tests", ["sm121", "sm86"]),
        ("gpu in [sm80, sm90] and tests", []),
        ("gpu.label == sm86.label or tests", []),
    ],
)
def test_rows_that_an_axis_does_not_have(
    condition: str, rows: list[str], *, in_matrix: bool
) -> None:
    line = f"exclude {condition}"
    text = AXES.replace("IN_MATRIX", line if in_matrix else "") + ("" if in_matrix else line)
    made = compile_text(text)
    made.recipes()
    assert not made.sink.has_errors, messages(made)
    told = [one for one in made.diagnostics if one.name == "value-not-in-axis"]
    assert [one.title.split("`")[3] for one in told] == rows
    assert all(one.notes == ("`gpu` is one of sm80, sm90",) for one in told)


@for_each(
    "condition, told",
    [
        ('os == "c" or v == 2.8', ['`os` is never `"c"`']),
        ("v == 2.9 or n == 1", ["`v` is never `2.9`"]),
        ("n == 3 or v == 2.8", ["`n` is never `3`"]),
        ("v == 3.0.0 or n == 1", []),
        ('os in ["a", "c"] or n == 1', []),
        ('not (os in ["c", "d"]) and n == 1', ['`os` is never `"c"`', '`os` is never `"d"`']),
    ],
)
def test_values_without_rows_that_an_axis_does_not_have(condition: str, told: list[str]) -> None:
    made = compile_text(
        'axis os = ["a", "b"]\naxis v = [2.8, 3.0]\naxis n = [1, 2]\n'
        "recipe r { package = pkgs.hello, pin = none, attrs { a = os, b = v, c = n } }\n"
        'matrix m { recipe = r, axes = os * v * n, name = "{{os}}-{{v}}-{{n}}" }\n'
        f"exclude {condition}\n"
    )
    made.recipes()
    assert not made.sink.has_errors, messages(made)
    found = [one.title for one in made.diagnostics if one.name == "value-not-in-axis"]
    assert [title.partition(": ")[2] for title in found] == told


def test_an_exclusion_that_drops_nothing_says_which_value_there_is_not() -> None:
    made = compile_text(AXES.replace("IN_MATRIX", "exclude gpu == sm86"))
    made.recipes()
    (error,) = [one for one in made.diagnostics if one.code == "E601"]
    assert error.notes == ("`gpu` is never `sm86`: `gpu` is one of sm80, sm90",)


def test_a_library_may_speak_of_values_that_a_program_does_not_have() -> None:
    made = compile_text(
        'use "./rules.tvar" as rules\n' + AXES.replace("IN_MATRIX", ""),
        files={
            "rules.tvar": "use std.nvidia\naxis tests = [true, false]\n"
            'exclude gpu in [sm86, sm90] and gpu.label == ""\n'
        },
    )
    made.recipes()
    assert not [one for one in made.diagnostics if one.name == "value-not-in-axis"]


# --- names of store paths ---------------------------------------------------------------------


def stated(release: str) -> str:
    return pin(config=FREE).replace('hash = "', f'{release}hash = "')


@for_each(
    "release, package, attrs, told",
    [
        ("release = 20.09, ", "python3Packages.numpy", 'pname = "a"', "python3-{{attrs.pname}}-"),
        ("release = 24.11, ", "python312Packages.numpy", 'version = "9"', "{{old.pname}}-{{attrs"),
        ("release = 24.11, ", "python3.pkgs.numpy", 'pname = "a"', "-{{old.version}}"),
        ("release = 25.05, ", "python3Packages.numpy", 'pname = "a"', ""),  # not known
        ("", "python3Packages.numpy", 'pname = "a"', ""),
        ("release = 20.09, ", "python3Packages.numpy", 'pname = "a", name = "b"', ""),
        ("release = 20.09, ", "python3Packages.numpy", 'other = "a"', ""),
        ("release = 20.09, ", "hello", 'pname = "a"', ""),
        ("release = 20.09, ", "perlPackages.JSON", 'pname = "a"', ""),
    ],
)
def test_names_that_nixpkgs_makes_early(release: str, package: str, attrs: str, told: str) -> None:
    text = stated(release) + build(f"attrs {{ {attrs} }}", f"pkgs.{package}")
    found = about(text, "name-unreached")
    assert [told in item.help for item in found] == ([True] if told else [])


# --- variables of compilers -------------------------------------------------------------------


@for_each(
    "release, body, package, told",
    [
        ("release = 23.11, ", 'attrs { NIX_CFLAGS_COMPILE = "-O3" }', "pkgs.hello", True),
        ("release = 23.11, ", 'attrs { NIX_CFLAGS_COMPILE += ["-O3"] }', "pkgs.hello", True),
        ("", 'attrs { NIX_CFLAGS_COMPILE = "-O3" }', "pkgs.hello", True),
        ("release = 22.11, ", 'attrs { NIX_CFLAGS_COMPILE = "-O3" }', "pkgs.hello", False),
        ("release = 23.11, ", 'env { NIX_CFLAGS_COMPILE = "-O3" }', "pkgs.hello", False),
        ("release = 23.11, ", 'attrs { NIX_CFLAGS_COMPILE = "-O3" }', FROM_SCRATCH, False),
        ("release = 23.11, ", 'attrs { NIX_LDFLAGS = "-lm" }', "pkgs.hello", False),  # not known
    ],
)
def test_a_variable_beside_env(release: str, body: str, package: str, told: bool) -> None:
    found = about(stated(release) + build(body, package), "variable-outside-env")
    assert bool(found) is told


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ('attrs { NIX_CFLAGS_COMPILE += "-O3" }', 'env { NIX_CFLAGS_COMPILE = "{{old.env.NIX_C'),
        ('attrs { pname += "-2" }', 'write `pname = "{{old.pname}}…"`'),
        ('meta { description += "." }', 'write `description = "{{old.meta.description}}…"`'),
        ('attrs { cmakeFlags += "x" }', 'write `["x"]`'),
        ('attrs { mine += "x" }', 'write `["x"]`; if the package has a string there, write `mine'),
    ],
)
def test_what_to_write_for_a_text_that_is_added(body: str, wanted: str) -> None:
    made = compile_text(stated("") + build(body))
    made.recipes()
    (found,) = [one for one in made.diagnostics if "need a list" in one.title]
    assert wanted in found.help


# --- folders of sources -----------------------------------------------------------------------

HASH = 'hash = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="'
ARCHIVE = f'url("https://example.org/a-1.0.tar.gz", {HASH})'
REPOSITORY = f'github("a/b", tag = "v1", {HASH})'


@pytest.mark.parametrize("overlay", [True, False])
@pytest.mark.parametrize(
    ("source", "root", "more", "told"),
    [
        (ARCHIVE, '"source"', "", True),
        (ARCHIVE, '"source/python"', "", True),
        (ARCHIVE, '"a-1.0/python"', "", False),
        (ARCHIVE, '"."', "", False),
        (ARCHIVE, '"$name"', "", False),
        (ARCHIVE, '"source"', 'setSourceRoot = "x"', False),
        (ARCHIVE, '"{{pkgs.a}}"', "", False),
        (REPOSITORY, '"source/python"', "", False),
        (REPOSITORY, '"./source"', "", False),
        (REPOSITORY, '"b-1.0"', "", True),
        (REPOSITORY.replace("tag", 'name = "b", tag'), '"b/python"', "", False),
        (REPOSITORY.replace("tag", 'name = "b", tag'), '"source"', "", True),
        ("pkgs.a.src", '"source"', "", False),
    ],
)
def test_roots_that_a_source_does_not_have(
    source: str, root: str, more: str, *, told: bool, overlay: bool
) -> None:
    attrs = f"{{ src = {source}, sourceRoot = {root}, {more} }}"
    if overlay:
        text = f"overlay o for b {attrs}\n" + build("overlays = [o]", "pkgs.hello")
    else:
        text = build(f"attrs {attrs}", "pkgs.hello")
    found = about(pin(config=FREE) + text, "source-root-misfits")
    assert bool(found) is told
