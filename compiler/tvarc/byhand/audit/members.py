"""The packages of a file with several packages: of a flake, an overlay or a set."""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, BY_NAME, IN_PARTS
from tvarc.byhand.audit.changes import (
    BUILDERS,
    DEFAULT_SET,
    METHODS,
    PYTHON_SET,
    Settings,
    TolerantChanges,
    read_overlays,
)
from tvarc.byhand.audit.model import Gap, Pin, RecipeFacts, Ref, Seen
from tvarc.byhand.audit.reducer import Located, TolerantReducer
from tvarc.byhand.reading.scopes import NOWHERE, Bound, Scope
from tvarc.byhand.reading.trees import last_name
from tvarc.light import Final, Iterator, dataclass, field, replace
from tvarc.nix.language.syntax import (
    Extent,
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIdent,
    NixLambda,
    NixList,
    NixSelect,
    elements,
)

_MOST: Final = 500
_MOST_NESTED: Final = 12
_OUTPUTS: Final = "outputs"
# Outputs of a flake that hold no packages.
_ASIDE: Final = frozenset(
    (
        "apps", "bundlers", "checks", "darwinConfigurations", "darwinModules", "devShell",
        "devShells", "formatter", "homeConfigurations", "homeModules", "inputs", "lib",
        "nixosConfigurations", "nixosModules", "templates",
    )
)  # fmt: skip
_OF_FILES: Final = ("import", "callPackage", "callPackageWith")
_PER_SYSTEM: Final = "perSystem"


Member = Located | RecipeFacts
"""A package, or the changes of one by an overlay."""


def members(changes: TolerantChanges, root: NixExpr) -> dict[str, Member]:
    """The packages of a file by their names there, each once; and the calls of files that were not
    read, which may be packages."""
    reader = _Reader(changes)
    reducer = reader.reducer
    node, scope = reducer.resolve(root, reducer.outside())
    outputs = reader.outputs(node, scope) if isinstance(node, NixAttrs) else None
    if reader.is_overlay(node, scope):
        reader.of_overlay(node, scope, ())
    elif outputs is None:
        reader.within(*reducer.body(root), ())
    else:
        reader.flake = True
        function, scope = reducer.resolve(*outputs)
        if isinstance(function, NixLambda):
            reader.within(*reducer.opened(function, scope), ())
    return reader.found


@dataclass(slots=True, eq=False)
class _Reader:
    changes: TolerantChanges
    flake: bool = False
    found: dict[str, Member] = field(default_factory=dict)
    known: set[tuple[int, int]] = field(default_factory=set)  # packages that already have a name

    @property
    def reducer(self) -> TolerantReducer:
        return self.changes.values.reducer

    def outputs(self, node: NixAttrs, scope: Scope) -> Located | None:
        """The function in a flake that returns its outputs."""
        entries = self.reducer.entries(node, scope)
        return next((where for path, where in entries if path == (_OUTPUTS,)), None)

    def within(self, node: NixExpr, scope: Scope, steps: tuple[str, ...]) -> None:
        """Find the packages in *node*, which is at *steps* of the file."""
        node, scope = self.reducer.head(node, scope)
        if len(steps) > _MOST_NESTED or len(self.known) > _MOST:
            return
        match node:
            case NixAttrs():
                for path, where in self.reducer.entries(node, scope):
                    if path is not None and not (self.flake and _ASIDE.intersection(path)):
                        self.within(*where, (*steps, *path))
            case NixBinary("//", left, right):
                self.within(left, scope, steps)
                self.within(right, scope, steps)
            case NixList():
                for item in elements(node):
                    self.within(item, scope, steps)
            case NixLambda():
                if self.is_overlay(node, scope):
                    self.of_overlay(node, scope, steps)
                elif steps[-1:] == (_PER_SYSTEM,):
                    self.within(*self.reducer.opened(node, scope), steps[:-1])
            case NixApply():
                self.call(node, scope, steps)
            case _:
                pass

    def call(self, node: NixApply, scope: Scope, steps: tuple[str, ...]) -> None:
        """Find a package, or the packages that a function makes for one or each system."""
        (function, _), arguments = self.reducer.called(node, scope)
        name = last_name(function)
        if name in _OF_FILES or (steps and name in (*METHODS, *BUILDERS, "pipe")):
            if steps:
                self.once(node, scope, steps)
            return
        if name == "mapAttrs":
            made = self.reducer.reduce(node, scope)
            if isinstance(made, NixAttrs):
                self.within(made, NOWHERE, steps)
            return
        for argument in arguments:
            one, place = self.reducer.resolve(*argument)
            if isinstance(one, NixLambda) and not self.is_overlay(one, place):
                self.within(*self.reducer.opened(one, place), steps)
            elif isinstance(one, NixAttrs) and self.flake:
                self.within(one, place, steps)

    def once(self, node: NixExpr, scope: Scope, steps: tuple[str, ...]) -> None:
        """Note *node* as a package, unless it has another name in the file."""
        key = (id(node), id(scope))
        if key not in self.known:
            self.known.add(key)
            self.found[".".join(steps)] = (node, scope)
            self.reducer.steps = 0  # each package may take as many steps as a recipe

    # --- overlays -----------------------------------------------------------------------------

    def is_overlay(self, node: NixExpr, scope: Scope) -> bool:
        """Whether *node* is a function of the final and the previous set that returns a set."""
        made = self.made_by(node, scope)
        match made[0] if made is not None else None:
            case NixAttrs() | NixBinary("//"):
                return True
            case _:
                return False

    def made_by(self, node: NixExpr, scope: Scope) -> Located | None:
        """The result of a function of the final and the previous set; None for any other
        expression."""
        for root in ("@final", "@prev"):
            if not isinstance(node, NixLambda) or node.formals or not node.whole:
                return None
            inner = Scope(scope, {node.whole: Bound(NixIdent(root), NOWHERE)}, scope.file)
            node, scope = self.reducer.resolve(node.body, inner)
        return node, scope

    def of_overlay(self, node: NixExpr, scope: Scope, steps: tuple[str, ...]) -> None:
        """Find the packages that an overlay changes or makes."""
        overlay = self.reducer.reduce(node, scope)
        effects = read_overlays(self.changes, NixList((overlay,)))
        scratch: set[str] = set()
        for name, where in self.made_anew(*(self.made_by(node, scope) or (node, scope))):
            scratch.add(name)
            self.once(*where, (*steps, name))
        for target, changed in _changed(effects).items():
            if target not in scratch:
                self.found[".".join((*steps, target))] = changed

    def made_anew(self, node: NixExpr, scope: Scope) -> Iterator[tuple[str, Located]]:
        """The packages that the set of an overlay builds from scratch."""
        if not isinstance(node, NixAttrs):
            return
        for path, where in self.reducer.entries(node, scope):
            value, at = self.reducer.resolve(*where)
            if path is not None and isinstance(value, NixApply | NixSelect):
                (function, _), _ = self.reducer.called(value, at)
                if last_name(function) in BUILDERS:
                    yield ".".join(path), (value, at)


def _changed(effects: Settings) -> dict[str, RecipeFacts]:
    """The packages that *effects* change, by target, in the nixpkgs of the user of the overlay. Its
    other settings apply to each of them."""
    changed: dict[str, dict[str, Seen]] = {}
    places: dict[str, Extent] = {}
    beside: dict[str, Seen] = {}
    for path, seen in effects.seen.items():
        target, colon, key = path.partition(": ")
        if not colon:
            beside[path] = replace(seen, form="set")
            continue
        places.setdefault(target, seen.place)
        changed.setdefault(target, {})[_path(key)] = seen
    found: dict[str, RecipeFacts] = {}
    for target, settings in changed.items():
        package = Seen(_package(target), places[target])
        start = beside.get(target)
        if start is not None and isinstance(start.value, Ref):
            root, _, rest = start.value.path.partition(".")
            name = rest if root in ("final", "prev", "pkgs") else start.value.path
            package = Seen(name, start.place)
        gaps = [
            Gap(_path(gap.what.partition(": ")[2]), gap.text, gap.why, gap.place)
            for gap in effects.gaps
            if gap.what.startswith(f"{target}: ")
        ]
        others = {path: seen for path, seen in beside.items() if path not in changed}
        pin = Pin("", "", None, package.place)
        found[target] = RecipeFacts(package, pin, settings, others, tuple(gaps))
    return found


def _package(target: str) -> str:
    """The path in nixpkgs of the target *target* of overlays."""
    head, dot, rest = target.partition(".")
    return f"{DEFAULT_SET}.{rest}" if dot and head == PYTHON_SET else target


def _path(key: str) -> str:
    """The path of a setting that an overlay changes in a package."""
    block = key.partition(".")[0]
    named = block in BY_NAME and BY_NAME[block].of_package and block not in IN_PARTS
    return key if named else f"{ATTRIBUTES}.{key}"
