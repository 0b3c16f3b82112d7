"""Variants that are one build."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.compile import compile_text, lints
from support.effort import for_each
from support.lints import about, names, pin
from tvarc.advice.lints.variants import Builds
from tvarc.nix import ir
from tvarc.text.source import Span
from tvarc.values.value import NixRef

PROGRAM = """
axis n = [1, 2]
{more}
recipe r {{ package = pkgs.hello\n{body} }}
matrix m {{ recipe = r, axes = n, name = "v{{{{n}}}}" }}
"""


def same(body: str, more: str = "", head: str | None = None) -> bool:
    text = (pin() if head is None else head) + PROGRAM.format(body=body, more=more)
    return names(text) == ["same-build"]


@for_each(
    "body",
    [
        "",
        'attrs { pname = "hello-{{n}}" }',
        'attrs { name = "{{variant}}" }',
        'passthru { n = n }\nmeta { description = "{{n}} {{variant}}", broken = n == 1 }',
        "attrs { jobs = if n == 1 then 2 else 2 }",
        "flag f: int = 1\nwhen n == 1 { flag f = 2 }\nattrs { x = if f in [1, 2] then 0 else 1 }",
        'script s { part a "x", part b "y" }\nwhen n == 2 { script s { part a "xy", part b "" } }',
    ],
)
def test_what_is_no_part_of_a_build(body: str) -> None:
    assert same(body)


@for_each(
    "body",
    [
        "attrs { n = n }",
        "attrs { r.n = n }",
        "attrs { flags += [n] }",
        "when n == 1 { attrs { flags -= [1] } }",
        'attrs { version = "{{n}}" }',
        "args { n = n }",
        "env { N = n }",
        'env { N = "{{variant}}" }',
        'script s { part a "{{n}}" }',
        'script s { part a "x" }\nwhen n == 1 { script s { part old = none } }',
        "config { n = n }",
        'meta { platforms = if n == 1 then ["x86_64-linux"] else ["aarch64-linux"] }',
        "force package = if n == 1 then pkgs.hello else pkgs.hi",
        'attrs { n = if n == 1 then pkgs.a else nix"""pkgs.a""" }',
        'attrs { n = if n == 1 then 1 else "1" }',
    ],
)
def test_what_is_a_part_of_a_build(body: str) -> None:
    assert not same(body)


def test_a_text_that_another_replaces_is_no_part_of_a_build() -> None:
    body = 'pin = none\nscript s { default part a "{{variant}}", part a "x" }'
    output = 'output o { file = "{{variant}}.nix" }'
    made = compile_text(PROGRAM.format(body=body, more=output))
    assert len(list(made.files("input.tvar"))) == 2
    assert lints(made) == ["same-build"]


def test_a_text_with_a_package_in_it_tells_variants_apart() -> None:
    body = 'pin = none\nscript s { part a "{{n}} {{pkgs.zlib}}" }'
    output = 'output o { file = "{{variant}}.nix" }'
    text = PROGRAM.format(body=body, more=output).replace("[1, 2]", str([*range(40)]))
    made = compile_text(text)
    assert len(list(made.files("input.tvar"))) == 40
    assert lints(made) == []


def test_overlays_are_what_they_do() -> None:
    chosen = "overlays = [if n == 1 then o else q]"
    assert not same("overlays = [o]", "overlay o { a = n }")
    assert same(chosen, "overlay o { a = 1 }\noverlay q { a = 1 }")
    two = "overlay o { a = 1 }\noverlay q { a = 2 }"
    assert not same(chosen, two)
    assert not same("overlays = if n == 1 then [o, q] else [q, o]", two)
    assert not same(chosen, "overlay o for hello { a = 1 }\noverlay q for hi { a = 1 }")
    files = "".join(f'patch {x} for hello {{ file = path("./{x}.patch") }}\n' for x in "oq")
    assert not same(chosen, files)


def test_pins_are_what_they_fetch() -> None:
    other = pin("f" * 40).replace("pin p", "pin q")
    assert not same("pin = if n == 1 then p else q", other)
    assert same("pin = if n == 1 then p else q", pin().replace("pin p", "pin q"))


def test_the_first_of_them_is_named() -> None:
    text = (
        pin()
        + """
    axis n = [1, 2, 3]
    recipe r { package = pkgs.hello }
    matrix m { recipe = r, axes = n, name = "v{{n}}" }
    variant w { recipe = r }
    """
    )
    first, second = about(text, "same-build")
    assert first.notes == ("for 2 variants: v2, v3", "it differs from v1 only in its name")
    assert second.notes == ("for 1 variant: w", "it differs from v1 only in its name")
    assert [label.text for label in second.labels] == ["makes w", "makes v1"]


@pytest.mark.slow
@given(st.lists(st.integers(-3, 3), max_size=30))
def test_each_double_names_the_first_of_its_kind(numbers: list[int]) -> None:
    builds = Builds()
    span = Span("a", 0, 1)
    origin = ir.Origin(span, "r")
    package = ir.Setting(("package",), NixRef("pkgs", ("hello",)), origin)
    for index, number in enumerate(numbers):
        recipe = ir.Recipe(
            f"v{index}", "m", span, (), (), ir.Frame(package), ir.Changes(), (), ()
        )
        builds.add(recipe, number)
    expected = [
        (f"v{index}", f"v{numbers.index(number)}")
        for index, number in enumerate(numbers)
        if number in numbers[:index]
    ]
    assert [(one.name, one.first) for one in builds.doubles()] == expected


AXES = ("a", "b", "c")


@pytest.mark.slow
@given(st.sets(st.sampled_from(AXES)))
def test_variants_are_one_build_when_they_agree_on_all_that_is_read(read: set[str]) -> None:
    settings = ", ".join(f"{name} = {name}" for name in sorted(read))
    axes = "".join(f"axis {name} = [0, 1]\n" for name in AXES)
    text = (
        f"{pin()}{axes}recipe r {{ package = pkgs.hello, attrs {{ {settings} }} }}\n"
        'matrix m { recipe = r, axes = a * b * c, name = "v{{a}}{{b}}{{c}}" }\n'
    )
    cells = list(itertools.product((0, 1), repeat=3))
    seen = [tuple(v for name, v in zip(AXES, cell, strict=True) if name in read) for cell in cells]
    doubles = sum(key in seen[:index] for index, key in enumerate(seen))
    found = about(text, "same-build")
    assert [item.notes[0].split(":")[0] for item in found] == (
        [f"for {doubles} variant{'s' if doubles > 1 else ''}"] if doubles else []
    )
