"""Messages on options of the command line that change a program."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

NO_INPUT_PAIR: Final = Message(
    "E505",
    "`--input` needs NAME=PATH",
    label="`=` and a folder are missing",
    help="write `--input {name}=../checkout`",
)

_NO_INPUT: Final = Message("E505", "the program declares no input `{name}`", label="unknown input")

UNKNOWN_INPUT: Final = replace(_NO_INPUT, notes=("inputs: {known}",), help=DID_YOU_MEAN)

NO_INPUTS: Final = replace(_NO_INPUT, notes=("the program declares no inputs",))

NO_FOLDER: Final = Message(
    "E505",
    "`{path}` is not a folder for input `{name}`",
    label="{reason}",
    help="write the path of a folder, relative to the current folder",
)

NOT_UTF8: Final = Message(
    "E505",
    "`{option}` is not UTF-8",
    label="these bytes are not text",
)

NO_PAIR: Final = Message(
    "E505",
    "`{option}` needs NAME=VALUE",
    label="`=` and a value are missing",
    help="write `{option} {name}=VALUE`",
)

_NO_FLAG: Final = Message("E505", "no recipe has a flag `{name}`", label="unknown flag")

UNKNOWN_FLAG: Final = replace(_NO_FLAG, notes=("flags: {known}",), help=DID_YOU_MEAN)

NO_FLAGS: Final = replace(_NO_FLAG, notes=("no recipe declares a flag",))

ADDED_TO_SETTING: Final = Message(
    "E505",
    "`{name}` is not a setting",
    label="`{sign}=` is not possible here",
    help="`--set` can only set the whole value: write `--set attrs.x=[…]`",
)

NO_PATH: Final = replace(
    ADDED_TO_SETTING,
    label="not a path",
    help='separate names with dots, and quote other names: `attrs."a b"`',
)

WRONG_PLACE: Final = replace(
    ADDED_TO_SETTING, label="not in `attrs`", help="write `{path}`, without `attrs`"
)

UNKNOWN_SETTING: Final = replace(
    ADDED_TO_SETTING, label="unknown path", notes=("settings: {known}",), help=DID_YOU_MEAN
)

GIVEN_TWICE: Final = Message(
    "E505",
    "`{name}` is given twice",
    label="again here",
)
