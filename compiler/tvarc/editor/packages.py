"""The names in the expression of a package in nixpkgs: its attributes, and the arguments of its
function. The file is found by the name of the package, if the pin is on this machine. Nix does not
run, so names that only Nix could find are missing.
"""

from __future__ import annotations

from tvarc.light import Iterator, dataclass
from tvarc.nix import ir
from tvarc.nix.judge.at_hand import on_disk, store_path
from tvarc.nix.language.reader import NixParser, NotNix
from tvarc.nix.language.syntax import NixApply, NixAttrs, NixBinding, NixExpr, NixLambda, walk
from tvarc.nix.nixpkgs import is_python_set
from tvarc.text.source import SourceLoader, UnreadableSource
from tvarc.values.value import NixRef


@dataclass(frozen=True, slots=True)
class PackageNames:
    """The names in the expression of one package, in their order."""

    attributes: tuple[str, ...]
    arguments: tuple[str, ...]


def names_of(recipe: ir.Recipe, loader: SourceLoader) -> PackageNames | None:
    """The names of the package of *recipe*; None if its file is not at hand, or is not known."""
    package, pin = recipe.package.value, recipe.pin
    if not isinstance(package, NixRef) or not package.attributes or pin is None:
        return None
    folder = pin.path or (on_disk(store_path(pin.hash)) if pin.hash else "")
    for file in _files(package.attributes) if folder else ():
        try:
            text = loader.read(f"{folder}/{file}").text
            return _named(NixParser().parse(text))
        except (UnreadableSource, NotNix):
            continue
    return None


def _files(package: tuple[str, ...]) -> Iterator[str]:
    """The possible files of the expression of *package* in nixpkgs."""
    *sets, name = package
    if not sets:
        yield f"pkgs/by-name/{name[:2].lower()}/{name}/package.nix"
    elif is_python_set(tuple(sets)):
        yield f"pkgs/development/python-modules/{name}/default.nix"


def _named(expression: NixExpr) -> PackageNames:
    function = expression if isinstance(expression, NixLambda) else None
    arguments = tuple([one.name for one in function.formals]) if function is not None else ()
    for node in walk([expression]):
        if isinstance(node, NixApply):
            argument = node.argument
            attributes = argument.body if isinstance(argument, NixLambda) else argument
            if isinstance(attributes, NixAttrs):
                steps = [one.path[0] for one in attributes.entries if isinstance(one, NixBinding)]
                names = dict.fromkeys([one for one in steps if isinstance(one, str)])
                return PackageNames(tuple(names), arguments)
    return PackageNames((), arguments)
