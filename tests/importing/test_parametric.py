"""Recipes that one function makes from tables are imported with what it looks up for each."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.byhand import PIN
from support.command import tvarc
from support.families import parametric, put


@pytest.mark.slow
def test_a_function_with_tables_is_a_matrix(here: Path) -> None:
    files = parametric()
    del files["cpu.nix"]
    put(here / "pkgs", files)
    done = tvarc("import", "pkgs")
    text = Path("variants.tvar").read_text()
    assert "4 imported" in done.stdout, done.stdout
    for line in (
        f'rev    = "{PIN}"',
        "axis toolkit = cuda-toolkit[cuda12_9, cuda13_0]",
        "axis gpu     = nvidia[sm70, sm90]",
        "cudaPackages = final[toolkit.set]",
        'export TORCH_CUDA_ARCH_LIST="{{gpu.capability}}"',
        "when gpu == sm90 { attrs { patches = [] } }",
        'passthru { torch = call(file(files, "pkgs/torch-avx2.nix"), { }) }',
    ):
        assert line in text, text


def test_what_callpackage_cannot_call_is_no_package(here: Path) -> None:
    put(here / "pkgs", {"a.nix": "pkgs: pkgs.hello", "b.nix": "{ pkgs }: pkgs.hello"})
    done = tvarc("import", "pkgs")
    assert "a.nix:1: callPackage cannot call it" in done.stderr + done.stdout


def test_characters_that_mark_texts_are_refused_in_each_file(here: Path) -> None:
    named = "{ pkgs }: pkgs.hello.overrideAttrs (old: { pname = import ./lib/name.nix; })"
    files = {
        "a.nix": '{ pkgs }: pkgs.hello.overrideAttrs (old: { pname = "\ue000"; })', "b.nix": named,
        "c.nix": "{ pkgs }: pkgs.hello", "lib/name.nix": '"\ue002"',
    }  # fmt: skip
    put(here / "pkgs", files)
    done = tvarc("import", "pkgs")
    said = done.stderr + done.stdout
    assert "a.nix:1: it has private-use characters" in said
    assert "name.nix`: it has private-use characters" in said
