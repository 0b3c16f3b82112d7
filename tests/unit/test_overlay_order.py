"""The order in which overlays are applied: none undoes an earlier one."""

from __future__ import annotations

import pytest

from support.compile import compile_text, messages


def applied(*overlays: str) -> list[str]:
    """The names of overlays, a, b and so on, as they are applied."""
    names = "abcdef"[: len(overlays)]
    texts = [f"overlay {name} {text}" for name, text in zip(names, overlays, strict=True)]
    made = compile_text(
        'pin p { path = "../nixpkgs" }\n'
        + "\n".join(texts)
        + f"\nrecipe r {{ package = pkgs.hello, overlays = [{', '.join(names)}] }}\n"
        + "variant v { recipe = r }\n",
        files={"../nixpkgs/default.nix": ""},
    )
    (recipe,) = made.recipes()
    assert not made.sink.has_errors, messages(made)
    return [overlay.name for overlay in recipe.overlays]


UPDATE = "for ocamlPackages.x { via = update, m = 1 }"
USUAL = "for ocamlPackages.y { m = 1 }"


@pytest.mark.parametrize(
    ("overlays", "order"),
    [
        ((USUAL, UPDATE), "ab"),
        ((UPDATE, USUAL), "ba"),
        ((UPDATE, UPDATE), "ab"),
        ((UPDATE, "for hello { m = 1 }", USUAL), "cab"),
        # Of two that have to come first, the earlier one is first.
        ((UPDATE, USUAL, "in ocamlPackages { z = 1 }"), "bca"),
        # What the user says of the set itself stays where it stands.
        ((UPDATE, "{ ocamlPackages = prev.b }", USUAL), "abc"),
        ((UPDATE, "{ perlPackages = prev.b }", USUAL), "cab"),
        ((UPDATE, "for perlPackages.y { m = 1 }"), "ab"),
        ((USUAL, "for ocamlPackages.y { via = override, m = 1 }"), "ba"),
        # A set within a package, and within a set.
        (("for lua5_3.pkgs.x { m = 1 }", "for lua5_3 { m = 1 }"), "ba"),
        (
            ("for python38.pkgs.x { via = override, m = 1 }", "for python3Packages.x { m = 1 }"),
            "ba",
        ),
        (
            ("for python3Packages.x { via = override, m = 1 }", "for python3Packages.x { m = 1 }"),
            "ab",
        ),
        (("for beam.packages.e.x { m = 1 }", "for beam.packages.f.x { m = 1 }"), "ab"),
    ],
)
def test_none_undoes_an_earlier_one(overlays: tuple[str, ...], order: str) -> None:
    assert applied(*overlays) == list(order)
