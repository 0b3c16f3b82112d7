"""Texts that vary along many axes, as templates with placeholders.

Of `"Driver: {{driver}} or newer, for {{gpu.label}} on {{isa.label}}"` a lint looks at the driver
alone. So such a text is decided with placeholders, as for the files, and only those placeholders
are filled that matter to who looks at it.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.assembly.templates import Fillings
from tvarc.elaborate.placeholders import Placeholder, PlaceholderPlan, with_placeholders
from tvarc.elaborate.plan import GroupKey
from tvarc.inspection.parts import PART, Column, Parts, Unshared, narrowed
from tvarc.light import Callable, Mapping, cast, dataclass, replace
from tvarc.lints.placeholders import Reading, as_it_is, may_say
from tvarc.matrix.cells import Projection
from tvarc.values import NixText, Value

FEW = 16
"""What has so many combinations is decided for each of them."""

Text = ir.Setting | ir.Script
Matters = Callable[[Text, Mapping[str, str]], Mapping[str, Reading]]
"""Which placeholders of a text matter, and how each is read. It is given, by their characters, all
that may fill them, line by line."""


@dataclass(slots=True, eq=False)
class Template:
    """A group decided with placeholders, and the placeholders that it has, by their characters."""

    column: Column
    placeholders: dict[str, Placeholder]


class Templates:
    """The groups of a matrix that have many combinations, decided with placeholders."""

    __slots__ = ("_decided", "_fill", "_fillings", "_known", "_may", "_parts")

    def __init__(self, parts: Parts, *, placeholders: bool) -> None:
        """*placeholders* says that the sources leave the characters of placeholders alone."""
        self._parts = parts
        self._fill = Fillings(parts.elaboration, parts.present)
        self._may = placeholders
        self._decided: tuple[PlaceholderPlan, Parts] | None = None
        self._fillings: dict[str, tuple[Projection, dict[int, str]] | None] = {}
        self._known: dict[GroupKey, Template | None] = {}

    def _is_often(self, axes: frozenset[str]) -> bool:
        return self._parts.present.many(axes) > FEW

    def of(self, group: GroupKey) -> Template | None:
        """*group* with placeholders; None where it has none, or cannot be had with them."""
        if group not in self._known:
            self._known[group] = self._template(group)
        return self._known[group]

    def _with_placeholders(self) -> tuple[PlaceholderPlan, Parts]:
        if self._decided is None:
            parts = self._parts
            plan, reads = parts.plan, parts.elaboration.shared.reads
            templated = PlaceholderPlan(plan, {})
            if self._may:
                templated = with_placeholders(plan, reads, self._is_often, self._fill.refuses)
            self._decided = templated, Parts(parts.elaboration, parts.present, templated.plan)
        return self._decided

    def _template(self, group: GroupKey) -> Template | None:
        templated, wholes = self._with_placeholders()
        old, new = self._parts.plan, templated.plan
        if group[0] in ("script", PART):
            if new.scripts.get(group[1]) is old.scripts.get(group[1]):
                return None
        elif new.groups.get(group) is old.groups.get(group):
            return None
        try:
            column = wholes.column(group)
        except Unshared:
            return None
        used: set[str] = set()
        for value in column.values.values():
            for text in texts_of(value):
                used |= set(text).intersection(templated.placeholders)
        return Template(column, {char: templated.placeholders[char] for char in sorted(used)})

    def fillings(self, placeholder: Placeholder) -> tuple[Projection, dict[int, str]] | None:
        """What fills *placeholder*; None where it is the variant's name, or cannot be had."""
        if placeholder.expr is None:
            return None
        if placeholder.char not in self._fillings:
            self._fillings[placeholder.char] = self._fill.of(placeholder)
        return self._fillings[placeholder.char]

    def column(self, group: GroupKey, matters: Matters, *, names: bool) -> Column | None:
        """*group* with those placeholders filled that matter; None where that cannot be had, and
        without *names* where the name of the variant is in it."""
        template = self.of(group)
        if template is None:
            return None
        if not names and any(
            placeholder.expr is None for placeholder in template.placeholders.values()
        ):
            return None
        words: dict[str, str] = {}
        for char, placeholder in template.placeholders.items():
            found = self.fillings(placeholder)
            if found is None and placeholder.expr is not None:
                return None
            words[char] = "\n".join(found[1].values()) if found is not None else self._names()
        wanted: dict[str, Reading] = {}
        for value in template.column.values.values():
            if isinstance(value, ir.Setting | ir.Script):
                for char, reading in matters(value, words).items():
                    if reading is as_it_is or char not in wanted:
                        wanted[char] = reading
        if any(template.placeholders[char].expr is None for char in wanted):
            return None
        return self.filled(template, wanted)

    def _names(self) -> str:
        """The names of the variants; none where their letters make no word that lints look for."""
        present = self._parts.present
        letters: set[str] = set()
        for part in present.built.parts:
            for text in part.texts(present.batch(part.projection)):
                letters.update(text or "")
        if not may_say(letters):
            return ""
        return "\n".join(["\n".join(names) for _, names in self._parts.present.batches()])

    def _read(
        self, placeholder: Placeholder, reading: Reading
    ) -> tuple[Projection, dict[int, str]] | None:
        """What fills *placeholder* as it is read, by as few axes as that depends on."""
        found = self.fillings(placeholder)
        if found is None or reading is as_it_is:
            return found
        same: dict[str, str] = {}  # equal texts are to be one object
        read = {text: reading(text) for text in dict.fromkeys(found[1].values())}
        read = {text: same.setdefault(one, one) for text, one in read.items()}
        column = Column(found[0], {key: read[text] for key, text in found[1].items()})
        less = narrowed(column, self._parts.present)
        return less.projection, cast("dict[int, str]", less.values)

    def filled(self, template: Template, wanted: Mapping[str, Reading]) -> Column | None:
        """*template* with those placeholders filled that are *wanted*."""
        whole = [char for char in wanted if template.placeholders[char].whole]
        if whole and any(isinstance(v, ir.Setting) for v in template.column.values.values()):
            return None  # the value is perhaps none that is text
        tables = {
            char: self._read(template.placeholders[char], wanted[char]) for char in sorted(wanted)
        }
        axes = set(template.column.projection.axes)
        for found in tables.values():
            if found is None:
                return None
            axes |= set(found[0].axes)
        present = self._parts.present
        projection = present.built.projections.on(axes)
        keys = present.keys(projection)
        batch = present.batch(projection)
        places = template.column.projection.keys(batch)
        columns = {char: (f[1], f[0].keys(batch)) for char, f in tables.items() if f is not None}
        values: dict[int, object] = {}
        made: dict[object, object] = {}
        for index, key in enumerate(keys):
            table = {ord(char): texts[at[index]] for char, (texts, at) in columns.items()}
            same = (places[index], *table.values())
            if same not in made:
                value = template.column.values[places[index]]
                made[same] = (
                    with_texts(value, lambda text, table=table: text.translate(table))  # type: ignore[misc]
                    if isinstance(value, ir.Setting | ir.Script)
                    else value
                )
            values[key] = made[same]
        return Column(projection, values)


def texts_of(value: object) -> list[str]:
    """Each text in a setting: its value, if that is a text, or the texts of a script."""
    if isinstance(value, ir.Script):
        return [text for part in value.parts for text in _texts(part.text)]
    return _texts(value.value) if isinstance(value, ir.Setting) else []


def with_texts(value: Text, change: Callable[[str], str]) -> Text:
    """*value* with each of its texts changed."""
    if isinstance(value, ir.Setting):
        return replace(value, value=_changed(value.value, change))
    parts = [
        replace(part, text=_changed(part.text, change)) if part.text is not None else part  # type: ignore[arg-type]
        for part in value.parts
    ]
    return ir.Script(value.name, tuple(parts))


def _changed(value: Value, change: Callable[[str], str]) -> Value:
    if isinstance(value, NixText):
        return NixText(tuple([change(p) if isinstance(p, str) else p for p in value.parts]))
    return change(value) if isinstance(value, str) else value


def _texts(value: object) -> list[str]:
    if isinstance(value, NixText):
        return [part for part in value.parts if isinstance(part, str)]
    return [value] if isinstance(value, str) else []
