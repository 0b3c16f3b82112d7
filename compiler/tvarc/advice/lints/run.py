"""Run the lints over variants, and report each cause once."""

from __future__ import annotations

from tvarc.advice.lints.facts import Facts
from tvarc.advice.lints.flags import forget_settings
from tvarc.advice.lints.model import (
    FACTS,
    LINE,
    Equal,
    Finding,
    Line,
    Lint,
    Objects,
    Remembered,
    Subject,
    VariantLint,
    things_read,
)
from tvarc.advice.lints.registry import SUBJECTS
from tvarc.advice.lints.subjects import lines
from tvarc.advice.lints.variants import Builds, NumberOf, same_build
from tvarc.advice.lints.written import silence
from tvarc.light import Any, Collection, Final, Sequence, dataclass, field
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Diagnostic, Label, Severity, Sink
from tvarc.text.source import Span

LISTED: Final = 6
"""The greatest number of variants, and of cases, that a message names."""

Found = tuple[tuple[VariantLint, Finding], ...]
"""What lints found in one variant."""


@dataclass(slots=True)
class Cause:
    """The findings of a lint at one place: the first finding, the cases with the first variant of
    each, and the number of variants.
    """

    lint: Lint[Any]
    what: str
    finding: Finding
    count: int = 0
    variants: list[str] = field(default_factory=list)
    cases: dict[str, str] = field(default_factory=dict)
    more: bool = False
    last: str = ""  # the variant that was counted last

    def add(self, finding: Finding, variant: str) -> None:
        # Two cases of one variant count once, because its findings come one after the other.
        if not self.variants or self.last != variant:
            self.count += 1
            self.last = variant
            if len(self.variants) < LISTED:
                self.variants.append(variant)
        if finding.case not in self.cases:
            self.add_case(finding.case, variant)

    def add_case(self, case: str, variant: str) -> None:
        """Note a new case and the first variant of it."""
        if len(self.cases) < LISTED:
            self.cases[case] = variant
        else:
            self.more = True


class Reader:
    """Computes the subjects of recipes. Recipes with the same inputs share a subject."""

    __slots__ = ("_accepted", "_equal", "_known", "facts")

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._equal = Equal()
        self._known: dict[str, Remembered[tuple[object]]] = {}
        self._accepted: dict[tuple[str, str, int], tuple[object, bool]] = {}

    def computed(self, one: Subject, arguments: Sequence[object]) -> object:
        """The value of *one*, computed from the recipe or from other subjects. Equal values are one
        object."""
        made = one.make(*arguments)
        return self._equal.one(made) if one.compared else made

    def of_recipe(self, one: Subject, recipe: ir.Recipe) -> object:
        """The value of *one*, computed from the settings of *recipe*."""
        objects = [each for read in one.reads for each in things_read(recipe, read)]
        objects += [each.value for each in recipe.axes if self._accepts(one, each)]
        objects.append(recipe.matrix_span)
        return self._once(one, tuple(map(_identity, objects)), tuple(objects), (recipe,))

    def of_subjects(self, one: Subject, arguments: tuple[object, ...]) -> object:
        """The value of *one*, computed from *arguments*."""
        return self._once(one, tuple(map(id, arguments)), arguments, arguments)

    def _once(
        self, one: Subject, key: Objects, objects: Objects, arguments: Objects
    ) -> object:
        """The value of *one*, computed from *arguments* once for each *key*, the identities of
        *objects*."""
        kept = self._known.get(one.name)
        if kept is None:
            kept = self._known[one.name] = Remembered()
        known = kept.get(key)
        if known is None:
            known = kept.put(key, objects, (self.computed(one, arguments),))
        return known[0]

    def _accepts(self, one: Subject, value: ir.AxisValue) -> bool:
        if one.axes is None:
            return False
        key = (one.name, value.axis, id(value.value))
        known = self._accepted.get(key)  # axes have few values
        if known is None:
            known = self._accepted[key] = (value.value, one.axes(value.axis, value.value))
        return known[1]


def _identity(thing: object) -> object:
    """The identity of a part of a recipe. A pin and an overlay may be a new object in each variant,
    so their parts identify them.
    """
    match thing:
        case ir.Pin():
            texts = (thing.name, thing.url, thing.path, thing.hash, thing.release, thing.date)
            return (*texts, thing.age)
        case ir.Overlay():
            parts = (*thing.changes.settings, *thing.patch)
            return (thing.declared, thing.relation, thing.target, thing.via, *map(id, parts))
        case ir.Need():
            built = thing.built
            of_built = (id(built.package), id(built.version)) if built is not None else ()
            return (thing.name, id(thing.setting), *of_built)
        case _:
            return id(thing)


class Subjects:
    """The subjects of one variant, each computed when the first lint reads it."""

    __slots__ = ("_known", "_reader", "_recipe", "lines")

    def __init__(self, reader: Reader, recipe: ir.Recipe) -> None:
        self._reader = reader
        self._recipe = recipe
        self._known: dict[str, object] = {FACTS: reader.facts}
        self.lines: tuple[Line, ...] = tuple(lines(recipe))

    def __getitem__(self, name: str) -> object:
        if name not in self._known:
            one = SUBJECTS[name]
            self._known[name] = (
                self._reader.of_recipe(one, self._recipe)
                if one.reads
                else self._reader.of_subjects(one, tuple([self[each] for each in one.subjects]))
            )
        return self._known[name]


class Looking:
    """Runs lints on variants, each once for each tuple of its reads."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: Remembered[tuple[Finding, ...]] = Remembered()

    def at(self, one: VariantLint, subjects: Subjects) -> tuple[Finding, ...]:
        """The findings of the lint *one* on the variant of *subjects*."""
        if LINE in one.reads:
            found: list[Finding] = []
            for line in subjects.lines:
                found += one.look(*[line if n == LINE else subjects[n] for n in one.reads])
            return tuple(found)
        read = tuple([subjects[name] for name in one.reads])
        key = (one.name, *map(id, read))
        known = self._known.get(key)
        return self._known.put(key, read, tuple(one.look(*read))) if known is None else known


class Lints:
    """The lints of one program, over all its variants. Their memory does not grow with variants,
    except for 20 bytes and the name of each.
    """

    __slots__ = (
        "builds",
        "causes",
        "facts",
        "number_of",
        "off",
        "reader",
        "silenced",
        "texts",
    )

    def __init__(self, facts: Facts, off: Collection[str]) -> None:
        """*off* are the names of the lints that the program silences."""
        forget_settings()
        self.facts = facts
        self.off = frozenset(off)
        self.silenced: set[str] = set()
        self.causes: dict[tuple[str, Span, str], Cause] = {}
        self.reader = Reader(self.facts)
        self.number_of = NumberOf()
        self.builds = Builds()
        self.texts: list[Diagnostic] = []

    def compare(self, recipe: ir.Recipe) -> int:
        """Note one variant for `finish`, which finds variants that are the same build. Returns the
        number that identifies its build."""
        number = self.number_of(recipe)
        self.builds.add(recipe, number)
        return number

    def note(self, one: Lint[Any], finding: Finding, variant: str) -> None:
        """Note the findings of the lint *one* in *variant*."""
        cause = self.cause(one, finding)
        if cause is not None:
            cause.add(finding, variant)

    def cause(self, one: Lint[Any], finding: Finding) -> Cause | None:
        """The cause to which *finding* belongs; None if the lint is silenced, which is noted."""
        if self.is_off(one.name):
            return None
        fault = finding.what or one.what  # one text may have two faults
        key = (one.name, finding.span, fault)
        cause = self.causes.get(key)
        if cause is None:
            cause = self.causes[key] = Cause(one, fault, finding)
        return cause

    def is_off(self, name: str) -> bool:
        """Whether the lint *name*, which found something, is silenced; notes that it occurs."""
        if name in self.off:
            self.silenced.add(name)
        return name in self.off

    def note_written(self, found: Diagnostic) -> None:
        """Note the findings of a lint on the sources, which do not depend on variants."""
        if not self.is_off(found.name):
            self.texts.append(found)

    def finish(self) -> None:
        """Compare the variants with each other: from now on `silenced` is complete."""
        for name, finding in same_build.look(self.builds):
            self.note(same_build, finding, name)

    def report(self, sink: Sink) -> None:
        """Report all that was found, each cause once. After an error, possible consequences are
        left out: findings at its place, and variants that are the same build."""
        errors = sink.places_of_errors()
        causes = [one for one in self.causes.values() if not errors or one.lint is not same_build]
        for one in (*self.texts, *map(_diagnostic, causes)):
            if not any(place.meets(label.span) for place in errors for label in one.labels):
                sink.add(one)


def _diagnostic(cause: Cause) -> Diagnostic:
    finding, count, name = cause.finding, cause.count, cause.lint.name
    listed = ", ".join(cause.variants) + (" …" if count > LISTED else "")
    several = len(cause.cases) > 1
    cases = [f"in {first}: {case}" if several else case for case, first in cause.cases.items()]
    if cause.more:
        cases.append("and more like these")
    return Diagnostic(
        cause.lint.code,
        f"{name}: {cause.what}",
        (
            Label(finding.span, finding.label, True),
            *(Label(span, text) for span, text in finding.others),
        ),
        (f"for {count} variant{'s' if count > 1 else ''}: {listed}", *cases),
        f"{finding.help}; {silence(name)}",
        Severity.WARNING,
        name,
    )
