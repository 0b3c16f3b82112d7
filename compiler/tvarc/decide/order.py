"""The order in which overlays are applied. It is their listed order, changed so that no overlay
undoes an earlier one.

`prev.SET // { … }` is lost if a later overlay replaces SET, or a set that contains it. It may do so
by a method of the set, or by a change of the package that the set belongs to. Such overlays come
first.
"""

from __future__ import annotations

from tvarc.nix import ir
from tvarc.nix.nixpkgs import is_interpreter, is_python_set, usual_form

_LOSES_OVERRIDE = (("override", "scope"), ("override", "extend"))


class Orders:
    """The orders of lists of overlays. Each is found once, because all variants have one or a few
    lists."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[int, ...]] = {}

    def in_order(self, overlays: tuple[ir.Overlay, ...]) -> tuple[ir.Overlay, ...]:
        """*overlays* in the order in which they are applied. An overlay that would undo another one
        comes before it. All others keep their listed order."""
        if len(overlays) < 2:
            return overlays
        key = tuple(map(_decides_order, overlays))
        places = self._known.get(key)
        if places is None:
            places = self._known[key] = order_of(overlays)
        return tuple([overlays[place] for place in places])


def order_of(overlays: tuple[ir.Overlay, ...]) -> tuple[int, ...]:
    """The listed places of the overlays, in the order in which they are applied."""
    found: list[int] = []
    for number, overlay in enumerate(overlays):
        place = len(found)
        for at in range(len(found) - 1, -1, -1):
            if _defines(overlays[found[at]], overlay.target[:1]):
                break  # it changes the attribute that the earlier overlay defines
            if _undoes(overlay, overlays[found[at]]):
                place = at
        found.insert(place, number)
    return tuple(found)


def _decides_order(overlay: ir.Overlay) -> tuple[object, ...]:
    """All properties of *overlay* that its place in the order depends on."""
    defined = tuple([one.key for one in overlay.changes.attrs]) if overlay.relation is None else ()
    return overlay.relation, overlay.target, overlay.via, defined


def _defines(overlay: ir.Overlay, name: ir.Path) -> bool:
    """Whether *overlay* defines this attribute of nixpkgs."""
    return overlay.relation is None and any((one.key,) == name for one in overlay.changes.attrs)


def _set_of(overlay: ir.Overlay) -> ir.Path:
    """The set whose members *overlay* changes; empty for nixpkgs."""
    return overlay.target if overlay.relation == "in" else overlay.target[:-1]


def _form(overlay: ir.Overlay) -> str:
    return overlay.via or usual_form(_set_of(overlay))


def _undoes(later: ir.Overlay, earlier: ir.Overlay) -> bool:
    path = _set_of(earlier)
    if not path:
        return False
    added = [path[:end] for end in range(1, len(path))]  # the sets that `//` adds it to
    if _form(earlier) == "update":
        added.append(path)
    elif _set_of(later) == path and (_form(later), _form(earlier)) in _LOSES_OVERRIDE:
        return True  # the result of another method has no `.override`
    return any(_makes_anew(later, one) for one in added)


def _makes_anew(overlay: ir.Overlay, path: ir.Path) -> bool:
    """Whether *overlay* replaces the value at *path*, or a set that holds it."""
    if overlay.relation is None:
        return False
    own = _set_of(overlay)
    if own and _form(overlay) == "extensions" and is_python_set(own):
        return is_interpreter(path[0])  # without extensions it changes all of them
    if own and _form(overlay) != "update":
        return path[: len(own)] == own
    return overlay.relation == "for" and path[: len(overlay.target)] == overlay.target
