"""Our own programs, taken from the recipes that they made: as short as before, nearly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import ROOT, tvarc

SHARED = ROOT / "examples/shared/torch.tvar"


def _lines(*files: Path) -> int:
    return sum(file.read_text(encoding="utf-8").count("\n") for file in files)


@pytest.mark.parametrize(
    ("program", "count"),
    [
        ("variants.tvar", 44),
        ("examples/blas/variants.tvar", 4),
        ("examples/ffmpeg/variants.tvar", 15),
        ("examples/llama-cpp/variants.tvar", 17),
        pytest.param("examples/vision-audio/variants.tvar", 132, marks=pytest.mark.slow),
        pytest.param("examples/torch-2.8/variants.tvar", 62, marks=pytest.mark.slow),
        pytest.param("examples/torch-2.9/variants.tvar", 177, marks=pytest.mark.slow),
        pytest.param("examples/torch-2.10/variants.tvar", 237, marks=pytest.mark.slow),
    ],
)
def test_programs_come_back_at_most_twice_as_long(
    program: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert tvarc("build", str(ROOT / program), "--out", "made", "--no-git").exit_code == 0
    data = json.loads(tvarc("import", "made", "--json").stdout)
    assert len(data["imported"]) == count and not data["left"]
    sources = [ROOT / program] + ([SHARED] if "examples" in program else [])
    assert _lines(Path("variants.tvar")) <= 2 * _lines(*sources)
    assert f"{count} variants, 0 errors" in tvarc("check").output
