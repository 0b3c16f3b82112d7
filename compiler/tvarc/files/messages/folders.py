"""Messages on the folder of a project, and on the one that `--out` names."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

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
