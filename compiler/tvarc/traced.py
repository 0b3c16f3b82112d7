"""What one decision was made of: what its condition asked, the facts that it read, its rank.

It is found out for what is asked about, never kept beside a recipe.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.light import Iterator, Literal, Protocol, dataclass
from tvarc.source import Span
from tvarc.values import MISSING, Missing, Value


@dataclass(frozen=True, slots=True)
class FactRead:
    """A fact of a row. `sources` and `mark` are the row's, empty where its table has none.

    Those of a fact that corrects another are empty: what the row says of its sources is said of the
    other, which is `shadowed`.
    """

    table: str
    row: str
    field: str
    value: Value
    span: Span
    sources: tuple[str, ...] = ()
    mark: str = ""
    shadowed: FactRead | None = None
    because: str = ""


@dataclass(frozen=True, slots=True)
class NameRead:
    """A `let`, or what each variant has: its own name, that of its recipe and of its matrix."""

    kind: Literal["let", "variant", "recipe", "matrix"]
    name: str
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Reads:
    """The facts that a value was made of, the settings of the variant that it read, and the names
    by which it came to these."""

    facts: tuple[FactRead, ...] = ()
    settings: tuple[str, ...] = ()
    names: tuple[NameRead, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """A condition that holds, and what it asked about, each as it is written and its value."""

    span: Span
    operands: tuple[tuple[str, Value], ...]
    reads: Reads


class Why(Protocol):
    """Answers for one variant; what is unknown has an empty answer."""

    def conditions(self, origin: ir.Origin) -> tuple[Held, ...]:
        """The conditions that let in what was written at *origin*."""

    def reads(
        self,
        origin: ir.Origin,
        value: Value | Missing = MISSING,
        line: int | None = None,
        path: ir.Path = (),
    ) -> Reads:
        """What the value written at *origin* read: all of it, the element *value* of it, or its
        line number *line* (from 0); of a record only what stands at *path*."""

    def rank(self, winner: ir.Origin, loser: ir.Origin) -> str:
        """How the one stands over the other: `recipe b's \\`=\\` over recipe a's \\`=\\``."""

    def line(self, origin: ir.Origin, number: int, path: ir.Path = ()) -> Span:
        """Where line *number* (from 0) of a text written at *origin* stands; of a record the text
        at *path*."""

    def element(self, origin: ir.Origin, value: Value) -> Span:
        """Where the element *value* of a list written at *origin* stands."""

    def added_nothing(self, path: ir.Path) -> Iterator[ir.Origin]:
        """The `+=` to the list at *path* that apply and have no element."""
