"""A script's indentation is stripped as Nix strips that of its own strings."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tvarc.syntax import ast
from tvarc.syntax.parser import parse_expression
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source


def stripped(script: str) -> str:
    """The text of a script with `hole` for each interpolation, which must be `{{hole}}`."""
    sink = Sink()
    parsed = parse_expression(Source("t", f'"""{script}"""'), sink)
    assert list(sink) == []
    assert isinstance(parsed, ast.StringLit)
    return "".join(part if isinstance(part, str) else "hole" for part in parsed.parts)


PIECES = st.sampled_from([" ", "  ", "    ", "\n", "\n", "\t", "a", "b c", "{{hole}}"])
SCRIPTS = st.lists(PIECES, max_size=14).map("".join)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nix-instantiate") is None, reason="nix-instantiate is missing")
@settings(max_examples=4, suppress_health_check=list(HealthCheck))
@given(st.lists(SCRIPTS, min_size=60, max_size=120))
def test_stripping_is_that_of_nix(scripts: list[str]) -> None:
    literals = ["''" + script.replace("{{hole}}", '${"hole"}') + "''" for script in scripts]
    expression = "[\n" + "\n".join(literals) + "\n]"
    done = subprocess.run(
        ["nix-instantiate", "--store", "dummy://", "--readonly-mode", "--eval", "--strict",
         "--json", "--expr", expression],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    for script, wanted in zip(scripts, json.loads(done.stdout), strict=True):
        assert stripped(script) == wanted, repr(script)
