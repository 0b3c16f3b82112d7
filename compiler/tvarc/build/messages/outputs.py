"""Messages on the files of outputs."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

TOO_MANY_IN_ONE_FILE: Final = Message(
    "E308",
    "output `{name}` has too many variants for one file",
    label="over {most} evaluations in total for all cells",
    help="write a file for each variant: use `{{{{variant}}}}` in `file`, and the form `recipes`; "
    "or select fewer variants with selectors or `--only`",
)

TOO_LARGE_TOGETHER: Final = Message(
    "E812",
    "the recipes of output `{output}` are too large together",
    label="over its limit of {limit:,} bytes",
    help=(
        "move a long string to a file and name it with `path(…)`, or raise the limit: `limit = …` "
        "in the output"
    ),
)

TOO_MANY_FILES: Final = Message(
    "E812",
    "output `{output}` has too many recipes: {count:,}",
    label="over {most:,} files",
    help=(
        "build fewer variants with `--only`, or raise the output's limit of bytes, which allows "
        "any number of files: `limit = {limit}`"
    ),
)

OVERWRITES_VARIANT: Final = Message(
    "E402",
    "output `{output}` would overwrite the file of a variant",
    label="`{path}` is the file of a variant",
    help="write another `file`, or put one of them into another folder",
)

_NO_FILE: Final = Message(
    "E403", "output `{output}` cannot have this file", label="`{path}` {wrong}"
)

BAD_FILE: Final = replace(_NO_FILE, help="{help}")

_SAME: Final = Message(
    "E402", "outputs `{first}` and `{output}` have the same file", other="here too"
)

SAME_FILE: Final = replace(_SAME, label="`{one_file}`", help="give one of them another `file`")

IMPURE: Final = Message(
    "E509",
    "a flake cannot build `{variant}`",
    label="{label}",
    other="the flake",
    help="{help}",
)

HIDES_OTHERS: Final = Message(
    "E403",
    "`{name}` cannot be an attribute of output `{output}`",
    label="this makes the attribute",
    other="an attribute for each variant, by its name and by its axes",
    notes=(
        "this name has a special meaning in Nix: the other attributes of the set would be hidden",
    ),
    help="write another name, or `output NAME: recipes` for a file for each variant",
)

ATTRIBUTE_TWICE: Final = Message(
    "E402",
    "output `{output}` has the same attribute twice: {first}",
    label="an attribute for each variant, by its name and by its axes",
    help='write each matrix into a set of its own: `prefix = "{{{{matrix}}}}"`',
)

ATTRIBUTE_TWICE_WITH_PREFIX: Final = replace(
    ATTRIBUTE_TWICE, help="write a `prefix` that differs between them"
)

BAD_PREFIX: Final = Message(
    "E403",
    "`{first}` cannot be the first step of an attribute",
    label="for {variant}",
    notes=("this string {wrong}",),
)

FILE_IS_NO_STRING: Final = Message(
    "E301",
    "the name of a file must be a string",
    label="this is {kind}",
)

BAD_FILE_OF_VARIANT: Final = Message(
    "E403",
    "output `{output}` cannot write this file",
    label="`{value}` {wrong}",
    help='write a path in the output folder, such as ".flox/pkgs/{{{{variant}}}}.nix"',
)

SAME_MANIFEST: Final = replace(
    _SAME, label="`{path}`", help="write all entries in one of these outputs"
)

BAD_MANIFEST: Final = replace(_NO_FILE, help='write `file = ".flox/env/manifest.toml"`')

BAD_ENTRY: Final = Message(
    "E403",
    "`{key}` of a manifest cannot have this value",
    label="{label}",
    help="{help}",
)

TWO_VARIANTS: Final = Message(
    "E402",
    "output `{output}` writes two variants to the same file",
    label="`{file}`",
    notes=(
        "{first} and {second}",
        "`{alike}` and `{file}` are the same file on file systems that ignore case, or how accents "
        "are encoded",
    ),
    help="use a part that differs between them, such as `{{{{variant}}}}`",
)

VARIANTS_ALIKE: Final = replace(
    TWO_VARIANTS, help="the names of the variants differ only in case: change `name`"
)
