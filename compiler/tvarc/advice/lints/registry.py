"""All lints and all subjects, as the modules of this folder define them."""

from __future__ import annotations

from tvarc.advice.lints import (
    attributes,
    descriptions,
    flox,
    gpu,
    isa,
    misspelt,
    overlays,
    pins,
    subjects,
    toolkit,
    torch,
    variants,
    written,
)
from tvarc.advice.lints.model import FACTS, LINE, Lint, Subject, VariantLint
from tvarc.light import TYPE_CHECKING, Any, Final, Iterator, Mapping, cast

if TYPE_CHECKING:
    from types import ModuleType

_MODULES: Final = (
    attributes, descriptions, flox, gpu, isa, misspelt, overlays, pins, subjects, toolkit, torch,
    variants, written,
)  # fmt: skip


def _defined(module: ModuleType) -> Iterator[Lint[Any] | Subject]:
    """The lints and subjects that *module* itself defines: an imported name belongs to another
    module.
    """
    for value in vars(module).values():
        if isinstance(value, (Lint, Subject)):
            function = value.make if isinstance(value, Subject) else value.look
            if function.__module__ == module.__name__:
                yield value


_DEFINED: Final = tuple([one for module in _MODULES for one in _defined(module)])

SUBJECTS: Final[Mapping[str, Subject]] = {
    one.name: one for one in _DEFINED if isinstance(one, Subject)
}
"""All subjects, by name."""

ALL: Final[tuple[Lint[Any], ...]] = tuple(
    sorted([one for one in _DEFINED if isinstance(one, Lint)], key=lambda one: one.code)
)
"""All lints, in the order of their codes."""

OF_VARIANTS: Final = tuple(
    [
        cast("VariantLint", one)
        for one in ALL
        if all(name in SUBJECTS or name in (LINE, FACTS) for name in one.reads)
    ]
)
"""The lints that read only subjects, and therefore run on variants."""
