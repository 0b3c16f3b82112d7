"""The pipeline, for the command line and for other programs: from text to recipes and files."""

from __future__ import annotations

from posixpath import dirname

from tvarc.decide.lock import EMPTY, LOCK_NAME, Lock
from tvarc.doing import each
from tvarc.files.cache import Cache
from tvarc.files.output.header import File
from tvarc.light import (
    TYPE_CHECKING,
    Callable,
    Iterable,
    Sequence,
    dataclass,
    field,
    replace,
)
from tvarc.matrix.expand import Expansion, expand
from tvarc.matrix.names import check_names
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.meaning.declarations.written_out import refuse_folders
from tvarc.meaning.evaluation.fetched import Fetched, commit_of
from tvarc.meaning.names.load import ModuleGraph, load
from tvarc.meaning.resolve import Folders, Resolution, resolve
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Diagnostic, Sink
from tvarc.text.source import SourceLoader, SourceMap, Span, UnreadableSource

if TYPE_CHECKING:
    from tvarc.advice.library.tables import Library
    from tvarc.advice.lints.run import Lints
    from tvarc.build.assembly.files import AllFiles, Look
    from tvarc.build.assembly.outputs import OutputFiles
    from tvarc.build.kept import Decisions, KeptBuild
    from tvarc.build.linting.run import Findings
    from tvarc.decide.elaborate import Elaboration
    from tvarc.decide.renewal import Renewal
    from tvarc.decide.stacks import Stack
    from tvarc.matrix.present import Present
    from tvarc.meaning.declarations.from_inputs import ModuleInputs, Wanted
    from tvarc.meaning.declarations.noted import Notes
    from tvarc.meaning.names.library_names import LibraryNames
    from tvarc.meaning.overrides import Setting


@dataclass(slots=True)
class Compilation:
    """One program, compiled as far as its errors allow. Later stages run on request.

    `later` gets what depends on all declarations. It is `sink`. After a syntax error that left
    something out, it is a sink that is never shown.
    """

    file: str
    loader: SourceLoader
    sources: SourceMap
    sink: Sink
    cache: Cache | None = None
    later: Sink = field(default_factory=Sink)
    graph: ModuleGraph | None = None
    resolution: Resolution | None = None
    expansion: Expansion | None = None
    overrides: tuple[tuple[hir.Path, hir.Expr], ...] = ()  # values from the command line
    given: tuple[str, ...] = ()  # checkouts that replace inputs, from the command line
    replaced: dict[str, str] = field(default_factory=dict)  # folders of replaced inputs
    module_inputs: ModuleInputs | None = None  # the inputs with modules, if there are any
    lock: Lock = EMPTY
    streamed: bool = False  # whether all variants were decided, or are too many to decide
    kept: KeptBuild | None = None  # data that a process which builds repeatedly keeps
    is_plain: bool = False  # whether nothing was reported about its cells and their names
    _elaboration: Elaboration | None = None
    settings: tuple[Setting, ...] = ()  # from the command line, as they were given
    named: dict[str, None] = field(default_factory=dict)  # the files that `path(…)` names
    checkouts: dict[str, None] = field(default_factory=dict)  # the folders that pins name
    _output_files: OutputFiles | None = None
    _stack: Stack | None = None
    _library: Library | None = None

    @property
    def program(self) -> hir.Program:
        """The resolved program. It has no declarations if the file cannot be read."""
        return self.resolution.program if self.resolution else hir.Program(self.file)

    @property
    def elaboration(self) -> Elaboration:
        """The elaboration that decides the variants. It is made when it is first needed: a list of
        variants does not need it."""
        if self._elaboration is None:
            self._elaboration = self._elaborated(self.later, self.sink)
        return self._elaboration

    def decisions(self) -> Decisions | None:
        """The decisions from which another state of the program can continue; None if it cannot.
        They have no reference to this compilation, which can be freed."""
        if self._elaboration is None or self.expansion is None or self.module_inputs is not None:
            return None
        hashes = self._elaboration.shared.hashes
        hashes.forget_program()
        return self._elaboration, self.expansion, (self.lock, self.replaced)

    def continue_from(self, before: Decisions, renewal: Renewal) -> bool:
        """Continue from the decisions of another state of the program. Returns whether that is
        possible. They must have no error."""
        elaboration, expansion, given = before
        if (
            self.module_inputs is not None
            or self.later is not self.sink
            or self.sink.has_errors
            or given != (self.lock, self.replaced)
            or not renewal.renew(elaboration, self.program)
        ):
            return False
        assert self.resolution is not None
        self.is_plain = True
        self.resolution = replace(self.resolution, program=elaboration.program)
        self.expansion = expansion
        self._elaboration = elaboration
        elaboration.begin(self.sink)
        hashes = elaboration.shared.hashes
        hashes.loader = self.loader
        hashes.elsewhere = self.hash_in_library
        return True

    def progress(self) -> tuple[int, ...]:
        """Numbers that grow when a fault is reported or a file is read."""
        seen = getattr(self.loader, "seen", None)
        texts = (len(seen.texts), len(seen.kinds)) if seen is not None else ()
        return (len(self.sink), *texts)

    def silent(self) -> Elaboration:
        """Another elaboration, which reports nothing."""
        return self._elaborated(Sink(), Sink())

    def _elaborated(self, sink: Sink, faults: Sink) -> Elaboration:
        """An elaboration that reports to *sink*. Faults of inputs go to *faults*."""
        from tvarc.decide.elaborate import Elaboration, Override

        chosen = tuple(Override(path, value) for path, value in self.overrides)
        made = Elaboration(self.program, chosen, sink)
        hashes = made.shared.hashes
        hashes.lock = self.lock
        hashes.folder = dirname(self.file)
        hashes.loader = self.loader
        hashes.replaced = self.replaced
        hashes.elsewhere = self.hash_in_library
        found = self.module_inputs
        for taken in found.taken.values() if found is not None else ():
            hashes.modules_of(taken, faults)
        return made

    def library(self) -> Library:
        """All tables of the standard library, loaded when they are first needed."""
        if self._library is None:
            from tvarc.advice.library.tables import load_library

            self._library = load_library(self.loader, self.cache)
        return self._library

    def hash_in_library(self, source: Fetched) -> str:
        """The hash of *source* in the library; empty if the library does not have it."""
        commit = commit_of(source)
        return self.library().hash_of_commit(*commit) if commit is not None else ""

    def traced(self) -> Elaboration:
        """A second elaboration. It reports nothing, and records the provenance of each value. The
        program must have no errors."""
        from tvarc.decide.elaborate import Elaboration, Override
        from tvarc.decide.provenance import Tracing
        from tvarc.values.provenance import Numbering

        assert self.graph is not None
        chosen = tuple(Override(path, value) for path, value in self.overrides)
        tracing = Tracing(self.graph, Numbering(self.sources))
        made = Elaboration(self.program, chosen, Sink(), tracing)
        made.shared.hashes.lock = self.lock
        made.shared.hashes.folder = dirname(self.file)
        return made

    @property
    def is_stacked(self) -> bool:
        """Whether a variant may need another one."""
        return self.program.stacked

    @property
    def stack(self) -> Stack:
        """The variants that need each other. The stack is made when it is first needed. There must
        be no errors, and some variant may need another one."""
        if self._stack is None:
            from tvarc.decide.stacks import Stack

            assert self.expansion is not None
            self._stack = Stack(self.elaboration, self.expansion)
        return self._stack

    @property
    def output_files(self) -> OutputFiles:
        """The files of the decided variants. The object is made when it is first needed."""
        if self._output_files is None:
            from tvarc.build.assembly.outputs import OutputFiles

            self._output_files = OutputFiles(self.outputs, self.later)
        return self._output_files

    @property
    def wanted(self) -> Sequence[Wanted]:
        """The inputs with modules that must be fetched before the whole program can be read."""
        return self.module_inputs.wanted if self.module_inputs is not None else ()

    @property
    def inputs(self) -> dict[str, Span]:
        """The places where the inputs of the program are declared, by their names."""
        return {one.name: one.span for one in self.program.inputs}

    def has_folders(self) -> bool:
        """Whether an input of the program is a folder, which is not fetched."""
        return any(hir.folder_of(one) is not None for one in self.program.inputs)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return self.sink.sorted(self.sources)

    @property
    def variants(self) -> Sequence[Variant]:
        return self.expansion.variants if self.expansion is not None else ()

    def excludes(self, matrix: hir.MatrixDef) -> tuple[hir.Check, ...]:
        """The exclusions that apply to *matrix*: its own, and those at top level."""
        return self.expansion.excludes.get(matrix.id, ()) if self.expansion is not None else ()

    @property
    def outputs(self) -> tuple[hir.OutputDef, ...]:
        return self.program.outputs

    def recipe(self, variant: Variant, *, late: bool = False) -> ir.Recipe | None:
        """The recipe of *variant*; None after reporting why it cannot be decided. With *late*, its
        texts may have late parts."""
        return self.elaboration.variant(variant, self.output_files.of, late=late)

    def checked(self, variant: Variant) -> ir.Recipe | None:
        """The recipe of *variant*, with the findings of its checks reported. Lints are not run."""
        self.streamed = True
        recipe = self.elaboration.variant(variant, self.output_files.of)
        self.elaboration.checks.report(self.later)
        return recipe

    def recipes(self, variants: Sequence[Variant] | None = None) -> list[ir.Recipe]:
        """The recipes of *variants*, by default of all, that can be decided. All that `files`
        reports is reported."""
        if self.expansion is None or self.later is not self.sink:
            return []  # a variant may lack what was left out
        source = self.file.rpartition("/")[2]
        for _ in self.files(source, variants, collections=variants is None, sizes=False):
            pass
        shared = self.elaboration.shared
        if shared.total.reported:
            return []
        chosen = self.variants if variants is None else variants
        deciding = each("compiling", chosen, len(chosen), "variants")
        found = [shared.again(self.recipe, variant) for variant in deciding]
        return [recipe for recipe in found if recipe is not None]

    def lints(self) -> Lints:
        """The lints of this program, without any findings."""
        from tvarc.advice.library.rows import LibraryRows
        from tvarc.advice.lints.facts import Facts
        from tvarc.advice.lints.run import Lints

        tables = self.elaboration.program.extended.values()
        extended = {one.name: one.rows for one in tables if one.origin.startswith("std/")}
        rows = LibraryRows(self.loader, self.cache, extended)
        kept = self.kept if not extended else None
        facts = Facts(rows) if kept is None else kept.texts.facts(rows)
        lints = Lints(facts, self.elaboration.checks.off)
        if self.kept is not None:
            lints.number_of = self.kept.looks.number_of
        return lints

    def finish(self, lints: Lints, *, whole: bool) -> None:
        """Report the findings of checks and lints in the variants so far. If these are all
        variants, also report settings without an effect."""
        elaboration, expansion = self.elaboration, self.expansion
        assert expansion is not None
        elaboration.checks.report(self.sink)
        self.look_at_texts(lints)
        lints.finish()
        for diagnostic in self.hidden():
            lints.note_written(diagnostic)
        elaboration.checks.silenced |= lints.silenced
        if whole:
            elaboration.finish(expansion)
        lints.report(self.sink)

    def hidden(self) -> list[Diagnostic]:
        """The warnings about invisible characters of the sources."""
        names = self.graph.modules if self.graph is not None else ()
        found = [self.sources.get(name) for name in names if not name.startswith("std/")]
        if all(one is None or one.text.isascii() for one in found):
            return []  # most runs end here, and load nothing
        from tvarc.advice.lints.written import hidden_direction

        return list(hidden_direction.look([one for one in found if one is not None]))

    def look_at_exclusions(self, lints: Lints, program: hir.Program) -> None:
        """Search exclusions for values that their axes do not have, and for exclusions without a
        reason."""
        if not program.excludes and not any(one.excludes for one in program.matrices):
            return
        from tvarc.advice.lints.written import bare_exclusion, foreign_value
        from tvarc.meaning.evaluation.foreign_values import foreign_values, own_exclusions

        for one in foreign_values(program):
            lints.note_written(foreign_value.look(one.span, one.axis, one.name, one.told))
        for check in own_exclusions(program):
            if not check.because:
                lints.note_written(bare_exclusion.look(check.span))

    def look_at_texts(self, lints: Lints) -> None:
        """Search for marks of Nix in the sources, which do not depend on variants."""
        resolution, graph = self.resolution, self.graph
        assert resolution is not None and graph is not None
        self.look_at_exclusions(lints, resolution.program)
        if not resolution.marked:
            return
        from itertools import islice

        from tvarc.advice.lints.written import nix_mark, other_mark
        from tvarc.meaning.declarations.nix_marks import MOST, nix_marks

        own = {file: self.sources.get(file) for file, one in graph.modules.items() if not one.std}
        sources = {file: source for file, source in own.items() if source is not None}
        marks = nix_marks(resolution.marked, resolution.program, sources)
        for mark in islice(marks, MOST):
            found = other_mark if mark.other else nix_mark
            lints.note_written(found.look(mark.span, mark.what, mark.help))

    def files(
        self,
        source: str,
        variants: Sequence[Variant] | None = None,
        *,
        lints: bool = True,
        collections: bool = False,
        sizes: bool = True,
        look: Look | None = None,
        looking: Lints | None = None,
        findings: Findings | None = None,
    ) -> AllFiles:
        """The Nix files of *variants*, by default of all. `source` is the file that declares them.
        Its path is relative to the folder from which the paths of outputs begin, with `/` between
        its steps.

        Parts that variants share are made once. The first iteration reports faults; without
        *lints*, only faults that prevent a file. With *collections*, the files with all variants
        follow, and *variants* must be the default. Without *sizes*, outputs are not measured.
        *look* is called with each decided variant. *looking* are the lints, by default new ones,
        and *findings* gets their findings in each variant. After an error there are no files. A
        setting without an effect is known only from all variants together, so it is not reported
        for some of them.
        """
        from tvarc.build.assembly.files import AllFiles
        from tvarc.build.assembly.places import Source

        elaboration, expansion = self.elaboration, self.expansion
        assert expansion is not None
        self.streamed = True
        if self.kept is not None:
            self.kept.decides(self)

        chosen = expansion.variants if variants is None else variants

        def finish(found: Sequence[Present], outputs: OutputFiles) -> None:
            if self.kept is not None:
                self.kept.decided(self)
            if not lints:
                return
            from tvarc.build.linting.run import look_at_all, look_at_names

            lints_of = looking or self.lints()
            kept = None if self.sink.has_errors else self.kept
            looks = kept.looks.look if kept is not None else None
            look_at_all(lints_of, elaboration, found, findings, looks)
            look_at_names(lints_of, elaboration, found, outputs)
            self.finish(lints_of, whole=variants is None)

        place = Source(source, self.file)
        return AllFiles(
            elaboration,
            chosen,
            place,
            finish,
            collections=collections,
            sizes=sizes,
            look=look,
            kept=self.kept.texts if self.kept is not None else None,
        )

    def collections(self, source: str, paths: Iterable[str] = ()) -> Sequence[File]:
        """The files with all variants. `source` is the parameter of `files`. There are none after
        reporting their faults. No file may have one of *paths*. All variants must be decided and
        checked without an error."""
        if not self.program.collections:
            return ()
        from tvarc.build.assembly.collections import Collections
        from tvarc.build.assembly.places import Source
        from tvarc.matrix.present import Present, by_matrix

        presents = [Present(built, cells) for built, cells in by_matrix(self.variants)]
        place = Source(source, self.file)
        found = Collections(self.elaboration, presents, place)
        found.prepare(paths)
        return found.files()


def compile_file(
    file: str,
    loader: SourceLoader,
    settings: tuple[Setting, ...] = (),
    cache: Cache | None = None,
    *,
    checkouts: bool = True,
    inputs: tuple[str, ...] = (),
    notes: Notes | None = None,
    kept: KeptBuild | None = None,
) -> Compilation:
    """Load, resolve and expand *file*. *settings* and *inputs* come from the command line; the
    latter are `NAME=PATH`, for inputs that are read from a checkout. Sources in *cache* are not
    parsed again. With *checkouts*, the nixpkgs that a pin names by `path` must exist. Another state
    of a program is compared without it. *notes* gets the meanings of names, for an editor. *kept*
    has the last build of a process that builds repeatedly."""
    made = Compilation(file, loader, SourceMap(), Sink(), cache, given=inputs, kept=kept)
    locks: list[Lock] = []

    def lock() -> Lock:
        if not locks:
            locks.append(read_lock(file, loader, made.sources, made.sink))
        return locks[0]

    def module_inputs() -> ModuleInputs:
        made.module_inputs = inputs_by(lock, loader, inputs)
        return made.module_inputs

    made.graph = load(file, loader, made.sources, made.sink, cache, module_inputs)
    if made.graph is None:
        return made
    graph = made.graph

    def refuse_folder(importer: str, name: str) -> None:
        if graph.input_of(importer) is not None:
            raise UnreadableSource(name, "a module of an input cannot name a folder as it is")

    def join(importer: str, relative: str) -> str:
        name = loader.join(importer, relative)
        made.named[name] = None
        loader.kind(name)  # otherwise Nix would not find it
        return name

    def checkout(importer: str, relative: str) -> str:
        name = loader.join(importer, relative)
        refuse_folder(importer, name)
        made.checkouts[name] = None
        if checkouts:
            if loader.kind(name) != "folder":
                raise UnreadableSource(name, "it is a file, not a folder")
            file = loader.join(f"{name}/default.nix", "default.nix")
            if loader.kind(file) != "file":
                raise UnreadableSource(file, "it is a folder, not a file")
        return name

    known: list[LibraryNames] = []

    def library_names() -> LibraryNames:
        if not known:
            from tvarc.meaning.names.library_names import LibraryNames

            known.append(LibraryNames(loader, cache))
        return known[0]

    def folder(importer: str, relative: str) -> str:
        name = loader.join(importer, relative)
        refuse_folder(importer, name)
        made.checkouts[name] = None
        if checkouts:
            if loader.kind(name) != "folder":
                raise UnreadableSource(name, "it is a file, not a folder")
            beside, real = loader.identity(loader.join(importer, ".")), loader.identity(name)
            if real != loader.join(f"{beside}/-", relative):
                reason = f"a link leads from there to `{real}`, and a link can change"
                raise UnreadableSource(name, reason)
        return name

    folders = Folders(checkout, folder)
    made.resolution = resolve(
        made.graph, made.sources, made.sink, join, folders, library_names, notes
    )
    refuse_folders(made.resolution.program.overlays, loader, made.sink)
    if inputs:
        from tvarc.meaning.names.replaced import replaced_inputs

        program = made.resolution.program
        made.replaced = replaced_inputs(inputs, program, loader, made.sources, made.sink)
    if settings:
        from tvarc.meaning.overrides import resolve_overrides

        found = resolve_overrides(settings, made.resolution, made.sources, made.sink, join, cache)
        made.overrides = tuple(found)
    program = made.resolution.program
    if graph.whole:
        made.later = made.sink
    made.settings = settings
    made.lock = lock()
    if kept is not None and kept.renew(made):
        return made
    count = len(made.sink)
    made.expansion = expand(program, made.sink)
    made.streamed = made.expansion.too_many  # deciding them all takes too long, too
    check_names(made.expansion, made.sink)
    made.is_plain = len(made.sink) == count
    return made


def inputs_by(
    lock: Callable[[], Lock], loader: SourceLoader, given: tuple[str, ...]
) -> ModuleInputs:
    """The object that finds inputs with modules, with the hashes of *lock*. *given* are the
    checkouts that replace inputs, from the command line."""
    from tvarc.meaning.declarations.from_inputs import ModuleInputs
    from tvarc.meaning.names.replaced import folders_given

    def hash_of(source: Fetched) -> str | None:
        entry = lock().entries.get(source)
        return entry.hash if entry is not None else None

    return ModuleInputs(folders_given(given, loader), hash_of)


def read_lock(file: str, loader: SourceLoader, sources: SourceMap, sink: Sink) -> Lock:
    """The lock next to the program *file*; an empty one if there is none. Faults are reported
    (E943)."""
    name = loader.join(file, LOCK_NAME)
    try:
        source = loader.read(name)
    except UnreadableSource as fault:
        if fault.missing:
            return EMPTY
        from tvarc.build import messages as msg

        sink.report(msg.locks.UNREADABLE, name=name, reason=fault.reason)
        return Lock({}, broken=True)
    # A program without a lock does not load the reader.
    from tvarc.build.lock.reader import parse_lock

    sources.add(source)
    return parse_lock(source, sink)
