"""The recipes of one matrix as statements: rules, which hold in all cells but a few, and what is
different in those few, by itself."""

from __future__ import annotations

from contextlib import suppress

from tvarc.blocks import ATTRIBUTES, BY_NAME, CONFIG, OF_PACKAGE
from tvarc.byhand.importing.additions import Additions, added_to_none, elements_added
from tvarc.byhand.importing.comments import reason_of
from tvarc.byhand.importing.declarations import Declarations
from tvarc.byhand.importing.explain import Explaining, few_of
from tvarc.byhand.importing.lines import Segment
from tvarc.byhand.importing.links import forms, links_of, marked
from tvarc.byhand.importing.model import PROSE, Pin, Recipe
from tvarc.byhand.importing.names import entry_key, key, name_from, name_of
from tvarc.byhand.importing.needs import Target, named, names_of, need_code, needed_by
from tvarc.byhand.importing.overlays import Overlays
from tvarc.byhand.importing.reasons import Reasons
from tvarc.byhand.importing.scripts import (
    has_lines,
    is_script,
    part_names,
    parts_of,
    script_statements,
    script_text,
)
from tvarc.byhand.importing.shapes import Shape
from tvarc.byhand.importing.statements import (
    Conditions,
    Drift,
    Shared,
    Statement,
    because,
    both,
    revision_of,
)
from tvarc.byhand.importing.templates import shown
from tvarc.byhand.importing.values import Values
from tvarc.byhand.importing.written import (
    IN_CONFIG,
    IN_RECIPE,
    CannotSay,
    Roots,
    block,
    in_block,
    part_text,
)
from tvarc.byhand.reading.trees import entries_of, names_root, own, text_of
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

_MOST_KINDS: Final = 8
_LEAST_BENEATH: Final = 2  # settings of a changed package: fewer are short as an argument
_GIVEN: Final = tuple(
    [
        one.name
        for one in OF_PACKAGE
        if one.form != "override" and one.holds not in ("shell", "notes")
    ]
)
"""The blocks that a builder gets. All builders read `meta` as settings."""


class Statements:
    """Makes the statements of one matrix: those `found` for its recipe, those of its `prose`, which
    a module of texts says, and the `drift` of both."""

    __slots__ = (
        "additions", "beneath", "cells", "count", "declared", "drift", "found", "links",
        "name", "needs", "overlays", "prose", "prose_drift", "reasons", "recipes",
        "scripts", "shared", "targets", "texts", "values",
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
        self.cells = Explaining(shape)
        self.targets = targets or {}
        self.needs = [names_of(needed_by(recipe), self.targets) for recipe in recipes]
        self.links = self._links(recipes)
        self.recipes = [
            marked(named(recipe, names) if names else recipe, links)
            for recipe, names, links in zip(recipes, self.needs, self.links, strict=True)
        ]
        self.name = name
        self.shared = shared
        self.declared = Declarations(self.cells, shared.lookups, shared.lets, name)
        self.values = Values(self.declared, shared.inputs, shared.outputs)
        self.reasons = Reasons(self.cells, self.recipes)
        self.additions = Additions(self.values, self.reasons)
        self.overlays = Overlays(self.recipes, self.values, shared, self.reasons, self.additions)
        self.count = len(recipes)
        self.texts = texts
        self.found: list[Statement] = []
        self.prose: list[Statement] = []
        self.drift: list[Drift] = []
        self.beneath: dict[str, list[Statement]] = {}  # of recipes that these need
        self.prose_drift: list[Drift] = []
        self.scripts: dict[tuple[object, ...], list[Segment]] = {}

    def make(self) -> None:
        """Make all statements; raises CannotSay for what cannot be said of these recipes."""
        cells = list(range(self.count))
        self._link(cells)
        pins = [self._pin(recipe.pin) for recipe in self.recipes]
        self._choice("pin", pins, cells)
        self._needed(cells)
        names = dict.fromkeys([name for recipe in self.recipes for name in recipe.settings])
        rows = {name: [recipe.settings.get(name) for recipe in self.recipes] for name in names}
        for path, name in self._beneath().items():
            rows[path] = [NixSelect(NixIdent("@needs"), (name,))] * self.count
        packages = [recipe.package for recipe in self.recipes]
        if all(is_scratch(package) for package in packages):
            for name in self._from_scratch(packages, rows):
                del rows[name]
            rows = {name: added_to_none(name, values) for name, values in rows.items()}
        else:
            self._setting("", "package", packages)
        overlays = self.overlays.of_cells()
        if overlays:
            self._choice("overlays", overlays, cells)
        order = {one: number for number, one in enumerate(BY_NAME)}
        for name in sorted(rows, key=lambda name: order[name.partition(".")[0]]):
            within, _, rest = name.partition(".")
            if name in PROSE and self.texts is not None:
                self._in_module(within, rest, rows[name], self.texts)
            else:
                self._setting(within, rest, rows[name])

    @property
    def has_texts(self) -> bool:
        """Whether the module of texts says something of these recipes."""
        return bool(self.prose or self.prose_drift)

    def _in_module(
        self, within: str, name: str, values: Sequence[NixExpr | None], texts: Shared
    ) -> None:
        """Write a setting into the module of texts."""
        found, drift = len(self.found), len(self.drift)
        unlinked = self.values.templates.with_symbols(lambda _, one: one.without_links())
        with self.declared.into(texts.lookups, texts.lets), unlinked:
            self._setting(within, name, values)
        self.prose += self.found[found:]
        self.prose_drift += self.drift[drift:]
        del self.found[found:], self.drift[drift:]

    def _links(self, recipes: Sequence[Recipe]) -> list[dict[str, str]]:
        """What all files write once and read by one name, of each its texts by these names; none
        that an axis says."""
        cells = list(range(len(recipes)))
        found = [links_of(recipe) for recipe in recipes]
        names = [
            name
            for name in found[0]
            if all(name in links for links in found)
            and self.cells.explain([links[name] for links in found], cells).kind != "fact"
        ]
        return [{name: links[name] for name in names} for links in found]

    def _link(self, cells: Sequence[int]) -> None:
        """Declare what all files write once and read by one name."""
        found: list[dict[str, str]] = [{} for _ in cells]
        for name in self.links[0]:
            values = [links[name] for links in self.links]
            whole = name_of(f"{self.name}-{name}" if self.name else name, "text")
            code = self.shared.name(whole)
            nodes = [NixString((one,)) for one in values]
            self.shared.lets[code] = self.values.value(nodes, cells, name_from(name), IN_RECIPE)
            for texts, value in zip(found, values, strict=True):
                for form, written in forms(code, value):
                    texts.setdefault(form, written)
        if any(found):
            self.values.templates.link(found)

    def _needed(self, cells: Sequence[int]) -> None:
        """What is needed of other recipes, by its name."""
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

    def _beneath(self) -> dict[str, str]:
        """The settings of all recipes that are recipes by themselves, and the names of these."""
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

    def _from_scratch(
        self, packages: Sequence[NixExpr], rows: Mapping[str, Sequence[NixExpr | None]]
    ) -> list[str]:
        """Write the call of a builder, with those settings that all have in one form; which these
        are. The others are added to it."""
        cells = list(range(self.count))
        said: dict[str, str] = {}
        for name, values in rows.items():
            within, _, rest = name.partition(".")
            there = [one for one in values if one is not None]
            if len(there) < self.count or within not in _GIVEN:
                continue
            if self.texts is not None and name in PROSE:
                continue
            if any(names_root(one, "@old") for one in there) or self._odd(
                within, rest, values, cells
            ):
                continue
            with suppress(CannotSay), self.shared.tried():
                said[name] = self.values.value(there, cells, name_from(rest), IN_RECIPE)
        builders = [one.function for one in packages if isinstance(one, NixApply)]
        called = self.values.value(builders, cells, "builder", IN_RECIPE)
        given: list[str] = []
        for within in _GIVEN:
            parts = {
                name.partition(".")[2]: code
                for name, code in said.items()
                if name.startswith(f"{within}.")
            }
            inner = [f"{entry_key(name)} = {code}" for name, code in parts.items()]
            if within == ATTRIBUTES:
                given += inner
            elif inner:
                given.append(f"{within} = {{\n" + "\n".join(inner) + "\n}")
        rows_of = "{\n" + "\n".join(given) + "\n}" if given else "{}"
        self.found.append(Statement("", f"package = call({called}, {rows_of})"))
        return list(said)

    def _setting(self, within: str, name: str, values: Sequence[NixExpr | None]) -> None:
        cells = list(range(self.count))
        odd = self._odd(within, name, values, cells)
        rule = [cell for cell in cells if cell not in odd]
        here = [cell for cell in rule if values[cell] is not None]
        if here:
            condition = ""
            if len(here) < len(rule):
                condition = self.cells.condition(here, rule).code
            present = [one for cell in here if (one := values[cell]) is not None]
            made = self._statements(within, name, present, here, sorted({*here, *odd}), values)
            comment = self.reasons.comment(name, here)
            reason = reason_of(comment) if _takes_reason(name, made) else ""
            for statement in made:
                joint = both(condition, statement.condition)
                text = statement.text + because(reason)
                self.found.append(
                    Statement(statement.block, text, joint, () if reason else comment)
                )
                comment = ()
        path = f"{within}.{name}" if within else name
        for some, statements in self._overrides(within, name, values, rule, odd):
            if statements:
                self.drift.append(Drift(some, path, tuple(statements)))

    def _odd(
        self, within: str, name: str, values: Sequence[NixExpr | None], cells: Sequence[int]
    ) -> set[int]:
        """The few cells in which a setting is not as its rule has it; none where they are many."""
        here = [cell for cell in cells if values[cell] is not None]
        odd = self.cells.missing(here, cells) if len(here) < len(cells) else set()
        rest = [cell for cell in here if cell not in odd]
        if len({values[cell] for cell in rest}) > 1:
            key = (self.cells.shape.stems[0], within, name, *values)
            found = self.shared.trials.get(key)
            if found is None:
                trial = frozenset(self._trial(within, name, values, rest))
                found = self.shared.trials[key] = trial
            odd |= found
        if len(odd) > 2 * self.cells.few:
            return set()
        return odd

    def _trial(
        self, within: str, name: str, values: Sequence[NixExpr | None], cells: Sequence[int]
    ) -> set[int]:
        """The exceptions to the rule that would be found; where values of unlike shapes have none,
        those to the rule of each shape."""
        present = [one for cell in cells if (one := values[cell]) is not None]
        with self.declared.leniently():
            try:
                self._statements(within, name, present, cells, cells, values)
                return set(self.declared.odd)
            except CannotSay:
                odd = self._odd_one_out(present, cells)
        groups = _by_shape(present, cells)
        if odd or len(groups) < 2:
            return odd
        return {
            cell
            for some in groups
            if few_of(len(some)) and len({values[one] for one in some}) > 1
            for cell in self._trial(within, name, values, some)
        }

    def _odd_one_out(self, values: Sequence[NixExpr], cells: Sequence[int]) -> set[int]:
        """The cells whose value has another shape than all others."""
        groups = _by_shape(values, cells)
        if len(groups) < 2:
            return set()
        usual = max(groups, key=len)
        in_usual = set(usual)
        others = [cell for cell in cells if cell not in in_usual]
        return self.cells.missing(others, cells) if len(others) <= self.cells.few else set()

    def _statements(
        self,
        within: str,
        name: str,
        values: Sequence[NixExpr],
        cells: Sequence[int],
        beside: Sequence[int],
        all_values: Sequence[NixExpr | None],
    ) -> list[Statement]:
        """Statements that give *values* to *cells*. *beside* are the cells whose texts are laid
        side by side, also those that have no part in the rule."""
        try:
            return self._direct(within, name, values, cells, beside, all_values)
        except CannotSay:
            if self.cells.lenient or len(set(map(_shape, values))) == 1 == len(set(values)):
                raise
        groups: dict[object, list[int]] = {}
        kinds = {_shape(value) for value in values}
        for cell, value in zip(cells, values, strict=True):
            groups.setdefault(_shape(value) if len(kinds) > 1 else value, []).append(cell)
        if len(groups) > max(_MOST_KINDS, len(cells) // 4):
            raise CannotSay(f"`{name}` differs in too many ways")
        at = dict(zip(cells, values, strict=True))
        made = [
            self._statements(within, name, [at[cell] for cell in some], some, some, all_values)
            for some in groups.values()
        ]
        most = max(groups.values(), key=len)
        usual = most if _is_set(name, [one for inner in made for one in inner]) else None
        return [
            replace(one, condition=both(condition, one.condition))
            for some, inner in zip(groups.values(), made, strict=True)
            for condition in ["" if some is usual else self.cells.condition(some, cells).code]
            for one in inner
        ]

    def _direct(
        self,
        within: str,
        name: str,
        values: Sequence[NixExpr],
        cells: Sequence[int],
        beside: Sequence[int],
        all_values: Sequence[NixExpr | None],
    ) -> list[Statement]:
        roots = IN_CONFIG if within == CONFIG else IN_RECIPE
        hint = name_from(name)
        is_empty = all(text_of(value) == "" for value in values)
        if within == ATTRIBUTES and not is_empty and all(is_script(name, one) for one in values):
            segments = self._script(name, all_values, cells, beside, roots)
            is_whole = len(beside) == len(cells)
            return script_statements(
                name, values[0], segments, self._holds(cells), is_whole=is_whole
            )
        if all(isinstance(value, NixString) for value in values) and has_lines(values):
            return self._text(within, name, values, cells, roots)
        added = [elements_added(name, value) for value in values]
        if within == ATTRIBUTES and all(one is not None for one in added):
            return self.additions.said(name, [one or () for one in added], cells, roots)
        code = self.values.value(values, cells, hint, roots)
        return [Statement(within, f"{key(name)} = {code}")]

    def _text(
        self,
        within: str,
        name: str,
        values: Sequence[NixExpr],
        cells: Sequence[int],
        roots: Roots,
    ) -> list[Statement]:
        """A text of lines: whole, or in parts where some lines stand in some cells only."""
        written = [value for value in values if isinstance(value, NixString)]
        texts = self.values.atoms.flat(written, cells)
        segments = self.values.lines.segments(texts, cells, name_from(name), roots, cells)
        if len(segments) == 1:
            return [Statement(within, f"{key(name)} = {block(segments[0].lines)}")]
        parts = parts_of(segments, self._holds(cells))
        inner = "\n".join(parts)
        return [Statement(within, f"{key(name)} {{\n{inner}\n}}")]

    def _holds(self, cells: Sequence[int]) -> Conditions:
        return Conditions(self.cells, tuple(cells))

    def _script(
        self,
        name: str,
        values: Sequence[NixExpr | None],
        cells: Sequence[int],
        beside: Sequence[int],
        roots: Roots,
    ) -> list[Segment]:
        """The lines of a script, those of *beside* next to each other, and the rule that *cells*
        have."""
        key = (name, tuple(cells), tuple(beside))
        if key in self.scripts and not self.cells.lenient:
            return self.scripts[key]
        present = [cell for cell in beside if isinstance(values[cell], NixString)]
        written: list[NixString] = []
        kinds: set[object] = set()
        ruled = set(cells)
        for cell in present:
            node = values[cell]
            assert node is not None
            before, inner = script_text(name, node)
            if cell in ruled:
                kinds.add(before)
            written.append(inner)
        if len(kinds) > 1:
            raise CannotSay(f"`{name}` adds to the package's own value in some recipes only")
        texts = self.values.atoms.flat(written, present)
        found = self.values.lines.segments(texts, present, name_from(name), roots, cells)
        if not self.cells.lenient:
            self.scripts[key] = found
        return found

    def _overrides(
        self,
        within: str,
        name: str,
        values: Sequence[NixExpr | None],
        rule: Sequence[int],
        odd: set[int],
    ) -> Iterator[tuple[tuple[int, ...], list[Statement]]]:
        """What the cells that are *odd* say in the place of the rule: those together that differ in
        the same parts and that one plain condition is for."""
        here = [cell for cell in rule if values[cell] is not None]
        segments: list[Segment] = []
        if within == ATTRIBUTES and here and is_script(name, values[here[0]]):
            segments = self._script(name, values, here, sorted({*here, *odd}), IN_RECIPE)
        groups: dict[object, list[int]] = {}
        for cell in sorted(odd):
            parts = tuple([number for number, one in enumerate(segments) if cell in one.odd])
            value = values[cell]
            kind = _shape(value) if value is not None and not segments else value is None
            groups.setdefault((kind, parts), []).append(cell)
        for some in groups.values():
            if len(some) > 1 and self.cells.condition(some, range(self.count)).boxes == 1:
                try:
                    made = self._override(within, name, values, some, here, segments)
                except CannotSay:
                    made = []
                whole = f"{key(name)} {{"  # parts would stand beside a text that is whole
                if made and not any(one.condition or one.text.startswith(whole) for one in made):
                    yield tuple(some), made
                    continue
            for cell in some:
                yield (cell,), self._override(within, name, values, [cell], here, segments)

    def _override(
        self,
        within: str,
        name: str,
        values: Sequence[NixExpr | None],
        cells: Sequence[int],
        here: Sequence[int],
        segments: Sequence[Segment],
    ) -> list[Statement]:
        """What *cells* say in the place of the rule, which the cells *here* have, a script in
        *segments*."""
        present = [one for cell in cells if (one := values[cell]) is not None]
        if not present:
            if not segments:
                return [Statement(within, f"{key(name)} = none")]
            lines = [f"part {one} = none" for one in part_names(segments)]
            return [Statement(f"script {name}", line) for line in lines]
        first = values[here[0]] if here else None
        if segments and first is not None and all(is_script(name, one) for one in present):
            where = script_text(name, first)[0]
            if all(script_text(name, one)[0] == where for one in present):
                return self._changed_parts(name, cells, segments)
        made = self._statements(within, name, present, cells, cells, values)
        added = [elements_added(name, one) for one in present]
        if here and within == ATTRIBUTES and None not in added:
            return [Statement(within, f"{key(name)} = none"), *made]
        return made

    def _changed_parts(
        self, name: str, cells: Sequence[int], segments: Sequence[Segment]
    ) -> list[Statement]:
        """The parts of a script that are others in *cells*."""
        found: list[Statement] = []
        for number, (part, segment) in enumerate(zip(part_names(segments), segments, strict=True)):
            if cells[0] not in segment.odd:
                continue
            lines = [segment.own.get(cell, []) for cell in cells]
            if not any(lines):
                found.append(Statement(f"script {name}", f"part {part} = none"))
                continue
            written = self._lines(name, lines, cells)
            last = number == len(segments) - 1
            text = part_text(written if last else [*written, ""])
            found.append(Statement(f"script {name}", f"part {part} {text}"))
        return found

    def _lines(
        self, name: str, lines: Sequence[Sequence[str]], cells: Sequence[int]
    ) -> Sequence[str]:
        """The *lines* that each of *cells* has, as they are written."""
        if all(one == lines[0] for one in lines):
            return [
                shown(self.values.templates.pieces(line, IN_RECIPE), in_block) for line in lines[0]
            ]
        texts = ["\n".join(one) for one in lines]
        made = self.values.lines.segments(texts, cells, name_from(name), IN_RECIPE, cells)
        if len(made) > 1:
            raise CannotSay("only some recipes have certain lines of a string")
        return made[0].lines

    def _pin(self, pin: Pin | None) -> str:
        if pin is None:
            return "none"
        name = self.shared.pins.get(pin)
        if name is None:
            found = revision_of(pin)
            wanted = f"at-{found[1][:7]}" if found is not None else "nixpkgs"
            name = self.shared.pins[pin] = self.shared.name(wanted)
        return name

    def _choice(self, name: str, values: Sequence[str], cells: Sequence[int]) -> None:
        """`name = value`, the value being one of a few."""
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
        for value, some in groups.items():
            here = [cell for cell in some if cell not in odd]
            if not here:
                continue
            condition = self.cells.condition(here, rule).code if len(here) < len(rule) else ""
            self.found.append(Statement("", f"{name} = {value}", condition))
        for cell in sorted(odd):
            self.drift.append(Drift((cell,), name, (Statement("", f"{name} = {values[cell]}"),)))


def _is_set(name: str, made: Sequence[Statement]) -> bool:
    """Whether each of the statements *made* sets a whole setting, so that one under a condition
    takes the place of one without."""
    return all(one.text.startswith(f"{key(name)} = ") and not one.condition for one in made)


def _takes_reason(name: str, made: Sequence[Statement]) -> bool:
    """Whether the statements that say a setting are one value, which may say why it is there."""
    return len(made) == 1 and made[0].text.startswith(f"{key(name)} = ")


def is_scratch(package: NixExpr) -> bool:
    """Whether *package* is made by a builder of nothing but settings."""
    return isinstance(package, NixApply) and package.argument == NixAttrs(())


def _by_shape(values: Sequence[NixExpr], cells: Sequence[int]) -> list[list[int]]:
    """*cells* by the shapes of their *values*."""
    groups: dict[object, list[int]] = {}
    for cell, value in zip(cells, values, strict=True):
        groups.setdefault(_shape(value), []).append(cell)
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
