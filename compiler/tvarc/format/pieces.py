"""What a file is laid out from: words, brackets and what stands in them, with their gaps."""

from __future__ import annotations

from tvarc.format.gaps import Gap
from tvarc.light import Final, Literal, dataclass

Bend = Literal["", "because", "branch", "logic", "body"]
"""Before what a line may end outside of all brackets; `branch` are `then` and `else`."""


@dataclass(frozen=True, slots=True)
class Word:
    """One token; `flat` is None for a text of several lines."""

    kind: str
    text: str
    flat: str | None


@dataclass(frozen=True, slots=True)
class Joint:
    """How a piece is joined to the one before: by `glue`, or by a new line where it may bend."""

    glue: str
    bend: Bend
    gap: Gap


@dataclass(frozen=True, slots=True)
class Element:
    """An item, an entry of a record, an element of a list: pieces in a row.

    `gap` is what stands before it. `column` is the index of the piece that is written under that
    of its neighbours if they are of the same `family`; -1 for none.
    """

    gap: Gap
    pieces: tuple[tuple[Joint, Piece], ...]
    flat: str | None
    family: str = ""
    column: int = -1


@dataclass(frozen=True, slots=True)
class Bracket:
    """A pair of brackets, or a whole file (`opener` is empty then).

    `broken`: its author began a new line in it, or wrote a comment. `commas`: whether they
    separate the elements, one after the last included. `hanging`: a call, whose arguments may
    go on below the first one.
    """

    opener: str
    closer: str
    elements: tuple[Element, ...]
    end: Gap  # what stands before the closer
    broken: bool
    commas: bool
    hanging: bool
    splits: bool  # whether breaking it is of use
    flat: str | None


Piece = Word | Bracket

BRACES: Final = ("{", "")
"""The openers of brackets between which a new line is as good as a comma."""
