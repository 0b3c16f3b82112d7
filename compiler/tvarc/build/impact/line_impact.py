"""The effect of a line of source, from the source maps."""

from __future__ import annotations

import posixpath

from tvarc.blocks import IN_PARTS
from tvarc.build import messages as msg
from tvarc.build.assembly.entries import BEFORE, WHOLE, Entry
from tvarc.build.assembly.source_map import ReachedVariant, SourceMaps
from tvarc.build.driver import Compilation
from tvarc.build.impact.items import decides, excludes_at, items_at, within_text
from tvarc.build.impact.model import Done, Dropped, LineImpact, Reached, Withheld, runs
from tvarc.build.impact.unreached import blank, why_unreached
from tvarc.light import Final, Iterator, Sequence, dataclass, field
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.exclusion_eval import count_dropped
from tvarc.matrix.variants import Variant
from tvarc.text.source import Span
from tvarc.values.provenance import Lines, Place

# The effort of mapping a recipe, in evaluations: `_MAPPED`, and `_EVALUATED` for each setting that
# is evaluated only for this recipe. Each `_LINES` lines of its files, and each `_ENTRIES` entries,
# add one.
_MAPPED: Final = 4
_EVALUATED: Final = 5
_LINES: Final = 16
_ENTRIES: Final = 4
_AXES: Final = 4


def line_impact(made: Compilation, variants: Sequence[Variant], place: Place) -> LineImpact:
    """The effect on *variants* of the line at *place*, which is in the program. A variant that
    cannot be decided is reported and left out."""
    source = made.sources.get(place[0])
    line = source.line(place[1]) if source is not None else ""
    items = items_at(made, place)
    nothing = blank(line)
    maps = SourceMaps(made.traced(), posixpath.basename(made.file), made.file)
    found = Found()
    if not nothing or not nothing.certain or within_text(made, items, place):
        if _may_be_mapped(made, variants):
            found = find(made, maps, variants, maps.numbering.line(*place))
    else:
        found.names = [variant.name for variant in variants]
    groups = tuple(
        Reached(runs(lines), tuple(numbers))
        for lines, numbers in sorted(found.lines.items(), key=lambda one: (-len(one[1]), one[1]))
    )
    held = tuple(_withheld(made, found))
    # A line that only closes a write does not decide its place.
    effects = tuple([one for one in _effects(made, found) if not (nothing and one.only_place)])
    decided = decides(items, variants, made, place) if not nothing else None
    dropped = tuple(_dropped(made, place)) if not nothing else ()
    told = bool(groups or decided or dropped or held) or any(not one.only_place for one in effects)
    why: tuple[str, ...] = ()
    if not told and not made.elaboration.shared.total.is_spent:  # otherwise it is already reported
        why = (nothing.reason,) if nothing else why_unreached(made, maps, variants, place, items)
    reached = {number for group in groups for number in group.variants}
    reached.update(*[one.variants for one in effects if not one.only_place])
    return LineImpact(
        f"{place[0]}:{place[1]}",
        line,
        tuple(found.names),
        tuple(found.files),
        groups,
        decided,
        dropped,
        held,
        why,
        effects,
        _through(made, variants, [found.names[number] for number in sorted(reached)], found),
    )


def _through(
    made: Compilation, variants: Sequence[Variant], names: Sequence[str], found: Found
) -> tuple[int, ...]:
    """The numbers of *variants* that need one of *names*."""
    if not made.is_stacked or made.elaboration.shared.total.is_spent:  # already reported
        return ()
    needing = made.stack.needing(names, variants)
    return tuple([number for number, name in enumerate(found.names) if name in needing])


def _may_be_mapped(made: Compilation, variants: Sequence[Variant]) -> bool:
    """Whether there is time to map *variants* if each of them is small. Otherwise it is reported
    before the first one is mapped."""
    total = made.elaboration.shared.total
    if _MAPPED * len(variants) <= total.evaluations_left:
        return True
    total.asks(total.evaluations_left + 1)
    matrix = variants[0].matrix
    total.report_spent(made.sink, msg.questions.TOO_MANY_MAPS, matrix.span, matrix.name)
    return False


def find(made: Compilation, maps: SourceMaps, variants: Sequence[Variant], lines: Lines) -> Found:
    """The effects of *lines* in *variants*."""
    found = Found()
    total, traced = made.elaboration.shared.total, maps.elaboration.shared.total
    for variant in variants:
        before = traced.evaluations_left
        reached = maps.reached(variant, lines)
        matrix = variant.matrix
        effort = _effort(reached, before - traced.evaluations_left) + len(matrix.axes) // _AXES
        if not total.asks(effort):
            total.report_spent(made.sink, msg.questions.TOO_MANY_MAPS, matrix.span, matrix.name)
            break
        if reached is None:
            made.recipe(variant)  # this reports the reason
        else:
            found.add(variant.name, reached)
    return found


def _effort(reached: ReachedVariant | None, evaluated: int) -> int:
    """The effort of mapping one recipe, in evaluations. It grows with the size of the recipe, and
    with the number of settings that were *evaluated* for it."""
    if reached is None:
        return _MAPPED
    sizes = reached.size // _LINES + reached.count // _ENTRIES
    return _MAPPED + _EVALUATED * evaluated + sizes


def _withheld(made: Compilation, found: Found) -> Iterator[Withheld]:
    """The conditions that keep a setting or a part out."""
    spans: dict[Span, set[int]] = {}
    for entry, numbers in found.entries.items():
        if entry.kind == "withheld":
            spans.setdefault(entry.span, set()).update(numbers)
    for span, those in spans.items():
        place = made.sources.locate(span)
        yield Withheld(made.sources.text_of(span), place, tuple(sorted(those)))


def _effects(made: Compilation, found: Found) -> Iterator[Done]:
    """The effects of the line that are on no line of a recipe."""
    known: dict[tuple[str, str, bool], set[int]] = {}
    for entry, numbers in found.entries.items():
        if entry.kind in ("removed", "order"):
            one = (_what(entry), made.sources.locate(entry.span), entry.kind == "order")
            known.setdefault(one, set()).update(numbers)
    for (what, place, only_place), those in known.items():
        yield Done(what, place, tuple(sorted(those)), only_place)


def _what(entry: Entry) -> str:
    """The effect of *entry*, in words."""
    path = ".".join(entry.path)
    if entry.kind == "order":
        return f"decides where {entry.what} stands"
    if entry.what == WHOLE:
        return f"unsets {path}"
    if entry.what == BEFORE:
        return f"unsets what is written of {path} before"
    if len(entry.path) > 1 and entry.path[-2] in IN_PARTS:
        path = " ".join((".".join(entry.path[:-2]), *entry.path[-2:])).strip()
    return f"takes {entry.what} out of {path}"


def _dropped(made: Compilation, place: Place) -> Iterator[Dropped]:
    """The cells that exclusions on the line drop, by matrix."""
    reads = Dependencies()
    for matrix in made.program.matrices:
        count = count_dropped(matrix, tuple(excludes_at(made, matrix, place)), reads)
        if count:
            yield Dropped(matrix.name, count)


# --- effects of a line ----------------------------------------------------------------------


@dataclass(slots=True)
class Found:
    """The effects of some source lines in all variants.

    - `names` and `files`: those of the variants.
    - `lines`: groups of variants, by their numbers, whose files have effects on the same lines.
      Lines are numbered from 1.
    - `entries`: the effects that are on no line.
    """

    names: list[str] = field(default_factory=list)
    files: list[tuple[str, ...]] = field(default_factory=list)
    lines: dict[tuple[int, ...], list[int]] = field(default_factory=dict)
    entries: dict[Entry, list[int]] = field(default_factory=dict)

    def add(self, name: str, one: ReachedVariant) -> None:
        """Add the effects in one variant."""
        number = len(self.names)
        self.names.append(name)
        self.files.append(one.files)
        for reached in dict.fromkeys(one.lines):
            if reached:
                self.lines.setdefault(reached, []).append(number)
        for entry in dict.fromkeys(one.entries):
            self.entries.setdefault(entry, []).append(number)
