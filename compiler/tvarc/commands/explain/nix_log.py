"""The output of Nix, with the lines of source for the lines of recipes that it names."""

from __future__ import annotations

import re
from shlex import quote

from tvarc.commands import messages as msg
from tvarc.commands.programs.recipes import Collected, Recipe, Recipes, Refused, SourceLine
from tvarc.light import Final, Iterator
from tvarc.text.diagnostics.model import filled
from tvarc.text.diagnostics.render_cells import safe

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
            return  # no file is called so
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
            yield f"= {_shown(one)}"
        if len(lines) > _TOLD:
            yield f"= and {len(lines) - _TOLD} more: tvarc explain {quote(f'{path}:{number}')}"


def _too_large(path: str) -> Refused:
    return Refused(filled(msg.recipes.PROGRAM_TOO_LARGE, None, {"path": path}))


def _shown(line: SourceLine) -> str:
    return f"{line.place}: {line.text.strip()}"
