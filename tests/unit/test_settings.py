"""How a value is decided: ranks, additions, removals, flags, scripts, late references."""

from __future__ import annotations

import pytest

from support.alone import emit
from support.compile import codes, compile_text, messages
from support.effort import for_each
from tvarc.meaning.overrides import Setting
from tvarc.nix import ir
from tvarc.values.value import Record

HEAD = """
pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
axis n = [1, 2]
axis row { one { text = "I" }, two { text = "II" } }
"""
MATRIX = '\nmatrix m { recipe = child, axes = n * row, name = "v{{n}}-{{row}}" }\n'


def recipes(body: str, *settings: Setting, tail: str = MATRIX) -> dict[str, ir.Recipe]:
    """The recipes of a program around *body*, which declares the recipe `child`."""
    compilation = compile_text(HEAD + body + tail, *settings)
    found = {recipe.variant: recipe for recipe in compilation.recipes()}
    assert codes(compilation) == [], messages(compilation)
    return found


def errors(body: str, *settings: Setting, tail: str = MATRIX) -> list[str]:
    compilation = compile_text(HEAD + body + tail, *settings)
    compilation.recipes()
    return codes(compilation)


def attr(recipe: ir.Recipe, name: str) -> ir.Setting:
    return next(setting for setting in recipe.changes.attrs if setting.key == name)


def one(attrs: str, more: str = "") -> str:
    return f"recipe child {{ package = pkgs.hello\n{more}\nattrs {{ {attrs} }} }}\n"


def two(parent: str, child: str) -> str:
    return (
        f"recipe base {{ package = pkgs.hello\nattrs {{ {parent} }} }}\n"
        f"recipe child extends base {{ attrs {{ {child} }} }}\n"
    )


@for_each(
    "body, code",
    [
        (one("when n == 1 { x = 1 }\nwhen row == one { x = 2 }"), "E501"),
        (one("x = 1\nx += [2]"), "E301"),
        (one("x = 1\nx.a = 2"), "E301"),
        (one("x = y.a", "") + "", "E201"),
        (one("x = attrs.y\ny = attrs.x"), "E205"),
        (one("x = attrs.z\nz += [1]"), "E302"),
        (one("x = 1", "args { y += [1] }"), "E504"),
        (one("x = 1", "overlays = [child]"), "E301"),
        (one("preConfigure = 1", 'script preConfigure { part a "" }'), "E501"),
        (one("x = nonsense(1)"), "E211"),
        (one("x = upper()"), "E211"),
        (one("x = final.y"), "E302"),
        (one('x = 1 == "1"'), "E303"),
        (one('x = split(row.text, "")'), "E305"),
    ],
)
def test_what_is_refused(body: str, code: str) -> None:
    assert code in errors(body)


@pytest.mark.parametrize(
    ("cells", "attrs", "help_"),
    [
        ("exclude { n = 1, row = one }", "", "write `n == 1 and row == one`, without braces"),
        ("exclude = [one]", "", "write `exclude CONDITION because"),
        ("", 'x = env("HOME")', "declare `flag NAME = VALUE`"),
        ("", 'x = format("{}", n)', 'insert values as `"{{name}}"`'),
        ("", "x = range(1, 4)", "write each value"),
    ],
)
def test_a_form_of_another_language_gets_the_form_of_this_one(
    cells: str, attrs: str, help_: str
) -> None:
    tail = f"{MATRIX.rstrip()[:-1]}\n{cells} }}\n"
    (found,) = compile_text(HEAD + one(attrs) + tail).diagnostics
    assert help_ in found.help


def test_each_element_keeps_its_origin() -> None:
    setting = attr(recipes(two("x = [1]", "when n == 1 { x += [2] }"))["v1-one"], "x")
    assert setting.elements is not None
    assert [(e.value, e.origin.layer, len(e.origin.conditions)) for e in setting.elements] == [
        (1, "base", 0),
        (2, "child", 1),
    ]


def test_a_pin_whose_hash_is_null_has_none() -> None:
    facts = """
    facts known (rev: string, hash: string?) {
      a { rev = "6a030d535719c5190187c4cec156f335e95e3212" }
      b { rev = "6a030d535719c5190187c4cec156f335e95e3213"
          hash = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=" }
    }
    axis pinned = known
    recipe child { package = pkgs.hello, pin = q }
    """
    tail = 'matrix m { recipe = child, axes = pinned, name = "v-{{pinned}}" }\n'

    def pins(hash: str, rev: str = "pinned.rev") -> list[str | None]:
        pin = f'pin q {{ github = "NixOS/nixpkgs", rev = {rev}, hash = {hash} }}\n'
        made = compile_text(HEAD + facts + pin + tail)
        found = [recipe.pin for recipe in made.recipes()]
        assert not made.sink.has_errors, messages(made)
        return [pin.hash if pin is not None else "" for pin in found]

    first, second = pins("pinned.hash")
    assert first is None and second is not None and second.startswith("sha256-")
    assert pins("known.a.hash") == pins("null") == [None, None]
    with pytest.raises(AssertionError, match="E301"):
        pins("null", rev="known.a.hash")


# --- what once went wrong -----------------------------------------------------------------------


@for_each(
    "text, code",
    [
        ("overlay o for hello { meta.broken = true, meta { x = 1 } }", "E210"),
        ('overlay o for hello { env = 5, env { A = "1" } }', "E210"),
        ('recipe r { package = pkgs.hello, script env { part x "A" } }', "E210"),
        ("overlay o for hello { args { a = old.x } }", "E302"),
        ('pin q { url = "https://a/b", hash = "md5-rL0Y20zC+Fzt72VPzMSk2A==" }', "E701"),
        ('pin q { github = "a/b", rev = "main" }', "E702"),
        ("recipe r { package = pkgs.hello, config { x = pkgs.foo } }", "E302"),
        ("recipe r { package = pkgs.hello, when n == 1 {} }", "E602"),
        ("when n == 1 {}", "E602"),
        ('recipe r { package = nix"""1) + (2""" }', "E104"),
        ('recipe r { package = nix"""{ a = "${b"; }""" }', "E104"),
        ("recipe r extends l.nothing { package = pkgs.hello }", "E201"),
        ("recipe r extends m.nothing { package = pkgs.hello }", "E201"),
    ],
)
def test_what_nix_would_refuse_is_refused_early(text: str, code: str) -> None:
    compilation = compile_text(
        'use "./lib.tvar" as l\n' + HEAD + one("x = 1") + MATRIX + text + "\n",
        files={"lib.tvar": "recipe base { package = pkgs.hello }\n"},
    )
    compilation.recipes()
    assert code in codes(compilation), messages(compilation)


def test_brackets_in_strings_and_comments_of_nix_text_are_let_be() -> None:
    text = """recipe child { package = pkgs.hello, attrs { x = nix\"\"\"
      # )
      /* ( */ [ ")" "\\"(" ''\n ] ''${ ''' '' "${toString (1 + 2)}" ]
    \"\"\" } }
    """
    assert recipes(text)


@pytest.mark.parametrize("order", [0, 1])
def test_adding_to_a_record_keeps_the_package_s_own_keys(order: int) -> None:
    lines = ["r.a = 1", "r += { b = 3 }"]
    setting = attr(recipes(one("\n".join(lines[:: 1 - 2 * order])))["v1-one"], "r")
    assert setting.extends
    assert isinstance(setting.value, Record)
    assert dict(setting.value.entries) == {"a": 1, "b": 3}
    assert setting.children is not None
    places = {child.key: child.origin.span for child in setting.children}
    assert places["a"] != places["b"]


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        ("python3Packages.torch", "pythonPackagesExtensions = prev.pythonPackagesExtensions"),
        ("python3.pkgs.torch", "pythonPackagesExtensions = prev.pythonPackagesExtensions"),
        ("haskellPackages.lens", "prev.haskellPackages.extend ("),
        ("linuxPackages_latest.nvidia_x11", "prev.linuxPackages_latest.extend ("),
        ("cudaPackages.nccl", "prev.cudaPackages.overrideScope ("),
    ],
)
def test_each_kind_of_set_is_changed_in_its_own_way(target: str, shown: str) -> None:
    body = one("x = 1", "overlays = [o]") + f"overlay o for {target} {{ doCheck = false }}\n"
    tail = MATRIX + 'output out { file = "{{variant}}.nix" }\n'
    made = list(emit(recipes(body, tail=tail).values(), "input.tvar"))
    assert all(shown in output.text for output in made)


def test_a_nul_character_is_refused_with_its_place() -> None:
    compilation = compile_text('recipe r { package = pkgs.hello, attrs { x = "a\0b" } }\n')
    assert codes(compilation) == ["E107"]
    assert "input.tvar:1:48" in messages(compilation)
