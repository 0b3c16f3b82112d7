"""`tvarc diff`: two variants, or two states of the program. The text on two states is bounded,
however much has changed, unless all of it is requested."""

from __future__ import annotations

import re
import sys

from tvarc.build.bump.left_behind import (
    OldSource,
    OldValue,
    Unlisted,
    old_sources,
    old_values,
    unlisted_values,
)
from tvarc.build.bump.unchanged_mentions import places_by_file
from tvarc.build.diff.changes import Block as SharedBlock
from tvarc.build.diff.changes import (
    Cause,
    Change,
    Changes,
    Group,
    Outcomes,
    PairOutcome,
    Renamed,
    Unbuilt,
)
from tvarc.build.diff.compare import Comparer, Comparison
from tvarc.build.diff.differences import Difference, Kind, opcodes
from tvarc.build.diff.files import FileChange, file_changes
from tvarc.build.diff.kept import Keeping
from tvarc.build.diff.manifests import EntryChange
from tvarc.build.diff.programs import (
    compare_programs,
    entry_changes,
    unbuilt_cells,
    variants_meant,
)
from tvarc.build.diff.states import State, open_state
from tvarc.build.driver import Compilation
from tvarc.commands.build.text import changed_entries
from tvarc.commands.documents import lines_of_parts, parts_wanted
from tvarc.commands.evaluation.derivations import derivation_outcomes, pair_outcome
from tvarc.commands.evaluation.equivalence import difference_lines
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.console import StreamFailed, close_streams, has_colour, terminal_width
from tvarc.commands.line.session import Ended, Session, in_session
from tvarc.commands.programs.checking import refuse_pages
from tvarc.commands.shown.lookup import path_text
from tvarc.commands.shown.result import Origin, origin_of
from tvarc.farm.ci.files import files_of
from tvarc.files.output.header import unsealed
from tvarc.light import Callable, Final, Iterator, Mapping, Sequence, TypeVar, dataclass, replace
from tvarc.matrix.boxes import MATRIX, Box
from tvarc.matrix.pairs import join_pairs
from tvarc.nix import ir
from tvarc.nix.judge.difference import Difference as Apart
from tvarc.text.diagnostics.render_cells import TAB, cell_width, safe, wrap
from tvarc.text.diagnostics.render_style import Piece, Style, painted
from tvarc.text.diagnostics.words import counted, counted_long
from tvarc.text.source import SourceMap, UnreadableSource
from tvarc.values.plain import ABSENT, Absent, Count, Ordinal, json_text

OriginOf = Callable[[ir.Origin | None], Origin | None]
OldSources = Mapping[tuple[OldSource, ir.Origin | None], Sequence[str]]
"""Sources with an old hash and their places, each with its variants."""


@in_session
def command(session: Session, given: Arguments) -> int:
    """Print the differences; the exit code says whether there are any, as that of `diff` does."""
    file, words = given.program_and_words()
    if given.text("against") is None and len(words) != 2:
        raise Misused(
            "name two variants; or compare with a commit: `tvarc diff --against HEAD`"
        )
    against = given.text("against")
    markdown = given.text("form") == "markdown"
    if markdown and (given.flag("json") or against is None):
        raise Misused("Markdown is for people, and for two states: use --against, and not --json")
    try:
        with session.guarded():
            made = session.compile(file)
            session.stop_on_errors()
            if against is None:
                code = _variants(session, given, made, words)
            else:
                code = _states(session, given, made, words, against)
        close_streams()  # an answer that did not reach the reader does not count
        return code
    except StreamFailed as fault:
        session.console.error(f"error: the output cannot be written: {fault}\n")
        raise Ended(exits.TROUBLE) from None
    except Ended as end:
        raise Ended(exits.TROUBLE if end.code == exits.FAILED else end.code) from None


def _variants(session: Session, given: Arguments, made: Compilation, words: list[str]) -> int:
    """Compare two variants; the exit code."""
    first, second = (session.one(word) for word in words)
    decided = (made.recipe(first), made.recipe(second))
    session.stop_on_errors()
    one, other = (recipe for recipe in decided if recipe is not None)
    found = Comparer(flags=True).compare(one, other)
    outcome = None
    if given.flag("nix"):
        _demand_output(session)
        outcome = pair_outcome(made, first, second, session.sink)
        if outcome is None:
            session.finish(exits.FAILED)
    session.show()
    names = (one.variant, other.variant)
    if given.flag("json"):
        session.console.data(json_text(pair_of(names, found, made.sources, outcome), made.sources))
    else:
        out = sys.stdout
        here = _places(made)
        session.console.out(
            pair_text(
                names, found, Places(here, here), colour=has_colour(out), width=terminal_width(out),
                derivations=outcome,
            )
        )  # fmt: skip
    differ = bool(found.differences) or (outcome is not None and not outcome.is_same)
    return exits.DIFFERENT if differ else exits.OK


def _states(
    session: Session, given: Arguments, made: Compilation, words: list[str], against: str
) -> int:
    """Compare the program with another state of it; the exit code."""
    state = open_state(made, against, session.sink)
    if state is None:
        session.finish(exits.FAILED)
    if state.made.sink.has_errors:
        session.finish_with(*state.diagnostics())
    chosen = variants_meant(join_pairs(words), state.made, made)
    if isinstance(chosen, str):
        session.select([chosen])  # its message lists what exists
        session.finish(exits.FAILED)
    changes = compare_programs(state.made, made, *chosen)
    entries = entry_changes(state.made, made, *chosen) if changes is not None else None
    files = None
    if changes is not None and not words and _has_others(state.made, made):
        files = changed_files(state, made)
    if changes is None or session.sink.has_errors or state.made.sink.has_errors:
        session.stop_on_errors()
        session.finish_with(*state.diagnostics())
    changes = Keeping(state.made, made, chosen[1]).added_to(changes)
    changes = replace(changes, unbuilt=() if words else tuple(unbuilt_cells(state.made, made)))
    stale = old_sources(state.made, made, changes)
    left = (
        tuple(old_values(state.made, made, changes)),
        tuple(unlisted_values(state.made, made)) if changes.added.variants else (),
    )
    session.show()
    as_now = [
        f"\ninput `{safe(name)}` ({safe(folder)}) is outside of this repository: both states read "
        "it as it is now\n"
        for name, folder in state.read_as_now()
    ]
    outcome = None
    if given.flag("nix"):
        _demand_output(session)
        outcome = derivation_outcomes(state, made, changes, session.sink)
        if outcome is None:
            session.finish(exits.FAILED)
    if given.flag("json"):
        found = states_of(
            against, changes, state, made.sources, outcome, entries, files, stale, left
        )
        session.console.data(json_text(found, made.sources))
        session.console.error("".join(as_now).lstrip())
    else:
        out, whole = sys.stdout, given.flag("all")
        markdown = given.text("form") == "markdown"
        text = changes_text(
            changes, Places(state.place, _places(made)), whole=whole,
            colour=has_colour(out) and not markdown,
            width=_WIDEST if markdown else terminal_width(out), derivations=outcome, stale=stale,
            left=left,
        )  # fmt: skip
        others = [*changed_entries(entries or ()), *changed_files_lines(files or (), whole=whole)]
        text += "".join([*(f"{line}\n" for line in others), *as_now])
        if markdown:
            session.console.file(markdown_of(text))
        else:
            session.console.out(text)
    differ = changes.any or entries or files or (outcome is not None and outcome.any_differs)
    return exits.DIFFERENT if differ else exits.OK


def _has_others(*states: Compilation) -> bool:
    """Whether any of *states* writes more than recipes and entries of manifests."""
    return any(one.program.jobs or one.program.documents for one in states)


def _places(made: Compilation) -> Callable[[ir.Origin], str]:
    """The place of a value in the program, in the form for a person."""
    return lambda written: made.sources.locate(written.span)


def _demand_output(session: Session) -> None:
    session.demand_output()
    session.stop_on_errors()


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
class OwnValue:
    """Variants that keep a value of their own."""

    variants: tuple[str, ...]
    written: Origin
    """The line that wins in these variants."""


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
    kept: tuple[OwnValue, ...]
    """The variants that the change does not reach, because another line wins in them."""


@dataclass(frozen=True, slots=True)
class Block:
    """Changes that exactly these variants share."""

    variants: tuple[str, ...]
    where: tuple[Box, ...] | None
    """Sets of axis values that together contain exactly these variants; null if too many would be
    necessary."""
    changes: tuple[BlockChange, ...]


@dataclass(frozen=True, slots=True)
class Outdated:
    """A source whose version was edited, but not its hash, or not its address: Nix builds the old
    one."""

    KEYS = (("source", ""),)

    source: OldSource
    variants: tuple[str, ...]
    written: Origin | None
    """The line that states the hash, or writes the source if its name is old."""


@dataclass(frozen=True, slots=True)
class States:
    """Two states of a program."""

    against: str
    """The other, older state, as it was named."""
    variants: Numbers
    added: Group
    removed: Group
    unbuilt: tuple[Unbuilt, ...]
    """Cells with a new value of an axis that exclusions drop; none where selectors are given."""
    renamed: tuple[Renamed, ...]
    changed: tuple[str, ...]
    """The variants that differ, by their new names."""
    through: tuple[Through, ...]
    """Variants that did not change, but need a variant that did."""
    blocks: tuple[Block, ...]
    outdated: tuple[Outdated, ...]
    """The sources whose version was edited, but not their hash, or not their address."""
    still_there: tuple[OldValue, ...]
    """The edited versions and commits of which lines still have the old one."""
    unlisted: tuple[Unlisted, ...]
    """The new values of axes that lists with most other values do not have."""
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
    stale: OldSources,
    left: tuple[tuple[OldValue, ...], tuple[Unlisted, ...]],
) -> States:
    """The result for all of *changes* since the state with the name *against*. *sources* are those
    of the newer state."""

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
            tuple([OwnValue(own.variants, origin_of(own.origin, sources)) for own in one.kept]),
        )

    return States(
        against=against,
        variants=Numbers(changes.before, changes.after),
        added=changes.added,
        removed=changes.removed,
        unbuilt=changes.unbuilt,
        renamed=changes.renamed,
        changed=changes.changed,
        through=tuple([Through(*one) for one in changes.through]),
        outdated=tuple(
            [Outdated(one, tuple(names), after(place)) for (one, place), names in stale.items()]
        ),
        still_there=left[0],
        unlisted=left[1],
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


_SIGNED: Final = re.compile("^ +(?=[-+] )")
"""The indentation of a line that is only in one state."""
_WIDEST: Final = 120
_NARROWEST: Final = 60
_STEP: Final = 2
# Limits of the output without `--all`: blocks, changes of a block, lines of a change, names.
_BLOCKS: Final = 12
_CHANGES: Final = 12
_LINES: Final = 8
_PAIR: Final = 2  # the old and the new value; if there are more lines, they belong to a text
_NAMES: Final = 6
_MENTIONS: Final = 120
_CELLS: Final = 24  # variants in only one state, which nothing else names
_PLACES: Final = 3
_LONGEST: Final = 300
_AROUND: Final = 4  # words of a long value before and after a difference
_PARTS: Final = 6  # parts of a long value that differ

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
        """The edited lines, and the line that wrote the value if it is another one. If no edited
        line is known, only the line that wrote the value."""
        wrote = self.of(change.difference)
        if not change.causes:
            return wrote, ""
        # An edited line exists in both states. The line of the newer state is reported.
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
        """Both places; only one if they are equal."""
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
    stale: OldSources | None = None,
    left: tuple[Sequence[OldValue], Sequence[Unlisted]] = ((), ()),
) -> str:
    """*changes* as text, with the outcomes of `derivations` and the sources with an old hash.
    *left* are places that the edit left unchanged: old values, and lists without new values."""
    page = _Page(places, min(max(width, _NARROWEST), _WIDEST), whole=whole)
    rows = [*page.states(changes, derivations), *page.old_sources(stale or {})]
    rows += [*page.unlisted(left[1]), *page.old_values(left[0])]
    return painted(rows, colour=colour)


def markdown_of(text: str) -> str:
    """The *text* on two states as Markdown, for a comment: the summary, then all lines in colours.
    """
    from tvarc.commands.shown.markdown import Fenced, Heading, Text, print_markdown

    summary, *lines = [_SIGNED.sub("", line) for line in text.splitlines()]
    rest = (Fenced("diff", tuple(lines[1:])),) if lines else ()
    return print_markdown([Heading(3, (Text(summary),)), *rest])


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
    return painted(rows, colour=colour)


def boxes_text(boxes: tuple[Box, ...] | None) -> str:
    """The axis values that describe the variants; empty if there would be too many."""
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
        for unbuilt in changes.unbuilt:
            yield []
            yield from self.unbuilt(unbuilt)
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
            yield [self.title("changed through their needs", [*dict(changes.through)], None)]
            for name, need in self.some(changes.through, _NAMES):
                yield [(f"  {safe(name)}", Style.PLAIN), (f" (needs.{safe(need)})", Style.FAINT)]
            yield from self.more(len(changes.through), _NAMES, "variant", 4)
        if derivations is not None:
            yield []
            yield from self.derivations(derivations)

    def unbuilt(self, unbuilt: Unbuilt) -> Iterator[Row]:
        """The cells with new values of an axis that exclusions drop."""
        values = ", ".join(self.some(unbuilt.values, _NAMES))
        count = f"{unbuilt.dropped:,} of {counted_long(unbuilt.cells, 'cell')}"
        where = f"{unbuilt.axis} {values}; matrix {unbuilt.matrix}"
        yield [(safe(f"excluded: {where}: {count}"), Style.TITLE)]
        first = f"{unbuilt.axis}={unbuilt.values[0]}"
        yield [(safe(f"  the reasons: tvarc list --excluded {first}"), Style.FAINT)]

    def group(self, verb: str, sign: str, group: Group) -> Iterator[Row]:
        if not group.variants:
            return
        yield []
        yield [self.title(verb, group.variants, group.boxes)]
        for name in self.some(group.variants, _CELLS):
            yield [(f"  {sign} {safe(name)}", Style.PLAIN)]
        yield from self.more(len(group.variants), _CELLS, "variant", 4)

    def title(self, verb: str, names: Sequence[str], boxes: tuple[Box, ...] | None) -> Piece:
        where, count = boxes_text(boxes), len(names)
        head = f"{verb}: " if verb else ""
        matrices = [one.named.get(MATRIX, ()) for one in boxes or () if len(one.named) == 1]
        if len(matrices) == 1 == len(boxes or ()) and len(matrices[0]) == count:
            # Each of these matrices has one variant, which has a name of its own.
            text = f"{'variant' if count == 1 else 'variants'} {', '.join(names)}"
        elif boxes == (Box(),):
            text = f"all {counted_long(count, 'variant')}" if count > 1 else "the one variant"
        else:
            text = (
                f"{where}: {counted_long(count, 'variant')}"
                if where
                else counted_long(count, "variant")
            )
        return (safe(head + text), Style.TITLE)

    def block(self, block: SharedBlock) -> Iterator[Row]:
        yield [self.title("changed", block.variants, block.boxes)]
        if block.boxes is None:
            names = ", ".join(self.some(block.variants, _NAMES))
            rest = len(block.variants) - _NAMES
            more = f" and {rest} more" if rest > 0 and not self.whole else ""
            for row in wrap(names + more, self.width - _STEP):
                yield [(f"  {row}", Style.FAINT)]
        told: set[tuple[str, ...]] = set()
        for change in self.some(block.changes, _CHANGES):
            yield from self.change(change)
            if change.difference.path not in told:  # the elements of a list share a path
                yield from self.kept(change)
            told.add(change.difference.path)
        yield from self.more(len(block.changes), _CHANGES, "change", _STEP)

    def change(self, change: Change) -> Iterator[Row]:
        one = change.difference
        label = " " * _STEP + safe(_label(one))
        told, wrote = self.places.causes(change)
        place = safe(told)
        removed, added = one.removed, one.added
        cut = self.cut
        if len(removed) == len(added) == 1 and not self.whole:
            old, new = around_change(removed[0], added[0])
            removed, added, cut = (old,), (new,), safe
        if len(removed) <= 1 and len(added) <= 1:
            text = " → ".join(map(cut, (*removed, *added)))
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
            text = cut(line.expandtabs(TAB))
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

    def old_sources(self, stale: OldSources) -> Iterator[Row]:
        """The sources whose version was edited, but not their address or hash."""
        named = [one for one in stale.items() if one[0][0].still]
        if named:
            yield []
            yield [("old sources: the version was edited, but not what is fetched", Style.TITLE)]
        for (one, origin), names in self.some(named, _NAMES):
            yield self.stale(one, names, origin)
        yield from self.more(len(named), _NAMES, "source", _STEP)
        rest = [one for one in stale.items() if not one[0][0].still]
        if not rest:
            return
        yield []
        yield [("old sources: the hash did not change, so Nix builds the old source", Style.TITLE)]
        for (one, origin), names in self.some(rest, _NAMES):
            yield self.stale(one, names, origin)
        yield from self.more(len(rest), _NAMES, "source", _STEP)
        attributes = dict.fromkeys([f"`{one.attribute} = unlocked`" for (one, _), _ in rest])
        *first, last = attributes
        choice = f"{', '.join(first)} or {last}" if first else last
        for row in wrap(f"write {choice} there, and run `tvarc lock`", self.width - _STEP):
            yield [(f"  {safe(row)}", Style.FAINT)]

    def stale(self, one: OldSource, names: Sequence[str], origin: ir.Origin | None) -> Row:
        row = f"  {safe(one.path)}  {self.cut(one.said)} in {counted_long(len(names), 'variant')}"
        return self.placed(row, safe(self.places.after(origin)) if origin else "")

    def unlisted(self, found: Sequence[Unlisted]) -> Iterator[Row]:
        """The new values of axes that lists with most other values do not have."""
        for one in found:
            lists = self.some(one.lists, _MENTIONS)
            spots = [self.places.after(ir.Origin(span, "")) for span in lists]
            yield []
            title = f"{one.value} is in none of these lists with most other values of {one.axis}:"
            yield [(safe(title), Style.TITLE)]
            for row in wrap(places_by_file(spots), self.width - _STEP):
                yield [(f"  {safe(row)}", Style.PLAIN)]
            yield from self.more(len(one.lists), _MENTIONS, "list", _STEP)

    def old_values(self, left: Sequence[OldValue]) -> Iterator[Row]:
        """The edited values whose old value is still on other lines."""
        for one in left:
            at = ", ".join(map(self.places.after, [ir.Origin(span, "") for span in one.edited]))
            yield []
            yield [(safe(f"still {one.before}: {one.after} is new at {at}"), Style.TITLE)]
            lines = self.some(one.lines, _MENTIONS)
            spots = [f"{line.file}:{line.line}" for line in lines]
            for row in wrap(places_by_file(spots), self.width - _STEP):
                yield [(f"  {safe(row)}", Style.PLAIN)]
            yield from self.more(len(one.lines), _MENTIONS, "line", _STEP)

    def kept(self, change: Change) -> Iterator[Row]:
        """The variants that a change does not reach."""
        for own in self.some(change.kept, _PLACES):
            count, rest = len(own.variants), len(own.variants) - _PLACES
            names = ", ".join(self.some(own.variants, _PLACES))
            more = f" and {rest:,} more" if rest > 0 and not self.whole else ""
            keeps = "variant keeps its" if count == 1 else "variants keep their"
            place = self.places.after(own.origin)
            what = "overlays" if change.difference.path[0] == "overlays" else "value"
            text = f"{count:,} {keeps} own {what} ({place}): {names}{more}"
            for row in wrap(text, self.width - 2 * _STEP):
                yield [(" " * 2 * _STEP + safe(row), Style.FAINT)]
        yield from self.more(len(change.kept), _PLACES, "other place", 2 * _STEP)

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
        alike: dict[tuple[Apart, ...], list[str]] = {}
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
        # A reason that many variants share is printed once. Without a network all have the same.
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
        """*text* in a safe form for a terminal, cut if it is long, unless all of it is
        requested."""
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


def around_change(before: str, after: str) -> tuple[str, str]:
    """Two values. Of long values, only the parts around their differences, in whole words."""
    if max(len(before), len(after)) <= _LONGEST:
        return before, after
    mine, theirs = before.split(), after.split()
    parts: list[tuple[int, int, int, int]] = []
    for tag, start, end, first, last in opcodes(mine, theirs):
        if tag == "equal":
            continue
        if parts and start - parts[-1][1] <= 2 * _AROUND:
            start, _, first, _ = parts.pop()
        parts.append((start, end, first, last))
    parts = parts or [(0, len(mine), 0, len(theirs))]  # only blanks differ
    old = _around(mine, [(start, end) for start, end, _, _ in parts])
    new = _around(theirs, [(first, last) for _, _, first, last in parts])
    return old, new


def _around(words: Sequence[str], parts: Sequence[tuple[int, int]]) -> str:
    """The first *parts* of a text of *words*, with the words around them."""
    shown = "…" if parts[0][0] > _AROUND else ""
    for number, (start, end) in enumerate(parts[:_PARTS]):
        until = end + _AROUND
        text = " ".join(words[max(start - _AROUND, 0) : until])
        text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
        shown += f"{' ' if shown else ''}{text}"
        if number + 1 < len(parts) or until < len(words):
            shown += " …"
    rest = len(parts) - _PARTS
    return f"{shown} and {counted(rest, 'place')} more" if rest > 0 else shown


def _label(one: Difference) -> str:
    path = path_text(one.path)
    match one.kind:
        case "reason":
            return f"{path}, because"
        case "order" if len(one.path) == 1 and one.path != ("overlays",):
            return f"{path}, only the order in the file"  # Nix has no order in a set
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


_LINES_OF_FILE: Final = 8
"""The number of lines of a file that are shown without `--all`."""


def changed_files(state: State, made: Compilation) -> list[FileChange]:
    """The files that differ between *state* and *made*. Errors go to the sink of their state."""
    states = (state.made, made)
    before, after = ({**_for_others(one), **_pages(one, state, made)} for one in states)
    return file_changes(before, after)


def _for_others(made: Compilation) -> dict[str, list[str]]:
    """The lines of files for other systems, without digests, which differ if anything differs."""
    found = files_of(made) if made.program.jobs else []
    return {one.path: unsealed(one.data()).decode().splitlines() for one in found}


def _pages(made: Compilation, state: State, now: Compilation) -> dict[str, list[str]]:
    """The content of the parts of pages, beginning with the marks of all parts. The current page
    decides which parts there are, or else the page of *state*."""
    refuse_pages(made)
    if made.sink.has_errors:
        return {}
    found: dict[str, list[str]] = {}
    for output in made.program.documents:
        page = _page(output.one_file, state, now)
        found[output.one_file] = lines_of_parts(made, parts_wanted(made, page))
    return found


def _page(path: str, state: State, now: Compilation) -> str | None:
    name = now.loader.join(now.file, path)
    for loader in (now.loader, state.loader):
        try:
            return loader.read(name).text
        except UnreadableSource:
            continue
    return None


def changed_files_lines(found: Sequence[FileChange], *, whole: bool) -> Iterator[str]:
    """For each file, how many lines differ, and these lines."""
    for one in found:
        yield ""
        yield f"{safe(one.file)}: {_file_summary(one)}"
        lines = [*(f"- {line}" for line in one.removed), *(f"+ {line}" for line in one.added)]
        told = lines if whole or one.state == "changed" else []
        for line in told if whole else told[:_LINES_OF_FILE]:
            cut = line if whole or len(line) <= _LONGEST else f"{line[:_LONGEST]} …"
            yield f"  {safe(cut)}"
        if len(told) > _LINES_OF_FILE and not whole:
            yield f"  … {counted_long(len(told) - _LINES_OF_FILE, 'line')} more: --all shows them"


def _file_summary(one: FileChange) -> str:
    match one.state:
        case "new":
            return f"new, {counted(len(one.added), 'line')}"
        case "gone":
            return "no output writes it any more"
        case "changed":
            counts = (
                (len(one.added) - one.changed, "added"),
                (len(one.removed) - one.changed, "removed"),
                (one.changed, "changed"),
            )
            told = [(count, what) for count, what in counts if count]
            first, *rest = [f"{count:,} {what}" for count, what in told]
            number, _, what = first.partition(" ")
            noun = "line" if told[0][0] == 1 else "lines"
            return ", ".join([f"{number} {noun} {what}", *rest])
