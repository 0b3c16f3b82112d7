"""Finds recipes that differ from their neighbours.

For each subject of recipes, a rule is a set of axes on which it depends: none if nearly all recipes
agree (a pin), one if it depends on that axis (GPU targets). The rule with the shortest description
is chosen. A description counts each group once and each exception twice. An exception is reported
only if its group is large enough and agrees well enough.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable
from itertools import combinations

from tvarc.advice.lints.packages import known
from tvarc.byhand.audit.compare import as_reference, builds
from tvarc.byhand.audit.model import RecipeFacts, Seen, canonical, holds_unread, show
from tvarc.byhand.audit.names import naming, segments
from tvarc.byhand.audit.read import NIXPKGS
from tvarc.light import Final, Iterator, Mapping, Sequence, dataclass

MATRIX: Final = "matrix"
_EXCEPTION: Final = 2.0
_FEWEST: Final = 3
_SURE: Final = 0.75
_MOST_AXES: Final = 6
ABSENT: Final = "nothing"
# Words of names that distinguish builds, without their numbers, such as those of `python313` and
# `sm90`.
_TELLING: Final = frozenset(
    ("python", "py", "cuda", "sm", "gpu", "cpu", "rocm", "gfx", "avx", "armv", "sve", "x", "v")
)
_LETTERS: Final = re.compile(r"[a-z]+", re.IGNORECASE)
_SKIPPED: Final = ("attrs.",)
_COMPARED_ATTRS: Final = ("attrs.version", "attrs.cmakeFlags", "attrs.src", "attrs.patches")


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A recipe for comparison: its axis values, and its settings by path. Recipes of one `project`
    are compared with each other."""

    path: str
    project: str
    values: Mapping[str, str]
    said: Mapping[str, tuple[Hashable, str]]
    unclear: tuple[str, ...] = ()  # beginnings of paths with parts that are not understood


@dataclass(frozen=True, slots=True)
class Departure:
    """A recipe that differs from `agreeing` of its `others` neighbours. `group` describes these,
    and is empty for all recipes."""

    path: str
    subject: str
    have: str
    usual: str
    agreeing: int
    others: int
    group: str


def neighbour(
    path: str,
    facts: RecipeFacts,
    package: str,
    values: Mapping[str, str],
    same: dict[tuple[Hashable, str], tuple[Hashable, str]],
) -> Neighbour:
    """The recipe with the name *package* in its file, for comparison. *same* has equal settings as
    one object, because most recipes have most settings in common."""
    said = {path: same.setdefault(one, one) for path, one in said_by(facts, package).items()}
    return Neighbour(path, project_of(facts, package), values, said, unclear_in(facts))


def said_by(facts: RecipeFacts, package: str) -> dict[str, tuple[Hashable, str]]:
    """The settings of a recipe for the comparison with neighbours: by path, a comparable form and
    the words for the user. Parts that are not understood are left out."""
    said: dict[str, tuple[Hashable, str]] = {}
    if facts.pin is not None:
        said["pin"] = (facts.pin.shown, facts.pin.brief)
    if facts.scratch:
        said["package"] = (facts.scratch, f"built from scratch by `{facts.scratch}`")
    elif facts.elsewhere:
        pass
    elif facts.package is not None and not holds_unread(facts.package.value):
        said["package"] = (
            _key("package", facts.package, facts.python),
            show(facts.package.value).strip('"'),
        )
    for path, seen in facts.all.items():
        wanted = builds(path) and (path in _COMPARED_ATTRS or not path.startswith(_SKIPPED))
        if wanted and not holds_unread(seen.value):
            said[path] = (_key(path, seen, facts.python), show(seen.value))
    if facts.isa_flags:
        flags = " ".join(facts.isa_flags)
        said["flags"] = (flags, f"`{flags}`")
    if facts.pname is not None:
        mine, theirs = naming(facts.pname, package)
        words = "the name of their file" if mine == theirs else f"`{mine}…` for `{theirs}…`"
        said["pname"] = ((mine, theirs), words)
    off = sorted({switch.part for switch in facts.switches})
    said["switched off"] = (tuple(off), ", ".join(off) or "nothing")
    return said


def _key(path: str, seen: Seen, python: str) -> Hashable:
    return repr(canonical(as_reference(path, seen), python))


def departures(recipes: Sequence[Neighbour], asked: frozenset[str]) -> Iterator[Departure]:
    """The departures of the recipes with a path in *asked* from other recipes of their project."""
    projects: dict[str, list[Neighbour]] = {}
    for one in recipes:
        projects.setdefault(one.project, []).append(one)
    for alike in projects.values():
        yield from _departures(alike, asked)


def project_of(facts: RecipeFacts, name: str) -> str:
    """The project of which a recipe builds a variant: the package that it changes, or else its name
    without the words that distinguish builds. *name* is that of the file."""
    package = facts.package.value if facts.package is not None else None
    called = facts.pname or name.rpartition(".")[2]
    attribute = package.rpartition(".")[2] if isinstance(package, str) else ""
    if not attribute:
        words = (found[0] for one in segments(called) if (found := _LETTERS.match(one)))
        attribute = next((word for word in words if word.lower() not in _TELLING), "")
    torch = known(attribute)
    return torch.kind if torch is not None else attribute


def _departures(recipes: Sequence[Neighbour], asked: frozenset[str]) -> Iterator[Departure]:
    axes = sorted({axis for one in recipes for axis in one.values})[:_MOST_AXES]
    rules = [
        _Rule(rule, {one.path: _values(one, rule) for one in recipes})
        for rule in ((), *combinations(axes, 1), *combinations(axes, 2))
    ]
    subjects = sorted({subject for one in recipes for subject in one.said})
    for subject in subjects:
        cells = [
            (one, *one.said.get(subject, ("", ABSENT)))
            for one in recipes
            if subject in one.said or not subject.startswith(one.unclear)
        ]
        if len({key for _, key, _ in cells}) < 2:
            continue
        rule = min(rules, key=lambda rule: (_length(cells, rule), len(rule.axes), rule.axes))
        yield from _exceptions(subject, cells, rule, asked)


Said = tuple[Neighbour, Hashable, str]


@dataclass(frozen=True, slots=True)
class _Rule:
    """The axes on which a subject may depend, and the values on these axes by the path of each
    recipe."""

    axes: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]


def _values(one: Neighbour, axes: Sequence[str]) -> tuple[str, ...]:
    return tuple([one.values.get(axis, "") for axis in axes])


def _groups(cells: Sequence[Said], rule: _Rule) -> dict[tuple[str, ...], list[Said]]:
    groups: dict[tuple[str, ...], list[Said]] = {}
    for cell in cells:
        groups.setdefault(rule.values[cell[0].path], []).append(cell)
    return groups


def _length(cells: Sequence[Said], rule: _Rule) -> float:
    total = 0.0
    for group in _groups(cells, rule).values():
        most = Counter(key for _, key, _ in group).most_common(1)[0][1]
        total += 1 + _EXCEPTION * (len(group) - most)
    return total


def _exceptions(
    subject: str, cells: Sequence[Said], rule: _Rule, asked: frozenset[str]
) -> Iterator[Departure]:
    for values, group in sorted(_groups(cells, rule).items()):
        usual, most = Counter(key for _, key, _ in group).most_common(1)[0]
        if most < _FEWEST or most < _SURE * len(group) or most == len(group):
            continue
        words = next(text for _, key, text in group if key == usual)
        told = " ".join(_group_words(*one) for one in zip(rule.axes, values, strict=True))
        for one, key, text in group:
            if key != usual and one.path in asked:
                yield Departure(one.path, subject, text, words, most, len(group), told)


def _group_words(axis: str, value: str) -> str:
    if not value:
        return f"without {axis}"
    return f"of matrix {value}" if axis == MATRIX else f"with {axis} {value}"


def unclear_in(facts: RecipeFacts) -> tuple[str, ...]:
    """The beginnings of all paths of which some part in *facts* is not understood."""
    found: set[str] = {"meta.", "flags"} if facts.gaps else set()
    for gap in facts.gaps:
        match gap.what:
            case "pin" | "package":
                found.add(gap.what)
            case "config" | "args" | "attrs" | "env":
                found.add(f"{gap.what}.")
            case _ if gap.what == NIXPKGS:
                found |= {"config.", ""}
            case what if what.startswith("overlay"):
                found.add("")  # effects can begin with any name
            case path:
                found.add(path)
    if facts.elsewhere:
        found.add("")
    if facts.package is None:
        found |= {"package", "args."}
    if facts.pin is None:
        found |= {"pin", "config.", ""}
    if facts.pname is None:
        found.add("pname")
    return tuple(sorted(found))
