"""The reads of an expression: the axes and the settings that its value depends on."""

from __future__ import annotations

from tvarc.light import dataclass
from tvarc.meaning import hir
from tvarc.meaning.evaluation.kinds import children
from tvarc.meaning.names.scope import NEED_NAMED, NEEDED, NEEDS


@dataclass(frozen=True, slots=True)
class DependencySet:
    """The reads of an expression: axes by name, and settings by path. The reads of its `let`s are
    included, and those of the settings that it reads are not.

    `tables` are the axes whose values must come from a table, with the origin of that table.
    """

    axes: frozenset[str]
    settings: frozenset[hir.Path]
    tables: frozenset[tuple[str, str]] = frozenset()

    def __or__(self, other: DependencySet) -> DependencySet:
        if other is NOTHING:
            return self
        return DependencySet(
            self.axes | other.axes, self.settings | other.settings, self.tables | other.tables
        )

    def fit(self, matrix: hir.MatrixDef) -> bool:
        """Whether *matrix* has all these axes, with values from the expected tables."""
        tables = {p.axis.name: p.axis.table.origin if p.axis.table else "" for p in matrix.axes}
        return self.axes <= tables.keys() and all(
            tables[axis] == origin for axis, origin in self.tables
        )


NOTHING = DependencySet(frozenset(), frozenset())


class Dependencies:
    """Finds the reads of expressions. The reads of each `let` are cached, so a chain of them is
    walked once. The reads of other expressions are cached, too, since several plans need them."""

    __slots__ = ("known", "lets")

    def __init__(self) -> None:
        self.lets: dict[str, DependencySet] = {}
        # By the identity of the expression, which is kept, so that no other one gets this identity.
        self.known: dict[int, tuple[hir.Expr, DependencySet]] = {}

    def expr(self, expr: hir.Expr) -> DependencySet:
        if type(expr) is hir.Const:
            return NOTHING
        known = self.known.get(id(expr))
        if known is not None:
            return known[1]
        match expr:
            case hir.AxisRef():
                table = {(expr.axis, expr.table.origin)} if expr.table is not None else ()
                return DependencySet(frozenset({expr.axis}), frozenset(), frozenset(table))
            case hir.SettingRef():
                return DependencySet(frozenset(), frozenset({expr.path}))
            case hir.LetRef():
                return self.let(expr.target)
            case hir.NeedRef():
                # Without a path, the reference is the same whatever variant the need leads to.
                paths = {(NEEDS if expr.path else NEEDED, expr.name)}
                if expr.path == ("variant",):
                    paths.add((NEED_NAMED, expr.name))
                return DependencySet(frozenset(), frozenset(paths))
            case hir.Link():
                found = DependencySet(expr.shared, frozenset())
                for choice in expr.choices:
                    found = found | self.expr(choice.value)
                return found
            case _:
                found = NOTHING
                for inner in children(expr):
                    found = found | self.expr(inner)
                self.known[id(expr)] = expr, found
                return found

    def let(self, let: hir.LetDef) -> DependencySet:
        known = self.lets.get(let.id)
        if known is None:
            known = self.expr(let.expr) if let.expr is not None else NOTHING
            self.lets[let.id] = known
        return known

    def conditions(self, conditions: tuple[hir.Condition, ...]) -> DependencySet:
        found = NOTHING
        for condition in conditions:
            found = found | self.expr(condition.expr)
        return found

    def check(self, check: hir.Check) -> DependencySet:
        return self.expr(check.expr) | self.conditions(check.conditions)
