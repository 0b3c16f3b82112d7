"""Messages on needs that do not name exactly one variant."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

AXIS_NOT_STATED: Final = Message(
    "E410",
    "this need does not say which `{axis}` of `{link}`",
    label="`{matrix}` has no axis `{axis}`",
    other="the cells of this matrix need it",
    notes=(
        "a need takes the value of an axis from the cell only if the cell has an axis of that name",
    ),
    help="add it in brackets: `{link}[{axis} where …]` or `{link}[{axis} = …]`",
)

OTHER_VALUES: Final = replace(AXIS_NOT_STATED, label="axis `{axis}` of `{matrix}` has other values")

SEVERAL_VALUES: Final = Message(
    "E409",
    "several values of axis `{axis}` match, but a need is one variant",
    label="{values} match",
    notes=("where {cell}",),
    help="make the condition stricter, or write the value: `{axis} = …`",
)

MORE_VALUES: Final = replace(SEVERAL_VALUES, label="{values} match …")

SEVERAL_MATRICES: Final = Message(
    "E409",
    "several matrices that extend `{link}` have this cell",
    label="the need can be any of them",
    other="has this cell",
    notes=("where {cell}",),
    help="write the name of one of these matrices",
)
