"""Messages on needs."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

NOT_A_MATRIX: Final = Message(
    "E209",
    "`{word}` needs a matrix",
    label="this is not a matrix",
    help="remove these words: other needs are written into the recipe itself",
)

NO_MATRIX_NAMED: Final = replace(NOT_A_MATRIX, label="no matrix is named here")

NOT_BUILT: Final = Message(
    "E304",
    "matrix `{link}` is not built",
    label="needed here",
    notes=("one of its axes has no values, and no matrix extends it",),
    help="name a matrix that extends it",
)

NO_AXIS_IN_BRACKETS: Final = Message(
    "E209",
    "the brackets of a need must name an axis",
    label="this names no axis",
    help="write `AXIS where …` or `AXIS = VALUE`",
)

AXIS_TWICE: Final = Message(
    "E202",
    "axis `{name}` is given twice",
    label="again here",
    other="first here",
)

_NO_AXIS: Final = Message("E201", "matrix `{link}` has no axis `{name}`", label="unknown axis")

UNKNOWN_AXIS: Final = replace(
    _NO_AXIS, notes=("its axes: {axes}",), help=DID_YOU_MEAN, edit="{guess}"
)

NO_AXES: Final = replace(_NO_AXIS, notes=("it has no axes",))

WHERE_WITHOUT_FACTS: Final = Message(
    "E301",
    "`where` reads facts, but the values of this axis have none",
    label="axis `{axis}`",
    help="write the value: `{axis} = …`",
)

TOO_MANY_RECIPES: Final = Message(
    "E308",
    "`{recipe}` needs too many recipes",
    label="{count:,}, over the limit of {most:,}",
    notes=("each needed recipe becomes part of the recipe that needs it, with its own needs",),
    help=(
        "declare a `matrix` for a recipe that many need, and name it in `needs`: each variant of a "
        "matrix has its own file"
    ),
)

NEEDS_ITSELF_THROUGH_OTHERS: Final = Message(
    "E205",
    "`{name}` needs itself, through others",
    label="this closes the cycle",
    notes=("{ring}",),
    help="remove one of these needs; for a chain of builds, write one matrix for each build",
)

NEEDS_ITSELF: Final = replace(NEEDS_ITSELF_THROUGH_OTHERS, title="`{name}` needs itself")

NO_MATRIX_OR_RECIPE: Final = Message(
    "E201",
    "there is no matrix or recipe `{name}`",
    label="unknown matrix or recipe",
    help=(
        DID_YOU_MEAN,
        "for a package of nixpkgs, write `pkgs.NAME`; for a matrix, `use` the file that declares "
        "it",
    ),
    edit="{guess}",
)
