"""The text of a variant is the same alone and among all variants."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.assembled import assembled, plain, small
from support.compile import compile_text, compile_variants, messages
from support.effort import examples
from tvarc.nix.lower import memo

FILES: dict[str, str] = {"patches/a.patch": "", "b.patch": "", "../nixpkgs/default.nix": ""}

HEAD = """
facts gpus (capability: version, label: string, names: [string], jobs: int, driver: version?) {
  g1 { capability = 8.0, label = "Ampere", names = ["A100", "A30"], jobs = 4, driver = 1.0 }
  g2 { capability = 10.0, label = "Black  well", names = [], jobs = 12 }
  g3 { capability = 7.5, label = "T${x} ''\\\\ \\"q\\"", names = ["T4"], jobs = 1, driver = 2.0 }
}
axis gpu = gpus
axis isa = ["avx2", "avx512", "neon"]
axis rel = [2.9, 2.10.0]
axis odd = [%s]
let wide = "{{gpu.label}} on {{isa}} with {{rel}}"
let both = if gpu == g1 then "{{isa}}-one" else "two-{{rel}}"
pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211"
  config { fromPin = true } }
pin far { path = "../nixpkgs", localSystem { gcc.arch = isa, when gpu == g1 { gcc.tune = "x" } }
  config { fromFar = gpu.label } }
pin cross { path = "../nixpkgs", crossSystem { system = "{{isa}}-linux" }
  localSystem { system = if gpu == g2 then "a-linux" else "b-linux" } }
pin q { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3212" }
overlay plain { a = "x {{isa}}", b = final.c }
overlay named in python3Packages { d = prev.d.overrideAttrs }
overlay other for zlib { version = rel, when gpu == g1 { attrs_only = gpu.label } }
overlay second in python3Packages { via = override, e = "{{gpu}}" }
overlay third in python3Packages { via = override, f = final.zlib, g = isa }
overlay chosen for pkgs[if gpu == g1 then "python3Packages" else "perlPackages"][isa].x { h = rel }
overlay within in pkgs[gpu] { i = isa, j = caller.zlib }
overlay whole for pkgs["a{{isa}}"] { k = "{{gpu.label}}" }
patch each for pkgs[isa].zlib { file = path("./b.patch") }
overlay flagged for hello { fast = fast, when fast { a = isa, b = "{{gpu.label}} {{text}}" } }
patch fix for zlib because "a reason" { file = path("./patches/a.patch") }
"""

TEXTS = (
    '"{{gpu}}"',
    '"{{variant}}"',
    '"for {{gpu.label}} with {{isa}}"',
    '"{{wide}} and {{both}}: {{odd}}"',
    '"{{odd}}"',
    '"$ {{odd}} ${x}{{odd}}"',
    "\"'{{odd}}'\"",
    '"{{join(gpu.names, ", ")}}|{{gpu.names}}"',
    '"{{upper(isa)}} {{flat(gpu.capability)}} {{gpu.jobs}}"',
    '"{{upper(variant)}}"',
    '"{{if isa == "avx2" then wide else variant}}"',
    '"{{pkgs.zlib}}/lib {{isa}} {{gpu.label}}"',
    '"{{old.pname}}-{{variant}}"',
    '"line {{isa}}\\n  {{gpu.label}}\\n{{rel}} ${x}"',
    "isa",
    "gpu",
    "rel",
    "variant",
    "gpu.label",
    "gpu.capability",
    "wide",
    "both",
    '"plain"',
)
VALUES = (
    *TEXTS,
    "gpu.jobs",
    "gpu.names",
    "true",
    "null",
    '["-D{{gpu}}", "{{wide}}"]',
    '["one {{isa}}"]',
    "[isa, gpu.capability]",
    "[gpu.jobs, gpu]",
    "[]",
    '{ a = "{{isa}} {{gpu}}", b = gpu.label }',
    "{ a = isa }",
    "pkgs.zlib",
    "caller.zlib",
    "[caller.zlib, isa]",
    '"{{caller.zlib}}/lib {{isa}}"',
    'if isa == "neon" then caller.zlib else "{{rel}}"',
    'nix"""caller.zlib"""',
    "[pkgs.zlib, pkgs.python3Packages.numpy]",
    'if gpu == g1 then "{{isa}} {{rel}}" else "{{variant}}"',
    'if isa == "neon" then [gpu.label] else [rel, isa]',
    'github("a/b", tag = "v{{rel}}", hash = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=")',
    'path("./b.patch")',
    'nix"""lib.optional true pkgs.zlib"""',
    'upper("x{{isa}}")',
    'nix"""f {{gpu.names}} "${pkgs.zlib}-{{odd}}" {{isa}}"""',
    'nix"""{ {{isa}} = {{gpu.capability}}; a = {{ { b = variant, c = [wide] } }}; }"""',
    "nix\"\"\"with pkgs; zlib + '' {{wide}} '{{odd}}' ${lib.version}{{both}}''\"\"\"",
)
LISTS = ('["-D{{gpu}}"]', '["{{variant}}", isa]', "gpu.names", "[]", "[pkgs.zlib]")
NIX_LISTS = (
    'nix"""with pkgs; [ zlib ]"""',
    'nix"""[ {{isa}} ]""" because "of {Nix}"',
    'nix"""lib.optional true {{gpu.label}}"""',
)
CONDITIONS = (
    "gpu == g1",
    'isa != "avx2"',
    "rel >= 2.10",
    'gpu in [g1, g3] and isa == "neon"',
    "fast",
    'odd == "plain"',
    "gpu.jobs > 3",
)
SCRIPTS = (
    "export A={{isa}}",
    'echo "{{variant}}"\necho ${x}',
    "{{wide}}\n  indented {{gpu.label}}",
    "x = '{{odd}}'",
    "{{both}}",
    "for {{pkgs.zlib}}\ndone {{variant}}",
    "  deep {{isa}}\n{{rel}}",
    "{{meta.description}}",
)
ODD = (
    "plain",
    "",
    " ",
    "a b",
    "$",
    "{x",
    "'",
    "''",
    "a\\nb",
    "\\t",
    '\\"',
    "é…",
    "漢字" * 30,
    "~",
    "#",
)


KEYS = (
    *(("args", key) for key in "ab"),
    *(("attrs", key) for key in "abcd"),
    *((block, key) for block in ("env", "passthru", "meta") for key in "XY"),
    *(("script", name) for name in ("preConfigure", "postInstall", "installPhase")),
)
LONG = ' because "it has to be so, and for a reason that takes more than one line to be told in"'


@st.composite
def writes(draw: st.DrawFn, block: str, key: str) -> str:
    """What a recipe says of one key of a block."""
    if block == "script":
        text = draw(st.sampled_from(SCRIPTS)).replace("\n", "\n      ")
        old = draw(st.sampled_from(("", "part old = none\n    ")))
        part = draw(st.sampled_from(("part one", "part two", "force part one", "")))
        return f'script {key} {{\n    {old}{part or "part x"} """\n      {text}\n    """\n  }}'
    texts = TEXTS if block == "env" else VALUES
    value = draw(st.sampled_from(texts))
    more = draw(st.sampled_from(texts))
    added = draw(st.sampled_from(LISTS))
    joined = draw(st.sampled_from(NIX_LISTS))
    lines = draw(
        st.sampled_from(
            (
                f"{key} = {value}",
                f"{key} = {value}",
                f"{key} = {value}{LONG}",
                f"force {key} = {value}",
                f"default {key} = {value}",
                f"default {key} = {value}\n    {key} = {more}",
                f"{key} += {added}" if block not in ("env", "args") else f"{key} = {value}",
                f"{key} = {value}\n    {key} += {joined}" if block != "env" else f"{key} = isa",
                f"{key}.k = {value}\n    {key}.l = {more}" if block != "env" else f"{key} = isa",
            )
        )
    )
    return f"{block} {{\n    {lines}\n  }}"


@st.composite
def unsettings(draw: st.DrawFn) -> tuple[str, str]:
    """What a recipe and one that extends it say of settings that the latter unsets."""
    base: list[str] = []
    child: list[str] = []
    plain = [key for key in KEYS if key[0] != "script"]
    for block, key in draw(st.lists(st.sampled_from(plain), max_size=4, unique=True)):
        value = draw(st.sampled_from(TEXTS))
        condition = draw(st.sampled_from(CONDITIONS))
        text = draw(st.sampled_from(TEXTS[:14]))
        set_, unset = draw(
            st.sampled_from(
                (
                    (f"default {key} = {value}", f"{key} = none"),
                    (f"default {key} = {value}", f"when {condition} {{ {key} = none }}"),
                    (f"default {key} = {value}", f"{key} = if {condition} then none else {value}"),
                    (f"{key}.u = {value}\n    {key}.v = isa", f"{key}.u = none"),
                    (f"{key}.u = {value}", f"when {condition} {{ {key} = none }}"),
                    (
                        f'{key} {{ part a "{{{{isa}}}}"\n when {condition} {{ part b {text} }} }}',
                        f'{key} {{ part c before b "{{{{rel}}}}" }}',
                    ),
                    (
                        f"{key} {{ part a {text}, part b {text} }}",
                        f"{key} {{ when {condition} {{ part b = none }}, += {text} }}",
                    ),
                    (f"{key} {{ part a {text} }}", f"when {condition} {{ {key} = none }}"),
                    (f"{key} {{ part a {text} }}", f"{key} = {value}"),
                    (f"{key} = []", f'{key} = none\n    {key} += ["a"]'),
                )
            )
        )
        base.append(f"{block} {{\n    {set_}\n  }}")
        child.append(f"{block} {{\n    {unset}\n  }}")
    return "\n  ".join(base), "\n  ".join(child)


@st.composite
def recipe_bodies(draw: st.DrawFn) -> str:
    lines: list[str] = []
    for block, key in draw(st.lists(st.sampled_from(KEYS), max_size=8, unique=True)):
        item = draw(writes(block, key))
        if draw(st.integers(0, 3)) == 0:
            inner = item.replace("\n", "\n  ")
            lines.append(f"when {draw(st.sampled_from(CONDITIONS))} {{\n    {inner}\n  }}")
        else:
            lines.append(item)
    return "\n  ".join(lines)


@st.composite
def programs(draw: st.DrawFn) -> str:
    odd = draw(st.lists(st.sampled_from(ODD), min_size=1, max_size=3, unique=True))
    lines = [HEAD % ", ".join(f'"{text}"' for text in odd)]
    pins = (
        "p",
        "none",
        "p",
        'if isa == "neon" then p else q',
        "far",
        "cross",
        "if fast then far else p",
    )
    pin = draw(st.sampled_from(pins))
    package = draw(
        st.sampled_from(
            (
                "pkgs.hello",
                "pkgs.python3Packages.torch",
                "pkgs[isa].hello",
                "pkgs.gpu",
                "caller.hello",
            )
        )
    )
    overlays = draw(
        st.sampled_from(
            (
                "",
                "overlays = [plain]",
                "overlays = [second, third, fix]",
                "overlays = if gpu == g1 then [plain, other] else [second]",
                "overlays = []",
                "overlays = [chosen, within, each]",
                "overlays = if rel == 2.9 then [whole] else [within, fix]",
                "overlays = [flagged]",
                "overlays = if rel == 2.9 then [plain, flagged] else []",
            )
        )
    )
    config = draw(st.sampled_from(("", "config { x = isa }", "config { x = 1, y = gpu.label }")))
    written, unset = draw(unsettings())
    base = f"""recipe base {{
  package = {package}
  pin = {pin}
  {overlays}
  flag fast: bool = {draw(st.sampled_from(("true", 'isa == "avx2"')))}
  flag text: string = {draw(st.sampled_from(('"a"', "isa", '"{{gpu}} {{rel}}"', "variant")))}
  {config if pin != "none" else ""}
  meta {{ description = {draw(st.sampled_from(TEXTS[:12]))} }}
  {draw(recipe_bodies())}
  {written}
}}"""
    lines.append(base)
    lines.append(f"recipe child extends base {{\n  {unset}\n  {draw(recipe_bodies())}\n}}")
    axes = draw(st.permutations(("gpu", "isa", "rel", "odd")))
    fields = f"""recipe = {draw(st.sampled_from(("base", "child")))}
  axes = {" * ".join(axes)}
  name = "v-{{{{gpu}}}}-{{{{isa}}}}-{{{{flat(rel)}}}}-{{{{{"odd_name"}}}}}"
  {draw(st.sampled_from(("", 'exclude gpu == g2 and isa != "neon"', "exclude rel == 2.9")))}"""
    if draw(st.booleans()):
        lines.append(f"matrix under {{\n  {fields}\n  {draw(recipe_bodies())}\n}}")
        own = draw(st.sampled_from(("", "recipe = child", "axes = gpu * isa * rel * odd")))
        lines.append(f"matrix m extends under {{\n  {own}\n  {draw(recipe_bodies())}\n}}")
    else:
        lines.append(f"matrix m {{\n  {fields}\n}}")
    names = " else ".join(f'if odd == "{text}" then "o{i}"' for i, text in enumerate(odd))
    lines.append(f'let odd_name = {names} else "none"')
    warning = 'warn w = gpu == g1 and rel > 2.9 because "so"'
    checks = ("", "", warning, warning, 'require isa != "neon"')
    lines.append(draw(st.sampled_from(checks)))
    file = draw(
        st.sampled_from(("{{variant}}.nix", ".flox/{{gpu}}/{{variant}}.nix", "a/{{variant}}.nix"))
    )
    lines.append(f'output o {{ file = "{file}" }}')
    return "\n".join(lines) + "\n"


def split(program: str) -> tuple[str, str]:
    """The matrix and what follows, and before it a library: what touches nothing is no error
    there."""
    library, _, rest = program.partition("matrix m ")
    names = rest[rest.index("let odd_name") :].splitlines()[0]
    rest = rest.replace(names, "")
    return f'use "./lib.tvar"\nmatrix m {rest}', f"{library}{names}\n"


def compare(program: str) -> bool:
    """Whether the program had recipes to be compared."""
    entry, library = split(program)
    made, other = (compile_text(entry, files={**FILES, "lib.tvar": library}) for _ in "ab")
    if made.sink.has_errors or made.elaboration is None:
        return False
    expected, found = plain(other), assembled(made)
    assert messages(made) == messages(other)
    if other.sink.has_errors:
        return False
    assert found == expected
    return True


@pytest.mark.slow
@given(programs())
@settings(max_examples=examples(90), suppress_health_check=list(HealthCheck))
def test_files_are_the_same_alone_and_together(program: str) -> None:
    with pytest.MonkeyPatch.context() as patch, small(patch):
        compare(program)


@pytest.mark.slow
@given(programs())
@settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
def test_a_file_of_all_is_the_same_if_nothing_is_remembered(program: str) -> None:
    """What variants share is printed once for all of them. It is the same text that each has."""
    entry, library = split(f'{program}output all: all {{ file = "all.nix" }}\n')
    made, other = (compile_text(entry, files={**FILES, "lib.tvar": library}) for _ in "ab")
    if made.sink.has_errors or made.elaboration is None:
        return
    found = assembled(made, collections=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memo, "MOST_CHARACTERS", -1)
        assert assembled(other, collections=True) == found
    assert messages(made) == messages(other)


@pytest.mark.slow
def test_the_44_are_the_same_alone_and_together(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = plain(compile_variants())
    assert len(expected) == 44
    assert assembled(compile_variants()) == expected
    monkeypatch.setattr(memo, "MOST_CHARACTERS", -1)  # nothing is remembered for a second variant
    assert assembled(compile_variants()) == expected


def test_an_overlay_of_a_list_that_is_shadowed_is_told_of_once() -> None:
    program = """
axis a = ["x", "y"]
axis b = ["z"]
pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
overlay shadowed { when b == "other" { m = "{{a}}" } }
overlay listed for hello { n = a }
recipe base { package = pkgs[a].hello, overlays = [shadowed] }
recipe child extends base { overlays = [listed] }
matrix m { recipe = child, axes = a * b, name = "m-{{a}}" }
output o { file = "{{variant}}.nix" }
"""
    made, other = compile_text(program), compile_text(program)
    with pytest.MonkeyPatch.context() as patch, small(patch):
        assert assembled(made) == plain(other)
    assert [item.code for item in made.diagnostics] == ["W105", "E603"]
    assert messages(made) == messages(other)
