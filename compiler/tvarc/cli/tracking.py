"""Which new files git does not have: Flox builds tracked files only."""

# ruff: noqa: PTH100, PTH110, PTH118, PTH120
from __future__ import annotations

import os
import shlex
import subprocess

from tvarc.light import Collection, Iterator

_LISTED = 20
_SECONDS = 20
# git asks its configuration which programs to run, and a repository may bring its own.
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_LITERAL = "--literal-pathspecs"  # `check-ignore` does not take it


def tracking_lines(root: str, common: str, created: Collection[str]) -> Iterator[str]:
    """What there is to say of the new files *created*, paths below *root* and all of them in its
    folder *common*; nothing outside of a git checkout, or where git gives no answer."""
    if not created or not _in_checkout(os.path.join(root, common)):
        return
    wanted = frozenset(created)
    others = _paths(root, _LITERAL, "ls-files", "-z", "--others", "--", common or ".")
    missing = [path for path in others if path in wanted]
    if not missing:
        return
    ignoring = (_LITERAL, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--")
    ignored = set(_paths(root, *ignoring, common or ".")).intersection(wanted)
    new = [path for path in missing if path not in ignored]
    if new:
        yield from _told("does not track", new)
        yield f"Flox sees tracked files only: `git add -- {_targets(root, common, new)}`"
    if ignored:
        found = sorted(ignored)
        yield from _told("ignores", found)
        rule = _paths(root, "check-ignore", "-z", "-v", "--no-index", "--stdin", given=found[0])
        if len(rule) >= 3:
            yield f"Flox sees tracked files only: mend line {rule[1]} of {rule[0]}, `{rule[2]}`"


def _told(what: str, paths: list[str]) -> Iterator[str]:
    yield f"git {what} {len(paths)} new {'file' if len(paths) == 1 else 'files'}:"
    yield from (f"  {path}" for path in paths[:_LISTED])
    if len(paths) > _LISTED:
        yield f"  and {len(paths) - _LISTED} more"


def _targets(root: str, common: str, paths: list[str]) -> str:
    """What to name to git as seen from the current folder."""
    chosen = [common] if common else paths
    return " ".join([shlex.quote(os.path.join(root, one)) for one in chosen])


def _in_checkout(folder: str) -> bool:
    above = os.path.abspath(folder)
    while not os.path.exists(os.path.join(above, ".git")):
        folder, above = above, os.path.dirname(above)
        if above == folder:
            return False
    return True


def _paths(root: str, *arguments: str, given: str = "") -> list[str]:
    """What git lists, with the path *given* to read; empty where it cannot."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ("git", "-C", root or ".", *_SAFE, *arguments),
            input=os.fsencode(given),
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            env={**kept, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [os.fsdecode(path) for path in done.stdout.split(b"\0") if path]
