"""The subjects of lints, as columns: each once for each combination of what it is made of.

A lint so runs a few hundred times where a matrix has a hundred thousand variants, and no recipe is
decided to be looked at: `tvarc check` of the 237 variants of `examples/torch-2.10` takes half the
CPU. To measure it, have `SubjectColumns.of` raise `NotShareable`.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.blocks import OF_PACKAGE
from tvarc.elaborate.plan import GroupKey
from tvarc.inspection.parts import CONFIG, OVERLAYS, PACKAGE, PART, PIN, Column, Parts, narrowed
from tvarc.inspection.templates import FEW, Matters, Templates
from tvarc.light import Final, Iterator, Sequence, TypeVar, cast
from tvarc.lints.facts import Facts
from tvarc.lints.placeholders import Reading, that_matter, that_name
from tvarc.lints.subjects import DERIVED, NAMED, SUBJECTS, Subject, SubjectsOf, is_read
from tvarc.nixpkgs import is_named_early
from tvarc.sema import hir
from tvarc.source import Span
from tvarc.values import RowValue

T = TypeVar("T")
_NO_PACKAGE: Final = ir.Setting(("package",), None, ir.Origin(Span("", 0, 0), ""))


class SubjectColumns:
    """The subjects of some variants of a matrix. Raises NotShareable."""

    __slots__ = ("_facts", "_lines", "_made", "_parts", "_subjects", "_templates")

    def __init__(
        self, parts: Parts, templates: Templates, subjects: SubjectsOf, facts: Facts
    ) -> None:
        self._facts = facts
        self._parts = parts
        self._templates = templates
        self._subjects = subjects
        self._made: dict[Subject, Column] = {}
        self._lines: list[Column] | None = None

    def prepare(self) -> None:
        """Have all subjects made."""
        for subject in SUBJECTS:
            if subject != NAMED:
                self.of(subject)
        self._named()

    def readings(self, reads: Sequence[Subject]) -> Iterator[dict[Subject, Column]]:
        """What lints that read *reads* look at: all of it at once, but one line after the other of
        what is `named`."""
        known: dict[Subject, Column] = {one: self.of(one) for one in reads if one != NAMED}
        if NAMED not in reads:
            yield known
            return
        for line in self._named():
            yield {**known, NAMED: line}

    def of(self, subject: Subject) -> Column:
        if subject not in self._made:
            self._made[subject] = self._column(subject)
        return self._made[subject]

    def _column(self, subject: Subject) -> Column:
        if subject in DERIVED:
            return self._derived(subject, self.of(DERIVED[subject]))
        present = self._parts.present
        groups = [group for group in self._parts.groups if is_read(subject, *group)]
        if subject == "stored" and not self._is_named_early():
            groups = [PIN]  # names are made of much, and nobody asks for them
        columns = {group: self._part(subject, group) for group in groups}
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

    def _is_named_early(self) -> bool:
        """Whether the nixpkgs of any variant makes names of store paths before it changes them."""
        pins = self._parts.column(PIN).values.values()
        return any(isinstance(pin, ir.Pin) and is_named_early(pin.release) for pin in pins)

    def _named(self) -> list[Column]:
        """The lines of descriptions that may name something, by and by: tuples of them."""
        if self._lines is None:
            groups = [group for group in self._parts.groups if is_read(NAMED, *group)]
            found = [column for group in groups for column in self._lines_of(group)]
            present = self._parts.present
            self._lines = [narrowed(one, present) for one in found if any(one.values.values())]
        return self._lines

    def _lines_of(self, group: GroupKey) -> list[Column]:
        subjects = self._subjects
        if self._parts.is_wide(group, FEW):
            words = self._facts.deciding()
            found = self._templates.lines(
                group, lambda text, fillings: that_name(text, fillings, words), subjects.line
            )
            if found is not None:
                return found
        column = self._parts.column(group)
        values: dict[int, object] = {
            key: subjects.same(subjects.lines(setting)) if isinstance(setting, ir.Setting) else ()
            for key, setting in column.values.items()
        }
        return [Column(column.projection, values)]

    def _derived(self, subject: Subject, column: Column) -> Column:
        """A subject that is made of another one alone."""
        values = {key: self._subjects.out_of(subject, one) for key, one in column.values.items()}
        return narrowed(Column(column.projection, values), self._parts.present)

    def _part(self, subject: Subject, group: GroupKey) -> Column:
        column = None
        matters = self._matters(subject, group[0])
        if matters is not None and self._parts.is_wide(group, FEW):
            column = self._templates.column(group, matters)
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
            case ("keys", "part"):
                return _none_matters  # a name is looked at, whatever the text
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
            ir.Changes.to(
                [
                    cast("ir.Setting", one)
                    for block in OF_PACKAGE
                    for one in blocks.get(PART if block.in_parts else block.name, ())
                ]
            ),
            (),
            (),
            needs=those("needs"),
        )


def _axis_value(pick: hir.AxisPick, index: int) -> ir.AxisValue:
    value = pick.values[index]
    span = value.span if isinstance(value, RowValue) else pick.axis.span
    return ir.AxisValue(pick.axis.name, value, span)


def _none_matters(_: ir.Setting, __: object) -> dict[str, Reading]:
    """That no placeholder of a text matters."""
    return {}
