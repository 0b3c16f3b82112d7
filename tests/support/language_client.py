"""An editor as the language server sees it: JSON-RPC over the streams of a process."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.command import ROOT

Json = Any

SECONDS = 60
# The server waits for a pause in typing before its second answer; tests do not.
AT_ONCE = """\
import sys
from tvarc.commands.lsp import wire
wire.PAUSE = 0
wire.ALIVE = 0.1
from tvarc.commands.start.main import main
exec(sys.argv.pop())
main()
"""


class Client:
    """One session in *folder*. It collects what the server sends by itself."""

    def __init__(
        self, folder: Path, editor: int | None = None, wrong: str = "", *,
        begins: bool = True, **capabilities: Json,
    ) -> None:  # fmt: skip
        """*editor* is the process of the editor, which the server looks for. *wrong* is code that
        breaks the server. The session *begins*, except where a test does not want it."""
        self.folder = folder
        self.diagnostics: dict[str, list[Json]] = {}
        self.logged: list[str] = []
        self.messages: list[str] = []
        self.shown: list[Json] = []
        self.opened: set[str] = set()
        self._number = 0
        self._versions: dict[str, int] = {}
        self._messages: queue.Queue[Json] = queue.Queue()
        self.process = subprocess.Popen(
            [sys.executable, "-c", AT_ONCE, "lsp", "--stdio", wrong],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT / "compiler")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        threading.Thread(target=self._read, daemon=True).start()
        if begins:
            self._begin(editor, capabilities)

    def _begin(self, editor: int | None, capabilities: Json) -> None:
        root = self.folder.as_uri()
        self.can = self.ask(
            "initialize", processId=editor, rootUri=root, capabilities=capabilities
        )["capabilities"]
        self.tell("initialized")

    def _read(self) -> None:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            length = int(line.partition(b":")[2])
            while self.process.stdout.readline().strip():
                pass
            self._messages.put(json.loads(self.process.stdout.read(length)))
        self._messages.put(None)

    def _send(self, message: Json) -> None:
        assert self.process.stdin is not None
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()

    def tell(self, method: str, **params: Json) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, **params: Json) -> Json:
        """The result of a request; faults of the protocol fail the test."""
        message = self.answer(method, params)
        assert "error" not in message, message
        return message["result"]

    def refused(self, method: str, **params: Json) -> tuple[int, str]:
        """The number and the text of the error with which a request is answered."""
        error = self.answer(method, params)["error"]
        return error["code"], error["message"]

    def answer(self, method: str, params: Json) -> Json:
        """The whole answer to a request."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        return self._received(self._number)

    def send_bytes(self, data: bytes) -> Json:
        """Send *data*, which is no JSON; the answer, which has no number."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.process.stdin.flush()
        return self._received(None)

    def _received(self, number: int | None) -> Json:
        """The answer with this *number*."""
        while True:
            message = self._messages.get(timeout=SECONDS)
            assert message is not None, "the server has ended"
            if message.get("id") == number and "method" not in message:
                return message
            if "id" in message:
                self._send({"id": message["id"], "result": {"success": True}})
            params = message.get("params", {})
            if message["method"] == "textDocument/publishDiagnostics":
                self.diagnostics[params["uri"]] = params["diagnostics"]
            elif message["method"] == "window/logMessage":
                self.logged.append(params["message"])
            elif message["method"] == "window/showMessage":
                self.messages.append(params["message"])
            elif message["method"] == "window/showDocument":
                self.shown.append(params)

    def settle(self) -> None:
        """Wait until all is published that follows from what was sent."""
        for _ in range(2):
            self.ask("workspace/executeCommand", command="tvarc.variants", arguments=[""])

    def uri(self, file: str) -> str:
        return (self.folder / file).as_uri()

    def open(self, file: str = "variants.tvar", text: str | None = None) -> str:
        """Open *file* with *text*, by default as it is on disk; its text."""
        if text is None:
            text = (self.folder / file).read_bytes().decode()
        language = file.rpartition(".")[2]
        item = {"uri": self.uri(file), "languageId": language, "version": 1, "text": text}
        self.opened.add(file)
        self.tell("textDocument/didOpen", textDocument=item)
        self.settle()
        return text

    def change(self, text: str, file: str = "variants.tvar") -> None:
        self._versions[file] = self._versions.get(file, 1) + 1
        self.tell(
            "textDocument/didChange",
            textDocument={"uri": self.uri(file), "version": self._versions[file]},
            contentChanges=[{"text": text}],
        )
        self.settle()

    def close(self, file: str = "variants.tvar") -> None:
        self.opened.discard(file)
        self.tell("textDocument/didClose", textDocument={"uri": self.uri(file)})
        self.settle()

    def codes(self, file: str = "variants.tvar") -> list[str]:
        """The codes of the diagnostics of *file*."""
        return [one["code"] for one in self.diagnostics.get(self.uri(file), [])]

    def at(self, what: str, position: Json, file: str = "variants.tvar", **more: Json) -> Json:
        """The answer to `textDocument/` *what* at *position* of *file*."""
        document = {"uri": self.uri(file)}
        return self.ask(f"textDocument/{what}", textDocument=document, position=position, **more)

    def of(self, what: str, file: str = "variants.tvar", **more: Json) -> Json:
        """The answer to `textDocument/` *what* about all of *file*."""
        return self.ask(f"textDocument/{what}", textDocument={"uri": self.uri(file)}, **more)

    def end(self) -> int:
        """End the session; the exit code of the server."""
        self.ask("shutdown")
        self.tell("exit")
        return self.process.wait(SECONDS)


@contextmanager
def session(folder: Path, **capabilities: Json) -> Iterator[Client]:
    """A session, which must end as it should, and without a report of an internal error."""
    client = Client(folder, **capabilities)
    try:
        yield client
        assert [one for one in client.logged if "internal error" in one] == []
        assert client.end() == 0
    finally:
        client.process.kill()
        client.process.communicate()


def position(text: str, needle: str, after: int = 0, nth: int = 0) -> Json:
    """The position that is *after* characters after the start of *needle*, the *nth* one."""
    at = -1
    for _ in range(nth + 1):
        at = text.index(needle, at + 1)
    at += after
    start = text.rfind("\n", 0, at) + 1
    return {
        "line": text.count("\n", 0, at),
        "character": len(text[start:at].encode("utf-16-le")) // 2,
    }


def _offset(text: str, place: Json) -> int:
    """The number of characters of *text* before *place*."""
    before, line = text.split("\n")[: place["line"]], text.split("\n")[place["line"]]
    units = line.encode("utf-16-le")[: 2 * place["character"]]
    return sum(len(one) + 1 for one in before) + len(units.decode("utf-16-le"))


def text_at(text: str, span: Json) -> str:
    """The part of *text* in the range *span*."""
    return text[_offset(text, span["start"]) : _offset(text, span["end"])]


def applied(text: str, edits: list[Json]) -> str:
    """*text* after *edits* of the protocol."""
    for one in sorted(edits, key=lambda one: sorted(one["range"]["start"].items()), reverse=True):
        first, last = (_offset(text, one["range"][end]) for end in ("start", "end"))
        text = text[:first] + one["newText"] + text[last:]
    return text


def _in_units(file: Path, place: Json) -> tuple[int, int]:
    """The position of the protocol for a place of `check`."""
    line = file.read_bytes().decode().split("\n")[place["line"] - 1]
    before = line[: place["column"] - 1]
    return place["line"] - 1, len(before.encode("utf-16-le")) // 2


def told_by_check(
    folder: Path, data: Json, program: str = "variants.tvar"
) -> set[tuple[object, ...]]:
    """What `tvarc check --format json` prints about the *program* in *folder*, *data*: codes, texts
    and all places, with their files."""

    def place(file: str) -> Path:
        library = file.startswith("std/")
        return ROOT / "stdlib" / file.removeprefix("std/") if library else folder / file

    found: set[tuple[object, ...]] = set()
    for one in data["diagnostics"]:
        places = [
            (
                place(label["file"]).as_uri(),
                _in_units(place(label["file"]), label["start"]),
                _in_units(place(label["file"]), label["end"]),
                label["text"],
            )
            for label in one["labels"]
        ]
        advice = [f"help: {one['help']}"] if one["help"] else []
        notes = [f"note: {note}" for note in one["notes"]]
        label = [places[0][3]] if places and places[0][3] else []
        text = "\n".join([one["title"], *label, *notes, *advice])
        first = places[0][:3] if places else ((folder / program).as_uri(), (0, 0), (0, 0))
        others = tuple((*one[:3], one[3] or "here") for one in places[1:])
        found.add((one["code"], one["severity"], text, first, others))
    return found


def _ends(span: Json) -> tuple[tuple[int, int], tuple[int, int]]:
    first, last = span["start"], span["end"]
    return (first["line"], first["character"]), (last["line"], last["character"])


def shown(editor: Client) -> set[tuple[object, ...]]:
    """What the editor shows, in the same form."""
    return {
        (
            one["code"],
            {1: "error", 2: "warning"}[one["severity"]],
            one["message"],
            (uri, *_ends(one["range"])),
            tuple(
                (
                    other["location"]["uri"],
                    *_ends(other["location"]["range"]),
                    other["message"],
                )
                for other in one["relatedInformation"]
            ),
        )
        for uri, several in editor.diagnostics.items()
        for one in several
    }
