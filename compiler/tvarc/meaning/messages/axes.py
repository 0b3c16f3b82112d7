"""Messages on the declaration of axes and the values that a matrix picks."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

_WITHOUT_VALUES: Final = Message("E406", "axis `{name}` has no values")

TABLE_WITHOUT_ROWS: Final = replace(_WITHOUT_VALUES, label="no row fits this pick")

NO_VALUES_IN_ROWS: Final = replace(_WITHOUT_VALUES, label="the braces contain no row")

NO_TABLE: Final = Message(
    "E301",
    "{found} is not a facts table",
    label="expected a facts table",
    other="declared here",
    help="name a table; to pick values of an axis, write `axes = AXIS[…]` in a matrix",
)

UNKNOWN_TABLE: Final = Message(
    "E201",
    "there is no facts table `{name}`",
    label="unknown table",
    help=(
        DID_YOU_MEAN,
        "{advice}",
        "for an axis without a table, write a list: `[{name}, …]`",
    ),
    edit="{guess}",
)

UNKNOWN_TABLE_OF_MODULE: Final = Message(
    "E201",
    "`{module}` declares no table `{name}`",
    label="unknown table",
    help=DID_YOU_MEAN,
    edit="{guess}",
)

NO_TABLE_OR_LIST: Final = Message(
    "E301",
    "the values of an axis come from a table or a list",
    label="not a table",
    help="write `axis a = TABLE[v, w]` or `axis a = [12.8, 13.0]`",
)

SPREAD_IN_AXIS: Final = Message(
    "E209",
    "an axis needs its values one by one",
)

NO_AXIS_VALUE: Final = Message(
    "E301",
    "{kind} cannot be a value of an axis",
    help="use versions, strings, integers, booleans or names",
)

LISTED_TWICE: Final = Message(
    "E202",
    "{value} is listed twice",
    label="again here",
)

EMPTY_LIST: Final = replace(_WITHOUT_VALUES, label="the list is empty")

MIXED_TYPES: Final = Message(
    "E301",
    "axis `{name}` mixes values of several types",
    label="{types}",
    help="give all values of one axis the same type",
)

AXIS_IN_PICK: Final = Message(
    "E209",
    "the name of an axis is allowed only in the brackets of a need",
    label="not allowed here",
    help="pick values by name, or with `where …`",
)

PICKED_TWICE: Final = Message(
    "E202",
    "{value} is picked twice",
    label="again here",
)

UNKNOWN_VALUE: Final = Message(
    "E406",
    "{wanted} is not a value of this axis",
    label="unknown value",
    help=(DID_YOU_MEAN, "{having}", "write one of its values: {values}"),
    edit="{guess}",
)

RANGE_BACKWARDS: Final = Message(
    "E406",
    "the range ends before it begins",
    label="this range is empty",
    notes=("a range follows the order in which the values are declared",),
    help="swap the two ends",
)

WHERE_WITHOUT_FACTS: Final = Message(
    "E301",
    "`where` reads facts, but these values have none",
)

NOTHING_FITS: Final = Message(
    "E406",
    "no value fits this condition",
    label="correct it: this picks nothing",
)

NOT_OF_THIS_AXIS: Final = Message(
    "E406",
    "`{name}` is not a value of this axis",
    label="unknown value",
    notes=("the table has this row, but this axis does not",),
    help=(DID_YOU_MEAN, "write one of its values: {values}"),
)

UNKNOWN_ROW: Final = replace(
    NOT_OF_THIS_AXIS,
    notes=("for a row of your own, write `facts {table} += {{ {name} {{ FIELD = VALUE }} }}`",),
    help=(DID_YOU_MEAN, "{having}", "write one of its values: {values}"),
    edit="{guess}",
)
