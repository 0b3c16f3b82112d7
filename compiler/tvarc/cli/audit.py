"""`tvarc audit`: a folder of recipes, hand-written ones included, held against the matrix."""

# ruff: noqa: PTH112, PTH118, PTH120
from __future__ import annotations

import json
import os

from tvarc.audit.advice import help_for
from tvarc.audit.data import audit_data
from tvarc.audit.pythons import Pythons
from tvarc.audit.result import Audit, named
from tvarc.audit.text import audit_text
from tvarc.cli import exits
from tvarc.cli.console import Format
from tvarc.cli.session import Session, counted
from tvarc.diagnostics.model import Diagnostic, Label, Severity
from tvarc.library.rows import LibraryRows
from tvarc.light import Iterator
from tvarc.programs.audit import (
    Texts,
    examined,
    examined_alone,
    examined_collections,
    outputs_of,
    placed,
    without_program,
)
from tvarc.programs.find import file_name, program_name
from tvarc.source import Source, Span
from tvarc.whynot import WhyNotCommands


def audit(
    session: Session, file: str | None, folder: str | None, *, whole: bool, as_json: bool
) -> int:
    """Print what is out of line in *folder*, by default those of the outputs; the exit code."""
    alone = without_program(file, folder)
    if alone:
        result = examined_alone(alone, session.cache)
        told: list[object] | None = [] if as_json else None
        diagnostics = _told(session, result, alone, told, whole=whole)
        return _end(session, told, diagnostics, found=bool(result.departures))
    if folder is not None and program_name(file) is None:
        _demand_folder(session, folder)
    made = session.compile(file)
    session.demand_output()
    session.stop_on_errors()
    root = os.path.dirname(made.file)
    texts = Texts(made)
    outputs = outputs_of(made, texts.files(root))
    session.stop_on_errors()
    if folder is not None:
        _demand_folder(session, folder)
    chosen = placed(outputs, root, folder) if outputs else []
    data: list[object] = []
    found = False
    why_not = WhyNotCommands(made, file)
    pythons = Pythons(LibraryRows(made.loader, made.cache))
    shown: list[Diagnostic] = []
    for number, output in enumerate(chosen):
        result = examined(made, output, texts, why_not, pythons)
        found = found or bool(result.departures)
        if number and session.console.format is Format.TEXT and not as_json:
            session.console.out("\n")
        shown += _told(session, result, output.folder, data if as_json else None, whole=whole)
    if folder is None and len(made.all_outputs) > len(made.outputs):
        result = examined_collections(made, root or ".")
        found = found or bool(result.departures)
        if chosen and session.console.format is Format.TEXT and not as_json:
            session.console.out("\n")
        shown += _told(session, result, root, data if as_json else None, whole=whole)
    elif not chosen and folder is not None:
        session.sink.error(
            "E507",
            f"no output of `{made.file}` has a file for each variant",
            notes=("a folder is held against the files of single variants",),
            help="`tvarc audit` without a folder looks at the files that hold all variants",
        )
    return _end(session, data if as_json else None, shown, found=found)


def _demand_folder(session: Session, folder: str) -> None:
    """Ends the command where *folder* is none."""
    if os.path.isdir(folder):
        return
    there = os.path.lexists(folder)
    above = os.path.dirname(folder) or os.curdir
    session.sink.error(
        "E106",
        f"cannot read `{file_name(folder)}`",
        notes=("it is no folder" if there else "there is no such folder",),
        help=f"name the folder that it is in: `tvarc audit {above}`"
        if there and folder.endswith(".nix")
        else "name the folder of the recipes, such as `.flox/pkgs`",
    )
    session.finish(exits.FAILED)


def _told(
    session: Session, result: Audit, folder: str, data: list[object] | None, *, whole: bool
) -> list[Diagnostic]:
    """Tell of the audit of one folder: into *data*, or as text; or give its diagnostics."""
    where = folder or "."
    if result.unread:
        _no_reader(session, result.unread, where)
    if data is not None:
        data.append(audit_data(result, where))
    elif session.console.format is Format.TEXT:
        for line in audit_text(result, where, whole=whole):
            session.console.out(f"{line}\n")
    else:
        return list(_diagnostics(session, result, folder))
    return []


def _end(
    session: Session, data: list[object] | None, shown: list[Diagnostic], *, found: bool
) -> int:
    """Tell what is left, and the exit code."""
    if data is not None:
        session.console.data(json.dumps(data[0] if len(data) == 1 else data, indent=2) + "\n")
    for one in shown:
        session.sink.add(one)
    session.show()
    if any(item.severity is Severity.ERROR for item in session.sink):
        return exits.FAILED
    return exits.STALE if found else exits.OK


def _no_reader(session: Session, count: int, folder: str) -> None:
    session.sink.error(
        "E931",
        f"{counted(count, 'recipe')} in `{folder}` cannot be read without tree-sitter",
        notes=("what tvarc did not write is read with tree-sitter-nix, which is not installed",),
        help="pip install 'tvarc[audit]'",
    )


def _diagnostics(session: Session, result: Audit, folder: str) -> Iterator[Diagnostic]:
    """The findings as warnings, for the formats that are for programs."""
    for one in result.findings:
        path = os.path.join(folder, one.file)
        text = result.texts.get(one.file)
        if text is not None and session.sources.get(path) is None:
            session.sources.add(Source(path, text))
        labels = (Label(Span(path, one.place.start, one.place.end), "", primary=True),)
        yield Diagnostic(
            one.code, f"{path}: {one.text}", labels if one.code != "W201" else (), one.notes,
            help_for(one.code, one.help, alone=result.alone), Severity.WARNING, named(one.code),
        )  # fmt: skip
