"""The root `caller`: where it stands, and what its name means."""

from __future__ import annotations

from support.alone import emit
from support.compile import codes, compile_text

PIN = 'pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }\n'
REST = 'variant v { recipe = r }\noutput nix { file = "{{variant}}.nix" }\n'


def text_of(program: str) -> str:
    made = compile_text(program + REST)
    (file,) = emit(made.recipes(), made.file)
    assert codes(made) == []
    return file.text


def codes_of(program: str) -> list[str]:
    made = compile_text(PIN + program + REST)
    made.recipes()
    return codes(made)


def test_only_who_reads_it_needs_a_search_path() -> None:
    without = text_of(PIN + "recipe r { package = pkgs.hello }\n")
    assert "<nixpkgs>" not in without
    for reads in (
        "attrs { x = caller.zlib }",
        'env { X = "{{caller.zlib}}" }',
        'script build { part one """{{caller.zlib}}""" }',
        'attrs { x = nix"""caller.zlib""" }',
        "config { x = caller.zlib }",
        "overlays = [o]",
    ):
        overlay = "overlay o { x = caller.zlib }\n" if "[o]" in reads else ""
        text = text_of(f"{PIN}{overlay}recipe r {{ package = pkgs.hello, {reads} }}\n")
        assert "pkgs ? import <nixpkgs> { }" in text, reads
    assert "pkgs.hello" in text_of(PIN + "recipe r { package = caller.hello }\n")


def test_a_row_of_that_name_does_not() -> None:
    rows = "facts t (a: int) { caller { a = 1 } }\n"
    assert "x = pkgs.a;" in text_of(
        PIN + rows + "recipe r { package = pkgs.hello, attrs { x = caller.a } }\n"
    )


def test_it_decides_nothing() -> None:
    assert codes_of("recipe r { package = pkgs.hello, when caller.x { attrs { y = 1 } } }\n") == [
        "E302"
    ]
    assert codes_of("recipe r { package = pkgs[caller.x] }\n") == ["E302"]
