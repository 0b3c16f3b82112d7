"""Whether Nix can fetch the nixpkgs and the inputs of recipes on this machine."""

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
"""An address and the hash of its content. Both are empty for `<nixpkgs>`."""


@dataclass(frozen=True, slots=True)
class Unfetched:
    """A source that Nix cannot fetch, with the words of Nix. It is a pin, or the input of this
    name. With neither, it is `<nixpkgs>`, which recipes without a pin get from their caller."""

    words: tuple[str, ...]
    pin: ir.Pin | None = None
    input: str = ""


def fetched_for(recipe: ir.Recipe) -> set[Address]:
    """The sources that Nix fetches to evaluate *recipe* and the recipes that it contains."""
    return {address for address, _ in _fetched(recipe)}


def unfetched(recipes: Iterable[ir.Recipe]) -> dict[Address, Unfetched]:
    """The sources of *recipes* that cannot be fetched. A folder counts as fetched. Raises
    NotInstalled."""
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
    """The sources of *recipe*: its nixpkgs, its inputs by name, and the sources of recipes that it
    contains."""
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
