"""Lints on the nixpkgs that a recipe pins."""

from __future__ import annotations

from tvarc.hosts.rows import text_fact
from tvarc.light import Iterator
from tvarc.lints.facts import Facts, cite
from tvarc.lints.model import Finding
from tvarc.lints.subjects import Subjects


def pin_without_hash(subjects: Subjects, facts: Facts) -> Iterator[Finding]:
    """A pin of which nothing but the name of the commit says what is in it."""
    pin = subjects.cuda.pin
    if pin is None or pin.hash is not None or pin.path:
        return  # what a folder holds is the affair of whoever keeps it
    row = facts.pin(pin)
    known = text_fact(row, "hash") if row is not None else None
    case = "without a hash Nix takes what it is sent, and evaluates with --impure alone"
    if row is not None and known is None:
        case += f"; nobody has published one for this commit {cite(row, doubted=False)}"
    yield Finding(
        pin.declared,
        "has no `hash`",
        case
        if row is None or known is None
        else f"{case}; one is known {cite(row, doubted=False)}",
        f'write `hash = "{known}"`' if known else "`tvarc lock` finds it out",
    )
