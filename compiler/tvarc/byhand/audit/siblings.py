"""The recipes of a folder that others in it may need: by their files, and as arguments."""

from __future__ import annotations

import posixpath

from tvarc.byhand.audit.names import Cell
from tvarc.light import Iterable


class Siblings:
    """The recipes of *cells*, whether or not their files are there."""

    __slots__ = ("_by_argument", "_by_package", "_by_path")

    def __init__(self, cells: Iterable[Cell]) -> None:
        self._by_path: dict[str, Cell] = {}
        self._by_package: dict[str, str] = {}
        self._by_argument: dict[str, str] = {}
        for cell in cells:
            path = cell.path
            self._by_path[path] = cell
            self._by_package[cell.package] = path
            name = package_of(posixpath.basename(path.removesuffix("/default.nix")))
            # A name that two files have says of neither that it is meant.
            self._by_argument[name] = "" if name in self._by_argument else path

    def file(self, importer: str, named: str) -> str:
        """The path of the recipe that the file *importer* calls *named*; empty for any other."""
        if not named.startswith("."):
            return ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(importer), named))
        return self._by_package.get(package_of(path), "")

    def argument(self, name: str) -> str:
        """The path of the recipe that an argument of this *name* is; empty for any other."""
        return self._by_argument.get(name, "")

    def apart(self, one: str, other: str) -> str:
        """In which axis values the recipe at the path *one* is not the *other*."""
        mine, theirs = self._by_path[one], self._by_path[other]
        told: list[str] = []
        for axis in dict.fromkeys((*theirs.values, *mine.values)):
            here, there = mine.values.get(axis), theirs.values.get(axis)
            if here == there:
                continue
            if here is None:
                told.append(f"without {axis}")
            elif there is None:
                told.append(f"with {axis} {here}")
            else:
                told.append(f"{axis} {here}, not {there}")
        return "; ".join(told) or f"of matrix {mine.matrix}, not {theirs.matrix}"


def package_of(path: str) -> str:
    """The package that the file at *path* is."""
    return path.removesuffix(".nix").removesuffix("/default").replace("/", ".")
