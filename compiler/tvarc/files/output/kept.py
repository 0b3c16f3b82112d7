"""The states of files that a process which builds repeatedly keeps, so that it does not read a file
again that was not written since the last build."""

from __future__ import annotations

import os
from stat import S_IMODE

from tvarc.files.output.folders import State, state_of
from tvarc.files.output.header import File
from tvarc.files.output.plan import (
    Claim,
    Comparison,
    Entry,
    Kind,
    Mark,
    Protected,
    WriteMode,
    text_of,
)
from tvarc.light import Callable, Final, Sequence

_SECOND: Final = 1_000_000_000
_Seen = tuple[State, int, int]
_Known = tuple[object, Mark, _Seen, object]


class KeptFiles:
    """The files as a build has left them, by their paths: for each the key of its text, the mark of
    the text, the state of the file, and the recipe. A file system with times of whole seconds
    cannot show that a file was written twice in one second, so its files are not kept.
    """

    __slots__ = ("before", "key_of", "now")

    def __init__(self, key_of: Callable[[File], object]) -> None:
        """*key_of* returns the key of the text of a file, None if it is not known. For the same
        path, equal keys mean equal texts."""
        self.key_of = key_of
        self.before: dict[str, _Known] = {}
        self.now: dict[str, _Known] = {}

    def compare(
        self, root: str, mode: WriteMode, protected: Protected, claim: Claim
    ) -> Comparison:
        """The comparison of a build, which does not read these files."""
        return _Comparison(self, root, mode, protected, claim)

    def end(self, *, whole: bool, recipes: bool) -> None:
        """End a build. With *whole*, it has reached all files, and other files are dropped. Without
        *recipes*, the recipes of the next build are different."""
        self.before = self.now if whole else {**self.before, **self.now}
        if not recipes:
            for path, known in self.before.items():
                if known[3] is not None:
                    self.before[path] = (*known[:3], None)
        self.now = {}


class _Comparison(Comparison):
    """The comparison of a build with the states of files after the last build."""

    __slots__ = ("_kept", "_keys", "_written", "note_written", "unread")
    unread: dict[str, Mark]

    def __init__(
        self, kept: KeptFiles, root: str, mode: WriteMode, protected: Protected, claim: Claim
    ) -> None:
        super().__init__(root, mode, protected, claim)
        self._kept = kept
        self._keys: dict[str, object] = {}  # of files that have changed since the last build
        self.unread = {}
        written: list[State] = []
        self._written = written  # the function below must not keep this object in a ring
        self.note_written = lambda handle: written.append(state_of(os.fstat(handle)))

    def _look(self, entry: Entry, name: str) -> None:
        try:
            old = os.stat(name, dir_fd=self.handle, follow_symlinks=False)
        except OSError:
            super()._look(entry, name)
            return
        kept = self._kept
        known = kept.before.pop(entry.path, None)  # two records of a file would take more memory
        if known is None or known[2] != _seen(old) or not self._may_be_written(entry, old):
            super()._look(entry, name)
        else:
            of = getattr(entry.file, "of", None)
            key = known[0] if of is known[3] and of is not None else kept.key_of(entry.file)
            if key is not None and key == known[0]:
                entry.kind, entry.mark = Kind.SAME, known[1]
                kept.now[entry.path] = known if of is known[3] else (*known[:3], of)
                return
            self._keys[entry.path] = key
            if key is not None and known[0] is not None:
                # Its text has probably changed. It is made once, when it is written.
                entry.kind, entry.state, entry.mode = Kind.OTHER, known[2][0], S_IMODE(old.st_mode)
                self.unread[entry.path] = known[1]
                return
            data = text_of(entry)
            if entry.mark == known[1]:
                entry.kind = Kind.SAME
            else:
                self.replace(entry, data, old)
        if entry.kind is Kind.SAME:
            self._note(entry, old, state_of(old))

    def ask_whether_writable(self) -> None:
        if any(map(self.folders.closed, self.used)):
            for path, mark in self.unread.items():
                entry = self.entries[path]
                text_of(entry)
                if entry.mark == mark:
                    entry.kind = Kind.SAME
        super().ask_whether_writable()

    def _may_be_written(self, entry: Entry, old: os.stat_result) -> bool:
        """Whether the file of *entry*, with the state *old*, is neither a source nor left to the
        user. This may have changed since the last build."""
        return entry.path not in self.left and not self.sources.has(old)

    def _note(self, entry: Entry, found: os.stat_result, state: State) -> None:
        """Note that the file of *entry*, which was *found* in that *state*, has its text."""
        if entry.mark is not None and found.st_mtime_ns % _SECOND:
            key = self._keys.get(entry.path) or self._kept.key_of(entry.file)
            seen = (state, found.st_mode, found.st_ctime_ns)
            self._kept.now[entry.path] = (key, entry.mark, seen, getattr(entry.file, "of", None))

    def finish(self, written: Sequence[Entry]) -> None:
        unread = map(self.entries.__getitem__, self.unread)
        same = [entry for entry in unread if entry.kind is Kind.SAME]
        states = [*[entry.state for entry in same], *self._written]
        for entry, state in zip([*same, *written], states, strict=False):
            try:
                found = os.lstat(self.folders.full(entry.path))
            except OSError:
                continue
            if state_of(found) == state:  # otherwise it was written in the meantime
                self._note(entry, found, state)


def _seen(found: os.stat_result) -> _Seen:
    """A state that changes if a file is written or replaced, or if its permissions change."""
    return state_of(found), found.st_mode, found.st_ctime_ns
