"""What only Nix knows within texts: numbers stand for it while texts are compared."""

from __future__ import annotations

from tvarc.byhand.importing.files import Files
from tvarc.byhand.reading.marks import NIX_CLOSE, NIX_OPEN
from tvarc.byhand.reading.trees import path_node, path_of
from tvarc.light import Mapping, Sequence
from tvarc.nix.language.syntax import NixExpr, NixString


class Atoms:
    """The parts of texts that only Nix knows, each with a number."""

    __slots__ = ("_numbers", "files", "nodes")

    def __init__(self, files: Files) -> None:
        self.files = files
        self.nodes: list[NixExpr] = []
        self._numbers: dict[NixExpr, int] = {}

    def flat(self, nodes: Sequence[NixString], cells: Sequence[int]) -> list[str]:
        """The texts of *nodes*, with numbers for what only Nix knows; one for files that differ as
        axes do."""
        named = [
            {
                path: self.files.by_axes(path, cell)
                for path in map(path_of, _interpolated(node))
                if path
            }
            for node, cell in zip(nodes, cells, strict=True)
        ]
        literal = {path for one in named for path, form in one.items() if form == path}
        files: dict[str, set[str]] = {}
        for one in named:
            for path, form in one.items():
                files.setdefault(form, set()).add(path)
        follow = {form for form, paths in files.items() if len(paths) > 1 and not paths & literal}
        return [
            self._flat(node, {path: form for path, form in one.items() if form in follow})
            for node, one in zip(nodes, named, strict=True)
        ]

    def _flat(self, node: NixString, files: Mapping[str, str]) -> str:
        made: list[str] = []
        for part in node.parts:
            if isinstance(part, str):
                made.append(part)
                continue
            path = path_of(part)
            if path is not None and path in files:
                part = path_node(files[path])
            number = self._numbers.get(part)
            if number is None:
                number = self._numbers[part] = len(self.nodes)
                self.nodes.append(part)
            made.append(f"{NIX_OPEN}{number}{NIX_CLOSE}")
        return "".join(made)


def _interpolated(node: NixString) -> list[NixExpr]:
    """What stands in `${…}` in a text."""
    return [part for part in node.parts if not isinstance(part, str)]
