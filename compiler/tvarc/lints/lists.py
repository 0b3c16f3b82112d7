"""Lints on lists that a recipe writes of a package."""

from __future__ import annotations

from tvarc.light import Iterator
from tvarc.lints.facts import Facts
from tvarc.lints.model import Finding
from tvarc.lints.subjects import Subjects


def own_list_dropped(subjects: Subjects, _: Facts) -> Iterator[Finding]:
    """A list of a package of nixpkgs that is written whole, without a reason: `=` is one character
    from `+=`, and drops what the package itself has there."""
    for one in subjects.written:
        yield Finding(
            one.span,
            f"drops all that `{one.package}` has in `{one.name}`",
            "packages of nixpkgs have their own values in this list, and `=` replaces them",
            f"write `{one.name} += […]` to add to it, or give the reason: `{one.name} = […] "
            'because "…"`',
            by_hand=f"write `{one.name} = (old.{one.name} or [ ]) ++ [ … ];`",
        )
