"""The files of a program's variants, in order, made as they are asked for.

They can be gone through several times: the first time decides and checks everything, so that
what is wrong is known before anything is written.
"""

from __future__ import annotations

import posixpath
from array import array
from itertools import compress, repeat

from tvarc import ir
from tvarc.assembly.headers import Headers
from tvarc.assembly.matrix import Matrix
from tvarc.assembly.outputs import OutputFiles
from tvarc.assembly.paths import Paths
from tvarc.assembly.plain import AskedRelative, Places, Source, recipe_text
from tvarc.assembly.present import NotShareable, Present, by_matrix
from tvarc.diagnostics.model import Failed
from tvarc.elaborate.elaborate import Elaboration
from tvarc.elaborate.plan import group_of
from tvarc.light import TYPE_CHECKING, Callable, Iterable, Iterator, Sequence, dataclass
from tvarc.matrix.cells import Batch
from tvarc.matrix.names import has_pairs
from tvarc.matrix.variants import Built, Variant
from tvarc.output.header import sealing
from tvarc.output.model import File, OutputFile
from tvarc.paths import folded
from tvarc.sema.budget import FREE_RECIPE
from tvarc.sema.scope import NEEDS

if TYPE_CHECKING:
    from tvarc.assembly.collections import Collections

_MOST_FOLDERS = 64
_HEAD = 1 << 10  # bytes that the head of a file may have


class AllFiles:
    """The files of some variants. Going through them reports what is wrong to the elaboration's
    sink; after the first error there are no more files. At the end of the first time *finish*
    is called with the variants of each matrix."""

    __slots__ = ("_collections", "_done", "_elaboration", "_finish", "_groups")

    def __init__(
        self,
        elaboration: Elaboration,
        variants: Sequence[Variant],
        source: Source,
        finish: Callable[[Sequence[Present]], None],
        *,
        collections: bool,
    ) -> None:
        """With *collections* the files too that hold all of the variants."""
        self._elaboration = elaboration
        outputs = OutputFiles(elaboration.program.outputs, elaboration.sink)
        self._groups = [
            _Group(elaboration, outputs, built, cells, source)
            for built, cells in by_matrix(variants)
        ]
        self._collections: Collections | None = None
        if collections and elaboration.program.collections:
            from tvarc.assembly.collections import Collections

            presents = [group.present for group in self._groups]
            self._collections = Collections(elaboration, presents, source)
        self._finish = finish
        self._done = False

    def __iter__(self) -> Iterator[File]:
        sink = self._elaboration.sink
        hashes = array("q")
        if not self._done and self._collections is not None:
            self._collections.refuse_first()
            if sink.has_errors:
                return
        for group in self._groups:
            if not self._done:
                hashes.extend(group.prepare())
            if not sink.has_errors:
                yield from group.files(None)
        if not self._done:
            self._done = True
            if has_pairs(hashes):
                for group in self._groups:
                    group.report_files()
            if self._collections is not None and not sink.has_errors:
                taken = any(hash(path) in hashes for path in self._collections.folded())
                self._collections.prepare(self._paths() if taken else ())
            self._finish([group.present for group in self._groups])
            if not sink.has_errors:
                self._refuse_size()
        if self._collections is not None and not sink.has_errors:
            yield from self._collections.files()

    def _refuse_size(self) -> None:
        """Refuse outputs whose files are larger together than they may be, before any is written.
        The files of all outputs have the same bodies."""
        outputs = self._elaboration.program.outputs
        most = min([output.limit for output in outputs], default=0)
        if not outputs or sum(group.at_most for group in self._groups) <= most:
            return
        size = 0
        for group in self._groups:
            for file in group.files(None):
                size += len(file.data())
                if size > most * len(outputs):
                    break
        for output in outputs:
            if size > output.limit * len(outputs):
                from tvarc.assembly.collections import report_size  # few programs need it

                report_size(output, self._elaboration.sink)

    def _paths(self) -> Iterator[str]:
        """The paths of all files of single variants."""
        for group in self._groups:
            for file in group.files(None):
                yield file.path

    def among(self, wanted: Sequence[int]) -> Iterator[File]:
        """Of all files, in order, those for which *wanted* holds no 0."""
        start = 0
        for group in self._groups:
            end = start + group.count
            if any(wanted[start:end]):
                yield from group.files(wanted[start:end])
            start = end
        if self._collections is not None:
            yield from compress(self._collections.files(), wanted[start:])


class _Group:
    """The files of some variants of one matrix."""

    __slots__ = (
        "_elaboration",
        "_files",
        "_folders",
        "_headers",
        "_outputs",
        "_paths",
        "_source",
        "present",
    )

    def __init__(
        self,
        elaboration: Elaboration,
        files: OutputFiles,
        built: Built,
        cells: Sequence[int],
        source: Source,
    ) -> None:
        self._elaboration = elaboration
        self._files = files
        self.present = Present(built, cells)
        self._source = source
        self._outputs = elaboration.program.outputs
        self._paths: list[Paths] = []
        self._folders: dict[str, Matrix] = {}
        self._headers: Headers | None = None

    @property
    def count(self) -> int:
        return len(self.present.cells) * len(self._outputs)

    @property
    def at_most(self) -> int:
        """A number of bytes that no output's files exceed; it may be far more than they have."""
        each = FREE_RECIPE  # and beyond that all of them have one limit
        if self._headers is not None:
            longest = [matrix.longest for matrix in self._folders.values()]
            each = max(longest, default=0) + _HEAD
        return each * len(self.present.cells)

    def variants(self) -> Iterator[Variant]:
        built = self.present.built
        for batch, names in self.present.batches():
            for cell, name in zip(batch.cells, names, strict=True):
                yield Variant(built, cell, name)

    # --- deciding and checking -----------------------------------------------------------

    def prepare(self) -> Iterator[int]:
        """Decide and check all variants, and report what is wrong. Gives a number for each
        file; those of two files that a file system may take for one are equal."""
        if not self.present.cells:
            return iter(())
        try:
            hashes = self._assemble()
        except NotShareable:
            self._headers = None
            return self._one_by_one()
        self._check()
        return iter(hashes)

    def _assemble(self) -> array[int]:
        """Make the fragments of all files; raises NotShareable."""
        plan = self._elaboration.plan(self.present.built.matrix)
        if len(self._outputs) > 1 and plan.keys(NEEDS):
            raise NotShareable  # files of one folder name others by the outputs that they are of
        silent = self._elaboration.silent()
        self._paths = [Paths(output, silent, self.present) for output in self._outputs]
        hashes = array("q")
        folders: dict[str, None] = {}
        for batch, names in self.present.batches():
            for paths in self._paths:
                texts = paths.texts(batch, names)
                folders.update(dict.fromkeys(paths.check(texts)))
                hashes.extend([hash(folded(text)) for text in texts])
        if len(silent.sink):
            raise NotShareable
        self._folders = {}
        shared: Matrix | None = None
        for folder in folders or {"": None}:
            if shared is None:
                relative = AskedRelative(Places(self._source.path, folder, self._source.entry))
                matrix = Matrix(
                    self._elaboration,
                    self.present,
                    relative,
                    placeholders=self._source.placeholders,
                )
                if not relative.asked:
                    shared = matrix
                elif len(self._folders) == _MOST_FOLDERS:
                    raise NotShareable
            self._folders[folder] = shared or matrix
        self._headers = Headers(self.present, posixpath.basename(self._source.path))
        return hashes

    def _check(self) -> None:
        """Run the checks, each once for each combination of what it reads."""
        elaboration, present = self._elaboration, self.present
        matrix = present.built.matrix
        plan = elaboration.plan(matrix)
        checks, reads = elaboration.checks, elaboration.shared.reads
        if elaboration.program.stacked and elaboration.needs.checks_in(matrix):
            for variant in self.variants():
                elaboration.check_needs(elaboration.deciding(variant))
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

    def _one_by_one(self) -> Iterator[int]:
        """Decide and check each variant by itself, which reports what is wrong."""
        for variant in self.variants():
            recipe = self._elaboration.variant(variant, self._files.of)
            for _, file in recipe.files if recipe is not None else ():
                yield hash(folded(file))
            if self._elaboration.shared.total.reported:
                return

    def report_files(self) -> None:
        """Report files that two variants would have."""
        for variant in self.variants():
            try:
                self._files.of(self._elaboration.deciding(variant))
            except Failed:
                continue

    # --- files ---------------------------------------------------------------------------

    def files(self, wanted: Sequence[int] | None) -> Iterator[File]:
        """The files, or of them the *wanted* ones."""
        if self._headers is None:
            return _chosen(self._plain_files(), wanted)
        outputs = len(self._paths)
        present = self.present
        if wanted is not None and not all(wanted):
            flags = wanted
            if outputs > 1:
                flags = [any(wanted[i : i + outputs]) for i in range(0, len(wanted), outputs)]
            present = Present(present.built, array("L", compress(present.cells, flags)))
            if outputs > 1:
                kept = [w for i, w in enumerate(wanted) if flags[i // outputs]]
                return _chosen(self._assembled(present, self._headers), kept)
        return self._assembled(present, self._headers)

    def _assembled(self, present: Present, headers: Headers) -> Iterator[File]:
        seal = sealing(self.count)
        single = len(set(map(id, self._folders.values()))) == 1
        matrix = next(iter(self._folders.values()))
        for batch, names in present.batches():
            columns = [paths.texts(batch, names) for paths in self._paths]
            if single and len(columns) == 1:
                texts = _Texts(matrix, headers, batch, names, seal)
                yield from map(_Assembled, columns[0], repeat(texts), range(len(names)))
                continue
            texts_of = {
                one: _Texts(one, headers, batch, names, seal) for one in self._folders.values()
            }
            for place in range(len(names)):
                for paths in columns:
                    one = self._folders[paths[place].rpartition("/")[0]]
                    yield _Assembled(paths[place], texts_of[one], place)

    def _plain_files(self) -> Iterator[File]:
        """The files of variants that were decided one by one, and found right."""
        elaboration, source, outputs = self._elaboration, self._source, self._files

        def paths(variant: Variant) -> tuple[tuple[str, str], ...]:
            return outputs.of(elaboration.deciding(variant))

        for variant in self.variants():
            made = _Plain(elaboration, variant, outputs, source)
            for _, path in elaboration.shared.again(paths, variant):
                yield _PlainFile(path, made)


class _Plain:
    """A variant by itself, decided when the first of its files is asked for."""

    __slots__ = ("_elaboration", "_outputs", "_recipe", "_source", "_variant")

    def __init__(
        self, elaboration: Elaboration, variant: Variant, outputs: OutputFiles, source: Source
    ) -> None:
        self._elaboration = elaboration
        self._outputs = outputs
        self._source = source
        self._variant = variant
        self._recipe: ir.Recipe | None = None

    def text(self, path: str) -> str:
        """The text of its file at *path*."""
        if self._recipe is None:
            self._recipe = self._elaboration.shared.again(self._decided, self._variant)
        return recipe_text(self._recipe, self._source.path, path, self._source.entry)

    def _decided(self, variant: Variant) -> ir.Recipe:
        elaboration = self._elaboration
        return elaboration.recipe(elaboration.deciding(variant), self._outputs.of)


@dataclass(slots=True, eq=False)
class _PlainFile:
    """A file of a variant that was decided by itself; its text is made when it is asked for."""

    path: str
    made: _Plain

    def data(self) -> bytes:
        return OutputFile(self.path, self.made.text(self.path)).data()


def _chosen(files: Iterable[File], wanted: Sequence[int] | None) -> Iterator[File]:
    return iter(files) if wanted is None else compress(files, wanted)


class _Texts:
    """The texts of a batch of files, looked up when the first of them is asked for."""

    __slots__ = ("_batch", "_bodies", "_headers", "_heads", "_matrix", "_names", "_seal")

    def __init__(
        self,
        matrix: Matrix,
        headers: Headers,
        batch: Batch,
        names: Sequence[str],
        seal: Callable[[bytes, bytes], bytes],
    ) -> None:
        self._matrix = matrix
        self._headers = headers
        self._batch = batch
        self._names = names
        self._seal = seal
        self._heads: list[bytes] = []
        self._bodies: list[tuple[bytes, ...]] = []

    def text(self, place: int) -> bytes:
        if not self._heads:
            self._heads = self._headers.texts(self._batch, self._names)
            self._bodies = list(self._matrix.bodies(self._batch, self._names))
        return self._seal(self._heads[place], b"".join(self._bodies[place]))


@dataclass(slots=True, eq=False)
class _Assembled:
    """A file that is put together when its text is asked for."""

    path: str
    texts: _Texts
    place: int

    def data(self) -> bytes:
        return self.texts.text(self.place)
