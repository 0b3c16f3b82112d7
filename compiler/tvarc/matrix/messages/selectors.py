"""Messages on selectors, and on cells that a command line names."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

NO_MATRIX: Final = Message("E901", "there is no matrix", help="`matrix` declares one")

UNKNOWN_AXIS: Final = Message(
    "E901", "there is no axis `{name}`", notes=("axes: {axes}",), help=DID_YOU_MEAN
)

UNKNOWN_WORD: Final = Message(
    "E901",
    "`{word}` is not a value of an axis or a row of its table",
    notes=("axes: {axes}",),
    help=(DID_YOU_MEAN, "`tvarc facts` lists the values of the library"),
)

UNKNOWN_VALUE_OF_LIST: Final = Message(
    "E901", "axis `{axis}` has no value `{value}`", notes=("it has {values}",)
)

UNKNOWN_VALUE_OF_TABLE: Final = Message(
    "E901",
    "`{value}` is not a value of axis `{axis}`, and table `{table}` has no such row",
    label="declared here",
    notes=("axis `{axis}` has {values}",),
    help=(DID_YOU_MEAN, "`facts {table} += {{ … }}` adds a row: {row}"),
)

UNKNOWN_VALUE_OF_OWN_TABLE: Final = replace(
    UNKNOWN_VALUE_OF_TABLE, help=(DID_YOU_MEAN, "add a row: {row}")
)

_SELECTS_NOTHING: Final = Message("E901", "`{text}` selects no {noun}")

IS_EMPTY: Final = replace(_SELECTS_NOTHING, notes=("the selector is empty",))

LOOKS_LIKE_A_PATH: Final = replace(
    _SELECTS_NOTHING,
    notes=("it looks like a path, not like a selector",),
    help="name a program by its file, or by its folder with a `/` at its end: `{text}/`",
)

LOOKS_LIKE_A_PATTERN: Final = replace(
    _SELECTS_NOTHING,
    notes=("a selector has no `*` and no `?`: a value selects all that have it",),
    help=("write `{value}`", "{listed_by}"),
)

NOT_SIDE_BY_SIDE: Final = replace(
    _SELECTS_NOTHING,
    notes=("no name has these values side by side, in this order",),
    help=(
        "write `{pairs}`, or a whole name: {names}",
        "write the values between them, or a whole name: {names}",
    ),
)

NOT_TOGETHER: Final = replace(
    _SELECTS_NOTHING,
    notes=("each of these values exists, but no {noun} has them together",),
    help=("the nearest are {nearest}", "{listed_by}"),
)

DROPPED: Final = replace(
    _SELECTS_NOTHING,
    notes=("each of these values exists, but no {noun} has them together",),
    help=(
        "`tvarc why-not {text}` shows what drops it, and the change that builds it; the nearest "
        "are {nearest}",
        "`tvarc why-not {text}` shows what drops it, and the change that builds it",
    ),
)

MISSPELT: Final = replace(_SELECTS_NOTHING, help=DID_YOU_MEAN)

MEANS_NOTHING: Final = replace(
    _SELECTS_NOTHING,
    notes=("{part} is not a {noun}, a value of an axis ({axes}) or a `let`",),
    help=(DID_YOU_MEAN, "{listed_by}"),
)

NO_SUCH_AXIS: Final = replace(
    _SELECTS_NOTHING, notes=("there is no axis `{axis}`; axes: {axes}",), help=DID_YOU_MEAN
)

NO_SUCH_VALUE: Final = replace(
    _SELECTS_NOTHING,
    notes=("no {noun} has `{axis}` = `{value}`; its values: {values}",),
    help=DID_YOU_MEAN,
)

TRUE_FOR_NONE: Final = replace(_SELECTS_NOTHING, notes=("it is true for none of them",))

READS_OTHER_AXES: Final = replace(_SELECTS_NOTHING, notes=("no {noun} has the axes {axes}",))
