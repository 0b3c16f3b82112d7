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
from tvarc.nix.language.document import AsksWidth, LineMap
from tvarc.nix.language.late import (
    Marked,
    bytes_of,
    marks_in,
    split_marks,
    with_marks,
    with_texts,
    with_widths,
)
from tvarc.nix.language.printer import (
    print_around,
    print_around_mapped,
    print_entry,
    print_entry_mapped,
)
from tvarc.nix.language.syntax import NixBinding, NixExpr
from tvarc.nix.lower.context import Context, Formals
from tvarc.nix.lower.scopes import Scope
from tvarc.nix.lower.settings import head_of, mentions_old

if TYPE_CHECKING:
    from tvarc.nix import ir
    from tvarc.values.provenance import Lines

MOST_CHARACTERS: Final = 1 << 24
"""The most characters in the texts of a memo. A memo with more of them is emptied."""
_NODE: Final = 1 << 10
"""A lowered setting without its text uses as much memory as this many characters."""

S = TypeVar("S")
T = TypeVar("T")

Line = tuple["Lines", "Lines"]
"""The source lines of the values on a line, and those of the code around the values."""


def lines_of(found: LineMap) -> list[Line]:
    """The lines of *found*, in order."""
    return list(zip(found.made, found.around, strict=True))


class Lowered:
    """A setting of a file as a binding, with the names that it needs from the file, and its texts.
    """

    __slots__ = (
        "_asks_width", "_laid_out", "_lines", "_memo", "_node", "_old", "_texts", "formals",
        "marks", "needs", "scope",
    )  # fmt: skip

    def __init__(self, memo: Memo, node: NixBinding, formals: Formals, scope: Scope | None) -> None:
        self._memo = memo
        self._node = node
        self._old: bool | None = None
        # The text for each indentation, with marks for late parts.
        self._texts: dict[int, str] = {}
        # The text for each indentation and widths of late parts, with marks, too.
        self._laid_out: dict[tuple[int, ...], str] = {}
        self._asks_width = False
        self.marks = sorted(marks_in(node.value))  # of late parts
        self._lines: dict[object, list[Line]] = {}
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

    def printed(self, indent: int) -> str | None:
        """The printed binding in a slot with this indentation, with marks for its late parts. None
        if its layout depends on their widths."""
        text = self._texts.get(indent)
        if text is None and not self._asks_width:
            try:
                text = self._texts[indent] = print_entry(self._node, indent)
            except AsksWidth:
                self._asks_width = True
            else:
                self._memo.grow(len(text))
        return text

    def laid_out(self, indent: int, fills: Mapping[str, str]) -> str:
        """The printed binding with its late parts filled in, for a layout that depends on their
        widths. *fills* has their texts, by their marks."""
        text = self.marked(indent, fills)
        return with_texts(text, {mark: fills[mark] for mark in self.marks})

    def marked(self, indent: int, fills: Mapping[str, str]) -> str:
        """The result of `laid_out`, with marks for its late parts."""
        widths = widths_of(self.marks, fills)
        key = (indent, *widths.values())
        text = self._laid_out.get(key)
        if text is None:
            text = with_marks(print_entry(with_widths(self._node, widths), indent), widths)
            self._laid_out[key] = text
            self._memo.grow(len(text))
        return text

    def lines(self, indent: int, fills: Mapping[str, str]) -> list[Line]:
        """The source lines of each line of the printed binding, with the bits of its late parts.
        The first entry continues the line before the binding."""
        key: object = indent
        node = self._node
        widths: dict[str, int] = {}
        if self.marks and self.printed(indent) is None:
            widths = widths_of(self.marks, fills)
            key = (indent, *widths.values())
        lines = self._lines.get(key)
        if lines is None:
            if widths:
                node = with_widths(node, widths)
            text, found = print_entry_mapped(node, indent)
            if not widths:
                self._texts[indent] = text
            lines = self._lines[key] = [(0, 0), *lines_of(found)]
            self._memo.grow(len(text) + len(lines) * _NODE // 8)
        return lines


def widths_of(marks: Sequence[str], fills: Mapping[str, str]) -> dict[str, int]:
    """The width of the text in *fills* for each of *marks*."""
    return {mark: len(fills[mark]) for mark in marks}


Take = Callable[[Sequence[str]], Sequence[str]]
Run = tuple[list[str], "Take | None", "Lowered | None"]
"""Texts of some settings, with a mark at each odd place. Then a function that selects the texts of
these marks from all texts of late parts; None without marks. Then the next setting, if its layout
depends on its late parts; else None."""


def taker(marks: Sequence[str], places: Mapping[str, int]) -> Take | None:
    """A function that selects the text of each of *marks* from the list of all texts of late parts.
    *places* has the place of each mark in that list. None without marks."""
    if not marks:
        return None
    first = places[marks[0]]
    return itemgetter(*[places[mark] for mark in marks] if marks[1:] else [slice(first, first + 1)])


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
        "_maps", "_memo", "_old", "_sizes", "all", "asking", "head", "marks", "of", "runs", "shape",
    )  # fmt: skip

    def __init__(self, memo: Memo, entries: list[Lowered], of: Sequence[ir.Setting]) -> None:
        """*entries* are the lowered settings, and *of* the settings."""
        self._memo = memo
        self.of = of  # kept, so that no other block of settings gets its identity
        self.head = head_of(*of)  # with tracing, the first source lines of the settings
        self.all = entries
        self.asking = [one for one in entries if one.needs]
        self.shape = _SHAPES[min(len(entries), 2), bool(self.asking)]
        self.marks = [mark for one in entries for mark in one.marks]  # of late parts
        self._old: bool | None = None
        self.runs: dict[int, list[Run]] = {}  # by indentation
        self._sizes: dict[int, list[Marked]] = {}
        self._maps: dict[int, list[list[Line]]] = {}

    @property
    def mentions_old(self) -> bool:
        """Whether any of the bindings refers to `old`."""
        if self._old is None:
            self._old = any(one.mentions_old for one in self.all)
        return self._old

    def printed(self, indent: int, places: Mapping[str, int]) -> list[Run]:
        """The printed settings in a slot with this indentation. They are cached in `runs`. *places*
        has the places of late parts; see `Fills`."""
        runs: list[Run] = []
        texts: list[str] = []
        for one in (*self.all, None):
            text = one.printed(indent) if one is not None else None
            if text is None:
                joined = "".join(texts)
                pieces = split_marks(joined)
                runs.append((pieces, taker(pieces[1::2], places), one))
                self._memo.grow(len(joined))
                texts = []
            else:
                texts.append(text)
        self.runs[indent] = runs
        return runs

    def size(self, indent: int, fills: ir.Fills) -> int:
        """The bytes of the printed settings in a slot with this indentation."""
        runs = self.runs.get(indent) or self.printed(indent, fills.places)
        sizes = self._sizes.get(indent)
        if sizes is None:
            sizes = self._sizes[indent] = [Marked(pieces) for pieces, _, _ in runs]
        wide = [one.laid_out(indent, fills) for _, _, one in runs if one is not None]
        return sum([one.size(fills) for one in sizes]) + sum(map(bytes_of, wide))

    def layout(self, indent: int, fills: ir.Fills) -> tuple[int, ...]:
        """The indentation, and the widths of the late parts on which the layout depends. With the
        settings, they decide the layout."""
        runs = self.runs.get(indent) or self.printed(indent, fills.places)
        wide = [one for _, _, one in runs if one is not None]
        return (indent, *[width for one in wide for width in widths_of(one.marks, fills).values()])

    def marked(self, indent: int, fills: ir.Fills) -> str:
        """The printed settings with marks for their late parts."""
        found: list[str] = []
        for pieces, _, wide in self.runs.get(indent) or self.printed(indent, fills.places):
            found += pieces
            found += [wide.marked(indent, fills)] if wide is not None else []
        return "".join(found)

    def maps(self, indent: int, fills: Mapping[str, str]) -> list[list[Line]]:
        """The source lines of each printed line, with the bits of late parts, in one or several
        lists. The first entry of a list continues the line before it."""
        maps = self._maps.get(indent)
        if maps is None:
            maps = [one.lines(indent, fills) for one in self.all]
            if all(not one.marks or one.printed(indent) is not None for one in self.all):
                lines = [(0, 0)]
                for more in maps:
                    join(lines, more)
                maps = self._maps[indent] = [lines]
                self._memo.grow(len(lines) * _NODE // 64)
        return maps


def join(lines: list[Line], more: list[Line]) -> None:
    """Append the lines of a text that follows. Its first entry continues the last line."""
    made, around = lines[-1]
    lines[-1] = (made | more[0][0], around | more[0][1])
    lines += more[1:]


@dataclass(frozen=True, slots=True)
class Around:
    """The text around the slots of a file.

    - `first`: the text before the first slot.
    - `slots`: each slot as the place of its block among all blocks, with the indentation of its
      lines and the text after it.
    - `lines`: with tracing, the source lines of the lines of each text.
    - `beside`: data that the form of the file keeps with the text.
    - `marked`: the texts that have marks, by their places among all texts.
    """

    first: str
    slots: list[tuple[int, int, str]]
    lines: list[list[Line]]
    beside: object = None
    marked: Mapping[int, Marked] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        body: NixExpr | NixBinding,
        places: Mapping[str, int],
        widths: Mapping[str, int],
        indent: int = 0,
        *,
        traced: bool,
    ) -> Around:
        """The printed *body* of a file, or an indented entry of a set. *places* has the places of
        blocks in it, and *widths* the widths of its late parts, by their marks."""
        lines: list[list[Line]] = []
        if widths:
            body = with_widths(body, widths)
        if traced:
            mapped, slots = print_around_mapped(body, indent)
            texts = [text for text, _ in mapped]
            lines = [lines_of(found) for _, found in mapped]
        else:
            texts, slots = print_around(body, indent)
        after = zip(slots, texts[1:], strict=True)
        found = [
            (places[slot], indent, with_marks(text, widths)) for (slot, indent), text in after
        ]
        first = with_marks(texts[0], widths)
        several = enumerate([first, *[text for _, _, text in found]]) if widths else ()
        marked = {place: Marked(split_marks(text)) for place, text in several}
        return cls(first, found, lines, marked={n: one for n, one in marked.items() if one.marks})

    def after(self, start: int, lines: list[list[Line]], beside: object) -> Around:
        """A copy with *lines* and *beside*, whose first text begins at *start*."""
        first, marked = self.first[start:], self.marked
        if 0 in marked:
            marked = {**marked, 0: Marked(split_marks(first))}
        return Around(first, self.slots, lines, beside, marked)

    def filled(self, fills: Mapping[str, str]) -> Around:
        """A copy with the texts of *fills* in place of their marks."""
        first, slots = self.first, self.slots[:]
        for number, one in self.marked.items():
            text = one.filled(fills)
            if number:
                place, indent, _ = slots[number - 1]
                slots[number - 1] = (place, indent, text)
            else:
                first = text
        return Around(first, slots, self.lines, self.beside)


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
            known = (thing, Lowered(self._memo, node, formals, scope))
            self._lowered[id(thing)] = known
            self._memo.grow(_NODE)
        return known[1]

    def note_around(self, of: object, others: Sequence[object], around: Around) -> None:
        """Note the text *around* the slots of a file. *of* is its key, which contains the
        identities of the frame, of blocks and of *others*."""
        self.around[of] = around
        if others:
            self._others.append(others)
        self._memo.grow(_NODE + sum([len(text) for _, _, text in around.slots]))


class Memo:
    """The lowered things, by their contexts. A memo that becomes too large is emptied."""

    __slots__ = ("_known", "_near", "_size")

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
