"""Finds places that an edit left unchanged. After a new version, these are sources with the old
hash or the old name, and lines with the old value. Nix looks up a source by its hash, so it builds
the old source. After a new value of an axis, these are lists that have most other values, but not
this one."""

from __future__ import annotations

import re

from tvarc.blocks import ATTRIBUTES
from tvarc.build.bump.places import spelled
from tvarc.build.bump.unchanged_mentions import Mention, Near, mentions, own_sources, still_there
from tvarc.build.diff.causes import Hunks, edited_lines
from tvarc.build.diff.changes import Change, Changes
from tvarc.build.driver import Compilation
from tvarc.light import Collection, Final, Iterator, Mapping, Sequence, dataclass, replace
from tvarc.matrix.variants import axis_text
from tvarc.meaning.evaluation.formats import as_sri, is_open
from tvarc.nix import ir
from tvarc.nix.nixpkgs import HASHES, is_hash
from tvarc.syntax import ast
from tvarc.text.source import Span
from tvarc.text.toml import line_span
from tvarc.values.value import NixCall, Record, Value

_MOST: Final = 4096  # variants that are examined
_FEW: Final = 64  # variants that are examined after a bump
_NAMES: Final = ("version", "tag", "rev", "url")
"""The fields that identify a source, the most specific first. Only the file name of an address
counts, because two addresses may have one file."""
_SOURCES: Final = ("src", "srcs")
_HASH_GIVEN: Final = re.compile(rf"(?i:{'|'.join(sorted(HASHES))}) = ")
"""A hash in a call, such as `sha256 = ` or `cargoHash = `."""
_HASH: Final = re.compile(r"(?:sha\d+|md5)-[A-Za-z0-9+/=]+|\b[0-9a-z]{52}\b")
_EDITED: Final = re.compile(
    r"(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])|(?<![0-9.])[0-9]+(?:\.[0-9]+)+(?:[a-z]+[0-9]+)?"
    r"|(?:version\s*=\s*\"?|name\s*=\s*\"[^\".]*?-)([0-9]{3,}(?:-[0-9]+)*)(?=[\"\s,}]|$)"
)
"""The values that programs repeat: commits and versions. A number without a dot is a version only
if its setting has that name, or if it ends a name."""
_GIVEN: Final = re.compile(r"(?:^|[\s{,])([A-Za-z][\w-]*)\s*=\s*\"?([0-9][\w.+-]*)\"?(?=[\s,}]|$)")
"""A name, and the version or the number that is its whole value."""
_OF_NAME: Final = re.compile(r"-([^A-Za-z].*)")
"""The version at the end of a name, as Nix reads it."""
_COMMIT: Final = re.compile(r"[0-9a-f]{7,}")
_SHOWN: Final = 7  # digits of a commit that are shown


@dataclass(frozen=True, slots=True)
class OldSource:
    """A source with a new name and an old hash, or with a new version and an old name."""

    path: str
    """The setting that fetches it, such as `package.src`; for the dependencies of a package, the
    setting that has their hash, such as `package.cargoHash`."""
    name: str
    """The part that was edited: `version`, `tag`, `rev` or `url`."""
    before: str
    after: str
    hash: str
    attribute: str
    """The name of the attribute that has the hash, such as `sha256` or `cargoHash`."""
    still: str
    """The part that still has the old version, such as `url`; `rev` if the source is fetched by the
    same commit; empty if only the hash is old."""
    commit: str
    """That commit, if the version is in no part of the source; empty otherwise."""

    @property
    def said(self) -> str:
        """The old part, as text for the user."""
        if not self.still:
            return f"{self.name} {self.before} → {self.after}"
        stays = f"{self.commit[:_SHOWN]} stays" if self.commit else f"still names {self.before}"
        return f"{self.name} is {self.after}, but `{self.still}` {stays}"


@dataclass(frozen=True, slots=True)
class OldValue:
    """A version or a commit that was edited, and the lines that still have the old one."""

    before: str
    after: str
    edited: tuple[Span, ...]
    """The lines that have the new one."""
    lines: tuple[Mention, ...]


@dataclass(frozen=True, slots=True)
class Unlisted:
    """A new value of an axis, and the lists `gpu in […]` that have most other values, but not this
    one."""

    axis: str
    value: str
    lists: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class _Source:
    """A source: its hash with the name of its attribute, and the fields that name it, such as
    `version` and `tag`."""

    hash: str
    attribute: str
    names: Mapping[str, str]
    origin: ir.Origin | None


def old_sources(
    before: Compilation, after: Compilation, changes: Changes
) -> dict[tuple[OldSource, ir.Origin | None], list[str]]:
    """The sources with an old hash or an old name, each with its variants. The place is that of the
    hash in the newer state, or that of the source if its name is old."""
    places = _hash_places(after)
    found: dict[tuple[OldSource, ir.Origin | None], list[str]] = {}
    older = {one.name: one for one in before.variants}
    newer = {one.name: one for one in after.variants}
    was = {now: name for name, now in changes.pairs}
    blocks = [block.variants for block in changes.blocks if any(map(_may_concern, block.changes))]
    for now in dict.fromkeys([name for names in blocks for name in names][:_MOST]):
        decided = before.recipe(older[was[now]]), after.recipe(newer[now])
        for stale, origin in _stale(*decided):
            if origin is not None and not stale.still:
                stated = places.get(as_sri(stale.hash) or stale.hash, ())
                origin = replace(origin, span=_hash_place(stated, origin.span))
            found.setdefault((stale, origin), []).append(now)
    return found


def sources_not_edited(
    before: Compilation, after: Compilation, edits: Collection[Span]
) -> Collection[OldSource]:
    """The sources with a new version of which a part is still old after *edits* of *before*. A few
    variants that the edits may concern are examined."""
    assert before.graph is not None
    near = Near(before.graph, Near(before.graph).items_at(edits)).edited
    newer = {(one.matrix.name, one.cell): one for one in after.variants}
    pairs = [
        (one, newer[one.matrix.name, one.cell])
        for one in before.variants
        if (not near or one.matrix.name in near) and (one.matrix.name, one.cell) in newer
    ]
    found = [
        stale
        for one, other in pairs[:: len(pairs) // _FEW + 1]
        for stale, _ in _stale(before.recipe(one), after.recipe(other))
    ]
    return dict.fromkeys([one for one in found if one.still])


def _stale(
    before: ir.Recipe | None, after: ir.Recipe | None
) -> Iterator[tuple[OldSource, ir.Origin | None]]:
    """The old sources of one variant, each with the place of the source."""
    known = dict(_sources(before)) if before is not None else {}
    for path, source in _sources(after) if after is not None else ():
        stale = _compared(path, known.get(path), source)
        if stale is not None:
            yield stale, source.origin


def _hash_places(made: Compilation) -> dict[str, list[Span]]:
    """The places of each hash that the program states."""
    found: dict[str, list[Span]] = {}
    for asked in made.elaboration.shared.hashes.asked.values():
        for stated, span in asked.stated.items():
            found.setdefault(stated, []).append(span)
    return found


def _hash_place(spans: Sequence[Span], source: Span) -> Span:
    """The span in *spans* that has the hash of the source at *source*. If there are several,
    *source* itself."""
    within = [
        one
        for one in spans
        if one.file == source.file and source.start <= one.start and one.end <= source.end
    ]
    return (within or (spans if len(spans) == 1 else [source]))[0]


def old_values(before: Compilation, after: Compilation, changes: Changes) -> Iterator[OldValue]:
    """The versions, and the commits of sources, that were edited, where lines still have the old
    one. The lines share a variant with the edit."""
    if not changes.blocks or after.graph is None:
        return
    several = [one for block in changes.blocks for one in block.changes]
    of_sources = [one.difference for one in several if _may_concern(one)]
    own = own_sources(after)
    found: dict[tuple[str, str], list[Span]] = {}
    for (old, new), file, line in _edited_values(before, after, *edited_lines(before, after)):
        if file not in own:
            continue
        names_source = any(_has(d.removed, old) and _has(d.added, new) for d in of_sources)
        if names_source or _is_version(own[file].line(line), new):
            found.setdefault((old, new), []).append(line_span(own[file], line))
    for (old, new), spans in found.items():
        near = Near(after.graph, Near(after.graph).items_at(spans))
        if lines := still_there(own, near, old, new):
            yield OldValue(old, new, tuple(spans), tuple(lines))


def unlisted_values(before: Compilation, after: Compilation) -> Iterator[Unlisted]:
    """The new values of axes that lists with most other values do not have."""
    older, newer = _axis_values(before), _axis_values(after)
    modules = after.graph.modules.values() if after.graph is not None else ()
    lists: dict[str, list[tuple[frozenset[str], Span]]] = {}
    for node in ast.walk(tuple([module.tree for module in modules if module.own])):
        match node:
            case ast.Compare(
                op="in" | "not in", left=ast.Ref(name=axis), right=ast.ListLit(items=items, span=at)
            ):
                values = [one for one in items if not isinstance(one, ast.Spread | ast.Each)]
                lists.setdefault(axis, []).append((frozenset(map(spelled, values)), at))
            case _:
                pass
    for axis, present in newer.items():
        known = older.get(axis, frozenset())
        kept = known & present
        large = [one for one in lists.get(axis, ()) if 2 * len(one[0] & kept) > len(kept)]
        for value in sorted(present - known) if known else ():
            spans = [at for some, at in large if value not in some]
            if spans:
                spans.sort(key=lambda one: (one.file, one.start))
                yield Unlisted(axis, value, tuple(spans))


def _axis_values(made: Compilation) -> dict[str, frozenset[str]]:
    """The values of each axis in any matrix."""
    found: dict[str, frozenset[str]] = {}
    for matrix in made.program.matrices:
        for pick in matrix.axes:
            values = frozenset(map(axis_text, pick.values))
            found[pick.axis.name] = found.get(pick.axis.name, frozenset()) | values
    return found


def _has(lines: Sequence[str], value: str) -> bool:
    return any(value in line for line in lines)


def _edited_values(
    before: Compilation, after: Compilation, gone: Hunks, come: Hunks
) -> Iterator[tuple[tuple[str, str], str, int]]:
    """The old and the new values of edited lines, each pair with the file and the line that have
    the new value."""
    hunks: dict[int, tuple[list[str], list[tuple[str, str, int]]]] = {}
    for (file, line), hunk in gone.items():
        hunks.setdefault(hunk, ([], []))[0].extend(_values_at(before, file, line))
    for (file, line), hunk in come.items():
        hunks.setdefault(hunk, ([], []))[1].extend(
            [(value, file, line) for value in _values_at(after, file, line)]
        )
    for old, new in hunks.values():
        if len(old) == len(new):
            for was, (now, file, line) in zip(old, new, strict=True):
                if was != now:
                    yield (was, now), file, line


def _values_at(made: Compilation, file: str, line: int) -> Collection[str]:
    """The versions and commits on a line, outside of hashes."""
    source = made.sources.get(file)
    found = _EDITED.finditer(_HASH.sub("", source.line(line))) if source is not None else ()
    return [match[1] or match[0] for match in found]


def _is_version(line: str, value: str) -> bool:
    """Whether *value* is the whole value of a name on *line*, and a version: the name ends in this
    word, or *value* has two dots."""
    return any(
        match[2] == value and (match[1].lower().endswith("version") or value.count(".") > 1)
        for match in _GIVEN.finditer(line)
    )


def _may_concern(change: Change) -> bool:
    """Whether *change* may be the new name of a source. Most changes are not."""
    path, lines = change.difference.path, change.difference.removed
    named = path[0] == "pin" or path[-1] in _NAMES
    return named or any(map(_HASH_GIVEN.search, lines))


def _compared(path: ir.Path, was: _Source | None, now: _Source) -> OldSource | None:
    if was is None:
        return None
    steps = ".".join(path)
    one, other = was.names.get("version"), now.names.get("version")
    is_source = any(step in _SOURCES for step in path)
    kept = all(was.names.get(name) == now.names.get(name) for name in _NAMES[1:])
    if one and other and one != other and is_source:
        for still in _NAMES[1:]:
            if mentions({"": now.names.get(still, "")}, one, other):
                return OldSource(steps, "version", one, other, now.hash, now.attribute, still, "")
        commit = now.names.get("rev", "")
        if kept and _COMMIT.fullmatch(commit):
            return OldSource(steps, "version", one, other, now.hash, now.attribute, "rev", commit)
    if was.hash != now.hash or is_open(now.hash):
        return None
    if not is_source and kept and any(name in now.names for name in _NAMES[1:]):
        return None  # a patch, for example: the version is that of the package, not its own
    for name in _NAMES:
        one, other = was.names.get(name), now.names.get(name)
        if one and other and one != other:
            return OldSource(steps, name, one, other, now.hash, now.attribute, "", "")
    return None


def _sources(recipe: ir.Recipe) -> Iterator[tuple[ir.Path, _Source]]:
    """The sources of *recipe* by the settings that fetch them."""
    pin = recipe.pin
    if pin is not None and pin.hash is not None:
        origin = pin.fields[0][1] if pin.fields else None
        yield ("pin",), _Source(pin.hash, "hash", {"rev": pin.rev or pin.url}, origin)
    package = recipe.package
    yield from _within(package.value, package.path, "", package.origin)
    yield from _of_package(recipe.changes, ())
    for overlay in recipe.overlays:
        base = ("overlays", overlay.name)
        yield from _of_package(overlay.changes, base)
        entries = Record(tuple([(one.key, one.value) for one in overlay.patch]))
        yield from _within(entries, base, "", overlay.listed)


def _of_package(changes: ir.Changes, base: ir.Path) -> Iterator[tuple[ir.Path, _Source]]:
    settings = [one for block in (ATTRIBUTES, "args") for one in changes.of(block)]
    version = next((one.value for one in settings if one.key == "version"), "")
    for one in settings:
        path = (*base, one.key) if base else one.path
        yield from _of_dependencies(one.value, path, version, one.origin)
        yield from _within(one.value, path, version, one.origin)


def _within(
    value: Value, path: ir.Path, version: Value, origin: ir.Origin
) -> Iterator[tuple[ir.Path, _Source]]:
    """The sources in *value*, which is at *path*, of a package of this *version*."""
    match value:
        case NixCall("call"):
            for _, one in value.arguments[1:]:
                yield from _within(one, path, version, origin)
        case NixCall() | Record():
            entries = dict(value.arguments if isinstance(value, NixCall) else value.entries)
            version = entries.get("version", version) or _of_name(entries)
            url = _file(entries.get("url", entries.get("urls")))
            given = {"version": version, **entries, "url": url}
            names = {name: one for name in _NAMES if isinstance(one := given.get(name), str)}
            for key, one in entries.items():
                if key in HASHES and isinstance(one, str):
                    yield path, _Source(one, key, names, origin)
                yield from _of_dependencies(one, (*path, key), version, origin)
                yield from _within(one, (*path, key), version, origin)
        case tuple():
            for number, one in enumerate(value):
                yield from _within(one, (*path, str(number)), version, origin)
        case _:
            return


def _of_dependencies(
    value: Value, path: ir.Path, version: Value, origin: ir.Origin
) -> Iterator[tuple[ir.Path, _Source]]:
    """What is fetched by the hash *value* at *path*, such as `cargoHash`: the dependencies of a
    package of this *version*. Only the version names them."""
    key = path[-1]
    if isinstance(value, str) and key not in HASHES and is_hash((key,)) and as_sri(value):
        names = {"version": version} if isinstance(version, str) else {}
        yield path, _Source(value, key, names, origin)


def _of_name(package: Mapping[str, Value]) -> Value:
    """The version in the name of a *package* with a source; empty if there is none."""
    name = package.get("name") if any(key in _SOURCES for key in package) else None
    found = _OF_NAME.search(name) if isinstance(name, str) else None
    return found[1] if found is not None else ""


def _file(url: Value) -> Value:
    """The name of the file of an address, or of the first address of a list."""
    first = url[0] if isinstance(url, tuple) and url else url
    return first.rpartition("/")[2] if isinstance(first, str) else None
