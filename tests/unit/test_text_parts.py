"""Texts in parts: settings whose paragraphs come and go, as those of scripts do."""

from __future__ import annotations

import pytest

from support.alone import emit
from support.compile import codes, compile_text, messages
from support.formatted import formatted
from tvarc.nix import ir

HEAD = """
pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
axis n = [1, 2]
"""
TAIL = """
matrix m { recipe = child, axes = n, name = "v{{n}}" }
output o { file = "{{variant}}.nix" }
"""


def program(parent: str, child: str = "", more: str = "") -> str:
    return (
        f"{HEAD}{more}\nrecipe base {{ package = pkgs.hello\n{parent} }}\n"
        f"recipe child extends base {{ {child} }}\n{TAIL}"
    )


def meta(parent: str, child: str = "") -> list[tuple[ir.Setting, ...]]:
    """The `meta` of each variant."""
    compilation = compile_text(program(f"meta {{ {parent} }}", f"meta {{ {child} }}"))
    found = [recipe.changes.meta for recipe in compilation.recipes()]
    assert codes(compilation) == [], messages(compilation)
    return found


def test_in_an_overlay_for_a_package() -> None:
    overlay = 'overlay noted for zlib { x { part a "A", when n == 1 { part b "{{old.x}}" } } }\n'
    compilation = compile_text(program("overlays = [noted]", "", overlay))
    files = [file.text for file in emit(compilation.recipes(), "f")]
    assert codes(compilation) == [], messages(compilation)
    assert '(prev.lib.toList (old.x or "")))}";' in files[0]
    assert 'x = "A";' in files[1]


def test_parts_know_where_they_are_written() -> None:
    ((setting,), _) = meta('x { part a "A", part b "B" }', 'x { part b = none, += "C" }')
    assert [(part.name, part.text) for part in setting.parts] == [("a", "A"), (None, "C")]
    (taken,) = setting.taken
    assert (taken.name, taken.shadowed[0].value) == ("b", "B")
    ((unset,), _) = [r.unset for r in changes('x { part a "A" }', "x = none")]
    assert [(one.op, one.value) for one in unset.shadowed] == [("part", "A")]


def changes(parent: str, child: str) -> list[ir.Changes]:
    text = program(f"meta {{ {parent} }}", f"meta {{ {child} }}")
    return [recipe.changes for recipe in compile_text(text).recipes()]


def test_the_formatter_lays_them_out() -> None:
    text = 'recipe r {\n  meta { x { part a """\n  A\n""" \n when n == 1 { part b = none } } }\n}\n'
    assert formatted(text) == (
        'recipe r {\n  meta {\n    x {\n      part a """\n        A\n      """\n'
        "      when n == 1 { part b = none }\n    }\n  }\n}\n"
    )


@pytest.mark.parametrize("count", [7, 9])
@pytest.mark.parametrize("child", ["", "x = 1", "x = none"])
def test_all_parts_together_have_a_limit(count: int, child: str) -> None:
    """As those of a script have: also when all of them are shadowed, since all are told."""
    lets = ['let t0 = "0123456789abcdef"']
    lets += [
        f'let t{n + 1} = "{{{{t{n}}}}}{{{{t{n}}}}}"' for n in range(16)
    ]  # a million characters
    parts = ", ".join(f'part p{n} "{{{{t16}}}}"' for n in range(count))
    text = program(f"meta {{ x {{ {parts} }} }}", f"meta {{ {child} }}", "\n".join(lets) + "\n")
    compilation = compile_text(text)
    compilation.recipes()
    assert set(codes(compilation)) == ({"E308"} if count > 8 else set()), messages(compilation)


def test_a_text_whose_parts_are_taken_out_is_known_to_be_unset() -> None:
    compilation = compile_text(program('meta { x { part a "A" } }', "meta { x { part a = none } }"))
    for recipe in compilation.recipes():
        (unset,) = recipe.changes.unset
        assert (unset.path, recipe.changes.meta) == (("meta", "x"), ())
        assert [one.value for one in unset.shadowed] == ["A"]
