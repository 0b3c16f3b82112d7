"""Compares the settings of a recipe with those of its cell in the matrix."""

from __future__ import annotations

import re

from tvarc.byhand.audit.changes import any_python
from tvarc.byhand.audit.model import (
    UNREAD_PART,
    Added,
    Fetched,
    Found,
    Linked,
    RecipeFacts,
    Ref,
    Seen,
    Table,
    Unread,
    beside,
    canonical,
    holds_unread,
    same_but_for_python,
    show,
    show_whole,
)
from tvarc.byhand.audit.names import Siblings
from tvarc.byhand.audit.read import NIXPKGS, may_hold_flags, significant_lines, speaks
from tvarc.light import (
    Collection,
    Final,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    TypeGuard,
    dataclass,
    field,
    replace,
)
from tvarc.nix.language.syntax import NOWHERE, Extent
from tvarc.text.diagnostics.words import some_of

# Settings that name and describe a build, and are not part of it.
NAMES: Final = ("attrs.pname", "attrs.name")
_WORDS: Final = ("meta.", "passthru.")
_KEPT: Final = "meta.platforms"


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference of a recipe from the matrix: the `code` of its finding, the `path` of the
    setting, a clause `text` for the user, and the place. `also` are further paths that the clause
    covers."""

    code: str
    path: str
    text: str
    place: Extent = NOWHERE
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Expected:
    """The settings of the matrix for one cell, or the common settings of several cells. The cells
    differ at the paths in `varying`. `overlays` has the name of each overlay, by the paths that it
    changes."""

    facts: RecipeFacts
    varying: frozenset[str] = frozenset()
    named: bool = True
    overlays: Mapping[str, str] = field(default_factory=dict)

    def without(self, paths: Collection[str]) -> Expected:
        """The same, without any expectation at *paths*."""
        return replace(self, facts=without(self.facts, paths), varying=self.varying.union(paths))


def builds(path: str) -> bool:
    """Whether a setting is part of the build, and not only a name or a description of it."""
    return path == _KEPT or not (path in NAMES or path.startswith(_WORDS))


def agreed(cells: Sequence[RecipeFacts]) -> Expected:
    """The settings that all of *cells*, at least one, have in common."""
    first = cells[0]
    varying: set[str] = set()
    for other in cells[1:]:
        mine, theirs = first.all, other.all
        varying |= {
            path
            for path in mine.keys() | theirs.keys()
            if _value(mine.get(path)) != _value(theirs.get(path))
        }
        if other.isa_flags != first.isa_flags:
            varying.add("flags")
        if (other.pin, other.package) != (first.pin, first.package):
            varying.add("pin" if other.pin != first.pin else "package")
        if other.needs != first.needs:
            varying.add("needs")
    return Expected(without(first, varying), frozenset(varying), named=False)


def without(facts: RecipeFacts, paths: Collection[str]) -> RecipeFacts:
    """*facts* without the settings and effects at *paths*."""
    return replace(
        facts,
        settings={path: seen for path, seen in facts.settings.items() if path not in paths},
        effects={path: seen for path, seen in facts.effects.items() if path not in paths},
    )


def _value(seen: Seen | None) -> object:
    return canonical(seen.value) if seen is not None else Ellipsis


_LENGTH: Final = 60
_BEFORE: Final = 20
_LINE: Final = 80


@dataclass(frozen=True, slots=True)
class Apart:
    """Two parts at the same place in two values: the place in words, and both parts."""

    label: str
    mine: Found
    theirs: Found


def contrast(mine: Found, theirs: Found) -> tuple[str, str]:
    """The texts of *mine* and *theirs*, which differ, for the user. If they are too long, or have
    the same text, their equal parts are left out."""
    whole = (show_whole(mine), show_whole(theirs))
    if whole[0] != whole[1] and whole == (show(mine), show(theirs)):
        return whole
    first = next(apart(mine, theirs), Apart("", mine, theirs))
    shown = (show_whole(first.mine), show_whole(first.theirs))
    if shown[0] == shown[1]:  # they differ in blanks
        mine, theirs = first.mine, first.theirs
        shown = (show_whole(mine, exactly=True), show_whole(theirs, exactly=True))
    return _around(first.label, *shown)


def lines_apart(mine: str, theirs: str) -> tuple[str, str]:
    """Two lines that differ. If they are too long, their equal parts are left out."""
    return (mine, theirs) if max(len(mine), len(theirs)) <= _LINE else _around("", mine, theirs)


def apart(mine: Found, theirs: Found, label: str = "") -> Iterator[Apart]:
    """The parts in which two values differ. Parts of values of the same form are compared by their
    places. Values of different forms differ as a whole. *label* is the label of the whole value."""
    if canonical(mine) == canonical(theirs):
        return
    parts: list[Apart] = []
    match mine, theirs:
        case Added(_, one, here), Added(_, other, there) if here == there:
            parts = list(apart(one, other, label))
        case Fetched(function, has), Fetched(name, wants) if function == name:
            parts = list(_entries(f"{function} … ", dict(has), dict(wants)))
        case Table(has), Table(wants):
            parts = list(_entries("… ", dict(has), dict(wants)))
        case tuple(), tuple() if len(mine) == len(theirs):
            for pair in zip(mine, theirs, strict=True):
                parts += apart(*pair, label)
        case _:
            pass
    yield from parts or [Apart(label, mine, theirs)]


def _entries(words: str, has: Mapping[str, Found], wants: Mapping[str, Found]) -> Iterator[Apart]:
    """The entries in which two sets differ. Entries that both have come first."""
    for key in sorted(has.keys() & wants.keys()):
        yield from apart(has[key], wants[key], f"{words}{key} = ")
    for key in sorted(has.keys() ^ wants.keys()):
        here, there = (Table(((key, one[key]),) if key in one else ()) for one in (has, wants))
        yield Apart(words, here, there)


def _around(label: str, mine: str, theirs: str) -> tuple[str, str]:
    """Both texts, each cut to the part around the place where they begin to differ."""
    same = 0
    for one, other in zip(mine, theirs, strict=False):
        if one != other:
            break
        same += 1
    start = max(0, same - _BEFORE) if max(len(mine), len(theirs)) > _LENGTH else 0

    def part(text: str) -> str:
        begin = "… " if start else ""
        end = " …" if len(text) > start + _LENGTH else ""
        return f"{label}{begin}{text[start : start + _LENGTH]}{end}"

    return part(mine), part(theirs)


_CODE: Final = "W218"


def other_needs(expected: Expected, found: RecipeFacts, siblings: Siblings) -> Iterator[Difference]:
    """The places where *found* needs other recipes than expected."""
    facts = expected.facts
    for wanted, have in ((facts.effects, found.effects), (facts.settings, found.settings)):
        for path in dict.fromkeys((*wanted, *have)):
            if path not in expected.varying:
                yield from _at(path, wanted, have, siblings)
    if "needs" not in expected.varying:
        yield from _named_elsewhere(facts, found, siblings)


def _at(
    path: str, wanted: Mapping[str, Seen], have: Mapping[str, Seen], siblings: Siblings
) -> Iterator[Difference]:
    """The findings at *path*, if at least one side needs a recipe there."""
    theirs, mine = wanted.get(path), have.get(path)
    if theirs is not None and isinstance(theirs.value, Linked):
        changed = [other for other in have if other.startswith(f"{path}: ") and other not in wanted]
        if changed and not (mine is not None and isinstance(mine.value, Linked)):
            text = f"changes `{path}` itself; {_matrix(theirs.value)}"
            yield Difference(_CODE, path, text, have[changed[0]].place, tuple(changed))
            return
    if mine is None or holds_unread(mine.value):
        return
    match theirs.value if theirs is not None else None, mine.value:
        case None, Linked() as other if theirs is None:
            text = f"uses {_file(other)} for `{path}`; the matrix does not"
            yield Difference(_CODE, path, text, mine.place)
        case Linked() as one, other if not isinstance(other, Linked):
            yield Difference(
                _CODE, path, f"has `{path}` = {show(other)}; {_matrix(one)}", mine.place
            )
        case one, Linked() as other if not isinstance(one, Linked):
            text = f"uses {_file(other)} for `{path}`; the matrix has {show(one)}"
            yield Difference(_CODE, path, text, mine.place)
        case one, other:
            parts = [(part.theirs, part.mine) for part in apart(other, one)]
            links = [
                (their, my)
                for their, my in parts
                if isinstance(their, Linked) and isinstance(my, Linked)
            ]
            if len(links) < len(parts):
                return  # they also differ otherwise, and other findings report that
            for their, my in links:
                text = f"uses {_file(my)} for `{path}`; the matrix uses {_file(their)}: "
                text += siblings.apart(my.path, their.path)
                yield Difference(_CODE, path, text, mine.place)


def _named_elsewhere(
    wanted: RecipeFacts, have: RecipeFacts, siblings: Siblings
) -> Iterator[Difference]:
    """The recipes that only one side names, outside of the compared values."""
    more = sorted(have.needs - wanted.needs - _compared(have))
    lacking = sorted(wanted.needs - have.needs - _compared(wanted))
    if len(more) == len(lacking) == 1:
        text = f"uses {_files(more)}; the matrix uses {_files(lacking)}: "
        yield Difference(_CODE, "needs", text + siblings.apart(more[0], lacking[0]))
        return
    if more:
        yield Difference(_CODE, "needs", f"uses {_files(more)}; the matrix does not")
    if lacking:
        yield Difference(_CODE, "needs", f"does not use {_files(lacking)}; the matrix does")


def _compared(facts: RecipeFacts) -> set[str]:
    """The recipes in compared values."""
    shown = [show_whole(seen.value, exactly=True) for seen in facts.all.values()]
    return {path for path in facts.needs if any(beside(path) in text for text in shown)}


def _files(paths: Sequence[str]) -> str:
    return ", ".join([f"`{beside(path)}`" for path in paths])


def _file(need: Linked) -> str:
    return f"`{beside(need.path)}`"


def _matrix(need: Linked) -> str:
    return f"the matrix uses {_file(need)}"


_SHOWN: Final = 3
_UNREAD_PARTS: Final = re.compile(re.escape(UNREAD_PART) + r"[^}]*\}")


class _Sides:
    """Compares the settings of the matrix with those of a recipe, each at its own pin."""

    __slots__ = ("have", "wanted")

    def __init__(self, expected: Expected, found: RecipeFacts) -> None:
        self.wanted = expected.facts.python
        self.have = found.python

    def differ(self, wanted: Found, have: Found) -> bool:
        """Whether two values are known to have different meanings."""
        return self._apart(wanted, have) is True

    def unknown_python(self, wanted: Found, have: Found) -> bool:
        """Whether two values may or may not mean the same, because one names `python3` and the
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
    """Every difference between *found*, one of *siblings*, and the expected settings. Differences
    in needed recipes come first. Parts that are not understood are not differences."""
    needs = tuple(other_needs(expected, found, siblings))
    yield from needs
    reported = {path for one in needs for path in (one.path, *one.also)}
    if reported:
        expected, found = expected.without(reported), without(found, reported)
    sides = _Sides(expected, found)
    yield from _pin(expected, found)
    yield from _package(expected, found, sides)
    yield from _name(expected, found)
    yield from _lacking(expected, found, sides)
    yield from _values(expected, found, sides)
    yield from _flags(expected, found)


def not_understood(
    expected: Expected | None, found: RecipeFacts, *, alone: bool = False
) -> Iterator[Difference]:
    """The parts of *found* that the audit does not understand and therefore does not compare. Parts
    that the matrix has in the same words are left out, and so are parts that a finding about the
    whole file covers. *alone* says that there is no matrix and no such finding."""
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
    """Whether the values at *path* in *found* and in the matrix differ, although their words are
    equal."""
    if expected is None:
        return False
    have, wanted = found.package, expected.facts.package
    if path != "package":
        have, wanted = found.all.get(path), expected.facts.all.get(path)
    if have is None:
        return False
    return wanted is None or canonical(wanted.value) != canonical(have.value)


def _unknown_pythons(expected: Expected, found: RecipeFacts) -> Iterator[Difference]:
    """The values that may or may not be those of the matrix, because the version of `python3` at
    the pin is not known."""
    sides = _Sides(expected, found)
    pairs = [("package", expected.facts.package, found.package)]
    have = found.all
    pairs += [(path, seen, have.get(path)) for path, seen in expected.facts.all.items()]
    for path, one, other in pairs:
        if one is None or other is None or (path == "package" and found.elsewhere):
            continue
        wanted, mine = (as_reference(path, seen) for seen in (one, other))
        if sides.unknown_python(wanted, mine):
            text = f"`{path}` is {show(mine)}; the matrix has {show(wanted)}: "
            text += "it is not known which Python `python3` is at this pin"
            yield Difference("W217", path, text, other.place)


def as_reference(path: str, seen: Seen) -> Found:
    """The value of *seen*. For a package it is its path, which only Nix can evaluate."""
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
        as_reference("package", wanted), as_reference("package", found.package)
    ):
        text = f"changes {_bare(found.package)}; the matrix changes {_bare(wanted)}"
        yield Difference("W212", "package", text, found.package.place)


def _another_file(expected: Expected, found: RecipeFacts) -> bool:
    """Whether the arguments belong to two functions: both sides call the function of a file, but
    not of the same one, or only the matrix calls one. If only the recipe calls one, its package may
    be in that file."""
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


def _values(expected: Expected, found: RecipeFacts, sides: _Sides) -> Iterator[Difference]:
    """Settings, and changes by overlays, that differ from the matrix or that the matrix lacks."""
    known = expected.facts.all
    others = ("args.",) if _another_file(expected, found) else ()
    for path, have in found.all.items():
        of_overlay, wanted = path in found.effects, known.get(path)
        if path in expected.varying or path.startswith(others) or not (of_overlay or builds(path)):
            continue
        text = ""
        if wanted is not None:
            differs = _difference_text(wanted.value, have.value, sides)
            text = f"`{path}` {differs}" if differs else ""
        elif not (_says_nothing(have.value) or _said_by_overlay(path, have, expected, sides)):
            text = f"has `{path}` = {show(have.value)}, which the matrix does not have"
        if text:
            yield Difference("W209" if of_overlay else "W213", path, text, have.place)


def _lacking(expected: Expected, found: RecipeFacts, sides: _Sides) -> Iterator[Difference]:
    """Settings of the matrix that the recipe lacks, and changes that only overlays of the matrix
    make, by overlay."""
    blocks = {gap.what for gap in found.gaps}
    others = ("args.",) if _another_file(expected, found) else ()
    for path, wanted in expected.facts.settings.items():
        block = path.partition(".")[0]
        if path in found.settings or path.startswith(others) or not builds(path):
            continue
        given = block == "config" and (found.pin is None or not found.pin.url)
        if not (given or block in blocks or found.scratch or found.elsewhere):
            yield Difference("W213", path, f"lacks `{path}`{_equals(wanted.value)}")
    if found.elsewhere or any(gap.what in ("overlays", NIXPKGS) for gap in found.gaps):
        return
    groups: dict[str, list[str]] = {}
    for path, wanted in expected.facts.effects.items():
        target = path.partition(": ")[0]
        if not blocks.isdisjoint((target, f"{target}: args", f"{target}: attrs")):
            continue  # it may be in a part that is not understood
        if path not in found.effects and not _in_own_attributes(path, wanted, found, sides):
            groups.setdefault(expected.overlays.get(target, target), []).append(path)
    for name, paths in groups.items():
        what = ", ".join(f"`{path}`" for path in paths)
        named = f"the overlay `{name}`" if name in expected.overlays.values() else "an overlay"
        yield Difference("W209", paths[0], f"lacks {named}, which sets {what}", also=tuple(paths))


def _in_own_attributes(path: str, wanted: Seen, found: RecipeFacts, sides: _Sides) -> bool:
    """Whether the recipe itself has the change of its package that an overlay makes in the
    matrix."""
    target, _, attribute = path.partition(": ")
    if not attribute or found.package is None or _target(found.package) != target:
        return False
    have = found.settings.get(f"attrs.{attribute}") or found.settings.get(attribute)
    return have is not None and not sides.differ(wanted.value, have.value)


def _target(package: Seen) -> str:
    """The target that overlays use for *package*."""
    return any_python(package.value) if isinstance(package.value, str) else ""


def _name(expected: Expected, found: RecipeFacts) -> Iterator[Difference]:
    wanted, have = expected.facts.pname, found.pname
    if expected.named and wanted is not None and have is not None and wanted != have:
        text = f"is named `{have}`; the matrix names it `{wanted}`"
        yield Difference("W210", "attrs.pname", text, found.place("attrs.pname"))


def _equals(value: Found) -> str:
    inner = _inner(value)
    if isinstance(inner, str) and "\n" in inner:
        does, says = len(significant_lines(inner)), len(_spoken(inner))
        count = does or says
        of = "" if does else " of comments and printed text"
        return f", {count} line{'s' if count != 1 else ''}{of}"
    return f" = {show(value)}"


def _says_nothing(value: Found) -> bool:
    """Whether nothing of *value* is understood, so that it is no difference."""
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
        if more:  # others may be in a part that is not understood
            yield Difference("W213", "flags", f"compiles with {_words(more)}; the matrix does not")
        return
    text = f"compiles with {_words(have)}; the matrix compiles with {_words(wanted)}"
    yield Difference("W213", "flags", text)


def _flags_unclear(found: RecipeFacts) -> bool:
    """Whether parts that are not understood may have more flags."""
    if found.elsewhere or any(gap.what in ("attrs", "env") for gap in found.gaps):
        return True
    unread = [path for path, seen in found.settings.items() if holds_unread(seen.value)]
    return bool(unread) and (not found.isa_flags or any(map(may_hold_flags, unread)))


def _words(flags: Iterable[str]) -> str:
    return f"`{' '.join(flags)}`" if flags else "no `-m` flag"


def _difference_text(wanted: Found, have: Found, sides: _Sides) -> str:
    """A clause that says how *have* differs from *wanted*; empty if it does not, or if it is not
    understood."""
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
    """The difference in the places of two additions, before or after the package's own value; empty
    if there is none."""
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
    """The place of the known parts of an addition, in words; empty if no part is known."""
    first, last = map(_known, added.sides)
    if first and last:
        return "before and after"
    return "before" if first else "after" if last else ""


def _known(side: Found) -> bool:
    """Whether the addition on one side is certainly not empty."""
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
    """Whether *have* is a whole text or list, although *wanted* is an addition."""
    return isinstance(wanted, Added) and isinstance(have, str | tuple)


def _some(items: Sequence[Found]) -> str:
    return some_of(list(map(show, items)), _SHOWN)


def _inner(value: Found) -> Found:
    return value.value if isinstance(value, Added) else value


def _script(wanted: str, have: str) -> str:
    """A clause that says how a script differs from that of the matrix. Any text counts, because
    even a comment is part of the derivation. A line that may be in a part that is not understood is
    no difference."""
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
    """The members of *lines* that are certainly not in *others*."""
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
    """The text before and after the parts of *line* that are not understood."""
    return line[: line.index(UNREAD_PART)], line[line.rindex("}") + 1 :] if "}" in line else ""


def _first_of(shown: str, lines: Sequence[str]) -> str:
    """The first of *lines*, in the form *shown*, and the number of the others."""
    rest = len(lines) - 1
    more = f" and {rest} more line{'s' if rest != 1 else ''}" if rest else ""
    return f"`{shown}`{more}"


def _cut(line: str) -> str:
    return line if len(line) <= 80 else f"{line[:78]} …"


def signature(facts: RecipeFacts) -> tuple[object, ...] | None:
    """A key for the build of a recipe. Recipes have the same key if their builds differ only in
    names, comments and printed texts. None if a part of the recipe is not understood."""
    kept: list[tuple[str, object]] = []
    for path, seen in facts.all.items():
        if not builds(path):
            continue
        value = _comparable(seen.value, facts.python)
        if value is None:
            return None
        kept.append((path, value))
    if facts.pin is None or facts.package is None:
        return None
    package = canonical(as_reference("package", facts.package), facts.python)
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
