"""A typed Nix syntax tree. Strings and names are plain text here: the printer alone quotes.

Comments are part of the tree where a reader of the output wants them: above a binding, above
an element of a list, and at the head of a file.

`places` tells what a node was made of, where that is traced: it takes no part in equality, and
nothing in what is printed depends on it.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Literal, TypeVar, dataclass, field, replace
from tvarc.values import NixPlace

if TYPE_CHECKING:
    from tvarc.provenance.model import Lines, Places


def _places() -> Places | None:
    return field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NixString:
    """A string; text parts are literal, expression parts become `${…}`.

    `block` asks for the `''…''` form when the text has lines; the value is the same.
    """

    parts: tuple[str | NixExpr, ...]
    block: bool = False
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixInt:
    value: int
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixBool:
    value: bool
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixNull:
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixPath:
    """A path relative to the file, with `/` between its steps, such as `../../patches/a.patch`."""

    text: str
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixSearchPath:
    """`<nixpkgs>`."""

    name: str
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixIdent:
    """A variable; the name has to be a Nix identifier and no keyword."""

    name: str
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixSelect:
    """`base.a."b c" [or default]`; steps are quoted by the printer where they need it."""

    base: NixExpr
    path: tuple[str, ...]
    default: NixExpr | None = None
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixApply:
    function: NixExpr
    argument: NixExpr
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixList:
    items: tuple[NixExpr | NixCommented | NixSlot, ...]
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixCommented:
    """A list element with comment lines above it (no `#`; wrapped by the printer)."""

    comment: str
    value: NixExpr
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixBinding:
    """`a.b = value;` with an optional comment above it."""

    path: tuple[str, ...]
    value: NixExpr
    comment: str = ""
    places: Places | None = _places()


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
    places: Places | None = _places()


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
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixLet:
    entries: tuple[NixBinding | NixInherit, ...]
    body: NixExpr
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixIf:
    condition: NixExpr
    then: NixExpr
    otherwise: NixExpr
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixNot:
    operand: NixExpr
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixHas:
    """`base ? a.b`."""

    base: NixExpr
    path: tuple[str, ...]
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixAssert:
    """`assert condition; body`."""

    condition: NixExpr
    body: NixExpr
    places: Places | None = _places()


NixOp = Literal["++", "//", "+", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "->"]


@dataclass(frozen=True, slots=True)
class NixBinary:
    op: NixOp
    left: NixExpr
    right: NixExpr
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixRaw:
    """Nix text that a user wrote, printed verbatim, between parentheses unless it is atomic.

    Only the values in it are printed as their places ask for.
    """

    parts: tuple[str | NixQuoted, ...]
    places: Places | None = _places()


@dataclass(frozen=True, slots=True)
class NixQuoted:
    """A value within Nix text: an operand in code, or characters of a string of that text.

    `place` and `dollar` as in `values.NixPart`.
    """

    value: NixExpr | str
    place: NixPlace = "code"
    dollar: bool = False


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
    | NixHas
    | NixAssert
    | NixBinary
    | NixRaw
)


@dataclass(frozen=True, slots=True)
class NixFile:
    """A whole file: comment lines at its head (each becomes one `# …` line) and an expression."""

    header: tuple[str, ...]
    body: NixExpr


if TYPE_CHECKING:
    Node = TypeVar("Node", bound=NixExpr | NixCommented | NixBinding)


def placed(node: Node, made: Lines, around: Lines = 0, lines: tuple[Lines, ...] = ()) -> Node:
    """*node*, with what it was made of: besides what is known of it."""
    from tvarc.provenance.model import Places

    known = node.places
    if known is not None:
        made, around, lines = known.made | made, known.around | around, lines or known.lines
    return replace(node, places=Places(made, around, lines))


def bare(node: Node) -> Node:
    """*node* without what it was made of."""
    return replace(node, places=None)
