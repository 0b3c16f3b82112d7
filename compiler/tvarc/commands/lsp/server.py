"""The server of `tvarc lsp`: what an editor asks, by the protocol, and what the compiler answers.

Only this folder knows the protocol. The answers come from `tvarc.editor` and from commands that
give the same ones.
"""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from tvarc import __version__
from tvarc.commands.check.fixing import fixed
from tvarc.commands.lsp.hover import shown_at
from tvarc.commands.lsp.open_programs import OpenPrograms, OpenTexts, Snapshot
from tvarc.commands.lsp.positions import Positions
from tvarc.commands.start.bug import bug_text
from tvarc.editor.colours import KINDS, parts
from tvarc.editor.completion import complete
from tvarc.editor.meanings import Place
from tvarc.editor.outline import Entry, EntryKind, folds, outline
from tvarc.files.cache import Cache
from tvarc.files.resources import error_page_path
from tvarc.meaning.declarations.noted import Notes, OfferKind
from tvarc.syntax.format.format import format_source
from tvarc.text.diagnostics.model import Diagnostic, Severity, Sink
from tvarc.text.edits import Edit, edited
from tvarc.text.source import Source, Span, UnreadableSource

PAUSE: Final = 0.15
"""Seconds without an edit, after which all variants are decided and lints run."""

CHOOSE: Final = "tvarc.chooseVariant"
"""The command that chooses the variant whose values are shown. It takes its name."""

VARIANTS: Final = "tvarc.variants"
"""The command that returns the names of all variants of the program with a file. It takes the
address of the file."""

_BETWEEN_COLLECTIONS: Final = (20_000, 5, 5)
"""Other commands end soon, and look for unused objects less often."""

_LANGUAGE: Final = "tvar"
_WATCHED: Final = ("**/*.tvar", "**/tvar.lock", "**/*.toml", "**/*.json", "**/*.csv")
_FIX_ALL: Final = "Apply all fixes that leave nothing to choose"

_Params = TypeVar("_Params")
_Answer = TypeVar("_Answer")

_SYMBOLS: Final[dict[EntryKind, types.SymbolKind]] = {
    "module": types.SymbolKind.Module,
    "let": types.SymbolKind.Constant,
    "table": types.SymbolKind.Struct,
    "field": types.SymbolKind.Field,
    "row": types.SymbolKind.EnumMember,
    "axis": types.SymbolKind.Enum,
    "pin": types.SymbolKind.Package,
    "input": types.SymbolKind.Package,
    "overlay": types.SymbolKind.Object,
    "recipe": types.SymbolKind.Class,
    "matrix": types.SymbolKind.Array,
    "output": types.SymbolKind.File,
    "flag": types.SymbolKind.Boolean,
    "need": types.SymbolKind.Interface,
    "setting": types.SymbolKind.Property,
    "block": types.SymbolKind.Namespace,
    "condition": types.SymbolKind.Event,
    "script": types.SymbolKind.Function,
    "part": types.SymbolKind.String,
}

_ITEMS: Final[dict[OfferKind, types.CompletionItemKind]] = {
    "let": types.CompletionItemKind.Constant,
    "table": types.CompletionItemKind.Struct,
    "axis": types.CompletionItemKind.Enum,
    "recipe": types.CompletionItemKind.Class,
    "mixin": types.CompletionItemKind.Class,
    "matrix": types.CompletionItemKind.Class,
    "module": types.CompletionItemKind.Module,
    "row": types.CompletionItemKind.EnumMember,
    "field": types.CompletionItemKind.Field,
    "setting": types.CompletionItemKind.Property,
    "function": types.CompletionItemKind.Function,
    "keyword": types.CompletionItemKind.Keyword,
}


class Server(LanguageServer):
    """Serves one editor."""

    def __init__(self, cache: Cache) -> None:
        super().__init__("tvarc", __version__, types.TextDocumentSyncKind.Full)
        self.programs = OpenPrograms(cache)
        self.chosen = ""
        self._uris: dict[str, str] = {}  # of open files, by their real paths
        # The diagnostics of each program, by its entry and by the file.
        self._known: dict[str, dict[str, list[types.Diagnostic]]] = {}
        self._sent: dict[str, list[types.Diagnostic]] = {}  # by the file
        self._waiting: asyncio.TimerHandle | None = None
        self._register()

    def serve(self) -> None:
        """Answer until the editor ends the session or closes the stream."""
        gc.set_threshold(*_BETWEEN_COLLECTIONS)
        self.start_io()

    def _register(self) -> None:
        on = self._on
        on(types.INITIALIZED, self._start)
        on(types.TEXT_DOCUMENT_DID_OPEN, self._open)
        on(types.TEXT_DOCUMENT_DID_CHANGE, self._change)
        on(types.TEXT_DOCUMENT_DID_CLOSE, self._close)
        on(types.TEXT_DOCUMENT_DID_SAVE, self._disk_changed)
        on(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._disk_changed)
        on(
            types.TEXT_DOCUMENT_CODE_ACTION,
            self._actions,
            types.CodeActionOptions(
                [types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll]
            ),
        )
        on(types.TEXT_DOCUMENT_HOVER, self._hover)
        on(types.TEXT_DOCUMENT_DEFINITION, self._definition)
        on(types.TEXT_DOCUMENT_REFERENCES, self._references)
        on(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, self._highlights)
        on(types.TEXT_DOCUMENT_PREPARE_RENAME, self._prepare_rename)
        on(
            types.TEXT_DOCUMENT_RENAME,
            self._rename,
            types.RenameOptions(prepare_provider=True),
        )
        on(
            types.TEXT_DOCUMENT_COMPLETION,
            self._completion,
            types.CompletionOptions(trigger_characters=[".", "["]),
        )
        on(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, self._symbols)
        on(types.TEXT_DOCUMENT_FOLDING_RANGE, self._folds)
        on(types.TEXT_DOCUMENT_FORMATTING, self._format)
        on(
            types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
            self._tokens,
            types.SemanticTokensLegend([*KINDS], []),
        )
        self._on_command(CHOOSE, self._choose)
        self._on_command(VARIANTS, self._variants)

    def _on(
        self, method: str, ask: Callable[[_Params], _Answer], options: object | None = None
    ) -> None:
        self.feature(method, options)(self._guarded(ask))

    def _on_command(self, name: str, run: Callable[[tuple[str, ...]], object]) -> None:
        run = self._guarded(run)

        def answer(*words: str) -> object:
            return run(words)

        self.command(name)(answer)

    def _guarded(self, ask: Callable[[_Params], _Answer]) -> Callable[[_Params], _Answer | None]:
        """*ask*, but after a fault of tvarc the answer is None, and the log of the editor has the
        report."""

        def answer(params: _Params) -> _Answer | None:
            try:
                return ask(params)
            except Exception as bug:
                whole = os.environ.get("TVARC_TRACEBACK") == "1"
                text = bug_text(bug, whole=whole)
                self.window_log_message(types.LogMessageParams(types.MessageType.Error, text))
                return None

        return answer

    # --- texts -----------------------------------------------------------------------------------

    def _start(self, params: types.InitializedParams) -> None:
        """Work in the folder that the editor has open, so that messages name files as `tvarc check`
        does there."""
        root = self.workspace.root_path
        if root and Path(root).is_dir():
            os.chdir(root)
        workspace = self.client_capabilities.workspace
        watched = workspace.did_change_watched_files if workspace is not None else None
        if watched is not None and watched.dynamic_registration:
            watchers = [types.FileSystemWatcher(one) for one in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            self.client_register_capability(
                types.RegistrationParams([types.Registration("files", method, options)])
            )

    def _open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Take a source of the language. Some clients cannot be kept from opening other files."""
        opened = params.text_document
        if opened.language_id == _LANGUAGE or opened.uri.endswith(f".{_LANGUAGE}"):
            self._take(opened.uri, opened.text)

    def _change(self, params: types.DidChangeTextDocumentParams) -> None:
        if _real(params.text_document.uri) in self._uris:
            self._take(params.text_document.uri, params.content_changes[-1].text)

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
        """Publish the first answer: errors that need no variant. The second one, with everything,
        follows after a pause."""
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
        self._waiting = loop.call_later(PAUSE, self._guarded(self._check_all), None)

    def _check_all(self, _: None) -> None:
        for snapshot in self.programs.snapshots.values():
            snapshot.check()
            self._known[snapshot.entry] = self._of_program(snapshot)
        self._publish()

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
            found.setdefault(real, []).append(self._diagnostic(one, span, snapshot))
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

    def _diagnostic(self, one: Diagnostic, span: Span, snapshot: Snapshot) -> types.Diagnostic:
        label = [one.labels[0].text] if one.labels and one.labels[0].text else []
        notes = [f"note: {note}" for note in one.notes]
        advice = [f"help: {one.help}"] if one.help else []
        page = error_page_path(one.code)
        error = one.severity is Severity.ERROR
        return types.Diagnostic(
            self._range(span, snapshot),
            "\n".join([one.title, *label, *notes, *advice]),
            severity=types.DiagnosticSeverity.Error if error else types.DiagnosticSeverity.Warning,
            code=one.code,
            code_description=types.CodeDescription(Path(page).as_uri()) if page else None,
            source="tvarc",
            related_information=[
                types.DiagnosticRelatedInformation(
                    self._location(label.span, snapshot), label.text or "here"
                )
                for label in one.labels[1:]
            ],
        )

    # --- fixes -----------------------------------------------------------------------------------

    def _actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        found = self._program(params.text_document.uri)
        if found is None:
            return []
        snapshot, file = found[0].original or found[0], found[1]
        only = params.context.only
        kinds = types.CodeActionKind
        actions: list[types.CodeAction] = []
        if only is None or kinds.QuickFix in only:
            actions += self._fixes(snapshot, file, params.range)
        if only is not None and any(kinds.SourceFixAll.value.startswith(one) for one in only):
            done = fixed(snapshot.entry, OpenTexts(self.programs.texts), self.programs.cache)
            edits = [
                Edit(Span(name, 0, len(before)), after)
                for name, (before, after) in done.texts.items()
            ]
            if edits:
                edit = self._workspace_edit(edits, snapshot)
                actions.append(types.CodeAction(_FIX_ALL, kinds.SourceFixAll, edit=edit))
        return actions

    def _fixes(
        self, snapshot: Snapshot, file: str, wanted: types.Range
    ) -> Iterator[types.CodeAction]:
        """The fixes of diagnostics that touch the range *wanted* of *file*."""
        graph = snapshot.made.graph
        for one in snapshot.diagnostics:
            span = one.primary
            own = graph is None or all(graph.is_own(edit.span.file) for edit in one.edits)
            if span is None or span.file != file or not one.edits or not own:
                continue
            diagnostic = self._diagnostic(one, span, snapshot)
            if _touch(diagnostic.range, wanted):
                yield types.CodeAction(
                    one.fix,
                    types.CodeActionKind.QuickFix,
                    diagnostics=[diagnostic],
                    is_preferred=True,
                    edit=self._workspace_edit(one.edits, snapshot),
                )

    def _workspace_edit(self, edits: Sequence[Edit], snapshot: Snapshot) -> types.WorkspaceEdit:
        changes: dict[str, list[types.TextEdit]] = {}
        for edit in edits:
            location = self._location(edit.span, snapshot)
            changes.setdefault(location.uri, []).append(types.TextEdit(location.range, edit.text))
        return types.WorkspaceEdit(changes)

    # --- names and values ------------------------------------------------------------------------

    def _hover(self, params: types.HoverParams) -> types.Hover | None:
        found = self._place(params)
        shown = shown_at(*found, self.chosen) if found is not None else None
        if found is None or shown is None:
            return None
        text = types.MarkupContent(types.MarkupKind.Markdown, shown.text)
        return types.Hover(text, self._range(shown.span, found[0]) if shown.span else None)

    def _definition(self, params: types.DefinitionParams) -> list[types.Location]:
        found = self._place(params)
        if found is None:
            return []
        snapshot, file, offset = found
        graph = snapshot.made.graph
        module = graph.modules.get(file) if graph is not None else None
        for one in module.imports if module is not None else ():
            if one.use.target.start <= offset <= one.use.target.end:
                return [self._location(Span(one.file, 0, 0), snapshot)]
        place = snapshot.meanings.at(file, offset)
        spans = snapshot.meanings.definitions(place.meaning) if place is not None else []
        return [self._location(span, snapshot) for span in spans]

    def _references(self, params: types.ReferenceParams) -> list[types.Location]:
        found = self._named(params)
        if found is None:
            return []
        snapshot, place = found
        spans = snapshot.meanings.references(place.meaning)
        if not params.context.include_declaration:
            declaring = snapshot.meanings.definitions(place.meaning)
            spans = [span for span in spans if span not in declaring]
        return [self._location(span, snapshot) for span in spans]

    def _highlights(self, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        found = self._named(params)
        if found is None:
            return []
        snapshot, place = found
        return [
            types.DocumentHighlight(self._range(span, snapshot))
            for span in snapshot.meanings.references(place.meaning)
            if span.file == place.span.file
        ]

    def _prepare_rename(self, params: types.PrepareRenameParams) -> types.Range | None:
        found = self._named(params)
        if found is None:
            return None
        snapshot, place = found
        can = _is_whole(snapshot) and snapshot.meanings.renamed(place.meaning, "x") is not None
        return self._range(place.span, snapshot) if can else None

    def _rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        """The edits, if the program is as free of errors after them, and has all names of the
        thing."""
        found = self._named(params)
        if found is None:
            return None
        snapshot, place = found
        edits = snapshot.meanings.renamed(place.meaning, params.new_name)
        if not edits or not _is_whole(snapshot):
            return None
        texts = {edit.span.file: snapshot.source(edit.span.file).text for edit in edits}
        after = {
            snapshot.made.loader.identity(file): text for file, text in edited(texts, edits).items()
        }
        then = self.programs.snapshot(snapshot.entry, after)
        renamed = then.meanings.at(edits[0].span.file, edits[0].span.start)
        if not then.ok or renamed is None:
            return None
        same = len(then.meanings.references(renamed.meaning)) == len(edits)
        return self._workspace_edit(edits, snapshot) if same else None

    def _completion(self, params: types.CompletionParams) -> list[types.CompletionItem]:
        found = self._place(params)
        if found is None:
            return []
        snapshot, file, offset = found
        real = snapshot.made.loader.identity(file)

        def compiled(text: str, notes: Notes) -> Any:
            return self.programs.snapshot(snapshot.entry, {real: text}, notes).made

        source = snapshot.source(file)
        done = complete(source, offset, compiled, self.programs.cache)
        where = self._positions(source).range(done.span.start, done.span.end)
        return [
            types.CompletionItem(
                one.name,
                kind=_ITEMS.get(one.kind, types.CompletionItemKind.Variable),
                detail=one.detail or None,
                sort_text=f"{number:05}",
                text_edit=types.TextEdit(where, one.name),
            )
            for number, one in enumerate(done.offers)
        ]

    def _choose(self, words: tuple[str, ...]) -> bool:
        """Show the values of the variant *name* from now on; by default those of a variant that the
        place at hand is for. Returns whether there is such a variant."""
        name = "".join(words)
        variants = [one for each in self.programs.snapshots.values() for one in each.made.variants]
        known = not name or any(one.name == name for one in variants)
        if known:
            self.chosen = name
        return known

    def _variants(self, words: tuple[str, ...]) -> list[str]:
        found = self._program("".join(words))
        return [one.name for one in found[0].made.variants] if found is not None else []

    # --- sources ---------------------------------------------------------------------------------

    def _symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        found = self._program(params.text_document.uri)
        tree = found[0].tree(found[1]) if found is not None else None
        if found is None or tree is None:
            return []
        source = found[0].source(found[1])
        positions = self._positions(source)

        def symbol(entry: Entry) -> types.DocumentSymbol:
            return types.DocumentSymbol(
                entry.name or " ",
                _SYMBOLS[entry.kind],
                positions.range(entry.span.start, entry.span.end),
                positions.range(entry.at.start, entry.at.end),
                detail=entry.kind,
                children=[symbol(one) for one in entry.inner],
            )

        return [symbol(one) for one in outline(tree, source)]

    def _folds(self, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        found = self._program(params.text_document.uri)
        tree = found[0].tree(found[1]) if found is not None else None
        if found is None or tree is None:
            return []
        source = found[0].source(found[1])
        positions = self._positions(source)
        lines = [positions.range(one.start, one.end) for one in folds(tree, source)]
        return [types.FoldingRange(one.start.line, one.end.line) for one in lines]

    def _tokens(self, params: types.SemanticTokensParams) -> types.SemanticTokens:
        """The parts of a source, each by its distance from the one before."""
        found = self._program(params.text_document.uri)
        data: list[int] = []
        if found is None:
            return types.SemanticTokens(data)
        snapshot, file = found
        read = snapshot.made.sources.get(file) or snapshot.source(file)
        positions = self._positions(snapshot.source(file))
        before = types.Position(0, 0)
        for part in parts(read, snapshot.meanings, self.programs.cache):
            where = positions.range(part.start, part.end)
            lines = where.start.line - before.line
            across = where.start.character - (0 if lines else before.character)
            length = where.end.character - where.start.character
            data += [lines, across, length, KINDS.index(part.kind), 0]
            before = where.start
        return types.SemanticTokens(data)

    def _format(self, params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        found = self._program(params.text_document.uri)
        if found is None:
            return []
        source = found[0].source(found[1])
        text = format_source(source, Sink(), self.programs.cache)
        if text is None:
            return []
        positions = self._positions(source)
        return [
            types.TextEdit(positions.range(edit.span.start, edit.span.end), edit.text)
            for edit in _line_edits(source, text)
        ]

    # --- places ----------------------------------------------------------------------------------

    def _program(self, uri: str) -> tuple[Snapshot, str] | None:
        """The program of the file *uri*, for questions, and its name in the program."""
        real = _real(uri)
        snapshot = self.programs.of(real) if real is not None else None
        file = snapshot.file(real) if snapshot is not None and real is not None else None
        return (snapshot, file) if snapshot is not None and file is not None else None

    def _place(self, params: Any) -> tuple[Snapshot, str, int] | None:
        """The program and the place that *params* name, with an offset."""
        found = self._program(params.text_document.uri)
        if found is None:
            return None
        snapshot, file = found
        try:
            source = snapshot.source(file)
        except UnreadableSource:
            return None
        return snapshot, file, self._positions(source).offset(params.position)

    def _named(self, params: Any) -> tuple[Snapshot, Place] | None:
        """The program of the place that *params* name, and the name there."""
        found = self._place(params)
        place = found[0].meanings.at(found[1], found[2]) if found is not None else None
        return (found[0], place) if found is not None and place is not None else None

    def _positions(self, source: Source) -> Positions:
        encoding = self.server_capabilities.position_encoding
        return Positions(source.text, encoding or types.PositionEncodingKind.Utf16)

    def _range(self, span: Span, snapshot: Snapshot) -> types.Range:
        try:
            source = snapshot.source(span.file)
        except UnreadableSource:
            source = Source(span.file, "")
        return self._positions(source).range(span.start, span.end)

    def _location(self, span: Span, snapshot: Snapshot) -> types.Location:
        real = snapshot.made.loader.identity(span.file)
        return types.Location(
            self._uris.get(real) or Path(real).as_uri(), self._range(span, snapshot)
        )


def _real(uri: str) -> str | None:
    """The real path of the file *uri*; None if it is no file."""
    path = to_fs_path(uri)
    return os.path.realpath(path) if path else None


def _is_whole(snapshot: Snapshot) -> bool:
    """Whether *snapshot* has all names of its program: it has no errors."""
    return snapshot.ok and snapshot.original is None


def _touch(one: types.Range, other: types.Range) -> bool:
    return one.start <= other.end and other.start <= one.end


def _line_edits(source: Source, text: str) -> Iterator[Edit]:
    """The edits that make *text* of *source*, each of whole lines."""
    old, new = source.text.splitlines(keepends=True), text.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, first, last, low, high in matcher.get_opcodes():
        if kind != "equal":
            yield Edit(Span(source.file, starts[first], starts[last]), "".join(new[low:high]))
