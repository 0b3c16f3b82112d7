"""Put the files of a pack on disk and do nothing else.   new|same|replace PACK FOLDER

A pack is one file: for each of its files a line "name bytes", then the bytes.

new:      the folder is missing; create each file.
same:     the files are there; read and compare each, write the ones that differ.
replace:  the files are there; write each under another name and rename it over the old one.
"""

# ruff: noqa: PTH103, PTH123 - a floor does without the import of pathlib
from __future__ import annotations

import os
import sys

CREATE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_CLOEXEC


def main() -> None:
    mode, pack, folder = sys.argv[1:]
    if mode == "new":
        os.makedirs(folder)
    where = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    with open(pack, "rb", 1 << 20) as source:
        for head in source:
            name, size = head.split()
            data = source.read(int(size))
            if mode == "new":
                create(name, data, where)
            elif mode == "replace":
                create(name + b"~", data, where)
                os.replace(name + b"~", name, src_dir_fd=where, dst_dir_fd=where)
            elif read(name, len(data) + 1, where) != data:
                create(name, data, where)


def read(name: bytes, size: int, where: int) -> bytes:
    file = os.open(name, READ, dir_fd=where)
    data = os.read(file, size)
    os.close(file)
    return data


def create(name: bytes, data: bytes, where: int) -> None:
    try:
        file = os.open(name, CREATE, 0o666, dir_fd=where)
    except FileNotFoundError:
        parents = name.split(b"/")[:-1]
        for count in range(1, len(parents) + 1):
            try:
                os.mkdir(b"/".join(parents[:count]), dir_fd=where)
            except FileExistsError:
                continue
        file = os.open(name, CREATE, 0o666, dir_fd=where)
    os.write(file, data)
    os.close(file)


if __name__ == "__main__":
    main()
