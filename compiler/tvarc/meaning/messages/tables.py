"""Messages on tables of facts."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

OTHER_TYPE_THAN_ABOVE: Final = Message(
    "E301",
    "`{key}` is of type {kind} in the rows above",
    label="this is {found}",
)

ROW_LACKS_FIELDS: Final = Message(
    "E208",
    "row `{row}` has no value for `{missing}`",
    label="facts missing",
    help=(
        "write what `{library}` of the standard library needs of each row",
        "write the fact, or make the field optional: declare it with `?`",
    ),
)

FIELD_OF_ONE_ROW: Final = Message(
    "E208",
    "row `{row}` has the field `{name}`, which the other {rest} rows lack",
    label="only here",
    help=(DID_YOU_MEAN, "remove it, or write it in each row, as `null` if there is no value"),
)

NO_VALUES_FOR_COLUMN: Final = Message(
    "E208",
    "rows of `{table}` have no value for the column `{column}`",
    label="the column is added here",
    notes=("rows without it: {rows}",),
    help="write the facts, or make the column optional: declare it as `{column}: {kind}?`",
)

FIELD_TWICE: Final = Message(
    "E202",
    "field `{name}` is declared twice",
    label="again here",
    other="first here",
)

UNKNOWN_TYPE: Final = Message(
    "E201",
    "there is no type `{written}`",
    label="unknown type",
    notes=("types: {known}, `[T]`, `T?`, `one_of(…)`",),
    help=DID_YOU_MEAN,
    edit="{guess}",
)

ROW_TWICE: Final = replace(
    FIELD_TWICE, title="row `{row}` is written twice", help="remove one, or give it another name"
)

NO_FACT: Final = Message(
    "E209",
    "a row can only contain facts",
    label="not allowed here",
    help="write `field = value`",
)

FACT_TWICE: Final = replace(FIELD_TWICE, title="`{name}` is written twice in one row")

FACT_OF_NIX: Final = Message(
    "E302",
    "a fact cannot be a value that only Nix knows",
    label="known only when Nix runs",
    help="{advice}",
)

UNKNOWN_FIELD_CORRECTED: Final = Message(
    "E207",
    "the table has no field `{name}`",
    label="unknown field",
    notes=("its fields: {fields}",),
    help=(
        DID_YOU_MEAN,
        "declare the column where you add it: `{declared}`",
    ),
)

AXIS_ROW_LACKS_FIELDS: Final = replace(
    ROW_LACKS_FIELDS,
    notes=("other rows of this axis have one",),
    help="write the fact, or `null` if there is no value",
)

NOT_ONE_OF: Final = Message(
    "E301",
    "`{name}` must be one of {listed}",
    label="this is {value}",
    help=DID_YOU_MEAN,
)

WRONG_TYPE: Final = Message(
    "E301",
    "`{name}` must be {kind}",
    label="{label}",
    help="{advice}",
)

FACT_THERE_ALREADY: Final = Message(
    "E202",
    "`{row}` already has a fact `{name}`",
    label="again here",
    other="first here",
    help="to correct it: `facts {table} override {{ {row} {{ {name} = … }} }}`",
)

UNKNOWN_ROW: Final = Message(
    "E201",
    "`{table}` has no row `{key}`",
    label="unknown row",
    help=(
        DID_YOU_MEAN,
        "to add a new row, write `facts {table} += {{ … }}`",
    ),
    edit="{guess}",
)

CORRECTED_TWICE: Final = Message(
    "E202",
    "two corrections of `{table}.{key}.{name}` disagree",
    label="this says {value}",
    other="this says {before}",
    help="keep the correct one",
)

FIELD_THERE_ALREADY: Final = Message(
    "E202",
    "`{table}` already has a field `{name}`",
    label="declared again here",
    other="first here",
    help="declare the column once; every file that `use`s that module can give facts for it",
)

ENFORCES_NO_FIELD: Final = Message(
    "E207",
    "`{enforced}` names `{name}`, but the table has no such field",
    label="this has no effect",
    help=DID_YOU_MEAN,
)

UNKNOWN_FIELD: Final = replace(
    UNKNOWN_FIELD_CORRECTED,
    help=(DID_YOU_MEAN, "remove it, or write one of these fields"),
    edit="{guess}",
)

FACT_READS_AXIS: Final = Message(
    "E304",
    "a fact cannot read axis `{axis}`",
    label="differs from variant to variant",
)

FACT_READS_SETTING: Final = Message(
    "E302",
    "a fact cannot read a setting",
    label="settings are decided later",
)

FACT_READS_NEED: Final = Message(
    "E302",
    "a fact cannot read a need",
    label="needs are decided later",
)

NOTHING_TO_CORRECT: Final = Message(
    "E201",
    "there is no facts table `{name}` to correct",
    label="unknown table",
    help=(DID_YOU_MEAN, "{advice}"),
    edit="{guess}",
)

NOTHING_TO_EXTEND: Final = replace(
    NOTHING_TO_CORRECT, title="there is no facts table `{name}` to extend"
)

CORRECTS_NO_ROW: Final = Message(
    "E607",
    "this corrects no row of `{table}`",
    label="this changes nothing",
    help="remove the correction",
)

CORRECTS_NO_FACT: Final = Message(
    "E607",
    "this corrects no fact of `{row}`",
    label="this changes nothing",
    help="remove the correction",
)

SAME_VALUE: Final = Message(
    "E607",
    "`{row}` already has this value of `{name}`",
    label="this changes nothing",
    other="the same value",
    help="remove the correction",
)
