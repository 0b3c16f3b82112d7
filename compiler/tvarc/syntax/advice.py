"""A message on a fault of syntax, as data."""

from __future__ import annotations

from tvarc.light import dataclass

Replaced = tuple[tuple[int, int, str], ...]
"""Edits of the source: each has two offsets, and the text that is written between them."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A message on a fault; `start` and `end` are offsets of its primary place. `edits` do what the
    help says, if nobody has to choose anything."""

    title: str
    start: int
    end: int
    label: str = ""
    help: str = ""
    notes: tuple[str, ...] = ()
    code: str = "E101"
    others: tuple[tuple[int, int, str], ...] = ()
    resume: int | None = None  # from where to look for the next declaration, if not from start
    edits: Replaced = ()
