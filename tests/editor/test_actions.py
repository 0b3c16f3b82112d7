"""What an editor offers to do at a place: the compiler accepts each program afterwards."""

from __future__ import annotations

import shutil
from pathlib import Path, PurePath

import pytest

from support.command import ROOT, SMALL, put_small, spawn
from support.compile import compile_on_disk, messages
from support.effort import examples
from support.language_client import Client, Json, applied, position
from tvarc.commands.line import exits


def offered(editor: Client, place: Json, file: str = "variants.tvar") -> dict[str, Json]:
    """The changes that are offered at *place*, by their titles."""
    found = editor.of(
        "codeAction", file, range={"start": place, "end": place},
        context={"diagnostics": [], "only": ["refactor"]},
    )  # fmt: skip
    return {one["title"]: one for one in found}


def built(folder: Path) -> dict[str, str]:
    """The recipes that the program in *folder* makes, by their names."""
    made = compile_on_disk(folder / "variants.tvar")
    files = made.files(made.file, lints=False, collections=True)
    found = {PurePath(one.path).name: one.data().decode() for one in files}
    assert not made.sink.has_errors, messages(made)
    return found


def do(editor: Client, action: Json, texts: dict[str, str]) -> None:
    """Write what *action* makes of the files with these *texts*."""
    for uri, edits in action["edit"]["changes"].items():
        path = Path(uri.removeprefix("file://"))
        name = str(path.relative_to(editor.folder))
        path.write_bytes(applied(texts[name], edits).encode())


def test_excluding_a_cell(editor: Client) -> None:
    """A program that is laid out stays so."""
    assert spawn("fmt", cwd=editor.folder).returncode == exits.OK
    text = editor.open()
    before = built(editor.folder)
    found = offered(editor, position(text, "  axes"))
    action = found["Exclude hello-cuda12_8-sm90"]
    do(editor, action, {"variants.tvar": text})
    after = (editor.folder / "variants.tvar").read_text()
    assert '  exclude gpu == sm90 and cuda == 12.8 because "this build is not wanted"\n}\n' in after
    assert after.count("\n") == text.count("\n") + 1
    assert spawn("check", cwd=editor.folder).returncode == exits.OK
    assert spawn("fmt", "--check", cwd=editor.folder).returncode == exits.OK
    gone = before.keys() - built(editor.folder).keys()
    assert gone == {"hello-cuda12_8-sm90.nix"}


def test_the_last_cell_stays(editor: Client) -> None:
    text = SMALL.replace("axes   = gpu * cuda\n", "axes   = gpu[sm90] * cuda[12.8]\n")
    text = text.replace('  exclude gpu == sm90 and cuda == 13.0 because "never"\n', "")
    editor.open(text=text)
    assert "Exclude hello-cuda12_8-sm90" not in offered(editor, position(text, "  axes"))


def test_a_fact_of_an_axis(editor: Client) -> None:
    text = editor.open()
    before = built(editor.folder)
    found = offered(editor, position(text, '"-a"', 1))
    assert set(found) == {"Make this a fact of gpu", "Move this into the mixin base-attrs"}
    do(editor, found["Make this a fact of gpu"], {"variants.tvar": text})
    after = (editor.folder / "variants.tvar").read_text()
    assert 'sm90  { capability = 9.0, flags = "-a" }\n' in after
    assert "flags   = [gpu.flags]\n" in after
    assert built(editor.folder) == before


def test_a_fact_of_a_table_of_the_library(editor: Client) -> None:
    text = (ROOT / "variants.tvar").read_text()
    (editor.folder / "variants.tvar").write_text(text)
    editor.open()
    before = built(editor.folder)
    found = offered(editor, position(text, '"-j32"', 1))
    facts = {title: one for title, one in found.items() if "a fact of" in title}
    assert facts
    for title, action in facts.items():
        do(editor, action, {"variants.tvar": text})
        assert built(editor.folder) == before, title


def test_a_mixin(editor: Client) -> None:
    text = editor.open()
    before = built(editor.folder)
    found = offered(editor, position(text, "attrs {"))
    assert set(found) == {"Move this into the mixin base-attrs"}
    do(editor, found["Move this into the mixin base-attrs"], {"variants.tvar": text})
    after = (editor.folder / "variants.tvar").read_text()
    assert "recipe base with base-attrs {\n" in after
    assert 'mixin base-attrs {\n  attrs {\n    pname   = "hello-{{variant}}"\n' in after
    assert built(editor.folder) == before


def test_nothing_is_offered_in_a_program_with_errors(editor: Client) -> None:
    text = SMALL + "let x = nobody\n"
    editor.open(text=text)
    assert offered(editor, position(text, "attrs {")) == {}


def test_questions_about_a_line(editor: Client) -> None:
    text = editor.open()
    place = position(text, "exclude gpu")
    found = editor.of(
        "codeAction", range={"start": place, "end": place}, context={"diagnostics": []}
    )
    automatic = {"diagnostics": [], "triggerKind": 2}
    assert editor.of("codeAction", range={"start": place, "end": place}, context=automatic) == []
    asked = {one["title"]: one["command"] for one in found if "command" in one}
    assert set(asked) == {
        "Explain this", "Which recipes does this line affect?",
        "Why is there no gpu=sm90 cuda=13.0?",
    }  # fmt: skip
    for command in asked.values():
        assert editor.ask("workspace/executeCommand", **{**command, "title": ""}) is True
    editor.settle()
    assert "all: no such variant" in editor.messages[-1]


@pytest.mark.slow(seconds=40)
@pytest.mark.parametrize("name", ["blas", "ffmpeg", "llama-cpp", "three-variants", "small"])
def test_the_compiler_accepts_each_program_afterwards(editor: Client, name: str) -> None:
    """Each action, at every few places. What only moves a setting changes no recipe."""
    if name == "small":
        put_small(editor.folder)
    else:
        shutil.copytree(ROOT / "examples" / name, editor.folder, dirs_exist_ok=True)
    text = (editor.folder / "variants.tvar").read_text()
    editor.open()
    before = built(editor.folder)
    lines = text.split("\n")
    places = [
        {"line": number, "character": column}
        for number, line in enumerate(lines)
        for column in (len(line) - len(line.lstrip()), line.rfind('"') - 1)
        if line.strip() and column > 0
    ]
    # Several places of a list offer the same program.
    results: dict[str, dict[str, str]] = {}
    done: set[str] = set()
    for place in places[:: max(1, len(places) // examples(160))]:
        for title, action in offered(editor, place).items():
            done.add(title)
            do(editor, action, {"variants.tvar": text})
            now = (editor.folder / "variants.tvar").read_text()
            if now not in results:
                results[now] = built(editor.folder)
            after = results[now]
            if title.startswith("Exclude"):
                assert before.keys() - after.keys() == {f"{title.partition(' ')[2]}.nix"}, title
            else:
                assert after == before, (place, title)
            (editor.folder / "variants.tvar").write_text(text)
    assert done
