"""`tvarc import`: a folder of hand-made recipes as one program."""

# pathlib costs too much at start.
# ruff: noqa: PTH112, PTH118, PTH120
from __future__ import annotations

import os
import posixpath

from tvarc.cli import exits
from tvarc.cli.session import Session, counted
from tvarc.disk import DiskLoader
from tvarc.importing.imported import Choices, HandMade, Imported, Prose, import_recipes
from tvarc.importing.report import report_data, report_text
from tvarc.importing.tables import tables_of
from tvarc.library.tables import load_library
from tvarc.light import Final, dataclass
from tvarc.nix.reader import NoReader
from tvarc.output.beside import write_beside
from tvarc.output.inventory import inventory, read_text
from tvarc.plain import json_text
from tvarc.programs.audit import Folder
from tvarc.programs.find import DEFAULT_FILE
from tvarc.resources import stdlib_dir
from tvarc.source import UnreadableSource

_FLOX: Final = ".flox/pkgs"


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What is asked for: the folder, the program that is written, and how."""

    folder: str
    out: str | None
    prose: Prose
    axes: tuple[tuple[str, str], ...]
    report: str | None
    check: bool
    dry_run: bool
    as_json: bool


def import_folder(session: Session, options: ImportOptions) -> int:
    """Write the program of a folder; the exit code."""
    folder = _folder(session, options.folder)
    out = options.out if options.out is not None else DEFAULT_FILE
    for place in (out, options.report):
        if place is not None:
            _keep_out(session, place, folder)
    files = _files(folder)
    loader = DiskLoader(stdlib_dir())
    choices = Choices(options.prose, options.axes, _target(folder))
    try:
        with session.guarded():
            tables = tables_of(load_library(loader, session.cache))
            made = import_recipes(
                files, Folder(folder).imported, tables, choices, stdlib_dir(), session.cache
            )
    except NoReader:
        session.sink.error(
            "E931",
            f"{counted(len(files), 'recipe')} in `{folder}` cannot be read without tree-sitter",
            notes=("recipes are read with tree-sitter-nix, which is not installed",),
            help="pip install 'tvarc[audit]'",
        )
        session.finish(exits.FAILED)
    code = exits.STALE if made.left_out or made.drift else exits.OK
    if not made.text:
        session.sink.error(
            "E961",
            f"nothing of `{options.folder}` is imported",
            notes=tuple([f"{one.path}:{one.line}: {one.reason}" for one in made.left_out[:5]])
            or ("there is no recipe in it",),
            help="name the folder in which the recipes are, such as `.flox/pkgs`",
        )
        code = exits.FAILED
    elif options.check:
        code = max(code, _checked(out, made))
    elif not options.dry_run:
        _write(session, out, made.text)
    _tell(session, options, made, out)
    session.show()
    return exits.FAILED if session.sink.has_errors else code


def _folder(session: Session, named: str) -> str:
    if not os.path.isdir(named):
        session.sink.error(
            "E106",
            f"cannot read `{named}`",
            notes=("it is no folder",),
            help="name the folder of the recipes, such as `.flox/pkgs`",
        )
        session.finish(exits.FAILED)
    below = os.path.join(named, _FLOX)
    return below if os.path.isdir(below) else named


def _keep_out(session: Session, out: str, folder: str) -> None:
    """Refuse to write among the recipes."""
    real = os.path.realpath(folder)
    target = os.path.realpath(os.path.dirname(out) or ".")
    if os.path.commonpath([real, target]) == real:
        session.sink.error(
            "E803",
            f"`{out}` would be written into the folder that is imported",
            notes=("an import changes nothing in that folder",),
            help="name another place with `-o`",
        )
        session.finish(exits.FAILED)


def _files(folder: str) -> list[HandMade]:
    found = inventory(folder, nested=True)
    files: list[HandMade] = []
    for file in found.files:
        text, fault = read_text(folder, file.path)
        files.append(HandMade(file.path, file.name, text, fault))
    for path, winner in sorted(found.hidden.items()):
        files.append(HandMade(path, path, "", f"`{winner}` is the package of that name"))
    for path, fault in sorted(found.faults.items()):
        files.append(HandMade(path, path, "", fault))
    return files


def _target(folder: str) -> str:
    """Where the program writes: to a folder called as the one that is imported."""
    real = os.path.realpath(folder)
    return _FLOX if real.endswith(f"/{_FLOX}") else posixpath.basename(real)


def _checked(out: str, made: Imported) -> int:
    """Whether the program is there as it would be written."""
    try:
        return exits.OK if DiskLoader("").read(out).text == made.text else exits.STALE
    except UnreadableSource:
        return exits.STALE


def _write(session: Session, out: str, text: str) -> None:
    """Write a new file; one of that name stays as it is."""
    folder, name = os.path.split(out)
    write_beside(
        folder or ".", name, text.encode("utf-8"), lambda _: False, session.sink, force=False
    )


def _tell(session: Session, options: ImportOptions, made: Imported, out: str) -> None:
    data = json_text(report_data(made, options.folder))
    lines = [*report_text(made, options.folder)]
    wrote = bool(made.text) and not (options.check or options.dry_run)
    if wrote and not session.sink.has_errors:
        lines.append(f"{out}: written, and proven to build what is imported")
    if options.report is not None:
        text = data if options.report.endswith(".json") else "\n".join(lines) + "\n"
        _write(session, options.report, text)
    if options.as_json:
        session.console.data(data)
        return
    if options.dry_run and made.text:
        session.console.out(made.text)
        for line in lines:
            session.console.error(f"{line}\n")
        return
    for line in lines:
        session.console.out(f"{line}\n")
