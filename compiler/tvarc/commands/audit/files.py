"""The outputs of a program, compared with their folders."""

# ruff: noqa: PTH100, PTH112, PTH113, PTH118, PTH120
from __future__ import annotations

import os
import posixpath

from tvarc.advice.library.rows import LibraryRows
from tvarc.build.assembly.bodies import recipe_text
from tvarc.build.driver import Compilation
from tvarc.build.whynot import WhyNotCommands
from tvarc.byhand.audit.changes import overlay_names
from tvarc.byhand.audit.decided import Pythons
from tvarc.byhand.audit.examine import Examination, examine_alone
from tvarc.byhand.audit.judge import Judge
from tvarc.byhand.audit.names import Cell, Siblings, package_of
from tvarc.byhand.audit.result import Audit, AuditedFile, Finding, State, in_order
from tvarc.commands import messages as msg
from tvarc.commands.programs.find import DEFAULT_FILE, file_name, program_name, source_from
from tvarc.commands.programs.outputs import file_parts, name_in_headers, swept_places
from tvarc.doing import each
from tvarc.files.cache import Cache
from tvarc.files.disk import DiskLoader, report_unreadable
from tvarc.files.git.merged import MergedVersions
from tvarc.files.inventory import Inventory, inventory, read_text
from tvarc.files.output.conflicts import Versions
from tvarc.files.output.header import Ownership, inspect
from tvarc.files.output.model import File
from tvarc.files.resources import stdlib_dir
from tvarc.light import Final, Iterable, Iterator, Sequence, dataclass, field, replace
from tvarc.matrix.dependencies import NOTHING, Dependencies
from tvarc.matrix.variants import Variant, axis_text
from tvarc.meaning.hir import OutputDef
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import UnreadableSource

_MOST_ABOVE: Final = 4  # steps from the folder of recipes to that of a file which they import


@dataclass(slots=True)
class Output:
    """An output: its cells, the folder that all its files are in or below, whatever the variants
    are, and where that is on disk. `nested` is set where there may be folders below."""

    name: str
    number: int
    cells: list[tuple[Cell, Variant]] = field(default_factory=list)
    common: str = ""
    nested: bool = False
    root: str = ""
    folder: str = ""


def outputs_of(made: Compilation, files: Iterable[File]) -> list[Output]:
    """The outputs of a program and the files of each variant in them; not all of them after an
    error."""
    outputs = [Output(output.name, number) for number, output in enumerate(made.outputs)]
    found = iter(files)
    for variant in made.variants:
        rows = variant.values
        values = {axis: axis_text(value) for axis, value in rows.items()}
        for output, file in zip(outputs, found, strict=False):
            cell = Cell(variant.name, variant.matrix.name, file.path, "", values, rows)
            output.cells.append((cell, variant))
    for output, declared in zip(outputs, made.outputs, strict=True):
        _place(output, declared)
        output.cells = [(_below(cell, output.common), variant) for cell, variant in output.cells]
    return outputs


def _place(output: Output, declared: OutputDef) -> None:
    """The folder that `file` of *declared* writes out: variants that are gone may have had their
    files in any folder below it."""
    parts = file_parts(declared) or ()
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


class Texts:
    """The files that `tvarc build` would write to a folder."""

    __slots__ = ("_files", "_made")

    def __init__(self, made: Compilation) -> None:
        self._made = made
        self._files: dict[str, Iterable[File]] = {}

    def files(self, root: str) -> Iterable[File]:
        """All files below *root*, output after output of each variant."""
        source = source_from(self._made.file, root)
        if source not in self._files:
            self._files[source] = self._made.files(source)
        return self._files[source]

    def of(self, output: Output) -> Iterator[str]:
        """The text of each cell of *output*."""
        count = len(self._made.outputs)
        for number, file in enumerate(self.files(output.root)):
            if number % count == output.number:
                yield file.data().decode("utf-8")


def _below(cell: Cell, common: str) -> Cell:
    """*cell* with its path as seen from the folder *common*."""
    path = posixpath.relpath(cell.path, common) if common else cell.path
    return replace(cell, path=path, package=package_of(path))


def placed(outputs: Sequence[Output], root: str, folder: str | None) -> list[Output]:
    """*outputs* with the folders that they are looked for in.

    A folder that is given stands for that of the build, or else for that of the recipes; with
    several outputs then for that of which it holds the most.
    """
    for output in outputs:
        output.root = root if folder is None else folder
        output.folder = os.path.join(output.root, output.common)
    if folder is None:
        return list(outputs)
    built = [one for one in outputs if one.common and os.path.isdir(one.folder)]
    if built:
        return built
    names = {file.name for file in inventory(folder, nested=True).files}

    def held(output: Output) -> int:
        return sum(cell.package in names for cell, _ in output.cells)

    chosen = max(outputs, key=held)
    chosen.folder = folder
    chosen.root = _root_of(folder, chosen.common, root)
    return [chosen]


def _root_of(folder: str, common: str, usual: str) -> str:
    """The folder of the build that wrote to *folder*, as far as its name shows."""
    real = os.path.realpath(folder)
    if common and real.endswith(f"/{common}"):
        return real.removesuffix(f"/{common}") or "/"
    return usual


class Folder:
    """The files of one folder."""

    __slots__ = ("_imported", "_versions", "root")

    def __init__(self, root: str) -> None:
        self._imported: dict[str, tuple[str, str] | str] = {}
        self._versions = MergedVersions()
        self.root = root

    def text(self, path: str) -> tuple[str, str]:
        return read_text(self.root, path)

    def imported(self, importer: str, named: str) -> tuple[str, str] | str:
        """Files next to the recipes, and below folders up to a few steps above. A folder means its
        `default.nix`. Links are not followed."""
        if not named.startswith((".", "..")) or "\0" in named:
            return "it is not a file in the folder of the recipes"
        path = posixpath.join(posixpath.dirname(importer), named)
        if path not in self._imported:
            self._imported[path] = self._file(posixpath.normpath(path))
        return self._imported[path]

    def _file(self, path: str) -> tuple[str, str] | str:
        """The path and the text of the file, or of the folder, at *path*; or why there is none."""
        if path.startswith("/") or path.split("/").count("..") > _MOST_ABOVE:
            return "it is too far above the folder of the recipes"
        if os.path.isdir(self._full(path)):
            path = posixpath.join(path, "default.nix")
        text, fault = self.text(path)
        if not fault:
            return path, text
        there = os.path.lexists(self._full(path))
        return f"{path}: {fault}" if there else f"there is no file {path}"

    def versions(self, path: str) -> Iterable[Versions]:
        return self._versions(self._full(path))

    def knows(self, path: str, name: bytes) -> bool:
        return self._versions.knows(self._full(path), name)

    def _full(self, path: str) -> str:
        return os.path.abspath(os.path.join(self.root, path))


class _Matrix:
    """The cells of one output."""

    __slots__ = ("_made", "_output", "_variants", "python", "why_not")

    def __init__(
        self, made: Compilation, output: Output, why_not: WhyNotCommands, pythons: Pythons
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

    def prunes(self, path: str) -> bool:
        folder = posixpath.dirname(os.path.realpath(os.path.join(self._output.folder, path)))
        below = os.path.relpath(folder, os.path.realpath(self._output.root or "."))
        found = "" if below == "." else below
        return any(place.has(found) for place in swept_places(self._made))

    def overlays(self, cell: Cell) -> dict[str, str]:
        recipe = self._made.recipe(self._variants[cell.variant])
        return overlay_names(recipe) if recipe is not None else {}


def demand_folder(folder: str, sink: Sink) -> None:
    """Report that *folder* is not a folder."""
    if os.path.isdir(folder):
        return
    there = os.path.lexists(folder)
    above = os.path.dirname(folder) or os.curdir
    reason = "it is not a folder" if there else "there is no such folder"
    advice = "name the folder of the recipes, such as `.flox/pkgs`"
    if there and folder.endswith(".nix"):
        advice = f"name the folder that contains it: `tvarc audit {above}`"
    report_unreadable(UnreadableSource(file_name(folder), reason), sink, advice=advice)


class Audits:
    """The outputs of a program, each compared with *folder*, or with its own folder. Making one
    decides every recipe, and errors of these go to the sink of the program. *file* is the program
    as a person named it."""

    __slots__ = ("_file", "_folder", "_made", "_outputs", "_root", "_sink", "_texts")

    def __init__(self, made: Compilation, file: str | None, folder: str | None, sink: Sink) -> None:
        self._made = made
        self._file = file
        self._folder = folder
        self._sink = sink
        self._root = os.path.dirname(made.file)
        self._texts = Texts(made)
        self._outputs = outputs_of(made, self._texts.files(self._root))

    def outputs(self) -> list[Output]:
        """The outputs that are looked at, with their folders."""
        return placed(self._outputs, self._root, self._folder) if self._outputs else []

    def each(self) -> Iterator[tuple[Audit, str]]:
        """Each audit with its folder. If there is none, E507 goes to the sink."""
        made, folder = self._made, self._folder
        root, outputs = self._root or ".", self._outputs
        together = folder is not None and holds_collections(made, root, folder, outputs)
        chosen = self.outputs() if not together else []
        why_not = WhyNotCommands(made, self._file)
        pythons = Pythons(LibraryRows(made.loader, made.cache))
        for output in chosen:
            yield examined(made, output, self._texts, why_not, pythons), output.folder
        if together or (folder is None and len(made.all_outputs) > len(made.outputs)):
            yield examined_collections(made, root, folder), folder or self._root
        elif not chosen and folder is not None:
            self._sink.report(msg.starting.NO_OUTPUT_OF_FILES, file=made.file)


def examined_alone(folder: str, cache: Cache | None) -> Audit:
    """*folder* by itself, without any program."""
    rows = LibraryRows(DiskLoader(stdlib_dir()), cache)
    found = inventory(folder, nested=True, every=True)
    return examine_alone(found, Folder(folder), Judge(rows, alone=True), Pythons(rows))


def without_program(file: str | None, folder: str | None) -> str:
    """The folder to look at where there is no program; empty where there is one, and where no
    folder is named."""
    if folder is None and file is not None and os.path.isdir(file):
        return "" if os.path.isfile(os.path.join(file, DEFAULT_FILE)) else file
    named = folder is not None and os.path.isdir(folder)
    return folder or "" if named and file is None and program_name(None) is None else ""


def holds_collections(made: Compilation, root: str, folder: str, outputs: Sequence[Output]) -> bool:
    """Whether *folder* is that of files which hold all variants, and of none of *outputs*."""
    here = os.path.realpath(folder)
    recipes = {os.path.realpath(os.path.join(root, one.common)) for one in outputs}
    return here not in recipes and any(
        here == os.path.realpath(os.path.join(root, posixpath.dirname(one.one_file)))
        for one in made.all_outputs
        if one.form != "recipes"
    )


def examined_collections(made: Compilation, root: str, folder: str | None = None) -> Audit:
    """The files with all variants of *made*, compared with the files below the folder *root*: those
    in *folder*, by default all."""
    found = Audit(cells=len(made.variants))
    for file in made.collections(source_from(made.file, root)):
        there = os.path.join(root, posixpath.dirname(file.path))
        if folder is not None and os.path.realpath(there) != os.path.realpath(folder):
            continue
        audited = AuditedFile(file.path, posixpath.basename(file.path), State.CURRENT)
        if not os.path.lexists(os.path.join(root, file.path)):
            found.findings.append(
                Finding("W201", file.path, "all variants in one file are missing")
            )
            continue
        found.files.append(audited)
        present, fault = read_text(root, file.path)
        if fault:
            audited.state, audited.reason = State.UNREADABLE, fault
            found.findings.append(Finding("W206", file.path, fault))
            continue
        if present.encode("utf-8", "surrogateescape") == file.data():
            continue
        match inspect(present):
            case Ownership.OURS:
                audited.state = State.STALE
                told = Finding("W205", file.path, "it does not match the program any more")
            case Ownership.EDITED:
                audited.state = State.EDITED
                told = Finding("W204", file.path, "it was edited by hand after tvarc wrote it")
            case Ownership.FOREIGN:
                audited.state = State.FOREIGN
                told = Finding("W203", file.path, "it is in the place of the file of all variants")
        found.findings.append(told)
    found.findings.sort(key=in_order)
    return found


def without_collections(found: Inventory, made: Compilation, output: Output) -> Inventory:
    """*found* in the folder of *output*, without the files that hold all variants: they are no
    recipes."""
    paths = {
        posixpath.relpath(one.one_file, output.common or ".")
        for one in made.all_outputs
        if one.form != "recipes"
    }
    found.files = [file for file in found.files if file.path not in paths]
    return found


def examined(
    made: Compilation,
    output: Output,
    texts: Texts,
    why_not: WhyNotCommands,
    pythons: Pythons,
) -> Audit:
    """The comparison of *output* with its folder."""
    where = output.folder or "."
    steps = where.rstrip("/").split("/")
    below = output.nested or any("/" in cell.path for cell, _ in output.cells)
    found = inventory(where, nested=below or steps[-2:] == [".flox", "pkgs"])
    if len(made.all_outputs) > len(made.outputs):
        found = without_collections(found, made, output)
    if not os.path.lexists(where):  # then each recipe is missing, which says it all
        found.faults.clear()
    matrix = _Matrix(made, output, why_not, pythons)
    lints = made.lints()
    judge = Judge(lints.facts.rows, lints.off)
    siblings = Siblings([cell for cell, _ in output.cells])
    source = name_in_headers(made.file)
    examination = Examination(found, Folder(where), source, matrix, judge, siblings)
    cells = zip(output.cells, texts.of(output), strict=True)
    for (cell, _), text in each("comparing", cells, len(output.cells), "recipes"):
        examination.add(cell, text)
    return examination.finish()
