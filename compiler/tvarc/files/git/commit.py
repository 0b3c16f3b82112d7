"""The files of a commit of a git repository, read with the program `git`."""

# ruff: noqa: PTH100, PTH101, PTH103, PTH117, PTH118, PTH120, PTH123, PTH206, PTH211
# pathlib costs too much at start.
from __future__ import annotations

import os
import posixpath

from tvarc.files.disk import MAX_BYTES, DiskLoader, decode, place_of, placed
from tvarc.files.edited import Through
from tvarc.files.git.program import GitFailed, GitSilent, blobs, run_git, top_of
from tvarc.light import Final, Iterable, Iterator, Mapping, Sequence, dataclass, field
from tvarc.text.source import Content, FileKind, LeafKind, Source, UnreadableSource

_MOST_LINKS = 20
_LINK = "120000"  # the mode of a symbolic link
_EXECUTABLE = "100755"
_LEAVES: Final[Mapping[str, LeafKind]] = {_LINK: "link", _EXECUTABLE: "executable"}
_MOST_AT_ONCE: Final = 64 << 20
"""The most bytes of files that are read together."""


@dataclass(frozen=True, slots=True)
class _Row:
    """The entry of a commit at a path: its mode, its kind, its object and the size of the
    object."""

    mode: str
    kind: str
    id: str
    size: int
    name: str


class ShallowClone(GitFailed):
    """A commit is missing in a clone that has only the newest commits."""

    help: Final = (
        "fetch all commits: `git fetch --unshallow`; in GitHub Actions, set `fetch-depth: 0` for "
        "actions/checkout"
    )


def _is_shallow(folder: str) -> bool:
    try:
        return run_git(folder, "rev-parse", "--is-shallow-repository").strip() == b"true"
    except GitFailed:
        return False


class Commit:
    """The files of one commit, by their path from the top of the repository."""

    __slots__ = ("id", "known", "top")

    def __init__(self, folder: str, revision: str) -> None:
        """The commit that *revision* names in the repository that *folder* belongs to; raises
        GitFailed."""
        if revision.startswith("-"):
            raise GitFailed("a revision does not begin with `-`")
        self.top = top_of(folder)
        ask = ("rev-parse", "--verify", "--quiet")
        try:
            # In two steps, because everything after `:/` is text.
            found = run_git(self.top, *ask, revision).decode("ascii").strip()
            self.id = run_git(self.top, *ask, f"{found}^{{commit}}").decode("ascii").strip()
        except GitSilent:
            raise
        except GitFailed:
            if _is_shallow(self.top):
                raise ShallowClone(
                    f"git has no commit `{revision}`: this clone is shallow, and has only the "
                    "newest commits"
                ) from None
            raise GitFailed(f"git has no commit `{revision}`") from None
        self.known: dict[str, tuple[str, str, str]] = {}

    def path(self, file: str) -> str | None:
        """The path of *file*, which need not exist, from the top; None if it is outside."""
        folder, name = os.path.split(os.path.abspath(file))
        path = os.path.relpath(os.path.join(os.path.realpath(folder), name), self.top)
        steps = path.split(os.sep)
        return None if steps[0] == os.pardir or os.path.isabs(path) else "/".join(steps)

    def read(self, path: str) -> bytes:
        """The content of the file at *path*, links followed; raises GitFailed."""
        for _ in range(_MOST_LINKS):
            mode, blob = self.entry(path)
            if mode != _LINK:
                return run_git(self.top, "cat-file", "blob", blob)
            target = run_git(self.top, "cat-file", "blob", blob).decode("utf-8", "surrogateescape")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            if path.startswith("../") or posixpath.isabs(path):
                raise GitFailed("it is a link to a file outside of the repository")
        raise GitFailed("it is a link to itself")

    def kind(self, path: str) -> FileKind:
        """The kind of the entry at *path*, with links on the way followed as well; raises
        GitFailed.
        """
        at = self.resolved(path)
        # This commit belongs to a submodule, which has the content.
        return "file" if at and self.row(at)[1] == "blob" else "folder"

    def resolved(self, path: str) -> str:
        """The target of *path*, after all links on the way; empty for the top. Raises GitFailed."""
        waiting, at, links = path.split("/"), "", 0
        while waiting:
            step = waiting.pop(0)
            if step in ("", "."):
                continue
            if step == "..":
                if not at:
                    raise GitFailed("it is a link to a file outside of the repository")
                at = posixpath.dirname(at)
                continue
            here = posixpath.join(at, step)
            mode, kind, found = self.row(here)
            if mode == _LINK:
                links += 1
                target = run_git(self.top, "cat-file", "blob", found)
                if target.startswith(b"/"):
                    raise GitFailed("it is a link to a file outside of the repository")
                if links > _MOST_LINKS:
                    raise GitFailed("it is a link to itself")
                waiting = [*target.decode("utf-8", "surrogateescape").split("/"), *waiting]
            elif kind == "blob":
                if waiting:
                    raise GitFailed("the path names a folder, and a file is there")
                return here
            elif kind == "commit":
                return here
            else:
                at = here
        return at

    def contents(self, path: str) -> dict[str, Content]:
        """The content at *path*, with links to it followed: for a folder all its files by their
        paths in it, for a file that file by an empty path. Raises GitFailed.
        """
        at = self.resolved(path)
        mode, kind, blob = self.row(at) if at else ("", "tree", "")
        if kind == "blob":
            return {"": Content(_LEAVES.get(mode, "plain"), blob)}
        found: dict[str, Content] = {}
        for one in self._below(f"{self.id}:{at}"):
            if one.kind != "blob":
                raise GitFailed(f"`{one.name}` in it belongs to another repository")
            found[one.name] = Content(_LEAVES.get(one.mode, "plain"), one.id)
        return found

    def write(self, folder: str) -> None:
        """Write all files of the commit to *folder*, which is new, as they are in git, without the
        conversions that a repository may request. Other repositories in it are empty folders.
        Raises GitFailed and OSError."""
        os.makedirs(folder)
        rows = list(self._below(self.id, "-l"))
        for one in rows:
            steps = one.name.split("/")
            if any(step in ("", ".", "..") or step.lower() == ".git" for step in steps):
                raise GitFailed(f"`{one.name}` is not a valid path of a file")
            above = os.path.dirname(one.name) if one.kind == "blob" else one.name
            os.makedirs(os.path.join(folder, above), exist_ok=True)
        # Links come last, so that nothing is written through one.
        files = [one for one in rows if one.kind == "blob"]
        for one, data in self._blobs(sorted(files, key=lambda one: one.mode == _LINK)):
            path = os.path.join(folder, one.name)
            if one.mode == _LINK:
                os.symlink(data, os.fsencode(path))
                continue
            with open(path, "xb") as file:
                file.write(data)
            if one.mode == _EXECUTABLE:
                os.chmod(path, 0o755)

    def _below(self, tree: str, *options: str) -> Iterator[_Row]:
        """All entries in *tree* and in the folders below it; with `-l`, also their sizes."""
        asked = ("ls-tree", "-r", "-z", "--full-tree", *options, tree)
        for row in run_git(self.top, *asked).split(b"\0"):
            if row:
                told, _, name = row.partition(b"\t")
                mode, kind, found, *size = told.decode("ascii").split()
                path = name.decode("utf-8", "surrogateescape")
                yield _Row(mode, kind, found, int(size[0]) if "".join(size).isdigit() else 0, path)

    def _blobs(self, rows: Iterable[_Row]) -> Iterator[tuple[_Row, bytes]]:
        """The contents of the files *rows*, in parts that fit into memory."""
        waiting: list[_Row] = []
        total = 0
        for one in rows:
            waiting.append(one)
            total += one.size
            if total > _MOST_AT_ONCE:
                yield from self._read_together(waiting)
                waiting, total = [], 0
        yield from self._read_together(waiting)

    def _read_together(self, rows: Sequence[_Row]) -> Iterator[tuple[_Row, bytes]]:
        for one, data in zip(rows, blobs(self.top, [row.id for row in rows]), strict=True):
            if data is None:
                raise GitFailed(f"`{one.name}` is not in this repository")
            yield one, data

    def entry(self, path: str) -> tuple[str, str]:
        """Mode and object of the file at *path*."""
        mode, kind, blob = self.row(path)
        if kind != "blob":
            raise GitFailed("it is a folder" if kind == "tree" else f"it is a {kind}")
        return mode, blob

    def row(self, path: str) -> tuple[str, str, str]:
        """Mode, kind and object of the entry at *path*, which no link leads to."""
        known = self.known.get(path)
        if known is None:
            # `:(literal)`, because a name may contain a pattern of git.
            listed = run_git(self.top, "ls-tree", "-z", "--full-tree", self.id, f":(literal){path}")
            rows = [row for row in listed.split(b"\0") if row]
            if not rows:
                raise GitFailed("no such file in that commit")
            mode, kind, found = rows[0].partition(b"\t")[0].decode("ascii").split()
            known = self.known[path] = (mode, kind, found)
        return known


@dataclass(frozen=True, slots=True, eq=False)
class CommitLoader(Through):
    """Reads the sources of a commit, under their names on disk. The standard library is that of
    this compiler."""

    base: DiskLoader
    commit: Commit
    revision: str
    inputs: dict[str, str] = field(default_factory=dict)

    def read(self, file: str) -> Source:
        place = place_of(self, file)
        if file.startswith("std/") or self._is_fetched(file, place):
            return Source(file, self.base.read(place).text)
        return Source(file, decode(file, self.bytes(file)[: MAX_BYTES + 1]))

    def bytes(self, file: str) -> bytes:
        """The content of *file*; raises UnreadableSource."""
        path = self._path(file)
        try:
            return self.commit.read(path)
        except GitFailed as fault:
            raise UnreadableSource(file, str(fault)) from None

    def contents(self, file: str) -> dict[str, Content]:
        """The content at *file*, in the form of `Commit.contents`; raises UnreadableSource."""
        path = self._path(file)
        try:
            return self.commit.contents(path)
        except GitFailed as fault:
            raise UnreadableSource(file, str(fault)) from None

    def _is_fetched(self, file: str, place: str) -> bool:
        """Whether *file* at *place* belongs to an input outside of the repository."""
        return place != file and self.commit.path(place) is None

    def _path(self, file: str) -> str:
        path = self.commit.path(placed(file, self.inputs))
        if path is None:
            raise UnreadableSource(file, "it is outside of the git repository")
        return path

    def identity(self, file: str) -> str:
        place = placed(file, self.inputs)
        path = self.commit.path(place) if not file.startswith("std/") else None
        return path if path is not None else self.base.identity(place)

    def kind(self, file: str) -> FileKind:
        place = place_of(self, file)
        path = self.commit.path(place)
        if path is None:  # it is not part of any commit
            return self.base.kind(place)
        try:
            return self.commit.kind(path)
        except GitFailed as fault:
            raise UnreadableSource(f"{self.revision}:{file}", str(fault)) from None
