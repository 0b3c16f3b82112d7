"""The inputs that a recipe hands on to another one: where it imports the file of a variant that it
needs, it passes on its own inputs, so that both take files of the same checkout."""

from __future__ import annotations

from tvarc.decide.decide import Deciding
from tvarc.light import Callable, Protocol
from tvarc.nix import ir
from tvarc.nix.taken_inputs import taken_by
from tvarc.text.diagnostics.model import Failed
from tvarc.values.value import Value


class Decides(Protocol):
    """What decides the variant that a link leads to."""

    def recipe(
        self, deciding: Deciding, files_of: Callable[[Deciding], tuple[tuple[str, str], ...]]
    ) -> ir.Recipe:
        """The recipe of the variant of *deciding*; raises Failed."""


class HandedInputs:
    """The variants that links lead to: each is decided once, and nothing is reported."""

    __slots__ = ("_known", "_silent")

    def __init__(self, silent: Decides) -> None:
        self._known: dict[tuple[str, tuple[Value, ...]], tuple[ir.Taken, ...] | None] = {}
        self._silent = silent

    def of(self, target: Deciding) -> tuple[ir.Taken, ...]:
        """The inputs that the file of *target* has as arguments. Raises Failed where it has none,
        since it cannot be decided. The error is reported where it is built."""
        key = (target.matrix.id, tuple(target.values.values()))
        if key not in self._known:
            self._known[key] = None  # circles have been refused
            self._known[key] = taken_by(self._silent.recipe(target, _no_files))
        found = self._known[key]
        if found is None:
            raise Failed
        return found


def _no_files(_: Deciding) -> tuple[tuple[str, str], ...]:
    return ()
