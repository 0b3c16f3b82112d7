"""Lints on all variants of a program, each run once for each combination of what it reads."""

from __future__ import annotations

from tvarc.assembly.present import Present
from tvarc.diagnostics.model import Failed
from tvarc.elaborate.elaborate import Elaboration
from tvarc.inspection.builds import Marks, compare
from tvarc.inspection.columns import SubjectColumns
from tvarc.inspection.parts import Column, Parts, Unshared, in_parts
from tvarc.inspection.templates import Templates
from tvarc.light import Sequence
from tvarc.lints.many import note_all
from tvarc.lints.run import Found, Group, Lints
from tvarc.lints.subjects import SUBJECTS, some
from tvarc.matrix.cells import batches
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
            for subject in SUBJECTS:
                columns.of(subject)
        except (Failed, Unshared):
            _one_by_one(lints, elaboration, present)
        else:
            for group in lints.groups:
                _look(lints, group, present, columns)
            told = columns.of("exports")
        whole = Parts(elaboration, present, plan)
        marks.append(Marks(whole, Templates(whole, placeholders=placeholders), lints, told))
    compare(elaboration, marks, lints)


def _look(lints: Lints, group: Group, present: Present, columns: SubjectColumns) -> None:
    """Run lints that read the same subjects."""
    read = {subject: columns.of(subject) for subject in group.reads}
    axes = {axis for column in read.values() for axis in column.projection.axes}
    projection = present.built.projections.on(axes)
    keys = present.keys(projection)
    batch = present.batch(projection)
    subjects = [
        [column.values[key] for key in column.projection.keys(batch)] for column in read.values()
    ]
    found: dict[int, Found] = {}
    known: dict[tuple[int, ...], Found] = {}
    for key, *these in zip(keys, *subjects, strict=True):
        same = tuple(map(id, these))
        if same not in known:
            asked = some(dict(zip(read, these, strict=True)))
            known[same] = group.look(asked, lints.facts, lints.silenced)
        if known[same]:
            found[key] = known[same]
    if not found:
        return
    for some_cells in batches(present.built.grid, present.cells):
        note_all(
            lints,
            found,
            projection.keys(some_cells),
            lambda cells=some_cells: present.built.names(cells),  # type: ignore[misc]
        )


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
