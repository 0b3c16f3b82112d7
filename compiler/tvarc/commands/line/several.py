"""One command over several programs: a section for each, and the worst of their exit codes."""

from __future__ import annotations

import json
import os
import sys

from tvarc.commands.line import exits
from tvarc.commands.line.console import Console
from tvarc.commands.programs.below import LeftOut
from tvarc.commands.programs.find import programs_below, programs_named
from tvarc.commands.programs.missed import Missed
from tvarc.light import Callable, Final, Sequence, TextIO
from tvarc.text.diagnostics.model import Diagnostic, Format, Sink
from tvarc.text.source import SourceMap
from tvarc.values.plain import json_text

# The worst code is first. A refused file or a source with errors is worse than a file that is out
# of date, because then the right content is unknown.
_WORST: Final = (
    *exits.INTERRUPTIONS, exits.BUG, exits.USAGE, exits.FAILED, exits.UNJUDGED, exits.STALE,
    exits.OK,
)  # fmt: skip


class Sections(Console):
    """The output for several programs. The text for a program is below its name. JSON results are
    one list, and JSON diagnostics one object."""

    __slots__ = (
        "_as_json",
        "_before",
        "_diagnostics",
        "_headed",
        "_program",
        "_result",
        "_results",
    )

    def __init__(self, format: Format, *, as_json: bool) -> None:
        super().__init__(format)
        self._as_json = as_json
        self._before: set[str] = set()  # streams that already have a section
        self._diagnostics: list[object] = []
        self._headed: set[str] = set()
        self._program = ""
        self._result: list[str] = []
        self._results: list[object] = []

    def begin(self, program: str) -> None:
        self._program = program
        self._headed.clear()
        self._result.clear()

    def end(self, code: int) -> None:
        """The program has ended with the exit code *code*."""
        text = "".join(self._result)
        self._results.append(
            {
                "program": self._program,
                "exit_code": code,
                "result": json.loads(text) if text else None,
            }
        )

    def close(self) -> None:
        """Print the output that all programs share."""
        if self.format is Format.JSON:
            super().data(json_text({"diagnostics": self._diagnostics}, indent=None))
        if self._as_json:
            super().data(json_text(self._results))

    def out(self, text: str) -> None:
        self._result_or(text, super().out)

    def data(self, text: str) -> None:
        self._result_or(text, super().data)

    def file(self, text: str) -> None:
        self._result_or(text, super().file)

    def _result_or(self, text: str, write: Callable[[str], None]) -> None:
        """Keep *text* as a part of the result in JSON, or *write* it in the section."""
        if self._as_json:
            self._result.append(text)
            return
        self._head("out", sys.stdout, super().out)
        write(text)

    def error(self, text: str) -> None:
        self._head("error", sys.stderr, super().error)
        super().error(text)

    def diagnostics(self, items: Sequence[Diagnostic], sources: SourceMap) -> None:
        match self.format:
            case Format.JSON:
                from tvarc.text.diagnostics.render_json import render_json

                found = json.loads(render_json(items, sources))["diagnostics"]
                self._diagnostics += [{"program": self._program, **one} for one in found]
            case Format.GITHUB if self._as_json:  # annotations are not part of a result
                Console(self.format).diagnostics(items, sources)
            case _:
                super().diagnostics(items, sources)

    def _head(self, name: str, stream: TextIO | None, write: Callable[[str], None]) -> None:
        """Write the name of the program, once on each stream: a reader of only one stream must know
        which program an error is about."""
        if _alike(sys.stdout, sys.stderr) and not self._as_json:
            name = "both"
            if sys.stdout is not None and stream is sys.stderr and not sys.stdout.closed:
                sys.stdout.flush()
        if name in self._headed or not self._program:
            return
        self._headed.add(name)
        write(f"\n{self._program}:\n" if name in self._before else f"{self._program}:\n")
        self._before.add(name)


def _alike(one: TextIO | None, other: TextIO | None) -> bool:
    """Whether both streams go to the same place, such as a terminal."""
    try:
        first, second = (os.fstat(stream.fileno()) for stream in (one, other) if stream is not None)
    except (OSError, ValueError, AttributeError):
        return False
    return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)


def run_each(
    sections: Sections,
    words: Sequence[str],
    command: Callable[[str, Missed], int],
    *,
    everywhere: bool,
    exclude: tuple[str, ...] = (),
) -> int:
    """Run *command* for each program that *words* name, and return the worst exit code. With
    *everywhere* these are the programs in and below the named folders that *exclude* does not leave
    out."""
    faults = Sink()
    left = LeftOut(exclude)
    programs = programs_below(words, left, faults) if everywhere else programs_named(words)
    missed = Missed()
    codes = [exits.OK]
    for program in programs:
        sections.begin(program)
        code = command(program, missed)
        sections.end(code)
        codes.append(code)
        if code in exits.INTERRUPTIONS:
            break
    sections.begin("")
    if faults.has_errors:
        sections.diagnostics(list(faults), SourceMap())
        codes.append(exits.FAILED)
    for text, (items, sources) in missed.faults.items():
        if text not in missed.hit and missed.asked == len(programs):
            sections.diagnostics(items, sources)
            codes.append(exits.FAILED)
    sections.close()
    told = left.told("program")
    if told and programs:
        Console(sections.format).error(f"{told}\n")
    return min(codes, key=_WORST.index)
