"""A process that lives on makes of each edit what a new process makes of it."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.command import spawn
from support.compile import ROOT
from support.effort import examples, sampled
from support.fresh import watch_of

EDITS = 10_000
"""In a long run, of all programs and seeds."""
SEEDS = 5
SPAWNED = 40
"""One in so many edits is compared with `tvarc build` as a person calls it, too."""

STACKED = "examples/megatron-environment/variants.tvar"
"""Its variants need others, so each edit decides all of them."""
PROGRAMS = (
    "variants.tvar",
    "examples/torch-2.8/variants.tvar",
    STACKED,
    "examples/llama-cpp/variants.tvar",
)
RUNS = [(name, seed) for seed in range(SEEDS) for name in PROGRAMS]


class Editing:
    """Texts that a person may save: edits of *text*, many of them with faults, and between them
    runs of edits that each change values of the text before."""

    def __init__(self, text: str, seed: int) -> None:
        self._text = self._good = text
        self._chance = random.Random(seed)
        self._left = self._number = 0
        self._saved = ""

    def next(self, *, built: bool) -> str:
        """The next text. With *built*, the last one had no errors."""
        chance = self._chance
        self._number += 1
        if built and self._saved:
            self._good = self._saved
        if self._left:
            self._left -= 1
            self._saved = other_value(self._good, chance)
        else:
            self._left, self._good = chance.choice((0, 1, 3, 9, 90)), self._text
            self._saved = edited(self._text, self._number, chance)
        return self._saved


def edited(text: str, number: int, chance: random.Random) -> str:
    """*text* after the edit *number*."""
    lines, other = text.split("\n"), chance.choice("2389")
    at = chance.randrange(len(lines))
    match chance.randrange(12):
        case 0:
            lines[at] = lines[at][: chance.randrange(len(lines[at]) + 1)]
        case 1:
            del lines[at]
        case 2:
            lines.insert(at, lines[chance.randrange(len(lines))])
        case 3:
            lines[at:] = []
        case 4:
            words = lines[at].split(" ")
            chance.shuffle(words)
            lines[at] = " ".join(words)
        case 5:
            lines.insert(at, "# a comment")
        case 6:
            lines[at] = lines[at].replace("1", "2").replace("3", "4")
        case 7:
            lines = ["#" * number, *lines]
        case _:
            # A number or a word, so that the program is mostly right, and so is the next one.
            lines[at:] = [re.sub(r"\b[1-8]\b|\b[a-z]\b", other, one) for one in lines[at:]]
            if number % 2:
                lines.insert(0, "# moves all places")
    return "\n".join(lines)


def other_value(text: str, chance: random.Random) -> str:
    """*text* with another string or number, another element, or with all places moved."""
    digit = str(chance.randrange(4))
    found: str
    other: Callable[[str], str]
    match chance.randrange(8):
        case 0:
            return f"# moves all places\n{text}"
        case 1:
            found, other = r"\b[0-9]+\b", lambda one: str(int(one) + 1)
        case 2:
            found, other = r'"[^"{}\n]+"', lambda one: f'{one}, "{digit}"'
        case 3:  # a line of a text in several lines
            found, other = r"(?m)^ +[a-z-]+ .*$", lambda one: f"{one} {digit}"
        case _:
            found, other = r'"[^"{}\n]+"', lambda one: f'{one[:-1]}{digit}"'
    places = [*re.finditer(found, text)]
    place = chance.choice(places)
    return text[: place.start()] + other(place[0]) + text[place.end() :]


class Fresh:
    """New processes that build the program *name* in *folder*."""

    def __init__(self, folder: Path, name: str) -> None:
        path = os.pathsep.join([str(ROOT / "compiler"), str(ROOT / "tests")])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "support.fresh", name],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.event()

    def build(self) -> None:
        """Start one of them."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def event(self) -> dict[str, Any]:
        """The event of the last one that was started."""
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())  # type: ignore[no-any-return]

    def end(self) -> None:
        self._process.communicate()


@pytest.mark.slow(seconds=60)
@pytest.mark.parametrize(("name", "seed"), sampled(RUNS, 9, ci=9, several=True))
def test_a_build_is_that_of_a_new_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, seed: int
) -> None:
    """The same files, diagnostics and places after each of many edits, of recipes as well."""
    count = examples(EDITS // len(RUNS))
    monkeypatch.chdir(tmp_path)
    continued = compare(tmp_path, name, seed, count)
    # Otherwise this shows nothing of what is kept.
    assert name == STACKED or continued > count // 8, f"{continued} of {count} edits continue"


def compare(folder: Path, name: str, seed: int, count: int) -> int:
    """Compare a watch of the program *name* in *folder* with new processes, after each of so many
    edits. Returns how many of these the watch has continued from."""
    here, there = folder / "here", folder / "there"
    text = (ROOT / name).read_text(encoding="utf-8")
    for top in (here, there):
        (top / name).parent.mkdir(parents=True)
        shutil.copyfile(ROOT / name, top / name)
        if name.startswith("examples"):
            shutil.copytree(ROOT / "examples", top / "examples", dirs_exist_ok=True)
    os.chdir(here)
    watch, fresh = watch_of(name), Fresh(there, name)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        watch.build()
    chance = random.Random(f"{name} {seed}")
    before = ""
    continued = 0
    editing, event = Editing(text, seed), {"event": "written"}
    for number in range(count):
        one = editing.next(built=event["event"] == "written")
        # A person edits a recipe, and the next time takes that back.
        if before:
            for top in (here, there):
                (top / before).write_bytes((top / before).read_bytes()[:-1])
            before = ""
        elif chance.random() < 0.1:
            before = chance.choice(sorted(one for one in files_of(here) if one.endswith(".nix")))
            for top in (here, there):
                with (top / before).open("ab") as stream:
                    stream.write(b"#")
        for top in (here, there):
            (top / name).write_text(one, encoding="utf-8")
        fresh.build()
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            watch.build()
        event, other = json.loads(shown.getvalue()), fresh.event()
        told = event["event"], event["diagnostics"]
        assert told == (other["event"], other["diagnostics"]), (number, one)
        assert files_of(here) == files_of(there), (number, one)
        if number % SPAWNED == 0:
            done = spawn("build", name, "--no-git", "--format", "json", cwd=there)
            code = 0 if told[0] == "written" else 1
            assert done.returncode == code, (number, one)
            assert json.loads(done.stdout)["diagnostics"] == told[1], (number, one)
            assert files_of(here) == files_of(there), (number, one)
        continued += watch.has_continued
    fresh.end()
    gc.unfreeze()
    return continued


def files_of(folder: Path) -> dict[str, bytes]:
    """All files below *folder*, by their paths."""
    return {
        os.path.relpath(path, folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
