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
from collections.abc import Callable, Iterator
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


def edits(text: str, count: int, seed: int) -> Iterator[str]:
    """Texts that a person may save: edits of *text*, many of them with faults, and between them
    runs of edits that each change values of the text before."""
    chance = random.Random(seed)
    left, values = 0, text
    for number in range(count):
        if left:
            left -= 1
            values = other_value(values, chance)
            yield values
        else:
            left, values = chance.choice((0, 1, 3, 9, 90)), text
            yield edited(text, number, chance)


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
    here, there = tmp_path / "here", tmp_path / "there"
    text = (ROOT / name).read_text(encoding="utf-8")
    for folder in (here, there):
        (folder / name).parent.mkdir(parents=True)
        shutil.copyfile(ROOT / name, folder / name)
        if name.startswith("examples"):
            shutil.copytree(ROOT / "examples", folder / "examples", dirs_exist_ok=True)
    monkeypatch.chdir(here)
    watch, fresh = watch_of(name), Fresh(there, name)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        watch.build()
    chance = random.Random(f"{name} {seed}")
    before = ""
    continued = 0
    count = examples(EDITS // len(RUNS))
    for number, one in enumerate(edits(text, count, seed)):
        # A person edits a recipe, and the next time takes that back.
        if before:
            for folder in (here, there):
                (folder / before).write_bytes((folder / before).read_bytes()[:-1])
            before = ""
        elif chance.random() < 0.1:
            before = chance.choice(sorted(one for one in files_of(here) if one.endswith(".nix")))
            for folder in (here, there):
                with (folder / before).open("ab") as stream:
                    stream.write(b"#")
        for folder in (here, there):
            (folder / name).write_text(one, encoding="utf-8")
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
    # Otherwise this shows nothing of what is kept.
    assert name == STACKED or continued > count // 8, f"{continued} of {count} edits continue"


def files_of(folder: Path) -> dict[str, bytes]:
    """All files below *folder*, by their paths."""
    return {
        os.path.relpath(path, folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
