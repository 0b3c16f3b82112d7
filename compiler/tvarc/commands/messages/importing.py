"""Messages of `tvarc import` and `tvarc audit` on folders and files."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

NOTHING_TO_IMPORT: Final = Message(
    "E961",
    "nothing in `{folder}` can be imported",
    help="name the folder that has the recipes, such as `.flox/pkgs`",
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
