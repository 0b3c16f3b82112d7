"""Audits a folder, with a program or without: the state of each file, its settings, and its
differences."""

from __future__ import annotations

import re
from collections.abc import Hashable

from tvarc.byhand.audit.compare import Expected, agreed, differences, not_understood, signature
from tvarc.byhand.audit.judge import Judge, contradictions
from tvarc.byhand.audit.model import Pin, RecipeFacts
from tvarc.byhand.audit.names import Cell, Names, Reading, Siblings
from tvarc.byhand.audit.neighbours import (
    ABSENT,
    MATRIX,
    Departure,
    Neighbour,
    departures,
    neighbour,
)
from tvarc.byhand.audit.read import Pythons, is_package, read_facts, read_packages
from tvarc.byhand.audit.result import (
    Audit,
    AuditedFile,
    Finding,
    State,
    gone_help,
    in_order,
    settled,
)
from tvarc.byhand.reading.files import Folder
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.digest import sha256
from tvarc.doing import Doing, each
from tvarc.files.inventory import Inventory, NixFile
from tvarc.files.output.header import (
    Conflict,
    Ownership,
    conflict_of,
    inspect,
    is_of_tvarc,
    is_sealed,
    made_from,
)
from tvarc.light import Callable, Final, Iterator, Protocol, Sequence, TypeVar, replace
from tvarc.nix.language.reader import NotNix
from tvarc.nix.language.syntax import NOWHERE, Extent

# The greatest number of cells that are compared to find what all cells with the axis values of a
# file have in common.
_MOST_ASKED: Final = 8
MOST_READ: Final = 2_000
"""The greatest number of files of tvarc that are read, to find how other files differ from them."""
_ASIDE: Final = "apart from names, comments and printed text"
MOST_COMPARED: Final = 2_000  # recipes with each other
MOST_KEPT: Final = 2_000
"""Cells whose facts are cached."""
# The subjects of departures that the comparison with the matrix has not reported.
_CODES: Final = {"pin": "W208", "package": "W212", "pname": "W210", "switched off": "W215"}

T = TypeVar("T")


class Matrix(Protocol):
    """The content of the matrix for a cell."""

    def text(self, cell: Cell) -> str:
        """The text that tvarc would write for *cell*."""

    def overlays(self, cell: Cell) -> dict[str, str]:
        """The names of overlays of *cell*, by what they change."""

    def python(self, pin: Pin) -> str:
        """The version of `python3` at *pin*, such as `3.13`; empty if it is not known."""

    def prunes(self, path: str) -> bool:
        """Whether `build --prune` examines the file *path* in the audited folder."""

    def why_not(self, package: str) -> str:
        """The command that explains the excluded cell in a name; empty for none."""


class _Run:
    """One audit, with a program or without. Files are read one after another. A file that cannot be
    judged is a finding, and does not end the audit."""

    def __init__(self, found: Inventory, files: Folder, judge: Judge, *, alone: bool) -> None:
        self.audit = Audit(whole=found.whole, alone=alone)
        self._found = found
        self._files = files
        self._lints = judge
        self._parser: RecipeParser | None = None

    def _find(
        self,
        code: str,
        file: str,
        text: str,
        place: Extent = NOWHERE,
        notes: tuple[str, ...] = (),
        subject: str = "",
        help: str = "",
    ) -> None:
        self.audit.findings.append(Finding(code, file, text, place, notes, subject, help))

    def _unreadable(self, audited: AuditedFile, fault: str) -> None:
        audited.state, audited.reason = State.UNREADABLE, fault
        self._find("W206", audited.path, fault)

    def _read(self, path: str, text: str, make: Callable[[RecipeParser], T]) -> T | None:
        """The result of *make* for *text*; None if *text* cannot be read. This is reported if it is
        the text of a file, which then has a *path*."""
        if path:
            self.audit.texts[path] = text
        try:
            self._parser = self._parser or RecipeParser()
            return make(self._parser)
        except NotNix as fault:
            if path:
                self._find("W206", path, fault.reason, Extent(fault.offset, fault.offset))
        except Exception as fault:  # one file never ends the audit of all others
            if path:
                del self.audit.texts[path]
                self.audit.findings.append(_our_fault(path, fault))
        return None

    def _settle(self) -> None:
        """Report files that could not be read, and sort the findings."""
        self.audit.unlistable(self._found.faults)
        self.audit.settle_unreadable()
        self.audit.findings.sort(key=in_order)


class Examination(_Run):
    """One audit. Call `add` for every cell with the text that tvarc would write, then `finish`.
    *source* is the name of the program in the heads of recipes.
    """

    def __init__(
        self,
        found: Inventory,
        files: Folder,
        source: str,
        matrix: Matrix,
        judge: Judge,
        siblings: Siblings,
    ) -> None:
        super().__init__(found, files, judge, alone=False)
        self._siblings = siblings
        self._matrix = matrix
        self._said: dict[str, RecipeFacts | None] = {}  # by cells, by their variants
        self._source = source
        self._here = {file.name: file for file in found.files}
        self._cells: list[Cell] = []
        self._expected: dict[str, Expected] = {}
        self._by_path: dict[str, Cell] = {}
        self._names = Names(())

    # --- what each file is --------------------------------------------------------------------

    def add(self, cell: Cell, text: str) -> None:
        """Add one cell of the matrix, and the *text* of its recipe."""
        self._cells.append(cell)
        self.audit.cells += 1
        file = self._here.get(cell.package)
        if file is None:
            self._find("W201", cell.path, f"`{cell.variant}` has no file")
            return
        self._by_path[file.path] = cell
        present, fault = self._files.text(file.path)
        audited = AuditedFile(file.path, file.name, State.CURRENT, cell.variant)
        self.audit.files.append(audited)
        if fault:
            self._unreadable(audited, fault)
            return
        if present == text:
            return
        owner = inspect(present)
        place = f"it is in the place of the recipe of `{cell.variant}`"
        differs = differing(audited, owner, place)
        if owner is Ownership.OURS:
            self.audit.findings.append(differs)
            return
        conflict = conflict_of(present.encode("utf-8", "surrogateescape"))
        if conflict is not None and conflict.is_of_recipe:
            self._after_merge(audited, conflict)
            return
        audited.facts = self._facts(file.path, present)
        self.audit.findings.append(replace(differs, notes=_not_followed(audited.facts)))
        expected = self._facts("", text, file.path) if audited.facts is not None else None
        if expected is not None:
            overlays = self._matrix.overlays(cell)
            self._expected[file.path] = Expected(expected, overlays=overlays)

    def _after_merge(self, audited: AuditedFile, conflict: Conflict) -> None:
        """Note a recipe of tvarc in which a merge has left *conflict*, so that it is not valid
        Nix."""
        words = "it contains merge conflicts"
        files, path = self._files, audited.path
        if is_of_tvarc(conflict, files.versions(path), lambda name: files.knows(path, name)):
            audited.state = State.STALE
            self._find("W205", audited.path, f"{words}; `tvarc build` writes it again")
        else:
            audited.state = State.EDITED
            self._find("W204", audited.path, f"{words}, and one side was perhaps edited by hand")

    def finish(self) -> Audit:
        """Read the files without a cell, compare all files with each other, and return the
        audit."""
        self._names = Names(self._cells)
        found = self._found.files
        for file in each("reading", found, len(found), "files"):
            if file.path not in self._by_path:
                self._other(file)
        for path, winner in sorted(self._found.hidden.items()):
            package = winner.rpartition("/")[0].replace("/", ".")
            self.audit.files.append(AuditedFile(path, package, State.HIDDEN, reason=winner))
            self._find("W207", path, f"`{winner}` defines the package of this name")
        self._judge()
        self._settle()
        self.audit.files.sort(key=lambda file: file.path)
        facts = {file.path: file.facts for file in self.audit.files}
        self.audit.findings = [settled(one, facts.get(one.file)) for one in self.audit.findings]
        self.audit.findings.sort(key=in_order)
        return self.audit

    def _other(self, file: NixFile) -> None:
        """Examine a file without a cell."""
        audited = AuditedFile(file.path, file.name, State.UNRELATED)
        self.audit.files.append(audited)
        reading = self._names.read(file.name)
        present, fault = self._files.text(file.path)
        if fault:
            if reading.values:
                self._unreadable(audited, fault)
            return
        ownership, data = inspect(present), present.encode("utf-8", "surrogateescape")
        conflict = conflict_of(data) if ownership is not Ownership.OURS else None
        if conflict is not None and conflict.is_of_recipe:
            ownership = Ownership.EDITED
            data = next(side for side in conflict.sides if is_sealed(side))
        if ownership is not Ownership.FOREIGN:
            made = made_from(data)
            if made and made != self._source:
                audited.state, audited.reason = State.OTHER, made
                return
            audited.state = State.GONE
            edited = ownership is Ownership.EDITED
            edit = ", someone edited it" if edited else ""
            words = f"tvarc wrote it{edit}, and no variant has it now"
            help = gone_help(edited=edited, pruned=self._matrix.prunes(file.path))
            notes = self._excluded(file.name)
            self._find("W202", file.path, words, notes=notes, help=help)
        elif reading.values:
            audited.state = State.EXTRA
            audited.facts = self._facts(file.path, present)
            notes = (*_off_pattern(reading), *self._excluded(file.name))
            notes += _not_followed(audited.facts)
            self._find("W202", file.path, "no variant has this file", notes=notes)
            if audited.facts is not None and reading.cells:
                self._as_neighbours(file.path, reading.cells)

    def _excluded(self, package: str) -> tuple[str, ...]:
        command = self._matrix.why_not(package)
        return (f"the matrix excludes this cell: `{command}` shows why",) if command else ()

    def _as_neighbours(self, path: str, cells: Sequence[Cell]) -> None:
        """Expect of a file without a cell the common settings of all cells with its axis values."""
        facts = [one for one in map(self._facts_of, cells[:_MOST_ASKED]) if one is not None]
        if facts:
            names = self._matrix.overlays(cells[0])
            self._expected[path] = replace(agreed(facts), overlays=names)

    def _facts_of(self, cell: Cell) -> RecipeFacts | None:
        """The settings of the matrix for *cell*."""
        if cell.variant not in self._said:
            if len(self._said) >= MOST_KEPT:
                self._said.clear()
            self._said[cell.variant] = self._facts("", self._matrix.text(cell), cell.path)
        return self._said[cell.variant]

    # --- what they say ------------------------------------------------------------------------

    def _facts(self, path: str, text: str, at: str = "") -> RecipeFacts | None:
        """The settings in *text*, the file *path* of the folder; None if they are not known. A text
        without a file has only a place *at* a path, from which it imports."""
        python, imported, siblings = self._matrix.python, self._files.imported, self._siblings
        return self._read(
            path,
            text,
            lambda parser: read_facts(parser, text, python, path or at, imported, siblings),
        )

    def _judge(self) -> None:
        read = [file for file in self.audit.files if file.facts is not None]
        if not read:
            return
        apart: dict[str, list[Departure]] = {}
        with Doing("comparing recipes with each other"):
            neighbours, signatures, usual_off = self._neighbourhood()
            for one in departures(neighbours, frozenset(file.path for file in read)):
                apart.setdefault(one.path, []).append(one)
        for file in each("checking", read, len(read), "recipes"):
            try:
                self._judge_one(file, apart.get(file.path, []), usual_off)
            except Exception as fault:
                self.audit.findings.append(_our_fault(file.path, fault))
        self._copies(read, signatures)

    def _judge_one(
        self, file: AuditedFile, apart: list[Departure], usual_off: frozenset[str]
    ) -> None:
        facts, expected = file.facts, self._expected.get(file.path)
        assert facts is not None
        self._compare(file, facts, apart, expected)
        self._switched_off(file, facts, usual_off, expected)
        cell = self._by_path.get(file.path)
        rows = cell.rows if cell is not None else self._names.rows(file.package)
        for text, place in contradictions(facts, rows):
            self._find("W214", file.path, text, place)
        name = file.package.rpartition(".")[2]
        text = self.audit.texts.get(file.path, "")
        # If the matrix has the same setting, its own lints report it.
        known = self._lints.known(expected.facts, name) if expected is not None else frozenset()
        self.audit.findings += [
            one
            for one in self._lints.findings(facts, file.path, name, text)
            if (one.subject, one.text) not in known
        ]

    def _neighbourhood(
        self,
    ) -> tuple[list[Neighbour], dict[bytes, list[str]], frozenset[str]]:
        """All readable recipes as neighbours, the recipes that are the same build, and the parts
        that recipes of tvarc switch off."""
        neighbours: list[Neighbour] = []
        signatures: dict[bytes, list[str]] = {}
        same: dict[tuple[Hashable, str], tuple[Hashable, str]] = {}
        off: set[str] = set()
        sample = self._sample()
        for file in self.audit.files:
            facts = file.facts
            if facts is None and file.path in sample:
                text, fault = self._files.text(file.path)
                facts = self._facts("", text, file.path) if not fault else None
                if facts is not None and file.state is State.CURRENT:
                    off |= facts.off
            if facts is None:
                continue
            cell = self._by_path.get(file.path)
            reading = self._names.read(file.package)
            nearest = cell or next(iter(reading.cells), None)
            values = dict(cell.values if cell is not None else reading.values)
            if nearest is not None:
                values[MATRIX] = nearest.matrix
            neighbours.append(neighbour(file.path, facts, file.package, values, same))
            key = signature(facts)
            if key is not None:
                digest = sha256(repr(key).encode("utf-8", "surrogatepass")).digest()
                signatures.setdefault(digest, []).append(file.path)
        for path in self._expected.keys() & self._by_path.keys():
            off |= self._expected[path].facts.off
        return neighbours, signatures, frozenset(off)

    def _sample(self) -> set[str]:
        """The files of tvarc that are read as neighbours: all of them. If there are very many,
        these are the files most similar to the examined ones, and an even sample of the others."""
        ours = [
            file.path
            for file in self.audit.files
            if file.facts is None and file.state in (State.CURRENT, State.STALE)
        ]
        if len(ours) <= MOST_READ:
            return set(ours)
        nearest: set[str] = set()
        for file in self.audit.files:
            if file.facts is not None:
                cells = self._names.read(file.package).cells[:_MOST_ASKED]
                nearest.update(cell.path for cell in cells)
            if len(nearest) >= MOST_READ:
                break
        step = len(ours) / MOST_READ
        evenly = {ours[int(number * step)] for number in range(MOST_READ)}
        return evenly | nearest.intersection(ours)

    # --- departures ------------------------------------------------------------------

    def _compare(
        self,
        file: AuditedFile,
        facts: RecipeFacts,
        departures: list[Departure],
        expected: Expected | None,
    ) -> None:
        left = {one.subject: one for one in departures}
        if expected is not None:
            for other in differences(expected, facts, self._siblings):
                subject = "pname" if other.path == "attrs.pname" else other.path
                apart = left.pop(subject, None)
                for path in other.also:
                    left.pop(path, None)
                notes = (_counted(apart),) if apart is not None else ()
                self._find(other.code, file.path, other.text, other.place, notes, other.path)
        for gap in not_understood(expected, facts):
            self._find(gap.code, file.path, gap.text, gap.place, subject=gap.path)
        for one in left.values():
            if one.subject == "switched off" or _settled(one.subject, expected):
                continue
            code = _CODES.get(one.subject, "W216")
            self.audit.findings.append(departed(one, facts, code))

    def _switched_off(
        self,
        file: AuditedFile,
        facts: RecipeFacts,
        usual: frozenset[str],
        expected: Expected | None,
    ) -> None:
        if expected is not None:
            usual = expected.facts.off
        told: dict[str, list[tuple[str, Extent]]] = {}
        for switch in facts.switches:
            if switch.part not in usual:
                told.setdefault(switch.part, []).append((switch.how, switch.place))
        for part, ways in told.items():
            how = ", ".join(dict.fromkeys(way for way, _ in ways))
            text = f"switches {part.upper()} off: {how}"
            self._find("W215", file.path, text, ways[0][1], subject=part)

    def _copies(self, read: list[AuditedFile], signatures: dict[bytes, list[str]]) -> None:
        """Report files without a variant that have the same build as another file. A file in the
        place of a variant is left out: it or the other file differs from the matrix, which is
        reported elsewhere."""
        states = {file.path: file.state for file in self.audit.files}
        asked = {file.path for file in read}

        def rank(path: str) -> tuple[bool, bool, str]:
            return path not in self._by_path, states[path] is not State.CURRENT, path

        for paths in signatures.values():
            first, *copies = sorted(paths, key=rank)
            for path in copies:
                if path in asked and path not in self._by_path:
                    self._find("W211", path, f"it builds the same as `{first}`, {_ASIDE}")


def differing(audited: AuditedFile, owner: Ownership, place: str) -> Finding:
    """The finding about a file of *owner* that differs from the text that tvarc would write. It
    sets the state of the file. *place* says whose place a foreign file has."""
    match owner:
        case Ownership.OURS:
            audited.state, code = State.STALE, "W205"
            words = "it does not match the program any more"
        case Ownership.EDITED:
            audited.state, code = State.EDITED, "W204"
            words = "it was edited by hand after tvarc wrote it"
        case Ownership.FOREIGN:
            audited.state, code, words = State.FOREIGN, "W203", place
    return Finding(code, audited.path, words)


def _our_fault(path: str, fault: Exception) -> Finding:
    """Report that tvarc failed on the file *path*, so that nothing else is known about it."""
    words = f"tvarc failed on this file ({type(fault).__name__}): please report this bug"
    return Finding("W206", path, words)


def departed(one: Departure, facts: RecipeFacts, code: str) -> Finding:
    """The finding about a departure from neighbours, which names the majority."""
    subject = f"`{one.subject}`" if "." in one.subject else one.subject
    place = facts.place("attrs.pname" if one.subject == "pname" else one.subject)
    if one.subject == "pin" and facts.pin is not None:
        place = facts.pin.place
    text = f"{subject}: {one.have}"
    if one.subject == "pname":
        text = f"is named `{facts.pname}`"
    return Finding(code, one.path, text, place, (_counted(one),), one.subject)


def _settled(subject: str, expected: Expected | None) -> bool:
    """Whether the matrix itself decides *subject* for a recipe."""
    if expected is None:
        return False
    return expected.named if subject == "pname" else subject not in expected.varying


def _counted(one: Departure) -> str:
    among = f" {one.group}" if one.group else ""
    usual = one.usual if one.have != ABSENT or one.subject == "switched off" else "it"
    return f"{one.agreeing} of {one.others} recipes{among} have {usual}"


def _not_followed(facts: RecipeFacts | None) -> tuple[str, ...]:
    """The function or file that makes the package of a recipe, if the audit does not read it."""
    if facts is None or not facts.elsewhere:
        return ()
    made = facts.elsewhere
    shown = made if len(made) <= 60 else f"{made[:58]} …"
    return (f"`{shown}` makes the package, and the audit does not look into that",)


def _off_pattern(reading: Reading) -> tuple[str, ...]:
    """The words of a name that no variant has."""
    if not reading.words:
        return ()
    named = ", ".join(f"`{word}`" for word in reading.words)
    return (f"no variant has {named} in its name",)


# The axis values in the names of files, by axis.
_AXES: Final = {
    "python": re.compile(r"py(?:thon)?3\d+"),
    "cuda": re.compile(r"cuda\d+(?:_\d+)?|cpu|rocm\w*"),
    "gpu": re.compile(r"sm_?\d+[af]?|gfx\w+"),
    "isa": re.compile(r"avx\w*|armv\w+|x86_64_v\d|amx\w*|sve\w*|neoverse\w*"),
}


def examine_alone(found: Inventory, files: Folder, judge: Judge, pythons: Pythons) -> Audit:
    """The audit of the recipes in *found*. Files that others import are parts of these."""
    return _Alone(found, files, judge, alone=True).run(pythons)


class _Alone(_Run):
    """An audit of a folder by itself."""

    def run(self, pythons: Pythons) -> Audit:
        audit, files = self.audit, self._found.files
        imported: set[str] = set()
        for file in each("reading", files, len(files), "files"):
            for one in self._packages(file, pythons):
                audit.files.append(one)
                if one.state is State.RECIPE and one.facts is not None:
                    imported.update([other.path for other in one.facts.followed])
        audit.files = list(_settled_parts(audit.files, imported))
        read = [one for one in audit.files if one.facts is not None]
        told: set[str] = set()
        for audited in each("checking", read, len(read), "recipes"):
            text = audit.texts[audited.path] if audited.path not in told else ""
            told.add(audited.path)
            audit.findings += [_placed(one, audited) for one in self._judged(text, audited)]
        audit.findings += _departing([one for one in read if one.state is State.RECIPE])
        for audited in read:
            if audited.state is State.UNKNOWN:
                audited.facts = None  # these only say that it is not understood
        self._settle()
        return audit

    def _packages(self, file: NixFile, pythons: Pythons) -> Iterator[AuditedFile]:
        """The packages of a file; the file itself if it has no packages or cannot be read."""
        text, fault = self._files.text(file.path)
        if fault:
            audited = AuditedFile(file.path, file.name, State.UNRELATED)
            self._unreadable(audited, fault)
            yield audited
            return
        path, imported = file.path, self._files.imported
        found = self._read(
            path, text, lambda parser: read_packages(parser, text, pythons, path, imported)
        )
        yield from [_audited(file, member, facts) for member, facts in (found or {}).items()]
        if not found:
            yield AuditedFile(file.path, file.name, State.UNRELATED)

    def _judged(self, text: str, audited: AuditedFile) -> list[Finding]:
        """The findings about a package alone, and about the comments in *text*."""
        facts, path, is_recipe = audited.facts, audited.path, audited.state is State.RECIPE
        assert facts is not None
        name, several = audited.package.rpartition(".")[2], bool(audited.member)
        try:
            found = [
                Finding(one.code, path, one.text, one.place, subject=one.path)
                for one in not_understood(None, facts, alone=True)
                if is_recipe or one.path == "package"
            ]
            if is_recipe:
                found += self._lints.findings(facts, path, name, text, one_of_several=several)
        except Exception as fault:  # one file never ends the audit of all others
            return [_our_fault(path, fault)]
        return found


def _audited(file: NixFile, member: str, facts: RecipeFacts) -> AuditedFile:
    """The package *member* of a file, or the file as a whole."""
    name = f"{file.name}.{member}" if member else file.name
    if is_package(facts):
        return AuditedFile(file.path, name, State.RECIPE, facts=facts, member=member)
    if facts.perhaps:
        return AuditedFile(file.path, name, State.UNKNOWN, facts=facts, member=member)
    return AuditedFile(file.path, file.name, State.UNRELATED)


def _settled_parts(files: Sequence[AuditedFile], imported: set[str]) -> Iterator[AuditedFile]:
    """*files*. A file that others import occurs only once, as a part of these."""
    parts: set[str] = set()
    for file in files:
        if file.path not in imported:
            yield file
        elif file.path not in parts:
            parts.add(file.path)
            name = file.package.removesuffix(f".{file.member}") if file.member else file.package
            yield AuditedFile(file.path, name, State.UNRELATED)


def _placed(one: Finding, audited: AuditedFile) -> Finding:
    """*one* with a place in its own file, and with the name of its package in that file."""
    within = f"in `{audited.member}`" if audited.member else ""
    found = settled(one, audited.facts)
    return replace(found, notes=(*found.notes, within)) if within else found


def _departing(read: Sequence[AuditedFile]) -> Iterator[Finding]:
    """The findings about packages that differ from their neighbours."""
    by_name = {f"{file.path}:{file.member}": file for file in read[:MOST_COMPARED]}
    neighbours = [
        neighbour(name, file.facts, file.package, axis_values(file.package), {})
        for name, file in by_name.items()
        if file.facts is not None
    ]
    for one in departures(neighbours, frozenset(by_name)):
        if one.subject in ("pname", "switched off") or one.subject.startswith("meta.desc"):
            continue
        file = by_name[one.path]
        assert file.facts is not None
        found = departed(one, file.facts, "W216")
        yield _placed(replace(found, file=file.path), file)


def axis_values(name: str) -> dict[str, str]:
    """The axis values in the *name* of a recipe, for the axes of Torch recipes."""
    found: dict[str, str] = {}
    for word in re.split(r"[-.]", name):
        for axis, pattern in _AXES.items():
            if pattern.fullmatch(word):
                found[axis] = word
    return found
