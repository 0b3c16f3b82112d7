"""The generators by name; a case is known by its generator, a seed and a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from fuzz.cases import Case
from fuzz.names import renamed
from fuzz.octets import mutated
from fuzz.swaps import swapped
from fuzz.typed import typed

GENERATORS: Final[Mapping[str, Callable[[Random], Case]]] = {
    "swaps": swapped,
    "typed": typed,
    "names": renamed,
    "bytes": mutated,
}


def case_of(name: str, seed: int, number: int) -> Case:
    """The case *number* of a generator: the same ever after, as long as generator and programs are
    the same."""
    return GENERATORS[name](Random(f"{name} {seed} {number}"))
