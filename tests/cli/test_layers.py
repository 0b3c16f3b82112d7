"""What the commands tell of matrices that extend others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.command import tvarc
from support.compile import ROOT
from tvarc.commands.line import exits

CASE = ROOT / "tests" / "snapshots" / "ok-shared-matrices"


@pytest.fixture
def program(here: Path) -> Path:
    """A program, and below it the two files whose matrices it extends."""
    for name in ("shared.tvar", "team.tvar"):
        shutil.copy(CASE / name, here)
    shutil.copy(CASE / "input.tvar", here / "variants.tvar")
    return here


def line_of(file: str, text: str) -> str:
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    return f"{file}:{next(n for n, line in enumerate(lines, 1) if text in line)}"


def test_explain_shows_each_layer(program: Path) -> None:
    result = tvarc("explain", "sm90-avx2", "attrs.layer", code=exits.OK)
    value, shared, team = (
        line_of("variants.tvar", 'layer = "program"'),
        line_of("shared.tvar", 'layer = "shared"'),
        line_of("team.tvar", 'layer = "team"'),
    )
    assert result.stdout.index(value) < result.stdout.index(shared) < result.stdout.index(team)


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("shared.tvar", 'layer = "shared"', "affects 7 of 10 variants"),
        ("team.tvar", 'layer = "team"', "affects 7 of 10 variants"),
        ("shared.tvar", "matrix builds", "makes these variants: 7 of 10 variants"),
        ("team.tvar", "exclude isa == armv9", "3"),
    ],
)
def test_who_looks_into_each_layer(program: Path, file: str, text: str, told: str) -> None:
    result = tvarc("who", line_of(file, text), code=exits.OK)
    assert told in result.stdout


@pytest.mark.slow
def test_why_not_names_the_exclusion_of_a_base(program: Path) -> None:
    result = tvarc("why-not", "gpu=sm90", "isa=armv9")
    assert "team.tvar:9: exclude isa == armv9" in result.stdout


def test_list_shows_what_extends_alone(program: Path) -> None:
    result = tvarc("list")
    assert len(result.stdout.splitlines()) == 10
    assert "level-1" not in result.stdout
    assert "the team has none" in tvarc("list", "--excluded").stdout


def test_diff_tells_the_matrices_apart(program: Path) -> None:
    result = tvarc("diff", "sm90-avx2", "sm90-avx2-cuda12_9")
    assert "wider" in result.stdout
    assert "attrs.layer" not in result.stdout


def test_a_library_of_patterns(program: Path) -> None:
    Path("patterns.tvar").write_text(
        "use std.nvidia\nrecipe r { package = pkgs.hello, pin = none }\n"
        'matrix m { recipe = r, axes = gpu, name = "{{gpu}}" }\n',
        encoding="utf-8",
    )
    result = tvarc("check", "patterns.tvar", code=exits.OK)
    assert "warning[W003]: `patterns.tvar` has only patterns: it builds nothing" in result.stderr
    assert "matrix `m` is a pattern: axis `gpu` has no values" in result.stderr
    result = tvarc("build", "patterns.tvar", code=exits.FAILED)
    assert "error[E407]: `patterns.tvar` has only patterns" in result.stderr
    assert "`matrix NAME extends …`" in result.stderr
