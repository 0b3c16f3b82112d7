"""`tvarc import`: a folder of hand-made recipes as one program."""

from __future__ import annotations

from tvarc.cli import exits
from tvarc.cli.arguments import Arguments, Misused
from tvarc.cli.session import Session, run
from tvarc.diagnostics.words import counted
from tvarc.importing.imported import Imported, Prose
from tvarc.importing.report import report_data, report_text
from tvarc.nix.reader import NoReader
from tvarc.plain import json_text
from tvarc.programs.find import DEFAULT_FILE
from tvarc.programs.importing import (
    demand_outside,
    hand_made,
    import_files,
    is_written,
    recipes_folder,
    texts_file,
    write_new,
)


def command(given: Arguments) -> int:
    """Write the program of a folder; the exit code."""
    axes: list[tuple[str, str]] = []
    for word in given.words("axis"):
        name, sign, pattern = word.partition("=")
        if not (sign and name.replace("-", "").isalnum() and pattern):
            raise Misused(f"`{word}` is not NAME=GLOB", "--axis")
        axes.append((name, pattern))
    return run(given, lambda session: _import(session, given, tuple(axes)))


def _import(session: Session, given: Arguments, axes: tuple[tuple[str, str], ...]) -> int:
    out = given.text("out") or DEFAULT_FILE
    named = given.text("folder")
    assert named is not None  # the table demands it
    folder = recipes_folder(named, session.sink)
    for place in (out, given.text("report")):
        if place is not None and not session.sink.has_errors:
            demand_outside(place, folder, session.sink)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    files = hand_made(folder)
    try:
        with session.guarded():
            made = import_files(files, folder, out, _prose(given), axes, session.cache)
    except NoReader:
        session.sink.error(
            "E931",
            f"{counted(len(files), 'recipe')} in `{folder}` cannot be read without tree-sitter",
            notes=("recipes are read with tree-sitter-nix, which is not installed",),
            help="pip install 'tvarc[audit]'",
        )
        session.finish(exits.FAILED)
    code = exits.STALE if made.left_out or made.drift else exits.OK
    wrote = False
    if not made.text:
        session.sink.error(
            "E961",
            f"nothing of `{named}` is imported",
            notes=tuple([f"{one.path}:{one.line}: {one.reason}" for one in made.left_out[:5]])
            or ("there is no recipe in it",),
            help="name the folder in which the recipes are, such as `.flox/pkgs`",
        )
    elif given.flag("check"):
        whole = is_written(out, made.text) and (
            not made.texts or is_written(texts_file(out), made.texts)
        )
        code = code if whole else exits.STALE
    elif not given.flag("dry_run"):
        write_new(out, made.text, session.sink)
        if made.texts and not session.sink.has_errors:
            write_new(texts_file(out), made.texts, session.sink)
        wrote = not session.sink.has_errors
    lines = [*report_text(made, named)]
    if wrote:
        lines.append(f"{out}: written, and proven to build what is imported")
    _tell(session, given, made, named, lines)
    session.show()
    return exits.FAILED if session.sink.has_errors else code


def _prose(given: Arguments) -> Prose:
    match given.text("text"):
        case "module":
            return "module"
        case "drop":
            return "drop"
        case _:
            return "keep"


def _tell(session: Session, given: Arguments, made: Imported, named: str, lines: list[str]) -> None:
    """Print what became of the folder *named*, and write it where `--report` says."""
    data = json_text(report_data(made, named))
    report = given.text("report")
    if report is not None:
        write_new(
            report, data if report.endswith(".json") else "\n".join(lines) + "\n", session.sink
        )
    if given.flag("json"):
        session.console.data(data)
        return
    tell = session.console.out
    if given.flag("dry_run") and made.text:
        session.console.out(f"{made.text}\n{made.texts}" if made.texts else made.text)
        tell = session.console.error
    for line in lines:
        tell(f"{line}\n")
