"""The two streams of a run: their output, its colours, and closed streams."""

from __future__ import annotations

import os
import stat
import sys

from tvarc.light import Callable, Final, Sequence, TextIO
from tvarc.text.diagnostics.model import Diagnostic, Format, first_errors
from tvarc.text.source import SourceMap

_WIDTH = 100
_WIDEST = 120  # for sentences

before_output: Callable[[], None] | None = None
"""Called before anything is written: it erases the line of `line/progress.py`, if there is one."""


class StreamFailed(Exception):
    """A stream refuses output, for the reason given."""


class Console:
    """Writes text to stdout and stderr. A reader that went away is no error."""

    __slots__ = ("format",)

    def __init__(self, format: Format = Format.TEXT) -> None:
        self.format = format

    def out(self, text: str) -> None:
        """The result of a command, as text for people; raises StreamFailed.

        It contains no control characters for a terminal, see `diagnostics/render_cells.py`. Text
        from a source or a file name contains no command for the system that runs a build, see
        `diagnostics/log_commands.py`.
        """
        _write(sys.stdout, for_people(sys.stdout, text))

    def prose(self, text: str) -> None:
        """The result of a command in sentences, wrapped for a terminal; raises StreamFailed."""
        self.out(_fitted(sys.stdout, text))

    def data(self, text: str) -> None:
        """The result of a command as JSON; raises StreamFailed."""
        # The marks are only in strings, in which an escape has the same meaning.
        _write(sys.stdout, text.replace("##", "\\u0023#"))

    def file(self, text: str) -> None:
        """The content of a file, as it is for another program; as text for people on a terminal and
        in the log of a build. Raises StreamFailed."""
        if is_terminal(sys.stdout):
            text = for_people(sys.stdout, text)
        elif _is_log(sys.stdout):
            text = _harmless(text)
        _write(sys.stdout, text)

    def passed(self, line: bytes, text: str) -> bool:
        """Write a *line* of another program unchanged, and *text* of tvarc below it, in one call.
        Returns whether the stream still has a reader. Raises StreamFailed."""
        stream = sys.stdout
        if stream is None or stream.closed:
            return False
        there = _guarded(stream, lambda: stream.buffer.write(line + _harmless(text).encode()))
        return there and _guarded(stream, stream.flush)

    def error(self, text: str) -> None:
        _write(sys.stderr, for_people(sys.stderr, text))

    def remark(self, text: str, *, whole: bool = False) -> None:
        """A closing line for people, on stdout unless a program reads that. With *whole* no line is
        broken, so that a command can be copied."""
        if self.format is Format.JSON:
            self.error(text if whole else _fitted(sys.stderr, text))
        else:
            self.out(text if whole else _fitted(sys.stdout, text))

    def diagnostics(self, items: Sequence[Diagnostic], sources: SourceMap) -> None:
        """Text goes to stderr; formats for programs go to stdout. Of many errors, the first ones
        and the number of the others are printed.
        """
        shown, more = first_errors(items)
        match self.format:
            case Format.TEXT:
                if not items:
                    return
                from tvarc.text.diagnostics.render_text import render_text

                width = terminal_width(sys.stderr)
                colour = has_colour(sys.stderr)
                titles = is_terminal(sys.stderr)
                text = render_text(
                    shown, sources, colour=colour, width=width, more=more, titles=titles
                )
                self.error(text)
            case Format.JSON:
                from tvarc.text.diagnostics.render_json import render_json

                self.data(render_json(shown, sources, more))
            case Format.GITHUB:
                from tvarc.files.git.repository import path_in_repository
                from tvarc.text.diagnostics.render_github import render_github

                told = render_github(shown, sources, path_in_repository, more)
                _write(sys.stdout, told)


def _is_log(stream: TextIO | None) -> bool:
    """Whether *stream* may be the log of a service that runs builds. A file is not such a log,
    unless errors go to it too: then it is probably kept, and perhaps printed."""
    if stream is None or stream.closed or not any(map(os.environ.get, _SERVICES)):
        return False
    try:
        found = os.fstat(stream.fileno())
        if not stat.S_ISREG(found.st_mode):
            return True
        errors = sys.stderr
        return (
            errors is not None
            and not errors.closed
            and os.path.samestat(found, os.fstat(errors.fileno()))
        )
    except (OSError, ValueError):
        return True


_SERVICES: Final = ("CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")


def for_people(stream: TextIO | None, text: str) -> str:
    """*text* in the form for people. All output goes through this function."""
    if not text.replace("\n", "").isprintable():
        from tvarc.text.diagnostics.render_cells import lines_for_people

        text = lines_for_people(text, colours=has_colour(stream))
    return _harmless(text)


def _harmless(text: str) -> str:
    """*text* without commands that a service executes from the log of a build."""
    if "::" not in text and "##" not in text:
        return text
    from tvarc.text.diagnostics.log_commands import without_commands

    return without_commands(text)


def has_colour(stream: TextIO | None) -> bool:
    """Whether *stream* is a terminal with colours, and the user has not disabled them."""
    return (
        is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def _fitted(stream: TextIO | None, text: str) -> str:
    """*text* wrapped for *stream* if it is a terminal, in lines that are not too long to read."""
    if not is_terminal(stream):
        return text
    from tvarc.text.diagnostics.render_cells import fit

    return fit(text, min(terminal_width(stream), _WIDEST))


def can_erase(stream: TextIO | None) -> bool:
    """Whether *stream* is a terminal on which a line can be overwritten."""
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()


def terminal_width(stream: TextIO | None) -> int:
    """The width of the terminal *stream* in cells; 100 if it is not a terminal."""
    if stream is None or not is_terminal(stream):
        return _WIDTH
    given = os.environ.get("COLUMNS", "")
    if given.isascii() and given.isdigit() and int(given[:9]) > 0:
        return int(given[:9])
    try:  # `shutil` returns that of stdout, which may be a pipe
        return os.get_terminal_size(stream.fileno()).columns or _WIDTH
    except (OSError, ValueError):
        return _WIDTH


def open_streams() -> None:
    """Let both streams accept any text: characters that their encoding lacks are escaped."""
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


def _guarded(stream: TextIO, action: Callable[[], object]) -> bool:
    """Run *action*, which writes to *stream*. Returns whether the stream still has a reader. Raises
    StreamFailed."""
    clear()
    try:
        action()
    except BrokenPipeError:
        discard(stream)
        return False
    except OSError as fault:
        discard(stream)
        raise StreamFailed(fault.strerror or str(fault)) from None
    return True


def clear() -> None:
    """Erase the line that a terminal shows only until the next output."""
    if before_output is not None:
        before_output()


def discard(stream: TextIO) -> None:
    """Discard the pending and later output of *stream*."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
