"""Whether what recipes are built of can be had here: nixpkgs and inputs, as Nix fetches them."""

from __future__ import annotations

from tvarc.light import Final, Iterable, Iterator, dataclass
from tvarc.nix import ir
from tvarc.nix.judge.faults import fault_in
from tvarc.nix.judge.nix import ask, command
from tvarc.nix.taken_inputs import inputs_of

_EXPRESSION: Final = """
{ url, hash }:
if url == "" then toString <nixpkgs>
else if hash == "" then toString (builtins.fetchTarball url)
else toString (builtins.fetchTarball { inherit url; sha256 = hash; })
"""


Address = tuple[str, str]
"""An address and the hash of what is there; both empty for `<nixpkgs>`."""


@dataclass(frozen=True, slots=True)
class Unfetched:
    """What Nix cannot fetch here, and its own words: a pin, or the input of this name; with neither
    the nixpkgs that recipes without a pin are called with, which `<nixpkgs>` stands for."""

    words: tuple[str, ...]
    pin: ir.Pin | None = None
    input: str = ""


def fetched_for(recipe: ir.Recipe) -> set[Address]:
    """What Nix fetches to evaluate *recipe* and what is put into it."""
    return {address for address, _ in _fetched(recipe)}


def unfetched(recipes: Iterable[ir.Recipe]) -> dict[Address, Unfetched]:
    """What of *recipes* cannot be had; raises NotInstalled. A folder is there."""
    wanted: dict[Address, ir.Pin | str | None] = {}
    for recipe in recipes:
        for address, what in _fetched(recipe):
            wanted.setdefault(address, what)
    found: dict[Address, Unfetched] = {}
    for (url, hash_), what in wanted.items():
        answer = ask(command({"url": url, "hash": hash_}, expression=_EXPRESSION))
        if answer.refused:
            words = fault_in(answer.refused).words
            found[(url, hash_)] = (
                Unfetched(words, input=what) if isinstance(what, str) else Unfetched(words, what)
            )
    return found


def _fetched(recipe: ir.Recipe) -> Iterator[tuple[Address, ir.Pin | str | None]]:
    """What is fetched for *recipe*: its nixpkgs, its inputs by their names, and those of recipes
    that are put into it."""
    pin = recipe.pin
    if pin is None:
        yield ("", ""), None
    elif not pin.path:
        yield (pin.url, pin.hash or ""), pin
    for name, source in inputs_of(recipe).items():
        url, hash_ = source.argument("url"), source.argument("hash")
        if isinstance(url, str) and isinstance(hash_, str):
            yield (url, hash_), name
    for need in recipe.needs:
        if need.recipe is not None:
            yield from _fetched(need.recipe)
