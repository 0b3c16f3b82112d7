"""`tvarc fmt`: which files, what is written, and what is told of it."""

from __future__ import annotations

import stat
import subprocess
from pathlib import Path

import pytest

from support.command import spawn, tvarc
from tvarc.commands.line import exits
from tvarc.files.persons import rewrite
from tvarc.text.diagnostics.model import Sink

MESSY = "# one\naxis  gpu=[ 1,2 ] # two\n"
NEAT = "# one\naxis gpu = [1, 2]  # two\n"
FAULTY = "axis = [\n"


def test_a_program_is_formatted_once(project: Path) -> None:
    program = project / "variants.tvar"
    program.write_text(MESSY)
    program.chmod(0o640)
    assert tvarc("fmt").stdout == "1 file: 1 formatted, 0 unchanged\n"
    assert program.read_text() == NEAT
    assert stat.S_IMODE(program.stat().st_mode) == 0o640
    assert {path.name for path in project.iterdir()} == {"fix me.patch", "variants.tvar"}
    assert tvarc("fmt").stdout == "1 file: 0 formatted, 1 unchanged\n"


def test_check_writes_nothing(project: Path) -> None:
    tvarc("fmt")
    result = tvarc("fmt", "--check")
    assert (result.exit_code, result.stdout) == (exits.OK, "1 file: already formatted\n")
    (project / "variants.tvar").write_text(MESSY)
    (project / "other.tvar").write_text(MESSY)
    result = tvarc("fmt", "--check", code=exits.STALE)
    assert result.stderr.startswith("error[E951]: `variants.tvar` is not formatted\n")
    result = tvarc("fmt", "--check", ".")
    assert "error[E951]: 2 files are not formatted" in result.stderr
    assert "other.tvar\n" in result.stderr
    assert (project / "variants.tvar").read_text() == MESSY


def test_diff_writes_nothing(project: Path) -> None:
    (project / "variants.tvar").write_bytes(b"let a=1\nlet b = 2")
    result = tvarc("fmt", "--diff", code=exits.OK)
    assert result.stdout == (
        "--- variants.tvar\n+++ variants.tvar\n@@ -1,2 +1,2 @@\n"
        "-let a=1\n-let b = 2\n\\ No newline at end of file\n+let a = 1\n+let b = 2\n"
    )
    assert tvarc("fmt", "--diff", "--check").exit_code == exits.STALE
    assert (project / "variants.tvar").read_bytes() == b"let a=1\nlet b = 2"
    tvarc("fmt")
    assert tvarc("fmt", "--diff").stdout == ""


def test_a_file_with_faults_is_left_alone_and_others_are_not(project: Path) -> None:
    (project / "faulty.tvar").write_text(FAULTY)
    (project / "messy.tvar").write_text(MESSY)
    result = tvarc("fmt", "faulty.tvar", "messy.tvar", "gone.tvar", code=exits.FAILED)
    assert "faulty.tvar:1:9" in result.stderr
    assert "error[E106]: cannot read `gone.tvar`" in result.stderr
    assert result.stdout == "3 files: 1 formatted, 0 unchanged, 2 not formatted\n"
    assert (project / "faulty.tvar").read_text() == FAULTY
    assert (project / "messy.tvar").read_text() == NEAT
    assert tvarc("fmt", "--check", "faulty.tvar").exit_code == exits.FAILED


def test_folders_mean_the_sources_below_them(project: Path) -> None:
    inner = project / "lib" / "deep"
    inner.mkdir(parents=True)
    (project / "lib" / ".hidden").mkdir()
    for path in ("lib/a.tvar", "lib/deep/b.tvar", "lib/.hidden/c.tvar", "lib/d.txt"):
        (project / path).write_text(MESSY)
    assert tvarc("fmt", "lib", "lib/a.tvar").stdout == "2 files: 2 formatted, 0 unchanged\n"
    assert (project / "lib/.hidden/c.tvar").read_text() == MESSY
    assert (project / "lib/d.txt").read_text() == MESSY
    (project / "empty").mkdir()
    assert "error[E903]" in tvarc("fmt", "empty").stderr


def test_a_link_stays_one(project: Path) -> None:
    (project / "real.tvar").write_text(MESSY)
    (project / "link.tvar").symlink_to("real.tvar")
    assert tvarc("fmt", "link.tvar", "real.tvar").stdout == "1 file: 1 formatted, 0 unchanged\n"
    assert (project / "link.tvar").is_symlink()
    assert (project / "real.tvar").read_text() == NEAT


def piped(*args: str, text: bytes, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    (cwd / "input").write_bytes(text)
    return spawn("fmt", *args, "-", cwd=cwd, shell="< input")


@pytest.mark.slow
def test_stdin(tmp_path: Path) -> None:
    result = piped(text=MESSY.encode(), cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, NEAT.encode(), b"")
    result = piped(text="# é\r\nlet a=1".encode(), cwd=tmp_path)
    assert result.stdout == "# é\nlet a = 1\n".encode()
    result = piped(text=FAULTY.encode(), cwd=tmp_path)
    assert (result.returncode, result.stdout) == (exits.FAILED, b"")
    assert b"<stdin>:1:9" in result.stderr
    result = piped(text=b"\xff", cwd=tmp_path)
    assert result.returncode == exits.FAILED
    assert b"error[E107]" in result.stderr
    result = piped("--check", text=MESSY.encode(), cwd=tmp_path)
    assert (result.returncode, result.stdout) == (exits.STALE, b"")
    assert piped("--diff", text=MESSY.encode(), cwd=tmp_path).stdout.startswith(b"--- <stdin>\n")
    assert piped("a.tvar", text=b"", cwd=tmp_path).returncode == exits.USAGE


@pytest.mark.slow
def test_stdin_that_cannot_be_read(tmp_path: Path) -> None:
    result = spawn("fmt", "-", cwd=tmp_path, shell="<&-")
    assert (result.returncode, result.stdout) == (exits.FAILED, b"")
    assert result.stderr.startswith(b"error[E106]: cannot read `<stdin>`")


@pytest.mark.slow
def test_the_output_is_utf_8_everywhere(tmp_path: Path) -> None:
    (tmp_path / "input").write_bytes("# é→\n".encode())
    strange = {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    result = spawn("fmt", "-", cwd=tmp_path, shell="< input", env=strange)
    assert result.stdout == "# é→\n".encode()


@pytest.mark.slow
def test_deep_nesting_is_no_crash(tmp_path: Path) -> None:
    for depth in (190, 5000):
        text = f"let a = {'[' * depth}1{']' * depth}\n".encode()
        result = piped(text=text, cwd=tmp_path)
        assert result.returncode in (exits.OK, exits.FAILED)
        assert b"internal error" not in result.stderr


def test_what_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "a.tvar"
    file.write_bytes(b"theirs")
    sink = Sink()
    assert not rewrite(str(file), b"read", b"new", sink)
    assert [item.code for item in sink] == ["E802"]
    assert file.read_bytes() == b"theirs"
    assert not rewrite(str(tmp_path / "gone"), b"", b"", sink)
    assert rewrite(str(file), b"theirs", b"new", Sink())
    assert file.read_bytes() == b"new"


def test_a_file_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.tvar"
    file.write_bytes(b"old")
    monkeypatch.setattr("os.access", lambda path, mode: False)
    sink = Sink()
    assert not rewrite(str(file), b"old", b"new", sink)
    assert "cannot be written: permission denied" in next(iter(sink)).title
    assert file.read_bytes() == b"old"
