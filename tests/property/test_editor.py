"""After any edit, the editor shows what `tvarc check` prints, and each question has an answer."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from support.command import ROOT, SMALL, put_small, tvarc
from support.effort import examples
from support.language_client import Client, session, shown, told_by_check
from support.library_cache import library_cache
from tvarc.editor.mending import mended
from tvarc.syntax.parser import parse_module
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source

PIECES = (
    "{", "}", "[", "]", '"', "(", ")", "=", "==", ".", ",", "{{", "}}", '"""', "#", "\r\n", "😀",
    "\u2028", " gpu", "when gpu", "let x = ", "axis y = ", "recipe r {", "use std.", "nobody",
    "attrs { ", "none", "\t",
)  # fmt: skip
QUESTIONS = (
    "hover", "completion", "definition", "references", "documentHighlight", "prepareRename",
    "documentSymbol", "foldingRange", "formatting", "codeAction", "rename",
    "semanticTokens/full",
)  # fmt: skip
ROUNDS = 4  # edits, one after the other, until the program is as it was


def edits(text: str, random: Random) -> Iterator[str]:
    """*text* after one edit more each time, such as a person makes while typing."""
    for _ in range(ROUNDS):
        at = random.randrange(len(text) + 1)
        line = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at) if "\n" in text[at:] else len(text)
        match random.randrange(6):
            case 0:
                text = text[:at] + random.choice(PIECES) + text[at:]
            case 1:
                text = text[:at] + text[at + random.randrange(1, 12) :]
            case 2:
                text = text[:at] + text[end:]
            case 3:
                text = text[:line] + text[end + 1 :]
            case 4:
                text = text[:end] + "\n" + text[line:end] + text[end:]
            case _:
                text = text[:at]
        yield text


def ask_all(editor: Client, file: str, text: str, random: Random) -> None:
    """Ask each question at a place of *text*. The session fails if one has no answer."""
    lines = text.split("\n")
    line = random.randrange(len(lines))
    place = {"line": line, "character": random.randrange(len(lines[line]) + 2)}
    more: dict[str, dict[str, object]] = {
        "references": {"context": {"includeDeclaration": True}},
        "rename": {"newName": random.choice(["other", "gpu", "if"])},
        "formatting": {"options": {"tabSize": 2, "insertSpaces": True}},
        "codeAction": {
            "context": {"diagnostics": []},
            "range": {"start": place, "end": place},
        },
    }
    for what in random.sample(QUESTIONS, 3):
        editor.at(what, place, file, **more.get(what, {}))


def small(folder: Path) -> list[str]:
    put_small(folder, SMALL)
    return ["variants.tvar"]


def own(folder: Path) -> list[str]:
    shutil.copy(ROOT / "variants.tvar", folder)
    return ["variants.tvar"]


def stacked(folder: Path) -> list[str]:
    shutil.copytree(ROOT / "examples" / "spark-nightly", folder, dirs_exist_ok=True)
    return ["variants.tvar", "spark.tvar"]


@pytest.mark.slow(seconds=60)
@pytest.mark.parametrize("program", [small, own, stacked], ids=lambda one: one.__name__)
def test_the_editor_shows_what_check_prints(
    program: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert callable(program)
    files = program(tmp_path)
    monkeypatch.chdir(tmp_path)
    random = Random(7)
    with session(tmp_path.resolve()) as editor:
        texts = {file: editor.open(file) for file in files}
        for _ in range(examples(150) // ROUNDS + 1):
            file = random.choice(files)
            for text in edits(texts[file], random):
                editor.change(text, file)
                ask_all(editor, file, text, random)
                (tmp_path / file).write_bytes(text.encode())
                done = tvarc("check", "--format", "json")
                assert shown(editor) == told_by_check(tmp_path, json.loads(done.stdout)), text
            editor.change(texts[file], file)
            (tmp_path / file).write_bytes(texts[file].encode())


def test_a_mended_source_keeps_every_place() -> None:
    """Only letters of broken statements become blanks, and what was read before is read still."""
    random = Random(3)
    cache = library_cache()
    text = (ROOT / "variants.tvar").read_text()
    for _ in range(examples(400) // ROUNDS):
        for typed in edits(text, random):
            source = Source("variants.tvar", typed)
            better = mended(source, cache)
            pairs = zip(typed, better.text, strict=True)
            assert all(new == old or (new == " " and old not in "\r\n") for old, new in pairs)
            before, after = Sink(), Sink()
            read = len(parse_module(source, before, cache).items)
            assert len(parse_module(better, after, cache).items) >= read - len(before)
            assert len(after) <= len(before)
