"""The text of a recipe below its header, joined from texts of the memo.

A recipe's file has slots for its settings: places in a set or a list that takes several lines,
whatever it contains. So no line of one setting depends on another setting. Each setting is lowered
and printed once for all recipes that have it, and so is the text around the slots.
"""

from __future__ import annotations

import posixpath

from tvarc.blocks import OF_PACKAGE
from tvarc.build.assembly.places import Places, output_of
from tvarc.files.output.header import seal
from tvarc.light import TYPE_CHECKING, Mapping, dataclass
from tvarc.nix import ir
from tvarc.nix.language.late import filled
from tvarc.nix.language.printer import print_comment, print_mapped
from tvarc.nix.language.syntax import NULL, NixBinding, NixFile
from tvarc.nix.lower.context import Context, Formals, Frame, Relative, Traced
from tvarc.nix.lower.lower import (
    Nixpkgs,
    describe,
    header,
    labelled,
    lower_around,
    lower_need,
    made_by,
    needs_context,
    settings_context,
)
from tvarc.nix.lower.memo import Around, Block, Known, Line, Lowered, Memo, join, lines_of
from tvarc.nix.lower.scopes import Scope
from tvarc.nix.lower.settings import block_binding, head_of, in_order, is_flat

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines


@dataclass(slots=True, eq=False)
class Needed:
    """What the settings of a file need of it: arguments, names of a package set, and `old`."""

    formals: Formals
    scope: Scope | None
    old: bool = False

    def add(self, one: Lowered) -> None:
        """Note what *one* needs."""
        self.formals.ask(one.formals, 0)
        if self.scope is not None and one.scope is not None:
            self.scope.ask(one.scope, 0)

    @property
    def key(self) -> object:
        """All of it, to be compared by its value."""
        asked_by = self.formals.asked
        formals = tuple([(one, asked_by.get(one.name, 0)) for one in self.formals.listed()])
        if self.scope is None:
            return formals
        scope = self.scope
        asked = tuple(sorted(scope.asked.items()))
        return formals, frozenset(scope.required), frozenset(scope.optional), asked


class Body:
    """The body of one recipe as it is in one file: the texts around its slots, and what is in
    them."""

    __slots__ = ("around", "blocks", "fills")

    def __init__(self, around: Around, blocks: dict[str, Block], fills: Mapping[str, str]) -> None:
        self.around = around
        self.blocks = blocks
        self.fills = fills

    def texts(self) -> list[str]:
        """The texts that the body is the join of."""
        around, fills = self.around, self.fills
        found = [around.texts[0]]
        for text, (slot, indent) in zip(around.texts[1:], around.slots, strict=True):
            found += self.blocks[slot].texts(indent, fills)
            found.append(text)
        return found

    def lines(self) -> list[Line]:
        """What each line of the body is made of."""
        around = self.around
        found = [(0, 0)]
        join(found, around.lines[0])
        for lines, (slot, indent) in zip(around.lines[1:], around.slots, strict=True):
            join(found, self.blocks[slot].lines(indent))
            join(found, lines)
        return found


class Bodies:
    """Makes the bodies of recipes of one program, with one memo."""

    __slots__ = (
        "_below", "_entry", "_labels", "_memo", "_places", "_source", "_traced",
    )  # fmt: skip

    def __init__(self, source: str, entry: str | None = None, traced: Traced | None = None) -> None:
        """*source* is the file that declares the recipes, by a path relative to the folder that
        the paths of their files start from. *entry* is the loader's name of it, by default its last
        step. With *traced*, of recipes that were decided so, the lines of bodies are known."""
        self._source = source
        self._entry = entry
        self._traced = traced
        self._memo = Memo()
        self._below: dict[tuple[str, str], str] = {}
        self._labels: dict[int, tuple[ir.AxisValue, str]] = {}
        self._places: dict[tuple[str, str], Places] = {}

    @property
    def named(self) -> str:
        """The source as headers name it."""
        return posixpath.basename(self._source)

    def text(self, recipe: ir.Recipe, file: str) -> str:
        """The text of *recipe* in *file*, sealed with its digest."""
        return seal(header_lines(recipe, self.named), "".join(self.of(recipe, file).texts()))

    def parts(self, recipe: ir.Recipe, file: str) -> tuple[str, list[str]]:
        """The header of *recipe* in *file*, and the texts that its body is the join of."""
        return self._head(recipe), self.of(recipe, file).texts()

    def _head(self, recipe: ir.Recipe) -> str:
        """The header of *recipe*: one line differs from variant to variant."""
        key = (recipe.matrix, recipe.recipes[-1])
        below = self._below.get(key)
        if below is None:
            lines = made_by(self.named, *key)
            below = self._below[key] = "".join([f"{print_comment(line)}\n" for line in lines])
        labels: list[str] = []
        for axis in recipe.axes:
            known = self._labels.get(id(axis))
            if known is None:
                text = labelled(axis.axis, axis.value, describe(axis.value))
                known = self._labels[id(axis)] = (axis, text)
            labels.append(known[1])
        first = f"{recipe.variant}: {', '.join(labels)}" if labels else recipe.variant
        return f"{print_comment(first)}\n{below}"

    def of(self, recipe: ir.Recipe, file: str) -> Body:
        """The body of *recipe* in *file*."""
        key = (posixpath.dirname(file), output_of(recipe, file))
        places = self._places.get(key)
        if places is None:
            places = self._places[key] = Places(self._source, key[0], self._entry, key[1])
        return body_of(recipe, places, self._memo, key, self._traced)


def header_lines(recipe: ir.Recipe, source: str) -> list[str]:
    """The lines at the head of the file of *recipe*; the digest goes after them."""
    return [one for line in header(recipe, source) for one in print_comment(line).split("\n")]


def header_mapped(recipe: ir.Recipe, source: str) -> tuple[list[str], list[Line]]:
    """The lines at the head of the file of *recipe*, and what each of them is made of."""
    text, lines = print_mapped(NixFile(header(recipe, source), NULL))
    *head, _ = text.split("\n")[:-1]
    return head, lines_of(lines)[: len(head)]


def body_of(
    recipe: ir.Recipe, relative: Relative, memo: Memo, where: object, traced: Traced | None = None
) -> Body:
    """The body of *recipe* in a file from which *relative* sees other files; *where*, by its value,
    decides how."""
    pin, scope_path = recipe.pin, recipe.scope_path
    near = (where, id(pin), bool(recipe.overlays), scope_path)
    known = memo.near(near)
    if known is None:
        age = pin.age if pin is not None else None
        stated = pin.prov.of("release", "date") if pin is not None and pin.prov is not None else 0
        cross = pin is not None and bool(pin.cross_system)
        known = memo.within(
            (where, age, stated, bool(recipe.overlays), scope_path, cross),
            lambda: settings_context(recipe, relative, Formals(), traced),
        )
        memo.note(near, pin, known)
    blocks = lowered_blocks(recipe, known)
    if recipe.needs:
        blocks["needs"] = _needs(recipe, relative, memo, traced)
    asking = [one for block in blocks.values() for one in block.asking]
    needed_key = _needed(asking, known).key if asking else None
    slots, old, heads, closed = _frame(recipe, blocks, known.context)
    things: list[object] = [pin, recipe.package, recipe.scope, *recipe.config, None]
    things += [*recipe.overlays, None, *closed]
    if traced is not None:
        things += [None, recipe.overlay_list, recipe.pin_choice]
    fills: Mapping[str, str] = recipe.changes.fills or {}
    of: tuple[object, ...] = (slots, old, heads, needed_key)
    marks: list[str] = []
    if fills:
        outside = [block for name, block in blocks.items() if name not in slots]
        marks = [mark for block in outside for mark in block.marks]
        of = (*of, *[fills[mark] for mark in marks])

    def print_around() -> Around:
        needed = _needed(asking, known)
        frame = Frame(frozenset(slots), old, heads)
        body = lower_around(recipe, relative, frame, needed.formals, needed.scope, traced)
        if marks:  # of settings that are in no slot
            body = filled(body, fills)
        return Around.of(body, traced=traced is not None)

    return Body(known.around(of, things, print_around), blocks, fills)


def lowered_blocks(recipe: ir.Recipe, known: Known) -> dict[str, Block]:
    """The settings of *recipe*, lowered, by the slots that they can be in."""
    return {
        block.name: known.block(settings, _lowered)
        for block, settings in zip(OF_PACKAGE, recipe.changes.blocks, strict=True)
    }


def _lowered(known: Known, settings: tuple[ir.Setting, ...]) -> list[Lowered]:
    """The *settings* of one block, lowered, in the order in which they are emitted."""
    ordered = in_order(settings[0].path[0], settings) if settings else ()
    return [known.lowered(one, block_binding) for one in ordered]


def _needed(asking: list[Lowered], known: Known) -> Needed:
    """What all of *asking* need of the file."""
    scope = known.context.scope
    found = Needed(Formals(), scope.fresh() if scope is not None else None)
    for one in asking:
        found.add(one)
    return found


def _needs(recipe: ir.Recipe, relative: Relative, memo: Memo, traced: Traced | None) -> Block:
    """What *recipe* needs, lowered. No other recipe has the same, so it is not kept."""
    around = Nixpkgs.of(recipe)
    known = Known(memo, needs_context(recipe, relative, Formals(), traced))

    def lower(need: ir.Need, context: Context) -> NixBinding:
        return lower_need(need, around, context)

    return Block(memo, [known.lowered(need, lower) for need in recipe.needs])


Heads = tuple[tuple[str, "Lines"], ...]


def _frame(
    recipe: ir.Recipe, blocks: dict[str, Block], context: Context
) -> tuple[tuple[str, ...], bool, Heads, list[object]]:
    """What `Frame` has: the blocks that are in slots, whether their settings refer to `old`, and
    where they begin if that is traced; and the settings of the other blocks. A block that may be on
    one line is in no slot."""
    made = recipe.changes
    sets: list[str] = []
    plain: list[str] = []
    alone: list[str] = []
    for block in OF_PACKAGE:
        name = block.name
        if not blocks[name].all:
            continue
        if block.form == "override":
            alone.append(name)
        elif is_flat(block, context):
            plain.append(name)
        else:
            sets.append(name)
    slots = [*sets, *[name for name in alone if len(blocks[name].all) > 1]]
    if len(sets) + sum([len(blocks[name].all) for name in plain]) > 1:
        slots += plain
    if "needs" in blocks:
        slots.append("needs")
    old = bool(sets) or any(blocks[name].mentions_old for name in plain)
    closed: list[object] = []
    for name in (*alone, *plain):
        if name not in slots:
            closed += made.of(name)
    if context.traced is None:
        return tuple(slots), old, (), closed
    needs = tuple([need.setting for need in recipe.needs])
    heads = [(name, head_of(*(needs if name == "needs" else made.of(name)))) for name in slots]
    return tuple(slots), old, tuple(heads), closed


# --- whole files ----------------------------------------------------------------------------------


def recipe_text(recipe: ir.Recipe, source: str, file: str, entry: str | None = None) -> str:
    """The text of one recipe, sealed with its digest; see `Bodies`."""
    return Bodies(source, entry).text(recipe, file)
