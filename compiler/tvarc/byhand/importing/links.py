"""Links: texts that a recipe writes once under a name, such as `version`, and reads elsewhere."""

from __future__ import annotations

from collections import Counter

from tvarc.blocks import ATTRIBUTES
from tvarc.byhand.importing.model import Overlay, Recipe
from tvarc.byhand.importing.names import is_name
from tvarc.byhand.reading.marks import FOLD_CLOSE, FOLD_OPEN, FOLDED
from tvarc.byhand.reading.trees import attrs_of, entries_of, rewritten, text_of
from tvarc.light import Final, Iterator, Mapping, Sequence, replace
from tvarc.nix.language.syntax import (
    NixAttrs,
    NixBinding,
    NixExpr,
    NixIdent,
    NixInherit,
    NixLet,
    NixSelect,
    NixString,
    walk,
)

_CHANGED: Final = (
    (".", "_", 'replace({}, ".", "_")'),
    (".", "-", 'replace({}, ".", "-")'),
    (".", "", 'replace({}, ".", "")'),
)
"""Changes that recipes make to a version: the old text, the new text, and the expression of the
language for the change."""


def links_of(recipe: Recipe) -> dict[str, str]:
    """The texts that the file of *recipe* writes once, under a name, and that the recipe has twice
    or more, by these names."""
    if recipe.original is None:
        return {}
    bound = _bound(recipe.original.written)
    if not bound:
        return {}
    read = Counter(_folds(marked(recipe, bound, own=False)))
    set_here = {name for name, text in bound.items() if _is_set(recipe, name, text)}
    found: dict[str, str] = {}
    for name, text in bound.items():
        if read[text] and read[text] + (name in set_here) > 1 and text not in found.values():
            found[name] = text
    return found


def marked(recipe: Recipe, bound: Mapping[str, str], *, own: bool = True) -> Recipe:
    """*recipe* with marks of folding around each text that its file has *bound* to a name and reads
    by that name. With *own*, the attributes of these names are marked too."""
    if recipe.original is None or not bound:
        return recipe
    read = set(_read(recipe.original.written, bound))

    def change(one: NixExpr) -> NixExpr | None:
        if not isinstance(one, NixAttrs):
            return None
        entries = entries_of(one)
        made = [
            (name, _folded(value, bound, read, name) or rewritten(value, change))
            for name, value in entries
        ]
        is_same = all(new is old for (_, new), (_, old) in zip(made, entries, strict=True))
        return one if is_same else attrs_of(made)

    of_settings = read | {(name, name) for name in bound if own}
    settings: dict[str, NixExpr] = {}
    for path, value in recipe.settings.items():
        name = path.removeprefix(f"{ATTRIBUTES}.")
        settings[path] = _folded(value, bound, of_settings, name) or rewritten(value, change)
    return replace(recipe, settings=settings, package=rewritten(recipe.package, change))


def linked(overlay: Overlay) -> tuple[Overlay, dict[str, str]]:
    """*overlay* with marks of folding around each attribute that others of its attributes read, and
    the names of these attributes by their texts."""
    read = set(_folds_in(overlay.parts()))
    found: dict[str, str] = {}
    changes: list[tuple[str, NixExpr]] = []
    for path, value in overlay.changes:
        text, name = text_of(value), path.removeprefix(f"{ATTRIBUTES}.")
        if text in read and is_name(name) and text not in found:
            found[text] = name
            value = NixString((f"{FOLD_OPEN}{text}{FOLD_CLOSE}",))
        changes.append((path, value))
    return replace(overlay, changes=tuple(changes)), found


def forms(code: str, text: str) -> Iterator[tuple[str, str]]:
    """The forms of the *text* of a link in recipes, each with its expression. *code* is the
    expression of the link itself."""
    yield text, code
    for old, new, written in _CHANGED:
        if old in text:
            yield text.replace(old, new), written.format(code)


def _bound(root: NixExpr) -> dict[str, str]:
    """The texts of a file by their names, if the file binds the name once."""
    found: dict[str, str] = {}
    twice: set[str] = set()
    for node in walk([root]):
        if not isinstance(node, NixAttrs | NixLet):
            continue
        for entry in node.entries:
            match entry:
                case NixBinding((str() as name,), NixString((str() as text,))) if text:
                    if name in found:
                        twice.add(name)
                    found[name] = text
                case _:
                    pass
    return {
        name: text
        for name, text in found.items()
        if name not in twice and is_name(name) and "\n" not in text
    }


def _read(root: NixExpr, bound: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The attributes whose value is only a name that is *bound*: pairs of attribute and name."""
    for node in walk([root]):
        if not isinstance(node, NixAttrs):
            continue
        for entry in node.entries:
            match entry:
                case NixBinding((str() as name,), NixIdent(read)) if read in bound:
                    yield name, read
                case NixBinding((str() as name,), NixSelect(NixIdent(), (str() as read,), None)):
                    if read in bound:
                        yield name, read
                case NixInherit(names):
                    yield from [(name, name) for name in names if name in bound]
                case _:
                    pass


def _is_set(recipe: Recipe, name: str, text: str) -> bool:
    """Whether *text* is the attribute *name* of the package."""
    value = recipe.settings.get(f"{ATTRIBUTES}.{name}")
    return value is not None and text_of(value) == text


def _folded(
    value: NixExpr, bound: Mapping[str, str], read: set[tuple[str, str]], name: str
) -> NixExpr | None:
    """*value*, marked, if the attribute *name* reads it by a name."""
    text = text_of(value)
    if text and any((name, one) in read and bound[one] == text for one in bound):
        return NixString((f"{FOLD_OPEN}{text}{FOLD_CLOSE}",))
    return None


def _folds(recipe: Recipe) -> Iterator[str]:
    """Each text that is marked in *recipe*, but for its overlays."""
    return _folds_in([recipe.package, *recipe.settings.values()])


def _folds_in(nodes: Sequence[NixExpr]) -> Iterator[str]:
    """Each text that is marked in *nodes*."""
    for node in walk(nodes):
        if isinstance(node, NixString):
            for part in node.parts:
                if isinstance(part, str) and FOLD_OPEN in part:
                    yield from FOLDED.findall(part)
