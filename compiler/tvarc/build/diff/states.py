"""Another state of the program that a command inspects: a commit, a folder or a file."""

# ruff: noqa: PTH100, PTH112, PTH113, PTH117, PTH118, PTH119, PTH120
# pathlib costs too much at start.
from __future__ import annotations

import os

from tvarc.build import messages as msg
from tvarc.build.diff.contents import contents_at
from tvarc.build.driver import Compilation, compile_file
from tvarc.doing import Doing
from tvarc.files.disk import DiskLoader, place_of, placed
from tvarc.files.git.commit import Commit, CommitLoader, ShallowClone
from tvarc.files.git.program import GitFailed
from tvarc.files.resources import stdlib_dir
from tvarc.light import Callable, dataclass
from tvarc.nix import ir
from tvarc.nix.judge.at_hand import on_disk
from tvarc.text.diagnostics.model import Diagnostic, Label, Sink
from tvarc.text.source import Content, FileKind, Source, SourceMap, Span, UnreadableSource


class ElsewhereLoader(DiskLoader):
    """Reads the files next to *target* in the place of those next to *entry*. Each has the name
    that it has next to *entry*, so both states use one name for one file."""

    __slots__ = ("entry", "target")

    def __init__(self, entry: str, target: str) -> None:
        super().__init__(stdlib_dir())
        self.entry = entry
        self.target = target

    def there(self, file: str) -> str:
        """The path that *file* is read from."""
        return self._beside(placed(file, self.inputs))

    def _beside(self, file: str) -> str:
        if file.startswith("std/") or os.path.isabs(file):
            return file
        if file == self.entry:
            return self.target
        step = os.path.relpath(file, os.path.dirname(self.entry) or os.curdir)
        found = os.path.normpath(os.path.join(os.path.dirname(self.target), step))
        return f"./{found}" if found.startswith("std/") else found

    def real(self, file: str) -> str:
        return super().real(self._beside(file))

    def contents(self, file: str) -> dict[str, Content]:
        return contents_at(self.there(file), file)

    def kind(self, file: str) -> FileKind:
        path = self._beside(place_of(self, file))  # messages name this path
        return DiskLoader(self.std_folder).kind(path)


@dataclass(frozen=True, slots=True)
class State:
    """A program as it is in a commit, a folder or a file. `label` is the user's name for it."""

    label: str
    made: Compilation
    loader: CommitLoader | ElsewhereLoader

    @property
    def is_commit(self) -> bool:
        return isinstance(self.loader, CommitLoader)

    def read_as_now(self) -> list[tuple[str, str]]:
        """The inputs outside of the repository, by name, with their folders. A state of a commit
        reads their present content. Inputs in the store of Nix never change, so they are left
        out."""
        loader, store = self.loader, on_disk("/nix/store/")
        if not isinstance(loader, CommitLoader):
            return []
        return [
            (name, folder)
            for name, folder in sorted(loader.inputs.items())
            if loader.commit.path(folder) is None and not folder.startswith(store)
        ]

    def shown(self, file: str) -> str:
        """The name of *file* for messages."""
        if file.startswith("std/") or placed(file, self.loader.inputs) != file:
            return file
        if isinstance(self.loader, ElsewhereLoader):
            return self.loader.there(file)
        return f"{self.label}:{file}"

    def contents(self, file: str) -> dict[str, Content]:
        """The content of a file or folder that this state names, in the form of `contents_at`.
        Raises UnreadableSource."""
        try:
            return self.loader.contents(file)
        except UnreadableSource as fault:
            raise UnreadableSource(self.shown(file), fault.reason, fault.code) from None

    def kind(self, file: str) -> FileKind:
        """The kind of *file* in this state, for a recipe that names it. Raises UnreadableSource,
        also if the commit does not have the content of a folder."""
        found = self.loader.kind(file)
        if found == "folder" and self.is_commit:
            self.contents(file)
        return found

    def on_disk(self, folder: str) -> Callable[[str], str]:
        """Returns a function from this state's names of files to their paths on disk. The files of
        a commit are written to *folder*, which must be new. There they are in a folder with the
        name of the repository. Raises OSError and GitFailed."""
        loader = self.loader
        if isinstance(loader, ElsewhereLoader):
            return lambda file: os.path.abspath(loader.there(file))
        commit = loader.commit
        # If a recipe takes a whole folder, the folder's name is part of the name of the build.
        top = os.path.join(folder, os.path.basename(commit.top) or "top")
        commit.write(top)

        def there(file: str) -> str:
            path = commit.path(file)
            return os.path.abspath(file) if path is None else os.path.join(top, path)

        return there

    def place(self, origin: ir.Origin) -> str:
        place = self.made.sources.locate(origin.span)
        return self.shown(origin.span.file) + place.removeprefix(origin.span.file)

    def diagnostics(self) -> tuple[Sink, SourceMap]:
        """The faults of this state, and the sources with the names that messages use."""
        shown, sources = Sink(), SourceMap()
        for one in self.made.diagnostics:
            shown.add(_renamed(one, self))
        files = {label.span.file for one in self.made.sink for label in one.labels}
        for file in sorted(files, key=lambda file: (self.made.sources.rank(file), file)):
            source = self.made.sources.get(file)
            if source is not None:
                sources.add(Source(self.shown(file), source.text))
        return shown, sources


def open_state(now: Compilation, against: str, sink: Sink) -> State | None:
    """The state *against* of the program *now*, compiled up to its variants. It may have errors.
    None after reporting to *sink* why the state cannot be opened."""
    file = now.file
    loader: CommitLoader | ElsewhereLoader
    if os.path.isdir(against):
        loader = ElsewhereLoader(file, _in_folder(against, file))
    elif os.path.lexists(against):
        loader = ElsewhereLoader(file, os.path.normpath(against))
    else:
        try:
            commit = Commit(os.path.dirname(os.path.abspath(file)), against)
        except GitFailed as fault:
            sink.report(
                msg.questions.NO_STATE,
                against=against,
                fault=str(fault),
                advice=fault.help if isinstance(fault, ShallowClone) else None,
            )
            return None
        loader = CommitLoader(DiskLoader(stdlib_dir()), commit, against)
    with Doing(f"compiling {file} of {against}"):
        return State(against, compile_file(file, loader, (), now.cache, checkouts=False), loader)


def _in_folder(folder: str, file: str) -> str:
    """The program in *folder*: the file with the same path as *file*, else the file with the same
    name."""
    if not os.path.isabs(file):
        path = os.path.normpath(os.path.join(folder, file))
        if os.path.isfile(path) and not file.startswith(".."):
            return path
    return os.path.normpath(os.path.join(folder, os.path.basename(file)))


def _renamed(one: Diagnostic, state: State) -> Diagnostic:
    labels = tuple(
        Label(
            Span(state.shown(label.span.file), label.span.start, label.span.end),
            label.text,
            label.primary,
        )
        for label in one.labels
    )
    title = one.title
    if not labels:  # the title names a file that cannot be read
        title = title.replace(f"`{state.made.file}`", f"`{state.shown(state.made.file)}`")
    return Diagnostic(one.code, title, labels, one.notes, one.help, one.severity, one.name)
