"""The source maps of many variants, by the fragments that their files share.

Which lines of a hundred thousand files come from a line of source is asked of the fragments, of
which there are some hundreds: each knows how many lines it has, and which of them come from there.
Of a file it is found by adding that up, once for all files whose fragments say the same.
"""

from __future__ import annotations

import posixpath

from tvarc.assembly.columns import Made, Names, Table
from tvarc.assembly.entries import Entry, withheld_entry
from tvarc.assembly.headers import Headers
from tvarc.assembly.mapped_text import (
    Line,
    added,
    in_frame,
    lines_of,
    name_parts,
    summed,
)
from tvarc.assembly.matrix import Matrix
from tvarc.assembly.paths import Paths
from tvarc.assembly.plain import AskedRelative, Places
from tvarc.assembly.present import NotShareable, Present, by_matrix
from tvarc.assembly.source_map import MappedFile, SourceMaps
from tvarc.blocks import IN_PARTS
from tvarc.elaborate.elaborate import Elaboration
from tvarc.elaborate.plan import GroupKey, Plan
from tvarc.elaborate.provenance import Tracing
from tvarc.light import Callable, Iterable, Iterator, Mapping, Sequence, cast, dataclass, field
from tvarc.matrix.cells import Batch, Projection
from tvarc.matrix.variants import Built, Variant
from tvarc.output.header import sealing
from tvarc.provenance.model import Lines
from tvarc.source import Span
from tvarc.values import RowValue

_MOST_KEPT = 1 << 16
"""Of so many combinations at most it is asked what conditions keep out of them."""


@dataclass(frozen=True, slots=True)
class MappedFiles:
    """All files of the variant of this name, and what stands on none of their lines."""

    variant: str
    files: tuple[MappedFile, ...]
    entries: tuple[Entry, ...]


@dataclass(slots=True)
class Found:
    """What comes from some lines of source, in all variants that were looked at: `names` and
    `files` are theirs, `lines` the variants, by their numbers, in whose files the same lines come
    from there, numbered from 1; `entries` the effects that show on no line."""

    names: list[str] = field(default_factory=list)
    files: list[tuple[str, ...]] = field(default_factory=list)
    lines: dict[tuple[int, ...], list[int]] = field(default_factory=dict)
    entries: dict[Entry, list[int]] = field(default_factory=dict)

    def add(self, other: Found) -> None:
        """Add the variants of *other*, after those that are here."""
        first = len(self.names)
        self.names += other.names
        self.files += other.files
        for lines, numbers in other.lines.items():
            self.lines.setdefault(lines, []).extend([first + number for number in numbers])
        for entry, numbers in other.entries.items():
            self.entries.setdefault(entry, []).extend([first + number for number in numbers])

    def add_one(
        self, name: str, files: Sequence[MappedFile], entries: Iterable[Entry], lines: Lines
    ) -> None:
        """Add what comes from *lines* in one variant, which has these maps."""
        number = len(self.names)
        self.names.append(name)
        self.files.append(tuple([file.path for file in files]))
        found = [tuple([n for n, m in enumerate(f.made, start=1) if m & lines]) for f in files]
        for reached in dict.fromkeys(found):
            if reached:
                self.lines.setdefault(reached, []).append(number)
        for entry in dict.fromkeys(entries):
            if entry.lines & lines and entry.kind != "shadowed":
                self.entries.setdefault(entry, []).append(number)


class SharedMaps:
    """The maps of some variants of a matrix; *elaboration* is traced. Raises NotShareable where
    they have to be made one by one."""

    def __init__(
        self,
        elaboration: Elaboration,
        built: Built,
        cells: Sequence[int],
        source: str,
        entry: str,
        *,
        placeholders: bool,
        shadowed: bool = False,
    ) -> None:
        """*source* and *entry* as `SourceMaps` has them; *placeholders* says that the program
        leaves the characters of placeholders alone. Only with *shadowed* the entries of values that
        others stand over are complete: then no value has placeholders that another may stand
        over."""
        tracing = elaboration.tracing
        assert isinstance(tracing, Tracing)
        self._tracing = tracing
        self._elaboration = elaboration
        self._present = Present(built, cells)
        silent = elaboration.silent()
        outputs = elaboration.program.outputs
        self._paths = [Paths(output, silent, self._present) for output in outputs]
        folders = self._folders()
        relative = AskedRelative(Places(source, next(iter(folders), ""), entry))
        solid = _contested(elaboration.plan(built.matrix)) if shadowed else set()
        self._matrix = Matrix(
            elaboration, self._present, relative, placeholders=placeholders, solid=solid
        )
        if len(silent.sink) or (relative.asked and max(len(folders), len(outputs)) > 1):
            raise NotShareable
        self._headers = Headers(self._present, posixpath.basename(source))
        self._head = _Head(elaboration, self._present)
        self._entries: dict[Matrix, list[_Entries]] = {}

    def _folders(self) -> dict[str, None]:
        """The folders of all files; paths of files that recipes name depend on them."""
        found: dict[str, None] = {}
        for batch, names in self._present.batches():
            for paths in self._paths:
                found.update(dict.fromkeys(paths.check(paths.texts(batch, names))))
        return found

    # --- whole files ---------------------------------------------------------------------

    def __iter__(self) -> Iterator[MappedFiles]:
        seal = sealing(len(self._present.cells))
        for batch, names in self._present.batches():
            heads = self._headers.texts(batch, names)
            made = self._head.made(batch)
            heights = self._headers.heights(batch, names)
            paths = [one.texts(batch, names) for one in self._paths]
            bodies = list(self._matrix.bodies(batch, names))
            entries = self._entries_of(batch, names)
            for place, name in enumerate(names):
                lines = self._head.lines(made[place], heights[place], self._headers)
                lines += self._in_frame(bodies[place])
                text = seal(heads[place], b"".join(bodies[place])).decode()
                values, around = zip(*lines, strict=True)
                files = [MappedFile(one[place], text, values, around) for one in paths]
                yield MappedFiles(name, tuple(files), tuple(entries[place]))

    def _in_frame(self, body: Sequence[bytes]) -> list[Line]:
        return in_frame(summed(body), added(body), self._tracing.numbering.frame_bits)

    def _entries_of(self, batch: Batch, names: Sequence[str]) -> list[list[Entry]]:
        found: list[list[Entry]] = [[] for _ in names]
        for leaf in self._matrix.leaves(batch, names):
            for projection, known in self._known(leaf.matrix):
                for place, key in zip(leaf.places, projection.keys(leaf.batch), strict=True):
                    found[place] += known.get(key, ())
        return [list(dict.fromkeys(one)) for one in found]

    def _known(self, matrix: Matrix) -> list[_Entries]:
        """The entries of *matrix*, by the combinations that have them."""
        known = self._entries.get(matrix)
        if known is None:
            known = self._entries[matrix] = [*_entries(self._elaboration, self._tracing, matrix)]
        return known

    # --- what comes from lines -----------------------------------------------------------

    def find(self, lines: Lines) -> Found:
        """What comes from *lines* in all of these variants. Raises NotShareable."""
        found = Found()
        hits: dict[Matrix, _Hits] = {}
        kept: dict[Matrix, list[_Entries]] = {}
        head = self._head.hits(lines)
        for batch, names in self._present.batches():
            first = len(found.names)
            found.names += names
            paths = [one.texts(batch, names) for one in self._paths]
            found.files += zip(*paths, strict=True) if paths else [()] * len(names)
            on_head = head.of(batch)
            for leaf in self._matrix.leaves(batch, names):
                matrix = leaf.matrix
                if matrix not in hits:
                    hits[matrix] = _Hits(matrix, lines)
                    kept[matrix] = [*_with(self._known(matrix), lines)]
                numbers = [first + place for place in leaf.places]
                for projection, entries in kept[matrix]:
                    for number, key in zip(numbers, projection.keys(leaf.batch), strict=True):
                        for entry in entries.get(key, ()):
                            found.entries.setdefault(entry, []).append(number)
                if not hits[matrix].any and not on_head and not head.declared:
                    continue
                heights = self._headers.heights(leaf.batch, leaf.names)
                flags = [bool(on_head) and on_head[place] for place in leaf.places]
                told = zip(flags, heights, hits[matrix].of(leaf.batch, leaf.names), strict=True)
                known: dict[tuple[bool, int, _Told], list[int]] = {}
                for number, one in zip(numbers, told, strict=True):
                    if one in known:
                        known[one].append(number)
                    else:
                        known[one] = [number]
                for (flag, height, parts), some in known.items():
                    reached = head.lines(flag, height, self._headers)
                    start = height + sum(self._headers.rest) + 2  # past the digest
                    reached += [start + line for line in hits[matrix].lines(parts)]
                    if reached:
                        found.lines.setdefault(tuple(reached), []).extend(some)
        for numbers in found.lines.values():
            numbers.sort()
        return found


def _contested(plan: Plan) -> set[GroupKey]:
    """What is written more than once."""
    found: set[GroupKey] = set()
    for group, written in plan.groups.items():
        names = [one.write.part.name for one in written if one.write.part is not None]
        names = [name for name in names if name is not None]
        if len(set(names)) < len(names) if group[0] in IN_PARTS else len(written) > 1:
            found.add(group)
    return found


def all_maps(
    maps: SourceMaps, variants: Sequence[Variant], *, placeholders: bool
) -> Iterator[MappedFiles]:
    """The maps of all *variants*, those that share fragments by these; *placeholders* as for
    `SharedMaps`."""
    for built, cells in by_matrix(variants):
        try:
            yield from SharedMaps(
                maps.elaboration,
                built,
                cells,
                maps.source,
                maps.entry,
                placeholders=placeholders,
                shadowed=True,
            )
        except NotShareable:
            for batch, names in Present(built, cells).batches():
                for cell, name in zip(batch.cells, names, strict=True):
                    mapped = maps.of(Variant(built, cell, name))
                    if mapped is not None:
                        yield MappedFiles(name, mapped.files, mapped.entries)


_Entries = tuple[Projection, Mapping[int, tuple[Entry, ...]]]


def _with(known: list[_Entries], lines: Lines) -> Iterator[_Entries]:
    """Of *known* those entries that come from *lines*; what is shadowed does nothing."""
    for projection, entries in known:
        found = {
            key: some
            for key, all_ in entries.items()
            if (some := tuple([e for e in all_ if e.lines & lines and e.kind != "shadowed"]))
        }
        if found:
            yield projection, found


def _entries(elaboration: Elaboration, tracing: Tracing, matrix: Matrix) -> Iterator[_Entries]:
    """All entries of the variants of *matrix*, by the combinations that have them."""
    attempt = matrix.attempt
    present, plan = attempt.present, attempt.plan
    reads = elaboration.shared.reads
    pin = {key: one.entries for key, one in attempt.pin_provenance.items()}
    yield attempt.pin_projection, pin
    listed: tuple[Projection, dict[int, tuple[Span, ...]]] | None = None
    for fragment in attempt.fragments:
        yield fragment.projection, {key: one.entries for key, one in fragment.provenance.items()}
        if fragment.slot == "overlays":
            listed = (
                fragment.projection,
                {key: one.used for key, one in fragment.provenance.items()},
            )
    declared: dict[Plan, Span] = {
        elaboration.overlays.plan(one, present.built.matrix): one.span
        for one in elaboration.program.overlays
    }
    for (of, group), kept in tracing.withheld_by(plan).items():
        entries = {values: tuple(map(withheld_entry, some)) for values, some in kept.items()}
        axes = (plan if of.lister is None else of).dependencies(group, reads)
        projection = present.projection(axes)
        used: Mapping[int, tuple[Span, ...]] = {}
        if of.lister is not None:
            if listed is None:
                continue
            at, used = listed
            projection = present.built.projections.on({*projection.axes, *at.axes})
        if len(present.keys(projection)) > _MOST_KEPT:
            raise NotShareable
        found: dict[int, tuple[Entry, ...]] = {}
        for key, variant in present.variants(projection):
            values = tuple([v for name, v in variant.values.items() if name in axes])
            some = entries.get(values)
            if some is not None and of.lister is not None:
                (there,) = at.keys(Batch(present.built.grid, (variant.cell,)))
                some = some if declared[of] in used[there] else None
            if some is not None:
                found[key] = some
        yield projection, found


# --- headers --------------------------------------------------------------------------------------


class _Head:
    """What the lines of the headers of a matrix's files were made of."""

    def __init__(self, elaboration: Elaboration, present: Present) -> None:
        assert elaboration.tracing is not None
        numbering = elaboration.tracing.numbering
        matrix = present.built.matrix
        self._tables = name_parts(elaboration.silent(), present)
        for place, pick in enumerate(matrix.axes):
            made: dict[int, Lines] = {}
            for key, value in enumerate(pick.values):
                if not isinstance(value, RowValue):
                    made[key] = numbering.lines(pick.axis.span)
                    continue
                label = value.facts.get("label")
                made[key] = numbering.lines(value.span)
                made[key] |= numbering.lines(label.span) if label is not None else 0
            self._tables.append((present.built.projections.on([place]), made))
        self._declared = numbering.first(matrix.span) | numbering.first(matrix.recipe.span)

    def made(self, batch: Batch) -> list[Lines]:
        """What the first line of each cell was made of."""
        found = [0] * len(batch.cells)
        for projection, made in self._tables:
            keys = projection.keys(batch)
            found = [known | made[key] for known, key in zip(found, keys, strict=True)]
        return found

    def lines(self, made: Lines, height: int, headers: Headers) -> list[Line]:
        """All lines of a header, whose first paragraph is *made* of these, and the digest."""
        declared, last = headers.rest
        return [
            *[(made, 0)] * height,
            *[(self._declared, 0)] * declared,
            *[(0, 0)] * (last + 1),
        ]

    def hits(self, lines: Lines) -> _HeadHits:
        found = [
            (projection, {key for key, one in made.items() if one & lines})
            for projection, made in self._tables
        ]
        return _HeadHits([one for one in found if one[1]], bool(self._declared & lines))


@dataclass(frozen=True, slots=True, eq=False)
class _HeadHits:
    """Where headers come from some lines of source."""

    tables: list[tuple[Projection, set[int]]]
    declared: bool

    def of(self, batch: Batch) -> list[bool]:
        """Whether the first line of each cell does; nothing where none does."""
        found: list[bool] = []
        for projection, keys in self.tables:
            here = [key in keys for key in projection.keys(batch)]
            found = [a or b for a, b in zip(found, here, strict=True)] if found else here
        return found if any(found) else []

    def lines(self, first: bool, height: int, headers: Headers) -> list[int]:
        found = list(range(1, height + 1)) if first else []
        if self.declared:
            found += range(height + 1, height + 1 + headers.rest[0])
        return found


# --- bodies ---------------------------------------------------------------------------------------

_Profile = tuple[int, tuple[int, ...]]
"""How many lines end in a fragment, and which of its lines come from what is asked about."""


_Told = tuple[int | _Profile, ...]
"""For the columns that depend on the same axes a number, and the profile of each that is made for
each cell."""


def _profile(text: bytes, lines: Lines) -> _Profile:
    found = lines_of(text)
    return len(found) - 1, tuple([n for n, (made, _) in enumerate(found) if made & lines])


def _always(profile: _Profile) -> Callable[[_Told], _Profile]:
    return lambda _: profile


def _at(place: int) -> Callable[[_Told], _Profile]:
    return lambda told: cast("_Profile", told[place])


def _sorted(
    sorts: list[tuple[_Profile, ...]], place: int, column: int
) -> Callable[[_Told], _Profile]:
    return lambda told: sorts[cast("int", told[place])][column]


class _Hits:
    """Which lines of the bodies of a matrix's files come from some lines of source. Columns that
    depend on the same axes are looked up as one."""

    def __init__(self, matrix: Matrix, lines: Lines) -> None:
        self._lines = lines
        self._steps: list[Callable[[_Told], _Profile]] = []
        self._tables: dict[Projection, list[dict[int, _Profile]]] = {}
        self._sorts: dict[Projection, list[tuple[_Profile, ...]]] = {}
        self._made: list[Made] = []
        self.any = False
        for column in matrix.columns:
            match column:
                case Table():
                    self._add(column)
                case Made():
                    self._made.append(column)
                    self.any = True
                    self._steps.append(_at(-len(self._made)))
                case Names():
                    pass
                case _:
                    self._steps.append(_always(_profile(column, lines)))
        # For each combination of some axes a number: the same for what is the same in all columns.
        self._numbers: dict[Projection, dict[int, int]] = {}
        for projection, tables in self._tables.items():
            known: dict[tuple[_Profile, ...], int] = {}
            self._numbers[projection] = {
                key: known.setdefault(tuple([table[key] for table in tables]), len(known))
                for key in tables[0]
            }
            self._sorts[projection] += known

    def _add(self, table: Table) -> None:
        profiles = {key: _profile(text, self._lines) for key, text in table.texts.items()}
        self.any = self.any or any(hits for _, hits in profiles.values())
        different = set(profiles.values())
        if len(different) == 1:
            self._steps.append(_always(different.pop()))
            return
        known = self._tables.setdefault(table.projection, [])
        sorts = self._sorts.setdefault(table.projection, [])
        place = list(self._tables).index(table.projection)
        self._steps.append(_sorted(sorts, place, len(known)))
        known.append(profiles)

    def of(self, batch: Batch, names: Sequence[str]) -> Iterator[_Told]:
        """What tells the cells of *batch* apart."""
        lists: list[Sequence[int | _Profile]] = [
            [numbers[key] for key in projection.keys(batch)]
            for projection, numbers in self._numbers.items()
        ]
        lists += [
            [_profile(text, self._lines) for text in made.make(batch, names)]
            for made in reversed(self._made)
        ]
        return zip(*lists, strict=True) if lists else iter([()] * len(names))

    def lines(self, told: _Told) -> list[int]:
        """The lines, from 0, of a body of which `of` has told this."""
        found: list[int] = []
        at = 0
        for step in self._steps:
            count, hits = step(told)
            for hit in hits:
                if not found or found[-1] != at + hit:
                    found.append(at + hit)
            at += count
        return found
