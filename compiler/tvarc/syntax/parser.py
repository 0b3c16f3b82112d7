"""Makes the AST from text."""

from __future__ import annotations

from itertools import pairwise

from tvarc.files.cache import Cache
from tvarc.light import TYPE_CHECKING, Final, Iterator, cast
from tvarc.syntax import ast
from tvarc.syntax.automaton import END
from tvarc.syntax.build import ItemBuilder
from tvarc.syntax.cst import MAX_DEPTH, Cst, Leaf, TooDeepError
from tvarc.syntax.machine import Patch, Refused, Run, machine
from tvarc.text.diagnostics.model import Diagnostic, Label, Sink
from tvarc.text.source import Source, Span

if TYPE_CHECKING:
    from tvarc.syntax.fault import Advice, Fault, Place
    from tvarc.syntax.recovery import Reading

Trees = tuple[Cst | Leaf, ...]
_Known = dict[int, tuple[str, ast.Item]]
"""The items of a file without faults, by the offsets at which they begin. Each has its text, up to
the first character of the next item."""

_MOST_FAULTS: Final = 100  # syntax faults in one file; more would hide the first
_MOST_AGAIN: Final = 60_000  # tokens that are read again to find out what is left of items
_MOST_REWINDS: Final = 20  # returns to before text that a missing bracket swallowed


def parse_module(source: Source, sink: Sink, cache: Cache | None = None) -> ast.Module:
    """The items of one file. Faults go to *sink* in source order. An item with a fault is kept
    without its broken statement, if the rest has a meaning; `holes` of the module are what is left
    out.

    The parser's tables come from *cache*. If that keeps what is *parsed*, an item that an earlier
    text of the file has at the same offset is not parsed again.
    """
    faults = Sink()
    reader = _Reader(source, faults, cache)
    parsed = cache.parsed if cache is not None else None
    if parsed is not None:
        reader.known = cast("_Known", parsed.get(source.file, {}))
    read = list(reader.items())
    if parsed is not None and not len(faults):
        parsed[source.file] = {
            tree.start_pos: (source.text[tree.start_pos : after.start_pos + 1], item)
            for (item, tree), (_, after) in pairwise(read)
        }
    return _module(source, tuple([item for item, _ in read]), reader, faults, sink)


def parse_all(source: Source, sink: Sink, cache: Cache | None = None) -> tuple[ast.Module, Trees]:
    """The items of one file, and the concrete tree of each with every token. For callers that need
    both."""
    faults = Sink()
    reader = _Reader(source, faults, cache)
    read = list(reader.items())
    items = tuple([item for item, _ in read])
    return _module(source, items, reader, faults, sink), tuple([tree for _, tree in read])


def _module(
    source: Source, items: tuple[ast.Item, ...], reader: _Reader, faults: Sink, sink: Sink
) -> ast.Module:
    # Text that a missing bracket swallowed was read twice, so the faults are not yet in source
    # order.
    for diagnostic in sorted(faults, key=lambda fault: fault.primary or Span(source.file, 0, 0)):
        sink.add(diagnostic)
    file = source.file
    holes = tuple([Span(file, start, end) for start, end in sorted(reader.holes)])
    return ast.Module(file, items, holes, Span(file, 0, len(source.text)))


def parse_trees(source: Source, cache: Cache | None = None) -> Trees:
    """The concrete trees of a file without faults, with every token. For callers that need the
    written form."""
    return tuple(_Reader(source, Sink(), cache).trees())


def parse_expression(source: Source, sink: Sink, cache: Cache | None = None) -> ast.Expr | None:
    """The whole text as one expression, in which line ends have no meaning. None after a fault."""
    return _Reader(source, sink, cache).expression()


def lacking(source: Source, cache: Cache | None = None) -> str:
    """The brackets that close what is open at the end of the text, the innermost first."""
    reader = _Reader(source, Sink(), cache)
    reader.trees()
    return reader.lacking


class _Same(Leaf):
    """Stands for the tree of an item that an earlier text of the file has at the same offset."""

    __slots__ = ()


class _FaultError(Exception):
    """A syntax fault that ends one run of the parser."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.kind)
        self.fault = fault


class _Reader:
    """Reads one source, either item after item or as one expression."""

    __slots__ = (
        "_again", "_builder", "_machine", "_partial", "_rewinds", "_sink", "_source", "holes",
        "known", "lacking",
    )  # fmt: skip

    def __init__(self, source: Source, sink: Sink, cache: Cache | None) -> None:
        self._source = source
        self._sink = sink
        self._machine = machine(cache)
        self._builder = ItemBuilder(source, sink, self._part)
        self._rewinds = 0
        self._again = 0
        self._partial: set[int] = set()  # where trees begin that have holes
        self.holes: list[tuple[int, int]] = []  # what is left out of the trees
        self.known: _Known = {}  # the items of an earlier text of the file
        self.lacking = ""  # the brackets without which the text ends too early

    def items(self) -> Iterator[tuple[ast.Item, Cst | Leaf]]:
        """The items, each with its concrete tree."""
        for tree in self.trees():
            reader = self
            if tree.start_pos in self._partial:
                # Its fault is reported. Others may be due to what is left out.
                reader = _Reader(self._source, Sink(), None)
            if type(tree) is _Same:
                yield self.known[tree.start_pos][1], tree
            else:
                yield reader._builder.item(tree), tree

    def trees(self) -> list[Cst | Leaf]:
        """The concrete tree of each item, before it becomes a node of the AST."""
        at = faults = 0
        read: list[Cst | Leaf] = []
        text, known = self._source.text, self.known
        while faults < _MOST_FAULTS:
            while at in known and text.startswith(known[at][0], at):
                end = at + len(known[at][0]) - 1
                read.append(_Same("item", at, end))
                at = end
            run = Run(self._machine, "line")
            try:
                tree = self._tree(run, at, len(text), "item")
            except (_FaultError, TooDeepError) as error:
                faults += 1
                at = self._recover(error, run, at, read)
                continue
            if tree is None:
                break
            read.append(tree)
            at = run.stop
        return read

    def _recover(
        self, error: _FaultError | TooDeepError, run: Run, at: int, read: list[Cst | Leaf]
    ) -> int:
        """Report *error* in the item at the offset *at*, and add to *read* what is left of it.
        Returns the offset from which to read on."""
        from tvarc.syntax import recovery
        from tvarc.syntax.fault import closing

        first = run.before[0].start_pos if run.before else None
        if isinstance(error, _FaultError):
            if error.fault.kind == END and not self.lacking:
                self.lacking = closing(error.fault.openers)
            starts = [tree.start_pos for tree in read]
            early = recovery.surplus(self._reading, self._source.text, starts, error.fault)
            if early is not None:
                number, found = early
                self._report(error, found.patches[0].end - 1)
                del read[number:]
                return self._keep(found, read)
        advice, resume = self._report(error)
        if isinstance(error, _FaultError) and first is not None:
            left = recovery.recovered(self._reading, error.fault, advice, first)
            if left is not None:
                return self._keep(left, read)
        begins = at if first is None else first
        at = self._next_declaration(resume, begins)
        self.holes.append((begins, at))
        return at

    def _keep(self, found: Reading, read: list[Cst | Leaf]) -> int:
        """Add the recovered item to *read*. Returns the offset after it."""
        assert found.tree is not None
        read.append(found.tree)
        self._partial.add(found.tree.start_pos)
        self.holes += [(one.start, one.end) for one in found.patches]
        return found.run.stop

    def _reading(self, start: int, patches: tuple[Patch, ...]) -> Reading:
        """The item at the offset *start*, with *patches*."""
        from tvarc.syntax.recovery import Reading

        run = Run(self._machine, "line")
        text = self._source.text
        if self._again > _MOST_AGAIN:
            return Reading(run, patches)
        try:
            return Reading(run, patches, run.read(text, start, len(text), patches))
        except Refused as refused:
            return Reading(run, patches, fault=self._fault(run, refused, "item"))
        except TooDeepError:
            return Reading(run, patches)
        finally:
            self._again += len(run.before)

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

    def _report(
        self, error: _FaultError | TooDeepError, early: int | None = None
    ) -> tuple[Advice, int]:
        """Report the fault. *early* is the offset of a bracket that closes something too early.
        Returns the message, and the offset from which to look for the next declaration."""
        from tvarc.syntax.fault import Advice
        from tvarc.syntax.hints import advise
        from tvarc.syntax.unclosed import advise_unclosed, closed_early
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
            if early is not None:
                advice = closed_early(error.fault, early)
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
            return advice, advice.resume or beyond
        self._rewinds += 1
        return advice, advice.resume if self._rewinds <= _MOST_REWINDS else beyond

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
