"""Where an expression stands in the emitted file, and what the roots mean there."""

from __future__ import annotations

from tvarc.backend.nix.quoting import is_identifier
from tvarc.backend.nix.syntax import NixExpr, NixIdent, NixSelect
from tvarc.light import Callable, dataclass, field, replace

Relative = Callable[[str], str]

# Names that the emitted Nix binds or uses itself: an argument of that name would take their place.
_OURS = frozenset(
    [
        "_",
        "abort",
        "builtins",
        "extended",
        "false",
        "final",
        "import",
        "map",
        "null",
        "old",
        "p",
        "pinned",
        "pkgs",
        "prev",
        "pyFinal",
        "pyPrev",
        "setFinal",
        "setPrev",
        "throw",
        "toString",
        "true",
        "x",
    ]
)


@dataclass(slots=True)
class Formals:
    """Arguments that a function filled by callPackage needs, as they are found."""

    names: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Frame:
    """A file of which parts are printed by themselves: slots take the place of those that
    *slots* names, blocks of the package's changes, `config` and `overlays`.

    `old` says whether some of the package's changes, in slots or not, refer to `old`.
    """

    slots: frozenset[str]
    old: bool


@dataclass(frozen=True, slots=True)
class Context:
    """What `pkgs`, `lib`, `final`, `prev` and `old` are in the emitted Nix.

    `pkgs` is None in a function that callPackage fills: there the first attribute is an
    argument, noted in `formals`. `relative` gives a file's path as seen from the emitted file.
    `frame` is given where parts of the file are printed by themselves.
    """

    pkgs: NixExpr | None
    lib: NixExpr | None
    relative: Relative
    formals: Formals
    final: NixExpr | None = None
    prev: NixExpr | None = None
    frame: Frame | None = None

    def package_set(self, attributes: tuple[str, ...]) -> NixExpr:
        """`pkgs.a.b` where this context stands."""
        if self.pkgs is not None:
            return NixSelect(self.pkgs, attributes) if attributes else self.pkgs
        if not attributes:
            self.formals.names.add("pkgs")
            return NixIdent("pkgs")
        head, rest = attributes[0], attributes[1:]
        if not is_identifier(head) or head in _OURS:
            self.formals.names.add("pkgs")
            return NixSelect(NixIdent("pkgs"), attributes)
        self.formals.names.add(head)
        return NixSelect(NixIdent(head), rest) if rest else NixIdent(head)

    def library(self, attributes: tuple[str, ...]) -> NixExpr:
        """`lib.a.b` where this context stands."""
        if self.lib is None:
            self.formals.names.add("lib")
            return NixSelect(NixIdent("lib"), attributes)
        return NixSelect(self.lib, attributes)

    def in_slot(self, name: str) -> bool:
        """Whether a slot stands for the block *name*."""
        return self.frame is not None and name in self.frame.slots

    def within(self, final: str, prev: str) -> Context:
        """The context inside an overlay whose arguments have these names."""
        return replace(self, final=NixIdent(final), prev=NixIdent(prev))
