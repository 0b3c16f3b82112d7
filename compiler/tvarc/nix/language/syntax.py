"""A typed Nix syntax tree, which the printer prints and the reader reads. Strings and names are
plain text here: only the printer quotes, and only the reader removes quotes and escapes.

Comments are part of the tree where the output needs them: above a binding, above an element of a
list, and at the head of a file. The reader leaves them out.

Two nodes are equal if they have the same meaning. `places` are the source lines of a node, if it is
traced. `extent` is its place in the text that it was read from. Equality ignores both, and the
printed text does not depend on them.
"""

from __future__ import annotations

from tvarc.light import (
    TYPE_CHECKING,
    Final,
    Iterable,
    Iterator,
    Literal,
    TypeVar,
    assert_never,
    dataclass,
    field,
    replace,
)
from tvarc.values.value import Late, NixPlace

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines, Places


@dataclass(frozen=True, slots=True)
class Extent:
    """The extent of a node in a text: offsets in code points. The end is exclusive."""

    start: int
    end: int


NOWHERE: Final = Extent(0, 0)


def _places() -> Places | None:
    return field(default=None, compare=False, repr=False)


def _extent() -> Extent | None:
    return field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NixString:
    """A string. Text parts are literal, and expression parts become `${…}`.

    `block` requests the `''…''` form if the text has several lines. The value is the same.
    """

    parts: tuple[str | NixExpr, ...]
    block: bool = False
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixLate:
    """A late part of a string. It is only in `NixString.parts`, and its text is filled in after
    printing."""

    part: Late
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixInt:
    value: int
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixFloat:
    """A number with a point, as written."""

    text: str
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixPath:
    """A path relative to the file, with `/` between its steps, such as `../../patches/a.patch`.

    `home` says that it begins with `~/`, the home of the user who evaluates it.
    """

    text: str
    home: bool = False
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixSearchPath:
    """`<nixpkgs>`."""

    name: str
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixIdent:
    """A variable. The name must be a Nix identifier and no keyword. `true`, `false` and `null` are
    variables, too, and a text may redefine them."""

    name: str
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixSelect:
    """`base.a."b c" [or default]`. The printer quotes steps that need it."""

    base: NixExpr
    path: NixSteps
    default: NixExpr | None = None
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixApply:
    function: NixExpr
    argument: NixExpr
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixList:
    items: tuple[NixExpr | NixCommented, ...]
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixCommented:
    """A list element with comment lines above it, which have no `#`. The printer wraps them."""

    comment: str
    value: NixExpr
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixBinding:
    """`a.b = value;` with an optional comment above it."""

    path: NixSteps
    value: NixExpr
    comment: str = ""
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixInherit:
    """`inherit (source) names;` or `inherit names;`."""

    names: tuple[str, ...]
    source: NixExpr | None = None
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixSlot:
    """A place for entries of a set that are printed separately.

    It is allowed only in a set that takes several lines, whatever it contains.
    """

    name: str


@dataclass(frozen=True, slots=True)
class NixAttrs:
    entries: tuple[NixBinding | NixInherit | NixSlot, ...]
    recursive: bool = False
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixFormal:
    name: str
    default: NixExpr | None = None


@dataclass(frozen=True, slots=True)
class NixFormals:
    """`{ a, b ? 1, ... }`. With `whole`, `whole@{ … }`: the name of the unchanged argument."""

    formals: tuple[NixFormal, ...]
    ellipsis: bool = False
    whole: str = ""


@dataclass(frozen=True, slots=True)
class NixLambda:
    parameter: str | NixFormals
    body: NixExpr
    places: Places | None = _places()
    extent: Extent | None = _extent()

    @property
    def whole(self) -> str:
        """The name of the unchanged argument; empty for a pattern without such a name."""
        return self.parameter if isinstance(self.parameter, str) else self.parameter.whole

    @property
    def formals(self) -> tuple[NixFormal, ...]:
        """The names that a pattern binds; none without a pattern."""
        return () if isinstance(self.parameter, str) else self.parameter.formals


@dataclass(frozen=True, slots=True)
class NixLet:
    entries: tuple[NixBinding | NixInherit, ...]
    body: NixExpr
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixWith:
    """`with environment; body`."""

    environment: NixExpr
    body: NixExpr
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixIf:
    condition: NixExpr
    then: NixExpr
    otherwise: NixExpr
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixNot:
    operand: NixExpr
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixHas:
    """`base ? a.b`."""

    base: NixExpr
    path: NixSteps
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixAssert:
    """`assert condition; body`."""

    condition: NixExpr
    body: NixExpr
    places: Places | None = _places()
    extent: Extent | None = _extent()


NixOp = Literal["++", "//", "+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "->"]


@dataclass(frozen=True, slots=True)
class NixBinary:
    op: NixOp
    left: NixExpr
    right: NixExpr
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixRaw:
    """Nix text of a user. It is printed verbatim, in parentheses unless it is atomic.

    Only the values in it are printed as their places require.
    """

    parts: tuple[str | NixQuoted, ...]
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixOther:
    """Nix text that was read and has no node of its own, such as a path with `${…}` in it. `within`
    are the expressions in it."""

    text: str
    within: tuple[NixExpr, ...] = ()
    places: Places | None = _places()
    extent: Extent | None = _extent()


@dataclass(frozen=True, slots=True)
class NixQuoted:
    """A value in Nix text: an operand in code, or characters of a string.

    `place` and `dollar` are those of `values.NixPart`.
    """

    value: NixExpr | str
    place: NixPlace = "code"
    dollar: bool = False


NixExpr = (
    NixString
    | NixLate
    | NixInt
    | NixFloat
    | NixPath
    | NixSearchPath
    | NixIdent
    | NixSelect
    | NixApply
    | NixList
    | NixAttrs
    | NixLambda
    | NixLet
    | NixWith
    | NixIf
    | NixNot
    | NixHas
    | NixAssert
    | NixBinary
    | NixRaw
    | NixOther
)

NixSteps = tuple[str | NixExpr, ...]
"""A path of attributes. A name is plain text, and a computed step, `${…}`, is an expression."""


@dataclass(frozen=True, slots=True)
class NixFile:
    """A whole file: the comment lines at its head (each becomes a line `# …`), and an expression.
    """

    header: tuple[str, ...]
    body: NixExpr


TRUE: Final = NixIdent("true")
FALSE: Final = NixIdent("false")
NULL: Final = NixIdent("null")


def written_path(steps: NixSteps) -> tuple[str, ...] | None:
    """*steps* if none of them is computed; else None."""
    names = tuple([step for step in steps if isinstance(step, str)])
    return names if len(names) == len(steps) else None


def elements(items: NixList) -> list[NixExpr]:
    """The elements of a list, without their comments."""
    return [item.value if isinstance(item, NixCommented) else item for item in items.items]


def children(node: NixExpr) -> list[NixExpr]:
    """The expressions directly in *node*."""
    match node:
        case NixString(parts):
            return [part for part in parts if not isinstance(part, (str, NixLate))]
        case NixIdent() | NixInt() | NixFloat() | NixPath() | NixSearchPath() | NixLate():
            return []
        case NixSelect(base, path, default):
            return [base, *_computed(path), *([default] if default is not None else [])]
        case NixApply(function, argument):
            return [function, argument]
        case NixLambda():
            defaults = [formal.default for formal in node.formals]
            return [*(value for value in defaults if value is not None), node.body]
        case NixAttrs(entries):
            return _of_entries(entries)
        case NixLet(entries, body):
            return [*_of_entries(entries), body]
        case NixList():
            return elements(node)
        case NixBinary(_, left, right):
            return [left, right]
        case NixIf(condition, then, otherwise):
            return [condition, then, otherwise]
        case NixWith(first, body) | NixAssert(first, body):
            return [first, body]
        case NixNot(operand):
            return [operand]
        case NixHas(base, path):
            return [base, *_computed(path)]
        case NixRaw(parts):
            values = [part.value for part in parts if isinstance(part, NixQuoted)]
            return [value for value in values if not isinstance(value, str)]
        case NixOther(_, within):
            return list(within)
        case _:
            assert_never(node)


def _computed(path: NixSteps) -> list[NixExpr]:
    return [step for step in path if not isinstance(step, str)]


def _of_entries(entries: Iterable[NixBinding | NixInherit | NixSlot]) -> list[NixExpr]:
    found: list[NixExpr] = []
    for entry in entries:
        match entry:
            case NixBinding(path, value):
                found += [*_computed(path), value]
            case NixInherit(names, None):
                found += [NixIdent(name) for name in names]
            case NixInherit(_, source) if source is not None:
                found.append(source)
    return found


def walk(nodes: Iterable[NixExpr]) -> Iterator[NixExpr]:
    """*nodes* and all nodes in them. Each is before its parts, and the last node is first."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node
        waiting += children(node)


def names_in(nodes: Iterable[NixExpr]) -> frozenset[str]:
    """All variables that *nodes* name, whether or not they are bound there."""
    return frozenset([node.name for node in walk(nodes) if isinstance(node, NixIdent)])


def extent_of(node: NixExpr | NixBinding | NixInherit) -> Extent:
    """The extent of *node* in the text that it was read from; NOWHERE if it was not read."""
    return node.extent or NOWHERE


if TYPE_CHECKING:
    Node = TypeVar("Node", bound=NixExpr | NixCommented | NixBinding)


def placed(node: Node, made: Lines, around: Lines = 0, lines: tuple[Lines, ...] = ()) -> Node:
    """*node* with these source lines added."""
    from tvarc.values.provenance import Places

    known = node.places
    if known is not None:
        made, around, lines = known.made | made, known.around | around, lines or known.lines
    return replace(node, places=Places(made, around, lines))


def bare(node: Node) -> Node:
    """*node* without its source lines."""
    return replace(node, places=None)
