"""Which lines of the files of many variants a line of source reaches.

All files are put together twice, of pieces that variants share: as they are, and with all marked
that the line reaches. The lines that differ are those that are reached.
"""

from __future__ import annotations

import posixpath
from itertools import repeat

from tvarc.assembly.differing import differing
from tvarc.assembly.headers import Headers
from tvarc.assembly.matrix import Matrix
from tvarc.assembly.paths import Paths
from tvarc.assembly.pieces import Unfit
from tvarc.assembly.plain import relative_to
from tvarc.assembly.present import Present
from tvarc.backend.nix.lower import describe
from tvarc.elaborate.elaborate import Elaboration
from tvarc.elaborate.marking import Marking
from tvarc.elaborate.marks import marked_text
from tvarc.elaborate.plan import GroupKey, Plan, group_of
from tvarc.elaborate.reach import Effect, is_first, is_removal
from tvarc.light import Callable, Iterator, Sequence
from tvarc.matrix.cells import Batch, Projection
from tvarc.matrix.variants import Built, Variant
from tvarc.sema import hir
from tvarc.source import Span
from tvarc.values import Value

Lines = tuple[int, ...]
"""Numbers of lines, from 1; none where a file is not reached."""


class ReachedLines:
    """The variants of one matrix: by batches their names, the paths of their files, the lines of
    these that are reached, the conditions that keep something out, and what else the line
    does. Raises Unfit where they have to be looked at one by one."""

    def __init__(
        self, elaboration: Elaboration, built: Built, cells: Sequence[int], file: str,
        marking: Marking, *, holes: bool,
    ) -> None:  # fmt: skip
        self.elaboration = elaboration
        self.marking = marking
        self.marked = elaboration.silent()
        self.marked.marking = marking
        self.present = Present(built, cells)
        silent = elaboration.silent()
        outputs = elaboration.program.outputs
        self.paths = [Paths(output, silent, self.present) for output in outputs]
        folder = self.folder()
        source = posixpath.basename(file)
        relative = relative_to(source, folder, file)
        self.texts = Matrix(elaboration, self.present, relative, holes=holes)
        self.names = self.named()
        self.others = Matrix(
            self.marked, self.present, relative, holes=holes, mark_names=self.mark_names
        )
        reach = marking.reach(silent, silent.deciding(self.first()))
        matrix = built.matrix
        self.heads = Headers(self.present, source)
        self.other_heads = Headers(
            self.present, source, self.label,
            (reach.title(matrix.name, matrix.span),
             reach.title(matrix.recipe.name, matrix.recipe.span)),
        )  # fmt: skip
        self.kept: list[tuple[Span | Effect, Projection, set[int]]] = [
            *self.keeping(), *self.affecting()
        ]  # fmt: skip

    def first(self) -> Variant:
        return Variant(self.present.built, self.present.cells[0], "-")

    def folder(self) -> str:
        """The folder of all files; paths of files that recipes name depend on it."""
        folders: dict[str, None] = {}
        for batch, names in self.present.batches():
            for paths in self.paths:
                folders.update(dict.fromkeys(paths.check(paths.texts(batch, names))))
        if len(folders) != 1:
            raise Unfit
        return next(iter(folders))

    def label(self, value: Value, span: Span) -> str:
        silent = self.elaboration.silent()
        at = silent.deciding(self.first())
        return describe(self.marking.label(value, span, silent, at))

    # --- names ---------------------------------------------------------------------------

    def named(self) -> list[tuple[Projection, set[int]]]:
        """The combinations of which the line reaches a part of the name."""
        expr = self.present.built.matrix.name_expr
        parts = expr.parts if isinstance(expr, hir.Text) else (expr,)
        whole = hir.Text((), expr.span)
        return [
            self.where((part,))
            for part in (whole, *(part for part in parts if not isinstance(part, str)))
        ]

    def where(self, exprs: tuple[hir.Expr, ...]) -> tuple[Projection, set[int]]:
        """The combinations in which *exprs* read the line."""
        silent = self.elaboration.silent()
        axes: frozenset[str] = frozenset()
        for expr in exprs:
            axes |= silent.shared.reads.expr(expr).axes
        projection = self.present.projection(axes)
        return projection, {
            key
            for key, variant in self.present.variants(projection)
            if self.marking.reach(silent, silent.deciding(variant)).reads(exprs)
        }

    def mark_names(self, batch: Batch, names: Sequence[str]) -> list[str]:
        """*names* as they are in marked files."""
        hit = [False] * len(names)
        for projection, keys in self.names:
            if keys:
                hit = [
                    one or key in keys for one, key in zip(hit, projection.keys(batch), strict=True)
                ]
        return [marked_text(name) if one else name for one, name in zip(hit, names, strict=True)]

    # --- what is kept out ----------------------------------------------------------------

    def keeping(self) -> Iterator[tuple[Span, Projection, set[int]]]:
        """Conditions that read the line, and the combinations in which they keep something out."""
        silent = self.elaboration.silent()
        plan = silent.plan(self.present.built.matrix)
        reads = silent.shared.reads
        writes: list[hir.Write | hir.PartWrite] = [
            placed.write for group in plan.groups.values() for placed in group
        ]
        writes += [part.write for parts in plan.scripts.values() for part in parts]
        writes += [write for found in plan.pin_blocks.values() for write in found]
        for overlay in silent.program.overlays:
            inner = silent.overlays.plan(overlay, self.present.built.matrix)
            writes += [placed.write for group in inner.groups.values() for placed in group]
            writes += [part.write for parts in inner.scripts.values() for part in parts]
        chains = {
            write.conditions[-1].span: write.conditions for write in writes if write.conditions
        }
        for conditions in chains.values():
            found = reads.conditions(conditions)
            groups = [("overlays", ""), ("pin", ""), *map(group_of, found.settings)]
            axes, lone = plan.reach(groups, reads)
            if lone:
                raise Unfit
            projection = self.present.projection(axes | found.axes)
            if self.present.many(axes | found.axes) > _MOST:
                raise Unfit
            spans: dict[Span, set[int]] = {}
            for key, variant in self.present.variants(projection):
                deciding = silent.deciding(variant)
                for span in self.marking.used(silent, deciding).withheld({conditions[-1].span}):
                    spans.setdefault(span, set()).add(key)
            for span, keys in spans.items():
                yield span, projection, keys

    def affecting(self) -> Iterator[tuple[Effect, Projection, set[int]]]:
        """What else the line does, and the combinations in which it does."""
        silent = self.elaboration.silent()
        plan = silent.plan(self.present.built.matrix)
        overlays = silent.program.overlays
        for one in (plan, *(silent.overlays.plan(o, self.present.built.matrix) for o in overlays)):
            writes: list[tuple[GroupKey, hir.Write | hir.PartWrite]] = [
                (group, placed.write) for group, found in one.groups.items() for placed in found
            ]
            writes += [
                (("script", name), part.write) for name, parts in one.scripts.items()
                for part in parts
            ]  # fmt: skip
            for group, write in writes:
                if is_removal(write) and self.touched(plan, write):
                    found, named = one.reach([group], silent.shared.reads)
                elif is_first(one, write) and self.marking.touches(write.span):
                    found, named = self.asked(one, group)
                else:
                    continue
                axes, lone = plan.reach([("overlays", ""), ("pin", "")], silent.shared.reads)
                if lone or named or self.present.many(axes | found) > _MOST:
                    raise Unfit
                yield from self.effects(self.present.projection(axes | found), write)

    def asked(self, plan: Plan, group: GroupKey) -> tuple[frozenset[str], bool]:
        """The axes that decide which writes of *group* there are, whatever their values; and
        whether the variant's name does."""
        reads = self.elaboration.silent().shared.reads
        settings: list[GroupKey] = []
        axes: frozenset[str] = frozenset()
        placed = [one.write.conditions for one in plan.groups.get(group, ())]
        parts = plan.scripts.get(group[1], ()) if group[0] == "script" else ()
        for conditions in (*placed, *(one.write.conditions for one in parts)):
            found = reads.conditions(conditions)
            axes |= found.axes
            settings += map(group_of, found.settings)
        more, named = plan.reach(settings, reads)
        return axes | more, named

    def touched(self, plan: Plan, write: hir.Write | hir.PartWrite) -> bool:
        """Whether the line may have to do with *write*: asked before all that decides what the
        write is about."""
        silent = self.elaboration.silent()
        expr = write.text if isinstance(write, hir.PartWrite) else write.value
        found = silent.shared.reads.conditions(write.conditions)
        if expr is not None:
            found |= silent.shared.reads.expr(expr)
        axes, lone = plan.reach(map(group_of, found.settings), silent.shared.reads)
        if lone or self.present.many(axes | found.axes) > _MOST:
            raise Unfit
        for _, variant in self.present.variants(self.present.projection(axes | found.axes)):
            reach = self.marking.reach(silent, silent.deciding(variant))
            written = reach.trace.written.get(write.span)
            if written is not None and reach.touches(written):
                return True
        return False

    def effects(
        self, projection: Projection, write: hir.Write | hir.PartWrite
    ) -> Iterator[tuple[Effect, Projection, set[int]]]:
        silent = self.elaboration.silent()
        found: dict[Effect, set[int]] = {}
        for key, variant in self.present.variants(projection):
            for one in self.marking.used(silent, silent.deciding(variant)).effects(write.span):
                found.setdefault(one, set()).add(key)
        for one, keys in found.items():
            yield one, projection, keys

    # --- all of them ---------------------------------------------------------------------

    def __iter__(self) -> Iterator[tuple[Variant, list[str], Lines, list[Span | Effect]]]:
        for batch, names in self.present.batches():
            files = [paths.texts(batch, names) for paths in self.paths]
            kept: list[list[Span | Effect]] = [[] for _ in names]
            for span, projection, keys in self.kept:
                for place, key in enumerate(projection.keys(batch)):
                    if key in keys and span not in kept[place]:
                        kept[place].append(span)
            lines = map(
                _lines,
                self.heads.texts(batch, names),
                self.other_heads.texts(batch, self.mark_names(batch, names)),
                self.texts.bodies(batch, names),
                self.others.bodies(batch, names),
            )
            made: Callable[..., Variant] = Variant
            variants = map(made, repeat(self.present.built), batch.cells, names)
            yield from zip(variants, map(list, zip(*files, strict=True)), lines, kept, strict=True)


_MOST = 4096


def _lines(
    head: bytes, other_head: bytes, body: tuple[bytes, ...], other_body: tuple[bytes, ...]
) -> Lines:
    whole, other = b"".join(body), b"".join(other_body)
    found: list[int] = []
    if head != other_head:
        found += differing(head.split(b"\n"), other_head.split(b"\n"), 1)
    if whole != other:
        first = head.count(b"\n") + 2  # past the digest
        found += differing(whole.split(b"\n"), other.split(b"\n"), first)
    return tuple(found)
