"""An elaboration that continues after an edit: settings that the edit does not concern stay
decided. A process that builds repeatedly resolves the program anew after each edit. If the new
program differs from the old one only in values, these values replace those of the old program, and
only settings that depend on them are decided again. Places that have moved are moved in the old
program as well, so messages have the places of the new text.
"""

from __future__ import annotations

from operator import attrgetter

from tvarc.blocks import OF_PACKAGE
from tvarc.decide.elaborate import Elaboration
from tvarc.decide.plan import GroupKey, Plan, group_of
from tvarc.light import Callable, Final, Mapping, Sequence, TypeVar, dataclass, field
from tvarc.matrix.dependencies import Dependencies
from tvarc.meaning import hir
from tvarc.meaning.evaluation.kinds import walk
from tvarc.meaning.functions import SIGNATURES
from tvarc.text.source import ElseSpan, Span
from tvarc.values.value import LaterFacts, RowValue

T = TypeVar("T")

_PLAIN: Final = frozenset((str, int, float, bool, type(None), frozenset))
_APART: Final = {hir.LetDef: ("known",), hir.MatrixDef: ("built",), hir.Write: ("value", "because")}
"""The fields that `_fields` leaves out. They follow from others, or are compared apart."""
_BLOCKS: Final = frozenset([block.name for block in OF_PACKAGE])
_MOST: Final = 64
"""So many edits continue one elaboration. Each of them leaves some memory behind."""


class _Other(Exception):
    """Two programs differ in more than values."""


@dataclass(slots=True)
class Renewal:
    """The comparison of an *old* program with a new one. `count` is the number of edits since all
    was decided, and `replaced` are the values before these edits: their identities stay in use.
    `affected` are the settings of each plan that are decided again."""

    count: int = 0
    replaced: list[object] = field(default_factory=list)
    affected: dict[Plan, set[GroupKey]] = field(default_factory=dict)
    _extended: frozenset[str] = frozenset()
    # By the identity of a thing in the new program: the same thing in the old one.
    _same: dict[int, object] = field(default_factory=dict)
    _moved: list[tuple[Span, Span]] = field(default_factory=list)
    _places: set[int] = field(default_factory=set)
    _writes: list[tuple[hir.Write, hir.Write]] = field(default_factory=list)
    _lets: list[tuple[hir.LetDef, hir.LetDef]] = field(default_factory=list)
    _later: list[tuple[LaterFacts, LaterFacts]] = field(default_factory=list)
    _getters: dict[type, Callable[[object], Sequence[object]]] = field(default_factory=dict)

    def renew(self, elaboration: Elaboration, new: hir.Program) -> bool:
        """Change *elaboration* to that of the program *new*. Returns whether that succeeded;
        otherwise *elaboration* must not be used any more. Its decisions must have no error."""
        old = elaboration.program
        self.count += 1
        if self.count > _MOST or old.stacked or elaboration.overrides:
            return False
        if elaboration.shared.total.is_half_spent:  # each edit charges it, too
            return False
        self._extended = frozenset(old.extended)
        try:
            self._compare(old, new)
            if not self._places.isdisjoint([id(one) for one, _ in self._moved]):
                return False  # the place belongs to another declaration as well
            return self._adopt(elaboration)
        except _Other:
            return False
        finally:  # nothing leads to the new program any more
            noted = (self._moved, self._places, self._writes, self._lets, self._later)
            for found in (self._same, *noted):
                found.clear()

    # --- comparing -----------------------------------------------------------------------

    def _compare(self, old: object, new: object) -> None:
        """Compare two things, and note what differs. Raises _Other."""
        kind = type(old)
        if kind is not type(new):
            raise _Other
        if kind in _PLAIN:
            if old != new:
                raise _Other
        elif kind is tuple or kind is list:
            self._compare_all(old, new)  # type: ignore[arg-type]
        elif isinstance(old, Span):
            self._compare_places(old, new)  # type: ignore[arg-type]
        elif isinstance(old, Mapping):
            self._compare_facts(old, new)  # type: ignore[arg-type]
        elif id(new) not in self._same:
            self._compare_things(old, new)
            self._same[id(new)] = old
        elif self._same[id(new)] is not old:
            raise _Other

    def _compare_all(self, old: Sequence[object], new: Sequence[object]) -> None:
        if len(old) != len(new):
            raise _Other
        for one, other in zip(old, new, strict=True):
            self._compare(one, other)

    def _compare_places(self, old: Span, new: Span) -> None:
        self._places.add(id(new))
        if old is not new:
            if old.file != new.file:
                raise _Other
            if old != new:
                self._moved.append((old, new))
            if isinstance(old, ElseSpan):
                self._compare(old.failed, new.failed)  # type: ignore[attr-defined]

    def _compare_facts(
        self, old: Mapping[object, object], new: Mapping[object, object]
    ) -> None:
        if isinstance(old, LaterFacts) and isinstance(new, LaterFacts) and not old.is_found:
            self._later.append((old, new))
            return
        if list(old) != list(new):
            raise _Other
        self._compare_all([*old.values()], [*new.values()])

    def _compare_things(self, old: object, new: object) -> None:
        if isinstance(old, RowValue) and old == new and self._is_library(old.table):
            return
        if isinstance(old, hir.Table) and self._is_library(old.origin):
            self._compare(old.origin, new.origin)  # type: ignore[attr-defined]
            return
        if isinstance(old, hir.LetDef):
            self._compare_lets(old, new)  # type: ignore[arg-type]
            return
        if isinstance(old, hir.LetRef):
            self._compare(old.target, new.target)  # type: ignore[attr-defined]
            if any(one is old.target for one, _ in self._lets):
                raise _Other
        kind = type(old)
        getter = self._getters.get(kind)
        if getter is None:
            getter = self._getters[kind] = _fields(kind)
        self._compare_all(getter(old), getter(new))
        if isinstance(old, hir.Write):
            assert isinstance(new, hir.Write)
            if self._differ((old.value, old.because), (new.value, new.because)):
                self._writes.append((old, new))

    def _is_library(self, table: str) -> bool:
        """Whether *table* belongs to the library, which has not changed."""
        return table.startswith("std/") and table not in self._extended

    def _compare_lets(self, old: hir.LetDef, new: hir.LetDef) -> None:
        self._compare_all((old.name, old.id, old.span), (new.name, new.id, new.span))
        if self._differ(old.body, new.body):
            self._lets.append((old, new))

    def _differ(self, old: object, new: object) -> bool:
        count = len(self._moved)
        try:
            self._compare(old, new)
        except _Other:
            del self._moved[count:]
            return True
        return False

    # --- taking values over --------------------------------------------------------------

    def _adopt(self, elaboration: Elaboration) -> bool:
        """Put the new values into the old program; whether *elaboration* can continue."""
        if _has_sources([old.value for old, _ in self._writes]):
            return False
        written = {id(old) for old, _ in self._writes}
        changed = {
            plan: {g for g, of in plan.groups.items() if any(id(p.write) in written for p in of)}
            for plan in elaboration.plans.values()
        }
        found = {id(p.write) for plan, groups in changed.items() for g in groups
                 for p in plan.groups[g]}
        reads = elaboration.shared.reads
        axes = [(plan, g, plan.dependencies(g, reads)) for plan in changed for g in changed[plan]]
        if not written <= found:
            return False
        for old, new in self._moved:
            for name in ("start", "end"):
                object.__setattr__(old, name, getattr(new, name))
        for later, other in self._later:
            later.find_by(other)
        for let, of in self._lets:
            self.replaced += let.body
            let.body[:] = [self._adopted(one) for one in of.body]
            let.known.clear()
            reads.lets.pop(let.id, None)
        for write, by in self._writes:
            self.replaced.append(write.value)
            object.__setattr__(write, "value", self._adopted(by.value))
            object.__setattr__(write, "because", by.because)
        ids = {let.id for let, _ in self._lets}
        lets = elaboration.shared.lets
        for key in [key for key in lets if key[0] in ids]:
            del lets[key]
        for plan, groups in changed.items():
            for group in groups:
                plan.forget_dependencies(group)
        if any(plan.dependencies(group, reads) != known for plan, group, known in axes):
            return False
        self.affected = {plan: _affected(plan, groups, reads) for plan, groups in changed.items()}
        return all(
            _decides_again(elaboration, plan, groups, self.affected[plan], lets=bool(ids))
            for plan, groups in changed.items()
        )

    def _adopted(self, new: T) -> T:
        """*new* with the declarations of the old program."""
        known = self._same.get(id(new))
        if known is not None:
            return known  # type: ignore[return-value]
        kind = type(new)
        if kind is tuple:
            return tuple([self._adopted(one) for one in new])  # type: ignore[attr-defined,return-value]
        if kind.__module__ != hir.__name__:
            return new
        names = kind.__match_args__  # type: ignore[attr-defined]
        return kind(*[self._adopted(getattr(new, name)) for name in names])


def _fields(kind: type) -> Callable[[object], Sequence[object]]:
    """A function that returns the fields of an object of *kind* that are compared."""
    names = getattr(kind, "__match_args__", None)
    if names is None:
        raise _Other
    kept = [name for name in names if name not in _APART.get(kind, ())]
    if len(kept) > 1:
        return attrgetter(*kept)
    return lambda thing: [getattr(thing, name) for name in kept]


def _has_sources(values: Sequence[hir.Expr]) -> bool:
    """Whether *values* may have sources or hashes, which are noted while they are decided."""
    return any(
        isinstance(one, hir.NixCode)
        or (isinstance(one, hir.Apply) and SIGNATURES[one.function].result in ("nix", "path"))
        for one in walk(values, lets=True)
    )


def _affected(plan: Plan, changed: set[GroupKey], reads: Dependencies) -> set[GroupKey]:
    """The groups *changed* of *plan*, and all groups that read them."""
    read_by: dict[GroupKey, list[GroupKey]] = {}
    for group in plan.groups:
        for found in plan.reads(group, reads):
            for path in found.settings:
                read_by.setdefault(group_of(path), []).append(group)
    waiting = list(changed)
    affected = set(changed)
    while waiting:
        for group in read_by.get(waiting.pop(), ()):
            if group not in affected:
                affected.add(group)
                waiting.append(group)
    return affected


def _decides_again(
    elaboration: Elaboration,
    plan: Plan,
    changed: set[GroupKey],
    affected: set[GroupKey],
    *,
    lets: bool,
) -> bool:
    """Drop what *elaboration* has decided of the groups *affected* of *plan*, since those that are
    *changed* have other values, with *lets* by `let`s; whether nothing else depends on them."""
    shared = elaboration.shared
    reads = shared.reads

    def concerned(settings: frozenset[hir.Path]) -> bool:
        return not affected.isdisjoint(map(group_of, settings))

    if any(block not in _BLOCKS for block, _ in affected):
        return False
    if _has_sources([placed.write.value for group in affected for placed in plan.groups[group]]):
        return False
    for pin in elaboration.program.pins:
        if any(concerned(reads.expr(one.value).settings)
               for one in (*pin.fields.values(), *pin.blocks)):
            return False
    if any(concerned(reads.expr(one.file).settings) for one in elaboration.program.outputs):
        return False
    for condition in plan.conditions:
        if concerned(reads.expr(condition.expr).settings):
            shared.held.discard(id(condition))
    return elaboration.forget(plan, changed, affected, lets=lets)
