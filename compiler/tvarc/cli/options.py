"""What `tvarc build` was asked for."""

from __future__ import annotations

from tvarc.light import dataclass


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """The values of the command line. `settings` are pairs: `--flag` or `--set`, and what follows
    it."""

    file: str | None
    out: str | None
    only: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]
    check: bool
    force: bool
    json: bool
    locked: bool = False
    source_map: bool = False
    prune: bool = False
    dry_run: bool = False
    adopt: bool = False
    git: bool = True
