"""Lists the Nix files in a folder, their packages and their authors. It only reads."""

# ruff: noqa: PTH118
from __future__ import annotations

import os
import stat

from tvarc.files.output.folders import reason_of
from tvarc.light import Final, dataclass, field

_DEFAULT: Final = "default.nix"
_FLAKE: Final = "flake.nix"
_MOST_ENTRIES: Final = 200_000
_MOST_NESTED: Final = 30
_LARGEST: Final = 4 << 20


@dataclass(frozen=True, slots=True)
class NixFile:
    """A file that is a package: its *path* below the folder, `/` between the steps, and the
    *name* of the package, a `.` between the steps."""

    path: str
    name: str


@dataclass(slots=True)
class Inventory:
    """The packages of a folder by path, and those that another file with the same name hides.
    `whole` is false if there were too many files to examine."""

    root: str
    files: list[NixFile] = field(default_factory=list)
    hidden: dict[str, str] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    whole: bool = True


def inventory(root: str, *, nested: bool, every: bool = False) -> Inventory:
    """The Nix files in the folder *root*, with *nested* those in folders below as well.

    The rules are Flox's: NAME.nix and NAME/default.nix are the package NAME, the latter wins; a
    folder with a default.nix has no other package; names that end in flake.nix are not packages.
    Links are not followed. With *every* the rules do not apply, and each file is listed.
    """
    found = Inventory(root)
    left = _MOST_ENTRIES
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        steps = waiting.pop()
        names, fault = _listed(os.path.join(root, *steps), left)
        left -= len(names)
        if fault:
            found.faults["/".join(steps)] = fault
            continue
        found.whole = found.whole and left > 0
        if steps and not every and any(name == _DEFAULT for name, _ in names):
            found.files.append(NixFile("/".join((*steps, _DEFAULT)), ".".join(steps)))
            continue
        for name, is_folder in reversed(names):
            if is_folder and nested and len(steps) < _MOST_NESTED:
                waiting.append((*steps, name))
        for name, is_folder in names:
            if not is_folder and name.endswith(".nix") and (every or not name.endswith(_FLAKE)):
                stem = name.removesuffix(".nix")
                found.files.append(NixFile("/".join((*steps, name)), ".".join((*steps, stem))))
    if not every:
        _hide(found)
    found.files.sort(key=lambda file: file.path)
    return found


def folders_in(root: str) -> list[str]:
    """The folders in *root* that are neither hidden nor links, by name; none if *root* is not a
    readable folder."""
    names, _ = _listed(root, _MOST_ENTRIES)
    return [name for name, is_folder in names if is_folder and not name.startswith(".")]


def _listed(folder: str, most: int) -> tuple[list[tuple[str, bool]], str]:
    """The names in *folder* in order, each with whether it is a folder; and the reason if there are
    none."""
    names: list[tuple[str, bool]] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                names.append((entry.name, entry.is_dir(follow_symlinks=False)))
                if len(names) >= most:
                    break
    except OSError as error:
        return [], reason_of(error)
    return sorted(names), ""


def _hide(found: Inventory) -> None:
    winners = {file.name: file.path for file in found.files if file.path.endswith(f"/{_DEFAULT}")}
    kept: list[NixFile] = []
    for file in found.files:
        winner = winners.get(file.name, file.path)
        if winner == file.path:
            kept.append(file)
        else:
            found.hidden[file.path] = winner
    found.files = kept


def read_text(root: str, path: str) -> tuple[str, str]:
    """The text of a file below *root*, or a clause that says why it is not read."""
    full = os.path.join(root, *path.split("/"))
    try:
        mode = os.lstat(full)
        if stat.S_ISLNK(mode.st_mode):
            return "", "it is a symbolic link"
        if not stat.S_ISREG(mode.st_mode):
            return "", "it is no regular file"
        if mode.st_size > _LARGEST:
            return "", f"it is larger than {_LARGEST >> 20} MiB"
        handle = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            data = b""
            room = max(mode.st_size + 1, 1 << 12)
            while len(data) <= _LARGEST:
                part = os.read(handle, room)  # asking for much takes longer than to read little
                if not part:
                    break
                data += part
        finally:
            os.close(handle)
    except OSError as error:
        return "", reason_of(error)
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        return "", f"byte {error.start + 1} of it is not UTF-8"
