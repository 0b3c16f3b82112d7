"""`tvarc audit`: a folder of recipes, hand-written ones included, held against the matrix."""

# ruff: noqa: PTH100, PTH112, PTH118, PTH120
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
from tvarc.audit.pythons import Pythons
from tvarc.audit.result import Audit
from tvarc.audit.text import audit_text
from tvarc.cli import exits
from tvarc.cli.build import name_in_headers
from tvarc.cli.console import Format
from tvarc.cli.merged import MergedVersions
from tvarc.cli.program import source_from
from tvarc.cli.session import Session, counted
from tvarc.cli.whynot import WhyNotCommands
from tvarc.diagnostics.model import Diagnostic, Label, Severity
from tvarc.diagnostics.registry import FINDINGS
from tvarc.driver import Compilation
from tvarc.library.kept import LibraryRows
from tvarc.light import Iterable, Iterator, Sequence, dataclass, field, replace
from tvarc.matrix.dependencies import NOTHING, Dependencies
from tvarc.matrix.variants import Variant
from tvarc.output.conflicts import Versions
from tvarc.output.inventory import inventory, read_text
from tvarc.output.model import Files
from tvarc.sema.functions import kind_text
from tvarc.sema.hir import Const, Expr, OutputDef, Text
from tvarc.source import Source, Span
from tvarc.values import show


@dataclass(slots=True)
class _Output:
    """An output: its cells, the folder that all its files are in or below, whatever the variants
    are, and where that is on disk. `nested` is set where there may be folders below."""

    name: str
    number: int
    cells: list[tuple[Cell, Variant]] = field(default_factory=list)
    common: str = ""
    nested: bool = False
    root: str = ""
    folder: str = ""


def audit(
    session: Session, file: str | None, folder: str | None, *, whole: bool, as_json: bool
) -> int:
    """Print what is out of line in *folder*, by default those of the outputs; the exit code."""
    made = session.compile(file)
    session.demand_output()
    session.stop_on_errors()
    root = os.path.dirname(made.file)
    texts = _Texts(made)
    outputs = _outputs(made, texts.files(root))
    session.stop_on_errors()
    chosen = _placed(session, outputs, root, folder)
    data: list[object] = []
    found = False
    why_not = WhyNotCommands(made, file)
    pythons = Pythons(LibraryRows(made.loader, made.cache))
    shown: list[Diagnostic] = []
    for number, output in enumerate(chosen):
        result = _examined(made, output, texts, why_not, pythons)
        found = found or bool(result.departures)
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
        session.console.data(json.dumps(data[0] if len(data) == 1 else data, indent=2) + "\n")
    for one in shown:
        session.sink.add(one)
    session.show()
    if any(item.severity is Severity.ERROR for item in session.sink):
        return exits.FAILED
    return exits.STALE if found else exits.OK


def _outputs(made: Compilation, files: Files) -> list[_Output]:
    """The outputs of a program and the files of each variant in them; not all of them after an
    error."""
    outputs = [_Output(output.name, number) for number, output in enumerate(made.outputs)]
    found = iter(files)
    for variant in made.variants:
        rows = variant.values
        values = {axis: kind_text(value) or show(value) for axis, value in rows.items()}
        for output, file in zip(outputs, found, strict=False):
            cell = Cell(variant.name, variant.matrix.name, file.path, "", values, rows)
            output.cells.append((cell, variant))
    for output, declared in zip(outputs, made.outputs, strict=True):
        _place(output, declared)
        output.cells = [(_below(cell, output.common), variant) for cell, variant in output.cells]
    return outputs


def _place(output: _Output, declared: OutputDef) -> None:
    """The folder that `file` of *declared* writes out: variants that are gone may have had their
    files in any folder below it."""
    parts: tuple[str | Expr, ...] = ()
    match declared.file:
        case Text(parts):
            pass
        case Const(str() as text):
            parts = (text,)
        case _:
            pass
    reads = Dependencies()
    after = "".join(part if isinstance(part, str) else "\0" for part in parts)
    for part in parts:
        if not isinstance(part, str) and reads.expr(part) != NOTHING:
            break
        after = after[len(part) if isinstance(part, str) else 1 :]
    if (parts and "/" in after) or not output.cells:
        written = parts[0] if parts and isinstance(parts[0], str) else ""
        output.common = posixpath.dirname(written)
        output.nested = "/" in after
    else:  # all are in one folder, whatever it is put together of
        folders = {posixpath.dirname(cell.path) for cell, _ in output.cells}
        output.common = posixpath.commonpath(folders)


class _Texts:
    """What `tvarc build` would write to a folder."""

    __slots__ = ("_files", "_made")

    def __init__(self, made: Compilation) -> None:
        self._made = made
        self._files: dict[str, Files] = {}

    def files(self, root: str) -> Files:
        """All files below *root*, output after output of each variant."""
        source = source_from(self._made.file, root)
        if source not in self._files:
            self._files[source] = self._made.files(source)
        return self._files[source]

    def of(self, output: _Output) -> Iterator[str]:
        """The text of each cell of *output*."""
        count = len(self._made.outputs)
        for number, file in enumerate(self.files(output.root)):
            if number % count == output.number:
                yield file.data().decode("utf-8")


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

    __slots__ = ("_versions", "root")

    def __init__(self, root: str) -> None:
        self._versions = MergedVersions()
        self.root = root

    def text(self, path: str) -> tuple[str, str]:
        return read_text(self.root, path)

    def versions(self, path: str) -> Iterable[Versions]:
        return self._versions(self._full(path))

    def knows(self, path: str, name: bytes) -> bool:
        return self._versions.knows(self._full(path), name)

    def _full(self, path: str) -> str:
        return os.path.abspath(os.path.join(self.root, path))


class _Matrix:
    """What the matrix has for the cells of one output."""

    __slots__ = ("_made", "_output", "_variants", "python", "why_not")

    def __init__(
        self, made: Compilation, output: _Output, why_not: WhyNotCommands, pythons: Pythons
    ) -> None:
        self._made = made
        self._output = output
        self._variants = {cell.variant: variant for cell, variant in output.cells}
        self.why_not = why_not.command
        self.python = pythons

    def text(self, cell: Cell) -> str:
        recipe = self._made.recipe(self._variants[cell.variant])
        path = posixpath.join(self._output.common, cell.path)
        source = source_from(self._made.file, self._output.root)
        return recipe_text(recipe, source, path, self._made.file) if recipe is not None else ""

    def overlays(self, cell: Cell) -> dict[str, str]:
        recipe = self._made.recipe(self._variants[cell.variant])
        return overlay_names(recipe) if recipe is not None else {}


def _examined(
    made: Compilation,
    output: _Output,
    texts: _Texts,
    why_not: WhyNotCommands,
    pythons: Pythons,
) -> Audit:
    where = output.folder or "."
    steps = where.rstrip("/").split("/")
    below = output.nested or any("/" in cell.path for cell, _ in output.cells)
    found = inventory(where, nested=below or steps[-2:] == [".flox", "pkgs"])
    matrix = _Matrix(made, output, why_not, pythons)
    examination = Examination(found, _Folder(where), name_in_headers(made.file), matrix)
    for (cell, _), text in zip(output.cells, texts.of(output), strict=True):
        examination.add(cell, text)
    return examination.finish()


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
