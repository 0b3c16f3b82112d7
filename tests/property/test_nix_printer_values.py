"""Values that are printed come back unchanged from Nix. One process judges a whole batch."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from support.effort import examples
from support.nix import requires_nix
from support.recipes import nix_value
from tvarc.nix.language.printer import print_expr, print_file
from tvarc.nix.language.syntax import (
    FALSE,
    NULL,
    TRUE,
    NixApply,
    NixAttrs,
    NixBinding,
    NixCommented,
    NixExpr,
    NixFile,
    NixIdent,
    NixInt,
    NixLet,
    NixList,
    NixSelect,
    NixString,
)

pytestmark = [requires_nix]

SETTINGS = settings(max_examples=examples(30), suppress_health_check=[HealthCheck.too_slow])

FRAGMENTS = (
    *"'$\\{}\"#;a\n\n \t\r",
    *("''", "'''", "${", "$$", "$${", "''${", "''$", "''\\", "'$", "${x}", "\\n", "\n  ", "  "),
    *("\r\n", "\n\n", "*/", "/*", "echo", "\x1b", "\x7f", "\x01", "\u2028", "é", "𝒳", "’"),
)
anything = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)
strings = st.lists(st.sampled_from(FRAGMENTS) | anything, max_size=12).map("".join)
keys = (
    strings | st.sampled_from(["if", "or", "rec", "inherit", "a-b", "-a", "a'", "_", "0", "", "é"])
).filter(lambda key: key not in ("outPath", "__toString"))
integers = st.integers(-(2**63), 2**63 - 1) | st.sampled_from([-(2**63), 2**63 - 1, -1, 0])
values = st.recursive(
    strings | integers | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=25,
)


def tree(value: Any, *, block: bool = False) -> NixExpr:
    match value:
        case None:
            return NULL
        case bool():
            return TRUE if value else FALSE
        case int():
            return NixInt(value)
        case str():
            return NixString((value,), block)
        case list():
            return NixList(tuple(tree(item, block=block) for item in value))
        case _:
            entries = value.items()
            return NixAttrs(
                tuple(NixBinding((key,), tree(item, block=block)) for key, item in entries)
            )


@pytest.mark.slow
@SETTINGS
@given(st.lists(strings, min_size=1, max_size=100))
@example(["'", "''", "'''", "''''", "\n'", "a\n''", "a\n'''", "$\n", "a\n$", "'${\n", "'''${\n"])
@example([" a\n b", "\n", " \n", "a\n ", "a\n  \n", "\n a\nb", "\ta\n\tb", "a\r\nb\n", "'\r\n"])
@example(["$${a}\n", "$$${a}\n", "''\\n\n", "''\\${\n", "'$'\n", "\\${\n", "a\\\n", "''$a\n"])
def test_strings_in_both_forms(batch: list[str]) -> None:
    quoted, block = tree(batch), tree(batch, block=True)
    assert nix_value(print_expr(NixList((quoted, block)))) == [batch, batch]


@pytest.mark.slow
@SETTINGS
@given(st.lists(st.lists(strings | st.none(), max_size=6), min_size=1, max_size=60))
@example([["$", None], ["'", None], ["'$", None], ["'''", None, "'\n"], ["\n  ", None, "  "]])
@example([["a\n", None], ["a\n  ", None, "  \n"], ["$", "{x}\n", None, "$"], [None, "\n '"]])
@example([[None, "\n  "], ["  ", None, "\n"], ["\n", None, None, "''"], ["''", "'\n"]])
def test_strings_with_interpolations(batch: list[list[str | None]]) -> None:
    def text(parts: list[str | None], block: bool) -> NixExpr:
        return NixString(tuple(NixIdent("v") if part is None else part for part in parts), block)

    expected = ["".join("<v>" if part is None else part for part in parts) for parts in batch]
    forms = [NixList(tuple(text(parts, block) for parts in batch)) for block in (False, True)]
    whole = NixLet((NixBinding(("v",), NixString(("<v>",))),), NixList(tuple(forms)))
    assert nix_value(print_expr(whole)) == [expected, expected]


@pytest.mark.slow
@SETTINGS
@given(st.lists(strings, min_size=1, max_size=30))
def test_blocks_within_blocks(batch: list[str]) -> None:
    parts: list[str | NixExpr] = ["- \n"]
    for text in batch:
        nested = NixAttrs((NixBinding(("x",), NixString((text,), block=True)),))
        parts += (NixSelect(nested, ("x",)), "\n")
    whole = NixAttrs((NixBinding(("a", "b"), NixString(tuple(parts), block=True)),))
    expected = "- \n" + "".join(text + "\n" for text in batch)
    assert nix_value(print_expr(whole)) == {"a": {"b": expected}}


@pytest.mark.slow
@SETTINGS
@given(st.lists(values, min_size=1, max_size=15), st.booleans())
def test_values_of_every_kind(batch: list[Any], block: bool) -> None:
    assert nix_value(print_expr(tree(batch, block=block))) == batch


@pytest.mark.slow
@SETTINGS
@given(st.lists(keys, min_size=1, max_size=60, unique=True))
def test_keys(names: list[str]) -> None:
    value = NixAttrs(
        tuple(NixBinding(("set", name), NixInt(index)) for index, name in enumerate(names))
    )
    selected = NixList(tuple(NixSelect(NixIdent("v"), ("set", name)) for name in names))
    missing = NixSelect(NixIdent("v"), ("none", names[0]), NixInt(-7))
    whole = NixLet((NixBinding(("v",), value),), NixList((selected, missing)))
    assert nix_value(print_expr(whole)) == [list(range(len(names))), -7]


@pytest.mark.slow
@SETTINGS
@given(st.lists(strings, min_size=1, max_size=40), st.integers(0, 30))
@example(["*/ 1", "a\nb", "a\rb", "a\u2028b", "a\x85b", "a\x0bb", "''", '"', "${", "word " * 60], 0)
def test_comments_change_nothing(comments: list[str], depth: int) -> None:
    commented = tuple(NixCommented(text, NixInt(index)) for index, text in enumerate(comments))
    bindings = tuple(
        NixBinding((f"k{index}",), NixInt(index), text) for index, text in enumerate(comments)
    )
    body: NixExpr = NixList((NixList(commented), NixAttrs(bindings)))
    for _ in range(depth):
        body = NixApply(NixSelect(NixIdent("builtins"), ("head",)), NixList((body,)))
    numbers = list(range(len(comments)))
    text = print_file(NixFile(tuple(comments), body))
    assert nix_value(text) == [numbers, {f"k{number}": number for number in numbers}]
