"""`--html FILE` and `--svg FILE`: write the result of a command to a file, or for `-` print it."""

# pathlib costs too much at start.
# ruff: noqa: PTH112
from __future__ import annotations

import os

from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Misused
from tvarc.commands.line.session import Session
from tvarc.files.output.beside import write_beside
from tvarc.light import Callable, Final, Sequence, dataclass
from tvarc.text.diagnostics.model import Sink

STDOUT: Final = "-"


@dataclass(frozen=True, slots=True)
class Page:
    """A page or a picture for the file `out`: its `text`, how a file of the same kind is known, and
    `what` it shows."""

    out: str
    text: str
    is_ours: Callable[[bytes], bool]
    what: str


def page_file(option: str, out: str | None) -> str:
    """The file that *option* names; raises Misused if *out* cannot be a file."""
    if not out or os.path.isdir(out):
        raise Misused(f"`{option}` takes a file, or `-` for the output", option)
    return out


def put_pages(session: Session, pages: Sequence[Page], closing: str = "", *, force: bool) -> int:
    """Write *pages* to their files, or print them, and end with *closing*. With *force* any file is
    overwritten. The exit code."""
    said = [_put(session, page, force=force) for page in pages]
    session.show(closing=closing)
    printed = any(page.out == STDOUT for page in pages)
    for line in filter(None, said):
        (session.console.error if printed else session.console.remark)(line)
    return exits.FAILED if session.sink.has_errors else exits.OK


def _put(session: Session, page: Page, *, force: bool) -> str:
    """Write *page*, or print it; the line that reports it."""
    if page.out == STDOUT:
        session.console.file(page.text)
        return ""
    folder, name = os.path.split(page.out)
    sink = Sink()
    text = page.text.encode()
    changed = write_beside(folder or ".", name, text, page.is_ours, sink, force=force)
    for one in sink.sorted(session.sources):
        session.sink.add(one)
    return "" if sink.has_errors else f"{page.out}: {page.what}, {_state(changed)}\n"


def _state(changed: bool) -> str:
    return "written" if changed else "unchanged"
