"""Find what a path names in the tree of a variant, or what it may have meant."""

from __future__ import annotations

from tvarc.diagnostics.suggest import nearest
from tvarc.light import dataclass
from tvarc.report.tree import Node
from tvarc.values import show_key

# Words that people use for the same thing.
_SAME = {"axis": "axes", "flag": "flags", "scripts": "script", "overlay": "overlays",
         "file": "files", "recipes": "recipe"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unknown:
    """A path that leads nowhere: `found` is as far as it leads, `step` the step that fails."""

    found: Node
    step: str

    def known(self) -> list[str]:
        """What may follow, as paths are typed."""
        return [path_text(node.path) for node in self.found.children]

    def suggestion(self) -> str | None:
        """The path that was probably meant."""
        labels = {node.label: node for node in self.found.children}
        near = nearest(self.step, labels)
        return path_text(labels[near].path) if near is not None else None


def look_up(tree: Node, path: str) -> Node | Unknown:
    """The node of *tree* that *path* names."""
    node = tree
    for step in steps_of(path):
        found = node.child(step)
        if found is None and node is tree:
            found = node.child(_SAME.get(step, step))
        if found is None:
            return _shortcut(tree, path) or Unknown(node, step)
        node = found
    return node


def _shortcut(tree: Node, path: str) -> Node | None:
    """The one setting called *path*, its block left out: `cmakeFlags` for `attrs.cmakeFlags`."""
    found = [
        inner
        for block in tree.children
        if block.kind == "block" and block.label not in ("axes", "overlays", "files")
        for inner in block.children
        if inner.label == path
    ]
    return found[0] if len(found) == 1 else None


def steps_of(path: str) -> list[str]:
    """The steps of a path as typed: names between dots, in quotes where they hold dots."""
    steps: list[str] = [""]
    quoted = False
    for letter in path:
        if letter == '"':
            quoted = not quoted
        elif letter == "." and not quoted:
            steps.append("")
        else:
            steps[-1] += letter
    return steps


def path_text(path: tuple[str, ...]) -> str:
    """*path* as it is typed."""
    return ".".join(step if step.lstrip("-+").isdigit() else show_key(step) for step in path)
