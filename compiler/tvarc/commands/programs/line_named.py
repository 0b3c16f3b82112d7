"""The lines that a person names, of a source or of a recipe."""

from __future__ import annotations

from tvarc.build.driver import Compilation
from tvarc.commands.programs.find import source_name
from tvarc.light import Final, Sequence
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.values.provenance import Place

_DIGITS: Final = 18
_BEYOND: Final = 10**_DIGITS
"""The number of a line that no file has."""


def split_place(word: str) -> tuple[str, int] | None:
    """`FILE:LINE`, the line from 1; None for any other word."""
    file, _, line = word.rpartition(":")
    if not file or not line.isdecimal():
        return None
    number = int(line) if len(line) <= _DIGITS else _BEYOND
    return (file, number) if number else None


def recipe_place(words: Sequence[str]) -> tuple[str, int] | None:
    """The line of a recipe that *words* name, `FILE.nix:LINE`, a column after it as Nix prints it;
    None for anything else."""
    if len(words) != 1:
        return None
    place = split_place(words[0].rstrip(":"))
    if place is not None and not place[0].endswith(".nix"):
        place = split_place(place[0])
    return place if place is not None and place[0].endswith(".nix") else None


def line_named(made: Compilation, name: str, line: int, sink: Sink) -> Place | None:
    """Line number *line* of the file *name*, as spans name that; None, after reporting it, when the
    program has no such line."""
    assert made.graph is not None
    known = [*made.graph.modules, *made.graph.data_files()]
    asked = name if name in known else source_name(name)
    if asked not in known:
        same = [one for one in known if made.loader.identity(one) == made.loader.identity(asked)]
        if not same:
            from tvarc.commands import messages as msg

            sink.report(
                msg.programs.FILE_NOT_READ,
                file=name,
                known=", ".join([f"`{one}`" for one in known]),
                guess=guess(name, known),
            )
            return None
        asked = same[0]
    source = made.sources.get(asked)
    count = len(source.line_starts()) if source is not None else 0
    if line > count:
        from tvarc.commands import messages as msg

        sink.report(msg.programs.NO_LINE, file=name, line=line_words(line), last=count)
        return None
    return (asked, line)


def line_words(line: int) -> str:
    """Line number *line* of a file, in words."""
    return f"line {line}" if line < _BEYOND else "such line"
