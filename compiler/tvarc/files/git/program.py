"""Runs the program `git`: the same answer whatever the environment and the repository set."""

# ruff: noqa: PTH100
# pathlib costs too much at start.
from __future__ import annotations

import os
import subprocess

from tvarc.light import Final
from tvarc.text.diagnostics.programs_say import GIT, message_in

_SECONDS: Final = 30
PATIENCE: Final = 2
"""Seconds in which git has to answer a small question. It is asked one to see whether it answers at
all."""
_ASKED: Final = ("cat-file", "-e", f"{1:040x}")  # for an object that is not there all is read
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
_silent: Final[set[str]] = set()  # folders in which git does not answer: it is not asked again


class GitFailed(Exception):
    """git cannot answer; the text is a clause for a person."""


class GitSilent(GitFailed):
    """git does not end: a pipe may be in the place of one of the files that it reads."""


def run_git(folder: str, *arguments: str, given: bytes = b"") -> bytes:
    """The output of git in *folder*, with *given* as its input; raises GitFailed with git's error
    message. The repository is that of the folder, even when this runs in a hook of another.
    """
    place = os.path.abspath(folder or os.curdir)
    for one in _silent:
        if f"{place}/".startswith(f"{one}/") or f"{one}/".startswith(f"{place}/"):
            raise _no_answer(place)
    process = _started(folder, arguments)
    try:
        out, errors = _ended(process, given, place)
    finally:
        process.kill()
        process.wait()
    if process.returncode != 0:
        told = message_in(errors.decode("utf-8", "replace"), GIT)
        raise GitFailed(f"git says: {told}" if told else f"git ended with {process.returncode}")
    return out


def _started(folder: str, arguments: tuple[str, ...]) -> subprocess.Popen[bytes]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        return subprocess.Popen(
            ("git", "-C", folder or os.curdir, *_SETTINGS, *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**kept, **_ENVIRONMENT},
        )
    except FileNotFoundError:
        raise GitFailed("the program `git` is not installed") from None
    except (OSError, ValueError) as fault:
        raise GitFailed(f"git failed: {fault}") from None


def _ended(process: subprocess.Popen[bytes], given: bytes, place: str) -> tuple[bytes, bytes]:
    """The output of *process* until it ends; raises GitSilent."""
    try:
        return process.communicate(given, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        pass
    if not _answers(place):
        _silent.add(place)
        raise _no_answer(place)
    try:
        return process.communicate(timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise GitSilent(f"git did not end within {_SECONDS} seconds") from None


def _answers(place: str) -> bool:
    """Whether git answers in *place* a question that needs almost no reading."""
    process = _started(place, _ASKED)
    try:
        process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return False
    finally:
        process.kill()
        process.wait()
    return True


def _no_answer(place: str) -> GitSilent:
    return GitSilent(
        f"git did not answer in `{place}`: a file of the repository, such as `.git/HEAD`, may be "
        "a pipe"
    )


def top_of(folder: str) -> str:
    """The top folder of the working tree that *folder* is in; raises GitFailed."""
    return os.fsdecode(run_git(folder, "rev-parse", "--show-toplevel")).removesuffix("\n")
