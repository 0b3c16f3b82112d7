"""The lines that were edited between two states of a program, and the changes that each line
causes.

A change is visible in a value, but the edited line may be far from the one that wrote it. It may
choose a pin, set a flag that a condition of the library reads, or be in the middle of a `let`. So
all lines of the value's provenance, in either state, are compared with the lines that only that
state has. Traced elaborations decide both states. Each value has its source lines. A write that a
condition keeps out, or that a `-=` removes, is an entry of the state's source map.
"""

from __future__ import annotations

import posixpath

from tvarc.blocks import ATTRIBUTES, CONFIG, IN_PARTS, OF_PACKAGE, OF_SYSTEMS
from tvarc.build.assembly.entries import Entry
from tvarc.build.assembly.source_map import SourceMaps
from tvarc.build.diff.changes import Cause
from tvarc.build.diff.compare import numbered
from tvarc.build.diff.differences import Difference, named_parts, opcodes
from tvarc.build.driver import Compilation
from tvarc.decide.elaborate import Elaboration
from tvarc.light import Callable, Final, Iterable, Iterator, Mapping, Sequence
from tvarc.matrix.variants import Variant
from tvarc.meaning.budget import Total
from tvarc.nix import ir
from tvarc.text.source import Span
from tvarc.text.toml import line_span
from tvarc.values.provenance import Lines, Place, Prov, marks_of
from tvarc.values.value import RowValue, show

_KEPT: Final = 64  # variants whose traced recipes are kept


class Causes:
    """Finds the causes of changes from *before*, with the variants *old*, to *after*, with *new*.
    Neither state may have errors."""

    def __init__(
        self,
        before: Compilation,
        after: Compilation,
        old: Sequence[Variant],
        new: Sequence[Variant],
    ) -> None:
        gone, come = edited_lines(before, after)
        self.any = bool(gone or come)
        self.before = _Side(before, old, gone)
        self.after = _Side(after, new, come)

    def of(self, pairs: Sequence[tuple[str, str]], difference: Difference) -> tuple[Cause, ...]:
        """The edited lines that cause *difference* in variants with these old and new names. They
        are in source order, and those of the newer state are first."""
        if not self.any:
            return ()
        found: dict[Cause, None] = {}
        for pair in pairs:
            found.update(dict.fromkeys(self.at(*pair, difference)))
        return tuple(sorted(found, key=lambda one: (one.before, one.span.file, one.span.start)))

    def at(self, was: str, now: str, difference: Difference) -> Iterator[Cause]:
        """The causes of one difference of one variant."""
        after, before = self.after.variant(now), self.before.variant(was)
        newer = after.steps(difference, difference.after, difference.added)
        older = before.steps(difference, difference.before, difference.removed)
        for number, (one, other) in enumerate(zip(newer, older, strict=True)):
            come, gone = self.after.edits(one()), self.before.edits(other())
            if not come and gone:
                # A removed setting is no reason to name an unrelated line that is now in its place.
                hunks = {self.before.hunks[place] for place in gone}
                for step in newer[number + 1 :]:
                    come = tuple(
                        p for p in self.after.edits(step()) if self.after.hunks[p] in hunks
                    )
                    if come:
                        break
            if come or gone:
                yield from (Cause(self.after.span(place), before=False) for place in come)
                yield from (Cause(self.before.span(place), before=True) for place in gone)
                return


# --- lines that one state has -----------------------------------------------------------------


Hunks = Mapping[Place, int]
"""The lines that only one state has, each with the number of its edit."""


def edited_lines(before: Compilation, after: Compilation) -> tuple[Hunks, Hunks]:
    """The lines that only *before* has, and the lines that only *after* has. Indentation and
    comments do not count."""
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
    """*line* without surrounding blanks and without its comment."""
    quoted = False
    for number, letter in enumerate(line):
        if letter == '"' and line[number - 1 : number] != "\\":
            quoted = not quoted
        elif letter == "#" and not quoted:
            return line[:number].strip()
    return line.strip()


# --- what a value is made of ------------------------------------------------------------------

Step = Callable[[], Lines]


class _Side:
    """One state, and the lines that only this state has."""

    def __init__(self, made: Compilation, variants: Sequence[Variant], hunks: Hunks) -> None:
        self.made = made
        self.hunks = hunks
        self.variants: Mapping[str, Variant] = {one.name: one for one in variants}
        self.known: dict[str, _Traced] = {}
        self._opened: tuple[Elaboration, SourceMaps, Lines] | None = None

    def opened(self) -> tuple[Elaboration, SourceMaps, Lines]:
        """The traced elaboration of this state, its source maps, and its edited lines as a set."""
        if self._opened is None:
            elaboration = self.made.traced()
            maps = SourceMaps(elaboration, posixpath.basename(self.made.file), self.made.file)
            edited = 0
            for place in self.hunks:
                edited |= maps.numbering.line(*place)
            self._opened = elaboration, maps, edited
        return self._opened

    def variant(self, name: str) -> _Traced:
        known = self.known.get(name)
        if known is None:
            if len(self.known) >= _KEPT:
                self.known.clear()
            elaboration, maps, _ = self.opened()
            variant = self.variants[name]
            # The variant was already decided and charged, without tracing.
            elaboration.shared.total = Total(elaboration.sink)
            recipe = elaboration.variant(variant, maps.outputs.of)
            assert recipe is not None
            known = self.known[name] = _Traced(elaboration, maps, variant, recipe)
        return known

    def edits(self, lines: Lines) -> tuple[Place, ...]:
        """The members of *lines* that only this state has."""
        _, maps, edited = self.opened()
        return maps.numbering.places(lines & edited)

    def span(self, place: Place) -> Span:
        """The span of the text of a line."""
        file, number = place
        source = self.made.sources.get(file)
        assert source is not None
        return line_span(source, number)


class _Traced:
    """One variant of one state, with its provenance."""

    def __init__(
        self, elaboration: Elaboration, maps: SourceMaps, variant: Variant, recipe: ir.Recipe
    ) -> None:
        self.elaboration = elaboration
        self.numbering = maps.numbering
        self.variant = variant
        self.recipe = recipe
        self.decided: dict[ir.Path, _Decided] = dict(_decided(recipe))
        self.entries: tuple[Entry, ...] = tuple(maps.entries(variant, recipe))

    def steps(
        self, one: Difference, origin: ir.Origin | None, texts: Sequence[str]
    ) -> tuple[Step, ...]:
        """The lines that this side of *one* comes from, in steps. The first step has its element or
        reason alone. The next ones have the removals of these, and everything that was written with
        them. The last step has all possible lines."""
        return (
            lambda: self.element(one, texts),
            lambda: self.taken_out(one),
            lambda: self.write(one.path, origin),
            lambda: self.around(one.path),
        )

    def at(self, path: ir.Path) -> _Decided | None:
        """The decision at *path*. The last step of a reason's path is the text of its element."""
        return self.decided.get(path) or self.decided.get(path[:-1])

    def element(self, one: Difference, texts: Sequence[str]) -> Lines:
        """The lines of the reason or of the elements with these *texts*, without the lines of their
        conditions."""
        if (
            one.path[0] == "pin"
            and self.recipe.pin is not None
            and self.recipe.pin.prov is not None
        ):
            prov = self.recipe.pin.prov
            return prov.of(one.path[-1]) & ~prov.chosen
        decided = self.at(one.path)
        found = 0
        if one.kind == "reason":
            for because in _reasons(decided):
                if because in texts:
                    found |= marks_of(because)[0]
        if one.kind == "element":
            for element in _elements(decided):
                if show(element.value) in texts:
                    found |= self.alone(element.prov, element.origin)
            if isinstance(decided, ir.Overlay):
                found |= self.alone(decided.prov, decided.listed)
        return found

    def alone(self, prov: Prov | None, origin: ir.Origin) -> Lines:
        """The lines of *prov* without those of its conditions. It is written at *origin*."""
        if prov is None:
            return 0
        return prov.all & ~(prov.head & ~self.numbering.first(origin.span))

    def taken_out(self, one: Difference) -> Lines:
        """The lines of the writes that remove elements with the texts of *one*, in either state."""
        texts = (*one.removed, *one.added)
        found = 0
        for entry in self.entries if one.kind == "element" else ():
            within = one.path[: len(entry.path)] == entry.path
            if entry.kind == "removed" and entry.what in texts and within:
                found |= entry.lines
        return found

    def write(self, path: ir.Path, origin: ir.Origin | None) -> Lines:
        """The lines of the write at *origin* for *path*, with its conditions."""
        decided = self.at(path)
        if decided is None or origin is None:
            return 0
        elements = [e for e in _elements(decided) if e.origin.span == origin.span]
        if elements:
            return _joined(elements)
        own = decided.listed if isinstance(decided, ir.Overlay) else decided.origin
        return _joined([decided]) if own is not None and own.span == origin.span else 0

    def around(self, path: ir.Path) -> Lines:
        """The lines of all writes for *path*, whether they apply or not."""
        found = 0
        for other, decided in self.decided.items():
            if _meet(path, other):
                found |= _joined([decided])
        for entry in self.entries:
            if _meet(path, entry.path):
                found |= entry.lines
        match path[0]:
            case "files":
                found |= self.files()
            case "axes":
                found |= self.axis(path[1])
            case "matrix":
                found |= self.numbering.first(self.variant.matrix.span)
            case "recipe":
                found |= self.numbering.first(self.variant.matrix.recipe.span)
            case "pin" if self.recipe.pin is not None and self.recipe.pin.prov is not None:
                prov = self.recipe.pin.prov
                found |= prov.of(*(name for name, _ in prov.fields))
            case _:
                pass
        return found

    def files(self) -> Lines:
        found = 0
        tracing = self.elaboration.tracing
        assert tracing is not None
        deciding = self.elaboration.deciding(self.variant)
        for output in self.elaboration.program.outputs:
            found |= self.numbering.first(output.span) | tracing.of(deciding, output.file).all
        return found

    def axis(self, name: str) -> Lines:
        found = 0
        for one in self.recipe.axes:
            if one.axis == name:
                found |= self.numbering.first(one.declared)
                if isinstance(one.value, RowValue) and "label" in one.value.facts:
                    found |= self.numbering.lines(one.value.facts["label"].span)
        return found


_Decided = ir.Setting | ir.Part | ir.Overlay


def _decided(recipe: ir.Recipe) -> Iterator[tuple[ir.Path, _Decided]]:
    """All settings and parts of *recipe*, by their paths in differences."""
    yield from _settings((CONFIG,), recipe.config)
    if recipe.pin is not None:
        for block in OF_SYSTEMS:
            yield from _settings((block,), recipe.pin.of(block))
    chosen = (
        ("pin", recipe.pin_choice),
        ("scope", recipe.scope),
        ("overlays", recipe.overlay_list),
    )
    for name, setting in chosen:
        if setting is not None:
            yield (name,), setting
    for name, overlay in numbered(recipe.overlays).items():
        base = ("overlays", name)
        yield base, overlay
        yield from _settings(base, overlay.patch)
        yield from _changes(base, overlay.changes)
    for need in recipe.needs:
        yield ("needs", need.name), need.setting
        if need.recipe is not None:
            for path, one in _decided(need.recipe):
                yield ("needs", need.name, *path), one
    yield ("package",), recipe.package
    yield from _changes((), recipe.changes)


def _changes(base: ir.Path, changes: ir.Changes) -> Iterator[tuple[ir.Path, _Decided]]:
    for block in OF_PACKAGE:
        path = base if base and block.name == ATTRIBUTES else (*base, block.name)
        yield from _settings(path, changes.of(block.name))


def _settings(base: ir.Path, settings: Iterable[ir.Setting]) -> Iterator[tuple[ir.Path, _Decided]]:
    for setting in settings:
        path = (*base, setting.key)
        if setting.path[0] not in IN_PARTS:  # only the parts of scripts differ
            yield path, setting
        yield from _settings(path, setting.children or ())
        for name, part in named_parts(setting).items():
            yield (*path, name), part


def _elements(decided: _Decided | None) -> Iterator[ir.Element]:
    """The elements of a list, and the values that Nix removes from lists that only Nix knows."""
    if isinstance(decided, ir.Setting):
        for element in decided.elements or ():
            yield element
            yield from element.removed
        yield from decided.removed


def _reasons(decided: _Decided | None) -> Iterator[str]:
    if isinstance(decided, ir.Setting | ir.Overlay):
        yield decided.because
    for element in _elements(decided):
        yield element.because


def _joined(several: Iterable[_Decided | ir.Element]) -> Lines:
    """All source lines of *several*."""
    found = 0
    for one in several:
        if one.prov is not None:
            found |= one.prov.all | one.prov.head
    return found


def _meet(one: ir.Path, other: ir.Path) -> bool:
    """Whether one of two paths leads into the other."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]
