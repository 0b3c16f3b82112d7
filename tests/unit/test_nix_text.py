"""Nix text: where values stand in it, and what is refused there."""

from __future__ import annotations

import pytest

from support.alone import emit
from support.compile import codes, compile_text, lints, messages
from support.effort import for_each
from tvarc.nix.judge.named_files import has_files
from tvarc.syntax.nix_text import Gap, read_nix

TAIL = """
matrix m { recipe = r, axes = gpu, name = "v-{{gpu}}" }
output o { file = "{{variant}}.nix" }
"""
HEAD = 'axis gpu { g1 { label = "one" }, g2 { label = "1 # \\"two\\"\\n; x = 1" } }\n'


def program(attrs: str, more: str = "") -> str:
    body = f"package = pkgs.hello\npin = none\nattrs {{\n{attrs}\n}}\n{more}"
    return f"{HEAD}recipe r {{\n{body}\n}}{TAIL}"


def nix(attrs: str, more: str = "") -> dict[str, str]:
    """The files of a recipe with these attributes, by name."""
    made = compile_text(program(attrs, more))
    recipes = made.recipes()
    assert not made.sink.has_errors, messages(made)
    return {file.path: file.text for file in emit(recipes, "input.tvar")}


def found(text: str) -> list[str]:
    made = compile_text(text)
    made.recipes()
    return codes(made)


def places(text: str) -> list[tuple[str, bool]]:
    pieces = read_nix(text, 0, len(text), lambda *_, **__: None).pieces
    return [(one.place, one.dollar) for one in pieces if isinstance(one, Gap)]


@for_each(
    "text, wanted",
    [
        ("f {{x}}", ["code"]),
        ("{ {{x}} = 1; a.{{x}} = 2; b = c.{{x}} or {{x}}; }", ["attribute"] * 3 + ["code"]),
        ("{{x}} == 1", ["code"]),
        ('"{{x}}${ {{x}} }{{x}}"', ["string", "code", "string"]),
        ("'' a {{x}} ${f {{x}} \"{{x}}\"}''", ["block", "code", "string"]),
        ("''{{x}}\n  {{x}} {{x}}''", ["line", "line", "block"]),
        ("# {{x}}\n/* {{x}} */ {{x}}", ["code"]),
        ("a'' {{x}}", ["code"]),
        ("'' ''' {{x}} ''${ {{x}} ''\\n{{x}}'' {{x}}", ["block", "block", "line", "code"]),
        ('"\\" {{x}}" {{x}}', ["string", "code"]),
        ('"\\\\{{x}}"', ["string"]),
        ("https://example.org/'a {{x}}", ["code"]),
        ("[ ./a'' x {{x}} x'' ]", ["block"]),
        ("~/a'' x {{x}} x''", ["block"]),
        ("<a>'' x {{x}} x''", ["block"]),
        ("1'' x {{x}} x''", ["block"]),
        ("./a${b}'' x {{x}} x''", ["block"]),
        ('_x:a/*"{{x}}*/ {{x}}', ["code"]),
        ("b':a/*{{x}}*/ {{x}}", ["code"]),
        ('x:a/*" {{x}} "*/', ["string"]),
        ("x.y:a/*'' {{x}}", ["code"]),
        ("x: {{x}}", ["code"]),
        ("{ a ? {{x}} }: a ? {{x}}", ["code", "attribute"]),
        ("{ inherit ({{x}}) {{x}}; a = {{x}}; }", ["code", "attribute", "code"]),
        ("{ a = b. {{x}} or {{x}}; }", ["attribute", "code"]),
        ("{} ? {{x}}.{{x}}", ["attribute", "attribute"]),
        ("a ... {{x}}", ["code"]),
    ],
)
def test_where_a_value_stands(text: str, wanted: list[str]) -> None:
    assert places(text) == [(place, False) for place in wanted]


@for_each(
    "text, wanted",
    [
        ('"${{x}}"', [("string", True)]),
        ('"$${{x}}"', [("string", False)]),
        ('"\\${{x}}"', [("string", False)]),
        ('"${{{x}}}"', [("code", False)]),
        ("''''${{x}}''", [("block", False)]),
        ("''\n ${{x}}''", [("line", True)]),
        ('"$\\{{x}}"', [("string", True)]),
    ],
)
def test_a_dollar_before_a_value(text: str, wanted: list[tuple[str, bool]]) -> None:
    assert places(text) == wanted


@for_each(
    "text",
    [
        "pkgs.cuda_{{gpu}}",
        "pkgs.{{gpu}}_x",
        "./a/{{gpu}}",
        "./.{{gpu}}",
        "[ {{gpu}}{{gpu}} ]",
        'f "a"{{gpu}}',
        '{{gpu}}"a"',
        "1{{gpu}}",
        "${{gpu}}",
        "{{gpu.label}}.x",
        "https://example.org/?q={{gpu}}",
        "./a+{{gpu}}",
        "a-{{gpu}}",
        "~{{gpu}}",
        "{{gpu}}-a/b",
        "{{gpu}}+./a",
        "{{gpu}}<a>",
        "{{gpu}}.5",
        "1.{{gpu}}",
        "x:y{{gpu}}",
        "./a${ {{gpu}} }{{gpu}}",
    ],
)
def test_a_literal_is_a_word_of_its_own(text: str) -> None:
    assert found(program(f'x = nix"""" {text} """"')) == ["E103"]


@for_each(
    "text",
    [
        "{ {{true}} .b = 1; }",
        "{ {{true}} /* */ .b = 1; }",
        "{} ? {{true}}",
        "{ f = {} ? {{true}}; }",
        "{ inherit {{true}}; }",
        "{ inherit (a) b {{true}}; }",
        "a. {{true}}",
        "a. # \n {{true}}",
        "{ {{true}} /* */ = 1; }",
        "{{true}}: 1",
        "{{true}} : 1",
        "{{true}} @ { a }: 1",
        "{ a } @ {{true}}: 1",
        "{ {{true}} }: 1",
        "{ a, {{true}} }: 1",
        "{ {{true}}, a }: 1",
        "{ {{true}} ? 1 }: 1",
        "rec {{ { a = 1 } }}",
        "let {{ { body = 1 } }}",
    ],
)
def test_only_a_text_is_a_name(text: str) -> None:
    (code,) = found(program(f'x = nix"""" {text} """"'))
    assert code in ("E103", "E307")


@for_each(
    "text",
    ["''a ''\\{{gpu}} b''", '"${ ./a/ }"', "a 'b", "é", "./a/ {{gpu}}", "./a/*{{gpu}}*/", "a /*"],
)
def test_what_nix_does_not_read_is_refused(text: str) -> None:
    assert found(program(f'x = nix"""" {text} """"')) in (["E103"], ["E104"])


def test_no_value_leaves_a_comment_or_becomes_code() -> None:
    files = nix(
        'x = nix"""\n  [ # {{gpu.label}}\n  {{gpu.label}} "{{gpu.label}}" /* {{gpu.label}} */ ]"""'
    )
    assert files["v-g2.nix"].count("# {{gpu.label}}") == 1
    assert files["v-g2.nix"].count("/* {{gpu.label}} */") == 1
    assert files["v-g2.nix"].count('"1 # \\"two\\"\\n; x = 1"') == 2


def test_axes_that_nix_text_reads_tell_variants_apart() -> None:
    made = compile_text(program('x = nix"""[ {{gpu}} ]"""'))
    made.recipes()
    assert "same-build" not in lints(made)


def test_a_flag_that_nix_text_reads_is_read() -> None:
    text = program('x = nix"""f {{fast}}"""', "flag fast: bool = true")
    assert found(text) == []
    assert found(text.replace("{{fast}}", "fast")) == ["E605"]


def test_settings_are_read_and_circles_told() -> None:
    assert '"n-v-g1"' in nix('x = nix"""[ {{attrs.y}} ]"""\ny = "n-{{variant}}"')["v-g1.nix"]
    assert set(found(program('x = nix"""[ {{attrs.y}} ]"""\ny = "{{attrs.x}}"'))) == {"E205"}


def test_a_file_that_nix_text_names_is_a_file_of_the_recipe() -> None:
    made = compile_text(program('x = nix"""{{[path("./b.patch")]}}"""'))
    assert all(map(has_files, made.recipes()))


def test_all_faults_of_one_text_are_told_at_once() -> None:
    assert found(program('x = nix"""[ {{pkgs.a}} {{old.b}} {{r}} "{{none}}" ]"""')) == ["E302"] * 2
    assert found(program('x = nix"""[ {{r}} "{{true}}" {{[m]}} ]"""')) == ["E307", "E301", "E307"]


@pytest.mark.parametrize("value", ["r", "[r]", "{ a = r }", "none", "m"])
def test_what_has_no_form_in_nix(value: str) -> None:
    assert set(found(program(f'x = nix"""f {{{{ {value} }}}}"""'))) == {"E307"}


def test_places_of_faults_are_in_the_text() -> None:
    made = compile_text(program('x = nix"""\n  [\n  {{gpu}}\n  (1"""'))
    made.recipes()
    (fault,) = [one for one in made.diagnostics if one.code == "E104"]
    source = made.sources.get("input.tvar")
    assert source is not None and fault.primary is not None
    assert source.text[fault.primary.start : fault.primary.end + 1] == "(1"


@for_each(
    "text, fine",
    [
        ("a.${x}", True),
        ("a ? ${x}", True),
        ("a ? b.${x}", True),
        ("{ ${x} = 1; ${y} = 2; }", True),
        ("rec { /* c */ ${x} = 1; }", True),
        ("{ a.${x}.b = 1; }", True),
        ('{ inherit (a) ${"x"} ${"y"}; }', True),
        ("./${x}", True),
        ("[ ./a/${x}/b ]", True),
        ("''${x}''", True),
        ("${x}", False),
        ("f ${x}", False),
        ("[ ${x} ]", False),
        ("(${x})", False),
        ("{ a = ${x}; }", False),
        ("a + ${x}", False),
        ("a: ${x}", False),
    ],
)
def test_a_computed_name_of_an_attribute_stands_where_one_can(text: str, fine: bool) -> None:
    """Where Nix would read it, and nowhere else: it is no way to put a value into code."""
    assert found(program(f'x = nix"""{text}"""')) == ([] if fine else ["E104"])
