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
from tvarc.light import (
    Callable,
    Final,
    Mapping,
    Sequence,
    TypeVar,
    dataclass,
    field,
    lru_cache,
)
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
    """Lets an elaboration continue from edit to edit. `count` is the number of edits since all was
    decided, and `affected` are the settings of each plan that the last one decides again."""

    count: int = 0
    affected: dict[Plan, set[GroupKey]] = field(default_factory=dict)
    # The values before these edits. While they are here, no other object gets their identities.
    _replaced: list[object] = field(default_factory=list)

    def renew(self, elaboration: Elaboration, new: hir.Program) -> bool:
        """Change *elaboration* to that of the program *new*. Returns whether that succeeded;
        otherwise *elaboration* must not be used any more. Its decisions must have no error."""
        old = elaboration.program
        self.count += 1
        if self.count > _MOST or old.stacked or elaboration.overrides:
            return False
        if elaboration.shared.total.is_half_spent:  # each edit charges it, too
            return False
        found = _Comparison(frozenset(old.extended))
        try:
            found.compare(old, new)
        except _Other:
            return False
        return found.can_be_moved and self._adopt(elaboration, found)

    def _adopt(self, elaboration: Elaboration, found: _Comparison) -> bool:
        """Put the *found* values into the old program; whether *elaboration* can continue."""
        reads = elaboration.shared.reads
        written = {id(old) for old, _ in found.writes}
        changed = {
            plan: {g for g, of in plan.groups.items() if any(id(p.write) in written for p in of)}
            for plan in elaboration.plans.values()
        }
        reached = {id(p.write) for plan, groups in changed.items() for g in groups
                   for p in plan.groups[g]}
        if _has_sources([old.value for old, _ in found.writes]) or not written <= reached:
            return False
        axes = [(plan, g, plan.dependencies(g, reads)) for plan in changed for g in changed[plan]]
        self._replaced += found.take_over()
        for let, _ in found.lets:
            reads.lets.pop(let.id, None)
        ids = {let.id for let, _ in found.lets}
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


@dataclass(slots=True)
class _Comparison:
    """What differs between an old program and a new one: the `writes` and the `lets` with other
    values, each with the new one. The program adds to the tables `_extended`."""

    _extended: frozenset[str]
    writes: list[tuple[hir.Write, hir.Write]] = field(default_factory=list)
    lets: list[tuple[hir.LetDef, hir.LetDef]] = field(default_factory=list)
    # By the identity of a thing in the new program: the same thing in the old one.
    _same: dict[int, object] = field(default_factory=dict)
    # The places of things that stay, and of the thing that is being compared.
    _moved: list[tuple[Span, Span]] = field(default_factory=list)
    _own: list[tuple[Span, Span]] = field(default_factory=list)
    _places: set[int] = field(default_factory=set)  # the identities of all new places
    _later: list[tuple[LaterFacts, LaterFacts]] = field(default_factory=list)

    def compare(self, old: object, new: object) -> None:
        """Compare two things, and note what differs. Raises _Other if more than values differs."""
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
            around, self._own = self._own, []
            try:
                self._compare_things(old, new)
                self._moved += self._own
            finally:
                self._own = around
            self._same[id(new)] = old
        elif self._same[id(new)] is not old:
            raise _Other

    def _compare_all(self, old: Sequence[object], new: Sequence[object]) -> None:
        if len(old) != len(new):
            raise _Other
        for one, other in zip(old, new, strict=True):
            self.compare(one, other)

    def _compare_places(self, old: Span, new: Span) -> None:
        self._places.add(id(new))
        if old is not new:
            if old.file != new.file:
                raise _Other
            if old != new:
                self._own.append((old, new))
            if isinstance(old, ElseSpan):
                self.compare(old.failed, new.failed)  # type: ignore[attr-defined]

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
            self.compare(old.origin, new.origin)  # type: ignore[attr-defined]
            return
        if isinstance(old, hir.LetDef):
            assert isinstance(new, hir.LetDef)
            self._compare_all((old.name, old.id, old.span), (new.name, new.id, new.span))
            if self._differ(old.body, new.body):
                self.lets.append((old, new))
            return
        if isinstance(old, hir.LetRef):
            self.compare(old.target, new.target)  # type: ignore[attr-defined]
            if any(one is old.target for one, _ in self.lets):
                raise _Other  # only in the value of a setting may a `let` differ
        fields = _fields(type(old))  # type: ignore[arg-type]
        self._compare_all(fields(old), fields(new))
        if isinstance(old, hir.Write):
            assert isinstance(new, hir.Write)
            if self._differ((old.value, old.because), (new.value, new.because)):
                self.writes.append((old, new))

    def _is_library(self, table: str) -> bool:
        """Whether *table* belongs to the library, which has not changed."""
        return table.startswith("std/") and table not in self._extended

    def _differ(self, old: object, new: object) -> bool:
        """Whether two values differ. Parts before the first difference may be the same; they stay,
        with their new places."""
        try:
            self.compare(old, new)
        except _Other:
            return True
        return False

    @property
    def can_be_moved(self) -> bool:
        """Whether no place that has moved is that of another declaration as well."""
        return self._places.isdisjoint([id(one) for one, _ in self._moved])

    def take_over(self) -> list[object]:
        """Put the new values and places into the old program; the values that they replace."""
        replaced: list[object] = [write.value for write, _ in self.writes]
        for old, new in self._moved:
            for name in ("start", "end"):
                object.__setattr__(old, name, getattr(new, name))
        for later, other in self._later:
            later.find_by(other)
        for let, of in self.lets:
            replaced += let.body
            let.body[:] = [self._adopted(one) for one in of.body]
            let.known.clear()
        for write, by in self.writes:
            object.__setattr__(write, "value", self._adopted(by.value))
            object.__setattr__(write, "because", by.because)
        return replaced

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


@lru_cache(maxsize=256)
def _fields(kind: type) -> Callable[[object], Sequence[object]]:
    """A function that returns the fields of an object of *kind* that are compared. Raises _Other
    if *kind* has none."""
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
