"""`tvarc explain FILE.nix:LINE` and `tvarc explain --nix-log`: from a recipe to its sources."""

from __future__ import annotations

import re
import sys
from shlex import quote

from tvarc.build.driver import Compilation
from tvarc.commands import messages as msg
from tvarc.commands.explain.text import explain_text
from tvarc.commands.line import exits
from tvarc.commands.line.console import has_colour, terminal_width
from tvarc.commands.line.session import Ended, Session
from tvarc.commands.programs.find import line_words
from tvarc.commands.programs.recipes import (
    Collected,
    Recipe,
    RecipeLine,
    Recipes,
    Refused,
    SourceLine,
)
from tvarc.commands.shown.data import Why
from tvarc.commands.shown.result import Item, item_of
from tvarc.files.disk import input_stream, report_unreadable
from tvarc.files.output.folders import reason_of
from tvarc.light import Final, Iterator, Sequence, dataclass
from tvarc.text.diagnostics.model import filled
from tvarc.text.diagnostics.render_cells import cell_width, safe
from tvarc.text.diagnostics.render_style import Piece, Style, paint
from tvarc.text.source import SourceMap, UnreadableSource
from tvarc.values.plain import Ordinal, json_text

_WIDEST_PLACE: Final = 40  # a longer place does not widen the column


def line_text(
    answer: RecipeLine, sources: SourceMap, *, colour: bool, width: int, why: Why | None
) -> str:
    """The answer for a person, for a terminal of *width* cells."""
    head: list[Piece] = [
        (safe(f"{answer.file}:{answer.line}: "), Style.TITLE),
        (safe(answer.text.strip()), Style.PLAIN),
    ]
    parts = [f"{paint(head, colour=colour)}\n"]
    for number, node in enumerate(answer.values):
        text = explain_text(answer.tree, node, sources, colour=colour, width=width, why=why)
        # Each answer begins with the name of the variant.
        parts.append(text.partition("\n")[2] if number else text)
    rows = [
        *_block("made of", answer.made),
        *_block("around it", answer.around),
        *_block("kept out by a condition", answer.withheld),
    ]
    if answer.frame:
        rows.append([(answer.frame, Style.PLAIN)])
    parts += [f"{paint(row, colour=colour)}\n" for row in rows]
    return "".join(parts)


def _block(title: str, lines: Sequence[SourceLine]) -> Iterator[list[Piece]]:
    if not lines:
        return
    yield [(title, Style.SECOND)]
    places = [safe(one.place) for one in lines]
    width = min(max(map(cell_width, places)), _WIDEST_PLACE)
    for place, one in zip(places, lines, strict=True):
        gap = " " * max(width - cell_width(place), 0)
        yield [
            (f"  {place}{gap}  ", Style.FAINT),
            (safe(one.text.strip()), Style.PLAIN),
        ]


_TOLD: Final = 3
"""This many lines of source are printed below a place in a log."""

_TERMINAL = re.compile(r"\x1b\[[0-9;]*m")
# After `at`, a path may contain blanks; elsewhere it ends at a quote or a separator.
_AT = re.compile(r"\bat ([^'\"«»]+?\.nix):(\d+)\b")
_ANYWHERE = re.compile(r"([^\s'\"«»(),]+\.nix):(\d+)\b")


class NixLog:
    """The lines to print below the lines of a log."""

    def __init__(self, recipes: Recipes) -> None:
        self._recipes = recipes
        self._known: dict[str, Recipe | Collected | Refused] = {}

    def below(self, line: str) -> Iterator[str]:
        """The lines to print under *line*: for each place in a recipe on it, the lines of
        source."""
        plain = _TERMINAL.sub("", line.rstrip("\r\n"))
        indent = " " * (len(plain) - len(plain.lstrip(" ")))
        seen: set[tuple[str, int]] = set()
        for match in (*_AT.finditer(plain), *_ANYWHERE.finditer(plain)):
            place = (match.group(1), int(match.group(2)[:18]))
            if place not in seen:
                seen.add(place)
                for told in self._source_lines(*place):
                    yield f"{indent}{safe(told)}"

    def _source_lines(self, path: str, number: int) -> Iterator[str]:
        if "\0" in path:
            return  # no file has this name
        known = self._known.get(path)
        if known is None:
            try:
                known = self._recipes.find(path)
            except (RecursionError, MemoryError):
                known = _too_large(path)
            self._known[path] = known
            if isinstance(known, Refused) and not known.foreign:
                yield f"= tvarc: {known.fault.title}"
        if isinstance(known, Refused) or not 1 <= number <= known.count:
            return
        lines = known.at(number).sharpest(number)
        for one in lines[:_TOLD]:
            yield f"= {one.place}: {one.text.strip()}"
        if len(lines) > _TOLD:
            yield f"= and {len(lines) - _TOLD} more: tvarc explain {quote(f'{path}:{number}')}"


def _too_large(path: str) -> Refused:
    return Refused(filled(msg.recipes.PROGRAM_TOO_LARGE, None, {"path": path}))


def explain_line(
    session: Session, file: str | None, place: tuple[str, int], *, as_json: bool
) -> int:
    """Show the source of the line of a recipe that *place* names; the exit code."""

    def compiled(program: str) -> Compilation:
        made = session.compile(program)
        session.stop_on_errors()
        return made

    name, number = place
    found = Recipes(compiled, file).find(name)
    if isinstance(found, Refused):
        session.sink.add(found.fault)
        session.finish(exits.FAILED)
    if number > found.count:
        line = line_words(number)
        session.sink.report(msg.recipes.NO_LINE, file=name, line=line, last=found.count)
        session.finish(exits.FAILED)
    recipe = found.at(number)
    answer = recipe.line(number)
    made = found.made
    why = recipe.why
    if as_json:
        session.console.data(json_text(result_of(answer, made.sources, why), made.sources))
    else:
        out = sys.stdout
        colour, width = has_colour(out), terminal_width(out)
        session.console.out(line_text(answer, made.sources, colour=colour, width=width, why=why))
    session.show()
    return exits.OK


@dataclass(frozen=True, slots=True)
class MadeLine:
    """The source lines of a line of a recipe: `tvarc explain FILE.nix:LINE --json`."""

    file: str
    """The recipe, as it was named."""
    line: Ordinal
    text: str
    """The line of the recipe."""
    variant: str
    values: tuple[Item, ...]
    """The decided values on the line."""
    made: tuple[SourceLine, ...]
    """The lines that made its values, with their conditions."""
    around: tuple[SourceLine, ...]
    """The lines that made the rest of the line."""
    withheld: tuple[SourceLine, ...]
    """The conditions that keep something out of these values."""


def result_of(answer: RecipeLine, sources: SourceMap, why: Why | None) -> MadeLine:
    """The output of `--json`."""
    return MadeLine(
        file=answer.file,
        line=answer.line,
        text=answer.text,
        variant=str(answer.tree.value),
        values=tuple([item_of(node, sources, why) for node in answer.values]),
        made=answer.made,
        around=answer.around,
        withheld=answer.withheld,
    )


def explain_log(session: Session, file: str | None) -> int:
    """Pass on the output of Nix, and put the lines of source under each place in a recipe; the exit
    code."""

    if file is not None:
        session.compile(file)  # a missing program is reported first

    def compiled(program: str) -> Compilation | None:
        inner = Session(
            session.console, no_cache=not session.cache.keeps, inputs=session.inputs
        )
        try:
            made = inner.compile(program)
        except Ended:
            return None
        return None if made.sink.has_errors else made

    log = NixLog(Recipes(compiled, file))
    try:
        printed = input_stream()
    except OSError as fault:
        report_unreadable(UnreadableSource("<stdin>", reason_of(fault)), session.sink)
        session.finish(exits.FAILED)
    for line in printed:
        if not session.console.passed(line, ""):
            break  # the reader has gone away
        told = _annotations(log, line.decode("utf-8", "replace"))
        end = "\n" if told and not line.endswith(b"\n") else ""
        if told and not session.console.passed(b"", end + "".join(f"{one}\n" for one in told)):
            break
    return exits.OK


def _annotations(log: NixLog, line: str) -> list[str]:
    """The lines of source to print under *line*. An internal error drops only this annotation,
    never a line of the log."""
    try:
        return list(log.below(line))
    except Exception as bug:
        return [f"= tvarc: this line cannot be explained ({type(bug).__name__})"]
