"""The resolved program. Names are symbols here, and no string names a thing.

Expressions have the structure of the syntax, and references point at their declarations.
Declarations are flattened: the blocks and conditions of a recipe become a list of writes, each with
its conditions.
"""

from __future__ import annotations

from tvarc.blocks import OF_SYSTEMS
from tvarc.light import Final, Iterator, Literal, Sequence, dataclass, field
from tvarc.syntax.ast import CompareOp
from tvarc.text.source import Span
from tvarc.values.value import NixPlace, RowValue, Value

Path = tuple[str, ...]


def _span() -> Span:
    return field(compare=False)  # type: ignore[no-any-return]


# --- expressions ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Const:
    """A literal, or a name with a constant value: a row, a declaration, none."""

    value: Value
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Text:
    """A string or script with interpolations."""

    parts: tuple[str | Expr, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class AxisRef:
    axis: str
    table: Table | None
    span: Span = _span()


@dataclass(frozen=True, slots=True, eq=False)
class LetDef:
    """`let`: a value with a name. `expr` is filled in when its module is resolved."""

    name: str
    id: str
    span: Span
    body: list[Expr] = field(default_factory=list)
    # Cached properties of the value, so that a chain of `let`s is walked once.
    known: dict[str, object] = field(default_factory=dict, repr=False)

    @property
    def expr(self) -> Expr | None:
        return self.body[0] if self.body else None


def is_input(let: LetDef) -> bool:
    """Whether *let* is an input, another repository."""
    return isinstance(let.expr, Apply) and let.expr.function == "input"


def folder_of(source: LetDef) -> Const | None:
    """The folder of the input *source*; None if it is fetched."""
    given = dict(source.expr.arguments) if isinstance(source.expr, Apply) else {}
    folder = given.get("path")
    return folder if isinstance(folder, Const) else None


@dataclass(frozen=True, slots=True)
class LetRef:
    target: LetDef
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class SettingRef:
    """A setting of the same variant, which is decided late: `meta.description`, `variant`, a flag.
    """

    path: Path
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class FieldRef:
    """A field of the current row in `T[where …]`, or the current element in `Each`."""

    name: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a table, from which one is looked up by its name: `nvidia[gpu]`, `gpu in nvidia`.
    """

    table: Table
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class NeedRef:
    """`needs.torch`. With a path, a value that the needed recipe decides: `needs.torch.variant`,
    `needs.torch.attrs.pname`."""

    name: str
    path: Path
    name_span: Span = _span()
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class AxisChoice:
    """The value for one axis of a needed matrix: the value for which a condition on its facts
    holds, or the value that is written."""

    axis: str
    value: Expr
    where: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A needed matrix: its variant with the values of this cell, and those that `choices` select.
    `targets` are the matrices that are built from it. Choices and targets are filled in when all
    matrices are known. A link without a target has an error, which is reported."""

    name: str
    id: str
    by_argument: bool
    span: Span
    choices: list[AxisChoice] = field(default_factory=list)
    targets: list[MatrixDef] = field(default_factory=list)

    @property
    def chosen(self) -> frozenset[str]:
        """The axes whose value is chosen in brackets."""
        return frozenset(choice.axis for choice in self.choices)

    @property
    def shared(self) -> frozenset[str]:
        """The axes that have the value of this cell."""
        names = {pick.axis.name for matrix in self.targets for pick in matrix.axes}
        return frozenset(names - self.chosen)


@dataclass(frozen=True, slots=True)
class Lacks:
    """Whether the target of a need is missing: `needs … or exclude`."""

    link: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class NixRoot:
    """`pkgs final prev old`."""

    name: str
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class NixInterpolation:
    """`{{value}}` in Nix text. `place` and `dollar` are those of `values.NixPart`."""

    value: Expr
    place: NixPlace
    dollar: bool
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class NixCode:
    """`nix\"\"\"…\"\"\"`, with the values in it. `pkgs` is the place where it certainly reads the
    package set itself, and not only in a function. `needs` are the needs that it reads itself."""

    parts: tuple[str | NixInterpolation, ...]
    pkgs: Span | None = field(compare=False)
    needs: tuple[NeedRef, ...] = field(compare=False)
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Member:
    base: Expr
    name: str
    name_span: Span = _span()
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Index:
    base: Expr
    key: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Spread:
    value: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class ListOf:
    items: tuple[Expr | Spread, ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Each:
    """The elements that `items` have, for each element of `source` that fulfils `condition`. Both
    read the current element by a `FieldRef` with `name`."""

    items: ListOf
    name: str
    source: Expr
    condition: Expr | None
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class RecordOf:
    entries: tuple[tuple[Path, Expr], ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Not:
    operand: Expr
    span: Span = _span()


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
class If:
    condition: Expr
    then: Expr
    otherwise: Expr
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Apply:
    """A call of a function of the language. The arguments have the order of its signature."""

    function: str
    arguments: tuple[tuple[str, Expr], ...]
    span: Span = _span()


@dataclass(frozen=True, slots=True)
class Broken:
    """An expression with an error that is already reported. Evaluating it fails without another
    report."""

    span: Span = _span()


Expr = (
    Const
    | Text
    | AxisRef
    | LetRef
    | SettingRef
    | FieldRef
    | Rows
    | NeedRef
    | Link
    | Lacks
    | NixRoot
    | NixCode
    | Member
    | Index
    | Each
    | ListOf
    | RecordOf
    | Not
    | Compare
    | Logic
    | If
    | Apply
    | Broken
)


# --- tables and axes -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FieldType:
    """The type of a field or flag: a kind, whether null is allowed, and the allowed values."""

    kind: str
    element: FieldType | None = None
    optional: bool = False
    allowed: tuple[Value, ...] = ()

    def show(self) -> str:
        inner = f"[{self.element.show()}]" if self.element else self.kind
        return f"{inner}?" if self.optional else inner


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A facts table as one module sees it. All extended copies have the same `origin`."""

    name: str
    origin: str
    fields: dict[str, FieldType]
    rows: dict[str, RowValue]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class AxisDef:
    """A dimension and its values in declared order. `values` is None if the axis is only named."""

    name: str
    id: str
    values: tuple[Value, ...] | None
    table: Table | None
    span: Span


# --- settings --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """One `when`. Its identity counts, so that a condition that never holds can be reported."""

    expr: Expr
    span: Span


Strength = Literal["default", "normal", "force", "command line"]


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """One assignment as written. `layer` is the name of its declaration, for messages.

    A part of a text is a write with the operator `part`. `part` has its name and its place among
    the parts. The value is `none` if the write removes the part. A need is a write, too: its path
    is `needs` and its name, and `or_exclude` is the reason to drop a cell without it.
    """

    path: Path
    op: Literal["=", "+=", "-=", "part"]
    value: Expr
    strength: Strength
    conditions: tuple[Condition, ...]
    because: str
    layer: str
    span: Span
    because_span: Span | None = None
    part: PartPlace | None = None
    or_exclude: str | None = None


def plain_write(path: Path, value: Expr, layer: str, span: Span) -> Write:
    """A write of the usual strength, without conditions and without a reason."""
    return Write(path, "=", value, "normal", (), "", layer, span)


@dataclass(frozen=True, slots=True, eq=False)
class PartPlace:
    """The name of one part of a text, None if it has none, and its place: before or after the part
    *anchor*, or at the place of its first write."""

    name: str | None
    placement: Literal["before", "after"] | None = None
    anchor: str | None = None
    anchor_span: Span | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FlagDef:
    name: str
    type: FieldType
    default: Expr
    because: str
    layer: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class ExcludeModule:
    """`exclude MODULE`: the exclusions of a module apply at this place."""

    SHOWN = ("module", "span")
    KEYS = (("span", ""),)

    module: str
    because: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Include:
    """One `include` of a matrix: the condition that its cells fulfil, and a reason."""

    expr: Expr
    because: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """`exclude`, `require` or `warn`: a condition with a reason. `name` is the name of a warning.

    `through` is the `exclude MODULE` that applies an exclusion of a module; None if it is written
    here. `need` is the name of the need without which cells are dropped. `includes` are all
    `include`s of a matrix, if the exclusion drops the cells that none of them names.
    """

    kind: Literal["exclude", "require", "warn"]
    expr: Expr
    because: str
    conditions: tuple[Condition, ...]
    span: Span
    name: str = ""
    through: ExcludeModule | None = None
    need: str = ""
    includes: tuple[Include, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """The additions of one recipe (or the body of a matrix), in source order."""

    name: str
    id: str
    writes: tuple[Write, ...]
    flags: tuple[FlagDef, ...]
    checks: tuple[Check, ...]
    conditions: tuple[Condition, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class RecipeDef:
    """A recipe, or a mixin. The parents of a recipe include its mixins. Each of these is a copy of
    the mixin that extends the parents before it."""

    name: str
    id: str
    parent: RecipeDef | None
    layer: Layer
    span: Span
    lets: dict[str, LetDef]
    noun: Literal["recipe", "mixin"] = "recipe"

    def chain(self) -> tuple[RecipeDef, ...]:
        """This recipe, its mixins, and all that it extends. The root is first."""
        found: list[RecipeDef] = []
        recipe: RecipeDef | None = self
        while recipe is not None:
            found.append(recipe)
            recipe = recipe.parent
        return tuple(reversed(found))


@dataclass(frozen=True, slots=True, eq=False)
class PinDef:
    """A nixpkgs. `blocks` are the settings of `config`, `localSystem` and `crossSystem`. `checkout`
    is the folder that a `path` names, with the loader's name; it is empty for a fetched nixpkgs."""

    name: str
    id: str
    fields: dict[str, Write]
    blocks: tuple[Write, ...]
    span: Span
    checkout: str = ""

    def made_of(self) -> Iterator[Write]:
        """The settings that decide which package set this is, before it is configured."""
        yield from self.fields.values()
        yield from (write for write in self.blocks if write.path[0] in OF_SYSTEMS)


@dataclass(frozen=True, slots=True, eq=False)
class Until:
    """The condition under which an overlay is no longer needed: a package, and its first version
    that has the change, which is a write of `until`. The package is in the set that the overlay
    changes, or with `nixpkgs` in nixpkgs itself."""

    package: tuple[str, ...]
    nixpkgs: bool
    version: Write
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class OverlayDef:
    """An overlay or a patch. `target` is empty for an overlay on nixpkgs. `relation` is `in` for a
    set and `for` for a package. A computed step of the target is a write of `target.N`.

    A patch is an overlay `for` a package with a true `patch`. Its writes are the fields of the
    patch.
    """

    name: str
    id: str
    relation: Literal["in", "for"] | None
    target: tuple[str | Write, ...]
    because: str
    patch: bool
    via: Write | None
    layer: Layer
    span: Span
    because_span: Span | None = None
    until: Until | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AxisPick:
    """One axis of a matrix, and its values that are used, in declared order."""

    axis: AxisDef
    values: tuple[Value, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class MatrixDef:
    """A matrix, or a variant (a matrix of one cell, `single`).

    `layers` are those of all that it extends, the root first, and its own layer at the end.
    `excludes` are the exclusions of all of them.
    """

    name: str
    id: str
    recipe: RecipeDef
    axes: tuple[AxisPick, ...]
    name_expr: Expr
    excludes: tuple[Check, ...]
    layers: tuple[Layer, ...]
    limit: int
    single: bool
    span: Span
    # Its built cells, in order. They are filled in when it is expanded.
    built: list[Sequence[int]] = field(default_factory=list, repr=False)

    @property
    def name_parts(self) -> tuple[str | Expr, ...]:
        """The parts of its names: text, and values, which no selector may cut. A `let` with a text
        is replaced by the parts of that text."""
        return tuple(_written_out(self.name_expr))

    @property
    def lineage(self) -> tuple[str, ...]:
        """The ids of the matrix and of all that it extends."""
        return tuple(layer.id for layer in self.layers)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the matrix and of all that it extends, without duplicates."""
        return tuple(dict.fromkeys(layer.span.file for layer in self.layers))


def _written_out(expr: Expr) -> Iterator[str | Expr]:
    match expr:
        case Text():
            for part in expr.parts:
                if isinstance(part, str):
                    yield part
                else:
                    yield from _written_out(part)
        case LetRef() if isinstance(expr.target.expr, Text):
            yield from _written_out(expr.target.expr)
        case _:
            yield expr


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A matrix with axes that have no values. Only matrices that extend it are built."""

    name: str
    open: tuple[str, ...]
    span: Span


OutputForm = Literal["recipes", "all", "flake", "flox-manifest", "jobs", "github", "image", "docs"]
"""The content of an output: a file for each variant; all variants in one file, as attributes of a
set or of a flake; entries in a manifest; a description of the builds for other systems; images of
the variants; or parts of a page."""


LIMIT_RECIPES: Final = 1 << 30
"""The most bytes of all recipes of an output without a limit."""


@dataclass(frozen=True, slots=True, eq=False)
class OutputDef:
    """An output. `prefix` is the first step of the names that variants have by their axes; None if
    there is none. `fields` are those that only some forms have, by name. `limit` is the most bytes
    that the files of the output may have together, if its form has a file for each variant."""

    name: str
    file: Expr
    span: Span
    form: OutputForm = "recipes"
    prefix: Expr | None = None
    fields: tuple[tuple[str, Expr], ...] = ()
    limit: int = LIMIT_RECIPES

    @property
    def one_file(self) -> str:
        """The path of the file, for an output with one file for all variants."""
        assert isinstance(self.file, Const) and isinstance(self.file.value, str)
        return self.file.value


@dataclass(frozen=True, slots=True, eq=False)
class WarnOff:
    name: str
    because: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """All declarations of the entry file and its imports. What a declaration names is a field
    before it, so that a dump shows it first.

    - `file`: the entry file. Only there is a setting without an effect an error, because a library
      may have more than one program uses.
    - `excludes`: the exclusions that apply to all matrices. `excludes_of`: for each file, those
      that apply only to its matrices and to matrices that extend them; other files name it in
      `exclude`.
    - `patterns`: the matrices that are not built, because an axis has no values.
    - `extended`: the tables with additions, by origin.
    - `outputs`: those with a file for each variant. `collections`: those with one file for all of
      them. `manifests`: those that put entries into a file of Flox. `jobs`: those that describe the
      builds to other systems. `documents`: those that fill in pages.
    - `inputs`: the `let`s of inputs.
    - `stacked`: whether a recipe may need variants of matrices. `by_argument`: whether it may take
      them as arguments.
    - `looked_for`: the names in Nix text that a `with` provides.
    """

    file: str
    lets: dict[str, LetDef] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    axes: dict[str, AxisDef] = field(default_factory=dict)
    pins: tuple[PinDef, ...] = ()
    overlays: tuple[OverlayDef, ...] = ()
    recipes: tuple[RecipeDef, ...] = ()
    matrices: tuple[MatrixDef, ...] = ()
    excludes: tuple[Check, ...] = ()
    excludes_of: dict[str, tuple[Check, ...]] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    conditions: tuple[Condition, ...] = ()
    warn_off: tuple[WarnOff, ...] = ()
    outputs: tuple[OutputDef, ...] = ()
    patterns: tuple[Pattern, ...] = ()
    extended: dict[str, Table] = field(default_factory=dict)
    collections: tuple[OutputDef, ...] = ()
    inputs: tuple[LetDef, ...] = ()
    stacked: bool = False
    by_argument: bool = False
    manifests: tuple[OutputDef, ...] = ()
    jobs: tuple[OutputDef, ...] = ()
    documents: tuple[OutputDef, ...] = ()
    looked_for: frozenset[str] = frozenset()

    @property
    def written_outputs(self) -> tuple[OutputDef, ...]:
        """The outputs whose whole files belong to tvarc."""
        return (*self.all_outputs, *self.jobs)

    @property
    def all_outputs(self) -> tuple[OutputDef, ...]:
        """The outputs, of every form, whose files are Nix."""
        return (*self.outputs, *self.collections)
