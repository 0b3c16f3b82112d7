"""The attributes of nixpkgs that a setting mentions."""

from __future__ import annotations

from tvarc.light import Final, Iterator
from tvarc.nix import ir
from tvarc.values.value import NixRef, NixSource, Value, values_in

# The names of nixpkgs in Nix text that the user writes. A path follows them.
_ROOTS: Final = frozenset(("pkgs", "final", "self"))
# The names besides `prev` by which Nix text may take other packages.
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
    """Whether an overlay that writes *setting* certainly keeps the value that its set had under
    that name, changed or not: the new value uses `prev.NAME` and nothing else of nixpkgs.
    """
    value = setting.value
    if setting.head is not None or setting.elements is not None or setting.children is not None:
        return False
    if isinstance(value, NixRef):
        return value.root == "prev" and value.attributes == setting.path[-1:]
    if not isinstance(value, NixSource):
        return False
    # A value that the compiler writes out is not a name. A `0` in its place separates the text
    # before and after it.
    text = "0".join(part for part in value.parts if isinstance(part, str))
    return _reads_only(text, setting.key)


def _reads_only(text: str, name: str) -> bool:
    """Whether Nix *text* uses `prev.NAME`, and cannot use anything else of nixpkgs."""
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
    for one in values_in(value):
        if isinstance(one, NixRef) and one.root in _OWN:
            return True
        if isinstance(one, NixSource):
            text = "0".join(part for part in one.parts if isinstance(part, str))
            if any(root in text for root in _OWN):
                return True
    return False


def _of(value: Value, inside: ir.Path) -> Iterator[ir.Path]:
    for one in values_in(value):
        match one:
            case NixRef("pkgs"):
                yield one.attributes
            case NixRef("final"):
                yield (*inside, *one.attributes)
            case NixSource():
                yield from _of_text("".join(part for part in one.parts if isinstance(part, str)))
            case _:
                pass


def _of_text(text: str) -> Iterator[ir.Path]:
    import re

    for found in re.findall(_WORD, text):
        path = tuple(found.split("."))
        yield path[1:] if path[0] in _ROOTS else path
