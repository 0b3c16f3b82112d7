"""The result of `tvarc build`: the files that it has written, or would write."""

from __future__ import annotations

from tvarc.files.output.plan import Adopted, BuildOptions, Shared, WriteReport
from tvarc.light import Mapping, Sequence, dataclass
from tvarc.values.plain import ABSENT, Absent, Count


@dataclass(frozen=True, slots=True)
class Renamed:
    """A file that has another name now."""

    KEYS = (("before", "from"), ("after", "to"))

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries of a manifest that were, or with `--check` and `--dry-run` would be, changed."""

    file: str
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: Count
    left: tuple[str, ...]
    """Entries of no variant any more that stay."""
    edited: tuple[str, ...]
    """Those of them that somebody changed."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Which parts of a page were, or with `--check` and `--dry-run` would be, written."""

    file: str
    created: bool
    changed: tuple[str, ...]
    unchanged: Count


@dataclass(frozen=True, slots=True)
class Result:
    """The files that a build has written below `root`."""

    stale: tuple[str, ...] | Absent
    """With `--check`, the files that are out of date."""
    written: tuple[str, ...] | Absent
    """Without `--check`, the files that were, or with `--dry-run` would be, written."""
    unchanged: Count
    removed: tuple[str, ...]
    renamed: tuple[Renamed, ...]
    taken_over: Mapping[str, Count]
    """How many of the written files belonged to programs that are not there any more, by these."""
    merged: tuple[str, ...]
    """Those of the written files in which a merge had left conflicts."""
    adopted: tuple[Adopted, ...]
    by_hand: tuple[str, ...]
    """Files that `--if-equal` leaves as they are."""
    left: tuple[str, ...]
    """Files of no variant any more that stay."""
    edited: tuple[str, ...]
    """Those of them that somebody changed."""
    unsure: tuple[str, ...]
    """Those of them that may belong to another program."""
    dry_run: bool
    root: str
    manifests: tuple[Entries, ...] | Absent
    pages: tuple[Parts, ...] | Absent


def result_of(
    report: WriteReport,
    root: str,
    options: BuildOptions,
    shared: Sequence[Shared] = (),
) -> Result:
    """The result of a build with *options* into *root*."""
    swept, written = report.swept, tuple(report.written)
    return Result(
        written if options.check else ABSENT,
        ABSENT if options.check else written,
        report.unchanged,
        tuple(swept.removed),
        tuple([Renamed(old, new) for old, new in swept.renamed.items()]),
        dict(report.inherited),
        tuple(report.merged),
        tuple(report.adopted),
        tuple(report.by_hand),
        (*swept.stale, *swept.edited, *swept.unsure),
        tuple(swept.edited),
        tuple(swept.unsure),
        options.check or options.dry_run,
        root,
        tuple([_entries(one) for one in shared if not one.is_page]) or ABSENT,
        tuple([_parts(one) for one in shared if one.is_page]) or ABSENT,
    )


def _entries(one: Shared) -> Entries:
    left = (*one.stale, *one.kept)
    return Entries(one.path, one.added, one.changed, one.removed, one.unchanged, left, one.kept)


def _parts(one: Shared) -> Parts:
    return Parts(one.path, one.created, one.changed, one.unchanged)
