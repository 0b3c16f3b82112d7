"""Our own programs, taken from the recipes that they made: as short as before, nearly."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.command import ROOT, tvarc

RECIPE = re.compile(r"^recipe (\S+)(?: extends (\S+))? \{$.*?^\}$", re.MULTILINE | re.DOTALL)
USED = re.compile(r'^use "([^"]+)"', re.MULTILINE)


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
        pytest.param("examples/megatron-environment/variants.tvar", 5, marks=pytest.mark.slow),
        ("examples/spark-nightly/variants.tvar", 1),
        pytest.param("examples/spark-nightly/copied.tvar", 5, marks=pytest.mark.slow),
        pytest.param("examples/vision-audio/variants.tvar", 132, marks=pytest.mark.slow),
        pytest.param("examples/torch-2.8/variants.tvar", 62, marks=pytest.mark.slow),
        pytest.param("examples/torch-2.9/variants.tvar", 177, marks=pytest.mark.slow),
        pytest.param("examples/torch-2.10/variants.tvar", 237, marks=pytest.mark.slow),
        pytest.param("examples/torch-family/variants.tvar", 762, marks=pytest.mark.slow),
    ],
)
def test_programs_come_back_at_most_twice_as_long(
    program: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert tvarc("build", str(ROOT / program), "--out", "made", "--no-git").exit_code == 0
    data = json.loads(tvarc("import", "made", "--json").stdout)
    assert len(data["imported"]) == count and not data["left"]
    sources = _sources(ROOT / program)
    most = 2 * (sum(map(_lines, sources)) + _of_the_library(sources))
    assert _lines(Path("variants.tvar")) <= most
    assert re.search(rf"^{count} variants?, 0 errors", tvarc("check").output, re.MULTILINE)
