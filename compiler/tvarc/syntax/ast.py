"""The syntax tree: the source as written, with spans. Nothing in it is resolved or checked.

Every node has a span. Spans are ignored when nodes are compared, so two texts that differ only in
layout have equal trees.
"""

from __future__ import annotations

from tvarc.light import Iterator, Literal, dataclass, field
from tvarc.text.source import Span
from tvarc.values.value import NixPlace


def _span() -> Span:
    return field(compare=False)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Name:
    """One identifier as written."""

    text: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Key:
    """One step of a setting's path: a bare name, or a quoted string."""

    text: str
    quoted: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ComputedKey:
    """`[expr]`: a computed step of the path that an overlay sets."""

    value: Expr
    span: Span = _span()


# --- expressions ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Interpolation:
    """`{{expression}}` within a string or script."""

    value: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class StringLit:
    """A string, or a script (`\"\"\"…\"\"\"`) whose indentation is already stripped. Escapes are
    resolved.

    `parts` are texts and interpolations in any order. An empty string has no parts.
    """

    parts: tuple[str | Interpolation, ...]
    script: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class IntLit:
    value: int
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class VersionLit:
    """A version as written: digits and dots only, `13.0`, `2.10.0`."""

    text: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class BoolLit:
    value: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class NullLit:
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class NoneLit:
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class NixInterpolation:
    """`{{expression}}` within Nix text. `place` and `dollar` have the meaning that they have in
    `values.NixPart`."""

    value: Expr
    place: NixPlace
    dollar: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class NixOuter:
    """A name in Nix text that refers to something outside of the text. `later`: it may be read only
    when a function in the text is called."""

    name: str
    later: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class NixNeed:
    """`needs.NAME` in Nix text. The name is empty if the text does not spell it out."""

    name: Name | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class NixLit:
    """`nix\"\"\"…\"\"\"`: a Nix expression, with its indentation stripped, and the values in it.

    It has no parts if a fault in it was reported. `outer` are the names that refer to something
    outside of the text. `needs` are the needs that the text reads.
    """

    parts: tuple[str | NixInterpolation, ...]
    outer: tuple[NixOuter, ...]
    needs: tuple[NixNeed, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Ref:
    """A bare name in an expression."""

    name: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Member:
    base: Expr
    name: Key
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class RangePick:
    """`sm80..sm121` between brackets: a range that includes both ends."""

    first: Expr
    last: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class WherePick:
    """`where capability >= 8.0` between brackets."""

    condition: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class AxisPick:
    """`release where version == 2.10`, or `release = torch2_10`, between the brackets after a
    matrix that is needed. It picks the value of one axis of that matrix."""

    axis: Name
    value: Expr
    where: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Index:
    """`base[…]`. After a value, the brackets hold one expression. After a table, an axis or a
    needed matrix, they hold one pick or more."""

    base: Expr
    picks: tuple[Pick, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Spread:
    value: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Each:
    """`element for name in source [if condition]` in a list: makes an element for each element of
    *source*."""

    element: Expr | Spread
    name: Name
    source: Expr
    condition: Expr | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ListLit:
    items: tuple[Expr | Spread | Each, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class RecordEntry:
    path: tuple[Key, ...]
    value: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class RecordLit:
    entries: tuple[RecordEntry, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Not:
    operand: Expr
    span: Span = _span()


CompareOp = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"]


@dataclass(frozen=True, slots=True)
class Compare:
    op: CompareOp
    left: Expr
    right: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Logic:
    op: Literal["and", "or"]
    left: Expr
    right: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Conditional:
    condition: Expr
    then: Expr
    otherwise: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call. `name` is None for a positional argument."""

    name: Name | None
    value: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Call:
    function: Name
    arguments: tuple[Argument, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Product:
    """`a * b[v, w]`. It may only be the whole right side of an assignment (`axes = …`)."""

    terms: tuple[Expr, ...]
    span: Span = _span()


Expr = (
    StringLit
    | IntLit
    | VersionLit
    | BoolLit
    | NullLit
    | NoneLit
    | NixLit
    | Ref
    | Member
    | Index
    | ListLit
    | RecordLit
    | Not
    | Compare
    | Logic
    | Conditional
    | Call
    | Product
)


# --- types, as written after `:` ------------------------------------------------------------


Pick = Expr | RangePick | WherePick | AxisPick
"""The expressions that may be between the brackets of an `Index`."""


@dataclass(frozen=True, slots=True)
class NamedType:
    """`string int bool version path …`. The resolver knows which of these names are types."""

    name: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ListType:
    """`[string]`."""

    element: TypeExpr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class OptionalType:
    """`string?`: the type or null. A field of such a type may be left out."""

    element: TypeExpr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class OneOfType:
    """`one_of("a", "b")`."""

    values: tuple[Expr, ...]
    span: Span = _span()


TypeExpr = NamedType | ListType | OptionalType | OneOfType


# --- items: declarations at top level, and the contents of braces -----------------------------
#
# The parser accepts every item in every body. The resolver decides where each is allowed.


@dataclass(frozen=True, slots=True)
class Language:
    """`language 1`: the version of the language that the file is written for, in digits and dots.
    `with tvarc >= 0.2` adds that the file needs that version of *program*, or a later one."""

    number: str
    program: Name | None
    version: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Use:
    """`use std.nvidia [as n]` (`module` is ("std", "nvidia")) or `use "./file.tvar"` (`path`). A
    path may be followed by `from NAME` (`origin`), the input that has the file."""

    module: tuple[str, ...] | None
    path: str | None
    origin: Name | None
    alias: Name | None
    target: Span = _span()
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Let:
    name: Name
    value: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class FieldDecl:
    name: Name
    type: TypeExpr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Row:
    """`sm80 { capability = 8.0 … }`: a value of a table or an axis, with its facts."""

    name: Name
    body: tuple[Item, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class DataFile:
    path: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Facts:
    """One of three forms:

    - `facts T (f: type, …) { rows }` declares a table.
    - `facts T += (added: type) { rows }` (`extends`) adds fields.
    - `facts T override { rows }` (`extends` and `overrides`) corrects existing rows.

    In place of rows there may be `from "gpus.toml"` (`data`), a file whose rows are read when the
    module is loaded.
    """

    name: Name
    extends: bool
    overrides: bool
    fields: tuple[FieldDecl, ...]
    rows: tuple[Row, ...]
    data: DataFile | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Axis:
    """`axis a = source`, `axis a { rows }`, or `axis a: table` (declared here, given its values
    elsewhere).

    Exactly one of source, rows and table is given. Rows may be an empty tuple.
    """

    name: Name
    source: Expr | None
    rows: tuple[Row, ...] | None
    table: Name | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Pin:
    name: Name
    body: tuple[Item, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Input:
    name: Name
    body: tuple[Item, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Until:
    """`until sympy >= 1.13.1`: from that version of the package on, the overlay is not needed."""

    package: tuple[Key, ...]
    version: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Overlay:
    """`overlay o { … }`, `overlay o in SET { … }`, `overlay o for PKG { … }`."""

    name: Name
    relation: Literal["in", "for"] | None
    target: tuple[Key | ComputedKey, ...]
    until: Until | None
    because: StringLit | None
    body: tuple[Item, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Patch:
    name: Name
    target: tuple[Key | ComputedKey, ...]
    until: Until | None
    because: StringLit | None
    body: tuple[Item, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Recipe:
    """`recipe r [extends s] [with m, …] { … }`, or `mixin m { … }` (`partial`). `extends` has two
    names for `module.recipe`, one for a recipe of this module, and none if nothing is extended.
    Each of `mixins` has one name or two, in the same way."""

    name: Name
    extends: tuple[Name, ...]
    mixins: tuple[tuple[Name, ...], ...]
    partial: bool
    body: tuple[Item, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Matrix:
    """`matrix m [extends n] { … }`. `extends` is as in `Recipe`."""

    name: Name
    extends: tuple[Name, ...]
    body: tuple[Item, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Variant:
    name: Name
    body: tuple[Item, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Output:
    """`output NAME: FORM { … }`. *form* is None if the program gives none."""

    name: Name
    form: Name | None
    body: tuple[Item, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Include:
    """`include gpu == sm80`, or `include sm80 * [avx2, sse4]`, whose values are in the order of the
    axes."""

    condition: Expr
    because: StringLit | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Exclude:
    condition: Expr
    because: StringLit | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Require:
    condition: Expr
    because: StringLit | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Warn:
    """`warn n = E because "…"`. `condition` is None for `warn n = off`."""

    name: Name
    condition: Expr | None
    because: StringLit | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Flag:
    """`flag f: type = E [because …]` declares a flag. Without a type, `flag f = E` sets one."""

    name: Name
    type: TypeExpr | None
    value: Expr
    because: StringLit | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Needs:
    """`needs NAME = TARGET`. `by_argument`: the target becomes an argument of the recipe.
    `or_exclude`: a cell that lacks its target is dropped."""

    name: Name
    target: Expr
    by_argument: bool
    or_exclude: bool
    because: StringLit | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Assign:
    """`[default|force] a.b = E [because "…"]`, or the same with `+=` or `-=`."""

    path: tuple[Key, ...]
    op: Literal["=", "+=", "-="]
    value: Expr
    strength: Literal["default", "normal", "force"]
    because: StringLit | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Block:
    """`attrs { … }`: a named group of items. The resolver knows the names. `of` is the name of the
    test in `test NAME { … }`."""

    name: Name
    body: tuple[Item, ...]
    of: Key | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Else:
    """`else { … }` after the body of a `when`. For `else when … { … }` the body is that `when`.
    `span` is the span of the word `else`."""

    body: tuple[Item, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class When:
    condition: Expr
    body: tuple[Item, ...]
    otherwise: Else | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Script:
    """`script s { parts }`, or `script s += \"\"\"…\"\"\"` (the body is then one part without a
    name)."""

    name: Key
    body: tuple[Item, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Part:
    """`part p [before|after q] "text"`, `part p = none` (removes the part), or `+= "text"` (name
    None).

    `strength` has the same meaning as in an assignment.
    """

    name: Name | None
    placement: Literal["before", "after"] | None
    anchor: Name | None
    text: StringLit | NoneLit
    strength: Literal["default", "normal", "force"]
    span: Span = _span()


Item = (
    Language
    | Use
    | Let
    | Facts
    | Axis
    | Pin
    | Input
    | Overlay
    | Patch
    | Recipe
    | Matrix
    | Variant
    | Output
    | Include
    | Exclude
    | Require
    | Warn
    | Flag
    | Needs
    | Assign
    | Block
    | When
    | Script
    | Part
)


def items_in(item: Item) -> tuple[Item, ...]:
    """The items between the braces of *item*, including those of its `else`."""
    behind = item.otherwise.body if isinstance(item, When) and item.otherwise else ()
    return (*getattr(item, "body", ()), *behind)


@dataclass(frozen=True, slots=True)
class Module:
    """One file: its items in source order. `holes` are the places of parts that are left out
    because of a syntax error: an item, a statement in one, or an empty place if a bracket is
    missing."""

    file: str
    items: tuple[Item, ...]
    holes: tuple[Span, ...] = field(compare=False, repr=False)
    span: Span = _span()


def walk(node: object) -> Iterator[object]:
    """All nodes of a tree."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, tuple):
            waiting.extend(one)
        elif hasattr(one, "__dataclass_fields__"):
            yield one
            waiting.extend(getattr(one, name) for name in one.__dataclass_fields__)
