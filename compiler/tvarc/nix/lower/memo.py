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
    dataclass,
    replace,
)
from tvarc.nix.language.document import AsksWidth, LineMap
from tvarc.nix.language.late import filled, marks_in, with_fields
from tvarc.nix.language.printer import map_of, print_around, print_around_mapped, print_entry
from tvarc.nix.language.syntax import NixBinding, NixExpr
from tvarc.nix.lower.context import Context, Formals
from tvarc.nix.lower.scopes import Scope
from tvarc.nix.lower.settings import mentions_old

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines

_MOST: Final = 1 << 24
"""Characters that the texts of a memo may have. With more of them, the memo is emptied."""
_NODE: Final = 1 << 10
"""Characters that take as much memory as what is lowered of a setting, its text apart."""

T = TypeVar("T")

Line = tuple["Lines", "Lines"]
"""The lines of source of the values on a line, and those of what is around the values."""


def lines_of(found: LineMap) -> list[Line]:
    """The lines of a map, in order."""
    return list(zip(found.made, found.around, strict=True))


class Lowered:
    """A setting of a file as a binding, with what it needs of the file, and with its texts."""

    __slots__ = (
        "_asks_width", "_filled", "_lines", "_memo", "_node", "_old", "formals", "is_late", "marks",
        "needs", "scope", "texts",
    )  # fmt: skip

    def __init__(
        self, memo: Memo, node: NixBinding, formals: Formals, scope: Scope | None
    ) -> None:
        self._memo = memo
        self._node = node
        self._old: bool | None = None
        # The text by its indentation, which is a format of Python's `%` if it has late parts. One
        # whose layout depends on its late parts is not among them.
        self.texts: dict[int, str] = {}
        self._filled: dict[tuple[int, tuple[str, ...]], str] = {}
        self._asks_width = False
        self.marks = sorted(marks_in(node.value))  # of the late parts in the binding
        self.is_late = bool(self.marks)
        self._lines: dict[int, list[Line]] = {}
        self.formals = formals
        self.scope = scope
        # Whether the binding needs names of the file.
        in_scope = scope is not None and (scope.required or scope.optional)
        self.needs = bool(formals.names or in_scope)

    @property
    def mentions_old(self) -> bool:
        """Whether the binding refers to `old`."""
        if self._old is None:
            self._old = mentions_old([self._node.value])
        return self._old

    def printed(self, indent: int, fills: Mapping[str, str]) -> str:
        """The binding as it is printed in a slot with this indentation. *fills* has the texts of
        its late parts, by their marks."""
        text: str | None = self.texts.get(indent)
        if text is None and not self._asks_width:
            try:
                text = print_entry(self._node, indent)
            except AsksWidth:
                self._asks_width = True
            else:
                if self.is_late:
                    text = with_fields(text)
                self.texts[indent] = text
                self._memo.grow(len(text))
        if text is None:
            return self._laid_out(indent, fills)
        return text % fills if self.is_late else text

    def _laid_out(self, indent: int, fills: Mapping[str, str]) -> str:
        """The binding with its late parts filled in before it is printed."""
        key = (indent, tuple([fills[mark] for mark in self.marks]))
        text = self._filled.get(key)
        if text is None:
            text = self._filled[key] = print_entry(filled(self._node, fills), indent)
            self._memo.grow(len(text))
        return text

    def lines(self, indent: int) -> list[Line]:
        """What each line of `text` is made of. The first line is the end of the line before."""
        lines = self._lines.get(indent)
        if lines is None:
            lines = self._lines[indent] = [(0, 0), *lines_of(map_of(self._node, indent))]
            self._memo.grow(len(lines) * _NODE // 8)
        return lines


@dataclass(frozen=True, slots=True)
class Around:
    """The text around the slots of a file: one text more than there are slots, each slot with the
    indentation of its lines. `lines` has what the lines of each text are made of, if that is
    traced."""

    texts: list[str]
    slots: list[tuple[str, int]]
    lines: list[list[Line]]

    @classmethod
    def of(cls, body: NixExpr, *, traced: bool) -> Around:
        """The printed *body* of a file."""
        if not traced:
            texts, slots = print_around(body)
            return cls(texts, slots, [])
        found, slots = print_around_mapped(body)
        return cls([text for text, _ in found], slots, [lines_of(lines) for _, lines in found])


class Known:
    """What is lowered in one *context*, by the identity of the things that decide it."""

    __slots__ = ("_around", "_lowered", "_memo", "context")

    def __init__(self, memo: Memo, context: Context) -> None:
        self._memo = memo
        self.context = context
        self._lowered: dict[int, tuple[object, Lowered]] = {}
        self._around: dict[object, tuple[Sequence[object], Around]] = {}

    def all_lowered(
        self, things: Sequence[T], make: Callable[[T, Context], NixBinding]
    ) -> list[Lowered]:
        """What *make* lowers each of *things* to in the context."""
        known = self._lowered
        try:
            return [known[id(one)][1] for one in things]
        except KeyError:
            return [self.lowered(one, make) for one in things]

    def lowered(self, thing: T, make: Callable[[T, Context], NixBinding]) -> Lowered:
        """What *make* lowers *thing* to in the context."""
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
        """What *make* prints around the slots of a file, which *of*, by its value, and *things*
        decide."""
        key = (of, *map(id, things))
        known = self._around.get(key)
        if known is None:
            known = self._around[key] = (things, make())
            self._memo.grow(_NODE + sum(map(len, known[1].texts)))
        return known[1]


class Memo:
    """What was lowered, by the contexts that it was lowered in. A memo that has become too large is
    emptied."""

    __slots__ = ("_known", "_near", "_size")

    def __init__(self) -> None:
        self._known: dict[object, Known] = {}
        self._near: dict[object, tuple[object, Known]] = {}
        self._size = 0

    def grow(self, characters: int) -> None:
        """Note that so many characters more are kept."""
        self._size += characters

    def near(self, key: object) -> Known | None:
        """What `note` was given for *key*."""
        if self._size > _MOST:
            self._known.clear()
            self._near.clear()
            self._size = 0
        found = self._near.get(key)
        return found[1] if found is not None else None

    def note(self, key: object, thing: object, known: Known) -> None:
        """Note *known* for *key*, which has the identity of *thing*."""
        self._near[key] = (thing, known)

    def within(self, of: object, context: Callable[[], Context]) -> Known:
        """What was lowered in *context*, of which *of* says by its value all that matters."""
        known = self._known.get(of)
        if known is None:
            known = self._known[of] = Known(self, context())
        return known
