"""Links: texts that a recipe writes once under a name, such as `version`, and reads elsewhere."""

from __future__ import annotations

from collections import Counter

from tvarc.blocks import ATTRIBUTES
from tvarc.byhand.importing.model import Overlay, Recipe
from tvarc.byhand.importing.names import is_name
from tvarc.byhand.reading.marks import FOLD_CLOSE, FOLD_OPEN, FOLDED
from tvarc.byhand.reading.trees import attrs_of, entries_of, rewritten, text_of
from tvarc.light import Final, Iterator, Mapping, Sequence, dataclass, replace
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
    sets = list(_reading(recipe.original.written, bound, own=own))
    read = {pair for one in sets for pair in one.read}

    def change(one: NixExpr) -> NixExpr | None:
        if not isinstance(one, NixAttrs):
            return None
        entries = entries_of(one)
        # A set of another file may have the same text under the same name by chance.
        names, texts = {*dict(entries)}, {(name, text_of(value)) for name, value in entries}
        here = {
            pair
            for each in sets
            if each.names <= names and each.texts <= texts
            for pair in each.read
        }
        made = [
            (name, _folded(value, bound, here, name) or rewritten(value, change))
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


@dataclass(frozen=True, slots=True)
class _Reading:
    """A set of a file that reads names: pairs of attribute and name; the names of its attributes,
    and the texts that it writes out, by these names."""

    read: frozenset[tuple[str, str]]
    names: frozenset[str]
    texts: frozenset[tuple[str, str]]


def _reading(root: NixExpr, bound: Mapping[str, str], *, own: bool) -> Iterator[_Reading]:
    """The sets with attributes whose value is only a name that is *bound*; with *own* also those
    that bind one."""
    for node in walk([root]):
        if not isinstance(node, NixAttrs):
            continue
        read: set[tuple[str, str]] = set()
        names: set[str] = set()
        texts: set[tuple[str, str]] = set()
        for entry in node.entries:
            match entry:
                case NixBinding((str() as name,), value):
                    names.add(name)
                    text = text_of(value)
                    if text is not None:
                        texts.add((name, text))
                        read.update([(name, name)] if own and name in bound else [])
                    elif (named := _name_in(value)) in bound:
                        read.add((name, named))
                case NixInherit(inherited):
                    names.update(inherited)
                    read.update([(name, name) for name in inherited if name in bound])
                case _:
                    pass
        if read:
            yield _Reading(frozenset(read), frozenset(names), frozenset(texts))


def _name_in(value: NixExpr) -> str:
    """The name that *value* only is, or reads of a set; empty for anything else."""
    match value:
        case NixIdent(name) | NixSelect(NixIdent(), (str() as name,), None):
            return name
        case _:
            return ""


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
