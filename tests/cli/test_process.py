"""The command as a process: streams, encodings, colours, exit codes, and the same bytes."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.command import ROOT, SMALL, spawn
from tvarc.commands.line import exits
from tvarc.commands.start import main as entry

MARKED = SMALL.replace("echo fast", "echo schnell → schön")


@pytest.mark.slow
def test_the_same_bytes_for_any_hash_seed(project: Path) -> None:
    seen: set[bytes] = set()
    for seed in ("0", "1", "2"):
        args = ("build", "--out", f"out{seed}")
        assert spawn(*args, cwd=project, env={"PYTHONHASHSEED": seed}).returncode == exits.OK
        folder = project / f"out{seed}" / "pkgs"
        seen.add(b"".join(path.read_bytes() for path in sorted(folder.iterdir())))
        shown = spawn("explain", "sm90", "--json", cwd=project, env={"PYTHONHASHSEED": seed})
        seen.add(shown.stdout)
    assert len(seen) == 2


@pytest.mark.slow
def test_odd_locales(project: Path) -> None:
    (project / "variants.tvar").write_text(MARKED, encoding="utf-8")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    result = spawn("explain", "sm90", cwd=project, env=plain, code=exits.OK)
    assert b"schnell \\u2192 sch" in result.stdout


@pytest.mark.slow
def test_closed_and_full_streams(project: Path) -> None:
    noise = spawn("list", cwd=project, shell="| head -n 1").stderr
    assert noise.splitlines() == [b"1 cell is dropped: `tvarc list --excluded` says why"]
    assert spawn("list", "--excluded", cwd=project, shell="| head -n 1").stderr == b""
    assert spawn("list", cwd=project, shell=">&-").returncode == exits.OK
    full = spawn("list", cwd=project, shell="> /dev/full", code=exits.FAILED)
    assert b"No space left" in full.stderr
    assert b"Traceback" not in full.stderr


def on_terminal(*args: str, cwd: Path, env: dict[str, str]) -> bytes:
    """What the command shows on a terminal, both streams."""
    above, below = pty.openpty()
    merged = {**os.environ, "PYTHONPATH": str(ROOT / "compiler"), "TERM": "xterm", **env}
    merged = {name: text for name, text in merged.items() if name != "NO_COLOR" or text}
    process = subprocess.Popen(
        [sys.executable, "-m", "tvarc", *args], cwd=cwd, env=merged,
        stdin=below, stdout=below, stderr=below,
    )  # fmt: skip
    os.close(below)
    shown = b""
    while True:
        try:
            more = os.read(above, 1 << 16)
        except OSError:
            break
        if not more:
            break
        shown += more
    os.close(above)
    assert process.wait(60) in (exits.OK, exits.FAILED)
    return shown


@pytest.mark.slow
def test_colour_on_a_terminal_only(project: Path) -> None:
    shown = on_terminal("explain", "sm90", "attrs", cwd=project, env={"NO_COLOR": ""})
    assert b"\x1b[1mattrs" in shown
    assert b"\x1b[2m" in shown
    assert b"\x1b" not in on_terminal("explain", "sm90", cwd=project, env={"NO_COLOR": "1"})
    assert b"\x1b" not in on_terminal("list", "sm91", cwd=project, env={"TERM": "dumb"})
    assert b"\x1b" not in spawn("explain", "sm90", cwd=project).stdout


def run_main(monkeypatch: pytest.MonkeyPatch, *args: str) -> int:
    monkeypatch.setattr(sys, "argv", ["tvarc", *args])
    limit = sys.getrecursionlimit()
    try:
        with pytest.raises(SystemExit) as end:
            entry.main()
    finally:
        sys.setrecursionlimit(limit)
    assert isinstance(end.value.code, int)
    return end.value.code


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        (
            KeyError("lost"),
            exits.BUG,
            "internal error: KeyError: 'lost' (cli/test_process.py, line",
        ),
        (RecursionError("deep"), exits.FAILED, "error[E109]: the program is nested too deeply"),
        (MemoryError(), exits.FAILED, "error[E109]: the program is too large"),
        (KeyboardInterrupt(), exits.INTERRUPTED, ""),
    ],
)
def test_faults(
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    fault: BaseException,
    code: int,
    words: str,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.delenv("TVARC_TRACEBACK", raising=False)
    monkeypatch.setattr("tvarc.commands.line.session.compile_file", broken)
    assert run_main(monkeypatch, "check") == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(words)
    assert "Traceback" not in shown.err
    assert bool(shown.err) is bool(words)


def test_traceback_on_request(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("lost")

    monkeypatch.setenv("TVARC_TRACEBACK", "1")
    monkeypatch.setattr("tvarc.commands.line.session.compile_file", broken)
    assert run_main(monkeypatch, "check") == exits.BUG
    assert "Traceback" in capsys.readouterr().err


def test_main_returns_the_code(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_main(monkeypatch, "check") == exits.OK
    assert run_main(monkeypatch, "build", "--check") == exits.STALE
    assert run_main(monkeypatch, "nope") == exits.USAGE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "banned"),
    [
        (["--version"], ("rich", "lark", "tvarc.build.driver", "tvarc.meaning")),
        (["build"], ("rich", "tvarc.commands.shown.tree", "tvarc.commands.explain.text")),
        (["build"], ("tvarc.matrix.select",)),
        (["list"], ("rich", "tvarc.nix.lower")),
        (["explain", "sm90"], ("rich", "tvarc.nix.lower", "tvarc.files.output.write")),
    ],
)
def test_commands_import_what_they_use(project: Path, args: list[str], banned: tuple[str]) -> None:
    code = (
        "import sys\n"
        "from tvarc.commands.start.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, file=sys.stderr)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, *args],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not set(banned) & set(result.stderr.split())


@pytest.mark.slow
def test_a_folder_that_is_gone(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    script = 'rmdir "$PWD" && exec "$@"'
    file = str(project / "variants.tvar")
    command = ["sh", "-c", script, "sh", sys.executable, "-m", "tvarc", "build", file, "--out", "x"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=False)
    assert done.returncode == exits.FAILED
    assert b"the current folder is gone" in done.stderr, done.stderr


@pytest.mark.slow
def test_help_to_a_full_disk(project: Path) -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        command = [sys.executable, "-m", "tvarc", "--help"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == exits.FAILED
    assert b"cannot be written" in done.stderr, done.stderr


# --- signals ------------------------------------------------------------------------------------

INTERRUPTED_WHILE_LOADING = """
import os, signal, sys

left = int(sys.argv.pop())

def look(event, given):
    global left
    if event == "import" and given[0].startswith("tvarc."):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGINT)

from tvarc.commands.start.entry import process
sys.addaudithook(look)
process()
"""


@pytest.mark.parametrize("at", [1, 2, 5, 12, 30])
def test_an_interrupt_while_it_is_loaded_shows_no_traceback(project: Path, at: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_LOADING, "list", str(at)],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler")},
        capture_output=True,
        check=False,
    )
    assert done.returncode in (-signal.SIGINT, exits.INTERRUPTED), done
    assert done.stderr == b""


INTERRUPTED_WHILE_FOUND = """
import os, runpy, signal, sys

script, at = sys.argv[1:]

def look(event, given):
    if event == "import" and given[0] == at:
        os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(look)
runpy.run_path(script, run_name="__main__")
"""


@pytest.mark.parametrize("at", ["tvarc", "tvarc.commands.start.entry"])
def test_an_interrupt_before_anything_is_loaded_shows_no_traceback(at: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_FOUND, str(ROOT / "bin/tvarc"), at],
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler")},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (exits.INTERRUPTED, b"")


CALLBACK = """
def cb(of):
    os.kill(os.getpid(), number)
    done.append(of)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_at_the_end_of_an_import_is_not_lost(name: str) -> None:
    """Python would print an exception from there, and go on."""
    number = getattr(signal, name)
    program = f"""
import os, signal, sys, time, weakref
from tvarc.commands.line.exits import heed_signals, interrupted
number, done = {int(number)}, []
exec(compile({CALLBACK!r}, "<frozen importlib._bootstrap>", "exec"))
signal.signal(signal.SIGINT, signal.SIG_DFL)  # as `start/entry.py` does
heed_signals()
class Lock: pass
lock = Lock()
known = weakref.ref(lock, cb)
try:
    del lock
    time.sleep(0.2)
except KeyboardInterrupt as fault:
    sys.exit(interrupted(fault) if done else 1)
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler")},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (exits.ENDED_BY_SIGNAL + number, b"")


INTERRUPTED_AT_THE_END = """
import os, signal, sys
from tvarc.commands.start import main

class Stream:
    def write(self, text): return len(text)
    def flush(self): os.kill(os.getpid(), signal.SIGINT)

def ended():
    sys.stdout = Stream()
    sys.exit(0)

main.main = ended
main.process()
"""


def test_an_interrupt_at_the_very_end_shows_no_traceback() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_AT_THE_END],
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler")},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (exits.INTERRUPTED, b"")


def test_an_interrupt_that_is_to_be_passed_over_is(project: Path) -> None:
    """As in `nohup`, or behind a `&` of a script."""
    program = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    done = subprocess.run(
        [sys.executable, "-c", program + INTERRUPTED_WHILE_LOADING, "list", "5"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler")},
        capture_output=True,
        check=False,
    )
    assert done.returncode == exits.OK, done.stderr
