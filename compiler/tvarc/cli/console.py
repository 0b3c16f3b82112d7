"""The two streams of a run: what is written, in which colours, and what a closed one means."""

from __future__ import annotations

import os
import sys

from tvarc.diagnostics.model import Diagnostic
from tvarc.light import Callable, Enum, Sequence, TextIO
from tvarc.source import SourceMap

_WIDTH = 100


class Format(Enum):
    """How diagnostics are written."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


class StreamFailed(Exception):
    """A stream refuses what is written to it, for the reason given."""


class Console:
    """Writes text to stdout and stderr. A reader that went away is no error."""

    __slots__ = ("format",)

    def __init__(self, format: Format = Format.TEXT) -> None:
        self.format = format

    def out(self, text: str) -> None:
        """The result of a command; raises StreamFailed."""
        _write(sys.stdout, text)

    def error(self, text: str) -> None:
        _write(sys.stderr, text)

    def remark(self, text: str) -> None:
        """A closing line for people: on stdout, unless that is for a program to read."""
        if self.format is Format.JSON:
            self.error(text)
        else:
            self.out(text)

    def diagnostics(self, items: Sequence[Diagnostic], sources: SourceMap) -> None:
        """Text goes to stderr; formats for programs go to stdout."""
        match self.format:
            case Format.TEXT:
                if not items:
                    return
                from tvarc.diagnostics.render_text import render_text

                width = terminal_width(sys.stderr)
                self.error(render_text(items, sources, colour=has_colour(sys.stderr), width=width))
            case Format.JSON:
                from tvarc.diagnostics.render_json import render_json

                self.out(render_json(items, sources))
            case Format.GITHUB:
                from tvarc.diagnostics.render_github import render_github

                self.out(render_github(items, sources))


def json_text(data: object, *, indent: int | None = 2, ascii: bool = True) -> str:
    """*data* as JSON, with the end of its line."""
    import json  # it is not asked for often

    return json.dumps(data, indent=indent, ensure_ascii=ascii) + "\n"


def has_colour(stream: TextIO | None) -> bool:
    """Whether *stream* is a terminal that shows colours, and its owner wants them."""
    return (
        is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()


def terminal_width(stream: TextIO | None) -> int:
    """Cells of the terminal that *stream* is; 100 where it is none."""
    if not is_terminal(stream):
        return _WIDTH
    import shutil

    return shutil.get_terminal_size((_WIDTH, 24)).columns


def open_streams() -> None:
    """Let both streams take any text: what their encoding lacks is written as an escape."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def close_streams() -> None:
    """Flush both streams; raises StreamFailed."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            _guarded(stream, stream.flush)


def _write(stream: TextIO | None, text: str) -> None:
    if stream is not None and not stream.closed:
        _guarded(stream, lambda: stream.write(text))


def _guarded(stream: TextIO, action: Callable[[], object]) -> None:
    try:
        action()
    except BrokenPipeError:
        discard(stream)
    except OSError as fault:
        discard(stream)
        raise StreamFailed(fault.strerror or str(fault)) from None


def discard(stream: TextIO) -> None:
    """Send what is still in *stream*, and what follows, nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
