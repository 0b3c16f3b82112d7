"""The real Nix as judge of printed text: evaluation and parsing, without a store."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.library_cache import own_cache
from support.recipes import MODEL, nix_instantiate

_SECONDS = 120


def _needs_skip() -> bool:
    # Where everything is meant to run, a missing Nix has to fail the tests, not to hide them.
    return shutil.which("nix-instantiate") is None and not os.environ.get("CI")


requires_nix = pytest.mark.skipif(_needs_skip(), reason="nix-instantiate is not installed")


def _run(options: list[str], text: str) -> str:
    done = subprocess.run(
        ["nix-instantiate", "--store", "dummy://", "--readonly-mode", *options, "-"],
        input=text.encode(),
        capture_output=True,
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stderr.decode(errors="replace") + "\n" + text)
    return done.stdout.decode()


def eval_json(expr_text: str) -> Any:
    """The value of a Nix expression, as JSON has it; AssertionError when Nix refuses it."""
    return json.loads(_run(["--eval", "--strict", "--json"], expr_text))


def parse(expr_text: str) -> str:
    """The expression as Nix read it, in Nix's own notation with all parentheses."""
    return _run(["--parse"], expr_text)


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
