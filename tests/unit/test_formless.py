"""`none` and `unlocked` have no form in Nix, at whatever depth of a value they stand."""

from __future__ import annotations

import pytest

from support.compile import compile_text, messages


def program(body: str) -> str:
    head = "recipe r {\n  package = pkgs.hello\n  pin = none\n"
    return f"{head}{body}\n}}\nvariant v {{ recipe = r }}\n"


def told(text: str) -> list[tuple[str, str]]:
    """The codes of what is wrong, with the text that each points at."""
    made = compile_text(text)
    made.recipes()
    found: list[tuple[str, str]] = []
    for item in made.diagnostics:
        assert item.primary is not None, messages(made)
        source = made.sources.get(item.primary.file)
        assert source is not None
        found.append((item.code, source.text[item.primary.start : item.primary.end]))
    return found


@pytest.mark.parametrize("value", ["unlocked", "[unlocked]", "{ a = [unlocked] }"])
def test_unlocked_is_no_value_but_of_a_hash(value: str) -> None:
    (fault,) = told(program(f"attrs {{ k = {value} }}"))
    assert fault[1] == "unlocked"


@pytest.mark.parametrize(
    "value",
    ['join([none], " ")', 'join([pkgs.zlib, none], " ")', 'replace("{{pkgs.a}}", none, "")'],
)
def test_functions_that_get_none_do_not_fall(value: str) -> None:
    assert [code for code, _ in told(program(f"attrs {{ k = {value} }}"))] != []
