"""What an audit found, as data, and what to do about each finding."""

from __future__ import annotations

from enum import Enum

from tvarc.byhand.audit.model import RecipeFacts
from tvarc.light import Final, Mapping, dataclass, field, replace
from tvarc.nix.language.syntax import NOWHERE, Extent
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.text.diagnostics.warning_names import FINDINGS
from tvarc.values.plain import Count

UNKNOWN: Final = "W217"  # what is not understood
UNREADABLE: Final = "W206"
_OWNERS: Final = ("W202", "W203", "W204")  # they tell whose a file is
_CONTRADICTS: Final = "W214"
_UNLIKE: Final = "W216"


class About(Enum):
    """What findings are about, in the order in which they are printed."""

    ITSELF = "Contradictions in a recipe, or with known facts"
    NEIGHBOURS = "Differences from neighbouring recipes"
    PROGRAM = "Differences from the program"
    READING = "Not read"


def about(code: str) -> About:
    """What findings of *code* are about; those of lints are about facts."""
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
    """*one* with a place in its own file; a note tells where in one that is followed it stands."""
    for other in reversed(facts.followed if facts is not None else ()):
        if one.place.start >= other.start:
            line = other.text.count("\n", 0, one.place.start - other.start) + 1
            return replace(
                one, place=NOWHERE, notes=(*one.notes, f"in `{other.path}`, line {line}")
            )
    return one


def line_of(text: str, place: Extent) -> int:
    """The line of *text*, from 1 on, where *place* begins; 0 for a place that is not in it."""
    return text.count("\n", 0, place.start) + 1 if 0 < place.start <= len(text) else 0


def named(code: str) -> str:
    """The name of a finding."""
    return FINDINGS.get(code) or next(name for name, other in LINTS.items() if other == code)


class State(Enum):
    """What a file is to the matrix."""

    CURRENT = "current"  # as tvarc writes it
    STALE = "stale"  # ours, and the source says something else now
    EDITED = "edited"  # ours, and changed by hand since
    FOREIGN = "not ours"  # in the place of a recipe
    GONE = "no longer in the matrix"  # ours, of no cell
    EXTRA = "extra"  # not ours, of no cell, and akin to the recipes
    UNRELATED = "unrelated"  # not ours, and nothing to do with the recipes
    OTHER = "of another program"  # made by tvarc from another source
    RECIPE = "recipe"  # where there is no program
    UNKNOWN = "not understood"  # perhaps a recipe, where there is no program
    UNREADABLE = "unreadable"
    HIDDEN = "hidden"  # another file is the package of its name


_NO_RECIPES: Final = (State.UNRELATED, State.OTHER, State.HIDDEN)


@dataclass(slots=True)
class AuditedFile:
    """A file of the folder. `facts` are those of files that are not as tvarc writes them. Of a file
    with several packages there is one for each, and `member` is what it is called there."""

    path: str
    package: str
    state: State
    variant: str = ""
    facts: RecipeFacts | None = None
    reason: str = ""
    member: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is out of line: its code, the file (below the folder, empty for none), the
    place in it, a clause that says what, and notes with what speaks for it. `help` says what to do
    where that is not the same for all of its code."""

    code: str
    file: str
    text: str
    place: Extent = NOWHERE
    notes: tuple[str, ...] = ()
    subject: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """How many recipes were read, and how."""

    KEYS = (("in_parts", "in parts"), ("not_at_all", "not at all"))

    whole: Count
    in_parts: Count  # so that something of them was compared with nothing
    not_at_all: Count

    @property
    def all(self) -> int:
        return self.whole + self.in_parts + self.not_at_all

    @property
    def judged(self) -> bool:
        """Whether anything was read, where there are recipes at all."""
        return self.not_at_all == 0 or self.whole + self.in_parts > 0


@dataclass(slots=True)
class Audit:
    """All that was found: files by path, findings by code and file, texts of the files that
    findings point into. `unlisted` counts the folders that cannot be listed. It is `alone` where
    there is no program."""

    cells: int = 0
    files: list[AuditedFile] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    unlisted: int = 0
    whole: bool = True
    alone: bool = False

    @property
    def departures(self) -> list[Finding]:
        """The findings that say that something is out of line; all others say that it is not known
        whether it is."""
        return [one for one in self.findings if one.code != UNKNOWN]

    @property
    def share(self) -> Share:
        """How many of the files that may be recipes were read."""
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
        """Whether there is anything that the audit tells: a finding, or that what it read is in
        line."""
        return bool(self.departures) or self.share.judged

    def count(self, state: State) -> int:
        """How many files there are of that *state*."""
        return len({file.path for file in self.files if file.state is state})

    def line(self, one: Finding) -> int:
        """The line of a finding in its file, from 1 on; 0 for one without a line."""
        return line_of(self.texts.get(one.file, ""), one.place)

    def unlistable(self, faults: Mapping[str, str]) -> None:
        """Tell of the folders that cannot be listed, and why."""
        self.unlisted = len(faults)
        self.findings += [Finding(UNREADABLE, path or ".", why) for path, why in faults.items()]

    def settle_unreadable(self) -> None:
        """Count each file that cannot be read as that and as nothing else. Whose it is, is a note
        beside the reason."""
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
    """Whether anything of *file* was understood: as tvarc writes it, or by its package."""
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
    """What to do about a finding of *code*, of which *own* is what its lint says; *alone* there is
    no program to change."""
    return own or (_ALONE.get(code, "") if alone else "") or HELP.get(code, "")


def gone_help(*, edited: bool, pruned: bool) -> str:
    """What to do about a file of tvarc that no variant has; *pruned* if `build --prune` looks at
    its folder."""
    if not pruned:
        return "remove it; `tvarc build --prune` does not, since no output writes to its folder"
    switches = "--prune --force" if edited else "--prune"
    return f"add a variant for it, or run `tvarc build {switches}`, which removes it"
