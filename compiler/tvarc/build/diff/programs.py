"""The changes between two states of a program. Each command that compares two compilations uses
this."""

from __future__ import annotations

from collections import Counter
from math import prod

from tvarc.build import messages as msg
from tvarc.build.diff.causes import Causes
from tvarc.build.diff.changes import (
    Changes,
    Compare,
    Member,
    Unbuilt,
    compare_members,
    comparing,
)
from tvarc.build.diff.members import Emitted, alike, emitted, have_one_source, members, others
from tvarc.build.diff.sharing import SharedDifferences
from tvarc.build.driver import Compilation
from tvarc.doing import Doing
from tvarc.light import TYPE_CHECKING, Final, Iterator, Sequence, replace
from tvarc.matrix.present import by_matrix
from tvarc.matrix.select import select
from tvarc.matrix.variants import Variant, axis_text
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.diagnostics.words import counted_long
from tvarc.text.source import SourceMap

if TYPE_CHECKING:
    from tvarc.build.diff.differences import Difference
    from tvarc.build.diff.manifests import EntryChange

_DIFFERENCE: Final = 8  # a difference and its cause take as long as this many evaluations
_DIFFERING: Final = 8  # a variant that is not alike in both states takes as long as this many
_SETTINGS: Final = 16  # this many settings of one variant take as long as an evaluation


def variants_meant(
    selectors: Sequence[str], before: Compilation, after: Compilation
) -> tuple[Sequence[Variant], Sequence[Variant]] | str:
    """The variants of *before* and those of *after* that *selectors* select in either state. If a
    selector selects nothing in both, the first such selector instead."""
    if not selectors:
        return before.variants, after.variants
    names: set[str] = set()
    for text in selectors:
        meant = [variant.name for made in (after, before) for variant in _meant(text, made)]
        if not meant:
            return text
        names.update(meant)
    old, new = ([one for one in made.variants if one.name in names] for made in (before, after))
    return old, new


def _meant(text: str, made: Compilation) -> list[Variant]:
    """The variants of *made* that *text* selects; they may be none."""
    assert made.resolution is not None
    return select((text,), made.resolution, made.variants, SourceMap(), Sink(), made.loader.join)


def compare_programs(
    before: Compilation, after: Compilation, old: Sequence[Variant], new: Sequence[Variant]
) -> Changes | None:
    """The changes from *before*, with the variants *old*, to *after*, with *new*, each with the
    lines that cause it. None if a variant cannot be decided. The sink of its state has the reason;
    *after* is decided first."""
    alike_all = have_one_source(before, after)
    if not alike_all and not (_is_within_limits(after, new) and _is_within_limits(before, old)):
        return None
    with Doing(f"comparing {counted_long(len(new), 'variant')}"):
        now = emitted(after, new, texts=not alike_all)
        if after.sink.has_errors:
            return None
        was = replace(now, made=before, variants=old) if alike_all else emitted(before, old)
        if before.sink.has_errors or not _may_differ(was, now):
            return None
        try:
            found = compare_members(
                members(before, old),
                members(after, new),
                alike(was, now),
                Causes(before, after, old, new).of,
                SharedDifferences(was, now, others(was, now), _bounded(after, new)),
            )
        except Failed:
            return None
        return replace(found, through=tuple(_through(before, after, new, found).items()))


def unbuilt_cells(before: Compilation, after: Compilation) -> Iterator[Unbuilt]:
    """The cells with a new value of an axis that *after* does not build, for each axis of a matrix
    that both states have."""
    known = {
        (matrix.name, pick.axis.name): set(map(axis_text, pick.values))
        for matrix in before.program.matrices
        for pick in matrix.axes
    }
    for matrix in after.program.matrices:
        whole = prod([len(pick.values) for pick in matrix.axes])
        for pick in matrix.axes:
            old = known.get((matrix.name, pick.axis.name))
            added = {axis_text(value) for value in pick.values} - old if old is not None else set()
            if not added:
                continue
            built = Counter(
                [
                    axis_text(variant.values[pick.axis.name])
                    for variant in after.variants
                    if variant.matrix is matrix
                ]
            )
            each = whole // len(pick.values)
            values = [text for text in map(axis_text, pick.values) if text in added]
            values = [text for text in values if built[text] < each]
            if values:
                count = each * len(values)
                dropped = count - sum([built[text] for text in values])
                yield Unbuilt(matrix.name, pick.axis.name, tuple(values), dropped, count)


def _effort(variants: Sequence[Variant]) -> int:
    """The effort of comparing the texts of all *variants*, in evaluations. It grows with the number
    of axes, because their values are in the texts."""
    return sum(
        len(cells) * (3 + len(built.matrix.axes) // 8) for built, cells in by_matrix(variants)
    )


def _may_differ(before: Emitted, after: Emitted) -> bool:
    """Whether few enough variants differ to compare them. Otherwise the sink of *after* has the
    reason."""
    made, variants = after.made, after.variants or before.variants
    if not variants:
        return True
    total = made.elaboration.shared.total
    differing = len(others(before, after)) + len(before.digests.keys() ^ after.digests.keys())
    effort = _effort(variants) + _DIFFERING * differing
    if differing and not total.asks(effort):
        span = variants[0].matrix.span
        total.report_spent(made.sink, msg.questions.TOO_MANY_DIFFERENCES, span)
        return False
    return True


def _is_within_limits(made: Compilation, variants: Sequence[Variant]) -> bool:
    """Whether *variants* and their settings are few enough to print and compare them. Otherwise the
    sink of *made* has the reason."""
    total = made.elaboration.shared.total
    if _effort(variants) >= total.evaluations_left:
        made.streamed = True  # deciding them all takes too long, too
        total.report_spent(made.sink, msg.questions.TOO_MANY_TEXTS, variants[0].matrix.span)
        return False
    most = total.evaluations_left * _SETTINGS
    count = 0
    for built, cells in by_matrix(variants):
        count += len(cells) * len(made.elaboration.plan(built.matrix).groups)
        if count > most:
            span = built.matrix.span
            made.streamed = True  # deciding them all takes too long, too
            made.sink.report(msg.questions.TOO_MANY_SETTINGS, span, count=count, most=most)
            return False
    return True


def _bounded(after: Compilation, new: Sequence[Variant]) -> Compare:
    """Returns a function that compares two variants. It raises Failed after reporting that all
    differences together are too many."""
    compare = comparing()
    total = after.elaboration.shared.total
    span = next((variant.matrix.span for variant in new), None)

    def bounded(one: Member, other: Member) -> Sequence[Difference]:
        found = compare(one, other)
        if span is not None and not total.asks(_DIFFERENCE * len(found)):
            total.report_spent(after.sink, msg.questions.TOO_MANY_DIFFERENCES, span)
            raise Failed
        return found

    return bounded


def entry_changes(
    before: Compilation, after: Compilation, old: Sequence[Variant], new: Sequence[Variant]
) -> list[EntryChange] | None:
    """The changes in manifests between the same states; None if neither state writes into a
    manifest."""
    if not (before.program.manifests or after.program.manifests):
        return None
    from tvarc.build.diff.manifests import manifest_changes

    return manifest_changes(before, after, old, new)


def _through(
    before: Compilation, after: Compilation, new: Sequence[Variant], found: Changes
) -> dict[str, str]:
    """The variants of *new* that are the same, and need a variant that is not."""
    if not after.is_stacked:
        return {}
    told = {variant.name for variant in new}
    needed = [one for one in after.stack.closure(new) if one.name not in told]
    moved = {*found.changed, *found.added.variants, *(one.after for one in found.renamed)}
    if needed:
        names = {one.name for one in needed}
        was = emitted(before, [one for one in before.variants if one.name in names])
        moved |= names - alike(was, emitted(after, needed))
    return after.stack.needing(moved, new)
