"""The files of a program: each of them alone, or all of them together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from support.alone import emit, one_by_one
from tvarc.build.driver import Compilation
from tvarc.matrix import cells
from tvarc.matrix.variants import Variant


def plain(made: Compilation, variants: Sequence[Variant] | None = None) -> list[tuple[str, str]]:
    """Path and text of each file, which shares nothing with another."""
    recipes = [[recipe] for recipe in one_by_one(made, variants)]
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


@contextmanager
def small(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Few cells are taken for many, so that all that is done for many is done here."""
    with patch.context() as inner:
        inner.setattr(cells, "BATCH", 5)
        yield
