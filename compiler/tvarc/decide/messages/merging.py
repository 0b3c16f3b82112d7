"""Messages on merging: two values for one setting, `+=` and `-=`, keys of records."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

PARTS_AND_VALUE: Final = Message(
    "E501",
    "`{name}` has parts and also another value",
    label="set with `{op}`",
    other="a part of the string",
    help='write it as a part: `part NAME """…"""`',
)

TWO_VALUES: Final = Message(
    "E501",
    "`{name}` has two conflicting values",
    label="sets {second}",
    other="sets {first}",
    notes=("neither wins: both are in the same recipe, and both or neither are in a `when`",),
    help="remove one, narrow its condition, or make one win: `{forced} …`",
)

TWO_NEEDS: Final = replace(TWO_VALUES, help="remove one, or narrow its condition")

NOTHING_TO_ADD_TO: Final = Message(
    "E504",
    "`{name}` has no value to add to",
    label="no recipe sets it",
    notes=("the default of an argument is known only when Nix runs",),
    help="write the whole value with `=`",
)

ADDS_TEXT: Final = Message(
    "E301",
    "`+=` and `-=` on `{name}` need a list",
    label="this is {kind}",
    help="write `[{value}]`; if the package has a string there, write "
    '`{key} = "{{{{old.{old}}}}}…"`',
)

ADDS_SCALAR: Final = replace(ADDS_TEXT, help="write `[{value}]`")

ADDS_NO_LIST: Final = replace(ADDS_TEXT, help="write a list")

ADDS_TO_VARIABLE: Final = replace(
    ADDS_TEXT, help='write `env {{ {key} = "{{{{old.env.{key}}}}} …" }}`'
)

ADDS_TO_TEXT: Final = replace(ADDS_TEXT, help='write `{key} = "{{{{old.{old}}}}}…"`')

SCRIPT_IS_NO_LIST: Final = replace(
    ADDS_TEXT,
    label="this is a string",
    notes=("`{key}` is a script, and a script is written in parts",),
    help='write `script {key} {{ part NAME """…""" }}`; it runs after the package\'s own',
)

CONTAINS_NO_SUCH: Final = Message(
    "E502",
    "`{name}` does not contain this",
    label="removes {value}",
    notes=("the program sets the whole list, and this element is not in it",),
    help="write the element as the recipe has it; `pname(…)` finds only the package's own elements",
)

DOES_NOT_CONTAIN: Final = Message(
    "E502",
    "`{name}` does not contain {value}",
    label="nothing to remove",
    notes=("its elements: {shown}",),
    help="correct the value, or remove the `-=`",
)

VARIABLE_AND_ATTRIBUTE: Final = Message(
    "E501",
    "`{key}` is both a variable and an attribute",
    label="the variable",
    other="the attribute",
    notes=("nixpkgs before {first} keeps both in one place",),
    help="remove one of them",
)

ATTRIBUTE_AND_SCRIPT: Final = Message(
    "E501",
    "`{key}` is both an attribute and a script",
    label="a part of the script",
    other="the attribute",
    help="write both as parts of the script",
)

_NO_RECORD: Final = Message("E301", "`{name}` is {kind}, and only a record has keys")

KEY_OF_NO_RECORD: Final = replace(_NO_RECORD, label="this sets a key of it", other="{where}")

VALUE_OF_NO_RECORD: Final = replace(_NO_RECORD, label="{where}")

TWO_VALUES_OF_KEY: Final = replace(
    TWO_VALUES,
    label="adds {second}",
    other="has {first}",
    notes=("`+=` on a record can add keys, but not change them",),
    help="to change the key, write `{key} = …`",
)

OPERATOR_ON_RECORD: Final = Message(
    "E301",
    "`{op}` on the record `{name}` is not possible",
    label="this is `{op}` with {kind}",
    help="to add keys, write `+= {{ key = value }}`",
)
