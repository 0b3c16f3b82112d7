"""The real Nix as judge of printed text: evaluation and parsing, without a store."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any

import pytest

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
