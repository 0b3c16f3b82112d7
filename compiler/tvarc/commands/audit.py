"""`tvarc audit`: compare a folder of recipes, also hand-written ones, with the matrix."""

# pathlib costs too much at start.
# ruff: noqa: PTH100, PTH112, PTH113, PTH118, PTH120
from __future__ import annotations

import os
import posixpath
import re

from tvarc.advice.library.rows import LibraryRows
from tvarc.build.assembly.bodies import recipe_text
from tvarc.build.assembly.together import system_of
from tvarc.build.driver import Compilation
from tvarc.build.whynot import WhyNotCommands
from tvarc.byhand.audit import answer
from tvarc.byhand.audit.answer import diagnostics_of
from tvarc.byhand.audit.changes import overlay_names
from tvarc.byhand.audit.decided import Pythons
from tvarc.byhand.audit.examine import Examination, differing, examine_alone
from tvarc.byhand.audit.judge import Judge
from tvarc.byhand.audit.names import Cell, Siblings, package_of
from tvarc.byhand.audit.result import Audit, AuditedFile, Finding, State, in_order
from tvarc.byhand.audit.text import audit_text, unjudged
from tvarc.byhand.reading.files import Folder
from tvarc.commands import messages as msg
from tvarc.commands.evaluation.equivalence import equivalence_lines, report_refusals
from tvarc.commands.evaluation.evaluate import derivations, reasons
from tvarc.commands.evaluation.files import Prepared, judged, needs
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, collect_seldom, in_session
from tvarc.commands.programs.find import DEFAULT_FILE, file_name, program_name, source_from
from tvarc.commands.programs.outputs import file_parts, name_in_headers, swept_places
from tvarc.doing import Doing, each
from tvarc.files.cache import Cache
from tvarc.files.disk import DiskLoader, read_plain, report_unreadable
from tvarc.files.inventory import Inventory, inventory, read_text
from tvarc.files.output.folders import reason_of
from tvarc.files.output.header import File, Ownership, inspect, inspect_bytes
from tvarc.files.resources import stdlib_dir
from tvarc.light import (
    Final,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    assert_never,
    dataclass,
    field,
    replace,
)
from tvarc.matrix.dependencies import NOTHING, Dependencies
from tvarc.matrix.variants import Variant, axis_text
from tvarc.meaning.hir import OutputDef
from tvarc.nix.ir import Path
from tvarc.nix.judge.equivalence import Equivalence, equivalence
from tvarc.nix.judge.evaluate import Caller, Derived, Evaluators, Job, Outcome, RefusedByNix, chunks
from tvarc.nix.judge.faults import NixPlace, fault_in
from tvarc.nix.judge.model import Evaluation, Fault
from tvarc.nix.judge.nix import as_text
from tvarc.nix.lower.lower import stem_of
from tvarc.text.diagnostics.model import Diagnostic, Format, Sink
from tvarc.text.source import Source, Span, UnreadableSource
from tvarc.values.plain import json_text


@in_session
def command(session: Session, given: Arguments) -> int:
    """Print the findings in a folder, by default the folder of the outputs; the exit code."""
    file, folders = given.program_and_words(folders=False)
    if len(folders) > 1:
        raise Misused(f"name one folder of recipes; leave out `{folders[1]}`", "DIR")
    folder = folders[0] if folders else None
    collect_seldom()
    alone = "" if given.flag("nix") else without_program(file, folder)
    if alone:
        return _tell(session, given, [(examined_alone(alone, session.cache), alone)])
    if folder is not None and program_name(file) is None:
        _demand_folder(session, folder)
    made = session.compile(file)
    session.demand_output()
    session.stop_on_errors()
    audits = Audits(made, file, folder, session.sink)
    session.stop_on_errors()
    if folder is not None:
        _demand_folder(session, folder)
    if given.flag("nix"):
        return _by_nix(session, given, made, audits)
    return _tell(session, given, audits.each())


def _by_nix(session: Session, given: Arguments, made: Compilation, audits: Audits) -> int:
    """Report which hand-written recipes have the derivation of their variant; the exit code."""
    found = compared_by_nix(made, list(in_outputs(audits.outputs())), session.sink)
    if found is None:
        session.finish(exits.UNJUDGED)
    for source, _ in found.refused:
        session.sources.add(source)
    report_refusals(found.variants, [fault for _, fault in found.refused], session.sink)
    session.show()
    if given.flag("json"):
        session.console.data(json_text(found.files))
    else:
        session.console.out("".join(f"{line}\n" for line in equivalence_lines(found.files)))
    return exits.OK if all(one.equal for one in found.files) else exits.STALE


def _demand_folder(session: Session, folder: str) -> None:
    """End the command if *folder* is not a folder."""
    demand_folder(folder, session.sink)
    session.end_on_errors()


def _tell(session: Session, given: Arguments, audits: Iterable[tuple[Audit, str]]) -> int:
    """Print each audit with its folder when it is done, and the diagnostics at the end; the exit
    code."""
    as_json = given.flag("json")
    as_text = session.console.format is Format.TEXT and not as_json
    data: list[answer.Result] = []
    shown: list[Diagnostic] = []
    found, judged = False, True
    for number, (result, folder) in enumerate(audits):
        where = folder or "."
        found = found or bool(result.departures)
        judged = judged and result.judged
        if number and as_text:
            session.console.out("\n")
        if as_json:
            data.append(answer.result_of(result, where))
        elif as_text:
            for line in audit_text(result, where, whole=given.flag("all")):
                session.console.prose(f"{line}\n")
        else:
            shown += diagnostics_of(result, folder, session.sources)
        if not as_text and not result.judged:
            session.console.error(f"{where}: {unjudged(result)}\n")
    if as_json:
        session.console.data(json_text(data[0] if len(data) == 1 else data))
    for one in shown:
        session.sink.add(one)
    session.show()
    if session.sink.has_errors:
        return exits.FAILED
    if found:
        return exits.STALE
    return exits.OK if judged else exits.UNREAD


@dataclass(slots=True)
class Output:
    """An output: its cells, the folder that has all its files for any variants, and the place of
    that folder on disk. `nested` is set if files may be in folders below it."""

    name: str
    number: int
    cells: list[tuple[Cell, Variant]] = field(default_factory=list)
    common: str = ""
    nested: bool = False
    root: str = ""
    folder: str = ""


def outputs_of(made: Compilation, files: Iterable[File]) -> list[Output]:
    """The outputs of a program and the files of each variant in them; not all of them after an
    error."""
    outputs = [Output(output.name, number) for number, output in enumerate(made.outputs)]
    found = iter(files)
    for variant in made.variants:
        rows = variant.values
        values = {axis: axis_text(value) for axis, value in rows.items()}
        for output, file in zip(outputs, found, strict=False):
            cell = Cell(variant.name, variant.matrix.name, file.path, "", values, rows)
            output.cells.append((cell, variant))
    for output, declared in zip(outputs, made.outputs, strict=True):
        _place(output, declared)
        output.cells = [(_below(cell, output.common), variant) for cell, variant in output.cells]
    return outputs


def _place(output: Output, declared: OutputDef) -> None:
    """The part of `file` of *declared* without interpolation, as a folder: the files of former
    variants may be in any folder below it."""
    parts = file_parts(declared) or ()
    reads = Dependencies()
    after = "".join(part if isinstance(part, str) else "\0" for part in parts)
    for part in parts:
        if not isinstance(part, str) and reads.expr(part) != NOTHING:
            break
        after = after[len(part) if isinstance(part, str) else 1 :]
    if (parts and "/" in after) or not output.cells:
        written = parts[0] if parts and isinstance(parts[0], str) else ""
        output.common = posixpath.dirname(written)
        output.nested = "/" in after
    else:  # all are in one folder, whatever its name is made of
        folders = {posixpath.dirname(cell.path) for cell, _ in output.cells}
        output.common = posixpath.commonpath(folders)


class Texts:
    """The files that `tvarc build` would write to a folder."""

    __slots__ = ("_files", "_made")

    def __init__(self, made: Compilation) -> None:
        self._made = made
        self._files: dict[str, Iterable[File]] = {}

    def files(self, root: str) -> Iterable[File]:
        """All files below *root*, output after output of each variant."""
        source = source_from(self._made.file, root)
        if source not in self._files:
            self._files[source] = self._made.files(source)
        return self._files[source]

    def of(self, output: Output) -> Iterator[str]:
        """The text of each cell of *output*."""
        count = len(self._made.outputs)
        for number, file in enumerate(self.files(output.root)):
            if number % count == output.number:
                yield file.data().decode("utf-8")


def _below(cell: Cell, common: str) -> Cell:
    """*cell* with its path as seen from the folder *common*."""
    path = cell.path.removeprefix(f"{common}/")
    return replace(cell, path=path, package=package_of(path))


def placed(outputs: Sequence[Output], root: str, folder: str | None) -> list[Output]:
    """*outputs*, each with the folder to search. A given folder is the folder of the build, or else
    that of the recipes. If there are several outputs, it is the folder of the output of which it
    has the most files.
    """
    for output in outputs:
        output.root = root if folder is None else folder
        output.folder = os.path.join(output.root, output.common)
    if folder is None:
        return list(outputs)
    built = [one for one in outputs if one.common and os.path.isdir(one.folder)]
    if built:
        return built
    names = {file.name for file in inventory(folder, nested=True).files}

    def held(output: Output) -> int:
        return sum(cell.package in names for cell, _ in output.cells)

    chosen = max(outputs, key=held)
    chosen.folder = folder
    chosen.root = _root_of(folder, chosen.common, root)
    return [chosen]


def _root_of(folder: str, common: str, usual: str) -> str:
    """The folder of the build that wrote to *folder*, as far as its name shows."""
    real = os.path.realpath(folder)
    if common and real.endswith(f"/{common}"):
        return real.removesuffix(f"/{common}") or "/"
    return usual


class _Matrix:
    """The cells of one output."""

    __slots__ = ("_made", "_output", "_variants", "python", "why_not")

    def __init__(
        self, made: Compilation, output: Output, why_not: WhyNotCommands, pythons: Pythons
    ) -> None:
        self._made = made
        self._output = output
        self._variants = {cell.variant: variant for cell, variant in output.cells}
        self.why_not = why_not.command
        self.python = pythons

    def text(self, cell: Cell) -> str:
        recipe = self._made.recipe(self._variants[cell.variant])
        path = posixpath.join(self._output.common, cell.path)
        source = source_from(self._made.file, self._output.root)
        return recipe_text(recipe, source, path, self._made.file) if recipe is not None else ""

    def prunes(self, path: str) -> bool:
        folder = posixpath.dirname(os.path.realpath(os.path.join(self._output.folder, path)))
        below = os.path.relpath(folder, os.path.realpath(self._output.root or "."))
        found = "" if below == "." else below
        return any(place.has(found) for place in swept_places(self._made))

    def overlays(self, cell: Cell) -> dict[str, str]:
        recipe = self._made.recipe(self._variants[cell.variant])
        return overlay_names(recipe) if recipe is not None else {}


def demand_folder(folder: str, sink: Sink) -> None:
    """Report that *folder* is not a folder."""
    if os.path.isdir(folder):
        return
    there = os.path.lexists(folder)
    above = os.path.dirname(folder) or os.curdir
    reason = "it is not a folder" if there else "there is no such folder"
    advice = "name the folder of the recipes, such as `.flox/pkgs`"
    if there and folder.endswith(".nix"):
        advice = f"name the folder that contains it: `tvarc audit {above}`"
    report_unreadable(UnreadableSource(file_name(folder), reason), sink, advice=advice)


class Audits:
    """The outputs of a program, each compared with *folder*, or with its own folder. Making one
    decides every recipe, and errors of these go to the sink of the program. *file* is the program
    as a person named it."""

    __slots__ = ("_file", "_folder", "_made", "_outputs", "_root", "_sink", "_texts")

    def __init__(self, made: Compilation, file: str | None, folder: str | None, sink: Sink) -> None:
        self._made = made
        self._file = file
        self._folder = folder
        self._sink = sink
        self._root = os.path.dirname(made.file)
        self._texts = Texts(made)
        self._outputs = outputs_of(made, self._texts.files(self._root))

    def outputs(self) -> list[Output]:
        """The outputs that are looked at, with their folders."""
        return placed(self._outputs, self._root, self._folder) if self._outputs else []

    def each(self) -> Iterator[tuple[Audit, str]]:
        """Each audit with its folder. If there is none, E507 goes to the sink."""
        made, folder = self._made, self._folder
        root, outputs = self._root or ".", self._outputs
        together = folder is not None and holds_collections(made, root, folder, outputs)
        chosen = self.outputs() if not together else []
        why_not = WhyNotCommands(made, self._file)
        pythons = Pythons(LibraryRows(made.loader, made.cache))
        for output in chosen:
            yield examined(made, output, self._texts, why_not, pythons), output.folder
        if together or (folder is None and made.program.collections):
            yield examined_collections(made, root, folder), folder or self._root
        elif not chosen and folder is not None:
            self._sink.report(msg.starting.NO_OUTPUT_OF_FILES, file=made.file)


def examined_alone(folder: str, cache: Cache | None) -> Audit:
    """*folder* by itself, without any program."""
    rows = LibraryRows(DiskLoader(stdlib_dir()), cache)
    found = inventory(folder, nested=True, every=True)
    return examine_alone(found, Folder(folder), Judge(rows, alone=True), Pythons(rows))


def without_program(file: str | None, folder: str | None) -> str:
    """The folder to examine if there is no program; empty if there is one, or if no folder is
    named."""
    if folder is None and file is not None and os.path.isdir(file):
        return "" if os.path.isfile(os.path.join(file, DEFAULT_FILE)) else file
    named = folder is not None and os.path.isdir(folder)
    return folder or "" if named and file is None and program_name(None) is None else ""


def holds_collections(made: Compilation, root: str, folder: str, outputs: Sequence[Output]) -> bool:
    """Whether *folder* is the folder of a file of all variants, and not that of one of
    *outputs*."""
    here = os.path.realpath(folder)
    recipes = {os.path.realpath(os.path.join(root, one.common)) for one in outputs}
    return here not in recipes and any(
        here == os.path.realpath(os.path.join(root, posixpath.dirname(one.one_file)))
        for one in made.program.all_outputs
        if one.form != "recipes"
    )


def examined_collections(made: Compilation, root: str, folder: str | None = None) -> Audit:
    """The files with all variants of *made*, compared with the files below the folder *root*: those
    in *folder*, by default all."""
    found = Audit(cells=len(made.variants))
    for file in made.collections(source_from(made.file, root)):
        there = os.path.join(root, posixpath.dirname(file.path))
        if folder is not None and os.path.realpath(there) != os.path.realpath(folder):
            continue
        audited = AuditedFile(file.path, posixpath.basename(file.path), State.CURRENT)
        if not os.path.lexists(os.path.join(root, file.path)):
            found.findings.append(
                Finding("W201", file.path, "all variants in one file are missing")
            )
            continue
        found.files.append(audited)
        present, fault = read_text(root, file.path)
        if fault:
            audited.state, audited.reason = State.UNREADABLE, fault
            found.findings.append(Finding("W206", file.path, fault))
            continue
        if present.encode("utf-8", "surrogateescape") == file.data():
            continue
        place = "it is in the place of the file of all variants"
        found.findings.append(differing(audited, inspect(present), place))
    found.findings.sort(key=in_order)
    return found


def without_collections(found: Inventory, made: Compilation, output: Output) -> Inventory:
    """*found* in the folder of *output*, without the files of all variants, which are not
    recipes."""
    paths = {
        posixpath.relpath(one.one_file, output.common or ".")
        for one in made.program.all_outputs
        if one.form != "recipes"
    }
    found.files = [file for file in found.files if file.path not in paths]
    return found


def examined(
    made: Compilation,
    output: Output,
    texts: Texts,
    why_not: WhyNotCommands,
    pythons: Pythons,
) -> Audit:
    """The comparison of *output* with its folder."""
    where = output.folder or "."
    steps = where.rstrip("/").split("/")
    below = output.nested or any("/" in cell.path for cell, _ in output.cells)
    found = inventory(where, nested=below or steps[-2:] == [".flox", "pkgs"])
    if made.program.collections:
        found = without_collections(found, made, output)
    if not os.path.lexists(where):  # then each recipe is missing
        found.faults.clear()
    matrix = _Matrix(made, output, why_not, pythons)
    lints = made.lints()
    judge = Judge(lints.facts.rows, lints.off)
    siblings = Siblings([cell for cell, _ in output.cells])
    source = name_in_headers(made.file)
    examination = Examination(found, Folder(where), source, matrix, judge, siblings)
    cells = zip(output.cells, texts.of(output), strict=True)
    for (cell, _), text in each("comparing", cells, len(output.cells), "recipes"):
        examination.add(cell, text)
    return examination.finish()


Refused = tuple[tuple[Source, Fault], ...]

_LARGEST: Final = 16 << 20
_CALLERS: Final[tuple[Caller, ...]] = ("top", "cross", "marker")
_MODULES: Final = "python3Packages"
_LACKS: Final = "called without required argument"
_WORD: Final = re.compile(r"[\w'-]+|.")


@dataclass(frozen=True, slots=True)
class ByHand:
    """A file with the path of a variant's recipe: its path for messages, its path on disk, and its
    source under the name that a person gave; or why it cannot be read. `beside` are the files of
    all recipes by their names, if they are not in the places of their variants."""

    path: str
    file: str
    variant: Variant
    source: Source
    unread: str = ""
    beside: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ComparedByHand:
    """The comparison of files with their variants, and the results of Nix for the variants.
    `refused` are the files that Nix refuses, each with the reason."""

    files: tuple[Equivalence, ...]
    variants: Evaluation
    refused: Refused


def in_outputs(outputs: Iterable[Output]) -> Iterator[ByHand]:
    """The hand-written files in the folders of *outputs*."""
    for output in outputs:
        for cell, variant in output.cells:
            yield from _looked_at(os.path.join(output.folder, cell.path), cell.path, variant)


def in_build(made: Compilation, variants: Sequence[Variant], root: str) -> Iterator[ByHand]:
    """The hand-written files that have the paths of the recipes of *variants* in a build below
    *root*."""
    for variant in variants:
        recipe = made.recipe(variant)
        for _, path in recipe.files if recipe is not None else ():
            yield from _looked_at(os.path.join(root, path), path, variant)


def in_folder(
    made: Compilation, folder: str, files: Sequence[str], names: Sequence[str]
) -> Iterator[ByHand]:
    """The *files* of a *folder*, whoever wrote them, each with the variant of its name."""
    of_name = {one.name: one for one in made.variants}
    placed = {
        name: os.path.abspath(os.path.join(folder, path))
        for path, name in zip(files, names, strict=True)
    }
    for path, name in zip(files, names, strict=True):
        if name in of_name:
            file = os.path.join(folder, path)
            for one in _looked_at(file, path, of_name[name], ours=True):
                yield replace(one, beside=placed)


def _looked_at(file: str, path: str, variant: Variant, *, ours: bool = False) -> Iterator[ByHand]:
    """Yield the recipe in *file*, or why it cannot be read. Yields nothing if there is no recipe,
    or if tvarc wrote it and *ours* is false."""
    if os.path.isfile(file):
        try:
            data = read_plain(file, file, _LARGEST)
        except (OSError, UnreadableSource) as fault:
            reason = fault.reason if isinstance(fault, UnreadableSource) else reason_of(fault)
            yield ByHand(path, os.path.abspath(file), variant, Source(file, ""), reason)
            return
        if data.strip(b"\0") and (ours or inspect_bytes(data) is not Ownership.OURS):
            source = Source(file, data.decode("utf-8", "replace"))
            yield ByHand(path, os.path.abspath(file), variant, source)


def compared_by_nix(
    made: Compilation, files: Sequence[ByHand], sink: Sink
) -> ComparedByHand | None:
    """The comparison of each of *files* with its variant; None after reporting that Nix cannot run.
    The derivations are written to the store, so that differences can be found. If Nix refuses a
    file or a variant, the others are still compared. Files that are equal at the top level are
    compared from the other callers of nixpkgs, too. A file that takes an argument which the top
    level lacks is compared from the Python modules of nixpkgs if these have it.
    """
    readable = [one for one in files if not one.unread]
    names = {one.variant.name for one in readable}
    variants = [one for one in made.variants if one.name in names]

    def ask(
        prepared: Prepared,
    ) -> tuple[dict[str, Outcome], Evaluation, Refused, dict[str, Path]]:
        recipes = prepared.recipes
        with Doing("evaluating", len(prepared.recipes), "recipes") as step:
            derived, found = derivations(made, prepared, 1, step, attributes=(), writes=True)
        jobs = {_name(one): _job(one, prepared) for one in readable}
        outcomes = Evaluators(prepared.folder, 1, writes=True).run(chunks([[*jobs.values()]], 1))
        without = {name: RefusedByNix(why, lost=True) for name, why in reasons(found).items()}
        known = {**without, **derived, **outcomes}
        elsewhere = [
            job for one in readable for job in _elsewhere(one, jobs[_name(one)], known, prepared)
        ]
        others = Evaluators(prepared.folder, 1, writes=True, tries=True)
        known |= others.run(chunks([elsewhere], 1))
        refused = tuple(
            (one.source, _fault(one, outcome, prepared))
            for one in readable
            if isinstance(outcome := outcomes.get(_name(one)), RefusedByNix)
            and not _is_member(_name(one), known)
        )
        faults = [
            replace(fault, variants=variants)
            for fault in found.faults
            if (variants := tuple([one for one in fault.variants if not _is_member(one, known)]))
        ]
        found = replace(found, faults=tuple(faults))
        return known, found, refused, {name: one.scope_path for name, one in recipes.items()}

    # Both sides fetch their inputs, because the written derivations are compared.
    wants = "comparing the derivations of recipes"
    help_ = "install Nix: only Nix can compare derivations"
    known = judged(made, variants, ask, sink, wants, help_)
    if known is None:
        return None
    outcomes, found, refused, scopes = known
    compared = tuple([_compared(one, outcomes, scopes.get(one.variant.name, ())) for one in files])
    return ComparedByHand(compared, found, refused)


def _job(one: ByHand, prepared: Prepared) -> Job:
    """The evaluation of the file of *one* at the top level."""
    recipe = prepared.recipes[one.variant.name]
    beside = tuple(_beside(one, prepared))
    system, scope = system_of(recipe), recipe.scope_path
    return Job(_name(one), one.file, system, None, "foreign", beside, scope)


def _is_member(name: str, outcomes: Mapping[str, Outcome]) -> bool:
    """Whether Nix evaluates the job *name* as a Python module."""
    return isinstance(outcomes.get(_from("top", name)), Derived)


def _elsewhere(
    one: ByHand, job: Job, outcomes: Mapping[str, Outcome], prepared: Prepared
) -> Iterator[Job]:
    """The evaluations of *one* and of its variant from the other callers, or from all callers as a
    Python module: *job* evaluates it at the top level. With a pin, a recipe takes no more than the
    system from its caller."""
    name = one.variant.name
    outcome, made = outcomes.get(_name(one)), outcomes.get(name)
    if prepared.recipes[name].pin is not None:
        return
    callers = _CALLERS[1:]
    if isinstance(outcome, RefusedByNix) and _LACKS in outcome.text and not job.scope:
        job, callers = replace(job, members=_MODULES), _CALLERS
    elif not (
        isinstance(outcome, Derived) and isinstance(made, Derived) and outcome.path == made.path
    ):
        return
    variant = replace(
        job, name=name, file=prepared.path, attribute=name, kind="called", siblings=()
    )
    for caller in callers:
        for asked in (job, variant):
            yield replace(asked, name=_from(caller, asked.name), caller=caller, marks=one.file)


def _compared(one: ByHand, outcomes: Mapping[str, Outcome], scope: Path) -> Equivalence:
    """The comparison from each caller, until one of them shows a difference. Beside the top level,
    a file that Nix refuses from a caller is not compared from it."""
    variant = one.variant.name
    if one.unread:
        return Equivalence(one.path, variant, equal=False, unknown=f"the file: {one.unread}")
    known = equivalence(one.path, variant, outcomes.get(_name(one)), outcomes.get(variant))
    if _is_member(_name(one), outcomes):
        scope, made = (_MODULES,), outcomes.get(_from("top", variant))
        known = equivalence(one.path, variant, outcomes.get(_from("top", _name(one))), made)
    callers = [_words("top", scope)]
    for caller in _CALLERS[1:]:
        by_hand = outcomes.get(_from(caller, _name(one)))
        if known.equal and isinstance(by_hand, Derived):
            made = outcomes.get(_from(caller, variant))
            known = equivalence(one.path, variant, by_hand, made)
            callers.append(_words(caller, scope))
    return replace(known, callers=tuple(callers))


def _words(caller: Caller, scope: Path) -> str:
    """From where *caller* calls a recipe of the package set *scope*, in words."""
    match caller:
        case "top":
            return f"in {'.'.join(scope)} of nixpkgs" if scope else "at the top level of nixpkgs"
        case "cross":
            return f"in {'.'.join(('pkgsCross', 'aarch64-multiplatform', *scope))} of nixpkgs"
        case "marker":
            within = f"{'.'.join(scope)}, and " if scope else ""
            return f"with {within}another package for each argument of the file"
        case _:
            assert_never(caller)


def _fault(one: ByHand, outcome: RefusedByNix, prepared: Prepared) -> Fault:
    """The error of Nix in the file of *one*: at the place that Nix reports, or at the place in the
    file that led there; if there is none, at the beginning."""
    variants, beginning = (one.variant.name,), Span(one.source.file, 0, 0)
    if outcome.lost:
        return Fault(variants, beginning, (outcome.text,), lost=True)
    told = fault_in(outcome.text)
    names = {as_text(one.file), as_text(os.path.realpath(one.file))}
    own = next((place for place in told.places if place.file in names), None)
    first = told.places[0] if told.places else None
    beside = first is None or first is own or first.file.startswith(f"{prepared.within}/")
    where = "" if beside or first is None else f"{first.file}:{first.line}"
    span = beginning if own is None else _span(one.source, own)
    return Fault(variants, span, told.words, where)


def _span(source: Source, place: NixPlace) -> Span:
    """The word at *place*, or the character. Nix counts the bytes of a line."""
    starts = source.line_starts()
    line = source.line(place.line) if place.line <= len(starts) else ""
    column = len(line.encode()[: place.column - 1].decode("utf-8", "ignore"))
    start = starts[min(place.line, len(starts)) - 1] + column
    found = _WORD.match(line, column)
    return Span(source.file, start, start + (found.end() - column if found else 0))


def _beside(one: ByHand, prepared: Prepared) -> Iterator[tuple[str, str]]:
    """The files of the needs of *one*'s variant, by their names as packages: an argument with such
    a name gets that file."""
    recipe = prepared.recipes[one.variant.name]
    if one.beside is not None:
        for other in needs(recipe, prepared.needed).values():
            name = stem_of(other.files[0][1])
            if name in one.beside:
                yield name, one.beside[name]
        return
    for output, path in recipe.files:
        if one.file.endswith(f"/{path}"):
            root = one.file.removesuffix(path)
            for other in needs(recipe, prepared.needed).values():
                file = dict(other.files)[output]
                if os.path.isfile(os.path.join(root, file)):
                    yield stem_of(file), os.path.join(root, file)
            return


def _name(one: ByHand) -> str:
    """The name of its job, which no variant has."""
    return f"file {as_text(one.file)}"


def _from(caller: Caller, name: str) -> str:
    """The name of the job *name* from another caller, or as a Python module."""
    return f"{caller} {name}"
