"""The lint on names of derivations that no path in a store can have."""

from __future__ import annotations

from tvarc.advice.lints.model import Finding, lint
from tvarc.light import Final, Iterator
from tvarc.nix import ir
from tvarc.text.paths import STORE_SIGNS, are_store_names

NAMED: Final = (("attrs", "pname"), ("attrs", "name"), ("attrs", "version"))
"""The settings that nixpkgs makes the name of a derivation of."""


@lint(
    "W149",
    "store-name",
    "name that a store path cannot have",
    "Nix refuses this name for a store path",
)
def store_name(setting: ir.Setting | None) -> Iterator[Finding]:
    """A `pname`, `name` or `version` with a character that a store path cannot have."""
    if setting is None or not isinstance(setting.value, str):
        return
    odd = "".join(dict.fromkeys([one for one in setting.value if not are_store_names((one,))]))
    if odd:
        may = f"may have only letters, digits and `{STORE_SIGNS}`"
        case = f"`{setting.value}` contains `{odd}`; the name of a store path {may}"
        yield Finding(
            setting.origin.span,
            f"is part of the store path's name: `{setting.value}`",
            case,
            'remove these characters, for example with `replace(variant, " ", "-")`',
        )
