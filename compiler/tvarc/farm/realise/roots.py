"""The roots that protect store paths from Nix's garbage collector: during a run all of its paths,
after it those that somebody wants links to.
"""

# ruff: noqa: PTH103, PTH114, PTH115, PTH118, PTH208
# pathlib costs too much at start.
from __future__ import annotations

import errno
import os
import shutil

from tvarc.farm.realise.store import StoreRefused, ask_store, in_parts
from tvarc.light import Collection, Final, Iterator, Mapping, Sequence

_PREFIX: Final = "roots-"
_STORE: Final = "/nix/store/"
_USUAL_OUTPUT: Final = "out"


class Roots:
    """Roots for the time of a run, in a folder of their own in *folder*. Those of runs that were
    killed are removed. A store that knows no roots keeps nothing, and is left alone."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.join(folder, f"{_PREFIX}{os.getpid()}")
        self._held: set[str] = set()
        self._number = 0
        for left in _left_in(folder):
            shutil.rmtree(left, ignore_errors=True)

    def hold(self, derivations: Collection[str]) -> None:
        """Keep the outputs of *derivations*, which are all there. Raises NotInstalled."""
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
        """From here on nothing is kept any more."""
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
        return False  # it was another one of that number: this one begins
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def make_folder(folder: str) -> None:
    """Make *folder*, if it is not there. Raises OSError where links cannot be made in it."""
    os.makedirs(folder, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)


def links_of(name: str, outputs: Sequence[str]) -> list[str]:
    """The names of the links to the *outputs* of the variant *name*."""
    return [name if one == _USUAL_OUTPUT else f"{name}-{one}" for one in outputs]


def link(folder: str, derivations: Mapping[str, str]) -> None:
    """Make a link in *folder* to the result of each variant, and one more for each output beside
    `out`, with the output's name as suffix, as `nix build` does. Each link is a root. *derivations*
    are those of the variants, and are in the store. Raises NotInstalled and StoreRefused.
    """
    for name, derivation in derivations.items():
        root = os.path.join(folder, name)
        ask_store(["--realise", derivation, "--add-root", root, "--indirect"])


def in_the_way(folder: str, names: Collection[str]) -> list[str]:
    """The files in the places of links that are no links into a store."""
    found: list[str] = []
    for name in names:
        path = os.path.join(folder, name)
        if os.path.islink(path):
            if _STORE not in os.readlink(path):
                found.append(path)
        elif os.path.lexists(path):
            found.append(path)
    return found
