"""Finds out the hash of a source, with Nix's own programs. Nothing goes through a shell."""

from __future__ import annotations

import os
import subprocess

from tvarc.backend.nix.fetch import Nixpkgs, fetch_text
from tvarc.light import Sequence, dataclass
from tvarc.lock.log import mismatches
from tvarc.lock.sri import as_sri, fake_hash
from tvarc.sema.fetched import Fetched
from tvarc.values import Value

PREFETCH = ("nix-prefetch-url", "--type", "sha256")
_SHOWN_LINES = 12


class FetchFailed(Exception):
    """The hash cannot be had; the text is what there is to say, over several lines perhaps."""


@dataclass(frozen=True, slots=True)
class Request:
    """A program and its arguments, and `by`, what the lock says of it. With `fake`, its build
    fails and names the hash that was found beside this one; else the hash is its output."""

    words: tuple[str, ...]
    by: str
    fake: str = ""


def request(source: Fetched, nixpkgs: Nixpkgs | None) -> Request:
    """What finds out the hash of *source*.

    What nixpkgs' fetcher does to it decides: a tarball is unpacked, a file is taken as it is.
    Of submodules and of patches, which are normalised, only the fetcher itself knows the result:
    it is built with a fake hash, by the fetchers of *nixpkgs*.
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
            return Request(("nix-build", "--no-out-link", "-E", text), "nix-build", fake)


def run(asked: Request) -> str:
    """The hash in SRI form; raises FetchFailed."""
    done = _run(asked.words)
    if asked.fake:
        found = {one.got for one in mismatches(done.stderr) if one.wanted == asked.fake}
        if len(found) == 1:
            return found.pop()
        raise FetchFailed(_said(done) or "it reports no hash")
    lines = done.stdout.split()
    printed = as_sri(lines[-1]) if done.returncode == 0 and lines else None
    if printed is None:
        raise FetchFailed(_said(done) or "it printed no hash")
    return printed


def _archive(source: Fetched) -> str:
    """The archive that nixpkgs' `fetchFromGitHub` takes."""
    given = dict(source.fields)
    which = given["rev"] if "rev" in given else f"refs/tags/{given['tag']}"
    return f"https://github.com/{given['repository']}/archive/{which}.tar.gz"


def _run(words: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except FileNotFoundError:
        raise FetchFailed(f"the program `{words[0]}` is not installed: it is part of Nix") from None
    except OSError as fault:
        raise FetchFailed(f"`{words[0]}` cannot be run: {fault.strerror or fault}") from None


def _said(done: subprocess.CompletedProcess[str]) -> str:
    """What the program says is wrong, from the first error on."""
    lines = [line.rstrip() for line in done.stderr.splitlines() if line.strip()]
    first = next((at for at, line in enumerate(lines) if "error" in line), 0)
    return "\n".join(lines[first : first + _SHOWN_LINES])
