"""Questions to Nix's store, and to its settings."""

from __future__ import annotations

import json
import subprocess

from tvarc.judge.nix import NotInstalled
from tvarc.light import Collection, Final, Mapping, Sequence, dataclass, replace

_STORE: Final = "nix-store"
_NIX: Final = "nix"
_MOST: Final = 2000
"""Paths of one command line: 200 KB, where systems take 2 MB."""


class StoreRefused(Exception):
    """A store that does not answer, in its own words."""


@dataclass(frozen=True, slots=True)
class Here:
    """What this machine builds by itself: so many `jobs` at a time, for these systems, with these
    features. `builders` is where Nix's settings say what other machines there are, `store` which
    store is asked; `keys` are the files of keys that it signs with."""

    jobs: int
    systems: frozenset[str]
    features: frozenset[str]
    builders: str
    store: str = ""
    keys: tuple[str, ...] = ()

    def with_jobs(self, jobs: int) -> Here:
        return replace(self, jobs=jobs)


def unbuilt(derivations: Collection[str]) -> set[str]:
    """Which of *derivations*, and of all that they are made of, would be built, as no output of
    them is there or in a cache. Raises NotInstalled and StoreRefused."""
    return _would_be_built(derivations, [])


def unbuilt_here(derivations: Collection[str]) -> set[str]:
    """The same without asking any cache."""
    return _would_be_built(derivations, ["--option", "substitute", "false"])


def _would_be_built(derivations: Collection[str], options: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for some in _in_parts(derivations):
        told = _run([_STORE, "--realise", "--dry-run", *options, *some]).stderr
        lines = told.decode("utf-8", "replace").splitlines()
        # Each path on a line of its own; of what is fetched they are outputs.
        found |= {line.strip() for line in lines if line.startswith("  ") and line.endswith(".drv")}
    return found


def needing(derivation: str) -> set[str]:
    """All derivations of the store that are made of *derivation*, and itself. Raises NotInstalled
    and StoreRefused."""
    done = _run([_STORE, "--query", "--referrers-closure", derivation])
    return set(done.stdout.decode("utf-8", "replace").split("\n")) - {""}


def outputs(counts: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """The paths of the outputs of derivations, of each so many as *counts* says. Raises
    NotInstalled and StoreRefused."""
    found: dict[str, tuple[str, ...]] = {}
    for some in _in_parts(counts):
        told = _run([_STORE, "--query", "--outputs", *some]).stdout.decode("utf-8", "replace")
        paths = iter(told.split("\n"))
        for one in some:
            found[one] = tuple([next(paths, "") for _ in range(counts[one])])
    if any("" in paths for paths in found.values()):
        raise StoreRefused("`nix-store --query --outputs` tells of fewer outputs than there are")
    return found


def missing(store: str, paths: Collection[str]) -> set[str]:
    """Which of *paths* are not in *store*. Raises NotInstalled and StoreRefused."""
    found: set[str] = set()
    for some in _in_parts(paths):
        words = [_STORE, "--store", store, "--check-validity", "--print-invalid"]
        found |= set(_run([*words, *some]).stdout.decode("utf-8", "replace").split("\n"))
    return found - {""}


def deliver(store: str, paths: Collection[str], keys: Collection[str]) -> None:
    """Copy *paths*, and all that they refer to, to *store*, signed with the *keys* of these files.
    Raises NotInstalled and StoreRefused."""
    words = [_NIX, "--extra-experimental-features", "nix-command"]
    for some in _in_parts(paths):
        for key in keys:
            _run([*words, "store", "sign", "--recursive", "--key-file", key, *some])
        _run([*words, "copy", "--to", store, *some])


def settings() -> Here:
    """Nix's settings. Raises NotInstalled and StoreRefused."""
    words = [_NIX, "--extra-experimental-features", "nix-command"]
    try:
        done = _run([*words, "config", "show", "--json"])
    except StoreRefused:  # older ones call it otherwise
        done = _run([*words, "show-config", "--json"])
    try:
        found = {name: one["value"] for name, one in json.loads(done.stdout).items()}
        return Here(
            int(found["max-jobs"]),
            frozenset([str(found["system"]), *map(str, found["extra-platforms"])]),
            frozenset(map(str, found["system-features"])),
            str(found["builders"]),
            str(found["store"]),
            tuple(map(str, found["secret-key-files"])),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise StoreRefused("`nix show-config --json` tells no settings") from None


def _in_parts(paths: Collection[str]) -> list[list[str]]:
    ordered = sorted(paths)
    return [ordered[at : at + _MOST] for at in range(0, len(ordered), _MOST)]


def _run(words: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except FileNotFoundError:
        raise NotInstalled from None
    except OSError as fault:
        raise StoreRefused(str(fault)) from None
    if done.returncode:
        raise StoreRefused(done.stderr.decode("utf-8", "replace").strip())
    return done
