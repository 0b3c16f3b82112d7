"""Messages on the axes of a matrix that an expression reads."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

NO_AXIS: Final = Message(
    "E304",
    "{kind} `{matrix}` has no axis `{axis}`",
    label="read here",
    other="has {has}",
    help=("add the axis (`{axes}`), or {instead}", "add the axis (`{axes}`)"),
)

NO_AXES: Final = Message(
    "E304",
    "{kind} `{matrix}` has no axis `{axis}`",
    label="read here",
    other="has no axes",
    help=("add the axis (`{axes}`), or {instead}", "add the axis (`{axes}`)"),
)

OTHER_TABLE: Final = Message(
    "E301",
    "the values of axis `{axis}` of `{matrix}` are not from `{table}`",
    label="needs a value of table `{table}`",
    other="has {kind}",
    help="write `axis {axis} = {table}[…]`, or give your axis another name",
)
