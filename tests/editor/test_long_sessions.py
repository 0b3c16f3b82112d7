"""A session that lasts: memory stays flat, and the server ends with its client."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support import language_client
from support.command import SMALL, put_small
from support.effort import is_long
from support.language_client import AT_ONCE, SECONDS, Client, position, session
from tvarc.commands.line import exits

GROWTH = 8_000
"""Kilobytes that a session may grow by, after its first edits. Lints keep so much at most."""

CHILD = """\
import sys
from pathlib import Path
from support.language_client import Client
client = Client(Path(sys.argv[1]))
client.open()
print(client.process.pid, flush=True)
sys.stdin.read()
"""

COUNTING = """\
import gc, sys
def count(phase, found):
    if phase == "start" and found["generation"] == 2:
        print(len(gc.get_objects()), file=sys.stderr)
gc.callbacks.append(count)
"""
"""Prints how many objects each full search for unused ones has to search."""


def resident(process: int) -> int:
    """The memory of *process*, in kilobytes."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system has no /proc")
@pytest.mark.slow
def test_memory_stays_flat(tmp_path: Path) -> None:
    """A hundred edits, each with some questions; a thousand in a long run."""
    put_small(tmp_path)
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    with session(tmp_path.resolve()) as editor:
        editor.open()
        first = 0
        for number in range(1_000 if is_long() else 100):
            text = SMALL + f"let x{number} = {number}\n" + ("let y = [" if number % 3 else "")
            editor.change(text)
            editor.at("hover", position(text, "gpu.capability", 1))
            editor.at("completion", position(text, "when fast", 6))
            editor.of("inlayHint", range=everything)
            if number == 30:
                first = resident(editor.process.pid)
        assert resident(editor.process.pid) < first + GROWTH


@pytest.mark.slow
def test_a_pause_is_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server looks for unused objects after each pause, but not among those of the library."""
    monkeypatch.setattr(language_client, "AT_ONCE", COUNTING + AT_ONCE)
    put_small(tmp_path)
    editor = Client(tmp_path.resolve())
    editor.open()
    for number in range(4):
        editor.change(SMALL + f"let x{number} = {number}\n")
    assert editor.end() == exits.OK
    assert editor.process.stderr is not None
    first, *_, last = map(int, editor.process.stderr.read().split())
    assert last < first / 4


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system has no /proc")
def test_an_editor_that_is_killed(tmp_path: Path) -> None:
    """The server sees that the stream ends, and ends itself."""
    put_small(tmp_path)
    tests = Path(__file__).resolve().parents[1]
    editor = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path)],
        env={"PYTHONPATH": f"{tests}:{tests.parent}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert editor.stdout is not None
    server = Path("/proc") / editor.stdout.readline().strip()
    assert server.exists()
    editor.send_signal(signal.SIGKILL)
    editor.communicate()
    end = time.monotonic() + SECONDS
    while server.exists() and "zombie" not in (server / "status").read_text():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_an_editor_that_dies_while_another_process_keeps_the_stream(tmp_path: Path) -> None:
    editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    client = Client(tmp_path.resolve(), editor.pid)
    client.settle()
    assert client.process.poll() is None
    editor.communicate()
    assert client.process.wait(SECONDS) == exits.OK


def test_crlf_and_emoji_between_the_lines(editor: Client) -> None:
    """Columns of hints and of changes count units of UTF-16, and lines end with CR LF."""
    text = SMALL.replace('because "never"', 'because "😀"').replace(
        "exclude gpu", 'exclude "😀" == "😀" and gpu'
    )
    text = text.replace("\n", "\r\n")
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    editor.open(text=text)
    found = {one["label"]: one["position"] for one in editor.of("inlayHint", range=everything)}
    assert found["1 of 6"] == position(text, " because \"😀\"")
    place = position(text, "axes   =")
    actions = editor.of(
        "codeAction", range={"start": place, "end": place},
        context={"diagnostics": [], "only": ["refactor"]},
    )  # fmt: skip
    (edits,) = actions[0]["edit"]["changes"].values()
    assert edits[-1]["newText"].endswith("\r\n")
