"""Finds links: texts that a recipe writes once under a name, such as `version`, and reads
elsewhere."""

from __future__ import annotations

import re
from collections import Counter

from tvarc.blocks import ATTRIBUTES
from tvarc.byhand.importing.model import Overlay, Recipe
from tvarc.byhand.importing.names import is_name
from tvarc.byhand.importing.sources import is_fetcher
from tvarc.byhand.reading.marks import FOLD_CLOSE, FOLD_OPEN, FOLDED, plain
from tvarc.byhand.reading.trees import (
    SOURCE,
    SOURCE_NODE,
    attrs_of,
    entries_of,
    rewritten,
    text_of,
    value_in,
)
from tvarc.light import Collection, Final, Iterator, Mapping, Sequence, dataclass, replace
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinding,
    NixExpr,
    NixIdent,
    NixLet,
    NixString,
    walk,
)

_VERSION: Final = re.compile(r'([\w-]*\bversion) += +"(\d+(?:\.\d+)+)"(?!;)')
_NUMBER: Final = re.compile(r"\d")
_CHANGED: Final = (
    (".", "_", 'replace({}, ".", "_")'),
    (".", "-", 'replace({}, ".", "-")'),
    (".", "", 'replace({}, ".", "")'),
)
"""Changes that recipes make to a version: the old text, the new text, and the expression of the
language for the change."""


def links_of(recipe: Recipe) -> dict[str, str]:
    """The texts that the file of *recipe* writes once under a name, and that the recipe contains at
    least twice, by these names."""
    bound = bound_in(recipe)
    if not bound:
        return {}
    recipe = read_once(recipe, bound)
    read = Counter(folds_in([recipe.package, *recipe.settings.values()]))
    for text in written_in(recipe).values():
        read.update(FOLDED.findall(text) if read[plain(text)] else ())
    set_here = {name for name, text in bound.items() if _is_set(recipe, name, text)}
    found: dict[str, str] = {}
    for name, text in bound.items():
        if read[text] and read[text] + (name in set_here) > 1 and text not in found.values():
            found[name] = text
    return found


def marked(recipe: Recipe, bound: Mapping[str, str]) -> Recipe:
    """*recipe* with marks of folding around the attributes and builder arguments that are links.
    *bound* has the texts that the file binds to names. An attribute is a link if the file binds the
    same text to its name."""
    folded = {name: NixString((f"{FOLD_OPEN}{text}{FOLD_CLOSE}",)) for name, text in bound.items()}
    settings = {
        f"{ATTRIBUTES}.{name}": folded[name]
        for name, text in bound.items()
        if _is_set(recipe, name, text)
    }
    package = recipe.package
    match package:
        case NixApply(builder, NixAttrs() as given):
            entries = [
                (name, folded.get(name, value) if text_of(value) == bound.get(name) else value)
                for name, value in entries_of(given)
            ]
            if entries != entries_of(given):
                package = NixApply(builder, attrs_of(entries))
        case _:
            pass
    if not settings and package is recipe.package:
        return recipe
    return replace(recipe, package=package, settings={**recipe.settings, **settings})


def source_in(recipe: Recipe) -> NixExpr | None:
    """The source that *recipe* fetches as its `src`; None if it fetches none."""
    package = recipe.package
    given = package.argument if isinstance(package, NixApply) else None
    inner = value_in(given, SOURCE) if isinstance(given, NixAttrs) else None
    source = recipe.settings.get(f"{ATTRIBUTES}.{SOURCE}", inner)
    return source if source is not None and is_fetcher(source) else None


def with_source(recipe: Recipe, source: NixExpr) -> tuple[Recipe, bool]:
    """*recipe* with each copy of its *source* replaced by a name, and whether there are several
    copies."""
    count = 0

    def change(one: NixExpr) -> NixExpr | None:
        nonlocal count
        count += one == source
        return SOURCE_NODE if one == source else None

    settings = {name: rewritten(value, change) for name, value in recipe.settings.items()}
    return replace(recipe, package=rewritten(recipe.package, change), settings=settings), count > 1


def linked(overlay: Overlay) -> tuple[Overlay, dict[str, str]]:
    """*overlay* with marks of folding around each attribute that its other attributes read, and the
    names of these attributes by their texts."""
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


@dataclass(frozen=True, slots=True)
class Unlinked:
    """A `version` that a program has under a name, and the other lines of the program and its
    module of texts that also contain it. A change by the name does not change these lines."""

    version: str
    lines: tuple[int, ...]
    text_lines: tuple[int, ...]


def unlinked(program: str, texts: str) -> Iterator[Unlinked]:
    """The named versions of a *program* that other lines also contain. A version of two numbers may
    belong to something else, so it is searched only in the declarations that have it or read its
    name."""
    owners: dict[str, set[int]] = {}
    lines = list(_in_declarations(program))
    for declaration, line in lines:
        for name, version in _VERSION.findall(line):
            read = re.compile(rf"(?<![\w-]){name}(?![\w-])") if line.startswith("let ") else None
            readers = [number for number, one in lines if read is not None and read.search(one)]
            owners.setdefault(version, set()).update([declaration, *readers])
    for version, own in owners.items():
        is_long = version.count(".") > 1
        word = re.compile(rf"(?<![\w.])v?{re.escape(version)}(?![\w-]|\.\w)")
        at = [
            number
            for number, (declaration, line) in enumerate(lines, 1)
            if (is_long or declaration in own) and word.search(_VERSION.sub("", line))
        ]
        rows = texts.split("\n") if is_long else []
        below = [number for number, line in enumerate(rows, 1) if word.search(line)]
        if at or below:
            yield Unlinked(version, tuple(at), tuple(below))


def _in_declarations(program: str) -> Iterator[tuple[int, str]]:
    """The lines of *program*, each with the number of its declaration. The head of an overlay may
    compare a version, so it becomes an empty line."""
    number = 0
    for line in program.split("\n"):
        number += line[:1].isalpha()
        yield number, "" if line.startswith("overlay ") else line


def bound_in(recipe: Recipe) -> dict[str, str]:
    """The texts of the file of *recipe* by their names, if the file binds the name once."""
    return {name: plain(text) for name, text in written_in(recipe).items()}


def written_in(recipe: Recipe) -> dict[str, str]:
    """The same with marks of folding around the parts that a text reads, such as `"${major}.13"`. A
    text that reads other names comes after these, and has a number of its own, unlike
    `"${pname}-${version}"`, which changes with its names."""
    if recipe.original is None:
        return {}
    bound: dict[str, list[NixString]] = {}
    for node in walk([recipe.original.written]):
        for entry in node.entries if isinstance(node, NixAttrs | NixLet) else ():
            match entry:
                case NixBinding((str() as name,), NixString() as value):
                    bound.setdefault(name, []).append(value)
                case _:
                    pass
    found: dict[str, str] = {}
    for name, values in sorted(bound.items(), key=lambda one: len(one[1][0].parts)):
        parts = [
            part
            if isinstance(part, str)
            else f"{FOLD_OPEN}{found.get(part.name, '')}{FOLD_CLOSE}"
            if isinstance(part, NixIdent)
            else "\n"
            for part in values[0].parts
        ]
        text = "".join(parts)
        is_open = f"{FOLD_OPEN}{FOLD_CLOSE}" in text or f"{FOLD_OPEN}{FOLD_OPEN}" in text
        is_own = text and (FOLD_OPEN not in text or _NUMBER.search(FOLDED.sub("", text)))
        is_line = "\n" not in text and not is_open
        if is_own and is_line and len(values) == 1 and is_name(name):
            found[name] = text
    return found


def read_once(recipe: Recipe, names: Collection[str]) -> Recipe:
    """*recipe* with marks of folding around each text of *names* that reads other names and that
    the recipe contains twice. Such a text links to its own name, and not to the names that it
    reads."""
    texts = [text for name, text in written_in(recipe).items() if name in names]
    nodes = list(walk([recipe.package, *recipe.settings.values()])) if texts else []
    strings = [one for one in nodes if isinstance(one, NixString)]
    whole = "\n".join([part for one in strings for part in one.parts if isinstance(part, str)])
    forms = [
        (form, f"{FOLD_OPEN}{plain(text)}{FOLD_CLOSE}")
        for text in texts
        if FOLD_OPEN in text
        and len((form := re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")).findall(whole)) > 1
    ]
    if not forms:
        return recipe

    def change(one: NixExpr) -> NixExpr | None:
        if not isinstance(one, NixString):
            return None
        parts = [part if isinstance(part, str) else rewritten(part, change) for part in one.parts]
        for form, whole in forms:
            parts = [form.sub(whole, part) if isinstance(part, str) else part for part in parts]
        return replace(one, parts=tuple(parts))

    settings = {name: rewritten(value, change) for name, value in recipe.settings.items()}
    return replace(recipe, package=rewritten(recipe.package, change), settings=settings)


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
