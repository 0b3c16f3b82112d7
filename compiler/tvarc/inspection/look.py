"""Lints on all variants of a program, each run once for each combination of what it reads."""

from __future__ import annotations

from tvarc.assembly.present import Present
from tvarc.diagnostics.model import Failed
from tvarc.elaborate.elaborate import Elaboration
from tvarc.inspection.builds import Marks, compare
from tvarc.inspection.columns import SubjectColumns
from tvarc.inspection.parts import Column, Parts, Unshared, in_parts
from tvarc.inspection.templates import Templates
from tvarc.light import Iterable, Mapping, Sequence
from tvarc.lints.facts import Facts
from tvarc.lints.many import note_all
from tvarc.lints.model import Only
from tvarc.lints.run import Found, Group, Lints
from tvarc.lints.subjects import Subject, some
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
        except (Failed, Unshared):
            _one_by_one(lints, elaboration, present)
        else:
            for group in lints.groups:
                _look(lints, group, present, columns)
            told = columns.of("exports")
        whole = Parts(elaboration, present, plan)
        marks.append(Marks(whole, Templates(whole, placeholders=placeholders), lints, told))
    compare(elaboration, marks, lints)


Findings = tuple[Projection, dict[int, Found]]


def _look(lints: Lints, group: Group, present: Present, columns: SubjectColumns) -> None:
    """Run lints that read the same subjects."""
    looked = [_findings(lints, group, present, read) for read in columns.readings(group.reads)]
    parts = [one for one in looked if one is not None]
    if not parts:
        return
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
    projection, rows = _rows(present, read)
    found: dict[int, Found] = {}
    known: dict[tuple[int, ...], Found] = {}
    for key, these in rows:
        same = tuple(map(id, these))
        if same not in known:
            asked = some(dict(zip(read, these, strict=True)))
            known[same] = lints.kept(group.look(asked, facts, lints.silenced | idle))
        if known[same]:
            found[key] = known[same]
    return (projection, found) if found else None


def _holds(only: Only, facts: Facts, present: Present, read: Mapping[Subject, Column]) -> bool:
    """Whether it holds for any of these variants."""
    fewer = {subject: read[subject] for subject in only.reads}
    asked = {tuple(map(id, these)): these for _, these in _rows(present, fewer)[1]}
    return any(
        only.holds(some(dict(zip(fewer, these, strict=True))), facts) for these in asked.values()
    )


def _rows(
    present: Present, read: Mapping[Subject, Column]
) -> tuple[Projection, Iterable[tuple[int, tuple[object, ...]]]]:
    """The subjects *read* for each combination of the axes that decide them."""
    axes = {axis for column in read.values() for axis in column.projection.axes}
    projection = present.built.projections.on(axes)
    batch = present.batch(projection)
    subjects = [
        [column.values[key] for key in column.projection.keys(batch)] for column in read.values()
    ]
    return projection, zip(present.keys(projection), zip(*subjects, strict=True), strict=True)


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
