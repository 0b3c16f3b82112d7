"""Why files were not written, gathered over a run so that each reason is reported once."""

from __future__ import annotations

import errno
import os

from tvarc.light import Enum, assert_never, dataclass
from tvarc.text.diagnostics.model import Sink

_NAMED = 50


class Reason(Enum):
    EDITED = 1
    FOREIGN = 2
    ABSOLUTE = 3
    PARENT = 4
    NOT_PLAIN = 5
    SYMLINK = 6
    NO_FILE = 7
    SOURCE = 8
    TWICE = 9
    FOLDER_TOO = 10
    SYSTEM = 11
    KEPT = 12
    OTHER_PROGRAM = 13
    MEANWHILE = 14
    MERGED = 15
    LARGE = 16
    CHECKOUT = 17
    RESERVED = 18


class Refusals:
    """Collects paths by reason; `report` makes one diagnostic of each reason."""

    __slots__ = ("_paths",)

    def __init__(self) -> None:
        self._paths: dict[tuple[Reason, str], dict[str, None]] = {}

    def add(self, reason: Reason, path: str, detail: str = "") -> None:
        """*detail* is the system's reason, for `Reason.SYSTEM` and `Reason.KEPT`, or the name of
        the program for `Reason.OTHER_PROGRAM`."""
        self._paths.setdefault((reason, detail), {})[path] = None

    def __bool__(self) -> bool:
        return bool(self._paths)

    def report(self, sink: Sink, note: str = "") -> None:
        """Add the diagnostics to *sink*, each with *note* at its end."""
        for (reason, detail), given in self._paths.items():
            paths = list(given)
            words = _words(reason, detail)
            if len(paths) == 1:
                title, notes = words.one.replace("%", f"`{paths[0]}`", 1), []
            else:
                title, notes = words.many.replace("%", str(len(paths)), 1), [_listed(paths)]
            if note:
                notes.append(note)
            sink.error(words.code, title, notes=notes, help=words.help)


@dataclass(frozen=True, slots=True)
class _Words:
    """The words for a reason: `%` stands for the path, or for how many there are."""

    code: str
    one: str
    many: str
    help: str


def _listed(paths: list[str]) -> str:
    from tvarc.text.diagnostics.render_cells import safe

    shown = [f"  {safe(path)}" for path in paths[:_NAMED]]
    if len(paths) > _NAMED:
        shown.append(f"  and {len(paths) - _NAMED} more")
    return "\n".join(["they are:", *shown])


def _words(reason: Reason, detail: str) -> _Words:
    match reason:
        case Reason.EDITED:
            return _Words(
                "E801",
                "% was changed by hand since it was written",
                "% files were changed by hand since they were written",
                "move the change into the .tvar, then build with `--adopt`, which shows the "
                "differences and keeps a copy (`--adopt --dry-run` only shows them), or with "
                "`--force`, which keeps no copy",
            )
        case Reason.FOREIGN:
            return _Words(
                "E801",
                "% is in the way: tvarc did not write it",
                "% files are in the way: tvarc did not write them",
                _IN_THE_WAY,
            )
        case Reason.LARGE:
            return _Words(
                "E801",
                "% is in the way: it is larger than 64 MiB, and no recipe is so large",
                "% files are in the way: they are larger than 64 MiB, and no recipe is so large",
                _IN_THE_WAY,
            )
        case Reason.MERGED:
            return _Words(
                "E801",
                "% has merge conflicts, and perhaps changes by hand",
                "% files have merge conflicts, and perhaps changes by hand",
                "one side was changed by hand, or git does not have both sides any more: move the "
                "change into the .tvar, then build with `--adopt`, which shows the differences "
                "and keeps a copy, or with `--force`, which keeps no copy",
            )
        case Reason.OTHER_PROGRAM:
            return _Words(
                "E801",
                f"% belongs to another program, `{detail}`",
                f"% files belong to another program, `{detail}`",
                "give the outputs of one of them another `file`; if the other program was renamed "
                "to this one, or this one should take over its recipes, build with `--force`, or "
                "with `--adopt`, which shows the differences and keeps a copy",
            )
        case Reason.MEANWHILE:
            return _Words(
                "E801",
                "% was written by another build while this one ran",
                "% files were written by another build while this one ran",
                "run the command again when the other build has ended",
            )
        case Reason.ABSOLUTE:
            return _outside("is an absolute path", "are absolute paths", _INSIDE)
        case Reason.PARENT:
            return _outside("leaves the output folder with `..`", "leave it with `..`", _INSIDE)
        case Reason.NOT_PLAIN:
            return _outside("is not a plain file path", "are not plain file paths", _PLAIN)
        case Reason.SYMLINK:
            return _outside(
                "is a symbolic link or is behind one",
                "are symbolic links or are behind one",
                "replace the link with a real file or folder, or choose another path",
            )
        case Reason.NO_FILE:
            return _outside(
                "exists already and is not a regular file",
                "exist already and are not regular files",
                "move it away, or choose another path",
            )
        case Reason.SOURCE:
            return _outside(
                "is a file that this program reads",
                "are files that this program reads",
                "choose another `file` for the output",
            )
        case Reason.CHECKOUT:
            return _outside(
                "is in a folder that recipes are built from",
                "are in a folder that recipes are built from",
                "tvarc does not write to what a `path` names: choose another `file` for the "
                "output, or another `--out`",
            )
        case Reason.RESERVED:
            return _outside(
                "is a file of git or the lock",
                "are files of git or the lock",
                "tvarc writes nothing to a folder `.git` or to `tvar.lock`, in any spelling: "
                "choose another `file`",
            )
        case Reason.TWICE:
            return _Words(
                "E402",
                "% would be written twice",
                "% files would be written twice",
                "give each variant and each output a file of its own",
            )
        case Reason.FOLDER_TOO:
            return _Words(
                "E802",
                "% cannot be written: other files need a folder of this name",
                "% files cannot be written: other files need folders of these names",
                "choose another `file` for one of the outputs",
            )
        case Reason.SYSTEM:
            return _Words(
                "E802",
                f"% cannot be written: {detail}",
                f"% files cannot be written: {detail}",
                _mended(detail),
            )
        case Reason.KEPT:
            return _Words(
                "E802",
                f"% cannot be removed: {detail}",
                f"% files cannot be removed: {detail}",
                _mended(detail),
            )
        case _:
            assert_never(reason)


def _mended(detail: str) -> str:
    """What a person can do about a fault that the system reports."""
    for numbers, advice in _MENDING:
        if detail in map(os.strerror, numbers):
            return advice
    return "fix this and run the command again: it writes only what is missing"


_MENDING = (
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

_IN_THE_WAY = (
    "to keep it, move it or choose another `file` for the output; to replace it, build with "
    "`--adopt`, which shows the differences and keeps a copy, or with `--force`, which keeps "
    "no copy"
)
_INSIDE = "write a path below the output folder, such as `recipes/{{variant}}.nix`"
_PLAIN = "write the path without empty or `.` steps and without a `/` at the end"


def _outside(one: str, many: str, advice: str) -> _Words:
    return _Words("E803", f"output % {one}", f"% outputs {many}", advice)
