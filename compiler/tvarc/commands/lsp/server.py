"""The server of `tvarc lsp`: it receives the requests of an editor and sends the answers of the
compiler. Only this folder depends on the protocol. The answers come from `tvarc.editor` and from
commands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import count
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tvarc.commands.lsp.asking import dropped_by
from tvarc.commands.lsp.hints import hints, lenses
from tvarc.commands.lsp.hover import row_text, shown_at
from tvarc.commands.lsp.open_programs import OpenTexts, Snapshot
from tvarc.commands.lsp.positions import Positions
from tvarc.commands.lsp.running import EXPLAIN, RECIPE, SHOW, VARIANTS, WHO, WHY_NOT, Running
from tvarc.commands.lsp.wire import Wire
from tvarc.commands.programs.fixing import fixed
from tvarc.editor.actions import actions_at, builds_the_same, with_row
from tvarc.editor.colours import KINDS, parts
from tvarc.editor.completion import called_at, complete
from tvarc.editor.meanings import NotRenamed, Place
from tvarc.editor.outline import Entry, EntryKind, around, declared, folds, nodes_at, outline
from tvarc.editor.packages import PackageNames, names_of
from tvarc.files.cache import Cache
from tvarc.meaning.declarations.noted import Notes, Offer, OfferKind
from tvarc.syntax import ast
from tvarc.syntax.format.format import format_source
from tvarc.text.diagnostics.model import Severity, Sink
from tvarc.text.edits import Edit, edited
from tvarc.text.source import Source, Span

_DESCRIBED: Final = 200
"""The greatest number of names that are sent together with their facts."""
_EXCLUDE: Final = types.CodeActionKind.RefactorRewrite
_FIX_ALL: Final = "Apply all fixes that leave nothing to choose"

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


class Server(Wire):
    """Serves one editor."""

    def __init__(self, cache: Cache) -> None:
        super().__init__(cache)
        self._register()
        self._running = Running(self)

    def end(self) -> None:
        self._running.end()

    def _register(self) -> None:
        on = self.on
        on(
            types.TEXT_DOCUMENT_CODE_ACTION,
            self._actions,
            types.CodeActionOptions(
                [
                    types.CodeActionKind.QuickFix,
                    types.CodeActionKind.RefactorExtract,
                    _EXCLUDE,
                    types.CodeActionKind.SourceFixAll,
                ]
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
        on(types.TEXT_DOCUMENT_RANGE_FORMATTING, self._format_range)
        on(
            types.TEXT_DOCUMENT_ON_TYPE_FORMATTING,
            self._format_typed,
            types.DocumentOnTypeFormattingOptions("}", ["]", ")"]),
        )
        on(types.WORKSPACE_SYMBOL, self._all_symbols)
        on(types.TEXT_DOCUMENT_SELECTION_RANGE, self._selections)
        on(
            types.TEXT_DOCUMENT_SIGNATURE_HELP,
            self._signature,
            types.SignatureHelpOptions(["(", ","]),
        )
        on(
            types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
            self._tokens,
            types.SemanticTokensLegend([*KINDS], []),
        )
        on(types.TEXT_DOCUMENT_INLAY_HINT, self._hints)
        on(types.TEXT_DOCUMENT_CODE_LENS, self._lenses)

    # --- fixes -----------------------------------------------------------------------------------

    def _actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        found = self.program(params.text_document.uri)
        if found is None:
            return []
        snapshot, file = found
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
        # Some editors send this request at each move of the cursor. These answers take longer.
        moved = params.context.trigger_kind == types.CodeActionTriggerKind.Automatic
        if snapshot.ok and not moved:
            if only is None or any(kinds.Refactor.value.startswith(one) for one in only):
                actions += self._changes(snapshot, file, params)
            if only is None:
                actions += self._questions(snapshot, file, params)
        return actions

    def _changes(
        self, snapshot: Snapshot, file: str, params: types.CodeActionParams
    ) -> Iterator[types.CodeAction]:
        """The changes at a place that the compiler accepts."""
        source = snapshot.source(file)
        offset = self.positions(source).offset(params.range.start)
        variant = self.variant_at(snapshot, file, offset)
        scopes = snapshot.notes.scopes
        for one in actions_at(snapshot.made, scopes, source, offset, variant):
            after = self.programs.after(snapshot, one.edits).made
            if after.sink.has_errors:
                continue
            before = self.programs.snapshot(snapshot.entry).made if one.same else after
            if before is after or builds_the_same(before, after):
                edits = self._laid_out(snapshot, one.edits)
                edit = self._workspace_edit(edits, snapshot)
                kind = types.CodeActionKind.RefactorExtract if one.same else _EXCLUDE
                yield types.CodeAction(one.title, kind, edit=edit)

    def _laid_out(self, snapshot: Snapshot, edits: Sequence[Edit]) -> list[Edit]:
        """The *edits* as edits of whole lines. A file that had the layout of `tvarc fmt` is laid
        out again after them."""
        found: list[Edit] = []
        sources = {edit.span.file: snapshot.source(edit.span.file) for edit in edits}
        texts = {file: source.text for file, source in sources.items()}
        cache = self.programs.cache
        for file, text in edited(texts, edits).items():
            if format_source(sources[file], Sink(), cache) == texts[file]:
                text = format_source(Source(file, text), Sink(), cache) or text
            found += _line_edits(sources[file], text)
        return found

    def _questions(
        self, snapshot: Snapshot, file: str, params: types.CodeActionParams
    ) -> Iterator[types.CodeAction]:
        """The commands that answer questions about the line."""
        tree, uri, at = snapshot.tree(file), params.text_document.uri, params.range.start
        offset = self.positions(snapshot.source(file)).offset(at)
        chain = nodes_at(tree, offset) if tree is not None else []
        if len(chain) < 2 or not snapshot.made.variants:
            return
        asked: list[tuple[str, list[object]]] = [
            ("Which recipes does this line affect?", [WHO, uri, at.line])
        ]
        if isinstance(chain[1], ast.Recipe | ast.Matrix | ast.Variant):
            asked.insert(0, ("Explain this", [EXPLAIN, uri, at.line, at.character]))
        exclude = next((one for one in chain if isinstance(one, ast.Exclude)), None)
        words = dropped_by(snapshot.made, exclude.span) if exclude is not None else []
        if words:
            asked.append((f"Why is there no {' '.join(words)}?", [WHY_NOT, uri, *words]))
        for title, arguments in asked:
            yield types.CodeAction(title, command=types.Command(title, SHOW, arguments=arguments))

    def _fixes(
        self, snapshot: Snapshot, file: str, wanted: types.Range
    ) -> Iterator[types.CodeAction]:
        """The fixes of diagnostics that touch the range *wanted* of *file*."""
        graph = snapshot.made.graph
        for one in snapshot.diagnostics:
            span = one.primary
            own = graph is None or all(graph.is_own(edit.span.file) for edit in one.edits)
            if span is None or span.file != file or not (one.edits or one.lacking) or not own:
                continue
            diagnostic = self.diagnostic(one, span, snapshot)
            if not _touch(diagnostic.range, wanted):
                continue
            if one.edits:
                yield types.CodeAction(
                    one.fix,
                    types.CodeActionKind.QuickFix,
                    diagnostics=[diagnostic],
                    is_preferred=True,
                    edit=self._workspace_edit(one.edits, snapshot),
                )
            for row in one.lacking:
                edit = with_row(snapshot.made, row)
                if edit is not None:
                    yield types.CodeAction(
                        f"add `{row.text}`",
                        types.CodeActionKind.QuickFix,
                        diagnostics=[diagnostic],
                        edit=self._to_complete(edit, snapshot),
                    )

    def _to_complete(self, edit: Edit, snapshot: Snapshot) -> types.WorkspaceEdit:
        """*edit*, with the cursor at the first `…` of it if the editor can place it."""
        workspace = self.client_capabilities.workspace
        can = workspace.workspace_edit if workspace is not None else None
        if can is None or not can.snippet_edit_support:
            return self._workspace_edit([edit], snapshot)
        location = self.location(edit.span, snapshot)
        stops = count(1)
        text = re.sub(r"[\\$}]", r"\\\g<0>", edit.text)
        text = re.sub("…", lambda _: f"${{{next(stops)}:…}}", text)
        snippet = types.SnippetTextEdit(location.range, types.StringValue(text))
        document = types.OptionalVersionedTextDocumentIdentifier(location.uri)
        return types.WorkspaceEdit(
            document_changes=[types.TextDocumentEdit(document, [snippet])]
        )

    def _workspace_edit(self, edits: Sequence[Edit], snapshot: Snapshot) -> types.WorkspaceEdit:
        changes: dict[str, list[types.TextEdit]] = {}
        for edit in edits:
            location = self.location(edit.span, snapshot)
            changes.setdefault(location.uri, []).append(types.TextEdit(location.range, edit.text))
        return types.WorkspaceEdit(changes)

    # --- names and values ------------------------------------------------------------------------

    def _hover(self, params: types.HoverParams) -> types.Hover | None:
        found = self.place(params)
        shown = shown_at(*found, self.chosen_in(found[0])) if found is not None else None
        if found is None or shown is None:
            return None
        text = types.MarkupContent(types.MarkupKind.Markdown, shown.text)
        return types.Hover(text, self.range(shown.span, found[0]) if shown.span else None)

    def _definition(self, params: types.DefinitionParams) -> list[types.Location]:
        found = self.place(params)
        if found is None:
            return []
        snapshot, file, offset = found
        graph = snapshot.made.graph
        module = graph.modules.get(file) if graph is not None else None
        for one in module.imports if module is not None else ():
            if one.use.target.start <= offset <= one.use.target.end:
                return [self.location(Span(one.file, 0, 0), snapshot)]
        place = snapshot.meanings.at(file, offset)
        spans = snapshot.meanings.definitions(place.meaning) if place is not None else []
        return [self.location(span, snapshot) for span in spans]

    def _references(self, params: types.ReferenceParams) -> list[types.Location]:
        found = self.named(params)
        if found is None:
            return []
        snapshot, place = found
        spans = snapshot.meanings.references(place.meaning)
        if not params.context.include_declaration:
            declaring = snapshot.meanings.definitions(place.meaning)
            spans = [span for span in spans if span not in declaring]
        return [self.location(span, snapshot) for span in spans]

    def _highlights(self, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        found = self.named(params)
        if found is None:
            return []
        snapshot, place = found
        return [
            types.DocumentHighlight(self.range(span, snapshot))
            for span in snapshot.meanings.references(place.meaning)
            if span.file == place.span.file
        ]

    def _prepare_rename(self, params: types.PrepareRenameParams) -> types.Range | None:
        found = self.named(params)
        if found is None:
            return None
        snapshot, place = found
        self._renamed(snapshot, place, "x")
        return self.range(place.span, snapshot)

    def _renamed(self, snapshot: Snapshot, place: Place, name: str) -> list[Edit]:
        """The edits that rename what is at *place*. If it cannot be renamed, the answer is an
        error.
        """
        try:
            edits = snapshot.meanings.renamed(place.meaning, name)
        except NotRenamed as reason:
            raise _refused(f"This cannot be renamed: {reason}.") from None
        if not snapshot.ok:
            raise _refused("Nothing is renamed while the program has errors.")
        return edits

    def _rename(self, params: types.RenameParams) -> types.WorkspaceEdit:
        """The edits of all names of the thing, if they cause no error."""
        found = self.named(params)
        if found is None:
            raise _refused("There is no name here.")
        snapshot, place = found
        edits = self._renamed(snapshot, place, params.new_name)
        then = self.programs.after(snapshot, edits)
        first = next((one for one in then.diagnostics if one.severity is Severity.ERROR), None)
        if first is not None:
            raise _refused(f"The program would have an error: {first.title} ({first.code}).")
        renamed = then.meanings.at(edits[0].span.file, edits[0].span.start)
        if renamed is None or len(then.meanings.references(renamed.meaning)) != len(edits):
            raise _refused(f"`{params.new_name}` means something else in a part of the program.")
        return self._workspace_edit(edits, snapshot)

    def _completion(self, params: types.CompletionParams) -> list[types.CompletionItem]:
        found = self.place(params)
        if found is None:
            return []
        snapshot, file, offset = found
        real = snapshot.made.loader.identity(file)

        def compiled(text: str, notes: Notes) -> Any:
            return self.programs.snapshot(snapshot.entry, {real: text}, notes).made

        source = snapshot.source(file)

        def package() -> PackageNames | None:
            variant = self.variant_at(snapshot, file, offset)
            recipe = snapshot.looking.recipe(variant) if variant is not None else None
            return names_of(recipe, snapshot.made.loader) if recipe is not None else None

        done = complete(source, offset, compiled, self.programs.cache, package)
        where = self.positions(source).range(done.span.start, done.span.end)
        return [
            types.CompletionItem(
                one.name,
                kind=_ITEMS.get(one.kind, types.CompletionItemKind.Variable),
                detail=one.detail or None,
                documentation=self._facts(snapshot, one, len(done.offers)),
                sort_text=f"{number:05}",
                text_edit=types.TextEdit(where, one.name),
            )
            for number, one in enumerate(done.offers)
        ]

    def _facts(
        self, snapshot: Snapshot, offer: Offer, count: int
    ) -> types.MarkupContent | None:
        """The facts of the row *offer*, unless it is one of very many names."""
        if offer.row is None or count > _DESCRIBED:
            return None
        text = row_text(snapshot, offer.row)
        return types.MarkupContent(types.MarkupKind.Markdown, text)

    def _signature(self, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        found = self.place(params)
        if found is None:
            return None
        snapshot, file, offset = found
        called = called_at(snapshot.source(file), offset, self.programs.cache)
        if called is None:
            return None
        one = called.signature
        parameters = [
            types.ParameterInformation(each.name, documentation=" or ".join(each.kinds))
            for each in one.parameters
        ]
        shown = types.SignatureInformation(one.show(), f"makes a {one.result}", parameters)
        return types.SignatureHelp([shown], 0, called.argument)

    # --- between the lines -----------------------------------------------------------------------

    def _hints(self, params: types.InlayHintParams) -> list[types.InlayHint]:
        found = self.program(params.text_document.uri)
        if found is None:
            return []
        snapshot, file = found
        positions = self.positions(snapshot.source(file))
        first, last = map(positions.offset, (params.range.start, params.range.end))
        chosen = self.chosen_in(snapshot)
        made: list[types.InlayHint] = []
        for one in hints(snapshot, file, chosen, first, last):
            at = positions.position(one.at)
            made.append(types.InlayHint(at, one.text, tooltip=one.more, padding_left=True))
        return made

    def _lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        found = self.program(params.text_document.uri)
        if found is None:
            return []
        snapshot, file = found
        uri = params.text_document.uri
        made: list[types.CodeLens] = []
        for one in lenses(snapshot, file):
            where = self.range(one.span, snapshot)
            commands = [types.Command(one.text, SHOW, arguments=[VARIANTS, uri, one.name])]
            if one.recipe:
                place = [RECIPE, uri, where.start.line]
                commands.append(types.Command("open the recipe", SHOW, arguments=place))
            made += [types.CodeLens(where, command) for command in commands]
        return made

    # --- sources ---------------------------------------------------------------------------------

    def _read(self, uri: str) -> tuple[ast.Module, Source, Positions] | None:
        """The tree and the text of a source, and the positions in it; None if it belongs to no
        program."""
        found = self.program(uri)
        tree = found[0].tree(found[1]) if found is not None else None
        if found is None or tree is None:
            return None
        source = found[0].source(found[1])
        return tree, source, self.positions(source)

    def _symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        found = self._read(params.text_document.uri)
        if found is None:
            return []
        tree, source, positions = found

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

    def _all_symbols(self, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
        """The declarations of the open programs, with their rows, fields, flags and needs, whose
        names have the letters of the query in that order."""
        found: list[types.SymbolInformation] = []
        seen: set[str] = set()
        for snapshot in self.programs.snapshots.values():
            for file in snapshot.own_files():
                tree, real = snapshot.tree(file), snapshot.made.loader.identity(file)
                if tree is None or real in seen:
                    continue
                seen.add(real)
                for one, owner in declared(outline(tree, snapshot.source(file))):
                    if _fits(params.query, one.name):
                        where = self.location(one.at, snapshot)
                        symbol = types.SymbolInformation(
                            where, one.name, _SYMBOLS[one.kind], container_name=owner or None
                        )
                        found.append(symbol)
        return found

    def _selections(self, params: types.SelectionRangeParams) -> list[types.SelectionRange]:
        found = self._read(params.text_document.uri)
        made: list[types.SelectionRange] = []
        for place in params.positions:
            chosen = types.SelectionRange(types.Range(place, place))
            if found is not None:
                tree, _, positions = found
                outer: types.SelectionRange | None = None
                for span in reversed(around(tree, positions.offset(place))):
                    outer = types.SelectionRange(positions.range(span.start, span.end), outer)
                chosen = outer or chosen
            made.append(chosen)
        return made

    def _folds(self, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        found = self._read(params.text_document.uri)
        if found is None:
            return []
        tree, source, positions = found
        lines = [positions.range(one.start, one.end) for one in folds(tree, source)]
        return [types.FoldingRange(one.start.line, one.end.line) for one in lines]

    def _tokens(self, params: types.SemanticTokensParams) -> types.SemanticTokens:
        """The parts of a source, each by its distance from the one before."""
        found = self.program(params.text_document.uri)
        data: list[int] = []
        if found is None:
            return types.SemanticTokens(data)
        snapshot, file = found
        read = snapshot.made.sources.get(file) or snapshot.source(file)
        positions = self.positions(snapshot.source(file))
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
        return self._formatted(params.text_document.uri, lambda positions, tree: None)

    def _format_range(self, params: types.DocumentRangeFormattingParams) -> list[types.TextEdit]:
        return self._formatted(
            params.text_document.uri, lambda positions, tree: params.range
        )

    def _format_typed(self, params: types.DocumentOnTypeFormattingParams) -> list[types.TextEdit]:
        """Lay out the code that ends with the typed bracket."""

        def closed(positions: Positions, tree: ast.Module) -> types.Range:
            end = positions.offset(params.position)
            spans = [span for span in around(tree, end) if span.end == end and span != tree.span]
            start = min([span.start for span in spans], default=end)
            return positions.range(start, end)

        return self._formatted(params.text_document.uri, closed)

    def _formatted(
        self, uri: str, wanted: Callable[[Positions, ast.Module], types.Range | None]
    ) -> list[types.TextEdit]:
        """The edits that lay out the lines *wanted* of a source, or all if that is None."""
        found = self._read(uri)
        text = format_source(found[1], Sink(), self.programs.cache) if found is not None else None
        if found is None or text is None:
            return []
        tree, source, positions = found
        lines = wanted(positions, tree)
        edits = [
            types.TextEdit(positions.range(edit.span.start, edit.span.end), edit.text)
            for edit in _line_edits(source, text)
        ]
        return [one for one in edits if lines is None or _same_lines(one.range, lines)]


def _refused(reason: str) -> JsonRpcException:
    """The answer to a request that fails. The editor shows the *reason*."""
    return JsonRpcException(reason, types.LSPErrorCodes.RequestFailed.value)


def _touch(one: types.Range, other: types.Range) -> bool:
    return one.start <= other.end and other.start <= one.end


def _same_lines(one: types.Range, other: types.Range) -> bool:
    """Whether *one*, which ends before its last line, has a line of *other*."""
    last = max(one.start.line, one.end.line - 1)
    return one.start.line <= other.end.line and other.start.line <= last


def _fits(query: str, name: str) -> bool:
    """Whether *name* has the letters of *query*, in that order."""
    letters = iter(name.lower())
    return all(letter in letters for letter in query.lower())


def _line_edits(source: Source, text: str) -> Iterator[Edit]:
    """The edits that turn *source* into *text*, each of whole lines."""
    old, new = source.text.splitlines(keepends=True), text.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for kind, first, last, low, high in matcher.get_opcodes():
        if kind == "replace" and last - first == high - low:  # lines of their own
            for number, instead in zip(range(first, last), new[low:high], strict=True):
                yield Edit(Span(source.file, starts[number], starts[number + 1]), instead)
        elif kind != "equal":
            yield Edit(Span(source.file, starts[first], starts[last]), "".join(new[low:high]))
