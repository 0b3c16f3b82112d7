"""Links: texts that a recipe writes once under a name, such as `version`, and reads elsewhere."""

from __future__ import annotations

from collections import Counter

from tvarc.blocks import ATTRIBUTES
from tvarc.byhand.importing.model import Overlay, Recipe
from tvarc.byhand.importing.names import is_name
from tvarc.byhand.importing.sources import is_fetcher
from tvarc.byhand.reading.marks import FOLD_CLOSE, FOLD_OPEN, FOLDED, plain
from tvarc.byhand.reading.trees import SOURCE, SOURCE_NODE, rewritten, text_of, value_in
from tvarc.light import Final, Iterator, Mapping, Sequence, replace
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinding,
    NixExpr,
    NixLet,
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
    read = Counter(folds_in([recipe.package, *recipe.settings.values()]))
    set_here = {name for name, text in bound.items() if _is_set(recipe, name, text)}
    found: dict[str, str] = {}
    for name, text in bound.items():
        if read[text] and read[text] + (name in set_here) > 1 and text not in found.values():
            found[name] = text
    return found


def marked(recipe: Recipe, bound: Mapping[str, str]) -> Recipe:
    """*recipe* with marks of folding around each attribute whose text its file has *bound* to the
    name of the attribute."""
    settings = {
        f"{ATTRIBUTES}.{name}": NixString((f"{FOLD_OPEN}{text}{FOLD_CLOSE}",))
        for name, text in bound.items()
        if _is_set(recipe, name, text)
    }
    return replace(recipe, settings={**recipe.settings, **settings}) if settings else recipe


def with_source(recipe: Recipe) -> tuple[Recipe, NixExpr | None]:
    """*recipe* with a name in the place of each copy of what it fetches as its `src`, and that; or
    the same recipe and None if there is only one."""
    package, path = recipe.package, f"{ATTRIBUTES}.{SOURCE}"
    given = package.argument if isinstance(package, NixApply) else None
    inner = value_in(given, SOURCE) if isinstance(given, NixAttrs) else None
    source = recipe.settings.get(path, inner)
    if source is None or not is_fetcher(source):
        return recipe, None
    places = [0]

    def change(one: NixExpr) -> NixExpr | None:
        places[0] += one == source
        return SOURCE_NODE if one == source else None

    settings = {name: rewritten(value, change) for name, value in recipe.settings.items()}
    changed = replace(recipe, package=rewritten(package, change), settings=settings)
    return (changed, source) if places[0] > 1 else (recipe, None)


def linked(overlay: Overlay) -> tuple[Overlay, dict[str, str]]:
    """*overlay* with marks of folding around each attribute that others of its attributes read, and
    the names of these attributes by their texts."""
    read = Counter(folds_in(overlay.parts()))
    found: dict[str, str] = {}
    changes: list[tuple[str, NixExpr]] = []
    for path, value in overlay.changes:
        whole, name = text_of(value) or "", path.removeprefix(f"{ATTRIBUTES}.")
        text = plain(whole)
        if read[text] > (text != whole) and is_name(name) and text not in found:
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


def _is_set(recipe: Recipe, name: str, text: str) -> bool:
    """Whether *text* is the attribute *name* of the package."""
    value = recipe.settings.get(f"{ATTRIBUTES}.{name}")
    return value is not None and text_of(value) == text


def folds_in(nodes: Sequence[NixExpr]) -> Iterator[str]:
    """Each text that is marked in *nodes*."""
    for node in walk(nodes):
        if isinstance(node, NixString):
            for part in node.parts:
                if isinstance(part, str) and FOLD_OPEN in part:
                    yield from FOLDED.findall(part)
