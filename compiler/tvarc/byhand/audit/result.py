"""The result of an audit as data, and the advice for each finding."""

from __future__ import annotations

from enum import Enum

from tvarc.byhand.audit.model import RecipeFacts
from tvarc.light import Final, Mapping, dataclass, field, replace
from tvarc.nix.language.syntax import NOWHERE, Extent
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.text.diagnostics.warning_names import FINDINGS
from tvarc.values.plain import Count

UNKNOWN: Final = "W217"  # parts that are not understood
UNREADABLE: Final = "W206"
_OWNERS: Final = ("W202", "W203", "W204")  # they identify the author of a file
_CONTRADICTS: Final = "W214"
_UNLIKE: Final = "W216"


class About(Enum):
    """The subjects of findings, in the order in which they are printed."""

    ITSELF = "Contradictions in a recipe, or with known facts"
    NEIGHBOURS = "Differences from neighbouring recipes"
    PROGRAM = "Differences from the program"
    READING = "Not read"


def about(code: str) -> About:
    """The subject of findings of *code*. Findings of lints are about facts."""
    if code == _CONTRADICTS or code in _LINTS:
        return About.ITSELF
    if code == _UNLIKE:
        return About.NEIGHBOURS
    return About.READING if code in (UNKNOWN, UNREADABLE) else About.PROGRAM


_LINTS: Final = frozenset(LINTS.values())
_ORDER: Final = tuple(About)


def in_order(one: Finding) -> tuple[int, str, str, int, str]:
    """The place of a finding among others."""
    return (_ORDER.index(about(one.code)), one.code, one.file, one.place.start, one.text)


def settled(one: Finding, facts: RecipeFacts | None) -> Finding:
    """*one* with a place in its own file. If the place is in a file that the recipe imports, a note
    names that file and the line."""
    for other in reversed(facts.followed if facts is not None else ()):
        if one.place.start >= other.start:
            line = other.text.count("\n", 0, one.place.start - other.start) + 1
            return replace(
                one, place=NOWHERE, notes=(*one.notes, f"in `{other.path}`, line {line}")
            )
    return one


def line_of(text: str, place: Extent) -> int:
    """The line of *text*, counted from 1, on which *place* begins; 0 if *place* is not in the
    text."""
    return text.count("\n", 0, place.start) + 1 if 0 < place.start <= len(text) else 0


def named(code: str) -> str:
    """The name of a finding."""
    return FINDINGS.get(code) or next(name for name, other in LINTS.items() if other == code)


class State(Enum):
    """The state of a file in relation to the matrix."""

    CURRENT = "current"  # as tvarc writes it
    STALE = "stale"  # written by tvarc, but the source has changed
    EDITED = "edited"  # written by tvarc, and then edited
    FOREIGN = "not ours"  # in the place of a recipe
    GONE = "no longer in the matrix"  # ours, of no cell
    EXTRA = "extra"  # not by tvarc, without a cell, and similar to the recipes
    UNRELATED = "unrelated"  # not by tvarc, and unrelated to the recipes
    OTHER = "of another program"  # written by tvarc from another source
    RECIPE = "recipe"  # where there is no program
    UNKNOWN = "not understood"  # perhaps a recipe, if there is no program
    UNREADABLE = "unreadable"
    HIDDEN = "hidden"  # another file has the package with its name


_NO_RECIPES: Final = (State.UNRELATED, State.OTHER, State.HIDDEN)


@dataclass(slots=True)
class AuditedFile:
    """A file of the folder. `facts` are those of files that differ from the text of tvarc. A file
    with several packages has one entry for each, and `member` is the name of the package in the
    file."""

    path: str
    package: str
    state: State
    variant: str = ""
    facts: RecipeFacts | None = None
    reason: str = ""
    member: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding: its code, the file (below the folder, empty for none), the place in it, a clause
    for the user, and notes with the evidence. `help` is the advice, if it is not the same for all
    findings of the code."""

    code: str
    file: str
    text: str
    place: Extent = NOWHERE
    notes: tuple[str, ...] = ()
    subject: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """The number of recipes that were read, by how much of them was understood."""

    KEYS = (("in_parts", "in parts"), ("not_at_all", "not at all"))

    whole: Count
    in_parts: Count  # with parts that were not compared
    not_at_all: Count

    @property
    def all(self) -> int:
        return self.whole + self.in_parts + self.not_at_all

    @property
    def judged(self) -> bool:
        """Whether any recipe was read, or there are no recipes."""
        return self.not_at_all == 0 or self.whole + self.in_parts > 0


@dataclass(slots=True)
class Audit:
    """The whole result: files by path, findings by code and file, and the texts of files with
    findings. `unlisted` is the number of folders that cannot be listed. `alone` says that there is
    no program."""

    cells: int = 0
    files: list[AuditedFile] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    unlisted: int = 0
    whole: bool = True
    alone: bool = False

    @property
    def departures(self) -> list[Finding]:
        """The findings that report a difference. All other findings report that something is not
        known."""
        return [one for one in self.findings if one.code != UNKNOWN]

    @property
    def share(self) -> Share:
        """The number of files that may be recipes, and how many of them were read."""
        in_parts = {one.file for one in self.findings if one.code == UNKNOWN}
        known: dict[str, bool] = {}
        for file in self.files:
            if file.state not in _NO_RECIPES:
                known[file.path] = known.get(file.path, False) or _is_read(file)
        read = [path for path, known_at_all in known.items() if known_at_all]
        parts = sum(path in in_parts for path in read)
        return Share(len(read) - parts, parts, len(known) - len(read))

    @property
    def judged(self) -> bool:
        """Whether the audit has a result: a finding, or recipes that were read and have no
        finding."""
        return bool(self.departures) or self.share.judged

    def count(self, state: State) -> int:
        """The number of files with this *state*."""
        return len({file.path for file in self.files if file.state is state})

    def line(self, one: Finding) -> int:
        """The line of a finding in its file, counted from 1; 0 if it has none."""
        return line_of(self.texts.get(one.file, ""), one.place)

    def unlistable(self, faults: Mapping[str, str]) -> None:
        """Report the folders that cannot be listed, with the reasons."""
        self.unlisted = len(faults)
        self.findings += [Finding(UNREADABLE, path or ".", why) for path, why in faults.items()]

    def settle_unreadable(self) -> None:
        """Count each file that cannot be read only as such. A note next to the reason names its
        author."""
        reasons = {one.file: one.text for one in self.findings if one.code == UNREADABLE}
        beside: dict[str, list[str]] = {}
        kept: list[Finding] = []
        for one in self.findings:
            if one.code in _OWNERS and one.file in reasons:
                beside.setdefault(one.file, []).extend((one.text, *one.notes))
            else:
                kept.append(one)
        self.findings = [
            replace(one, notes=(*one.notes, *beside.pop(one.file, ())))
            if one.code == UNREADABLE
            else one
            for one in kept
        ]
        for file in self.files:
            if file.path in reasons:
                file.state, file.reason = State.UNREADABLE, reasons[file.path]


def _is_read(file: AuditedFile) -> bool:
    """Whether any part of *file* was understood: it is equal to the text of tvarc, or its package
    is known."""
    if file.state in (State.UNKNOWN, State.UNREADABLE):
        return False
    return file.facts is None or file.facts.package is not None or bool(file.facts.scratch)


HELP: Final[dict[str, str]] = {
    "W201": "run `tvarc build` to write it",
    "W202": "add a variant for it, or remove it",
    "W203": "move its changes into the .tvar, then run `tvarc build --adopt`, which keeps a copy",
    "W204": "move the change into the .tvar, then run `tvarc build --adopt`, which keeps a copy",
    "W205": "run `tvarc build`",
    "W206": "open the file: the audit reports nothing else about it",
    "W207": "remove one of the two files",
    "W208": "use the pin of the matrix: recipes with one pin have the same dependencies",
    "W209": "add what is missing, or declare an `overlay` for what the matrix does not have",
    "W210": "use the name that the matrix gives it",
    "W211": "remove it, or change what it builds",
    "W212": "start from the package of the matrix",
    "W213": "write it in the .tvar for this cell, with a `because`, or remove it",
    "W214": "correct the one that is wrong",
    "W215": "switch it on, or write in the .tvar why this cell builds without it",
    "W216": "make it like its neighbours, or write in the .tvar why it differs",
    "W217": "compare it yourself, or write it as a plain value",
    "W218": "use the recipe of the matrix, or write in the .tvar that this cell uses another",
}


_ALONE: Final[dict[str, str]] = {
    "W216": "make it like its neighbours, or write in a comment why it differs",
}


def help_for(code: str, own: str, *, alone: bool) -> str:
    """The advice for a finding of *code*. *own* is the advice of its lint. *alone* says that there
    is no program to change."""
    return own or (_ALONE.get(code, "") if alone else "") or HELP.get(code, "")


def gone_help(*, edited: bool, pruned: bool) -> str:
    """The advice for a file of tvarc without a variant; *pruned* says that `build --prune` examines
    its folder."""
    if not pruned:
        return "remove it; `tvarc build --prune` does not, since no output writes to its folder"
    switches = "--prune --force" if edited else "--prune"
    return f"add a variant for it, or run `tvarc build {switches}`, which removes it"
