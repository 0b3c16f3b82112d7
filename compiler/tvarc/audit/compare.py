"""Holds what a recipe says against what the matrix says of its cell."""

from __future__ import annotations

from tvarc.audit.contrast import contrast
from tvarc.audit.model import (
    HOLE,
    Added,
    Found,
    RecipeFacts,
    Seen,
    Table,
    canonical,
    holds_unread,
    show,
)
from tvarc.audit.nix_tree import NOWHERE, Place
from tvarc.audit.overlays import any_python
from tvarc.audit.read import NIXPKGS, may_hold_flags
from tvarc.audit.shell import significant_lines
from tvarc.light import Final, Iterable, Iterator, Mapping, Sequence, dataclass, field, replace

# What names and describes a build, and is no part of it.
_NAMES: Final = ("attrs.pname", "attrs.name")
_WORDS: Final = ("meta.", "passthru.")
_KEPT: Final = "meta.platforms"
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that a recipe says otherwise: `code` is that of the finding it belongs to, `path`
    what it is about, `text` a clause for a person. `also` are more paths that it speaks of."""

    code: str
    path: str
    text: str
    place: Place = NOWHERE
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Expected:
    """What the matrix says: of one cell, or what several agree on. `varying` are the paths in
    which they do not."""

    facts: RecipeFacts
    varying: frozenset[str] = frozenset()
    named: bool = True
    overlays: Mapping[str, str] = field(default_factory=dict)  # names by what they change


def builds(path: str) -> bool:
    """Whether a setting is part of the build, and not its name or a word on it."""
    return path == _KEPT or not (path in _NAMES or path.startswith(_WORDS))


def agreed(cells: Sequence[RecipeFacts]) -> Expected:
    """What all of *cells*, at least one, say alike."""
    first = cells[0]
    varying: set[str] = set()
    for other in cells[1:]:
        for mine, theirs in ((first.settings, other.settings), (first.effects, other.effects)):
            varying |= {
                path
                for path in mine.keys() | theirs.keys()
                if _value(mine.get(path)) != _value(theirs.get(path))
            }
        if other.isa_flags != first.isa_flags:
            varying.add("flags")
        if (other.pin, other.package) != (first.pin, first.package):
            varying.add("pin" if other.pin != first.pin else "package")
    facts = replace(
        first,
        settings={path: seen for path, seen in first.settings.items() if path not in varying},
        effects={path: seen for path, seen in first.effects.items() if path not in varying},
    )
    return Expected(facts, frozenset(varying), named=False)


def _value(seen: Seen | None) -> object:
    return canonical(seen.value) if seen is not None else Ellipsis


def differences(expected: Expected, found: RecipeFacts) -> Iterator[Difference]:
    """Every way in which *found* is not as expected. What is not understood is none."""
    yield from _pin(expected, found)
    yield from _package(expected, found)
    yield from _overlays(expected, found)
    yield from _name(expected, found)
    yield from _settings(expected, found)
    yield from _flags(expected, found)


def _pin(expected: Expected, found: RecipeFacts) -> Iterator[Difference]:
    wanted, have = expected.facts.pin, found.pin
    if wanted is None or have is None or "pin" in expected.varying:
        return
    if wanted.shown != have.shown:
        text = f"pins {have.brief}, the matrix {wanted.brief}"
        if not have.url:
            text = f"takes the nixpkgs of its caller, the matrix pins {wanted.brief}"
        yield Difference("W208", "pin", text, have.place)
    elif wanted.hash is not None and have.hash is not None and wanted.hash != have.hash:
        text = f"has the hash {have.hash} for its pin, the matrix {wanted.hash}"
        yield Difference("W208", "pin", text, have.place)


def _package(expected: Expected, found: RecipeFacts) -> Iterator[Difference]:
    wanted = expected.facts.package
    if wanted is None or "package" in expected.varying or found.elsewhere:
        return
    if found.scratch:
        text = f"builds with `{found.scratch}` from scratch, the matrix changes {_bare(wanted)}"
        yield Difference("W212", "package", text)
    elif found.package is not None and _differs(wanted.value, found.package.value):
        text = f"changes {_bare(found.package)}, the matrix {_bare(wanted)}"
        yield Difference("W212", "package", text, found.package.place)


def _bare(seen: Seen) -> str:
    return f"`{seen.value}`" if isinstance(seen.value, str) else show(seen.value)


def _overlays(expected: Expected, found: RecipeFacts) -> Iterator[Difference]:
    yield from _lacking(expected, found)
    for path, wanted in expected.facts.effects.items():
        have = found.effects.get(path)
        if have is None:
            continue
        if _differs(wanted.value, have.value):
            mine, theirs = contrast(have.value, wanted.value)
            text = f"has `{path}` = {mine}, the matrix {theirs}"
            yield Difference("W209", path, text, have.place)
    for path, have in found.effects.items():
        if path not in expected.facts.effects and path not in expected.varying:
            text = f"has `{path}` = {show(have.value)}, which the matrix has not"
            yield Difference("W209", path, text, have.place)


def _lacking(expected: Expected, found: RecipeFacts) -> Iterator[Difference]:
    """What overlays of the matrix change and none of the recipe does, overlay by overlay."""
    if found.elsewhere or any(gap.what in ("overlays", NIXPKGS) for gap in found.gaps):
        return
    groups: dict[str, list[str]] = {}
    for path, wanted in expected.facts.effects.items():
        if path not in found.effects and not _in_own_attributes(path, wanted, found):
            target = path.partition(": ")[0]
            groups.setdefault(expected.overlays.get(target, target), []).append(path)
    for name, paths in groups.items():
        what = ", ".join(f"`{path}`" for path in paths)
        named = f"the overlay `{name}`" if name in expected.overlays.values() else "an overlay"
        yield Difference("W209", paths[0], f"lacks {named}, which sets {what}", also=tuple(paths))


def _in_own_attributes(path: str, wanted: Seen, found: RecipeFacts) -> bool:
    """Whether the recipe itself says of its package what an overlay says elsewhere."""
    target, _, attribute = path.partition(": ")
    if not attribute or found.package is None or _target(found.package) != target:
        return False
    have = found.settings.get(f"attrs.{attribute}") or found.settings.get(attribute)
    return have is not None and not _differs(wanted.value, have.value)


def _target(package: Seen) -> str:
    """What overlays call *package*."""
    return any_python(package.value) if isinstance(package.value, str) else ""


def _name(expected: Expected, found: RecipeFacts) -> Iterator[Difference]:
    wanted, have = expected.facts.pname, found.pname
    if expected.named and wanted is not None and have is not None and wanted != have:
        text = f"is named `{have}`, the matrix names it `{wanted}`"
        yield Difference("W210", "attrs.pname", text, found.place("attrs.pname"))


def _settings(expected: Expected, found: RecipeFacts) -> Iterator[Difference]:
    blocks = {gap.what for gap in found.gaps}
    for path, wanted in expected.facts.settings.items():
        if not builds(path):
            continue
        have = found.settings.get(path)
        if have is None:
            block = path.partition(".")[0]
            given = block == "config" and (found.pin is None or not found.pin.url)
            unknown = block in blocks or bool(found.scratch or found.elsewhere)
            if not given and not unknown:
                yield Difference("W213", path, f"lacks `{path}`{_equals(wanted.value)}")
            continue
        text = _told(wanted.value, have.value)
        if text:
            yield Difference("W213", path, f"`{path}` {text}", have.place)
    for path, have in found.settings.items():
        known = path in expected.facts.settings or path in expected.varying
        if not known and builds(path) and not _said_by_overlay(path, have, expected):
            text = f"has `{path}` = {show(have.value)}, which the matrix has not"
            yield Difference("W213", path, text, have.place)


def _equals(value: Found) -> str:
    inner = _inner(value)
    if isinstance(inner, str) and "\n" in inner:
        count = len(significant_lines(inner))
        return f", {count} line{'s' if count != 1 else ''}"
    return f" = {show(value)}"


def _said_by_overlay(path: str, have: Seen, expected: Expected) -> bool:
    package = expected.facts.package
    if package is None:
        return False
    wanted = expected.facts.effects.get(f"{_target(package)}: {path.removeprefix('attrs.')}")
    return wanted is not None and not _differs(wanted.value, have.value)


def _flags(expected: Expected, found: RecipeFacts) -> Iterator[Difference]:
    wanted, have = expected.facts.isa_flags, found.isa_flags
    if "flags" in expected.varying or sorted(wanted) == sorted(have):
        return
    if _flags_unclear(found):
        more = [flag for flag in have if flag not in wanted]
        if more:  # others may be in what is not understood
            yield Difference("W213", "flags", f"compiles with {_words(more)}, the matrix does not")
        return
    text = f"compiles with {_words(have)}, the matrix with {_words(wanted)}"
    yield Difference("W213", "flags", text)


def _flags_unclear(found: RecipeFacts) -> bool:
    """Whether there may be more flags in what is not understood."""
    if found.elsewhere or any(gap.what in ("attrs", "env") for gap in found.gaps):
        return True
    unread = [path for path, seen in found.settings.items() if holds_unread(seen.value)]
    return bool(unread) and (not found.isa_flags or any(map(may_hold_flags, unread)))


def _words(flags: Iterable[str]) -> str:
    return f"`{' '.join(flags)}`" if flags else "no `-m` flag"


def _differs(wanted: Found, have: Found) -> bool:
    if holds_unread(wanted) or holds_unread(have):
        return False
    return canonical(wanted) != canonical(have)


def _told(wanted: Found, have: Found) -> str:
    """How *have* differs from *wanted*, empty where it does not or is not understood."""
    mine, theirs = _inner(have), _inner(wanted)
    how = ""
    if _replaces(wanted, have):
        how = "takes the place of what the package has, the matrix adds to that"
    elif _replaces(have, wanted):
        how = "adds to what the package has, the matrix takes the place of that"
    if how:
        other = _told(theirs, mine)
        return f"{how}; and {other}" if other else how
    if isinstance(mine, str) and isinstance(theirs, str) and "\n" in mine + theirs:
        return _script(theirs, mine)
    if not _differs(wanted, have):
        return ""
    if isinstance(mine, tuple) and isinstance(theirs, tuple):
        lacking = [item for item in theirs if item not in mine]
        more = [item for item in mine if item not in theirs]
        told = [f"lacks {_some(lacking)}"] if lacking else []
        told += [f"has {_some(more)}, which the matrix has not"] if more else []
        if not told or _some(lacking) == _some(more):
            return _is(have, wanted)
        return " and ".join(told)
    return _is(have, wanted)


def _is(have: Found, wanted: Found) -> str:
    mine, theirs = contrast(have, wanted)
    return f"is {mine}, in the matrix {theirs}"


def _replaces(wanted: Found, have: Found) -> bool:
    """Whether *have* is a text or a list of its own where *wanted* is one that is added."""
    return isinstance(wanted, Added) and isinstance(have, str | tuple)


def _some(items: Sequence[Found]) -> str:
    shown = ", ".join(show(item) for item in items[:_SHOWN])
    return shown + (f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else "")


def _inner(value: Found) -> Found:
    return value.value if isinstance(value, Added) else value


def _script(wanted: str, have: str) -> str:
    """Which lines of a script are lacking; what is only printed does not count, nor does what may
    be in a part that is not understood."""
    mine, theirs = significant_lines(have), significant_lines(wanted)
    lacking = _without(theirs, mine)
    more = _without(mine, theirs)
    told = []
    if lacking:
        told.append(f"lacks {_first_of(lacking)}")
    if more:
        told.append(f"has {_first_of(more)}, which the matrix has not")
    return " and ".join(told)


def _without(lines: Sequence[str], others: Sequence[str]) -> list[str]:
    """Those of *lines* that are none of *others*, as far as all is understood."""
    unclear = [_unclear(line) for line in others if HOLE in line]
    return [
        line
        for line in lines
        if line not in others
        and HOLE not in line
        and not any(line.startswith(begin) and line.endswith(end) for begin, end in unclear)
    ]


def _unclear(line: str) -> tuple[str, str]:
    """What stands before and after the parts of *line* that are not understood."""
    return line[: line.index(HOLE)], line[line.rindex("}") + 1 :] if "}" in line else ""


def _first_of(lines: Sequence[str]) -> str:
    rest = len(lines) - 1
    more = f" and {rest} more line{'s' if rest != 1 else ''}" if rest else ""
    return f"`{_cut(lines[0])}`{more}"


def _cut(line: str) -> str:
    return line if len(line) <= 80 else f"{line[:78]} …"


def signature(facts: RecipeFacts) -> tuple[object, ...] | None:
    """What a recipe builds; equal for recipes that are one build. None where that is not
    wholly understood."""
    kept: list[tuple[str, object]] = []
    for group in (facts.settings, facts.effects):
        for path, seen in group.items():
            if not builds(path):
                continue
            value = _comparable(seen.value)
            if value is None:
                return None
            kept.append((path, value))
    if facts.pin is None or facts.package is None:
        return None
    return (facts.pin.shown, facts.package.value, *sorted(kept, key=lambda one: one[0]))


def _comparable(value: Found) -> object:
    inner = _inner(value)
    if isinstance(inner, str) and "\n" in inner:
        return None if holds_unread(inner) else (type(value).__name__, significant_lines(inner))
    if isinstance(inner, Table | tuple | str) and holds_unread(inner):
        return None
    return (type(value).__name__, canonical(value))
