"""Elements of lists: which of two lists are one, and differ."""

from __future__ import annotations

from tvarc.byhand.importing.alignment import similar_words
from tvarc.byhand.importing.files import Files
from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.trees import file_of_input, path_of, text_of
from tvarc.nix.language.syntax import NixApply, NixExpr, NixIdent


def alike(left: NixExpr, right: NixExpr, files: Files) -> float:
    """How much speaks for elements of two lists being one of both, which differs."""
    mine, theirs = text_of(left), text_of(right)
    if mine is not None and theirs is not None:
        same = plain(mine).split("=")[0] == plain(theirs).split("=")[0]
        return 1.5 if same else similar_words(mine, theirs) - 0.7 if mine and theirs else 0
    if left == right:
        return 2.0
    mine, theirs = path_of(left), path_of(right)
    if mine is not None and theirs is not None and files.are_one(mine, theirs):
        return 1.2
    mine, theirs = _file_stem(left), _file_stem(right)
    return 1.2 if mine and mine == theirs else -1.0


def _file_stem(node: NixExpr) -> str:
    """What the name of a file of another repository begins with, of which *node* is made."""
    while isinstance(node, NixApply) and node.function != NixIdent("import"):
        node = node.function
    file = file_of_input(node.argument) if isinstance(node, NixApply) else None
    return file[1].rpartition("-")[0] if file is not None else ""
