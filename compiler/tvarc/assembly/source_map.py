"""Source maps on the plain path: of each line of a recipe the lines of source that made it.

A recipe is decided by an elaboration that is traced, lowered and printed as ever, and its text is
the same. What stands on no line (a removal, what a condition keeps out, a write that only decides
an order) is an entry beside the lines.
"""

from __future__ import annotations

import posixpath

from tvarc import ir
from tvarc.assembly.outputs import OutputFiles
from tvarc.assembly.plain import relative_to, seal_text
from tvarc.backend.nix.context import Traced
from tvarc.backend.nix.lower import lower
from tvarc.elaborate.elaborate import Elaboration
from tvarc.elaborate.plan import GroupKey, Plan
from tvarc.elaborate.provenance import Tracing
from tvarc.light import Iterable, Iterator, Literal, dataclass
from tvarc.matrix.variants import Variant
from tvarc.nix.printer import print_mapped
from tvarc.provenance.model import Lines, Place
from tvarc.sema import hir
from tvarc.source import Span
from tvarc.values import NONE, show

EntryKind = Literal["withheld", "removed", "shadowed", "order"]


@dataclass(frozen=True, slots=True)
class Entry:
    """What lines of source do of which no line of a recipe tells: a condition that keeps something
    out of the setting or part `path`, a write that takes `what` out of it, a value that another one
    takes out or stands over, or the first write of several, which decides where the setting stands
    though another decides what it is."""

    kind: EntryKind
    path: ir.Path
    what: str
    span: Span
    lines: Lines


@dataclass(frozen=True, slots=True)
class MappedFile:
    """One recipe. `made` are, line by line, the lines of source that its values were made of,
    `around` those that brought about what stands around them."""

    path: str
    text: str
    made: tuple[Lines, ...]
    around: tuple[Lines, ...]


@dataclass(frozen=True, slots=True)
class MappedVariant:
    """All files of a variant, and what stands on none of their lines."""

    recipe: ir.Recipe
    files: tuple[MappedFile, ...]
    entries: tuple[Entry, ...]


class SourceMaps:
    """The maps of the variants of one program; *elaboration* is traced."""

    def __init__(self, elaboration: Elaboration, source: str, entry: str) -> None:
        """*source* is the program by a path relative to the folder that its outputs' paths start
        from, *entry* the loader's name of it."""
        tracing = elaboration.tracing
        assert tracing is not None
        self._elaboration = elaboration
        self.outputs = OutputFiles(elaboration.program.outputs, elaboration.sink)
        self._tracing: Tracing = tracing
        self._source = source
        self._entry = entry
        self.numbering = tracing.numbering

    def of(self, variant: Variant) -> MappedVariant | None:
        """The maps of *variant*; None for one that has an error."""
        recipe = self._elaboration.variant(variant, self.outputs.of)
        if recipe is None:
            return None
        files = tuple([self._file(recipe, file) for _, file in recipe.files])
        return MappedVariant(recipe, files, tuple(self.entries(variant, recipe)))

    def _file(self, recipe: ir.Recipe, file: str) -> MappedFile:
        relative = relative_to(self._source, posixpath.dirname(file), self._entry)
        traced = Traced(self.numbering.value)
        node = lower(recipe, posixpath.basename(self._source), relative, traced)
        text, lines = print_mapped(node)
        sealed, place = seal_text(text)
        made, around = lines.made, lines.around
        made.insert(place, 0)
        around.insert(place, 0)
        return MappedFile(file, sealed, tuple(made), tuple(around))

    # --- what stands on no line ----------------------------------------------------------

    def entries(self, variant: Variant, recipe: ir.Recipe) -> Iterator[Entry]:
        """What stands on no line of the recipes of *variant*, which *recipe* is."""
        deciding = self._elaboration.deciding(variant)
        used = {overlay.declared for overlay in recipe.overlays}
        overlays = {
            overlay.name: self._elaboration.overlays.plan(overlay, variant.matrix)
            for overlay in self._elaboration.program.overlays
            if overlay.span in used
        }
        for one in self._tracing.withheld(deciding, overlays):
            what = ".".join(one.path)
            yield Entry("withheld", one.path, what, one.condition, one.lines)
        yield from _taken(recipe)
        yield from self._orders((), deciding.plan, _by_group(recipe, ()))
        for name, plan in overlays.items():
            yield from self._orders(("overlays", name), plan, _by_group(recipe, (name,)))

    def _orders(
        self, base: ir.Path, plan: Plan, decided: dict[GroupKey, set[Span]]
    ) -> Iterator[Entry]:
        """The first writes of settings and parts that others decide."""
        firsts: list[tuple[GroupKey, hir.Write | hir.PartWrite]] = [
            (group, written[0].write) for group, written in plan.groups.items() if len(written) > 1
        ]
        for name, parts in plan.scripts.items():
            seen: set[object] = set()
            for part in parts:
                if part.write.name is not None and part.write.name not in seen:
                    seen.add(part.write.name)
                    firsts.append((("script", name), part.write))
        for group, write in firsts:
            there = decided.get(group)
            if there and write.span not in there:
                path = (*base, *(step for step in group if step))
                lines = self.numbering.lines(write.span)
                yield Entry("order", path, ".".join(path), write.span, lines)


def _by_group(recipe: ir.Recipe, overlay: tuple[str, ...]) -> dict[GroupKey, set[Span]]:
    """The places of the writes that make each setting and script."""
    changes = [recipe.changes] if not overlay else [
        one.changes for one in recipe.overlays if one.name in overlay
    ]  # fmt: skip
    found: dict[GroupKey, set[Span]] = {}
    for change in changes:
        for setting in (*change.args, *change.attrs, *change.env, *change.passthru, *change.meta):
            spans = found.setdefault((setting.path[0], setting.path[1]), set())
            spans |= {origin.span for origin in _origins(setting)}
        for script in change.scripts:
            found[("script", script.name)] = {
                part.origin.span for part in script.parts if part.origin is not None
            }
    if not overlay:
        for setting in recipe.config:
            found[("config", setting.key)] = {origin.span for origin in _origins(setting)}
    return found


def _origins(setting: ir.Setting) -> Iterator[ir.Origin]:
    if setting.children is not None:
        for child in setting.children:
            yield from _origins(child)
    elif setting.parts:
        for part in setting.parts:
            if part.origin is not None:
                yield part.origin
    elif setting.elements:
        for element in setting.elements:
            yield element.origin
    else:
        yield setting.origin


def _taken(recipe: ir.Recipe) -> Iterator[Entry]:
    """What is taken out of settings and scripts."""
    listed = (recipe.overlay_list,) if recipe.overlay_list is not None else ()
    systems = recipe.pin.systems if recipe.pin is not None else ()
    yield from _taken_of((*recipe.config, *recipe.unset_config, *systems, *listed), ())
    yield from _taken_by(recipe.changes, ())
    for overlay in recipe.overlays:
        yield from _taken_by(overlay.changes, ("overlays", overlay.name))


def _taken_by(changes: ir.Changes, base: ir.Path) -> Iterator[Entry]:
    settings = (*changes.args, *changes.attrs, *changes.env, *changes.passthru, *changes.meta)
    yield from _taken_of((*settings, *changes.unset), base)
    for script in changes.scripts:
        path = (*base, "script", script.name)
        for part in script.parts:
            yield from _shadowed(part.shadowed, path)
        yield from _taken_parts(script.removed, path)


def _shadowed(lost: Iterable[ir.Shadowed], path: ir.Path) -> Iterator[Entry]:
    """What was taken out of a setting, what took it out, and what lost to another value."""
    for one in lost:
        if one.prov is None:
            continue
        lines = one.prov.all | one.prov.head
        if one.reason == ir.TAKEN_OUT:
            yield Entry("removed", path, show(one.value), one.origin.span, lines)
        elif one.reason == ir.BEGUN_ANEW:
            yield Entry("removed", path, "what is written before", one.origin.span, lines)
        else:
            yield Entry("shadowed", path, show(one.value), one.origin.span, lines)


def _taken_parts(parts: Iterable[ir.Part], path: ir.Path) -> Iterator[Entry]:
    for part in parts:
        yield from _shadowed(part.shadowed, path)
        if part.prov is not None and part.origin is not None:
            lines = part.prov.all | part.prov.head
            yield Entry("removed", path, f"part {part.name}", part.origin.span, lines)


def _taken_of(settings: Iterable[ir.Setting], base: ir.Path) -> Iterator[Entry]:
    for setting in settings:
        # As `explain` names it: in an overlay attributes stand plainly.
        plain = bool(base) and setting.path[0] == "attrs"
        path = (*base, *setting.path[1 if plain else 0 :])
        yield from _shadowed(setting.shadowed, path)
        for part in setting.parts:
            yield from _shadowed(part.shadowed, path)
        if setting.value is NONE and setting.prov is not None and setting.path[0] != "pin":
            lines = setting.prov.all | setting.prov.head
            yield Entry("removed", path, "all of it", setting.origin.span, lines)
        yield from _taken_parts(setting.taken, path)
        yield from _taken_of((*(setting.children or ()), *setting.unset), base)


def places_of(maps: SourceMaps, lines: Lines) -> tuple[Place, ...]:
    """The lines of source in a set."""
    return maps.numbering.places(lines)
