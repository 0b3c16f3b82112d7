"""Finds the recipes that git does not track, because Flox builds only tracked files."""

# ruff: noqa: PTH118
from __future__ import annotations

import os
import shlex

from tvarc.files.git.program import GitFailed, GitSilent, run_git, top_of
from tvarc.light import Final, Iterable, Iterator, Sequence

_LISTED: Final = 20
_NAMED: Final = 5
_LITERAL: Final = "--literal-pathspecs"  # `check-ignore` does not accept it
_PATTERN: Final = frozenset("*?[\\:")  # characters with a special meaning for git
_OTHERS: Final = (_LITERAL, "ls-files", "-z", "--others")


def tracking_lines(root: str, common: str, paths: Iterable[str]) -> Iterator[str]:
    """The notes on the recipes *paths*, below *root* and all of them in its folder *common*; none
    if git fails. The paths are checked one by one only if git lacks a file.
    """
    folder = os.path.join(root, common)
    try:
        # Run in the folder itself, which may be a repository of its own.
        others = _split(run_git(folder, *_OTHERS, "--", "."))
        before = f"{common}/" if common else ""
        ours = {path.removeprefix(before) for path in paths} if others else set()
        missing = [path for path in others if path in ours]
        if not missing:
            return
        hidden = _split(run_git(folder, *_OTHERS, "--ignored", "--exclude-standard", "--", "."))
        add = _Adding(folder, others, hidden)
        yield from _untracked_lines(add, [path for path in missing if path not in add.ignored])
        yield from _ignored_lines(add, [path for path in missing if path in add.ignored])
    except GitSilent as fault:
        yield f"{fault}; so tvarc does not know which recipes are tracked"
    except GitFailed:
        return


def is_tracked(path: str, home: str) -> bool:
    """Whether git tracks a file in the folder *path*, which is absolute and real, if it is in the
    repository of the folder *home*. Other repositories do not count. Raises GitFailed.
    """
    top = top_of(home)
    if not f"{path}/".startswith(f"{os.path.realpath(top)}/"):
        return True
    return bool(run_git(top, _LITERAL, "ls-files", "-z", "--", path))


class _Adding:
    """Makes the commands that add files of *folder*. *others* are the files that git lacks or
    ignores, as paths below the folder.
    """

    __slots__ = ("folder", "ignored", "others")

    def __init__(self, folder: str, others: Sequence[str], ignored: Iterable[str]) -> None:
        self.folder = folder
        self.others = others
        self.ignored = frozenset(ignored)

    def command(self, paths: Sequence[str], *, force: bool) -> str:
        """The command that adds *paths*, and no other file if a short command can do that."""
        words = ["git"]
        at = self.folder
        if not _PATTERN.isdisjoint(self.folder) or not self._reached():
            words += ["-C", self.folder]
            at = ""
        words.append("add")
        if force:
            words.append("--force")
        if self._sparse():
            words.append("--sparse")
        found = self._targets(paths, force=force)
        targets = [os.path.normpath(os.path.join(at, one)) for one in found]
        return shlex.join([*words, "--", *targets])

    def _targets(self, paths: Sequence[str], *, force: bool) -> Sequence[str]:
        """The pathspecs of *paths*. For git a folder means everything in it, and `*` any text."""
        pool = {path for path in self.others if force or path not in self.ignored}
        wanted = set(paths)
        if pool != wanted and {path for path in pool if path.endswith(".nix")} == wanted:
            return ("*.nix",)
        return paths if pool != wanted and len(paths) <= _NAMED else (".",)

    def _reached(self) -> bool:
        """Whether a command that runs here finds the repository of the folder."""
        try:
            return top_of(os.curdir) == top_of(self.folder)
        except GitFailed:
            return False

    def _sparse(self) -> bool:
        """Whether git takes only a part of the repository into the working tree, and would not add
        a file outside of that part."""
        try:
            set_to = run_git(self.folder, "config", "--type=bool", "core.sparseCheckout")
        except GitFailed:
            return False
        return set_to.strip() == b"true"


def _untracked_lines(add: _Adding, paths: Sequence[str]) -> Iterator[str]:
    if paths:
        yield from _listed("does not track", paths)
        yield f"Flox and flakes see tracked files only: `{add.command(paths, force=False)}`"


def _ignored_lines(add: _Adding, paths: Sequence[str]) -> Iterator[str]:
    if not paths:
        return
    found = sorted(paths)
    yield from _listed("ignores", found)
    asked = ("check-ignore", "-z", "-v", "--no-index", "--stdin")
    rule = _split(run_git(add.folder, *asked, given=os.fsencode(found[0])))
    yield f"Flox and flakes see tracked files only: `{add.command(found, force=True)}`"
    if len(rule) >= 3:
        yield f"line {rule[1]} of {rule[0]} ignores them: `{rule[2]}`"


def _listed(what: str, paths: Sequence[str]) -> Iterator[str]:
    yield f"git {what} {len(paths)} {'recipe' if len(paths) == 1 else 'recipes'}:"
    yield from (f"  {path}" for path in paths[:_LISTED])
    if len(paths) > _LISTED:
        yield f"  and {len(paths) - _LISTED} more"


def _split(printed: bytes) -> list[str]:
    return [os.fsdecode(path) for path in printed.split(b"\0") if path]
