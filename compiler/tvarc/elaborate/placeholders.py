"""Placeholders: texts that vary along more axes than what they stand in.

`"for {{gpu.label}} with {{isa.label}}"` has as many values as there are pairs of a GPU and an
instruction set, but its frame is one. A plan with placeholders has a character that no program can
write in the place of each such part. What it decides depends on fewer axes; the placeholders are
filled in the printed text.

A placeholder may stand only where nothing looks at the text: not in a condition, not as an argument
of a function, not in what may have to be compared with another value.
"""

from __future__ import annotations

from tvarc.blocks import IN_PARTS, OF_PACKAGE
from tvarc.elaborate.plan import GroupKey, Placed, Plan, group_of
from tvarc.light import Callable, Collection, Iterator, assert_never, dataclass, replace
from tvarc.matrix.dependencies import Dependencies
from tvarc.sema import hir
from tvarc.sema.hash_places import names_hashes
from tvarc.sema.kinds import children

FIRST, LAST = 0x100000, 0x10FFFD
"""The characters of placeholders: those of the last private plane."""

BLOCKS = frozenset([block.name for block in OF_PACKAGE])
"""Where placeholders may stand: the changes of the package."""

_DEEPEST = 40
_MOST_LETS = 1000
_NAME = "variant"


@dataclass(frozen=True, slots=True, eq=False)
class Placeholder:
    """A part of a text that is filled in later.

    `expr` is None for the variant's name. `axes` are those that its value depends on. A placeholder
    that is `whole` stands for a value, the others for parts of a string.
    """

    char: str
    expr: hir.Expr | None
    axes: frozenset[str]
    whole: bool


@dataclass(frozen=True, slots=True, eq=False)
class PlaceholderPlan:
    """A plan with placeholders, and its placeholders by their characters."""

    plan: Plan
    placeholders: dict[str, Placeholder]


Refuses = Callable[[hir.Expr, bool], bool]


def with_placeholders(
    plan: Plan,
    reads: Dependencies,
    many: Callable[[frozenset[str]], bool],
    refuses: Refuses,
    solid: Collection[GroupKey] = (),
) -> PlaceholderPlan:
    """*plan* with placeholders in what would else be decided for *many* combinations of its axes,
    but for the groups that are *solid*.

    `refuses(expr, whole)` answers whether *expr* cannot fill a placeholder, since it has no text of
    its own; *whole* says that it would be a value by itself, not a part of a string.
    """
    made = _Maker(plan, reads, refuses)
    wanted: set[GroupKey] = set()
    for group in plan.groups:
        if group[0] in BLOCKS and group not in solid:
            axes, name = plan.transitive_dependencies([group], reads)
            free = _never_compared(group, plan) and not _names_hashes(group, plan)
            if (name or many(axes)) and free:
                wanted.add(group)
    while True:
        templated = made.plan_with(wanted)
        # What is looked at must not have placeholders. What looks at the variant's name itself is
        # made for each variant all the same.
        without = wanted & set(_looked_at(templated, wanted))
        without |= {
            group for group in wanted if templated.transitive_dependencies([group], reads)[1]
        }
        if not without:
            return PlaceholderPlan(
                templated, {placeholder.char: placeholder for placeholder in made.placeholders}
            )
        wanted -= without


def _names_hashes(group: GroupKey, plan: Plan) -> bool:
    """Whether *group* has a place of a hash: what stands there is looked at."""
    return any(
        names_hashes(placed.write.value, placed.write.path[1:])
        for placed in plan.groups.get(group, ())
    )


def may_have_placeholders(text: str) -> bool:
    """Whether a source leaves the characters of placeholders alone."""
    if "\\u{" in text:
        return False
    return text.isascii() or max(text) < chr(FIRST)


class _Maker:
    def __init__(self, plan: Plan, reads: Dependencies, refuses: Refuses) -> None:
        self.plan = plan
        self.reads = reads
        self.refuses = refuses
        self.placeholders: list[Placeholder] = []
        self.known: dict[object, str] = {}
        self.lets = 0

    def plan_with(self, groups: set[GroupKey]) -> Plan:
        """The plan with placeholders in these groups."""
        plan = self.plan
        made = Plan(
            flags=plan.flags,
            checks=plan.checks,
            conditions=plan.conditions,
            axes=plan.axes,
            pin_blocks=plan.pin_blocks,
            base=plan,
            inner=plan.inner,
        )
        for group, written in plan.groups.items():
            order = plan.part_order.get(group, ())
            if group in groups:
                changed = [self.write(placed) for placed in written]
                same = {id(old.write): new.write for old, new in zip(written, changed, strict=True)}
                written = changed
                order = tuple(same.get(id(entry), entry) for entry in order)
            made.groups[group] = written
            if order:
                made.part_order[group] = order
        return made

    def write(self, placed: Placed) -> Placed:
        return Placed(replace(placed.write, value=self.value(placed.write.value, 0)), placed.depth)

    def value(self, expr: hir.Expr, depth: int) -> hir.Expr:
        """*expr*, a whole value, with placeholders."""
        if depth > _DEEPEST:
            return expr
        match expr:
            case hir.Text():
                return hir.Text(self.parts(expr, depth + 1), expr.span)
            case hir.ListOf():
                items = tuple(
                    item if isinstance(item, hir.Spread) else self.value(item, depth + 1)
                    for item in expr.items
                )
                return hir.ListOf(items, expr.span)
            case hir.RecordOf():
                entries = tuple((path, self.value(v, depth + 1)) for path, v in expr.entries)
                return hir.RecordOf(entries, expr.span)
            case hir.If():
                then = self.value(expr.then, depth + 1)
                otherwise = self.value(expr.otherwise, depth + 1)
                return hir.If(expr.condition, then, otherwise, expr.span)
            case hir.LetRef() if (
                isinstance(expr.target.expr, hir.Text | hir.ListOf | hir.If) and self.opens()
            ):
                return self.value(expr.target.expr, depth + 1)
            case hir.SettingRef(path=(only,)) if only == _NAME:
                return self.name(expr)
            case hir.AxisRef() | hir.LetRef() | hir.Member() | hir.Index() | hir.Apply():
                return self.placeholder(expr, whole=True)
            case (
                hir.Const()
                | hir.SettingRef()
                | hir.FieldRef()
                | hir.Rows()
                | hir.NeedRef()
                | hir.Link()
                | hir.Lacks()
                | hir.NixRoot()
                | hir.NixCode()
                | hir.Not()
                | hir.Compare()
                | hir.Logic()
                | hir.Broken()
            ):
                return expr
            case _:
                assert_never(expr)

    def parts(self, text: hir.Text, depth: int) -> tuple[str | hir.Expr, ...]:
        return tuple(
            part if isinstance(part, str) else self.inner(part, depth) for part in text.parts
        )

    def inner(self, part: hir.Expr, depth: int) -> hir.Expr:
        """A part of a string, with placeholders or as a placeholder."""
        if depth > _DEEPEST:
            return part
        match part:
            case hir.Text():
                return hir.Text(self.parts(part, depth + 1), part.span)
            case hir.LetRef() if isinstance(part.target.expr, hir.Text) and self.opens():
                return self.inner(part.target.expr, depth + 1)
            case hir.SettingRef(path=(only,)) if only == _NAME:
                return self.name(part)
            case hir.SettingRef() | hir.Const():
                return part
            case _:
                return self.placeholder(part, whole=False)

    def name(self, at: hir.Expr) -> hir.Expr:
        return self.place(_NAME, None, frozenset(self.plan.axes), at, whole=False)

    def opens(self) -> bool:
        """Whether one more `let` may be written out: those that name each other twice double."""
        self.lets += 1
        return self.lets <= _MOST_LETS

    def placeholder(self, expr: hir.Expr, *, whole: bool) -> hir.Expr:
        """A placeholder in the place of *expr*, if it varies and has a text that can fill one."""
        found = self.reads.expr(expr)
        axes, name = self.plan.transitive_dependencies(map(group_of, found.settings), self.reads)
        axes |= found.axes & frozenset(self.plan.axes)
        if name or not axes:
            return expr
        key = (_spelt(expr) or id(expr), whole)
        if key not in self.known and self.refuses(expr, whole):
            return expr
        return self.place(key, expr, axes, expr, whole=whole)

    def place(
        self, key: object, expr: hir.Expr | None, axes: frozenset[str], at: hir.Expr, *, whole: bool
    ) -> hir.Expr:
        known = self.known.get(key)
        if known is None:
            if FIRST + len(self.placeholders) > LAST:
                return at
            char = chr(FIRST + len(self.placeholders))
            known = self.known[key] = char
            self.placeholders.append(Placeholder(char, expr, axes, whole))
        return hir.Const(known, at.span)


def _spelt(expr: hir.Expr) -> str:
    """An axis or a fact of its value by name; empty for anything else."""
    if isinstance(expr, hir.AxisRef):
        return expr.axis
    if isinstance(expr, hir.Member):
        base = _spelt(expr.base)
        return f"{base}.{expr.name}" if base else ""
    return ""


def _never_compared(group: GroupKey, plan: Plan) -> bool:
    """Whether no value that is written to *group* can have to be held against another."""
    written = plan.groups[group]
    if group[0] in IN_PARTS:
        ranks: list[object] = [
            (p.write.part.name, p.write.strength, p.depth, bool(p.write.conditions))
            for p in written
            if p.write.part is not None and p.write.part.name is not None
        ]
        return len(set(ranks)) == len(ranks)
    if any(p.write.op in ("-=", "part") for p in written):
        return False
    if any(p.write.op == "+=" and not isinstance(p.write.value, hir.ListOf) for p in written):
        return False
    ranks = [
        (p.write.strength, p.depth, bool(p.write.conditions)) for p in written if p.write.op == "="
    ]
    return len(set(ranks)) == len(ranks)


def _looked_at(plan: Plan, templated: set[GroupKey]) -> Iterator[GroupKey]:
    """The groups that *plan* reads where their text matters: everywhere but in a string or as a
    value of a group that may have placeholders itself."""
    for condition in plan.conditions:
        yield from _read(condition.expr)
    for flag, _ in plan.flags.values():
        yield from _read(flag.default)
    for writes in plan.pin_blocks.values():
        for write in writes:
            yield from _read(write.value)
    for group, written in plan.groups.items():
        for placed in written:
            for condition in placed.write.conditions:
                yield from _read(condition.expr)
            values = _read_within if group in templated else _read
            yield from values(placed.write.value)


def _read(expr: hir.Expr) -> Iterator[GroupKey]:
    """The groups that *expr* reads, through `let`s as well."""
    seen: set[str] = set()
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        if isinstance(node, hir.SettingRef):
            yield group_of(node.path)
        elif isinstance(node, hir.LetRef):
            if node.target.id not in seen and node.target.expr is not None:
                seen.add(node.target.id)
                waiting.append(node.target.expr)
        else:
            waiting.extend(children(node))


def _read_within(expr: hir.Expr) -> Iterator[GroupKey]:
    """The groups that *expr*, the value of a setting, reads where their text matters."""
    match expr:
        case hir.SettingRef():
            pass
        case hir.Text():
            for part in expr.parts:
                if not isinstance(part, str):
                    yield from _read_within(part)
        case hir.ListOf():
            for item in expr.items:
                if isinstance(item, hir.Spread):
                    yield from _read(item.value)
                else:
                    yield from _read_within(item)
        case hir.RecordOf():
            for _, value in expr.entries:
                yield from _read_within(value)
        case hir.If():
            yield from _read(expr.condition)
            yield from _read_within(expr.then)
            yield from _read_within(expr.otherwise)
        case _:
            yield from _read(expr)
