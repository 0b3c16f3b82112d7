"""One message for one cause, with all its places; and what a message advises."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.compile import codes, compile_text, messages
from support.effort import for_each
from tvarc.build.driver import Compilation, compile_file
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir
from tvarc.text.diagnostics.message import Message
from tvarc.text.diagnostics.model import Diagnostic, Label, Sink
from tvarc.text.source import Source, SourceMap, Span

OF_RECIPE = "recipe r { package = pkgs.hello, pin = none, %s }\n"
RECIPE = "recipe r { package = pkgs.hello, pin = none, attrs { %s } }\n"
BUILD = 'variant v { recipe = r }\noutput o { file = "{{variant}}.nix" }\n'


def told(text: str, **files: str) -> list[Diagnostic]:
    made = compile_text(text, files={f"{name}.tvar": body for name, body in files.items()})
    made.recipes()
    return made.diagnostics


def helps(text: str, **files: str) -> list[str]:
    return [one.help for one in told(text, **files)]


def places(one: Diagnostic, text: str) -> list[str]:
    return [text[label.span.start : label.span.end] for label in one.labels]


def test_a_matrix_without_a_name_has_its_other_faults_as_well() -> None:
    """One run reports them together."""
    text = OF_RECIPE % "" + BUILD + 'axis n = ["a", "b"]\n'
    text += "matrix m { recipe = r, axes = n, exclude n == a, attrs { x = gone } }\n"
    assert [(one.code, one.title) for one in told(text)] == [
        ("E208", "matrix `m` has no `name` for its variants"),
        ("E201", "the name `a` is not defined"),
        ("E201", "the name `gone` is not defined"),
    ]


# --- a `use` that is missing ---------------------------------------------------------------------


def test_one_missing_use_is_one_message() -> None:
    text = """
        axis gpu = nvidia[sm80, sm90]
        recipe r {
          package = pkgs.hello
          pin     = none
          when gpu == sm80 { attrs { a = gpu.label, b = nvidia[gpu].label, c = sm90.label } }
          attrs { d = gpu in [sm80, sm90], e = nvidia.sm80.label }
        }
        matrix m { recipe = r, axes = gpu[sm80], name = "{{gpu}}" }
        exclude gpu == sm100 because "x"
        output o { file = "{{variant}}.nix" }
    """
    (one,) = told(text)
    assert one.code == "E201"
    assert one.help == "write `use std.nvidia`, which declares it"
    assert places(one, text) == [
        "nvidia", "sm80", "nvidia", "sm90", "sm80", "sm90", "nvidia", "sm100",
    ]  # fmt: skip


@for_each(
    "text, help",
    [
        ("let a = sm90.label", "write `use std.nvidia`, where table `nvidia` has it"),
        ("let a = gpu", "write `use std.nvidia`, which declares it"),
        ("axis gpu: nvidia", "write `use std.nvidia`, which declares it"),
        ('facts nvidia += { sm80 { note = "x" } }', "write `use std.nvidia`, which declares it"),
        ("recipe a extends torch-cuda { }", "write `use std.torch-build`, which declares it"),
        ("variant v { recipe = torch-cuda }", "write `use std.torch-build`, which declares it"),
        (
            "recipe a { overlays = [torch-source] }",
            "write `use std.torch-build`, which declares it",
        ),
    ],
)
def test_which_module_has_a_name(text: str, help: str) -> None:
    assert helps(text) == [help]


def test_each_module_that_is_missing_is_told() -> None:
    text = "axis gpu = nvidia\naxis isa = cpu\nlet a = sm90.label\nlet b = avx2.flags\n"
    assert helps(text) == [f"write `use std.{m}`, which declares it" for m in ("nvidia", "cpu")]


def test_a_module_that_is_used_is_not_advised() -> None:
    assert helps("use std.nvidia as n\nlet a = nvidia\n") == ["did you mean `n.nvidia`?"]
    assert helps("use std.nvidia\nlet a = sm9O.label\n") == ["did you mean `sm90`?"]


def test_a_name_of_a_module_with_a_name() -> None:
    text = 'use "./lib.tvar" as lib\nrecipe a extends base { }'
    assert helps(text, lib="recipe base { package = pkgs.hello }") == ["did you mean `lib.base`?"]
    (other,) = helps(text, lib="axis base = [1]")
    assert "lib.base" not in other


@pytest.mark.parametrize("use", ['use "./gone.tvar"', "use std.nvidai"])
def test_names_of_what_cannot_be_read_are_not_told(use: str) -> None:
    text = f"{use}\naxis gpu = nvidia[sm80]\n" + RECIPE % "a = something" + BUILD
    assert len(told(text)) == 1


def test_names_of_a_module_with_a_name_that_cannot_be_read() -> None:
    text = 'use "./gone.tvar" as gone\n' + RECIPE % "a = gone.x, b = other" + BUILD
    assert [one.code for one in told(text)] == ["E106", "E201"]
    assert len(told('use "./gone.tvar" as gone\nmatrix m extends gone.n { }')) == 1
    assert len(told('use "./gone.tvar" as gone\nvariant m { recipe = gone.n }')) == 1


def test_an_axis_of_a_module_that_cannot_be_read() -> None:
    """What reads it, in recipe and name, is no further mistake; its neighbours are."""
    text = (
        'use "./gone.tvar" as gone\n'
        + RECIPE % "a = gpu.label, b = isa"
        + 'matrix m { recipe = r, axes = gone.gpu[sm90], name = "{{gpu}}" }\n'
        + 'output o { file = "{{variant}}.nix" }\n'
    )
    assert [(one.code, one.title) for one in told(text)] == [
        ("E106", "cannot read `gone.tvar`"),
        ("E201", "the name `isa` is not defined"),
    ]


# --- `language` ----------------------------------------------------------------------------------

NEWER = "language 2\nquantum foam { ] }\n"


def test_a_file_in_an_unknown_language_is_read_no_further() -> None:
    assert [one.code for one in told(NEWER)] == ["E110"]
    text = 'use "./newer.tvar"\n' + RECIPE % "a = whatever" + BUILD
    assert [one.code for one in told(text, newer=NEWER)] == ["E110"]


@for_each("number", ["0", "2", "01", "1.0", "1.1", "10"])
def test_no_other_number_is_this_language(number: str) -> None:
    (one,) = told(f"language {number}\n" + RECIPE % "a = 1" + BUILD)
    assert one.code == "E110" and number in one.title
    assert one.help.startswith("use a newer" if number in ("2", "10") else "write `language")


# --- axes ----------------------------------------------------------------------------------------


def test_an_axis_that_is_nowhere() -> None:
    text = (
        RECIPE % "a = foo.x, b = foo"
        + """
        matrix m { recipe = r, axes = foo, name = "{{foo}}" }
        output o { file = "{{variant}}.nix" }
    """
    )
    (one,) = told(text)
    assert one.title == "there is no axis `foo`"
    assert places(one, text) == ["foo"] * 4


def test_an_axis_that_a_matrix_lacks() -> None:
    text = 'axis n = ["x"]\n' + RECIPE % 'a = n, b = "{{n}}", c = if n == "x" then 1 else 2' + BUILD
    (one,) = told(text)
    assert (one.code, places(one, text)) == ("E304", ["n", "v", "n", "n"])


@pytest.mark.parametrize(
    ("axes", "help"),
    [
        ("T", "declare an axis with values from the table: `axis NAME = T[…]`"),
        ("r", "declare one: `axis NAME = [r, …]`"),
    ],
)
def test_what_is_no_axis_gets_one_help(axes: str, help: str) -> None:
    text = "facts T (a: int) { x { a = 1 } }\n" + RECIPE % ""
    text += f'matrix m {{ recipe = r, axes = {axes}, name = "m" }}'
    assert helps(text) == [help]


def test_values_that_another_file_gives() -> None:
    text = (
        """
        use "./given.tvar" as given
        use "./named.tvar"
        matrix m { recipe = r, axes = n, name = "{{n}}" }
        output o { file = "{{variant}}.nix" }
    """
        + RECIPE % ""
    )
    named = "facts T (a: int) { x { a = 1 } }\naxis n: T\n"
    (one,) = told(text, named=named, given='use "./named.tvar"\naxis n = T[x]\n')
    assert one.code == "E304"
    assert [label.text for label in one.labels] == [
        "declared without values",
        "named here",
        "given values here",
    ]
    assert one.help == "write the axis that has values: `given.n`"


# --- what is advised -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["preConfigure", "postFixup", "installPhase", "shellHook"])
def test_text_is_added_to_a_script_in_parts(name: str) -> None:
    (help,) = helps(RECIPE % f'{name} += "x"' + BUILD)
    assert help.startswith(f"write `script {name} {{ part NAME ")


@pytest.mark.parametrize("name", ["configureFlags", "prefix", "presets", "postcode"])
def test_text_is_added_to_a_list_as_an_element(name: str) -> None:
    (help,) = helps(RECIPE % f'{name} += "x"' + BUILD)
    assert help.startswith('write `["x"]`; if the package has a string there, write ')


def test_a_package_is_advised_where_one_may_stand() -> None:
    (help,) = helps(RECIPE % "a = [zlib]" + BUILD)
    assert help == 'for a package of nixpkgs, write `pkgs.zlib`; for a string, write "zlib"'
    (help,) = helps(RECIPE % "" + 'exclude zlib == 1 because "x"\n' + BUILD)
    assert "pkgs" not in help


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("gpu in names", 'compare the name as a string: `"{{gpu}}" in …`'),
        ("gpu in gpu.names", 'compare the name as a string: `"{{gpu}}" in …`'),
        ('gpu not in ["a"]', "write the values in the list without quotes"),
    ],
)
def test_an_axis_among_names(condition: str, words: str) -> None:
    text = f"""
        axis gpu {{ a {{ names = ["a"] }}, b {{ names = ["c"] }} }}
        let names = ["a"]
        recipe r {{ package = pkgs.hello, pin = none, when {condition} {{ attrs {{ x = 1 }} }} }}
        matrix m {{ recipe = r, axes = gpu, name = "{{{{gpu}}}}" }}
        output o {{ file = "{{{{variant}}}}.nix" }}
    """
    assert all(help.startswith(words) for help in helps(text)) and helps(text)


def test_blocks_of_an_overlay() -> None:
    (help,) = helps("overlay o for hello { attrs { x = 1 } }\n" + RECIPE % "")
    assert "`script`" in help


def test_a_folder_in_place_of_a_module(here: Path) -> None:
    Path("shared.tvar").mkdir()
    Path("a.tvar").write_text('use "./shared.tvar" as shared\n', encoding="utf-8")

    def help(file: str) -> str:
        made: Compilation = compile_file(file, DiskLoader(stdlib_dir()))
        assert codes(made) == ["E106"], messages(made)
        return made.diagnostics[0].help

    assert help("a.tvar") == "name a file in the folder, such as `shared.tvar/variants.tvar`"
    assert help("./") == "name a file in the folder, such as `./variants.tvar`"


AXES = """
axis lto = [true, false]
axis codec { h264 { n = 1 }, vp9 { n = 2 } }
axis ver = [1.0, 2.0]
axis num = [1, 2]
facts tune (jobs: int) { av1 { jobs = 4 } }
let rec = { h264 = 1 }
"""
OF_AXES = """
matrix m {
  recipe = r
  axes = lto * codec * ver * num
  name = "{{codec}}{{under(ver)}}{{num}}{{if lto then "a" else "b"}}"
}
output o { file = "{{variant}}.nix" }
"""
LTO_TEXT = '"{{if lto then "a" else "b"}}"'
WITH_ONE = "to compare with one value, write"
UNQUOTED = "write true and false without quotes: `true`"


@for_each(
    "value, marked, help",
    [
        ("if lto in rec then 1 else 2", "lto", f"write `{LTO_TEXT} in rec`"),
        ("if num in rec then 1 else 2", "num", 'write `"{{num}}" in rec`'),
        ("if ver not in rec then 1 else 2", "ver", 'write `"{{ver}}" not in rec`'),
        ("if 7 in rec then 1 else 2", "7", 'write `"{{7}}" in rec`'),
        ("if h264 in codec then 1 else 2", "codec", f"{WITH_ONE} `codec == h264`"),
        ("if 1 not in num then 1 else 2", "num", f"{WITH_ONE} `num != 1`"),
        ("if codec then 1 else 2", "codec", "compare it: `codec == h264`, or read a field"),
        ("if h264 then 1 else 2", "h264", "write `codec == h264`"),
        ("if num then 1 else 2", "num", "compare it: `num == 1`"),
        ('if lto == "true" then 1 else 2', "lto", UNQUOTED),
        ('if true == "x" then 1 else 2', "true", UNQUOTED),
        ("if lto == num then 1 else 2", "lto", ""),
        ('if num == "13" then 1 else 2', "num", "write a number without quotes: `13`"),
        ("rec[ver]", "ver", 'use a string: `rec["{{ver}}"]`'),
        ("rec[num]", "num", 'use a string: `rec["{{num}}"]`'),
        ("rec[lto]", "lto", f"use a string: `rec[{LTO_TEXT}]`"),
        ("[1, 2][ver]", "ver", "write the number of the element; the first is `[1, 2][0]`"),
        ("[1, 2][num]", "num", "the last is element 1"),
        ('"{{path("./f")}}"', 'path("./f")',
         'make the file the whole value of an attribute, `NAME = path("…")`: '
         "a script then reads it as `$NAME`"),
        ('"{{lto}}"', "lto", 'choose between two strings: `{{if … then "a" else "b"}}`'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_marked_and_mended(value: str, marked: str, help: str) -> None:
    text = AXES + RECIPE % f"a = {value}" + OF_AXES
    (one,) = told(text)
    assert one.help == help
    assert places(one, text)[0] == marked


@pytest.mark.parametrize(
    ("value", "notes"),
    [
        (
            'codec["nope"]',
            ("its fields: `n`", "likewise: `vp9` has no field `nope`"),
        ),
        (
            "tune[codec].jobs",
            (
                "where codec is h264",
                "for example, av1 has `jobs = 4`",
                "likewise: table `tune` has no row `vp9`",
            ),
        ),
        ("[][num]", ("where num is 1", "likewise: the list has no element 2")),
    ],
)
def test_what_values_of_an_axis_lack_is_one_message(value: str, notes: tuple[str, ...]) -> None:
    (one,) = told(AXES + RECIPE % f"a = {value}" + OF_AXES)
    assert one.notes == notes


def test_a_name_of_true_or_false() -> None:
    text = 'axis lto = [true, false]\nmatrix m { recipe = r, axes = lto, name = "x-{{lto}}" }\n'
    help = 'choose between two strings: `{{if lto then "a" else "b"}}`'
    assert helps(RECIPE % "" + text) == [help]


BASE = (
    'axis a = ["x", "y"]\naxis b = [1, 2]\n'
    + RECIPE % ""
    + 'matrix base { recipe = r, axes = a, name = "b-{{a}}", exclude a == "y" because "so" }\n'
)


def test_an_exclusion_of_what_is_extended_drops_cells_of_each_matrix() -> None:
    text = BASE + 'matrix d { axes = a["y"] }'.replace("d {", "d extends base {")
    (one,) = told(text)
    assert one.code == "E401"
    assert [label.text for label in one.labels] == ["its only cell is excluded", "drops 1 of 1"]


def test_a_name_that_is_taken_over() -> None:
    text = BASE + "matrix d extends base { }\n"
    (one,) = told(text)
    assert (one.code, one.help) == ("E402", "write a different `name` in `d`")
    assert places(one, text) == ['"b-{{a}}"', "d"]


@pytest.mark.parametrize(
    ("items", "end"),
    [
        ('name = "d-{{b}}"', "write the `exclude` at top level, where it applies to the "
         "matrices that have the axis"),
        ("", "give `d` a `name` that does not read it"),
    ],
)  # fmt: skip
def test_an_axis_that_what_is_extended_reads(items: str, end: str) -> None:
    text = BASE + f"matrix d extends base {{ axes = b, {items} }}\n"
    (one,) = told(text)
    assert (one.code, one.help) == ("E304", f"{end}, or add the axis (`axes = b * a`)")


def test_a_module_and_a_value_share_one_name_space() -> None:
    text = 'let s = 1\nuse "./other.tvar" as s\n' + RECIPE % "" + BUILD
    (one,) = told(text, other="let a = 1\n")
    assert (one.code, [label.text for label in one.labels]) == (
        "E202",
        ["again here", "first here"],
    )
    assert one.labels[0].span.start > one.labels[1].span.start
    assert one.notes == ("module `s` and `let s` share one name space, that of the file",)
    assert one.help == "give one of them another name, such as `use … as s_module`"


@pytest.mark.parametrize("condition", ["include openssl", "include openssl because \"x\""])
def test_an_include_of_one_value(condition: str) -> None:
    axes = 'axis tls { openssl { n = 1 }, plain { n = 2 } }\naxis isa { a { }, b { } }\n'
    matrix = 'matrix m { recipe = r, axes = tls * isa, name = "{{tls}}-{{isa}}"\n'
    text = axes + RECIPE % "" + matrix + condition + " }\n"
    (one,) = told(text + 'output o { file = "{{variant}}.nix" }\n')
    assert one.help == "write `tls == openssl`, or a value for each axis: `openssl * VALUE`"


def test_a_name_declared_twice_is_told_once() -> None:
    text = """
        overlay py for hello { x = 1 }
        recipe py { package = pkgs.hello }
        recipe more extends py { }
        variant v { recipe = py }
    """
    assert [one.code for one in told(text)] == ["E202"]
    of_others = told(text.replace("recipe py {", "pin py {").replace("package", "path"))
    assert "overlay `py` is not a recipe" in [one.title for one in of_others]


@for_each(
    "items, help",
    [
        ("overlays = none", "for no overlays, write `[]`"),
        ("overlays = null", "for no overlays, write `[]`"),
        ("overlays = p", "write `[p]`"),
        ("overlays = 3", "write a list of the names of overlays and patches"),
        ("flag f: bool = none",
         "write a value; to allow null, declare `flag f: bool? = null`"),
        ("flag f: bool = 3", "write `true` or `false`"),
        ('flag f: one_of("a", "b") = "z"', 'write `"a"` or `"b"`'),
        ('flag f: one_of("fast") = "fats"', "did you mean `fast`?"),
        ("flag f: string = 3", "write a string, or declare another type"),
    ],
)  # fmt: skip
def test_what_a_setting_cannot_be(items: str, help: str) -> None:
    text = "overlay p for hello { x = 1 }\n"
    text += f"recipe r {{ package = pkgs.hello, pin = none, {items} }}\n"
    assert helps(text + BUILD) == [help]


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("matrix m extends gone { }",
         "declare it, `matrix gone { … }`, or `use` the file that does"),
        ("recipe r extends gone { }",
         "declare it, `recipe gone { … }`, or `use` the file that does"),
        ("recipe r { package = pkgs.hello }\nmatrix m extends r { }",
         "`extends` takes a matrix; to name a recipe, write `recipe = r`"),
    ],
)  # fmt: skip
def test_what_may_be_extended(text: str, help: str) -> None:
    assert helps(text) == [help]


@for_each(
    "items, code, help",
    [
        ('env { X += "a" }', "E301",
         'write the whole value, `X = "…"`; for the old value, write `{{old.env.X}}`'),
        ('env { X += ["a"] }', "E301",
         'write the whole value, `X = "…"`; for the old value, write `{{old.env.X}}`'),
        ("env { X -= pkgs.hello }", "E301",
         'write the whole value, `X = "…"`; for the old value, write `{{old.env.X}}`'),
        ("attrs { buildInputs += pkgs.curl }", "E301", "write `[pkgs.curl]`"),
        ('script post { part a "x", part b before z "y", part c = none }', "E503",
         "name a part that exists: `before a`"),
        ('script post { part a after z "x" }', "E503",
         "name a part that exists: `after old`"),
        ('script post { part aa "x", part b before ab "y" }', "E503", "did you mean `aa`?"),
    ],
)  # fmt: skip
def test_what_is_added(items: str, code: str, help: str) -> None:
    found = told(f"recipe r {{ package = pkgs.hello, pin = none, {items} }}\n" + BUILD)
    assert (found[0].code, found[0].help) == (code, help)


def test_parts_that_are_there_are_told() -> None:
    text = 'script post { part a "x", part b before z "y", part q = none }'
    found = told(f"recipe r {{ package = pkgs.hello, pin = none, {text} }}\n" + BUILD)
    assert found[0].notes == ("parts: old, a",)


def test_all_outputs_are_told_of_at_once() -> None:
    files = ["/tmp/{{variant}}.nix", "../{{variant}}.nix", "{{variant}}", ".git/{{variant}}.nix"]
    text = RECIPE % "" + BUILD
    text += "".join(f'output o{n} {{ file = "{file}" }}\n' for n, file in enumerate(files))
    assert [one.code for one in told(text)] == ["E403"] * 4


def test_names_that_differ_in_case_only() -> None:
    text = 'axis i = ["a", "A"]\n' + RECIPE % ""
    text += 'matrix m { recipe = r, axes = i, name = "v-{{i}}" }\n'
    output = 'output o { file = "out/%s.nix" }\n'
    differ = "the names of the variants differ only in case: change `name`"
    assert helps(text + output % "{{variant}}") == [differ]
    variants = RECIPE % "" + "variant a { recipe = r }\nvariant b { recipe = r }\n"
    part = "use a part that differs between them, such as `{{variant}}`"
    assert helps(variants + output % "x") == [part]


def test_marks_of_a_merge_that_are_meant() -> None:
    marks = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"
    text = RECIPE % "" + BUILD + 'let s = """\n' + marks + '"""\n'
    (one,) = told(text)
    assert one.code == "E913" and "indent them" in one.notes[0]
    indented = "".join(f"  {line}\n" for line in marks.splitlines())
    assert told(RECIPE % "" + BUILD + 'let s = """\n' + indented + '"""\n') == []


# --- how they are joined -------------------------------------------------------------------------


TITLED = Message("E201", "{title}")


def test_places_of_one_cause_come_in_the_order_of_the_source() -> None:
    sources, sink = SourceMap(), Sink()
    sources.add(Source("f", "x" * 100))
    for start in (30, 10, 20, 20):
        sink.report(TITLED, Span("f", start, start + 1), cause="one", title=f"at {start}")
    sink.report(TITLED, Span("f", 50, 51), cause="two", leads=False, title="leads")
    sink.report(TITLED, Span("f", 40, 41), cause="two", leads=True, title="other")
    sink.report(TITLED, Span("f", 5, 6), title="alone")
    assert [one.title for one in sink.sorted(sources)] == ["alone", "at 10", "other"]
    assert [label.span.start for label in sink.sorted(sources)[1].labels] == [10, 20, 30]
    assert len(sink) == 3


def test_a_message_does_not_show_places_without_end() -> None:
    sources, sink = SourceMap(), Sink()
    sources.add(Source("f", "x" * 100))
    for start in range(20):
        sink.report(TITLED, Span("f", start, start + 1), cause="one", title="x")
    (one,) = sink.sorted(sources)
    assert len(one.labels) == 13
    assert one.labels[0] == Label(Span("f", 0, 1), "", primary=True)
    assert one.notes == ("and at 7 more places",)


# --- words that mean nothing, and what stands behind a fault of syntax ---------------------------


def test_a_missing_comma_in_an_axis_loses_no_row() -> None:
    """Later lines may name rows that were not read: only the comma is reported."""
    text = """
axis v {
  a { label = "x" n = true }
  b { label = "y", n = false }
}
axis w = [1, 2]
recipe r { package = pkgs.hello, pin = none, attrs { x = v.label, y = v == a } }
matrix m { recipe = r, axes = v * w, name = "{{v}}-{{w}}" }
exclude v == b because "x"
exclude v == b_ because "a name that the axis does not have"
"""
    comma, name = told(text)
    assert (comma.code, comma.help) == ("E101", "write `,` or a new line before `n`")
    assert name.title == "the name `b_` is not defined"


@pytest.mark.parametrize("name", ["}pair", "pa}ir", "pair}", "épair"])
def test_a_stray_character_at_the_name_of_a_declaration_loses_no_name(name: str) -> None:
    recipe = "recipe r { package = pkgs.hello, pin = pair }\nvariant v { recipe = r }\n"
    (one,) = told(f'pin {name} {{ path = "./nixpkgs", release = 24.11 }}\n' + recipe)
    assert one.code == "E101"


@pytest.mark.parametrize(("word", "right"), [("yes", "true"), ("No", "false")])
def test_booleans_as_other_languages_write_them(word: str, right: str) -> None:
    (one,) = helps(RECIPE % f"doCheck = {word}" + BUILD)
    assert one == f'write `{right}`; if you mean a string, write it in quotes: "{word}"'


ROWS = 'axis ext { plain { a = "x" }, gis { a = "y" } }\n'
MATRIX = 'matrix m { recipe = r, axes = ext, name = "v-{{ext}}" }\n'
RECIPE_ONLY = "recipe r { package = pkgs.hello, pin = none, attrs { x = ext.a } }\n"
WRITTEN = 'output o { file = "{{variant}}.nix" }\n'


@for_each(
    "text, right",
    [
        # The values that could stand there.
        (
            ROWS + RECIPE_ONLY + MATRIX + WRITTEN + 'exclude ext == timescale because "x"\n',
            "`ext` has plain, gis",
        ),
        # A variant's name.
        (
            ROWS + RECIPE_ONLY + MATRIX + 'output o { file = "{{name}}.nix" }\n',
            "the name of a variant is `variant`",
        ),
        # A text without quotes that is nearly the name of a recipe.
        (
            ROWS.replace('"y"', "postgis")
            + RECIPE_ONLY.replace("recipe r", "recipe postgres")
            + MATRIX.replace("= r,", "= postgres,")
            + WRITTEN,
            'did you mean `postgres`? If you mean a string, write it in quotes: "postgis"',
        ),
        # One brace, as other languages write a value.
        (
            ROWS + RECIPE_ONLY + MATRIX.replace("{{ext}}", "{ext}") + WRITTEN,
            "`{…}` is plain text here; to insert a value, write `{{ext}}`",
        ),
        (
            ROWS + RECIPE_ONLY + MATRIX.replace("{{ext}}", "${ext}") + WRITTEN,
            "`${…}` is plain text here; to insert a value, write `{{ext}}`",
        ),
        (
            ROWS
            + RECIPE_ONLY
            + MATRIX.replace("{{ext}}", "x{% if ext == gis %}-gis{% endif %}")
            + WRITTEN,
            '`{% … %}` is plain text here; to insert a value, write `{{if ext == gis then "-gis" '
            'else ""}}`',
        ),
        (
            ROWS.replace("gis {", "plain {") + RECIPE_ONLY + MATRIX + WRITTEN,
            "remove one, or give it another name",
        ),
        # An axis with a wrong value is not one without values.
        (
            "use std.cpu\naxis isa = cpu[x86-64-v5]\nrecipe r { package = pkgs.hello, pin = none, "
            'attrs { x = isa.label } }\nmatrix m { recipe = r, axes = isa, name = "{{isa}}" }\n'
            + WRITTEN,
            "did you mean `x86-64-v2`, `x86-64-v3` or `x86-64-v4`?",
        ),
    ],
)
def test_the_help_of_first_mistakes(text: str, right: str) -> None:
    assert helps(text) == [right]


@pytest.mark.parametrize(
    ("setting", "right"),
    [
        ('meta { platforms = "x86_64-linux" }', 'write `["x86_64-linux"]`'),
        ("meta { platforms = 5 }", "write a list: `[…]`"),
        ('attrs { doCheck = "yes" }', "write `true` or `false`"),
    ],
)
def test_what_to_write_for_a_value_of_another_kind(setting: str, right: str) -> None:
    text = f"recipe r {{ package = pkgs.hello, pin = none, {setting} }}\n" + BUILD
    (one,) = told(text)
    assert (one.code, one.help) == ("E301", right)


def test_a_long_value_in_a_label_says_that_it_goes_on() -> None:
    text = RECIPE % f'a = "{"x" * 90}"\na = "y"' + BUILD
    (one,) = told(text)
    assert one.code == "E501"
    assert [label.text for label in one.labels if label.text.endswith("…")] == [
        f'sets "{"x" * 59}…'
    ]


# --- slips of a first program --------------------------------------------------------------------


def test_a_syntax_error_in_a_name_is_the_one_error() -> None:
    """The name of each variant would else be the same, which is an error of its own (E402)."""
    text = """
        axis a = ["b", "c"]
        recipe r { package = pkgs.hello, pin = none }
        matrix m { recipe = r, axes = a, name = "x{{a}-{{a}}" }
        output o { file = "{{variant}}.nix" }
    """
    (one,) = told(text)
    assert (one.code, one.help) == ("E101", "write `}}`")


def test_a_package_of_a_pin() -> None:
    fields = f'github = "NixOS/nixpkgs", rev = "{"0" * 40}", hash = unlocked'
    pin = f"pin nixpkgs {{ {fields} }}\n"
    *_, help_ = helps(f"{pin}recipe r {{ package = nixpkgs.hello }}\n{BUILD}")
    assert help_ == "for a package of its nixpkgs, write `pkgs.hello`"


def test_a_matrix_without_a_name_gets_one_of_its_axes() -> None:
    text = """
        axis otp = [27.1, 28.0]
        axis db = ["mysql", "pgsql"]
        recipe r { package = pkgs.hello, pin = none, attrs { a = otp, b = db } }
        matrix m { recipe = r, axes = otp[27.1] * db }
        output o { file = "{{variant}}.nix" }
    """
    assert helps(text)[0] == 'write a name with each axis: `name = "{{otp}}-{{db}}"`'


# --- what other languages write ------------------------------------------------------------------


@for_each(
    "text, help",
    [
        ("matrix { recipe = r }", "write `matrix NAME { … }`"),
        ('output = "x"', "write `output NAME { … }`"),
        ("exclude = true", "write `exclude CONDITION`, without `=`"),
        (
            "doCheck = true",
            "to name values, write `let doCheck = …`; a setting belongs in a recipe",
        ),
        (
            'use "https://example.org/x.tvar"',
            'declare the repository, `input recipes { github = "owner/name", rev = "…", hash = '
            'unlocked }`, and write `use "FILE.tvar" from recipes`',
        ),
        ('facts t (a: str) { r { a = "x" } }', "did you mean `string`?"),
        ("facts t (a: float) { r { a = 1.5 } }", "write `float(1.5)`"),
        ('facts t (a: char) { r { a = "x" } }', "did you mean `string`?"),
        (
            RECIPE % "a = nil" + BUILD,
            'write `null`; if you mean a string, write it in quotes: "nil"',
        ),
        (
            RECIPE % "attrs { a = 1 }" + BUILD,
            "move what is in it to the block `attrs { … }` of the recipe",
        ),
        (
            'recipe r { package = pkgs.hello, pin = "nixos-24.05" }\n' + BUILD,
            "declare one, `pin NAME { … }`, and write its name",
        ),
        (
            "recipes = [1]",
            "to name values, write `let recipes = …`; a setting belongs in a recipe",
        ),
        ("locals { x = 1 }", "to name values, write `let NAME = …`; a setting belongs in a recipe"),
        ('use "std.cpu"', "write `use std.cpu`, without quotes"),
        ("use cpu", "did you mean `std.cpu`?"),
        ('output o { path = "a" }', "did you mean `file`?"),
        (RECIPE % "a = coalesce(1, 2)" + BUILD, "write `if VALUE != null then VALUE else OTHER`"),
        (RECIPE % 'a = lookup({ b = 1 }, "b")' + BUILD, "write `RECORD[KEY]`"),
        ("let v = 1.2\n" + RECIPE % "a = v.major" + BUILD, "write `major(v)`"),
        (
            'let k = "c"\n' + RECIPE % 'a = k == "a" or "b"' + BUILD,
            'write the whole comparison again: `k == "b"`',
        ),
        (
            RECIPE % 'a = "x" or "none"' + BUILD,
            'for a value that may be null, write `if "x" != null then "x" else OTHER`',
        ),
        (
            "use std.cpu\naxis isa = cpu[avx2, armv9]\n"
            + RECIPE % 'a = isa.note or "x"'
            + 'matrix m { recipe = r, axes = isa, name = "{{isa}}" }\n'
            + BUILD,
            'for a value that may be null, write `if isa.note != null then isa.note else "x"`',
        ),
        (
            "use std.cpu\naxis isa = cpu[avx2, armv9]\n"
            + RECIPE % "a = if isa.arch == 13.0 then 1 else 2"
            + 'matrix m { recipe = r, axes = isa, name = "{{isa}}" }\n'
            + BUILD,
            'the other side is a string: write this in quotes, `"13.0"`',
        ),
        (
            "recipe r { package = pkgs.hello, pin = none, count = 3 }\n" + BUILD,
            "declare an axis, which makes a variant for each of its values: `axis NAME = [A, B]`",
        ),
        (
            'recipe r { package = pkgs.hello, pin = none, description = "x" }\n' + BUILD,
            "write `meta { description = … }`",
        ),
        ("variant v { recipe = [r] }", "write `recipe = NAME`: a matrix has one recipe"),
        (
            OF_RECIPE % 'configureFlags += ["--x"]' + BUILD,
            "for an attribute of the package, write `attrs { configureFlags += … }`",
        ),
        (
            OF_RECIPE % 'NIX_X = "1"' + BUILD,
            "for a variable of the build, write `env { NIX_X = … }`",
        ),
        (
            OF_RECIPE % "overlays { a = 1 }" + BUILD,
            "declare `overlay NAME { … }` beside the recipe, and list it: `overlays = [NAME]`",
        ),
        (
            RECIPE % "a = var.x" + BUILD,
            "names have no `var.` before them: `var.x` is `x`",
        ),
        (
            RECIPE % "a = stdenv.isLinux" + BUILD,
            'only Nix knows the platform; compare a fact of an axis, such as `isa.platform == '
            '"x86_64-linux"`',
        ),
        (
            RECIPE % "a = None" + BUILD,
            "write `null` for a fact or a value that is missing, or `none` to remove a setting",
        ),
        (
            RECIPE % 'src = fetchurl("x")' + BUILD,
            'write `url("https://…", hash = "…")`',
        ),
        (
            "axis n { a { x = 1, y = 2 }\n b { x = 1, y = 2 }\n c { x = 1, why = 2 } }",
            "did you mean `y`?",
        ),
        ("use std.nvidia\naxis g = nvidia[h100]", 'write `sm90`: its `products` has "H100"'),
        ("use std.nvidia\naxis g = nvidia[9.0]", "write `sm90`: its `capability` is 9.0"),
        ("use std.nvidia\naxis g = nvidia[sm140]", "did you mean `sm100`, `sm110` or `sm120`?"),
        (
            "axis par { mpi { }\n serial { } }\n" + OF_RECIPE % "when hdf5-mpi { x = 1 }" + BUILD,
            "for the variants with these values, write `par == mpi`",
        ),
    ],
)
def test_what_other_languages_write_is_named(text: str, help: str) -> None:
    assert helps(text)[:1] == [help]


# --- what a broken item would have declared -------------------------------------------------------

WHOLE = """\
use std.nvidia
facts nvidia += (speed: int?) {
  sm80 { speed = 1 }
}
axis gpu = nvidia[sm80, sm90]
axis own {
  one { weight = 1 }
  two { weight = 2 }
}
recipe base {
  package = pkgs.hello
  pin     = none
  let word = "a"
  flag fast: bool = false
}
recipe more extends base {
  flag fast = true
  attrs { pname = word, speed = gpu.speed, weight = own.weight, fast = fast }
}
matrix tools { recipe = base, axes = own, name = "tool-{{own}}" }
recipe user {
  package = pkgs.hello
  pin     = none
  needs tool = tools or exclude because "it is not built"
}
matrix users { recipe = user, axes = own[one, two], name = "user-{{own}}" }
matrix all { recipe = more, axes = gpu * own, name = "{{gpu}}-{{own}}" }
output o { file = "{{variant}}.nix" }
"""


@for_each(
    "old, new",
    [
        ("axis gpu = nvidia[sm80, sm90]", "axis gpu ="),
        ("axis gpu = nvidia[sm80, sm90]", "axis gpu = nvidia[sm80,"),
        ("(speed: int?)", "(speed:)"),
        ("(speed: int?)", "(speed: int?"),
        ("two { weight = 2 }", "two { weight = }"),
        ("two { weight", "two weight"),
        ("recipe base {", "recipe base"),
        ("flag fast: bool = false", "flag fast: bool ="),
        ('let word = "a"', "let word"),
        ("matrix tools { recipe = base,", "matrix tools { recipe = ,"),
        ("matrix tools {", "matrix tools"),
    ],
)
def test_a_fault_of_syntax_brings_no_others(old: str, new: str) -> None:
    """What the broken item would have declared is not reported as missing."""
    assert old in WHOLE
    found = told(WHOLE.replace(old, new, 1))
    assert [one.code for one in found if not one.code.startswith(("E101", "E102"))] == []
    assert len(found) == 1


def test_the_whole_program_has_no_faults() -> None:
    assert [one for one in told(WHOLE) if one.code.startswith("E")] == []
