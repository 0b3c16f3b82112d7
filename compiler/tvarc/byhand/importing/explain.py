"""Finds a short description of the texts in the cells of a matrix. A word that is added to an axis
later must not get the text of another word. So each description reads a fact of the word, or has an
entry for each word (a new word has none), or has a text that several words show to be a rule.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from itertools import combinations, compress, permutations
from operator import itemgetter

from tvarc.byhand.importing.conditions import RULE, Cells, both
from tvarc.byhand.importing.names import is_name
from tvarc.byhand.importing.shapes import Axis, Shape
from tvarc.byhand.importing.tables import Column, columns
from tvarc.light import Callable, Collection, Final, Literal, Mapping, Sequence, dataclass, replace

Kind = Literal["constant", "fact", "condition", "table", "cells"]
_NAMED: Final = re.compile(r" (?:==|in) [\[\w]")
"""Finds words in conditions. Facts are compared with a text or a number, and do not match."""
_ORDER: Final[tuple[Kind, ...]] = ("constant", "fact", "condition", "table", "cells")

_IF: Final = 14  # the reading cost of `if … then … else …`
_ROW: Final = 10
_CELL: Final = 12
_TABLE: Final = 24  # a record has lines of its own
_AXIS: Final = 12  # a column of a table whose rows can be those of an axis
_CELLS: Final = 30
_LEAST: Final = 8  # what any condition costs, and about what any explanation of several texts does
_LEAST_OF_TWO: Final = _IF + 6  # where one of them is no fact: a condition has six characters
_EXCEPTION: Final = 25
_MOST_BOXES: Final = 3
_MOST_GROUPS: Final = 4
_DEEPEST: Final = 2
_MOST_SPLIT: Final = 16
_MANY: Final = 64
_ANY: Final = float("inf")
_LONG: Final = 12  # a longer text hardly equals a fact of a row by accident
_MOST_ODD: Final = 2
_OF_ODD: Final = 12
"""A condition may name at most `_MOST_ODD` texts as exceptions, and one cell in `_OF_ODD`."""
_NOTHING: Final = ("", "false", "null")
"""Texts that a word without a text of its own may get."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A description, its cost and kind, and the cells for which it is wrong."""

    code: Code
    cost: float
    kind: Kind
    exceptions: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class ByOne:
    """An *explanation* by one *axis*. The axis is empty if it does not decide for all cells."""

    axis: str
    explanation: Explanation


_Side = tuple[Callable[[Sequence[str]], Sequence[str]], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class _Half:
    """Cells in two parts, split by *axis*. Each side has its cells, and a function that selects
    their values."""

    axis: Axis
    sides: tuple[_Side, _Side]


def few_of(count: int) -> int:
    """How many of *count* cells may be exceptions to a rule."""
    return max(1, count // 25) if count >= 6 else 0


class Explaining(Cells):
    """The cells of a matrix, and the explanations of their values. With `lenient`, an explanation
    may be wrong for a few cells."""

    __slots__ = (
        "_combinations", "_facts", "_of_mapping", "_parted", "_saying", "_whole",
        "columns", "compared", "known", "lenient", "shape", "taken", "vain",
    )  # fmt: skip

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape.axes, shape.cells)
        self.shape = shape
        self.columns: dict[str, list[Column]] = {
            axis.name: columns(axis.name, axis.table, axis.values) for axis in shape.axes
        }
        self.compared: dict[str, dict[tuple[str, str], frozenset[str]]] = {}
        """For each axis, the versions that files compare with others, and the values with older
        versions."""
        self.taken = {axis.name: [cell[axis.name] for cell in shape.cells] for axis in shape.axes}
        self.known: dict[tuple[bool, tuple[str, ...], tuple[int, ...]], Explanation] = {}
        self.vain: dict[tuple[bool, tuple[str, ...], tuple[int, ...]], tuple[float, int]] = {}
        self.lenient = False
        self._whole: dict[tuple[str, ...], list[int]] = {}  # combinations of all cells
        self._combinations: dict[tuple[tuple[str, ...], tuple[int, ...]], list[int]] = {}
        self._parted: dict[tuple[int, ...], list[_Half]] = {}
        self._saying = {axis: _saying(made) for axis, made in self.columns.items()}
        self._of_mapping: dict[tuple[str, tuple[tuple[str, str], ...]], list[Explanation]] = {}
        self._facts = {
            text for made in self.columns.values() for one in made for text in one.values.values()
        }

    @property
    def few(self) -> int:
        """How many cells may be exceptions to a rule."""
        return few_of(len(self.cells))

    def of_axis(self, axis: Axis, wanted: set[str], known: set[str]) -> str:
        """The condition that holds for the values *wanted* of *axis*, and not for others of
        *known*. It compares a version that the files compare, or uses the names or facts of the
        values."""
        for (version, bound), older in self.compared.get(axis.name, {}).items():
            if wanted in (known & older, known - older) and wanted != known:
                return f"{version} {'<' if wanted <= older else '>='} {bound}"
        return super().of_axis(axis, wanted, known)

    def explain(self, values: Sequence[str], cells: Sequence[int]) -> Explanation:
        """The explanation of *values*, one for each of *cells*."""
        found = self.below(_ANY, values, cells)
        assert found is not None  # a table of all axes explains everything
        return found

    def by_one(self, values: Sequence[str], cells: Sequence[int]) -> ByOne | None:
        """The explanation of *values* in *cells* if one axis decides them, except for a few cells.
        These are exceptions if `lenient` is set; otherwise a simple condition names them."""
        found: list[ByOne] = []
        for axis in self.axes:
            rule = self._most((axis.name,), values, cells)
            odd: dict[str, list[int]] = {}
            for cell, value, one in zip(cells, values, rule, strict=True):
                if value != one:
                    odd.setdefault(value, []).append(cell)
            wrong = [cell for some in odd.values() for cell in some]
            if len(odd) > _MOST_ODD or len(wrong) > max(self.few, len(cells) // _OF_ODD):
                continue
            made = self._of_rule(axis, rule, cells)
            if self.lenient and wrong and len(wrong) <= self.few and self.are_odd(wrong, cells):
                found.append(ByOne(axis.name, replace(made, exceptions=frozenset(wrong))))
                continue
            for text, some in odd.items():
                condition = self.condition(some, cells)
                if condition.boxes > 1 or "\n" in text:
                    break
                code = Choice(condition.code, Constant(text), made.code)
                made = replace(made, code=code, cost=made.cost + condition.cost + len(text) + _IF)
            else:
                found.append(ByOne("" if odd else axis.name, made))
        return min(found, key=lambda one: (not one.axis, one.explanation.cost), default=None)

    def _of_rule(self, axis: Axis, rule: Sequence[str], cells: Sequence[int]) -> Explanation:
        """The explanation by *axis* with *rule*. Texts of several lines are in rows."""
        mapping = self._mapping(axis, rule, cells)
        assert mapping is not None
        if len(set(rule)) == 1:
            return Explanation(Constant(rule[0]), len(rule[0]), "constant")
        ways = self._known_by_axis(axis, mapping)
        is_long = any("\n" in text for text in rule)
        return ways[-1] if is_long else min(ways, key=lambda one: one.cost)

    def phrase(self, values: Sequence[str], cells: Sequence[int]) -> ByOne:
        """The explanation of *values* in *cells*, by one axis if one decides them. A text that few
        words have is looked up, so that an added word does not get it."""
        found = self.by_one(values, cells)
        if found is not None:
            return found
        every = self.explain(values, cells)
        return ByOne("", replace(every, code=self._own(every.code, values, cells)))

    def _own(
        self, code: Code, values: Sequence[str], cells: Sequence[int], path: str = ""
    ) -> Code:
        """*code*, under the conditions *path*, with a row for each text that too few words of an
        axis have, if only facts decide these words."""
        match code:
            case Choice(condition, yes, no):
                yes = self._own(yes, values, cells, f"{path} {condition}")
                return replace(code, yes=yes, no=self._own(no, values, cells, path))
            case Constant(text) if path and not _NAMED.search(path):
                here = [cell for cell, one in zip(cells, values, strict=True) if one == text]
                axes = [axis.name for axis in self.axes if self._are_few(axis, here, cells, path)]
                rows = dict.fromkeys("-".join([self.cells[c][one] for one in axes]) for c in here)
                return Lookup(tuple(axes), tuple((row, text) for row in rows)) if axes else code
            case _:
                return code

    def _are_few(
        self, axis: Axis, here: Sequence[int], cells: Sequence[int], path: str
    ) -> bool:
        """Whether the words of *axis* in the cells *here* are too few to show a rule for other
        words. If the conditions *path* have a fact of the axis, two words are enough."""
        taken = self.taken[axis.name]
        words, every = ({taken[cell] for cell in some} for some in (here, cells))
        return len(words) < min(2 if f" {axis.name}." in path else RULE, len(every))

    def column(self, values: Sequence[str]) -> Lookup | None:
        """The record for an axis whose values each have a different one of *values*."""
        for axis in self.axes:
            mapping = self._mapping(axis, values, range(len(self.cells)))
            if mapping is not None and len(set(values)) == len(mapping):
                return Lookup((axis.name,), tuple(mapping.items()))
        return None

    def below(
        self, limit: float, values: Sequence[str], cells: Sequence[int], depth: int = 0
    ) -> Explanation | None:
        """The explanation of *values* in *cells* if it costs less than *limit*; otherwise None."""
        key = (self.lenient, tuple(values), tuple(cells))
        known = self.known.get(key)
        if known is None:
            if (depth or not self.lenient) and self._least(values) >= limit:
                return None
            # A missing explanation is also cached, with the limit of its search.
            least, shallowest = self.vain.get(key, (0, depth))
            depth = min(depth, shallowest)
            if least >= limit and depth == shallowest:
                return None
            known = self._explain(limit, values, cells, depth)
            if known is None or known.cost >= limit:
                self.vain[key] = limit, depth
                return None
            self.known[key] = known
            if not (depth or known.exceptions):  # it is also found if none are allowed
                self.known[False, key[1], key[2]] = known
        return known if known.cost < limit else None

    def _explain(
        self, limit: float, values: Sequence[str], cells: Sequence[int], depth: int
    ) -> Explanation | None:
        distinct = sorted(set(values))
        if len(distinct) == 1:
            return Explanation(Constant(distinct[0]), len(distinct[0]), "constant")
        found: list[Explanation] = []
        whole = False
        for axis in self.axes:
            mapping = self._mapping(axis, values, cells)
            if mapping is not None:
                whole = True
                found += self._known_by_axis(axis, mapping)
        may_split = len(distinct) <= _MOST_SPLIT
        may_split = may_split and depth < (_DEEPEST if len(cells) <= _MANY else 1)
        ways = [self._with_exceptions] if self.lenient and depth == 0 else []
        if not whole:
            ways += [self._by_condition] if len(distinct) == 2 else []
            ways += [self._by_groups, self._by_cells]
            ways += [partial(self._split, depth)] if may_split else []
        for way in ways:
            limit = min([limit, *[one.cost for one in found]])
            found += way(values, cells, limit)
        return min(found, key=lambda one: one.cost, default=None)

    def _mapping(
        self, axis: Axis, values: Sequence[str], cells: Sequence[int]
    ) -> dict[str, str] | None:
        """The text of each value of *axis*, if this axis alone decides."""
        found: dict[str, str] = {}
        taken = self.taken[axis.name]
        for cell, value in zip(cells, values, strict=True):
            if found.setdefault(taken[cell], value) != value:
                return None
        return found

    def _known_by_axis(self, axis: Axis, mapping: dict[str, str]) -> list[Explanation]:
        """The explanation by the single axis *axis*, computed once for each *mapping* of its
        values."""
        key = (axis.name, tuple(mapping.items()))
        found = self._of_mapping.get(key)
        if found is None:
            found = self._of_mapping[key] = self._by_axis(axis, mapping)
        return found

    def _by_axis(self, axis: Axis, mapping: dict[str, str]) -> list[Explanation]:
        found: list[Explanation] = []
        taken = list(mapping)
        saying = self._saying[axis.name]
        right_of = Counter([at for item in mapping.items() for at in saying.get(item, ())])
        for at in sorted(right_of):
            if right_of[at] < min(2, len(taken)):
                continue
            column = self.columns[axis.name][at]
            wrong = [value for value in taken if column.values.get(value) != mapping[value]]
            right = {mapping[value] for value in taken if value not in wrong}
            cost = len(column.code) + 2 + column.cost
            telling = column.likely or len(right) > 2 or min(map(len, right), default=0) > _LONG
            if not wrong and telling:
                found.append(Explanation(Fact(column.code, axis.name), cost, "fact"))
            elif (
                wrong and len(right) >= (2 if column.likely else 4) and len(wrong) <= len(taken) / 2
            ):
                fact = Fact(column.code, axis.name)
                found.append(self._but(axis, fact, cost, wrong, mapping, "fact"))
        groups: dict[str, set[str]] = {}
        for value, text in mapping.items():
            groups.setdefault(text, set()).add(value)
        if len(groups) <= _MOST_BOXES:
            usual = max(groups, key=lambda text: (text in _NOTHING, len(groups[text]), text))
            others = [value for value in taken if mapping[value] != usual]
            is_most = usual in _NOTHING or len(groups[usual]) > len(others)
            if is_most and self._may_be_last(Constant(usual), axis, groups[usual], set(mapping)):
                made = self._but(axis, Constant(usual), len(usual), others, mapping, "condition")
                found.append(made)
        if len(groups) == 2:
            (first, some), (second, _) = groups.items()
            condition = self.fact_between(axis, some, set(mapping))
            if condition:
                code = Choice(condition, Constant(first), Constant(second), (), (axis.name,))
                cost = len(condition) + len(first) + len(second) + _IF
                found.append(Explanation(code, cost, "condition"))
        entries = tuple([(value, mapping[value]) for value in axis.values if value in mapping])
        size = sum(len(text) + _ROW for text in mapping.values())
        size += _AXIS if axis.table is None and len(mapping) > 2 else _TABLE
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
        """*code*, with exceptions for the values *wrong* of *axis*."""
        for text in sorted({mapping[value] for value in wrong}):
            these = {value for value in wrong if mapping[value] == text}
            condition = self.of_axis(axis, these, set(mapping))
            code = Choice(condition, Constant(text), code, (axis.name,))
            cost += len(condition) + len(text) + _IF
        return Explanation(code, cost, kind)

    def _with_exceptions(
        self, values: Sequence[str], cells: Sequence[int], limit: float
    ) -> list[Explanation]:
        """Rules that hold in all but a few cells. Each costs less than *limit* and than the rules
        before it."""
        if not self.few or len(cells) < 6:
            return []
        found: list[Explanation] = []
        rules: list[list[str]] = []
        names = [axis.name for axis in self.axes]
        for size in range(max(1, len(names))):
            for chosen in combinations(names, size):
                rule = self._usual(chosen, values, cells)
                if rule is not None:
                    rules.append(rule)
        for rule in rules:
            odd = [
                cell for cell, value, one in zip(cells, values, rule, strict=True) if value != one
            ]
            if not odd or len(odd) > self.few or not self.are_odd(odd, cells):
                continue
            texts = {value for value, one in zip(values, rule, strict=True) if value != one}
            cost = _EXCEPTION * len(odd) + sum(map(len, texts))
            self.lenient = False
            inner = self.below(limit - cost, rule, cells)
            self.lenient = True
            if inner is not None and inner.kind != "cells":
                limit = inner.cost + cost
                found.append(Explanation(inner.code, limit, inner.kind, frozenset(odd)))
        return found

    def are_odd(self, odd: Sequence[int], cells: Sequence[int]) -> bool:
        """Whether *odd* are single cells, and not all cells of a value of an axis without a table,
        or of the only axis. Such a value exists in order to differ."""
        for axis in self.axes:
            taken = {self.cells[cell][axis.name] for cell in odd}
            members = [cell for cell in cells if self.cells[cell][axis.name] in taken]
            if len(members) == len(odd):
                return False
        return True

    def missing(self, here: Sequence[int], cells: Sequence[int]) -> set[int]:
        """The few cells that alone have, or alone lack, the lines of the cells *here*."""
        inside = set(here)
        others = [cell for cell in cells if cell not in inside]
        for some in (others, list(here)):
            if 0 < len(some) <= self.few and self.are_odd(some, cells):
                return set(some)
        return set()

    def _usual(
        self, axes: tuple[str, ...], values: Sequence[str], cells: Sequence[int]
    ) -> list[str] | None:
        """The most frequent text for each combination of *axes*. None if all texts are the most
        frequent ones, or if there are more exceptions than a rule may have."""
        rule = self._most(axes, values, cells)
        odd = sum([value != one for value, one in zip(values, rule, strict=True)])
        return rule if 0 < odd <= self.few else None

    def _most(
        self, axes: tuple[str, ...], values: Sequence[str], cells: Sequence[int]
    ) -> list[str]:
        """The most frequent text for each combination of *axes*."""
        keys = self._combined(axes, tuple(cells))
        most: dict[int, tuple[int, str]] = {}
        for (key, value), count in Counter(zip(keys, values, strict=True)).items():
            if key not in most or count > most[key][0]:
                most[key] = count, value
        return [most[key][1] for key in keys]

    def _combined(self, axes: tuple[str, ...], cells: tuple[int, ...]) -> list[int]:
        """For each of *cells*, a number for its combination of the values of *axes*."""
        found = self._combinations.get((axes, cells))
        if found is None:
            whole = self._whole.get(axes)
            if whole is None:
                numbers: dict[tuple[str, ...], int] = {}
                taken = [self.taken[name] for name in axes]
                each = zip(*taken, strict=True) if taken else [()] * len(self.cells)
                whole = [numbers.setdefault(one, len(numbers)) for one in each]
                self._whole[axes] = whole
            found = self._combinations[axes, cells] = [whole[cell] for cell in cells]
        return found

    def _by_condition(
        self, values: Sequence[str], cells: Sequence[int], limit: float
    ) -> list[Explanation]:
        """The explanation of two texts by one condition, if it may cost less than *limit*."""
        distinct = sorted(set(values))
        found: list[Explanation] = []
        for yes, no in (distinct, distinct[::-1]):
            texts = len(yes) + len(no) + _IF
            if texts + _LEAST >= limit:
                continue
            some = [cell for cell, value in zip(cells, values, strict=True) if value == yes]
            others = [cell for cell, value in zip(cells, values, strict=True) if value == no]
            if no not in _NOTHING and not self.is_rule(others, cells):
                continue
            condition = self.condition_of(some, cells, _MOST_BOXES, limit - texts)
            if condition is not None:
                cost = condition.cost + texts
                code = Choice(condition.code, Constant(yes), Constant(no))
                found.append(Explanation(code, cost, "condition"))
        return found

    def _by_groups(
        self, values: Sequence[str], cells: Sequence[int], limit: float
    ) -> list[Explanation]:
        """The explanation by one axis alone within each of a few groups of values of another axis,
        if it costs less than *limit*."""
        found: list[Explanation] = []
        firsts = {
            names: self._first_of_each(self._combined(names, tuple(cells)), values)
            for names in combinations(self.taken, 2)
        }
        for parting, deciding in permutations(self.axes, 2):
            pair = (parting.name, deciding.name)
            first = firsts[pair] if pair in firsts else firsts[pair[::-1]]
            groups = self._groups(parting, deciding, values, cells, first) if first else []
            if not 1 < len(groups) <= _MOST_GROUPS:
                continue
            parts = [
                min(self._known_by_axis(deciding, mapping), key=lambda one: one.cost)
                if len(set(mapping.values())) > 1
                else Explanation(Constant(text := next(iter(mapping.values()))), len(text), "fact")
                for _, mapping in groups
            ]
            cost = sum([one.cost for one in parts])
            if cost >= limit:
                continue
            known = {value for some, _ in groups for value in some}
            # A choice goes after the last `else`, so that it needs no parentheses.
            *others, last = sorted(
                zip(groups, parts, strict=True),
                key=lambda one: (
                    self._may_be_last(one[1].code, parting, one[0][0], known),
                    isinstance(one[1].code, Choice),
                    len(one[0][0]),
                ),
            )
            code = last[1].code
            if not self._may_be_last(code, parting, last[0][0], known):
                continue
            for (some, _), part in others:
                condition = self.of_axis(parting, set(some), known)
                of_some = self._labelled(part.code, parting, set(some), known)
                code = _in_a_row(Choice(condition, of_some, code, (parting.name,)))
                cost += len(condition) + _IF
            if cost < limit:
                limit = cost
                kind = max([part.kind for part in parts], key=_ORDER.index)
                found.append(Explanation(code, cost, "condition" if kind == "fact" else kind))
        return found

    def _groups(
        self,
        parting: Axis,
        deciding: Axis,
        values: Sequence[str],
        cells: Sequence[int],
        first: Sequence[int],
    ) -> list[tuple[list[str], dict[str, str]]]:
        """Groups of the values of the axis *parting*. In each group the axis *deciding* alone
        decides, and the group has the text of each of its values. None if there would be many
        groups. The two axes together decide: *first* are the places of their combinations."""
        rows: dict[str, dict[str, str]] = {}
        parts, taken = self.taken[parting.name], self.taken[deciding.name]
        for at in first:
            rows.setdefault(parts[cells[at]], {})[taken[cells[at]]] = values[at]
        found: list[tuple[list[str], dict[str, str]]] = []
        for name in sorted(rows, key=lambda one: -len(rows[one])):
            row = rows[name]
            alike = [
                len(row.keys() & joint.keys()) if agree(row, joint) else 0 for _, joint in found
            ]
            if any(alike):
                some, joint = found[alike.index(max(alike))]
                some.append(name)
                joint.update(row)
            elif len(found) == _MOST_GROUPS:
                return []
            else:
                found.append(([name], dict(row)))
        return found

    def _split(
        self, depth: int, values: Sequence[str], cells: Sequence[int], limit: float
    ) -> list[Explanation]:
        """The explanation by a condition that splits the cells, with an explanation for each part,
        if it costs less than *limit*."""
        written = set(values) - self._facts  # each is on at least one side
        if _LEAST + _IF + sum(map(len, written)) >= limit:
            return []
        best: Explanation | None = None
        for half in self._halves(tuple(cells)):
            sides = [(taken(values), some) for taken, some in half.sides]
            least = [self._least(side[0]) for side in sides]
            if _LEAST + _IF + sum(least) >= limit:
                continue
            rest = limit - _LEAST - _IF
            first = self.below(rest - least[1], *sides[0], depth + 1)
            if first is None:
                continue
            second = self.below(rest - first.cost, *sides[1], depth + 1)
            if second is None:
                continue
            parts = [first, second]
            choice = self._choice(half, first.code, second.code)
            if choice is None:
                continue
            cost = choice[0] + _IF + sum(part.cost for part in parts)
            if cost < limit:
                limit = cost
                kind = max([part.kind for part in parts], key=_ORDER.index)
                kind = "condition" if kind in ("constant", "fact") else kind
                best = Explanation(choice[1], cost, kind)
        return [best] if best is not None else []

    def _may_be_last(
        self, code: Code, axis: Axis, shown: Collection[str], every: set[str]
    ) -> bool:
        """Whether *code*, which the words *shown* among *every* have, may come after the last
        `else`, where it also applies to words that are added to *axis* later. If a fact
        distinguishes these words from the others, they do not show a rule for words without that
        fact."""
        if _is_known(code, axis.name):
            return True
        return len(shown) >= RULE and not self.fact_between(axis, set(shown), every)

    def _labelled(self, code: Code, axis: Axis, some: set[str], every: set[str]) -> Code:
        """*code* for the values *some* of *axis*, among *every*. Its records are named after these
        values, if there is only one, or if a fact distinguishes them from the others."""
        if not isinstance(code, Lookup) or code.label:
            return code
        facts = [dict.fromkeys(some, min(some))] if len(some) == 1 else []
        facts += [column.values for column in self.columns[axis.name] if column.likely]
        for values in facts:
            label, *others = {values.get(one, "") for one in some}
            shown = {values.get(one) for one in every - some}
            if not others and is_name(label) and label not in shown and shown:
                return replace(code, label=label)
        return code

    def _choice(self, half: _Half, first: Code, second: Code) -> tuple[int, Choice] | None:
        """The choice between the two sides of *half*, and the cost of its condition. None if
        neither side may come after `else`. If only one side is a choice, it comes after `else`."""
        axis = half.axis
        taken = [{self.taken[axis.name][cell] for cell in some} for _, some in half.sides]
        every = taken[0] | taken[1]
        sides = [
            (words, self._labelled(code, axis, words, every))
            for code, words in zip((first, second), taken, strict=True)
        ]
        if isinstance(first, Choice) and not isinstance(second, Choice):
            sides.reverse()
        for (words, yes), (others, no) in (sides, sides[::-1]):
            fact = self.fact_between(axis, words, every)
            condition = fact or self.of_axis(axis, words, every)
            if fact or self._may_be_last(no, axis, others, every):
                names = (axis.name,)
                choice = Choice(condition, yes, no, () if fact else names, names if fact else ())
                return len(condition) + 2, _in_a_row(choice)
        return None

    def _least(self, values: Sequence[str]) -> int:
        """The least cost of an explanation of *values* without exceptions. A text that is not a
        fact must be written, in a row or under a condition."""
        distinct = set(values)
        if len(distinct) == 1:
            return len(distinct.pop())
        written = distinct - self._facts
        if not written:
            return _LEAST
        return _LEAST_OF_TWO + sum(map(len, written)) + _ROW * max(0, len(written) - 2)

    def _halves(self, cells: tuple[int, ...]) -> list[_Half]:
        """Simple ways to split the cells in two: one value of an axis, or all values up to one."""
        known = self._parted.get(cells)
        if known is not None:
            return known
        found = self._parted[cells] = []
        for axis in self.axes:
            taken = [self.taken[axis.name][cell] for cell in cells]
            there = set(taken)
            values = [value for value in axis.values if value in there]
            sets = {frozenset((value,)): None for value in values}
            for number in range(1, len(values)):
                sets[frozenset(values[number:])] = None
            for chosen in sets:
                if len(chosen) < len(values):
                    inside = [value in chosen for value in taken]
                    sides = _side(inside, cells), _side([not one for one in inside], cells)
                    found.append(_Half(axis, sides))
        return found

    def _by_cells(
        self, values: Sequence[str], cells: Sequence[int], limit: float
    ) -> list[Explanation]:
        """A table with the axes that decide, if it costs less than *limit*."""
        if _CELLS + sum(len(text) + _CELL for text in set(values)) >= limit:
            return []
        # One axis alone does not decide, because that was tried before.
        for size in range(min(2, len(self.axes)), len(self.axes) + 1):
            for chosen in combinations(self.taken, size):
                first = self._first_of_each(self._combined(chosen, tuple(cells)), values)
                if first is None:
                    continue
                cost = sum([len(values[at]) + _CELL for at in first]) + _CELLS
                if cost >= limit:
                    return []
                columns = [self.taken[name] for name in chosen]
                named = [
                    ("-".join([taken[cells[at]] for taken in columns]), values[at]) for at in first
                ]
                return [Explanation(Lookup(chosen, tuple(named)), cost, "cells")]
        raise AssertionError("a cell has two descriptions")

    def _first_of_each(self, keys: Sequence[int], values: Sequence[str]) -> list[int] | None:
        """The first place of each of *keys*, if the keys decide *values*."""
        found: dict[int, str] = {}
        first: list[int] = []
        for at, (key, value) in enumerate(zip(keys, values, strict=True)):
            if key not in found:
                found[key] = value
                first.append(at)
            elif found[key] != value:
                return None
        return first


def agree(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two rows have the same text in all places where both have one."""
    return all(other.get(name, text) == text for name, text in one.items())


def _saying(columns: Sequence[Column]) -> dict[tuple[str, str], list[int]]:
    """The *columns* that have a text for a value, by the value and the text."""
    found: dict[tuple[str, str], list[int]] = {}
    for at, column in enumerate(columns):
        for item in column.values.items():
            found.setdefault(item, []).append(at)
    return found


def _side(inside: Sequence[bool], cells: tuple[int, ...]) -> _Side:
    """A function that selects the values of the cells that are *inside*, and these cells."""
    places = list(compress(range(len(cells)), inside))
    first = places[0]
    taken = itemgetter(*places) if len(places) > 1 else lambda values: (values[first],)
    return taken, tuple(compress(cells, inside))


@dataclass(frozen=True, slots=True)
class Constant:
    """A text that all cells have."""

    text: str


@dataclass(frozen=True, slots=True)
class Fact:
    """An expression about one *axis*."""

    code: str
    axis: str


@dataclass(frozen=True, slots=True)
class Choice:
    """`if condition then yes else no`. The condition *names* words of these axes, so that it does
    not hold for others. Where it *compares* a fact of these, that fact also decides for `no`."""

    condition: str
    yes: Code
    no: Code
    names: tuple[str, ...] = ()
    compares: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lookup:
    """An entry of a record, chosen by the values of `axes`. A `label` distinguishes it from those
    for other cells."""

    axes: tuple[str, ...]
    entries: tuple[tuple[str, str], ...]
    label: str = ""


Code = Constant | Fact | Choice | Lookup


def _is_known(code: Code, axis: str) -> bool:
    """Whether *code* never gives a word that is added to *axis* later the text of another word. It
    reads a fact of the word, looks the word up, or is empty."""
    match code:
        case Constant(text):
            return text in _NOTHING
        case Fact():
            return code.axis == axis
        case Lookup():
            return axis in code.axes
        case Choice(_, yes, no, names, compares):
            if axis in compares:
                return True
            return (axis in names or _is_known(yes, axis)) and _is_known(no, axis)


def _in_a_row(choice: Choice) -> Choice:
    """*choice* as a single chain, without a choice between `then` and `else`."""
    match choice:
        case Choice(condition, Choice(inner, yes, no, names, compares), other):
            rest = other if no == other else _in_a_row(replace(choice, yes=no))
            every = (*choice.names, *choice.compares, *names, *compares)
            return Choice(both(condition, inner), yes, rest, every)
        case _:
            return choice
