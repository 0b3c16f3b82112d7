"""Sources whose version was edited, but not their hash. Nix takes whatever has the hash, so it
builds the old source."""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES
from tvarc.build.diff.changes import Change, Changes
from tvarc.build.driver import Compilation
from tvarc.light import Final, Iterator, Mapping, dataclass
from tvarc.meaning.evaluation.formats import is_open
from tvarc.nix import ir
from tvarc.nix.nixpkgs import HASHES
from tvarc.values.value import NixCall, Record, Value

_MOST: Final = 4096  # variants that are examined
_NAMES: Final = ("version", "tag", "rev", "url")
"""What identifies a source, the clearest first. Of an address only the name of the file counts: two
addresses may have one file."""


@dataclass(frozen=True, slots=True)
class OldSource:
    """A source with a new name and an old hash."""

    path: str
    """The setting that fetches it, such as `package.src`."""
    name: str
    """The part that was edited: `version`, `tag`, `rev` or `url`."""
    before: str
    after: str
    hash: str


@dataclass(frozen=True, slots=True)
class _Source:
    """A source: its hash, and the fields that name it, such as `version` and `tag`."""

    hash: str
    names: Mapping[str, str]
    origin: ir.Origin | None


def old_sources(
    before: Compilation, after: Compilation, changes: Changes
) -> dict[tuple[OldSource, ir.Origin | None], list[str]]:
    """The sources with an old hash, and where the newer state writes them, each with its variants.
    """
    found: dict[tuple[OldSource, ir.Origin | None], list[str]] = {}
    older = {one.name: one for one in before.variants}
    newer = {one.name: one for one in after.variants}
    was = {now: name for name, now in changes.pairs}
    blocks = [block.variants for block in changes.blocks if any(map(_may_concern, block.changes))]
    for now in dict.fromkeys([name for names in blocks for name in names][:_MOST]):
        one, other = before.recipe(older[was[now]]), after.recipe(newer[now])
        known = dict(_sources(one)) if one is not None else {}
        for path, source in _sources(other) if other is not None else ():
            stale = _compared(path, known.get(path), source)
            if stale is not None:
                found.setdefault((stale, source.origin), []).append(now)
    return found


def _may_concern(change: Change) -> bool:
    """Whether *change* may be the new name of a source. Most changes are not."""
    path, lines = change.difference.path, change.difference.removed
    named = path[0] == "pin" or path[-1] in _NAMES
    return named or any(f"{name} = " in line for line in lines for name in HASHES)


def _compared(path: ir.Path, was: _Source | None, now: _Source) -> OldSource | None:
    if was is None or was.hash != now.hash or is_open(now.hash):
        return None
    for name in _NAMES:
        one, other = was.names.get(name), now.names.get(name)
        if one and other and one != other:
            return OldSource(".".join(path), name, one, other, now.hash)
    return None


def _sources(recipe: ir.Recipe) -> Iterator[tuple[ir.Path, _Source]]:
    """The sources of *recipe* by the settings that fetch them."""
    pin = recipe.pin
    if pin is not None and pin.hash is not None:
        origin = pin.fields[0][1] if pin.fields else None
        yield ("pin",), _Source(pin.hash, {"rev": pin.rev or pin.url}, origin)
    package = recipe.package
    yield from _within(package.value, package.path, "", package.origin)
    yield from _of_package(recipe.changes, ())
    for overlay in recipe.overlays:
        base = ("overlays", overlay.name)
        yield from _of_package(overlay.changes, base)
        entries = Record(tuple([(one.key, one.value) for one in overlay.patch]))
        yield from _within(entries, base, "", overlay.listed)


def _of_package(changes: ir.Changes, base: ir.Path) -> Iterator[tuple[ir.Path, _Source]]:
    version = next((one.value for one in changes.attrs if one.key == "version"), "")
    for block in (ATTRIBUTES, "args"):
        for one in changes.of(block):
            path = (*base, one.key) if base else one.path
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
            version = entries.get("version", version)
            given = {"version": version, **entries, "url": _file(entries.get("url"))}
            names = {name: one for name in _NAMES if isinstance(one := given.get(name), str)}
            for key, one in entries.items():
                if key in HASHES and isinstance(one, str):
                    yield path, _Source(one, names, origin)
                yield from _within(one, (*path, key), version, origin)
        case tuple():
            for number, one in enumerate(value):
                yield from _within(one, (*path, str(number)), version, origin)
        case _:
            return


def _file(url: Value) -> Value:
    """The name of the file of an address."""
    return url.rpartition("/")[2] if isinstance(url, str) else None
