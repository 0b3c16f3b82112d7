"""Messages of `tvarc init`, and of `import` and `audit` on their folders."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

_EXISTS: Final = "`{program}` exists already"
_MOVE_AWAY: Final = "move it away, or start in another folder: `tvarc init FOLDER`"

NO_TEMPLATE: Final = Message(
    "E971",
    "there is no template `{name}`",
    notes=("templates: {known}",),
    help=(DID_YOU_MEAN, "run `tvarc init` without `--template`: it asks which one you want"),
)

PROGRAM_EXISTS: Final = Message(
    "E972",
    _EXISTS,
    help="`tvarc list` names its variants, `tvarc build` builds them; to start another program, "
    "name another folder: `tvarc init FOLDER`",
)

NO_PROGRAM: Final = replace(PROGRAM_EXISTS, notes=("it is {what}",), help=_MOVE_AWAY)

UNKNOWN_FILE: Final = replace(
    PROGRAM_EXISTS,
    notes=("tvarc cannot find out what it is: {reason}",),
    help="check where the link leads, or start in another folder: `tvarc init FOLDER`",
)

NOT_READABLE: Final = replace(
    PROGRAM_EXISTS,
    notes=("you have no permission to read it",),
    help="run `{command}` to read it, or start in another folder: `tvarc init FOLDER`",
)

BAD_REFERENCE: Final = Message(
    "E919",
    "a workflow cannot get tvarc from `{text}`",
    notes=("{moves}",),
    help="`--tvarc` takes {forms}",
)

RECIPES_THERE: Final = Message(
    "E973",
    "there are {recipes}",
    notes=("`{command}` makes one program from them that builds the same",),
    help="run that command, or start another program with `tvarc init --template NAME`",
)

NOBODY_TO_ASK: Final = Message(
    "E974",
    "`tvarc init` cannot ask you: it was not started from a terminal",
    help="name a template with `--template {templates}`, or take `{usual}` with `--yes`",
)

NOTHING_TO_IMPORT: Final = Message(
    "E961",
    "nothing in `{folder}` can be imported",
    help="name the folder that has the recipes, such as `.flox/pkgs`",
)

NONE_IMPORTED: Final = Message(
    "E961",
    "nothing in `{folder}` can be imported",
    help="change what the notes name; `--report FILE` writes the reason for each file",
)

TOO_MUCH_TO_IMPORT: Final = Message(
    "E308",
    "`{folder}` has too many recipes to import them together",
    notes=("they have {lines:,} lines, of which at most {most:,} are imported at once",),
    help="import it in parts, such as the recipes of one package in a folder of their own",
)

INTO_THE_RECIPES: Final = Message(
    "E803",
    "`{file}` would be written into the folder that you import",
    notes=("an import does not change that folder",),
    help="name a file outside of it: `{option} {place}`",
)

EXISTS: Final = Message(
    "E801",
    "`{file}` exists already, and an import does not overwrite files",
    help="move it away, or name another file with `-o` or `--report`",
)

NO_OUTPUT_OF_FILES: Final = Message(
    "E507",
    "no output of `{file}` has a file for each variant",
    notes=("an audit compares a folder with the files of single variants",),
    help="run `tvarc audit` without a folder: it checks the files with all variants",
)
