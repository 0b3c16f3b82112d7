"""Messages on the files that a build does not write: one for all paths with the same reason."""

from __future__ import annotations

import errno

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

_THEY_ARE: Final = ("{listed}",)
_IN_THE_WAY: Final = (
    "to keep it, move it or choose another `file` for the output; to replace it, build with "
    "`--adopt`, which shows the differences and keeps a copy, or with `--force`, which keeps "
    "no copy"
)
_INSIDE: Final = "write a path below the output folder, such as `recipes/{{{{variant}}}}.nix`"

EDITED: Final = Message(
    "E801",
    "`{path}` was changed by hand since it was written",
    many="{count} files were changed by hand since they were written",
    notes=_THEY_ARE,
    help="move the change into the .tvar, then build with `--adopt`, which shows the differences "
    "and keeps a copy (`--adopt --dry-run` only shows them), or with `--force`, which keeps no "
    "copy",
)

FOREIGN: Final = Message(
    "E801",
    "`{path}` is in the way: tvarc did not write it",
    many="{count} files are in the way: tvarc did not write them",
    notes=_THEY_ARE,
    help=_IN_THE_WAY,
)

LARGE: Final = Message(
    "E801",
    "`{path}` is in the way: it is larger than 64 MiB, and no recipe is so large",
    many="{count} files are in the way: they are larger than 64 MiB, and no recipe is so large",
    notes=_THEY_ARE,
    help=_IN_THE_WAY,
)

MERGED: Final = Message(
    "E801",
    "`{path}` has merge conflicts, and perhaps changes by hand",
    many="{count} files have merge conflicts, and perhaps changes by hand",
    notes=_THEY_ARE,
    help="one side was changed by hand, or git does not have both sides any more: move the change "
    "into the .tvar, then build with `--adopt`, which shows the differences and keeps a copy, or "
    "with `--force`, which keeps no copy",
)

OTHER_PROGRAM: Final = Message(
    "E801",
    "`{path}` belongs to another program, `{detail}`",
    many="{count} files belong to another program, `{detail}`",
    notes=_THEY_ARE,
    help="give the outputs of one of them another `file`; if the other program was renamed to "
    "this one, or this one should take over its recipes, build with `--force`, or with `--adopt`, "
    "which shows the differences and keeps a copy",
)

MEANWHILE: Final = Message(
    "E801",
    "`{path}` was written by another build while this one ran",
    many="{count} files were written by another build while this one ran",
    notes=_THEY_ARE,
    help="run the command again when the other build has ended",
)

ABSOLUTE: Final = Message(
    "E803",
    "output `{path}` is an absolute path",
    many="{count} outputs are absolute paths",
    notes=_THEY_ARE,
    help=_INSIDE,
)

PARENT: Final = Message(
    "E803",
    "output `{path}` leaves the output folder with `..`",
    many="{count} outputs leave the output folder with `..`",
    notes=_THEY_ARE,
    help=_INSIDE,
)

NOT_PLAIN: Final = Message(
    "E803",
    "output `{path}` is not a plain file path",
    many="{count} outputs are not plain file paths",
    notes=_THEY_ARE,
    help="write the path without empty or `.` steps and without a `/` at the end",
)

SYMLINK: Final = Message(
    "E803",
    "output `{path}` is a symbolic link or is behind one",
    many="{count} outputs are symbolic links or are behind one",
    notes=_THEY_ARE,
    help="replace the link with a real file or folder, or choose another path",
)

NO_FILE: Final = Message(
    "E803",
    "output `{path}` exists already and is not a regular file",
    many="{count} outputs exist already and are not regular files",
    notes=_THEY_ARE,
    help="move it away, or choose another path",
)

SOURCE: Final = Message(
    "E803",
    "output `{path}` is a file that this program reads",
    many="{count} outputs are files that this program reads",
    notes=_THEY_ARE,
    help="choose another `file` for the output",
)

CHECKOUT: Final = Message(
    "E803",
    "output `{path}` is in a folder that recipes are built from",
    many="{count} outputs are in a folder that recipes are built from",
    notes=_THEY_ARE,
    help="tvarc does not write to what a `path` names: choose another `file` for the output, or "
    "another `--out`",
)

RESERVED: Final = Message(
    "E803",
    "output `{path}` is a file of git or the lock",
    many="{count} outputs are files of git or the lock",
    notes=_THEY_ARE,
    help="tvarc writes nothing to a folder `.git` or to `tvar.lock`, in any spelling: choose "
    "another `file`",
)

TWICE: Final = Message(
    "E402",
    "`{path}` would be written twice",
    many="{count} files would be written twice",
    notes=_THEY_ARE,
    help="give each variant and each output a file of its own",
)

FOLDER_TOO: Final = Message(
    "E802",
    "`{path}` cannot be written: other files need a folder of this name",
    many="{count} files cannot be written: other files need folders of these names",
    notes=_THEY_ARE,
    help="choose another `file` for one of the outputs",
)

SYSTEM: Final = Message(
    "E802",
    "`{path}` cannot be written: {detail}",
    many="{count} files cannot be written: {detail}",
    notes=_THEY_ARE,
    help="{mend}",
)

KEPT: Final = Message(
    "E802",
    "`{path}` cannot be removed: {detail}",
    many="{count} files cannot be removed: {detail}",
    notes=_THEY_ARE,
    help="{mend}",
)

MENDING: Final = (
    (
        (errno.ENOSPC, errno.EDQUOT),
        "free disk space and run the command again: it writes only what is missing",
    ),
    (
        (errno.EACCES, errno.EPERM),
        "check the owner and the permissions of the folder (`ls -ld`), or choose another folder "
        "with `--out`",
    ),
    ((errno.EROFS,), "choose a writable folder with `--out`"),
    (
        (errno.ENOTDIR,),
        "a file is in the place of a folder: move the file away, or choose another `file` for the "
        "output or another `--out`",
    ),
    ((errno.ENAMETOOLONG,), "make the `file` of the output shorter, or the matrix's `name`"),
    ((errno.ELOOP,), "fix the symbolic link, or choose another folder with `--out`"),
)
"""The help of `SYSTEM` and `KEPT` for errors of the system, by their numbers."""
MEND: Final = "fix this and run the command again: it writes only what is missing"
"""The help of `SYSTEM` and `KEPT` for all other errors."""
