"""Another state of the program that a command looks at: a commit, a folder or a file."""

# ruff: noqa: PTH100, PTH112, PTH113, PTH114, PTH117, PTH118, PTH119, PTH120
# pathlib costs too much at start.
from __future__ import annotations

import os
import stat

from tvarc import ir
from tvarc.diagnostics.model import Diagnostic, Label, Sink
from tvarc.disk import DiskLoader, read_plain
from tvarc.driver import Compilation, compile_file
from tvarc.git.commit import Commit, CommitLoader
from tvarc.git.program import GitFailed
from tvarc.light import dataclass
from tvarc.resources import stdlib_dir
from tvarc.source import FileKind, Leaf, Source, SourceMap, Span, UnreadableSource


@dataclass(frozen=True, slots=True, eq=False)
class ElsewhereLoader:
    """Reads the files beside *entry* from beside *target* in its place, each under the name that
    it has beside *entry*: so both states call one thing by one name."""

    disk: DiskLoader
    entry: str
    target: str

    def there(self, file: str) -> str:
        """Where *file* is read from."""
        if file.startswith("std/") or os.path.isabs(file):
            return file
        if file == self.entry:
            return self.target
        step = os.path.relpath(file, os.path.dirname(self.entry) or os.curdir)
        joined = os.path.normpath(os.path.join(os.path.dirname(self.target), step))
        return f"./{joined}" if joined.startswith("std/") else joined

    def read(self, file: str) -> Source:
        try:
            return Source(file, self.disk.read(self.there(file)).text)
        except UnreadableSource as fault:
            raise UnreadableSource(file, fault.reason, fault.code) from None

    def tree(self, file: str) -> dict[str, Leaf]:
        return tree_at(self.there(file), file)

    def join(self, importer: str, relative: str) -> str:
        return self.disk.join(importer, relative)

    def identity(self, file: str) -> str:
        return self.disk.identity(self.there(file))

    def kind(self, file: str) -> FileKind:
        return self.disk.kind(self.there(file))  # which is what is told of

    def std(self, name: str) -> str | None:
        return self.disk.std(name)

    def std_names(self) -> tuple[str, ...]:
        return self.disk.std_names()


def tree_at(path: str, file: str) -> dict[str, Leaf]:
    """What is at *path*: of a folder all files in it by their paths in it, of a file that file by
    an empty path. Raises UnreadableSource for *file*."""
    try:
        if not os.path.isdir(path):
            return {"": Leaf(read_plain(path, file))}
        found: dict[str, Leaf] = {}
        for folder, folders, files in os.walk(path):
            links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
            for name in sorted((*files, *links)):
                whole = os.path.join(folder, name)
                found[os.path.relpath(whole, path)] = _leaf(whole, file)
        return found
    except OSError as fault:
        raise UnreadableSource(file, (fault.strerror or str(fault)).lower()) from None


def tree_here(file: str) -> dict[str, Leaf]:
    """What the program has at a file or folder that it names; raises UnreadableSource."""
    return tree_at(file, file)


def _leaf(path: str, file: str) -> Leaf:
    if os.path.islink(path):
        return Leaf(os.fsencode(os.readlink(path)), "link")  # noqa: PTH115
    executable = os.lstat(path).st_mode & stat.S_IXUSR
    return Leaf(read_plain(path, file), "executable" if executable else "plain")


@dataclass(frozen=True, slots=True)
class State:
    """A program as a commit, a folder or a file has it. `label` is what a person called it."""

    label: str
    made: Compilation
    loader: CommitLoader | ElsewhereLoader

    def shown(self, file: str) -> str:
        """The name of *file* for messages."""
        if file.startswith("std/"):
            return file
        if isinstance(self.loader, ElsewhereLoader):
            return self.loader.there(file)
        return f"{self.label}:{file}"

    def tree(self, file: str) -> dict[str, Leaf]:
        """What this state has at a file or folder that it names, as `tree_at` has it; raises
        UnreadableSource."""
        try:
            return self.loader.tree(file)
        except UnreadableSource as fault:
            raise UnreadableSource(self.shown(file), fault.reason, fault.code) from None

    def place(self, origin: ir.Origin) -> str:
        place = self.made.sources.locate(origin.span)
        return self.shown(origin.span.file) + place.removeprefix(origin.span.file)

    def diagnostics(self) -> tuple[Sink, SourceMap]:
        """What is wrong with it, and the sources, under the names that messages use."""
        shown, sources = Sink(), SourceMap()
        for one in self.made.diagnostics:
            shown.add(_renamed(one, self))
        files = {label.span.file for one in self.made.sink for label in one.labels}
        for file in sorted(files, key=lambda file: (self.made.sources.rank(file), file)):
            source = self.made.sources.get(file)
            if source is not None:
                sources.add(Source(self.shown(file), source.text))
        return shown, sources


def open_state(file: str, against: str, sink: Sink) -> State | None:
    """The state *against* of the program *file*, compiled as far as to its variants: it may have
    errors. None after reporting to *sink* why it cannot be had."""
    disk = DiskLoader(stdlib_dir())
    loader: CommitLoader | ElsewhereLoader
    if os.path.isdir(against):
        loader = ElsewhereLoader(disk, file, _in_folder(against, file))
    elif os.path.lexists(against):
        loader = ElsewhereLoader(disk, file, os.path.normpath(against))
    else:
        try:
            commit = Commit(os.path.dirname(os.path.abspath(file)), against)
        except GitFailed as fault:
            sink.error(
                "E911",
                f"there is nothing to compare with at `{against}`",
                notes=(f"it is no file and no folder, and {fault}",),
                help="name a commit, such as HEAD~1, or a folder or file with another state",
            )
            return None
        loader = CommitLoader(disk, commit, against)
    return State(against, compile_file(file, loader, (), checkouts=False), loader)


def _in_folder(folder: str, file: str) -> str:
    """The program of *folder*: at the path that *file* has here, else the file of its name."""
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
    if not labels:  # a file that cannot be read stands in the title
        title = title.replace(f"`{state.made.file}`", f"`{state.shown(state.made.file)}`")
    return Diagnostic(one.code, title, labels, one.notes, one.help, one.severity, one.name)
