"""Folders of files: packed for the floors, compared with what they have to be."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from bench.timing import Failed

Files = Iterable[tuple[str, bytes]]


def files_below(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Path below *folder*, and content, of each file in it, in order of names."""
    for here, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(here, name)
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def write_pack(files: Files, pack: Path) -> tuple[int, int]:
    """Put files into one, see `floors/writer.py`; their number, and their bytes in all."""
    count = size = 0
    with pack.open("wb") as target:
        for name, data in files:
            target.write(b"%s %d\n" % (name.encode(), len(data)))
            target.write(data)
            count, size = count + 1, size + len(data)
    return count, size


def read_pack(pack: Path) -> Iterator[tuple[str, bytes]]:
    with pack.open("rb") as source:
        for head in source:
            name, size = head.split()
            yield name.decode(), source.read(int(size))


def demand_equal(wanted: Files, folder: Path) -> None:
    """`Failed` unless *folder* holds exactly the files that are wanted."""
    if changed(wanted, folder):
        raise Failed("it wrote other bytes")


def changed(wanted: Files, folder: Path) -> int:
    """How many files of *folder* differ; `Failed` when there are others than are wanted."""
    seen = different = 0
    for name, data in wanted:
        seen += 1
        try:
            different += (folder / name).read_bytes() != data
        except FileNotFoundError:
            raise Failed(f"{name} is missing") from None
    there = sum(len(names) for _, _, names in os.walk(folder))
    if there != seen:
        raise Failed(f"it wrote {there} files in place of {seen}")
    return different


def remove(path: Path) -> None:
    """Delete a folder, if it is there."""
    if path.exists():
        shutil.rmtree(path)
