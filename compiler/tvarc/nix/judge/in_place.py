"""Recipes that Nix reads from a folder that is not their own."""

# ruff: noqa: PTH100, PTH110
# pathlib costs too much at start.
from __future__ import annotations

import os

from tvarc.light import Callable, Mapping, TypeVar, replace
from tvarc.nix import ir
from tvarc.nix.judge.nix import as_text
from tvarc.nix.taken_inputs import ASIDE, DECIDED
from tvarc.values.value import NixCall, NixPart, NixSource, NixText, PathValue, Record

T = TypeVar("T")


class InPlace:
    """Moves recipes out of *folder*, as the loader names it. The relative paths in their Nix text
    start at that folder. *checkouts* are folders that replace inputs, by the names of the inputs.
    *there* gives the place on this disk of a file that the loader names; without it, the names are
    places. Recipes that share parts still share them afterwards."""

    __slots__ = ("_checkouts", "_folder", "_known", "_there")

    def __init__(
        self,
        folder: str,
        checkouts: Mapping[str, str],
        there: Callable[[str], str] | None = None,
    ) -> None:
        self._folder = folder
        self._checkouts = checkouts
        self._there = there
        # Parts already seen, by id. The part itself is kept too, since an id may be used again.
        self._known: dict[int, tuple[object, object]] = {}

    def recipe(self, recipe: ir.Recipe) -> ir.Recipe:
        """*recipe*, moved with everything in it."""
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
                parts = self._moved(part.parts)
                return replace(part, folder=self._place(self._folder), parts=parts)
            case PathValue():
                return PathValue(self._place(part.file)) if self._there is not None else part
            case ir.Pin() if part.path and self._there is not None:
                return self._with_fields(self._pinned(part))
            case NixCall("input"):
                name = str(part.argument("name"))
                if name not in self._checkouts:
                    return part
                folder = PathValue(self._checkouts[name])
                return NixCall("input", (("name", name), ("path", folder)))
            case NixCall() | NixPart() | Record() | NixText() | ir.Taken():
                return self._with_fields(part)
            case _:
                return self._with_fields(part) if isinstance(part, DECIDED) else part

    def _place(self, file: str) -> str:
        return file if self._there is None else as_text(self._there(file))

    def _pinned(self, pin: ir.Pin) -> ir.Pin:
        """*pin*. Its folder may be missing among the files of a state."""
        place = self._place(pin.path)
        here = os.path.abspath(pin.path)
        return replace(pin, path=place if os.path.exists(place) else as_text(here))

    def _with_fields(self, part: object) -> object:
        changed = {}
        for name in part.__dataclass_fields__:  # type: ignore[attr-defined]
            if name not in ASIDE:
                value = getattr(part, name)
                moved = self._moved(value)
                if moved is not value:
                    changed[name] = moved
        return replace(part, **changed) if changed else part  # type: ignore[type-var]
