"""Messages on selectors, and on cells that a command line names."""

from __future__ import annotations

from tvarc.light import Final
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

UNKNOWN_VALUE_OF_OWN_TABLE: Final = Message(
    "E901",
    "`{value}` is not a value of axis `{axis}`, and table `{table}` has no such row",
    label="declared here",
    notes=("axis `{axis}` has {values}",),
    help=(DID_YOU_MEAN, "add a row: {row}"),
)

IS_EMPTY: Final = Message("E901", "`{text}` selects no {noun}", notes=("the selector is empty",))

LOOKS_LIKE_A_PATH: Final = Message(
    "E901",
    "`{text}` selects no {noun}",
    notes=("it looks like a path, not like a selector",),
    help="name a program by its file, or by its folder with a `/` at its end: `{text}/`",
)

LOOKS_LIKE_A_PATTERN: Final = Message(
    "E901",
    "`{text}` selects no {noun}",
    notes=("a selector has no `*` and no `?`: a value selects all that have it",),
    help=("write `{value}`", "{listed_by}"),
)

NOT_SIDE_BY_SIDE: Final = Message(
    "E901",
    "`{text}` selects no {noun}",
    notes=("no name has these values side by side, in this order",),
    help=(
        "write `{pairs}`, or a whole name: {names}",
        "write the values between them, or a whole name: {names}",
    ),
)

NOT_TOGETHER: Final = Message(
    "E901",
    "`{text}` selects no {noun}",
    notes=("each of these values exists, but no {noun} has them together",),
    help=("the nearest are {nearest}", "{listed_by}"),
)

DROPPED: Final = Message(
    "E901",
    "`{text}` selects no {noun}",
    notes=("each of these values exists, but no {noun} has them together",),
    help=(
        "`tvarc why-not {text}` shows what drops it, and the change that builds it; the nearest "
        "are {nearest}",
        "`tvarc why-not {text}` shows what drops it, and the change that builds it",
    ),
)

MISSPELT: Final = Message("E901", "`{text}` selects no {noun}", help=DID_YOU_MEAN)

MEANS_NOTHING: Final = Message(
    "E901",
    "`{text}` selects no {noun}",
    notes=("{part} is not a {noun}, a value of an axis ({axes}) or a `let`",),
    help=(DID_YOU_MEAN, "{listed_by}"),
)

NO_SUCH_AXIS: Final = Message(
    "E901",
    "`{text}` selects no {noun}",
    notes=("there is no axis `{axis}`; axes: {axes}",),
    help=DID_YOU_MEAN,
)

NO_SUCH_VALUE: Final = Message(
    "E901",
    "`{text}` selects no {noun}",
    notes=("no {noun} has `{axis}` = `{value}`; its values: {values}",),
    help=DID_YOU_MEAN,
)

TRUE_FOR_NONE: Final = Message(
    "E901", "`{text}` selects no {noun}", notes=("it is true for none of them",)
)

READS_OTHER_AXES: Final = Message(
    "E901", "`{text}` selects no {noun}", notes=("no {noun} has the axes {axes}",)
)
