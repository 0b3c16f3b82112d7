"""Texts that vary along many axes, as templates with placeholders.

Of `"Driver: {{driver}} or newer, for {{gpu.label}} on {{isa.label}}"` a lint looks at the driver
alone. So such a text is decided with placeholders, as for the files, and only those placeholders
are filled that matter to who looks at it.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.assembly.present import NotShareable
from tvarc.assembly.templates import Fillings
from tvarc.blocks import IN_PARTS
from tvarc.elaborate.placeholders import Placeholder, PlaceholderPlan, with_placeholders
from tvarc.elaborate.plan import GroupKey
from tvarc.inspection.parts import Column, Parts, decided_as, narrowed
from tvarc.light import (
    Any,
    Callable,
    Iterable,
    Mapping,
    Sequence,
    cast,
    dataclass,
    replace,
)
from tvarc.lints.placeholders import Reading, as_it_is, may_say
from tvarc.lints.subjects import text_lines
from tvarc.matrix.cells import Projection
from tvarc.source import Span
from tvarc.values import NixText, Value

FEW = 16
"""What has so many combinations is decided for each of them."""

Text = ir.Setting
Matters = Callable[[Text, Mapping[str, str]], Mapping[str, Reading]]
"""Which placeholders of a text matter, and how each is read. It is given, by their characters, all
that may fill them, line by line."""

Tables = dict[str, tuple[Projection, dict[int, str]]]
"""What fills placeholders, by their characters."""

Rows = list[tuple[int, tuple[Any, ...]]]
"""By combinations a key of a template, and what fills placeholders there."""

ReadLine = Callable[[str, Span], object]


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
        own = decided_as(group)
        if new.groups.get(own) is old.groups.get(own):
            return None
        try:
            column = wholes.column(group)
        except NotShareable:
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

    def column(self, group: GroupKey, matters: Matters) -> Column | None:
        """*group* with those placeholders filled that matter; None where that cannot be had."""
        template = self.of(group)
        tables = self._tables(template, matters) if template is not None else None
        if template is None or tables is None:
            return None
        projection, rows = self._rows(template, tables)
        made: dict[tuple[object, ...], object] = {}
        values: dict[int, object] = {}
        for key, row in rows:
            if row not in made:
                place, *words = row
                value = template.column.values[place]
                if isinstance(value, ir.Setting):
                    value = with_texts(value, _filler(tables, words))
                made[row] = value
            values[key] = made[row]
        return Column(projection, values)

    def lines(self, group: GroupKey, matters: Matters, read: ReadLine) -> list[Column] | None:
        """The lines of the texts of *group*, those placeholders filled that matter, a column each:
        what *read* makes of a line and its place, empty where a text has no such line. None where
        that cannot be had, or where the name of the variant is in it.

        A line varies along fewer axes than a text: a description of 237 variants, all of which
        differ, has lines for each GPU and for each CPU. Line by line a build takes a tenth less.
        """
        template = self.of(group)
        if template is None or any(one.expr is None for one in template.placeholders.values()):
            return None
        tables = self._tables(template, matters)
        if tables is None:
            return None
        texts = {
            key: (text_lines(value), value.origin.span)
            for key, value in template.column.values.items()
            if isinstance(value, ir.Setting)
        }
        most = max([len(lines) for lines, _ in texts.values()], default=0)
        found: list[Column] = []
        for index in range(most):
            at = {key: (one[index], span) for key, (one, span) in texts.items() if index < len(one)}
            used = {char for line, _ in at.values() for char in line if char in tables}
            chosen = {char: tables[char] for char in tables if char in used}
            projection, rows = self._rows(template, chosen)
            made: dict[tuple[object, ...], object] = {}
            for row in {row for _, row in rows}:
                place, *words = row
                line = at.get(place)
                made[row] = read(_filler(chosen, words)(line[0]), line[1]) if line else ()
            found.append(Column(projection, {key: made[row] for key, row in rows}))
        return found

    def _tables(self, template: Template, matters: Matters) -> Tables | None:
        """What fills those placeholders of *template* that matter, as it is read; None where that
        cannot be had."""
        words: dict[str, str] = {}
        for char, placeholder in template.placeholders.items():
            found = self.fillings(placeholder)
            if found is None and placeholder.expr is not None:
                return None
            words[char] = "\n".join(found[1].values()) if found is not None else self._names()
        wanted: dict[str, Reading] = {}
        for value in template.column.values.values():
            if isinstance(value, ir.Setting):
                for char, reading in matters(value, words).items():
                    if reading is as_it_is or char not in wanted:
                        wanted[char] = reading
        if any(template.placeholders[char].expr is None for char in wanted):
            return None
        whole = [char for char in wanted if template.placeholders[char].whole]
        if whole and any(
            isinstance(v, ir.Setting) and v.path[0] not in IN_PARTS
            for v in template.column.values.values()
        ):
            return None  # the value is perhaps none that is text
        tables: Tables = {}
        for char in sorted(wanted):
            read = self._read(template.placeholders[char], wanted[char])
            if read is None:
                return None
            tables[char] = read
        return tables

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

    def _rows(self, template: Template, tables: Tables) -> tuple[Projection, Rows]:
        """For each combination that decides them the key of *template* and what fills each
        placeholder of *tables*."""
        axes = set(template.column.projection.axes).union(*[one.axes for one, _ in tables.values()])
        present = self._parts.present
        projection = present.built.projections.on(axes)
        batch = present.batch(projection)
        places = template.column.projection.keys(batch)
        words = [[texts[key] for key in one.keys(batch)] for one, texts in tables.values()]
        return projection, list(
            zip(present.keys(projection), zip(places, *words, strict=True), strict=True)
        )


def _filler(placeholders: Iterable[str], words: Sequence[str]) -> Callable[[str], str]:
    """What puts *words* into the *placeholders* of a text. Nothing that is put in has any."""
    pairs = list(zip(placeholders, words, strict=True))

    def filled(text: str) -> str:
        for char, word in pairs:
            text = text.replace(char, word)
        return text

    return filled


def texts_of(value: object) -> list[str]:
    """Each text in a setting: its value, if that is a text, or the texts of a script."""
    if not isinstance(value, ir.Setting):
        return []
    if value.path[0] in IN_PARTS:
        return [text for part in value.parts for text in _texts(part.text)]
    return _texts(value.value)


def with_texts(value: Text, change: Callable[[str], str]) -> Text:
    """*value* with each of its texts changed."""
    if value.path[0] not in IN_PARTS:
        return replace(value, value=_changed(value.value, change))
    parts = [
        replace(part, text=_changed(part.text, change)) if part.text is not None else part  # type: ignore[arg-type]
        for part in value.parts
    ]
    return replace(value, parts=tuple(parts))


def _changed(value: Value, change: Callable[[str], str]) -> Value:
    if isinstance(value, NixText):
        return NixText(tuple([change(p) if isinstance(p, str) else p for p in value.parts]))
    return change(value) if isinstance(value, str) else value


def _texts(value: object) -> list[str]:
    if isinstance(value, NixText):
        return [part for part in value.parts if isinstance(part, str)]
    return [value] if isinstance(value, str) else []
