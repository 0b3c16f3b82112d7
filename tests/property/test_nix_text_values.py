"""Values within Nix text come back unchanged from Nix, wherever they stand in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support.compile import compile_text, messages
from support.effort import examples
from support.nix import requires_nix
from support.recipes import nix_value
from tvarc.build.assembly.places import Places
from tvarc.nix.language.printer import print_expr
from tvarc.nix.language.syntax import NixIdent, NixList
from tvarc.nix.lower.context import AsNamed, Context, Formals
from tvarc.nix.lower.values import lower_value
from tvarc.values.value import Record, Value, quote, show

pytestmark = [requires_nix]

SETTINGS = settings(max_examples=examples(20), suppress_health_check=[HealthCheck.too_slow])

FRAGMENTS = (
    *"'$\\{}\"#;a\n\n \t\r",
    *("''", "'''", "${", "$$", "$${", "''${", "''$", "''\\", "'$", "${x}", "\\n", "\n  ", "  "),
    *("\r\n", "\n\n", "*/", "/*", "echo", "\x1b", "\x7f", "\x01", "\u2028", "é", "𝒳", "{{", "}}"),
)
anything = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)
strings = st.lists(st.sampled_from(FRAGMENTS) | anything, max_size=8).map("".join)
keys = (strings | st.sampled_from(["if", "or", "a-b", "-a", "a'", "_", "0", "é"])).filter(
    lambda key: key not in ("", "outPath", "__toString", "__functor", "type")
)
values = st.recursive(
    strings | st.integers(0, 10**18 - 1) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=12,
)

# Each with the same in Nix, where `v` is the value.
CODE = (
    ("{{v}}", "v"),
    ("[ {{v}} {{v}} ]", "[ v v ]"),
    ("[{{v}}]", "[ v ]"),
    ("(x: [ x ]) {{v}}", "[ v ]"),
    ("{ a = {{v}}; }.a", "v"),
    ("[{{v}}] ++ [(x: x)] ++ [ {{v}}# {{v}}\n] == [ ]", "false"),
    ("builtins.toJSON {{v}}", "builtins.toJSON v"),
    ('"${builtins.toJSON {{v}}}"', "builtins.toJSON v"),
    ("''\n  a\n    ${builtins.toJSON {{v}}}''", '"a\n  ${builtins.toJSON v}"'),
    ("/* {{v}} */ [ {{v}} ] # {{v}}", "[ v ]"),
    ("if true then {{v}} else 1", "v"),
)
TEXT = (
    '"{{v}}"',
    '"a{{v}}b{{v}}{{v}}"',
    "\"'{{v}}'\"",
    '"\\\\{{v}}\\n"',
    '"{{v}}${"x"}{{v}}{"',
    "''{{v}}''",
    "''a{{v}}b''",
    "''{{v}}{{v}}{x}''",
    "''\n  {{v}}\n''",
    "''\n    {{v}}\n  {{v}}  {{v}}\n      ''",
    "''\n    x\n      {{v}}''",
    "'' '{{v}}' '''{{v}}' ''${{v}}{ ''\\n{{v}}\n   {{v}}${\"x\"}{{v}} ''",
    "''\n  ${ '' {{v}}\n  '' }{{v}}\n''",
)
# A `$` before a value stands for itself, whatever follows.
DOLLAR = (
    '"${{v}}"',
    '"a${{v}}{x}"',
    '"$$${{v}}{x}"',
    "''${{v}}''",
    "''\n  '${{v}}{x}\n ${{v}}''",
    "''''$${{v}}''",
)
TWO = ('"$${{v}}{x}"', "'' $${{v}}{x}''", "''''$$${{v}}''")
ATTRIBUTE = (
    "{ {{v}} = 1; }",
    "{ a.{{v}}.b = 1; }.a",
    "[ ({ {{v}} = 7; }.{{v}} or 1) ]",
    "({ {{v}} = 7; }) ? {{v}}",
)
EXPECTED = ("{ ${v} = 1; }", "{ a.${v}.b = 1; }.a", "[ 7 ]", "true")


def language(value: Any) -> Value:
    match value:
        case list():
            return tuple(map(language, value))
        case dict():
            return Record(tuple((key, language(item)) for key, item in value.items()))
        case _:
            return value  # type: ignore[no-any-return]


def written(value: Value) -> str:
    """*value* as a program has it, in a `let`."""
    if isinstance(value, Record):
        return "{ " + ", ".join(f"{quote(key)} = {written(item)}" for key, item in value) + " }"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(written, value)) + "]"
    return show(value)


def judged(cases: list[tuple[Any, str, str]]) -> None:
    """Hold Nix text with a value in it against Nix with a variable of that value, all at once."""
    lets = "\n".join(f"let v{n} = {written(language(v))}" for n, (v, _, _) in enumerate(cases))
    attrs = "\n".join(
        f'    x{n} = nix""""\n{text.replace("{{v}}", f"{{{{v{n}}}}}")}\n""""'
        for n, (_, text, _) in enumerate(cases)
    )
    compilation = compile_text(
        f"{lets}\nrecipe r {{\n  package = pkgs.hello\n  pin = none\n"
        f"  attrs {{\n{attrs}\n  }}\n}}\n"
        "variant one { recipe = r }\n"
    )
    recipes = compilation.recipes()
    assert not compilation.sink.has_errors, messages(compilation)
    (recipe,) = recipes
    context = Context(NixIdent("pkgs"), NixIdent("lib"), AsNamed(), Formals())
    made = [lower_value(setting.value, context) for setting in recipe.changes.attrs]
    expected = [
        f"(let v = {print_expr(lower_value(language(value), context))}; in {nix})"
        for value, _, nix in cases
    ]
    mine, theirs = nix_value(f"[ {print_expr(NixList(tuple(made)))} [ {' '.join(expected)} ] ]")
    assert mine == theirs


@pytest.mark.slow
@SETTINGS
@given(st.lists(st.tuples(values, st.sampled_from(CODE)), min_size=1, max_size=30))
def test_in_code_a_value_is_a_literal(cases: list[tuple[Any, tuple[str, str]]]) -> None:
    judged([(value, *texts) for value, texts in cases])


@pytest.mark.slow
@SETTINGS
@given(st.lists(st.tuples(strings, st.sampled_from(TEXT)), min_size=1, max_size=60))
@example(
    [(v, t) for v in ("", " ", "$", "{", "'", "\n", "\\", "  a\n b", '"', "${x}") for t in TEXT]
)
def test_in_strings_a_value_is_its_characters(cases: list[tuple[str, str]]) -> None:
    judged(
        [
            (value, text, text.replace("''${{v}}", '${"$" + v}').replace("{{v}}", "${v}"))
            for value, text in cases
        ]
    )


@pytest.mark.slow
@SETTINGS
@given(st.lists(st.tuples(strings, st.sampled_from(DOLLAR)), min_size=1, max_size=60))
@example([(v, t) for v in ("", "{", "{x}", "$", "'", "\n") for t in DOLLAR])
def test_a_dollar_before_a_value_begins_no_code(cases: list[tuple[str, str]]) -> None:
    judged([(value, text, text.replace("${{v}}", '${"$" + v}')) for value, text in cases])


@pytest.mark.slow
@SETTINGS
@given(st.lists(st.tuples(strings, st.sampled_from(TWO)), min_size=1, max_size=60))
@example([(v, t) for v in ("", "{", "{x}", "$", "'", "\n") for t in TWO])
def test_two_dollars_are_taken_together(cases: list[tuple[str, str]]) -> None:
    judged([(value, text, text.replace("$${{v}}", '${"$$" + v}')) for value, text in cases])


BESIDE = (
    ("map (x:{{v}}) [ 1 ]", "map (x: v) [ 1 ]"),
    ("(x:{{v}}) 1", "(x: v) 1"),
    ("({x}@y:{{v}}) { x = 1; }", "v"),
    ("1<2&&[{{v}}]!=[ ]", "true"),
    ("[ 1 ]++[{{v}}]++[{{v}}]", "[ 1 v v ]"),
    ("{{v}}=={{v}}", "true"),
    ("(true)->[{{v}}]==[{{v}}]", "true"),
    ("({a?{{v}}}: a) {}", "v"),
    ("{a={{v}};}.a", "v"),
)


def test_beside_an_operator_a_value_is_a_word_of_its_own() -> None:
    judged([(v, *texts) for v in (12, True, None, "a", [1], {"a": 1}) for texts in BESIDE])


def evaluated(text: str, more: str = "") -> Any:
    """What Nix makes of Nix text in a program."""
    compilation = compile_text(
        f"{more}\nrecipe r {{\n  package = pkgs.hello\n  pin = none\n"
        f'  attrs {{\n    x = nix""""{text}""""\n  }}\n}}\nvariant one {{ recipe = r }}\n'
    )
    (recipe,) = compilation.recipes()
    assert not compilation.sink.has_errors, messages(compilation)
    context = Context(NixIdent("pkgs"), NixIdent("lib"), Places("p", "", "p"), Formals())
    (setting,) = recipe.changes.attrs
    return nix_value(print_expr(lower_value(setting.value, context)))


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("map baseNameOf [ ./a''x {{v}} x'' ]", "${builtins.abort (toString 7)}", "x {v} x"),
        ("[ (./a + \"\") ''{{v}}'' ]", "${builtins.abort (toString 7)}", "{v}"),
        ('[ ((_x:_x/*" {{v}} "*/) 5) ]', "*/ + evil /*", 5),
        ('[ x:a/*"{{v}}" ]', "*/ + evil /*", "{v}"),
    ],
)
def test_no_value_becomes_code(text: str, value: str, expected: str | int) -> None:
    if isinstance(expected, str):
        expected = expected.replace("{v}", value)
    assert (
        evaluated(
            f"builtins.elemAt ({text}) (builtins.length ({text}) - 1)", f"let v = {quote(value)}"
        )
        == expected
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('baseNameOf ({{p}}+"/x")', "x"),
        ("baseNameOf (let base = /b; in base+{{p}})", "f"),
    ],
)
def test_a_path_goes_on_with_nothing_beside_it(text: str, expected: str) -> None:
    assert evaluated(text, 'let p = path("./f")') == expected


@pytest.mark.slow
@SETTINGS
@given(
    st.lists(
        st.tuples(keys, st.sampled_from(list(zip(ATTRIBUTE, EXPECTED, strict=True)))),
        min_size=1,
        max_size=40,
    )
)
def test_an_attribute_is_named_by_a_value(cases: list[tuple[str, tuple[str, str]]]) -> None:
    judged([(value, *texts) for value, texts in cases])
