"""Names of matrices, and what recipes that need others of theirs call these."""

from __future__ import annotations

import re

from tvarc.byhand.importing.family import Family
from tvarc.byhand.importing.names import free_name, name_of
from tvarc.byhand.importing.needs import Target, targets_of
from tvarc.byhand.importing.shapes import Shape
from tvarc.light import Final, Mapping, Sequence, dataclass

_PLACEHOLDERS: Final = re.compile(r"\{\{[^}]*\}\}")


@dataclass(frozen=True, slots=True)
class Naming:
    """The names of the *matrices* of some families, in the order of these, and what can be needed
    of them, by the names of variants."""

    matrices: tuple[str, ...]
    targets: Mapping[str, Target]


def naming(families: Sequence[Family], beside: Sequence[Shape], taken: set[str]) -> Naming:
    """Names for the matrices of *families*, none of those *taken*, to which they are added. What
    is *beside* them can be needed as well."""
    shapes = [*[family.whole or family.shape for family in families], *beside]
    parts = [*[family.part for family in families], *[""] * len(beside)]
    names = [
        _matrix_name(shape, shapes, taken, part) for shape, part in zip(shapes, parts, strict=True)
    ]
    of_needs = [
        name_of("-".join(words), name) if part and (words := _words(shape)) else name
        for shape, part, name in zip(shapes, parts, names, strict=True)
    ]
    targets = targets_of([*[family.shape for family in families], *beside], names, of_needs)
    return Naming(tuple(names[: len(families)]), targets)


def named(base: str, taken: set[str]) -> str:
    """A name like *base* that is none of those *taken*, and now is."""
    name = free_name(base, taken)
    taken.add(name)
    return name


def _matrix_name(shape: Shape, shapes: Sequence[Shape], taken: set[str], part: str) -> str:
    """A name for the matrix of *shape*, or of a *part* of what has it."""
    words = _words(shape)
    if part:
        return named(name_of("-".join([*words, part]), part), taken)
    others = [set(_words(one)) for one in shapes if one is not shape]
    own = [word for word in words if all(word not in one for one in others)]
    name = name_of("-".join(own or words), "builds")
    return named(name if name not in taken else f"{name}-builds", taken)


def _words(shape: Shape) -> list[str]:
    """The words that are in all names of *shape*."""
    return [word for word in _PLACEHOLDERS.sub("", shape.name).split("-") if word]
