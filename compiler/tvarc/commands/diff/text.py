"""The output of `diff` for a person: two states of a program, or two variants side by side.

The output on two states is bounded, however much has changed, unless all of it is requested.
"""

from __future__ import annotations

from tvarc.build.diff.changes import Block, Cause, Change, Changes, Group
from tvarc.build.diff.compare import Comparison
from tvarc.build.diff.differences import Difference
from tvarc.commands.evaluation.differences import difference_lines
from tvarc.commands.shown.lookup import path_text
from tvarc.light import TYPE_CHECKING, Callable, Final, Iterator, Sequence, TypeVar, dataclass
from tvarc.matrix.boxes import Box
from tvarc.nix import ir
from tvarc.text.diagnostics.render_cells import TAB, cell_width, safe, wrap
from tvarc.text.diagnostics.render_style import Piece, Style, paint
from tvarc.text.diagnostics.words import counted_long

if TYPE_CHECKING:
    from tvarc.build.diff.outcomes import Outcomes, PairOutcome
    from tvarc.nix.judge.difference import Difference as Derived

_WIDEST: Final = 120
_NARROWEST: Final = 60
_STEP: Final = 2
# Limits of the output without `--all`: blocks, changes of a block, lines of a change, names.
_BLOCKS: Final = 12
_CHANGES: Final = 12
_LINES: Final = 8
_PAIR: Final = 2  # the old value and the new one; more are lines of a text
_NAMES: Final = 6
_PLACES: Final = 3
_LONGEST: Final = 300

Place = Callable[[ir.Origin], str]
Row = list[Piece]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Places:
    """The places of the two sides in the source, in the form for a person."""

    before: Place
    after: Place

    def of(self, one: Difference) -> str:
        """The place of a value that exists now; for a removed value, the place where it was."""
        if one.after is not None and (one.added or one.before is None):
            return self.after(one.after)
        return self.before(one.before) if one.before is not None else ""

    def causes(self, change: Change) -> tuple[str, str]:
        """The lines that were edited, and the one that wrote the value where that is another; the
        line that wrote it alone, where no edited one is known."""
        wrote = self.of(change.difference)
        if not change.causes:
            return wrote, ""
        # An edited line exists in both states: the newer is reported.
        newer = [one for one in change.causes if not one.before] or change.causes
        found = list(dict.fromkeys(map(self.cause, newer)))
        rest = f" and {len(found) - _PLACES} more" if len(found) > _PLACES else ""
        told = f"{', '.join(found[:_PLACES])}{rest}"
        return told, "" if self.within(change) or wrote in found else wrote

    def cause(self, one: Cause) -> str:
        place = self.before if one.before else self.after
        return place(ir.Origin(one.span, ""))

    def within(self, change: Change) -> bool:
        """Whether an edited line is part of the code that wrote the value."""
        one = change.difference
        spans = [(o.span, b) for o, b in ((one.before, True), (one.after, False)) if o is not None]
        return any(
            span.file == cause.span.file and span.start <= cause.span.end
            and cause.span.start <= span.end and cause.before == before
            for span, before in spans for cause in change.causes
        )  # fmt: skip

    def both(self, one: Difference) -> str:
        """Both places, once where they are one."""
        found = [self.before(one.before)] if one.before is not None else []
        found += [self.after(one.after)] if one.after is not None else []
        return " and ".join(dict.fromkeys(found))


def changes_text(
    changes: Changes,
    places: Places,
    *,
    whole: bool,
    colour: bool,
    width: int,
    derivations: Outcomes | None = None,
) -> str:
    """*changes* as text, with the outcomes of `derivations`."""
    page = _Page(places, min(max(width, _NARROWEST), _WIDEST), whole=whole)
    rows = page.states(changes, derivations)
    return "".join(f"{paint(row, colour=colour)}\n" for row in rows)


def pair_text(
    names: tuple[str, str],
    found: Comparison,
    places: Places,
    *,
    colour: bool,
    width: int,
    derivations: PairOutcome | None = None,
) -> str:
    """Two variants side by side; equal settings are counted."""
    page = _Page(places, min(max(width, _NARROWEST), _WIDEST), whole=True)
    rows = page.pair(names, found, derivations)
    return "".join(f"{paint(row, colour=colour)}\n" for row in rows)


def boxes_text(boxes: tuple[Box, ...] | None) -> str:
    """Which variants: by axis values, or nothing where that would take too many."""
    return " or ".join(box.text() for box in boxes) if boxes is not None else ""


@dataclass(frozen=True, slots=True, eq=False)
class _Page:
    places: Places
    width: int
    whole: bool

    # --- two states -----------------------------------------------------------------------

    def states(self, changes: Changes, derivations: Outcomes | None) -> Iterator[Row]:
        yield [(_summary(changes), Style.TITLE)]
        yield from self.group("added", "+", changes.added)
        yield from self.group("removed", "-", changes.removed)
        if changes.renamed:
            yield []
            yield [(f"renamed: {counted_long(len(changes.renamed), 'variant')}", Style.TITLE)]
            for one in self.some(changes.renamed, _NAMES):
                remark = " (another cell with the same content)" if one.by == "content" else ""
                row: Row = [(f"  {safe(one.before)} → {safe(one.after)}", Style.PLAIN)]
                yield [*row, (remark, Style.FAINT)]
            yield from self.more(len(changes.renamed), _NAMES, "variant", 2)
        blocks = self.some(changes.blocks, _BLOCKS)
        for block in blocks:
            yield []
            yield from self.block(block)
        if len(blocks) < len(changes.blocks):
            yield []
            yield from self.more(len(changes.blocks), _BLOCKS, "other set", 0, " of variants")
        if changes.through:
            yield []
            yield [self.title("changed through their needs", len(changes.through), None)]
            for name, need in self.some(changes.through, _NAMES):
                yield [(f"  {safe(name)}", Style.PLAIN), (f" (needs.{safe(need)})", Style.FAINT)]
            yield from self.more(len(changes.through), _NAMES, "variant", 4)
        if derivations is not None:
            yield []
            yield from self.derivations(derivations)

    def group(self, verb: str, sign: str, group: Group) -> Iterator[Row]:
        if not group.variants:
            return
        yield []
        yield [self.title(verb, len(group.variants), group.boxes)]
        for name in self.some(group.variants, _NAMES):
            yield [(f"  {sign} {safe(name)}", Style.PLAIN)]
        yield from self.more(len(group.variants), _NAMES, "variant", 4)

    def title(self, verb: str, count: int, boxes: tuple[Box, ...] | None) -> Piece:
        where = boxes_text(boxes)
        head = f"{verb}: " if verb else ""
        if boxes == (Box(),):
            text = f"all {counted_long(count, 'variant')}" if count > 1 else "the one variant"
        else:
            text = (
                f"{where}: {counted_long(count, 'variant')}"
                if where
                else counted_long(count, "variant")
            )
        return (safe(head + text), Style.TITLE)

    def block(self, block: Block) -> Iterator[Row]:
        yield [self.title("changed", len(block.variants), block.boxes)]
        if block.boxes is None:
            names = ", ".join(self.some(block.variants, _NAMES))
            rest = len(block.variants) - _NAMES
            more = f" and {rest} more" if rest > 0 and not self.whole else ""
            for row in wrap(names + more, self.width - _STEP):
                yield [(f"  {row}", Style.FAINT)]
        for change in self.some(block.changes, _CHANGES):
            yield from self.change(change)
        yield from self.more(len(block.changes), _CHANGES, "change", _STEP)

    def change(self, change: Change) -> Iterator[Row]:
        one = change.difference
        label = " " * _STEP + safe(_label(one))
        told, wrote = self.places.causes(change)
        place = safe(told)
        removed, added = one.removed, one.added
        if len(removed) <= 1 and len(added) <= 1:
            text = " → ".join(map(self.cut, (*removed, *added)))
            sign = "" if removed and added else "- " if removed else "+ "
            if removed or added:
                row = f"{label}  {sign}{text}"
                if cell_width(row) + cell_width(place) + 2 <= self.width:
                    yield self.placed(row, place)
                    yield from self.remarks(change, wrote)
                    return
        yield self.placed(label, place)
        lines = [("- ", line) for line in removed] + [("+ ", line) for line in added]
        room = _LINES // 2
        if not self.whole and len(lines) > _LINES:
            shown = removed[:room], added[: _LINES - min(room, len(removed))]
            lines = [("- ", line) for line in shown[0]] + [("+ ", line) for line in shown[1]]
        is_script = len(lines) > _PAIR
        for sign, line in lines:
            text = self.cut(line.expandtabs(TAB))
            rows = [text] if is_script else wrap(text, self.width - 2 * _STEP - len(sign))
            for number, row in enumerate(rows):
                before = " " * len(sign) if number else sign
                yield [(" " * 2 * _STEP + before + row, Style.PLAIN)]
        yield from self.more(len(removed) + len(added), len(lines), "line", 3 * _STEP)
        yield from self.remarks(change, wrote)

    def remarks(self, change: Change, wrote: str) -> Iterator[Row]:
        if wrote:
            yield [(" " * 2 * _STEP + safe(f"written by {wrote}"), Style.FAINT)]
        if change.values > 1:
            text = f"in {change.example}; {counted_long(change.values, 'value')} in all"
            yield [(" " * 2 * _STEP + safe(text), Style.FAINT)]

    def derivations(self, outcomes: Outcomes) -> Iterator[Row]:
        found = outcomes.became
        same = [name for name, what in found.items() if what == "same"]
        other = [name for name, what in found.items() if what == "other"]
        unknown: dict[str, list[str]] = {}
        for name, what in found.items():
            if what not in ("same", "other"):
                unknown.setdefault(what, []).append(name)
        parts = [f"{len(same):,} the same", f"{len(other):,} changed"]
        if unknown:
            parts.append(f"{sum(map(len, unknown.values())):,} not known")
        yield [(f"derivations: {', '.join(parts)}", Style.TITLE)]
        alike: dict[tuple[Derived, ...], list[str]] = {}
        for name in other:
            alike.setdefault(outcomes.differ.get(name, ()), []).append(name)
        groups = list(alike.items())
        for differ, names in self.some(groups, _NAMES):
            for name in self.some(names, _NAMES):
                yield [(f"  {safe(name)}", Style.PLAIN)]
            yield from self.more(len(names), _NAMES, "variant", _STEP)
            for line in difference_lines(differ):
                yield [(f"    {line}", Style.FAINT)]
        yield from self.more(len(groups), _NAMES, "difference", _STEP)
        # One reason for many is told once: without a network it is the same for all.
        reasons = list(unknown.items())
        for why, names in self.some(reasons, _NAMES):
            who = names[0] if len(names) == 1 else counted_long(len(names), "variant")
            for row in wrap(f"{who}: Nix says: {why}", self.width - _STEP):
                yield [(f"  {safe(row)}", Style.PLAIN)]
        yield from self.more(len(reasons), _NAMES, "reason", _STEP)

    # --- two variants ---------------------------------------------------------------------

    def pair(
        self,
        names: tuple[str, str],
        found: Comparison,
        derivations: PairOutcome | None,
    ) -> Iterator[Row]:
        yield self.columns(names[0], names[1], Style.TITLE)
        if derivations is not None:
            yield self.columns(*derivations.paths, Style.FAINT)
            for line in difference_lines(derivations.differ):
                yield [(f"  {line}", Style.FAINT)]
        for one in found.differences:
            yield []
            yield self.placed(safe(_label(one)), safe(self.places.both(one)))
            yield from self.beside(one.removed, one.added)
        yield []
        equal = [counted_long(number, noun) for noun, number in found.equal.items() if number]
        text = f"{counted_long(len(found.differences), 'difference')}; equal: "
        yield [(text + (", ".join(equal) if equal else "nothing"), Style.TITLE)]

    @property
    def half(self) -> int:
        return (self.width - _STEP - 3) // 2

    def columns(self, left: str, right: str, style: Style) -> Row:
        left, right = safe(left), safe(right)
        gap = " " * max(self.half + _STEP - cell_width(left) - _STEP, 0)
        return [(f"  {left}{gap} │ {right}", style)]

    def beside(self, removed: Sequence[str], added: Sequence[str]) -> Iterator[Row]:
        """The two sides in columns, each line wrapped. A word that is too wide is not cut, but has
        a row of its own.
        """
        left = [row for line in removed for row in wrap(line, self.half)] or ["–"]
        right = [row for line in added for row in wrap(line, self.half)] or ["–"]
        if max(map(cell_width, left)) > self.half:
            for sign, rows in (("- ", left), ("+ ", right)):
                for text in rows:
                    yield [(f"  {sign}{text}", Style.PLAIN)]
            return
        for index in range(max(len(left), len(right))):
            mine = left[index] if index < len(left) else ""
            theirs = right[index] if index < len(right) else ""
            gap = " " * (self.half - cell_width(mine))
            yield [
                (f"  {mine}{gap} ", Style.PLAIN),
                ("│", Style.FAINT),
                (f" {theirs}", Style.PLAIN),
            ]

    def cut(self, text: str) -> str:
        """*text* as a terminal shows it, cut if it is long, unless all of it is requested."""
        whole = self.whole or len(text) <= _LONGEST
        return safe(text if whole else f"{text[:_LONGEST]} …")

    # --- rows -----------------------------------------------------------------------------

    def some(self, items: Sequence[_T], most: int) -> Sequence[_T]:
        return items if self.whole else items[:most]

    def more(self, count: int, most: int, noun: str, indent: int, of: str = "") -> Iterator[Row]:
        """The number of parts left out, if there are any."""
        if not self.whole and count > most:
            text = f"… {counted_long(count - most, noun)}{of} more: --all shows them"
            yield [(" " * indent + text, Style.FAINT)]

    def placed(self, text: str, place: str) -> Row:
        gap = self.width - cell_width(text) - cell_width(place)
        return [(text, Style.PLAIN), (" " * max(gap, 2), Style.PLAIN), (place, Style.FAINT)]


def _label(one: Difference) -> str:
    path = path_text(one.path)
    match one.kind:
        case "reason":
            return f"{path}, because"
        case "order":
            return f"{path}, order"
        case _:
            return path


def _summary(changes: Changes) -> str:
    if not changes.any:
        return f"no change in {counted_long(changes.after, 'variant')}"
    counts = (
        (len(changes.added.variants), "added"),
        (len(changes.removed.variants), "removed"),
        (len(changes.renamed), "renamed"),
        (len(changes.changed), "changed"),
        (len(changes.through), "changed through their needs"),
    )
    told = ", ".join(f"{count:,} {what}" for count, what in counts if count)
    was = f"{changes.before:,} → " if changes.before != changes.after else ""
    return f"{was}{counted_long(changes.after, 'variant')}: {told}"
