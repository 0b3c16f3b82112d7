"""How a value is decided: ranks, additions, removals, flags, scripts, late references."""

from __future__ import annotations

import pytest

from support.compile import codes, compile_text, messages
from support.effort import for_each
from tvarc.build.driver import emit
from tvarc.meaning.overrides import Setting
from tvarc.nix import ir
from tvarc.values.value import NixText, Record, Value, Version

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


def value(body: str, name: str = "x", variant: str = "v1-one", *settings: Setting) -> Value:
    return attr(recipes(body, *settings)[variant], name).value


def script(body: str, variant: str = "v1-one") -> list[tuple[str | None, str | NixText | None]]:
    (found,) = recipes(body)[variant].changes.scripts
    return [(part.name, part.text) for part in found.parts]


def one(attrs: str, more: str = "") -> str:
    return f"recipe child {{ package = pkgs.hello\n{more}\nattrs {{ {attrs} }} }}\n"


def two(parent: str, child: str) -> str:
    return (
        f"recipe base {{ package = pkgs.hello\nattrs {{ {parent} }} }}\n"
        f"recipe child extends base {{ attrs {{ {child} }} }}\n"
    )


@for_each(
    "body, expected",
    [
        (one("x = if n == 1 then row.text else null"), "I"),
        (one("x = [...[1, 2], ...if n == 1 then [3] else []]"), (1, 2, 3)),
        (one("x = flat(2.10.0)\ny = 1"), "2100"),
        (one('x = version("2.11.0rc1") < 2.11.0'), True),
        (one("x = 2.10 > 2.9"), True),
        (one("x = 13.0"), Version("13.0")),
    ],
)
def test_what_an_expression_is(body: str, expected: Value) -> None:
    assert value(body) == expected


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


def test_a_shadowed_value_keeps_its_origin_and_reason() -> None:
    setting = attr(recipes(two("x = 1", "x = 2"))["v1-one"], "x")
    (lost,) = setting.shadowed
    assert (lost.value, lost.origin.layer, lost.reason) == (1, "base", "child sets it anew")
    assert setting.origin.layer == "child"


def test_each_element_keeps_its_origin() -> None:
    setting = attr(recipes(two("x = [1]", "when n == 1 { x += [2] }"))["v1-one"], "x")
    assert setting.elements is not None
    assert [(e.value, e.origin.layer, len(e.origin.conditions)) for e in setting.elements] == [
        (1, "base", 0),
        (2, "child", 1),
    ]


def test_additions_without_a_base_extend_the_package() -> None:
    setting = attr(recipes(one("x += [1]"))["v1-one"], "x")
    assert setting.extends and setting.value == (1,)


def test_variants_that_agree_share_decisions() -> None:
    made = recipes(one("x = n\ny = row.text\nz = 1"))
    assert attr(made["v1-one"], "x") is attr(made["v1-two"], "x")
    assert attr(made["v1-one"], "x") is not attr(made["v2-one"], "x")
    assert attr(made["v1-one"], "y") is attr(made["v2-one"], "y")
    assert len({id(attr(recipe, "z")) for recipe in made.values()}) == 1


def test_sharing_sees_through_other_settings() -> None:
    made = recipes(one('x = "{{attrs.y}}"\ny = "{{meta.z}}"', "meta { z = row.text }"))
    assert [attr(made[v], "x").value for v in ("v1-one", "v1-two")] == ["I", "II"]


def test_flags_default_child_matrix_and_command_line() -> None:
    body = """
    recipe base { package = pkgs.hello, flag f: bool = n == 1
      attrs { x = if f then "on" else "off" } }
    recipe child extends base { when row == two { flag f = true } }
    """
    made = recipes(body)
    shown = {name: attr(recipe, "x").value for name, recipe in made.items()}
    assert shown == {"v1-one": "on", "v1-two": "on", "v2-one": "off", "v2-two": "on"}
    assert value(body, "x", "v1-one", Setting("--flag", "f=false")) == "off"
    tail = MATRIX.replace("}\n", ", flag f = false }\n")
    assert attr(recipes(body, tail=tail)["v1-two"], "x").value == "off"


def test_set_on_the_command_line_beats_force_and_additions() -> None:
    body = one("force x = [1]\nx += [2]")
    assert value(body, "x", "v1-one", Setting("--set", "attrs.x=[9]")) == (9,)


def test_parts_of_a_script_replace_insert_and_fall_back() -> None:
    body = """
    recipe base { package = pkgs.hello
      script s { part a "A", part b "B"
        += "end"
        when n == 2 { part b "conditional" } } }
    recipe child extends base {
      script s { part a "A2", part c after a "C", part d after a "D", part z before b "Z" } }
    """
    assert script(body) == [
        ("old", None),
        ("a", "A2"),
        ("c", "C"),
        ("d", "D"),
        ("z", "Z"),
        ("b", "B"),
        (None, "end"),
    ]
    assert ("b", "conditional") in script(body, "v2-one")


def test_parts_of_a_script_can_be_removed() -> None:
    body = """
    recipe base { package = pkgs.hello
      script s { part a "A", part b "B" } }
    recipe child extends base { script s { part a = none, part old = none } }
    """
    assert script(body) == [("b", "B")]


def test_an_unknown_anchor_is_refused() -> None:
    assert "E503" in errors(
        'recipe child { package = pkgs.hello\nscript s { part a after nowhere "A" } }\n'
    )


def test_recipe_is_knows_ancestors() -> None:
    body = """
    recipe base { package = pkgs.hello
      when recipe is base { attrs { x = 1 } }
      when recipe == child { attrs { y = 1 } } }
    recipe child extends base { attrs { z = 1 } }
    """
    assert {s.key for s in recipes(body)["v1-one"].changes.attrs} == {"x", "y", "z"}


def test_config_of_the_pin_comes_first_and_recipes_may_shadow_it() -> None:
    body = """
    pin q { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3212"
      config { a = 1, b = 1 } }
    recipe child { package = pkgs.hello, pin = q, config { b = 2, c = 3 } }
    """
    config = recipes(body)["v1-one"].config
    assert [(s.key, s.value) for s in config] == [("a", 1), ("b", 2), ("c", 3)]


def test_the_pin_may_depend_on_an_axis() -> None:
    body = """
    pin q { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3212"
      config { only-q = true } }
    recipe child { package = pkgs.hello, pin = if n == 1 then p else q }
    """
    made = recipes(body)
    first, second = made["v1-one"], made["v2-one"]
    assert first.pin is not None and second.pin is not None
    assert (first.pin.name, second.pin.name) == ("p", "q")
    assert (len(first.config), len(second.config)) == (0, 1)


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


def test_several_pins_need_a_choice() -> None:
    body = """
    pin q { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3212" }
    recipe child { package = pkgs.hello }
    """
    assert errors(body) == ["E506"]


def test_a_requirement_shows_its_operands() -> None:
    compilation = compile_text(
        HEAD + one("x = 1") + MATRIX + 'require n < 2 or row == one because "no reason"\n'
    )
    compilation.recipes()
    text = messages(compilation)
    assert codes(compilation) == ["E405"]
    assert "n = 2" in text and "row = two" in text and "v2-two" in text and "no reason" in text


def test_a_warning_is_switched_off_by_name() -> None:
    warn = 'warn odd = n == 1 because "odd one"\n'
    compilation = compile_text(HEAD + one("x = 1") + MATRIX + warn)
    compilation.recipes()
    assert codes(compilation) == ["W001"] and not compilation.sink.has_errors
    off = 'warn odd = off because "we like it"\n'
    compilation = compile_text(HEAD + one("x = 1") + MATRIX + warn + off)
    compilation.recipes()
    assert codes(compilation) == []


def test_a_library_may_hold_more_than_is_used() -> None:
    library = "overlay unused { x = 1 }\naxis n: t\nfacts t () { a {} }\n"
    compilation = compile_text(
        'use "./lib.tvar"\nvariant v { recipe = r }\nrecipe r { package = pkgs.hello }\n'
        'pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }\n',
        files={"lib.tvar": library},
    )
    compilation.recipes()
    assert codes(compilation) == [], messages(compilation)


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


def test_arguments_in_an_overlay_may_read_its_roots() -> None:
    body = one("x = 1", "overlays = [o]") + "overlay o for hello { args { a = final.z } }\n"
    assert recipes(body)


def test_an_overlay_cannot_read_settings_through_a_let() -> None:
    body = one("x = 1", "overlays = [o]") + "let late = attrs.x\noverlay o { y = late }\n"
    assert errors(body) == ["E302"]


def test_a_recipe_of_a_named_module_can_be_extended() -> None:
    compilation = compile_text(
        'use "./lib.tvar" as l\n' + HEAD + "recipe child extends l.base {}\n" + MATRIX,
        files={"lib.tvar": "recipe base { package = pkgs.hello, attrs { x = 1 } }\n"},
    )
    made = compilation.recipes()
    assert codes(compilation) == [], messages(compilation)
    assert made[0].recipes == ("base", "child")


def test_a_warning_of_a_recipe_can_be_switched_off() -> None:
    body = one("x = 1", 'warn odd = n == 1 because "…"') + 'warn odd = off because "fine"\n'
    assert errors(body) == []


def test_recipe_and_matrix_have_text() -> None:
    assert value(one('x = "{{recipe}} {{matrix}}"')) == "child m"


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
    "body",
    [
        one("r.a = 1\nr += { a = 2 }"),
        one("r = { a = 1 }\nr += { a = 2 }"),
        two("r.a = 1", "r += { a = 2 }"),
        two("r += { a = 2 }", "r.a = 1"),
        one("r += { a = 1 }\nr += { a = 2 }"),
    ],
)
def test_adding_to_a_record_overrides_nothing(body: str) -> None:
    assert errors(body) == ["E501"]


def test_a_record_set_anew_by_a_child_shadows_what_was_added_before() -> None:
    assert value(two("r += { a = 1 }\nr.b = 2", "r = { c = 3 }"), "r") == Record((("c", 3),))


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


def test_extensions_are_for_python_sets() -> None:
    overlay = "overlay o for cudaPackages.nccl { via = extensions, doCheck = false }\n"
    assert "E301" in errors(one("x = 1", "overlays = [o]") + overlay)


def test_a_bare_word_sets_a_flag_that_holds_text() -> None:
    body = """recipe child { package = pkgs.hello
      flag f: one_of("a", "b") = "a"
      attrs { x = f } }
    """
    assert value(body, "x", "v1-one", Setting("--flag", "f=b")) == "b"
    assert "E301" in errors(body, Setting("--flag", "f=c"))


def test_environment_variables_hold_text() -> None:
    assert "E301" in errors(one("x = 1", 'env { C = ["x"] }'))


def test_a_nul_character_is_refused_with_its_place() -> None:
    compilation = compile_text('recipe r { package = pkgs.hello, attrs { x = "a\0b" } }\n')
    assert codes(compilation) == ["E107"]
    assert "input.tvar:1:48" in messages(compilation)
