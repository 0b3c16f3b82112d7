"""Runs the lints on all variants of a program, each once for each tuple of its reads."""

from __future__ import annotations

from tvarc.advice.lints.attributes import NAMED, store_name
from tvarc.advice.lints.flox import PACKAGES, FloxNames, flox_name
from tvarc.advice.lints.model import FACTS, LINE, VariantLint
from tvarc.advice.lints.names import quoted
from tvarc.advice.lints.registry import OF_VARIANTS
from tvarc.advice.lints.run import LISTED, Cause, Found, Lints
from tvarc.build.assembly.outputs import OutputFiles
from tvarc.build.linting.same_build import Builds, compare
from tvarc.build.linting.settings import Settings
from tvarc.build.linting.subjects import SubjectTables
from tvarc.build.linting.tables import Table, each
from tvarc.decide.elaborate import Elaboration
from tvarc.light import Callable, Final, Iterator, Sequence, itemgetter, replace
from tvarc.matrix.cells import batches
from tvarc.matrix.present import Present
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.text.paths import are_store_names

TOGETHER: Final = 1 << 14
"""The number of variants of a matrix that lints read together. It limits their memory."""


Findings = dict[str, Found]
"""The findings of lints, by the name of the variant; only variants with findings have an entry."""


def look_at_all(
    lints: Lints,
    elaboration: Elaboration,
    found: Sequence[Present],
    findings: Findings | None = None,
    kept: KeptLook | None = None,
) -> None:
    """Note the findings of *lints* in the variants *found*, which must be decided and checked
    without an error. *findings* gets the findings in each of them. *kept* returns the look of the
    last build at some variants."""
    builds: list[Builds] = []
    for present in found:
        if not present.cells:
            continue
        for some in _chunks(present):  # at least one
            look = Look(elaboration, some, lints)
            if kept is not None and some is present:
                look = kept(look)
            for number, group in enumerate(groups_of_lints()):
                _look(lints, group, number, look, findings)
            tables = look.tables
        if some is not present:
            tables = SubjectTables(Settings(elaboration, present), lints.reader)
        builds.append(Builds(tables, lints.number_of))
    compare(elaboration, builds, lints)


KeptLook = Callable[["Look"], "Look"]
"""Receives a new look, and returns that of the last build at the same variants, if there is one."""


class Look:
    """The tables of some variants, and what each group of lints has found in them: the tables that
    it has read, its tables of findings, and the names of the lints that are off and found
    something."""

    __slots__ = ("found", "tables")

    def __init__(self, elaboration: Elaboration, present: Present, lints: Lints) -> None:
        self.tables = SubjectTables(Settings(elaboration, present), lints.reader)
        self.found: dict[int, tuple[list[Table], list[Table], set[str]]] = {}


def _chunks(present: Present) -> Iterator[Present]:
    """*present*, in parts of limited size."""
    cells = present.cells
    if len(cells) <= TOGETHER:
        yield present
        return
    for start in range(0, len(cells), TOGETHER):
        yield Present(present.built, cells[start : start + TOGETHER])


def groups_of_lints() -> list[list[VariantLint]]:
    """The lints on variants, in groups with the same reads."""
    found: dict[frozenset[str], list[VariantLint]] = {}
    for one in OF_VARIANTS:
        found.setdefault(frozenset(one.reads) - {FACTS}, []).append(one)
    return list(found.values())


def _look(
    lints: Lints,
    group: list[VariantLint],
    number: int,
    look: Look,
    findings_of: Findings | None,
) -> None:
    """Run the lints of *group*, which have the same reads and this *number*, and note their
    findings."""
    tables = look.tables
    present = tables.settings.present
    read = [tables.of(name) for name in _subjects_of(group)]
    lines = tables.lines() if LINE in group[0].reads else None
    before, found, off = look.found.get(number, (None, [], set()))
    if before != [*read, *(lines or ())]:
        silenced, lints.silenced = lints.silenced, set()
        found, off = _found(lints, group, present, read, lines), lints.silenced
        look.found[number] = [*read, *(lines or ())], found, off
        lints.silenced = silenced
    lints.silenced |= off
    if found:
        table = found[0] if len(found) == 1 else _joined(group, present, found)
        _note_all(lints, present, table, tables)
        if findings_of is not None:
            _add_all(findings_of, present, table)


def _subjects_of(group: list[VariantLint]) -> list[str]:
    """The names of the subjects that the lints of *group* read."""
    return [name for name in group[0].reads if name not in (LINE, FACTS)]


def _found(
    lints: Lints,
    group: list[VariantLint],
    present: Present,
    subjects: list[Table],
    lines: list[Table] | None,
) -> list[Table]:
    """The findings of the lints of *group*, in tables that have some. *lines* are None if they read
    no lines."""
    is_of_lines = lines is not None
    known = [*_subjects_of(group), *([LINE] if is_of_lines else []), FACTS]
    looking = [(one, _taker([known.index(name) for name in one.reads])) for one in group]
    silenced = lints.silenced

    def findings(*arguments: object) -> Found:
        if is_of_lines and arguments[-1] is None:
            return ()  # this variant has no such line
        every = (*arguments, lints.facts)
        found: Found = ()
        for one, taken in looking:
            if one.name in silenced:
                continue
            made = tuple(one.look(*taken(every)))
            if made and not lints.is_off(one.name):
                found += tuple([(one, finding) for finding in made])
        return found

    if lines is not None:
        found = [each(present, [*subjects, line], findings) for line in lines]
    else:
        found = [each(present, subjects, findings)]
    return [one for one in found if any(one.values.values())]


def _taker(places: Sequence[int]) -> Callable[[tuple[object, ...]], tuple[object, ...]]:
    """A function that returns the elements at *places* of a tuple. *places* is not empty."""
    if len(places) > 1:
        return itemgetter(*places)
    return itemgetter(slice(places[0], places[0] + 1))


def _joined(group: list[VariantLint], present: Present, found: list[Table]) -> Table:
    """The findings in several lines of a description, joined as if the lines were one."""

    def joined(*parts: Found) -> Found:
        return tuple(sorted(sum(parts, ()), key=lambda one: group.index(one[0])))

    return each(present, found, joined)


def _add_all(findings: Findings, present: Present, found: Table) -> None:
    """Add the findings of each variant to its *findings*."""
    for batch in batches(present.built.grid, present.cells):
        keys = found.projection.keys(batch)
        for name, key in zip(present.built.names(batch), keys, strict=True):
            if found.values[key]:
                findings[name] = findings.get(name, ()) + found.values[key]  # type: ignore[operator]


def _note_all(lints: Lints, present: Present, found: Table, tables: SubjectTables) -> None:
    """Note the findings of all variants, in the order of the variants."""
    for batch in batches(present.built.grid, present.cells):
        keys = found.projection.keys(batch)
        # Reversed, because the last entry wins.
        first = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
        wanted = sorted([key for key in first if found.values[key]], key=first.__getitem__)
        if not wanted:
            continue
        names = present.built.names(batch)
        of: dict[int, list[Cause]] = {}
        for key in wanted:
            causes: dict[int, Cause] = {}
            for one, finding in found.values[key]:  # type: ignore[attr-defined]
                cause = lints.cause(one, finding)
                if cause is not None:
                    if cause.finding is finding and finding.line is not None:
                        cell = batch.cells[first[key]]
                        variant = Variant(present.built, cell, names[first[key]])
                        label = quoted(tables.written_out(finding.line, variant))
                        cause.finding = replace(finding, label=label)
                    causes[id(cause)] = cause
                    if finding.case not in cause.cases:
                        cause.add_case(finding.case, names[first[key]])
            of[key] = list(causes.values())
        for key, name in zip(keys, names, strict=True):
            for cause in of.get(key, ()):
                cause.count += 1
                if len(cause.variants) < LISTED:
                    cause.variants.append(name)


# --- the names of variants --------------------------------------------------------------------


def look_at_names(
    lints: Lints,
    elaboration: Elaboration,
    found: Sequence[Present],
    outputs: OutputFiles,
) -> None:
    """Note how Flox and Nix read the names of the variants *found*. *outputs* has their files."""
    _look_at_packages(lints, outputs)
    _look_at_store_names(lints, elaboration, found)


def _look_at_store_names(lints: Lints, elaboration: Elaboration, found: Sequence[Present]) -> None:
    """Note the variants of *found* that give a store path an invalid name."""
    for present in found:
        for batch, names in present.batches() if present.cells else ():
            if are_store_names(names):
                continue
            for cell, name in zip(batch.cells, names, strict=True):
                if are_store_names((name,)):
                    continue
                deciding = elaboration.deciding(Variant(present.built, cell, name))
                for path in NAMED:
                    for finding in store_name.look(deciding.decide(path)):
                        lints.note(store_name, finding, name)


def _look_at_packages(lints: Lints, outputs: OutputFiles) -> None:
    """Note how Flox reads the names of the files, if an output in *outputs* writes packages of
    Flox."""
    for output in outputs.outputs:
        if not _begins(output.file):
            continue
        names, files = outputs.of_output(output)
        for at, finding in flox_name.look(FloxNames(), files, output.file.span):
            lints.note(flox_name, finding, names[at])


def _begins(file: hir.Expr) -> bool:
    """Whether the files named by *file* are packages of Flox."""
    first = file.parts[0] if isinstance(file, hir.Text) and file.parts else file
    text = first.value if isinstance(first, hir.Const) else first
    return isinstance(text, str) and text.startswith(PACKAGES)
