"""The programs that are open in the editor: their texts, and the last state of each."""

# ruff: noqa: PTH113, PTH118, PTH119, PTH120
from __future__ import annotations

import gc
import os

from tvarc.build.driver import Compilation, compile_file
from tvarc.commands.programs.checking import check_program, too_much
from tvarc.commands.programs.find import DEFAULT_FILE, file_name
from tvarc.editor.counts import Counting
from tvarc.editor.looking import Looking
from tvarc.editor.meanings import Meanings
from tvarc.files.cache import Cache
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir
from tvarc.light import Final, Iterator, Mapping, Sequence
from tvarc.meaning.declarations.noted import Notes
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Diagnostic, Sink, first_errors
from tvarc.text.edits import Edit, edited
from tvarc.text.source import FileKind, Source, SourceMap

_BETWEEN_COLLECTIONS: Final = (20_000, 5, 60)


def collect_in_pauses() -> None:
    """Rarely collect garbage while the user types: the caller collects it in pauses. Other commands
    end soon, and collect less often."""
    gc.set_threshold(*_BETWEEN_COLLECTIONS)


class OpenTexts(DiskLoader):
    """Reads the files that are open in the editor from there, and all others from disk. *texts* are
    by the real path of the file."""

    __slots__ = ("texts",)

    def __init__(self, texts: Mapping[str, str]) -> None:
        super().__init__(stdlib_dir())
        self.texts = texts

    def read(self, file: str) -> Source:
        text = self.texts.get(self.identity(file))
        return Source(file, text) if text is not None else super().read(file)

    def kind(self, file: str) -> FileKind:
        return "file" if self.identity(file) in self.texts else super().kind(file)


class Snapshot:
    """One state of the program *entry*. It never changes, except that `check` completes its
    diagnostics."""

    __slots__ = (
        "_counting", "_files", "_looking", "_meanings", "checked", "entry", "made", "notes",
    )  # fmt: skip

    def __init__(
        self, entry: str, texts: Mapping[str, str], cache: Cache, notes: Notes | None = None
    ) -> None:
        self.entry = entry
        self.notes = Notes() if notes is None else notes
        self.checked = False
        self._files: dict[str, str] | None = None
        self._meanings: Meanings | None = None
        self._looking: Looking | None = None
        self._counting: Counting | None = None
        loader = OpenTexts(texts)
        self.made = Compilation(entry, loader, SourceMap(), Sink())
        try:
            self.made = compile_file(entry, loader, cache=cache, notes=self.notes)
        except (RecursionError, MemoryError) as fault:
            self.made.sink.add(too_much(fault))

    def check(self) -> None:
        """Decide all variants and run all lints, as `tvarc check` does."""
        if self.checked or self.made.expansion is None:
            return
        self.checked = True
        try:
            check_program(self.made)
        except (RecursionError, MemoryError) as fault:
            self.made.sink.add(too_much(fault))

    @property
    def ok(self) -> bool:
        """Whether no error is known yet."""
        return not self.made.sink.has_errors

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The diagnostics that `tvarc check` prints."""
        return list(first_errors(self.made.diagnostics)[0])

    @property
    def meanings(self) -> Meanings:
        if self._meanings is None:
            self._meanings = Meanings(self.made, self.notes)
        return self._meanings

    @property
    def looking(self) -> Looking:
        """The values of expressions. The program must be resolved."""
        if self._looking is None:
            self._looking = Looking(self.made)
        return self._looking

    @property
    def counting(self) -> Counting:
        """The counts of what conditions and exclusions match. The program must be expanded."""
        if self._counting is None:
            self._counting = Counting(self.made, self.looking)
        return self._counting

    def source(self, file: str) -> Source:
        """The text of *file*, as it is written. Raises UnreadableSource."""
        return self.made.sources.get(file) or self.made.loader.read(file)

    def tree(self, file: str) -> ast.Module | None:
        module = self.made.graph.modules.get(file) if self.made.graph is not None else None
        return module.tree if module is not None else None

    def own_files(self) -> Iterator[str]:
        """The modules of the program that are not in the library or in an input."""
        graph = self.made.graph
        return filter(graph.is_own, graph.modules) if graph is not None else iter(())

    def file(self, real: str) -> str | None:
        """The name of the module with the path *real*; None if the program has no such module."""
        if self._files is None:
            names = self.made.graph.modules if self.made.graph is not None else (self.entry,)
            self._files = {self.made.loader.identity(one): one for one in names}
        return self._files.get(real)

    def is_program(self, file: str) -> bool:
        """Whether the module *file* is a program, and not only a module for other programs."""
        tree = self.tree(file)
        outputs = tree is not None and any(isinstance(one, ast.Output) for one in tree.items)
        return outputs or os.path.basename(file) == DEFAULT_FILE


class OpenPrograms:
    """All open files, and a snapshot of each program that has one of them.

    An open file may be a module of another program. Then it belongs to that program. tvarc looks
    for it among the open programs first, and then in the nearest `variants.tvar`. A module may
    belong to several programs.
    """

    __slots__ = ("cache", "snapshots", "texts")

    def __init__(self, cache: Cache) -> None:
        self.cache = cache  # it keeps the trees of the library between edits
        cache.parsed = {}
        self.texts: dict[str, str] = {}
        self.snapshots: dict[str, Snapshot] = {}

    def change(self, real: str, text: str) -> list[Snapshot]:
        """Compile all programs with the file *real*, which has this new *text*."""
        known = real in self.texts
        self.texts[real] = text
        if not known:
            return self.compile_all()
        changed = [one for one in self.snapshots.values() if one.file(real) is not None]
        self._compile([one.entry for one in changed])
        return self._settle()

    def close(self, real: str) -> list[Snapshot]:
        """Forget the text of *real*: the file on disk counts again."""
        self.texts.pop(real, None)
        return self.compile_all()

    def compile_all(self) -> list[Snapshot]:
        """Compile all programs again, because files on disk may have changed."""
        self._compile(list(self.snapshots))
        return self._settle()

    def of(self, real: str) -> Snapshot | None:
        """The program that answers questions about the file *real*. If several programs have the
        file, it is the file's own program, or else the first."""
        found = [one for one in self.snapshots.values() if one.file(real) is not None]
        own = [one for one in found if one.file(real) == one.entry]
        return next(iter(own or found), None)

    def snapshot(
        self, entry: str, instead: Mapping[str, str] | None = None, notes: Notes | None = None
    ) -> Snapshot:
        """Compile the program *entry*. *instead* has other texts for files, by their real paths."""
        return Snapshot(entry, {**self.texts, **(instead or {})}, self.cache, notes)

    def after(self, snapshot: Snapshot, edits: Sequence[Edit]) -> Snapshot:
        """The program *snapshot* after *edits*."""
        texts = {edit.span.file: snapshot.source(edit.span.file).text for edit in edits}
        identity = snapshot.made.loader.identity
        instead = {identity(file): text for file, text in edited(texts, edits).items()}
        return self.snapshot(snapshot.entry, instead)

    def _compile(self, entries: list[str]) -> None:
        for entry in entries:
            self.snapshots[entry] = self.snapshot(entry)

    def _settle(self) -> list[Snapshot]:
        """Add the programs of open files that have none, and drop those without an open file.
        Returns all programs."""
        for real in self.texts:
            self._add_for(real)
        for entry, snapshot in list(self.snapshots.items()):
            if not any(self._needs(snapshot, real) for real in self.texts):
                del self.snapshots[entry]
        return list(self.snapshots.values())

    def _add_for(self, real: str) -> None:
        own = file_name(real)
        if own in self.snapshots:
            return
        found = next((one for one in self.snapshots.values() if one.file(real) is not None), None)
        above = iter(_programs_above(real) if found is None else ())
        for entry in above:
            made = self.snapshot(entry)
            if made.file(real) is not None:
                found = self.snapshots[entry] = made
                break
        name = found.file(real) if found is not None else None
        if found is None or name is None or found.is_program(name):
            self.snapshots[own] = self.snapshot(own)

    def _needs(self, snapshot: Snapshot, real: str) -> bool:
        """Whether *snapshot* has to be kept for the open file *real*."""
        if snapshot.file(real) is None:
            return False
        others = [one for one in self.snapshots.values() if one is not snapshot]
        alone = snapshot.file(real) == snapshot.entry and not snapshot.is_program(snapshot.entry)
        return not (alone and any(one.file(real) is not None for one in others))


def _programs_above(real: str) -> Iterator[str]:
    """The `variants.tvar` of the folder of *real* and of those above it, the nearest first."""
    folder = os.path.dirname(real)
    while True:
        program = os.path.join(folder, DEFAULT_FILE)
        if program != real and os.path.isfile(program):
            yield file_name(program)
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above
