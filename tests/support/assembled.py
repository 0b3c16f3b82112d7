"""The files of a program: each of them alone, or all of them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from tvarc.build.assembly.source_map import MappedVariant, SourceMaps
from tvarc.build.driver import Compilation, emit
from tvarc.decide.elaborate import Elaboration
from tvarc.matrix import cells
from tvarc.matrix.variants import Variant


def plain(made: Compilation, variants: Sequence[Variant] | None = None) -> list[tuple[str, str]]:
    """Path and text of each file, which shares nothing with another."""
    recipes = [[recipe] for recipe in made.stream(variants)]
    return [(file.path, file.text) for one in recipes for file in emit(one, made.file)]


def assembled(
    made: Compilation, variants: Sequence[Variant] | None = None, *, collections: bool = False
) -> list[tuple[str, str]]:
    """The same of all files together, and again for a part of the variants. With *collections* the
    files of all variants follow."""
    found = made.files(made.file, variants, collections=collections)
    first = [(file.path, file.data().decode()) for file in found]
    if not made.sink.has_errors:
        again = list(found)[1::3]
        assert [(file.path, file.data().decode()) for file in again] == first[1::3]
    return first


class KeptMaps(SourceMaps):
    """The maps of each file by itself, made once for all that is asked of them."""

    def __init__(self, elaboration: Elaboration, source: str, entry: str) -> None:
        super().__init__(elaboration, source, entry)
        self._kept: dict[str, MappedVariant | None] = {}

    def of(self, variant: Variant) -> MappedVariant | None:
        if variant.name not in self._kept:
            self._kept[variant.name] = super().of(variant)
        return self._kept[variant.name]


@contextmanager
def small(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Few cells are taken for many, so that all that is done for many is done here."""
    with patch.context() as inner:
        inner.setattr(cells, "BATCH", 5)
        yield
