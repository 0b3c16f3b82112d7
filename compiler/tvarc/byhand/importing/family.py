"""Recipes that become one recipe and one matrix of a program."""

from __future__ import annotations

from tvarc.byhand.importing.model import Recipe
from tvarc.byhand.importing.shapes import Shape
from tvarc.light import dataclass


@dataclass(frozen=True, slots=True)
class Family:
    """Recipes whose names have one shape, in the order of its cells, and their files; where they
    are a part of those of a shape, that shape as a *whole*, and a name for the *part*."""

    shape: Shape
    recipes: tuple[Recipe, ...]
    files: tuple[str, ...]
    part: str = ""
    whole: Shape | None = None
