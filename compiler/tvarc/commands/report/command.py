"""`tvarc report`: writes the matrix of a program as a page or a picture, or serves the page."""

# pathlib costs too much at start.
# ruff: noqa: PTH112
from __future__ import annotations

import os

from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, run
from tvarc.commands.report.html_page import draw, is_page, page_of
from tvarc.commands.report.svg import is_picture, matrix_svg
from tvarc.files.persons import write_beside
from tvarc.light import Callable, Final, Sequence, dataclass
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.words import counted


def command(given: Arguments) -> int:
    """Write the page, the picture or both for the selected variants, or serve the page; the exit
    code."""
    if given.flag("serve"):
        from tvarc.commands.report.serving import serve

        return serve(given)
    if given.text("port") is not None:
        raise Misused("it is the port of a page that is served: add `--serve`", "--port")
    return run(given, lambda session: _written_files(session, given))


def _written_files(session: Session, given: Arguments) -> int:
    files = {"html": given.text("html"), "svg": given.text("svg")}
    asked = {name: out for name, out in files.items() if out is not None}
    if not asked:
        raise Misused(
            "say what to write: `--html FILE`, `--svg FILE` or both, or `--serve`", "--html"
        )
    for name, out in asked.items():
        if not out or os.path.isdir(out):
            raise Misused(f"`--{name}` takes a file, or `-` for the output", f"--{name}")
    if given.text("builds") is not None and "html" not in asked:
        raise Misused("it colours the page: add `--html FILE`", "--builds")
    if [*asked.values()].count(_STDOUT) > 1:
        raise Misused("the page or the picture can be printed, not both", "--svg")
    drawn = draw(session, given)
    outputs: list[_Output] = []
    what, closing = counted(len(drawn.variants), "variant"), ""
    if "html" in asked:
        page = page_of(session, drawn, given.text("builds"))
        outputs.append(_Output(asked["html"], page.document(), is_page, what))
        closing = page.closing
    if "svg" in asked:
        outputs.append(_Output(asked["svg"], matrix_svg(drawn.picture), is_picture, what))
    return _write(session, outputs, closing, force=given.flag("force"))


def _write(session: Session, outputs: Sequence[_Output], closing: str, *, force: bool) -> int:
    """Write *outputs* to their files, or print them, and end with *closing*. With *force* any file
    is overwritten. The exit code."""
    said = [_written(session, one, force=force) for one in outputs]
    session.show(closing=closing)
    printed = any(one.out == _STDOUT for one in outputs)
    for line in filter(None, said):
        (session.console.error if printed else session.console.remark)(line)
    return exits.FAILED if session.sink.has_errors else exits.OK


def _written(session: Session, output: _Output, *, force: bool) -> str:
    """Write *output*, or print it; the line that reports it."""
    if output.out == _STDOUT:
        session.console.file(output.text)
        return ""
    folder, name = os.path.split(output.out)
    sink = Sink()
    text = output.text.encode()
    changed = write_beside(folder or ".", name, text, output.is_ours, sink, force=force)
    for one in sink.sorted(session.sources):
        session.sink.add(one)
    state = "written" if changed else "unchanged"
    return "" if sink.has_errors else f"{output.out}: {output.what}, {state}\n"


_STDOUT: Final = "-"


@dataclass(frozen=True, slots=True)
class _Output:
    """A page or a picture for the file `out`: its `text`, a function that recognizes a file of the
    same kind, and `what` it shows."""

    out: str
    text: str
    is_ours: Callable[[bytes], bool]
    what: str
