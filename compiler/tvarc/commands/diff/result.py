"""The result of `diff` for a program: all differences, also those that the text leaves out."""

from __future__ import annotations

from tvarc.build.diff.changes import Change, Changes, Group, Renamed
from tvarc.build.diff.compare import Comparison
from tvarc.build.diff.differences import Difference, Kind
from tvarc.build.diff.files import FileChange
from tvarc.build.diff.manifests import EntryChange
from tvarc.commands.shown.lookup import path_text
from tvarc.commands.shown.result import Origin, origin_of
from tvarc.light import TYPE_CHECKING, Callable, Mapping, Sequence, dataclass
from tvarc.matrix.boxes import Box
from tvarc.nix import ir
from tvarc.nix.judge.difference import Difference as Apart
from tvarc.values.plain import ABSENT, Absent, Count, Ordinal

if TYPE_CHECKING:
    from tvarc.build.diff.outcomes import Outcomes, PairOutcome
    from tvarc.build.diff.states import State
    from tvarc.text.source import SourceMap

OriginOf = Callable[[ir.Origin | None], Origin | None]


@dataclass(frozen=True, slots=True)
class Differing:
    """One thing that differs."""

    path: str
    kind: Kind
    removed: tuple[str, ...]
    """The elements, the lines, or the value as a string, that are there before and not after."""
    added: tuple[str, ...]
    before: Origin | None
    after: Origin | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two variants."""

    before: str
    after: str
    differences: tuple[Differing, ...]
    equal: Mapping[str, Count]
    """How much is equal, by kind."""
    derivations: tuple[str, str] | Absent = ABSENT
    """With --nix: both paths, or what Nix says is wrong."""
    differing: tuple[Apart, ...] | Absent = ABSENT


@dataclass(frozen=True, slots=True)
class Numbers:
    """How many variants each state has."""

    before: Count
    after: Count


@dataclass(frozen=True, slots=True)
class Through:
    """A variant that did not change, and its need that did."""

    variant: str
    need: str
    """The need that causes it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a manifest of Flox that differs, as it was and as it is."""

    file: str
    entry: str
    before: Mapping[str, str | tuple[str, ...]] | None
    after: Mapping[str, str | tuple[str, ...]] | None


@dataclass(frozen=True, slots=True)
class BlockChange:
    """A change of several variants."""

    KEYS = (("difference", ""),)

    difference: Differing
    values: Ordinal
    """How many values the change has over these variants."""
    example: str | None
    """The variant whose value is shown, if there are several values."""
    causes: tuple[Origin, ...]
    """The lines that were edited and that the change comes from: those of the newer state first,
    then those of the older, whose files are named as that state is. Empty where none is found;
    `layer` is empty."""


@dataclass(frozen=True, slots=True)
class Block:
    """Changes that exactly these variants share."""

    variants: tuple[str, ...]
    where: tuple[Box, ...] | None
    """Sets of axis values that together hold exactly these variants; null where it would take too
    many."""
    changes: tuple[BlockChange, ...]


@dataclass(frozen=True, slots=True)
class States:
    """Two states of a program."""

    against: str
    """The other, older state, as it was named."""
    variants: Numbers
    added: Group
    removed: Group
    renamed: tuple[Renamed, ...]
    changed: tuple[str, ...]
    """The variants that differ, by their new names."""
    through: tuple[Through, ...]
    """Variants that did not change, but need a variant that did."""
    blocks: tuple[Block, ...]
    derivations: Mapping[str, str] | Absent = ABSENT
    """With --nix: for each variant `same`, `other`, or the error of Nix."""
    differing: Mapping[str, tuple[Apart, ...]] | Absent = ABSENT
    """With --nix: for each variant whose derivation differs, the differences."""
    manifests: tuple[Entry, ...] | Absent = ABSENT
    """The entries of manifests of Flox that differ; only of a program that has any."""
    files: tuple[FileChange, ...] | Absent = ABSENT
    """The files for other systems, and parts of pages, that differ; only of a program that has any,
    and where no selector is given."""


def states_of(
    against: str,
    changes: Changes,
    state: State,
    sources: SourceMap,
    derivations: Outcomes | None,
    entries: Sequence[EntryChange] | None,
    files: Sequence[FileChange] | None,
) -> States:
    """All of *changes* since the state that is named *against*. *sources* are those of the newer
    state."""

    def before(place: ir.Origin | None) -> Origin | None:
        return origin_of(place, state.made.sources, name=state.shown) if place else None

    def after(place: ir.Origin | None) -> Origin | None:
        return origin_of(place, sources) if place else None

    def change(one: Change) -> BlockChange:
        causes = [
            (before if cause.before else after)(ir.Origin(cause.span, "")) for cause in one.causes
        ]
        return BlockChange(
            _differing(one.difference, before, after),
            one.values,
            one.example if one.values > 1 else None,
            tuple([cause for cause in causes if cause is not None]),
        )

    return States(
        against=against,
        variants=Numbers(changes.before, changes.after),
        added=changes.added,
        removed=changes.removed,
        renamed=changes.renamed,
        changed=changes.changed,
        through=tuple([Through(*one) for one in changes.through]),
        blocks=tuple(
            [
                Block(block.variants, block.boxes, tuple(map(change, block.changes)))
                for block in changes.blocks
            ]
        ),
        derivations=derivations.became if derivations is not None else ABSENT,
        differing=derivations.differ if derivations is not None else ABSENT,
        manifests=tuple(map(_entry, entries)) if entries is not None else ABSENT,
        files=tuple(files) if files is not None else ABSENT,
    )


def pair_of(
    names: tuple[str, str],
    found: Comparison,
    sources: SourceMap,
    derivations: PairOutcome | None = None,
) -> Pair:
    """Two variants: their differences, and how much is equal."""

    def origin(place: ir.Origin | None) -> Origin | None:
        return origin_of(place, sources) if place else None

    return Pair(
        *names,
        tuple([_differing(one, origin, origin) for one in found.differences]),
        found.equal,
        derivations.paths if derivations is not None else ABSENT,
        derivations.differ if derivations is not None else ABSENT,
    )


def _differing(one: Difference, before: OriginOf, after: OriginOf) -> Differing:
    return Differing(
        path_text(one.path), one.kind, one.removed, one.added, before(one.before), after(one.after)
    )


def _entry(one: EntryChange) -> Entry:
    before = None if one.before is None else dict(one.before)
    after = None if one.after is None else dict(one.after)
    return Entry(one.file, one.name, before, after)
