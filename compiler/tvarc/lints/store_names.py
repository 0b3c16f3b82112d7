"""The lint on names of derivations that no path in a store can have."""

from __future__ import annotations

from tvarc import ir
from tvarc.light import Final, Iterator
from tvarc.lints.model import Finding
from tvarc.paths import STORE_SIGNS, are_store_names

STORE_NAME: Final = "store-name"
NAMED: Final = (("attrs", "pname"), ("attrs", "name"), ("attrs", "version"))
"""The settings that nixpkgs makes the name of a derivation of."""


def refused_by_nix(setting: ir.Setting | None) -> Iterator[Finding]:
    """What is wrong with a name that *setting* writes out."""
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
