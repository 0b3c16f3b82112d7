"""What decides a text in the cells of a matrix: the shortest description that is found."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from tvarc.importing.conditions import Cells
from tvarc.importing.shapes import Axis, Shape
from tvarc.importing.tables import Column, columns
from tvarc.light import Callable, Final, Literal, Sequence, dataclass
from tvarc.values import quote

Kind = Literal["constant", "fact", "condition", "table", "cells"]
_ORDER: Final[tuple[Kind, ...]] = ("constant", "fact", "condition", "table", "cells")

_IF: Final = 14  # what an `if … then … else …` costs to read
_ROW: Final = 10
_CELL: Final = 12
_TABLE: Final = 12
_CELLS: Final = 30
_LEAST: Final = 8  # what any condition costs, and about what any explanation of several texts does
_EXCEPTION: Final = 25
_MOST_BOXES: Final = 3
_DEEPEST: Final = 2
_MOST_SPLIT: Final = 16
_MANY: Final = 64
_LONG: Final = 12  # a text of more characters is hardly a fact of a row by accident


@dataclass(frozen=True, slots=True)
class Constant:
    """A text, the same everywhere."""

    text: str


@dataclass(frozen=True, slots=True)
class Fact:
    """An expression about one axis."""

    code: str


@dataclass(frozen=True, slots=True)
class Choice:
    """`if condition then yes else no`."""

    condition: str
    yes: Code
    no: Code


@dataclass(frozen=True, slots=True)
class Lookup:
    """An entry of a record that the values of *axes* choose."""

    axes: tuple[str, ...]
    entries: tuple[tuple[str, str], ...]


Code = Constant | Fact | Choice | Lookup


@dataclass(frozen=True, slots=True)
class Explanation:
    """A description, its cost and kind, and the cells in which it is not so."""

    code: Code
    cost: float
    kind: Kind
    exceptions: frozenset[int] = frozenset()


class Explaining(Cells):
    """The cells of a matrix, and how what is in them is explained. With `lenient` set an
    explanation may be wrong in a few cells."""

    __slots__ = ("columns", "known", "lenient", "shape", "taken")

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape.axes, shape.cells)
        self.shape = shape
        self.columns: dict[str, list[Column]] = {
            axis.name: columns(axis.name, axis.table, axis.values) for axis in shape.axes
        }
        self.taken = {axis.name: [cell[axis.name] for cell in shape.cells] for axis in shape.axes}
        self.known: dict[tuple[bool, tuple[str, ...], tuple[int, ...]], Explanation] = {}
        self.lenient = False

    @property
    def few(self) -> int:
        """How many cells may be exceptions to a rule."""
        return max(1, len(self.cells) // 25) if len(self.cells) >= 6 else 0

    def explain(self, values: Sequence[str], cells: Sequence[int], depth: int = 0) -> Explanation:
        """What *values* are in *cells*, one for each."""
        key = (self.lenient, tuple(values), tuple(cells))
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._explain(values, cells, depth)
        return found

    def _explain(self, values: Sequence[str], cells: Sequence[int], depth: int) -> Explanation:
        distinct = sorted(set(values))
        if len(distinct) == 1:
            return Explanation(Constant(distinct[0]), len(distinct[0]), "constant")
        found: list[Explanation] = []
        whole = False
        for axis in self.axes:
            mapping = self._mapping(axis, values, cells)
            if mapping is not None:
                whole = True
                found += self._by_axis(axis, mapping, cells, values)
        if self.lenient and depth == 0:
            found += self._with_exceptions(values, cells, whole=whole)
        if not whole:
            if len(distinct) == 2:
                found += self._by_condition(distinct, values, cells)
            least = _CELLS + sum(len(text) + _CELL for text in distinct)
            if not found or least < min(one.cost for one in found):
                found.append(self._by_cells(values, cells))
            if len(distinct) <= _MOST_SPLIT and depth < (_DEEPEST if len(cells) <= _MANY else 1):
                limit = min([one.cost for one in found])
                found += self._split(values, cells, depth, limit)
        return min(found, key=lambda one: one.cost)

    def _mapping(
        self, axis: Axis, values: Sequence[str], cells: Sequence[int]
    ) -> dict[str, str] | None:
        """The text of each value of *axis*, if it alone decides."""
        found: dict[str, str] = {}
        taken = self.taken[axis.name]
        for cell, value in zip(cells, values, strict=True):
            if found.setdefault(taken[cell], value) != value:
                return None
        return found

    def _by_axis(
        self, axis: Axis, mapping: dict[str, str], cells: Sequence[int], values: Sequence[str]
    ) -> list[Explanation]:
        found: list[Explanation] = []
        taken = list(mapping)
        for column in self.columns[axis.name]:
            wrong = [value for value in taken if column.values.get(value) != mapping[value]]
            right = {mapping[value] for value in taken if value not in wrong}
            cost = len(column.code) + 2 + column.cost
            telling = column.likely or len(right) > 2 or min(map(len, right), default=0) > _LONG
            if not wrong and telling:
                found.append(Explanation(Fact(column.code), cost, "fact"))
            elif (
                wrong and len(right) >= (2 if column.likely else 4) and len(wrong) <= len(taken) / 2
            ):
                found.append(self._but(axis, Fact(column.code), cost, wrong, mapping, "fact"))
        groups: dict[str, list[str]] = {}
        for value, text in mapping.items():
            groups.setdefault(text, []).append(value)
        if len(groups) <= _MOST_BOXES:
            usual = max(groups, key=lambda text: (len(groups[text]), text))
            others = [value for value in taken if mapping[value] != usual]
            found.append(self._but(axis, Constant(usual), len(usual), others, mapping, "condition"))
        entries = tuple([(value, mapping[value]) for value in axis.values if value in mapping])
        size = sum(len(text) + _ROW for text in mapping.values()) + _TABLE
        found.append(Explanation(Lookup((axis.name,), entries), size, "table"))
        return found

    def _but(
        self,
        axis: Axis,
        code: Code,
        cost: float,
        wrong: Sequence[str],
        mapping: dict[str, str],
        kind: Kind,
    ) -> Explanation:
        """*code*, but for the values *wrong* of *axis*."""
        for text in sorted({mapping[value] for value in wrong}):
            these = {value for value in wrong if mapping[value] == text}
            condition = self.of_axis(axis, these, set(mapping))
            code = Choice(condition, Constant(text), code)
            cost += len(condition) + len(text) + _IF
        return Explanation(code, cost, kind)

    def _with_exceptions(
        self, values: Sequence[str], cells: Sequence[int], *, whole: bool
    ) -> list[Explanation]:
        """Rules that hold in all cells but a few."""
        if not self.few or len(cells) < 6:
            return []
        found: list[Explanation] = []
        rules: list[list[str]] = []
        usual = Counter(values).most_common(1)[0][0]
        rules.append([usual] * len(values))
        names = [axis.name for axis in self.axes]
        for size in range(1, len(names)):
            rules += [self._usual(one, values, cells) for one in combinations(names, size)]
        rules += self._by_columns(values, cells)
        for rule in rules:
            odd = [
                cell for cell, value, one in zip(cells, values, rule, strict=True) if value != one
            ]
            if not odd or len(odd) > self.few or not self.are_odd(odd, cells):
                continue
            self.lenient = False
            inner = self.explain(rule, cells)
            self.lenient = True
            cost = inner.cost + _EXCEPTION * len(odd)
            if inner.kind != "cells":
                found.append(Explanation(inner.code, cost, inner.kind, frozenset(odd)))
        return found

    def _by_columns(self, values: Sequence[str], cells: Sequence[int]) -> list[list[str]]:
        """What each fact would be."""
        found: list[list[str]] = []
        for axis in self.axes:
            for column in self.columns[axis.name]:
                if column.likely:
                    rule = [column.values.get(self.cells[cell][axis.name], "\0") for cell in cells]
                    wrong = sum(a != b for a, b in zip(rule, values, strict=True))
                    if wrong <= self.few and "\0" not in rule and len(set(rule)) > 1:
                        found.append(rule)
        return found

    def are_odd(self, odd: Sequence[int], cells: Sequence[int]) -> bool:
        """Whether *odd* are cells by themselves, and not all that there are of a value of an axis
        that is no table's: to be different is what such a value is for."""
        for axis in self.axes:
            taken = {self.cells[cell][axis.name] for cell in odd}
            members = [cell for cell in cells if self.cells[cell][axis.name] in taken]
            if len(members) == len(odd) and (axis.table is None or len(odd) > 1):
                return False
        return True

    def _usual(self, axes: Sequence[str], values: Sequence[str], cells: Sequence[int]) -> list[str]:
        """The most frequent text for each combination of *axes*."""
        counts: dict[tuple[str, ...], Counter[str]] = {}
        keys = [tuple([self.cells[cell][name] for name in axes]) for cell in cells]
        for key, value in zip(keys, values, strict=True):
            counts.setdefault(key, Counter())[value] += 1
        return [counts[key].most_common(1)[0][0] for key in keys]

    def _by_condition(
        self, distinct: Sequence[str], values: Sequence[str], cells: Sequence[int]
    ) -> list[Explanation]:
        found: list[Explanation] = []
        for yes, no in (distinct, distinct[::-1]):
            some = [cell for cell, value in zip(cells, values, strict=True) if value == yes]
            condition = self.condition(some, cells)
            if condition.boxes <= _MOST_BOXES:
                cost = condition.cost + len(yes) + len(no) + _IF
                code = Choice(condition.code, Constant(yes), Constant(no))
                found.append(Explanation(code, cost, "condition"))
        return found

    def _split(
        self, values: Sequence[str], cells: Sequence[int], depth: int, limit: float
    ) -> list[Explanation]:
        """What two conditions explain, each in its part of the cells, if it costs less than
        *limit*."""
        best: Explanation | None = None
        for axis, chosen in self._halves(cells):
            sides: list[tuple[list[str], list[int]]] = [([], []), ([], [])]
            taken = self.taken[axis]
            for cell, value in zip(cells, values, strict=True):
                side = sides[taken[cell] not in chosen]
                side[0].append(value)
                side[1].append(cell)
            least = [_least(side[0]) for side in sides]
            if _LEAST + _IF + sum(least) >= limit:
                continue
            first = self.explain(*sides[0], depth + 1)
            if _LEAST + _IF + first.cost + least[1] >= limit:
                continue
            parts = [first, self.explain(*sides[1], depth + 1)]
            if _LEAST + _IF + sum(part.cost for part in parts) >= limit:
                continue
            condition = self.condition(sides[0][1], cells)
            cost = condition.cost + _IF + sum(part.cost for part in parts)
            if cost < limit:
                limit = cost
                kind = max([part.kind for part in parts], key=_ORDER.index)
                kind = "condition" if kind in ("constant", "fact") else kind
                code = Choice(condition.code, parts[0].code, parts[1].code)
                best = Explanation(code, cost, kind)
        return [best] if best is not None else []

    def _halves(self, cells: Sequence[int]) -> list[tuple[str, frozenset[str]]]:
        """Plain ways to part the cells in two: by one value of an axis, or at one."""
        found: list[tuple[str, frozenset[str]]] = []
        for axis in self.axes:
            there = {self.cells[cell][axis.name] for cell in cells}
            values = [value for value in axis.values if value in there]
            sets = {frozenset((value,)): None for value in values}
            for number in range(1, len(values)):
                sets[frozenset(values[number:])] = None
            found += [(axis.name, one) for one in sets if len(one) < len(values)]
        return found

    def _by_cells(self, values: Sequence[str], cells: Sequence[int]) -> Explanation:
        """A table of as many axes as decide."""
        columns = {name: [taken[cell] for cell in cells] for name, taken in self.taken.items()}
        # One axis alone does not decide, or it would have been asked before.
        for size in range(min(2, len(columns)), len(columns) + 1):
            for chosen in combinations(columns, size):
                entries = _entries([columns[name] for name in chosen], values)
                if entries is not None:
                    cost = sum(len(text) + _CELL for text in entries.values()) + _CELLS
                    named = tuple([("-".join(key), text) for key, text in entries.items()])
                    return Explanation(Lookup(chosen, named), cost, "cells")
        raise AssertionError("a cell has two texts")


def _entries(
    columns: Sequence[Sequence[str]], values: Sequence[str]
) -> dict[tuple[str, ...], str] | None:
    """The text of each combination of *columns*, if they decide."""
    found: dict[tuple[str, ...], str] = {}
    for key, value in zip(zip(*columns, strict=True), values, strict=True):
        if found.setdefault(key, value) != value:
            return None
    return found


def _least(values: Sequence[str]) -> int:
    """What an explanation of *values* costs at least."""
    distinct = set(values)
    return len(distinct.pop()) if len(distinct) == 1 else _LEAST


def code_of(code: Code, lookup: Lookups, constant: Callable[[str], str] = quote) -> str:
    """*code* as an expression of the language, constants in it as *constant* writes them."""
    match code:
        case Constant(text):
            return constant(text)
        case Fact(written):
            return written
        case Choice(condition, yes, no):
            then, otherwise = (code_of(one, lookup, constant) for one in (yes, no))
            return f"if {condition} then {then} else {otherwise}"
        case Lookup():
            return lookup.of(code)


class Lookups:
    """Records that lookups are made in: one of each set of axes, of as few columns as do. Those
    columns are `plain` whose values are written as they are: numbers and the like."""

    __slots__ = ("_hint", "_is_plain", "columns", "plain", "prefix", "taken")

    def __init__(self, taken: set[str], prefix: str = "") -> None:
        self.columns: dict[tuple[str, ...], dict[str, dict[str, str]]] = {}
        self.taken = taken
        self.prefix = prefix  # of the names of records, and of values beside them
        self.plain: set[tuple[tuple[str, ...], str]] = set()
        self._hint = "value"
        self._is_plain = False

    def hint(self, name: str, *, plain: bool = False) -> Lookups:
        """Name the next column for *name*."""
        self._hint, self._is_plain = name, plain
        return self

    def copy(self) -> Lookups:
        """The same, to be changed by itself."""
        made = Lookups(self.taken, self.prefix)
        made.columns = {
            axes: {name: dict(column) for name, column in columns.items()}
            for axes, columns in self.columns.items()
        }
        made.plain = set(self.plain)
        return made

    def of(self, code: Lookup) -> str:
        columns = self.columns.setdefault(code.axes, {})
        wanted = dict(code.entries)
        name = next(
            (
                one
                for one, column in columns.items()
                if _agree(column, wanted) and ((code.axes, one) in self.plain) == self._is_plain
            ),
            "",
        )
        if not name:
            name, number = self._hint, 2
            while name in columns:
                name, number = f"{self._hint}-{number}", number + 1
        columns.setdefault(name, {}).update(wanted)
        if self._is_plain:
            self.plain.add((code.axes, name))
        return f"{self.record(code.axes)}[{self.key(code.axes)}].{name}"

    def record(self, axes: tuple[str, ...]) -> str:
        return f"{self.prefix}by-" + "-".join(axes)

    def key(self, axes: tuple[str, ...]) -> str:
        if len(axes) == 1:
            return axes[0]
        return '"' + "-".join(["{{" + axis + "}}" for axis in axes]) + '"'


def _agree(column: dict[str, str], wanted: dict[str, str]) -> bool:
    return all(column.get(key, text) == text for key, text in wanted.items())
