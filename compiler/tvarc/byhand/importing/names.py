"""Names of the language: checks names, makes a name from any text, and finds a free name."""

from __future__ import annotations

import re

from tvarc.blocks import IN_PARTS, OF_RECIPE
from tvarc.light import Collection, Final
from tvarc.values.value import quote

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*\Z")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
RESERVED: Final = frozenset(
    ("and", "or", "not", "in", "is", "if", "then", "else", "true", "false", "null", "none", "where")
)
_BEGINNING: Final = frozenset(
    (
        "axis", "default", "exclude", "facts", "flag", "force", "input", "language", "let",
        "matrix", "mixin", "needs", "output", "overlay", "part", "patch", "pin", "recipe",
        "require", "script", "use", "variant", "warn", "when",
    )
)  # fmt: skip
TAKEN: Final = frozenset(
    ("variant", "recipe", "matrix", "package", "pin", "overlays", "needs", "pkgs", "caller",
     "final", "prev", "old", "lib", "common", *OF_RECIPE, *IN_PARTS, "nix", "input", "output")
)  # fmt: skip
"""Names with a meaning in programs, or for declarations that every program has."""


FEW: Final = 3
"""The greatest number of file names in a text. The others are only counted."""


def printable(path: str) -> str:
    """*path* on one line, whatever bytes it contains."""
    return "".join(
        [one if one.isprintable() else one.encode("unicode_escape").decode() for one in path]
    )


def is_name(text: str) -> bool:
    """Whether *text* is a name of the language."""
    return _NAME.match(text) is not None and text not in RESERVED


def name_from(text: str) -> str:
    """A name of the language that is made from *text*, such as the name of an attribute."""
    words = _HUMP.sub("-", text).lower().replace("_", "-")
    name = re.sub(r"[^a-z0-9-]+", "-", words).strip("-")
    return name if is_name(name) else "value"


def name_of(text: str, otherwise: str) -> str:
    """*text* as a name of the language. Invalid characters become `-`, and `m-` is added before an
    invalid beginning. For a text without letters and digits it is *otherwise*."""
    name = re.sub(r"-+", "-", re.sub(r"[^A-Za-z0-9_-]", "-", text)).strip("-")
    if not name:
        return otherwise
    return name if is_name(name) else f"m-{name}"


def key(text: str) -> str:
    """A key of a setting or a record."""
    return text if is_name(text) else quote(text)


def entry_key(text: str) -> str:
    """A key of a record. A word that begins a declaration is written in quotes."""
    return quote(text) if text in _BEGINNING else key(text)


def fuller(base: str, more: str, *taken: Collection[str]) -> str:
    """*base*, or if it is *taken*, *base* with *more*, as long as there is more."""
    full = f"{base}-{more}"
    is_taken = any(base in names for names in taken)
    return full if is_taken and more not in base.split("-") and is_name(full) else base


def free_name(base: str, *taken: Collection[str]) -> str:
    """*base*, or if it is *taken*, *base* with the first number after it that is free."""
    name, number = base, 2
    while any(name in names for names in taken):
        name, number = f"{base}-{number}", number + 1
    return name
