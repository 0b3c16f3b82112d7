"""Messages on settings and blocks of a body."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

EXCLUDE_IN_RECIPE: Final = Message(
    "E209",
    "`exclude` is not allowed in a recipe",
    label="not allowed here",
    help="write it in a matrix or at top level; in a recipe, use `require`",
)

LET_TWICE: Final = Message(
    "E202",
    "`{name}` is declared twice",
    label="again here",
    other="first here",
    help="give it another name; or, to choose the value here, declare the first one as a flag, "
    "`flag {name}: TYPE = …`, and write `flag {name} = …` here",
)

FLAG_TWICE: Final = replace(LET_TWICE, help="to set an inherited flag, write `flag {name} = …`")

NAME_TWICE: Final = replace(LET_TWICE, help="give it another name")

NAME_OF_MIXIN: Final = Message(
    "E202",
    "`{name}` is declared by two parts of one recipe",
    label="this mixin declares it again",
    other="declared here",
    help="give one of them another name",
)

MIXIN_TWICE: Final = Message(
    "E202",
    "mixin `{name}` is in this recipe twice",
    label="again here",
    help="remove one: a recipe has all mixins of the recipe that it extends",
)

PACKAGE_OF_MIXIN: Final = Message(
    "E209",
    "mixin `{name}` sets a package",
    label="a mixin changes the package of a recipe",
    help="set `package` in the recipe, or write `recipe {name} {{ … }}` and extend it",
)

EMPTY_WHEN: Final = Message(
    "E602",
    "this `{word}` is empty",
    label="this has no effect",
    help="remove it, or write settings in its braces",
)

NAME_OF_LINT: Final = Message(
    "E202",
    "`{name}` is already the name of a lint",
    label="this name is taken",
    notes=("`warn {name} = off` would silence both",),
    help="give the warning another name",
)

NAME_OF_JUDGED: Final = replace(
    NAME_OF_LINT, title="`{name}` is already the name of a warning of `check --eval`"
)

WARNING_TWICE: Final = Message(
    "E202",
    "warning `{name}` is declared twice",
    label="again here",
    other="first here",
    help="give one of them another name",
)

NOTHING_INSIDE: Final = Message(
    "E210",
    "`{name}` has no settings inside",
    label="unknown setting",
)

IS_A_BLOCK: Final = Message(
    "E210",
    "`{name}` is a block",
    label="not a value",
    help="write `{name} {{ name = value }}`",
)

SCRIPT_WITHOUT_PARTS: Final = Message(
    "E210",
    "a script must be written in parts",
    label="not a value",
    help='write `script {name} {{ part NAME """…""" }}`',
)

UNKNOWN_SETTING: Final = Message(
    "E210",
    "a {noun} has no setting `{name}`",
    label="unknown setting",
    notes=("settings: {known}", "blocks: {blocks}"),
    help=(
        "`{matrix}` is a setting of a matrix: write it in `matrix NAME {{ … }}`",
        "{elsewhere}",
        "`{condition}` is not set: write `{condition} CONDITION because \"the reason\"`",
        DID_YOU_MEAN,
        "for a script of the package, write `script {script} {{ part NAME \"…\" }}`",
        "for a variable of the build, write `env {{ {variable} {op} … }}`",
        "for an attribute of the package, write `attrs {{ {name} {op} … }}`",
    ),
    edit="{guess}",
)

UNKNOWN_BLOCK: Final = Message(
    "E210",
    "there is no block `{name}`",
    label="unknown block",
    notes=("blocks: {known}",),
    help=(
        "declare `overlay NAME {{ … }}` beside the recipe, and list it: `{overlays} = [NAME]`",
        DID_YOU_MEAN,
        "arguments of the package (`.override`) go into `args`, attributes (`.overrideAttrs`) into "
        "`attrs`",
    ),
    edit="{guess}",
)

BLOCK_IN_BLOCK: Final = Message(
    "E210",
    "`{name}` cannot be a block inside a block",
    label="unknown block",
    help="for data, write `{name} = {{ … }}`; for a string in parts, write `part NAME "
    '"""…"""` inside',
)

OF_RECIPE_IN_BLOCK: Final = Message(
    "E210",
    "`{name}` cannot be a block inside a block",
    label="this is a block of the recipe",
    help="move what is in it to the block `{name} {{ … }}` of the recipe",
)

NOT_IN_ATTRS: Final = Message(
    "E210",
    "`{name}` does not belong in `attrs`",
    label="this is a block of the recipe",
    help="move it out of `attrs`: write `{name} {{ … }}` next to `attrs {{ … }}`",
)

STRENGTH_OF_OPERATOR: Final = Message(
    "E209",
    "`{strength}` works only with `=`",
    label="this is `{op}`",
    help="remove `{strength}`: additions and removals have no priority",
)

EXCLUDE_WITHOUT_REASON: Final = Message(
    "E208",
    "`or exclude` needs a reason",
    label="no `because`",
    help='write `needs … or exclude because "…"`',
)

EMPTY_NAME: Final = Message(
    "E210",
    "the name of a setting is empty",
    label="empty",
)

PATH_TOO_LONG: Final = Message(
    "E109",
    "the path has too many steps",
    label="more than {most} steps",
)

READ_IN_CONFIG: Final = Message(
    "E302",
    "`config` cannot read `{name}`",
    label="not available yet",
    notes=("nixpkgs creates its packages with this configuration",),
    help='write a function that nixpkgs calls later: nix"""pkg: …"""',
)

UNKNOWN_FLAG: Final = Message(
    "E201",
    "there is no flag `{name}`",
    label="unknown flag",
    help=(
        DID_YOU_MEAN,
        "declare it: `flag {name}: bool = …`",
    ),
    edit="{guess}",
)

DROPS_NOTHING: Final = Message(
    "E601",
    "this `exclude` drops nothing",
    label="`{module}` has no exclusions",
    help="remove it; to import the declarations of a module, write `use`",
)

LET_IN_WHEN: Final = Message(
    "E209",
    "a `let` cannot depend on a `when`",
    label="not allowed here",
    help="move it out of the `when`",
)

PART_OUTSIDE: Final = Message(
    "E209",
    "a `part` is allowed only in a script",
    label="not allowed here",
    help="write `script NAME {{ part … }}`",
)

ONLY_AT_TOP: Final = Message(
    "E209",
    "{item} is allowed only at top level",
    label="not allowed here",
    help="move it out of these braces",
)

ONLY_SETTINGS: Final = Message(
    "E209",
    "`{name}` can only contain settings",
    label="not allowed here",
    help="write `name = value`",
)

FLAG_IN_WHEN: Final = Message(
    "E209",
    "a flag cannot be declared in a `when`",
    label="not allowed here",
    help="declare it outside of the `when`, and set it here: `flag f = …`",
)

ONLY_PARTS: Final = Message(
    "E209",
    "{what} can only contain parts",
    label="not allowed here",
    help='write `part NAME """…"""`',
)

INCLUDE_OUTSIDE: Final = Message(
    "E209",
    "`include` belongs directly in a matrix",
    label="not in a matrix",
    help=(
        "to import a module, write `use {path}`",
        "move it into a matrix: the matrix then has only the cells that its `include`s name",
    ),
)
