"""Random names of variants, through all that handles one: what a file can be called, Nix, a shell,
JSON and a selector have unchanged."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.command import tvarc
from support.effort import examples
from support.nix import requires_nix
from support.recipes import nix_value
from tvarc.commands.explain.command import is_code
from tvarc.text.paths import fault_of_name, folded

PROGRAM = """axis stem = [%s]

recipe hello { package = pkgs.hello, pin = none, attrs { pname = "hello", x = variant } }

matrix builds { recipe = hello, axes = stem, name = "{{stem}}" }

output nix { file = "out/{{variant}}.nix" }
output all: all { file = "default.nix" }
"""
HELLO = "hello.overrideAttrs = g: g { };"
WORDS = ("armv8.2", "1.13", "58", "with", "or", "__x", "${x}", "{{", "''", "\\", "#", "a/", "..")
# What a set is told by is an error of an output of all variants, and has tests of its own.
TAKEN = ("outPath", "drvPath", "type", "_type", "recurseForDerivations", "__functor", "stem")
NAMES = (
    st.text(st.sampled_from("aB1.-_+ $\"'{}()[]<>|&;:,=@%~*?!^`üλ漢"), min_size=1, max_size=6)
    | st.lists(st.sampled_from(WORDS), min_size=1, max_size=2).map("".join)
    | st.text(min_size=1, max_size=4)
).filter(lambda name: fault_of_name(name) is None and name not in TAKEN and not is_code(name))


def literal(name: str) -> str:
    return '"' + name.replace('"', '\\"').replace("{{", "\\{{") + '"'


@pytest.mark.once
@pytest.mark.slow
@requires_nix
@pytest.mark.nix
@given(st.lists(NAMES, min_size=1, max_size=4, unique_by=folded))
@settings(max_examples=examples(80))
def test_a_name_is_the_same_everywhere(names: list[str]) -> None:
    before = Path.cwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            check(Path(folder), names)
        finally:
            os.chdir(before)


def nix_path(here: Path, name: str) -> str:
    text = json.dumps(f"{here}/out/{name}.nix", ensure_ascii=False).replace("${", "\\${")
    return f"(/. + {text})"


def check(here: Path, names: list[str]) -> None:
    program = PROGRAM % ", ".join(map(literal, names))
    (here / "variants.tvar").write_text(program, encoding="utf-8")
    tvarc("build", "--no-git", code=0)
    assert {path.name for path in (here / "out").iterdir()} == {f"{name}.nix" for name in names}
    listed = json.loads(tvarc("list", "--json").stdout)
    assert [one["name"] for one in listed] == names
    for name in names:
        found = json.loads(tvarc("list", "--json", "--", name).stdout)
        assert [one["name"] for one in found] == [name]
        assert json.loads(tvarc("explain", "--json", "--", name).stdout)["variant"] == name
        assert shlex.split(shlex.quote(name)) == [name]
    assert tvarc("who", "variants.tvar:3").exit_code == 0
    calls = "pkgs = { callPackage = f: a: f { hello = { overrideAttrs = g: g { }; }; }; }"
    # By their names: with one axis, its values are the same names.
    made = f"builtins.mapAttrs (_: one: one.x) (import {here}/default.nix {{ {calls}; }})"
    assert nix_value(made) == {name: name for name in names}
    ones = " ".join(f"((import {nix_path(here, name)} {{ {HELLO} }}).x)" for name in names)
    assert nix_value(f"[ {ones} ]") == names
