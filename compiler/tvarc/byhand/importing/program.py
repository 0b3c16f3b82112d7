"""A program as text: declarations in order, in the layout of `tvarc fmt`."""

from __future__ import annotations

import posixpath

from tvarc.byhand.importing.lookups import Computed, Lookups, Together
from tvarc.byhand.importing.matrices import Drifting, apart, matrix, overrides
from tvarc.byhand.importing.model import PROSE, Family, Pin, Recipe
from tvarc.byhand.importing.names import FEW, RESERVED, TAKEN, entry_key, printable
from tvarc.byhand.importing.needs import claimed, naming
from tvarc.byhand.importing.recipes import Statements
from tvarc.byhand.importing.shapes import Axis, Shape
from tvarc.byhand.importing.statements import (
    Drift,
    Shared,
    Statement,
    Trials,
    common,
    fetched,
    grouped,
    own_of,
    pin_names,
    reads,
)
from tvarc.byhand.importing.tables import Table
from tvarc.byhand.importing.written import (
    CannotSay,
    block,
    in_block,
    in_branches,
    spaced,
    template,
)
from tvarc.byhand.reading.trees import names_root
from tvarc.light import Callable, Final, Mapping, Sequence, dataclass, field, replace
from tvarc.syntax.format.break_points import WIDTH
from tvarc.syntax.format.format import WIDE, braced, format_source
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.words import counted, some_of
from tvarc.text.source import Source
from tvarc.values.value import quote

_LONG: Final = "meta.longDescription"


@dataclass(slots=True)
class Written:
    """A program and the module of its texts, its drift, the files that it cannot express, with the
    reasons, the lines of comments that it keeps, by file and offset, and the fault that makes it
    invalid."""

    text: str
    texts: str = ""
    drift: list[Drifting] = field(default_factory=list)
    unsaid: dict[str, str] = field(default_factory=dict)
    matrices: int = 0
    kept: set[tuple[str, int]] = field(default_factory=set)
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The input of a program: `families`, whose output is in `folder`. With a `texts_name` the
    descriptions of a family are in a module of that name if some of them are long. Families in
    `beside` may be needed, and are not written. `read_as` are the names by which the files read a
    text, and `compared` the versions with which they compare each version. `left_out` are the files
    that are not imported, with the reasons."""

    families: Sequence[Family]
    tables: Mapping[str, Table]
    folder: str
    texts_name: str = ""
    beside: Sequence[Shape] = ()
    read_as: Mapping[str, Mapping[str, None]] = field(default_factory=dict)
    compared: Mapping[str, Mapping[str, None]] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)


def write_program(wanted: Wanted) -> Written:
    """Write the program *wanted*. If a record has all values of an axis, its rows become the rows
    of the axis, so that these are named once."""
    trials = Trials()
    first = _Writing(wanted, trials)
    rowed, together, computed = first.axes_of_rows(), first.together(), first.following()
    if (rowed or any(together) or any(computed)) and not first.unsaid:
        again = [replace(one, shape=_with_rows(one.shape, rowed)) for one in wanted.families]
        second = _Writing(replace(wanted, families=again), trials, rowed, together, computed)
        made = second.write()
        if second.axes_of_rows() == rowed and not (made.fault or made.unsaid):
            return made
    return first.write()


def _with_rows(shape: Shape, rowed: frozenset[str]) -> Shape:
    if not rowed:
        return shape
    axes = [replace(axis, has_rows=axis.name in rowed) for axis in shape.axes]
    return replace(shape, axes=tuple(axes))


@dataclass(frozen=True, slots=True)
class _Said:
    """A `family`, its `statements`, and the name of its `matrix`."""

    family: Family
    statements: Statements
    matrix: str


class _Writing:
    """Writes the program *wanted*, in which the axes *rowed* have rows. *together* are the columns
    that share a record, and *computed* those that a `let` computes, of the program and of its
    module of texts."""

    __slots__ = ("_axes", "_said", "_shared", "_texts", "_wanted", "_written", "unsaid")

    def __init__(
        self,
        wanted: Wanted,
        trials: Trials,
        rowed: frozenset[str] = frozenset(),
        together: Sequence[Together] = ({}, {}),
        computed: Sequence[Sequence[Computed]] = ((), ()),
    ) -> None:
        self._wanted = wanted
        self._axes = _joint_axes(wanted.families)
        taken = {*TAKEN, *RESERVED, *wanted.tables, *self._axes}
        taken |= {row for table in wanted.tables.values() for row in table.rows}
        folder = wanted.folder
        taken |= {one.name for some in computed for one in some}
        lookups = Lookups(taken, "", rowed, together[0], wanted.read_as, computed=computed[0])
        pins = pin_names(wanted.families, taken)
        self._shared = Shared(
            taken, folder, trials, pins, lookups=lookups, compared=wanted.compared
        )
        self._texts: Shared | None = None
        if wanted.texts_name:
            lookups = Lookups(
                taken, "text-", frozenset(), together[1], wanted.read_as, computed=computed[1]
            )
            self._texts = Shared(taken, folder, trials, pins, lookups=lookups)
        self._said: list[_Said] = []
        self._written = Written("", matrices=len(wanted.families))
        self.unsaid = self._written.unsaid
        self._say()
        self._complete()

    def write(self) -> Written:
        """The program, and the module of its texts where it has any."""
        has_texts = self._reads_texts()
        every = self._common()
        tops = [*_recipe("common", every), ""] if every else []
        prose: list[str] = []
        for one in self._said:
            recipe, texts = self._recipe(one, every)
            tops += recipe
            prose += texts
        self._lay_out(self._program(tops, has_texts=has_texts), prose)
        return self._written

    def axes_of_rows(self) -> frozenset[str]:
        """The axes that may have rows: none that another module reads."""
        return axes_of_rows(self._shared, self._axes) - self._axes_of_texts()

    def together(self) -> list[Together]:
        """The columns that should share a record, of the program and of its texts."""
        return [one.fitting() for one in self._lookups()]

    def following(self) -> list[list[Computed]]:
        """The columns that follow the versions of another one, of the program and of its texts."""
        return [one.following() for one in self._lookups()]

    def _lookups(self) -> list[Lookups]:
        """The records of the program, and those of its texts."""
        return [one.lookups for one in (self._shared, self._texts) if one is not None]

    def _reads_texts(self) -> bool:
        """Whether the program has a module of texts."""
        return any(one.statements.has_texts for one in self._said)

    def _say(self) -> None:
        """Find the statements of each family. If they cannot be written, the files of the family
        are unsaid."""
        shared, families = self._shared, self._wanted.families
        names = naming(families, self._wanted.beside, shared.taken)
        for family, matrix_name in zip(families, names.matrices, strict=True):
            texts = self._texts if _has_module(family.recipes) else None
            whose = matrix_name.removesuffix("-builds") if len(families) > 1 else ""
            statements = Statements(
                family.shape, family.recipes, shared, texts, names.targets, whose
            )
            try:
                with shared.tried():
                    statements.make()
            except CannotSay as fault:
                self._written.unsaid.update(dict.fromkeys(family.files, fault.reason))
                continue
            self._said.append(_Said(family, statements, matrix_name))
            kept = {(family.files[cell], offset) for cell, offset in statements.reasons.kept}
            self._written.kept |= kept

    def _complete(self) -> None:
        """Give each record an entry for each cell that looks something up in it."""
        for one in self._said:
            statements, shape = one.statements, one.family.shape
            complete(self._shared, shape, statements.found, statements.drift)
            if self._texts is not None:
                complete(self._texts, shape, statements.prose, statements.prose_drift)

    def _common(self) -> list[Statement]:
        """The statements that the recipes of all matrices have in common."""
        families = [one.family for one in self._said]
        return common(families, [one.statements.found for one in self._said])

    def _recipe(self, said: _Said, every: Sequence[Statement]) -> tuple[list[str], list[str]]:
        """The recipe and the matrix of one family, and the recipe of its texts. *every* are the
        statements of the common recipe."""
        family, written, taken = said.family, self._written, self._shared.taken
        header = _header(family.recipes)
        written.kept |= {
            (path, offset)
            for path, recipe in zip(family.files, family.recipes, strict=True)
            for offset, line in recipe.comments.before.get("", ())
            if line in header
        }
        stem = said.matrix.removesuffix("-builds")
        name = claimed("build" if stem == "builds" else f"{stem}-build", taken)
        extends = " extends common" if every else ""
        prose: list[str] = []
        if said.statements.has_texts:
            base = claimed(f"{stem}-texts", taken)
            cells, odd_texts = said.statements.cells, said.statements.prose_drift
            odd, drift = overrides(family, cells, odd_texts, "force ")
            written.drift += drift
            prose = [f"mixin {base} {{", *grouped(said.statements.prose), *odd, "}", ""]
            extends += f" with {base}"
        own = own_of(family, said.statements.found, every)
        rows = []
        for beneath, found in said.statements.beneath.items():
            rows += [*_recipe(beneath, found), ""]
        rows += _recipe(f"{name}{extends}", own)
        more, drift = matrix(family, said.statements, (said.matrix, name), self._axes)
        alone = apart(family)
        between = [""] if alone or len(more) > 1 else []
        rows += [*between, *[one.comment() for one in alone], *more, ""]
        written.drift += [*alone, *drift]
        return [*[f"# {line}".rstrip() for line in header], *rows], prose

    def _program(self, tops: Sequence[str], *, has_texts: bool) -> list[str]:
        """The rows of the program. *tops* are its recipes and matrices."""
        shared, wanted = self._shared, self._wanted
        count = sum(len(one.family.files) for one in self._said)
        rows = [*_origin(count, wanted.left_out), "", *self._uses()]
        if has_texts:
            axes = [f"axis {name}" for name in self._axes if name in self._axes_of_texts()]
            comment = f"  # declares {', '.join(axes)}" if axes else ""
            rows.append(f"use {quote(f'./{wanted.texts_name}')}{comment}")
        rows.append("")
        rows += spaced(fetched("pin", pin, name) for pin, name in shared.pins.items())
        above = len(rows)
        rowed = shared.lookups.rowed
        used = {axis.name for one in self._said for axis in one.family.shape.axes}
        plain = used - self._axes_of_texts() - rowed
        rows += [_axis(axis) for name, axis in self._axes.items() if name in plain]
        rows.append("")
        for name, axis in self._axes.items():
            rows += axis_of_rows(axis, shared.lookups) if name in rowed else []
        rows += _lets(shared, self._axes)
        rows += spaced(
            braced(head.replace("{}", name), body) for (head, body), name in shared.overlays.items()
        )
        rows += [*tops, f"output nix {{ file = {template(_output(wanted))} }}"]
        return [*rows[:above], *_inputs(shared, rows), *rows[above:]]

    def _lay_out(self, rows: Sequence[str], prose: Sequence[str]) -> None:
        """Lay out the program, and the module of its texts if there is *prose*."""
        written = self._written
        written.text, written.fault = _laid_out(rows)
        if self._texts is not None and prose:
            own = self._axes_of_texts()
            module = ["# What the packages are called and described as.", "", *self._uses(), ""]
            module += [*[_axis(axis) for name, axis in self._axes.items() if name in own], ""]
            written.texts, failed = _laid_out([*module, *_lets(self._texts, self._axes), *prose])
            written.fault = written.fault or failed

    def _uses(self) -> list[str]:
        """The modules of the library with the tables of axes."""
        tables = [axis.table for one in self._said for axis in one.family.shape.axes]
        modules = dict.fromkeys([table.module for table in tables if table is not None])
        return [f"use std.{module}" for module in modules]

    def _axes_of_texts(self) -> set[str]:
        """The axes without a table that the module of texts reads, and so declares."""
        if self._texts is None:
            return set()
        lookups, lets = self._texts.lookups, self._texts.lets
        prose = [one for said in self._said for one in said.statements.prose]
        texts = [*lookups.lets.values(), *lets.values()]
        texts += [f"{one.condition} {one.text}" for one in prose]
        drifting = [said.family.shape.axes for said in self._said if said.statements.prose_drift]
        read = {axis.name for axes in drifting for axis in axes}.union(*lookups.columns)
        return {
            name
            for name, axis in self._axes.items()
            if axis.table is None and (name in read or any(reads(one, {name}) for one in texts))
        }


def _origin(count: int, left_out: Mapping[str, str]) -> list[str]:
    """The comment at the top: the number of recipes, and which files are *left_out*."""
    rows = [f"# Imported by tvarc from {counted(count, 'recipe')}."]
    if left_out:
        was = "was" if len(left_out) == 1 else "were"
        names = some_of(list(map(printable, left_out)), FEW)
        row = f"# {counted(len(left_out), 'file')} {was} not imported: {names}"
        reasons = set(left_out.values())
        full = f"{row}: {min(reasons)}"
        rows.append(full if len(reasons) == 1 and len(full) <= WIDTH and "\n" not in full else row)
    return rows


_STEPS: Final = 'replace(variant, ".", "/")'
_LAYOUTS: Final = (
    ("variant", "{}.nix"),
    ('"{{variant}}/default"', "{}/default.nix"),
    (_STEPS, "{}.nix"),
    (f'"{{{{{_STEPS}}}}}/default"', "{}/default.nix"),
)
"""The name of the file of a variant: as an expression without `.nix`, and as a path."""


def _output(wanted: Wanted) -> str:
    """The template of the output paths: the paths of the read files, so that their importers still
    find them. A file that a flake calls by another name gets the name of the variant."""
    fitting: dict[str, set[str]] = {code: set() for code, _ in _LAYOUTS}
    folders: set[str] = set()
    for one in wanted.families:
        for stem, file in zip(one.shape.stems, one.files, strict=True):
            for code, path in _LAYOUTS:
                name = stem.replace(".", "/") if _STEPS in code else stem
                if f"/{file}".endswith(f"/{path.format(name)}"):
                    fitting[code].add(stem)
                    folders.add(file.removesuffix(path.format(name)))
            if not any(stem in stems for stems in fitting.values()):
                fitting["variant"].add(stem)
    made = max(fitting, key=lambda code: len(fitting[code]))
    covered = fitting[made]
    for code, stems in fitting.items():
        if some := sorted(stems - covered):
            made = f"if variant in [{', '.join(map(quote, some))}] then {code} else {made}"
            covered = covered | stems
    made = made[1:-1] if made.startswith('"') else f"{{{{{made}}}}}"
    return posixpath.join(wanted.folder, folders.pop() if len(folders) == 1 else "", f"{made}.nix")


def _has_module(recipes: Sequence[Recipe]) -> bool:
    """Whether the descriptions of *recipes* go to a module of texts: some are long, and none reads
    an input, which only the program has."""
    texts = [one for recipe in recipes for name in PROSE if (one := recipe.settings.get(name))]
    is_long = any(_LONG in one.settings for one in recipes)
    return is_long and not any(names_root(one, "@input") for one in texts)


def _inputs(shared: Shared, rows: Sequence[str]) -> list[str]:
    """The inputs that *rows* use. Other inputs are known from attempts that were replaced."""
    return spaced(
        fetched("input", Pin(url, digest), name)
        for (url, digest), name in shared.inputs.items()
        if any(f"file({name}, " in row for row in rows) or not url.startswith("./")
    )


def _lets(shared: Shared, axes: Mapping[str, Axis]) -> list[str]:
    lets = {**shared.lookups.lets, **shared.lets}
    made = [[in_branches(f"let {name} = {code}")] for name, code in lets.items()]
    return [*spaced([*made, *records(shared.lookups, axes)]), ""]


def _recipe(head: str, statements: Sequence[Statement]) -> list[str]:
    """The recipe of *statements*, on one line if it has one setting or block."""
    rows = grouped(statements)
    return braced(f"recipe {head}", rows, WIDE if len(rows) == 1 else 0)


def _laid_out(rows: Sequence[str]) -> tuple[str, str]:
    """The text of *rows* in the layout of `tvarc fmt`, and the fault that makes it invalid."""
    sink = Sink()
    found = format_source(Source("variants.tvar", "\n".join(rows) + "\n"), sink)
    if found is None:
        return "", next(iter(sink)).title
    return found, ""


def _joint_axes(families: Sequence[Family]) -> dict[str, Axis]:
    """The axes of all matrices by name, each with all its values."""
    found: dict[str, Axis] = {}
    for family in families:
        for axis in family.shape.axes:
            there = found.get(axis.name)
            if there is None:
                found[axis.name] = axis
                continue
            values = {*there.values, *axis.values}
            if axis.table is not None:
                order = tuple([row for row in axis.table.rows if row in values])
            else:
                order = tuple(sorted(values))
            found[axis.name] = replace(axis, values=order)
    return found


def _header(recipes: Sequence[Recipe]) -> tuple[str, ...]:
    """The lines that all *recipes* have at their heads, except lines that tvarc writes."""
    first = recipes[0].comments.texts("")
    if any(line.startswith("Made by tvarc") for line in first):
        return ()
    return tuple(
        [line for line in first if line and all(line in one.comments.texts("") for one in recipes)]
    )


def _axis(axis: Axis) -> str:
    if axis.table is not None:
        return f"axis {axis.name} = {axis.table.name}[{', '.join(axis.values)}]"
    return f"axis {axis.name} = [{', '.join(map(quote, axis.values))}]"


def records(lookups: Lookups, axes: Mapping[str, Axis]) -> list[list[str]]:
    """The declarations of the records that are not rows of axes, those of one line first. *axes*
    have the order of rows."""
    found: list[list[str]] = []
    homes = {home: of for (of, _), home in lookups.homes.items()}
    for record, columns in lookups.records().items():
        of = homes[record]
        names = list(dict.fromkeys([name for column in columns.values() for name in column]))
        if len(of) == 1:
            order = {value: number for number, value in enumerate(axes[of[0]].values)}
            names.sort(key=lambda name: order[name])
        if record == lookups.shared(of):
            values = [_row(lookups, of, columns, name) for name in names]
        else:
            ((column, texts),) = columns.items()
            values = [_value(lookups, of, column, texts[name], _alone) for name in names]
        rows = [f"{entry_key(key)} = {one}" for key, one in zip(names, values, strict=True)]
        found.append(braced(f"let {record} =", rows, WIDTH))
    return sorted(found, key=lambda one: len(one) > 1)


def axis_of_rows(axis: Axis, lookups: Lookups) -> list[str]:
    """The declaration of an *axis* that has rows."""
    of = (axis.name,)
    columns = lookups.columns.get(of, {})
    rows = [f"{value} {_row(lookups, of, columns, value)}" for value in axis.values]
    return [f"axis {axis.name} {{", *rows, "}", ""]


def axes_of_rows(shared: Shared, axes: Mapping[str, Axis]) -> frozenset[str]:
    """The *axes* that may have rows: those without a table for which a record has all values, each
    with the same columns, if the names of the values are not used otherwise."""
    found: list[str] = []
    for name, axis in axes.items():
        columns = shared.lookups.columns.get((name,), {})
        others = {value for one in axes.values() if one is not axis for value in one.values}
        taken = shared.taken | others | set(shared.lets)
        if (
            axis.table is None
            and columns
            and all(entry_key(value) == value and value not in taken for value in axis.values)
            and all(set(column) == set(axis.values) for column in columns.values())
            and not any(((name,), column) in shared.lookups.plain for column in columns)
        ):
            found.append(name)
    return frozenset(found)


def complete(
    shared: Shared, shape: Shape, found: Sequence[Statement], drift: Sequence[Drift]
) -> None:
    """Give cells with drift an entry in each record that their recipe reads. Its value does not
    matter, but it is looked up."""
    texts = [one.text for one in found] + list(shared.lets.values())
    texts += shared.lookups.lets.values()
    texts += [row for _, rows in shared.overlays for row in rows]
    for axes, columns in shared.lookups.columns.items():
        if any(axis not in shape.cells[0] for axis in axes):
            continue
        for cell in [cell for one in drift for cell in one.cells]:
            name = "-".join([shape.cells[cell][axis] for axis in axes])
            for column, values in columns.items():
                read = shared.lookups.entry(axes, column)
                if name not in values and any(read in text for text in texts):
                    values[name] = ""


def _row(
    lookups: Lookups,
    axes: tuple[str, ...],
    columns: Mapping[str, Mapping[str, str]],
    name: str,
) -> str:
    """The row *name* of a record of *columns*, which lookups by *axes* read."""
    cells = [
        f"{entry_key(column)} = {_value(lookups, axes, column, values[name])}"
        for column, values in columns.items()
        if name in values
    ]
    return f"{{ {', '.join(cells)} }}"


def _value(
    lookups: Lookups,
    axes: tuple[str, ...],
    column: str,
    text: str,
    written: Callable[[str], str] = quote,
) -> str:
    return text if (axes, column) in lookups.plain else written(text)


def _alone(text: str) -> str:
    """*text* as the only value of a row, on several lines."""
    return block(in_block(text).split("\n")) if "\n" in text else quote(text)
