"""The subjects of lints, as columns: each once for each combination of what it is made of.

A lint so runs a few hundred times where a matrix has a hundred thousand variants, and no recipe is
decided to be looked at: `tvarc check` of the 237 variants of `examples/torch-2.10` takes half the
CPU. To measure it, have `SubjectColumns.of` raise `Unshared`.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.elaborate.plan import GroupKey
from tvarc.inspection.parts import CONFIG, OVERLAYS, PACKAGE, PART, PIN, Column, Parts, narrowed
from tvarc.inspection.templates import FEW, Matters, Templates
from tvarc.light import Final, TypeVar, cast
from tvarc.lints.facts import Facts
from tvarc.lints.placeholders import that_matter, that_name
from tvarc.lints.subjects import DERIVED, Subject, SubjectsOf, is_read
from tvarc.sema import hir
from tvarc.source import Span
from tvarc.values import RowValue

T = TypeVar("T")
_NO_PACKAGE: Final = ir.Setting(("package",), None, ir.Origin(Span("", 0, 0), ""))


class SubjectColumns:
    """The subjects of some variants of a matrix. Raises Unshared."""

    __slots__ = ("_facts", "_made", "_parts", "_subjects", "_templates")

    def __init__(
        self, parts: Parts, templates: Templates, subjects: SubjectsOf, facts: Facts
    ) -> None:
        self._facts = facts
        self._parts = parts
        self._templates = templates
        self._subjects = subjects
        self._made: dict[Subject, Column] = {}

    def of(self, subject: Subject) -> Column:
        if subject not in self._made:
            self._made[subject] = self._column(subject)
        return self._made[subject]

    def _column(self, subject: Subject) -> Column:
        if subject in DERIVED:
            return self._derived(subject, self.of(DERIVED[subject]))
        present = self._parts.present
        columns = {
            group: self._part(subject, group)
            for group in self._parts.groups
            if is_read(subject, *group)
        }
        picks = present.built.matrix.axes
        role = self._subjects.role
        places = [
            place
            for place, pick in enumerate(picks)
            if any(role(pick.axis.name, value) == subject for value in pick.values)
        ]
        axes = {axis for column in columns.values() for axis in column.projection.axes}
        axes |= {*places} & {*present.positions.values()}
        projection = present.built.projections.on(axes)
        keys = present.keys(projection)
        batch = present.batch(projection)
        found = {
            group: [column.values[key] for key in column.projection.keys(batch)]
            for group, column in columns.items()
        }
        made: dict[int, object] = {}
        for index, (key, cell) in enumerate(zip(keys, batch.cells, strict=True)):
            indices = present.built.grid.indices(cell)
            values = tuple([_axis_value(picks[place], indices[place]) for place in places])
            parts = {group: column[index] for group, column in found.items()}
            made[key] = self._subjects.of(subject, self._recipe(parts, values))
        return narrowed(Column(projection, made), present)

    def _derived(self, subject: Subject, column: Column) -> Column:
        """A subject that is made of another one alone."""
        values = {key: self._subjects.out_of(subject, one) for key, one in column.values.items()}
        return narrowed(Column(column.projection, values), self._parts.present)

    def _part(self, subject: Subject, group: GroupKey) -> Column:
        column = None
        matters = self._matters(subject, group[0])
        if matters is not None and self._parts.is_wide(group, FEW):
            # Names of variants are full of what may name a GPU.
            column = self._templates.column(group, matters, names=subject != "named")
        column = column or self._parts.column(group)
        known: dict[object, object] = {}
        values = dict(column.values)
        for key, value in values.items():
            sight = self._subjects.seen(subject, value)
            if sight is not None:
                values[key] = known.setdefault(sight, value)
        return narrowed(Column(column.projection, values), self._parts.present) if known else column

    def _matters(self, subject: Subject, block: str) -> Matters | None:
        """What *subject* looks for in the texts of *block*; None where it does not look at them."""
        match subject, block:
            case ("exports", "part") | ("words", "meta"):
                return that_matter
            case "named", "meta":
                words = self._facts.deciding()
                return lambda text, fillings: that_name(text, fillings, words)
            case _:
                return None

    def _recipe(self, parts: dict[GroupKey, object], values: tuple[ir.AxisValue, ...]) -> ir.Recipe:
        """A recipe of these parts alone."""
        matrix = self._parts.present.built.matrix
        blocks: dict[str, list[object]] = {}
        for (block, _), value in parts.items():
            if value is not None:
                blocks.setdefault(block, []).append(value)

        def those(block: str) -> tuple[T, ...]:
            return cast("tuple[T, ...]", tuple(blocks.get(block, ())))

        package = cast("ir.Setting | None", parts.get(PACKAGE)) or _NO_PACKAGE
        return ir.Recipe(
            "",
            matrix.name,
            matrix.span,
            (),
            values,
            cast("ir.Pin | None", parts.get(PIN)),
            cast("tuple[ir.Setting, ...]", parts.get(CONFIG, ())),
            cast("tuple[ir.Overlay, ...]", parts.get(OVERLAYS, ())),
            package,
            ir.Changes(
                those("args"),
                those("attrs"),
                those("env"),
                those(PART),
                those("passthru"),
                those("meta"),
            ),
            (),
            (),
            needs=those("needs"),
        )


def _axis_value(pick: hir.AxisPick, index: int) -> ir.AxisValue:
    value = pick.values[index]
    span = value.span if isinstance(value, RowValue) else pick.axis.span
    return ir.AxisValue(pick.axis.name, value, span)
