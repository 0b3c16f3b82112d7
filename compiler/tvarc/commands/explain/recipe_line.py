"""`tvarc explain FILE.nix:LINE` and `tvarc explain --nix-log`: from a recipe to its sources."""

from __future__ import annotations

import sys

from tvarc.build.driver import Compilation
from tvarc.commands import messages as msg
from tvarc.commands.explain.line_text import line_text
from tvarc.commands.explain.nix_log import NixLog
from tvarc.commands.line import exits
from tvarc.commands.line.console import has_colour, terminal_width
from tvarc.commands.line.session import Ended, Session
from tvarc.commands.programs.line_named import line_words
from tvarc.commands.programs.recipes import RecipeLine, Recipes, Refused, SourceLine
from tvarc.files.disk import input_stream, report_unreadable
from tvarc.files.output.folders import reason_of
from tvarc.light import TYPE_CHECKING, dataclass
from tvarc.text.source import SourceMap, UnreadableSource
from tvarc.values.plain import Ordinal, json_text

if TYPE_CHECKING:
    from tvarc.commands.shown.result import Item
    from tvarc.commands.shown.why import Why


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
    from tvarc.commands.shown.result import item_of

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
        inner = Session(session.console, no_cache=not session.cache.keeps)
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
            break  # nobody reads it any more
        told = _annotations(log, line.decode("utf-8", "replace"))
        end = "\n" if told and not line.endswith(b"\n") else ""
        if told and not session.console.passed(b"", end + "".join(f"{one}\n" for one in told)):
            break
    return exits.OK


def _annotations(log: NixLog, line: str) -> list[str]:
    """The lines of source to put under *line*. An internal error drops this annotation, and never
    the log."""
    try:
        return list(log.below(line))
    except Exception as bug:
        return [f"= tvarc: this line cannot be explained ({type(bug).__name__})"]
