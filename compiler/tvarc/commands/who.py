"""`tvarc who`: the variants and recipe lines that a source line affects."""

from __future__ import annotations

from tvarc.build.impact.line_impact import line_impact
from tvarc.build.impact.model import Dropped, LineImpact, Reached, Run
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, in_session
from tvarc.commands.programs.find import DEFAULT_FILE, line_named, split_place
from tvarc.light import Final, Sequence, dataclass
from tvarc.matrix.boxes import Universe, cells_of
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted_long
from tvarc.values.plain import ABSENT, Absent, Count, Ordinal, json_text

_LONGEST: Final = 80  # longer texts do not name a set of variants


@in_session
def command(session: Session, given: Arguments) -> int:
    """Print what a source line affects, with `--all` each variant by its name; the exit code."""
    programs, rest = given.programs_and_words()
    words = rest or programs
    place = split_place(words[0]) if len(words) == 1 else None
    file = given.one_program(programs if rest else ())
    if place is None:
        written = " ".join(words)
        if written.isdecimal():
            raise Misused(f"write the file of line {written}: `{file or DEFAULT_FILE}:{written}`")
        raise Misused(f"`{written}` is not a line of a file", "FILE:LINE")
    made = session.compile(file)
    session.stop_on_errors()
    target = line_named(made, *place, session.sink)
    if target is None:
        session.finish(exits.FAILED)
    variants = session.select(given.words("only"))
    answer = line_impact(made, variants, target)
    session.stop_on_errors()
    if given.flag("json"):
        session.console.data(json_text(result_of(answer)))
    else:
        universe = Universe(cells_of(variants))
        session.console.prose(who_text(answer, universe, whole=given.flag("all")))
    session.show()
    return exits.OK


def who_text(answer: LineImpact, universe: Universe, *, whole: bool = False) -> str:
    """The answer as text. Names of the program contain no control characters. With *whole* each
    variant is named."""
    rows = [f"{answer.place}: {answer.line.strip()}"]
    count = len(answer.names)
    names = _Names(answer, universe, whole=whole)
    if answer.reached:
        rows.append(f"affects {_of(answer.reached, count)}")
    for group in answer.groups:
        rows.append(f"  in {names.of(group.variants)}: {_lines(group.lines)}")
        if len(group.variants) == 1:
            rows.extend(f"    {file}" for file in answer.files[group.variants[0]])
        rows += names.each(group.variants)
    for done in answer.effects:
        if not done.only_place:
            rows.append(f"  in {names.of(done.variants)}: {done.what} ({done.place})")
            rows += names.each(done.variants)
    if answer.through:
        rows.append(f"  through their needs: {names.of(answer.through)}")
        rows += names.each(answer.through)
    if answer.decides is not None:
        text, variants = answer.decides
        rows.append(f"{text}: {_of(len(variants), count)}")
        rows += names.each(variants)
    rows += [
        f"drops {counted_long(one.cells, 'cell')} of matrix {one.matrix}" for one in answer.dropped
    ]
    for kept in answer.withheld:
        where = names.of(kept.variants)
        rows.append(f"switches off `when {kept.condition}` ({kept.place}) in {where}")
        rows += names.each(kept.variants)
    rows += [f"affects nothing: {reason}" for reason in answer.why]
    for done in answer.effects:
        if done.only_place:
            rows.append(f"{done.what} among the others in {names.of(done.variants)}")
            rows += names.each(done.variants)
    if names.unnamed:
        rows.append("`--all` prints the names of the variants")
    return "".join(f"{safe(row)}\n" for row in rows)


class _Names:
    """Names for sets of variants. `unnamed` is set if some set was not named in full."""

    def __init__(self, answer: LineImpact, universe: Universe, *, whole: bool) -> None:
        self.answer = answer
        self.universe = universe
        self.whole = whole
        self.unnamed = False

    def of(self, variants: Sequence[int]) -> str:
        """A set of variants in few words: by the values of axes, where these describe exactly that
        set."""
        if len(variants) == 1:
            return self.answer.names[variants[0]]
        count = counted_long(len(variants), "variant")
        if len(variants) == len(self.answer.names):
            return f"all {count}"
        boxes = self.universe.describe(variants)
        text = " or ".join(box.text() for box in boxes) if boxes else ""
        if text and len(text) <= _LONGEST:
            return f"{count} ({text})"
        self.unnamed = not self.whole
        shared = self.universe.shared(variants, _LONGEST)
        return f"{count}, all of them {shared.text()}" if shared.values else count

    def each(self, variants: Sequence[int]) -> list[str]:
        """A row for each variant, if requested."""
        if not self.whole or len(variants) == 1:
            return []
        return [f"    {self.answer.names[number]}" for number in variants]


@dataclass(frozen=True, slots=True)
class VariantFiles:
    """A variant and its files."""

    variant: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Variants in whose files the same lines are reached."""

    lines: tuple[tuple[Ordinal, Ordinal], ...]
    """Runs of lines, first and last."""
    variants: tuple[VariantFiles, ...]


@dataclass(frozen=True, slots=True)
class Decides:
    """The effect of the line that is no value, and the variants concerned."""

    what: str
    variants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Withheld:
    """A condition that reads the line and keeps something out."""

    condition: str
    place: str
    variants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect of the line that no emitted line shows: what a `-=` or a `part … = none` removes,
    and the position of a setting whose value another line gives."""

    KEYS = (("only_place", "only-place"),)

    what: str
    place: str
    only_place: bool
    """Only the position of a setting among others."""
    variants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The effects of a line of source."""

    file: str
    line: Ordinal
    text: str
    """The line as it is written."""
    variants: Count
    """How many were looked at."""
    reached: Count
    """Variants with a line that is reached, or on which it has another effect."""
    groups: tuple[Group, ...]
    dropped: tuple[Dropped, ...]
    withheld: tuple[Withheld, ...]
    effects: tuple[Effect, ...]
    through: tuple[str, ...]
    """The variants that it reaches only through what they need."""
    why: tuple[str, ...]
    """Why the line reaches nothing; empty where it does."""
    decides: Decides | Absent = ABSENT


def result_of(answer: LineImpact) -> Result:
    """The answer for a program."""

    def names(numbers: Sequence[int]) -> tuple[str, ...]:
        return tuple([answer.names[number] for number in numbers])

    def group(one: Reached) -> Group:
        files = [VariantFiles(answer.names[n], answer.files[n]) for n in one.variants]
        return Group(one.lines, tuple(files))

    file, _, line = answer.place.rpartition(":")
    decides: Decides | Absent = ABSENT
    if answer.decides is not None:
        text, variants = answer.decides
        decides = Decides(text, names(variants))
    return Result(
        file=file,
        line=int(line),
        text=answer.line,
        variants=len(answer.names),
        reached=answer.reached,
        groups=tuple(map(group, answer.groups)),
        dropped=answer.dropped,
        withheld=tuple(
            Withheld(one.condition, one.place, names(one.variants)) for one in answer.withheld
        ),
        effects=tuple(
            Effect(one.what, one.place, one.only_place, names(one.variants))
            for one in answer.effects
        ),
        through=names(answer.through),
        why=answer.why,
        decides=decides,
    )


def _lines(lines: Sequence[Run]) -> str:
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in lines]
    one = len(texts) == 1 and lines[0][0] == lines[0][1]
    return f"{'line' if one else 'lines'} {', '.join(texts)}"


def _of(count: int, whole: int) -> str:
    return f"{count:,} of {counted_long(whole, 'variant')}"
