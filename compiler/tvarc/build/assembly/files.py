"""The files of a program's variants, in order. The text of a file is made when it is read.

A caller can iterate over the files several times. The first iteration decides and checks all
variants, so that all faults are known before anything is written.
"""

from __future__ import annotations

from itertools import compress

from tvarc.build.assembly.bodies import Bodies
from tvarc.build.assembly.outputs import OutputFiles
from tvarc.build.assembly.places import Source
from tvarc.decide.elaborate import Elaboration
from tvarc.decide.plan import group_of
from tvarc.files.output.header import File, sealing
from tvarc.light import TYPE_CHECKING, Callable, Iterable, Iterator, Sequence, dataclass
from tvarc.matrix.present import Present, by_matrix
from tvarc.matrix.variants import Built, Variant
from tvarc.meaning.budget import FREE_RECIPE
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Failed

if TYPE_CHECKING:
    from tvarc.build.assembly.collections import Collections
    from tvarc.build.assembly.kept import Kept, KeptRecipes

MOST_KEPT = 1 << 14
"""If a program has at most this many variants, their recipes are kept after the first iteration. A
recipe takes about 1 kB, since it shares its values with others."""
_LARGEST_KEPT = 1 << 26
"""If all decided values have more characters than this, no recipe is kept."""

Look = Callable[[str, Sequence[tuple[str, str]]], None]
"""Receives each decided variant: its name, and each of its files as the path and the text without
the digest."""


class AllFiles:
    """The files of some variants.

    The first iteration reports faults to the elaboration's sink, and yields no file after the first
    error. At its end it calls *finish* with the variants of each matrix that can be decided, and
    the files."""

    __slots__ = (
        "_collections", "_done", "_elaboration", "_finish", "_groups", "_look", "_outputs",
        "_sizes",
    )  # fmt: skip

    def __init__(
        self,
        elaboration: Elaboration,
        variants: Sequence[Variant],
        source: Source,
        finish: Callable[[Sequence[Present], OutputFiles], None],
        *,
        collections: bool,
        sizes: bool = True,
        look: Look | None = None,
        kept: Kept | None = None,
    ) -> None:
        """With *collections*, the files that have all of the variants are included. Without
        *sizes*, outputs are not refused for their size. *look* is called in the first iteration,
        for each variant that can be decided. *kept* has the texts of the last build."""
        self._elaboration = elaboration
        recipes: KeptRecipes | None = None
        if kept is None:
            self._outputs = OutputFiles(elaboration.program.outputs, elaboration.sink)
            bodies = Bodies(source.path, source.entry)
        else:
            bodies, self._outputs = kept.begin(source.path, source.entry, elaboration)
            recipes = kept.recipes
        self._groups = [
            _Group(
                elaboration, self._outputs, built, cells, bodies, recipes,
                keeps=len(variants) <= MOST_KEPT,
            )
            for built, cells in by_matrix(variants)
        ]
        self._collections: Collections | None = None
        if collections and elaboration.program.collections:
            from tvarc.build.assembly.collections import Collections

            presents = [group.present for group in self._groups]
            self._collections = Collections(elaboration, presents, source)
        self._finish = finish
        self._done = False
        self._sizes = sizes
        self._look = look

    def __iter__(self) -> Iterator[File]:
        sink = self._elaboration.sink
        collections = self._collections if not self._done else None
        if collections is not None and collections.refuses_first():
            return
        for group in self._groups:
            if not self._done:
                group.prepare(self._free(), self._look)
                self._refuse_size()
            if not sink.has_errors:
                yield from group.files()
        if not self._done:
            self._done = True
            if self._collections is not None and not sink.has_errors:
                self._collections.prepare(self._outputs.taken())
            self._finish([group.decided for group in self._groups], self._outputs)
        if self._collections is not None and not sink.has_errors:
            yield from self._collections.files()

    def of_variants(self) -> Iterator[VariantFile]:
        """The files that have one variant each. All variants must be decided, without an error."""
        for group in self._groups:
            yield from group.files()

    def size(self) -> int:
        """The bytes of all files. A file that is already measured is not made again for this."""
        others = self._collections.files() if self._collections is not None else ()
        sizes = [group.weight() for group in self._groups]
        return sum(sizes) + sum([len(file.data()) for file in others])

    def _free(self) -> int | None:
        """The bytes that the files may still have, besides those that are already measured.
        Negative if these exceed the limit. None if no output can exceed its limit, or without
        sizes."""
        outputs = self._elaboration.program.outputs
        most = min([output.limit for output in outputs], default=0)
        if not self._sizes or sum(group.at_most for group in self._groups) <= most:
            return None
        return most * len(outputs) - sum(group.size for group in self._groups)

    def _refuse_size(self) -> None:
        """Report outputs whose files are too large together, before any of them is written. The
        files of all outputs have the same bodies."""
        if self._elaboration.sink.has_errors:
            return
        outputs = self._elaboration.program.outputs
        size = sum(group.size for group in self._groups)
        for output in outputs:
            if size > output.limit * len(outputs):
                from tvarc.build.assembly.collections import report_size

                report_size(output, self._elaboration.sink)


class _Group:
    """The files of some variants of one matrix."""

    __slots__ = (
        "_bodies", "_elaboration", "_files", "_is_measured", "_kept", "_paths", "_recipes", "_seal",
        "decided", "present", "size",
    )  # fmt: skip

    def __init__(
        self,
        elaboration: Elaboration,
        files: OutputFiles,
        built: Built,
        cells: Sequence[int],
        bodies: Bodies,
        recipes: KeptRecipes | None,
        *,
        keeps: bool,
    ) -> None:
        """The files of the variants of *built* in *cells*. With *keeps*, their recipes are kept
        after they are decided."""
        self._elaboration = elaboration
        self._files = files
        self.present = self.decided = Present(built, cells)
        self._bodies = bodies
        self._recipes = recipes
        self._seal = sealing(self.count)
        self.size = 0  # bytes of the measured files
        self._is_measured = False
        # All recipes, unless they are too many or too large.
        self._kept: list[ir.Recipe] | None = [] if keeps else None
        # The paths of the files of each decided variant, by the name of the output.
        self._paths: list[tuple[tuple[str, str], ...]] = []

    @property
    def count(self) -> int:
        return len(self.present.cells) * len(self._elaboration.program.outputs)

    @property
    def at_most(self) -> int:
        """A bound on the bytes of the files of one output. They may have far fewer."""
        return FREE_RECIPE * len(self.present.cells)  # above it, all of them share one limit

    def variants(self) -> Iterator[Variant]:
        built = self.present.built
        for batch, names in self.present.batches():
            for cell, name in zip(batch.cells, names, strict=True):
                yield Variant(built, cell, name)

    # --- deciding and checking -----------------------------------------------------------

    def prepare(self, free: int | None, look: Look | None) -> None:
        """Decide and check all variants, and report their faults. Files are measured until they
        have more than *free* bytes. *look* is called for each decided variant."""
        elaboration = self._elaboration
        total = elaboration.shared.total
        self._paths, self.size = [], 0  # the first iteration may have ended early
        self._is_measured = free is not None
        failed: set[int] = set()
        if self._kept is not None:
            self._kept = []
        decided, printing, of = elaboration.recipe, elaboration.printing, self._files.of
        decide: Callable[[Variant], ir.Recipe] | None = None
        if self._recipes is not None:
            decide = self._recipes.decide(self.present.built.matrix.id, self._decided)
        for variant in self.variants():
            try:
                recipe = decided(printing(variant), of) if decide is None else decide(variant)
            except Failed:
                self._kept = None
                failed.add(variant.cell)
                if total.reported:
                    failed.update(self.present.cells)
                    break
                continue
            self._paths.append(recipe.files)
            if free is not None and self.size <= free:
                self.size += self._size(recipe)
            if look is not None:
                look(recipe.variant, [(path, self._text(recipe, path)) for _, path in recipe.files])
            if self._kept is not None:
                self._kept.append(recipe)
                if elaboration.shared.decided_weight > _LARGEST_KEPT:
                    self._kept = None
        if failed:
            cells = [cell for cell in self.present.cells if cell not in failed]
            self.decided = Present(self.present.built, cells)
        self._check()

    def _check(self) -> None:
        """Run the checks. Each is run once for each combination of its reads."""
        elaboration, present = self._elaboration, self.present
        if not present.cells:
            return
        matrix = present.built.matrix
        plan = elaboration.plan(matrix)
        checks, reads = elaboration.checks, elaboration.shared.reads
        for check in (*plan.checks, *checks.fits(elaboration.program.checks, matrix)):
            found = reads.check(check)
            axes, name_dependent = plan.transitive_dependencies(
                map(group_of, found.settings), reads
            )
            if name_dependent:
                for variant in self.variants():
                    deciding = elaboration.deciding(variant)
                    if checks.fails(check, deciding):
                        checks.found(check, deciding, (variant.name,))
                continue
            projection = present.projection(axes | found.axes)
            failing = {
                key
                for key, variant in present.variants(projection)
                if checks.fails(check, elaboration.deciding(variant))
            }
            if not failing:
                continue
            for batch, names in present.batches():
                flags = [key in failing for key in projection.keys(batch)]
                cells = list(compress(batch.cells, flags))
                if cells:
                    first = Variant(present.built, cells[0])
                    named = list(compress(names, flags))
                    checks.found(check, elaboration.deciding(first), named)
        if elaboration.program.stacked and elaboration.needs.checks_in(matrix):
            for variant in self.variants():
                elaboration.check_needs(elaboration.deciding(variant))

    # --- files ---------------------------------------------------------------------------

    def files(self) -> Iterator[VariantFile]:
        """The files. All variants must be decided, without an error."""
        return self._again() if self._kept is None else self._of_kept(self._kept)

    def weight(self) -> int:
        """The bytes of the files. All variants must be decided, without an error."""
        if self._is_measured:
            return self.size
        if self._kept is not None:
            return sum(map(self._size, self._kept))
        return sum([self._size(self._again_decided(variant)) for variant in self.variants()])

    def _size(self, recipe: ir.Recipe) -> int:
        """The bytes of all files of *recipe*."""
        return sum([self._bodies.size(recipe, path) for _, path in recipe.files])

    def _of_kept(self, recipes: Iterable[ir.Recipe]) -> Iterator[VariantFile]:
        for recipe in recipes:
            for _, path in recipe.files:
                yield VariantFile(path, recipe, self)

    def _again(self) -> Iterator[VariantFile]:
        """All files. A variant is decided again when the text of one of its files is read."""
        for variant, paths in zip(self.variants(), self._paths, strict=True):
            for _, path in paths:
                yield VariantFile(path, variant, self)

    def _decided(self, variant: Variant) -> ir.Recipe:
        return self._elaboration.recipe(self._elaboration.printing(variant), self._files.of)

    def _again_decided(self, variant: Variant) -> ir.Recipe:
        return self._elaboration.shared.again(self._decided, variant)

    def data(self, of: ir.Recipe | Variant, path: str) -> bytes:
        """The text of the file at *path* of a variant."""
        head, body = self.unsealed(of, path)
        return self._seal(head.encode(), body.encode())

    def unsealed(self, of: ir.Recipe | Variant, path: str) -> tuple[str, str]:
        """The head and the body of the file at *path* of a variant."""
        if isinstance(of, Variant):
            of = self._again_decided(of)
        head, texts = self._bodies.parts(of, path)
        return head, "".join(texts)

    def _text(self, recipe: ir.Recipe, path: str) -> str:
        """The text of a file without its digest."""
        head, texts = self._bodies.parts(recipe, path)
        return "".join([head, *texts])


@dataclass(slots=True, eq=False)
class VariantFile:
    """A file of a variant. Its text is made when it is read."""

    path: str
    of: ir.Recipe | Variant
    group: _Group

    def data(self) -> bytes:
        return self.group.data(self.of, self.path)

    def unsealed(self) -> tuple[str, str]:
        """The head and the body, without the digest between them."""
        return self.group.unsealed(self.of, self.path)
