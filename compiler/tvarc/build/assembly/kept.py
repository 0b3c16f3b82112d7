"""The parts of decided recipes that a process which builds repeatedly keeps, so that it lowers and
prints an unchanged thing only once. Each decided thing has a number. Equal things of other builds
have the same number. Spans, origins and values that lost do not affect the number, because no text
of a recipe depends on them."""

from __future__ import annotations

from operator import attrgetter

from tvarc.advice.lints.facts import Facts, Rows
from tvarc.build.assembly.bodies import Bodies
from tvarc.build.assembly.outputs import OutputFiles
from tvarc.decide.elaborate import Elaboration
from tvarc.decide.portions import Decided
from tvarc.files.output.header import File
from tvarc.light import Callable, Final, Mapping, Sequence, TypeVar, is_dataclass
from tvarc.matrix.variants import Variant
from tvarc.nix import ir
from tvarc.nix.language.syntax import NixBinding
from tvarc.nix.lower.context import Context
from tvarc.nix.lower.memo import Around, Block, Known, Lowered, Memo
from tvarc.text.source import Span
from tvarc.values.value import Late, RowValue

_TEXTLESS: Final = frozenset(("origin", "shadowed", "prov", "fills", "filled", "unset"))
"""The fields of decided things that no text depends on."""
_GROWTH: Final = 3
"""So many times as many numbers as one build uses are kept."""
_SHARED: Final = (ir.Setting, ir.Frame, ir.Overlay, ir.Pin)
"""The classes of things that variants share."""

S = TypeVar("S")
T = TypeVar("T")
_Block = tuple[ir.Setting, ...]


class _Unknown(Exception):
    """A thing has no number."""


class Kept:
    """The texts of one program, from build to build. After a build, what it did not use is dropped.
    """

    __slots__ = (
        "_before", "_canonical", "_count", "_facts", "_getters", "_library", "_made",
        "_memo", "_now", "_numbers", "_own", "_places", "_scope", "_size", "_things", "recipes",
    )  # fmt: skip

    def __init__(self) -> None:
        self._memo = _Memo(self, {})  # of this build
        self._made: _Made = {}  # of the last one
        self._scope: object = None
        self.recipes = KeptRecipes()
        self._library: object = None
        self._facts: Facts | None = None
        self._count = 0
        self._getters: dict[type, Callable[[object], Sequence[object]]] = {}
        # Of the last build and of this one: the number of each structure, and for each number the
        # one object that replaces all equal ones.
        self._before: tuple[dict[object, int], dict[int, object]] = ({}, {})
        self._now: tuple[dict[object, int], dict[int, object]] = ({}, {})
        # The numbers of objects with late parts or rows. No object of another build replaces these:
        # each build has late parts of its own, and a row keeps the whole program in memory.
        self._own: set[int] = set()
        self._size = 0  # of `_before`, when it had only what one build uses
        # By the identity of an object of this build, or of those that it continues from: its
        # number, and the object that replaces it.
        self._numbers: dict[int, object] = {}
        self._canonical: dict[int, object] = {}
        self._things: list[object] = []  # these objects, so that no other gets their identities
        self._places: Mapping[Late, int] = {}

    def of_library(self, library: object) -> bool:
        """Begin a build with the state *library* of the library's files; whether it is another one.
        """
        changed = library != self._library
        if changed:
            self._library = library
            self._facts = None
        return changed

    def facts(self, rows: Rows) -> Facts:
        """The facts of the library. *rows* are its rows, to which no program has added any."""
        if self._facts is None:
            self._facts = Facts(rows)
        self._facts.absent.known.clear()  # it keeps pins, and so the program of the last build
        return self._facts

    def begin(
        self, source: str, entry: str | None, elaboration: Elaboration
    ) -> tuple[Bodies, OutputFiles]:
        """Begin a build of *elaboration*. Return the maker of the bodies of its recipes, and the
        paths of its files. *source* and *entry* are the parameters of `Bodies`."""
        outputs = self.recipes.begin(elaboration)
        scope = (source, entry, elaboration.program.looked_for)
        if scope != self._scope:  # equal things may have other texts
            self._scope = scope
            self._before = ({}, {})
            self._made = {}
        if self.recipes.continues and len(self._before[0]) <= _GROWTH * self._size:
            self._now = self._before  # things that are decided keep their identities and numbers
        else:
            self.forget()
        self._memo = _Memo(self, self._made)
        return Bodies(source, entry, memo=self._memo), outputs

    def end(self, *, whole: bool) -> None:
        """End a build. If it was not *whole*, its own texts are dropped, and those of the last
        build stay."""
        self.recipes.end()
        if whole:
            numbers, standing = self._now
            if self._now is not self._before:
                used = set(numbers.values())
                before = self._before[1]
                standing = {one: before[one] for one in used & before.keys()} | standing
                self._own &= used
                self._before = numbers, standing
                self._size = len(numbers)
            self._made = self._memo.ended({id(one) for one in standing.values()})
        self._memo = _Memo(self, {})
        self._places = {}

    def forget(self) -> None:
        """Drop the objects of earlier builds. Their numbers stay, for equal objects of the next."""
        self._now = ({}, {})
        self._numbers.clear()
        self._canonical.clear()
        self._things.clear()

    # --- equal objects -------------------------------------------------------------------

    def standing(self, recipe: ir.Recipe) -> tuple[ir.Frame, Sequence[_Block]]:
        """The frame and the blocks of *recipe*, or equal ones of the last build. The memo knows
        these."""
        changes, known = recipe.changes, self._canonical
        things = (recipe.frame, *changes.blocks)
        try:
            frame, *blocks = map(known.__getitem__, map(id, things))  # the usual case
        except KeyError:
            self._places = changes.fills.places
            frame, blocks = self._of(recipe.frame), [*map(self._block, changes.blocks)]
        return frame, blocks  # type: ignore[return-value]

    def _block(self, block: _Block) -> _Block:
        found = self._canonical.get(id(block))
        if found is None:
            found = self._standing(block)
            if found is block:
                found = tuple([self._of(one) for one in block])
                number = self._number(block)
                if isinstance(number, int) and number not in self._own:
                    self._now[1][number] = found
            self._canonical[id(block)] = found
            self._things.append(block)
        return found  # type: ignore[return-value]

    def _of(self, thing: T) -> T:
        found = self._canonical.get(id(thing))
        if found is None:
            found = self._canonical[id(thing)] = self._standing(thing)
            self._things.append(thing)
        return found  # type: ignore[return-value]

    def _standing(self, thing: object) -> object:
        """The object that replaces *thing*. It is the one of the last build, or else the first of
        this build."""
        number = self._number(thing)
        if not isinstance(number, int) or number in self._own:
            return thing
        now = self._now[1]
        if number not in now:
            now[number] = self._before[1].get(number, thing)
        return now[number]

    # --- numbers -------------------------------------------------------------------------

    def key(self, file: File) -> object:
        """The key that decides the text of *file*; None if it is not known."""
        recipe = getattr(file, "of", None)  # a file for one variant has a recipe
        if not isinstance(recipe, ir.Recipe) or recipe.needs:
            return None
        changes, known = recipe.changes, self._numbers
        things = (recipe.frame, *changes.blocks)
        try:
            numbers = [*map(known.__getitem__, map(id, things))]  # the usual case
        except KeyError:
            self._places = changes.fills.places
            numbers = [*map(self._number, things)]
        if None in numbers:
            return None
        numbers += [axis.label for axis in recipe.axes]
        names = (recipe.variant, recipe.matrix, recipe.recipes[-1])
        return *names, *numbers, *changes.fills.texts

    def _number(self, thing: object) -> object:
        """The number of a thing that variants share; None if it has none."""
        number = self._numbers.get(id(thing), self)  # the number may be None
        if number is self:
            try:
                number = self._structure(thing)
            except _Unknown:
                number = None
            self._numbers[id(thing)] = number
            self._things.append(thing)
        return number

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


_Recipe = tuple[tuple[Decided, ...], ir.Recipe]
"""The decisions of all portions for a variant, and its recipe."""


class KeptRecipes:
    """The recipes of the last build. A build that continues from it reuses the recipes of which
    nothing is decided again. They need memory, so they are kept only while edits leave most recipes
    as they were."""

    __slots__ = ("_elaboration", "_is_kept", "_known", "_outputs", "continues")

    def __init__(self) -> None:
        self._elaboration: Elaboration | None = None
        self._outputs: OutputFiles | None = None
        self.continues = self._is_kept = False
        # By the id of the matrix, and the cell.
        self._known: dict[str, dict[int, _Recipe]] = {}

    def begin(self, elaboration: Elaboration) -> OutputFiles:
        """Begin a build of *elaboration*; the paths of its files."""
        self.continues = elaboration is self._elaboration
        if not self.continues or self._outputs is None:
            self._elaboration = elaboration
            self._outputs = OutputFiles(elaboration.program.outputs, elaboration.sink)
        self._outputs.begin(elaboration.sink)
        return self._outputs

    def end(self) -> None:
        """End a build."""
        self._is_kept = (
            self.continues and self._elaboration is not None and self._elaboration.are_current
        )
        if not self._is_kept:
            self._known = {}

    @property
    def keeps(self) -> bool:
        """Whether recipes are kept for the next build."""
        return bool(self._known)

    def decide(
        self, matrix: str, decide: Callable[[Variant], ir.Recipe]
    ) -> Callable[[Variant], ir.Recipe]:
        """A function that returns the recipe of a variant of *matrix*, by *decide* if none is kept.
        """
        elaboration = self._elaboration
        if not self._is_kept or elaboration is None:
            return decide
        of_matrix = self._known.setdefault(matrix, {})

        def kept(variant: Variant) -> ir.Recipe:
            known = of_matrix.get(variant.cell)
            if known is None or not elaboration.is_current(variant, known[0]):
                recipe = decide(variant)
                known = of_matrix[variant.cell] = elaboration.decided, recipe
            return known[1]

        return kept


class _Memo(Memo):
    """The memo of one build. *before* has the lowered things of the last one, by their contexts."""

    __slots__ = ("before", "made", "standing")

    def __init__(self, kept: Kept, before: _Made) -> None:
        super().__init__()
        self.standing = kept.standing
        self.before = before
        self.made: _Made = {}

    def ended(self, alive: set[int]) -> _Made:
        """Everything that the next build may use: all parts that this build has made, and older
        parts that belong to objects with the identities *alive*."""
        for of, known in self.before.items():
            if of not in self.made:
                self.made[of] = _Known(self, known.context, known)
        for known in self.made.values():
            known.end(alive)
        self.before = {}
        return self.made

    def within(self, of: object, context: Callable[[], Context]) -> Known:
        known = self.made.get(of)
        if known is None:
            known = self.made[of] = _Known(self, context(), self.before.get(of))
        return known


class _Known(Known):
    """The lowered things of one context. Those of the last build come from *before*."""

    __slots__ = ("before",)

    around: _Around

    def __init__(self, memo: Memo, context: Context, before: _Known | None) -> None:
        super().__init__(memo, context)
        self.before = before
        self.around = _Around(before.around if before is not None else None)

    def end(self, alive: set[int]) -> None:
        """Keep the parts of things with the identities *alive*, including those of the last build,
        and drop the others."""
        if self.before is not None:
            for one in alive:
                _take(one, self._blocks, self.before._blocks)
                _take(one, self._lowered, self.before._lowered)
            for key in self.before.around:
                _take(key, self.around, self.before.around)
            self._made = self.before._made | self._made
        self._blocks = {one: made for one, made in self._blocks.items() if one in alive}
        self._lowered = {one: made for one, made in self._lowered.items() if one in alive}
        self.around.end(alive)
        self.before = None

    def blocks(
        self,
        several: Sequence[Sequence[ir.Setting]],
        make: Callable[[Known, Sequence[ir.Setting]], list[Lowered]],
    ) -> list[Block]:
        try:
            return [self._blocks[id(one)] for one in several]  # the usual case
        except KeyError:
            if self.before is not None:
                for one in several:
                    _take(id(one), self._blocks, self.before._blocks)
            return super().blocks(several, make)

    def once(self, of: T, make: Callable[[T, Context], S]) -> S:
        if of not in self._made and self.before is not None:
            _take(of, self._made, self.before._made)
        return super().once(of, make)

    def lowered(self, thing: T, make: Callable[[T, Context], NixBinding]) -> Lowered:
        if self.before is not None:
            _take(id(thing), self._lowered, self.before._lowered)
        return super().lowered(thing, make)


class _Around(dict[object, Around]):
    """The texts around the slots of files, by their keys."""

    __slots__ = ("before",)

    def __init__(self, before: _Around | None) -> None:
        super().__init__()
        self.before = before

    def end(self, alive: set[int]) -> None:
        """Drop each text with an identity in its key that is not *alive*."""
        for key in list(self):
            assert isinstance(key, tuple)
            if not alive.issuperset([one for one in key if type(one) is int]):
                del self[key]
        self.before = None

    def get(self, of: object) -> Around | None:  # type: ignore[override]
        found = super().get(of)
        if found is None and self.before is not None:
            _take(of, self, self.before)
            found = super().get(of)
        return found


_Made = dict[object, _Known]
"""The lowered things of a build, by their contexts."""


def _take(key: T, now: dict[T, S], before: dict[T, S]) -> None:
    """Add to *now* what *before* has for *key*."""
    if key not in now and key in before:
        now[key] = before[key]


def _getter(kind: type) -> Callable[[object], Sequence[object]]:
    """A function that returns the fields of an object of the dataclass *kind* on which texts
    depend."""
    named: Sequence[str] = kind.__match_args__  # type: ignore[attr-defined]
    names = [name for name in named if name not in _TEXTLESS]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda thing: [getattr(thing, name) for name in names]
