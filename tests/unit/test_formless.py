"""`none` and `unlocked` have no form in Nix, at whatever depth of a value they stand."""

from __future__ import annotations

import pytest

from support.compile import codes, compile_text, messages
from tvarc.meaning.overrides import Setting


def program(body: str, before: str = "") -> str:
    head = "recipe r {\n  package = pkgs.hello\n  pin = none\n"
    return f"{before}{head}{body}\n}}\nvariant v {{ recipe = r }}\n"


def told(text: str, *settings: Setting) -> list[tuple[str, str]]:
    """The codes of what is wrong, with the text that each points at."""
    made = compile_text(text, *settings)
    made.recipes()
    found: list[tuple[str, str]] = []
    for item in made.diagnostics:
        assert item.primary is not None, messages(made)
        source = made.sources.get(item.primary.file)
        assert source is not None
        found.append((item.code, source.text[item.primary.start : item.primary.end]))
    return found


@pytest.mark.parametrize(
    "body",
    [
        "attrs { k = [none] }",
        "attrs { k = { q = none } }",
        "attrs { k = [[1, { q = [2, none] }]] }",
        "attrs { k += [none] }",
        "attrs { k -= [none] }",
        "attrs { k = [...[none]] }",
        "attrs { k = [pkgs.zlib, none] }",
        "meta { k = { a.b = [none] } }",
        "meta { k.l = { a = none } }",
        "passthru { k = [none] }",
        "args { k = [none] }",
        "config { k = [none] }",
        "attrs { k = if true then [none] else [] }",
    ],
)
def test_none_within_a_value_is_told_where_it_is_written(body: str) -> None:
    assert told(program(body)) == [("E301", "none")]


def test_none_is_told_where_a_name_leads_to_it() -> None:
    assert told(program("attrs { k = [a] }", "let a = [none]\n")) == [("E301", "a")]
    assert told(program("flag z: list = [none]\nattrs { k = z }")) == [("E301", "z")]
    assert told(program("attrs { k = 1, j = attrs.i, i = [none] }"))[0] == ("E301", "none")


@pytest.mark.parametrize("value", ["[none]", "[1, { a = none }]", '["{{1}}", [none]]'])
def test_none_in_a_setting_of_the_command_line(value: str) -> None:
    found = told(program("attrs { k = 1 }"), Setting("--set", f"attrs.k={value}"))
    assert found == [("E301", "none")]


@pytest.mark.parametrize("value", ["unlocked", "[unlocked]", "{ a = [unlocked] }"])
def test_unlocked_is_no_value_but_of_a_hash(value: str) -> None:
    (fault,) = told(program(f"attrs {{ k = {value} }}"))
    assert fault[1] == "unlocked"


@pytest.mark.parametrize("value", ["[none]", "[pkgs.zlib, none]", "[[pkgs.zlib], [none]]"])
def test_a_list_that_holds_none_has_no_text(value: str) -> None:
    made = compile_text(program(f'attrs {{ k = "{{{{{value}}}}}" }}'))
    made.recipes()
    assert codes(made) == ["E301"]


@pytest.mark.parametrize(
    "value",
    ['join([none], " ")', 'join([pkgs.zlib, none], " ")', 'replace("{{pkgs.a}}", none, "")'],
)
def test_functions_that_get_none_do_not_fall(value: str) -> None:
    assert [code for code, _ in told(program(f"attrs {{ k = {value} }}"))] != []
