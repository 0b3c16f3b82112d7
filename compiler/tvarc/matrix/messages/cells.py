"""Messages on the cells of a matrix: their number, and the names that they lack."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

READS_SETTING: Final = Message(
    "E302",
    "`{name}` cannot be read here",
    label="not known yet when cells are named and dropped",
    help="use axes and `let`s here; only `require` can read settings",
)

READS_NEED: Final = replace(
    READS_SETTING, help="use axes and `let`s here; only `require` can read needs"
)

VARIANT_OF_MANY_CELLS: Final = Message(
    "E404",
    "variant `{matrix}` has {cells} cells",
    label="a variant must be one cell",
    help="pick one value of each axis, or write a `matrix`",
)

TOO_MANY_CELLS: Final = Message(
    "E404",
    "matrix `{matrix}` has {cells:,} cells",
    label="over its limit of {limit:,}",
    notes=("{factors}",),
    help="pick fewer values, or write a higher `limit = …` in the matrix",
)

TOO_MANY_CELLS_TOGETHER: Final = Message(
    "E413",
    "the program has too many cells",
    label="with these {cells:,} cells, there are more than {limit:,}",
    help="pick fewer values, or split the program: the limit is for each program",
)

_EMPTY: Final = Message(
    "E401", "matrix `{matrix}` is empty", help="narrow an exclusion, or remove the matrix"
)

ALL_EXCLUDED: Final = replace(_EMPTY, label="all {cells} cells are excluded")

ONLY_CELL_EXCLUDED: Final = replace(_EMPTY, label="its only cell is excluded")

TOO_MANY_REASONS_TO_LIST: Final = Message(
    "E308",
    "`{name}` has too many dropped cells to list all reasons",
    label="over {most} evaluations in total for all cells",
    help="an exclusion counts more the more operands it has, for each cell that it drops; "
    "`tvarc why-not` shows the reasons for one cell",
)

TOO_MANY_REASONS: Final = replace(
    TOO_MANY_REASONS_TO_LIST, help="ask about fewer cells: with a value for each axis, there is one"
)

NO_AXIS: Final = Message(
    "E304",
    "{kind} `{matrix}` has no axis `{axis}`",
    label="read here",
    other="has {has}",
    help=("{instead}, or add the axis (`{axes}`)", "add the axis (`{axes}`)"),
)

OTHER_TABLE: Final = Message(
    "E301",
    "the values of axis `{axis}` of `{matrix}` are not from `{table}`",
    label="needs a value of table `{table}`",
    other="has {kind}",
    help="write `axis {axis} = {table}[…]`, or give your axis another name",
)
