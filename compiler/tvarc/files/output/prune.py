"""Removes files that this program wrote and has no longer, and knows those that were renamed."""

# ruff: noqa: PTH106
from __future__ import annotations

import os
import re

from tvarc.digest import sha256
from tvarc.files.output.atomic import flush_folder
from tvarc.files.output.folders import Folders, reason_of
from tvarc.files.output.header import after_head, head_lines
from tvarc.files.output.model import File, Place
from tvarc.files.output.on_disk import READ, changed_since, read_all, state_of
from tvarc.files.output.refusals import Reason, Refusals
from tvarc.light import Collection, Iterable, suppress


def remove(
    folders: Folders,
    stale: dict[str, tuple[int, ...]],
    places: Collection[Place],
    faults: Refusals,
) -> list[str]:
    """Delete the files *stale* that are still in the state that is given with each, and folders
    that this empties; the paths of those deleted. The first that the system refuses ends it."""
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
    """Delete *folder*, and those above it, while they are empty and none of *kept*."""
    with suppress(OSError):  # it is not empty
        while folder and folder not in kept:
            os.rmdir(folders.full(folder))
            folder = folder.rpartition("/")[0]


def renames(folders: Folders, stale: Iterable[str], files: Iterable[File]) -> dict[str, str]:
    """The new path of each file of *stale* that says the same as one of *files* and no other,
    apart from the variant's name and the layout. A file that an earlier run has made is one, too:
    `build` makes the new ones, and `build --prune` may come later."""
    old: dict[bytes, list[str]] = {}
    whole: set[bytes] = set()
    for path in stale:
        with suppress(OSError):
            data = _content(folders, path)
            whole.add(sha256(data).digest())
            old.setdefault(_meaning(data), []).append(path)
    folders.leave()
    new: dict[bytes, list[str]] = {}
    for file in files:
        data = file.data()
        meaning = _meaning(data)
        # What is the same to the last byte has the variant's own name in it, and is a copy.
        if meaning in old and sha256(data).digest() not in whole:
            new.setdefault(meaning, []).append(file.path)
    return {
        paths[0]: new[meaning][0]
        for meaning, paths in old.items()
        if len(paths) == 1 and len(new.get(meaning, ())) == 1
    }


def _content(folders: Folders, path: str) -> bytes:
    """The bytes of a file below the root; raises OSError."""
    folder, _, name = path.rpartition("/")
    handle = os.open(name, READ, dir_fd=folders.enter(folder))
    try:
        return read_all(handle, os.fstat(handle).st_size)
    finally:
        os.close(handle)


def _meaning(data: bytes) -> bytes:
    """What two files of one meaning share: their text without the digest, the name of the
    variant, and how it is laid out."""
    head = [line for line in head_lines(data) if not line.startswith("tvarc digest: ")]
    body = after_head(data).decode("utf-8", "replace").split()
    text = " ".join([*head, "\n", *body])
    name = text.partition(" ")[0].removesuffix(":")
    apart = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "\0", text)
    return sha256(apart.encode("utf-8", "surrogateescape")).digest()
