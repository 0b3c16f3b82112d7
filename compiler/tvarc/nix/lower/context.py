"""The position of an expression in the emitted file, and the meaning of the roots there."""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES
from tvarc.light import TYPE_CHECKING, Callable, Protocol, dataclass, field, replace
from tvarc.nix import ir
from tvarc.nix.language.quoting import is_identifier
from tvarc.nix.language.syntax import NULL, NixExpr, NixFormal, NixIdent, NixSelect
from tvarc.nix.lower.scopes import NAMES, SCOPE, Scope, handed

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines


Files = tuple[tuple[str, str], ...]
"""The files of a variant, by the names of their outputs."""


class Relative(Protocol):
    """Returns paths relative to the emitted file."""

    def __call__(self, path: str) -> str:
        """The path of a file, which the loader names *path*."""

    def sibling(self, files: tuple[tuple[str, str], ...]) -> str | None:
        """The path of the recipe of another variant. *files* has its files, by the names of their
        outputs. None if the recipe is in the emitted file, too, where it has its name in the set
        `variants`."""


class AsNamed:
    """Paths with the loader's names, for expressions that are in no file."""

    def __call__(self, path: str) -> str:
        return path

    def sibling(self, files: tuple[tuple[str, str], ...]) -> str:
        return files[0][1]


CALLER = "pkgs"
"""The argument of a pinned recipe: the nixpkgs that it is called with."""

# Names that the emitted Nix binds or uses itself. An argument with such a name would hide it.
_OURS = frozenset(
    [
        "_",
        "abort",
        "built",
        "builtins",
        "extended",
        "false",
        "extension",
        "final",
        "import",
        "map",
        "name",
        "names",
        "needs",
        "null",
        "old",
        "p",
        "pinned",
        "pkgs",
        "prev",
        "pyFinal",
        "pyPrev",
        "scope",
        "setFinal",
        "setPrev",
        "throw",
        "toString",
        "true",
        "variants",
        "x",
    ]
)


def may_be_argument(name: str) -> bool:
    """Whether an argument of a file can have this name, because the file does not use it itself."""
    return is_identifier(name) and name not in (*_OURS, "lib", "nixpkgs")


@dataclass(slots=True)
class Formals:
    """The arguments that a function needs from callPackage, collected while its body is lowered."""

    names: set[str] = field(default_factory=set)
    # Arguments that the caller may lack. The function looks for them in the set of its arguments.
    optional: set[str] = field(default_factory=set)
    # The defaults of arguments that have one: inputs.
    defaults: dict[str, NixExpr] = field(default_factory=dict)
    # With tracing, the source lines that need each argument.
    asked: dict[str, Lines] = field(default_factory=dict)

    def add(self, formal: NixFormal) -> None:
        """Add *formal* to the arguments."""
        self.names.add(formal.name)
        if formal.default is not None:
            self.defaults[formal.name] = formal.default

    def listed(self) -> tuple[NixFormal, ...]:
        """The arguments in the head of the file, sorted. Those with a default are last."""
        lacking = dict.fromkeys(self.optional - self.names, NULL)
        defaults: dict[str, NixExpr] = {**lacking, **self.defaults}
        order = sorted(self.names | self.optional, key=lambda name: (name in defaults, name))
        return tuple([NixFormal(name, defaults.get(name)) for name in order])

    @property
    def whole(self) -> str:
        """The name for the set of all arguments, if the function looks for some of them there; else
        empty."""
        return NAMES if self.optional else ""

    def ask(self, others: Formals, lines: Lines) -> None:
        """Add all arguments of *others*. The code from *lines* needs them."""
        self.names |= others.names
        self.optional |= others.optional
        self.defaults |= others.defaults
        for name in others.names | others.optional:
            asked = others.asked.get(name, 0)
            self.asked[name] = self.asked.get(name, 0) | asked | lines


@dataclass(frozen=True, slots=True)
class Traced:
    """The provenance for nodes. `name` returns the bit of the value with this name, which is below
    `base`. `whole` are the lines of the declaration around it (an overlay). `age` are the lines
    that state the age of the nixpkgs."""

    name: Callable[[ir.Path], Lines]
    base: ir.Path = ()
    whole: Lines = 0
    age: Lines = 0

    def bit(self, path: ir.Path) -> Lines:
        """The bit of the value at *path*."""
        if self.base and path[0] == ATTRIBUTES:
            path = path[1:]  # attributes of an overlay do not have the name of their block
        return self.name((*self.base, *path))


@dataclass(frozen=True, slots=True)
class Slots:
    """The slots of a file, one for each of these *blocks*. The contents of slots are printed
    separately.

    `old` says whether any change of the package refers to `old`, in a slot or not. `heads` has the
    first source lines of the settings in each slot, if they are traced.
    """

    blocks: frozenset[str]
    old: bool
    heads: tuple[tuple[str, Lines], ...] = ()

    def head(self, block: str) -> Lines:
        """The lines on which the settings in the slot of *block* begin."""
        return dict(self.heads).get(block, 0)


@dataclass(frozen=True, slots=True)
class Context:
    """The meaning of `pkgs`, `lib`, `final`, `prev` and `old` in the emitted Nix.

    - `pkgs`: the nixpkgs of the program. None in a function that callPackage fills: the first
      attribute is then an argument, which is added to `formals`.
    - `relative`: returns paths relative to the emitted file.
    - `slots`: given if parts of the file are printed separately.
    - `age`: the known age of the nixpkgs.
    - `pinned`: whether the file imports a nixpkgs of its own, whose pin may state more. It then
      takes only the system from the caller's nixpkgs, unless `formals` has more.
    - `ground`: the nixpkgs that a guard reads, if reading `pkgs` would be a circle.
    - `where`: a description of the overlay around the expression, for messages.
    - `owner`: the package set of the package that the overlay changes.
    - `traced`: given with tracing. Nodes then have the source lines that made them.
    - `scope`: given if callPackage passes the packages, from a set of `pkgs`.
    - `spliced`: whether this nixpkgs may build for another machine. Overlays then use callPackage,
      too.
    - `set_path`: the package set of the scope, empty for the top level. The callPackage of that set
      calls a recipe without a pin.
    - `looked_for`: names that no argument has.
    """

    pkgs: NixExpr | None
    lib: NixExpr | None
    relative: Relative
    formals: Formals
    final: NixExpr | None = None
    prev: NixExpr | None = None
    slots: Slots | None = None
    age: ir.Age = ir.UNKNOWN
    pinned: bool = True
    ground: NixExpr | None = None
    where: str = ""
    owner: ir.Path = ()
    traced: Traced | None = None
    scope: Scope | None = None
    spliced: bool = False
    set_path: ir.Path = ()
    looked_for: frozenset[str] = frozenset()

    def package(self, attributes: tuple[str, ...]) -> NixExpr:
        """`pkgs.a.b` of a program: the package `a` of the scope, as callPackage passes it. `pkgs`
        alone, and `pkgs.pkgs`, are the top level of nixpkgs."""
        head, rest = attributes[:1], attributes[1:]
        if not head or head == (CALLER,):
            return self.top_level(rest)
        if not is_identifier(head[0]):
            return self.package_set(attributes)
        if self.scope is not None:
            self.scope.required.add(head[0])
            return NixSelect(SCOPE, attributes)
        if self.pkgs is None and (head[0] in _OURS or head[0] in self.looked_for):
            # No argument of the recipe can have this name.
            return NixSelect(handed(self.call_package(), head), attributes)
        return self.package_set(attributes)

    def top_level(self, attributes: tuple[str, ...]) -> NixExpr:
        """`pkgs.a.b` of the top level of nixpkgs, independent of the scope."""
        while attributes[:1] == (CALLER,):
            attributes = attributes[1:]
        base = self.pkgs
        if base is None:
            self.formals.names.add(CALLER)
            base = NixIdent(CALLER)
        return NixSelect(base, attributes) if attributes else base

    def call_package(self) -> NixExpr:
        """The callPackage of the scope."""
        return self.scope.call if self.scope is not None else self.package_set(("callPackage",))

    def caller_set(self, attributes: tuple[str, ...]) -> NixExpr:
        """`a.b` of the nixpkgs that the recipe is called with, independent of `pkgs`."""
        if not self.pinned:
            return replace(self, pkgs=None, scope=None).package(attributes)
        self.formals.names.add(CALLER)
        return NixSelect(NixIdent(CALLER), attributes) if attributes else NixIdent(CALLER)

    def asked(self, attributes: tuple[str, ...]) -> NixExpr:
        """`pkgs.a.b` as a guard reads it."""
        if self.ground is not None:
            return NixSelect(self.ground, attributes)
        return self.package_set(attributes)

    def package_set(self, attributes: tuple[str, ...]) -> NixExpr:
        """`pkgs.a.b` in this context."""
        if self.pkgs is not None:
            return NixSelect(self.pkgs, attributes) if attributes else self.pkgs
        if not attributes:
            self.formals.names.add("pkgs")
            return NixIdent("pkgs")
        head, rest = attributes[0], attributes[1:]
        if not is_identifier(head) or head in _OURS or head in self.looked_for:
            self.formals.names.add("pkgs")
            return NixSelect(NixIdent("pkgs"), attributes)
        self.formals.names.add(head)
        return NixSelect(NixIdent(head), rest) if rest else NixIdent(head)

    def library(self, attributes: tuple[str, ...]) -> NixExpr:
        """`lib.a.b` in this context."""
        if self.lib is None:
            self.formals.names.add("lib")
        lib = self.lib or NixIdent("lib")
        return NixSelect(lib, attributes) if attributes else lib

    def in_slot(self, name: str) -> bool:
        """Whether the block *name* has a slot."""
        return self.slots is not None and name in self.slots.blocks

    def within(self, final: str, prev: str) -> Context:
        """The context inside an overlay whose arguments have the names *final* and *prev*."""
        return replace(self, final=NixIdent(final), prev=NixIdent(prev))
