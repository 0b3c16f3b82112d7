"""Runs the program `git`: the same answer whatever the environment and the repository set."""

from __future__ import annotations

import os
import subprocess

from tvarc.light import Final

_SECONDS: Final = 30
# git asks its configuration which programs to run, and a repository may bring its own.
_SETTINGS: Final = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_ENVIRONMENT: Final = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # A partial clone fetches what it lacks, by a program that its configuration names. An older git
    # knows only the second of these: with it every way to another repository is closed.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}


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
        told = _message_in(done.stderr.decode("utf-8", "replace"))
        raise GitFailed(f"git says: {told}" if told else f"git ended with {done.returncode}")
    return done.stdout


def _message_in(printed: str) -> str:
    """What is wrong, among what git prints: warnings may stand before it."""
    lines = printed.strip().splitlines()
    for mark in ("fatal: ", "error: "):
        for line in lines:
            if line.startswith(mark):
                return line.removeprefix(mark)
    return lines[0] if lines else ""


def top_of(folder: str) -> str:
    """The top folder of the working tree that *folder* is in; raises GitFailed."""
    return os.fsdecode(run_git(folder, "rev-parse", "--show-toplevel")).removesuffix("\n")
