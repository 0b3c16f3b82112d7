"""Messages on values that a setting cannot have, and on too many of them."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

MAY_UNSET_NOTHING: Final = Message(
    "E502",
    "`{name}` has no value to unset",
    label="no weaker line of the program sets it",
    notes=("`none` cannot remove the package's own value",),
    help="write `when … {{ … }}` instead: if the condition is false, the package keeps its own "
    "value",
)

UNSETS_NOTHING: Final = replace(
    MAY_UNSET_NOTHING, help="{instead}; or write `{null}` for null in Nix"
)

REMOVES_BY_NAME: Final = Message(
    "E305",
    "`pname(…)` is allowed only after `-=`",
    label="not a value",
    help="write it after `-=`, to remove an element",
)

ADDS_TO_VARIABLE: Final = Message(
    "E301",
    "`+=` and `-=` do not work on an environment variable",
    label="`{op}` works on lists",
    help='write the whole value, `{name} = "…"`; for the old value, write `{{{{old.{path}}}}}`',
)

NO_VALUE_FOR_NIX: Final = Message(
    "E301",
    "`{nothing}` cannot be a value for Nix",
    label="not a value",
    help="for null in Nix, write `null`; to unset the whole setting, write `{name} = none`",
)

ONLY_A_HASH: Final = replace(NO_VALUE_FOR_NIX, help="write it only in the place of a hash")

NO_ARGUMENT: Final = replace(
    NO_VALUE_FOR_NIX, help="for null in Nix, write `null`; to pass no argument, remove it"
)

NO_DEFAULT: Final = replace(
    NO_VALUE_FOR_NIX, help="for null in Nix, write `null`; to use the default of nixpkgs, remove it"
)

VARIABLE_IS_NO_TEXT: Final = Message(
    "E301",
    "an environment variable cannot be {kind}",
    label="this is {kind}",
    notes=("nixpkgs takes a string, an integer, true, false or a package",),
    help=(
        "join a list: `{joined}`",
        'write it as a string: `"{text}"`',
        'make the file an attribute: `attrs {{ {attribute} = path("…") }}`',
        "write `{empty}` for an empty variable, or set it in a `when` for those that have it",
        "write each key as a separate variable",
    ),
)

KEY_OF_VARIABLE: Final = Message(
    "E301",
    "an environment variable has no keys",
    label="this is a key of a variable",
    help="write each key as a separate variable",
)

WRONG_ATTRIBUTE: Final = Message(
    "E301",
    "`{key}` of a package must be {wanted}",
    label="this is {kind}",
    notes=("nixpkgs itself reads this setting",),
    help=('write `{key} = "{{{{old.{old}}}}}…"`', "{mended}"),
)

KEY_OF_ATTRIBUTE: Final = replace(WRONG_ATTRIBUTE, label="this sets a key of it")

_NOT_A_VARIABLE: Final = Message(
    "E301", "`{key}` is not an environment variable", label="nixpkgs itself reads this setting"
)

NO_VARIABLE_BLOCK: Final = replace(_NOT_A_VARIABLE, help="write it in `{key} {{ … }}`")

NO_VARIABLE: Final = replace(_NOT_A_VARIABLE, help="write it in `attrs {{ … }}`")

SCRIPT_OF_NO_TEXT: Final = Message(
    "E301",
    "`{name}` of a package must be {wanted}",
    label="a script is a string",
    notes=("nixpkgs itself reads this setting",),
)

OVERWRITTEN: Final = Message(
    "E210",
    "`{key}` has no effect in `attrs`",
    label="nixpkgs replaces it with its own",
    help="{advice}",
)

NO_PACKAGES_INSIDE: Final = Message(
    "E301",
    "`{key}` of a package must contain packages",
    label="this is {kind}",
    notes=("the builder uses each element as a path",),
    help="write `[{package}]`",
)

RECIPE_TOO_LARGE: Final = Message(
    "E308",
    "the recipe is too large",
    label="over {limit_elements} elements or {limit_recipe} characters in all settings together",
    help="store long strings in a file, and write `path(…)`",
)
