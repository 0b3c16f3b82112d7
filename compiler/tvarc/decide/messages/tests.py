"""Messages on tests of variants."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

NO_RECORD: Final = Message(
    "E301",
    "test `{name}` must be a record",
    label="this is {kind}",
    help='write `test {name} {{ script = "…" }}`, or `test.{name} = none` to remove the test',
)

BAD_NAME: Final = Message(
    "E403",
    "`{name}` cannot be the name of a test",
    label="this test",
    notes=(
        "a derivation of Nix has this name, which takes letters of ASCII, digits, `+`, `-`, `.`, "
        "`_`, `?` and `=`",
    ),
    help="replace the other characters by `-`",
)

UNKNOWN_FIELD: Final = Message(
    "E207",
    "a test has no field `{name}`",
    label="unknown field",
    help=(DID_YOU_MEAN, "the fields of a test are {known}"),
)

WRONG_KIND: Final = Message(
    "E301",
    "`{name}` of a test must be {wanted}",
    label="this is {kind}",
)

NO_PACKAGE: Final = Message(
    "E301",
    "`{name}` of a test must be a list of packages",
    label="`{value}` is {kind}",
    help="write a package: `pkgs.{package}`",
)

NO_PLACE: Final = Message(
    "E301",
    "`on` of a test must be `\"sandbox\"` or `\"host\"`",
    label="not a place",
    help='write `on = "host"` for a test that needs the machine, such as its GPU',
)

NO_SIZE: Final = Message(
    "E301",
    "`{name}` of a test must be a size",
    label="not a size",
    help='write a number and a unit, such as `"4 GiB"` or `"500 MiB"`',
)

NO_SCRIPT: Final = Message(
    "E507",
    "test `{name}` has no `script`",
    label="`script` missing",
    help='write `script = """…"""`: the test passes if the script ends with exit code 0',
)

NO_SECONDS: Final = Message(
    "E301",
    "`{name}` of a test must be a whole number of seconds, 1 or more",
    label="{label}",
    help="write `timeout = 600` for ten minutes",
)

NO_EXPECTATION: Final = Message(
    "E301",
    "an expectation is a string, a number, `true` or `false`, or a list of these",
    label="`{name}` has {kind}",
    notes=("the script reports what it finds as words: `found NAME VALUE…`",),
)
