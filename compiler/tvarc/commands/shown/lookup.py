"""Finds the node of a path in the tree of a variant, or the nodes that the user may have meant."""

from __future__ import annotations

from tvarc.commands.shown.tree import Node, element_nodes, line_nodes, script_text
from tvarc.light import dataclass, replace
from tvarc.text.diagnostics.suggest import nearest
from tvarc.values.value import Missing, NixRef, show_key

# Words that people use for the same thing.
_SAME = {"axis": "axes", "flag": "flags", "scripts": "script", "overlay": "overlays",
         "file": "files", "recipes": "recipe"}  # fmt: skip


_DIGITS = 19  # of a number


@dataclass(frozen=True, slots=True)
class Unknown:
    """A path that does not exist: `found` is the part that exists, `step` the step that fails."""

    found: Node
    step: str

    def known(self) -> list[str]:
        """The possible next steps, as paths are typed."""
        return [path_text(node.path) for node in self.found.children]

    def suggestion(self) -> str | None:
        """The path that was probably meant."""
        if self.step.isdecimal():
            return None  # numbers have no nearest name
        labels = {node.label: node for node in self.found.children}
        near = nearest(self.step, labels)
        return path_text(labels[near].path) if near is not None else None


def look_up(tree: Node, path: str) -> Node | Unknown:
    """The node of *tree* that *path* names: `attrs.cmakeFlags`, an element of it by number or by
    its text (`attrs.cmakeFlags:0`, `attrs.cmakeFlags[0]`, `attrs.cmakeFlags:CUDA_VERSION`), or a
    line of a script (`script.preConfigure:3`, `script.preConfigure:MAX_JOBS`)."""
    path, place = split_place(path)
    node = _of_need(tree, path) or _setting(tree, path)
    if place is None or isinstance(node, Unknown):
        return node
    return _within(node, place)


def _within(node: Node, place: str) -> Node | Unknown:
    """The element or line of *node* with the number or the text *place*, or with *place* in its
    text."""
    lines = line_nodes(node)
    inner = lines or element_nodes(node)
    if not inner:
        child = node.child(place)
        return child if child is not None else Unknown(node, place)
    if place.isdecimal() and len(place) < _DIGITS:
        index = int(place) - (1 if lines else 0)  # lines are counted from 1, elements from 0
        return inner[index] if 0 <= index < len(inner) else Unknown(_choice(node, inner), place)
    texts = [
        one.label if isinstance(one.value, Missing) else script_text(one.value) for one in inner
    ]
    for fits in (lambda text: text.strip() == place.strip(), lambda text: place in text):
        found = [one for one, text in zip(inner, texts, strict=True) if fits(text)]
        if len(found) == 1:
            return found[0]
        if found:
            return Unknown(_choice(node, tuple(found)), place)
    return Unknown(_choice(node, inner), place)


def _numbered(nodes: tuple[Node, ...], step: str) -> Node | None:
    """The node that *step* numbers, from 0."""
    if not step.isdecimal() or len(step) >= _DIGITS or int(step) >= len(nodes):
        return None
    return nodes[int(step)]


def _choice(node: Node, children: tuple[Node, ...]) -> Node:
    return replace(node, children=children)


def split_place(path: str) -> tuple[str, str | None]:
    """A path as typed, and the part within the setting: after a `:`, or in `[ ]`."""
    quoted = False
    for index, letter in enumerate(path):
        if letter == '"':
            quoted = not quoted
        elif not quoted and letter == ":":
            return path[:index], path[index + 1 :]
        elif not quoted and letter == "[" and path.endswith("]"):
            return path[:index], path[index + 1 : -1].strip('"')
    return path, None


def _setting(tree: Node, path: str) -> Node | Unknown:
    node = tree
    for step in steps_of(path):
        found = node.child(step)
        if found is None and node is tree:
            found = node.child(_SAME.get(step, step))
        if found is None:
            found = _numbered(element_nodes(node), step)
        if found is None:
            return _shortcut(tree, path) or Unknown(node, step)
        node = found
    return node


def _of_need(tree: Node, path: str) -> Node | None:
    """The parts of a need that programs read besides its settings: `needs.tool.variant`, the name
    of the variant, and `needs.tool.version`. For a needed variant, *path* is a path in its own
    tree."""
    *steps, last = steps_of(path)
    node: Node | None = tree
    for step in steps:
        node = node.child(step) if node is not None else None
    if node is None or node.kind not in ("variant", "need") or not node.children:
        return None
    if last == "variant":
        return Node("plain", (*node.path, last), tree.value, declared=tree.declared)
    overlays = node.child("overlays")
    attributes = node.child("attrs")
    own = attributes.child(last) if attributes is not None else None
    if last != "version" or own is not None or overlays is None:
        return own if last == "version" else None
    package = node.child("package")
    if package is None or not isinstance(package.value, NixRef) or package.value.root != "pkgs":
        return None
    name = ".".join(package.value.attributes)
    for overlay in reversed(overlays.children):
        relation, _, target = overlay.of.partition(" ")
        if relation == "for":
            found = overlay.child(last) if target == name else None
            if found is not None:
                return found
        elif any(
            f"{name}.".startswith(f"{target}.{one.label}.".lstrip("."))
            for one in overlay.children
        ):
            return None  # its package is another one
    return None


def _shortcut(tree: Node, path: str) -> Node | Unknown | None:
    """The only setting with the name *path* in any block: `cmakeFlags` for `attrs.cmakeFlags`. Or
    the axis or fact with the name that sources use: `gpu.capability`."""
    found = [
        inner
        for block in tree.children
        if block.kind == "block" and block.label not in ("axes", "overlays", "files")
        for inner in block.children
        if inner.label == path
    ]
    if len(found) == 1:
        return found[0]
    axes = tree.child("axes")
    named = axes is not None and axes.child(steps_of(path)[0]) is not None
    return _setting(tree, f"axes.{path}") if named else None


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
    if path and path[-1].startswith(":"):  # a line of a script
        return path_text(path[:-1]) + path[-1]
    return ".".join(step if step.lstrip("-+").isdigit() else show_key(step) for step in path)
