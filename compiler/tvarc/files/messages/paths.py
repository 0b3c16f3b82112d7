"""Messages on single files and folders: they cannot be read or written."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

UNREADABLE: Final = Message(
    "E106", "cannot read `{file}`", label="{label}", notes=("{reason}",), help="{advice}"
)

NOT_UTF8: Final = Message(
    "E107", "cannot read `{file}`", label="{label}", notes=("{reason}",), help="{advice}"
)

TOO_LARGE: Final = Message(
    "E108", "cannot read `{file}`", label="{label}", notes=("{reason}",), help="{advice}"
)

NO_PROJECT: Final = Message(
    "E802",
    "no file can be written into `{folder}`: {reason}",
    help="name another folder, an existing one or a new one",
)

NAME_NOT_UTF8: Final = Message(
    "E802",
    "recipes cannot name files in `{folder}`: its name is not UTF-8",
    help="rename the folder, or leave out `--out`",
)

OUT_IN_GIT: Final = Message(
    "E803",
    "`--out` leads into a folder of git, or to the place of the lock",
    notes=("it is {real}",),
    help="name another folder: git runs the files in `.git/hooks`",
)

OUT_THROUGH_LINK: Final = Message(
    "E803",
    "`--out` leads through `{link}`, which is a symbolic link",
    help="name the real folder: `--out {real}`",
)

NOT_WRITTEN: Final = Message("E802", "`{file}` cannot be written: {reason}")

CHANGED_SINCE: Final = Message(
    "E802",
    "`{file}` cannot be written: it was changed since it was read",
    help="run the command again",
)

NO_COPY: Final = Message("E802", "no copy of `{file}` can be written: {reason}")

IN_THE_WAY: Final = Message(
    "E801",
    "`{file}` is in the way: tvarc did not write it",
    help=("move it away, or add `{option}`", "move it away"),
)
