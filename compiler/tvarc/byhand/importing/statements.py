"""The statements for the recipes of one matrix, and the data that matrices share."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import contextmanager

from tvarc.byhand.importing.conditions import NEARLY, RULE, Cells
from tvarc.byhand.importing.explain import Explaining
from tvarc.byhand.importing.lookups import Lookups
from tvarc.byhand.importing.model import Family, Pin
from tvarc.byhand.importing.names import free_name, is_name, name_of
from tvarc.byhand.importing.shapes import Shape
from tvarc.byhand.importing.written import CannotSay, branches
from tvarc.light import Final, Iterator, Mapping, Sequence, dataclass, field, replace
from tvarc.syntax.format.break_points import WIDTH
from tvarc.syntax.format.format import WIDE, braced
from tvarc.values.value import quote


@dataclass(frozen=True, slots=True)
class Statement:
    """Lines within a `block` of a recipe, for the cells in which `condition` holds. The block is
    empty for lines of the recipe itself. The lines of `comment` are above them."""

    block: str
    text: str
    condition: str = ""
    comment: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drift:
    """The differences of a few `cells`: the path of the `setting`, and the statements."""

    cells: tuple[int, ...]
    setting: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """Cached results of earlier attempts to write the program, with other names of records: the
    cells that are exceptions (`odd`), by the setting, the first variant and the values; and the
    explanations of the cells of a shape, by its identity."""

    odd: dict[tuple[object, ...], frozenset[int]] = field(default_factory=dict)
    _explaining: dict[int, Explaining] = field(default_factory=dict)

    def explaining(self, shape: Shape) -> Explaining:
        """The explanations for the cells of *shape*."""
        return self._explaining.setdefault(id(shape), Explaining(shape))


@dataclass(slots=True)
class Shared:
    """The data that the matrices of a program share: pins and overlays by their text, and names;
    the folder of its `outputs`; results of earlier attempts; the names of pins in `named`; and the
    versions with which the files compare each version."""

    taken: set[str]
    outputs: str
    trials: Trials
    named: Mapping[Pin, str] = field(default_factory=dict)
    pins: dict[Pin, str] = field(default_factory=dict)
    inputs: dict[tuple[str, str], str] = field(default_factory=dict)
    overlays: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)
    lets: dict[str, str] = field(default_factory=dict)
    lookups: Lookups = field(default_factory=lambda: Lookups(set()))
    compared: Mapping[str, Mapping[str, None]] = field(default_factory=dict)

    @contextmanager
    def tried(self) -> Iterator[None]:
        """Drop the new declarations if something in this context cannot be written."""
        pins, overlays, lets = dict(self.pins), dict(self.overlays), dict(self.lets)
        taken, lookups = set(self.taken), self.lookups.copy()
        try:
            yield
        except CannotSay:
            self.pins, self.overlays = pins, overlays
            self.taken.intersection_update(taken)
            self.lookups.restore(lookups)
            self.lets.clear()
            self.lets.update(lets)
            raise

    def name(self, wanted: str) -> str:
        """A unique name like *wanted*."""
        base = wanted if is_name(wanted) else f"o-{wanted}"
        name = free_name(base, self.taken, self.lets)
        self.taken.add(name)
        return name


@dataclass(frozen=True, slots=True)
class Conditions:
    """Writes the conditions of some cells of a site."""

    cells: Cells
    every: tuple[int, ...]

    def of(self, some: Sequence[int]) -> str:
        """The condition of the cells *some*; empty for all of them."""
        if len(some) == len(self.every):
            return ""
        return self.cells.condition(some, self.every).code

    def besides(self, some: Sequence[int]) -> list[int]:
        """The cells besides *some*, if *some* have nearly all words of each deciding axis and no
        fact distinguishes the words. Then the value of *some* is a rule for future words."""
        of_some, of_every = (self._words(cells) for cells in (some, self.every))
        deciding = [name for name, words in of_some.items() if words != of_every[name]]
        terms = self.of(some).split(" and ")
        if " or " in self.of(some) or len(terms) != len(deciding):
            return []
        for name, term in zip(deciding, terms, strict=True):
            words = len(of_some[name])
            is_most = RULE <= words >= NEARLY * (len(of_every[name]) - words)
            if not is_most or not term.startswith(f"{name} in "):
                return []
        return sorted(set(self.every) - set(some))

    def _words(self, some: Sequence[int]) -> dict[str, set[str]]:
        """The words of each axis that the cells *some* have."""
        return {
            axis.name: {self.cells.cells[cell][axis.name] for cell in some}
            for axis in self.cells.axes
        }

    def between(self, some: set[int], others: Sequence[int]) -> str:
        """The condition of the cells *some* by a fact in which the *others* differ, if there are no
        further cells; empty if there is none."""
        if some != set(self.every) - set(others):
            return ""
        of_some, of_others = self._words(sorted(some)), self._words(others)
        for axis in self.cells.axes:
            words, rest = of_some[axis.name], of_others[axis.name]
            if words.isdisjoint(rest):
                return self.cells.fact_between(axis, words, words | rest)
        return ""


def under_conditions(rows: Sequence[tuple[tuple[int, ...], str]], holds: Conditions) -> list[str]:
    """Texts under the conditions of their cells. Neighbouring texts with the same cells are in one
    block. A text between two of them that only some of these cells have is in a block within it."""
    found: list[str] = []
    before: tuple[set[int], list[str]] = (set(), [])  # the cells and the texts of the last block
    at = 0
    while at < len(rows):
        here, text = rows[at]
        end = at + 1
        if len(here) == len(holds.every):
            found.append(text)
            before = (set(), [])
        else:
            for number in range(at, len(rows)):
                if not set(rows[number][0]) <= set(here):
                    break
                end = number + 1 if rows[number][0] == here else end
            inner = under_conditions(rows[at:end], Conditions(holds.cells, here))
            made = conditional(holds.of(here), inner)
            condition = holds.between(before[0], here) if before[1] else ""
            if condition:
                joint = branches(f"when {condition}", before[1], inner)
                if len(joint) < len(made) + 1 + found[-1].count("\n"):
                    made = joint
                    del found[-1]
            found.append("\n".join(made))
            before = (set(here), inner)
        at = end
    return found


def conditional(condition: str, rows: Sequence[str]) -> list[str]:
    """*rows* where *condition* holds: in a block, or a single setting that is too long for a block
    of one line with the condition behind its value."""
    made = braced(f"when {condition}", rows)
    *comments, last = rows
    found = _SETTING.fullmatch(last)
    if len(made) == 1 or found is None or not all(one.startswith("#") for one in comments):
        return made
    row = f"{found['value']} when {condition}{found['reason'] or ''}"
    return [*comments, row] if all(len(line) <= WIDE for line in row.split("\n")) else made


def grouped(statements: Sequence[Statement]) -> list[str]:
    """Statements in their blocks, those without a condition first. A long statement whose condition
    occurs in only one block is written there."""
    plain = [one for one in statements if not one.condition]
    order = list(dict.fromkeys([one.block for one in statements]))
    known = {one.block for one in plain}
    rows: list[str] = []
    for condition in dict.fromkeys([one.condition for one in statements if one.condition]):
        some = [one for one in statements if one.condition == condition]
        of, *others = dict.fromkeys([one.block for one in some])
        made = conditional(condition, blocks(some))
        is_there = of in known or not of.startswith("script ")
        if of and is_there and not others and len(made) > 1:
            inner = blocks([replace(one, block="") for one in some])
            behind = [order.index(one.block) > order.index(of) for one in plain]
            joint = Statement(of, "\n".join(conditional(condition, inner)))
            plain.insert(behind.index(True) if True in behind else len(plain), joint)
        else:
            rows += made
    return [*blocks(plain), *rows]


def blocks(statements: Sequence[Statement]) -> list[str]:
    """Statements in their blocks, whatever their conditions: first those in no block."""
    rows: list[str] = []
    for name in dict.fromkeys(["", *[one.block for one in statements]]):
        inner: list[str] = []
        for one in statements:
            if one.block == name:
                inner += [*[f"# {line}".rstrip() for line in one.comment], one.text]
        rows += braced(name, inner) if name else inner
    return rows


def common(families: Sequence[Family], found: Sequence[Sequence[Statement]]) -> list[Statement]:
    """The statements in *found* that most of several *families* share, if each other family has
    another value for the setting. Additions to lists, scripts (whose order counts), axes that some
    families lack, and names are left out."""
    if len(families) < 2:
        return []
    axes = [{axis.name for axis in family.shape.axes} for family in families]
    elsewhere = set[str]().union(*axes) - axes[0].intersection(*axes)
    count = Counter([one for statements in found for one in dict.fromkeys(statements)])
    set_in = [{_set_by(one) for one in statements} for statements in found]
    return [
        one
        for one, some in count.items()
        if 2 * some > len(found)
        and (key := _set_by(one)) is not None
        and all(key in settings for settings in set_in)
        and not reads(one.text, elsewhere)
    ]


def own_of(
    family: Family, found: Sequence[Statement], every: Sequence[Statement]
) -> list[Statement]:
    """What is *found* of *family*, and not of *every* one. The name of a single file is its
    variant's, where that is so of every one."""
    named = {
        Statement(one.block, one.text.replace(" = variant", f" = {quote(family.shape.stems[0])}"))
        for one in every
        if len(family.files) == 1 and one.text.endswith(" = variant")
    }
    return [one for one in found if one not in every and one not in named]


def _set_by(one: Statement) -> tuple[str, str] | None:
    """The setting that *one* sets in all cells; None if it does something else."""
    name, how, *_ = one.text.split(" ", 2)
    is_set = how in ("=", "{") and not one.condition and not one.block.startswith("script ")
    return (one.block, name) if is_set else None


def reads(text: str, names: set[str]) -> bool:
    """Whether *text* has one of *names* as a word."""
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in names)


_SETTING: Final = re.compile(
    r'(?P<value>(?:flag )?[\w"-]+ [+-]?= (?:(?!"{3}).)*?)(?P<reason> because "(?:\\.|[^"\\])*")?',
    re.DOTALL,
)
"""A setting, and why it is so. A text of lines is none: its condition would be far behind."""
_ARCHIVE: Final = re.compile(r"https://github\.com/([^/]+/[^/]+)/archive/([0-9a-f]{40})\.tar\.gz\Z")


def revision_of(pin: Pin) -> tuple[str, str] | None:
    """The repository at GitHub and the revision whose tarball *pin* is; None for any other."""
    found = _ARCHIVE.match(pin.url)
    return (found[1], found[2]) if found is not None else None


def pin_names(families: Sequence[Family], taken: set[str]) -> dict[Pin, str]:
    """Names for the pins of *families*: `nixpkgs` for the first. Each other pin is named after the
    word that most of its recipes have and no recipe of another pin has, or by a number if there is
    no such word."""
    words: dict[Pin, Counter[str]] = {}
    for family in families:
        for recipe, cell in zip(family.recipes, family.shape.cells, strict=True):
            if recipe.pin is not None:
                words.setdefault(recipe.pin, Counter()).update(["", *set(cell.values())])
    found: dict[Pin, str] = {}
    for pin, count in words.items():
        others = [some for one, some in words.items() if one != pin]
        own = [word for word in count if not any(word in some for some in others)]
        own = [word for word in own if 2 * count[word] > count[""]]
        label = f"-{min(own, key=lambda word: (-count[word], word))}" if own and found else ""
        found[pin] = free_name(name_of(f"nixpkgs{label}", "nixpkgs"), taken, found.values())
    taken.update(found.values())
    return found


def fetched(word: str, pin: Pin, name: str) -> list[str]:
    """The declaration of a fetched source, or of a folder: a `pin` or an `input`."""
    found = revision_of(pin)
    rows: list[str] = []
    if pin.url.startswith(("./", "../")):
        rows.append(f"path = {quote(pin.url)}")
    elif found is not None:
        rows += [f"github = {quote(found[0])}", f"rev = {quote(found[1])}"]
    else:
        rows.append(f"url = {quote(pin.url)}")
    if pin.hash:
        rows.append(f"hash = {quote(pin.hash)}")
    return braced(f"{word} {name}", rows, WIDTH)
