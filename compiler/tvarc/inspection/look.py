"""Lints on all variants of a program, each run once for each combination of what it reads."""

from __future__ import annotations

from tvarc.assembly.present import NotShareable, Present
from tvarc.diagnostics.model import Failed
from tvarc.elaborate.elaborate import Elaboration
from tvarc.inspection.builds import Marks, compare
from tvarc.inspection.columns import SubjectColumns
from tvarc.inspection.parts import Column, Parts, in_parts
from tvarc.inspection.templates import Templates
from tvarc.light import Iterator, Mapping, Sequence
from tvarc.lints.facts import Facts
from tvarc.lints.model import Only
from tvarc.lints.run import Found, Group, Lints
from tvarc.lints.subjects import Subject, Subjects, some
from tvarc.matrix.cells import Projection, batches
from tvarc.matrix.variants import Variant


def look_at_all(
    lints: Lints, elaboration: Elaboration, found: Sequence[Present], *, placeholders: bool
) -> None:
    """What `Lints.look` finds in each of the variants, which are decided and checked already.
    *placeholders* says that the sources leave the characters of placeholders alone."""
    marks: list[Marks] = []
    for present in found:
        if not present.cells:
            continue
        plan = elaboration.plan(present.built.matrix)
        parts = Parts(elaboration, present, in_parts(plan, elaboration.shared.reads))
        templates = Templates(parts, placeholders=placeholders)
        columns = SubjectColumns(parts, templates, lints.subjects, lints.facts)
        told: Column | None = None
        try:
            columns.prepare()
        except (Failed, NotShareable):
            _one_by_one(lints, elaboration, present)
        else:
            for group in lints.groups:
                _look(lints, group, present, columns)
            told = columns.of("exports")
        whole = Parts(elaboration, present, plan)
        marks.append(Marks(whole, Templates(whole, placeholders=placeholders), lints, told))
    compare(elaboration, marks, lints)


Findings = tuple[Projection, dict[int, Found]]
Same = tuple[int, ...]
"""The objects that a row holds, by their identities."""


def _look(lints: Lints, group: Group, present: Present, columns: SubjectColumns) -> None:
    """Run lints that read the same subjects."""
    looked = [_findings(lints, group, present, read) for read in columns.readings(group.reads)]
    parts = [one for one in looked if one is not None]
    if not parts:
        return
    from tvarc.lints.many import note_all  # most programs have nothing that is found

    projection, found = parts[0] if len(parts) == 1 else _joined(group, present, parts)
    for some_cells in batches(present.built.grid, present.cells):
        note_all(
            lints,
            found,
            projection.keys(some_cells),
            lambda cells=some_cells: present.built.names(cells),  # type: ignore[misc]
        )


def _findings(
    lints: Lints, group: Group, present: Present, read: Mapping[Subject, Column]
) -> Findings | None:
    """What they find, by the combinations of the axes that decide it; None for nothing."""
    facts = lints.facts
    idle = {
        lint.name
        for lint in group.lints
        if lint.only is not None and not _holds(lint.only, facts, present, read)
    }
    if len(idle) == len(group.lints):
        return None
    rows = _Rows(present, read)
    known = {
        same: lints.kept(group.look(subjects, facts, lints.silenced | idle))
        for same, subjects in rows.subjects()
    }
    if not any(known.values()):
        return None
    return rows.projection, {key: known[same] for key, same in rows.keyed() if known[same]}


def _holds(only: Only, facts: Facts, present: Present, read: Mapping[Subject, Column]) -> bool:
    """Whether it holds for any of these variants."""
    rows = _Rows(present, {subject: read[subject] for subject in only.reads})
    return any(only.holds(subjects, facts) for _, subjects in rows.subjects())


class _Rows:
    """Subjects side by side, a row for each combination of the axes that decide them. Many rows
    hold the same objects, and most work is done once for all of these."""

    __slots__ = ("_columns", "_keys", "_names", "_same", "projection")

    def __init__(self, present: Present, read: Mapping[Subject, Column]) -> None:
        axes = {axis for column in read.values() for axis in column.projection.axes}
        self.projection = present.built.projections.on(axes)
        batch = present.batch(self.projection)
        self._names = tuple(read)
        self._columns = [
            [column.values[key] for key in column.projection.keys(batch)]
            for column in read.values()
        ]
        self._keys = present.keys(self.projection)
        self._same = list(zip(*[map(id, column) for column in self._columns], strict=True))

    def subjects(self) -> Iterator[tuple[Same, Subjects]]:
        """The subjects of rows that hold the same objects, with what they are known by."""
        rows = zip(*self._columns, strict=True)
        for same, these in dict(zip(self._same, rows, strict=True)).items():
            yield same, some(zip(self._names, these, strict=True))

    def keyed(self) -> Iterator[tuple[int, Same]]:
        """Each row by its combination, and what it holds."""
        return zip(self._keys, self._same, strict=True)


def _joined(group: Group, present: Present, parts: Sequence[Findings]) -> Findings:
    """What was found in one line after the other, as if they had been looked at together: what one
    lint finds before what the next one does."""
    axes = {axis for projection, _ in parts for axis in projection.axes}
    projection = present.built.projections.on(axes)
    batch = present.batch(projection)
    columns = [[found.get(key, ()) for key in one.keys(batch)] for one, found in parts]
    joined: dict[int, Found] = {}
    for key, these in zip(present.keys(projection), zip(*columns, strict=True), strict=True):
        every = [one for part in these for one in part]
        if every:
            every.sort(key=lambda one: group.lints.index(one[0]))
            joined[key] = tuple(every)
    return projection, joined


def _one_by_one(lints: Lints, elaboration: Elaboration, present: Present) -> None:
    silent = elaboration.silent(again=True)
    for batch, names in present.batches():
        for cell, name in zip(batch.cells, names, strict=True):
            variant = Variant(present.built, cell, name)
            try:
                recipe = silent.recipe(silent.deciding(variant), lambda _: ())
            except Failed:
                continue
            lints.look_alone(recipe)
