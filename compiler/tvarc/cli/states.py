"""Another state of the program that a command looks at: a commit, a folder or a file."""

# ruff: noqa: PTH100, PTH112, PTH113, PTH117, PTH118, PTH119, PTH120
# pathlib costs too much at start.
from __future__ import annotations

import os

from tvarc import ir
from tvarc.cli import exits
from tvarc.cli.git import Commit, CommitLoader
from tvarc.cli.git_program import GitFailed
from tvarc.cli.session import Session
from tvarc.diagnostics.model import Diagnostic, Label, Sink
from tvarc.disk import DiskLoader, read_plain
from tvarc.driver import Compilation, compile_file
from tvarc.light import Sequence, dataclass
from tvarc.plain import Json
from tvarc.report.data import origin_data
from tvarc.resources import stdlib_dir
from tvarc.source import FileKind, Source, SourceMap, Span, UnreadableSource


class ElsewhereLoader:
    """Reads the files beside *entry* from beside *target* in its place, each under the name that
    it has beside *entry*: so both states call one thing by one name."""

    __slots__ = ("disk", "entry", "target")

    def __init__(self, disk: DiskLoader, entry: str, target: str) -> None:
        self.disk = disk
        self.entry = entry
        self.target = target

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

    def bytes(self, file: str) -> bytes:
        return read_bytes(self.there(file), file)

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


def read_bytes(path: str, file: str) -> bytes:
    """The content of the regular file *path*; raises UnreadableSource for *file*."""
    try:
        return read_plain(path, file)
    except OSError as fault:
        raise UnreadableSource(file, (fault.strerror or str(fault)).lower()) from None


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

    def read(self, file: str) -> bytes:
        """The content of a file that this state names; raises UnreadableSource."""
        try:
            return self.loader.bytes(file)
        except UnreadableSource as fault:
            raise UnreadableSource(self.shown(file), fault.reason, fault.code) from None

    def place(self, origin: ir.Origin) -> str:
        place = self.made.sources.locate(origin.span)
        return self.shown(origin.span.file) + place.removeprefix(origin.span.file)

    def origin(self, origin: ir.Origin | None) -> Json:
        """An origin as data, with the names of this state's files."""
        data = origin_data(origin, self.made.sources)
        if isinstance(data, dict) and origin is not None:
            data["file"] = self.shown(origin.span.file)
        return data


def open_state(session: Session, file: str, against: str) -> State:
    """The state *against* of the program *file*, compiled as far as to its variants. Ends the
    command, all told, when it cannot be had or has errors."""
    disk = DiskLoader(stdlib_dir())
    loader: CommitLoader | ElsewhereLoader
    if os.path.isdir(against):
        loader = ElsewhereLoader(disk, file, _in_folder(against, file))
    elif os.path.lexists(against):
        loader = ElsewhereLoader(disk, file, os.path.normpath(against))
    else:
        loader = _commit(session, disk, file, against)
    with session.guarded():
        made = compile_file(file, loader, (), checkouts=False)
    state = State(against, made, loader)
    if made.sink.has_errors:
        stop(session, state)
    return state


def _in_folder(folder: str, file: str) -> str:
    """The program of *folder*: at the path that *file* has here, else the file of its name."""
    if not os.path.isabs(file):
        path = os.path.normpath(os.path.join(folder, file))
        if os.path.isfile(path) and not file.startswith(".."):
            return path
    return os.path.normpath(os.path.join(folder, os.path.basename(file)))


def _commit(session: Session, disk: DiskLoader, file: str, revision: str) -> CommitLoader:
    folder = os.path.dirname(os.path.abspath(file))
    try:
        return CommitLoader(disk, Commit(folder, revision), revision)
    except GitFailed as fault:
        session.sink.error(
            "E911",
            f"there is nothing to compare with at `{revision}`",
            notes=(f"it is no file and no folder, and {fault}",),
            help="name a commit, such as HEAD~1, or a folder or file with another state",
        )
        session.finish(exits.FAILED)


def recipes(session: Session, made: Compilation, state: State | None = None) -> list[ir.Recipe]:
    """All variants of *made*, decided; ends the command when one cannot be."""
    with session.guarded():
        found = [made.recipe(variant) for variant in made.variants]
    if made.sink.has_errors:
        if state is not None:
            stop(session, state)
        session.stop_on_errors()
    return [recipe for recipe in found if recipe is not None]


def stop(session: Session, state: State) -> None:
    """End the command with the errors of *state*, shown under the names of its files."""
    sources = SourceMap()
    for file in _files(state.made.sink, state.made):
        source = state.made.sources.get(file)
        if source is not None:
            sources.add(Source(state.shown(file), source.text))
    shown = Sink()
    for one in state.made.diagnostics:
        shown.add(_renamed(one, state))
    session.sink, session.sources = shown, sources
    session.finish(exits.FAILED)


def _files(sink: Sink, made: Compilation) -> Sequence[str]:
    files = {label.span.file for one in sink for label in one.labels}
    return sorted(files, key=lambda file: (made.sources.rank(file), file))


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
