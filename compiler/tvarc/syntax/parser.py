"""From text to the AST. The only module that knows the parser library."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, cast

from lark import Lark, TextSlice, Token, UnexpectedCharacters, UnexpectedInput
from lark.lark import PostLex
from lark.lexer import LexerState, LineCounter
from lark.parsers.lalr_interactive_parser import InteractiveParser

from tvarc.diagnostics.model import Sink
from tvarc.resources import grammar_text
from tvarc.source import Source, Span
from tvarc.syntax import ast
from tvarc.syntax.build_items import ItemBuilder
from tvarc.syntax.cst import MAX_DEPTH, Cst, Leaf, TooDeepError
from tvarc.syntax.fault import Fault, Place
from tvarc.syntax.hints import Advice, advise
from tvarc.syntax.layout import Layout
from tvarc.syntax.terminals import ALWAYS
from tvarc.syntax.unclosed import advise_unclosed, declaration_at

Trees = tuple[Cst | Leaf, ...]

_MOST_FAULTS: Final = 100  # of syntax in one file; more would bury the first
_MOST_REWINDS: Final = 20  # to before what a missing bracket swallowed


def parse_module(source: Source, sink: Sink) -> ast.Module:
    """The items of one file. Faults go to *sink* in source order; what parsed is kept."""
    faults = Sink()
    items = tuple(_Reader(source, faults).items())
    # What a missing bracket swallowed was read twice, so their order is not the source's yet.
    for diagnostic in sorted(faults, key=lambda fault: fault.primary or Span(source.file, 0, 0)):
        sink.add(diagnostic)
    return ast.Module(source.file, items, Span(source.file, 0, len(source.text)))


def parse_trees(source: Source) -> Trees:
    """The items of a file without faults, with every token: for who asks how it was written."""
    return tuple(_Reader(source, Sink()).trees())


def parse_expression(source: Source, sink: Sink) -> ast.Expr | None:
    """The whole text as one expression, newlines counting for nothing; None after a fault."""
    return _Reader(source, sink).expression()


class _Everywhere(PostLex):
    """Tells the lexer which terminals it accepts in every state; layout filters them later."""

    always_accept = ALWAYS

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return stream


@cache
def _tables() -> Lark:
    return Lark(
        grammar_text(), parser="lalr", start=["item", "expr"], postlex=_Everywhere(),
        keep_all_tokens=True, maybe_placeholders=False,
        tree_class=cast("Any", Cst),  # called with a rule's name and its children
    )  # fmt: skip


class _FaultError(Exception):
    """A fault of syntax on its way out of one run of the parser."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind)
        self.fault = fault


class _Run:
    """One run of the parser over a part of the source, as an item or as an expression."""

    __slots__ = ("_begin", "_end", "_place", "_source", "before", "layout", "stop")

    def __init__(self, source: Source, begin: int, end: int, place: Place) -> None:
        self._source, self._begin, self._end, self._place = source, begin, end, place
        self.layout = Layout(newline_ends=place == "item")
        self.before: list[Token] = []
        self.stop = end  # offset after what was read

    def tree(self) -> Cst | Leaf | None:
        """What was read; None for an item where nothing is. Raises _FaultError, TooDeepError."""
        rule = "item" if self._place == "item" else "expr"
        session = _tables().parse_interactive(start=rule)
        # In place from the start: counting the lines before would be quadratic.
        counter = LineCounter("\n")  # type: ignore[no-untyped-call]
        counter.char_pos = self._begin
        part = TextSlice(self._source.text, self._begin, self._end)
        session.lexer_thread.state = LexerState(part, counter)
        try:
            return self._read(session)
        except UnexpectedInput as error:
            raise _FaultError(self._fault(error, session)) from None

    def _read(self, session: InteractiveParser) -> Cst | Leaf | None:
        state, before, layout = session.parser_state, self.before, self.layout
        tokens = session.lexer_thread.lex(state)  # type: ignore[no-untyped-call]
        for token in tokens:
            if layout.keep(cast("Leaf", token)):
                state.feed_token(token)
                before.append(token)
            elif layout.finished:
                self.stop = token.end_pos or self._end
                break
        if not before and self._place == "item":
            return None
        last = before[-1].end_pos if before else self._begin
        end = Token("$END", "", last, end_pos=last)
        return cast("Cst | Leaf", state.feed_token(end, True))

    def _fault(self, error: UnexpectedInput, session: InteractiveParser) -> Fault:
        if isinstance(error, UnexpectedCharacters):
            kind, start = "char", error.pos_in_stream or 0
            end = start + 1
        else:
            token = cast("Any", error).token
            kind, start, end = token.type, token.start_pos, token.end_pos
            if kind == "_NL":
                start = end = self.before[-1].end_pos or start
        accepted = frozenset(session.accepts())  # type: ignore[no-untyped-call]
        openers = self.layout.around(kind, start)
        if self._place == "item" and not openers:
            accepted -= {"_NL", "COMMA"}
        before = cast("tuple[Leaf, ...]", tuple(self.before))
        return Fault(self._source, self._place, kind, start, end, accepted, before, openers)


class _Reader:
    """Reads one source: item after item, or as one expression."""

    __slots__ = ("_builder", "_rewinds", "_sink", "_source")

    def __init__(self, source: Source, sink: Sink) -> None:
        self._source = source
        self._sink = sink
        self._builder = ItemBuilder(source, sink, self._part)
        self._rewinds = 0

    def items(self) -> Iterator[ast.Item]:
        for tree in self.trees():
            yield self._builder.item(tree)

    def trees(self) -> Iterator[Cst | Leaf]:
        """What each item was read as, before it becomes a node of the AST."""
        at, faults = self._begin(), 0
        while faults < _MOST_FAULTS:
            run = _Run(self._source, at, len(self._source.text), "item")
            try:
                tree = run.tree()
            except (_FaultError, TooDeepError) as error:
                faults += 1
                first = run.before[0].start_pos if run.before else None
                at = self._next_declaration(self._report(error), at if first is None else first)
                continue
            if tree is None:
                return
            yield tree
            at = run.stop

    def expression(self) -> ast.Expr | None:
        tree = self._whole(self._begin(), len(self._source.text), "expression")
        return self._builder.expression(tree) if tree is not None else None

    def _part(self, start: int, end: int) -> Cst | Leaf | None:
        return self._whole(start, end, "interpolation")

    def _whole(self, start: int, end: int, place: Place) -> Cst | Leaf | None:
        try:
            return _Run(self._source, start, end, place).tree()
        except (_FaultError, TooDeepError) as error:
            self._report(error)
            return None

    def _begin(self) -> int:
        return 1 if self._source.text.startswith("\ufeff") else 0

    def _report(self, error: _FaultError | TooDeepError) -> int:
        """Tell of the fault; the offset from which to look for the next declaration."""
        if isinstance(error, TooDeepError):
            advice = Advice(
                "nested too deeply",
                error.start,
                error.end,
                f"more than {MAX_DEPTH} levels",
                "give inner parts names with `let`",
                code="E109",
            )
            beyond = error.end
        else:
            advice = advise_unclosed(error.fault) or advise(error.fault)
            beyond = error.fault.start
        file = self._source.file
        others = [(Span(file, start, end), text) for start, end, text in advice.others]
        self._sink.error(
            advice.code,
            advice.title,
            Span(file, advice.start, advice.end),
            advice.label,
            others=others,
            notes=advice.notes,
            help=advice.help,
        )
        if advice.resume is None or advice.resume >= beyond:
            return advice.resume or beyond
        self._rewinds += 1
        return advice.resume if self._rewinds <= _MOST_REWINDS else beyond

    def _next_declaration(self, at: int, failed: int) -> int:
        """Offset of the next line, from *at* and after *failed*, that begins a declaration."""
        text = self._source.text
        at = max(at, failed + 1)
        if declaration_at(text, at):
            return at
        while (found := text.find("\n", at)) >= 0:
            at = found + 1
            if declaration_at(text, at):
                return at
        return len(text)
