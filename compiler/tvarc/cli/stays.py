"""What a bump leaves as it is, though it may hang on what was changed."""

from __future__ import annotations

import re

from tvarc.library.tables import Library
from tvarc.light import Iterator, Mapping, dataclass
from tvarc.lock.book import Hashes
from tvarc.sema.load import ModuleGraph
from tvarc.source import Source, Span
from tvarc.syntax import ast
from tvarc.values import is_version

# Runs of letters in which a number means nothing: commits and hashes.
_OPAQUE = re.compile(r"(?:sha\d+|md5)-[A-Za-z0-9+/=]+|(?<![0-9a-f])[0-9a-f]{32,}")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHORT = 7  # digits of a commit, as git and people cut it


@dataclass(frozen=True, slots=True)
class Stay:
    """One place that was not changed: a line of a file, its text, and what of it is meant."""

    file: str
    line: int
    what: str
    text: str


def mentions(texts: Mapping[str, str], old: str, new: str) -> list[Stay]:
    """The lines of *texts*, in which *old* has become *new*, where *old* stands still: as it is,
    a version also as `2.10`, `2_10` or the `210` of `pytorch210`, a commit also cut short."""
    spelled = _commit(old) if _COMMIT.fullmatch(old) else _spellings(old, new)
    found: dict[tuple[str, int], Stay] = {}
    for file, text in texts.items():
        opaque = [] if _COMMIT.fullmatch(old) else [m.span() for m in _OPAQUE.finditer(text)]
        for match in spelled.finditer(text):
            if any(start <= match.start() < end for start, end in opaque):
                continue
            line = text.count("\n", 0, match.start()) + 1
            stay = Stay(file, line, match[0], _line(text, match.start()))
            found.setdefault((file, line), stay)
    return list(found.values())


def _commit(old: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![0-9a-f]){old[:_SHORT]}[0-9a-f]*")


def _spellings(old: str, new: str) -> re.Pattern[str]:
    whole = rf"(?<![\w.]){re.escape(old)}(?!\w|\.\w)"
    if not is_version(old) or "." not in old:
        return re.compile(whole)
    digits, others = re.findall(r"[0-9]+", old), re.findall(r"[0-9]+", new)
    runs = [digits[:count] for count in range(len(digits), 1, -1)]
    runs = [run for run in runs if others[: len(run)] != run]  # `2.10` is right for 2.10.1, too
    parts = [rf"(?<![0-9.]){re.escape('.'.join(run))}(?!\w|\.[0-9])" for run in runs]
    parts += [rf"(?<![0-9])(?<![0-9]_){'_'.join(run)}(?![0-9]|_[0-9])" for run in runs]
    parts += [rf"(?<=[A-Za-z]){''.join(run)}(?![0-9])" for run in runs]
    return re.compile("|".join([whole, *parts]))


def _line(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : len(text) if end < 0 else end].strip()


def versions(graph: ModuleGraph, name: str, sources: Mapping[str, Source]) -> Iterator[Stay]:
    """The other versions that the program's own files give a name to."""
    for module in graph.modules.values():
        if module.std:
            continue
        for item in module.tree.items:
            match item:
                case ast.Let(
                    value=ast.VersionLit() | ast.Call(function=ast.Name(text="version"))
                ) if item.name.text != name:
                    value = item.value.span
                    written = sources[value.file].text[value.start : value.end]
                    yield _stay(item.span, f"let {item.name.text} = {written}", sources)
                case _:
                    pass


def kept_sources(before: Hashes, after: Hashes, sources: Mapping[str, Source]) -> Iterator[Stay]:
    """What is fetched as before, at the places where it is asked for."""
    for source, asked in after.asked.items():
        if source in before.asked and asked.place.file in sources:
            stated = "its hash is stated" if asked.stated else "its hash is in the lock"
            if not asked.stated and source not in after.lock.entries:
                stated = "its hash is not known"
            place = next(iter(asked.stated.values()), asked.place)
            yield _stay(place, f"{source.describe()}, {stated}", sources)


def _stay(span: Span, what: str, sources: Mapping[str, Source]) -> Stay:
    source = sources[span.file]
    line = source.position(span.start).line
    return Stay(span.file, line, what, _line(source.text, span.start))


def unknown_rows(library: Library, name: str, old: str, new: str) -> list[str]:
    """The tables of the library that are about *name* and have a row for *old* but none for
    *new*: what they tell of it is not known."""
    tables = library.within(name)
    return [
        table.name
        for table in tables
        if library.of_version([table], old) and not library.of_version([table], new)
    ]


def row_of_commit(library: Library, rev: str) -> str:
    """The row of the library that has the commit *rev* and its hash, as a program names it; empty
    where there is none."""
    for found in library.rows():
        facts = found.row.facts
        if "rev" in facts and facts["rev"].value == rev and "hash" in facts:
            hash = facts["hash"].value
            return f"{found.row.name}, {hash}" if isinstance(hash, str) else ""
    return ""
