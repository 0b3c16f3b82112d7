"""Holds what a recipe says against what the matrix says of its cell."""

from __future__ import annotations

import re

from tvarc.byhand.audit.contrast import contrast, lines_apart
from tvarc.byhand.audit.expected import NAMES, Difference, Expected, builds, without
from tvarc.byhand.audit.model import (
    UNREAD_PART,
    Added,
    Found,
    RecipeFacts,
    Ref,
    Seen,
    Table,
    Unread,
    canonical,
    holds_unread,
    same_but_for_python,
    show,
)
from tvarc.byhand.audit.needs import other_needs
from tvarc.byhand.audit.overlays import any_python
from tvarc.byhand.audit.read import NIXPKGS, may_hold_flags
from tvarc.byhand.audit.shell import significant_lines, speaks
from tvarc.byhand.audit.siblings import Siblings
from tvarc.light import (
    Final,
    Iterable,
    Iterator,
    Sequence,
    TypeGuard,
)

_SHOWN: Final = 3
_UNREAD_PARTS: Final = re.compile(re.escape(UNREAD_PART) + r"[^}]*\}")


class _Sides:
    """Compares what the matrix says with what a recipe says, each at its pin."""

    __slots__ = ("have", "wanted")

    def __init__(self, expected: Expected, found: RecipeFacts) -> None:
        self.wanted = expected.facts.python
        self.have = found.python

    def differ(self, wanted: Found, have: Found) -> bool:
        """Whether two values do not say the same, as far as that is known."""
        return self._apart(wanted, have) is True

    def unknown_python(self, wanted: Found, have: Found) -> bool:
        """Whether it is not known that two values say the same, as one names `python3` and the
        other its version."""
        return self._apart(wanted, have) is None

    def _apart(self, wanted: Found, have: Found) -> bool | None:
        if holds_unread(wanted) or holds_unread(have) or canonical(wanted) == canonical(have):
            return False  # what another pin makes of the same words is a matter of the pin
        mine, theirs = canonical(have, self.have), canonical(wanted, self.wanted)
        if mine == theirs:
            return False
        return None if same_but_for_python(mine, theirs) else True


def differences(expected: Expected, found: RecipeFacts, siblings: Siblings) -> Iterator[Difference]:
    """Every way in which *found*, one of *siblings*, is not as expected: first the recipes that it
    needs. What is not understood is none."""
    needs = tuple(other_needs(expected, found, siblings))
    yield from needs
    reported = {path for one in needs for path in (one.path, *one.also)}
    if reported:
        expected, found = expected.without(reported), without(found, reported)
    sides = _Sides(expected, found)
    yield from _pin(expected, found)
    yield from _package(expected, found, sides)
    yield from _overlays(expected, found, sides)
    yield from _name(expected, found)
    yield from _settings(expected, found, sides)
    yield from _flags(expected, found)


def not_understood(
    expected: Expected | None, found: RecipeFacts, *, alone: bool = False
) -> Iterator[Difference]:
    """What of *found* is not understood, so that it is compared with nothing. What the matrix says
    in the same words, and what is told beside the file as a whole, is left out; *alone* there is
    neither."""
    same = expected.facts.gaps if expected is not None else ()
    known = {(gap.what, gap.text) for gap in same}
    told: set[tuple[str, str]] = set()
    for gap in found.gaps:
        whole = not alone and bool(found.elsewhere) and gap.what in ("package", "pin", NIXPKGS)
        if whole or not (builds(gap.what) or gap.what in NAMES) or (gap.what, gap.text) in told:
            continue
        if (gap.what, gap.text) in known and not _other(gap.what, expected, found):
            continue
        told.add((gap.what, gap.text))
        text = f"`{gap.what}`: `{_cut(gap.text)}`: {gap.why}"
        yield Difference("W217", gap.what, text, gap.place)
    if expected is not None:
        yield from _unknown_pythons(expected, found)


def _other(path: str, expected: Expected | None, found: RecipeFacts) -> bool:
    """Whether what stands at *path* is another thing, though its words are those of the matrix."""
    if expected is None:
        return False
    have, wanted = found.package, expected.facts.package
    if path != "package":
        have = found.settings.get(path) or found.effects.get(path)
        wanted = expected.facts.settings.get(path) or expected.facts.effects.get(path)
    if have is None:
        return False
    return wanted is None or canonical(wanted.value) != canonical(have.value)


def _unknown_pythons(expected: Expected, found: RecipeFacts) -> Iterator[Difference]:
    """The values of which nobody knows whether they are those of the matrix, as nobody knows which
    Python `python3` is at the pin."""
    sides = _Sides(expected, found)
    pairs = [("package", expected.facts.package, found.package)]
    for group, have in (
        (expected.facts.settings, found.settings),
        (expected.facts.effects, found.effects),
    ):
        pairs += [(path, seen, have.get(path)) for path, seen in group.items()]
    for path, one, other in pairs:
        if one is None or other is None or (path == "package" and found.elsewhere):
            continue
        wanted, mine = (_as_reference(path, seen) for seen in (one, other))
        if sides.unknown_python(wanted, mine):
            text = f"`{path}` is {show(mine)}; the matrix has {show(wanted)}: "
            text += "it is not known which Python `python3` is at this pin"
            yield Difference("W217", path, text, other.place)


def _as_reference(path: str, seen: Seen) -> Found:
    """The value of *seen*; of a package its path is what Nix knows."""
    value = seen.value
    return Ref(value) if path == "package" and isinstance(value, str) else value


def _pin(expected: Expected, found: RecipeFacts) -> Iterator[Difference]:
    wanted, have = expected.facts.pin, found.pin
    if wanted is None or have is None or "pin" in expected.varying:
        return
    if wanted.shown != have.shown:
        text = f"pins {have.brief}; the matrix pins {wanted.brief}"
        if not have.url:
            text = f"uses the nixpkgs of its caller; the matrix pins {wanted.brief}"
        yield Difference("W208", "pin", text, have.place)
    elif wanted.hash is not None and have.hash is not None and wanted.hash != have.hash:
        text = f"has the hash {have.hash} for its pin; the matrix has {wanted.hash}"
        yield Difference("W208", "pin", text, have.place)


def _package(expected: Expected, found: RecipeFacts, sides: _Sides) -> Iterator[Difference]:
    wanted = expected.facts.package
    if wanted is None or "package" in expected.varying:
        return
    if _another_file(expected, found) and found.package is not None:
        text = f"builds {_bare(found.package)}; the matrix builds {_bare(wanted)}"
        yield Difference("W212", "package", text, found.package.place)
        return
    if found.elsewhere:
        return
    if found.scratch:
        text = f"builds from scratch with `{found.scratch}`; the matrix changes {_bare(wanted)}"
        yield Difference("W212", "package", text)
    elif found.package is not None and sides.differ(
        _as_reference("package", wanted), _as_reference("package", found.package)
    ):
        text = f"changes {_bare(found.package)}; the matrix changes {_bare(wanted)}"
        yield Difference("W212", "package", text, found.package.place)


def _another_file(expected: Expected, found: RecipeFacts) -> bool:
    """Whether both call the function of a file, or the matrix alone does, and not of one: their
    arguments are of two functions. A recipe that alone does so may have the package in there."""
    wanted, have = expected.facts.package, found.package
    if wanted is None or have is None or "package" in expected.varying:
        return False
    calls_a_file = _is_file(wanted.value) or bool(expected.facts.followed)
    either = _is_file(wanted.value) or _is_file(have.value)
    return calls_a_file and either and wanted.value != have.value


def _is_file(value: Found) -> TypeGuard[Ref]:
    return isinstance(value, Ref) and value.path.startswith((".", "/"))


def _bare(seen: Seen) -> str:
    if _is_file(seen.value):
        return f"`{seen.value.path}`"
    return f"`{seen.value}`" if isinstance(seen.value, str) else show(seen.value)


def _overlays(expected: Expected, found: RecipeFacts, sides: _Sides) -> Iterator[Difference]:
    yield from _lacking(expected, found, sides)
    for path, wanted in expected.facts.effects.items():
        have = found.effects.get(path)
        if have is None:
            continue
        if sides.differ(wanted.value, have.value):
            mine, theirs = contrast(have.value, wanted.value)
            text = f"has `{path}` = {mine}; the matrix has {theirs}"
            yield Difference("W209", path, text, have.place)
    for path, have in found.effects.items():
        if path in expected.facts.effects or path in expected.varying:
            continue
        if not _says_nothing(have.value):
            text = f"has `{path}` = {show(have.value)}, which the matrix does not have"
            yield Difference("W209", path, text, have.place)


def _lacking(expected: Expected, found: RecipeFacts, sides: _Sides) -> Iterator[Difference]:
    """What overlays of the matrix change and none of the recipe does, overlay by overlay."""
    if found.elsewhere or any(gap.what in ("overlays", NIXPKGS) for gap in found.gaps):
        return
    groups: dict[str, list[str]] = {}
    unclear = {gap.what for gap in found.gaps}
    for path, wanted in expected.facts.effects.items():
        target = path.partition(": ")[0]
        if not unclear.isdisjoint((target, f"{target}: args", f"{target}: attrs")):
            continue  # it may be said in what is not understood
        if path not in found.effects and not _in_own_attributes(path, wanted, found, sides):
            groups.setdefault(expected.overlays.get(target, target), []).append(path)
    for name, paths in groups.items():
        what = ", ".join(f"`{path}`" for path in paths)
        named = f"the overlay `{name}`" if name in expected.overlays.values() else "an overlay"
        yield Difference("W209", paths[0], f"lacks {named}, which sets {what}", also=tuple(paths))


def _in_own_attributes(path: str, wanted: Seen, found: RecipeFacts, sides: _Sides) -> bool:
    """Whether the recipe itself says of its package what an overlay says elsewhere."""
    target, _, attribute = path.partition(": ")
    if not attribute or found.package is None or _target(found.package) != target:
        return False
    have = found.settings.get(f"attrs.{attribute}") or found.settings.get(attribute)
    return have is not None and not sides.differ(wanted.value, have.value)


def _target(package: Seen) -> str:
    """What overlays call *package*."""
    return any_python(package.value) if isinstance(package.value, str) else ""


def _name(expected: Expected, found: RecipeFacts) -> Iterator[Difference]:
    wanted, have = expected.facts.pname, found.pname
    if expected.named and wanted is not None and have is not None and wanted != have:
        text = f"is named `{have}`; the matrix names it `{wanted}`"
        yield Difference("W210", "attrs.pname", text, found.place("attrs.pname"))


def _settings(expected: Expected, found: RecipeFacts, sides: _Sides) -> Iterator[Difference]:
    blocks = {gap.what for gap in found.gaps}
    others = ("args.",) if _another_file(expected, found) else ()
    for path, wanted in expected.facts.settings.items():
        if not builds(path) or path.startswith(others):
            continue
        have = found.settings.get(path)
        if have is None:
            block = path.partition(".")[0]
            given = block == "config" and (found.pin is None or not found.pin.url)
            unknown = block in blocks or bool(found.scratch or found.elsewhere)
            if not given and not unknown:
                yield Difference("W213", path, f"lacks `{path}`{_equals(wanted.value)}")
            continue
        text = _difference_text(wanted.value, have.value, sides)
        if text:
            yield Difference("W213", path, f"`{path}` {text}", have.place)
    for path, have in found.settings.items():
        known = path in expected.facts.settings or path in expected.varying
        if known or path.startswith(others) or not builds(path) or _says_nothing(have.value):
            continue
        if not _said_by_overlay(path, have, expected, sides):
            text = f"has `{path}` = {show(have.value)}, which the matrix does not have"
            yield Difference("W213", path, text, have.place)


def _equals(value: Found) -> str:
    inner = _inner(value)
    if isinstance(inner, str) and "\n" in inner:
        does, says = len(significant_lines(inner)), len(_spoken(inner))
        count = does or says
        of = "" if does else " of comments and printed text"
        return f", {count} line{'s' if count != 1 else ''}{of}"
    return f" = {show(value)}"


def _says_nothing(value: Found) -> bool:
    """Whether nothing of *value* is understood, so that nothing can be said against it."""
    match value:
        case Unread():
            return True
        case Added(_, inner):
            return _says_nothing(inner)
        case tuple():
            return bool(value) and all(map(_says_nothing, value))
        case str():
            return value.lstrip().startswith(UNREAD_PART) and value.rstrip().count("\n") == 0
        case _:
            return holds_unread(value)


def _said_by_overlay(path: str, have: Seen, expected: Expected, sides: _Sides) -> bool:
    package = expected.facts.package
    if package is None:
        return False
    wanted = expected.facts.effects.get(f"{_target(package)}: {path.removeprefix('attrs.')}")
    return wanted is not None and not sides.differ(wanted.value, have.value)


def _flags(expected: Expected, found: RecipeFacts) -> Iterator[Difference]:
    wanted, have = expected.facts.isa_flags, found.isa_flags
    if "flags" in expected.varying or sorted(wanted) == sorted(have):
        return
    if _flags_unclear(found):
        more = [flag for flag in have if flag not in wanted]
        if more:  # others may be in what is not understood
            yield Difference("W213", "flags", f"compiles with {_words(more)}; the matrix does not")
        return
    text = f"compiles with {_words(have)}; the matrix compiles with {_words(wanted)}"
    yield Difference("W213", "flags", text)


def _flags_unclear(found: RecipeFacts) -> bool:
    """Whether there may be more flags in what is not understood."""
    if found.elsewhere or any(gap.what in ("attrs", "env") for gap in found.gaps):
        return True
    unread = [path for path, seen in found.settings.items() if holds_unread(seen.value)]
    return bool(unread) and (not found.isa_flags or any(map(may_hold_flags, unread)))


def _words(flags: Iterable[str]) -> str:
    return f"`{' '.join(flags)}`" if flags else "no `-m` flag"


def _difference_text(wanted: Found, have: Found, sides: _Sides) -> str:
    """How *have* differs from *wanted*, empty where it does not or is not understood."""
    mine, theirs = _inner(have), _inner(wanted)
    how = ""
    if _replaces(wanted, have):
        how = "replaces the package's own value; the matrix adds to it"
    elif _replaces(have, wanted):
        how = "adds to the package's own value; the matrix replaces it"
    elif isinstance(wanted, Added) and isinstance(have, Added):
        how = _elsewhere(wanted, have)
    if how:
        other = _difference_text(theirs, mine, sides)
        return f"{how}; and {other}" if other else how
    if isinstance(mine, str) and isinstance(theirs, str) and "\n" in mine + theirs:
        return _script(theirs, mine)
    if not sides.differ(wanted, have):
        return ""
    if isinstance(mine, tuple) and isinstance(theirs, tuple):
        lacking = [item for item in theirs if item not in mine]
        more = [item for item in mine if item not in theirs]
        told = [f"lacks {_some(lacking)}"] if lacking else []
        told += [f"has {_some(more)}, which the matrix does not have"] if more else []
        if not told or _some(lacking) == _some(more):
            return _is(have, wanted)
        return " and ".join(told)
    return _is(have, wanted)


def _elsewhere(wanted: Added, have: Added) -> str:
    """How what is added stands to the package's own part, where it stands otherwise."""
    theirs, mine = _place(wanted), _place(have)
    if mine and theirs and mine != theirs:
        return f"is {mine} the package's own value; in the matrix it is {theirs}"
    if wanted.before == have.before or canonical(wanted.value) != canonical(have.value):
        return ""
    if holds_unread(wanted.value):
        return ""
    if isinstance(have.value, str) and not have.value[slice(*_between(wanted, have))].strip():
        return "has different white space around the package's own value than the matrix"
    return "has the package's own value at a different place than the matrix"


def _between(wanted: Added, have: Added) -> tuple[int, int]:
    return min(wanted.before, have.before), max(wanted.before, have.before)


def _place(added: Added) -> str:
    """Where all that is known of what is added stands; empty where nothing of it is known."""
    first, last = map(_known, added.sides)
    if first and last:
        return "before and after"
    return "before" if first else "after" if last else ""


def _known(side: Found) -> bool:
    """Whether there surely is something in what is added at one side."""
    match side:
        case str():
            return bool(_UNREAD_PARTS.sub("", side).strip())
        case tuple():
            return any(not isinstance(item, Unread) for item in side)
        case _:
            return side is not None and not holds_unread(side)


def _is(have: Found, wanted: Found) -> str:
    mine, theirs = contrast(have, wanted)
    return f"is {mine}; the matrix has {theirs}"


def _replaces(wanted: Found, have: Found) -> bool:
    """Whether *have* is a text or a list of its own where *wanted* is one that is added."""
    return isinstance(wanted, Added) and isinstance(have, str | tuple)


def _some(items: Sequence[Found]) -> str:
    shown = ", ".join(show(item) for item in items[:_SHOWN])
    return shown + (f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else "")


def _inner(value: Found) -> Found:
    return value.value if isinstance(value, Added) else value


def _script(wanted: str, have: str) -> str:
    """How a script differs from that of the matrix, in whatever text: a comment in it is a part of
    the derivation as well. What may be in a part that is not understood is no difference."""
    if wanted == have:
        return ""
    mine, theirs = significant_lines(have), significant_lines(wanted)
    told = _apart(theirs, mine)
    spoken = _apart(_spoken(wanted), _spoken(have))
    if spoken:
        apart = f"in comments and printed text {' and '.join(spoken)}"
        return f"{' and '.join(told)}; and {apart}" if told else apart
    if told:
        return " and ".join(told)
    if UNREAD_PART in wanted or UNREAD_PART in have:
        return ""
    if sorted(mine) == sorted(theirs) and mine != theirs:
        return "has the lines in a different order than the matrix"
    return "differs from the matrix in white space, or in the order or number of lines"


def _apart(wanted: Sequence[str], have: Sequence[str]) -> list[str]:
    lacking, more = _without(wanted, have), _without(have, wanted)
    if lacking and more:
        here, there = lines_apart(more[0], lacking[0])
        return [
            f"lacks {_first_of(there, lacking)}",
            f"has {_first_of(here, more)}, which the matrix does not have",
        ]
    told = [f"lacks {_first_of(_cut(lacking[0]), lacking)}"] if lacking else []
    return told + (
        [f"has {_first_of(_cut(more[0]), more)}, which the matrix does not have"] if more else []
    )


def _spoken(script: str) -> list[str]:
    """The comments of *script*, and the lines that only print."""
    bare = [line.strip() for line in script.splitlines()]
    return [line for line in bare if line and speaks(line)]


def _without(lines: Sequence[str], others: Sequence[str]) -> list[str]:
    """Those of *lines* that are none of *others*, as far as all is understood."""
    unclear = [_unclear(line) for line in others if UNREAD_PART in line]
    known = frozenset(others)
    return [
        line
        for line in lines
        if line not in known
        and UNREAD_PART not in line
        and not any(line.startswith(begin) and line.endswith(end) for begin, end in unclear)
    ]


def _unclear(line: str) -> tuple[str, str]:
    """What stands before and after the parts of *line* that are not understood."""
    return line[: line.index(UNREAD_PART)], line[line.rindex("}") + 1 :] if "}" in line else ""


def _first_of(shown: str, lines: Sequence[str]) -> str:
    """The first of *lines*, which is *shown* so, and how many more there are."""
    rest = len(lines) - 1
    more = f" and {rest} more line{'s' if rest != 1 else ''}" if rest else ""
    return f"`{shown}`{more}"


def _cut(line: str) -> str:
    return line if len(line) <= 80 else f"{line[:78]} …"


def signature(facts: RecipeFacts) -> tuple[object, ...] | None:
    """What a recipe builds; equal for recipes that are one build but for names, comments and what
    scripts print. None where that is not wholly understood."""
    kept: list[tuple[str, object]] = []
    for group in (facts.settings, facts.effects):
        for path, seen in group.items():
            if not builds(path):
                continue
            value = _comparable(seen.value, facts.python)
            if value is None:
                return None
            kept.append((path, value))
    if facts.pin is None or facts.package is None:
        return None
    package = canonical(_as_reference("package", facts.package), facts.python)
    return (facts.pin.shown, package, *sorted(kept, key=lambda one: one[0]))


def _comparable(value: Found, python: str) -> object:
    inner = _inner(value)
    if isinstance(inner, str) and "\n" in inner:
        sides = value.sides if isinstance(value, Added) else (inner,)
        lines = [significant_lines(side) for side in sides if isinstance(side, str)]
        return None if holds_unread(inner) else (type(value).__name__, *lines)
    if isinstance(inner, Table | tuple | str) and holds_unread(inner):
        return None
    return (type(value).__name__, canonical(value, python))
