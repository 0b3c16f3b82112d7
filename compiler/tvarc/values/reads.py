"""What one decision read: the operands of its conditions, its facts, and the names on the way to
them.

Reads are computed on request, and are not kept with a recipe.
"""

from __future__ import annotations

from tvarc.light import Literal, dataclass
from tvarc.text.source import Span
from tvarc.values.value import Value


@dataclass(frozen=True, slots=True)
class FactRead:
    """A fact of a row. `sources` and `mark` are those of the row; empty if its table has none.

    If the fact corrects another one, they are empty: they belong to the other one, which is
    `shadowed`.
    """

    SHOWN = ("table", "row", "field", "value", "sources", "mark", "span", "because", "shadowed")
    KEYS = (("span", ""),)
    NULLS = ("mark",)
    OPTIONAL = ("because", "shadowed")

    table: str
    row: str
    field: str
    value: Value
    span: Span
    sources: tuple[str, ...] = ()
    mark: str = ""
    shadowed: FactRead | None = None
    because: str = ""


NameKind = Literal["let", "input", "variant", "recipe", "matrix"]


@dataclass(frozen=True, slots=True)
class NameRead:
    """A `let` or an input, or a name that each variant has: its own, that of its recipe, or that of
    its matrix."""

    KEYS = (("span", ""),)

    kind: NameKind
    name: str
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Reads:
    """The facts that a value comes from, the settings of the variant that it read, and the names
    through which it read them. If there are none of a kind, the result has no key for it."""

    KEYS = (("facts", "reads"),)
    OPTIONAL = ("facts", "settings", "names")

    facts: tuple[FactRead, ...] = ()
    settings: tuple[str, ...] = ()
    """Their paths."""
    names: tuple[NameRead, ...] = ()


@dataclass(frozen=True, slots=True)
class ElementStep:
    """The step from a list to the *nth* element, from 0, among those that equal *value*."""

    value: Value
    nth: int


Steps = tuple[str | ElementStep, ...]
"""The steps into a value that was written as a whole: keys of records, and elements of lists."""


@dataclass(frozen=True, slots=True)
class Held:
    """A condition that holds, with its operands. Each operand has its text and its value."""

    span: Span
    operands: tuple[tuple[str, Value], ...]
    reads: Reads
