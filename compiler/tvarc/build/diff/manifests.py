"""The changes in the manifests of two states of a program."""

from __future__ import annotations

from tvarc.build.driver import Compilation
from tvarc.build.manifest.model import Fields
from tvarc.build.manifest.wanted import asked
from tvarc.light import Sequence, dataclass
from tvarc.matrix.variants import Variant


@dataclass(frozen=True, slots=True)
class EntryChange:
    """An entry of the manifest *file*, before and after; None on the side where it is missing."""

    file: str
    name: str
    before: Fields | None
    after: Fields | None


def manifest_changes(
    before: Compilation, after: Compilation, old: Sequence[Variant], new: Sequence[Variant]
) -> list[EntryChange]:
    """The entries that differ. Removed ones are last. Faults are reported to the sink of their
    state."""
    was, now = _entries(before, old), _entries(after, new)
    keys = [*now, *(key for key in was if key not in now)]
    return [
        EntryChange(*key, was.get(key), now.get(key))
        for key in keys
        if was.get(key) != now.get(key)
    ]


def _entries(made: Compilation, variants: Sequence[Variant]) -> dict[tuple[str, str], Fields]:
    found = asked(made, variants) if made.program.manifests else []
    return {(one.path, name): fields for one in found for name, fields in one.entries.items()}
