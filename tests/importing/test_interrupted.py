"""An import that is stopped leaves nothing written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from support.command import ROOT
from support.families import family, put
from tvarc.commands import importing as importing
from tvarc.commands.line import exits
from tvarc.files import persons
from tvarc.files.persons import write_new
from tvarc.text.diagnostics.model import Sink


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sent", "code"),
    [(signal.SIGINT, exits.INTERRUPTED), (signal.SIGTERM, exits.TERMINATED)],
)
def test_a_signal_in_the_middle_leaves_nothing(sent: int, code: int, tmp_path: Path) -> None:
    put(tmp_path, family("chain"))
    before = sorted(tmp_path.rglob("*"))
    program = (
        "import time, tvarc.byhand.importing.imported as it\n"
        "def slowly(*_):\n"
        "    open('begun', 'w').close()\n"
        "    time.sleep(60)\n"
        "it.write_program = slowly\n"
        "import sys; sys.argv = ['tvarc', 'import', 'pkgs', '--text', 'module', '--report', 'r']\n"
        "from tvarc.commands.start.main import process; process()\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / "compiler")}
    process = subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True
    )
    begun = tmp_path / "begun"
    while process.poll() is None and not begun.exists():
        time.sleep(0.01)
    process.send_signal(sent)
    _, told = process.communicate(timeout=30)
    assert process.returncode == code, told
    assert "Traceback" not in told
    begun.unlink()
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("at", [1, 2, 3])
def test_an_interrupt_between_files_takes_back_those_before(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "there"
    there.write_text("as it is", encoding="utf-8")
    files = {str(there): "as it is"} | {str(tmp_path / name): name for name in ("a", "b")}
    count = 0

    def interrupted(*given: Any) -> None:
        nonlocal count
        count += 1
        if count == at:
            raise KeyboardInterrupt
        write_new(*given)

    monkeypatch.setattr(persons, "write_new", interrupted)
    with pytest.raises(KeyboardInterrupt):
        importing.write_all(files, Sink())
    assert list(tmp_path.iterdir()) == [there]
    assert there.read_text(encoding="utf-8") == "as it is"
