"""Files that recipes name: which of them follow the names of axes, and how they are said."""

from __future__ import annotations

import posixpath
import re

from tvarc.byhand.importing.lookups import code_of
from tvarc.byhand.importing.templates import Templates
from tvarc.byhand.importing.written import CannotSay, Roots, file_path
from tvarc.byhand.reading.marks import CODE_CLOSE, CODE_OPEN, FOLD_CLOSE, FOLD_OPEN
from tvarc.byhand.reading.trees import path_of
from tvarc.light import Sequence
from tvarc.nix.language.syntax import NixExpr


class Files:
    """Says files that differ in the cells of one matrix."""

    __slots__ = ("_values", "declared", "templates")

    def __init__(self, templates: Templates) -> None:
        self.templates = templates
        self.declared = templates.declared
        cells = self.declared.cells
        values = [value for axis in cells.axes for value in axis.values]
        words = sorted({*values, *cells.shape.stems}, key=len, reverse=True)
        self._values = re.compile(
            rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, words))})(?![A-Za-z0-9])"
        )

    def by_axes(self, path: str, cell: int) -> str:
        """*path* with names of axes in the place of their values in *cell*."""
        names = {value: name for name, value in self.declared.cells.cells[cell].items()}
        names[self.declared.cells.shape.stems[cell]] = "variant"

        def named(found: re.Match[str]) -> str:
            name = names.get(found[0])
            return f"{CODE_OPEN}{name}{CODE_CLOSE}" if name else found[0]

        return self._values.sub(named, path)

    def below(self, folder: str, paths: Sequence[str]) -> list[str]:
        """The names of files in *folder*, the words in them marked that are values of axes."""

        def marked(found: re.Match[str]) -> str:
            return f"{FOLD_OPEN}{found[0]}{FOLD_CLOSE}"

        return [self._values.sub(marked, posixpath.relpath(path, folder)) for path in paths]

    def follow_axes(
        self, names: Sequence[str], cells: Sequence[int], hint: str, roots: Roots
    ) -> bool:
        """Whether axes say all in which *names* differ, and no table or condition."""
        declared = self.declared
        lookups, lets = declared.lookups, declared.lets
        with declared.aside():
            try:
                pieces = self.templates.template(names, cells, hint, roots)
            except CannotSay:
                return False
            return (
                declared.lets == lets
                and declared.lookups.columns == lookups.columns
                and not any(one.is_code and one.text.startswith("if ") for one in pieces)
            )

    def choice(self, paths: Sequence[str], cells: Sequence[int], hint: str) -> str:
        """Files each by its path, in a table or by conditions."""
        found = self.declared.cells.explain(list(map(file_path, paths)), cells)
        self.declared.odd |= found.exceptions
        return code_of(found.code, self.declared.lookups.hint(hint, plain=True), str)

    def are_one(self, one: str, other: str) -> bool:
        """Whether two files may be the same one of two recipes: their names are the same but for
        folders, or but for words that are values of axes."""
        return posixpath.basename(one) == posixpath.basename(other) or (
            self._values.sub("", one) == self._values.sub("", other)
        )


def paths_of(nodes: Sequence[NixExpr]) -> list[str] | None:
    """The files that *nodes* are, by their paths; None where one is none."""
    paths = [path for node in nodes if (path := path_of(node)) is not None]
    return paths if len(paths) == len(nodes) else None


def folder_of(paths: Sequence[str]) -> str:
    """The folder that has all files *paths*."""
    return posixpath.commonpath(list(map(posixpath.dirname, paths))) or "."


def leads_out(path: str) -> bool:
    return path.startswith(("../", "/")) or path == ".."


def is_within(path: str, folder: str) -> bool:
    """Whether *path* is *folder*, or below it."""
    return folder == "." or f"{path}/".startswith(f"{folder}/")
