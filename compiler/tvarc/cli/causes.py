"""The lines that were edited between two states of a program, and which of them changes come from.

A change shows in a value, but the line that was edited may be far from the one that wrote it: it
chooses a pin, sets a flag that a condition of the library reads, or is in the middle of a `let`.
So all lines that the value was made of, in either state, are held against those that the other
state has not.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.driver import Compilation
from tvarc.elaborate.makers import element_expr
from tvarc.elaborate.plan import group_of
from tvarc.elaborate.reach import Place, Reach
from tvarc.elaborate.trace import Noting, Trace, Written
from tvarc.light import Callable, Final, Iterable, Iterator, Mapping, Sequence
from tvarc.matrix.variants import Variant
from tvarc.report.changes import Cause
from tvarc.report.differences import Difference, opcodes
from tvarc.sema import hir
from tvarc.sema.failed import Failed
from tvarc.source import Span
from tvarc.values import RowValue, show

_KEPT: Final = 64  # variants of which the answers are kept


class Causes:
    """Finds the causes of changes from *before*, with the variants *old*, to *after* with *new*."""

    def __init__(
        self,
        before: Compilation,
        after: Compilation,
        new: Sequence[Variant],
        old: Sequence[Variant],
    ) -> None:
        gone, come = edited_lines(before, after)
        self.before = _Side(before, old, gone)
        self.after = _Side(after, new, come)

    def of(self, pairs: Sequence[tuple[str, str]], difference: Difference) -> tuple[Cause, ...]:
        """The lines that were edited and that *difference* comes from in variants with these old
        and new names, in the order of the sources; those of the newer state first."""
        if not self.before.hunks and not self.after.hunks:
            return ()
        found: dict[Cause, None] = {}
        for pair in pairs:
            found.update(dict.fromkeys(self.at(*pair, difference)))
        return tuple(sorted(found, key=lambda one: (one.before, one.span.file, one.span.start)))

    def at(self, was: str, now: str, difference: Difference) -> Iterator[Cause]:
        """The causes of one difference of one variant."""
        after, before = self.after.look(now), self.before.look(was)
        newer = after.steps(difference, difference.after, difference.added)
        older = before.steps(difference, difference.before, difference.removed)
        for number, (one, other) in enumerate(zip(newer, older, strict=True)):
            come, gone = self.after.edits(one()), self.before.edits(other())
            if not come and gone:
                # What is there no more says nothing of the line that stands in its place now.
                hunks = {self.before.hunks[place] for place in gone}
                for step in newer[number + 1 :]:
                    come = {p for p in self.after.edits(step()) if self.after.hunks[p] in hunks}
                    if come:
                        break
            if come or gone:
                yield from (Cause(self.after.span(place), before=False) for place in come)
                yield from (Cause(self.before.span(place), before=True) for place in gone)
                return


# --- lines that one state has -----------------------------------------------------------------


Hunks = Mapping[Place, int]
"""The lines that only one state has, each with the number of the edit that it is of."""


def edited_lines(before: Compilation, after: Compilation) -> tuple[Hunks, Hunks]:
    """The lines that only *before* has, and those that only *after* has. How a line is indented
    and what is remarked behind it does not count."""
    gone: dict[Place, int] = {}
    come: dict[Place, int] = {}
    hunk = 0
    files = [*_files(before), *_files(after)]
    for file in dict.fromkeys(files):
        mine, theirs = _lines(before, file), _lines(after, file)
        if mine == theirs:
            continue
        for tag, i1, i2, j1, j2 in opcodes(mine, theirs):
            if tag == "equal":
                continue
            hunk += 1
            gone.update({(file, number): hunk for number in range(i1 + 1, i2 + 1)})
            come.update({(file, number): hunk for number in range(j1 + 1, j2 + 1)})
    return gone, come


def _files(made: Compilation) -> Iterable[str]:
    return made.graph.modules if made.graph is not None else ()


def _lines(made: Compilation, file: str) -> list[str]:
    source = made.sources.get(file)
    return [_bare(line) for line in source.text.split("\n")] if source is not None else []


def _bare(line: str) -> str:
    """*line* without what is around it and without a remark."""
    quoted = False
    for number, letter in enumerate(line):
        if letter == '"' and line[number - 1 : number] != "\\":
            quoted = not quoted
        elif letter == "#" and not quoted:
            return line[:number].strip()
    return line.strip()


# --- what a value is made of ------------------------------------------------------------------

Step = Callable[[], frozenset[Place]]


class _Side:
    """One state, and the lines that only it has."""

    def __init__(self, made: Compilation, variants: Sequence[Variant], hunks: Hunks) -> None:
        self.made = made
        self.hunks = hunks
        self.variants: Mapping[str, Variant] = {one.name: one for one in variants}
        self.known: dict[str, _Look] = {}

    def look(self, name: str) -> _Look:
        known = self.known.get(name)
        if known is None:
            if len(self.known) >= _KEPT:
                self.known.clear()
            variant = self.variants[name]
            recipe = self.made.recipe(variant)
            assert recipe is not None and self.made.elaboration is not None
            trace = Trace(self.made.elaboration, variant, recipe, self.made.sources)
            known = self.known[name] = _Look(self.made, trace, recipe)
        return known

    def edits(self, places: Iterable[Place]) -> set[Place]:
        """Those of *places* that only this state has."""
        return {place for place in places if place in self.hunks}

    def span(self, place: Place) -> Span:
        """What stands on a line."""
        file, number = place
        source = self.made.sources.get(file)
        assert source is not None
        text, start = source.line(number), source.line_starts()[number - 1]
        return Span(file, start + len(text) - len(text.lstrip()), start + len(text.rstrip()))


class _Look:
    """One variant of one state."""

    def __init__(self, made: Compilation, trace: Trace, recipe: ir.Recipe) -> None:
        self.made = made
        self.trace = trace
        self.recipe = recipe
        self.reach = Reach(trace, ("", 0))

    def steps(
        self, one: Difference, origin: ir.Origin | None, texts: Sequence[str]
    ) -> tuple[Step, ...]:
        """The lines that this side of *one* comes from: first its element or reason alone, then
        all that was written with it, at last all that could have been."""
        written = self.trace.written.get(origin.span) if origin is not None else None
        return (
            lambda: frozenset(self.narrow(one, written, texts)),
            lambda: frozenset(self.wrote(written) if written is not None else ()),
            lambda: frozenset(self.around(one.path)),
        )

    def narrow(
        self, one: Difference, written: Written | None, texts: Sequence[str]
    ) -> Iterator[Place]:
        if written is None or written.expr is None:
            return
        if one.kind == "reason":
            yield from self.reason(written)
        if one.kind != "element" or not texts:
            return
        try:
            value = Noting(written.deciding).evaluator.value(written.expr)
        except Failed:
            return
        for item in value if isinstance(value, tuple) else ():
            if show(item) in texts:
                through: list[hir.LetRef] = []
                inner = element_expr(written.expr, item, written.deciding, through)
                yield from self.reach.places((inner,))

    def wrote(self, written: Written, *, withheld: bool = False) -> Iterator[Place]:
        """The lines of a write: its first, those of its conditions, and of all that it reads."""
        conditions = [condition.expr for condition in written.write.conditions]
        yield from self.reach.places(conditions)
        yield from self.first(written.write.span)
        yield from self.reason(written)
        if not withheld and written.expr is not None:
            yield from self.reach.places((written.expr,))

    def reason(self, written: Written) -> Iterator[Place]:
        span = written.write.because_span if isinstance(written.write, hir.Write) else None
        if span is not None:
            yield from self.reach.lines(span)

    def first(self, span: Span) -> Iterable[Place]:
        return self.reach.lines(Span(span.file, span.start, span.start))

    def around(self, path: ir.Path) -> Iterator[Place]:
        """The lines of all that is written for *path*, let in or not."""
        for written in self.trace.written.values():
            if self.belongs(written, path):
                yield from self.wrote(written, withheld=not self.holds(written))
        match path[0]:
            case "files":
                for output in self.made.outputs:
                    yield from self.first(output.span)
                    yield from self.reach.places((output.file,))
            case "axes":
                yield from self.axis(path[1])
            case "overlays" if len(path) > 1:
                for declared in self.trace.declared.values():
                    if declared.name == path[1].partition("#")[0]:
                        yield from self.first(declared.span)
                        if declared.because_span is not None:
                            yield from self.reach.lines(declared.because_span)
            case _:
                pass

    def axis(self, name: str) -> Iterator[Place]:
        for one in self.recipe.axes:
            if one.axis != name:
                continue
            yield from self.first(one.declared)
            if isinstance(one.value, RowValue) and "label" in one.value.facts:
                yield from self.reach.lines(one.value.facts["label"].span)

    def holds(self, written: Written) -> bool:
        try:
            return written.deciding.holds(written.write.conditions)
        except Failed:
            return False

    def belongs(self, written: Written, path: ir.Path) -> bool:
        write = written.write
        own = written.deciding is self.trace.deciding
        if path[0] == "overlays" and not own:
            name = path[1].partition("#")[0] if len(path) > 1 else ""
            return written.whose in (f"overlay {name}", f"patch {name}")
        if not own:
            return False
        if isinstance(write, hir.PartWrite):
            return path[:2] == ("script", write.script)
        if path[0] == "pin":
            # The fields of a pin are written by their own names.
            return write.path == ("pin",) or (
                written.whose.startswith("pin ") and len(write.path) == 1
            )
        if path[0] == "overlays":
            return write.path[0] == "overlays"
        if written.whose.startswith("pin ") and len(write.path) == 1:
            return False
        return group_of(write.path)[: len(path[:2])] == path[:2]
