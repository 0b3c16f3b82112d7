"""`tvarc explain FILE.nix:LINE` and `tvarc explain --nix-log`: from a recipe to its sources."""

from __future__ import annotations

import re
import sys

from tvarc.cli import exits
from tvarc.cli.console import has_colour, json_text, terminal_width
from tvarc.cli.recipes import Recipe, Recipes, Refused
from tvarc.cli.session import Ended, Session
from tvarc.diagnostics.render_cells import safe
from tvarc.driver import Compilation
from tvarc.elaborate.trace import Trace
from tvarc.light import Final, Iterator
from tvarc.report.recipe_line import SourceLine, line_data, line_text

_TOLD: Final = 3
"""So many lines of source are told of below a place in a log."""

_TERMINAL = re.compile(r"\x1b\[[0-9;]*m")
# After `at` a path may hold blanks; elsewhere it ends at what quotes or separates.
_AT = re.compile(r"\bat ([^'\"«»]+?\.nix):(\d+)\b")
_ANYWHERE = re.compile(r"([^\s'\"«»(),]+\.nix):(\d+)\b")


def explain_line(
    session: Session, file: str | None, place: tuple[str, int], *, as_json: bool
) -> int:
    """Show what made the line that *place* names of a recipe; the exit code."""

    def compiled(program: str) -> Compilation:
        made = session.compile(program)
        session.stop_on_errors()
        return made

    name, number = place
    with session.guarded():
        found = Recipes(compiled, file).find(name)
    if isinstance(found, Refused):
        session.sink.error("E909", found.title, notes=found.notes, help=found.help)
        session.finish(exits.FAILED)
    if number > found.count:
        session.sink.error(
            "E909", f"`{name}` has no line {number}", notes=(f"it has {found.count}",)
        )
        session.finish(exits.FAILED)
    answer = found.line(number)
    made = found.made
    why = None
    if made.elaboration is not None:
        why = Trace(made.elaboration, found.variant, found.mapped.recipe, made.sources)
    if as_json:
        session.console.data(json_text(line_data(answer, made.sources, why)))
    else:
        out = sys.stdout
        colour, width = has_colour(out), terminal_width(out)
        session.console.out(line_text(answer, made.sources, colour=colour, width=width, why=why))
    session.show()
    return exits.OK


def explain_log(session: Session, file: str | None) -> int:
    """Pass on what Nix prints, and put under each place in a recipe the lines of source behind it;
    the exit code."""

    if file is not None:
        session.compile(file)  # that it is not there is told before anything else

    def compiled(program: str) -> Compilation | None:
        inner = Session(session.console, no_cache=not session.cache.keeps)
        try:
            made = inner.compile(program)
        except Ended:
            return None
        return None if made.sink.has_errors else made

    log = _Log(Recipes(compiled, file))
    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        out.write(line)
        told = list(log.below(line.decode("utf-8", "replace")))
        if told and not line.endswith(b"\n"):
            out.write(b"\n")
        for one in told:
            out.write(f"{one}\n".encode())
        out.flush()
    return exits.OK


class _Log:
    """What there is to tell below the lines of a log."""

    def __init__(self, recipes: Recipes) -> None:
        self._recipes = recipes
        self._known: dict[str, Recipe | Refused] = {}

    def below(self, line: str) -> Iterator[str]:
        """What to put under *line*: for each place in a recipe on it the lines of source."""
        plain = _TERMINAL.sub("", line.rstrip("\r\n"))
        indent = " " * (len(plain) - len(plain.lstrip(" ")))
        seen: set[tuple[str, int]] = set()
        for match in (*_AT.finditer(plain), *_ANYWHERE.finditer(plain)):
            place = (match.group(1), int(match.group(2)[:18]))
            if place not in seen:
                seen.add(place)
                for told in self._told(*place):
                    yield f"{indent}{safe(told)}"

    def _told(self, path: str, number: int) -> Iterator[str]:
        known = self._known.get(path)
        if known is None:
            try:
                known = self._recipes.find(path)
            except (RecursionError, MemoryError):
                known = Refused(f"the program of `{path}` is too large for this machine")
            self._known[path] = known
            if isinstance(known, Refused) and not known.foreign:
                yield f"= tvarc: {known.title}"
        if isinstance(known, Refused) or not 1 <= number <= known.count:
            return
        lines = known.sharpest(number)
        for one in lines[:_TOLD]:
            yield f"= {_shown(one)}"
        if len(lines) > _TOLD:
            yield f"= and {len(lines) - _TOLD} more: tvarc explain {path}:{number}"


def _shown(line: SourceLine) -> str:
    return f"{line.place}: {line.text.strip()}"
