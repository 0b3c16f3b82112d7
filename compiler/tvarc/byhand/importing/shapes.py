"""Finds axes in the names of files: names with the same shape are the cells of a matrix."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from tvarc.byhand.importing.names import RESERVED, TAKEN, free_name, name_from
from tvarc.byhand.importing.tables import Table
from tvarc.light import Final, Mapping, Sequence, dataclass, replace
from tvarc.values.value import quote

_SEPARATOR: Final = "-"
_UNKNOWN: Final = "kind"
_NUMBER: Final = "series"
_VERSION: Final = re.compile(r"v?\d[\d._]*\Z")
_BUILDER: Final = re.compile(r"build([A-Z]\w+)\Z")
_INITIAL: Final = 2  # a shorter name means little
_PACKAGE: Final = "package-name"
_DOT: Final = re.compile(r"\.(?=[A-Za-z])")
_PARTING: Final = re.compile(r"-|\.(?=[A-Za-z{])")
_DOT_WORD: Final = "<.>"
"""A dot before a letter is a separate word of a name: such dots come from folders, and the words
around them may be values. The dot of a version is part of its word."""
_DIGITS: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis with its values in order. Without a `table` its values are texts, or rows of its own
    if it `has_rows`."""

    name: str
    table: Table | None
    values: tuple[str, ...]
    has_rows: bool = False

    def written(self, value: str) -> str:
        """A value in the form for conditions and matrices."""
        return value if self.table is not None or self.has_rows else quote(value)


@dataclass(frozen=True, slots=True)
class Shape:
    """Names with one shape: the axes, the template of the names, and the cell of each name."""

    axes: tuple[Axis, ...]
    name: str
    stems: tuple[str, ...]
    cells: tuple[dict[str, str], ...]


def shapes_of(
    kinds: Mapping[str, str],
    tables: Mapping[str, Table],
    named: Sequence[tuple[str, str]],
    read_as: Mapping[str, Mapping[str, None]],
) -> list[Shape]:
    """Groups names by shape, the largest shape first. *kinds* has the kind of the package for each
    name. *named* has axes by name, each with a pattern for its words. *read_as* has the names by
    which the files read a text: axes with unknown words are named after them."""
    groups: dict[tuple[str, ...], list[list[str]]] = {}
    by_words = {_SEPARATOR.join(words_of(stem)): kind for stem, kind in kinds.items()}
    for stem in sorted(kinds):
        words = words_of(stem)
        signature = tuple([_class(word, tables, named) for word in words])
        groups.setdefault(signature, []).append(words)
    merged = sorted(_merged(groups, by_words), key=lambda one: (-len(one[1]), one[0]))
    found: list[Shape] = []
    for alike, names in merged:
        earlier = [axis for shape in found for axis in shape.axes]
        packages = {by_words[_SEPARATOR.join(words)] for words in names}
        found.append(_shape(alike, names, tables, named, earlier, packages, read_as))
    return sorted(found, key=lambda shape: (-len(shape.stems), shape.name))


def words_of(stem: str) -> list[str]:
    """The words of a name. `_joined` is the inverse."""
    return _DOT.sub(f"{_SEPARATOR}{_DOT_WORD}{_SEPARATOR}", stem).split(_SEPARATOR)


def word_kind(place: int) -> str:
    """The kind of a package that has the name of the word at *place* of its file."""
    return f"<{place}>"


def _joined(words: Sequence[str]) -> str:
    """The name, or the template of names, with these *words*."""
    return _SEPARATOR.join(words).replace(f"{_SEPARATOR}{_DOT_WORD}{_SEPARATOR}", ".")


def first_word(name: str) -> tuple[str, str, str]:
    """The first word of a name or template, the separator after it, and the rest. Separator and
    rest are empty if there is only one word."""
    found = _PARTING.search(name)
    if found is None:
        return name, "", ""
    return name[: found.start()], found[0], name[found.end() :]


def part_of(shape: Shape, cells: Sequence[int]) -> Shape:
    """The shape of some *cells* of *shape* alone: its axes have the values that occur, and an axis
    with a single value becomes a word of the names."""
    axes: list[Axis] = []
    name = shape.name
    for axis in shape.axes:
        there = {shape.cells[cell][axis.name] for cell in cells}
        if len(there) == 1:
            name = name.replace("{{" + axis.name + "}}", there.pop())
        else:
            values = tuple([value for value in axis.values if value in there])
            axes.append(replace(axis, values=values))
    return Shape(
        tuple(axes),
        name,
        tuple([shape.stems[cell] for cell in cells]),
        tuple([{axis.name: shape.cells[cell][axis.name] for axis in axes} for cell in cells]),
    )


def _class(word: str, tables: Mapping[str, Table], named: Sequence[tuple[str, str]]) -> str:
    """The kind of *word*: `<name>` for a value of the axis `name`, or the word itself."""
    for name, pattern in named:
        if fnmatchcase(word, pattern):
            return f"<{name}>"
    for name, table in tables.items():
        if word in table.rows:
            return f"<{name}>"
    return word


def _merged(
    groups: dict[tuple[str, ...], list[list[str]]], kinds: Mapping[str, str]
) -> list[tuple[tuple[str, ...], list[list[str]]]]:
    """*groups*, in which groups are joined that differ in words of one kind. These are words with
    different numbers. They are also any unknown words, if the packages are of one kind and most of
    the combinations exist."""
    made: dict[tuple[str, ...], list[list[str]]] = {}
    for signature, words in groups.items():
        alike = tuple([one if _known(one) else _DIGITS.sub("#", one) for one in signature])
        made.setdefault(alike, []).extend(words)
    found: list[tuple[tuple[str, ...], list[list[str]]]] = []
    unknown: dict[tuple[object, ...], list[tuple[str, ...]]] = {}
    for signature, words in made.items():
        places = tuple([one if _known(one) else "" for one in signature])
        kind = tuple(sorted({kinds[_SEPARATOR.join(one)] for one in words}))
        unknown.setdefault((places, kind), []).append(signature)
    for signatures in unknown.values():
        words = [one for signature in signatures for one in made[signature]]
        cells = 1
        for column in zip(*words, strict=True):
            cells *= len(set(column))
        if len(signatures) > 1 and len(words) * 2 >= cells:
            varying = [len(set(column)) > 1 for column in zip(*signatures, strict=True)]
            joint = tuple(
                ["<>" if one else word for one, word in zip(varying, signatures[0], strict=True)]
            )
            found.append((joint, words))
        else:
            found += [(signature, made[signature]) for signature in signatures]
    return found


def _known(word: str) -> bool:
    return word.startswith("<")


def _shape(
    signature: tuple[str, ...],
    words: list[list[str]],
    tables: Mapping[str, Table],
    named: Sequence[tuple[str, str]],
    earlier: Sequence[Axis],
    packages: set[str],
    read_as: Mapping[str, Mapping[str, None]],
) -> Shape:
    """The shape of *words*, the *packages* of which are of these kinds. An axis with unknown words
    is an axis of *earlier* shapes if they share words, in any position of a name."""
    signature, words = _with_joint(signature, words)
    axes: list[Axis] = []
    places: list[int] = []
    template: list[str] = []
    taken: set[str] = set()
    known: dict[tuple[str, ...], str] = {}  # axes by their words, which a name may have twice
    for place, kind in enumerate(signature):
        column = tuple([one[place] for one in words])
        values = set(column)
        if len(values) == 1:
            template.append(values.pop())
            continue
        if column in known:
            template.append("{{" + known[column] + "}}")
            continue
        table = tables.get(kind[1:-1]) if _known(kind) else None
        if table is not None:
            name, order = table.axis, tuple([row for row in table.rows if row in values])
        else:
            order = tuple(sorted(values, key=_natural))
            name = _name_of_axis(kind, values, dict(named), earlier, taken)
            if not name:
                by_kind = _PACKAGE if packages == {word_kind(place)} else _UNKNOWN
                by_kind = _name_by_builder(packages) if len(signature) == 1 else by_kind
                others = {axis.name for axis in earlier} | {one.axis for one in tables.values()}
                name = free_name(_name_by_words(order, read_as) or by_kind, taken, others)
        if name in TAKEN or name in RESERVED:
            name = f"{name}-kind"
        name = free_name(name, taken)
        taken.add(name)
        known[column] = name
        axes.append(Axis(name, table, order))
        places.append(place)
        template.append("{{" + name + "}}")
    cells = [
        {axis.name: one[place] for axis, place in zip(axes, places, strict=True)} for one in words
    ]
    order_of = {axis.name: {value: at for at, value in enumerate(axis.values)} for axis in axes}
    ranked = sorted(
        range(len(words)), key=lambda at: [order_of[name][cells[at][name]] for name in order_of]
    )
    return Shape(
        tuple(axes),
        _joined(template),
        tuple([_joined(words[at]) for at in ranked]),
        tuple([cells[at] for at in ranked]),
    )


def _name_of_axis(
    kind: str,
    values: set[str],
    named: Mapping[str, str],
    earlier: Sequence[Axis],
    taken: set[str],
) -> str:
    """A name for the axis of words of one *kind* that no table has; empty if the kind implies
    none."""
    if kind[1:-1] in named:
        return kind[1:-1]
    letters = re.sub(r"[^a-z]", "", _DIGITS.sub("", kind.strip("<>")).lower())
    return _name_of_earlier(values, earlier, taken) or letters


def _name_by_words(words: Sequence[str], read_as: Mapping[str, Mapping[str, None]]) -> str:
    """A name for an axis of *words*: the name by which files read each of them, or one for numbers;
    empty if there is none."""
    first, *others = [read_as.get(word, {}) for word in words]
    names = [name_from(name) for name in first if all(name in one for one in others)]
    names = [name for name in names if len(name) > _INITIAL and name not in TAKEN]
    if names and names[0] not in ("name", "pname"):
        return names[0]
    return _NUMBER if all(_VERSION.match(word) for word in words) else ""


def _name_by_builder(packages: set[str]) -> str:
    """A name for an axis of packages: the kind of thing that the builder of *packages* makes, if
    they have one builder, or else `package-name`."""
    made = {found[1] for package in packages if (found := _BUILDER.match(package))}
    return name_from(made.pop()) if len(made) == len(packages) == 1 else _PACKAGE


def _name_of_earlier(values: set[str], earlier: Sequence[Axis], taken: set[str]) -> str:
    """The name of the axis of *earlier* shapes that shares most of *values*; empty for none."""
    shared = {
        axis.name: len(values.intersection(axis.values))
        for axis in earlier
        if axis.table is None and axis.name not in taken
    }
    return max(shared, key=lambda name: shared[name]) if any(shared.values()) else ""


def _with_joint(
    signature: tuple[str, ...], words: list[list[str]]
) -> tuple[tuple[str, ...], list[list[str]]]:
    """Names in which neighbouring words are joined if no table has them and each decides the other,
    such as the words of a version: `2-10-rc1` and `2-9-rc3`."""
    kinds: list[str] = []
    columns: list[tuple[str, ...]] = []
    for kind, column in zip(signature, zip(*words, strict=True), strict=True):
        is_free = kinds and not any(_known(one) and one != "<>" for one in (kinds[-1], kind))
        if is_free and _decide_each_other(columns[-1], column):
            pairs = zip(columns[-1], column, strict=True)
            columns[-1] = tuple([_SEPARATOR.join(pair) for pair in pairs])
            kinds[-1] = "<>" if "<>" in (kinds[-1], kind) else f"{kinds[-1]}{kind}"
        else:
            kinds.append(kind)
            columns.append(column)
    return tuple(kinds), [list(one) for one in zip(*columns, strict=True)]


def _decide_each_other(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether two columns of words differ, and each decides the other."""
    count = len(set(left))
    return count > 1 and count == len(set(right)) == len(set(zip(left, right, strict=True)))


def _natural(word: str) -> list[tuple[int, str]]:
    return [(int(one) if one.isdigit() else -1, one) for one in re.split(r"(\d+)", word) if one]
