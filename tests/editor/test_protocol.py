"""An editor that sends nonsense, or in a wrong order: each request has an answer, and nothing is
taken for a fault of tvarc."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.command import SMALL, put_small
from support.effort import sampled
from support.language_client import SECONDS, Client, Json, position, session
from tvarc.commands.line import exits

PARSE, REQUEST, METHOD, PARAMS, EARLY = -32700, -32600, -32601, -32602, -32002
NO_FILES = ("file:///a%00b", "file://[", "file:///%ff", "http://x/y", "", "file://", "a" * 5000)
COMMANDS = ("variants", "explain", "who", "recipe", "whyNot", "chooseVariant", "show")


def at(line: Json, character: Json) -> Json:
    return {"line": line, "character": character}


@pytest.mark.parametrize("place", [at(-1, 0), at(0, -1), at(2**40, 0), at("a", 0), None])
def test_a_position_that_is_none(editor: Client, place: Json) -> None:
    editor.open()
    document = {"uri": editor.uri("variants.tvar")}
    assert editor.refused("textDocument/hover", textDocument=document, position=place)[0] == PARAMS
    for command in ("explain", "who", "recipe"):
        words = [document["uri"], *(place.values() if place else [None])]
        code, text = editor.refused(
            "workspace/executeCommand", command=f"tvarc.{command}", arguments=words
        )
        assert (code, "does not take" in text) == (PARAMS, True)


def test_a_position_after_the_end(editor: Client) -> None:
    editor.open()
    for place in (at(2**31 - 1, 0), at(0, 2**31 - 1)):
        editor.at("hover", place)
        assert editor.at("completion", place) is not None


@pytest.mark.parametrize("address", NO_FILES)
def test_an_address_that_is_no_file(editor: Client, address: str) -> None:
    text = editor.open()
    there = {"uri": address, "version": 1}
    item = {**there, "languageId": "tvar", "text": text}
    editor.tell("textDocument/didOpen", textDocument=item)
    editor.tell("textDocument/didChange", textDocument=there, contentChanges=[{"text": "let"}])
    place = at(0, 0)
    assert editor.ask("textDocument/hover", textDocument=there, position=place) is None
    editor.tell("textDocument/didClose", textDocument=there)
    editor.tell("workspace/didChangeWatchedFiles", changes=[{"uri": address, "type": 2}])
    editor.settle()
    assert editor.codes() == []


def test_changes_without_a_change(editor: Client) -> None:
    editor.open()
    document = {"uri": editor.uri("variants.tvar"), "version": 2}
    wrong: tuple[Json, ...] = ([], 5, [{}], None)
    for changes in wrong:
        editor.tell("textDocument/didChange", textDocument=document, contentChanges=changes)
    editor.tell("nonsense/notification", a=1)
    editor.tell("$/cancelRequest", id="nobody")
    editor.settle()
    assert editor.codes() == []
    assert editor.messages == []


def refused_words(editor: Client, command: str, words: Json) -> int:
    """The number of the error with which a command is answered."""
    asked = {"command": f"tvarc.{command}", "arguments": words}
    return editor.refused("workspace/executeCommand", **asked)[0]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_with_other_words(editor: Client, command: str) -> None:
    """Words of another kind are refused. Fewer words, and words that mean nothing, are not."""
    text = editor.open()
    uri = editor.uri("variants.tvar")
    refused: tuple[Json, ...] = ([1], [None], [True], [{"jsonrpc": "2.0", "id": 1}], [["a"]])
    for words in refused:
        assert refused_words(editor, command, words) == PARAMS
    for words in ([], [uri], ["a%00"], ["file://["], ["x"]):
        editor.ask("workspace/executeCommand", command=f"tvarc.{command}", arguments=words)
    if command != "show":
        assert refused_words(editor, "show", [f"tvarc.{command}", -1]) == PARAMS
    assert editor.at("hover", position(text, "gpu.capability")) is not None


def test_what_there_is_not(editor: Client) -> None:
    assert editor.refused("nonsense/request", a=1)[0] == METHOD
    assert editor.refused("workspace/executeCommand", command="tvarc.x", arguments=[])[0] == PARAMS
    assert editor.answer("textDocument/hover", [1])["error"]["code"] == PARAMS


def test_bytes_that_are_no_json(editor: Client) -> None:
    for data in (b"{abc}", b"\xff\xfe", b"[" * 100_000):
        assert editor.send_bytes(data)["error"]["code"] == PARSE
    assert editor.messages == []


def test_the_order_of_a_session(editor: Client, tmp_path: Path) -> None:
    again = editor.refused("initialize", processId=None, rootUri=None, capabilities={})
    assert again == (REQUEST, "the session has begun already")
    client = Client(tmp_path.resolve())
    client.ask("shutdown")
    assert client.refused("workspace/symbol", query="") == (REQUEST, "the session has ended")
    client.tell("exit")
    assert client.process.wait(SECONDS) == exits.OK


def test_a_question_before_the_session(tmp_path: Path) -> None:
    client = Client(tmp_path.resolve(), begins=False)
    assert client.refused("workspace/symbol", query="")[0] == EARLY
    client.tell("exit")
    assert client.process.wait(SECONDS) == exits.FAILED


def test_an_end_that_was_not_asked_for(tmp_path: Path) -> None:
    client = Client(tmp_path.resolve())
    client.tell("exit")
    assert client.process.wait(SECONDS) == exits.FAILED


@pytest.mark.parametrize("process", sampled([2**70, -5, 0]))
def test_the_number_of_no_process(tmp_path: Path, process: int) -> None:
    client = Client(tmp_path.resolve(), process)
    client.settle()
    assert client.logged == []
    assert client.end() == exits.OK


def test_a_folder_that_is_gone_for_a_while(tmp_path: Path) -> None:
    """Questions have no answer. The session goes on as soon as the folder is there again."""
    folder = tmp_path.resolve() / "program"
    folder.mkdir()
    put_small(folder)
    with session(folder) as editor:
        text = editor.open()
        shutil.rmtree(folder)
        for what in ("hover", "completion", "definition"):
            editor.at(what, position(text, "gpu.capability", 5))
        editor.change(SMALL + "let x = nobody\n")
        folder.mkdir()
        put_small(folder)
        editor.change(SMALL + "let x = noone\n")
        assert editor.codes() == ["E201"]
        assert editor.at("hover", position(text, "gpu.capability")) is not None
