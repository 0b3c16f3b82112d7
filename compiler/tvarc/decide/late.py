"""Late parts: parts of texts that vary along more axes than the rest of the text.

`"for {{gpu.label}} with {{isa.label}}"` has as many values as there are pairs of a GPU and an
instruction set, but the text between the two values is always the same. So such a text can be
decided with late parts, `values.Late`. It then depends on fewer axes, and each variant fills in its
late parts.

Only printed settings have late parts. A condition, a comparison or a function that reads the
setting gets the whole text.

With tracing, each late part has a bit of its own among the source lines. A line of a recipe that
contains the part has this bit, until the variant replaces it by the lines of its own text.
"""

from __future__ import annotations

from tvarc.blocks import IN_PARTS, OF_PACKAGE
from tvarc.decide.plan import GroupKey, Plan, group_of
from tvarc.decide.rows import Key
from tvarc.light import (
    TYPE_CHECKING,
    Final,
    Iterator,
    Literal,
    Mapping,
    Protocol,
    Sequence,
    fields,
    suppress,
)
from tvarc.matrix.dependencies import Dependencies, DependencySet
from tvarc.meaning import hir
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.meaning.evaluation.hash_places import names_hashes
from tvarc.meaning.evaluation.kinds import walk
from tvarc.meaning.functions import kind_text
from tvarc.nix import ir
from tvarc.nix.nixpkgs import KINDS
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.values.value import (
    Late,
    NixText,
    Record,
    RowValue,
    Value,
    Version,
)

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines, Numbering, Prov


class Deciding(Protocol):
    """The interface of the variant that fills in late parts (`decide/decide.py`)."""

    variant: str

    def evaluator(self, sink: Sink | None = None) -> Evaluator: ...

    def evaluated(
        self, evaluator: Evaluator, expr: hir.Expr, quiet: Literal["loses"]
    ) -> Value: ...

    def late_setting(
        self, ref: hir.SettingRef, used: dict[Late, None]
    ) -> tuple[Value, Prov | None]: ...


class Traced(Protocol):
    """The interface of a traced variant that fills in late parts."""

    def lines_of(self, expr: hir.Expr) -> Lines: ...


BLOCKS: Final = frozenset([block.name for block in OF_PACKAGE])
"""The blocks whose texts may have late parts: the changes of the package."""

_OFTEN: Final = 8
"""A text with at most this many values is decided once for each value."""
_SHARE: Final = 256
_DEEPEST: Final = 40
_MOST_LETS: Final = 1000
_MOST: Final = 1023
"""A plan has at most this many late parts, because each variant has a text for each of them."""
_LONGEST: Final = 1000
_ESCAPED: Final = frozenset("\"\\$'{}")
_NAME: Final = "variant"


def fills(text: str) -> bool:
    """Whether *text* can be a late part. It must be printed unchanged in every string of Nix, and
    it must not change how its neighbours are printed."""
    if text.replace("-", "_").isidentifier():  # a quick test, which most texts pass
        return len(text) <= _LONGEST
    return (
        0 < len(text) <= _LONGEST
        and text.isprintable()
        and _ESCAPED.isdisjoint(text)
        and text[0] != " "
        and text[-1] != " "
    )


class Lates:
    """The late parts of the texts of one plan.

    `axes` has the settings whose texts have late parts, each with the axes that decide the rest.
    `fills` returns whether a text can be a late part.
    """

    fills = staticmethod(fills)

    __slots__ = (
        "_places", "_reads", "_sizes", "_waiting", "axes", "bits", "by_axes", "decided", "exprs",
        "known", "name", "numbering", "plan",
    )  # fmt: skip

    def __init__(
        self,
        plan: Plan,
        reads: Dependencies,
        sizes: Mapping[str, int],
        numbering: Numbering | None = None,
    ) -> None:
        """*sizes* has the number of values of each axis. With tracing, *numbering* assigns the bits
        of late parts."""
        self.plan = plan
        self.numbering = numbering
        self.bits: dict[Late, Lines] = {}
        self._reads = reads
        # By the identity of an expression, its late part, or the expression to evaluate in its
        # place. In this way a `let` is written out.
        self._places: dict[int, Late | hir.Expr] = {}
        self.known: dict[object, Late] = {}
        # The expression of each late part; None for the name of the variant.
        self.exprs: dict[Late, hir.Expr | None] = {}
        self.axes: dict[GroupKey, frozenset[str]] = {}
        # The decisions with late parts, each with its late parts.
        self.decided: dict[GroupKey, dict[Key, object]] = {}
        self._sizes = sizes
        self._waiting = {
            group: None
            for group in plan.groups
            if group[0] in BLOCKS and _is_free(group, plan)
        }
        while self._waiting:
            self.find(next(iter(self._waiting)))
        # The late part for the name of the variant, and the other ones by the axes that decide
        # them.
        self.name: Late | None = None
        self.by_axes: dict[frozenset[str], list[Late]] = {}
        for late, expr in self.exprs.items():
            if expr is None:
                self.name = late
            else:
                self.by_axes.setdefault(late.axes, []).append(late)

    def find(self, group: GroupKey) -> bool:
        """Whether *group* has late parts."""
        if group not in self._waiting:
            return group in self.axes
        del self._waiting[group]
        axes, name = self.plan.transitive_dependencies([group], self._reads)
        several = sum(self._sizes[axis] > 1 for axis in axes) > 1
        often = max(_OFTEN, _product(self._sizes, self.plan.axes) // _SHARE)
        if name or (several and _product(self._sizes, axes) > often):
            self._find(group, axes)
        return group in self.axes

    def is_as_before(self, group: GroupKey) -> bool:
        """Whether *group*, to which other values are written now, has the same late parts."""
        before = (self.axes.pop(group, None), len(self.known))
        if group[0] in BLOCKS and _is_free(group, self.plan):
            self._waiting[group] = None
            self.find(group)
        return (self.axes.get(group), len(self.known)) == before

    def shares(self, group: GroupKey) -> bool:
        """Whether variants share *group* except for parts of its texts, and none of these parts is
        a whole value."""
        values = [one.write.value for one in self.plan.groups[group]]
        found = map(self.place, walk(values, lets=True))
        return group in self.axes and not any(isinstance(one, Late) and one.whole for one in found)

    def place(self, expr: hir.Expr) -> Late | hir.Expr | None:
        """The late part for *expr*, or the expression to evaluate in its place. None for any other
        expression."""
        return self._places.get(id(expr))

    def texts(self, late_parts: Sequence[Late], deciding: Deciding) -> dict[Late, str]:
        """The texts of *late_parts* in one variant. Parts that it cannot fill in are missing."""
        found: dict[Late, str] = {}
        for late in late_parts:
            expr = self.exprs[late]
            text = _text(late, expr, deciding) if expr is not None else deciding.variant
            if text is not None and fills(text):
                found[late] = text
        return found

    def lines(self, late_parts: Sequence[Late], deciding: Traced) -> dict[Lines, Lines]:
        """With tracing, the source lines of the texts of *late_parts* in one variant, by the bits
        of the parts."""
        found: dict[Lines, Lines] = {}
        for late in late_parts:
            expr = self.exprs[late]
            if expr is not None:
                with suppress(Failed):  # a part that fails has no text
                    found[self.bits[late]] = deciding.lines_of(expr)
        return found

    def _find(self, group: GroupKey, whole: frozenset[str]) -> None:
        """Find the late parts of *group*, whose whole text depends on the axes *whole*."""
        walk = _Walk(self, self.plan, self._reads)
        try:
            for placed in self.plan.groups[group]:
                walk.reads(self._reads.conditions(placed.write.conditions))
                walk.value(placed.write.value, 0)
        except _ReadsName:
            return
        axes = frozenset(walk.axes) & frozenset(self.plan.axes)
        if axes != whole or walk.named:
            self.axes[group] = axes
            self._places.update(walk.places)


class LateEvaluator(Evaluator):
    """Evaluates the values of a setting that is decided with late parts. These are added to *used*.
    """

    __slots__ = ("deciding", "lates", "used")

    deciding: Deciding
    lates: Lates
    used: dict[Late, None]

    def value(self, expr: hir.Expr) -> Value:
        place = self.lates.place(expr)
        if place is None:
            return super().value(expr)
        if isinstance(place, Late):
            self.used[place] = None
            return NixText((place,))
        if isinstance(place, hir.SettingRef):
            return self.deciding.late_setting(place, self.used)[0]
        return self.value(place)


class _ReadsName(Exception):
    """The rest of the value depends on the name of the variant, too."""


class _Walk:
    """Finds the late parts of one setting. `places` has them, and `axes` the axes that decide the
    rest."""

    def __init__(self, lates: Lates, plan: Plan, reads: Dependencies) -> None:
        self._lates = lates
        self._plan = plan
        self._reads = reads
        self._lets = 0
        self.places: dict[int, Late | hir.Expr] = {}
        self.axes: set[str] = set()
        self.named = False

    def reads(self, found: DependencySet) -> None:
        """Note the reads of an expression that is no late part."""
        axes, name = self._plan.transitive_dependencies(map(group_of, found.settings), self._reads)
        if name:
            raise _ReadsName
        self.axes |= axes | found.axes

    def value(self, expr: hir.Expr, depth: int) -> None:
        """Walk *expr*, a whole value."""
        if depth > _DEEPEST:
            self.reads(self._reads.expr(expr))
            return
        match expr:
            case hir.Text():
                self._text(expr, depth)
            case hir.ListOf():
                for item in expr.items:
                    if isinstance(item, hir.Spread):
                        self.reads(self._reads.expr(item.value))
                    else:
                        self.value(item, depth + 1)
            case hir.RecordOf():
                for _, value in expr.entries:
                    self.value(value, depth + 1)
            case hir.If():
                self.reads(self._reads.expr(expr.condition))
                self.value(expr.then, depth + 1)
                self.value(expr.otherwise, depth + 1)
            case hir.LetRef(target=hir.LetDef(expr=hir.Text() | hir.ListOf() | hir.If() as inner)):
                if self._opens(expr, inner):
                    self.value(inner, depth + 1)
            case hir.SettingRef(path=(only,)) if only == _NAME:
                self._late(expr, _NAME, None, frozenset(self._plan.axes), whole=False)
            case hir.SettingRef():
                self._setting(expr)
            case hir.AxisRef() | hir.LetRef() | hir.Member() | hir.Index() | hir.Apply():
                self._part(expr, whole=True)
            case _:
                self.reads(self._reads.expr(expr))

    def _text(self, text: hir.Text, depth: int) -> None:
        for part in text.parts:
            if not isinstance(part, str):
                self._inner(part, depth + 1)

    def _inner(self, part: hir.Expr, depth: int) -> None:
        """Walk a part of a text."""
        match part:
            case hir.Text() if depth <= _DEEPEST:
                self._text(part, depth)
            case hir.LetRef(target=hir.LetDef(expr=hir.Text() as inner)) if depth <= _DEEPEST:
                if self._opens(part, inner):
                    self._inner(inner, depth + 1)
            case hir.SettingRef(path=(only,)) if only == _NAME:
                self._late(part, _NAME, None, frozenset(self._plan.axes), whole=False)
            case hir.SettingRef():
                self._setting(part)
            case hir.Const():
                pass
            case _:
                self._part(part, whole=False)

    def _setting(self, ref: hir.SettingRef) -> None:
        """Walk a setting that a text contains. It may have late parts of its own."""
        group = group_of(ref.path)
        if ref.path == group and group[0] not in IN_PARTS and self._lates.find(group):
            self.places[id(ref)] = ref
            self.axes |= self._lates.axes[group]
            self.named = True
        else:
            self.reads(self._reads.expr(ref))

    def _opens(self, ref: hir.Expr, inner: hir.Expr) -> bool:
        """Whether one more `let` may be written out. The number is limited, because each `let` that
        names another one twice doubles the text."""
        self._lets += 1
        if self._lets > _MOST_LETS:
            self.reads(self._reads.expr(ref))
            return False
        self.places[id(ref)] = inner
        return True

    def _part(self, expr: hir.Expr, *, whole: bool) -> None:
        """Note *expr* as a late part if it varies and no setting decides it."""
        found = self._reads.expr(expr)
        axes = found.axes & frozenset(self._plan.axes)
        if found.settings or not axes:
            self.reads(found)
        else:
            # With tracing, the place of the expression belongs to the provenance, so each place is
            # one part.
            spelt = _spelt(expr) if self._lates.numbering is None else ""
            self._late(expr, (spelt or id(expr), whole), expr, axes, whole=whole)

    def _late(
        self,
        at: hir.Expr,
        key: object,
        expr: hir.Expr | None,
        axes: frozenset[str],
        *,
        whole: bool,
    ) -> None:
        known = self._lates.known
        late = known.get(key)
        if late is None:
            if len(known) >= _MOST:
                self.reads(self._reads.expr(at))
                return
            late = known[key] = Late(axes, whole)
            self._lates.exprs[late] = expr
            if self._lates.numbering is not None:
                self._lates.bits[late] = self._lates.numbering.another()
        self.places[id(at)] = late
        self.named = self.named or expr is None


def late_in(thing: object) -> Iterator[Late]:
    """The late parts in *thing*, which is a value or a decided setting."""
    match thing:
        case Late():
            yield thing
        case NixText():
            yield from late_in(thing.parts)
        case tuple():
            for one in thing:
                yield from late_in(one)
        case Record():
            yield from late_in(thing.entries)
        case ir.Setting() | ir.Element() | ir.Part() | ir.Shadowed():
            for name in [one.name for one in fields(thing)]:
                yield from late_in(getattr(thing, name))
        case _:
            pass


def without_late(value: Value, fills: Mapping[Late, str]) -> Value:
    """*value* with *fills* as the texts of its late parts. No late part may be a whole value."""
    match value:
        case NixText():
            parts = [fills[one] if isinstance(one, Late) else one for one in value.parts]
            texts = [one for one in parts if isinstance(one, str)]
            return "".join(texts) if len(texts) == len(parts) else NixText(tuple(parts))
        case tuple():
            return tuple([without_late(one, fills) for one in value])
        case Record():
            return Record(tuple([(key, without_late(one, fills)) for key, one in value]))
        case _:
            return value


def _text(late: Late, expr: hir.Expr, deciding: Deciding) -> str | None:
    try:
        value = deciding.evaluated(deciding.evaluator(Sink()), expr, "loses")
    except Failed:
        return None  # deciding the whole text reports the fault
    if late.whole and not isinstance(value, str | Version | RowValue):
        return None
    return kind_text(value)


def _product(sizes: Mapping[str, int], axes: Sequence[str] | frozenset[str]) -> int:
    found = 1
    for axis in axes:
        found *= sizes[axis]
    return found


def _spelt(expr: hir.Expr) -> str:
    """The name of an axis, or of a fact of its value. Empty for any other expression."""
    if isinstance(expr, hir.AxisRef):
        return expr.axis
    if isinstance(expr, hir.Member):
        base = _spelt(expr.base)
        return f"{base}.{expr.name}" if base else ""
    return ""


def _is_free(group: GroupKey, plan: Plan) -> bool:
    """Whether nothing inspects the texts that are written to *group*: none are compared, and none
    are searched for a hash or a package."""
    written = plan.groups[group]
    if group[0] in IN_PARTS:
        parts: list[object] = [
            (p.write.part.name, p.write.strength, p.depth, bool(p.write.conditions))
            for p in written
            if p.write.part is not None and p.write.part.name is not None
        ]
        return len(set(parts)) == len(parts)
    if any(p.write.op in ("-=", "part") for p in written):
        return False
    if any(p.write.op == "+=" and not isinstance(p.write.value, hir.ListOf) for p in written):
        return False
    if group == ("attrs", "patches") or KINDS.get(group, "text") != "text":
        return False
    if any(names_hashes(p.write.value, p.write.path[1:]) for p in written):
        return False
    ranks = [
        (p.write.strength, p.depth, bool(p.write.conditions)) for p in written if p.write.op == "="
    ]
    return len(set(ranks)) == len(ranks)
