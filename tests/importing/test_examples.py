"""Our own programs, taken from the recipes that they made: as short as before, nearly."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.command import ROOT, tvarc

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
    assert _lines(Path("variants.tvar")) <= 2 * sum(map(_lines, _sources(ROOT / program)))
    assert re.search(rf"^{count} variants?, 0 errors", tvarc("check").output, re.MULTILINE)
