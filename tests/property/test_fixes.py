"""An edit of a diagnostic does what it says: the fault is gone, and no fault of syntax is new."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest
from hypothesis import given, settings

from rules.cases import FOLDER, rules_of
from support import corpus
from support.compile import ROOT, messages, named_by, std_sources
from support.effort import examples, for_each, is_long, thorough
from support.library_cache import library_cache
from support.templates import templates
from tvarc.build.driver import Compilation, compile_file
from tvarc.commands.programs.checking import check_program
from tvarc.commands.programs.fixing import fixed
from tvarc.files.disk import MemoryLoader
from tvarc.text.diagnostics.model import Diagnostic
from tvarc.text.edits import edited

FILE = "input.tvar"
Files = dict[str, str | bytes]


@cache
def programs() -> tuple[Files, ...]:
    """Programs with faults: of the pages of errors, of the snapshots, and of the rules."""
    return (*pages(), *snapshots(), *cases())


def pages() -> Iterator[Files]:
    for path in sorted((ROOT / "docs" / "errors").glob("E*.md")):
        for text in re.findall(r"^```tvar\n(.*?)^```$", path.read_text(), re.M | re.S):
            yield {FILE: text}


def snapshots() -> Iterator[Files]:
    for path in sorted((ROOT / "tests" / "snapshots").glob("e*/input.tvar")):
        try:
            beside = {one.name: one.read_text() for one in path.parent.glob("*.tvar")}
        except UnicodeDecodeError:
            continue
        yield {**beside}


def cases() -> Iterator[Files]:
    for path in sorted(FOLDER.glob("[0-9]*/*.tvar")):
        for case in (case for rule in rules_of(path) for case in rule.cases):
            if any(name.startswith("expect-error") for name, _ in case.expected):
                yield {**case.all_files(), FILE: case.source()}


def loader(files: Files) -> MemoryLoader:
    text = files[FILE]
    named = named_by(text, files=files) if isinstance(text, str) else {}
    return MemoryLoader({**named, **files}, std_sources())


def compiled(files: Files) -> Compilation:
    made = compile_file(FILE, loader(files), cache=library_cache())
    if made.expansion is not None:
        check_program(made)
    return made


def faults(made: Compilation, until: tuple[str, int] | None = None) -> int:
    """How many faults of syntax there are, or that begin before *until*."""
    found = [one for one in made.sink if one.code.startswith("E1")]
    if until is None:
        return len(found)
    starts = [start_of(one) for one in found]
    return sum(one is None or one[0] != until[0] or one[1] < until[1] for one in starts)


def errors(made: Compilation) -> int:
    return sum(one.code.startswith("E") for one in made.diagnostics)


def check_fix(files: Files, made: Compilation, one: Diagnostic) -> None:
    """The program after the edits of *one*."""
    for _ in range(_SAME_SLIPS):
        texts = {source.file: source.text for source in made.sources}
        after = edited(texts, one.edits)
        then = compiled({**files, **after})
        # What is behind the edits may have been skipped with the fault.
        assert faults(then, end_of(one)) <= faults(made), (one.title, after)
        before = Counter(map(key_of, made.diagnostics))[key_of(one)]
        now = [other for other in then.diagnostics if key_of(other) == key_of(one)]
        # The same fault at a later place may have been hidden by this one.
        here = [other for other in now if start_of(other) == moved(one) and other.edits]
        if len(now) < before or not here:
            return
        files, made, one = {**files, **after}, then, here[0]
    raise AssertionError((one.title, files))


def key_of(one: Diagnostic) -> tuple[str, str]:
    return one.code, one.title


def start_of(one: Diagnostic) -> tuple[str, int] | None:
    return (one.primary.file, one.primary.start) if one.primary is not None else None


def moved(one: Diagnostic) -> tuple[str, int] | None:
    """Where the fault would begin after its edits, if they did not mend it."""
    if one.primary is None:
        return None
    file, start = one.primary.file, one.primary.start
    before = [edit for edit in one.edits if edit.span.file == file and edit.span.end <= start]
    return file, start + sum(len(edit.text) - edit.span.end + edit.span.start for edit in before)


def end_of(one: Diagnostic) -> tuple[str, int]:
    """Where the last edit of the first file ends, after the edits of that file."""
    file = one.edits[0].span.file
    own = [edit for edit in one.edits if edit.span.file == file]
    added = sum(len(edit.text) - edit.span.end + edit.span.start for edit in own)
    return file, max(edit.span.end for edit in own) + added


def fixable(made: Compilation) -> list[Diagnostic]:
    return [
        one
        for one in made.diagnostics
        if one.edits and all(not edit.span.file.startswith(("std/", "--")) for edit in one.edits)
    ]


_SAME_SLIPS = 5
"""The same slip may follow itself: two invisible characters."""

ONE = """\
axis isa = [avx2, avx512]
recipe hello { package = pkgs.hello, pin = none }
matrix builds { recipe = hello, axes = isa, name = "hello-{{isa}}" }
"""
BOARDS = "facts board (cores: int) { rpi5 { cores = 4 } }\n"
GPUS = ONE.replace("isa", "gpu").replace("[avx2, avx512]", "[sm80, sm90]")
TWO = (
    ONE
    + """\
recipe world { package = pkgs.hello, pin = none, needs first = builds[isa = avx2]
  attrs { x = needs.first.variant } }
matrix worlds { recipe = world, axes = isa, name = "world-{{isa}}" }
"""
)
OUTPUT = 'output nix: all { file = "default.nix" }\n'

BESIDE: Files = {
    "x.patch": "", "sub/a.nix": "", "nixpkgs/default.nix": "",
    "mine/other.tvar": "let unused-here = 1\n",
    "other.tvar": "recipe base { meta { description = \"x\" } }\n",
}  # fmt: skip
SLIPS = [
    ("meaning/axes.UNKNOWN_TABLE", BOARDS + "axis b = «bord→board»[rpi5]\n" + ONE),
    ("meaning/axes.UNKNOWN_ROW", ONE.replace("axes = isa", "axes = isa[«axv2→avx2»]")),
    ("meaning/declarations.UNKNOWN_WARNING", 'warn «flox-nam→flox-name» = off because "x"\n' + ONE),
    ("meaning/expressions.UNKNOWN_FIELD", BOARDS + "let x = rpi5.«core→cores»\n" + ONE),
    ("meaning/functions.UNKNOWN_FUNCTION", 'let x = «uper→upper»("a")\n' + ONE),
    (
        "meaning/functions.UNKNOWN_ARGUMENT",
        'let x = join([1], «seperator→separator» = "a")\n' + ONE,
    ),
    ("meaning/matrices.UNKNOWN_AXIS", ONE.replace("axes = isa", "axes = «isaa→isa»")),
    ("meaning/modules.UNKNOWN_MODULE", "use «std.nvidai→std.nvidia»\n" + ONE),
    ("meaning/names.UNKNOWN_OF_KIND", ONE.replace("recipe = hello", "recipe = «helo→hello»")),
    ("meaning/names.MISSPELT", "let first = 1\nlet x = «frist→first»\n" + ONE),
    (
        "meaning/names.UNKNOWN_OF_KIND",
        "recipe base { }\n" + ONE.replace("recipe hello", "recipe hello extends «bas→base»"),
    ),
    ("meaning/names.UNKNOWN_ROW", BOARDS + "let x = board.«rpj5→rpi5».cores\n" + ONE),
    (
        "meaning/names.UNKNOWN_MODULE",
        'use "./other.tvar" as nv\nrecipe a extends «nb→nv».base { }\n' + ONE,
    ),
    (
        "meaning/names.NOT_IN_MODULE",
        'use "./mine/other.tvar" as nv\nlet x = nv.«unused-her→unused-here»\n' + ONE,
    ),
    ("decide/needs.UNKNOWN_NEED", TWO.replace("needs.first.", "needs.«frist→first».")),
    ("meaning/needs.UNKNOWN_AXIS", TWO.replace("builds[isa =", "builds[«iso→isa» =")),
    ("meaning/outputs.UNKNOWN_FIELD", ONE + OUTPUT.replace("file", "«fiel→file»")),
    ("meaning/outputs.UNKNOWN_FORM", ONE + OUTPUT.replace(": all", ": «al→all»")),
    ("meaning/outputs.NO_FORM", ONE + OUTPUT.replace("nix: all", "«all→all: all»")),
    ("meaning/settings.UNKNOWN_SETTING", ONE.replace("package", "«pakage→package»")),
    (
        "meaning/settings.UNKNOWN_BLOCK",
        ONE.replace("pin = none", "pin = none\n«atrs→attrs» { x = 1 }\n"),
    ),
    (
        "meaning/settings.UNKNOWN_FLAG",
        ONE.replace("pin = none", "pin = none, flag fast: bool = true\nattrs { x = fast }")
        + "recipe b extends hello { flag «fats→fast» = false }\n",
    ),
    ("meaning/overlays.UNKNOWN_BLOCK", "overlay o for zlib { «agrs→args» { x = 1 } }\n" + ONE),
    (
        "meaning/patches.UNKNOWN_FIELD",
        'patch p for zlib { «fil→file» = path("./x.patch") }\n' + ONE,
    ),
    ("meaning/pins.UNKNOWN_FIELD", 'pin p { «pth→path» = "./nixpkgs", release = 24.11 }\n' + ONE),
    ("meaning/inputs.UNKNOWN_FIELD", 'input i { «pth→path» = "./sub" }\n' + ONE),
    ("meaning/tables.UNKNOWN_TYPE", BOARDS.replace("int", "«itn→int»") + ONE),
    ("meaning/tables.UNKNOWN_FIELD", BOARDS.replace("{ cores", "{ «core→cores»") + ONE),
    (
        "meaning/tables.UNKNOWN_ROW",
        BOARDS + "facts board override { «rpii5→rpi5» { cores = 8 } }\n" + ONE,
    ),
    (
        "meaning/values.NO_KEY",
        "let r = { alpha = 1 }\n" + ONE.replace("hello-", "h{{r.«alpa→alpha»}}-"),
    ),
    (
        "decide/reads.UNSET",
        ONE.replace(
            "pin = none", 'pin = none, attrs { alpha = "a", b = «attrs.alpa→attrs.alpha» }'
        ),
    ),
    ("syntax/literals.LETTER_IN_VERSION", 'axis v = [«2.11.0rc1→version("2.11.0rc1")»]\n' + ONE),
    ("syntax/strings.ESCAPED_BRACE", 'let x = "a «\\{→{» b"\n' + ONE),
    ("syntax", ONE.replace("pin = none", "pin «==→=» none")),
    ("syntax", ONE.replace("pin = none", "pin«:→ =» none")),
    ("syntax", ONE.replace("axes = isa", "axes «==→=» isa")),
    ("syntax", "let x = 1 «=→==» 2\n" + ONE),
    ("syntax", "let x = true «&&→and» false\n" + ONE),
    ("syntax", "let x = true«||→ or »false\n" + ONE),
    ("syntax", "let x = «!→not »true\n" + ONE),
    ("syntax", "let x = 1«;→»\n" + ONE),
    ("syntax", "let x = «'→\"»a«'→\"»\n" + ONE),
    ("syntax", 'let x = «“→"»a«”→"»\n' + ONE),
    ("syntax", "«const→let» x = 1\n" + ONE),
    ("syntax", "«// →# »a comment\n" + ONE),
    ("syntax", "«recpie→recipe» b { }\n" + ONE),
    ("syntax", "let x = [1«→,» 2]\n" + ONE),
    ("syntax", ONE.replace("pin = none", "pin = none«→,» attrs.x = 1")),
    ("syntax", ONE.replace("pin = none", 'pin = none, attrs { «→force »x = «force →»"a" }')),
    ("syntax", "«import→use» std.nvidia\n" + ONE),
    ("syntax", ONE.replace("pin = none", 'pin = none, attrs { x = nix«→""»"null"«→""» }')),
    ("syntax", "axis v = [«armv8.2→armv8_2»]\n" + ONE),
    ("syntax", 'language «"1"→1»\n' + ONE),
    (
        "decide/parts.NO_NEIGHBOUR",
        ONE.replace(
            "pin = none",
            'pin = none\nscript preBuild { part one "a"\npart two after «oen→one» "b" }\n',
        ),
    ),
    (
        "meaning/axes.UNKNOWN_TABLE_OF_MODULE",
        "use std.nvidia as nv\naxis g = nv.«nvida→nvidia»[sm80]\n" + ONE,
    ),
    (
        "meaning/axes.UNKNOWN_VALUE",
        ONE.replace("[avx2, avx512]", '["alpha", "beta"]').replace(
            "= isa,", '= isa[«"alpa"→"alpha"»],'
        ),
    ),
    (
        "meaning/expressions.UNKNOWN_FIELD",
        BOARDS
        + "axis b = board[rpi5]\n"
        + ONE.replace("= isa,", "= isa * b,").replace("hello-", "h{{b.«core→cores»}}-"),
    ),
    (
        "meaning/modules.UNKNOWN_INPUT",
        'input mine { path = "./mine" }\nuse "other.tvar" from «mime→mine»\n' + ONE,
    ),
    ("meaning/modules.UNKNOWN_LANGUAGE", "«language 1.0→language 1»\n" + ONE),
    (
        "meaning/names.NO_PARENT_IN_MODULE",
        'use "./other.tvar" as o\n'
        + ONE.replace("recipe hello", "recipe hello extends o.«bas→base»"),
    ),
    ("meaning/names.MISSPELT", "let x = «True→true»\n" + ONE),
    ("meaning/needs.NO_MATRIX_OR_RECIPE", TWO.replace("= builds[", "= «bilds→builds»[")),
    (
        "meaning/overlays.BAD_VIA",
        "overlay o in pkgs.python3Packages { via = «extesions→extensions», x = prev.x }\n"
        + ONE.replace("pin = none", "pin = none, overlays = [o]"),
    ),
    (
        "meaning/pins.UNKNOWN_BLOCK",
        'pin p { path = "./nixpkgs", release = 24.11\n «confg→config» { allowUnfree = true } }\n'
        + ONE.replace("pin = none", "pin = p"),
    ),
    (
        "meaning/tables.NOTHING_TO_CORRECT",
        BOARDS + "facts «bord→board» override { rpi5 { cores = 8 } }\n" + ONE,
    ),
    (
        "meaning/tables.NOTHING_TO_EXTEND",
        BOARDS + "facts «bord→board» += { rpi6 { cores = 8 } }\n" + ONE,
    ),
    (
        "meaning/expressions.UNKNOWN_FIELD",
        BOARDS + "let l = [rpi5]\n" + ONE.replace("hello-", "h{{l[0].«core→cores»}}-"),
    ),
]


@for_each("message, text", SLIPS)
def test_a_slip_is_mended(message: str, text: str) -> None:
    """*text* has the wrong and the right words as `«wrong→right»`."""
    wrong = re.sub(r"«([^→»]*)→[^»]*»", r"\1", text)
    right = re.sub(r"«[^→»]*→([^»]*)»", r"\1", text)
    files: Files = {FILE: wrong, **BESIDE}
    made = compiled(files)
    assert [one.title for one in made.diagnostics if one.edits], messages(made)
    for one in fixable(made):
        check_fix(files, made, one)
    done = fixed(FILE, loader(files), library_cache())
    assert done.texts[FILE] == (wrong, right)


CPUS = "use std.cpu\n" + ONE.replace("[avx2, avx512]", "cpu[x86-64-v3, armv9]")
LEFT = [
    CPUS.replace("armv9", "armv8"),
    CPUS.replace("armv9", "x86-64-v5"),
    CPUS.replace("pin = none", "pin = none\n when isa == armv8 { attrs { x = 1 } }\n"),
    "use std.nvidia\n" + GPUS.replace("[sm80, sm90]", "nvidia[sm200]"),
    "let left-a = 1\nlet left-b = 2\nlet x = left-c\n" + ONE,
    "let package-one = 1\nlet package-ore = 2\nlet x = package-on\n" + ONE,
    ONE.replace("pkgs.hello", "pkgs.hello // { x = 1 }"),
    ONE.replace("pkgs.hello", "pkgs.hello // overridden"),
    ONE.replace("pin = none", "meta = base.meta // {\n x = 1 }\n"),
    ONE.replace("pin = none", "pin = none, attrs { x = y => y }"),
    ONE.replace("{{isa}}\"", '{{isa}}"\nexclude isa == avx2, isa == avx512'),
    ONE.replace("pkgs.hello", 'pkgs.callPackage "./a.nix" { }'),
    ONE.replace("= [avx2, avx512]", "{ avx2 { w = None }\n avx512 { w = 1 } }"),
    ONE.replace("hello-{{isa}}", "hello-{{var.isa}}"),
]
"""Programs with a fault that has several ways to mend it."""


@for_each("text", LEFT)
def test_what_is_to_be_chosen_is_left(text: str) -> None:
    files: Files = {FILE: text, **BESIDE}
    assert any(one.code.startswith("E") for one in compiled(files).diagnostics)
    assert fixed(FILE, loader(files), library_cache()).texts == {}


@for_each(
    "slip, mended",
    [
        ("let x : bool = True\n", "let x = true\n"),
        ("let x: bool = true\n", "let x = true\n"),
        ("recipe: other { }\n", "recipe other { }\n"),
        ("axis a = { b { c = 1 } }\n", "axis a { b { c = 1 } }\n"),
        ("use std.cpu\naxis a = cpu[*]\n", "use std.cpu\naxis a = cpu\n"),
        ('exclude isa == avx2 reason = "x"\n', 'exclude isa == avx2 because "x"\n'),
    ],
)
def test_forms_of_other_languages(slip: str, mended: str) -> None:
    done = fixed(FILE, loader({FILE: slip + ONE, **BESIDE}), library_cache())
    assert done.texts[FILE][1] == mended + ONE


def test_a_correction_that_leaves_as_many_errors_is_not_written() -> None:
    """The word that is meant may be known, and still be wrong at its place."""
    when = "pin = none\nwhen frstly { attrs { x = 1 } }\n"
    text = 'let firstly = "a"\n' + ONE.replace("pin = none", when)
    assert [one.edits != () for one in compiled({FILE: text}).diagnostics] == [True]
    assert fixed(FILE, loader({FILE: text}), library_cache()).texts == {}


def test_a_correction_may_reveal_errors_that_are_corrected_too() -> None:
    text = ONE.replace("pin = none", "pin: none, atrs { x = 1 }, mta { description = \"x\" }")
    done = fixed(FILE, loader({FILE: text}), library_cache())
    assert len(done.fixes) == 3
    right = ONE.replace("pin = none", 'pin = none, attrs { x = 1 }, meta { description = "x" }')
    assert done.texts[FILE][1] == right


def test_each_message_with_an_edit_has_a_slip() -> None:
    wanted = {name for name, message in templates().items() if message.edit is not None}
    elsewhere = {"meaning/modules.ABSOLUTE_PATH"}  # held by cli/test_fix.py: it needs a disk
    assert {name for name, _ in SLIPS} - {"syntax"} == wanted - elsewhere


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_each_edit_of_a_known_program_mends_its_fault(part: int) -> None:
    every = programs()[part :: 8 if is_long() else 16 if thorough() else 64]
    found = 0
    for files in every:
        made = compiled(files)
        for one in fixable(made):
            check_fix(files, made, one)
            found += 1
    assert found or not thorough()


@pytest.mark.slow
@settings(max_examples=examples(400))
@given(corpus.edited(2500))
def test_each_edit_of_a_broken_program_mends_its_fault(text: str) -> None:
    files: Files = {FILE: text}
    made = compiled(files)
    for one in fixable(made)[:3]:
        check_fix(files, made, one)


@pytest.mark.slow
@settings(max_examples=examples(100))
@given(corpus.edited(1500))
def test_what_is_fixed_has_nothing_more_to_fix_and_no_new_fault_of_syntax(text: str) -> None:
    files: Files = {FILE: text}
    done = fixed(FILE, loader(files), library_cache())
    assert bool(done.texts) <= bool(done.fixes)
    after = {**files, **{name: new for name, (_, new) in done.texts.items()}}
    then, now = compiled(after), compiled(files)
    assert faults(then) <= faults(now)
    if done.texts and then.expansion is None:
        assert errors(then) < errors(now)
    again = fixed(FILE, loader(after), library_cache())
    assert not again.texts
