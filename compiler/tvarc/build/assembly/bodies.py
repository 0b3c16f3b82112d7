"""The text of a recipe below its header, joined from texts of the memo.

A recipe's file has slots for its settings. A slot is a place in a set that takes several lines,
whatever it contains. So no line of one setting depends on another setting. Each setting is lowered
and printed once for all recipes that have it. The same holds for the text around the slots.
"""

from __future__ import annotations

import posixpath

from tvarc.blocks import OF_PACKAGE, PLACES
from tvarc.build.assembly.places import Places, output_of
from tvarc.files.output.header import SEAL_BYTES, digest_line, seal
from tvarc.light import TYPE_CHECKING, Any, Callable, Final, Iterator, Protocol, Sequence, dataclass
from tvarc.nix import ir
from tvarc.nix.language.late import MappedLine, Piece, Widths, bytes_of
from tvarc.nix.language.printer import print_comment
from tvarc.nix.language.syntax import NixBinding
from tvarc.nix.lower.context import Context, Formals, Relative, Slots, Traced
from tvarc.nix.lower.lower import (
    Nixpkgs,
    first_line,
    lower_around,
    lower_need,
    made_by,
    needs_context,
    settings_context,
)
from tvarc.nix.lower.memo import Around, Block, Known, Lowered, Memo, Shape, join, widths_of
from tvarc.nix.lower.scopes import Scope
from tvarc.nix.lower.settings import block_binding, in_order, is_flat

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines
    from tvarc.values.value import Late


_NEEDS: Final = "needs"
BLOCK_PLACES: Final = {**PLACES, _NEEDS: len(PLACES)}
"""The blocks of a recipe by their places: the changes of its package, and its needs."""


@dataclass(frozen=True, slots=True)
class Needed:
    """What a file's settings need from the file: arguments, and names of a package set."""

    formals: Formals
    scope: Scope | None

    @classmethod
    def by(cls, asking: Sequence[Lowered], context: Context) -> Needed:
        """The needs of all of *asking* together."""
        scope = context.scope
        found = cls(Formals(), scope.fresh() if scope is not None else None)
        for one in asking:
            found.formals.ask(one.formals, 0)
            if found.scope is not None and one.scope is not None:
                found.scope.ask(one.scope, 0)
        return found

    @property
    def key(self) -> object:
        """All of it as a value that can be compared."""
        asked_by = self.formals.asked
        formals = tuple([(one, asked_by.get(one.name, 0)) for one in self.formals.listed()])
        if self.scope is None:
            return formals, self.formals.whole
        scope = self.scope
        asked = tuple(sorted(scope.asked.items()))
        return formals, frozenset(scope.required), frozenset(scope.optional), asked


class Form(Protocol):
    """A form of file. A recipe in it is text around the slots of its settings."""

    @property
    def relative(self) -> Relative:
        """Returns paths relative to the file."""

    @property
    def traced(self) -> Traced | None:
        """The provenance for nodes, if recipes are traced."""

    def has_needs(self, recipe: ir.Recipe) -> bool:
        """Whether the needs of *recipe* are in a slot."""

    @property
    def key(self) -> Callable[[ir.Recipe], tuple[Sequence[object], Sequence[object]]] | None:
        """Returns the key of the text around the slots of a recipe, besides its frame and its
        blocks: values that are compared, and things that are compared by identity. None if there is
        nothing else."""

    def around(
        self, recipe: ir.Recipe, slots: Slots, needed: Needed, widths: Widths
    ) -> Around:
        """The text around *slots*, whose settings need *needed*. *widths* has the widths of the
        late parts of *recipe* that are in no slot."""


@dataclass(frozen=True, slots=True)
class Alone:
    """A file for one recipe."""

    relative: Relative
    traced: Traced | None = None

    key = None

    def has_needs(self, recipe: ir.Recipe) -> bool:
        """As `Form.has_needs`."""
        return bool(recipe.needs)

    def around(
        self, recipe: ir.Recipe, slots: Slots, needed: Needed, widths: Widths
    ) -> Around:
        """As `Form.around`."""
        body = lower_around(
            recipe, self.relative, slots, needed.formals, needed.scope, self.traced
        )
        return Around.of(body, BLOCK_PLACES, widths, traced=self.traced is not None)


class Body:
    """The body of one recipe in one file: the texts around its slots, and the texts in them."""

    __slots__ = ("around", "blocks", "fills")

    def __init__(self, around: Around, blocks: Sequence[Block], fills: ir.Fills) -> None:
        self.around = around
        self.blocks = blocks
        self.fills = fills

    def texts(self) -> list[str]:
        """The texts that form the body when they are joined."""
        blocks, fills = self.blocks, self.fills
        texts = fills.texts
        first, after = self.around.closed or self.around.filled(fills)
        found: list[Any] = [first]  # texts, and late parts until they are filled in
        for place, indent, text in after:
            block = blocks[place]
            for run, take, wide in block.runs.get(indent) or block.printed(indent, fills.places):
                found += run.pieces
                if take is not None:
                    found[run.open] = take(texts)
                if wide is not None:
                    found.append(wide.laid_out(indent, fills).filled(fills))
            found.append(text)
        return found

    def size(self) -> int:
        """The bytes of the body in UTF-8. Settings are not printed for it."""
        found = sum([text.size(self.fills) for text in self.around.texts])
        for place, indent in self.around.slots:
            found += self.blocks[place].size(indent, self.fills)
        return found

    def maps(self) -> Iterator[Sequence[MappedLine]]:
        """The provenance of each line of the body, in a list for each text. The first entry of a
        list continues the line before it."""
        first, *others = self.around.texts
        yield first.lines
        for text, (place, indent) in zip(others, self.around.slots, strict=True):
            yield from self.blocks[place].maps(indent, self.fills)
            yield text.lines

    def lines(self) -> list[MappedLine]:
        """The provenance of each line of the body."""
        found = [(0, 0)]
        for lines in self.maps():
            join(found, lines)
        return found

    def pieces(self) -> Iterator[tuple[object, tuple[int, ...]]]:
        """The pieces that form the body, in order: each as a lowered thing, and the numbers that
        its layout depends on. Bodies with the same thing and equal numbers share the piece."""
        yield self.around, (0,)
        for number, (place, indent) in enumerate(self.around.slots, 1):
            block = self.blocks[place]
            yield block, block.layout(indent, self.fills)
            yield self.around, (number,)

    def piece(
        self, of: object, layout: tuple[int, ...]
    ) -> tuple[list[Piece], Sequence[MappedLine]]:
        """The texts and late parts of one of the `pieces`, and the provenance of each of its lines,
        with the bits of these parts. The body must be traced."""
        number = layout[0]
        if isinstance(of, Block):
            lines = [(0, 0)]
            for more in of.maps(number, self.fills):
                join(lines, more)
            return of.pieces(number, self.fills), lines
        text = self.around.texts[number]
        return text.pieces, text.lines


class Bodies:
    """Makes the bodies of recipes of one program, with one memo."""

    __slots__ = (
        "_below",
        "_entry",
        "_forms",
        "_memo",
        "_source",
        "_traced",
    )  # fmt: skip

    def __init__(
        self,
        source: str,
        entry: str | None = None,
        traced: Traced | None = None,
        memo: Memo | None = None,
    ) -> None:
        """*source* is the file that declares the recipes. Its path is relative to the folder from
        which the paths of their files begin. *entry* is the loader's name of it, by default its
        last step. With *traced*, recipes must be decided with tracing, and lines of bodies have
        provenance. *memo* is that of other builds."""
        self._source = source
        self._entry = entry
        self._traced = traced
        self._memo = memo or Memo()
        self._below: dict[tuple[str, str], tuple[str, list[MappedLine]]] = {}
        self._forms: dict[tuple[str, str], Alone] = {}

    def text(self, recipe: ir.Recipe, file: str) -> str:
        """The text of *recipe* in *file*, sealed with its digest."""
        head, texts = self.parts(recipe, file)
        return seal(head.split("\n")[:-1], "".join(texts))

    def sealed_head(self, recipe: ir.Recipe, file: str) -> str:
        """The header of *recipe* in *file*, with the line of its digest."""
        head, texts = self.parts(recipe, file)
        return head + digest_line(head, "".join(texts))

    def parts(self, recipe: ir.Recipe, file: str) -> tuple[str, list[str]]:
        """The header of *recipe* in *file*, and the texts that form its body when they are joined.
        """
        return self._head(recipe), self.of(recipe, file).texts()

    def size(self, recipe: ir.Recipe, file: str) -> int:
        """The bytes of *recipe* in *file*, including its digest."""
        return bytes_of(self._head(recipe)) + SEAL_BYTES + self.of(recipe, file).size()

    def _head(self, recipe: ir.Recipe) -> str:
        """The header of *recipe*. Only its first line differs between variants of a matrix."""
        return f"{print_comment(first_line(recipe))}\n{self._below_first(recipe)[0]}"

    def head_lines(self, recipe: ir.Recipe) -> list[MappedLine]:
        """The provenance of each line of the header of *recipe*, which must be traced."""
        prov = recipe.prov
        assert prov is not None
        count = print_comment(first_line(recipe)).count("\n") + 1
        return [(prov.name | prov.labels, 0)] * count + self._below_first(recipe)[1]

    def _below_first(self, recipe: ir.Recipe) -> tuple[str, list[MappedLine]]:
        """The header of *recipe* below its first line, and the provenance of each line of it."""
        key = (recipe.matrix, recipe.recipes[-1])
        below = self._below.get(key)
        if below is None:
            made_from = made_by(posixpath.basename(self._source), *key)
            declared, *others = [print_comment(line) for line in made_from]
            text = "".join([f"{line}\n" for line in (declared, *others)])
            made = recipe.prov.declared if recipe.prov is not None else 0
            count = declared.count("\n") + 1
            lines = [(made, 0)] * count + [(0, 0)] * (text.count("\n") - count)
            below = self._below[key] = (text, lines)
        return below

    def of(self, recipe: ir.Recipe, file: str) -> Body:
        """The body of *recipe* in *file*."""
        key = (file.rpartition("/")[0], output_of(recipe, file))
        form = self._forms.get(key)
        if form is None:
            places = Places(self._source, key[0], self._entry, key[1])
            form = self._forms[key] = Alone(places, self._traced)
        return body_of(recipe, form, self._memo, key)


def body_of(recipe: ir.Recipe, form: Form, memo: Memo, where: object) -> Body:
    """The body of *recipe* in a file of this *form*. *where* is the key for the paths from that
    file to other files."""
    relative, traced = form.relative, form.traced
    frame = recipe.frame
    settings: Sequence[Sequence[ir.Setting]] = recipe.changes.blocks
    if memo.standing is not None:
        frame, settings = memo.standing(recipe)
    near = (where, id(frame))
    known = memo.near(near)
    if known is None:
        pin = frame.pin
        age = pin.age if pin is not None else None
        stated = pin.prov.of("release", "date") if pin is not None and pin.prov is not None else 0
        cross = pin is not None and bool(pin.cross_system)
        known = memo.within(
            (where, age, stated, bool(frame.overlays), recipe.scope_path, cross),
            lambda: settings_context(recipe, relative, Formals(), traced=traced),
        )
        memo.note(near, frame, known)
    blocks = known.blocks(settings, _lowered)
    if recipe.needs and form.has_needs(recipe):
        blocks = [*blocks, _needs(recipe, relative, memo, traced)]
    layout = known.once(tuple([block.shape for block in blocks]), Layout.of)
    # The key of the text around the slots.
    of: list[object] = [layout, id(frame)]
    old = layout.old
    if layout.plain:
        old = old or any(blocks[place].mentions_old for place in layout.plain)
        of.append(old)
    asking: list[Lowered] = []
    if layout.asking:
        asking = [one for place in layout.asking for one in blocks[place].asking]
        of.append(Needed.by(asking, known.context).key)
    others: Sequence[object] = ()
    if form.key is not None:
        values, others = form.key(recipe)
        of += (*values, *map(id, others))
    fills = recipe.changes.fills
    widths: dict[Late, int] = {}  # of late parts of settings in no slot
    for place in layout.closed:
        of.append(id(settings[place]))
        widths.update(widths_of(blocks[place].late_parts, fills))
    if widths:
        of += widths.items()
    heads: Heads = ()
    if traced is not None:
        heads = tuple([(name, blocks[BLOCK_PLACES[name]].head) for name in layout.slots])
        of.append(heads)
    key = tuple(of)
    around = known.around.get(key)
    if around is None:
        slots = Slots(frozenset(layout.slots), old, heads)
        around = form.around(recipe, slots, Needed.by(asking, known.context), widths)
        known.note_around(key, others, around)
    return Body(around, blocks, fills)


def _lowered(known: Known, settings: Sequence[ir.Setting]) -> list[Lowered]:
    """The *settings* of one block, lowered, in the order of emission."""
    ordered = in_order(settings[0].path[0], settings) if settings else ()
    return [known.lowered(one, block_binding) for one in ordered]


def _needs(recipe: ir.Recipe, relative: Relative, memo: Memo, traced: Traced | None) -> Block:
    """The needs of *recipe*, lowered. They are not kept, because no other recipe has the same
    needs."""
    around = Nixpkgs.of(recipe)
    known = Known(memo, needs_context(recipe, relative, Formals(), traced))

    def lower(need: ir.Need, context: Context) -> NixBinding:
        return lower_need(need, around, context)

    settings = [need.setting for need in recipe.needs]
    return Block(memo, [known.lowered(need, lower) for need in recipe.needs], settings)


Heads = tuple[tuple[str, "Lines"], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The places of the settings of a file. The shapes of its blocks decide them.

    - `slots`: the blocks that are in slots. A block that may be on one line is in no slot.
    - `closed`: the blocks that are in no slot.
    - `old`: whether the settings certainly refer to `old`. Otherwise they do if one of the blocks
      `plain` does.
    - `asking`: the blocks with settings that need something from the file.
    """

    slots: tuple[str, ...]
    closed: tuple[int, ...]
    old: bool
    plain: tuple[int, ...]
    asking: tuple[int, ...]

    @classmethod
    def of(cls, shapes: tuple[Shape, ...], context: Context) -> Layout:
        """The layout of a file whose blocks have these *shapes*."""
        size = {name: shape.size for name, shape in zip(BLOCK_PLACES, shapes, strict=False)}
        sets: list[str] = []
        plain: list[str] = []
        alone: list[str] = []
        tests: list[str] = []
        for block in OF_PACKAGE:
            if not size[block.name]:
                continue
            if block.form == "override":
                alone.append(block.name)
            elif block.form == "tests":
                tests.append(block.name)
            elif is_flat(block, context):
                plain.append(block.name)
            else:
                sets.append(block.name)
        slots = [*sets, *tests, *[name for name in alone if size[name] > 1]]
        if len(sets) + sum([size[name] for name in plain]) > 1:
            slots += plain
        if _NEEDS in size:
            slots.append(_NEEDS)
        closed = [BLOCK_PLACES[name] for name in (*alone, *plain) if name not in slots]
        asked = () if sets else tuple([BLOCK_PLACES[name] for name in plain])
        asking = [place for place, shape in enumerate(shapes) if shape.asks]
        return cls(tuple(slots), tuple(closed), bool(sets), asked, tuple(asking))


# --- whole files ------------------------------------------------------------------------------


def recipe_text(recipe: ir.Recipe, source: str, file: str, entry: str | None = None) -> str:
    """The text of one recipe, sealed with its digest. The parameters are those of `Bodies`."""
    return Bodies(source, entry).text(recipe, file)
