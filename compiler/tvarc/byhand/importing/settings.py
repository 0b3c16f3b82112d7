"""A setting of the recipes of one matrix, or of overlays in them, as statements."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from itertools import dropwhile, groupby
from operator import itemgetter

from tvarc.blocks import ATTRIBUTES
from tvarc.byhand.importing.alignment import side_by_side
from tvarc.byhand.importing.comments import sign_of
from tvarc.byhand.importing.lines import Segment
from tvarc.byhand.importing.names import free_name, is_name, key, name_from
from tvarc.byhand.importing.reasons import Reasons
from tvarc.byhand.importing.statements import Conditions, Statement, under_conditions
from tvarc.byhand.importing.values import Values
from tvarc.byhand.importing.written import (
    IN_CONFIG,
    IN_RECIPE,
    CannotSay,
    Site,
    block,
    filled,
    part_text,
)
from tvarc.byhand.reading.trees import own, text_of
from tvarc.light import Final, Mapping, Sequence, dataclass
from tvarc.nix.language.syntax import (
    NixBinary,
    NixExpr,
    NixIdent,
    NixList,
    NixSelect,
    NixString,
    elements,
)
from tvarc.nix.nixpkgs import DEFAULTED
from tvarc.syntax.format.format import because

_SCRIPT: Final = re.compile(r"(?:pre|post)[A-Z]\w*\Z|\w*(?:Phase|Hook)\Z")
_LABELS: Final = (
    re.compile(r"#+ *([A-Za-z].*)"),
    re.compile(r"export (\w+)"),
    re.compile(r'echo "([A-Za-z][\w ]*)'),
)
_WORD: Final = re.compile(r"\w+")
_EXPRESSION: Final = re.compile(r"\{\{.*?\}\}")


def is_script(name: str, value: NixExpr | None) -> bool:
    """Whether *value* is a script: one by its name, or a text of lines that is added to the
    package's own."""
    if not isinstance(value, NixString):
        return False
    if _SCRIPT.match(name):
        return True
    ends = [part for part in (value.parts[0], value.parts[-1]) if not isinstance(part, str)]
    return any(own(part) == name for part in ends) and has_lines([value])


def has_lines(values: Sequence[NixExpr]) -> bool:
    return any(
        isinstance(part, str) and "\n" in part
        for value in values
        if isinstance(value, NixString)
        for part in value.parts
    )


def script_text(name: str, value: NixExpr) -> tuple[str, NixString]:
    """The place of the package's own script in a script, `before` or `after` its text, or none; and
    that text."""
    assert isinstance(value, NixString)
    first, last = value.parts[0], value.parts[-1]
    if not isinstance(first, str) and own(first) == name:
        return "before", NixString(value.parts[1:] or ("",))
    if not isinstance(last, str) and own(last) == name:
        return "after", NixString(value.parts[:-1] or ("",))
    return "", value


def script_statements(
    name: str,
    first: NixExpr,
    segments: Sequence[Segment],
    conditions: Conditions,
    *,
    is_whole: bool = True,
) -> list[Statement]:
    """The statements that add *segments* to a script. *first* is the script of one cell. If the
    script *is_whole*, no other statement changes a part of it, so a single part needs no name."""
    where = script_text(name, first)[0]
    parts = parts_of(segments, conditions, before=where == "after", is_script=True)
    if is_whole and where == "before" and len(segments) == 1:
        parts = [f"+= {block(segments[0].lines)}"]
    if not where:
        parts.insert(0, "part old = none")
    return [Statement(f"script {name}", one) for one in parts]


def parts_of(
    segments: Sequence[Segment],
    conditions: Conditions,
    *,
    before: bool = False,
    is_script: bool = False,
) -> list[str]:
    """The parts of a text, one for each segment. If few words of an axis lack a part of a script,
    these have `none` in its place, so a word that is added later has the part."""
    names = part_names(segments)
    head = "part {} before old" if before else "part {}"
    parts: list[tuple[tuple[int, ...], str]] = []
    for number, (name, segment) in enumerate(zip(names, segments, strict=True)):
        last = number == len(segments) - 1
        if not segment.cells:
            continue
        has_every = len(segment.cells) == len(conditions.every)
        if last and not has_every and segment.lines[-1:] != ("",):
            raise CannotSay("only some recipes have the last line of a string")
        lines = segment.lines if last else (*segment.lines, "")
        if lines == ("",) and last and number:
            continue
        # A record that the part reads has no row for the others.
        is_plain = any(map(str.strip, lines)) and "{{" not in "".join(lines)
        others = conditions.besides(segment.cells) if is_script and is_plain else []
        here = conditions.every if others else segment.cells
        parts.append((here, f"{head.format(name)} {part_text(lines)}"))
        parts += [(tuple(others), f"part {name} = none")] if others else []
    return under_conditions(parts, conditions)


def part_names(segments: Sequence[Segment]) -> list[str]:
    """Names for the parts *segments*: after their lines, or after the part before."""
    found: list[str] = []
    before = ""
    for segment in segments:
        lines = segment.lines or tuple(next(iter(segment.own.values())))
        labels = _labels_of(lines)
        if labels:
            before = free_name(next((one for one in labels if one not in found), labels[0]), found)
        kind = "text" if any(line.strip() for line in lines) else "blank"
        place = f"after-{before}" if before else kind
        found.append(before if labels else free_name(place, found))
    return found


def _labels_of(lines: Sequence[str]) -> list[str]:
    """Names for the part *lines*: words of its lines, beginning with the first, or the command and
    the words of its first line. Words of expressions are used only if there are no others."""
    found: list[str] = []
    for line in [*[_EXPRESSION.sub(" ", line).strip() for line in lines], *map(str.strip, lines)]:
        command = _WORD.match(line)
        label = next((one for pattern in _LABELS if (one := pattern.match(line))), None)
        words = re.findall("[a-z0-9]+", (label[1] if label else line).lower())
        words = list(dropwhile(lambda one: one == "echo" or one.isdigit(), words))[:3]
        is_command = label is None and command is not None and command[0] != "echo"
        names = ["-".join(words[:1] if is_command else words), "-".join(words)]
        if label and command is not None:
            names.append(f"{command[0].lower()}-{names[0]}")
        found += [name for name in names if is_name(name) and name not in ("old", "text")]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A setting of recipes: its block, its name, and its value in each cell. The value is None if
    the recipe of the cell lacks the setting."""

    within: str
    name: str
    values: Sequence[NixExpr | None]

    @property
    def path(self) -> str:
        """The name with that of its block."""
        return f"{self.within}.{self.name}" if self.within else self.name

    def present(self, cells: Sequence[int]) -> list[NixExpr]:
        """The values of those of *cells* that have one."""
        return [one for cell in cells if (one := self.values[cell]) is not None]

    def are_scripts(self, cells: Sequence[int]) -> bool:
        """Whether the values of *cells* are scripts of the build."""
        return self.within == ATTRIBUTES and all(
            is_script(self.name, one) for one in self.present(cells)
        )

    def are_added(self, cells: Sequence[int]) -> bool:
        """Whether the values of *cells* add elements to the package's own list."""
        return self.within == ATTRIBUTES and all(
            elements_added(self.name, one) is not None for one in self.present(cells)
        )

    def are_lists(self, cells: Sequence[int]) -> bool:
        """Whether the values of *cells* are lists of their own."""
        return all(isinstance(one, NixList) for one in self.present(cells))

    def adding(self, cells: Sequence[int]) -> list[int]:
        """Those of *cells* whose value adds elements to the package's own list."""
        return [cell for cell in cells if self.values[cell] and self.are_added([cell])]

    def added_to_none(self) -> Row:
        """The same for derivations without previous attributes. Their lists are additions, so that
        some elements can be in only some cells. An empty list is set, because adding nothing would
        not define it."""
        before = NixSelect(NixIdent("@old"), (self.name,))
        values = [
            NixBinary("++", before, one)
            if isinstance(one, NixList) and one.items and self.within == ATTRIBUTES
            else one
            for one in self.values
        ]
        return Row(self.within, self.name, values)


@dataclass(frozen=True, slots=True, eq=False)
class _Element:
    """An element of aligned lists: its `code` and its `reason`, the cells that get it, the elements
    of the cells of the `rule`, and the `own` elements of cells beside the rule. Without `code` no
    cell of the rule has it."""

    code: str
    reason: str
    cells: tuple[int, ...]
    rule: Mapping[int, NixExpr]
    own: Mapping[int, NixExpr]


class Settings:
    """Writes settings: with *values*, and with the *reasons* of files for elements of lists."""

    __slots__ = ("_scripts", "cells", "reasons", "values")

    def __init__(self, values: Values, reasons: Reasons) -> None:
        self.values = values
        self.reasons = reasons
        self.cells = values.declared.cells
        self._scripts: dict[tuple[object, ...], list[Segment]] = {}

    def said(self, row: Row, at: Site, beside: Sequence[int]) -> list[Statement]:
        """The statements of *row* in the cells of a site. The texts of the cells *beside* are
        aligned, including cells that do not follow the rule."""
        values, cells = row.present(at.cells), tuple(at.cells)
        is_empty = all(text_of(value) == "" for value in values)
        if not is_empty and row.are_scripts(cells):
            segments = self.script(row, at, beside)
            present = tuple([cell for cell in beside if isinstance(row.values[cell], NixString)])
            holds, is_whole = Conditions(self.cells, present), len(beside) == len(cells)
            flags = [one for segment in segments for one in segment.flags]
            return [
                *script_statements(row.name, values[0], segments, holds, is_whole=is_whole),
                *[Statement("", one.declared()) for one in flags],
            ]
        of_recipe = at.roots is IN_RECIPE or at.roots is IN_CONFIG
        texts = [value for value in values if isinstance(value, NixString)]
        if of_recipe and len(texts) == len(values) and has_lines(texts):
            return self._text(row, texts, at)
        if row.are_added(cells):
            return self._added(row, at, beside)
        return [Statement(row.within, f"{key(row.name)} = {self.values.value(values, at)}")]

    def script(self, row: Row, at: Site, beside: Sequence[int]) -> list[Segment]:
        """The segments of a script, from the aligned texts of the cells *beside*, and the rule of
        the cells of a site."""
        known = (row, tuple(at.cells), tuple(beside))
        if known in self._scripts and not self.cells.lenient:
            return self._scripts[known]
        present = [cell for cell in beside if isinstance(row.values[cell], NixString)]
        parted = [script_text(row.name, one) for one in row.present(present)]
        ruled = set(at.cells)
        kinds = {where for cell, (where, _) in zip(present, parted, strict=True) if cell in ruled}
        if len(kinds) > 1:
            raise CannotSay(f"`{row.name}` adds to the package's own value in some recipes only")
        texts = self.values.atoms.flat([text for _, text in parted], present)
        found = self.values.lines.segments(texts, at.of(present), at.cells)
        if not self.cells.lenient:
            self._scripts[known] = found
        return found

    def _text(self, row: Row, values: Sequence[NixString], at: Site) -> list[Statement]:
        """A text of lines: whole, or in parts if some lines are only in some cells."""
        texts = self.values.atoms.flat(values, at.cells)
        segments = self.values.lines.segments(texts, at, at.cells)
        if len(segments) == 1:
            return [Statement(row.within, f"{key(row.name)} = {block(segments[0].lines)}")]
        parts = "\n".join(parts_of(segments, Conditions(self.cells, tuple(at.cells))))
        return [Statement(row.within, f"{key(row.name)} {{\n{parts}\n}}")]

    def _added(self, row: Row, at: Site, beside: Sequence[int]) -> list[Statement]:
        """`name += [ … ]`, with elements that are only in some cells under their condition."""
        runs: list[tuple[tuple[tuple[int, ...], str], list[str]]] = []
        beside = row.adding(beside)
        for one in self._elements(row, at, beside):
            if not one.code:
                continue
            sort = (one.cells, one.reason)
            if runs and runs[-1][0] == sort:
                runs[-1][1].append(one.code)
            else:
                runs.append((sort, [one.code]))
        lines = [
            (here, f"{key(row.name)} += {filled(codes)}{because(reason)}")
            for (here, reason), codes in runs
        ]
        holds = Conditions(self.cells, tuple(beside))
        # Conditions are within the block, because additions apply in their written order.
        return [Statement(ATTRIBUTES, text) for text in under_conditions(lines, holds)]

    def changed(
        self, row: Row, at: Site, beside: Sequence[int], cells: Sequence[int]
    ) -> list[Statement]:
        """The statements that change the list of the rule into the list of *cells*, which are
        beside the rule; None if no element is kept. Elements are added at the end. So elements
        after one that only these cells have are removed and added again."""
        kept: list[str] = []
        removed: list[str] = []
        added: list[tuple[str, str]] = []
        where = at.of(cells).named(name_from(row.name))
        found: list[_Element] = []
        with suppress(CannotSay):
            if row.are_added([*at.cells, *cells]):
                found = self._elements(row, at, row.adding(beside))
            elif row.are_lists([*at.cells, *cells]):
                found = self._of_whole(row, at, cells)
        for one in found:
            own = [one.own[cell] for cell in cells if cell in one.own]
            given = [cell for cell in cells if cell in one.cells]
            if not {len(own), len(given)} <= {0, len(cells)}:
                raise CannotSay("only some recipes have certain elements of a list")
            obeys = bool(own) and self._obey(one, cells, where)
            if obeys and given and not added:
                kept.append(one.code)
                continue
            removed += [one.code] if given else []
            if own:
                code = one.code if obeys else self.values.value(own, where)
                added.append((self.reasons.why_in(row.name, own, cells), code))
        is_apart = len({*kept, *removed}) == len(kept) + len(removed)
        if not kept or not is_apart:
            return []
        name = key(row.name)
        made = [f"{name} -= {filled(removed)}"] if removed else []
        for reason, codes in groupby(added, itemgetter(0)):
            made.append(f"{name} += {filled([code for _, code in codes])}{because(reason)}")
        return [Statement(row.within, text) for text in made]

    def _of_whole(self, row: Row, at: Site, cells: Sequence[int]) -> list[_Element]:
        """The same for the elements of a list that the rule sets; None if it does not write each
        element."""
        with self.values.declared.aside():
            found = self._elements(row, at, sorted([*at.cells, *cells]))
            whole = self.values.value(row.present(at.cells), at)
        return found if whole == filled([one.code for one in found if one.code]) else []

    def _elements(self, row: Row, at: Site, beside: Sequence[int]) -> list[_Element]:
        """The elements that are added to a list. Those of the cells *beside* the rule are aligned
        with those of the rule, which the cells of the site have."""
        lists = [_elements_of(row.name, one) for one in row.present(beside)]
        twice = {
            sign
            for value in dict.fromkeys(lists)
            for sign, count in Counter(map(sign_of, value)).items()
            if count > 1
        }
        declared, ruled = self.values.declared, set(at.cells)
        at = at.named(name_from(row.name))
        found: list[_Element] = []
        for there, nodes in side_by_side(lists, beside, self.values.atoms.alike):
            column = dict(zip(there, nodes, strict=True))
            own = {cell: node for cell, node in column.items() if cell not in ruled}
            here = tuple([cell for cell in there if cell in ruled])
            if not here:
                found.append(_Element("", "", (), {}, own))
                continue
            rule = {cell: column[cell] for cell in here}
            if self.cells.lenient and len(here) < len(at.cells):
                declared.odd |= self.cells.missing(here, at.cells)
            code = self.values.value(list(rule.values()), at.of(here))
            is_known = twice.isdisjoint(map(sign_of, rule.values()))
            why = self.reasons.why_in(row.name, list(rule.values()), here) if is_known else ""
            found.append(_Element(code, why, self._given(here, at.cells, beside), rule, own))
        return found

    def _given(
        self, here: Sequence[int], rule: Sequence[int], beside: Sequence[int]
    ) -> tuple[int, ...]:
        """The cells to which the rule gives the elements of its cells *here*. Cells *beside* the
        rule are included if they do not make the condition longer."""
        if len(here) == len(rule):
            return tuple(beside)
        given = set(here)
        for cell in set(beside) - set(rule):
            every = [*rule, cell]
            inside = self.cells.condition([*here, cell], every)
            if inside.cost <= self.cells.condition(here, every).cost:
                given.add(cell)
        return tuple([cell for cell in beside if cell in given])

    def _obey(self, one: _Element, cells: Sequence[int], at: Site) -> bool:
        """Whether the elements of *cells* in the place of *one* have the code of the rule."""
        if not one.rule or any(cell not in one.own for cell in cells):
            return False
        joint = {**one.rule, **{cell: one.own[cell] for cell in cells}}
        return self._written(one.rule, at) == self._written(joint, at)

    def _written(self, values: Mapping[int, NixExpr], at: Site) -> object:
        """The code for *values*, by their cells, without adding its declarations to the program;
        None if there is none."""
        cells = sorted(values)
        declared = self.values.declared
        with declared.aside(), suppress(CannotSay):
            code = self.values.value([values[cell] for cell in cells], at.of(cells))
            return code, declared.lookups.columns, declared.lets
        return None


def _elements_of(name: str, value: NixExpr) -> tuple[NixExpr, ...]:
    """The elements of a list, or those that *value* adds to the package's own."""
    added = tuple(elements(value)) if isinstance(value, NixList) else elements_added(name, value)
    return added or ()


def elements_added(name: str, value: NixExpr) -> tuple[NixExpr, ...] | None:
    """The elements that *value* adds to the package's own. If the package has none, nixpkgs may
    have a default, and an addition to that is an error: such a value is none."""
    match value:
        case NixBinary("++", NixSelect(_, _, default), NixList()) if (
            default is not None and name in DEFAULTED
        ):
            return None
        case NixBinary("++", left, NixList() as items) if own(left) == name:
            return tuple(elements(items))
        case _:
            return None
