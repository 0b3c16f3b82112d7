"""The tables of the library, with the rows that the program adds."""

from __future__ import annotations

from tvarc.advice.library.tables import Library, load_library, load_with_program
from tvarc.commands.programs.find import program_name
from tvarc.files.cache import Cache
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir
from tvarc.light import dataclass
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import SourceMap, UnreadableSource


@dataclass(frozen=True, slots=True)
class LibraryAtHand:
    """The tables; None with errors in `sink`, which are about `sources`. `left_out` is a program
    that nobody named and that has errors: what it says of facts is not in the tables."""

    library: Library | None
    sink: Sink
    sources: SourceMap
    left_out: str = ""


def library_at_hand(file: str | None, cache: Cache) -> LibraryAtHand:
    """The tables as the program *file* has them, by default the nearest, if there is one. Faults
    of a program that was named are errors; those of another are for `check` to tell."""
    loader = DiskLoader(stdlib_dir())
    sink, sources = Sink(), SourceMap()
    program = program_name(file)
    left_out = ""
    if program is not None and file is not None:
        try:
            loader.read(program)
        except UnreadableSource as fault:
            sink.error(fault.code, f"cannot read `{program}`", notes=(fault.reason,))
            return LibraryAtHand(None, sink, sources)
    if program is not None:
        own = load_with_program(loader, program, cache)
        if own.sink.has_errors and file is not None:
            return LibraryAtHand(None, own.sink, own.sources)
        if own.sink.has_errors:
            left_out = program
        elif own.library is not None:
            return LibraryAtHand(own.library, sink, sources)
    return LibraryAtHand(load_library(loader, cache), sink, sources, left_out)
