"""From the names of files to axes: names of one shape are the cells of one matrix."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from tvarc.importing.tables import Table
from tvarc.light import Final, Mapping, Sequence, dataclass

_SEPARATOR: Final = "-"
_DIGITS: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis with its values in order; without a *table* its values are texts."""

    name: str
    table: Table | None
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """Names of one shape: the axes, the template of their names, and of each its cell."""

    axes: tuple[Axis, ...]
    name: str
    stems: tuple[str, ...]
    cells: tuple[dict[str, str], ...]


def shapes_of(
    stems: Sequence[str], tables: Mapping[str, Table], named: Sequence[tuple[str, str]]
) -> list[Shape]:
    """*stems* by shape, the largest first. *named* are axes by name, each with a pattern of the
    words that are its values."""
    groups: dict[tuple[str, ...], list[list[str]]] = {}
    for stem in sorted(stems):
        words = stem.split(_SEPARATOR)
        signature = tuple([_class(word, tables, named) for word in words])
        groups.setdefault(signature, []).append(words)
    found = [
        _shape(signature, words, tables, named) for signature, words in _merged(groups).items()
    ]
    return sorted(found, key=lambda shape: (-len(shape.stems), shape.name))


def _class(word: str, tables: Mapping[str, Table], named: Sequence[tuple[str, str]]) -> str:
    """What kind of word *word* is: a value of an axis `<name>`, or itself."""
    for name, pattern in named:
        if fnmatchcase(word, pattern):
            return f"<{name}>"
    for name, table in tables.items():
        if word in table.rows:
            return f"<{name}>"
    return word


def _merged(
    groups: dict[tuple[str, ...], list[list[str]]],
) -> dict[tuple[str, ...], list[list[str]]]:
    """*groups*, those put together that differ in words of one kind: words with other numbers
    in them, or, where names hold nothing that is known, any."""
    made: dict[tuple[str, ...], list[list[str]]] = {}
    for signature, words in groups.items():
        alike = tuple([one if _known(one) else _DIGITS.sub("#", one) for one in signature])
        made.setdefault(alike, []).extend(words)
    unknown: dict[int, list[tuple[str, ...]]] = {}
    for signature in made:
        if not any(_known(one) for one in signature) and len(made[signature]) == 1:
            unknown.setdefault(len(signature), []).append(signature)
    for signatures in unknown.values():
        varying = [len(set(column)) > 1 for column in zip(*signatures, strict=True)]
        cells = 1
        for column in zip(*signatures, strict=True):
            cells *= len(set(column))
        if len(signatures) > 1 and sum(varying) and len(signatures) * 2 >= cells:
            joint = tuple(
                ["<>" if one else words for one, words in zip(varying, signatures[0], strict=True)]
            )
            made[joint] = [words for one in signatures for words in made.pop(one)]
    return made


def _known(word: str) -> bool:
    return word.startswith("<")


def _shape(
    signature: tuple[str, ...],
    words: list[list[str]],
    tables: Mapping[str, Table],
    named: Sequence[tuple[str, str]],
) -> Shape:
    axes: list[Axis] = []
    places: list[int] = []
    template: list[str] = []
    taken: set[str] = set()
    for place, kind in enumerate(signature):
        values = {one[place] for one in words}
        if len(values) == 1:
            template.append(values.pop())
            continue
        table = tables.get(kind[1:-1]) if _known(kind) else None
        if table is not None:
            order = tuple([row for row in table.rows if row in values])
            name = table.axis
        else:
            order = tuple(sorted(values, key=_natural))
            letters = re.sub(r"[^a-z]", "", _DIGITS.sub("", kind.strip("<>")).lower())
            name = kind[1:-1] if kind[1:-1] in dict(named) else letters or "kind"
        base, number = name, 2
        while name in taken:
            name, number = f"{base}-{number}", number + 1
        taken.add(name)
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
        _SEPARATOR.join(template),
        tuple([_SEPARATOR.join(words[at]) for at in ranked]),
        tuple([cells[at] for at in ranked]),
    )


def _natural(word: str) -> list[tuple[int, str]]:
    return [(int(one) if one.isdigit() else -1, one) for one in re.split(r"(\d+)", word) if one]
