"""`tvarc watch`: each saved change of a file that the program reads is built as `build` does it."""

from __future__ import annotations

import gc
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cli.test_build_survives import fill
from support.command import ROOT, SMALL, calls, put_small, spawn
from tvarc.build.driver import Compilation
from tvarc.commands.line import exits
from tvarc.commands.watch import Screen, Watch
from tvarc.files.output.plan import BuildOptions
from tvarc.text.diagnostics.model import Format

SECONDS = 60
"""For an event, on a busy machine."""

QUIET = 0.6
"""Seconds in which an event would come."""

RECIPES = [
    f"pkgs/hello-cuda{cuda}-{gpu}.nix"
    for gpu in ("sm90", "sm100", "sm103")
    for cuda in ("12_8", "13_0")
    if (gpu, cuda) != ("sm90", "13_0")
]


class Watched:
    """A watch as a process of its own, with the lines that it prints."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: queue.Queue[str] = queue.Queue()
        assert process.stdout is not None
        self.reader = threading.Thread(target=self._read, args=(process.stdout,), daemon=True)
        self.reader.start()

    def _read(self, stream: Iterator[str]) -> None:
        for line in stream:
            self.lines.put(line)

    def line(self) -> str:
        return self.lines.get(timeout=SECONDS)

    def event(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.line())
        return found

    def written(self) -> list[str]:
        """The files of the next build, which has no error."""
        event = self.event()
        assert event["event"] == "written", event
        files: list[str] = event["build"]["written"]
        return files

    def settled(self) -> dict[str, Any]:
        """The last event of a change that more than one build may see."""
        event = self.event()
        while True:
            try:
                event = json.loads(self.lines.get(timeout=QUIET))
            except queue.Empty:
                return event

    def failed(self) -> list[str]:
        """The codes of the next build, which has errors."""
        event = self.event()
        assert event["event"] == "failed", event
        return [one["code"] for one in event["diagnostics"] if one["severity"] == "error"]

    def is_quiet(self) -> bool:
        time.sleep(QUIET)
        return self.lines.empty()

    def end(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(SECONDS)


@contextmanager
def watching(
    folder: Path, *words: str, command: str = "watch", compiler: Path = ROOT / "compiler"
) -> Iterator[Watched]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tvarc", command, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(compiler)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if "--json" not in words else None,
        text=True,
    )
    with process:
        watched = Watched(process)
        try:
            yield watched
        finally:
            process.kill()
            watched.reader.join(SECONDS)


def put(path: Path, text: str) -> None:
    """Save *text* as an editor does: nobody reads half of it."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def fresh(folder: Path, tmp_path: Path) -> dict[str, bytes]:
    """The recipes as `build` writes them in a copy of *folder* without any."""
    copy = tmp_path / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("pkgs"))
    spawn("build", cwd=copy, code=exits.OK)
    return recipes(copy)


def recipes(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("pkgs/*")}


def test_what_is_saved_is_written(project: Path, tmp_path: Path) -> None:
    """In whatever way an editor saves the file."""
    program = project / "variants.tvar"
    with watching(project, "--json") as watch:
        assert sorted(watch.written()) == sorted(RECIPES)
        assert recipes(project) == fresh(project, tmp_path)
        put(program, SMALL.replace("echo fast", "echo faster"))
        assert sorted(watch.written()) == sorted(RECIPES)
        put(program, SMALL.replace("exclude gpu == sm90", "exclude gpu == sm100"))
        assert watch.event()["build"]["left"] == ["pkgs/hello-cuda13_0-sm100.nix"]

        # A file that is written beside the program and renamed over it.
        put(project / ".variants.tvar.swp", SMALL.replace('"-a"', '"-b"'))
        (project / ".variants.tvar.swp").replace(program)
        assert watch.event()["event"] == "written"
        (project / "pkgs" / "hello-cuda13_0-sm90.nix").unlink()
        assert recipes(project) == fresh(project, tmp_path)

        # Two writes, with a pause in which the program is not whole.
        text = SMALL.replace('"-a"', '"-c"').encode()
        with program.open("wb") as stream:
            stream.write(text[:700])
            stream.flush()
            time.sleep(0.02)
            stream.write(text[700:])
        assert watch.settled()["event"] == "written"
        assert all(b'"-c"' in recipes(project)[name] for name in RECIPES)

        program.touch()
        assert watch.is_quiet()  # nothing was changed
        assert watch.end() == exits.OK
        assert watch.event()["event"] == "stopped"


def test_errors_are_shown_and_the_files_stay(project: Path) -> None:
    program = project / "variants.tvar"
    with watching(project, "--json") as watch:
        watch.written()
        before = recipes(project)
        put(program, SMALL[: SMALL.index("matrix all")] + "matrix all { recipe =")
        assert watch.failed()[0].startswith("E1")
        assert recipes(project) == before
        put(program, SMALL)
        assert watch.written() == []
        put(program, SMALL.replace("[gpu]", "").replace("gpu.capability >=", "gpu.capabilty >="))
        assert watch.failed() == ["E207"]
        program.unlink()
        assert watch.failed() == ["E106"]
        put(program, SMALL)
        assert watch.written() == []
        program.write_bytes(b"\xff\xfe")
        assert watch.failed() == ["E107"]
        assert watch.is_quiet()  # the same fault is not found again
        put(program, SMALL)
        assert watch.written() == []
        (project / "fix me.patch").unlink()
        assert watch.failed() != []
        (project / "fix me.patch").touch()
        assert watch.written() == []
        assert recipes(project) == before


def test_modules_tables_and_the_lock(project: Path) -> None:
    """A file that the program misses is watched, too."""
    put(project / "rows.json", '{"a": {"n": 1}}')
    text = SMALL.replace('"-a"', "words.flag")
    with watching(project, "--json") as watch:
        watch.written()
        put(project / "variants.tvar", f'use "./parts/words.tvar" as words\n{text}')
        assert watch.failed() != []
        (project / "parts").mkdir()
        put(project / "parts" / "words.tvar", 'let flag = "-x"\n')
        assert sorted(watch.settled()["build"]["written"]) == sorted(RECIPES)
        put(project / "parts" / "words.tvar", 'let flag = "-y"\n')
        assert sorted(watch.written()) == sorted(RECIPES)
        (project / "parts").rename(project / "gone")
        assert watch.failed() != []
        (project / "gone").rename(project / "parts")
        assert watch.written() == []
        put(project / "tvar.lock", "this is no lock\n")
        assert watch.failed() == ["E943"]
        (project / "tvar.lock").unlink()
        assert watch.written() == []


def test_a_folder_that_goes_away(project: Path, tmp_path: Path) -> None:
    with watching(tmp_path, f"{project.name}/", "--json", "--no-git") as watch:
        watch.written()
        project.rename(tmp_path / "elsewhere")
        assert watch.failed() == ["E106"]
        (tmp_path / "elsewhere").rename(project)
        assert watch.written() == []
        assert watch.end(signal.SIGTERM) == exits.TERMINATED


def test_a_file_of_a_person_is_refused_until_it_is_gone(project: Path) -> None:
    mine = project / "pkgs" / "hello-cuda12_8-sm90.nix"
    mine.parent.mkdir()
    put(mine, "{ }: null\n")
    with watching(project, "--json") as watch:
        assert watch.failed() == ["E801"]
        assert mine.read_text(encoding="utf-8") == "{ }: null\n"
        mine.unlink()
        assert sorted(watch.settled()["build"]["written"]) == sorted(RECIPES)


def test_a_recipe_that_somebody_edits_is_refused_until_it_is_as_it_was(project: Path) -> None:
    """Written in place, so that nothing in its folder changes."""
    edited = project / "pkgs" / "hello-cuda12_8-sm90.nix"
    with watching(project, "--json") as watch:
        watch.written()
        text = edited.read_text(encoding="utf-8")
        put(project / "variants.tvar", f"{SMALL}# nothing else\n")
        assert watch.written() == []
        put(edited, f"{text}# mine\n")
        put(project / "variants.tvar", f"{SMALL}# and nothing else\n")
        assert watch.failed() == ["E801"]  # although its text is that of the last build
        put(edited, text)
        assert watch.written() == []
        put(edited, f"{text}# mine\n")
        put(project / "variants.tvar", SMALL.replace('"-a"', '"-b"'))
        assert watch.failed() == ["E801"]
        put(edited, text)
        assert sorted(watch.written()) == sorted(RECIPES)


@pytest.mark.slow
def test_a_full_disk_that_has_room_again(project: Path, small_disk: Path) -> None:
    filler = fill(small_disk, 1)
    with watching(project, "--out", str(small_disk), "--json") as watch:
        assert watch.failed() == ["E802"]
        assert watch.is_quiet()
        filler.unlink()
        watch.written()  # those that had no room
        assert sorted(recipes(small_disk)) == sorted(RECIPES)


def test_a_program_that_is_a_folder_for_a_while(project: Path) -> None:
    program, aside = project / "variants.tvar", project / "aside"
    with watching(project, "--json") as watch:
        watch.written()
        program.rename(aside)
        program.mkdir()
        assert watch.settled()["event"] == "failed"
        program.rmdir()
        aside.rename(program)
        assert watch.settled()["event"] == "written"
        put(program, SMALL.replace('"-a"', '"-b"'))
        assert sorted(watch.written()) == sorted(RECIPES)


def test_the_folder_of_the_watch_is_made_again(project: Path) -> None:
    with watching(project, "--json", "--no-git") as watch:
        watch.written()
        shutil.rmtree(project)
        assert watch.settled()["event"] == "failed"
        project.mkdir()
        put_small(project)
        assert sorted(watch.settled()["build"]["written"]) == sorted(RECIPES)
        put(project / "variants.tvar", SMALL.replace('"-a"', '"-b"'))
        assert sorted(watch.written()) == sorted(RECIPES)


def test_the_lines_for_people(project: Path) -> None:
    """One line for each build, and warnings when they are new."""
    text = SMALL[: SMALL.index("warn same-build")]
    put(project / "variants.tvar", text)

    def until(watch: Watched, words: str) -> list[str]:
        lines = [watch.line()]
        while words not in lines[-1]:
            lines.append(watch.line())
        return lines

    with watching(project) as watch:
        first = until(watch, "watching")
        assert "5 recipes in pkgs: 5 written, 0 unchanged\n" in first
        assert any(line.startswith("warning[") for line in first)
        assert first[-1] == "watching 1 file: Ctrl-C ends it\n"
        put(project / "variants.tvar", text.replace("gpu == sm90 and", "gpu == sm100 and"))
        *_, line = until(watch, "written in")
        assert re.fullmatch(
            r"1 of 5 files in pkgs written in \d\.\d\d s: hello-cuda13_0-sm90\.nix\n", line
        )
        assert watch.line() == "1 file has no variant any more: `tvarc build --prune` removes it\n"
        put(project / "variants.tvar", text.replace("gpu == sm90 and", "gpu == sm100  and"))
        assert watch.line().startswith("0 of 5 files in pkgs written in ")  # and nothing else
        put(project / "variants.tvar", text.replace("recipe = base", "recipe = bas"))
        errors = until(watch, "nothing was written")
        assert errors[0] == "error[E201]: there is no recipe `bas`\n"
        assert errors[-1].startswith("1 error, ")
        assert watch.end() == exits.OK
        assert watch.line() == "stopped: the files stay as they are\n"


def test_prune_renames(project: Path) -> None:
    with watching(project, "--prune") as watch:
        while "watching" not in watch.line():
            pass
        put(project / "variants.tvar", SMALL.replace('"hello-cuda{', '"hallo-cuda{'))
        lines = [watch.line() for _ in range(6)]
        assert "renamed pkgs/hello-cuda12_8-sm90.nix to pkgs/hallo-cuda12_8-sm90.nix\n" in lines
        assert sorted(path.name[:5] for path in project.glob("pkgs/*")) == ["hallo"] * 5


def test_options_are_those_of_build(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("--out", str(out), "--only", "sm103", "--flag", "fast=false", "--json")
    with watching(project, *words) as watch:
        assert sorted(watch.written()) == [one for one in sorted(RECIPES) if "sm103" in one]
        assert not any(b"echo fast" in text for text in recipes(out).values())
        put(project / "variants.tvar", SMALL.replace("sm103 ", "sm104 "))
        assert watch.failed() != []


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    for words in ((), ("x.tvar",)):
        done = spawn("watch", *words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (exits.FAILED, b"")
        assert b"error[" in done.stderr


def test_a_reader_that_goes_away_ends_it(project: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tvarc", "watch", "--json"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler")},
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()  # and nothing is edited any more
        assert process.wait(SECONDS) == exits.OK
    finally:
        process.kill()
        process.wait()


def test_a_file_whose_text_stays_is_not_written(project: Path) -> None:
    """Another value with the same text leaves the file as it is."""
    put(project / "variants.tvar", SMALL.replace('["-a"]', "[12.8]"))
    with watching(project, "--json") as watch:
        watch.written()
        before = {path: path.stat().st_mtime_ns for path in project.rglob("*.nix")}
        put(project / "variants.tvar", SMALL.replace('["-a"]', '["12.8"]'))
        assert watch.written() == []
        assert before == {path: path.stat().st_mtime_ns for path in project.rglob("*.nix")}
        put(project / "variants.tvar", SMALL)
        assert watch.written() == RECIPES


def test_an_edit_of_values_decides_only_what_depends_on_them(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The cells are the same, and so is what other settings are. A new axis value is another
    program. After it, values may change again, and all places may move."""
    options = BuildOptions(
        "variants.tvar", None, (), (), check=False, force=False, json=True, git=False
    )
    watch = Watch(Screen(Format.TEXT, as_json=True), options, cached=True)
    expanded = calls(monkeypatch, "tvarc.build.driver.expand", lambda *_: None)
    decided = calls(monkeypatch, "tvarc.decide.decide.Deciding.whole", lambda _, group: group)
    other = SMALL.replace("[12.8, 13.0]", "[12.8, 13.0, 13.1]")
    found: list[tuple[int, set[tuple[str, str]], int]] = []
    for text in (
        SMALL,
        SMALL.replace('["-a"]', '["-0"]'),
        SMALL.replace('["-a"]', '["-b"]'),
        f"# a comment\n{SMALL.replace('echo {{gpu}}', 'echo now {{gpu}}')}",
        other,
        other.replace('["-a"]', '["-c"]'),
    ):
        put(project / "variants.tvar", text)
        assert watch.build()
        written = json.loads(capsys.readouterr().out)["build"]["written"]
        found.append((len(expanded), {*decided}, len(written)))
        expanded.clear()
        decided.clear()
    gc.unfreeze()
    flags, script = ("attrs", "flags"), ("script", "preConfigure")
    assert [one for one, _, _ in found] == [1, 1, 0, 0, 1, 0]
    assert [of for _, of, _ in found][2:4] == [{flags}, {flags, script}]
    assert found[5][1] == {flags}
    assert [count for _, _, count in found] == [5, 5, 5, 5, 8, 8]


def test_a_page_shows_each_edit_that_it_depends_on(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After an edit of a value, no part of a page is made again. A page shows an exclusion as it is
    written: parentheses change its text, and no cell."""
    text = SMALL + 'output docs: docs { file = "README.md" }\n'
    options = BuildOptions(
        "variants.tvar", None, (), (), check=False, force=False, json=True, git=False
    )
    watch = Watch(Screen(Format.TEXT, as_json=True), options, cached=True)
    made = calls(
        monkeypatch, "tvarc.commands.documents.Documents._blocks", lambda _, words: words[0]
    )
    found: list[list[str]] = []
    for other in (
        text,
        f"{text}# a comment\n",
        text.replace('["-a"]', '["-b"]'),
        text.replace('["-a"]', '["-b"]').replace("gpu == sm90 and", "(gpu == sm90) and"),
        text.replace("[12.8, 13.0]", "[12.8, 13.0, 13.1]"),
    ):
        made.clear()
        put(project / "variants.tvar", other)
        assert watch.build()
        assert json.loads(capsys.readouterr().out)["event"] == "written"
        found.append([*made])
        shown = (project / "README.md").read_text(encoding="utf-8")
        (project / "README.md").unlink()
        spawn("build", "--no-git", cwd=project, code=exits.OK)
        assert shown == (project / "README.md").read_text(encoding="utf-8")
    gc.unfreeze()
    every = ["counts", "variants", "choosing", "names", "dropped", "axis"]
    assert found == [every, every, [], ["dropped"], every]


def test_a_message_has_the_place_of_a_part_that_stays(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One edit moves a value and changes the end of it. An error is at the beginning of it."""
    values = SMALL.replace('["-a"]', '[["a", "b"][x] for x in [0]]')
    options = BuildOptions(
        "variants.tvar", None, (), (), check=False, force=False, json=True, git=False
    )
    watch = Watch(Screen(Format.TEXT, as_json=True), options, cached=True)
    for text in (values, f"{values}# a comment\n"):
        put(project / "variants.tvar", text)
        assert watch.build()
    put(project / "variants.tvar", "# moves all\n" + values.replace("in [0]", "in [0, 5]"))
    watch.build()
    gc.unfreeze()
    event = json.loads(capsys.readouterr().out.splitlines()[-1])
    done = spawn("build", "--no-git", "--format", "json", cwd=project, code=exits.FAILED)
    assert event["diagnostics"] == json.loads(done.stdout)["diagnostics"]
    assert [one["code"] for one in event["diagnostics"]] == ["E305"]


@pytest.fixture
def searched() -> Iterator[None]:
    """What a search for circles leaves is searched again, other than in the other tests."""
    others = gc.callbacks[:]
    gc.callbacks.clear()
    yield
    gc.callbacks.extend(others)


@pytest.mark.slow
@pytest.mark.usefixtures("searched")
def test_memory_does_not_grow(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing of a build is there after it, except for what the next one may use. A value that is a
    row of the library leads to the whole program."""
    options = BuildOptions(
        "variants.tvar", None, (), (), check=False, force=False, json=True, git=False
    )
    watch = Watch(Screen(Format.TEXT, as_json=True), options, cached=True)
    numbers: list[int] = []
    for number in range(1, 31):
        flag = f'"-{number:02}"' if number % 5 else '"'  # each fifth program has an error
        text = with_rows().replace('"-a"', flag)
        text = text.replace("attrs {", "passthru { gpu = gpu }\nattrs {", 1)
        put(project / "variants.tvar", text)
        assert watch.build()
        found = gc.get_objects()
        # The facts of a row that nobody has read yet lead to one.
        assert sum(isinstance(one, Compilation) for one in found) <= 1
        numbers.append(len(found))
        del found
    gc.unfreeze()
    events = [json.loads(line)["event"] for line in capsys.readouterr().out.splitlines()]
    assert events == ["written" if number % 5 else "failed" for number in range(1, 31)]
    for number in range(5):
        alike = numbers[10 + number :: 5]
        assert max(alike) - min(alike) < 20
    assert max(numbers) - numbers[1] < 1000


@pytest.mark.slow
def test_edits_do_not_add_up_to_a_budget(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each build has the whole budget, however many edits were before."""
    monkeypatch.setattr("tvarc.meaning.budget.LIMIT_ALL_EVALUATIONS", 40)
    options = BuildOptions(
        "variants.tvar", None, (), (), check=False, force=False, json=True, git=False
    )
    watch = Watch(Screen(Format.TEXT, as_json=True), options, cached=True)
    for number in range(40):
        put(project / "variants.tvar", SMALL.replace('"-a"', f'"-{number}"'))
        assert watch.build()
    gc.unfreeze()
    events = [json.loads(line)["event"] for line in capsys.readouterr().out.splitlines()]
    assert events == ["written"] * 40


def with_rows() -> str:
    """The program SMALL, whose GPUs are rows of the library."""
    before, _, after = SMALL.partition("axis gpu")
    return f"use std.nvidia\n{before}axis gpu = nvidia[sm90, sm100, sm103]\n" + (
        after[after.index("axis cuda") :]
    )


@pytest.mark.slow
def test_the_library(project: Path, tmp_path: Path) -> None:
    """A fact that somebody corrects in place."""
    copy = tmp_path / "checkout"
    for name in ("compiler", "stdlib", "grammar", "docs"):
        left_out = shutil.ignore_patterns("__pycache__", "pictures")
        shutil.copytree(ROOT / name, copy / name, ignore=left_out)
    put(project / "variants.tvar", with_rows().replace('["-a"]', "[gpu.label]"))
    table = copy / "stdlib" / "nvidia.tvar"
    with watching(project, "--json", compiler=copy / "compiler") as watch:
        watch.written()
        text = table.read_text(encoding="utf-8")
        put(table, text.replace('label = "Hopper (H100, ', 'label = "Hopper (H100x, '))
        assert watch.written() == ["pkgs/hello-cuda12_8-sm90.nix"]
