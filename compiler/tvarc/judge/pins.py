"""Whether what recipes are built of can be had here: each nixpkgs, as Nix fetches it."""

from __future__ import annotations

from tvarc import ir
from tvarc.judge.faults import fault_in
from tvarc.judge.nix import ask, command
from tvarc.light import Final, Iterable, dataclass

_EXPRESSION: Final = """
{ url, hash }:
if url == "" then toString <nixpkgs>
else if hash == "" then toString (builtins.fetchTarball url)
else toString (builtins.fetchTarball { inherit url; sha256 = hash; })
"""


@dataclass(frozen=True, slots=True)
class Unfetched:
    """A pin that Nix cannot fetch here, and its own words; None for the nixpkgs that recipes
    without a pin are called with, which `<nixpkgs>` stands for."""

    pin: ir.Pin | None
    words: tuple[str, ...]


def source_of(recipe: ir.Recipe) -> tuple[str, str]:
    """The address and the hash of the nixpkgs of *recipe*, both empty for one without a pin; of a
    pin that is a folder that folder."""
    pin = recipe.pin
    return (pin.path or pin.url, pin.hash or "") if pin is not None else ("", "")


def unfetched(recipes: Iterable[ir.Recipe]) -> dict[tuple[str, str], Unfetched]:
    """What of *recipes* cannot be had, by `source_of`; raises NotInstalled. A pin that is a folder
    is there."""
    pins: dict[tuple[str, str], ir.Pin | None] = {}
    for recipe in recipes:
        if recipe.pin is None or not recipe.pin.path:
            pins.setdefault(source_of(recipe), recipe.pin)
    found: dict[tuple[str, str], Unfetched] = {}
    for (url, hash_), pin in pins.items():
        answer = ask(command({"url": url, "hash": hash_}, expression=_EXPRESSION))
        if answer.refused:
            found[(url, hash_)] = Unfetched(pin, fault_in(answer.refused).words)
    return found
