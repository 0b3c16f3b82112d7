"""`tvarc import`: a folder of hand-made recipes as one program."""

from __future__ import annotations

from tvarc.cli import exits
from tvarc.cli.arguments import Arguments, Misused
from tvarc.cli.session import Session, run
from tvarc.diagnostics.words import counted
from tvarc.importing.imported import Imported, Prose
from tvarc.importing.report import report_data, report_text
from tvarc.importing.written import is_name
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
    write_all,
)


def command(given: Arguments) -> int:
    """Write the program of a folder; the exit code."""
    axes: list[tuple[str, str]] = []
    for word in given.words("axis"):
        name, sign, pattern = word.partition("=")
        if not (sign and is_name(name) and pattern):
            raise Misused(f"`{word}` is not NAME=GLOB, with a name of the language", "--axis")
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
    programs: dict[str, str] = {}
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
        programs = {texts_file(out): made.texts} if made.texts else {}
        programs[out] = made.text  # the last, as it reads the other
    done = [f"{out}: written, and proven to build what is imported"] if programs else []
    report = given.text("report")
    reports: dict[str, str] = {}
    if report is not None and report.endswith(".json"):
        reports[report] = json_text(report_data(made, named))
    elif report is not None:
        reports[report] = "\n".join([*report_text(made, named, in_full=True), *done, ""])
    is_whole = write_all({**reports, **programs}, session.sink)
    lines = [*report_text(made, named), *(done if is_whole else [])]
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
