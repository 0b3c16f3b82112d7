"""The text of a recipe below its header, joined from texts of the memo.

A recipe's file has slots for its settings: places in a set or a list that takes several lines,
whatever it contains. So no line of one setting depends on another setting. Each setting is lowered
and printed once for all recipes that have it, and so is the text around the slots.
"""

from __future__ import annotations

import posixpath

from tvarc import ir
from tvarc.assembly.places import Places, output_of
from tvarc.backend.nix.context import Context, Formals, Frame, Relative, Traced
from tvarc.backend.nix.lower import (
    Nixpkgs,
    header,
    lower_around,
    lower_need,
    needs_context,
    settings_context,
)
from tvarc.backend.nix.memo import Around, Known, Line, Lowered, Memo, lines_of
from tvarc.backend.nix.scopes import Scope
from tvarc.backend.nix.settings import block_bindings, head_of, in_order, is_flat
from tvarc.blocks import OF_PACKAGE
from tvarc.light import TYPE_CHECKING, Mapping, dataclass
from tvarc.nix.printer import print_comment, print_mapped
from tvarc.nix.syntax import NULL, NixBinding, NixFile
from tvarc.output.header import seal

if TYPE_CHECKING:
    from tvarc.provenance.model import Lines


@dataclass(slots=True, eq=False)
class Needed:
    """What the settings of a file need of it: arguments, names of a package set, and `old`."""

    formals: Formals
    scope: Scope | None
    old: bool = False

    def add(self, one: Lowered) -> None:
        """Note what *one* needs."""
        if one.formals.names:
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

    def __init__(
        self, around: Around, blocks: dict[str, list[Lowered]], fills: Mapping[str, str]
    ) -> None:
        self.around = around
        self.blocks = blocks
        self.fills = fills

    def texts(self) -> list[str]:
        """The texts that the body is the join of."""
        around = self.around
        found = [around.texts[0]]
        for text, (slot, indent) in zip(around.texts[1:], around.slots, strict=True):
            for one in self.blocks[slot]:
                one.add_texts(found, indent, self.fills)
            found.append(text)
        return found

    def lines(self) -> list[Line]:
        """What each line of the body is made of."""
        around = self.around
        found = [(0, 0)]
        _join(found, around.lines[0])
        for lines, (slot, indent) in zip(around.lines[1:], around.slots, strict=True):
            for one in self.blocks[slot]:
                _join(found, one.lines(indent))
            _join(found, lines)
        return found


def _join(lines: list[Line], more: list[Line]) -> None:
    """Append *more*, of a text that follows. Its first line is the end of the last one here."""
    made, around = lines[-1]
    lines[-1] = (made | more[0][0], around | more[0][1])
    lines += more[1:]


class Bodies:
    """Makes the bodies of recipes of one program, with one memo."""

    __slots__ = ("_entry", "_memo", "_places", "_source", "_traced")

    def __init__(self, source: str, entry: str | None = None, traced: Traced | None = None) -> None:
        """*source* is the file that declares the recipes, by a path relative to the folder that
        the paths of their files start from. *entry* is the loader's name of it, by default its last
        step. With *traced*, of recipes that were decided so, the lines of bodies are known."""
        self._source = source
        self._entry = entry
        self._traced = traced
        self._memo = Memo()
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
        head = "".join([f"{line}\n" for line in header_lines(recipe, self.named)])
        return head, self.of(recipe, file).texts()

    @property
    def made(self) -> int:
        """How many characters all texts have that were printed until now."""
        return self._memo.grown

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
    pin = recipe.pin
    age = pin.age if pin is not None else None
    stated = pin.prov.of("release", "date") if pin is not None and pin.prov is not None else 0
    cross = pin is not None and bool(pin.cross_system)
    known = memo.within(
        (where, age, stated, bool(recipe.overlays), recipe.scope_path, cross),
        lambda: settings_context(recipe, relative, Formals(), traced),
    )
    blocks = lowered_blocks(recipe, known)
    scope = known.context.scope
    needed = Needed(Formals(), scope.fresh() if scope is not None else None)
    for entries in blocks.values():
        for one in entries:
            needed.add(one)
    if recipe.needs:
        blocks["needs"] = _needs(recipe, relative, memo, needed, traced)
    frame, closed = _frame(recipe, blocks, traced=traced is not None)
    things: list[object] = [
        pin,
        recipe.package,
        recipe.scope,
        *recipe.config,
        None,
        *recipe.overlays,
        None,
    ]
    things += closed
    of: object = (frame, needed.key)
    if traced is not None:
        things += [None, recipe.overlay_list, recipe.pin_choice]

    def print_around() -> Around:
        formals, scope = needed.formals, needed.scope
        body = lower_around(recipe, relative, frame, formals, scope, traced)
        return Around.of(body, traced=traced is not None)

    return Body(known.around(of, things, print_around), blocks, recipe.changes.fills or {})


def lowered_blocks(recipe: ir.Recipe, known: Known) -> dict[str, list[Lowered]]:
    """The settings of *recipe*, lowered, by the slots that they can be in."""
    made, lowered = recipe.changes, known.lowered
    return {
        block.name: [lowered(one, _binding) for one in in_order(block, made.of(block.name))]
        for block in OF_PACKAGE
    }


def _binding(setting: ir.Setting, context: Context) -> NixBinding:
    return block_bindings(setting.path[0], (setting,), context)[0]


def _needs(
    recipe: ir.Recipe, relative: Relative, memo: Memo, needed: Needed, traced: Traced | None
) -> list[Lowered]:
    """What *recipe* needs, lowered. No other recipe has the same, so it is not kept."""
    around = Nixpkgs.of(recipe)
    known = Known(memo, needs_context(recipe, relative, Formals(), traced))

    def lower(need: ir.Need, context: Context) -> NixBinding:
        return lower_need(need, around, context)

    found = [known.lowered(need, lower) for need in recipe.needs]
    for one in found:
        needed.add(one)
    return found


def _frame(
    recipe: ir.Recipe, blocks: dict[str, list[Lowered]], *, traced: bool
) -> tuple[Frame, list[object]]:
    """Which blocks are in slots, and the settings of the others. A block that may be on one line
    is in none."""
    made, pin = recipe.changes, recipe.pin
    age = pin.age if pin is not None else ir.UNKNOWN
    attributes = [one for one in OF_PACKAGE if one.form != "override" and blocks[one.name]]
    sets = [one.name for one in attributes if not is_flat(one, age)]
    plain = [one.name for one in attributes if one.name not in sets]
    slots = set(sets)
    if len(sets) + sum([len(blocks[name]) for name in plain]) > 1:
        slots.update(plain)
    if len(blocks["args"]) > 1:
        slots.add("args")
    if "needs" in blocks:
        slots.add("needs")
    old = bool(sets) or any(one.mentions_old for name in plain for one in blocks[name])
    settings = {block.name: made.of(block.name) for block in OF_PACKAGE}
    settings["needs"] = tuple([need.setting for need in recipe.needs])
    closed: list[object] = [
        one for name, several in settings.items() if name not in slots for one in several
    ]
    if not traced:
        return Frame(frozenset(slots), old), closed
    heads: dict[str, Lines] = {
        name: head_of(*several) for name, several in settings.items() if name in slots
    }
    return Frame(frozenset(slots), old, tuple(heads.items())), closed


# --- whole files ----------------------------------------------------------------------------------


def recipe_text(recipe: ir.Recipe, source: str, file: str, entry: str | None = None) -> str:
    """The text of one recipe, sealed with its digest; see `Bodies`."""
    return Bodies(source, entry).text(recipe, file)
