"""Messages on matrices and variants."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

NO_FLAG_OF_RECIPE: Final = Message(
    "E201",
    "recipe `{recipe}` has no flag `{name}`",
    label="the recipe of this matrix",
    other="matrix `{layer}` uses it",
    help="make `{recipe}` extend `{base}`, or declare the flag there",
)

AXIS_OF_OTHER_TABLE: Final = Message(
    "E301",
    "the values of axis `{name}` are not from table `{table}`",
    label="has {kind}",
    help="write `axis {name} = {table}[…]`, or give your axis another name",
)

NO_RECIPE_NAMED: Final = Message(
    "E208",
    "`{name}` names no recipe",
    label="`recipe` missing",
    help="write `recipe = NAME`, the recipe of its variants",
)

FIELD_IN_WHEN: Final = Message(
    "E209",
    "`{name}` cannot depend on a condition",
    label="in a `when`",
    notes=("it decides which cells there are, before any condition is evaluated",),
    help="write it outside of the `when`",
)

NO_RECIPE: Final = Message(
    "E301",
    "this is not a recipe",
    label="expected the name of a recipe, without quotes",
    help="write `recipe = NAME`: a matrix has one recipe",
)

NO_AXES: Final = Message(
    "E208",
    "matrix `{name}` has no axes",
    label="`axes` missing",
    help="write `axes = gpu * isa`; for a single build without axes, write a `variant`",
)

AXIS_TWICE: Final = Message(
    "E202",
    "axis `{axis}` is used twice",
    label="again here",
    other="first here",
)

NOTHING_PICKED: Final = Message(
    "E406",
    "no value of axis `{axis}` is picked",
    label="this picks nothing",
)

NO_AXIS_NAME: Final = Message(
    "E301",
    "this is not the name of an axis",
    label="not an axis",
    help="write names of axes: `axes = gpu * isa`",
)

UNKNOWN_AXIS: Final = Message(
    "E201",
    "there is no axis `{name}`",
    label="unknown axis",
    help=(
        DID_YOU_MEAN,
        "declare it: `axis {name} = …`",
    ),
    edit="{guess}",
)

NAME_IS_NO_STRING: Final = Message(
    "E301",
    "a name must be a string",
    label="this is {kind}",
    help='write one string, with values in braces: `name = "hello-{{{{gpu}}}}-{{{{isa}}}}"`',
)

NO_NAME: Final = Message(
    "E208",
    "matrix `{name}` has no `name` for its variants",
    label="`name` missing",
    help='write a name with each axis: `name = "{example}"`',
)

TABLE_AS_AXIS: Final = Message(
    "E301",
    "{found} is not an axis",
    label="not an axis",
    other="declared here",
    help="declare an axis with values from the table: `axis NAME = {name}[…]`",
)

MODULE_AS_AXIS: Final = replace(TABLE_AS_AXIS, help="name one of its axes: `{name}.NAME`")

NO_AXIS: Final = replace(TABLE_AS_AXIS, help="declare one: `axis NAME = [{name}, …]`")

NO_CELL: Final = Message(
    "E305",
    "this has {count} factors, and the matrix other axes",
    label="not a cell",
    notes=("axes = {axes}",),
    help="write a value, or a list of values, for each axis in their order; or a condition",
)
