"""After any edit, the editor shows what `tvarc check` prints, and each question has an answer."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from random import Random

import pytest

from support.command import ROOT, SMALL, put_small, tvarc
from support.effort import examples, is_long
from support.language_client import Client, session, shown, told_by_check
from support.library_cache import library_cache
from tvarc.build.driver import compile_file
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir
from tvarc.syntax import ast
from tvarc.syntax.parser import parse_module
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source, Span

PIECES = (
    "{", "}", "[", "]", '"', "(", ")", "=", "==", ".", ",", "{{", "}}", '"""', "#", "\r\n", "😀",
    "\u2028", " gpu", "when gpu", "let x = ", "axis y = ", "recipe r {", "use std.", "nobody",
    "attrs { ", "none", "\t",
)  # fmt: skip
QUESTIONS = (
    "hover", "completion", "definition", "references", "documentHighlight", "prepareRename",
    "documentSymbol", "foldingRange", "formatting", "codeAction", "rename",
    "semanticTokens/full", "rangeFormatting", "onTypeFormatting", "selectionRange",
    "signatureHelp", "inlayHint", "codeLens",
)  # fmt: skip
REFUSED = -32803  # with a reason
COMMANDS = ("variants", "explain", "who", "recipe", "whyNot")
OPTIONS = {"tabSize": 2, "insertSpaces": True}
ASKED = 10 if is_long() else 3  # questions after each edit
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
    """Ask some questions at a place of *text*. The session fails if one has no answer."""
    lines = text.split("\n")
    line = random.randrange(len(lines))
    place = {"line": line, "character": random.randrange(len(lines[line]) + 2)}
    more: dict[str, dict[str, object]] = {
        "references": {"context": {"includeDeclaration": True}},
        "rename": {"newName": random.choice(["other", "gpu", "if"])},
        "formatting": {"options": OPTIONS},
        "rangeFormatting": {"options": OPTIONS, "range": {"start": place, "end": place}},
        "onTypeFormatting": {"options": OPTIONS, "ch": "}"},
        "selectionRange": {"positions": [place]},
        "inlayHint": {
            "range": {"start": {"line": 0, "character": 0}, "end": place},
        },
        "codeAction": {
            "context": {"diagnostics": []},
            "range": {"start": place, "end": place},
        },
    }
    for what in random.sample(QUESTIONS, ASKED):
        asked = {"textDocument": {"uri": editor.uri(file)}, "position": place}
        answer = editor.answer(f"textDocument/{what}", {**asked, **more.get(what, {})})
        refused = answer.get("error", {}).get("code", REFUSED)
        assert refused == REFUSED and ("error" not in answer or "ename" in what), answer
    if random.randrange(8) == 0:
        what = random.choice(COMMANDS)
        words = ["sm90"] if what == "whyNot" else list(place.values())
        words = [] if what == "variants" else words
        arguments = [editor.uri(file), *words]
        editor.ask("workspace/executeCommand", command=f"tvarc.{what}", arguments=arguments)
        editor.ask("workspace/symbol", query=random.choice(["", "a", "sm9"]))


def small(folder: Path) -> list[str]:
    put_small(folder, SMALL)
    return ["variants.tvar"]


def own(folder: Path) -> list[str]:
    shutil.copy(ROOT / "variants.tvar", folder)
    return ["variants.tvar"]


def stacked(folder: Path) -> list[str]:
    shutil.copytree(ROOT / "examples" / "spark-nightly", folder, dirs_exist_ok=True)
    return ["variants.tvar", "spark.tvar"]


EDITS = ((small, 9_000), (own, 500), (stacked, 500))
"""Programs, and the edits of each that a long run makes."""


def told(folder: Path, files: list[str]) -> set[tuple[object, ...]]:
    """What `tvarc check` prints about the first of *files*, and about each other one that is not a
    module of that program any more."""
    graph = compile_file(files[0], DiskLoader(stdlib_dir()), cache=library_cache()).graph
    alone = [one for one in files[1:] if graph is None or one not in graph.modules]
    found: set[tuple[object, ...]] = set()
    for file in (files[0], *alone):
        done = tvarc("check", file, "--format", "json")
        found |= told_by_check(folder, json.loads(done.stdout), file)
    return found


@pytest.mark.slow(seconds=60)
@pytest.mark.parametrize(
    ("program", "count"),
    [(one, count if is_long() else 8) for one, count in EDITS],
    ids=[one.__name__ for one, _ in EDITS],
)
def test_the_editor_shows_what_check_prints(program: object, count: int, here: Path) -> None:
    """A long run makes 10,000 edits, and asks 100,000 questions."""
    assert callable(program)
    files = program(here)
    random = Random(7)
    with session(here.resolve()) as editor:
        texts = {file: editor.open(file) for file in files}
        for _ in range(count // ROUNDS):
            file = random.choice(files)
            for text in edits(texts[file], random):
                editor.change(text, file)
                ask_all(editor, file, text, random)
                (here / file).write_bytes(text.encode())
                assert shown(editor) == told(here, files), text
            editor.change(texts[file], file)
            (here / file).write_bytes(texts[file].encode())


def names(node: object) -> Iterator[ast.Name | ast.Ref]:
    """The names in *node*, a tree or a part of one."""
    if isinstance(node, tuple):
        for one in node:
            yield from names(one)
    elif isinstance(node, ast.Name | ast.Ref):
        yield node
    elif is_dataclass(node) and not isinstance(node, Span):
        for field in fields(node):
            yield from names(getattr(node, field.name))


def test_what_is_left_of_a_broken_source_keeps_its_places() -> None:
    """No fault is taken back, whatever is left out or added to go on reading."""
    random = Random(3)
    cache = library_cache()
    text = (ROOT / "variants.tvar").read_text()
    for _ in range(examples(400) // ROUNDS):
        for typed in edits(text, random):
            sink = Sink()
            tree = parse_module(Source("variants.tvar", typed), sink, cache)
            assert sink.has_errors or not tree.holes, typed
            starts = [item.span.start for item in tree.items]
            assert starts == sorted(starts)
            for one in names(tree.items):
                written = one.text if isinstance(one, ast.Name) else one.name
                assert typed[one.span.start : one.span.end] == written
