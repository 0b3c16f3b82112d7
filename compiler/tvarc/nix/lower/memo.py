"""The memo: a decided thing is lowered once and printed once.

A decided setting is one object for all variants that agree on its reads (`decide/decide.py`). So
the identity of decided things is the key of everything that is made from them. The memo keeps the
things, so no other thing can get the identity of one of them.
"""

from __future__ import annotations

from tvarc.light import (
    TYPE_CHECKING,
    Callable,
    Final,
    Mapping,
    Sequence,
    TypeVar,
    dataclass,
    field,
    itemgetter,
    replace,
)
from tvarc.nix.language.document import AsksWidth
from tvarc.nix.language.late import NO_WIDTHS, MappedLine, Piece, Printed, Widths, late_parts_of
from tvarc.nix.language.printer import print_around, print_entry
from tvarc.nix.language.syntax import NixBinding, NixExpr
from tvarc.nix.lower.context import Context, Formals
from tvarc.nix.lower.scopes import Scope
from tvarc.nix.lower.settings import head_of, mentions_old

if TYPE_CHECKING:
    from tvarc.nix import ir
    from tvarc.values.value import Late

    _Standing = Callable[[ir.Recipe], tuple[ir.Frame, Sequence[Sequence[ir.Setting]]]]

MOST_CHARACTERS: Final = 1 << 24
"""The most characters in the texts of a memo. A memo with more of them is emptied."""
_NODE: Final = 1 << 10
"""A lowered setting without its text uses as much memory as this many characters."""

S = TypeVar("S")
T = TypeVar("T")


class Lowered:
    """A setting of a file as a binding, with the names that it needs from the file, and its texts.
    """

    __slots__ = (
        "_asks_width", "_laid_out", "_memo", "_node", "_old", "_texts", "_traced", "formals",
        "late_parts", "needs", "scope",
    )  # fmt: skip

    def __init__(
        self, memo: Memo, node: NixBinding, formals: Formals, scope: Scope | None, *, traced: bool
    ) -> None:
        """With *traced*, texts have source lines."""
        self._memo = memo
        self._node = node
        self._old: bool | None = None
        # The text for each indentation.
        self._texts: dict[int, Printed] = {}
        # The text for each indentation and widths of late parts.
        self._laid_out: dict[tuple[int, ...], Printed] = {}
        self._asks_width = False
        self._traced = traced
        self.late_parts = late_parts_of(node.value)
        self.formals = formals
        self.scope = scope
        # Whether the binding needs names from the file.
        in_scope = scope is not None and (scope.required or scope.optional)
        self.needs = bool(formals.names or formals.optional or in_scope)

    @property
    def mentions_old(self) -> bool:
        """Whether the binding refers to `old`."""
        if self._old is None:
            self._old = mentions_old([self._node.value])
        return self._old

    def printed(self, indent: int) -> Printed | None:
        """The printed binding in a slot with this indentation. None if its layout depends on the
        widths of its late parts."""
        text = self._texts.get(indent)
        if text is None and not self._asks_width:
            try:
                text = self._texts[indent] = self._print(indent, NO_WIDTHS)
            except AsksWidth:
                self._asks_width = True
        return text

    def laid_out(self, indent: int, fills: Mapping[Late, str]) -> Printed:
        """The printed binding for a layout that depends on the widths of its late parts. *fills*
        has their texts."""
        widths = widths_of(self.late_parts, fills)
        key = (indent, *widths.values())
        text = self._laid_out.get(key)
        if text is None:
            text = self._laid_out[key] = self._print(indent, widths)
        return text

    def _print(self, indent: int, widths: Widths) -> Printed:
        text = print_entry(self._node, indent, widths, mapped=self._traced)
        self._memo.grow(text.length + len(text.lines) * _NODE // 8)
        return text

    def lines(self, indent: int, fills: Mapping[Late, str]) -> Sequence[MappedLine]:
        """The source lines of each line of the printed binding, with the bits of its late parts.
        The first entry continues the line before the binding."""
        return (self.printed(indent) or self.laid_out(indent, fills)).lines


def widths_of(late_parts: Sequence[Late], fills: Mapping[Late, str]) -> dict[Late, int]:
    """The width of the text in *fills* for each of *late_parts*."""
    return {one: len(fills[one]) for one in late_parts}


Take = Callable[[Sequence[str]], Sequence[str]]
Run = tuple[Printed, "Take | None", "Lowered | None"]
"""The text of some settings. Then a function that selects the texts of its late parts from all
texts of late parts; None if it has none. Then the next setting, if its layout depends on its late
parts; else None."""


def taker(late_parts: Sequence[Late], places: Mapping[Late, int]) -> Take | None:
    """A function that selects the texts of *late_parts* from the list of all texts of late parts.
    *places* has the place of each part in that list. None for no parts."""
    if not late_parts:
        return None
    first, *others = [places[one] for one in late_parts]
    return itemgetter(*[first, *others] if others else [slice(first, first + 1)])


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The properties of a block that decide the layout of a file. `size` is the number of its
    settings, at most 2. `asks` says whether one of them needs names from the file. Equal shapes are
    one object."""

    size: int
    asks: bool


_SHAPES: Final = {(size, asks): Shape(size, asks) for size in range(3) for asks in (False, True)}


class Block:
    """The settings of a slot, lowered, with their texts joined."""

    __slots__ = (
        "_maps", "_memo", "_old", "all", "asking", "head", "late_parts", "of", "runs", "shape",
    )  # fmt: skip

    def __init__(self, memo: Memo, entries: list[Lowered], of: Sequence[ir.Setting]) -> None:
        """*entries* are the lowered settings, and *of* the settings."""
        self._memo = memo
        self.of = of  # kept, so that no other block of settings gets its identity
        self.head = head_of(*of)  # with tracing, the first source lines of the settings
        self.all = entries
        self.asking = [one for one in entries if one.needs]
        self.shape = _SHAPES[min(len(entries), 2), bool(self.asking)]
        self.late_parts = [late for one in entries for late in one.late_parts]
        self._old: bool | None = None
        self.runs: dict[int, list[Run]] = {}  # by indentation
        self._maps: dict[int, list[Sequence[MappedLine]]] = {}

    @property
    def mentions_old(self) -> bool:
        """Whether any of the bindings refers to `old`."""
        if self._old is None:
            self._old = any(one.mentions_old for one in self.all)
        return self._old

    def printed(self, indent: int, places: Mapping[Late, int]) -> list[Run]:
        """The printed settings in a slot with this indentation. They are cached in `runs`. *places*
        has the places of late parts; see `Fills`."""
        runs: list[Run] = []
        pieces: list[Piece] = []
        for one in (*self.all, None):
            text = one.printed(indent) if one is not None else None
            if text is None:
                joined = Printed(pieces)
                runs.append((joined, taker(joined.late_parts, places), one))
                self._memo.grow(joined.length)
                pieces = []
            else:
                pieces += text.pieces
        self.runs[indent] = runs
        return runs

    def size(self, indent: int, fills: ir.Fills) -> int:
        """The bytes of the printed settings in a slot with this indentation."""
        runs = self.runs.get(indent) or self.printed(indent, fills.places)
        wide = [one.laid_out(indent, fills) for _, _, one in runs if one is not None]
        return sum([one.size(fills) for one in (*[text for text, _, _ in runs], *wide)])

    def layout(self, indent: int, fills: ir.Fills) -> tuple[int, ...]:
        """The indentation, and the widths of the late parts on which the layout depends. With the
        settings, they decide the layout."""
        runs = self.runs.get(indent) or self.printed(indent, fills.places)
        wide = [one for _, _, one in runs if one is not None]
        return (indent, *[len(fills[late]) for one in wide for late in one.late_parts])

    def pieces(self, indent: int, fills: ir.Fills) -> list[Piece]:
        """The texts of the printed settings, and the late parts between them."""
        found: list[Piece] = []
        for text, _, wide in self.runs.get(indent) or self.printed(indent, fills.places):
            found += text.pieces
            found += wide.laid_out(indent, fills).pieces if wide is not None else ()
        return found

    def maps(self, indent: int, fills: Mapping[Late, str]) -> list[Sequence[MappedLine]]:
        """The source lines of each printed line, with the bits of late parts, in one or several
        lists. The first entry of a list continues the line before it."""
        maps = self._maps.get(indent)
        if maps is None:
            maps = [one.lines(indent, fills) for one in self.all]
            if all(not one.late_parts or one.printed(indent) is not None for one in self.all):
                lines = [(0, 0)]
                for more in maps:
                    join(lines, more)
                maps = self._maps[indent] = [lines]
                self._memo.grow(len(lines) * _NODE // 64)
        return maps


def join(lines: list[MappedLine], more: Sequence[MappedLine]) -> None:
    """Append the lines of a text that follows. Its first entry continues the last line."""
    made, around = lines[-1]
    lines[-1] = (made | more[0][0], around | more[0][1])
    lines += more[1:]


Filled = tuple[str, list[tuple[int, int, str]]]
"""The text before the first slot. Then for each slot the place of its block, the indentation of its
lines, and the text after it."""


@dataclass(frozen=True, slots=True)
class Around:
    """The text around the slots of a file.

    - `texts`: the texts before, between and after the slots.
    - `slots`: each slot as the place of its block among all blocks, with the indentation of its
      lines.
    - `beside`: data that the form of the file keeps with the texts.
    - `closed`: the result of `filled` if no text has late parts, else None.
    """

    texts: list[Printed]
    slots: list[tuple[int, int]]
    beside: object = None
    closed: Filled | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if not any(text.late_parts for text in self.texts):
            object.__setattr__(self, "closed", self.filled({}))

    @classmethod
    def of(
        cls,
        body: NixExpr | NixBinding,
        places: Mapping[str, int],
        widths: Widths,
        indent: int = 0,
        *,
        traced: bool,
    ) -> Around:
        """The printed *body* of a file, or an indented entry of a set. *places* has the places of
        blocks in it, and *widths* the widths of its late parts. With *traced*, texts have source
        lines."""
        texts, slots = print_around(body, indent, widths, mapped=traced)
        return cls(texts, [(places[slot], indent) for slot, indent in slots])

    def after(self, start: int, beside: object) -> Around:
        """A copy with *beside*, whose first text begins at *start*, on a new line."""
        first, *others = self.texts
        head, *rest = first.pieces
        assert isinstance(head, str)
        first = Printed([head[start:], *rest], [(0, 0), *first.lines] if first.lines else ())
        return Around([first, *others], self.slots, beside)

    def filled(self, fills: Mapping[Late, str]) -> Filled:
        """The texts, with *fills* as the texts of late parts."""
        first, *after = [text.filled(fills) for text in self.texts]
        rows = zip(self.slots, after, strict=True)
        return first, [(place, indent, text) for (place, indent), text in rows]


class Known:
    """The lowered things of one *context*, by the identity of the things that decide them."""

    __slots__ = ("_blocks", "_lowered", "_made", "_memo", "_others", "around", "context")

    def __init__(self, memo: Memo, context: Context) -> None:
        self._memo = memo
        self.context = context
        self._lowered: dict[int, tuple[object, Lowered]] = {}
        self._blocks: dict[int, Block] = {}
        self.around: dict[object, Around] = {}  # the arguments of `note_around`
        self._others: list[Sequence[object]] = []  # kept, as the memo keeps frames and blocks
        self._made: dict[object, object] = {}

    def blocks(
        self,
        several: Sequence[Sequence[ir.Setting]],
        make: Callable[[Known, Sequence[ir.Setting]], list[Lowered]],
    ) -> list[Block]:
        """A block for each of *several* sequences of settings. *make* lowers the settings in the
        context."""
        known = self._blocks
        try:
            return [known[id(one)] for one in several]  # the usual case
        except KeyError:
            pass
        made: list[Block] = []
        for one in several:
            block = known.get(id(one))
            if block is None:
                block = known[id(one)] = Block(self._memo, make(self, one), one)
                self._memo.grow(_NODE)
            made.append(block)
        return made

    def once(self, of: T, make: Callable[[T, Context], S]) -> S:
        """The result of *make* for *of* in the context. It is made once for each value of *of*."""
        found = self._made.get(of)
        if found is None:
            found = self._made[of] = make(of, self.context)
            self._memo.grow(_NODE)
        return found  # type: ignore[return-value]

    def lowered(self, thing: T, make: Callable[[T, Context], NixBinding]) -> Lowered:
        """The result of *make*, which lowers *thing* in the context. It is made once."""
        known = self._lowered.get(id(thing))
        if known is None:
            formals = Formals()
            scope = self.context.scope.fresh() if self.context.scope is not None else None
            node = make(thing, replace(self.context, formals=formals, scope=scope))
            traced = self.context.traced is not None
            known = (thing, Lowered(self._memo, node, formals, scope, traced=traced))
            self._lowered[id(thing)] = known
            self._memo.grow(_NODE)
        return known[1]

    def note_around(self, of: object, others: Sequence[object], around: Around) -> None:
        """Note the text *around* the slots of a file. *of* is its key, which contains the
        identities of the frame, of blocks and of *others*."""
        self.around[of] = around
        if others:
            self._others.append(others)
        self._memo.grow(_NODE + sum([text.length for text in around.texts]))


class Memo:
    """The lowered things, by their contexts. A memo that becomes too large is emptied."""

    __slots__ = ("_known", "_near", "_size")

    standing: _Standing | None = None
    """Returns a frame and blocks with the same texts as those of a recipe. None if those of the
    recipe are used, which saves a call for each recipe."""

    def __init__(self) -> None:
        self._known: dict[object, Known] = {}
        self._near: dict[object, tuple[object, Known]] = {}
        self._size = 0

    def grow(self, characters: int) -> None:
        """Note that the memo keeps this many more characters."""
        self._size += characters

    def near(self, key: object) -> Known | None:
        """The value that `note` was given for *key*; None if there is none."""
        if self._size > MOST_CHARACTERS:
            self._known.clear()
            self._near.clear()
            self._size = 0
        found = self._near.get(key)
        return found[1] if found is not None else None

    def note(self, key: object, thing: object, known: Known) -> None:
        """Note *known* for *key*, which contains the identity of *thing*."""
        self._near[key] = (thing, known)

    def within(self, of: object, context: Callable[[], Context]) -> Known:
        """The lowered things in a context. *of* is the key of the context, and *context* makes it.
        """
        known = self._known.get(of)
        if known is None:
            known = self._known[of] = Known(self, context())
        return known
