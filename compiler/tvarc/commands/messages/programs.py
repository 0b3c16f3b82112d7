"""Messages on programs: their places, and their variants."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

NO_PROGRAM: Final = Message(
    "E903",
    "there is no `{file}` in this folder or any above it",
    help="start one with `tvarc init`, or name another file on the command line",
)

NO_PROGRAM_IN_FOLDER: Final = Message(
    "E903",
    "there is no `{file}` in the folder `{folder}`",
    help="name the file; `build`, `check` and `list` find programs in its folders with `--all`",
)

NO_PROGRAM_BELOW: Final = Message(
    "E908",
    "there is no `{file}` in {where} or below it",
    notes=("tvarc skips hidden folders and links to folders", "{left_out}"),
    help="name another folder, or name the programs on the command line",
)

NO_PROGRAM_TO_FORMAT: Final = replace(
    NO_PROGRAM, help="name the files to format on the command line"
)

NO_LSP: Final = Message(
    "E917",
    "the language server needs the library `{library}`, which is not installed",
    help="run `pip install 'tvarc[lsp]'` where tvarc is installed",
)

NOTHING_TO_FORMAT: Final = Message(
    "E903", "there is no `{suffix}` file in `{folder}`", notes=("{left_out}",)
)

NOT_FORMATTED: Final = Message(
    "E951",
    "`{file}` is not formatted",
    many="{count} files are not formatted",
    notes=("{listed}",),
    help="run `tvarc fmt`; `tvarc fmt --diff` shows what would change",
)

BAD_PATTERN: Final = Message(
    "E810",
    "`{pattern}` is not a valid pattern",
    notes=("it is {given} `{whose}`",),
    help="write a pattern as in `.gitignore`, such as `/tests/` or `*.draft.tvar`",
)

TOO_MUCH: Final = Message(
    "E109",
    "the program is {what} for this machine",
    help="give inner parts names with `let`, or split the program",
)

LIBRARY: Final = Message(
    "W003",
    "`{file}` {lacks}: it builds nothing",
    notes=("tvarc checked names and types, but no settings, because there is no variant",),
    help="if this is a library, also check a program that uses it",
)

NO_MATRIX: Final = Message(
    "E407",
    "`{file}` {lacks}: it builds nothing",
    notes=("tvarc builds a recipe for the cells of a `matrix`, or for one `variant`",),
    help="for one build, write `variant NAME {{ recipe = {recipe} }}`",
)

ONLY_PATTERNS: Final = Message(
    "E407",
    "`{file}` {lacks}: it builds nothing",
    help="write a program that gives the axes values, with `matrix NAME extends …`",
)

NO_OUTPUT: Final = Message(
    "E507",
    "`{file}` declares no output",
    notes=("an output says where tvarc writes each recipe",),
    help='write `output flox {{ file = ".flox/pkgs/{{{{variant}}}}.nix" }}`',
)

SAME_PAGE: Final = Message(
    "E402",
    "outputs `{first}` and `{output}` have the same file",
    label="`{file}`",
    other="here too",
    help="remove one of them: the marks in the file decide what tvarc writes where",
)

READ_BY_FLOX: Final = Message(
    "E803",
    "Flox would read `{file}` as a package: `{folder}` is in `.flox/pkgs`",
    notes=("Flox reads each file in that folder as a package",),
    help="name a folder outside of it with `--out`",
)

UNREADABLE_LOG: Final = Message(
    "E945",
    "cannot read the log `{name}`",
    notes=("{reason}",),
    help="name a file with the output of Nix, or `-` for standard input",
)

FILE_NOT_READ: Final = Message(
    "E904",
    "the program does not read `{file}`",
    notes=("it reads {known}",),
    help=DID_YOU_MEAN,
)

NO_LINE: Final = Message(
    "E904", "`{file}` has no {line}", notes=("the last one is {last}",)
)
