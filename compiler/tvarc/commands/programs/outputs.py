"""The folders of a program's recipes, as far as its text shows them, the files that it reads, and
the files that git merged into them."""

# ruff: noqa: PTH118, PTH119, PTH120
from __future__ import annotations

import os

from tvarc.build.driver import Compilation
from tvarc.decide.lock import LOCK_NAME
from tvarc.files.disk import DiskLoader
from tvarc.files.output.plan import Author, BuildOptions, Place, Sweep
from tvarc.files.resources import stdlib_dir
from tvarc.light import TYPE_CHECKING, Final, Iterable
from tvarc.meaning.hir import Const, Expr, OutputDef, SettingRef, Text
from tvarc.meaning.names.load import load
from tvarc.meaning.resolve import resolve
from tvarc.nix.language.quoting import comment_line
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import SourceMap

if TYPE_CHECKING:
    from tvarc.files.output.header import Versions, VersionsOf

_NAME: Final = ("variant",)  # holds no `/`


def author_of(file: str) -> Author:
    """The program *file* as the author of recipes."""
    folder, name = os.path.split(file)
    return Author(name_in_headers(file), os.path.join(os.path.realpath(folder), name), _writes)


def sweep_of(made: Compilation, author: Author, options: BuildOptions) -> Sweep | None:
    """The files of earlier builds to look for; None if the run sees only a part of the program, or
    has settings that are not in the source."""
    if options.only or options.settings:
        return None
    return Sweep(swept_places(made), author, options.prune)


def swept_places(made: Compilation) -> tuple[Place, ...]:
    """The folders where `--prune` looks for files that the program no longer has."""
    return tuple(dict.fromkeys(map(_place_of, made.program.written_outputs)))


def demand_no_packages(made: Compilation, root: str, sink: Sink) -> None:
    """Report a file of all variants in a folder of packages: Flox would read it as one more
    package."""
    if not made.program.collections:
        return
    folder = os.path.realpath(root or ".")
    for output in made.program.all_outputs:
        if output.form != "recipes" and "/.flox/pkgs/" in f"{folder}/{output.one_file}":
            from tvarc.commands import messages as msg

            sink.report(msg.programs.READ_BY_FLOX, file=output.one_file, folder=folder)


def _writes(file: str, folder: str) -> bool:
    """Whether the program *file*, built without `--out`, may write to *folder*. Both are absolute
    and real. It is true for a program with errors, because nothing is known about it."""
    loader, sources, sink = DiskLoader(stdlib_dir()), SourceMap(), Sink()
    try:
        graph = load(file, loader, sources, sink)
        if graph is None:
            return True
        outputs = resolve(graph, sources, sink, loader.join).program.written_outputs
    except (RecursionError, MemoryError):
        return True
    if sink.has_errors or not outputs:
        return True
    path = os.path.relpath(folder, os.path.dirname(file))
    return any(_may_be_in(output, "" if path == "." else path) for output in outputs)


def _may_be_in(output: OutputDef, folder: str) -> bool:
    """Whether a file of *output* may be in *folder*, relative to the program's."""
    place = _place_of(output)
    parts = file_parts(output)
    if parts is None:
        return True
    if all(isinstance(p, str) or (isinstance(p, SettingRef) and p.path == _NAME) for p in parts):
        return place.has(folder)
    return not place.folder or f"{folder}/".startswith(f"{place.folder}/")


def name_in_headers(file: str) -> str:
    """The name of the program *file* in the heads of its recipes."""
    return " ".join(comment_line(os.path.basename(file)).split())


def _place_of(output: OutputDef) -> Place:
    """The folders of the files of *output*, as far as the text of the program shows."""
    parts = file_parts(output) or ()
    fixed = parts[0] if parts and isinstance(parts[0], str) else ""
    literal = [part for part in parts if isinstance(part, str)]
    folder = fixed.rpartition("/")[0]
    steps = sum(part.count("/") for part in literal) - fixed.count("/")
    return Place(folder, steps)


def file_parts(output: OutputDef) -> tuple[str | Expr, ...] | None:
    """The texts and interpolations of the `file` of *output*; None if it is neither."""
    match output.file:
        case Text(parts, _):
            return parts
        case Const(str() as text):
            return (text,)
        case _:
            return None


def files_read(made: Compilation) -> list[str]:
    """The real paths of all that the program reads: its modules, its lock, and what it names for
    its recipes to read."""
    graph = made.graph
    read = (*graph.modules, *graph.data_files()) if graph is not None else ()
    names = (*read, made.loader.join(made.file, LOCK_NAME), *made.named)
    return [made.loader.identity(name) for name in names if not name.startswith("std/")]


class LazyVersions:
    """The two sides of a git merge for each path. git runs when the first path is needed."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: VersionsOf | None = None

    def __call__(self, path: str) -> Iterable[Versions]:
        return self._asked()(path)

    def knows(self, path: str, name: bytes) -> bool:
        return self._asked().knows(path, name)

    def _asked(self) -> VersionsOf:
        from tvarc.files.git.merged import MergedVersions

        if self._found is None:
            self._found = MergedVersions()
        return self._found
