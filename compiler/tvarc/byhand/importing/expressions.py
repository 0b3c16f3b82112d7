"""What decides a text, as an expression: a constant, a fact, a choice, or an entry of a record."""

from __future__ import annotations

from tvarc.light import dataclass


@dataclass(frozen=True, slots=True)
class Constant:
    """A text, the same everywhere."""

    text: str


@dataclass(frozen=True, slots=True)
class Fact:
    """An expression about one axis."""

    code: str


@dataclass(frozen=True, slots=True)
class Choice:
    """`if condition then yes else no`."""

    condition: str
    yes: Code
    no: Code


@dataclass(frozen=True, slots=True)
class Lookup:
    """An entry of a record that the values of *axes* choose; a *label* tells it from those for
    other cells."""

    axes: tuple[str, ...]
    entries: tuple[tuple[str, str], ...]
    label: str = ""


Code = Constant | Fact | Choice | Lookup
