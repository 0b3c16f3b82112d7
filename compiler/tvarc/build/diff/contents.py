"""Reads files and folders on disk, for a comparison with the content of a commit, and finds those
that recipes reach."""

# ruff: noqa: PTH112, PTH114, PTH118
# pathlib costs too much at start.
from __future__ import annotations

import hashlib
import os
import posixpath
import stat

from tvarc.files.disk import MAX_BYTES, read_plain
from tvarc.light import Final, Iterator, Mapping
from tvarc.nix import ir
from tvarc.nix.judge.named_files import named_files, named_in_text
from tvarc.nix.language.text_paths import files_named, has_absolute_paths
from tvarc.text.source import Content, UnreadableSource

_GIT: Final = ".git"
"""git's own data of a repository, or of a submodule in its place. No commit contains it."""
_NIX: Final = ".nix"
_SHA1: Final = 40
"""The hexadecimal digits of a digest."""


def contents_at(path: str, file: str) -> dict[str, Content]:
    """The content at *path*. A folder has all its files by their paths in it. A file has an empty
    path. Raises UnreadableSource for *file*."""
    try:
        if not os.path.isdir(path):
            return {"": _content(os.path.realpath(path), file)}
        found = sorted(files_below(path))
        return {inner: _content(os.path.join(path, inner), file) for inner in found}
    except OSError as fault:
        raise UnreadableSource(file, (fault.strerror or str(fault)).lower()) from None


def holds(path: str, file: str, wanted: Mapping[str, Content]) -> bool:
    """Whether the content at *path* equals *wanted*, which is from `contents_at` or from a commit.
    Raises UnreadableSource for *file*."""
    folder = os.path.isdir(path)
    try:
        # The names first: a build may have left other files there, which need not be read.
        if set(files_below(path) if folder else ("",)) != wanted.keys():
            return False
        for inner, content in wanted.items():
            whole = os.path.join(path, inner) if folder else os.path.realpath(path)
            if _content(whole, file, len(content.digest)) != content:
                return False
        return True
    except OSError as fault:
        raise UnreadableSource(file, (fault.strerror or str(fault)).lower()) from None


def files_below(folder: str) -> Iterator[str]:
    """The files and links in *folder* and below, by their paths in it. Raises OSError."""

    def refuse(fault: OSError) -> None:
        raise fault

    for here, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if name != _GIT]
        links = [name for name in folders if os.path.islink(os.path.join(here, name))]
        for name in (*files, *links):
            if name != _GIT:
                yield os.path.relpath(os.path.join(here, name), folder)


def _content(path: str, file: str, digits: int = _SHA1) -> Content:
    """The file or link at *path*, with a digest of this many digits."""
    if os.path.islink(path):
        return Content("link", _digest(os.fsencode(os.readlink(path)), digits))  # noqa: PTH115
    executable = os.lstat(path).st_mode & stat.S_IXUSR
    kind: Final = "executable" if executable else "plain"
    return Content(kind, _digest(read_plain(path, file), digits))


def _digest(data: bytes, digits: int) -> str:
    """The digest that git has for *data*. A repository has digests of one length."""
    of = hashlib.sha1 if digits == _SHA1 else hashlib.sha256
    return of(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


# --- what recipes reach -----------------------------------------------------------------------


class NamedFiles:
    """The files that recipes name, and that these name in turn. A build writes the recipes below
    the folder *base*. A file that several recipes name is read once."""

    __slots__ = ("_base", "_names")

    def __init__(self, base: str) -> None:
        self._base = base or "."
        self._names: dict[str, tuple[tuple[str, ...], bool]] = {}

    def reached(self, recipe: ir.Recipe) -> Iterator[tuple[str, bool]]:
        """Each file that *recipe* reaches, and whether it names files that belong to no program."""
        waiting = list(dict.fromkeys((*named_files(recipe), *named_in_text(recipe, self._base))))
        seen = set(waiting)
        for file in waiting:  # the list grows in the loop
            named, elsewhere = self._named(file)
            yield file, elsewhere
            waiting += [one for one in named if one not in seen]
            seen.update(named)

    def _named(self, file: str) -> tuple[tuple[str, ...], bool]:
        """The files that *file* names, or the files in it if it is a folder. Also, whether it names
        files that are in no state."""
        known = self._names.get(file)
        if known is None:
            found: dict[str, None] = {}
            elsewhere = False
            for one in _files(file):
                if os.path.islink(one):
                    found[posixpath.normpath(_leads_to(one))] = None
                text = _nix_text(one, named=one == file)
                elsewhere = elsewhere or has_absolute_paths((text,))
                for path in files_named((text,)):
                    at = posixpath.join(posixpath.dirname(one), path)
                    found[posixpath.normpath(at)] = None
            known = self._names[file] = tuple(found), elsewhere
        return known


def _files(file: str) -> Iterator[str]:
    """*file*, or the files in it if it is a folder."""
    if not os.path.isdir(file):
        yield file
        return
    for inner in sorted(files_below(file)):
        yield os.path.join(file, inner)


def _leads_to(link: str) -> str:
    return os.path.join(os.path.dirname(link), os.readlink(link))  # noqa: PTH115, PTH120


def _nix_text(file: str, *, named: bool) -> str:
    """The text of a file that may be Nix; empty for any other file. A file without an ending may be
    Nix if a recipe has *named* it. In a folder it is a Makefile or a licence."""
    if not file.endswith(_NIX) and ("." in posixpath.basename(file) or not named):
        return ""
    try:
        return read_plain(file, file, MAX_BYTES).decode("utf-8", "replace")
    except (OSError, UnreadableSource):
        return ""
