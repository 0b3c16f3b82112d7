"""The files of a folder of recipes, and the files that they may import."""

# pathlib costs too much at start.
# ruff: noqa: PTH100, PTH112, PTH118
from __future__ import annotations

import os
import posixpath

from tvarc.files.git.merged import MergedVersions
from tvarc.files.inventory import read_text
from tvarc.files.output.header import Versions
from tvarc.light import Final, Iterable

_MOST_ABOVE: Final = 4  # steps from the folder of recipes to the folder of an imported file


class Folder:
    """The files of one folder, and the files that these import."""

    __slots__ = ("_imported", "_versions", "root")

    def __init__(self, root: str) -> None:
        self._imported: dict[str, tuple[str, str] | str] = {}
        self._versions = MergedVersions()
        self.root = root

    def text(self, path: str) -> tuple[str, str]:
        """The text of a file, or a clause that says why there is none."""
        return read_text(self.root, path)

    def imported(self, importer: str, named: str) -> tuple[str, str] | str:
        """The path and the text of the file that *importer* names as *named*, or a clause that says
        why there is none. Files next to the recipes are read, and below folders up to a few steps
        above. A folder means its `default.nix`. Links are not followed."""
        if not named.startswith((".", "..")) or "\0" in named:
            return "it is not a file in the folder of the recipes"
        path = posixpath.join(posixpath.dirname(importer), named)
        if path not in self._imported:
            self._imported[path] = self._file(posixpath.normpath(path))
        return self._imported[path]

    def _file(self, path: str) -> tuple[str, str] | str:
        """The path and the text of the file, or of the folder, at *path*; or why there is none."""
        if path.startswith("/") or path.split("/").count("..") > _MOST_ABOVE:
            return "it is too far above the folder of the recipes"
        if os.path.isdir(self._full(path)):
            path = posixpath.join(path, "default.nix")
        text, fault = self.text(path)
        if not fault:
            return path, text
        there = os.path.lexists(self._full(path))
        return f"{path}: {fault}" if there else f"there is no file {path}"

    def versions(self, path: str) -> Iterable[Versions]:
        """The versions that may have been merged, for a file with merge conflicts."""
        return self._versions(self._full(path))

    def knows(self, path: str, name: bytes) -> bool:
        """Whether *name* names a commit in the repository of the file, if there is one."""
        return self._versions.knows(self._full(path), name)

    def _full(self, path: str) -> str:
        return os.path.abspath(os.path.join(self.root, path))
