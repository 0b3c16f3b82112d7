"""Any value that the language can hold arrives in Nix unchanged: source text to evaluation."""

from __future__ import annotations

import string
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.alone import emit
from support.compile import codes, compile_text, messages
from support.effort import examples
from support.nix import requires_nix
from support.recipes import nix_value
from tvarc.values.value import quote

pytestmark = [requires_nix, pytest.mark.nix]

# Weighted towards what Nix, shells and our own syntax treat specially. NUL has no place in Nix.
NASTY = st.sampled_from(
    [*list("'\"\\${}#\n\t\r `|&;<>*?[]()=,.-_"), "''", "${", "''${", "{{", "}}"]
)
NOT_TEXT: tuple[Literal["Cs"]] = ("Cs",)
CHARACTERS = st.one_of(NASTY, st.characters(exclude_categories=NOT_TEXT, exclude_characters="\0"))
TEXTS = st.lists(CHARACTERS, max_size=12).map("".join)
KEYS = st.one_of(
    st.text(string.ascii_letters + "_", min_size=1, max_size=6),
    TEXTS.filter(lambda text: text != ""),
    st.sampled_from(["if", "with", "or", "a.b", "1x", "a-b", "in", "null", "when", "part"]),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(TEXTS, st.integers(0, 10**17), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=8,
)

PROGRAM = """
recipe r {{
  pin = none
  package = nix\"\"\"{{
    overrideAttrs = f: f {{ preConfigure = "own"; __structuredAttrs = true; }};
  }}\"\"\"
  attrs {{
{attributes}
  }}
{scripts}
}}
variant v {{ recipe = r }}
output o {{ file = "{{{{variant}}}}.nix" }}
"""


def spell(value: Any) -> str:
    """A Python value as source text of the language."""
    match value:
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case int():
            return str(value)
        case str():
            return quote(value)
        case list():
            return "[" + ", ".join(map(spell, value)) + "]"
        case _:
            inner = (f"{quote(key)} = {spell(item)}" for key, item in value.items())
            return "{ " + ", ".join(inner) + " }"


def through_nix(program: str) -> dict[str, Any]:
    compilation = compile_text(program)
    recipes = compilation.recipes()
    # A lint may speak of any text, as of `${r}`, which comes back as it stands all the same.
    assert not codes(compilation), messages(compilation)
    (output,) = emit(recipes, "input.tvar")
    found: dict[str, Any] = nix_value(f"({output.text}) {{ }}")
    return found


@pytest.mark.slow
@given(st.dictionaries(KEYS, VALUES, min_size=10, max_size=40))
@settings(max_examples=examples(12), suppress_health_check=list(HealthCheck))
def test_attributes_come_back_unchanged(values: dict[str, Any]) -> None:
    own = {key: value for key, value in values.items() if key not in ("env", "passthru", "meta")}
    lines = "\n".join(f"    {quote(key)} = {spell(value)}" for key, value in own.items())
    assert through_nix(PROGRAM.format(attributes=lines, scripts="")) == own


SCRIPT_LINES = st.lists(
    st.lists(CHARACTERS.filter(lambda c: c not in ("\n", "\r")), max_size=10).map("".join),
    min_size=1,
    max_size=5,
)


@pytest.mark.slow
@given(st.lists(SCRIPT_LINES, min_size=5, max_size=25))
@settings(max_examples=examples(12), suppress_health_check=list(HealthCheck))
def test_scripts_come_back_unchanged(scripts: list[list[str]]) -> None:
    expected: dict[str, str] = {}
    written: list[str] = []
    for number, lines in enumerate(scripts):
        # A fence ends the script, and a `{{` that is meant is written with a backslash.
        plain = [line.replace('"', "'").rstrip() for line in lines]
        plain = [line.replace("\\{{", "\\ {{") for line in plain]
        body = "".join(f"      x{line}\n" for line in plain)
        escaped = body.replace("{{", "\\{{")
        written.append(
            f'  script s{number} {{\n    part old = none\n    part p """\n{escaped}    """\n  }}'
        )
        expected[f"s{number}"] = "".join(f"x{line}\n" for line in plain)
    assert through_nix(PROGRAM.format(attributes="", scripts="\n".join(written))) == expected


def test_a_script_begins_with_the_package_s_own() -> None:
    program = PROGRAM.format(attributes="", scripts='  script preConfigure { part p " and ours" }')
    assert through_nix(program) == {"preConfigure": "own and ours"}
