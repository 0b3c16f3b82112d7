"""The real Nix as judge of printed text: evaluation and parsing, without a store."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.command import ROOT, tvarc
from support.library_cache import own_cache
from support.recipes import MODEL, nix_instantiate, run_nix


def _needs_skip() -> bool:
    # Where everything is meant to run, a missing Nix has to fail the tests, not to hide them.
    return shutil.which("nix-instantiate") is None and not os.environ.get("CI")


requires_nix = pytest.mark.skipif(_needs_skip(), reason="nix-instantiate is not installed")


def parse(expr_text: str) -> str:
    """The expression as Nix read it, in Nix's own notation with all parentheses."""
    return run_nix(["--parse", "-"], expr_text)


def use_own_store(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have what runs from here on ask the Nix that is to judge, with a store and caches in
    *folder*, and nothing in its search path."""
    programs = folder / "bin"
    programs.mkdir()
    nix = programs / "nix-instantiate"
    nix.write_text(f'#!/bin/sh\nexec "{shutil.which(nix_instantiate())}" "$@"\n', encoding="utf-8")
    nix.chmod(0o755)
    for name, value in {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "NIX_STORE_DIR": str(folder / "store"),
        "NIX_STATE_DIR": str(folder / "var"),
        "NIX_LOG_DIR": str(folder / "log"),
        "XDG_CACHE_HOME": str(own_cache(folder / "cache")),
        "NIX_CONF_DIR": str(MODEL.parent.parent / ".ci"),
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NIX_PATH", raising=False)


def put_project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder from here on, below *folder*: it has the model as its nixpkgs, and
    `use_own_store` holds."""
    use_own_store(folder, monkeypatch)
    project = folder / "project"
    project.mkdir()
    (project / "nixpkgs").symlink_to(MODEL)
    monkeypatch.chdir(project)
    return project


def evaluated(*args: str, code: int = 0) -> dict[str, Any]:
    """What `check --eval` finds, which is as its schema says; `told` is as in `told_in`."""
    result = tvarc("check", "--eval", "--json", *args, code=code)
    found: dict[str, Any] = json.loads(result.stdout)
    schema = json.loads((ROOT / "docs" / "schema" / "check.json").read_text(encoding="utf-8"))
    pytest.importorskip("jsonschema").Draft202012Validator(schema).validate(found)
    return found | {"told": told_in(result.stderr)}


def told_in(text: str) -> list[tuple[str, int]]:
    """The codes of the diagnostics in *text*, each with its line."""
    place = r"^(?:error|warning)\[(\w+)\].*\n(?: .*\n)*? +--> variants\.tvar:(\d+)"
    return [(code, int(line)) for code, line in re.findall(place, text, re.MULTILINE)]
