"""The wheel alone: installed into a new virtual environment, it compiles a program elsewhere."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from support.compile import ROOT, compile_variants
from tvarc.driver import emit


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    run(*pip, "wheel", "--no-deps", "--wheel-dir", folder, ROOT, cwd=folder)
    (found,) = folder.glob("*.whl")
    return found


def test_the_wheel_holds_its_data(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder, suffix in (("grammar", "*.lark"), ("stdlib", "*.tvar"), ("docs/errors", "*.md")):
        for path in (ROOT / folder).glob(suffix):
            assert f"tvarc/{folder}/{path.name}" in names
    assert "tvarc/py.typed" in names
    assert not [name for name in names if name.startswith(("tests", "compiler"))]


def test_the_wheel_alone_builds_a_program_elsewhere(wheel: Path, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    run(sys.executable, "-m", "venv", venv, cwd=tmp_path)
    pip = (venv / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "--quiet")
    run(*pip, "install", wheel, cwd=tmp_path)
    project = tmp_path / "a project"
    project.mkdir()
    shutil.copy(ROOT / "variants.tvar", project)
    printed = run(venv / "bin" / "tvarc", "build", cwd=project)
    assert "44 written" in printed
    assert "E501" in run(venv / "bin" / "tvarc", "explain", "E501", cwd=project)
    compilation = compile_variants()
    for output in emit(compilation.recipes(), "variants.tvar"):
        assert (project / output.path).read_text(encoding="utf-8") == output.text
