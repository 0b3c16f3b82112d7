"""The pictures of the README show what this tvarc prints; UPDATE_DOCS=1 makes them again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from support.compile import ROOT

PICTURES = ROOT / "docs" / "pictures"
NAMES = ("build", "error", "explain", "matrix")
UPDATE = os.environ.get("UPDATE_DOCS") == "1"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = PICTURES if UPDATE else tmp_path_factory.mktemp("pictures")
    maker = [sys.executable, str(ROOT / "site" / "pictures.py"), str(folder)]
    subprocess.run(maker, check=True, timeout=120, stdin=subprocess.DEVNULL)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_up_to_date(made: Path, name: str) -> None:
    kept = (PICTURES / f"{name}.svg").read_text(encoding="utf-8")
    assert (made / f"{name}.svg").read_text(encoding="utf-8") == kept, (
        "run `python site/pictures.py`"
    )


def test_the_readme_shows_each_of_them() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]{20,}\]\(docs/pictures/([^)]+)\.svg\)", readme)
    assert sorted(shown) == sorted(path.stem for path in PICTURES.iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_needs_nothing_from_elsewhere(name: str) -> None:
    text = (PICTURES / f"{name}.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
    assert "<script" not in text and "url(" not in text and "@import" not in text
    assert "prefers-color-scheme: dark" in text
    assert "/tmp" not in text
