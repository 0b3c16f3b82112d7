"""The attributes of nixpkgs that a setting mentions."""

from __future__ import annotations

from tvarc.light import Final, Iterator, assert_never
from tvarc.nix import ir
from tvarc.values.value import (
    DeclValue,
    Late,
    NixCall,
    NixRef,
    NixSource,
    NixText,
    NoneValue,
    PathValue,
    Record,
    RowValue,
    UnlockedValue,
    Value,
    Version,
)

# The names of nixpkgs in Nix text of a user's own: what follows them is the path.
_ROOTS: Final = frozenset(("pkgs", "final", "self"))
# What Nix text may have other packages by, besides `prev`.
_SETS: Final = frozenset(
    (*_ROOTS, "builtins", "callPackage", "callPackages", "import", "super", "with")
)
_OWN: Final = ("old", "prev", "super")
_WORD: Final = r"[A-Za-z_][\w'-]*(?:\.[A-Za-z_][\w'-]*)*"


def mentioned_by(setting: ir.Setting, inside: ir.Path = ()) -> Iterator[ir.Path]:
    """The paths of the attributes of nixpkgs that *setting* mentions: those of `pkgs.…`, those of
    `final.…` below the set *inside*, and in Nix text every name that may be one. Names after
    `prev.…` and `old.…` are left out: they exist before any overlay.
    """
    yield from _of(setting.value, inside)
    if setting.head is not None:
        yield from _of(setting.head, inside)
    for element in setting.elements or ():
        yield from _of(element.value, inside)
    for child in setting.children or ():
        yield from mentioned_by(child, inside)


def keeps_own(setting: ir.Setting) -> bool:
    """Whether an overlay that writes *setting* surely keeps the value that its set had under that
    name, changed or not: the value is made of `prev.NAME` and of nothing else of nixpkgs.
    """
    value = setting.value
    if setting.head is not None or setting.elements is not None or setting.children is not None:
        return False
    if isinstance(value, NixRef):
        return value.root == "prev" and value.attributes == setting.path[-1:]
    if not isinstance(value, NixSource):
        return False
    # A value that the compiler writes out is no name; a `0` keeps apart what stands around it.
    text = "0".join(part for part in value.parts if isinstance(part, str))
    return _reads_only(text, setting.key)


def _reads_only(text: str, name: str) -> bool:
    """Whether Nix *text* can have nothing of nixpkgs but `prev.NAME`, and has that."""
    import re

    own = False
    for found in re.findall(_WORD, text):
        path = found.split(".")
        if path[0] == "prev":
            if path[1:2] != [name]:
                return False
            own = True
        elif not _SETS.isdisjoint(path):
            return False
    return own and "<" not in text


def reads_own(value: Value) -> bool:
    """Whether *value* may hold something that the package has itself, or had before an overlay."""
    match value:
        case NixRef():
            return value.root in _OWN
        case NixSource():
            text = "0".join(part for part in value.parts if isinstance(part, str))
            return any(root in text for root in _OWN) or any(
                reads_own(part.value) for part in value.parts if not isinstance(part, str)
            )
        case NixText():
            return any(reads_own(one) for one in value.parts)
        case NixCall():
            return any(reads_own(one) for _, one in value.arguments)
        case Record():
            return any(reads_own(one) for _, one in value)
        case tuple():
            return any(reads_own(one) for one in value)
        case _:
            return False


def _of(value: Value, inside: ir.Path) -> Iterator[ir.Path]:
    match value:
        case NixRef():
            if value.root == "pkgs":
                yield value.attributes
            elif value.root == "final":
                yield (*inside, *value.attributes)
        case NixSource():
            yield from _of_text("".join(part for part in value.parts if isinstance(part, str)))
            for part in value.parts:
                if not isinstance(part, str):
                    yield from _of(part.value, inside)
        case NixText():
            for piece in value.parts:
                yield from _of(piece, inside)
        case NixCall():
            for _, argument in value.arguments:
                yield from _of(argument, inside)
        case Record():
            for _, entry in value:
                yield from _of(entry, inside)
        case tuple():
            for one in value:
                yield from _of(one, inside)
        case (
            None
            | str()
            | int()
            | float()
            | Version()
            | RowValue()
            | DeclValue()
            | NoneValue()
            | UnlockedValue()
            | PathValue()
            | Late()
        ):
            return
        case _:
            assert_never(value)


def _of_text(text: str) -> Iterator[ir.Path]:
    import re

    for found in re.findall(_WORD, text):
        path = tuple(found.split("."))
        yield path[1:] if path[0] in _ROOTS else path
