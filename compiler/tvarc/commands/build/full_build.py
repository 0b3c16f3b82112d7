"""A build in which something may have changed: the plan of the files of a compiled program, and the
result of writing them. `build/noop_build.py` handles a build in which nothing has changed."""

# pathlib costs too much at start.
# ruff: noqa: PTH120
from __future__ import annotations

import os
from itertools import islice

from tvarc.build.driver import Compilation
from tvarc.commands.build.noop_build import Record, Watcher, keep, record_key
from tvarc.commands.build.text import common_folder, out_of_date, plain
from tvarc.commands.programs.find import source_from
from tvarc.commands.programs.outputs import (
    LazyVersions,
    author_of,
    demand_no_packages,
    files_read,
    sweep_of,
)
from tvarc.files.cache import Cache
from tvarc.files.disk import Seen
from tvarc.files.output.header import File
from tvarc.files.output.plan import (
    Author,
    BuildOptions,
    Claim,
    Protected,
    Sweep,
    WriteMode,
    WriteReport,
)
from tvarc.files.output.record import expected_of
from tvarc.files.output.write import write_files
from tvarc.light import TYPE_CHECKING, Final, Iterable, Iterator, Sequence, dataclass
from tvarc.matrix.variants import Variant
from tvarc.text.diagnostics.model import Sink

if TYPE_CHECKING:
    from tvarc.build.assembly.files import AllFiles
    from tvarc.commands.build.noop_build import Beside
    from tvarc.files.output.plan import Comparing, Shared
    from tvarc.files.persons import SharedFile
    from tvarc.nix.judge.equivalence import Equivalence


@dataclass(frozen=True, slots=True)
class Built:
    """A finished build: the results for the files below *root*, the paths of all of them, lines to
    report after that, and the results for `shared` files. `apart` are the paths of files that are
    not the recipe of one variant, see `Plan.apart`. `up_to_date` says that all files are as they
    should be, and that the user has nothing to decide."""

    report: WriteReport
    root: str
    paths: Iterable[str]
    remarks: tuple[str, ...]
    shared: tuple[Shared, ...]
    apart: tuple[str, ...]
    up_to_date: bool


_WORTH_TELLING: Final = 1 << 20
_OWN: Final = 6  # evaluations that a setting of a single variant counts as, for a source map


MOST_FILES: Final = 50_000
"""The greatest number of recipes of an output that states no higher limit."""


@dataclass(frozen=True, slots=True)
class Target:
    """The places of a build: the folder that the paths of outputs start from, and the name of the
    program in the heads of recipes."""

    root: str
    source: str


def target_of(made: Compilation, options: BuildOptions, sink: Sink) -> Target:
    """The places of a build with *options*. Unsuitable places are reported."""
    home = os.path.dirname(made.file)
    root = home if options.out is None else options.out
    source = source_from(made.file, root)
    demand_no_packages(made, root, sink)
    if options.out is not None:
        from tvarc.files.output.folders import demand_plain

        demand_plain(options.out, home, source, sink)
    if options.git and made.has_folders():
        from tvarc.commands.build.places import refuse_unshared

        refuse_unshared(made, sink)
    return Target(root, source)


@dataclass(frozen=True, slots=True, eq=False)
class _Both:
    """Recipes, followed by files for other systems."""

    recipes: AllFiles
    others: Sequence[File]

    def __iter__(self) -> Iterator[File]:
        yield from self.recipes
        yield from self.others

    def size(self) -> int:
        """The bytes of all files."""
        return self.recipes.size() + sum(len(file.data()) for file in self.others)


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The plan of a build: the files of *variants*, with those *for_others* that are not recipes,
    and the results for `shared` files. `tops` are the tops of repositories that decide the
    content of workflows, by the folders from which they were found. `reads` are files that must not
    be overwritten. `differing` are hand-written files that stay, because Nix gives them another
    derivation. `recorded` says that the build may leave a record."""

    made: Compilation
    options: BuildOptions
    target: Target
    variants: Sequence[Variant]
    files: AllFiles | _Both
    for_others: Sequence[File]
    tops: dict[str, str]
    author: Author
    reads: Sequence[str]
    sweep: Sweep | None
    recorded: bool
    shared: Sequence[tuple[Shared, SharedFile]]
    differing: Sequence[Equivalence]

    @property
    def count(self) -> int:
        """The number of files."""
        return self._recipes + self._whole + len(self.for_others)

    @property
    def _recipes(self) -> int:
        """The number of files with one variant."""
        return len(self.variants) * len(self.made.outputs)

    @property
    def _whole(self) -> int:
        """The number of files with all variants; they are after the others."""
        return 0 if self.options.only else len(self.made.program.collections)

    def apart(self) -> tuple[str, ...]:
        """The paths of the files that are reported one by one: those for other systems, and those
        with all variants if there are recipes of one variant as well."""
        for_others = tuple([file.path for file in self.for_others])
        if not self._recipes or not self._whole:
            return for_others
        whole = list(islice(self.files, self._recipes, self._recipes + self._whole))
        return (*[file.path for file in whole], *for_others)

    def write(self, progress: Watcher, sink: Sink, compare: Comparing) -> WriteReport:
        """Write the files that changed, or with `check` find out which would be written. *compare*
        is the parameter of `write_files`."""
        made, options = self.made, self.options
        folders = (*made.checkouts, *made.replaced.values())
        return write_files(
            self.files,
            self.target.root or ".",
            WriteMode(options.check or options.dry_run, options.force, options.adopt),
            sink,
            protected=Protected(
                self.reads,
                [made.loader.identity(name) for name in folders],
                [one.path for one in self.differing],
            ),
            claim=Claim(self.author, LazyVersions() if options.git else None),
            sweep=self.sweep,
            progress=progress,
            compare=compare,
        )

    def write_shared(self) -> None:
        """The same for files that tvarc writes only in part."""
        if self.shared:
            from tvarc.files.persons import write_shared

            write_shared(self.shared, self.options)

    def is_out_of_date(self, report: WriteReport) -> bool:
        """Whether a run with `check` found a change."""
        shared = any(one.differs for one, _ in self.shared)
        return self.options.check and (_is_changed(report) or shared)

    def report_out_of_date(self, report: WriteReport, sink: Sink) -> None:
        """Report the findings of a run with `check`."""
        if _is_changed(report):
            sink.add(out_of_date(report, self.options))
        if self.shared:
            from tvarc.commands.build.text import shared_out_of_date

            for one in shared_out_of_date(self._shared(), self.options):
                sink.add(one)

    def write_source_map(self, report: WriteReport, sink: Sink) -> str:
        """Write the source map, if it is requested; returns the lines that report it."""
        if not self.options.source_map:
            return ""
        from tvarc.commands.build.source_map import write_map

        place, is_changed = write_map(
            self.made,
            common_folder(report.folders),
            self.target.root,
            self.target.source,
            sink,
            force=self.options.force,
        )
        return plain(f"source map {place}: {'written' if is_changed else 'unchanged'}")

    def keep_record(self, cache: Cache, seen: Seen, report: WriteReport) -> None:
        """Store a record for the next build: the files that this build, which had no errors, has
        *seen* and made."""
        options, target = self.options, self.target
        writes = not (options.check or options.dry_run)
        if not self.recorded or (report.written and not writes):
            return
        expected = expected_of(report.entries)
        if expected is None:
            return
        more: Beside | None = None
        apart = self.apart()
        if apart or self.shared:
            from tvarc.commands.build.noop_build import beside

            more = beside(apart, self._shared(), self.tops, writes=writes)
            if more is None:
                return
        key = record_key(cache, self.made.file, target.root, target.source, options)
        remarks = tuple(self._left_alone())
        warnings = self.made.diagnostics
        keep(cache, key, Record(seen, self.sweep, expected, (), remarks, None), warnings, more)

    def built(self, report: WriteReport, source_map: str) -> Built:
        """The finished build; *source_map* is the report on the source map."""
        is_current = not self.is_out_of_date(report) and not self.differing
        remarks = () if self.options.json else tuple(self._remarks(source_map))
        if self.options.dry_run and report.written and not self.options.json:
            size = self.files.size()
            if size >= _WORTH_TELLING:
                remarks = (*remarks, f"{size:,} bytes in all")
        paths = (file.path for file in self.files)
        root, shared = self.target.root, self._shared()
        return Built(report, root, paths, remarks, shared, self.apart(), is_current)

    def _remarks(self, source_map: str) -> list[str]:
        made, options = self.made, self.options
        remarks: list[str] = []
        if self.differing:  # there are nearly always none
            from tvarc.commands.evaluation.equivalence import differing_lines

            remarks += [line for one in self.differing for line in differing_lines(one)]
        remarks += self._left_alone()
        if source_map:
            remarks.append(source_map)
        if options.inputs:
            from tvarc.commands.build.places import telling_nix

            recipes = map(made.recipe, self.variants)
            remarks.append(plain(telling_nix(made, recipes, self.target.root)))
        return remarks

    def _left_alone(self) -> Iterator[str]:
        """The report on files that a part of the variants does not change."""
        made = self.made
        if not self.options.only:
            return
        if made.program.jobs or made.program.collections:
            yield "--only does not change files that hold all variants"
        if made.program.documents:
            yield "--only does not change pages"

    def _shared(self) -> tuple[Shared, ...]:
        return tuple([one for one, _ in self.shared])


def _is_changed(report: WriteReport) -> bool:
    return bool(report.written or report.swept.removed)


def plan(
    made: Compilation,
    options: BuildOptions,
    target: Target,
    variants: Sequence[Variant],
    sink: Sink,
    *,
    recorded: bool,
) -> Plan | None:
    """The plan of a build of *variants* and their needs. None after reporting that Nix cannot
    compare hand-written files; other errors go to *sink*. With *recorded*, the build may keep a
    record for the next one."""
    if options.only and made.is_stacked:
        variants = made.stack.closure(variants)
    # A record has the files that were read. It has no results of git or Nix, and no checkouts of
    # inputs.
    asks = made.has_folders() or options.inputs or options.if_equal
    author = author_of(made.file)
    reads = files_read(made)
    if options.source_map and not sink.has_errors:
        from tvarc.build import messages as msg
        from tvarc.commands.programs.selecting import are_few, share_enough

        if are_few(made, variants, msg.questions.TOO_MANY_FOR_A_MAP):
            share_enough(made, variants, msg.questions.TOO_MANY_FOR_A_MAP, _OWN)
    if not (options.check or options.dry_run or sink.has_errors):
        _refuse_many(made, len(variants), sink)
    shared: list[tuple[Shared, SharedFile]] = []
    if made.program.manifests and not sink.has_errors:
        from tvarc.commands.build.manifests import manifests_of

        shared += manifests_of(made, variants, target.root, author.name, reads, options, sink)
    for_others: Sequence[File] = ()
    tops: dict[str, str] = {}
    if made.program.jobs and not options.only and not sink.has_errors:
        from tvarc.commands.build.places import place_of_workflows
        from tvarc.farm.ci.files import files_of

        place = place_of_workflows(made, target.root, sink)
        for_others, tops = files_of(made, place.program, target.source), place.tops
    if made.program.documents and not options.only and not sink.has_errors:
        from tvarc.commands.documents import pages_of

        shared += pages_of(made, target.root, reads, options, sink)
        asks = asks or any(one.unrecorded for one, _ in shared)
    differing: Sequence[Equivalence] | None = ()
    if options.if_equal and not sink.has_errors:
        differing = _differing(made, variants, target.root, sink)
    if differing is None:
        return None
    chosen = variants if options.only else None
    recipes = made.files(target.source, chosen, collections=not options.only)
    return Plan(
        made,
        options,
        target,
        variants,
        _Both(recipes, for_others) if for_others else recipes,
        for_others,
        tops,
        author,
        reads,
        sweep_of(made, author, options),
        recorded and not asks,
        shared,
        differing,
    )


def _refuse_many(made: Compilation, count: int, sink: Sink) -> None:
    """Report each output that would write more files than it may."""
    if count <= MOST_FILES:
        return
    from tvarc.build import messages as msg
    from tvarc.meaning.hir import LIMIT_RECIPES

    for output in made.outputs:
        if output.limit <= LIMIT_RECIPES:
            sink.report(
                msg.outputs.TOO_MANY_FILES,
                output.span,
                output=output.name,
                count=count,
                most=MOST_FILES,
                limit=LIMIT_RECIPES * 2,
            )


def _differing(
    made: Compilation, variants: Sequence[Variant], root: str, sink: Sink
) -> Sequence[Equivalence] | None:
    """The hand-written files that do not have the derivation of their variant; None after reporting
    that Nix cannot run."""
    from tvarc.commands.audit import compared_by_nix, in_build

    files = list(in_build(made, variants, root))
    if sink.has_errors:
        return ()
    found = compared_by_nix(made, files, sink)
    return None if found is None else [one for one in found.files if not one.equal]
