"""What errors say beyond their code: titles, labels and help that no page of an error shows."""

from __future__ import annotations

import pytest

from rules.cases import Made, program
from support.compile import codes, messages

REV = "6a030d535719c5190187c4cec156f335e95e3211"
LONG_A, LONG_B = "a" * 80, "b" * 80
OF_ROWS = 'matrix m { recipe = child, axes = row[three], name = "v{{row}}" }\n'
NAMED_BY_FLAG = 'matrix m { recipe = child, axes = n, name = "v{{n}}-{{fast}}" }\n'
CUT_A, CUT_B = f'"{"a" * 59}…', f'"{"b" * 59}…'


def top(text: str) -> str:
    return program("", here=text)


def attrs(items: str) -> str:
    return program("attrs", here=items)


def body(items: str, more: str = "", **places: str) -> str:
    return program("recipe", here=items, more=more, **places)


def pinned(fields: str) -> str:
    return top(f'pin p {{ github = "NixOS/nixpkgs", {fields} }}')


def picked(axes: str, more: str = "axis n = [1, 2]") -> str:
    matrix = f'matrix m {{ recipe = child, axes = {axes}, name = "v" }}'
    return top(f"{more}\nrecipe child {{ package = pkgs.hello }}\n{matrix}")


@pytest.mark.parametrize(
    ("source", "code", "words"),
    [
        (
            pinned(f'rev = "{REV}", hash = "md6-abc"'),
            "E701",
            ["not an SRI hash", "help: write `sha256-` and 44 characters of base 64"],
        ),
        (
            pinned(f'rev = "{REV}", rev = "{REV}"'),
            "E202",
            ["`rev` is written twice", "^ again here", "| first here"],
        ),
        (picked("n[x]"), "E201", ["the name `x` is not defined"]),
        (
            body("", matrix=OF_ROWS),
            "E406",
            ["`three` is not a value of this axis", "write one of its values: one, two"],
        ),
        (
            picked("a", "axis a = nowhere\n"),
            "E201",
            ["there is no facts table `nowhere`", "^ unknown table"],
        ),
        (
            picked("a", "axis a = nvidia\n"),
            "E201",
            ["there is no facts table `nvidia`", "^ unknown table", "write `use std.nvidia`"],
        ),
        (
            body("flag fast: bool = true", matrix=NAMED_BY_FLAG),
            "E302",
            ["a variant's name cannot read flag `fast`", "decided later, for each variant"],
        ),
        (attrs("x = pin"), "E306", ["a pin cannot be a value for Nix", "`pin` is a pin"]),
        (body("package = child", package=""), "E306", ["write `package = pkgs.child`"]),
        (attrs("x = [1, 2][true]"), "E301", ["true or false cannot select an element"]),
        (attrs("x = { a = 1 }[1]"), "E301", ["an integer cannot select", "expected a string"]),
        (body("package = package", package=""), "E205", ["`package` depends on itself"]),
        (attrs("x = attrs.x"), "E205", ["`attrs.x` depends on itself"]),
    ],
)
def test_what_is_said(source: str, code: str, words: list[str]) -> None:
    made = Made(source).compilation
    told = " ".join(messages(made).split())
    assert set(codes(made)) == {code}, told
    for one in words:
        assert one in told


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (body(f'attrs {{ x = "{LONG_A}" }}\nattrs {{ x = "{LONG_B}" }}'), [CUT_B, CUT_A]),
        (attrs(f'x = ("{LONG_A}" == n)'), [CUT_A]),
        (attrs(f'x = (n == "{LONG_A}")'), [CUT_A]),
    ],
)
def test_of_a_long_value_sixty_characters_are_shown(source: str, shown: list[str]) -> None:
    made = Made(source).compilation
    (item,) = made.diagnostics
    labels = [one.text.partition(" ")[2] for one in item.labels]
    assert [one for one in labels if one.startswith('"')] == shown


def test_a_pin_s_field_is_written_with_equals() -> None:
    made = Made(pinned(f'rev += "{REV}"'))
    assert ("E209", f'rev += "{REV}"') in made.told()


def test_what_follows_a_name_that_is_taken_is_declared() -> None:
    lets = "let a = 1\nlet a = 2\nlet c = 3\n"
    for source in (body("attrs { x = c }", lets), body(f"{lets}attrs {{ x = c }}")):
        assert Made(source).told() == [("E202", "a")]


@pytest.mark.slow
def test_axes_of_a_module_s_own_modules_are_not_in_scope() -> None:
    files = {"lib.tvar": 'use "./deep.tvar"\n', "deep.tvar": "axis d = [1]\n"}
    source = picked("d", 'use "./lib.tvar"\n')
    assert ("E201", "d") in Made(source, files).told()


def test_an_axis_that_may_be_one_of_two_is_marked_where_it_is_named() -> None:
    table = "facts {0} (x: int) {{\n  {1} {{ x = 1 }}\n}}\naxis d = {0}\n"
    files = {"one.tvar": table.format("t", "a"), "two.tvar": table.format("u", "b")}
    source = picked("d", 'use "./one.tvar"\nuse "./two.tvar"\n')
    assert Made(source, files).told() == [("E206", "d")]


@pytest.mark.parametrize(
    "condition",
    ['["a"][0] == 1', "xs[0] == 1", '(if n == 1 then "a" else "b") == 1'],
)
def test_kinds_are_compared_where_nothing_is_built(condition: str) -> None:
    """Of a list the kind of its elements is known, and of a choice that of both its ends."""
    unused = f"recipe unused {{ package = pkgs.hello\nattrs {{ y = {condition} }} }}"
    made = Made(body("", f'let xs = ["a"]\n{unused}'))
    assert [code for code, _ in made.told()] == ["E303"]


def test_both_ends_of_a_choice_name_values_of_the_axis_beside_it() -> None:
    axes = "axis a { one { x = 1 }, two { x = 2 } }\naxis b { one { x = 1 }, three { x = 2 } }\n"
    for choice in ("if b == three then one else two", "if b == three then two else one"):
        recipe = f"recipe child {{ package = pkgs.hello\nattrs {{ x = a == ({choice}) }} }}\n"
        matrix = 'matrix m { recipe = child, axes = a * b, name = "v{{a}}-{{b}}" }\n'
        made = Made(top(f"{axes}{recipe}{matrix}"))
        assert made.good()


@pytest.mark.slow
def test_a_name_with_a_broken_declaration_elsewhere_is_told_of_all_the_same() -> None:
    made = Made(picked("child.x", "let y = = 3\naxis n = [1, 2]"))
    assert ("E201", "child.x") in made.told()


def test_what_cannot_be_added_to_parts_that_are_not_there() -> None:
    meta = 'meta {\nwhen n == 5 { x { part a "A" } }\nx += "b"\n}'
    made = Made(program("recipe that extends", parent=meta))
    assert ("E301", 'x += "b"') in made.told(), made.report


def test_the_pin_of_a_recipe_has_its_date() -> None:
    made = Made(pinned(f'rev = "{REV}", release = 25.05, date = "2025-06-01"'))
    (recipe,) = made.recipes
    assert recipe.pin is not None
    assert (recipe.pin.release, recipe.pin.date) == ("25.05", "2025-06-01")


@pytest.mark.parametrize("other", ["[n, true]", "[n, 2]", "[n, 1, 1]", '[n, "1"]'])
def test_what_is_not_the_same_is_not_compared_with_itself(other: str) -> None:
    made = Made(attrs(f"x = [n, 1] == {other}"))
    assert "E212" not in codes(made.compilation), made.report
    made = Made(attrs("x = [n, 1] == [n, 1]"))
    assert codes(made.compilation) == ["E212"], made.report


def test_a_record_of_which_all_is_unset_tells_what_was() -> None:
    made = Made(
        program("recipe that extends", parent="attrs { r.a = 1 }", child="attrs { r.a = none }")
    )
    for recipe in made.recipes:
        ((one, (inner,)),) = [(one.path, one.unset) for one in recipe.changes.unset]
        assert (one, inner.path) == (("attrs", "r"), ("attrs", "r", "a"))
