"""The recipes of one matrix as statements: rules, which hold in nearly all cells, and separate
statements for the few other cells."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress

from tvarc.blocks import ATTRIBUTES, BY_NAME, CONFIG, OF_PACKAGE
from tvarc.byhand.importing.comments import reason_of
from tvarc.byhand.importing.conditions import both
from tvarc.byhand.importing.declarations import Declarations, instead
from tvarc.byhand.importing.explain import few_of
from tvarc.byhand.importing.lines import Chosen, Segment
from tvarc.byhand.importing.links import (
    bound_in,
    folds_in,
    forms,
    links_of,
    marked,
    read_once,
    source_in,
    with_source,
    written_in,
)
from tvarc.byhand.importing.model import PROSE, Pin, Recipe
from tvarc.byhand.importing.names import entry_key, key, name_from, name_of
from tvarc.byhand.importing.needs import (
    Target,
    named,
    names_of,
    need_code,
    needed_by,
    taken_by,
    with_taken,
)
from tvarc.byhand.importing.overlays import Overlays
from tvarc.byhand.importing.reasons import Reasons
from tvarc.byhand.importing.settings import Row, Settings, part_names, script_text
from tvarc.byhand.importing.shapes import Shape
from tvarc.byhand.importing.statements import Drift, Shared, Statement
from tvarc.byhand.importing.templates import shown
from tvarc.byhand.importing.values import Values
from tvarc.byhand.importing.written import (
    IN_CONFIG,
    IN_RECIPE,
    CannotSay,
    Site,
    filled,
    in_block,
    part_text,
)
from tvarc.byhand.reading.marks import FOLD_OPEN, plain
from tvarc.byhand.reading.trees import SOURCE, entries_of, names_root, own
from tvarc.light import Final, Iterator, Mapping, Sequence, replace
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIdent,
    NixIf,
    NixList,
    NixSelect,
    NixString,
    elements,
)
from tvarc.syntax.format.format import because
from tvarc.values.value import Version

_MOST_KINDS: Final = 8
_BUMPED: Final = "version"  # the name of the text that users change
_VERSION: Final = re.compile(r"\d+(?:\.\d+)+")
_MUCH_SHORTER: Final = 0.75
_LEAST_BENEATH: Final = 2  # settings of a changed package; fewer settings fit into an argument
_GIVEN: Final = tuple(
    [
        one.name
        for one in OF_PACKAGE
        if one.form != "override" and one.holds not in ("shell", "notes")
    ]
)
"""The blocks whose settings a builder gets as arguments. All builders read `meta`."""


class Statements:
    """Makes the statements of one matrix: `found` for its recipe, `prose` for the module of texts,
    and the `drift` of both."""

    __slots__ = (
        "beneath", "cells", "count", "declared", "drift", "found", "links", "name", "needs",
        "prose", "prose_drift", "reasons", "recipes", "settings", "shared",
        "targets", "texts", "values",
    )  # fmt: skip

    def __init__(
        self,
        shape: Shape,
        recipes: Sequence[Recipe],
        shared: Shared,
        texts: Shared | None = None,
        targets: Mapping[str, Target] | None = None,
        name: str = "",
    ) -> None:
        self.cells = shared.trials.explaining(shape)
        self.targets = targets or {}
        self.needs = [names_of(needed_by(recipe), self.targets) for recipe in recipes]
        self.links = self._links(recipes)
        self.recipes = [
            marked(read_once(named(recipe, names) if names else recipe, links), links)
            for recipe, names, links in zip(recipes, self.needs, self.links, strict=True)
        ]
        self.name = name
        self.shared = shared
        self.declared = Declarations(self.cells, shared.lookups, shared.lets, name)
        self.values = Values(self.declared, shared.inputs, shared.outputs)
        self.reasons = Reasons(self.cells, self.recipes)
        self.settings = Settings(self.values, self.reasons)
        self.count = len(recipes)
        self.texts = texts
        self.found: list[Statement] = []
        self.prose: list[Statement] = []
        self.drift: list[Drift] = []
        self.beneath: dict[str, list[Statement]] = {}  # of recipes that these need
        self.prose_drift: list[Drift] = []

    def make(self) -> None:
        """Make all statements. Raises CannotSay if the language cannot express a part of these
        recipes."""
        cells = list(range(self.count))
        self._link(cells)
        pins = [self._pin(recipe.pin) for recipe in self.recipes]
        self._choice("pin", pins, cells, {})
        self._needed(cells)
        self._taken(cells)
        self._source(cells)
        names = dict.fromkeys([name for recipe in self.recipes for name in recipe.settings])
        values: dict[str, Sequence[NixExpr | None]] = {
            name: [recipe.settings.get(name) for recipe in self.recipes] for name in names
        }
        for path, name in self._beneath().items():
            values[path] = [NixSelect(NixIdent("@needs"), (name,))] * self.count
        rows = [_row(path, some) for path, some in values.items()]
        packages = [recipe.package for recipe in self.recipes]
        if all(is_scratch(package) for package in packages):
            said = self._from_scratch(packages, rows)
            rows = [row.added_to_none() for row in rows if row not in said]
        else:
            self._setting(Row("", "package", packages))
        overlays = Overlays(self.recipes, self.shared, self.settings).of_cells()
        if overlays:
            lists = [filled(names) for names in overlays]
            self._choice("overlays", lists, cells, dict(zip(lists, overlays, strict=True)))
        order = {one: number for number, one in enumerate(BY_NAME)}
        for row in sorted(rows, key=lambda row: order[row.within]):
            if self.texts is not None and self._is_prose(row):
                self._in_module(row, self.texts)
            else:
                self._setting(row)

    @property
    def has_texts(self) -> bool:
        """Whether the module of texts has statements of these recipes."""
        return bool(self.prose or self.prose_drift)

    def _in_module(self, row: Row, texts: Shared) -> None:
        """Write a setting into the module of texts. A line with versions of a column of the program
        goes into the program, because the module cannot read that column."""
        found, drift = len(self.found), len(self.drift)
        before, lets = texts.lookups.copy(), dict(texts.lets)
        with self.declared.into(texts.lookups, texts.lets):
            self._setting(row)
        is_line = not any("\n" in one.text for one in self.found[found:])
        if is_line and texts.lookups.has_version_of(self.shared.lookups, before):
            del self.found[found:], self.drift[drift:]
            texts.lookups.restore(before)
            texts.lets.clear()
            texts.lets.update(lets)
            self._setting(row)
            return
        self.prose += self.found[found:]
        self.prose_drift += self.drift[drift:]
        del self.found[found:], self.drift[drift:]

    def _is_prose(self, row: Row) -> bool:
        """Whether *row* is a description that reads no name, because names of the program are not
        defined in the module of texts."""
        links = [one.links for one in self.values.templates.symbols]
        return row.path in PROSE and not any(
            text in links[cell]
            for cell, value in enumerate(row.values)
            for text in folds_in([value] if value is not None else [])
        )

    def _links(self, recipes: Sequence[Recipe]) -> list[dict[str, str]]:
        """The texts that all files write once and read by a name, for each file by these names.
        Texts that an axis states are left out, and texts of a file that departs from a rule for all
        others. For a version it is enough that all files have one, and one file reads it."""
        cells = list(range(len(recipes)))
        found = [links_of(recipe) for recipe in recipes]
        if any(_BUMPED in links for links in found):
            for links, recipe in zip(found, recipes, strict=True):
                links |= {name: text for name, text in bound_in(recipe).items() if name == _BUMPED}
        made: list[dict[str, str]] = [{} for _ in cells]
        for name in found[0]:
            if not all(name in links for links in found):
                continue
            texts = [links[name] for links in found]
            with instead(self.cells, lenient=True):
                said = self.cells.explain(texts, cells)
            if said.kind != "fact":
                for cell in {*cells} - said.exceptions:
                    made[cell][name] = texts[cell]
        return made

    def _link(self, cells: Sequence[int]) -> None:
        """Declare the texts that all files write once and read by a name."""
        found: list[dict[str, str]] = [{} for _ in cells]
        bound = list(map(written_in, self.recipes))
        names = dict.fromkeys([name for links in self.links for name in links])
        # A text that reads other names is declared after these.
        for name in sorted(names, key=lambda one: FOLD_OPEN in bound[0].get(one, "")):
            here = [cell for cell in cells if name in self.links[cell]]
            values = [self.links[cell][name] for cell in here]
            self.values.templates.link(found)
            code = said = self._linked(name, [bound[cell].get(name, "") for cell in here], here)
            if code.partition(".")[0] not in self.shared.lookups.rowed:
                whole = name_of(f"{self.name}-{name}" if self.name else name, "text")
                code = self.shared.name(whole)
                self.shared.lets[code] = said
            for cell, value in zip(here, values, strict=True):
                for form, written in forms(code, value):
                    found[cell].setdefault(form, written)
            self._compare(code, values)
        self.values.templates.link(found)

    def _compare(self, code: str, values: Sequence[str]) -> None:
        """Let conditions compare the version *code* with other versions, as the files compare
        *values*."""
        compared = self.shared.compared
        column = self.cells.column(values) if len(values) == self.count else None
        if column is None or not all(map(_VERSION.fullmatch, values)):
            return
        rows = {name: Version(text) for name, text in column.entries}
        for bound in compared.get(values[0], ()):
            if _VERSION.fullmatch(bound) and all(bound in compared.get(one, ()) for one in values):
                older = frozenset([one for one in rows if rows[one].compare(Version(bound)) < 0])
                of_axis = self.cells.compared.setdefault(column.axes[0], {})
                of_axis[f"version({code})", bound] = older

    def _linked(self, name: str, values: Sequence[str], cells: Sequence[int]) -> str:
        """The expression for the texts that all files write once and read by *name*. It is a column
        if each row has a text of its own that no fact has, so that a version is written whole and
        in one place."""
        texts = list(map(plain, values))
        column = self.cells.column(texts) if len(cells) == self.count else None
        site, nodes = _site(name, cells), [NixString((one,)) for one in values]
        if column is not None:
            with self.declared.aside():
                code = self.values.value(nodes, site)
                is_new = self.declared.lookups.columns != self.shared.lookups.columns
            if is_new or "{{if " in code or code.startswith("if "):
                return self.shared.lookups.hint(site.hint).of(column)
        return self.values.value(nodes, site)

    def _source(self, cells: Sequence[int]) -> None:
        """Declare the source that each recipe fetches as `src`, if a recipe also reads it
        elsewhere."""
        sources = [source for one in self.recipes if (source := source_in(one)) is not None]
        if len(sources) < self.count or SOURCE in self.shared.taken:
            return
        named = list(map(with_source, self.recipes, sources))
        if not any(is_read for _, is_read in named):
            return
        with suppress(CannotSay), self.shared.tried():
            code = self.values.value(sources, _site(SOURCE, cells))
            self.found.append(Statement("", f"let {SOURCE} = {code}"))
            self.recipes = [recipe for recipe, _ in named]
            self.values.templates.sources = sources

    def _needed(self, cells: Sequence[int]) -> None:
        """The needed recipes, by their names."""
        for name in dict.fromkeys([name for names in self.needs for name in names.values()]):
            stems = {
                cell: stem
                for cell in cells
                for stem, one in self.needs[cell].items()
                if one == name
            }
            here = list(stems)
            if any(stem not in self.targets for stem in stems.values()):
                raise CannotSay(f"it needs `{name}`, which is not imported")
            code = need_code([self.targets[stems[cell]] for cell in here], here, self.cells)
            condition = self.cells.condition(here, cells).code if len(here) < len(cells) else ""
            handed = {stems[cell] in self.recipes[cell].handed for cell in here}
            if len(handed) > 1:
                raise CannotSay(f"`{name}` is an argument of some recipes only")
            how = " by argument" if handed.pop() else ""
            self.found.append(Statement("", f"needs {name} = {code}{how}", condition))

    def _taken(self, cells: Sequence[int]) -> None:
        """Declare what all recipes take from files of other repositories, by its name."""
        known = {name for names in self.needs for name in names.values()}
        taken = list(map(taken_by, self.recipes))
        names = taken[0].keys() - known
        if not names or any(one.keys() != taken[0].keys() for one in taken):
            return
        with suppress(CannotSay), self.shared.tried():
            codes = {
                name: self.values.value([one[name] for one in taken], _site(name, cells))
                for name in taken[0]
                if name in names
            }
            self.found += [
                Statement("", f"needs {name} = {code}") for name, code in codes.items()
            ]
            self.recipes = [
                with_taken(recipe, {name: one[name] for name in codes})
                for recipe, one in zip(self.recipes, taken, strict=True)
            ]

    def _beneath(self) -> dict[str, str]:
        """The settings that are recipes of their own in all recipes, and the names of these."""
        found: dict[str, str] = {}
        rows = [dict(recipe.beneath) for recipe in self.recipes]
        for path in rows[0]:
            inner = [row[path] for row in rows if path in row]
            own = [name for name in inner[0].settings if not name.startswith(f"{CONFIG}.")]
            if len(inner) < self.count or len(own) < _LEAST_BENEATH:
                continue
            name = path.partition(".")[2]
            with suppress(CannotSay), self.shared.tried():
                name = self.shared.name(name_of(name, "package"))
                made = Statements(self.cells.shape, inner, self.shared, name=name)
                made.make()
                if made.drift or any(map(needed_by, inner)):
                    raise CannotSay("only the recipe that needs it can say it")
                self.beneath[name] = made.found
                self.found.append(Statement("", f"needs {name} = {name}"))
                found[path] = name
        return found

    def _from_scratch(self, packages: Sequence[NixExpr], rows: Sequence[Row]) -> set[Row]:
        """Write the call of a builder with those *rows* that all recipes have in the same form, and
        return these. The others are added to the call."""
        cells = list(range(self.count))
        said: dict[Row, str] = {}
        for row in rows:
            there = row.present(cells)
            if len(there) < self.count or row.within not in _GIVEN:
                continue
            if self.texts is not None and self._is_prose(row):
                continue
            if any(names_root(one, "@old") for one in there) or self._odd(row, cells):
                continue
            with suppress(CannotSay), self.shared.tried():
                said[row] = self.values.value(there, _site(row.name, cells, row.within))
        builders = [one.function for one in packages if isinstance(one, NixApply)]
        called = self.values.value(builders, _site("builder", cells))
        given: list[str] = []
        for within in _GIVEN:
            of_block = [(row.name, code) for row, code in said.items() if row.within == within]
            inner = [f"{entry_key(name)} = {code}" for name, code in of_block]
            if within == ATTRIBUTES:
                given += inner
            elif inner:
                given.append(f"{within} = {{\n" + "\n".join(inner) + "\n}")
        rows_of = "{\n" + "\n".join(given) + "\n}" if given else "{}"
        self.found.append(Statement("", f"package = call({called}, {rows_of})"))
        return set(said)

    def _setting(self, row: Row) -> None:
        cells = list(range(self.count))
        odd = self._odd(row, cells)
        if odd and row.path == "package" and self._is_shorter_as_one(row, odd):
            self.drift += [Drift((cell,), row.path, ()) for cell in sorted(odd)]
            odd = set()
        rule = [cell for cell in cells if cell not in odd]
        here = [cell for cell in rule if row.values[cell] is not None]
        self.declared.word = ""
        if here:
            condition = ""
            if len(here) < len(rule):
                condition = self.cells.condition(here, rule).code
            made = self._statements(row, here, sorted({*here, *odd}))
            comment = self.reasons.comment(row.name, here)
            reason = reason_of(comment) if _takes_reason(row.name, made) else ""
            for statement in made:
                joint = both(condition, statement.condition)
                text = statement.text + because(reason)
                self.found.append(
                    Statement(statement.block, text, joint, () if reason else comment)
                )
                comment = ()
        for some, statements in self._overrides(row, rule, odd):
            if statements:
                self.drift.append(Drift(some, row.path, tuple(statements)))

    def _is_shorter_as_one(self, row: Row, odd: set[int]) -> bool:
        """Whether a single statement with conditions, without other declarations, is much shorter
        than the rule together with the statements of the *odd* cells."""
        every = range(self.count)
        rule = [cell for cell in every if cell not in odd]
        declared = self.declared
        with declared.aside(), suppress(CannotSay):
            apart = self._statements(row, rule, rule)
            for cell in odd:
                apart += self._statements(row, [cell], [cell])
            before = declared.lookups.copy().columns, dict(declared.lets)
            joint = self._statements(row, every, every)
            size = sum([len(one.text) for one in apart])
            is_short = len(joint) == 1 and len(joint[0].text) < _MUCH_SHORTER * size
            return is_short and (declared.lookups.columns, declared.lets) == before
        return False

    def _odd(self, row: Row, cells: Sequence[int]) -> set[int]:
        """The few cells in which a setting departs from its rule; none if there are many."""
        here = [cell for cell in cells if row.values[cell] is not None]
        odd = self.cells.missing(here, cells) if len(here) < len(cells) else set()
        rest = [cell for cell in here if cell not in odd]
        if len({row.values[cell] for cell in rest}) > 1:
            key = (self.cells.shape.stems[0], row.within, row.name, *row.values)
            found = self.shared.trials.odd.get(key)
            if found is None:
                found = self.shared.trials.odd[key] = frozenset(self._trial(row, rest))
            odd |= found
        if len(odd) > 2 * self.cells.few or (odd and not self.cells.are_odd(sorted(odd), cells)):
            return set()
        return odd

    def _trial(self, row: Row, cells: Sequence[int]) -> set[int]:
        """The exceptions to the rule that would be found. If values of different shapes have no
        rule, the exceptions to the rule of each shape."""
        with self.declared.leniently():
            try:
                self._statements(row, cells, cells)
                return set(self.declared.odd)
            except CannotSay:
                odd = self._odd_one_out(row, cells)
        groups = _by_shape(row, cells)
        if odd or len(groups) < 2:
            return odd
        return {
            cell
            for some in groups
            if few_of(len(some)) and len({row.values[one] for one in some}) > 1
            for cell in self._trial(row, some)
        }

    def _odd_one_out(self, row: Row, cells: Sequence[int]) -> set[int]:
        """The cells whose value has a different shape from all others."""
        groups = _by_shape(row, cells)
        if len(groups) < 2:
            return set()
        usual = max(groups, key=len)
        in_usual = set(usual)
        others = [cell for cell in cells if cell not in in_usual]
        return self.cells.missing(others, cells) if len(others) <= self.cells.few else set()

    def _statements(
        self, row: Row, cells: Sequence[int], beside: Sequence[int]
    ) -> list[Statement]:
        """The statements for *row* in *cells*. *beside* are the cells whose texts are aligned,
        including cells that do not follow the rule."""
        values = row.present(cells)
        groups = _by_shape(row, cells)
        try:
            return self.settings.said(row, _site(row.name, cells, row.within), beside)
        except CannotSay:
            if self.cells.lenient or len(groups) == 1 == len(set(values)):
                raise
        if len(groups) == 1:
            groups = _grouped(values, cells)
        if len(groups) > max(_MOST_KINDS, len(cells) // 4):
            raise CannotSay(f"`{row.name}` differs in too many ways")
        made = [self._statements(row, some, some) for some in groups]
        most = max(groups, key=len)
        is_set = _is_set(row.name, [one for inner in made for one in inner])
        usual = most if is_set and self.cells.is_rule(most, cells) else None
        return [
            replace(one, condition=both(condition, one.condition))
            for some, inner in zip(groups, made, strict=True)
            for condition in ["" if some is usual else self.cells.condition(some, cells).code]
            for one in inner
        ]

    def _overrides(
        self, row: Row, rule: Sequence[int], odd: set[int]
    ) -> Iterator[tuple[tuple[int, ...], list[Statement]]]:
        """The statements of the *odd* cells in the place of the rule. Cells that differ in the same
        parts and have one simple condition are together."""
        here = [cell for cell in rule if row.values[cell] is not None]
        beside = sorted({*here, *odd})
        segments: list[Segment] = []
        if here and row.are_scripts(here[:1]):
            segments = self.settings.script(row, _site(row.name, here), beside)
        groups: dict[object, list[int]] = {}
        for cell in sorted(odd):
            parts = tuple([number for number, one in enumerate(segments) if cell in one.odd])
            flags = [flag for one in segments for flag in one.flags if cell in flag.own]
            value = row.values[cell]
            kind = _shape(value) if value is not None and not segments else value is None
            names = tuple([flag.name for flag in flags])
            groups.setdefault((kind, parts, names), []).append(cell)
        for some in groups.values():
            if len(some) > 1 and self.cells.condition(some, range(self.count)).boxes == 1:
                made = []
                with suppress(CannotSay):
                    made = self._override(row, some, (here, beside), segments)
                whole = f"{key(row.name)} {{"  # parts cannot be combined with a whole text
                if made and not any(one.condition or one.text.startswith(whole) for one in made):
                    yield tuple(some), made
                    continue
            for cell in some:
                yield (cell,), self._override(row, [cell], (here, beside), segments)

    def _word(self, cells: Sequence[int]) -> str:
        """The word that all *cells* have and that the fewest others have; empty if there is
        none."""
        first, *others = [self.cells.cells[cell].items() for cell in cells]
        words = [one for one in first if all(one in other for other in others)]
        count = Counter([one for cell in self.cells.cells for one in cell.items()])
        return min(words, key=lambda one: count[one])[1] if words else ""

    def _override(
        self,
        row: Row,
        cells: Sequence[int],
        rule: tuple[Sequence[int], Sequence[int]],
        segments: Sequence[Segment],
    ) -> list[Statement]:
        """The statements of *cells* in the place of the rule, for a script in *segments*. *rule*
        are the cells with the rule, and these together with all odd cells."""
        self.declared.word = self._word(cells)
        here, beside = rule
        present, name = row.present(cells), row.name
        if not present:
            if not segments:
                return [Statement(row.within, f"{key(name)} = none")]
            named = zip(part_names(segments), segments, strict=True)
            lines = [f"part {part} = none" for part, segment in named if segment.cells]
            return [Statement(f"script {name}", line) for line in lines]
        if segments and row.are_scripts(cells):
            (first,) = row.present(here[:1])
            wheres = {script_text(name, one)[0] for one in (first, *present)}
            if len(wheres) == 1:
                return self._changed_parts(name, cells, segments)
        if here and len(beside) == self.count:  # the rule has no condition
            made = self.settings.changed(row, _site(name, here, row.within), beside, cells)
            if made:
                return made
        made = self._statements(row, cells, cells)
        if here and row.are_added(cells):
            made.insert(0, Statement(row.within, f"{key(name)} = none"))
        return made

    def _changed_parts(
        self, name: str, cells: Sequence[int], segments: Sequence[Segment]
    ) -> list[Statement]:
        """The parts of a script that differ in *cells*."""
        found: list[Statement] = []
        names = part_names(segments)
        for flag in [one for segment in segments for one in segment.flags if cells[0] in one.own]:
            code = self._value_of_flag(flag, cells)
            found.append(Statement("", f"flag {flag.name} = {code}"))
        for number, (part, segment) in enumerate(zip(names, segments, strict=True)):
            if cells[0] not in segment.odd:
                continue
            if not segment.cells:
                part += f" after {names[number - 1]}" if number else f" before {names[1]}"
            lines = [segment.own.get(cell, []) for cell in cells]
            if not any(lines):
                found.append(Statement(f"script {name}", f"part {part} = none"))
                continue
            written = self._lines(name, lines, cells, "\n".join(segment.lines))
            last = number == len(segments) - 1
            text = part_text(written if last else [*written, ""])
            found.append(Statement(f"script {name}", f"part {part} {text}"))
        return found

    def _value_of_flag(self, flag: Chosen, cells: Sequence[int]) -> str:
        """What *cells* have in the place of what the rule says by *flag*."""
        templates = self.values.templates
        said = [flag.own[cell] for cell in cells]
        if all(one == said[0] for one in said):
            return templates.expression(templates.pieces(said[0], IN_RECIPE))
        texts = [templates.symbols[cell].take(flag.own[cell]) for cell in cells]
        return templates.line(texts, _site(flag.name, cells))

    def _lines(
        self, name: str, lines: Sequence[Sequence[str]], cells: Sequence[int], rule: str
    ) -> Sequence[str]:
        """The code of the *lines* that each of *cells* has in the place of those of the *rule*. It
        uses the facts that the rule reads."""
        templates = self.values.templates
        said = [
            [templates.symbols[cell].take(templates.symbols[cell].put(line), rule) for line in one]
            for cell, one in zip(cells, lines, strict=True)
        ]
        if all(one == said[0] for one in said):
            return [shown(templates.pieces(line, IN_RECIPE), in_block) for line in said[0]]
        texts = ["\n".join(one) for one in lines]
        made = self.values.lines.segments(texts, _site(name, cells), cells)
        if len(made) > 1:
            raise CannotSay("only some recipes have certain lines of a string")
        return made[0].lines

    def _pin(self, pin: Pin | None) -> str:
        if pin is None:
            return "none"
        return self.shared.pins.setdefault(pin, self.shared.named[pin])

    def _choice(
        self,
        name: str,
        values: Sequence[str],
        cells: Sequence[int],
        lists: Mapping[str, Sequence[str]],
    ) -> None:
        """`name = value`, with one of a few values. The elements that all *lists* have are under no
        condition, so a word that is added to an axis later has them, too."""
        groups: dict[str, list[int]] = {}
        for cell, value in zip(cells, values, strict=True):
            groups.setdefault(value, []).append(cell)
        usual = max(groups.values(), key=len)
        odd: set[int] = set()
        for some in groups.values():
            if some is not usual and len(some) <= self.cells.few:
                odd |= self.cells.missing(some, cells)
        if len(odd) > self.cells.few:
            odd = set()
        rule = [cell for cell in cells if cell not in odd]
        ruled = [value for value in groups if not odd.issuperset(groups[value])]
        base = _in_all([lists.get(value, ()) for value in ruled]) if len(ruled) > 1 else []
        if base:
            self.found.append(Statement("", f"{name} = {filled(base)}"))
        for value in ruled:
            here = [cell for cell in groups[value] if cell not in odd]
            own = lists.get(value, ())
            said = f"{name} = {value}"
            if base and list(own[: len(base)]) == base:
                if len(own) == len(base):
                    continue
                said = f"{name} += {filled(own[len(base) :])}"
            condition = self.cells.condition(here, rule).code if len(here) < len(rule) else ""
            self.found.append(Statement("", said, condition))
        for cell in sorted(odd):
            self.drift.append(Drift((cell,), name, (Statement("", f"{name} = {values[cell]}"),)))


def _in_all(lists: Sequence[Sequence[str]]) -> list[str]:
    """The elements that all *lists* have, if they are in the same order."""
    found = [[one for one in names if all(one in other for other in lists)] for names in lists]
    return found[0] if all(one == found[0] for one in found) else []


def _is_set(name: str, made: Sequence[Statement]) -> bool:
    """Whether each of the statements *made* sets a whole setting, so that a statement under a
    condition replaces one without."""
    return all(one.text.startswith(f"{key(name)} = ") and not one.condition for one in made)


def _takes_reason(name: str, made: Sequence[Statement]) -> bool:
    """Whether the statements of a setting are a single value, which can have a reason."""
    return len(made) == 1 and made[0].text.startswith(f"{key(name)} = ")


def is_scratch(package: NixExpr) -> bool:
    """Whether a builder makes *package* from settings only."""
    return isinstance(package, NixApply) and package.argument == NixAttrs(())


def _row(path: str, values: Sequence[NixExpr | None]) -> Row:
    """The setting at *path*, with its value in each cell."""
    within, _, name = path.partition(".")
    return Row(within, name, values)


def _site(name: str, cells: Sequence[int], within: str = "") -> Site:
    """The site of a setting *name* of recipes."""
    roots = IN_CONFIG if within == CONFIG else IN_RECIPE
    return Site(cells, name_from(name), roots, is_prose=f"{within}.{name}" in PROSE)


def _by_shape(row: Row, cells: Sequence[int]) -> list[list[int]]:
    """*cells* by the shapes of their values."""
    return _grouped([_shape(value) for value in row.present(cells)], cells)


def _grouped(kinds: Sequence[object], cells: Sequence[int]) -> list[list[int]]:
    """*cells* by their *kinds*, in the order of the first of each."""
    groups: dict[object, list[int]] = {}
    for cell, kind in zip(cells, kinds, strict=True):
        groups.setdefault(kind, []).append(cell)
    return list(groups.values())


def _shape(value: NixExpr) -> object:
    match value:
        case NixList():
            return ("list", tuple([_shape(one) for one in elements(value)]))
        case NixString(parts):
            last = parts[-1]
            return ("text", isinstance(last, str) and last.endswith("\n"))
        case NixAttrs():
            return ("set", tuple([name for name, _ in entries_of(value)]))
        case NixBinary("++", left, NixList()) if own(left) is not None:
            return ("added", own(left))
        case NixApply(function, NixAttrs() | NixIf() as given):
            return ("called", function, _shape(given))
        case NixIf():
            return "if"
        case _:
            return value
