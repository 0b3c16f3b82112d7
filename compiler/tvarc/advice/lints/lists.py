"""Lints on lists that a recipe writes of a package."""

from __future__ import annotations

from tvarc.advice.lints.model import Finding, lint
from tvarc.advice.lints.subjects import Whole
from tvarc.light import Iterator


@lint(
    "W131",
    "own-list-dropped",
    "the package's own list is dropped",
    "a list replaces the package's own list",
)
def own_list_dropped(written: tuple[Whole, ...]) -> Iterator[Finding]:
    """`cmakeFlags = […]` for a package of nixpkgs, without a `because`: it drops the package's own
    list.

    `=` is one character from `+=`, so it is likely a slip.
    """
    for one in written:
        yield Finding(
            one.span,
            f"drops all that `{one.package}` has in `{one.name}`",
            "packages of nixpkgs have their own values in this list, and `=` replaces them",
            f"write `{one.name} += […]` to add to it, or give the reason: `{one.name} = […] "
            'because "…"`',
            by_hand=f"write `{one.name} = (old.{one.name} or [ ]) ++ [ … ];`",
        )
