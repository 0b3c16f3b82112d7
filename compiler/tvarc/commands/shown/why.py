"""Answers to the questions of reports on one decided variant: why its values are as they are."""

from __future__ import annotations

from tvarc.light import Iterator, Protocol
from tvarc.nix import ir
from tvarc.text.source import Span
from tvarc.values.reads import Held, Reads, Steps
from tvarc.values.value import MISSING, Missing, Value


class Why(Protocol):
    """Answers for one variant; an unknown one is empty."""

    def conditions(self, origin: ir.Origin) -> tuple[Held, ...]:
        """The conditions of the code written at *origin*."""

    def reads(
        self,
        origin: ir.Origin,
        value: Value | Missing = MISSING,
        line: int | None = None,
        path: ir.Path = (),
        nth: int = 0,
    ) -> Reads:
        """The values that the value written at *origin* read: all of it, the element *value* of it
        (the *nth* of equal ones, from 0), or its line number *line* (from 0); of a record only the
        value at *path*."""

    def rank(self, winner: ir.Origin, loser: ir.Origin) -> str:
        """How the ranks compare: `recipe b's \\`=\\` over recipe a's \\`=\\``."""

    def line(self, origin: ir.Origin, number: int, path: ir.Path = ()) -> Span:
        """The place of line *number* (from 0) of a text written at *origin*; of a record the text
        at *path*."""

    def place(self, origin: ir.Origin, path: ir.Path, steps: Steps) -> Span:
        """The place of a piece of the value that was written at *origin*: of a record the value at
        *path*, and within that the piece at *steps*."""

    def added_nothing(self, path: ir.Path) -> Iterator[ir.Origin]:
        """The `+=` to the list at *path* that apply and have no element."""
