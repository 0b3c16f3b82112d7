"""`tvarc report`: the matrix of a program as a page or a picture."""

# pathlib costs too much at start.
# ruff: noqa: PTH112
from __future__ import annotations

import os
import posixpath

from tvarc.advice.lints.run import Found
from tvarc.build import messages as msg
from tvarc.build.driver import Compilation
from tvarc.commands import messages as commands_msg
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, run
from tvarc.commands.programs.selecting import share_enough
from tvarc.commands.report.html_page import gone_line, is_page, matrix_page
from tvarc.commands.report.picture import Against, Picture
from tvarc.commands.report.program import against_of, matrix_data, program_picture
from tvarc.commands.report.svg import is_picture, matrix_svg
from tvarc.doing import Doing
from tvarc.files.persons import write_beside
from tvarc.light import Callable, Final, Sequence, dataclass
from tvarc.matrix.pairs import join_pairs
from tvarc.matrix.variants import Variant
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.words import counted

MOST_VARIANTS: Final = 20_000
"""Variants on a page: a thousand of them are about 2 MB."""

_STDOUT: Final = "-"
_OWN: Final = 12  # a setting that one variant has alone takes as much as so many evaluations


@dataclass(frozen=True, slots=True)
class _Output:
    """A page or a picture for the file `out`: its `text`, how a file of the same kind is known, and
    `what` it shows."""

    out: str
    text: str
    is_ours: Callable[[bytes], bool]
    what: str


def command(given: Arguments) -> int:
    """Write the page, the picture or both for the selected variants; the exit code."""
    file, selectors = given.program_and_words()
    files = {"html": given.text("html"), "svg": given.text("svg")}
    asked = {name: out for name, out in files.items() if out is not None}
    if not asked:
        raise Misused("say what to write: `--html FILE`, `--svg FILE` or both", "--html")
    for name, out in asked.items():
        if not out or os.path.isdir(out):
            raise Misused(f"`--{name}` takes a file, or `-` for the output", f"--{name}")
    if given.text("builds") is not None and "html" not in asked:
        raise Misused("it colours the page: add `--html FILE`", "--builds")
    if [*asked.values()].count(_STDOUT) > 1:
        raise Misused("the page or the picture can be printed, not both", "--svg")
    return run(given, lambda session: _report(session, given, file, selectors, asked))


def _report(
    session: Session,
    given: Arguments,
    file: str | None,
    selectors: Sequence[str],
    asked: dict[str, str],
) -> int:
    made = session.compile(file)
    session.demand_matrix()
    session.stop_on_errors()
    selectors = join_pairs(selectors)
    variants = session.select(selectors)
    if len(variants) > MOST_VARIANTS:
        message = commands_msg.selection.TOO_MANY_FOR_PAGE
        session.sink.report(message, count=len(variants), most=MOST_VARIANTS)
        session.finish(exits.FAILED)
    state = given.text("against")
    against = _against(session, made, selectors, state) if state is not None else None
    drawn = program_picture(made, variants, against, dropped=not selectors)
    outputs: list[_Output] = []
    what, closing = counted(len(variants), "variant"), ""
    if "html" in asked:
        page, closing = _page(session, given.text("builds"), made, variants, drawn)
        outputs.append(_Output(asked["html"], page, is_page, what))
    if "svg" in asked:
        outputs.append(_Output(asked["svg"], matrix_svg(drawn), is_picture, what))
    return _write(session, outputs, closing, force=given.flag("force"))


def _page(
    session: Session,
    report: str | None,
    made: Compilation,
    variants: Sequence[Variant],
    drawn: Picture,
) -> tuple[str, str]:
    """The page, and the line that reports it at the end."""
    from tvarc.commands.report.build_states import build_states

    if not share_enough(made, variants, msg.questions.TOO_MUCH_TO_SHOW, _OWN):
        session.finish(exits.FAILED)
    all_of_them = len(variants) == len(made.variants)
    lints = made.lints()
    findings: dict[str, Found] = {}
    meant = None if all_of_them else variants
    for _ in made.files(
        posixpath.basename(made.file), meant, collections=all_of_them, sizes=False,
        looking=lints, findings=findings,
    ):  # fmt: skip
        pass
    session.stop_on_errors()
    states = build_states(report, session.sink) if report is not None else {}
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    data = matrix_data(made, variants, lints, findings)
    if data is None:
        session.finish(exits.FAILED)
    with Doing("writing the page"):
        page = matrix_page(drawn, data, states)
    return page, gone_line(states.keys() - {one.name for one in made.variants}, report)


def _against(session: Session, made: Compilation, selectors: Sequence[str], label: str) -> Against:
    """The changes of the selected variants since the state *label*."""
    from tvarc.build.diff.programs import compare_programs, variants_meant
    from tvarc.build.diff.states import open_state

    state = open_state(made.file, label, session.sink)
    if state is None:
        session.finish(exits.FAILED)
    if state.made.sink.has_errors:
        session.finish_with(*state.diagnostics())
    chosen = variants_meant(selectors, state.made, made)
    assert not isinstance(chosen, str)  # each selector means a variant of this program
    changes = compare_programs(state.made, made, *chosen)
    if changes is None or state.made.sink.has_errors:
        session.stop_on_errors()
        session.finish_with(*state.diagnostics())
    return against_of(label, changes, chosen[0])


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
