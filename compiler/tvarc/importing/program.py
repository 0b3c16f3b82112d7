"""A program as text: declarations in order, in the layout of `tvarc fmt`."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product

from tvarc.diagnostics.model import Sink
from tvarc.format.format import format_source
from tvarc.importing.conditions import Cells
from tvarc.importing.explain import Lookups, few_of
from tvarc.importing.model import Pin, Recipe
from tvarc.importing.needs import targets_of
from tvarc.importing.recipes import Statements
from tvarc.importing.shapes import TAKEN, Axis, Shape
from tvarc.importing.statements import Drift, Shared, Statement, Trials
from tvarc.importing.tables import Table
from tvarc.importing.trees import entries_of, text_of
from tvarc.importing.written import RESERVED, CannotSay, braced, entry_key, is_name
from tvarc.light import Final, Mapping, Sequence, dataclass, field, replace
from tvarc.nix.syntax import (
    NixApply,
    NixAttrs,
    NixBinding,
    NixExpr,
    NixLambda,
    NixLet,
    extent_of,
    walk,
)
from tvarc.source import Source
from tvarc.values import quote

_ARCHIVE: Final = re.compile(r"https://github\.com/([^/]+/[^/]+)/archive/([0-9a-f]{40})\.tar\.gz\Z")
_PLACEHOLDERS: Final = re.compile(r"\{\{[^}]*\}\}")
_MOST_CELLS: Final = 1 << 15


@dataclass(frozen=True, slots=True)
class Family:
    """Recipes whose names have one shape, in the order of its cells, and their files; where they
    are a part of those of a shape, that shape as a *whole*, and a name for the *part*."""

    shape: Shape
    recipes: tuple[Recipe, ...]
    files: tuple[str, ...]
    part: str = ""
    whole: Shape | None = None


@dataclass(slots=True)
class Written:
    """A program and the module of its texts, its drift, the files that it could not say, with the
    reason, the lines of comments that it keeps, by files and offsets, and what keeps it from being
    a program; the names of its recipes, and how many lines it takes to say these and their
    matrices, by the names of the first variants that they build."""

    text: str
    texts: str = ""
    drift: list[Drifting] = field(default_factory=list)
    unsaid: dict[str, str] = field(default_factory=dict)
    matrices: int = 0
    kept: set[tuple[str, int]] = field(default_factory=set)
    fault: str = ""
    recipes: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Drifting:
    """A setting that is not as the rule has it, in some of the files of a matrix."""

    setting: str
    files: tuple[str, ...]
    lines: tuple[int, ...]
    of: int


def write_program(
    families: Sequence[Family],
    tables: Mapping[str, Table],
    folder: str,
    lines: Mapping[str, Sequence[int]],
    texts_name: str = "",
    beside: Sequence[Shape] = (),
) -> Written:
    """The program that builds *families*, its output in *folder*; *lines* are the offsets of the
    ends of lines of each file. With a *texts_name* descriptions are in a module of that name. Axes
    of which a record has all values have its rows, and so name these once. What is named as
    *beside* them may be needed, and is not written."""
    trials: Trials = {}
    made, rowed = _written(families, tables, folder, lines, texts_name, beside, frozenset(), trials)
    if not rowed or made.fault or made.unsaid:
        return made
    again = [replace(family, shape=_with_rows(family.shape, rowed)) for family in families]
    better, kept = _written(again, tables, folder, lines, texts_name, beside, rowed, trials)
    return better if kept == rowed and not (better.fault or better.unsaid) else made


def _with_rows(shape: Shape, rowed: frozenset[str]) -> Shape:
    axes = [replace(axis, has_rows=axis.name in rowed) for axis in shape.axes]
    return replace(shape, axes=tuple(axes))


def _tabled(shared: Shared, axes: Mapping[str, Axis]) -> frozenset[str]:
    """The axes without a table of which a record has all values, each with the same columns, where
    these are names that nothing else has."""
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


def _written(
    families: Sequence[Family],
    tables: Mapping[str, Table],
    folder: str,
    lines: Mapping[str, Sequence[int]],
    texts_name: str,
    beside: Sequence[Shape],
    rowed: frozenset[str],
    trials: Trials,
) -> tuple[Written, frozenset[str]]:
    """The program, in which the axes *rowed* have rows; and those that may."""
    taken = set(TAKEN | RESERVED | set(tables))
    taken |= {row for table in tables.values() for row in table.rows}
    axes = _joint_axes(families)
    taken |= set(axes)
    shared = Shared(taken, folder, trials, lookups=Lookups(taken, rowed=rowed))
    texts = Shared(taken, folder, trials, lookups=Lookups(taken, "text-")) if texts_name else None
    written = Written("", matrices=len(families))
    shapes = [*[family.whole or family.shape for family in families], *beside]
    parts = [*[family.part for family in families], *[""] * len(beside)]
    names = [
        _matrix_name(shape, shapes, taken, part) for shape, part in zip(shapes, parts, strict=True)
    ]
    of_needs = [
        joined if part and is_name(joined := "-".join(_words(shape))) else name
        for shape, part, name in zip(shapes, parts, names, strict=True)
    ]
    targets = targets_of([*[family.shape for family in families], *beside], names, of_needs)
    made: list[tuple[Family, Statements]] = []
    for family in families:
        statements = Statements(family.shape, family.recipes, shared, texts, targets)
        kept = (dict(shared.overlays), dict(shared.pins))
        try:
            statements.make()
        except CannotSay as fault:
            shared.overlays, shared.pins = kept
            written.unsaid.update(dict.fromkeys(family.files, fault.reason))
            continue
        made.append((family, statements))
        written.kept |= {(family.files[cell], offset) for cell, offset in statements.reasons.kept}
    for family, statements in made:
        _complete(shared, family.shape, statements.found, statements.drift)
        if texts is not None:
            _complete(texts, family.shape, statements.prose, statements.drift)
    has_texts = texts is not None and any(statements.prose for _, statements in made)
    rows = _head(made)
    rows += [f"use std.{module}" for module in _modules(made)]
    if has_texts:
        rows.append(f"use {quote(f'./{texts_name}')}")
    rows.append("")
    for pin, name in shared.pins.items():
        rows += [*fetched("pin", pin, name), ""]
    above = len(rows)
    used = {axis.name for family, _ in made for axis in family.shape.axes}
    elsewhere = _own_axes(made) if has_texts else set()
    plain = used - elsewhere - shared.lookups.rowed
    rows += [_axis(axis) for name, axis in axes.items() if name in plain]
    rows.append("")
    rows += [
        row for name in axes if name in shared.lookups.rowed for row in _rows_of(axes[name], shared)
    ]
    tops: list[str] = []
    prose: list[str] = []
    common = _common(made) if not has_texts else []
    if common:
        tops += ["recipe common {", *_grouped(common), "}", ""]
    for family, statements in made:
        header = _header(family.recipes)
        written.kept |= {
            (path, offset)
            for path, recipe in zip(family.files, family.recipes, strict=True)
            for offset, line in recipe.comments.before.get("", ())
            if line in header
        }
        tops += [f"# {line}".rstrip() for line in header]
        name = names[families.index(family)]
        stem = name.removesuffix("-builds")
        recipe = _free(f"{stem}-build", taken)
        own = [one for one in statements.found if one not in common]
        extends = " extends common" if common else ""
        if statements.prose:
            base = _free(f"{stem}-texts", taken)
            prose += [f"recipe {base} {{", *_grouped(statements.prose), "}", ""]
            extends = f" extends {base}"
        said = [f"recipe {recipe}{extends} {{", *_grouped(own), "}", ""]
        said += _apart(family, written, lines)
        said += _matrix(family, statements, (name, recipe), axes, written, lines)
        written.recipes[family.shape.stems[0]] = recipe
        written.lines[family.shape.stems[0]] = sum([row.count("\n") + 1 for row in said])
        tops += said
    rows += _lets(shared)
    for (head, body), name in shared.overlays.items():
        rows += [head.replace("{}", name) + " {", *body, "}", ""]
    rows += tops
    file = f"{folder}/{{{{variant}}}}.nix" if folder else "{{variant}}.nix"
    rows.append(f"output nix {{ file = {_template(file)} }}")
    rows[above:above] = _inputs(shared, rows)
    written.text, written.fault = _laid_out("\n".join(rows) + "\n")
    if texts is not None and has_texts:
        rows = ["# What the packages are called and described as.", ""]
        rows += [f"use std.{module}" for module in _modules(made)]
        rows += ["", *[_axis(axes[name]) for name in axes if name in elsewhere], ""]
        rows += [*_lets(texts), *prose]
        written.texts, failed = _laid_out("\n".join(rows) + "\n")
        written.fault = written.fault or failed
    return written, frozenset() if texts is not None else _tabled(shared, axes)


def _own_axes(made: Sequence[tuple[Family, Statements]]) -> set[str]:
    """The axes that have no table: a module that reads them declares them."""
    return {
        axis.name
        for family, statements in made
        for axis in family.shape.axes
        if axis.table is None and statements.prose
    }


def _inputs(shared: Shared, rows: Sequence[str]) -> list[str]:
    """The inputs of which *rows* take something: one is known as well from what was tried and is
    said in another way."""
    found: list[str] = []
    for (url, digest), name in shared.inputs.items():
        if any(f"file({name}, " in row for row in rows) or not url.startswith("./"):
            found += [*fetched("input", Pin(url, digest), name), ""]
    return found


def _lets(shared: Shared) -> list[str]:
    lets = [f"let {name} = {code}" for name, code in shared.lets.items()]
    return [*lets, *([""] if lets else []), *_records(shared)]


def _complete(
    shared: Shared, shape: Shape, found: Sequence[Statement], drift: Sequence[Drift]
) -> None:
    """Give cells with drift an entry in each record that their recipe reads: what stands there does
    not count, but it is looked up."""
    texts = [one.text for one in found] + list(shared.lets.values())
    texts += [row for _, rows in shared.overlays for row in rows]
    for axes, columns in shared.lookups.columns.items():
        if any(axis not in shape.cells[0] for axis in axes):
            continue
        for one in drift:
            name = "-".join([shape.cells[one.cell][axis] for axis in axes])
            for column, values in columns.items():
                read = shared.lookups.entry(axes, column)
                if name not in values and any(read in text for text in texts):
                    values[name] = ""


def _template(text: str) -> str:
    return '"' + text + '"'


def _laid_out(text: str) -> tuple[str, str]:
    """*text* in the layout of `tvarc fmt`, and what keeps it from being a program."""
    sink = Sink()
    found = format_source(Source("variants.tvar", text), sink)
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


def _head(made: Sequence[tuple[Family, Statements]]) -> list[str]:
    count = sum(len(family.files) for family, _ in made)
    return [f"# Imported by tvarc from {count} recipes.", ""]


def _header(recipes: Sequence[Recipe]) -> tuple[str, ...]:
    """The lines that all *recipes* have at their heads; none of those that tvarc writes."""
    first = recipes[0].comments.texts("")
    if any(line.startswith("Made by tvarc") for line in first):
        return ()
    return tuple(
        [line for line in first if line and all(line in one.comments.texts("") for one in recipes)]
    )


def _modules(made: Sequence[tuple[Family, Statements]]) -> list[str]:
    found: dict[str, None] = {}
    for family, _ in made:
        for axis in family.shape.axes:
            if axis.table is not None:
                found[axis.table.module] = None
    return list(found)


def fetched(word: str, pin: Pin, name: str) -> list[str]:
    """The declaration of what is fetched, a `pin` or an `input`, or of a folder that is one."""
    found = _ARCHIVE.match(pin.url)
    rows = [f"{word} {name} {{"]
    if pin.url.startswith("./"):
        rows.append(f"path = {quote(pin.url)}")
    elif found is not None:
        rows += [f"github = {quote(found[1])}", f"rev = {quote(found[2])}"]
    else:
        rows.append(f"url = {quote(pin.url)}")
    if pin.hash:
        rows.append(f"hash = {quote(pin.hash)}")
    return [*rows, "}"]


def _axis(axis: Axis) -> str:
    if axis.table is not None:
        return f"axis {axis.name} = {axis.table.name}[{', '.join(axis.values)}]"
    return f"axis {axis.name} = [{', '.join(map(quote, axis.values))}]"


def _common(made: Sequence[tuple[Family, Statements]]) -> list[Statement]:
    """What the recipes of all matrices say alike, by itself: nothing of lists that are added to or
    of scripts, whose order counts."""
    if len(made) < 2:
        return []
    first = made[0][1].found
    shared = [
        one
        for one in first
        if all(one in statements.found for _, statements in made[1:])
        and "+=" not in one.text
        and not one.block.startswith("script ")
        and not one.condition
    ]
    names = {axis.name for family, _ in made for axis in family.shape.axes}
    everywhere = {
        name
        for name in names
        if all(name in [axis.name for axis in family.shape.axes] for family, _ in made)
    }
    return [one for one in shared if not _reads(one.text, names - everywhere)]


def _reads(text: str, names: set[str]) -> bool:
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in names)


def _grouped(statements: Sequence[Statement]) -> list[str]:
    """Statements in their blocks: those without a condition first."""
    rows = _blocks([one for one in statements if not one.condition])
    for condition in dict.fromkeys([one.condition for one in statements if one.condition]):
        inner = _blocks([one for one in statements if one.condition == condition])
        rows += braced(f"when {condition}", inner)
    return rows


def _blocks(statements: Sequence[Statement]) -> list[str]:
    rows: list[str] = []
    for name in dict.fromkeys([one.block for one in statements]):
        inner: list[str] = []
        for one in statements:
            if one.block == name:
                inner += [*[f"# {line}".rstrip() for line in one.comment], one.text]
        rows += inner if not name else braced(name, inner)
    return rows


def _matrix_name(shape: Shape, shapes: Sequence[Shape], taken: set[str], part: str) -> str:
    """A name for the matrix of *shape*, or of a *part* of what has it."""
    words = _words(shape)
    if part:
        return _free("-".join([*words, part]) if is_name("-".join([*words, part])) else part, taken)
    others = [set(_words(one)) for one in shapes if one is not shape]
    own = [word for word in words if all(word not in one for one in others)]
    name = "-".join(own or words) or "builds"
    if not is_name(name):
        name = f"m-{name}"
    return _free(name if name not in taken else f"{name}-builds", taken)


def _words(shape: Shape) -> list[str]:
    """The words that are in all names of *shape*."""
    return [word for word in _PLACEHOLDERS.sub("", shape.name).split("-") if word]


def _free(base: str, taken: set[str]) -> str:
    """A name like *base* that nothing else has."""
    name, number = base, 2
    while name in taken:
        name, number = f"{base}-{number}", number + 1
    taken.add(name)
    return name


def _matrix(
    family: Family,
    statements: Statements,
    names: tuple[str, str],
    axes: Mapping[str, Axis],
    written: Written,
    lines: Mapping[str, Sequence[int]],
) -> list[str]:
    """The matrix of *family*; *names* are its own and that of its recipe."""
    shape = family.shape
    name, recipe = names
    if not shape.axes:
        rows = [f"variant {name} {{", f"recipe = {recipe}", f"name = {_template(shape.name)}"]
        return [*rows, "}", ""]
    rows = [f"matrix {name} {{", f"recipe = {recipe}"]
    rows.append(f"axes = {' * '.join([_slice(axis, axes[axis.name]) for axis in shape.axes])}")
    rows.append(f"name = {_template(shape.name)}")
    rows += exclusions(shape, *["no file of this kind has it"] if family.part else ())
    for group in _together(statements.drift):
        cells = [one.cell for one in group]
        files = tuple([family.files[cell] for cell in cells])
        places = tuple([_line(family, cell, group[0].setting, lines) for cell in cells])
        written.drift.append(Drifting(group[0].setting, files, places, len(family.files)))
        condition = _exact(statements.cells, shape, cells)
        rows += ["", _told(written.drift[-1])]
        rows += [f"when {condition} {{", *_blocks(group[0].statements), "}"]
    return [*rows, "}", ""]


def _apart(family: Family, written: Written, lines: Mapping[str, Sequence[int]]) -> list[str]:
    """What is told of a *family* that is a part of few cells: all of it is drift."""
    if family.whole is None or len(family.files) > few_of(len(family.whole.stems)):
        return []
    setting, cells, of = "package", range(len(family.files)), len(family.whole.stems)
    places = tuple([_line(family, cell, setting, lines) for cell in cells])
    written.drift.append(Drifting(setting, family.files, places, of))
    return [_told(written.drift[-1])]


def _told(drift: Drifting) -> str:
    """The comment above what is drift."""
    places = zip(drift.files, drift.lines, strict=True)
    told = ", ".join([f"{file}:{line}" for file, line in places])
    return f"# drift: {len(drift.files)} of {drift.of}: {drift.setting}, {told}"


def _exact(cells: Cells, shape: Shape, some: Sequence[int]) -> str:
    """What holds in the cells *some*: of a single one all axes are named."""
    if len(some) > 1:
        return cells.condition(some, list(range(len(shape.cells)))).code
    cell = shape.cells[some[0]]
    return " and ".join(
        [cells.of_axis(axis, {cell[axis.name]}, {cell[axis.name]}) for axis in shape.axes]
    )


def _together(drift: Sequence[Drift]) -> list[list[Drift]]:
    """Drift of several cells that is the same."""
    found: dict[tuple[str, tuple[Statement, ...]], list[Drift]] = {}
    for one in drift:
        found.setdefault((one.setting, one.statements), []).append(one)
    return list(found.values())


def _line(family: Family, cell: int, setting: str, lines: Mapping[str, Sequence[int]]) -> int:
    """The line on which a file has *setting*, or its first."""
    recipe = family.recipes[cell]
    name = setting.rpartition(".")[2]
    name = _odd_attribute(family, cell) if setting == "package" else name
    offset = _offset(recipe.original.root(), name) if recipe.original is not None else 0
    ends = lines[family.files[cell]]
    return 1 + sum(end < offset for end in ends)


def _odd_attribute(family: Family, cell: int) -> str:
    """The first attribute of a package that is written out which one cell alone has so, while
    others agree on theirs, or in which it alone has a text of its own; empty where there is
    none."""
    given = [_given(recipe.package) for recipe in family.recipes]
    for name, value in given[cell].items():
        others = [one[name] for at, one in enumerate(given) if at != cell and name in one]
        if value not in others and any(one in others[:at] for at, one in enumerate(others)):
            return name
    for name in given[cell]:
        texts = {at: _texts(one[name]) for at, one in enumerate(given) if name in one}
        count = Counter([text for some in texts.values() for text in some])
        alone = [at for at, some in texts.items() if any(count[text] == 1 for text in some)]
        if alone == [cell]:
            return name
    return ""


def _texts(node: NixExpr) -> set[str]:
    """The texts in *node*."""
    return {text for one in walk([node]) if (text := text_of(one)) is not None}


def _given(package: NixExpr) -> dict[str, NixExpr]:
    """The attributes that a builder is given, or that a function changes."""
    match package:
        case NixApply(_, NixAttrs() as given) | NixApply(_, NixLambda(_, NixAttrs() as given)):
            return dict(entries_of(given))
        case _:
            return {}


def _offset(root: NixExpr, name: str) -> int:
    """The last place in *root* where an attribute *name* is written; 0 where there is none."""
    for node in walk([root]):
        if isinstance(node, NixAttrs | NixLet):
            for entry in node.entries:
                if isinstance(entry, NixBinding) and entry.path[-1] == name:
                    return extent_of(entry).start
    return 0


def _slice(axis: Axis, whole: Axis) -> str:
    if axis.values == whole.values:
        return axis.name
    return f"{axis.name}[{', '.join(map(axis.written, axis.values))}]"


def exclusions(shape: Shape, reason: str = "no file has it") -> list[str]:
    """What is left out of the product of the axes, for the one *reason*."""
    names = [axis.name for axis in shape.axes]
    cells = [
        dict(zip(names, values, strict=True)) for values in product(*[a.values for a in shape.axes])
    ]
    there = {tuple(cell.values()) for cell in ({n: c[n] for n in names} for c in shape.cells)}
    missing = frozenset([at for at, cell in enumerate(cells) if tuple(cell.values()) not in there])
    if not missing or len(cells) > _MOST_CELLS:
        return []
    every = Cells(shape.axes, cells)
    condition = every.boxes(missing, frozenset(range(len(cells))))
    return [f"exclude {term} because {quote(reason)}" for term in condition.terms]


def _records(shared: Shared) -> list[str]:
    rows: list[str] = []
    for axes, columns in shared.lookups.columns.items():
        if len(axes) == 1 and axes[0] in shared.lookups.rowed:
            continue
        names = dict.fromkeys([name for column in columns.values() for name in column])
        rows.append(f"let {shared.lookups.record(axes)} = {{")
        rows += [f"{entry_key(name)} = {_cells(shared.lookups, axes, name)}" for name in names]
        rows += ["}", ""]
    return rows


def _rows_of(axis: Axis, shared: Shared) -> list[str]:
    """The declaration of an *axis* that has rows."""
    rows = [f"{value} {_cells(shared.lookups, (axis.name,), value)}" for value in axis.values]
    return [f"axis {axis.name} {{", *rows, "}", ""]


def _cells(lookups: Lookups, axes: tuple[str, ...], name: str) -> str:
    """The row *name* of a record."""
    cells = [
        f"{entry_key(column)} = {_value(lookups, axes, column, values[name])}"
        for column, values in lookups.columns.get(axes, {}).items()
        if name in values
    ]
    return f"{{ {', '.join(cells)} }}"


def _value(lookups: Lookups, axes: tuple[str, ...], column: str, text: str) -> str:
    return text if (axes, column) in lookups.plain else quote(text)
