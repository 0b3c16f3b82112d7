"""Makes the AST from text."""

from __future__ import annotations

from tvarc.files.cache import Cache
from tvarc.light import TYPE_CHECKING, Final, Iterator
from tvarc.syntax import ast
from tvarc.syntax.automaton import END
from tvarc.syntax.build import ItemBuilder
from tvarc.syntax.cst import MAX_DEPTH, Cst, Leaf, TooDeepError
from tvarc.syntax.machine import Refused, Run, machine
from tvarc.text.diagnostics.model import Diagnostic, Label, Sink
from tvarc.text.source import Source, Span

if TYPE_CHECKING:
    from tvarc.syntax.fault import Fault, Place

Trees = tuple[Cst | Leaf, ...]

_MOST_FAULTS: Final = 100  # syntax faults in one file; more would hide the first
_MOST_REWINDS: Final = 20  # returns to before text that a missing bracket swallowed


def parse_module(source: Source, sink: Sink, cache: Cache | None = None) -> ast.Module:
    """The items of one file. Faults go to *sink* in source order, and the items without faults are
    kept.

    The parser's tables come from *cache*.
    """
    faults = Sink()
    items = tuple([item for item, _ in _Reader(source, faults, cache).items()])
    return _module(source, items, faults, sink)


def parse_all(source: Source, sink: Sink, cache: Cache | None = None) -> tuple[ast.Module, Trees]:
    """The items of one file, and the concrete tree of each with every token. For callers that need
    both."""
    faults = Sink()
    read = list(_Reader(source, faults, cache).items())
    items = tuple([item for item, _ in read])
    return _module(source, items, faults, sink), tuple([tree for _, tree in read])


def _module(source: Source, items: tuple[ast.Item, ...], faults: Sink, sink: Sink) -> ast.Module:
    # Text that a missing bracket swallowed was read twice, so the faults are not yet in source
    # order.
    for diagnostic in sorted(faults, key=lambda fault: fault.primary or Span(source.file, 0, 0)):
        sink.add(diagnostic)
    return ast.Module(source.file, items, Span(source.file, 0, len(source.text)))


def parse_trees(source: Source, cache: Cache | None = None) -> Trees:
    """The concrete trees of a file without faults, with every token. For callers that ask how it
    was written."""
    return tuple(_Reader(source, Sink(), cache).trees())


def parse_expression(source: Source, sink: Sink, cache: Cache | None = None) -> ast.Expr | None:
    """The whole text as one expression, in which line ends have no meaning. None after a fault."""
    return _Reader(source, sink, cache).expression()


class _FaultError(Exception):
    """A syntax fault that ends one run of the parser."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind)
        self.fault = fault


class _Reader:
    """Reads one source, either item after item or as one expression."""

    __slots__ = ("_builder", "_machine", "_rewinds", "_sink", "_source")

    def __init__(self, source: Source, sink: Sink, cache: Cache | None) -> None:
        self._source = source
        self._sink = sink
        self._machine = machine(cache)
        self._builder = ItemBuilder(source, sink, self._part)
        self._rewinds = 0

    def items(self) -> Iterator[tuple[ast.Item, Cst | Leaf]]:
        """The items, each with its concrete tree."""
        for tree in self.trees():
            yield self._builder.item(tree), tree

    def trees(self) -> Iterator[Cst | Leaf]:
        """The concrete tree of each item, before it becomes a node of the AST."""
        at = faults = 0
        while faults < _MOST_FAULTS:
            run = Run(self._machine, "line")
            try:
                tree = self._tree(run, at, len(self._source.text), "item")
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
        tree = self._whole(0, len(self._source.text), "expression")
        return self._builder.expression(tree) if tree is not None else None

    def _part(self, start: int, end: int) -> Cst | Leaf | None:
        return self._whole(start, end, "interpolation")

    def _whole(self, start: int, end: int, place: Place) -> Cst | Leaf | None:
        run = Run(self._machine, "expression")
        try:
            return self._tree(run, start, end, place)
        except (_FaultError, TooDeepError) as error:
            self._report(error)
            return None

    def _tree(self, run: Run, start: int, end: int, place: Place) -> Cst | Leaf | None:
        """The tree that *run* reads between the offsets. Raises _FaultError and TooDeepError."""
        try:
            return run.read(self._source.text, start, end)
        except Refused as refused:
            raise _FaultError(self._fault(run, refused, place)) from None

    def _fault(self, run: Run, refused: Refused, place: Place) -> Fault:
        from tvarc.syntax.fault import Fault, open_brackets

        kind, start, end, accepted = refused.kind, refused.start, refused.end, refused.accepted
        openers = open_brackets(run.before)
        if kind == "_NL":
            start = end = run.before[-1].end_pos
            kind = kind if openers else END
        if place == "item" and not openers:
            accepted -= {"_NL"}
        return Fault(self._source, place, kind, start, end, accepted, tuple(run.before), openers)

    def _report(self, error: _FaultError | TooDeepError) -> int:
        """Report the fault. Returns the offset from which to look for the next declaration."""
        from tvarc.syntax.fault import Advice
        from tvarc.syntax.hints import advise
        from tvarc.syntax.unclosed import advise_unclosed
        from tvarc.text.edits import Edit

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
        primary = Label(Span(file, advice.start, advice.end), advice.label, primary=True)
        others = [Label(Span(file, start, end), text) for start, end, text in advice.others]
        self._sink.add(
            Diagnostic(
                advice.code,
                advice.title,
                (primary, *others),
                advice.notes,
                advice.help,
                edits=tuple(
                    [Edit(Span(file, start, end), text) for start, end, text in advice.edits]
                ),
            )
        )
        if advice.resume is None or advice.resume >= beyond:
            return advice.resume or beyond
        self._rewinds += 1
        return advice.resume if self._rewinds <= _MOST_REWINDS else beyond

    def _next_declaration(self, at: int, failed: int) -> int:
        """The offset of the next line that begins a declaration, from *at* on and after *failed*.
        """
        from tvarc.syntax.unclosed import declaration_at

        text = self._source.text
        at = max(at, failed + 1)
        if declaration_at(text, at):
            return at
        while (found := text.find("\n", at)) >= 0:
            at = found + 1
            if declaration_at(text, at):
                return at
        return len(text)
