"""The table of blocks (`tvarc.blocks`): every row works, and a new row is all that a block needs."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.compile import compile_text, files
from tvarc.blocks import BY_NAME, OF_PACKAGE, TABLE, Block, Place, ground_of

ROOT = Path(__file__).resolve().parents[2]
COMPILER = ROOT / "compiler" / "tvarc"

PROGRAM = """\
pin stated {{ url = "https://example.org/x.tar.gz", hash = "{hash}", release = "25.05"{pin} }}
overlay changed for hello {{ {overlay} }}
recipe base {{ package = pkgs.hello, pin = stated{listed}
{recipe} }}
variant v {{ recipe = base }}
output nix {{ file = "{{{{variant}}}}.nix" }}
"""
HASH = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="


def written(block: Block, place: Place) -> str:
    """A program with a setting of *block* in *place*."""
    text = f'{block.name} {{ own = "ours" }}'
    if block.holds == "known values":
        text = f'{block.name} {{ system = "x86_64-linux" }}'
    elif block.in_parts:
        text = f'{block.name} postInstall {{ part own "ours" }}'
    elif place == "overlay" and block.name == "attrs":
        text = 'own = "ours"'
    return PROGRAM.format(
        hash=HASH,
        pin=f", {text}" if place == "pin" else "",
        overlay=text if place == "overlay" else 'other = "x"',
        listed=", overlays = [changed]",
        recipe=text if place == "recipe" else "",
    )


def emitted(block: Block) -> str:
    """What a recipe has of the setting that `written` writes."""
    match block.form:
        case "import":
            return f"{block.name} = "
        case "override":
            return 'override {\n'
        case "attributes":
            return "postInstall = " if block.in_parts else 'own = "ours"'
        case "set":
            return f"{block.name} = (old.{block.name} or { } // {{"


PLACES = [(block, place) for block in TABLE for place in block.written_in]


@pytest.mark.parametrize(("block", "place"), PLACES, ids=lambda one: getattr(one, "name", one))
def test_each_block_is_emitted_from_each_place(block: Block, place: Place) -> None:
    made = compile_text(written(block, place))
    print(files(made))
