"""What `adopt --clean` tells."""

from __future__ import annotations

from tvarc.commands.report.equivalence import differing_lines, equivalence_data
from tvarc.light import Iterator, Literal, Protocol, Sequence
from tvarc.nix.judge.equivalence import Equivalence
from tvarc.text.diagnostics.render_cells import safe
from tvarc.values.plain import Data


class Backup(Protocol):
    """A copy beside a recipe; see `programs/backups.py`."""

    @property
    def path(self) -> str: ...
    @property
    def variant(self) -> str: ...
    @property
    def by(self) -> Literal["text", "derivation", ""]: ...
    @property
    def equivalence(self) -> Equivalence | None: ...


def backup_lines(found: Sequence[Backup], *, dry_run: bool) -> Iterator[str]:
    """A line for each copy, what differs below it, and a summary."""
    for one in found:
        path = safe(one.path)
        if one.by:
            how = "it says the same" if one.by == "text" else "it has the same derivation"
            yield f"{'remove' if dry_run else 'removed'} {path}: {how} as {safe(one.variant)}"
        elif one.equivalence is not None and not one.equivalence.equal:
            yield from differing_lines(one.equivalence)
        else:
            yield f"{path}: it differs from {safe(one.variant)}, and Nix did not compare them"
    gone = sum(bool(one.by) for one in found)
    verb = "would be removed" if dry_run else "removed"
    yield f"{len(found)} {'copy' if len(found) == 1 else 'copies'}: {gone} {verb}"


def backups_data(found: Sequence[Backup], *, dry_run: bool) -> Data:
    return {
        "removed": [{"file": one.path, "by": one.by} for one in found if one.by],
        "left": [
            {
                "file": one.path,
                "held": equivalence_data(one.equivalence) if one.equivalence is not None else None,
            }
            for one in found
            if not one.by
        ],
        "dry_run": dry_run,
    }
