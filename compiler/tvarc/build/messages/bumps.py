"""Messages on `tvarc bump`: values that cannot be changed."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

FOLDER_HAS_NO_COMMIT: Final = Message(
    "E946",
    "{what} is a folder, not a commit",
    label="the build uses the files that are there",
    help="check out the commit in that folder, write another folder here, or use a `github` or a "
    "`url`",
)

NO_COMMIT: Final = Message(
    "E702",
    "`{rev}` is not a commit",
    notes=("{why}",),
    help="{advice}",
)

SEVERAL_AXES: Final = Message(
    "E946",
    "several files declare an axis `{axis}`",
    notes=("the program has: {known}",),
    help=DID_YOU_MEAN,
)

NO_AXIS: Final = replace(SEVERAL_AXES, title="no file of the program declares an axis `{axis}`")

VALUE_THERE_ALREADY: Final = Message(
    "E946",
    "axis `{axis}` has the value `{new}` already",
    label="here",
)

_NOT_LISTED: Final = Message(
    "E946", "axis `{axis}` does not list the value `{old}`", help=DID_YOU_MEAN
)

NO_SUCH_VALUE: Final = replace(
    _NOT_LISTED, label="it has other values", notes=("it has: {values}",)
)

VALUES_ELSEWHERE: Final = replace(_NOT_LISTED, label="its values are listed elsewhere")

FIELD_NOT_SET: Final = Message(
    "E946",
    "row `{row}` of `{table}` does not set `{field}`",
    label="this row",
    notes=("it sets: {facts}",),
    help=DID_YOU_MEAN,
)

BAD_VALUE: Final = Message(
    "E946",
    "`{value}` cannot be the new value of {what}",
    label="this is {kind}",
    help="give {wanted}",
)

AXIS_AS_VALUE: Final = Message(
    "E946",
    "`{name}` is an axis, not one value",
    label="each of its values has variants",
    help="`tvarc bump axis {name} OLD NEW` replaces one of its values",
)

AXIS_AS_LET: Final = Message(
    "E946",
    "`{name}` is not a `let` of the program: its versions are the values of an axis",
    label="{label}",
    help=(
        "replace the row of the old version with `tvarc bump axis NAME OLD NEW`, or add the row of "
        "the new version"
    ),
)

ATTRIBUTE_AS_LET: Final = Message(
    "E946",
    "`{name}` is not a `let` of the program, but an attribute",
    many="`{name}` is not a `let` of the program, but an attribute in {count} places",
    label="it is written here",
    other="and here",
    help=(
        "name one of them, such as `tvarc bump {path} VALUE`",
        "change it by hand, or declare `let {name} = VALUE` and read that here",
    ),
)

OTHER_FORM: Final = Message(
    "E946",
    "`{value}` has another form than `{old}`, the old value of {what}",
    label="this is `{old}`",
    help="did you mean `{meant}`? To write `{value}` as it is, give it in quotes: '{exact}'",
)

SEVERAL_DECLARATIONS: Final = Message(
    "E946",
    "several files declare {kind} `{name}`",
    label="which one?",
    help="change the right one by hand",
)

SEVERAL_COMMITS: Final = Message(
    "E946",
    "the `url` of {kind} `{name}` does not name one commit",
    label="several commits",
    help="write the new address and `hash = unlocked`",
)

NO_COMMIT_IN_URL: Final = replace(SEVERAL_COMMITS, label="no commit")

LOSES_COMMENTS: Final = Message(
    "E946",
    "the comments in this list would be lost",
    label="nothing was written",
    help="change the list by hand, or move the comments above it",
)

DOES_NOT_COMPILE: Final = Message(
    "E946",
    "the program does not compile with {what} = {value}",
    notes=("nothing was written",),
    help="change the places of the other errors as well",
)

HASH_OF_SEVERAL: Final = Message(
    "E946",
    "{source} would have the hash of another source",
    label="other sources use this hash, too",
    help="write `hash = unlocked` in its place first, and run `tvarc lock`",
)

HASH_OF_OTHER: Final = replace(HASH_OF_SEVERAL, label="the hash is not written here")

SEVERAL_VALUES: Final = Message(
    "E946",
    "{what} has several values, which the variants differ in",
    label="this one?",
    help=(
        "name one of them, such as `tvarc bump {name} VALUE`, or its variants: `--only SELECTOR`",
        "name its variants: `--only SELECTOR`",
    ),
)

SHARED_VALUE: Final = Message(
    "E946",
    "other variants have this value of {what}, too",
    label="this value",
    notes=("it is also the value of {names}",),
    help="select these as well, or write a value of their own for the variants that you mean",
)

NO_FACT: Final = Message(
    "E946",
    "no file of the program has a fact `{name}`",
    notes=("rows of `{table}` here: {rows}",),
    help=(
        "name the row, too: {paths}",
        DID_YOU_MEAN,
        "write a fact as `TABLE.ROW.FIELD`, and a key of a `let` as `LET.KEY`",
    ),
)

NO_LET: Final = Message(
    "E946",
    "no file of the program declares {kind} `{name}`",
    notes=("the program has: {known}",),
    help=(
        DID_YOU_MEAN,
        "name a `let` at the top level; `tvarc bump pin NAME REV` changes a pin, `tvarc bump input "
        "NAME REV` an input",
    ),
)

NO_DECLARATION: Final = replace(
    NO_LET, help=(DID_YOU_MEAN, "`tvarc bump NAME VALUE` changes a top-level `let`")
)

NO_PLAIN_VALUE: Final = Message(
    "E946",
    "{what} is not a plain value",
    label="this is computed or declared elsewhere",
    help="change the place that it comes from, or write {here}",
)

TEXT_OF_PARTS: Final = replace(
    NO_PLAIN_VALUE,
    label="this string reads other values",
    other="it reads this",
    help=(
        "edit {fixed} here, or change what it reads: `tvarc bump {name} VALUE`",
        "change what it reads: `tvarc bump {name} VALUE`",
        "edit {fixed} here, or change what it reads",
        "change what it reads",
    ),
)

VALUE_OF_LIBRARY: Final = replace(NO_PLAIN_VALUE, notes=("{note}",), help="write {here}")
