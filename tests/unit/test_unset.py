"""`x = none`: as if no weaker layer had written `x`."""

from __future__ import annotations

import pytest

from support.compile import codes, compile_text, messages
from tvarc.meaning.overrides import Setting
from tvarc.nix import ir

HEAD = """
pin p {
  github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211"
  config { allowUnfree = true }
}
axis n = [1, 2]
"""
MATRIX = '\nmatrix m { recipe = child, axes = n, name = "v{{n}}" }\n'


def of(parent: str, child: str, *settings: Setting) -> ir.Recipe:
    """The variant `v1` of a recipe with *child* that extends one with *parent*."""
    compilation = compile_text(program(parent, child), *settings)
    found = {recipe.variant: recipe for recipe in compilation.recipes()}
    assert codes(compilation) == [], messages(compilation)
    return found["v1"]


def program(parent: str, child: str) -> str:
    return (
        f"{HEAD}recipe base {{ package = pkgs.hello\n{parent} }}\n"
        f"recipe child extends base {{ {child} }}\n{MATRIX}"
    )


def attrs(parent: str, child: str) -> ir.Recipe:
    return of(f"attrs {{ {parent} }}", f"attrs {{ {child} }}")


def test_all_blocks_can_be_unset() -> None:
    blocks = ("args", "attrs", "env", "passthru", "meta", "config")
    parent = "\n".join(f"{block} {{ x = 1 }}" for block in blocks)
    child = "\n".join(f"{block} {{ x = none }}" for block in blocks)
    recipe = of(parent, f"{child}\nconfig {{ allowUnfree = none }}")
    changes = recipe.changes
    settings = (changes.args, changes.attrs, changes.env, changes.passthru, changes.meta)
    assert not any(settings)
    assert recipe.config == ()
    assert [one.path[0] for one in changes.unset] == list(blocks[:5])
    assert [one.path[1] for one in recipe.unset_config] == ["allowUnfree", "x"]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ((), "child sets it anew"),
        ((Setting("--set", "attrs.x=[3]"),), "the command line sets it"),
    ],
)
def test_what_sets_a_list_anew_is_told(settings: tuple[Setting, ...], reason: str) -> None:
    (found,) = of("attrs { x += [1] }", "attrs { x = [2] }", *settings).changes.attrs
    assert [one.reason for one in found.shadowed if one.op == "+="] == [reason]


def test_it_tells_what_it_took_out() -> None:
    (unset,) = attrs("x = 1\nx += [2]", "x = none").changes.unset
    assert [(one.op, one.value, one.origin.layer) for one in unset.shadowed] == [
        ("=", 1, "base"),
        ("+=", (2,), "base"),
    ]
    recipe = attrs("x.a = 1\nx.b = 2", "x.a = none")
    (key,) = recipe.changes.attrs[0].unset
    assert (key.path, key.shadowed[0].value) == (("attrs", "x", "a"), 1)


def test_a_setting_that_is_read_is_unset_there() -> None:
    text = program("attrs { x = 1\ny = attrs.x }", "attrs { x = none }")
    made = compile_text(text)
    made.recipes()
    (told,) = made.diagnostics
    assert [text[one.span.start : one.span.end] for one in told.labels] == ["attrs.x", "x = none"]


# --- flags read by overlays --------------------------------------------------------------------


def test_one_that_lists_it_without_the_flag_is_told_there() -> None:
    other = "recipe other { package = pkgs.hello, flag f: int = 1, attrs { a = f } }\n"
    overlays = 'overlay o { x = f }\npatch q for hello { url = "https://a.org/{{f}}", hash = h }\n'
    let = 'let h = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU="\n'
    compilation = compile_text(other + overlays + let + program("overlays = [o, q]", ""))
    compilation.recipes()
    told = messages(compilation)
    assert "recipe `child` has no flag `f`" in told
    assert "overlay `o`, listed here, reads it" in told
    assert "patch `q`, listed here, reads it" in told


def test_a_flag_that_no_recipe_has_is_said_to_be_missing() -> None:
    compilation = compile_text("overlay o { x = gone }\n" + program("overlays = [o]", ""))
    assert codes(compilation) == ["E201"]
    assert "no recipe has this flag" in messages(compilation)


@pytest.mark.parametrize("key", ["gcc = none", "gcc.arch = none", "gcc = { arch = none }"])
@pytest.mark.parametrize("block", ["localSystem", "crossSystem"])
def test_what_a_pin_says_of_its_machine_is_never_none(block: str, key: str) -> None:
    """Nothing is weaker than a pin's own line, and nixpkgs would not understand it."""
    head = HEAD.replace(
        "  config {", f'  {block} {{ system = "x86_64-linux", {key} }}\n  config {{'
    )
    text = program("", "").replace(HEAD, head)
    compilation = compile_text(text)
    compilation.recipes()
    assert codes(compilation) == ["E301"], messages(compilation)
