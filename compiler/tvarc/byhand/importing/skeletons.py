"""Nix text in a program: of one value, of what differs from cell to cell, of files after axes."""

from __future__ import annotations

from tvarc.byhand.importing.files import Files
from tvarc.byhand.importing.skeleton import Skeleton
from tvarc.byhand.importing.symbols import MARKED, coded
from tvarc.byhand.importing.templates import Templates
from tvarc.byhand.importing.written import Roots, nix_text
from tvarc.byhand.reading.marks import CODE_OPEN
from tvarc.byhand.reading.trees import joined, path_node, rewritten
from tvarc.light import Callable, Sequence
from tvarc.nix.language.syntax import NixApply, NixBinary, NixExpr, NixIdent, NixString

OfInput = Callable[[NixExpr, Roots], "str | None"]
"""The name of what is of another repository, if that is what a node is."""


class Skeletons:
    """Makes Nix text for the cells of one matrix; *of_input* names what other repositories have."""

    __slots__ = ("_of_input", "declared", "files", "templates")

    def __init__(self, templates: Templates, files: Files, of_input: OfInput) -> None:
        self.templates = templates
        self.declared = templates.declared
        self.files = files
        self._of_input = of_input

    def one(self, node: NixExpr, roots: Roots) -> str:
        """*node*, which is the same in all cells."""
        return self._written(node, Skeleton(self.templates, self.files, roots))

    def differing(
        self, nodes: Sequence[NixExpr], cells: Sequence[int], hint: str, roots: Roots
    ) -> str:
        """What *nodes* have alike, with places for what differs. Raises CannotSay."""
        made = Skeleton(self.templates, self.files, roots)
        return self._written(made.of(nodes, cells, hint), made)

    def files_of(
        self, folder: str, names: Sequence[str], cells: Sequence[int], hint: str, roots: Roots
    ) -> str:
        """Files of a *folder* by their *names* in it, as Nix puts them together."""
        made = Skeleton(self.templates, self.files, roots)
        return self._written(made.put_together(folder, names, cells, hint), made)

    def of_axes(self, path: str, roots: Roots) -> str:
        """The files that *path* is, in which names of axes stand."""
        made = Skeleton(self.templates, self.files, roots)
        steps = path.split("/")
        fixed = next(at for at, step in enumerate(steps) if CODE_OPEN in step)
        parts = MARKED.split("/" + "/".join(steps[fixed:]))
        text = "".join(
            [made.within(one[1:-1]) if one.startswith(CODE_OPEN) else one for one in parts]
        )
        folder = path_node("/".join(steps[:fixed]) or ".")
        return self._written(NixBinary("+", folder, NixString((text,))), made)

    def _written(self, node: NixExpr, made: Skeleton) -> str:
        """*node* as text, with the values that it is *made* with, and files of other
        repositories."""

        links = self.templates.links()

        def change(one: NixExpr) -> NixExpr | None:
            if not isinstance(one, NixApply | NixBinary | NixString):
                return None
            name = self._of_input(one, made.roots)
            if name is not None:
                return NixIdent(made.filled(name))
            if not links or not isinstance(one, NixString):
                return None
            parts = [
                coded(part, links.get, made.within)
                if isinstance(part, str)
                else rewritten(part, change)
                for part in one.parts
            ]
            return joined(parts)

        return nix_text(rewritten(node, change), made.roots, made.placeholders)
