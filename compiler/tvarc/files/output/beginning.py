"""The first files of a project: all are written, or none, and nothing that is there is replaced."""

# Plain `os` calls: pathlib costs too much at start.
# ruff: noqa: PTH102, PTH106, PTH108, PTH110, PTH112, PTH114, PTH118, PTH120
from __future__ import annotations

import os

from tvarc.files import messages as msg
from tvarc.files.output.beside import write_new
from tvarc.files.output.folders import Folders, Refused, reason_of
from tvarc.files.output.inventory import read_text
from tvarc.files.output.refusals import Reason
from tvarc.light import Iterable, Sequence, dataclass, suppress
from tvarc.text.diagnostics.model import Sink


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to be: its *path* below the folder of the project, `/` between the steps, and what is
    in it. With *is_list* each line means something by itself."""

    path: str
    data: bytes
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Left:
    """A file that is not written: it is there already, or there is a *reason* against it. `lacks`
    are the lines of a list that the file on disk has not."""

    path: str
    reason: str = ""
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Beginning:
    """What is written into *folder*, in this order, and what is not."""

    folder: str
    new: tuple[NewFile, ...]
    left: tuple[Left, ...]


def is_fit(folder: str, sink: Sink) -> bool:
    """Whether a project can begin in *folder*, which need not be there. It is reported where none
    can."""
    reason = _why_no_folder(folder)
    if reason:
        sink.report(msg.paths.NO_PROJECT, folder=folder, reason=reason)
    return not reason


def _why_no_folder(folder: str) -> str:
    if os.path.islink(folder) and not os.path.exists(folder):
        return "it is a link to nothing"
    folders = Folders(os.path.realpath(folder))
    state = folders.state("")
    return (state.detail if isinstance(state, Refused) else folders.closed("")).lower()


def beginning(folder: str, files: Iterable[NewFile]) -> Beginning:
    """What of *files* is to be written into *folder*, and what stands there already. Nothing is
    written yet."""
    root = os.path.realpath(folder)
    folders = Folders(root)
    new: list[NewFile] = []
    left: list[Left] = []
    for file in files:
        above = file.path.rpartition("/")[0]
        state = folders.state(above)
        closed = "" if isinstance(state, Refused) else folders.closed(above)
        if isinstance(state, Refused):
            left.append(Left(file.path, _why(state)))
        elif os.path.lexists(folders.full(file.path)):
            left.append(_there(root, file))
        elif closed:
            left.append(Left(file.path, f"`{above}`: {closed.lower()}"))
        else:
            new.append(file)
    return Beginning(folder, tuple(new), tuple(left))


def _why(state: Refused) -> str:
    if state.reason is Reason.SYMLINK:
        return f"`{state.at}` is a link"
    return f"`{state.at}`: {state.detail.lower()}"


def _there(root: str, file: NewFile) -> Left:
    """The message about a file that is in the place of *file*."""
    path = os.path.join(root, file.path)
    if os.path.islink(path) and not os.path.exists(path):
        return Left(file.path, "it is a link to nothing")
    text, fault = read_text(os.path.realpath(root), file.path)
    if fault or not file.is_list:
        return Left(file.path)
    known = {line.strip() for line in text.splitlines()}
    lines = file.data.decode("utf-8").splitlines()
    lacks = [line for line in lines if not line.startswith("#") and line.strip() not in known]
    return Left(file.path, lacks=tuple(lacks))


def write_beginning(made: Beginning, sink: Sink) -> bool:
    """Write the new files of *made*; whether all of them are there. Where one cannot be written,
    which is reported, or the run is interrupted, those before it are removed again."""
    tried: list[NewFile] = []
    folders: list[str] = []
    whole = False
    try:
        for file in made.new:
            place = _place(made, file)
            for missing in _missing(os.path.dirname(place)):
                os.mkdir(missing)
                folders.append(missing)
            tried.append(file)
            write_new(place, file.data, sink)
            if sink.has_errors:
                break
        whole = not sink.has_errors
    except OSError as fault:
        reason = reason_of(fault).lower()
        sink.report(msg.paths.NOT_WRITTEN, file=made.folder, reason=reason)
    finally:
        if not whole:
            _undo(made, tried, folders)
    return whole


def _place(made: Beginning, file: NewFile) -> str:
    return os.path.join("" if made.folder == "." else made.folder, *file.path.split("/"))


def _missing(folder: str) -> list[str]:
    """The folders that are to be made for *folder* to be there, the highest first."""
    found: list[str] = []
    while folder and not os.path.isdir(folder):
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    return found


def _undo(made: Beginning, files: Sequence[NewFile], folders: Sequence[str]) -> None:
    """Remove *files*, as far as they are as they were to be written, and the *folders* that were
    made for them."""
    for file in files:
        text, fault = read_text(os.path.realpath(made.folder), file.path)
        if not fault and text.encode("utf-8") == file.data:
            with suppress(OSError):
                os.unlink(_place(made, file))
    for folder in reversed(folders):
        with suppress(OSError):
            os.rmdir(folder)
