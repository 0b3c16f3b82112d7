"""Runs the program `git`. Its results do not depend on the environment and on settings of the
repository."""

# ruff: noqa: PTH100
# pathlib costs too much at start.
from __future__ import annotations

import os
import subprocess

from tvarc.light import Final, Sequence
from tvarc.text.diagnostics.programs_say import GIT, message_in

_SECONDS: Final = 30
PATIENCE: Final = 2
"""Seconds within which git must answer a small query, which shows whether it answers at all."""
_ASKED: Final = ("cat-file", "-e", f"{1:040x}")  # for a missing object, everything is read
# The configuration of git names programs to run, and a repository may have its own.
_SETTINGS: Final = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_ENVIRONMENT: Final = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # A partial clone fetches what it lacks, by a program that its configuration names. An older git
    # has only the second of these options, which prevents all access to other repositories.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}
_silent: Final[set[str]] = set()  # folders in which git does not answer: it is not asked again


class GitFailed(Exception):
    """git cannot answer. The text is a clause for the user."""


class GitSilent(GitFailed):
    """git does not end. One of the files that it reads may be a pipe."""


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
    """Whether git answers a query in *place* that needs almost no reading."""
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
    """The top folder of the working tree of *folder*; raises GitFailed."""
    return os.fsdecode(run_git(folder, "rev-parse", "--show-toplevel")).removesuffix("\n")


def blobs(folder: str, names: Sequence[str]) -> list[bytes | None]:
    """The content of the file with each of git's *names*; None if there is none. Raises
    GitFailed."""
    nothing: list[bytes | None] = [None] * len(names)
    if any("\n" in name for name in names):  # git reads a name from each line
        return nothing
    asked = os.fsencode("".join([f"{name}\n" for name in names]))
    printed = run_git(folder, "cat-file", "--batch", given=asked) if names else b""
    found: list[bytes | None] = []
    at = 0
    for _ in names:
        end = printed.find(b"\n", at)
        words = printed[at : max(end, at)].split()
        at = end + 1
        if len(words) == 3 and words[2].isdigit():
            size = int(words[2])
            found.append(printed[at : at + size] if words[1] == b"blob" else None)
            at += size + 1
        elif words[-1:] == [b"missing"]:
            found.append(None)
        else:
            return nothing
    return found
