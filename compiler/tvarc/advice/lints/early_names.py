"""The lint on names of store paths that nixpkgs makes before a recipe changes them."""

from __future__ import annotations

from tvarc.advice.lints.facts import Facts
from tvarc.advice.lints.model import Finding, lint
from tvarc.advice.lints.subjects import Stored
from tvarc.light import Iterator
from tvarc.nix.nixpkgs import NAMED_EARLY, is_python_set
from tvarc.values.row_facts import cite

_PYTHON = "python"


@lint(
    "W134",
    "name-unreached",
    "name that does not reach the store path",
    "the name of the store path does not change",
)
def name_unreached(stored: Stored | None, facts: Facts) -> Iterator[Finding]:
    """A `pname` or a `version` that is not in the name of the store path.

    Nixpkgs makes the name of such a package before the recipe changes it.
    """
    if stored is None or not is_python_set(stored.set):
        return
    row = facts.first("nixpkgs-name", "set", _PYTHON)
    if row is None:
        return
    roots = {key: "attrs" if key in stored.keys else "old" for key in ("pname", "version")}
    pname, version = ("{{" + f"{root}.{key}" + "}}" for key, root in roots.items())
    yield Finding(
        stored.span,
        f"this `{stored.keys[0]}` is not in the name of the store path",
        f"nixpkgs up to {NAMED_EARLY} makes the name of a Python package from the package's "
        f"original `pname` and `version`, and the pin is {stored.release} {cite(row)}",
        f'set the whole name: `name = "python3-{pname}-{version}"`',
        by_hand='set the whole name: `name = "python3-${pname}-${version}";`',
    )
