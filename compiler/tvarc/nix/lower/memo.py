"""The memo: what is decided once is lowered once, and printed once.

A decided setting is one object for all variants that agree on what it reads: see
`decide/decide.py`. So the identity of decided things is the key of everything that is made of
them. A key is kept together with its things: as long as it is known, no other thing can have the
identity of one.
"""

from __future__ import annotations

from tvarc.light import (
    TYPE_CHECKING,
    Callable,
    Final,
    Mapping,
    Sequence,
    TypeVar,
    cast,
    dataclass,
    field,
    replace,
)
from tvarc.nix.language.document import AsksWidth, LineMap
from tvarc.nix.language.late import Marked, marks_in, with_marks, with_widths
from tvarc.nix.language.printer import (
    print_around,
    print_around_mapped,
    print_entry,
    print_entry_mapped,
)
from tvarc.nix.language.syntax import NixBinding, NixExpr
from tvarc.nix.lower.context import Context, Formals
from tvarc.nix.lower.scopes import Scope
from tvarc.nix.lower.settings import mentions_old

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines

MOST_CHARACTERS: Final = 1 << 24
"""Characters that the texts of a memo may have. With more of them, the memo is emptied."""
_NODE: Final = 1 << 10
"""The number of characters that use as much memory as one lowered setting without its text."""

T = TypeVar("T")

Line = tuple["Lines", "Lines"]
"""The lines of source of the values on a line, and those of the code around the values."""


def lines_of(found: LineMap) -> list[Line]:
    """The lines of a map, in order."""
    return list(zip(found.made, found.around, strict=True))


class Lowered:
    """A setting of a file as a binding, with what it needs of the file, and with its texts."""

    __slots__ = (
        "_asks_width", "_laid_out", "_lines", "_memo", "_node", "_old", "_texts", "formals",
        "marks", "needs", "scope",
    )  # fmt: skip

    def __init__(self, memo: Memo, node: NixBinding, formals: Formals, scope: Scope | None) -> None:
        self._memo = memo
        self._node = node
        self._old: bool | None = None
        # The text by its indentation, with marks for late parts.
        self._texts: dict[int, str] = {}
        # With marks too, by the indentation and the widths of late parts.
        self._laid_out: dict[tuple[int, ...], Marked] = {}
        self._asks_width = False
        self.marks = sorted(marks_in(node.value))  # of the late parts in the binding
        self._lines: dict[object, list[Line]] = {}
        self.formals = formals
        self.scope = scope
        # Whether the binding needs names of the file.
        in_scope = scope is not None and (scope.required or scope.optional)
        self.needs = bool(formals.names or formals.optional or in_scope)

    @property
    def mentions_old(self) -> bool:
        """Whether the binding refers to `old`."""
        if self._old is None:
            self._old = mentions_old([self._node.value])
        return self._old

    def printed(self, indent: int) -> str | None:
        """The binding as it is printed in a slot with this indentation, with marks for its late
        parts. None if its layout depends on them."""
        text = self._texts.get(indent)
        if text is None and not self._asks_width:
            try:
                text = self._texts[indent] = print_entry(self._node, indent)
            except AsksWidth:
                self._asks_width = True
            else:
                self._memo.grow(len(text))
        return text

    def laid_out(self, indent: int, fills: Mapping[str, str]) -> Marked:
        """The binding as it is printed if its layout depends on the widths of its late parts.
        *fills* has their texts, by their marks."""
        widths = widths_of(self.marks, fills)
        key = (indent, *widths.values())
        text = self._laid_out.get(key)
        if text is None:
            printed = print_entry(with_widths(self._node, widths), indent)
            text = self._laid_out[key] = Marked(with_marks(printed, widths))
            self._memo.grow(text.length)
        return text

    def lines(self, indent: int, fills: Mapping[str, str]) -> list[Line]:
        """The lines that made each line of the printed binding, with the bits of its late parts.
        The first line is the end of the line before."""
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
    """The width of the text that *fills* has for each of *marks*."""
    return {mark: len(fills[mark]) for mark in marks}


Run = tuple[Marked, Lowered | None]
"""The text of some settings, and the setting after them, whose layout depends on its late parts."""


class Block:
    """The settings of a slot, lowered, with their texts joined."""

    __slots__ = ("_lines", "_memo", "_old", "_runs", "all", "asking", "marks", "shape", "things")

    def __init__(self, memo: Memo, entries: list[Lowered], things: object = None) -> None:
        """The *entries*, which were lowered of *things*."""
        self._memo = memo
        self.things = things
        self.all = entries
        self.asking = [one for one in entries if one.needs]
        # The number of settings, or 2 for more; and whether one needs something of the file.
        self.shape = (min(len(entries), 2), bool(self.asking))
        self.marks = [mark for one in entries for mark in one.marks]  # of their late parts
        self._old: bool | None = None
        self._runs: dict[int, list[Run]] = {}  # by their indentation
        self._lines: dict[int, list[Line]] = {}

    @property
    def mentions_old(self) -> bool:
        """Whether one of the bindings refers to `old`."""
        if self._old is None:
            self._old = any(one.mentions_old for one in self.all)
        return self._old

    def print_to(self, found: list[str], indent: int, fills: Mapping[str, str]) -> None:
        """Append the settings as they are printed in a slot with this indentation: texts to be
        joined. *fills* has the texts of late parts, by their marks."""
        for text, wide in self._runs.get(indent) or self._printed(indent):
            if text.marks:
                start = len(found) + 1
                found += text.pieces
                found[start::2] = map(fills.__getitem__, text.marks)
            else:
                found += text.pieces
            if wide is not None:
                found.append(wide.laid_out(indent, fills).filled(fills))

    def size(self, indent: int, fills: Mapping[str, str]) -> int:
        """The bytes of what `print_to` appends."""
        found = 0
        for text, wide in self._runs.get(indent) or self._printed(indent):
            found += text.size(fills)
            if wide is not None:
                found += wide.laid_out(indent, fills).size(fills)
        return found

    def _printed(self, indent: int) -> list[Run]:
        runs = self._runs[indent] = []
        texts: list[str] = []
        for one in (*self.all, None):
            text = one.printed(indent) if one is not None else None
            if text is None:
                joined = Marked("".join(texts))
                runs.append((joined, one))
                self._memo.grow(joined.length)
                texts = []
            else:
                texts.append(text)
        return runs

    def lines(self, indent: int, fills: Mapping[str, str]) -> list[Line]:
        """The lines that made each line of the text, with the bits of late parts. The first line
        is the end of the line before."""
        lines = self._lines.get(indent)
        if lines is None:
            lines = [(0, 0)]
            for one in self.all:
                join(lines, one.lines(indent, fills))
            if not self.marks or all(one.printed(indent) is not None for one in self.all):
                self._lines[indent] = lines
                self._memo.grow(len(lines) * _NODE // 64)
        return lines


def join(lines: list[Line], more: list[Line]) -> None:
    """Append *more*, of a text that follows. Its first line is the end of the last one here."""
    made, around = lines[-1]
    lines[-1] = (made | more[0][0], around | more[0][1])
    lines += more[1:]


@dataclass(frozen=True, slots=True)
class Around:
    """The text around the slots of a file: the first text, and each slot with the indentation of
    its lines and the text after it. A slot is the place of its block among all blocks. `lines` has
    what the lines of each text are made of, if that is traced. `marked` are the texts that have
    marks, by their numbers."""

    first: str
    slots: list[tuple[int, int, str]]
    lines: list[list[Line]]
    marked: Mapping[int, Marked] = field(default_factory=dict)

    @classmethod
    def of(
        cls, body: NixExpr, places: Mapping[str, int], widths: Mapping[str, int], *, traced: bool
    ) -> Around:
        """The printed *body* of a file, with the slots of blocks that have these *places*. Its late
        parts have these *widths*, by their marks."""
        lines: list[list[Line]] = []
        if widths:
            body = with_widths(body, widths)
        if traced:
            mapped, slots = print_around_mapped(body)
            texts = [text for text, _ in mapped]
            lines = [lines_of(found) for _, found in mapped]
        else:
            texts, slots = print_around(body)
        after = zip(slots, texts[1:], strict=True)
        found = [
            (places[slot], indent, with_marks(text, widths)) for (slot, indent), text in after
        ]
        first = with_marks(texts[0], widths)
        several = enumerate([first, *[text for _, _, text in found]]) if widths else ()
        marked = {number: one for number, text in several if (one := Marked(text)).marks}
        return cls(first, found, lines, marked)

    def filled(self, fills: Mapping[str, str]) -> Around:
        """This with the texts that *fills* has, in the place of their marks."""
        first, slots = self.first, self.slots[:]
        for number, one in self.marked.items():
            text = one.filled(fills)
            if number:
                place, indent, _ = slots[number - 1]
                slots[number - 1] = (place, indent, text)
            else:
                first = text
        return Around(first, slots, self.lines)


class Known:
    """The lowered things of one *context*, by the identity of the things that decide them."""

    __slots__ = ("_around", "_blocks", "_lowered", "_made", "_memo", "context")

    def __init__(self, memo: Memo, context: Context) -> None:
        self._memo = memo
        self.context = context
        self._lowered: dict[int, tuple[object, Lowered]] = {}
        self._blocks: dict[int, Block] = {}
        self._around: dict[object, tuple[Sequence[object], Around]] = {}
        self._made: dict[object, object] = {}

    def blocks(
        self, several: Sequence[T], make: Callable[[Known, T], list[Lowered]]
    ) -> list[Block]:
        """A block of each of *several* things, which *make* lowers in the context."""
        known = self._blocks
        found = list(map(known.get, map(id, several)))
        if all(found):
            return found  # type: ignore[return-value]
        made: list[Block] = []
        for one in several:
            block = known.get(id(one))
            if block is None:
                block = known[id(one)] = Block(self._memo, make(self, one), one)
                self._memo.grow(_NODE)
            made.append(block)
        return made

    def once(self, of: object, make: Callable[[], T]) -> T:
        """The result of *make* in the context, made once for each value of *of*. Besides the
        context, that value decides everything that *make* depends on."""
        found = self._made.get(of)
        if found is None:
            found = self._made[of] = make()
            self._memo.grow(_NODE)
        return cast("T", found)

    def lowered(self, thing: T, make: Callable[[T, Context], NixBinding]) -> Lowered:
        """The result of lowering *thing* by *make* in the context."""
        known = self._lowered.get(id(thing))
        if known is None:
            formals = Formals()
            scope = self.context.scope.fresh() if self.context.scope is not None else None
            node = make(thing, replace(self.context, formals=formals, scope=scope))
            known = (thing, Lowered(self._memo, node, formals, scope))
            self._lowered[id(thing)] = known
            self._memo.grow(_NODE)
        return known[1]

    def around(self, of: object, things: Sequence[object], make: Callable[[], Around]) -> Around:
        """The text that *make* prints around the slots of a file. The value of *of*, and *things*,
        decide it."""
        key = (of, *map(id, things))
        known = self._around.get(key)
        if known is None:
            known = self._around[key] = (things, make())
            self._memo.grow(_NODE + sum([len(text) for _, _, text in known[1].slots]))
        return known[1]


class Memo:
    """The lowered things, by their contexts. A memo that is too large is emptied."""

    __slots__ = ("_known", "_near", "_size")

    def __init__(self) -> None:
        self._known: dict[object, Known] = {}
        self._near: dict[object, tuple[object, Known]] = {}
        self._size = 0

    def grow(self, characters: int) -> None:
        """Note that so many characters more are kept."""
        self._size += characters

    def near(self, key: object) -> Known | None:
        """The value that `note` was called with for *key*."""
        if self._size > MOST_CHARACTERS:
            self._known.clear()
            self._near.clear()
            self._size = 0
        found = self._near.get(key)
        return found[1] if found is not None else None

    def note(self, key: object, thing: object, known: Known) -> None:
        """Note *known* for *key*, which has the identity of *thing*."""
        self._near[key] = (thing, known)

    def within(self, of: object, context: Callable[[], Context]) -> Known:
        """The lowered things of *context*. The value of *of* decides the context."""
        known = self._known.get(of)
        if known is None:
            known = self._known[of] = Known(self, context())
        return known
