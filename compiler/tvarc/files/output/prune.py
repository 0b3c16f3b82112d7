"""Finds and removes files that this program wrote and no longer has. A file belongs to this program
if its head says so. A file in a place of its outputs that names another source, or none, does not.
If another program of the same name may have written it, its owner is uncertain.
"""

# Plain `os` calls: there may be ten thousand names.
# ruff: noqa: PTH106, PTH121, PTH208
from __future__ import annotations

import os

from tvarc.digest import sha256
from tvarc.files.output.folders import (
    Folders,
    Reason,
    Refusals,
    Sources,
    State,
    changed_since,
    flush_folder,
    read_whole,
    reason_of,
    state_of,
)
from tvarc.files.output.header import (
    File,
    Ownership,
    after_head,
    conflict_of,
    head_lines,
    inspect_bytes,
    is_sealed,
    made_from,
)
from tvarc.files.output.plan import OtherPrograms, Place, Sweep
from tvarc.light import Collection, Final, Iterable, Iterator, suppress
from tvarc.text.paths import folded

_ENDINGS: Final = (".nix", ".yml", ".yaml", ".json", ".jsonl")
_HEAD: Final = 1 << 13
_MARK: Final = b"<<<<<<<"  # of a conflict of a merge
_MOST_FOLDERS: Final = 200_000


class Stale:
    """The found files, in order: each path with the state of the file. `edited` were changed by
    hand, and `unsure` may belong to another program."""

    __slots__ = ("edited", "found", "unsure")

    def __init__(self) -> None:
        self.found: dict[str, State] = {}
        self.edited: dict[str, State] = {}
        self.unsure: dict[str, State] = {}

    def __bool__(self) -> bool:
        return bool(self.found or self.edited or self.unsure)

    def all(self) -> dict[str, State]:
        """All found files, by path."""
        return dict(sorted((self.found | self.edited | self.unsure).items()))

    def forget(self, path: str) -> None:
        """Leave out *path*: it is in use."""
        for one in (self.found, self.edited, self.unsure):
            one.pop(path, None)


def find_stale(
    folders: Folders, sweep: Sweep, paths: Collection[str], sources: Sources | None = None
) -> Stale:
    """The files that *sweep* searches for. *paths* are those that this program has. A file among
    *sources* is in use, because the program reads it."""
    stale = Stale()
    for place in sweep.places:
        # A folder that cannot be read is left unchanged, so nothing is lost.
        for folder in _folders(folders, place):
            with suppress(OSError):
                _search(folders, folder, sweep, paths, stale)
    folders.leave()
    if stale:
        _keep_respelt(folders, stale, paths)
        for path in stale.all() if sources is not None else ():
            if sources is not None and sources.holds(folders.full(path)):
                stale.forget(path)
        others = OtherPrograms(sweep.author, folders.root)
        for path in list(stale.found):
            if others.namesake(folders.full(path.rpartition("/")[0])):
                stale.unsure[path] = stale.found.pop(path)
    return stale


def _folders(folders: Folders, place: Place) -> Iterator[str]:
    """The existing folders of *place*, in order, without links."""
    level = [place.folder]
    for _ in range(place.steps):
        below: list[str] = []
        for folder in level:
            with suppress(OSError):
                below += _subfolders(folders, folder)
        level = sorted(below)[:_MOST_FOLDERS]
    for folder in level:
        if folders.state(folder) is True:
            yield folder


def _subfolders(folders: Folders, folder: str) -> list[str]:
    if folders.state(folder) is not True:
        return []
    prefix = f"{folder}/" if folder else ""
    with os.scandir(folders.full(folder)) as entries:
        return [prefix + one.name for one in entries if one.is_dir(follow_symlinks=False)]


def _search(
    folders: Folders, folder: str, sweep: Sweep, paths: Collection[str], stale: Stale
) -> None:
    """Add the stale files in *folder* to *stale*."""
    handle = folders.enter(folder)
    prefix = f"{folder}/" if folder else ""
    found = [
        name
        for name in os.listdir(handle)
        if prefix + name not in paths and name.endswith(_ENDINGS)
    ]
    for name in sorted(found):
        with suppress(OSError):
            _judge(handle, name, prefix + name, sweep, stale)


def _judge(folder: int, name: str, path: str, sweep: Sweep, stale: Stale) -> None:
    """Add *path* to *stale* if it belongs to this program; raises OSError."""
    data, here = read_whole(folder, name)
    head = data if len(data) < _HEAD else data[: data.rfind(b"\n", 0, _HEAD) + 1]
    if not _is_by(head, sweep):
        if _MARK not in head:
            return
        conflict = conflict_of(data)
        if conflict is None or not any(_is_by(side, sweep) for side in conflict.sides):
            return
    is_edited = inspect_bytes(data) is not Ownership.OURS
    (stale.edited if is_edited else stale.found)[path] = state_of(here)


def _is_by(head: bytes, sweep: Sweep) -> bool:
    """Whether *head* says that this program has made the file."""
    return made_from(head) == sweep.author.name and is_sealed(head)


def _keep_respelt(folders: Folders, stale: Stale, paths: Iterable[str]) -> None:
    """Leave out a file that the program has under a spelling that is the same for this file
    system."""
    alike: dict[str, list[str]] = {}
    for path in stale.all():
        alike.setdefault(folded(path), []).append(path)
    for path in paths:
        for other in alike.get(folded(path), ()):
            with suppress(OSError):
                if os.path.samefile(folders.full(other), folders.full(path)):
                    stale.forget(other)


def remove(
    folders: Folders,
    stale: dict[str, State],
    places: Collection[Place],
    faults: Refusals,
) -> list[str]:
    """Delete the files *stale* that are still in the given state, and folders that become empty.
    Returns the paths of the deleted files. The first error of the system ends it."""
    removed: list[str] = []
    touched: dict[str, None] = {}
    try:
        for path, seen in stale.items():
            folder, _, name = path.rpartition("/")
            try:
                handle = folders.enter(folder)
                if state_of(os.stat(name, dir_fd=handle, follow_symlinks=False)) != seen:
                    faults.add(changed_since(handle, name), path)
                    continue
                os.unlink(name, dir_fd=handle)
            except FileNotFoundError:
                continue
            except OSError as error:
                faults.add(Reason.KEPT, path, reason_of(error))
                break
            removed.append(path)
            touched[folder] = None
    finally:
        folders.leave()
    kept = {place.folder for place in places}
    for folder in sorted(touched, reverse=True):
        with suppress(OSError):
            flush_folder(folders.full(folder))
        _remove_empty(folders, folder, kept)
    return removed


def _remove_empty(folders: Folders, folder: str, kept: set[str]) -> None:
    """Delete *folder*, and those above it, as long as they are empty and not in *kept*."""
    with suppress(OSError):  # it is not empty
        while folder and folder not in kept:
            os.rmdir(folders.full(folder))
            folder = folder.rpartition("/")[0]


def renames(folders: Folders, stale: Iterable[str], files: Iterable[File]) -> dict[str, str]:
    """The new path of each file of *stale* with the same content as exactly one of *files*, apart
    from the variant's name and the layout. A file of an earlier run counts, too, because `build
    --prune` may run later than the `build` that made the new files."""
    old: dict[bytes, list[str]] = {}
    whole: set[bytes] = set()
    for path in stale:
        with suppress(OSError):
            folder, _, name = path.rpartition("/")
            data, _ = read_whole(folders.enter(folder), name)
            whole.add(sha256(data).digest())
            old.setdefault(_meaning(data), []).append(path)
    folders.leave()
    new: dict[bytes, list[str]] = {}
    for file in files:
        data = file.data()
        meaning = _meaning(data)
        # A file with exactly the same bytes names the same variant, so it is a copy.
        if meaning in old and sha256(data).digest() not in whole:
            new.setdefault(meaning, []).append(file.path)
    return {
        paths[0]: new[meaning][0]
        for meaning, paths in old.items()
        if len(paths) == 1 and len(new.get(meaning, ())) == 1
    }


def _meaning(data: bytes) -> bytes:
    """A key that is equal for files with the same meaning: the text without the digest, the name of
    the variant, and the layout."""
    import re  # most runs remove nothing, and it is slow to load

    head = [line for line in head_lines(data) if not line.startswith("tvarc digest: ")]
    body = after_head(data).decode("utf-8", "replace").split()
    text = " ".join([*head, "\n", *body])
    name = text.partition(" ")[0].removesuffix(":")
    apart = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "\0", text)
    return sha256(apart.encode("utf-8", "surrogateescape")).digest()
