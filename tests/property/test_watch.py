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
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.command import spawn
from support.compile import ROOT
from support.effort import examples, sampled
from tvarc.commands.watch import Screen, Watch
from tvarc.files.output.plan import BuildOptions
from tvarc.text.diagnostics.model import Format

EDITS = 240  # in a long run


def edits(text: str, count: int) -> Iterator[str]:
    """Texts that a person may save, each an edit of *text*: half of them have faults."""
    chance = random.Random(29)
    for number in range(count):
        lines, other = text.split("\n"), chance.choice("2389")
        at = chance.randrange(len(lines))
        match number % 12:
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
        yield "\n".join(lines)


PROGRAMS = (
    "variants.tvar",
    "examples/torch-2.8/variants.tvar",
    "examples/megatron-environment/variants.tvar",
    "examples/llama-cpp/variants.tvar",
)


@pytest.mark.slow(seconds=60)
@pytest.mark.parametrize("name", sampled(PROGRAMS, ci=2))
def test_a_build_is_that_of_a_new_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
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
    options = BuildOptions(name, None, (), (), check=False, force=False, json=True, git=False)
    watch = Watch(Screen(Format.TEXT, as_json=True), options, cached=True)
    chance = random.Random(name)
    before = ""
    for edited in ["", *edits(text, examples(EDITS // len(PROGRAMS)))]:
        # A person edits a recipe, and the next time takes that back.
        if before:
            for folder in (here, there):
                (folder / before).write_bytes((folder / before).read_bytes()[:-1])
            before = ""
        elif edited and chance.random() < 0.3:
            before = chance.choice(sorted(one for one in files_of(here) if one.endswith(".nix")))
            for folder in (here, there):
                with (folder / before).open("ab") as stream:
                    stream.write(b"#")
        for folder in (here, there) if edited else ():
            (folder / name).write_text(edited, encoding="utf-8")
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            watch.build()
        event = json.loads(shown.getvalue())
        done = spawn("build", name, "--no-git", "--format", "json", cwd=there)
        told = json.loads(done.stdout)["diagnostics"]
        assert event["diagnostics"] == told, edited
        assert (event["event"] == "written") == (done.returncode == 0), edited
        assert files_of(here) == files_of(there), edited
    gc.unfreeze()


def files_of(folder: Path) -> dict[str, bytes]:
    """All files below *folder*, by their paths."""
    return {
        os.path.relpath(path, folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
