"""`tvarc who`: the variants and recipe lines that a source line affects."""

from __future__ import annotations

from tvarc.build.impact.line_impact import line_impact
from tvarc.build.impact.model import LineImpact, Run
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, run
from tvarc.commands.programs.find import DEFAULT_FILE
from tvarc.commands.programs.line_named import line_named, split_place
from tvarc.light import Final, Sequence
from tvarc.matrix.boxes import Universe, cell_of
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted_long
from tvarc.values.plain import Data, Json, json_text

_LONGEST: Final = 80  # longer words are no name for a set of variants


def command(given: Arguments) -> int:
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
    return run(given, lambda session: _who(session, given, file, place))


def _who(session: Session, given: Arguments, file: str | None, place: tuple[str, int]) -> int:
    made = session.compile(file)
    session.stop_on_errors()
    target = line_named(made, *place, session.sink)
    if target is None:
        session.finish(exits.FAILED)
    variants = session.select(given.words("only"))
    answer = line_impact(made, variants, target)
    session.stop_on_errors()
    if given.flag("json"):
        session.console.data(json_text(who_data(answer)))
    else:
        universe = Universe([cell_of(one) for one in variants])
        session.console.prose(who_text(answer, universe, whole=given.flag("all")))
    session.show()
    return exits.OK


def who_text(answer: LineImpact, universe: Universe, *, whole: bool = False) -> str:
    """The answer for a person; names of the program cannot move the cursor. With *whole* each
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
    """Words for sets of variants. `unnamed` is set when some set was not named in full."""

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
        """A row for each variant, where that is asked for."""
        if not self.whole or len(variants) == 1:
            return []
        return [f"    {self.answer.names[number]}" for number in variants]


def who_data(answer: LineImpact) -> Data:
    """The answer for a program."""
    groups: list[Json] = [
        {
            "lines": [[first, last] for first, last in group.lines],
            "variants": [
                {"variant": answer.names[n], "files": list(answer.files[n])} for n in group.variants
            ],
        }
        for group in answer.groups
    ]
    file, _, line = answer.place.rpartition(":")
    data: Data = {
        "file": file,
        "line": int(line),
        "text": answer.line,
        "variants": len(answer.names),
        "reached": answer.reached,
        "groups": groups,
        "dropped": [{"matrix": one.matrix, "cells": one.cells} for one in answer.dropped],
        "withheld": [
            {
                "condition": one.condition,
                "place": one.place,
                "variants": [answer.names[n] for n in one.variants],
            }
            for one in answer.withheld
        ],
        "effects": [
            {
                "what": one.what,
                "place": one.place,
                "only-place": one.only_place,
                "variants": [answer.names[n] for n in one.variants],
            }
            for one in answer.effects
        ],
        "through": [answer.names[n] for n in answer.through],
        "why": list(answer.why),
    }
    if answer.decides is not None:
        text, variants = answer.decides
        data["decides"] = {"what": text, "variants": [answer.names[n] for n in variants]}
    return data


def _lines(lines: Sequence[Run]) -> str:
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in lines]
    one = len(texts) == 1 and lines[0][0] == lines[0][1]
    return f"{'line' if one else 'lines'} {', '.join(texts)}"


def _of(count: int, whole: int) -> str:
    return f"{count:,} of {counted_long(whole, 'variant')}"
