"""The versions of a file that git merged: both sides, and their base."""

from __future__ import annotations

import os

from tvarc.files.git.program import GitFailed, blobs, run_git
from tvarc.files.output.header import Versions
from tvarc.light import Final, Iterator, Sequence

_TOGETHER: Final = 128  # the number of files whose versions are read with one call of git
_BASE, _OURS, _THEIRS = "1", "2", "3"  # in git's order
# A conflict that was added or committed is no longer in the index. These are the commits that may
# have been merged.
_PAIRS: Final = (
    ("HEAD", "MERGE_HEAD"),
    ("HEAD", "CHERRY_PICK_HEAD"),
    ("HEAD", "REBASE_HEAD"),
    ("HEAD^1", "HEAD^2"),
)
_PICKED: Final = ("CHERRY_PICK_HEAD", "REBASE_HEAD")  # the base is the common ancestor


class MergedVersions:
    """The merged versions of absolute paths; git runs when a path is requested. If git fails, there
    are none.
    """

    __slots__ = ("_folders",)

    def __init__(self) -> None:
        self._folders: dict[str, _Folder] = {}

    def __call__(self, path: str) -> Iterator[Versions]:
        folder, name = os.path.split(path)
        return self._folder(folder).versions(name)

    def knows(self, path: str, name: bytes) -> bool:
        """Whether *name* names a commit in the repository of the file; true if git cannot run at
        all.
        """
        return self._folder(os.path.split(path)[0]).knows(name)

    def _folder(self, folder: str) -> _Folder:
        if folder not in self._folders:
            self._folders[folder] = _Folder(folder)
        return self._folders[folder]


class _Folder:
    """The files of one folder that git has in several versions, by their names."""

    __slots__ = ("_folder", "_found", "_names", "_stages", "_texts")

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._found: dict[tuple[str, str], list[str]] = {}
        self._names: dict[bytes, bool] = {}
        self._stages: dict[str, dict[str, str]] | None = None  # objects by stage by name
        self._texts: dict[str, dict[str, bytes]] = {}

    def versions(self, name: str) -> Iterator[Versions]:
        if self._stages is None:
            self._stages = self._unmerged()
        if name in self._stages:
            found = self._of_index(name, self._stages)
            if _OURS in found and _THEIRS in found:
                yield Versions((found[_OURS], found[_THEIRS]), found.get(_BASE, b""))
            return
        revisions = list(dict.fromkeys(one for pair in _PAIRS for one in pair))
        texts = dict(
            zip(revisions, self._contents([f"{one}:./{name}" for one in revisions]), strict=True)
        )
        for ours, theirs in _PAIRS:
            one, other = texts[ours], texts[theirs]
            if one is not None and other is not None:
                for base in self._bases(ours, theirs):
                    (text,) = self._contents([f"{base}:./{name}"])
                    yield Versions((one, other), text or b"")

    def knows(self, name: bytes) -> bool:
        if name not in self._names:
            commit = os.fsdecode(name + b"^{commit}")
            self._names[name] = not self._answers("--git-dir") or (
                not name.startswith(b"-") and self._answers("--verify", "--quiet", commit)
            )
        return self._names[name]

    def _answers(self, *words: str) -> bool:
        """Whether `git rev-parse` with these words succeeds."""
        try:
            run_git(self._folder, "rev-parse", *words)
        except GitFailed:
            return False
        return True

    def _bases(self, ours: str, theirs: str) -> Sequence[str]:
        """The possible base commits of a merge of *theirs* into *ours*."""
        if theirs in _PICKED:
            return (f"{theirs}^",)
        if (ours, theirs) not in self._found:
            try:
                printed = run_git(self._folder, "merge-base", "--all", ours, theirs)
            except GitFailed:
                printed = b""
            self._found[ours, theirs] = printed.decode("ascii", "replace").split()
        return self._found[ours, theirs]

    def _unmerged(self) -> dict[str, dict[str, str]]:
        """The files of this folder that git has not merged: the object of each stage, by the
        name.
        """
        found: dict[str, dict[str, str]] = {}
        try:
            rows = run_git(self._folder, "ls-files", "--unmerged", "-z", "--", ".").split(b"\0")
        except GitFailed:
            return found
        for row in rows:
            about, _, path = row.partition(b"\t")
            words = about.split()
            if len(words) == 3 and b"/" not in path:
                stages = found.setdefault(os.fsdecode(path), {})
                stages[words[2].decode("ascii", "replace")] = words[1].decode("ascii", "replace")
        return found

    def _of_index(self, name: str, stages: dict[str, dict[str, str]]) -> dict[str, bytes]:
        """The text of each stage of *name*. Other files are read at the same time, because a merge
        with one conflict in a recipe usually has many."""
        if name not in self._texts:
            names = list(stages)
            start = names.index(name)
            wanted = [
                (one, stage, thing)
                for one in names[start : start + _TOGETHER]
                for stage, thing in stages[one].items()
            ]
            contents = self._contents([thing for _, _, thing in wanted])
            self._texts = {name: {}}
            for (one, stage, _), text in zip(wanted, contents, strict=True):
                if text is not None:
                    self._texts.setdefault(one, {})[stage] = text
        return self._texts[name]

    def _contents(self, names: list[str]) -> list[bytes | None]:
        """The content of the object with each of *names*; None if there is none."""
        try:
            return blobs(self._folder, names)
        except GitFailed:
            return [None] * len(names)
