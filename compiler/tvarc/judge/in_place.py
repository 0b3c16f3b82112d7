"""Recipes as they are evaluated from a file that stands elsewhere than their own."""

from __future__ import annotations

from tvarc import ir
from tvarc.light import Mapping, TypeVar, replace
from tvarc.taken_inputs import ASIDE, DECIDED
from tvarc.values import NixCall, NixSource, NixText, PathValue, Record

T = TypeVar("T")


class InPlace:
    """Moves recipes out of *folder*, as the loader names it: there the relative paths in their Nix
    text start. *checkouts* are folders that stand in the place of inputs, by their names. What
    recipes share they go on sharing."""

    __slots__ = ("_checkouts", "_folder", "_known")

    def __init__(self, folder: str, checkouts: Mapping[str, str]) -> None:
        self._folder = folder
        self._checkouts = checkouts
        # By the identity of each part that was looked at, and that part: an id is used again.
        self._known: dict[int, tuple[object, object]] = {}

    def recipe(self, recipe: ir.Recipe) -> ir.Recipe:
        """*recipe*, with all that is put into it."""
        return self._moved(recipe)

    def _moved(self, part: T) -> T:
        known = self._known.get(id(part))
        if known is None:
            known = self._known[id(part)] = (part, self._made(part))
        return known[1]  # type: ignore[return-value]

    def _made(self, part: object) -> object:
        match part:
            case tuple():
                found = tuple(map(self._moved, part))
                same = all(a is b for a, b in zip(part, found, strict=True))
                return part if same else found
            case NixSource():
                return replace(part, folder=self._folder)
            case NixCall("input"):
                name = str(part.argument("name"))
                if name not in self._checkouts:
                    return part
                folder = PathValue(self._checkouts[name])
                return NixCall("input", (("name", name), ("path", folder)))
            case NixCall() | Record() | NixText() | ir.Taken():
                return self._with_fields(part)
            case _:
                return self._with_fields(part) if isinstance(part, DECIDED) else part

    def _with_fields(self, part: object) -> object:
        changed = {}
        for name in part.__dataclass_fields__:  # type: ignore[attr-defined]
            if name not in ASIDE:
                value = getattr(part, name)
                moved = self._moved(value)
                if moved is not value:
                    changed[name] = moved
        return replace(part, **changed) if changed else part  # type: ignore[type-var]
