"""`tvarc import`: a folder of hand-made recipes as one program."""

from __future__ import annotations

import gc
import posixpath

from tvarc.byhand.importing.folder import Prose
from tvarc.byhand.importing.imported import Imported
from tvarc.byhand.importing.names import is_name
from tvarc.byhand.importing.report import report_data, report_text
from tvarc.commands.cli import exits
from tvarc.commands.cli.arguments import Arguments, Misused
from tvarc.commands.cli.session import Session, run
from tvarc.commands.programs.find import DEFAULT_FILE
from tvarc.commands.programs.importing import compared, files_of, imported, is_written, write_all
from tvarc.light import Final
from tvarc.text.diagnostics.words import counted
from tvarc.values.plain import json_text

_BETWEEN_COLLECTIONS: Final = (2_000_000, 20, 100)
"""What is read is trees, which hold no rings: to look for some takes a seventh of the time."""


def command(given: Arguments) -> int:
    """Write the program of a folder; the exit code."""
    axes: list[tuple[str, str]] = []
    for word in given.words("axis"):
        name, sign, pattern = word.partition("=")
        if not (sign and is_name(name) and pattern):
            raise Misused(f"`{word}` is not NAME=GLOB with a valid name", "--axis")
        axes.append((name, pattern))
    report, out = given.text("report"), given.text("out") or DEFAULT_FILE
    if report is not None and posixpath.normpath(report) == posixpath.normpath(out):
        raise Misused(f"`{report}` is also the file of the program", "--report")
    gc.set_threshold(*_BETWEEN_COLLECTIONS)
    return run(given, lambda session: _import(session, given, tuple(axes)))


def _import(session: Session, given: Arguments, axes: tuple[tuple[str, str], ...]) -> int:
    out = given.text("out") or DEFAULT_FILE
    named = given.text("folder")
    assert named is not None  # the table demands it
    written = (out, given.text("report"))
    made = imported(named, written, _prose(given), axes, session.cache, session.sink)
    if made is None:
        session.finish(exits.FAILED)
    code = exits.STALE if made.left_out or made.drift else exits.OK
    programs: dict[str, str] = {}
    if made.text and given.flag("check"):
        code = code if is_written(made, out) else exits.STALE
    elif made.text and not given.flag("dry_run"):
        programs = files_of(made, out)
    done = [f"{out}: written, and read back alike"] if programs else []
    report = given.text("report")
    reports: dict[str, str] = {}
    if report is not None and report.endswith(".json"):
        reports[report] = json_text(report_data(made, named))
    elif report is not None:
        reports[report] = "\n".join([*report_text(made, named, in_full=True), *done, ""])
    is_whole = write_all({**reports, **programs}, session.sink)
    lines = [*report_text(made, named), *(done if is_whole else [])]
    _tell(session, given, made, named, lines)
    if given.flag("nix") and programs and is_whole:
        code = max(code, _prove(session, made, named, out))
    session.show()
    return exits.FAILED if session.sink.has_errors else code


def _prove(session: Session, made: Imported, named: str, out: str) -> int:
    """Have Nix compare what was imported from the folder *named* with what the program *out*
    builds, and tell what differs; the exit code."""
    from tvarc.commands.report.equivalence import differing_lines, report_refusals

    found = compared(made, named, out, session.cache, session.sink)
    if found is None:
        session.finish(exits.UNJUDGED)
    for source, _ in found.refused:
        session.sources.add(source)
    report_refusals(found.variants, [fault for _, fault in found.refused], session.sink)
    tell = session.console.error
    for one in found.files:
        for line in () if one.equal else differing_lines(one):
            tell(f"{line}\n")
    count = sum([one.equal for one in found.files])
    proven = f"proven for {count} of {counted(len(found.files), 'recipe')}"
    tell(f"{proven}: Nix makes the same derivation of the file and of the variant\n")
    return exits.OK if count == len(found.files) else exits.STALE


def _prose(given: Arguments) -> Prose:
    match given.text("text"):
        case "keep":
            return "keep"
        case "drop":
            return "drop"
        case _:
            return "module"


def _tell(session: Session, given: Arguments, made: Imported, named: str, lines: list[str]) -> None:
    """Print what became of the folder *named*."""
    if given.flag("json"):
        session.console.data(json_text(report_data(made, named)))
        return
    tell = session.console.out
    if given.flag("dry_run") and made.text:
        session.console.out(f"{made.text}\n{made.texts}" if made.texts else made.text)
        tell = session.console.error
    for line in lines:
        tell(f"{line}\n")
