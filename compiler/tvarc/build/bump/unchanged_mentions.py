"""Finds lines that were not changed together with a value, although they may depend on it. They
mention the old value, other versions or sources of the program, or rows that the library lacks."""

from __future__ import annotations

import re

from tvarc.advice.library.tables import Library
from tvarc.build.bump.places import given
from tvarc.build.driver import Compilation
from tvarc.decide.book import Hashes
from tvarc.light import Collection, Iterator, Mapping, Sequence, dataclass
from tvarc.meaning.names.load import ModuleGraph
from tvarc.syntax import ast
from tvarc.text.source import Source, Span
from tvarc.text.toml import line_span
from tvarc.values.plain import Ordinal
from tvarc.values.value import is_version, quote

# Runs of characters in which a number has no meaning: commits and hashes.
_OPAQUE = re.compile(r"(?:sha\d+|md5)-[A-Za-z0-9+/=]+|(?<![0-9a-f])[0-9a-f]{32,}")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_NUMBER = re.compile(r"[0-9]{3,}")  # a version without a dot
_STATED = ("release", "date")  # the fields that decide the age of a nixpkgs
_SHORT = 7  # the digits of a commit that git and users write


@dataclass(frozen=True, slots=True)
class Mention:
    """One place that was not changed: a line of a file, its text, and the part that counts."""

    file: str
    line: Ordinal
    what: str
    text: str
    """The line, without blanks at its ends."""


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The places that a bump did not change: lines that mention the old value, the program's other
    versions and sources, the tables of the library without the new value, and the library's row of
    a new commit.
    """

    saying: tuple[Mention, ...] = ()
    beside: tuple[Mention, ...] = ()
    unknown: tuple[str, ...] = ()
    row: str = ""


def unchanged(
    before: Compilation,
    after: Compilation,
    name: str,
    gone: Sequence[str],
    new: str,
    edits: Sequence[Span],
    *,
    commit: bool,
) -> Unchanged:
    """The unchanged places after *edits* of *before*, which changed the values *gone* of *name* to
    *new*. *name* is a `let`; with *commit*, a pin or an input."""
    assert after.graph is not None and before.graph is not None
    hashes = before.elaboration.shared.hashes, after.elaboration.shared.hashes
    own = own_sources(after)
    near = Near(after.graph, Near(before.graph).items_at(edits))
    saying = [one for old in gone for one in still_there(own, near, old, new)]
    said = {(one.file, one.line) for one in saying}
    stated = pin_states(after.graph, name, own) if commit else ()
    beside = [
        *stated,
        *versions(after.graph, "" if commit else name, own),
        *kept_sources(*hashes, own, near),
    ]
    library = before.library()
    return Unchanged(
        tuple(saying),
        tuple(one for one in beside if (one.file, one.line) not in said),
        () if commit else tuple([t for old in gone for t in unknown_rows(library, name, old, new)]),
        row_of_commit(library, new) if commit else "",
    )


def own_sources(made: Compilation) -> dict[str, Source]:
    """The program's own files, by name."""
    modules = made.graph.modules if made.graph is not None else {}
    found = {file: made.sources.get(file) for file, module in modules.items() if module.own}
    return {file: source for file, source in found.items() if source is not None}


class Near:
    """The places of a program that share a variant with some of its items, by the syntax alone: an
    item belongs to each variant whose declaration names it, itself or through other items. An item
    that no variant names is near, too, since it may be for all of them."""

    def __init__(self, graph: ModuleGraph, edited: Collection[str] = ()) -> None:
        """*edited* are the names of the items. Everything is near nothing."""
        own = [module.tree for module in graph.modules.values() if module.own]
        self.items = [item for tree in own for item in tree.items]
        self.users: dict[str, list[str]] = {}
        for item in self.items:
            for word in _words(item):
                self.users.setdefault(word, []).append(_name(item))
        self.built = {_name(one) for one in self.items if isinstance(one, ast.Matrix | ast.Variant)}
        self.edited = self.variants(edited)

    def items_at(self, spans: Collection[Span]) -> frozenset[str]:
        """The names of the items that have any of *spans*."""
        return frozenset(
            [
                _name(item)
                for item in self.items
                for span in spans
                if span.file == item.span.file and item.span.start <= span.start < item.span.end
            ]
        )

    def variants(self, names: Collection[str]) -> frozenset[str]:
        """The matrices and variants that the items with these *names* belong to."""
        found, waiting = set[str](), list(names)
        while waiting:
            name = waiting.pop()
            if name and name not in found:
                found.add(name)
                waiting += self.users.get(name, ())
        return frozenset(found & self.built)

    def has(self, span: Span) -> bool:
        """Whether *span* is near."""
        here = self.variants(self.items_at((span,)))
        return not here or not self.edited or bool(here & self.edited)


def _name(item: ast.Item) -> str:
    name = getattr(item, "name", None)
    return name.text if isinstance(name, ast.Name) else ""


def _words(item: ast.Item) -> set[str]:
    """The names in *item*, except its own."""
    found = set[str]()
    for node in ast.walk(item):
        match node:
            case ast.Name(text=text) | ast.Ref(name=text):
                found.add(text)
            case _:
                pass
    return found - {_name(item)}


def still_there(own: Mapping[str, Source], near: Near, old: str, new: str) -> list[Mention]:
    """The lines of the files *own* that still mention *old* after it became *new*, and that are
    *near* the edited value."""
    texts = {file: source.text for file, source in own.items()}
    found = mentions(texts, old, new)
    return [one for one in found if near.has(line_span(own[one.file], one.line))]


def places_by_file(places: Sequence[str]) -> str:
    """The places `FILE:LINE`, each file once: `a.tvar:1, 2; b.tvar:3`."""
    lines: dict[str, dict[str, None]] = {}
    for place in places:
        file, _, line = place.rpartition(":")
        lines.setdefault(file, {})[line] = None
    return "; ".join([f"{file}:{', '.join(numbers)}" for file, numbers in lines.items()])


def mentions(texts: Mapping[str, str], old: str, new: str) -> list[Mention]:
    """The lines of *texts* that still mention *old* after it became *new*. A version also counts as
    `2.10`, `2_10` or the `210` of `pytorch210`, a number of three digits or more also after one
    letter, and a commit also if it is shortened. A mention inside the new value does not count."""
    spelled = _commit(old) if _COMMIT.fullmatch(old) else _spellings(old, new)
    found: dict[tuple[str, int], Mention] = {}
    for file, text in texts.items():
        opaque = [] if _COMMIT.fullmatch(old) else [m.span() for m in _OPAQUE.finditer(text)]
        renewed = [m.span() for m in _written(new).finditer(text)]
        for match in spelled.finditer(text):
            if any(start <= match.start() < end for start, end in opaque):
                continue
            if any(start <= match.start() and match.end() <= end for start, end in renewed):
                continue
            line = text.count("\n", 0, match.start()) + 1
            mention = Mention(file, line, match[0], _line(text, match.start()))
            found.setdefault((file, line), mention)
    return list(found.values())


def _written(new: str) -> re.Pattern[str]:
    """The pattern for *new* as it is written, in the form of a source or of a user."""
    spellings = {new, given(new), quote(given(new))[1:-1]} - {""}
    return re.compile("|".join(map(re.escape, sorted(spellings, key=len, reverse=True))) or "(?!)")


def _commit(old: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![0-9a-f]){old[:_SHORT]}[0-9a-f]*")


def _spellings(old: str, new: str) -> re.Pattern[str]:
    whole = rf"(?<![\w.]){re.escape(old)}(?!\w|\.\w)"
    if _NUMBER.fullmatch(old):  # the `b5760` of a tag, not the `sm120` of a GPU
        return re.compile(rf"(?<![0-9.])(?<![A-Za-z]{{2}}){old}(?!\w|\.[0-9])")
    if not is_version(old) or "." not in old:
        return re.compile(whole)
    digits, others = re.findall(r"[0-9]+", old), re.findall(r"[0-9]+", new)
    runs = [digits[:count] for count in range(len(digits), 1, -1)]
    runs = [run for run in runs if others[: len(run)] != run]  # `2.10` is also right for 2.10.1
    parts = [rf"(?<![0-9.]){re.escape('.'.join(run))}(?!\w|\.[0-9])" for run in runs]
    parts += [rf"(?<![0-9])(?<![0-9]_){'_'.join(run)}(?![0-9]|_[0-9])" for run in runs]
    parts += [rf"(?<=[A-Za-z]){''.join(run)}(?![0-9])" for run in runs]
    return re.compile("|".join([whole, *parts]))


def _line(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : len(text) if end < 0 else end].strip()


def versions(graph: ModuleGraph, name: str, sources: Mapping[str, Source]) -> Iterator[Mention]:
    """The other versions to which the program's own files give a name."""
    for module in graph.modules.values():
        if not module.own:
            continue
        for item in module.tree.items:
            match item:
                case ast.Let(
                    value=ast.VersionLit() | ast.Call(function=ast.Name(text="version"))
                ) if item.name.text != name:
                    written = sources[item.span.file].text[item.span.start : item.span.end]
                    yield _mention(item.span, " ".join(written.split()), sources)
                case _:
                    pass


def pin_states(graph: ModuleGraph, name: str, sources: Mapping[str, Source]) -> Iterator[Mention]:
    """The statements of the pin *name* about its nixpkgs. They were written for another commit."""
    for file, module in graph.modules.items():
        for item in module.tree.items if file in sources else ():
            if not isinstance(item, ast.Pin) or item.name.text != name:
                continue
            for field in item.body:
                if isinstance(field, ast.Assign) and field.path[0].text in _STATED:
                    span = field.value.span
                    said = sources[file].text[span.start : span.end]
                    yield _mention(span, f"{field.path[0].text} = {said} of the pin", sources)


def kept_sources(
    before: Hashes, after: Hashes, sources: Mapping[str, Source], near: Near
) -> Iterator[Mention]:
    """The sources *near* the edited value that are fetched as before, with their places."""
    for source, asked in after.asked.items():
        is_own = asked.place.file in sources and near.has(asked.place)
        if source in before.asked and is_own:
            stated = "its hash is stated" if asked.stated else "its hash is in the lock"
            if not asked.stated and source not in after.lock.entries:
                stated = "its hash is not known"
            place = next(iter(asked.stated.values()), asked.place)
            yield _mention(place, f"{source.describe()}, {stated}", sources)


def _mention(span: Span, what: str, sources: Mapping[str, Source]) -> Mention:
    source = sources[span.file]
    line = source.position(span.start).line
    return Mention(span.file, line, what, _line(source.text, span.start))


def unknown_rows(library: Library, name: str, old: str, new: str) -> list[str]:
    """The tables of the library about *name* that have a row for *old* and none for *new*."""
    tables = library.within(name)
    return [
        table.name
        for table in tables
        if library.of_version([table], old) and not library.of_version([table], new)
    ]


def row_of_commit(library: Library, rev: str) -> str:
    """The row of the library with the commit *rev*, with its date and its hash. Empty if there is
    none."""
    for found in library.rows():
        facts = found.row.facts
        if "rev" in facts and facts["rev"].value == rev and "hash" in facts:
            hash = facts["hash"].value
            date = facts["date"].value if "date" in facts else None
            named = f"{found.row.name} of {date}" if isinstance(date, str) else found.row.name
            return f"{named}, {hash}" if isinstance(hash, str) else ""
    return ""
