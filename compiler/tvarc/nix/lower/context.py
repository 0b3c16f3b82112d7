"""The place of an expression in the emitted file, and the meaning of the roots there."""

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
    """Gives paths as seen from the emitted file."""

    def __call__(self, path: str) -> str:
        """Of a file, by the loader's name of it."""

    def sibling(self, files: tuple[tuple[str, str], ...]) -> str | None:
        """Of the recipe of another variant, which has *files*, by the names of their outputs; None
        where it is in the emitted file too, by its name in the set `variants`."""


class AsNamed:
    """Paths as the loader names them, for expressions that are in no file."""

    def __call__(self, path: str) -> str:
        return path

    def sibling(self, files: tuple[tuple[str, str], ...]) -> str:
        return files[0][1]


CALLER = "pkgs"
"""The argument of a pinned recipe: the nixpkgs that it is called with."""

# Names that the emitted Nix binds or uses itself: an argument of that name would take their place.
_OURS = frozenset(
    [
        "_",
        "abort",
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
    """Whether an argument of a file can have this name, which nothing in the file has."""
    return is_identifier(name) and name not in (*_OURS, "lib", "nixpkgs")


@dataclass(slots=True)
class Formals:
    """Arguments that a function filled by callPackage needs, as they are found."""

    names: set[str] = field(default_factory=set)
    # Those that the caller may lack: the function looks for them in the set of its arguments.
    optional: set[str] = field(default_factory=set)
    # The values of those with a default: inputs
    defaults: dict[str, NixExpr] = field(default_factory=dict)
    # The lines that need each, if that is traced.
    asked: dict[str, Lines] = field(default_factory=dict)

    def add(self, formal: NixFormal) -> None:
        """*formal* is needed."""
        self.names.add(formal.name)
        if formal.default is not None:
            self.defaults[formal.name] = formal.default

    def listed(self) -> tuple[NixFormal, ...]:
        """The arguments in the head of the file, sorted; those with a default are last."""
        lacking = dict.fromkeys(self.optional - self.names, NULL)
        defaults: dict[str, NixExpr] = {**lacking, **self.defaults}
        order = sorted(self.names | self.optional, key=lambda name: (name in defaults, name))
        return tuple([NixFormal(name, defaults.get(name)) for name in order])

    @property
    def whole(self) -> str:
        """The name of the set of all arguments, if the function looks for some of them there."""
        return NAMES if self.optional else ""

    def ask(self, others: Formals, lines: Lines) -> None:
        """Record that the code made from *lines* needs all of *others*."""
        self.names |= others.names
        self.optional |= others.optional
        self.defaults |= others.defaults
        for name in others.names | others.optional:
            asked = others.asked.get(name, 0)
            self.asked[name] = self.asked.get(name, 0) | asked | lines


@dataclass(frozen=True, slots=True)
class Traced:
    """The source of the places of nodes. `name` gives the bit of a value's name, which is below
    `base`. `whole` are the lines of the declaration around it (an overlay), `age` the lines that
    state the age of the nixpkgs."""

    name: Callable[[ir.Path], Lines]
    base: ir.Path = ()
    whole: Lines = 0
    age: Lines = 0

    def bit(self, path: ir.Path) -> Lines:
        """The bit of the value at *path*."""
        if self.base and path[0] == ATTRIBUTES:
            path = path[1:]  # in an overlay, they do not have the name of their block
        return self.name((*self.base, *path))


@dataclass(frozen=True, slots=True)
class Slots:
    """The slots of a file whose parts are printed separately: one for each of these *blocks*.

    `old` says whether some of the package's changes, in slots or not, refer to `old`. `heads` has
    the first lines of the settings in each slot, if these are traced.
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

    `pkgs` is None in a function that callPackage fills: there the first attribute is an argument,
    noted in `formals`. `relative` gives a file's path as seen from the emitted file. `slots` are
    given if parts of the file are printed separately. `age` is the known age of the nixpkgs.
    `pinned` says that the file imports a nixpkgs of its own, and that its pin may state more. Then
    it takes only the system from the caller's nixpkgs, unless `formals` notes more. A guard reads
    nixpkgs from `ground` if `pkgs` would lead in a circle. `where` is the overlay around the
    expression, and `owner` the package set of the one package that the overlay changes. With
    `traced`, nodes carry the lines that made them.

    `scope` is given if callPackage passes the packages, of a set of the nixpkgs `pkgs`. `spliced`
    says that this nixpkgs may build for another machine, so that overlays use callPackage, too.
    `set_path` is the package set of the scope, empty for the top level. A recipe without a pin is
    called by the callPackage of that set. No argument has a name in `looked_for`.
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
        by itself, and `pkgs.pkgs`, are the top level of nixpkgs."""
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
        """`pkgs.a.b` of the top level of nixpkgs, whatever the scope is."""
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
        """`a.b` of the nixpkgs that the recipe is called with, whatever `pkgs` is here."""
        if not self.pinned:
            return replace(self, pkgs=None, scope=None).package(attributes)
        self.formals.names.add(CALLER)
        return NixSelect(NixIdent(CALLER), attributes) if attributes else NixIdent(CALLER)

    def asked(self, attributes: tuple[str, ...]) -> NixExpr:
        """`pkgs.a.b` in a guard."""
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
        """Whether the block *name* is a slot."""
        return self.slots is not None and name in self.slots.blocks

    def within(self, final: str, prev: str) -> Context:
        """The context inside an overlay whose arguments have these names."""
        return replace(self, final=NixIdent(final), prev=NixIdent(prev))
