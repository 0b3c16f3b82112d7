"""A file that belongs to a person, and of which a part is ours: read, and written back whole."""

# ruff: noqa: PTH114
from __future__ import annotations

import os
import stat

from tvarc.files import messages as msg
from tvarc.files.output.atomic import put_one
from tvarc.files.output.backup import adopted
from tvarc.files.output.folders import Folders, Refused, reason_of
from tvarc.files.output.leftovers import clear_leftovers
from tvarc.files.output.model import Adopted
from tvarc.files.output.on_disk import READ, Sources, read_all
from tvarc.files.output.refusals import Reason, Refusals
from tvarc.files.output.rewrite import rewrite
from tvarc.light import Collection
from tvarc.text.diagnostics.model import Sink

_LARGEST = 1 << 22  # bytes; a person's file of settings has some thousand


class SharedFile:
    """The file *path* below *root*. `text` is what stands there, None where nothing does or where
    it cannot be read, which has been reported: then `refused` holds. `garbled` is the line at which
    it is no UTF-8, 0 for one that is: that is for who knows what the file is to report."""

    __slots__ = ("_folders", "_sink", "garbled", "path", "refused", "text")

    def __init__(self, root: str, path: str, sources: Collection[str], sink: Sink) -> None:
        """*sources* are the files that the program reads: into none of them anything is put."""
        self.path = path
        self.refused = False
        self.garbled = 0
        self.text: str | None = None
        self._folders = Folders(os.path.realpath(root or "."))
        self._sink = sink
        refusals = Refusals()
        self._look(refusals, Sources(sources))
        if refusals:
            refusals.report(sink)
            self.refused = True

    @property
    def full(self) -> str:
        """Its absolute path."""
        return self._folders.full(self.path)

    @property
    def _folder(self) -> str:
        return self.path.rpartition("/")[0]

    def _look(self, refusals: Refusals, sources: Sources) -> None:
        state = self._folders.state(self._folder)
        if isinstance(state, Refused):
            refusals.add(state.reason, state.at, state.detail)
            return
        if sources.holds(self.full):
            refusals.add(Reason.SOURCE, self.path)
            return
        if not state:
            return
        try:
            handle = os.open(self.full, READ)
        except FileNotFoundError:
            return
        except OSError as error:
            link = os.path.islink(self.full)
            reason = Reason.SYMLINK if link else Reason.SYSTEM
            refusals.add(reason, self.path, "" if link else reason_of(error))
            return
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                refusals.add(Reason.NO_FILE, self.path)
            elif found.st_size > _LARGEST:
                refusals.add(Reason.SYSTEM, self.path, "it is larger than 4 MiB")
            else:
                self.text = read_all(handle, found.st_size).decode("utf-8")
        except UnicodeDecodeError as error:
            self.garbled = error.object.count(b"\n", 0, error.start) + 1
        except OSError as error:
            refusals.add(Reason.SYSTEM, self.path, reason_of(error))
        finally:
            os.close(handle)

    def write(self, text: str) -> bool:
        """Make it hold *text*, unless somebody has changed it since it was read; whether it does.
        E802 goes to the sink."""
        if self.text is not None:
            return rewrite(self.full, self.text.encode(), text.encode(), self._sink)
        try:
            self._folders.make(self._folder)
            folder = self._folders.full(self._folder)
            clear_leftovers(folder)
            if os.path.lexists(self.full):
                raise FileExistsError(0, "it was created meanwhile")
            put_one(folder, self.path.rpartition("/")[2], text.encode())
        except OSError as error:
            reason = reason_of(error).lower()
            self._sink.report(msg.paths.NOT_WRITTEN, file=self.path, reason=reason)
            return False
        return True

    def keep(self, text: str, *, copy: bool) -> Adopted | None:
        """What is lost when *text* takes its place; with *copy* a copy is kept beside it. None
        after reporting that there can be none."""
        try:
            folder = self._folders.enter(self._folder)
            try:
                return adopted(folder, self.path, text.encode(), keep=copy)
            finally:
                self._folders.leave()
        except OSError as error:
            reason = reason_of(error).lower()
            self._sink.report(msg.paths.NO_COPY, file=self.path, reason=reason)
            return None
