"""`tvarc audit`: a folder of recipes, hand-written ones included, held against the matrix."""

# ruff: noqa: PTH112, PTH118, PTH120
from __future__ import annotations

import json
import os
import posixpath

from tvarc.assembly.plain import recipe_text
from tvarc.audit.advice import HELP
from tvarc.audit.data import audit_data
from tvarc.audit.examine import Examination
from tvarc.audit.names import Cell
from tvarc.audit.overlays import overlay_names
from tvarc.audit.result import Audit
from tvarc.audit.text import audit_text
from tvarc.cli import exits
from tvarc.cli.console import Format
from tvarc.cli.program import source_from
from tvarc.cli.session import Session, counted
from tvarc.cli.told import common_folder
from tvarc.diagnostics.model import Diagnostic, Label, Severity
from tvarc.diagnostics.registry import FINDINGS
from tvarc.driver import Compilation
from tvarc.light import Iterator, Sequence, dataclass, field, replace
from tvarc.matrix.variants import Variant
from tvarc.output.inventory import inventory, read_text
from tvarc.sema.functions import kind_text
from tvarc.source import Source, Span
from tvarc.values import show


@dataclass(slots=True)
class _Output:
    """An output: its cells, the folder that they have in common, and where that is on disk."""

    name: str
    cells: list[tuple[Cell, Variant]] = field(default_factory=list)
    common: str = ""
    root: str = ""
    folder: str = ""


def audit(
    session: Session, file: str | None, folder: str | None, *, whole: bool, as_json: bool
) -> int:
    """Print what is out of line in *folder*, by default those of the outputs; the exit code."""
    made = session.compile(file)
    session.demand_output()
    session.stop_on_errors()
    outputs = _outputs(made)
    session.stop_on_errors()
    root = os.path.dirname(made.file)
    chosen = _placed(session, outputs, root, folder)
    data: list[object] = []
    found = False
    shown: list[Diagnostic] = []
    for number, output in enumerate(chosen):
        result = _examined(made, output)
        found = found or bool(result.findings)
        where = output.folder or "."
        if result.unread:
            _no_reader(session, result.unread, where)
        if as_json:
            data.append(audit_data(result, where))
        elif session.console.format is Format.TEXT:
            if number:
                session.console.out("\n")
            for line in audit_text(result, where, whole=whole):
                session.console.out(f"{line}\n")
        else:
            shown += _diagnostics(session, result, output.folder)
    if as_json:
        session.console.out(json.dumps(data[0] if len(data) == 1 else data, indent=2) + "\n")
    for one in shown:
        session.sink.add(one)
    session.show()
    if any(item.severity is Severity.ERROR for item in session.sink):
        return exits.FAILED
    return exits.STALE if found else exits.OK


def _outputs(made: Compilation) -> list[_Output]:
    """The outputs of a program and the files of each variant in them."""
    outputs: dict[str, _Output] = {}
    variants = {variant.name: variant for variant in made.variants}
    for recipe in made.stream():
        variant = variants[recipe.variant]
        overlays = overlay_names(recipe)
        for name, path in recipe.files:
            rows = variant.values
            values = {axis: kind_text(value) or show(value) for axis, value in rows.items()}
            cell = Cell(recipe.variant, recipe.matrix, path, "", values, rows, overlays)
            outputs.setdefault(name, _Output(name)).cells.append((cell, variant))
    for output in outputs.values():
        output.common = common_folder([cell.path for cell, _ in output.cells])
        output.cells = [(_below(cell, output.common), variant) for cell, variant in output.cells]
    return list(outputs.values())


def _below(cell: Cell, common: str) -> Cell:
    """*cell* with its path as seen from the folder *common*."""
    path = posixpath.relpath(cell.path, common) if common else cell.path
    package = path.removesuffix(".nix").removesuffix("/default").replace("/", ".")
    return replace(cell, path=path, package=package)


def _placed(
    session: Session, outputs: Sequence[_Output], root: str, folder: str | None
) -> list[_Output]:
    """*outputs* with the folders that they are looked for in.

    A folder that is given stands for that of the build, or else for that of the recipes; with
    several outputs then for that of which it holds the most.
    """
    for output in outputs:
        output.root = root if folder is None else folder
        output.folder = os.path.join(output.root, output.common)
    if folder is None:
        return list(outputs)
    if not os.path.isdir(folder):
        session.sink.error(
            "E106",
            f"cannot read `{folder}`",
            notes=("it is no folder",),
            help="name the folder of the recipes, such as `.flox/pkgs`",
        )
        session.finish(exits.FAILED)
    built = [one for one in outputs if one.common and os.path.isdir(one.folder)]
    if built:
        return built
    names = {file.name for file in inventory(folder, nested=True).files}

    def held(output: _Output) -> int:
        return sum(cell.package in names for cell, _ in output.cells)

    chosen = max(outputs, key=held)
    chosen.folder = folder
    chosen.root = _root_of(folder, chosen.common, root)
    return [chosen]


def _root_of(folder: str, common: str, usual: str) -> str:
    """The folder of the build that has written to *folder*, as far as its name tells."""
    real = os.path.realpath(folder)
    if common and real.endswith(f"/{common}"):
        return real.removesuffix(f"/{common}") or "/"
    return usual


class _Folder:
    """The files of one folder."""

    __slots__ = ("root",)

    def __init__(self, root: str) -> None:
        self.root = root

    def text(self, path: str) -> tuple[str, str]:
        return read_text(self.root, path)


def _examined(made: Compilation, output: _Output) -> Audit:
    where = output.folder or "."
    steps = where.rstrip("/").split("/")
    nested = steps[-2:] == [".flox", "pkgs"] or any("/" in cell.path for cell, _ in output.cells)
    found = inventory(where, nested=nested)
    examination = Examination(found, _Folder(where), posixpath.basename(made.file))
    variants = {cell.variant: variant for cell, variant in output.cells}

    def text_of(cell: Cell) -> str:
        return _text(made, output, cell, variants[cell.variant])

    for cell, _ in output.cells:
        examination.add(cell, text_of(cell))
    return examination.finish(text_of)


def _text(made: Compilation, output: _Output, cell: Cell, variant: Variant) -> str:
    """The text that `tvarc build` would write for *cell*."""
    recipe = made.recipe(variant)
    path = posixpath.join(output.common, cell.path)
    source = source_from(made.file, output.root)
    return recipe_text(recipe, source, path, made.file) if recipe is not None else ""


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
            HELP[one.code], Severity.WARNING, FINDINGS[one.code],
        )  # fmt: skip
