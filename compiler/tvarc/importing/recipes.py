"""The recipes of one matrix as statements: rules, which hold in all cells but a few, and what is
different in those few, by itself."""

from __future__ import annotations

import re
from collections import Counter

from tvarc.importing.alignment import align
from tvarc.importing.comments import reason_of, sign_of
from tvarc.importing.explain import Explaining, Lookups
from tvarc.importing.marks import plain
from tvarc.importing.model import BLOCKS, Overlay, Pin, Recipe
from tvarc.importing.needs import Target, named, names_of, need_code, needed_by
from tvarc.importing.shapes import Shape
from tvarc.importing.templates import Segment, Templates, has_hash, shown
from tvarc.importing.trees import entries_of, names_root, own, text_of
from tvarc.importing.written import (
    IN_CONFIG,
    IN_OVERLAY,
    IN_RECIPE,
    IN_SET,
    CannotSay,
    Roots,
    block,
    braced,
    entry_key,
    filled,
    in_block,
    is_name,
    key,
    name_from,
)
from tvarc.light import Final, Mapping, Sequence, dataclass, field
from tvarc.nix.syntax import (
    TRUE,
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIdent,
    NixList,
    NixSelect,
    NixString,
    elements,
)
from tvarc.values import quote

_SCRIPT: Final = re.compile(r"(?:pre|post)[A-Z]\w*\Z|\w*(?:Phase|Hook)\Z")
_ARCHIVE: Final = re.compile(r"https://github\.com/([^/]+/[^/]+)/archive/([0-9a-f]{40})\.tar\.gz\Z")
PROSE: Final = ("meta.description", "meta.longDescription")
_MOST_KINDS: Final = 8


@dataclass(frozen=True, slots=True)
class Statement:
    """A line or more within a *block* of a recipe, where *condition* holds; no block for what
    stands in the recipe itself. The lines of *comment* stand above it."""

    block: str
    text: str
    condition: str = ""
    comment: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Drift:
    """What is different in one cell: the *setting* by its path, and the statements that say so."""

    cell: int
    setting: str
    statements: tuple[Statement, ...]


@dataclass(slots=True)
class Shared:
    """What the matrices of a program share: pins and overlays by their text, and names; and the
    folder of its *outputs*."""

    taken: set[str]
    outputs: str
    pins: dict[Pin, str] = field(default_factory=dict)
    inputs: dict[tuple[str, str], str] = field(default_factory=dict)
    overlays: dict[tuple[str, tuple[str, ...]], str] = field(default_factory=dict)
    lets: dict[str, str] = field(default_factory=dict)
    lookups: Lookups = field(default_factory=lambda: Lookups(set()))

    def name(self, wanted: str) -> str:
        """A name like *wanted* that nothing else has."""
        base = wanted if is_name(wanted) else f"o-{wanted}"
        name, number = base, 2
        while name in self.taken or name in self.lets:
            name, number = f"{base}-{number}", number + 1
        self.taken.add(name)
        return name


class Statements:
    """Makes the statements of one matrix."""

    __slots__ = (
        "cells",
        "count",
        "drift",
        "found",
        "kept",
        "needs",
        "prose",
        "recipes",
        "scripts",
        "shared",
        "targets",
        "templates",
        "texts",
    )

    def __init__(
        self,
        shape: Shape,
        recipes: Sequence[Recipe],
        shared: Shared,
        texts: Shared | None = None,
        targets: Mapping[str, Target] | None = None,
    ) -> None:
        self.cells = Explaining(shape)
        self.targets = targets or {}
        self.needs = [names_of(needed_by(recipe), self.targets) for recipe in recipes]
        self.recipes = [
            named(recipe, names) if names else recipe
            for recipe, names in zip(recipes, self.needs, strict=True)
        ]
        self.shared = shared
        self.templates = Templates(
            self.cells, shared.lookups, shared.lets, shared.inputs, shared.outputs
        )
        self.count = len(recipes)
        self.texts = texts
        self.found: list[Statement] = []
        self.prose: list[Statement] = []  # what a module of texts says
        self.drift: list[Drift] = []
        self.kept: set[tuple[int, int]] = set()  # lines of comments, by cells and offsets
        self.scripts: dict[tuple[object, ...], list[Segment]] = {}

    def make(self) -> None:
        """Make all statements; raises CannotSay for what cannot be said of these recipes."""
        cells = list(range(self.count))
        pins = [self._pin(recipe.pin) for recipe in self.recipes]
        self._choice("pin", pins, cells)
        self._needed(cells)
        names = dict.fromkeys([name for recipe in self.recipes for name in recipe.settings])
        rows = {name: [recipe.settings.get(name) for recipe in self.recipes] for name in names}
        packages = [recipe.package for recipe in self.recipes]
        if all(is_scratch(package) for package in packages):
            for name in self._from_scratch(packages, rows):
                del rows[name]
            rows = {name: _added_to_none(name, values) for name, values in rows.items()}
        else:
            self._setting("", "package", packages)
        self._overlays()
        order = {one: number for number, one in enumerate(BLOCKS)}
        for name in sorted(rows, key=lambda name: order[name.partition(".")[0]]):
            within, _, rest = name.partition(".")
            if name in PROSE and self.texts is not None:
                self._in_module(within, rest, rows[name], self.texts)
            else:
                self._setting(within, rest, rows[name])

    def _in_module(
        self, within: str, name: str, values: Sequence[NixExpr | None], texts: Shared
    ) -> None:
        """Write a setting into the module of texts."""
        count = len(self.found)
        self.templates.lookups, self.templates.lets = texts.lookups, texts.lets
        try:
            self._setting(within, name, values)
        finally:
            self.templates.lookups, self.templates.lets = self.shared.lookups, self.shared.lets
        self.prose += self.found[count:]
        del self.found[count:]

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
            if len(there) < self.count or within not in ("attrs", "env", "passthru", "meta"):
                continue
            if self.texts is not None and name in PROSE:
                continue
            if any(names_root(one, "@old") for one in there) or self._odd(
                within, rest, values, cells
            ):
                continue
            lookups, lets = self.templates.lookups.copy(), dict(self.shared.lets)
            try:
                said[name] = self.templates.value(there, cells, name_from(rest), IN_RECIPE)
            except CannotSay:
                self.shared.lookups.columns = lookups.columns
                self.shared.lookups.plain = lookups.plain
                self.shared.lets.clear()
                self.shared.lets.update(lets)
        builders = [one.function for one in packages if isinstance(one, NixApply)]
        called = self.templates.value(builders, cells, "builder", IN_RECIPE)
        given: list[str] = []
        for within in ("attrs", "env", "passthru", "meta"):
            parts = {
                name.partition(".")[2]: code
                for name, code in said.items()
                if name.startswith(f"{within}.")
            }
            inner = [f"{entry_key(name)} = {code}" for name, code in parts.items()]
            if within == "attrs":
                given += inner
            elif inner:
                given.append(f"{within} = {{\n" + "\n".join(inner) + "\n}")
        rows_of = "{\n" + "\n".join(given) + "\n}" if given else "{}"
        self.found.append(Statement("", f"package = call({called}, {rows_of})"))
        return list(said)

    # --- one setting ---------------------------------------------------------------------------

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
            comment = self._comment(name, here)
            reason = reason_of(comment) if _takes_reason(name, made) else ""
            for statement in made:
                joint = _both(condition, statement.condition)
                text = statement.text + _because(reason)
                self.found.append(
                    Statement(statement.block, text, joint, () if reason else comment)
                )
                comment = ()
        path = f"{within}.{name}" if within else name
        for cell in sorted(odd):
            statements = self._override(within, name, values, cell, rule, odd)
            if statements:
                self.drift.append(Drift(cell, path, tuple(statements)))

    def _comment(self, name: str, cells: Sequence[int]) -> tuple[str, ...]:
        """The comment that most of *cells* have before the setting *name*; it is kept."""
        names = [name] * len(cells)
        lines = self._usual(names, cells)
        self._keep(lines, names, cells)
        return lines

    def _why(self, name: str, cells: Sequence[int]) -> str:
        """Why a setting is as it is, as most of *cells* say before it."""
        return self._usual_reason([name] * len(cells), cells)

    def _why_in(self, within: str, nodes: Sequence[NixExpr], cells: Sequence[int]) -> str:
        """Why an element of the list *within* is there, as most of *cells* say before it."""
        names = [
            self.recipes[cell].comments.of_element(within, sign_of(node))
            for cell, node in zip(cells, nodes, strict=True)
        ]
        return self._usual_reason(names, cells)

    def _usual_reason(self, names: Sequence[str], cells: Sequence[int]) -> str:
        """The reason that most of *cells* give under *names*."""
        lines = self._usual(names, cells)
        reason = reason_of(lines)
        if reason:
            self._keep(lines, names, cells)
        return reason

    def _usual(self, names: Sequence[str], cells: Sequence[int]) -> tuple[str, ...]:
        """The lines that most of *cells* have under *names*."""
        rows = [
            self.recipes[cell].comments.texts(name) if name else ()
            for cell, name in zip(cells, names, strict=True)
        ]
        lines, count = Counter(rows).most_common(1)[0]
        return lines if 2 * count > len(rows) else ()

    def _keep(self, lines: Sequence[str], names: Sequence[str], cells: Sequence[int]) -> None:
        """Take down that *lines* are kept, wherever they stand."""
        if self.cells.lenient or not lines:
            return
        for cell, name in zip(cells, names, strict=True):
            comments = self.recipes[cell].comments
            if name and comments.texts(name) == lines:
                self.kept.update([(cell, offset) for offset, _ in comments.before[name]])

    def _odd(
        self, within: str, name: str, values: Sequence[NixExpr | None], cells: Sequence[int]
    ) -> set[int]:
        """The few cells in which a setting is not as its rule has it; none where they are many."""
        here = [cell for cell in cells if values[cell] is not None]
        odd = self.templates.missing(here, cells) if len(here) < len(cells) else set()
        rest = [cell for cell in here if cell not in odd]
        if len({values[cell] for cell in rest}) > 1:
            odd |= self._trial(within, name, values, rest)
        if len(odd) > 2 * self.cells.few:
            return set()
        return odd

    def _trial(
        self, within: str, name: str, values: Sequence[NixExpr | None], cells: Sequence[int]
    ) -> set[int]:
        """The exceptions to the rule that would be found."""
        templates = self.templates
        lookups, lets = templates.lookups, templates.lets
        templates.lookups, templates.lets = lookups.empty(), {}
        templates.odd, self.cells.lenient = set(), True
        present = [one for cell in cells if (one := values[cell]) is not None]
        try:
            self._statements(within, name, present, cells, cells, values)
            odd = set(templates.odd)
        except CannotSay:
            odd = self._odd_one_out(present, cells)
        finally:
            templates.lookups, templates.lets = lookups, lets
            templates.odd, self.cells.lenient = set(), False
        return odd

    def _odd_one_out(self, values: Sequence[NixExpr], cells: Sequence[int]) -> set[int]:
        """The cells whose value has another shape than all others."""
        groups: dict[object, list[int]] = {}
        for cell, value in zip(cells, values, strict=True):
            groups.setdefault(_shape(value), []).append(cell)
        if len(groups) < 2:
            return set()
        usual = max(groups.values(), key=len)
        in_usual = set(usual)
        others = [cell for cell in cells if cell not in in_usual]
        return self.templates.missing(others, cells) if len(others) <= self.cells.few else set()

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
        found: list[Statement] = []
        at = dict(zip(cells, values, strict=True))
        for some in groups.values():
            condition = self.cells.condition(some, cells).code
            inner = self._statements(
                within, name, [at[cell] for cell in some], some, some, all_values
            )
            found += [
                Statement(one.block, one.text, _both(condition, one.condition)) for one in inner
            ]
        return found

    def _direct(
        self,
        within: str,
        name: str,
        values: Sequence[NixExpr],
        cells: Sequence[int],
        beside: Sequence[int],
        all_values: Sequence[NixExpr | None],
    ) -> list[Statement]:
        roots = IN_CONFIG if within == "config" else IN_RECIPE
        hint = name_from(name)
        is_empty = all(text_of(value) == "" for value in values)
        if within == "attrs" and not is_empty and all(_is_script(name, one) for one in values):
            segments = self._script(name, all_values, cells, beside, roots)
            return _script_statements(name, values[0], segments, self._holds(cells))
        if all(isinstance(value, NixString) for value in values) and _has_lines(values):
            return self._text(within, name, values, cells, roots)
        added = [_added(name, value) for value in values]
        if within == "attrs" and all(one is not None for one in added):
            return self._added(name, [one or () for one in added], cells, roots)
        code = self.templates.value(values, cells, hint, roots)
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
        texts = self.templates.flat(written, cells)
        segments = self.templates.segments(texts, cells, name_from(name), roots, cells)
        if len(segments) == 1:
            return [Statement(within, f"{key(name)} = {block(segments[0].lines)}")]
        parts = _parts(segments, self._holds(cells))
        inner = "\n".join(parts)
        return [Statement(within, f"{key(name)} {{\n{inner}\n}}")]

    def _holds(self, cells: Sequence[int]) -> _Conditions:
        return _Conditions(self.cells, tuple(cells))

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
            before, inner = _script_text(name, node)
            if cell in ruled:
                kinds.add(before)
            written.append(inner)
        if len(kinds) > 1:
            raise CannotSay(f"`{name}` adds to the package's own in some recipes only")
        texts = self.templates.flat(written, present)
        found = self.templates.segments(texts, present, name_from(name), roots, cells)
        if not self.cells.lenient:
            self.scripts[key] = found
        return found

    def _added(
        self,
        name: str,
        values: Sequence[tuple[NixExpr, ...]],
        cells: Sequence[int],
        roots: Roots,
    ) -> list[Statement]:
        """`name += [ … ]`, elements that stand in some cells only under their condition."""
        distinct = list(dict.fromkeys(values))
        place = {value: number for number, value in enumerate(distinct)}
        row_of = {cell: place[value] for cell, value in zip(cells, values, strict=True)}
        twice = {
            sign
            for value in distinct
            for sign, count in Counter(map(sign_of, value)).items()
            if count > 1
        }
        runs: list[tuple[tuple[tuple[int, ...], str], list[str]]] = []
        for column in align(distinct, self.templates.alike):
            here = tuple([cell for cell in cells if row_of[cell] in column])
            if self.cells.lenient and len(here) < len(cells):
                odd = self.templates.missing(here, cells)
                self.templates.odd |= odd
            nodes = [column[row_of[cell]] for cell in here]
            code = self.templates.value(nodes, here, name_from(name), roots)
            reason = self._why_in(name, nodes, here) if not twice & {*map(sign_of, nodes)} else ""
            sort = (here, reason)
            if runs and runs[-1][0] == sort:
                runs[-1][1].append(code)
            else:
                runs.append((sort, [code]))
        found: list[Statement] = []
        for (here, reason), codes in runs:
            condition = ""
            if len(here) < len(cells):
                condition = self.cells.condition(here, cells).code
            line = f"{key(name)} += [{', '.join(codes)}]{_because(reason)}"
            # Conditions stand within the block: additions apply in the order in which they stand.
            text = "\n".join(braced(f"when {condition}", [line])) if condition else line
            found.append(Statement("attrs", text))
        return found

    # --- what is different ---------------------------------------------------------------------

    def _override(
        self,
        within: str,
        name: str,
        values: Sequence[NixExpr | None],
        cell: int,
        rule: Sequence[int],
        odd: set[int],
    ) -> list[Statement]:
        """What one cell says in the place of the rule."""
        value = values[cell]
        alone = [cell]
        here = [one for one in rule if values[one] is not None]
        script = within == "attrs" and bool(here) and _is_script(name, values[here[0]])
        if value is None:
            if not script:
                return [Statement(within, f"{key(name)} = none")]
            segments = self._script(name, values, here, sorted({*here, *odd}), IN_RECIPE)
            lines = [f"part {one} = none" for one in _part_names(segments)]
            return [Statement(f"script {name}", line) for line in lines]
        if script and here and _is_script(name, value):
            first = values[here[0]]
            assert first is not None
            if _script_text(name, first)[0] == _script_text(name, value)[0]:
                return self._changed_parts(name, values, here, sorted({*here, *odd}), cell)
        made = self._statements(within, name, [value], alone, alone, values)
        added = _added(name, value)
        if here and added is not None and within == "attrs":
            return [Statement(within, f"{key(name)} = none"), *made]
        return made

    def _changed_parts(
        self,
        name: str,
        values: Sequence[NixExpr | None],
        here: Sequence[int],
        beside: Sequence[int],
        cell: int,
    ) -> list[Statement]:
        """The parts of a script that are others in *cell*."""
        templates = self.templates
        segments = self._script(name, values, here, beside, IN_RECIPE)
        names = _part_names(segments)
        found: list[Statement] = []
        for number, (part, segment) in enumerate(zip(names, segments, strict=True)):
            lines = segment.own.get(cell, [])
            last = number == len(segments) - 1
            if cell not in segment.odd:
                continue
            if not lines:
                found.append(Statement(f"script {name}", f"part {part} = none"))
                continue
            written = [shown(templates.pieces(line, IN_RECIPE), in_block) for line in lines]
            text = block(written if last else [*written, ""])
            found.append(Statement(f"script {name}", f"part {part} {text}"))
        return found

    # --- pins and overlays ---------------------------------------------------------------------

    def _pin(self, pin: Pin | None) -> str:
        if pin is None:
            return "none"
        name = self.shared.pins.get(pin)
        if name is None:
            found = _ARCHIVE.match(pin.url)
            wanted = f"at-{found[2][:7]}" if found is not None else "nixpkgs"
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
                odd |= self.templates.missing(some, cells)
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
            self.drift.append(Drift(cell, name, (Statement("", f"{name} = {values[cell]}"),)))

    def _overlays(self) -> None:
        cells = list(range(self.count))
        lists: list[list[tuple[object, ...]]] = []
        for recipe in self.recipes:
            seen: dict[tuple[object, ...], int] = {}
            names: list[tuple[object, ...]] = []
            for one in recipe.overlays:
                kind: tuple[object, ...] = (
                    one.value is None, one.set, one.name, one.via, one.until,
                )  # fmt: skip
                seen[kind] = seen.get(kind, 0) + 1
                names.append((*kind, seen[kind]))
            lists.append(names)
        if not any(lists):
            return
        made: dict[tuple[object, ...], dict[int, str]] = {}
        for each in dict.fromkeys([one for names in lists for one in names]):
            here = [cell for cell in cells if each in lists[cell]]
            overlays = [self.recipes[cell].overlays[lists[cell].index(each)] for cell in here]
            made[each] = self._declared(overlays, here)
        values = [filled([made[one][cell] for one in lists[cell]]) for cell in cells]
        self._choice("overlays", values, cells)

    def _declared(self, overlays: Sequence[Overlay], cells: Sequence[int]) -> dict[int, str]:
        """The names of the overlays that are *overlays* in *cells*: one that reads axes, or one
        each where that cannot be."""
        found: dict[int, str] = {}
        odd = self._odd_overlays(overlays, cells) if len(set(overlays)) > 1 else set()
        rule = [cell for cell in cells if cell not in odd]
        at = dict(zip(cells, overlays, strict=True))
        if len({at[cell] for cell in rule}) > 1:
            try:
                name = self._declare([at[cell] for cell in rule], rule)
                found = dict.fromkeys(rule, name)
            except CannotSay:
                pass
        for one in dict.fromkeys([at[cell] for cell in cells if cell not in found]):
            here = [cell for cell in cells if cell not in found and at[cell] == one]
            name = self._declare([one], here[:1])
            found.update(dict.fromkeys(here, name))
        return found

    def _odd_overlays(self, overlays: Sequence[Overlay], cells: Sequence[int]) -> set[int]:
        """The few cells in which an overlay does something else."""
        templates, shared = self.templates, self.shared
        lookups, lets = templates.lookups, templates.lets
        kept = (dict(shared.overlays), set(shared.taken))
        templates.lookups, templates.lets = lookups.empty(), {}
        templates.odd, self.cells.lenient = set(), True
        try:
            self._declare(overlays, cells)
            odd = set(templates.odd)
        except CannotSay:
            usual = Counter(overlays).most_common(1)[0][0]
            others = [cell for cell, one in zip(cells, overlays, strict=True) if one != usual]
            odd = templates.missing(others, cells)
        finally:
            templates.lookups, templates.lets = lookups, lets
            templates.odd, self.cells.lenient = set(), False
            shared.overlays = kept[0]
            shared.taken.intersection_update(kept[1])
        return odd if len(odd) <= self.cells.few else set()

    def _declare(self, overlays: Sequence[Overlay], cells: Sequence[int]) -> str:
        first = overlays[0]
        roots = IN_SET if first.set else IN_OVERLAY
        if first.value is not None:
            values = [one.value for one in overlays if one.value is not None]
            code = self.templates.value(values, cells, name_from(first.name), roots)
            head = (f" in {first.set}" if first.set else "") + _until(first)
            reason = _because(self._why(first.name, cells))
            rows = [f"{key(first.name)} = {code}"]
            return self._named("overlay", first.name, head + reason, rows)
        target = ".".join([key(one) for one in (first.set, first.name) if one]) + _until(first)
        target += _because(self._why(first.name, cells))
        patch = _patch(first) if len(set(overlays)) == 1 else None
        if patch is not None:
            return self._named("patch", first.name, f" for {target}", patch)
        names = [tuple([name for name, _ in one.changes]) for one in overlays]
        if len(set(names)) > 1:
            raise CannotSay("an overlay changes other attributes in other recipes")
        rows = [f"via = {first.via}"] if first.via else []
        blocks: dict[str, list[str]] = {}
        for number, path in enumerate(names[0]):
            within, _, name = path.partition(".")
            values = [one.changes[number][1] for one in overlays]
            for statement in self._change(within, name, values, cells, roots):
                blocks.setdefault(statement.block, []).append(statement.text)
        for within, lines in blocks.items():
            rows += lines if within in ("", "attrs") else braced(within, lines)
        return self._named("overlay", first.name, f" for {target}", rows)

    def _change(
        self,
        within: str,
        name: str,
        values: Sequence[NixExpr],
        cells: Sequence[int],
        roots: Roots,
    ) -> list[Statement]:
        is_empty = all(text_of(value) == "" for value in values)
        if within == "attrs" and not is_empty and all(_is_script(name, one) for one in values):
            written = [_script_text(name, value)[1] for value in values]
            texts = self.templates.flat(written, cells)
            if len({_script_text(name, value)[0] for value in values}) > 1:
                raise CannotSay(f"`{name}` adds to the package's own in some recipes only")
            segments = self.templates.segments(texts, cells, name_from(name), roots, cells)
            return _script_statements(name, values[0], segments, self._holds(cells))
        added = [_added(name, value) for value in values]
        if within == "attrs" and None not in added:
            return self._added(name, [one or () for one in added], cells, roots)
        code = self.templates.value(values, cells, name_from(name), roots)
        return [Statement(within, f"{key(name)} = {code}")]

    def _named(self, word: str, name: str, head: str, rows: Sequence[str]) -> str:
        made = (f"{word} {{}}{head}", tuple(rows))
        found = self.shared.overlays.get(made)
        if found is None:
            found = self.shared.overlays[made] = self.shared.name(name_from(name))
        return found


@dataclass(frozen=True, slots=True)
class _Conditions:
    """Says in which of its cells something is."""

    cells: Explaining
    every: tuple[int, ...]

    def of(self, some: Sequence[int]) -> str:
        """The condition of the cells *some*; empty for all of them."""
        if len(some) == len(self.every):
            return ""
        return self.cells.condition(some, self.every).code


def _both(left: str, right: str) -> str:
    if not left or not right:
        return left or right
    return " and ".join([f"({one})" if " or " in one else one for one in (left, right)])


def _until(overlay: Overlay) -> str:
    """Which version makes *overlay* superfluous."""
    return f" until {overlay.until[0]} >= {overlay.until[1]}" if overlay.until else ""


def _because(reason: str) -> str:
    return f" because {quote(reason)}" if reason else ""


def _takes_reason(name: str, made: Sequence[Statement]) -> bool:
    """Whether the statements that say a setting are one value, which may say why it is there."""
    return len(made) == 1 and made[0].text.startswith(f"{key(name)} = ")


def _has_lines(values: Sequence[NixExpr]) -> bool:
    return any(
        isinstance(part, str) and "\n" in part
        for value in values
        if isinstance(value, NixString)
        for part in value.parts
    )


def _is_script(name: str, value: NixExpr | None) -> bool:
    """Whether *value* is a script: one by its name, or a text of lines that is added to the
    package's own."""
    if not isinstance(value, NixString):
        return False
    if _SCRIPT.match(name):
        return True
    ends = [part for part in (value.parts[0], value.parts[-1]) if not isinstance(part, str)]
    return any(own(part) == name for part in ends) and _has_lines([value])


def _script_text(name: str, value: NixExpr) -> tuple[str, NixString]:
    """Where a script has the package's own, `before` or `after` its text, or nowhere; and that
    text."""
    assert isinstance(value, NixString)
    first, last = value.parts[0], value.parts[-1]
    if not isinstance(first, str) and own(first) == name:
        return "before", NixString(value.parts[1:] or ("",))
    if not isinstance(last, str) and own(last) == name:
        return "after", NixString(value.parts[:-1] or ("",))
    return "", value


def is_scratch(package: NixExpr) -> bool:
    """Whether *package* is made by a builder of nothing but settings."""
    return isinstance(package, NixApply) and package.argument == NixAttrs(())


def _added_to_none(name: str, values: Sequence[NixExpr | None]) -> list[NixExpr | None]:
    """Lists of a derivation that has none before as what is added to it, so that elements may stand
    in some cells only. An empty one is set, as to add nothing would not be to have it."""
    within, _, rest = name.partition(".")
    before = NixSelect(NixIdent("@old"), (rest,))
    return [
        NixBinary("++", before, one)
        if isinstance(one, NixList) and one.items and within == "attrs"
        else one
        for one in values
    ]


def _added(name: str, value: NixExpr) -> tuple[NixExpr, ...] | None:
    """The elements that *value* adds to the package's own."""
    match value:
        case NixBinary("++", left, NixList() as items) if own(left) == name:
            return tuple(elements(items))
        case _:
            return None


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
        case NixApply(function, NixAttrs() as given):
            return ("called", function, tuple([name for name, _ in entries_of(given)]))
        case _:
            return value


def _script_statements(
    name: str, first: NixExpr, segments: Sequence[Segment], conditions: _Conditions
) -> list[Statement]:
    where = _script_text(name, first)[0]
    parts = _parts(segments, conditions, before=where == "after")
    if not where:
        parts.insert(0, "part old = none")
    return [Statement(f"script {name}", one) for one in parts]


def _parts(
    segments: Sequence[Segment], conditions: _Conditions, *, before: bool = False
) -> list[str]:
    """The parts of a text, one of each segment."""
    found: list[str] = []
    names = _part_names(segments)
    for number, (name, segment) in enumerate(zip(names, segments, strict=True)):
        last = number == len(segments) - 1
        condition = conditions.of(segment.cells)
        if last and condition and segment.lines[-1:] != ("",):
            raise CannotSay("the last line of a text is there in some recipes only")
        lines = segment.lines if last else (*segment.lines, "")
        if lines == ("",) and last and number:
            continue
        head = f"part {name} before old" if before else f"part {name}"
        text = f"{head} {block(lines)}"
        found.append(f"when {condition} {{\n{text}\n}}" if condition else text)
    return found


def _part_names(segments: Sequence[Segment]) -> list[str]:
    found: list[str] = []
    for segment in segments:
        name = _part_name(segment.lines)
        base, number = name, 2
        while name in found:
            name, number = f"{base}-{number}", number + 1
        found.append(name)
    return found


_LABELS: Final = (
    re.compile(r"#+ *([A-Za-z].*)"),
    re.compile(r"export (\w+)"),
    re.compile(r'echo "([A-Za-z][\w ]*)'),
    re.compile(r"(\w+)"),
)


def _part_name(lines: Sequence[str]) -> str:
    """A name for the part that *lines* are, of its first line that has words."""
    for line in lines:
        for pattern in _LABELS:
            found = pattern.match(line.strip())
            if found is not None:
                words = re.sub(r"[^a-z0-9]+", "-", found[1].lower()).strip("-").split("-")[:3]
                name = "-".join(words)
                return name if is_name(name) and name not in ("old", "text") else f"p-{name}"
    return "text"


def _patch(overlay: Overlay) -> list[str] | None:
    """The fields of `patch`, where all that an overlay does is to add one."""
    match overlay.changes:
        case (("attrs.patches", NixBinary("++", left, NixList((NixApply() as call,)))),):
            pass
        case _:
            return None
    if own(left) != "patches" or overlay.via:
        return None
    match call:
        case NixApply(NixSelect(NixIdent(), ("fetchpatch",), None), NixAttrs() as given):
            pass
        case _:
            return None
    fields = dict(entries_of(given))
    if not has_hash(fields):
        return None
    rows: list[str] = []
    for name, value in fields.items():
        text = text_of(value)
        if name == "revert" and value == TRUE:
            rows.append("revert = true")
            continue
        if text is None or name not in ("name", "url", "hash"):
            return None
        rows.append(f"{name} = {quote(plain(text))}")
    return rows
