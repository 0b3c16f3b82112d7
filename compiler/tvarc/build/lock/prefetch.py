"""Finds the hash of a source with Nix's own programs. No shell is used."""

from __future__ import annotations

import os
import subprocess
from binascii import a2b_base64
from contextlib import suppress
from threading import Thread
from typing import IO

from tvarc.build.lock.log import mismatches
from tvarc.decide.lock import fake_hash
from tvarc.light import Sequence, dataclass
from tvarc.meaning.evaluation.fetched import Fetched
from tvarc.meaning.evaluation.formats import as_sri, is_open
from tvarc.nix.judge.derivation import Unreadable, mentions
from tvarc.nix.lower.fetch import Nixpkgs, fetch_text
from tvarc.values.value import Value

PREFETCH = ("nix-prefetch-url", "--type", "sha256")
_SHOWN_LINES = 12
_KEPT = 1 << 20  # bytes of each stream
_PIECE = 1 << 16
_LINGER = 2.0  # seconds to wait for the rest of the output after the program has ended


class FetchFailed(Exception):
    """The hash cannot be found. The text explains why, perhaps in several lines."""


@dataclass(frozen=True, slots=True)
class Request:
    """A program and its arguments. `by` is the lock's name for it. With `fake`, its build fails,
    and the error has the right hash next to this one. Otherwise the hash is its output."""

    words: tuple[str, ...]
    by: str
    fake: str = ""


def request(source: Fetched, nixpkgs: Nixpkgs | None) -> Request:
    """The request that finds the hash of *source*.

    The fetcher of nixpkgs decides the form: a tarball is unpacked, and a file is not. For
    submodules, and for patches, which are normalised, only the fetcher itself knows the result. So
    the fetcher of *nixpkgs* is built with a fake hash.
    """
    given = dict(source.fields)
    unpack = (*PREFETCH, "--unpack", "--name", "source", "--")
    match source.kind:
        case "tarball":
            return Request((*unpack, str(given["url"])), "nix-prefetch-url --unpack")
        case "file":
            return Request((*PREFETCH, "--", str(given["url"])), "nix-prefetch-url")
        case "github" if not given.get("submodules"):
            return Request((*unpack, _archive(source)), "nix-prefetch-url --unpack")
        case _:
            fake = fake_hash(source)
            function = "github" if source.kind == "github" else "fetchpatch"
            arguments: tuple[tuple[str, Value], ...] = (*source.fields, ("hash", fake))
            text = fetch_text(function, arguments, nixpkgs)
            return built(text, fake)


def built(text: str, fake: str) -> Request:
    """The build of the expression *text*, which has the hash *fake*. The error of Nix has the right
    hash."""
    return Request(("nix-build", "--no-out-link", "-E", text), "nix-build", fake)


def fetched_for(recipe: str, fake: str) -> Request:
    """The build of the source that the expression *recipe* fetches by the hash *fake*. Nothing that
    depends on it is built, because a recipe may take hours. If the store is not on this disk, the
    whole recipe is built. Raises FetchFailed if nothing is fetched with this hash."""
    done = _run(("nix-instantiate", "-E", recipe))
    made = done.stdout.split()
    if done.returncode != 0 or not made:
        raise FetchFailed(_said(done) or "it cannot be evaluated")
    done = _run(("nix-store", "--query", "--requisites", *made))
    if done.returncode != 0:
        raise FetchFailed(_said(done) or "it does not list the dependencies of the recipe")
    digits = a2b_base64(fake.partition("-")[2]).hex()
    for path in [one for one in done.stdout.split() if one.endswith(".drv")]:
        try:
            found = mentions(path, digits)
        except Unreadable:
            return built(recipe, fake)
        if found:
            return Request(("nix-store", "--realise", path), "nix-store --realise", fake)
    raise FetchFailed(
        "nothing that the recipe needs is fetched with this hash: this nixpkgs reads the "
        "package's own hash before the attribute changes it"
    )


def run(asked: Request) -> str:
    """The hash in SRI form. Raises FetchFailed."""
    done = _run(asked.words)
    printed = None
    if asked.fake:
        found = {one.got for one in mismatches(done.stderr) if one.wanted == asked.fake}
        if len(found) != 1:
            raise FetchFailed(_said(done) or "it reports no hash")
        printed = found.pop()
    else:
        lines = done.stdout.split()
        printed = as_sri(lines[-1]) if done.returncode == 0 and lines else None
        if printed is None:
            raise FetchFailed(_said(done) or "it printed no hash")
    if is_open(printed):
        raise FetchFailed(f"it printed a fake hash: {printed}")
    return printed


def _archive(source: Fetched) -> str:
    """The archive that `fetchFromGitHub` of nixpkgs fetches."""
    given = dict(source.fields)
    which = given["rev"] if "rev" in given else f"refs/tags/{given['tag']}"
    return f"https://github.com/{given['repository']}/archive/{which}.tar.gz"


@dataclass(frozen=True, slots=True)
class _Done:
    """The result of a program, and the ends of its output."""

    returncode: int
    stdout: str
    stderr: str


def _run(words: Sequence[str]) -> _Done:
    """Run a program to its end, however long it fetches. Processes that it leaves running are not
    waited for. Only the part of its output that is used later is kept."""
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "LC_ALL": "C"},
        )
    except FileNotFoundError:
        raise FetchFailed(f"the program `{words[0]}` is not installed: it is part of Nix") from None
    except OSError as fault:
        raise FetchFailed(f"`{words[0]}` cannot be run: {fault.strerror or fault}") from None
    assert process.stdout is not None and process.stderr is not None
    ends = _End(process.stdout), _End(process.stderr)
    try:
        for end in ends:
            end.start()
        code = process.wait()
    except BaseException:
        process.kill()
        process.wait()
        raise
    for end in ends:
        end.join(_LINGER)
    return _Done(code, ends[0].text(), ends[1].text())


class _End(Thread):
    """Reads a pipe to its end, and keeps the end of its content."""

    def __init__(self, pipe: IO[bytes]) -> None:
        super().__init__(daemon=True)  # a process that holds the pipe open delays no one
        self._pipe = pipe
        self._kept = b""

    def run(self) -> None:
        with suppress(OSError, ValueError):
            while piece := os.read(self._pipe.fileno(), _PIECE):
                self._kept = (self._kept + piece)[-_KEPT:]

    def text(self) -> str:
        return self._kept.decode("utf-8", "replace")


def _said(done: _Done) -> str:
    """The program's error message, beginning with the first error."""
    lines = [line.rstrip() for line in done.stderr.splitlines() if line.strip()]
    first = next((at for at, line in enumerate(lines) if "error" in line), 0)
    return "\n".join(lines[first : first + _SHOWN_LINES])
