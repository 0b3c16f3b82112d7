"""A person's page of which parts are ours, and what became of it."""

from __future__ import annotations

from tvarc.files.output.model import Adopted
from tvarc.light import dataclass


@dataclass(slots=True, eq=False)
class Page:
    """A page on disk: where it is, how it is to be, whether it is to be `created`, which of its
    parts differ, by their words, how many it has; whether something that somebody wrote is to be
    replaced, and what was lost by that."""

    path: str
    text: str
    created: bool
    changed: tuple[str, ...]
    parts: int
    takes_over: bool
    adopted: Adopted | None = None

    @property
    def differs(self) -> bool:
        return self.created or bool(self.changed)
