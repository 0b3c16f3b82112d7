"""What the editor shows as faults is what `tvarc check` prints, at the same places."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from support.command import ROOT, SMALL, put_small, spawn, tvarc
from support.effort import for_each, sampled
from support.language_client import (
    SECONDS,
    Client,
    Json,
    applied,
    position,
    session,
    shown,
    text_at,
    told_by_check,
)
from tvarc.commands.line import exits

WRONG = SMALL.replace("gpu.capability >=", "gpu.capabilty >=")


def checked(folder: Path) -> set[tuple[object, ...]]:
    """What `tvarc check` says about the program in *folder*."""
    with chdir(folder):
        done = tvarc("check", "--format", "json")
    return told_by_check(folder, json.loads(done.stdout))


def test_a_program_without_faults(editor: Client) -> None:
    editor.open()
    assert editor.diagnostics == {editor.uri("variants.tvar"): []}


def test_a_fault_is_shown_while_it_is_there(editor: Client) -> None:
    editor.open()
    editor.change(WRONG)
    (found,) = editor.diagnostics[editor.uri("variants.tvar")]
    assert (found["code"], text_at(WRONG, found["range"])) == ("E207", "capabilty")
    assert found["codeDescription"]["href"].endswith("/docs/errors/E207.md")
    editor.change(SMALL)
    assert editor.codes() == []


@pytest.mark.parametrize(
    "text",
    [
        WRONG,
        SMALL.replace("\n", "\r\n"),
        WRONG.replace("let newest", "# 😀\nlet newest").replace("\n", "\r\n"),
        SMALL + 'let a = "😀{{nobody}}😀" \nlet a = 1\n',
        SMALL + 'let b = ["😀😀", nobody, noone]\n',
        SMALL.replace("exclude gpu == sm90", "exclude gpu == sm9"),
        SMALL.replace("recipe = base\n", "recipe = based\n"),
        SMALL.replace('"-a"', '"-a", 1'),
        SMALL.replace("attrs {", "attrs { pname = 1,"),
        SMALL.replace("attrs {", "attrs [", 1),
        SMALL + "recipe unused { package = pkgs.x }\nvariant v { recipe = unused }\n",
        SMALL.replace("warn pin-without-hash", "# warn pin-without-hash"),
        "output nix {\n",
        "",
        "let x = 1\n",
    ],
)
def test_the_same_as_check(editor: Client, text: str) -> None:
    """Codes, texts, places and related places, with columns in UTF-16."""
    editor.open()
    editor.change(text)
    (editor.folder / "variants.tvar").write_bytes(text.encode())
    assert shown(editor) == checked(editor.folder)


def test_a_module_is_read_from_its_buffer(editor: Client) -> None:
    """It need not be saved, nor exist as a file."""
    editor.open(text='use "./shared.tvar"\n' + SMALL + "let y = x\n")
    assert "E203" in editor.codes() or "E106" in editor.codes()
    editor.open("shared.tvar", text="let x = 1\n")
    assert editor.codes() == []
    editor.change("let x = nobody\n", "shared.tvar")
    assert editor.codes("shared.tvar") == ["E201"]
    editor.change("let z = 1\n", "shared.tvar")
    assert (editor.codes(), editor.codes("shared.tvar")) == (["E201"], [])


def test_two_programs_that_share_a_module(editor: Client) -> None:
    """An edit of the module shows the faults of both programs, each once. A program is known while
    one of its files is open."""
    (editor.folder / "shared.tvar").write_text("let x = 1\n")
    for name in ("one", "two"):
        (editor.folder / name).mkdir()
        put_small(editor.folder / name, 'use "../shared.tvar"\n' + SMALL + f"let {name} = x\n")
        editor.open(f"{name}/variants.tvar")
    editor.open("shared.tvar")
    assert editor.codes("shared.tvar") == []
    editor.change("let z = nobody\n", "shared.tvar")
    assert editor.codes("shared.tvar") == ["E201"]
    assert editor.codes("one/variants.tvar") == editor.codes("two/variants.tvar") == ["E201"]
    editor.close("one/variants.tvar")
    assert editor.codes("one/variants.tvar") == editor.codes("shared.tvar") == ["E201"]
    editor.change("let x = 1\n", "shared.tvar")
    assert editor.codes("two/variants.tvar") == editor.codes("shared.tvar") == []
    editor.change("let z = 1\n", "shared.tvar")
    editor.close("two/variants.tvar")
    editor.close("shared.tvar")
    assert editor.diagnostics == {uri: [] for uri in editor.diagnostics}


def test_a_module_alone_belongs_to_the_program_above(editor: Client) -> None:
    put_small(editor.folder, 'use "./parts/shared.tvar"\n' + SMALL + "let y = x\n")
    (editor.folder / "parts").mkdir()
    (editor.folder / "parts" / "shared.tvar").write_text("let x = 1\n")
    editor.open("parts/shared.tvar")
    editor.change("let z = 1\n", "parts/shared.tvar")
    assert editor.codes() == ["E201"]
    editor.close("parts/shared.tvar")
    assert editor.codes() == []


def test_a_file_that_changes_on_disk(editor: Client) -> None:
    (editor.folder / "shared.tvar").write_text("let x = 1\n")
    editor.open(text='use "./shared.tvar"\n' + SMALL + "let y = x\n")
    assert editor.codes() == []
    (editor.folder / "shared.tvar").write_text("let z = 1\n")
    changes = [{"uri": editor.uri("shared.tvar"), "type": 2}]
    editor.tell("workspace/didChangeWatchedFiles", changes=changes)
    editor.settle()
    assert editor.codes() == ["E201"]


def test_a_closed_file_counts_as_it_is_on_disk(editor: Client) -> None:
    editor.open()
    editor.change(WRONG)
    assert editor.codes() == ["E207"]
    editor.close()
    assert editor.codes() == []


def test_a_file_of_another_language_is_left_alone(editor: Client) -> None:
    (editor.folder / "app.properties").write_text("a = b\n")
    editor.open("app.properties")
    editor.change("a = c\n", "app.properties")
    assert editor.diagnostics == {}
    assert editor.of("documentSymbol", "app.properties") == []


def test_a_fix(editor: Client) -> None:
    editor.open()
    editor.change(WRONG)
    found = editor.diagnostics[editor.uri("variants.tvar")]
    wanted = {"range": found[0]["range"], "context": {"diagnostics": found}}
    (action,) = editor.of("codeAction", **wanted)
    assert (action["title"], action["kind"]) == ("write `capability`", "quickfix")
    assert action["diagnostics"] == found
    (edits,) = action["edit"]["changes"].values()
    assert applied(WRONG, edits) == SMALL
    elsewhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    assert editor.of("codeAction", range=elsewhere, context={"diagnostics": []}) == []


RECORD = 'let word = { sm90 = "a", sm100 = "b" }\n'
TABLE = 'facts word (says: string) {\n  sm90 { says = "a" }\n  sm100 { says = "b" }\n}\n'


LACKING = [
    (RECORD, "word[gpu]", 'sm103 = "…"', ', sm103 = "{}"'),
    (TABLE, "word[gpu].says", "sm103 { says = … }", "  sm103 {{ says = {} }}\n"),
]
"""Declarations without a row, what reads it, the title of the fix, and what it inserts."""


def added(editor: Client, text: str, row: str) -> Json:
    """The edit that adds *row* to *text*. The person completes the row, so the fix is no preferred
    one, and none of `check --fix`."""
    editor.open(text=text)
    found = editor.diagnostics[editor.uri("variants.tvar")]
    (lacks,) = [one for one in found if one["code"] == "E207"]
    wanted = {"range": lacks["range"], "context": {"diagnostics": [lacks]}}
    (action,) = editor.of("codeAction", **wanted)
    assert (action["title"], action["kind"]) == (f"add `{row}`", "quickfix")
    assert "isPreferred" not in action
    editor.close()
    return action["edit"]


def lacking(declared: str, read: str) -> str:
    return SMALL.replace("  attrs {\n", f"  attrs {{\n    word = {read}\n", 1) + declared


@for_each("declared, read, row, inserted", LACKING)
def test_a_row_that_is_lacking(
    editor: Client, declared: str, read: str, row: str, inserted: str
) -> None:
    text = lacking(declared, read)
    (changed,) = added(editor, text, row)["changes"].values()
    assert inserted.format("…") in applied(text, changed)


def test_a_row_that_is_lacking_as_a_snippet(tmp_path: Path) -> None:
    put_small(tmp_path)
    with session(tmp_path, workspace={"workspaceEdit": {"snippetEditSupport": True}}) as editor:
        for declared, read, row, inserted in LACKING:
            edit = added(editor, lacking(declared, read), row)
            ((change,),) = [one["edits"] for one in edit["documentChanges"]]
            assert change["snippet"]["value"].replace("\\}", "}") == inserted.format("${1:…}")


def test_all_fixes_at_once(editor: Client) -> None:
    """They do what `tvarc check --fix` does."""
    text = WRONG.replace("recipe = base\n", "recipe = bsae\n")
    editor.open(text=text)
    nowhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    only = {"diagnostics": [], "only": ["source.fixAll"]}
    (action,) = editor.of("codeAction", range=nowhere, context=only)
    (edits,) = action["edit"]["changes"].values()
    (editor.folder / "variants.tvar").write_text(text)
    assert spawn("check", "--fix", cwd=editor.folder).returncode == exits.OK
    assert applied(text, edits) == (editor.folder / "variants.tvar").read_text()


@pytest.mark.parametrize(
    ("encoding", "column"), sampled([("utf-8", 17), ("utf-32", 14)], several=True)
)
def test_the_encoding_that_the_editor_prefers(tmp_path: Path, encoding: str, column: int) -> None:
    """Without a preference it is UTF-16, as in all other tests."""
    put_small(tmp_path, SMALL + 'let x = ["😀", nobody]\n')
    with session(tmp_path.resolve(), general={"positionEncodings": [encoding]}) as editor:
        assert editor.can["positionEncoding"] == encoding
        editor.open()
        (found,) = editor.diagnostics[editor.uri("variants.tvar")]
        assert found["range"]["start"]["character"] == column


def test_a_fault_of_tvarc_ends_no_session(tmp_path: Path) -> None:
    """The answer is empty, and the log has the report."""
    put_small(tmp_path)
    wrong = "from tvarc.commands.lsp import server; server.shown_at = None"
    client = Client(tmp_path.resolve(), wrong=wrong)
    text = client.open()
    assert client.at("hover", position(text, "gpu.capability")) is None
    assert [one.partition("\n")[0][:15] for one in client.logged] == ["internal error:"]
    assert client.at("definition", position(text, "gpu.capability")) != []
    assert client.end() == exits.OK


def test_an_editor_that_dies(tmp_path: Path) -> None:
    client = Client(tmp_path.resolve())
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert client.process.wait(SECONDS) == exits.OK


WITHOUT = """\
import sys
sys.modules["pygls"] = sys.modules["lsprotocol"] = None
from tvarc.commands.start.main import main
main()
"""


def test_without_the_libraries_of_the_server(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, "lsp"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (exits.FAILED, "")
    assert "error[E917]: the language server needs the library `" in done.stderr
    assert "run `pip install 'tvarc[lsp]'`" in done.stderr


def test_help() -> None:
    assert "Language Server Protocol" in tvarc("lsp", "--help").stdout


def test_a_person_at_a_terminal(tmp_path: Path) -> None:
    """The command would wait for an editor without a word."""
    terminal, other = os.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "tvarc", "lsp"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "compiler")},
        cwd=tmp_path,
        stdin=other,
        capture_output=True,
        text=True,
        check=False,
    )
    os.close(terminal)
    os.close(other)
    assert (done.returncode, done.stdout) == (exits.USAGE, "")
    assert "an editor starts this command, not a person" in done.stderr
