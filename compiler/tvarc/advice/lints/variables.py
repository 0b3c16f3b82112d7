"""The lint on variables that nixpkgs has in `env`, and that a recipe sets beside it."""

from __future__ import annotations

from tvarc.advice.lints.facts import Facts
from tvarc.advice.lints.model import Finding, lint
from tvarc.advice.lints.subjects import Outside
from tvarc.light import Iterator
from tvarc.values.row_facts import cite, version_fact


@lint(
    "W136",
    "variable-outside-env",
    "variable that belongs in `env`",
    "nixpkgs has this variable in `env`",
)
def variable_outside_env(outside: tuple[Outside, ...], facts: Facts) -> Iterator[Finding]:
    """A variable of a compiler that is an attribute, although nixpkgs has it in `env`."""
    for one in outside:
        row = facts.first("nixpkgs-variable", "variable", one.name)
        first = version_fact(row, "first") if row is not None else None
        if row is None or first is None:
            continue
        yield Finding(
            one.span,
            "this is an attribute outside `env`",
            f"packages of nixpkgs set it in `env` from {first.text} on, and nixpkgs refuses a "
            f"package with both {cite(row)}",
            f'write `env {{ {one.name} = "{{{{old.env.{one.name}}}}} …" }}`, which adds to the '
            "package's own"
            + ("" if one.dated else "; for an older nixpkgs, write its `release` in the pin"),
            by_hand=f'write `env = (old.env or {{ }}) // {{ {one.name} = "…"; }};`',
        )
