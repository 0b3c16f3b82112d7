"""Queries of Nix's store and its settings."""

# pathlib costs too much at start.
# ruff: noqa: PTH103, PTH114, PTH115, PTH118, PTH208
from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from contextlib import suppress

from tvarc.light import (
    Any,
    Callable,
    Collection,
    Final,
    Iterator,
    Mapping,
    Sequence,
    TypeVar,
    dataclass,
    replace,
)
from tvarc.nix.judge.nix import NotInstalled, error_text

_STORE: Final = "nix-store"
_NIX: Final = "nix"
_MOST: Final = 2000
"""The most paths of one command line: 200 KB. Systems allow 2 MB."""
_Read = TypeVar("_Read")


class StoreRefused(Exception):
    """A store refuses a request. The text has its own words."""


@dataclass(frozen=True, slots=True)
class Here:
    """The abilities of this machine: `jobs` at a time, for these systems, with these features.
    `builders` is the list of other machines in Nix's settings, `store` the store in use; `keys` are
    the files of its signing keys.
    """

    jobs: int
    systems: frozenset[str]
    features: frozenset[str]
    builders: str
    store: str = ""
    keys: tuple[str, ...] = ()

    def with_jobs(self, jobs: int) -> Here:
        return replace(self, jobs=jobs)


def unbuilt_here(derivations: Collection[str]) -> set[str]:
    """Like `unbuilt`, without caches."""
    return unbuilt(derivations, ["--option", "substitute", "false"])


def unbuilt(derivations: Collection[str], options: Sequence[str] = ()) -> set[str]:
    """The derivations among *derivations* and their dependencies that would be built, because no
    output of them is in the store or in a cache. *options* are Nix's. Raises NotInstalled and
    StoreRefused."""
    found: set[str] = set()
    for some in in_parts(derivations):
        told = _run([_STORE, "--realise", "--dry-run", *options, *some]).stderr
        lines = told.decode("utf-8", "replace").splitlines()
        # Each path is on a line of its own; for fetched sources they are outputs.
        found |= {line.strip() for line in lines if line.startswith("  ") and line.endswith(".drv")}
    return found


def needing(derivations: Collection[str]) -> set[str]:
    """All derivations in the store that depend on one of *derivations*, and these themselves.
    Raises NotInstalled and StoreRefused."""
    found: set[str] = set()
    for some in in_parts(derivations):
        found.update(ask_store(["--query", "--referrers-closure", *some]).split("\n"))
    return found - {""}


def requirements(derivations: Collection[str]) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The system of each of *derivations*, empty for one that Nix itself builds, and the features
    that it requires of a machine. Raises NotInstalled and StoreRefused.
    """
    return _shown(derivations, lambda one: (_system(one), _features(one)))


def packages_of(tests: Collection[str]) -> dict[str, tuple[str, str]]:
    """The package of each of *tests*, which are derivations of tests: its derivation, and the path
    of its first output. Raises NotInstalled and StoreRefused."""
    paths = _shown(tests, lambda one: str(one["env"]["package"]))
    made_of: set[str] = set()
    for some in in_parts(tests):
        made_of.update(ask_store(["--query", "--references", *some]).split("\n"))
    inputs = _shown([one for one in made_of if one.endswith(".drv")], _outputs)
    by_output = {name: one for one, names in inputs.items() for name in names}
    names = {test: path.rpartition("/")[2] for test, path in paths.items()}
    return {
        test: (by_output[name], paths[test]) for test, name in names.items() if name in by_output
    }


def _outputs(derivation: Mapping[str, Any]) -> list[str]:
    """The names of its outputs in the store; newer versions of Nix leave out the folder."""
    found = [one.get("path") or "" for one in derivation["outputs"].values()]
    return [path.rpartition("/")[2] for path in found if path]


def _shown(
    derivations: Collection[str], read: Callable[[Mapping[str, Any]], _Read]
) -> dict[str, _Read]:
    """The result of *read* for each of *derivations*. Raises NotInstalled and StoreRefused."""
    found: dict[str, _Read] = {}
    for some in in_parts(derivations):
        by_name = {path.rpartition("/")[2]: path for path in some}
        shown = _renamed(["show-derivation", *some], ["derivation", "show", *some])
        try:
            told = json.loads(shown)
            for path, one in told.get("derivations", told).items():
                known = by_name.get(path.rpartition("/")[2])
                if known is not None:
                    found[known] = read(one)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise StoreRefused("`nix show-derivation` reports no derivations") from None
    return found


def _system(derivation: Mapping[str, Any]) -> str:
    own = str(derivation["builder"]).startswith("builtin:")
    return "" if own else str(derivation["system"])


def _features(derivation: Mapping[str, Any]) -> tuple[str, ...]:
    """The features in the environment, as words or in structured attributes."""
    environment = derivation["env"]
    structured = derivation.get("structuredAttrs")
    if structured is None and "__json" in environment:
        structured = json.loads(environment["__json"])
    given = (environment if structured is None else structured).get("requiredSystemFeatures", "")
    words = given.split() if isinstance(given, str) else map(str, given)
    return tuple(sorted(words))


def outputs(counts: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """The paths of the outputs of derivations; *counts* has their number for each. Raises
    NotInstalled and StoreRefused.
    """
    found: dict[str, tuple[str, ...]] = {}
    for some in in_parts(counts):
        paths = iter(ask_store(["--query", "--outputs", *some]).split("\n"))
        for one in some:
            found[one] = tuple([next(paths, "") for _ in range(counts[one])])
    if any("" in paths for paths in found.values()):
        raise StoreRefused("`nix-store --query --outputs` reports too few outputs")
    return found


def closure_sizes(paths: Collection[str]) -> dict[str, int]:
    """The size in bytes of each of *paths* of the store, including its closure. Raises NotInstalled
    and StoreRefused."""
    found: dict[str, int] = {}
    for some in in_parts(paths):
        for line in _nix(["path-info", "--closure-size", *some]).splitlines():
            path, _, size = line.partition("\t")
            if size.strip().isdigit():
                found[path.strip()] = int(size)
    return found


def missing(store: str, paths: Collection[str]) -> set[str]:
    """The members of *paths* that are not in *store*. Raises NotInstalled and StoreRefused."""
    found: set[str] = set()
    for some in in_parts(paths):
        words = ["--store", store, "--check-validity", "--print-invalid", *some]
        found.update(ask_store(words).split("\n"))
    return found - {""}


def deliver(store: str, paths: Collection[str], keys: Collection[str]) -> None:
    """Copy *paths* and their closures to *store*, signed with the keys in the files *keys*. Raises
    NotInstalled and StoreRefused."""
    for some in in_parts(paths):
        for key in keys:
            _nix(["store", "sign", "--recursive", "--key-file", key, *some])
        _nix(["copy", "--to", store, *some])


def path_info(paths: Collection[str]) -> dict[str, tuple[tuple[str, ...], str]]:
    """All paths in the closures of *paths*, each with the paths that it refers to and the hash of
    its content. Raises NotInstalled and StoreRefused."""
    found: dict[str, tuple[tuple[str, ...], str]] = {}
    for some in in_parts(paths):
        try:
            told = json.loads(_nix(["path-info", "--json", "--recursive", *some]))
            # Newer ones print a record by path, and older ones a list.
            by_path = told if isinstance(told, dict) else {one["path"]: one for one in told}
            for path, one in by_path.items():
                found[path] = tuple(map(str, one["references"])), str(one["narHash"])
        except (ValueError, KeyError, TypeError, AttributeError):
            raise StoreRefused("`nix path-info --json` reports no paths") from None
    return found


def settings() -> Here:
    """Nix's settings. Raises NotInstalled and StoreRefused."""
    shown = _renamed(["show-config", "--json"], ["config", "show", "--json"])
    try:
        found = {name: one["value"] for name, one in json.loads(shown).items()}
        return Here(
            int(found["max-jobs"]),
            frozenset([str(found["system"]), *map(str, found["extra-platforms"])]),
            frozenset(map(str, found["system-features"])),
            str(found["builders"]),
            str(found["store"]),
            tuple(map(str, found["secret-key-files"])),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise StoreRefused("`nix show-config --json` prints no settings") from None


def _renamed(first: Sequence[str], later: Sequence[str]) -> str:
    """The output of a command of `nix` with two names. All present versions accept the *first*
    name. A version that refuses it gets the *later* one. Raises NotInstalled, and StoreRefused of
    the first."""
    try:
        return _nix(first)
    except StoreRefused:
        with suppress(StoreRefused):
            return _nix(later)
        raise


def _nix(words: Sequence[str]) -> str:
    done = _run([_NIX, "--extra-experimental-features", "nix-command", *words])
    return done.stdout.decode("utf-8", "replace")


def ask_store(words: Sequence[str]) -> str:
    """The output of `nix-store`. Raises NotInstalled and StoreRefused."""
    return _run([_STORE, *words]).stdout.decode("utf-8", "replace")


def in_parts(paths: Collection[str]) -> list[list[str]]:
    """*paths* in order, in parts that fit into a command line."""
    ordered = sorted(paths)
    return [ordered[at : at + _MOST] for at in range(0, len(ordered), _MOST)]


def _run(words: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except FileNotFoundError:
        raise NotInstalled(words[0]) from None
    except OSError as fault:
        raise StoreRefused(str(fault)) from None
    if done.returncode:
        raise StoreRefused(error_text(done.stderr.decode("utf-8", "replace")))
    return done


_PREFIX: Final = "roots-"
_PATHS: Final = "/nix/store/"
_USUAL_OUTPUT: Final = "out"


class Roots:
    """Garbage-collector roots for the time of a run, in a folder of their own in *folder*. Roots of
    killed runs are removed. A store without roots is not changed."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.join(folder, f"{_PREFIX}{os.getpid()}")
        self._held: set[str] = set()
        self._number = 0
        for left in _left_in(folder):
            shutil.rmtree(left, ignore_errors=True)

    def hold(self, derivations: Collection[str]) -> None:
        """Protect the outputs of *derivations*, all of which exist. Raises NotInstalled."""
        new = [one for one in derivations if one not in self._held]
        self._held.update(new)
        for some in in_parts(new):
            self._number += 1
            root = os.path.join(self._folder, f"{self._number}")
            try:
                outputs = ask_store(["--query", "--outputs", *some]).split()
                ask_store(["--realise", *outputs, "--add-root", root, "--indirect"])
            except StoreRefused:
                return

    def drop(self) -> None:
        """Remove all roots."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _left_in(folder: str) -> Iterator[str]:
    """The folders of roots whose process has ended."""
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        number = name.removeprefix(_PREFIX)
        if name.startswith(_PREFIX) and number.isdigit() and not _runs(int(number)):
            yield os.path.join(folder, name)


def _runs(process: int) -> bool:
    if process == os.getpid():
        return False  # an earlier process had the same number
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def make_folder(folder: str) -> None:
    """Make *folder* if it is missing. Raises OSError if links cannot be made in it."""
    os.makedirs(folder, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)


def links_of(name: str, outputs: Sequence[str]) -> list[str]:
    """The names of the links to the *outputs* of the variant *name*."""
    return [name if one == _USUAL_OUTPUT else f"{name}-{one}" for one in outputs]


def link(folder: str, derivations: Mapping[str, str]) -> None:
    """Make a link in *folder* to the result of each variant, and one for each output other than
    `out`, with the output's name as suffix, like `nix build`. Each link is a root. *derivations*
    are those of the variants, and are in the store. Raises NotInstalled and StoreRefused.
    """
    for name, derivation in derivations.items():
        root = os.path.join(folder, name)
        ask_store(["--realise", derivation, "--add-root", root, "--indirect"])


def in_the_way(folder: str, names: Collection[str]) -> list[str]:
    """The files at the places of links that are not links into a store."""
    found: list[str] = []
    for name in names:
        path = os.path.join(folder, name)
        if os.path.islink(path):
            if _PATHS not in os.readlink(path):
                found.append(path)
        elif os.path.lexists(path):
            found.append(path)
    return found
