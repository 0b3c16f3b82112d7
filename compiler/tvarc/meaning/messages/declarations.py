"""Messages on declarations of a module: names, circles, warnings."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

COMPUTED_REASON: Final = Message(
    "E209",
    "a reason must be a string without `{{{{…}}}}`",
    label="not allowed here",
    help="write the words; for the characters `{{{{`, write `\\{{{{`",
)

LET_CIRCLE: Final = Message(
    "E205",
    "`{name}` depends on itself",
    label="depends on its own value",
    notes=("{ring}",),
    help="give one of them a value that does not depend on the others",
)

UNKNOWN_WARNING: Final = Message(
    "E201",
    "there is no warning `{name}`",
    label="unknown warning",
    help=DID_YOU_MEAN,
    edit="{guess}",
)

DECLARED_IN_MODULE_TOO: Final = Message(
    "E202",
    "`{name}` is declared twice",
    label="again here",
    other="imported from here",
    help="give it another name, or import the module with `use … as NAME`",
)

DECLARED_TWICE: Final = replace(
    DECLARED_IN_MODULE_TOO,
    other="first here",
    notes=("{kinds} share one name space, that of the file",),
    help=(
        "give one of them another name, such as `use … as {module}_module`",
        "give one of them another name",
    ),
)

NOT_AT_TOP: Final = Message(
    "E209",
    "{item} is not allowed at top level",
    label="not allowed here",
    help=(
        "to name values, write `let {values} = …`; a setting belongs in a recipe",
        "write it in a recipe",
    ),
)

NAMELESS: Final = replace(NOT_AT_TOP, help="write `{word} NAME {{ … }}`")

SET_LIKE_A_VALUE: Final = replace(NOT_AT_TOP, help="write `{word} CONDITION`, without `=`")

INPUT_TWICE: Final = replace(
    DECLARED_IN_MODULE_TOO,
    other="first here",
    notes=(
        "each input becomes an argument of the recipes that use it, so its name must be unique",
    ),
    help="give one of them another name, or make one module `use` the other",
)

OFF_WITHOUT_REASON: Final = Message(
    "E208",
    "`warn … = off` needs a reason",
    label="no `because`",
    help='write `warn {name} = off because "…"`',
)

WRITTEN_TWICE: Final = Message(
    "E202",
    "`{name}` is written twice",
    label="again here",
    other="first here",
)

PLAIN_ONLY: Final = Message(
    "E209",
    "`{name}` needs a plain `=`",
    label="write `=`",
)

BAD_LIMIT: Final = Message(
    "E301",
    "`limit` must be a positive integer",
    label="not a positive integer",
)

IN_TOP_WHEN: Final = Message(
    "E209",
    "{item} is not allowed in a top-level `when`",
    label="not allowed here",
    help="only `exclude`, `require` and `warn` are; write settings in a recipe",
)

_NO_VALUES_HERE: Final = Message(
    "E304", "axis `{name}` has no values in this file", label="declared without values"
)

NO_VALUES: Final = replace(_NO_VALUES_HERE, help="give it values here: `axis {name} = {table}[…]`")

VALUES_IN_MODULE: Final = replace(
    _NO_VALUES_HERE,
    notes=("values from another file count only if this file imports them with `use`",),
    help=(
        "write the axis that has values: `{module}.{name}`",
        "give it values here: `axis {name} = {table}[…]`",
    ),
)

VALUES_ELSEWHERE: Final = replace(
    _NO_VALUES_HERE,
    notes=("values from another file count only if this file imports them with `use`",),
    help="give it values here: `axis {name} = {table}[…]`, or `use` the module that gives them",
)
