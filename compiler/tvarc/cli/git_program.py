"""Runs the program `git`: the same answer whatever the environment and the repository set."""

from __future__ import annotations

import os
import subprocess

from tvarc.light import Final

_SECONDS: Final = 30
# git asks its configuration which programs to run, and a repository may bring its own.
_SETTINGS: Final = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_ENVIRONMENT: Final = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}


class GitFailed(Exception):
    """git cannot answer; the text is a clause for a person."""


def run_git(folder: str, *arguments: str, given: bytes = b"") -> bytes:
    """What git prints in *folder*, with *given* to read; raises GitFailed with what it says is
    wrong. The repository is that of the folder, even when this runs in a hook of another."""
    command = ("git", "-C", folder or os.curdir, *_SETTINGS, *arguments)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            command,
            input=given,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            env={**kept, **_ENVIRONMENT},
        )
    except FileNotFoundError:
        raise GitFailed("the program `git` is not installed") from None
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise GitFailed(f"git failed: {fault}") from None
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        told = said[0].removeprefix("fatal: ") if said else f"it ended with {done.returncode}"
        raise GitFailed(f"git says: {told}")
    return done.stdout


def top_of(folder: str) -> str:
    """The top folder of the working tree that *folder* is in; raises GitFailed."""
    return os.fsdecode(run_git(folder, "rev-parse", "--show-toplevel")).removesuffix("\n")
