"""A typed Nix syntax tree. Strings and names are plain text here: the printer alone quotes.

Comments are part of the tree where a reader of the output wants them: above a binding, above
an element of a list, and at the head of a file.
"""

from __future__ import annotations

from tvarc.light import Literal, dataclass


@dataclass(frozen=True, slots=True)
class NixString:
    """A string; text parts are literal, expression parts become `${…}`.

    `block` asks for the `''…''` form when the text has lines; the value is the same.
    """

    parts: tuple[str | NixExpr, ...]
    block: bool = False


@dataclass(frozen=True, slots=True)
class NixInt:
    value: int


@dataclass(frozen=True, slots=True)
class NixBool:
    value: bool


@dataclass(frozen=True, slots=True)
class NixNull:
    pass


@dataclass(frozen=True, slots=True)
class NixPath:
    """A path relative to the file, with `/` between its steps, such as `../../patches/a.patch`."""

    text: str


@dataclass(frozen=True, slots=True)
class NixSearchPath:
    """`<nixpkgs>`."""

    name: str


@dataclass(frozen=True, slots=True)
class NixIdent:
    """A variable; the name has to be a Nix identifier and no keyword."""

    name: str


@dataclass(frozen=True, slots=True)
class NixSelect:
    """`base.a."b c" [or default]`; steps are quoted by the printer where they need it."""

    base: NixExpr
    path: tuple[str, ...]
    default: NixExpr | None = None


@dataclass(frozen=True, slots=True)
class NixApply:
    function: NixExpr
    argument: NixExpr


@dataclass(frozen=True, slots=True)
class NixList:
    items: tuple[NixExpr | NixCommented | NixSlot, ...]


@dataclass(frozen=True, slots=True)
class NixCommented:
    """A list element with comment lines above it (no `#`; wrapped by the printer)."""

    comment: str
    value: NixExpr


@dataclass(frozen=True, slots=True)
class NixBinding:
    """`a.b = value;` with an optional comment above it."""

    path: tuple[str, ...]
    value: NixExpr
    comment: str = ""


@dataclass(frozen=True, slots=True)
class NixInherit:
    """`inherit (source) names;` or `inherit names;`."""

    names: tuple[str, ...]
    source: NixExpr | None = None


@dataclass(frozen=True, slots=True)
class NixSlot:
    """A place for entries of a set, or elements of a list, that are printed by themselves.

    It may stand only where the set or list goes over several lines whatever is in it.
    """

    name: str


@dataclass(frozen=True, slots=True)
class NixAttrs:
    entries: tuple[NixBinding | NixInherit | NixSlot, ...]
    recursive: bool = False


@dataclass(frozen=True, slots=True)
class NixFormal:
    name: str
    default: NixExpr | None = None


@dataclass(frozen=True, slots=True)
class NixFormals:
    """`{ a, b ? 1, ... }`."""

    formals: tuple[NixFormal, ...]
    ellipsis: bool = False


@dataclass(frozen=True, slots=True)
class NixLambda:
    parameter: str | NixFormals
    body: NixExpr


@dataclass(frozen=True, slots=True)
class NixLet:
    entries: tuple[NixBinding | NixInherit, ...]
    body: NixExpr


@dataclass(frozen=True, slots=True)
class NixIf:
    condition: NixExpr
    then: NixExpr
    otherwise: NixExpr


@dataclass(frozen=True, slots=True)
class NixNot:
    operand: NixExpr


NixOp = Literal["++", "//", "+", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "->"]


@dataclass(frozen=True, slots=True)
class NixBinary:
    op: NixOp
    left: NixExpr
    right: NixExpr


@dataclass(frozen=True, slots=True)
class NixRaw:
    """Nix text that a user wrote, printed verbatim, between parentheses unless it is atomic."""

    text: str


NixExpr = (
    NixString
    | NixInt
    | NixBool
    | NixNull
    | NixPath
    | NixSearchPath
    | NixIdent
    | NixSelect
    | NixApply
    | NixList
    | NixAttrs
    | NixLambda
    | NixLet
    | NixIf
    | NixNot
    | NixBinary
    | NixRaw
)


@dataclass(frozen=True, slots=True)
class NixFile:
    """A whole file: comment lines at its head (each becomes one `# …` line) and an expression."""

    header: tuple[str, ...]
    body: NixExpr
