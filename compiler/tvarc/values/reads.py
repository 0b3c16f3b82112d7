"""The inputs of one decision: the reads of its condition, the facts that it read, its rank.

They are computed on request, and never kept beside a recipe.
"""

from __future__ import annotations

from tvarc.light import Literal, dataclass
from tvarc.text.source import Span
from tvarc.values.value import Value


@dataclass(frozen=True, slots=True)
class FactRead:
    """A fact of a row. `sources` and `mark` are the row's, empty where its table has none.

    Those of a fact that corrects another are empty: what the row says of its sources is said of the
    other, which is `shadowed`.
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
    """A `let` or an input, or a name that each variant has: its own, that of its recipe and of its
    matrix.
    """

    KEYS = (("span", ""),)

    kind: NameKind
    name: str
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Reads:
    """The facts that a value was made of, the settings of the variant that it read, and the names
    by which it came to these. A result has no key for a kind of which there is none."""

    KEYS = (("facts", "reads"),)
    OPTIONAL = ("facts", "settings", "names")

    facts: tuple[FactRead, ...] = ()
    settings: tuple[str, ...] = ()
    """Their paths."""
    names: tuple[NameRead, ...] = ()


@dataclass(frozen=True, slots=True)
class ElementStep:
    """The step from a list to the element *value* of it, of equal ones the *nth*, from 0."""

    value: Value
    nth: int


Steps = tuple[str | ElementStep, ...]
"""The way into a value that was written in one go: keys of records, and elements of lists."""


@dataclass(frozen=True, slots=True)
class Held:
    """A condition that holds, and its operands, each as it is written and with its value."""

    span: Span
    operands: tuple[tuple[str, Value], ...]
    reads: Reads
