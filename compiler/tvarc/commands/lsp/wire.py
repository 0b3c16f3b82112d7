"""The connection of `tvarc lsp`: the session, the open texts, their diagnostics, and places."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from tvarc import __version__
from tvarc.commands.line import exits
from tvarc.commands.lsp.open_programs import OpenPrograms, Snapshot, collect_in_pauses
from tvarc.commands.lsp.positions import Positions
from tvarc.commands.lsp.protocol import Protocol
from tvarc.commands.start.bug import bug_text
from tvarc.editor.meanings import Place
from tvarc.files.cache import Cache
from tvarc.files.resources import error_page_path
from tvarc.matrix.variants import Variant
from tvarc.text.diagnostics.model import Diagnostic, Severity
from tvarc.text.source import Source, Span, UnreadableSource

PAUSE: Final = 0.15
"""Seconds without an edit, after which all variants are decided and lints run."""

ALIVE: Final = 5.0
"""Seconds between two checks whether the process of the editor still runs."""

_LANGUAGE: Final = "tvar"
_WATCHED: Final = ("**/*.tvar", "**/tvar.lock", "**/*.toml", "**/*.json", "**/*.csv")

_Params = TypeVar("_Params")
_Answer = TypeVar("_Answer")


class Wire(LanguageServer):
    """A session with one editor. A subclass adds the requests."""

    protocol: Protocol

    def __init__(self, cache: Cache) -> None:
        super().__init__(
            "tvarc", __version__, types.TextDocumentSyncKind.Full, protocol_cls=Protocol
        )
        self.programs = OpenPrograms(cache)
        self.chosen: dict[str, str] = {}  # the chosen variants, by the entries of their programs
        self._uris: dict[str, str] = {}  # of open files, by their real paths
        # The diagnostics of each program, by its entry and by the file.
        self._known: dict[str, dict[str, list[types.Diagnostic]]] = {}
        self._sent: dict[str, list[types.Diagnostic]] = {}  # by the file
        self._waiting: asyncio.TimerHandle | None = None
        self._shut_down = False
        self._code = exits.OK
        self._rested = False  # whether there was a second answer
        self._listen()

    def serve(self) -> int:
        """Answer until the editor ends the session or closes the stream; the exit code."""
        collect_in_pauses()
        self.start_io()
        self.end()
        return self._code

    def end(self) -> None:
        """Delete temporary files. The session has ended."""

    def _listen(self) -> None:
        on = self.on
        on(types.INITIALIZED, self._start)
        on(types.SHUTDOWN, self._shut)
        on(types.EXIT, self._exit)
        on(types.TEXT_DOCUMENT_DID_OPEN, self._open)
        on(types.TEXT_DOCUMENT_DID_CHANGE, self._change)
        on(types.TEXT_DOCUMENT_DID_CLOSE, self._close)
        on(types.TEXT_DOCUMENT_DID_SAVE, self._disk_changed)
        on(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._disk_changed)

    def on(
        self, method: str, ask: Callable[[_Params], _Answer], options: object | None = None
    ) -> None:
        self.feature(method, options)(self.guarded(ask))

    def on_command(self, name: str, run: Callable[[tuple[Any, ...]], object]) -> None:
        run = self.guarded(run)

        def answer(*words: Any) -> object:
            return run(words)

        self.command(name)(answer)

    def guarded(self, ask: Callable[[_Params], _Answer]) -> Callable[[_Params], _Answer | None]:
        """Wrap *ask*: after an internal error of tvarc the answer is None, and the log of the
        editor has the report."""

        def answer(params: _Params) -> _Answer | None:
            try:
                return ask(params)
            except JsonRpcException:
                raise  # the answer is this error
            except Exception as bug:
                if _folder_is_gone():
                    back = self._enter_folder()
                    return ask(params) if back else None
                whole = os.environ.get("TVARC_TRACEBACK") == "1"
                text = bug_text(bug, whole=whole)
                self.window_log_message(types.LogMessageParams(types.MessageType.Error, text))
                return None

        return answer

    def report_server_error(self, error: Exception, source: object) -> None:
        if source is JsonRpcException:  # the message is not JSON
            self.protocol.unreadable()
        else:
            super().report_server_error(error, source)  # type: ignore[arg-type]

    def refresh(self) -> None:
        """Let the editor ask again for what it shows between the lines."""
        workspace = self.client_capabilities.workspace
        hints = workspace.inlay_hint if workspace is not None else None
        if hints is not None and hints.refresh_support:
            self.workspace_inlay_hint_refresh(None)

    # --- texts -----------------------------------------------------------------------------------

    def _start(self, params: types.InitializedParams) -> None:
        """Work in the folder that the editor has open, so that messages name files as `tvarc check`
        does there."""
        self._enter_folder()
        workspace = self.client_capabilities.workspace
        watched = workspace.did_change_watched_files if workspace is not None else None
        if watched is not None and watched.dynamic_registration:
            watchers = [types.FileSystemWatcher(one) for one in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            self.client_register_capability(
                types.RegistrationParams([types.Registration("files", method, options)])
            )

        if self._client_lives():  # otherwise it is elsewhere, and its number has no meaning
            self._look_for_client(None)

    def _enter_folder(self) -> bool:
        """Go to the folder that the editor has open; whether there is one."""
        root = self.workspace.root_path
        try:
            os.chdir(root or "")
        except (OSError, ValueError):
            return False
        return True

    def _shut(self, _: None) -> None:
        self._shut_down = True

    def _exit(self, _: None) -> None:
        """End as the protocol says: an editor must first ask to shut down."""
        self._code = exits.OK if self._shut_down else exits.FAILED

    def _look_for_client(self, _: None) -> None:
        """End if the editor has died and something else keeps the stream open."""
        if not self._client_lives():
            self.end()
            os._exit(exits.OK)  # the process would wait for a thread that reads the stream
        asyncio.get_running_loop().call_later(ALIVE, self.guarded(self._look_for_client), None)

    def _client_lives(self) -> bool:
        if self.process_id is None:
            return False
        try:
            os.kill(self.process_id, 0)
        except (ProcessLookupError, OverflowError):
            return False
        except PermissionError:
            pass  # it belongs to another user
        return True

    def _open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Open a source of the language. Some clients also open other files."""
        opened = params.text_document
        if opened.language_id == _LANGUAGE or opened.uri.endswith(f".{_LANGUAGE}"):
            self._take(opened.uri, opened.text)

    def _change(self, params: types.DidChangeTextDocumentParams) -> None:
        changes = params.content_changes
        if changes and _real(params.text_document.uri) in self._uris:
            self._take(params.text_document.uri, changes[-1].text)

    def _take(self, uri: str, text: str) -> None:
        real = _real(uri)
        if real is None:
            return
        self._uris[real] = uri
        # Half of a pair of UTF-16 is no character.
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self._compiled(self.programs.change(real, whole))

    def _close(self, params: types.DidCloseTextDocumentParams) -> None:
        real = _real(params.text_document.uri)
        if real is not None:
            self._compiled(self.programs.close(real))
            self._uris.pop(real, None)

    def _disk_changed(self, params: object) -> None:
        self._compiled(self.programs.compile_all())

    # --- diagnostics -----------------------------------------------------------------------------

    def _compiled(self, snapshots: Sequence[Snapshot]) -> None:
        """Publish the first answer: errors that need no variant. The second answer, with all
        diagnostics, follows after a pause."""
        for gone in self._known.keys() - {one.entry for one in snapshots}:
            del self._known[gone]
        for snapshot in snapshots:
            # Warnings of the last state stay until the second answer, so that they do not flicker.
            if not snapshot.checked and (not snapshot.ok or self._has_errors(snapshot.entry)):
                self._known[snapshot.entry] = self._of_program(snapshot)
        self._publish()
        if self._waiting is not None:
            self._waiting.cancel()
        loop = asyncio.get_running_loop()
        self._waiting = loop.call_later(PAUSE, self.guarded(self._check_all), None)

    def _check_all(self, _: None) -> None:
        for snapshot in self.programs.snapshots.values():
            snapshot.check()
            self._known[snapshot.entry] = self._of_program(snapshot)
        self._publish()
        gc.collect()
        if not self._rested:
            # Modules and the library stay in memory, so no later collection searches them. That
            # would take longer than a check of 44 variants.
            gc.freeze()
            self._rested = True

    def _has_errors(self, entry: str) -> bool:
        found = self._known.get(entry, {}).values()
        return any(
            one.severity == types.DiagnosticSeverity.Error for several in found for one in several
        )

    def _of_program(self, snapshot: Snapshot) -> dict[str, list[types.Diagnostic]]:
        found: dict[str, list[types.Diagnostic]] = {}
        for one in snapshot.diagnostics:
            span = one.primary or Span(snapshot.entry, 0, 0)
            real = snapshot.made.loader.identity(span.file)
            found.setdefault(real, []).append(self.diagnostic(one, span, snapshot))
        return found

    def _publish(self) -> None:
        """Send the diagnostics of all programs, each once, for the files in which they changed."""
        found: dict[str, list[types.Diagnostic]] = {}
        for known in self._known.values():
            for real, several in known.items():
                into = found.setdefault(real, [])
                into += [one for one in several if one not in into]
        for real in sorted(found.keys() | self._sent.keys() | self._uris.keys()):
            now = found.get(real, [])
            if real not in self._sent or self._sent[real] != now:
                uri = self._uris.get(real) or Path(real).as_uri()
                params = types.PublishDiagnosticsParams(uri, now)
                self.text_document_publish_diagnostics(params)
        self._sent = {real: found.get(real, []) for real in found.keys() | self._uris.keys()}

    def diagnostic(self, one: Diagnostic, span: Span, snapshot: Snapshot) -> types.Diagnostic:
        label = [one.labels[0].text] if one.labels and one.labels[0].text else []
        notes = [f"note: {note}" for note in one.notes]
        advice = [f"help: {one.help}"] if one.help else []
        page = error_page_path(one.code)
        error = one.severity is Severity.ERROR
        return types.Diagnostic(
            self.range(span, snapshot),
            "\n".join([one.title, *label, *notes, *advice]),
            severity=types.DiagnosticSeverity.Error if error else types.DiagnosticSeverity.Warning,
            code=one.code,
            code_description=types.CodeDescription(Path(page).as_uri()) if page else None,
            source="tvarc",
            related_information=[
                types.DiagnosticRelatedInformation(
                    self.location(label.span, snapshot), label.text or "here"
                )
                for label in one.labels[1:]
            ],
        )

    # --- places ----------------------------------------------------------------------------------

    def program(self, uri: str) -> tuple[Snapshot, str] | None:
        """The program that answers questions about the file *uri*, and the name of the file in
        it."""
        real = _real(uri)
        snapshot = self.programs.of(real) if real is not None else None
        file = snapshot.file(real) if snapshot is not None and real is not None else None
        return (snapshot, file) if snapshot is not None and file is not None else None

    def place(self, params: Any) -> tuple[Snapshot, str, int] | None:
        """The program and the place that *params* name, with an offset."""
        found = self.program(params.text_document.uri)
        if found is None:
            return None
        snapshot, file = found
        try:
            source = snapshot.source(file)
        except UnreadableSource:
            return None
        return snapshot, file, self.positions(source).offset(params.position)

    def named(self, params: Any) -> tuple[Snapshot, Place] | None:
        """The program of the place that *params* name, and the name there."""
        found = self.place(params)
        place = found[0].meanings.at(found[1], found[2]) if found is not None else None
        return (found[0], place) if found is not None and place is not None else None

    def positions(self, source: Source) -> Positions:
        encoding = self.server_capabilities.position_encoding
        return Positions(source.text, encoding or types.PositionEncodingKind.Utf16)

    def range(self, span: Span, snapshot: Snapshot) -> types.Range:
        try:
            source = snapshot.source(span.file)
        except UnreadableSource:
            source = Source(span.file, "")
        return self.positions(source).range(span.start, span.end)

    def chosen_in(self, snapshot: Snapshot) -> str:
        """The chosen variant of the program; empty if there is none."""
        return self.chosen.get(snapshot.entry, "")

    def variant_at(self, snapshot: Snapshot, file: str, offset: int) -> Variant | None:
        """The variant that is shown at *offset* of *file*."""
        if snapshot.made.resolution is None:
            return None
        return snapshot.looking.variant(self.chosen_in(snapshot), file, offset)

    def uri_of(self, snapshot: Snapshot, file: str) -> str:
        """The address of a *file* of the program *snapshot*, as the editor names it."""
        real = snapshot.made.loader.identity(file)
        return self._uris.get(real) or Path(real).as_uri()

    def location(self, span: Span, snapshot: Snapshot) -> types.Location:
        return types.Location(self.uri_of(snapshot, span.file), self.range(span, snapshot))


def _folder_is_gone() -> bool:
    """Whether somebody deleted the current folder. Relative names mean nothing then."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _real(uri: str) -> str | None:
    """The real path of the file *uri*; None if it is no file."""
    try:
        path = to_fs_path(uri)
        return os.path.realpath(path) if path else None
    except ValueError:  # not an address, or not a valid path
        return None
