"""What a process that builds again and again keeps of decided recipes: two builds lower and print
the same thing once.

Each build decides all variants anew, so messages and their places are those of a new process. A
decided thing has a number, which equal things of other builds have as well. Spans, origins and
values that lost take no part in it: no text of a recipe depends on them."""

from __future__ import annotations

from operator import attrgetter

from tvarc.files.output.header import File
from tvarc.files.output.kept import KeptFiles
from tvarc.light import Callable, Final, Mapping, Sequence, TypeVar, is_dataclass, replace
from tvarc.nix import ir
from tvarc.nix.lower.lower import first_line
from tvarc.nix.lower.memo import Memo
from tvarc.text.source import Span
from tvarc.values.value import Late, RowValue

_TEXTLESS: Final = frozenset(("origin", "shadowed", "prov", "fills", "filled", "unset"))
"""The fields of decided things that no text depends on."""
_SHARED: Final = (ir.Setting, ir.Frame, ir.Overlay, ir.Pin)
"""The classes of things that variants share."""

T = TypeVar("T")
_Block = tuple[ir.Setting, ...]


class _Unknown(Exception):
    """A thing has no number."""


class Kept:
    """The texts of one program, from build to build. After a build, what it did not use is dropped.
    """

    __slots__ = (
        "_before", "_canonical", "_count", "_getters", "_now", "_numbers", "_own", "_places",
        "_scope", "files", "memo",
    )  # fmt: skip

    def __init__(self) -> None:
        self.files = KeptFiles(self._key)
        self.memo = Memo()
        self._scope: object = None
        self._count = 0
        self._getters: dict[type, Callable[[object], Sequence[object]]] = {}
        # The numbers of structures, and the thing that stands for all things with a number, of the
        # last build and of this one.
        self._before: tuple[dict[object, int], dict[int, object]] = ({}, {})
        self._now: tuple[dict[object, int], dict[int, object]] = ({}, {})
        # The numbers of things with late parts or rows. No thing of another build stands for these:
        # each build has late parts of its own, and rows hold the whole program.
        self._own: set[int] = set()
        # The things of this build by identity: their numbers, and what stands for them.
        self._numbers: dict[int, tuple[object, object]] = {}
        self._canonical: dict[int, tuple[object, object]] = {}
        self._places: Mapping[Late, int] = {}

    def begin(self, *scope: object) -> None:
        """Begin a build. With another *scope*, equal things may have other texts."""
        if scope != self._scope:
            self._scope = scope
            self._before = ({}, {})
            self.memo.forget()
            self.files = KeptFiles(self._key)
        self.memo = Memo(self.memo)

    def end(self, *, whole: bool) -> None:
        """End a build. If it was not *whole*, what it made is dropped, and not what was there
        before."""
        self.files.end(whole=whole)
        if whole:
            self._before = self._now
            self._own.intersection_update(self._now[0].values())
        self.memo = self.memo.ended(whole=whole)
        self._now = ({}, {})
        self._numbers.clear()
        self._canonical.clear()
        self._places = {}

    # --- what stands for what ------------------------------------------------------------

    def canonical(self, recipe: ir.Recipe) -> ir.Recipe:
        """*recipe* with the things that the memo knows from the last build in the place of equal
        ones."""
        changes = recipe.changes
        self._places = changes.fills.places
        frame = self._of(recipe.frame)
        blocks = tuple([self._block(one) for one in changes.blocks])
        return replace(recipe, frame=frame, changes=replace(changes, blocks=blocks))

    def _block(self, block: _Block) -> _Block:
        known = self._canonical.get(id(block))
        if known is None:
            found = self._standing(block)
            if found is block:
                found = tuple([self._of(one) for one in block])
                number = self._number(block)
                if isinstance(number, int) and number not in self._own:
                    self._now[1][number] = found
            known = self._canonical[id(block)] = (block, found)
        return known[1]  # type: ignore[return-value]

    def _of(self, thing: T) -> T:
        known = self._canonical.get(id(thing))
        if known is None:
            known = self._canonical[id(thing)] = (thing, self._standing(thing))
        return known[1]  # type: ignore[return-value]

    def _standing(self, thing: object) -> object:
        """What stands for *thing*: what did so in the last build, or else the first one of this
        build."""
        number = self._number(thing)
        if not isinstance(number, int) or number in self._own:
            return thing
        now = self._now[1]
        if number not in now:
            now[number] = self._before[1].get(number, thing)
        return now[number]

    # --- numbers -------------------------------------------------------------------------

    def _key(self, file: File) -> object:
        """What decides the text of *file*; None if that is not known."""
        recipe = getattr(file, "of", None)  # a file for one variant has a recipe
        if not isinstance(recipe, ir.Recipe) or recipe.needs:
            return None
        changes, known = recipe.changes, self._numbers
        things = (recipe.frame, *changes.blocks)
        try:
            numbers = [known[id(one)][1] for one in things]  # the usual case
        except KeyError:
            self._places = changes.fills.places
            numbers = [self._number(one) for one in things]
        if None in numbers:
            return None
        return first_line(recipe), recipe.matrix, recipe.recipes[-1], *numbers, *changes.fills.texts

    def _number(self, thing: object) -> object:
        """The number of a thing that variants share; None if it has none."""
        known = self._numbers.get(id(thing))
        if known is None:
            try:
                number = self._structure(thing)
            except _Unknown:
                number = None
            known = self._numbers[id(thing)] = (thing, number)
        return known[1]

    def _value(self, thing: object) -> object:
        """A value that is equal for equal things. Raises _Unknown."""
        kind = type(thing)
        if thing is None or kind is str:
            return thing
        if kind is Span or kind is ir.Origin:
            return None
        if kind is int or kind is float or kind is bool:
            return kind, repr(thing)
        if kind in _SHARED:
            number = self._number(thing)
            if number is None:
                raise _Unknown
            return number
        return self._structure(thing)

    def _structure(self, thing: object) -> int:
        """The number of a thing that consists of others. Raises _Unknown."""
        if isinstance(thing, tuple):
            return self._intern(tuple([self._value(one) for one in thing]))
        if isinstance(thing, Late):
            number = self._intern((Late, self._places[thing], thing.whole))
            self._own.add(number)
            return number
        if isinstance(thing, RowValue):
            number = self._intern((RowValue, thing.table, thing.name))
            self._own.add(number)
            return number
        if isinstance(thing, frozenset):
            return self._intern((frozenset, *sorted(thing)))
        if not is_dataclass(thing):
            raise _Unknown
        kind = type(thing)
        getter = self._getters.get(kind)
        if getter is None:
            getter = self._getters[kind] = _getter(kind)
        return self._intern((kind, *[self._value(one) for one in getter(thing)]))

    def _intern(self, key: tuple[object, ...]) -> int:
        now, before = self._now[0], self._before[0]
        number = now.get(key)
        if number is None:
            number = before.get(key)
            if number is None:
                self._count += 1
                number = self._count
            now[key] = number
            if not self._own.isdisjoint(key):
                self._own.add(number)
        return number


def _getter(kind: type) -> Callable[[object], Sequence[object]]:
    """A function that returns the fields of an object of the dataclass *kind* on which texts
    depend."""
    named: Sequence[str] = kind.__match_args__  # type: ignore[attr-defined]
    names = [name for name in named if name not in _TEXTLESS]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda thing: [getattr(thing, name) for name in names]
