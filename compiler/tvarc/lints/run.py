"""Run the lints over variants, and report each cause once."""

from __future__ import annotations

from operator import attrgetter

from tvarc import ir
from tvarc.diagnostics.model import Diagnostic, Label, Severity, Sink
from tvarc.diagnostics.warning_names import LINTS
from tvarc.light import Collection, Final, Iterator, dataclass, field
from tvarc.lints.facts import Facts, Rows
from tvarc.lints.model import Finding, Lint
from tvarc.lints.rules import RULES
from tvarc.lints.subjects import SUBJECTS, Remembered, Subject, Subjects, SubjectsOf
from tvarc.lints.variants import Builds, NumberOf
from tvarc.source import Span

LISTED: Final = 6
SAME_BUILD: Final = "same-build"
NIX_MARK: Final = "nix-mark-in-text"
OTHER_MARK: Final = "other-mark-in-text"
FOREIGN_VALUE: Final = "value-not-in-axis"
_SAME_WHAT: Final = "two variants are the same build under two names"

# What a lint found in one variant.
Found = tuple[tuple[Lint, Finding], ...]


@dataclass(slots=True)
class Cause:
    """One place that a lint speaks of: what it found there first, the cases with the first
    variant of each, and how many variants it is about."""

    what: str
    finding: Finding
    count: int = 0
    variants: list[str] = field(default_factory=list)
    cases: dict[str, str] = field(default_factory=dict)
    more: bool = False
    last: str = ""  # the variant that was counted last

    def add(self, finding: Finding, variant: str) -> None:
        # Two cases of one variant count once: its findings come one after the other.
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


class Lints:
    """The lints of one program, over as many variants as it has. What they keep does not grow
    with variants, but for 20 bytes and the name of each."""

    __slots__ = (
        "builds", "causes", "facts", "groups", "known", "number_of", "off", "silenced", "subjects",
        "texts",
    )  # fmt: skip

    def __init__(self, rows: Rows, off: Collection[str]) -> None:
        self.facts = Facts(rows)
        self.off = frozenset(off)
        self.silenced: set[str] = set()
        self.causes: dict[tuple[str, Span, str], Cause] = {}
        self.subjects = SubjectsOf()
        self.groups = _groups()
        self.known: Remembered[Found] = Remembered()
        self.number_of = NumberOf()
        self.builds = Builds()
        self.texts: list[Diagnostic] = []

    def look(self, recipe: ir.Recipe) -> None:
        """Look at one variant; `finish` comes after the last of them."""
        self.look_alone(recipe)
        self.compare(recipe)

    def look_alone(self, recipe: ir.Recipe) -> None:
        """Look at one variant as if there were no other."""
        subjects = self.subjects(recipe)
        for lint, finding in self.findings(subjects):
            self.note(lint.name, lint.what, finding, recipe.variant)

    def compare(self, recipe: ir.Recipe) -> int:
        """Hold one variant against the others, in `finish`: whether they are one build. Gives
        the number that tells."""
        number = self.number_of(recipe)
        self.builds.add(recipe, number)
        return number

    def findings(self, subjects: Subjects) -> Found:
        """What all lints find in variants with these *subjects*."""
        objects = _ALL(subjects)
        key = tuple(map(id, objects))
        known = self.known.get(key)
        if known is None:
            done = self.silenced
            found = [one for group in self.groups for one in group(subjects, self.facts, done)]
            known = self.known.put(key, objects, tuple(found))
        return known

    def note(self, name: str, what: str, finding: Finding, variant: str) -> None:
        cause = self.cause(name, what, finding)
        if cause is not None:
            cause.add(finding, variant)

    def cause(self, name: str, what: str, finding: Finding) -> Cause | None:
        """The cause that *finding* belongs to; None after noting that it is switched off."""
        if name in self.off:
            self.silenced.add(name)
            return None
        fault = finding.what or what  # one text may be wrong in two ways
        cause = self.causes.get((name, finding.span, fault))
        if cause is None:
            cause = self.causes[name, finding.span, fault] = Cause(fault, finding)
        return cause

    def kept(self, found: Found) -> Found:
        """*found* without what lints found that are off: that they find anything is all that is
        asked of them, and noted."""
        if not found:
            return found
        names = {lint.name for lint, _ in found}
        if names.isdisjoint(self.off):
            return found
        self.silenced |= names & self.off
        return tuple([one for one in found if one[0].name not in self.off])

    def note_text(self, span: Span, what: str, help: str, *, other: bool) -> None:
        """Note a mark at *span*, which stands in a text of the program: of Nix, or of an *other*
        language; *what* becomes of it."""
        self.note_written(
            OTHER_MARK if other else NIX_MARK,
            span,
            what,
            "plain text here",
            "in a text, only `{{…}}` inserts a value; the rest reaches the build unchanged",
            help,
        )

    def note_written(
        self, name: str, span: Span, what: str, label: str, note: str, help: str
    ) -> None:
        """Note what the lint *name* finds in what is written, whatever variants there are."""
        if name in self.off:
            self.silenced.add(name)
            return
        self.texts.append(
            Diagnostic(
                LINTS[name],
                f"{name}: {what}",
                (Label(span, label, True),),
                (note,),
                f'{help}; or `warn {name} = off because "…"`',
                Severity.WARNING,
                name,
            )
        )

    def finish(self) -> None:
        """Look at the variants as a whole: from now on `silenced` is complete."""
        for name, finding in self.doubles():
            self.note(SAME_BUILD, _SAME_WHAT, finding, name)

    def doubles(self) -> Iterator[tuple[str, Finding]]:
        """The variants, of those that were compared, that are an earlier one's build."""
        for same in self.builds.doubles():
            other = (same.first_span, f"makes {same.first}")
            yield (
                same.name,
                Finding(
                    same.span,
                    f"makes {same.name}",
                    f"it differs from {same.first} only in its name",
                    "change what one of the two builds, or remove one",
                    (other,) if same.first_span != same.span else (),
                    _SAME_WHAT,
                ),
            )

    def report(self, sink: Sink) -> None:
        """Tell all that was found, each cause once."""
        for diagnostic in self.texts:
            sink.add(diagnostic)
        for (name, _, _), cause in self.causes.items():
            sink.add(_diagnostic(name, cause))


_ALL = attrgetter(*SUBJECTS)


class Group:
    """Lints that read the same subjects: they are run once for each combination of these."""

    __slots__ = ("known", "lints", "reads", "take")

    def __init__(self, reads: tuple[Subject, ...]) -> None:
        self.reads = reads
        self.take = attrgetter(*reads)
        self.lints: list[Lint] = []
        self.known: Remembered[Found] = Remembered()

    def __call__(self, subjects: Subjects, facts: Facts, silenced: Collection[str]) -> Found:
        """What they find. Of lints that are off nothing more is asked than whether they find
        anything at all."""
        taken = self.take(subjects)
        objects = taken if isinstance(taken, tuple) else (taken,)
        key = tuple(map(id, objects))
        known = self.known.get(key)
        if known is None:
            known = self.known.put(key, objects, self.look(subjects, facts, silenced))
        return known

    def look(self, subjects: Subjects, facts: Facts, silenced: Collection[str]) -> Found:
        """As the call, and nothing is remembered."""
        return tuple(
            [
                (lint, one)
                for lint in self.lints
                if lint.name not in silenced
                for one in lint.look(subjects, facts)
            ]
        )


def _groups() -> tuple[Group, ...]:
    groups: dict[tuple[str, ...], Group] = {}
    for lint in RULES:
        group = groups.get(lint.reads)
        if group is None:
            group = groups[lint.reads] = Group(lint.reads)
        group.lints.append(lint)
    return tuple(groups.values())


def _diagnostic(name: str, cause: Cause) -> Diagnostic:
    finding, count = cause.finding, cause.count
    listed = ", ".join(cause.variants) + (" …" if count > LISTED else "")
    several = len(cause.cases) > 1
    cases = [f"in {first}: {case}" if several else case for case, first in cause.cases.items()]
    if cause.more:
        cases.append("and more like these")
    return Diagnostic(
        LINTS[name],
        f"{name}: {cause.what}",
        (
            Label(finding.span, finding.label, True),
            *(Label(span, text) for span, text in finding.others),
        ),
        (f"for {count} variant{'s' if count > 1 else ''}: {listed}", *cases),
        f'{finding.help}; or `warn {name} = off because "…"`',
        Severity.WARNING,
        name,
    )
