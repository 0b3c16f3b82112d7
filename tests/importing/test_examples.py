"""Our own programs, taken from the recipes that they made: as short as before, nearly. Tests of
variants are left out, since an import keeps them as Nix text."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.command import ROOT, tvarc
from support.effort import is_long

RECIPE = re.compile(r"^recipe (\S+)(?: extends (\S+))? \{$.*?^\}$", re.MULTILINE | re.DOTALL)
TEST = re.compile(r"^ *test (\S+) \{", re.MULTILINE)
USED = re.compile(r'^use "([^"]+)"', re.MULTILINE)
MORE = (
    ("examples/torch-2.8/variants.tvar", 62),
    ("examples/torch-2.9/variants.tvar", 177),
    ("examples/torch-family/variants.tvar", 762),
)
"""Programs like that of 2.10, whose import a long run tries as well."""


def _lines(file: Path) -> int:
    return file.read_text(encoding="utf-8").count("\n")


def _sources(program: Path) -> set[Path]:
    """The program and its own modules."""
    found, waiting = {program}, [program]
    while waiting:
        file = waiting.pop()
        used = {(file.parent / name).resolve() for name in USED.findall(file.read_text("utf-8"))}
        waiting += used - found
        found |= used
    return found


def _of_the_library(sources: set[Path]) -> int:
    """The lines of the library's recipes that *sources* extend: an import writes what these set."""
    text = "\n".join(file.read_text("utf-8") for file in sorted((ROOT / "stdlib").glob("*.tvar")))
    recipes = {match[1]: match for match in RECIPE.finditer(text)}
    waiting = [match[2] for file in sources for match in RECIPE.finditer(file.read_text("utf-8"))]
    extended: dict[str, int] = {}
    while waiting:
        name = waiting.pop()
        if name in recipes and name not in extended:
            extended[name] = recipes[name][0].count("\n") + 1
            waiting.append(recipes[name][2])
    return sum(extended.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "count"),
    [
        ("variants.tvar", 44),
        ("examples/blas/variants.tvar", 4),
        ("examples/ffmpeg/variants.tvar", 15),
        ("examples/llama-cpp/variants.tvar", 17),
        ("examples/three-variants/variants.tvar", 3),
        ("examples/megatron-environment/variants.tvar", 5),
        ("examples/spark-nightly/variants.tvar", 1),
        ("examples/spark-nightly/copied.tvar", 5),
        ("examples/vision-audio/variants.tvar", 132),
        ("examples/torch-2.10/variants.tvar", 237),
        *(MORE if is_long() else ()),
    ],
)
def test_programs_come_back_at_most_twice_as_long(program: str, count: int, here: Path) -> None:
    sources = _sources(ROOT / program)
    tests = sorted({name for file in sources for name in TEST.findall(file.read_text("utf-8"))})
    without = [word for name in tests for word in ("--set", f"test.{name}=none")]
    tvarc("build", str(ROOT / program), "--out", "made", "--no-git", *without, code=0)
    data = json.loads(tvarc("import", "made", "--json").stdout)
    assert len(data["imported"]) == count and not data["left"]
    most = 2 * (sum(map(_lines, sources)) + _of_the_library(sources))
    assert _lines(Path("variants.tvar")) <= most
    assert re.search(rf"^{count} variants?, 0 errors", tvarc("check").output, re.MULTILINE)
