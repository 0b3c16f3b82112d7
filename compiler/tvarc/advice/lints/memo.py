"""Results that are computed once for each tuple of objects."""

from __future__ import annotations

from tvarc.light import Final, Generic, TypeVar, cast

KEPT: Final = 2048
"""So many values are kept at once: a program has more variants than fit into memory."""

T = TypeVar("T")
Objects = tuple[object, ...]


class Remembered(Generic[T]):
    """Values by the objects that they were computed from. The objects are kept alive with the
    value, because an identity stands for one object only while it lives."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict[Objects, tuple[Objects, T]] = {}

    def get(self, key: Objects) -> T | None:
        """The value of *key*; None if it is not known."""
        found = self.known.get(key)
        return found[1] if found is not None else None

    def put(self, key: Objects, objects: Objects, value: T) -> T:
        """Keep *value* as that of *key*, and *objects* alive with it."""
        if len(self.known) >= KEPT:
            self.known.clear()
        self.known[key] = (objects, value)
        return value


class Equal:
    """Equal values as one object, so that what is computed from one of them is shared."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[object, object] = {}

    def one(self, made: T) -> T:
        """*made*, or the equal object that was here before. A value that cannot be compared is its
        own object.
        """
        try:
            known = self._known.get(made)
        except TypeError:
            return made
        if known is not None:
            return cast("T", known)
        if len(self._known) >= KEPT:
            self._known.clear()
        self._known[made] = made
        return made
