"""The copies that adopting left beside recipes: those that say or build what the program does are
not needed any more."""

# ruff: noqa: PTH100, PTH108, PTH118, PTH208
# pathlib costs too much at start.
from __future__ import annotations

import os
import re
import stat

from tvarc.build.driver import Compilation
from tvarc.commands.programs.by_hand import ByHand, compared_by_nix
from tvarc.commands.programs.find import source_from
from tvarc.files.disk import read_plain
from tvarc.files.output.model import File
from tvarc.light import Final, Iterator, Literal, dataclass
from tvarc.matrix.variants import Variant
from tvarc.nix.judge.equivalence import Equivalence
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source, UnreadableSource

_LARGEST: Final = 16 << 20
_BACKUP: Final = re.compile(r"(?P<recipe>.+\.nix)\.orig(\.[0-9]{1,3})?")

By = Literal["text", "derivation", ""]


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of what stood in the place of a recipe: how it is known to be equal, empty where it is
    not; `equivalence` is what Nix makes of both, where it was asked and could tell."""

    path: str
    variant: str
    by: By
    equivalence: Equivalence | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    file: ByHand
    data: bytes
    recipe: File


def clean(made: Compilation, root: str, sink: Sink, *, dry_run: bool) -> list[Backup]:
    """Remove, or with *dry_run* only find, the copies below *root* that are not needed. What keeps
    Nix from judging is no fault here: then texts alone decide. What cannot be removed goes to
    *sink*."""
    from tvarc.byhand.importing.proof import says_the_same
    from tvarc.byhand.reading.shared import RecipeParser

    found = list(_found(made, root))
    parser = RecipeParser() if found else None
    alike: set[str] = set()
    for one in found:
        text = one.file.source.text
        recipe = one.recipe.data().decode("utf-8")
        if parser is not None and (text == recipe or says_the_same(text, recipe, parser)):
            alike.add(one.file.path)
    rest = [one.file for one in found if one.file.path not in alike]
    asked = compared_by_nix(made, rest, Sink()) if rest else None
    known_by = {one.path: one for one in (asked.files if asked is not None else ())}
    backups: list[Backup] = []
    for one in found:
        path = one.file.path
        known = known_by.get(path)
        by: By = "text" if path in alike else "derivation" if known and known.equal else ""
        if by and not dry_run and not _removed(one, sink):
            by = ""
        backups.append(Backup(path, one.file.variant.name, by, known))
    return backups


def _found(made: Compilation, root: str) -> Iterator[_Found]:
    """The copies beside the recipes of the program, in the order of variants."""
    beside: dict[str, list[str]] = {}
    for variant, file in _recipes(made, root):
        folder, _, name = file.path.rpartition("/")
        place = os.path.join(root, folder)
        if place not in beside:
            try:
                beside[place] = sorted(os.listdir(place or "."))
            except OSError:
                beside[place] = []
        for other in beside[place]:
            match = _BACKUP.fullmatch(other)
            if match is None or match["recipe"] != name:
                continue
            path = f"{folder}/{other}" if folder else other
            full = os.path.join(place, other)
            try:
                data = read_plain(full, full, _LARGEST)
            except (OSError, UnreadableSource):
                continue
            source = Source(full, data.decode("utf-8", "replace"))
            yield _Found(ByHand(path, os.path.abspath(full), variant, source), data, file)


def _recipes(made: Compilation, root: str) -> Iterator[tuple[Variant, File]]:
    files = iter(made.files(source_from(made.file, root), lints=False))
    for variant in made.variants:
        for _ in made.outputs:
            yield variant, next(files)


def _removed(one: _Found, sink: Sink) -> bool:
    """Remove a copy that is still what was looked at, and no link."""
    file = one.file.file
    try:
        if not stat.S_ISREG(os.lstat(file).st_mode) or read_plain(file, file) != one.data:
            return False
        os.unlink(file)
    except (OSError, UnreadableSource) as fault:
        reason = fault.reason if isinstance(fault, UnreadableSource) else fault.strerror
        sink.error("E802", f"`{one.file.path}` cannot be removed", notes=(f"{reason}",))
        return False
    return True
