"""Messages on names."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

ROW_LIKE_AXIS: Final = Message(
    "E202",
    "row `{name}` has the same name as an axis",
    label="{label}",
    notes=("`{name}` always means the axis, so no condition could test for the row",),
    help="give one of them another name",
)

UNKNOWN_OF_KIND: Final = Message(
    "E201",
    "there is no {kind} `{name}`",
    label="unknown {kind}",
    help=(
        DID_YOU_MEAN,
        "{advice}",
        "declare it, `{kind} {name} {{ … }}`, or `use` the file that does",
    ),
    edit="{guess}",
)

UNKNOWN_MODULE: Final = Message(
    "E201",
    "no module is imported as `{name}`",
    label="unknown module",
    help=(
        DID_YOU_MEAN,
        "write `use MODULE as {name}`",
    ),
    edit="{guess}",
)

NO_PARENT_IN_MODULE: Final = Message(
    "E201",
    "`{module}` declares no {kind} `{name}`",
    label="unknown {kind}",
    help=(
        DID_YOU_MEAN,
        "it declares {known}",
    ),
    edit="{guess}",
)

EXTENDS_ITSELF: Final = Message(
    "E205",
    "{kind} `{name}` extends itself",
    label="this closes the cycle",
    notes=("{ring}",),
    help="remove one `extends`",
)

UNLOCKED_HERE: Final = Message(
    "E201",
    "`unlocked` is not allowed here",
    label="tvarc cannot find out this hash",
    notes=(
        "it is allowed as the `hash` of `github`, `url`, a patch, a pin or an input",
        (
            "it is also allowed as the value of a hash, such as `sha256` or `cargoHash`, in the "
            "arguments of `call` and in the attributes of a package"
        ),
        "a `let` and a fact of a row may have it, too, if one of these places reads them",
    ),
    help="write `unlocked` in one of these places, or write the hash here",
)

AMBIGUOUS: Final = Message(
    "E206",
    "`{name}` is ambiguous",
    label="several declarations have this name",
    help="import one of the modules with a name, `use MODULE as N`, and write `N.{name}`",
)

AMBIGUOUS_ROW: Final = replace(AMBIGUOUS, help="write {choices}")

TABLE_AS_VALUE: Final = Message(
    "E301",
    "{table} is not a value",
    label="this is the whole table",
    help="write a row of it: `{name}.ROW`, or `{name}[…]` for a computed name",
)

MODULE_AS_VALUE: Final = Message(
    "E301",
    "module `{name}` is not a value",
    label="this is the whole module",
    help="write a name of the module: `{name}.NAME`",
)

OUTPUT_AS_VALUE: Final = Message(
    "E301",
    "output `{name}` is not a value",
)

AXIS_NOT_HERE: Final = Message(
    "E304",
    "{reader} cannot read axis `{axis}`",
    label="differs from variant to variant",
    help="use a value that is the same for all variants",
)

READ_TOO_EARLY: Final = Message(
    "E302",
    "{reader} cannot read {what}",
    label="decided later, for each variant",
    help="use axes and top-level `let`s here",
)

NEEDS_AS_VALUE: Final = Message(
    "E301",
    "`needs` is not a value",
    label="this is everything that the recipe needs",
    help="write one of them: `needs.NAME`",
)

NEED_TOO_EARLY: Final = Message(
    "E302",
    "{reader} cannot read `needs.{name}`",
    label="decided later, for each variant",
    help="read `needs` in the settings of a recipe or in its overlays",
)

OLD_NOT_HERE: Final = Message(
    "E302",
    "`{name}` is not available here",
    label="available only in {where}",
)

ROOT_NOT_HERE: Final = replace(OLD_NOT_HERE, help="for a package of nixpkgs, write `pkgs.NAME`")

UNKNOWN_ROW: Final = Message(
    "E201",
    "`{table}` has no row `{name}`",
    label="unknown row",
    help=DID_YOU_MEAN,
    edit="{guess}",
)

TABLE_TOO_EARLY: Final = Message(
    "E205",
    "table `{table}` is used before it is complete",
    label="not complete yet",
    other="declared here",
    notes=("a table is complete after its last row, and its rows cannot read it",),
    help="declare the table earlier, or write the fact as a `let` that both use",
)

NOT_IN_MODULE: Final = Message(
    "E201",
    "module `{module}` does not declare `{name}`",
    label="unknown name",
    help=DID_YOU_MEAN,
    edit="{guess}",
)

EXTENDS_OTHER: Final = Message(
    "E301", "{found} is not a {kind}", label="expected a {kind}", other="declared here"
)

EXTENDS_VARIANT: Final = replace(
    EXTENDS_OTHER,
    help="a variant is one build and cannot be extended: write the common settings in one recipe",
)

EXTENDS_RECIPE: Final = replace(
    EXTENDS_OTHER, help="`extends` takes a matrix; to name a recipe, write `recipe = {name}`"
)

EXTENDS_MIXIN: Final = replace(
    EXTENDS_OTHER, help="a recipe takes a mixin by `with`: `recipe NAME with {name} {{ … }}`"
)

WITH_RECIPE: Final = replace(
    EXTENDS_OTHER, help="write `extends {name}`, or declare a mixin: `mixin {name} {{ … }}`"
)

READS_FLAGS: Final = (
    "an overlay reads flags of the recipe that lists it, and no recipe has this flag"
)
"""A note for names in an overlay."""

_UNDEFINED: Final = Message("E201", "the name `{name}` is not defined", label="unknown name")

BLOCK_AS_VALUE: Final = replace(_UNDEFINED, help="write which setting of it: `{name}.…`")

OTHER_WORD: Final = replace(
    _UNDEFINED, help='write `{word}`; if you mean a string, write it in quotes: "{name}"'
)

NONE_ELSEWHERE: Final = replace(
    _UNDEFINED,
    help="write `null` for a fact or a value that is missing, or `none` to remove a setting",
)

WITHOUT_QUOTES: Final = replace(
    _UNDEFINED, help="a string needs its own quotes inside the quotes of the shell: '\"{name}\"'"
)

LIBRARY_AS_VALUE: Final = replace(
    _UNDEFINED,
    help="write `use std.MODULE` to import a module, or `exclude std.MODULE` as a line of its own",
)

FUNCTION_AS_VALUE: Final = replace(_UNDEFINED, help="`{name}` is a function: `{function}`")

TEXT_OR_NAME: Final = replace(
    _UNDEFINED, help=DID_YOU_MEAN + ' If you mean a string, write it in quotes: "{name}"'
)

MISSPELT: Final = replace(_UNDEFINED, help=DID_YOU_MEAN, edit="{guess}")

NO_ROW: Final = replace(_UNDEFINED, help="`{table}` has {rows}")

NAME_OF_VARIANT: Final = replace(_UNDEFINED, help="the name of a variant is `variant`")

UNKNOWN: Final = replace(
    _UNDEFINED, help=("{advice}", 'declare it; if you mean a string, write it in quotes: "{name}"')
)
