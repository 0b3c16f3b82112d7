"""`tvarc fmt` for one text: the one layout of the language, comments kept."""

from __future__ import annotations

from tvarc.files.cache import Cache
from tvarc.light import Final, Sequence
from tvarc.syntax.format.layout import laid_out
from tvarc.syntax.format.layout_tree import whole_file
from tvarc.syntax.format.trivia import comments_of
from tvarc.syntax.parser import Trees, parse_all
from tvarc.text.diagnostics.model import CompilerBug, Sink
from tvarc.text.source import Source
from tvarc.values.value import quote

_ROUNDS: Final = 4
WIDE: Final = 104
"""The widest line that is written before it is laid out, without the blanks before it."""


def format_source(source: Source, sink: Sink, cache: Cache | None = None) -> str | None:
    """The text of *source* in the one layout; None if it has faults, which go to *sink*. The
    parser's tables come from *cache* if it has them.

    The result is checked: it is parsed, and must have the same tree and the same comments, and
    formatting it again must not change it. Raises CompilerBug otherwise.
    """
    faults = Sink()
    module, trees = parse_all(source, faults, cache)
    for fault in faults:
        sink.add(fault)
    if faults.has_errors:
        return None
    comments = comments_of(source.text, trees)
    text = source.text
    for _ in range(_ROUNDS):
        formatted = lay_out(text, trees)
        if formatted == text:
            return text
        again, trees = parse_all(Source(source.file, formatted), faults)
        means = again.items == module.items and not faults.has_errors
        if not means or comments_of(formatted, trees) != comments:
            raise CompilerBug(f"{source.file} would not be the same program when formatted")
        text = formatted
    raise CompilerBug(f"the layout of {source.file} does not settle")


def lay_out(text: str, trees: Trees) -> str:
    """*text*, laid out once. *trees* are the trees of its items."""
    return laid_out(whole_file(text, trees))


# --- text that is written, and then laid out ------------------------------------------------------


def braced(head: str, rows: Sequence[str], width: int = WIDE) -> list[str]:
    """A block of *rows*, on one line where that is no wider than *width*; without braces where all
    that it has is an addition to it."""
    if len(rows) == 1 and rows[0].startswith("+= "):
        return [f"{head} {rows[0]}"]
    line = f"{head} {{ {', '.join(rows)} }}"
    plain_rows = all("\n" not in row and not row.startswith("#") for row in rows)
    return [line] if rows and plain_rows and len(line) <= width else [f"{head} {{", *rows, "}"]


def because(reason: str) -> str:
    """Why something is so, as a statement ends with it."""
    return f" because {quote(reason)}" if reason else ""
