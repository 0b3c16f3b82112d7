"""Resolve facts tables. Their rows are values, and are known before any variant.

The whole program shares each table: what a module adds to it, all modules see.
"""

from __future__ import annotations

from tvarc.light import Callable, Final, Iterable, Mapping, dataclass, field, replace
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.budget import LIMIT_LIST
from tvarc.meaning.declarations.expressions import Expressions
from tvarc.meaning.evaluation.compare import equal
from tvarc.meaning.evaluation.constants import Constants, Demand
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.meaning.names.scope import ModuleScope, View
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.diagnostics.suggest import Guess, guess
from tvarc.text.source import Source, Span
from tvarc.values.row_facts import ENFORCED
from tvarc.values.value import (
    Fact,
    LaterFacts,
    NixRef,
    RowValue,
    UnlockedValue,
    Value,
    Version,
    article,
    holds_nix,
    is_version,
    same,
    show,
    type_name,
    value_kind,
)

FIELD_KINDS = ("string", "int", "float", "bool", "version", "path", "record", "list")
ROW_VIEW = View("a fact", axes=False, settings=False, anywhere=True)


@dataclass(slots=True)
class Extensions:
    """The additions of modules to tables. All of them are checked after the last one.

    `extended` has the tables by origin. `columns` has the places of added columns, by origin and
    name. `rows` has the new rows, and `facts` the additions to other rows, by row and column.
    `corrections` has the rows of corrections with their facts.
    """

    extended: dict[str, hir.Table] = field(default_factory=dict)
    columns: dict[tuple[str, str], Span] = field(default_factory=dict)
    rows: dict[str, list[tuple[Facts, ast.Row]]] = field(default_factory=dict)
    facts: dict[str, list[tuple[Facts, str, str, Fact]]] = field(default_factory=dict)
    corrections: dict[str, list[tuple[Facts, ast.Row, dict[str, Fact]]]] = field(
        default_factory=dict
    )

    def add(self, table: hir.Table) -> None:
        """Note that something is added to *table*."""
        self.extended[table.origin] = table
        self.rows.setdefault(table.origin, [])
        self.facts.setdefault(table.origin, [])
        self.corrections.setdefault(table.origin, [])

    def finish(self, sink: Sink) -> None:
        """Report the facts that a row lacks, then apply the corrections. A row needs a fact for
        each column, whichever module adds the column."""
        self.complete(sink)
        for origin, table in self.extended.items():
            for facts, row, given in self.corrections[origin]:
                facts.correct(table, row, given)

    def complete(self, sink: Sink) -> None:
        for origin, table in self.extended.items():
            new = self.rows[origin]
            for facts, row in new:
                whole = table.rows[row.name.text]  # others may have added to it
                held = dict(whole.facts)
                facts.check_row(row, held, table.fields, table)
                for name in table.fields:  # missing fields are reported already
                    held.setdefault(name, Fact(None, row.name.span, wrong=True))
                table.rows[row.name.text] = RowValue(origin, whole.name, held, whole.span)
            for facts, key, name, fact in self.facts[origin]:
                if not facts.check_added(table, name, fact):
                    old = table.rows[key]
                    held = {**old.facts, name: Fact(fact.value, fact.span, wrong=True)}
                    table.rows[key] = RowValue(origin, old.name, held, old.span)
            names = {row.name.text for _, row in new}
            for (whose, column), span in self.columns.items():
                if whose != origin or table.fields[column].optional:
                    continue
                rows = [
                    one
                    for one in table.rows.values()
                    if one.name not in names and column not in one.facts
                ]
                lacking = [one.name for one in rows]
                for one in rows:
                    filled = {**one.facts, column: Fact(None, one.span, wrong=True)}
                    table.rows[one.name] = RowValue(origin, one.name, filled, one.span)
                if lacking:
                    more = " …" if len(lacking) > 12 else ""
                    sink.report(
                        msg.tables.NO_VALUES_FOR_COLUMN,
                        span,
                        table=table.name,
                        column=column,
                        rows=", ".join(lacking[:12]) + more,
                        kind=table.fields[column].show(),
                    )


@dataclass(slots=True, eq=False)
class Facts:
    """Resolves the facts tables of one module into its scope, in the order of the text."""

    scope: ModuleScope
    expressions: Expressions
    sink: Sink
    demand: Demand
    extensions: Extensions
    data: Mapping[Span, Source]  # files of data, by the place of their names
    # Rows of the standard library are resolved when a fact of them is read: a program reads a few
    # of hundreds. The library is shipped without faults, so none of them goes unreported.
    later: bool
    # Facts without a value, which is already reported. Their `None` does not mean null.
    failed: set[Span] = field(default_factory=set)

    # --- facts ---------------------------------------------------------------------------

    def facts(self, item: ast.Facts) -> None:
        name = item.name.text
        if item.extends:
            base = self.scope.tables.get(name)
            if base is None:
                span = item.name.span
                message = (
                    msg.tables.NOTHING_TO_CORRECT
                    if item.overrides
                    else msg.tables.NOTHING_TO_EXTEND
                )
                if not self.scope.is_lost(name) and not self.scope.refuse_unused(
                    message, name, span, self.sink, rows=False
                ):
                    known = list(self.scope.tables)
                    self.sink.report(
                        message,
                        span,
                        name=name,
                        guess=guess(name, known),
                        advice=self.in_modules(name),
                    )
                return
            if item.overrides:
                self.override(base, item)
            else:
                self.extend(base, self.with_data(item, base.fields) or item)
        elif name not in self.scope.tables:  # a second table is already refused
            origin = f"{self.scope.file}::{name}"
            fields = self.fields(item.fields)
            whole = self.with_data(item, fields)
            if whole is None:
                return
            rows = self.rows(whole.rows, origin, fields)
            self.scope.tables[name] = hir.Table(name, origin, fields, rows, item.name.span)

    def with_data(
        self, item: ast.Facts, fields: Mapping[str, hir.FieldType]
    ) -> ast.Facts | None:
        """*item* with the rows of its file of data, if it has one. *fields* are those of the table
        so far. None after reporting that the file cannot be read: then any name may be one of its
        rows."""
        if item.data is None:
            return item
        from tvarc.meaning.evaluation.formats import FILE

        source = self.data.get(item.data.span)
        if source is None:
            FILE.refuse("from", item.data.path, item.data.span, self.sink)
            self.scope.lost = None
            return None
        from tvarc.meaning.declarations.data_rows import rows_of, types_of

        types = {**types_of(item.fields), **fields}
        rows = rows_of(source, types, self.sink)
        if rows is None:
            self.scope.lost = None
            return None
        return replace(item, rows=rows)

    def fields(self, declared: tuple[ast.FieldDecl, ...]) -> dict[str, hir.FieldType]:
        fields: dict[str, hir.FieldType] = {}
        seen: dict[str, Span] = {}
        for one in declared:
            if one.name.text in fields:
                self.sink.report(
                    msg.tables.FIELD_TWICE,
                    one.name.span,
                    others=[seen[one.name.text]],
                    name=one.name.text,
                )
                continue
            seen[one.name.text] = one.name.span
            fields[one.name.text] = self.type(one.type)
        return fields

    def type(self, written: ast.TypeExpr) -> hir.FieldType:
        match written:
            case ast.NamedType():
                if written.name not in FIELD_KINDS:
                    self.sink.report(
                        msg.tables.UNKNOWN_TYPE,
                        written.span,
                        written=written.name,
                        known=", ".join(FIELD_KINDS),
                        guess=_type_meant(written.name),
                    )
                    return hir.FieldType("any")
                return hir.FieldType(written.name)
            case ast.ListType():
                return hir.FieldType("list", self.type(written.element))
            case ast.OptionalType():
                inner = self.type(written.element)
                return hir.FieldType(inner.kind, inner.element, True, inner.allowed)
            case ast.OneOfType():
                allowed = tuple(
                    value
                    for choice in written.values
                    if (value := self.constant(choice, ROW_VIEW)) is not None
                )
                kinds = {value_kind(value) for value in allowed}
                return hir.FieldType(kinds.pop() if len(kinds) == 1 else "any", allowed=allowed)

    def rows(
        self, written: Iterable[ast.Row], origin: str, fields: dict[str, hir.FieldType] | None
    ) -> dict[str, RowValue]:
        rows: dict[str, RowValue] = {}
        for row in written:
            if row.name.text in rows:
                self.sink.report(
                    msg.tables.ROW_TWICE,
                    row.name.span,
                    others=[rows[row.name.text].span],
                    row=row.name.text,
                )
                continue
            facts: Mapping[str, Fact]
            if self.later and fields is not None:
                facts = LaterFacts(self.finder(row, fields))
            else:
                facts = self.checked_facts(row, fields)
            rows[row.name.text] = RowValue(origin, row.name.text, facts, row.name.span)
        return rows

    def finder(
        self, row: ast.Row, fields: dict[str, hir.FieldType]
    ) -> Callable[[], dict[str, Fact]]:
        return lambda: self.checked_facts(row, fields)

    def checked_facts(
        self, row: ast.Row, fields: dict[str, hir.FieldType] | None
    ) -> dict[str, Fact]:
        facts = self.row_facts(row)
        if fields is not None:
            self.check_row(row, facts, fields)
        return facts

    def row_facts(self, row: ast.Row) -> dict[str, Fact]:
        facts: dict[str, Fact] = {}
        for item in row.body:
            if not isinstance(item, ast.Assign) or item.op != "=" or len(item.path) != 1:
                self.sink.report(msg.tables.NO_FACT, item.span)
                if isinstance(item, ast.Assign):  # so that it is not reported as missing, too
                    self.failed.add(item.span)
                    facts.setdefault(item.path[0].text, Fact(None, item.span, wrong=True))
                continue
            key = item.path[0]
            if key.text in facts:
                self.sink.report(
                    msg.tables.FACT_TWICE, key.span, others=[facts[key.text].span], name=key.text
                )
                continue
            try:
                value = self.evaluate(item.value, ROW_VIEW)
            except Failed:
                self.failed.add(item.span)
                facts[key.text] = Fact(None, item.span, wrong=True)
                continue
            if holds_nix(value):
                self.sink.report(
                    msg.tables.FACT_OF_NIX, item.value.span, advice=_names_help(key.text, value)
                )
                self.failed.add(item.span)
                value = None
            reason = because_text(item.because, self.sink)
            failed = item.span in self.failed
            facts[key.text] = Fact(value, item.span, failed, because=reason)
        return facts

    def check_row(
        self,
        row: ast.Row,
        facts: dict[str, Fact],
        fields: dict[str, hir.FieldType],
        extended: hir.Table | None = None,
    ) -> None:
        """Report the missing and the wrong fields of *row*. If the row is added to a table,
        *extended* is that table."""
        for name, fact in facts.items():
            if extended is not None:
                if not self.check_added(extended, name, fact):
                    facts[name] = Fact(fact.value, fact.span, wrong=True)
            elif name not in fields:
                self.sink.report(
                    msg.tables.UNKNOWN_FIELD,
                    fact.span,
                    at=_key_of(row, name),
                    name=name,
                    fields=", ".join(fields),
                    guess=guess(name, fields),
                )
            elif not self.fits(fact, fields[name]):
                self.wrong(name, fact, fields[name])
                facts[name] = Fact(fact.value, fact.span, wrong=True)
        missing = [n for n, kind in fields.items() if n not in facts and not kind.optional]
        if missing:
            self.sink.report(
                msg.tables.ROW_LACKS_FIELDS,
                row.name.span,
                notes=tuple(f"`{name}` must be {type_text(fields[name])}" for name in missing),
                row=row.name.text,
                missing="`, `".join(missing),
                library=extended.name if extended and extended.origin.startswith("std/") else None,
            )
            facts.update({name: Fact(None, row.name.span, wrong=True) for name in missing})
        self.fill(row, facts, fields)

    def fits(self, fact: Fact, kind: hir.FieldType) -> bool:
        """Whether a fact is of its type, or has failed, which is already reported."""
        return fact.span in self.failed or fits(fact.value, kind)

    def wrong(self, name: str, fact: Fact, kind: hir.FieldType) -> None:
        if kind.allowed and value_kind(fact.value) == kind.kind:
            listed = ", ".join(map(show, kind.allowed))
            self.sink.report(
                msg.tables.NOT_ONE_OF,
                fact.span,
                name=name,
                listed=listed,
                value=show(fact.value),
                guess=guess(str(fact.value), map(str, kind.allowed)),
            )
            return
        self.sink.report(
            msg.tables.WRONG_TYPE,
            fact.span,
            name=name,
            kind=type_text(kind),
            label=_misfit(fact.value, kind),
            advice=_type_help(fact.value, kind),
        )

    def in_modules(self, name: str) -> str:
        """The advice if a module that is imported under another name declares the table."""
        for module in self.scope.aliases.values():
            if name in module.tables:
                return "`use` its module without `as`: only then can this file change the table"
        return ""

    def extend(self, table: hir.Table, item: ast.Facts) -> None:
        """Add columns, rows, and facts of rows to *table*, for the whole program."""
        self.extensions.add(table)
        added = self.added_fields(table, item)
        given: dict[str, set[str]] = {}
        for row in item.rows:
            facts = self.row_facts(row)
            old = table.rows.get(row.name.text)
            given.setdefault(row.name.text, set()).update(facts)
            if old is None:
                table.rows[row.name.text] = RowValue(
                    table.origin, row.name.text, facts, row.name.span
                )
                self.extensions.rows[table.origin].append((self, row))
                self.fill(row, facts, table.fields)
                continue
            for name, fact in facts.items():
                previous = old.facts.get(name)
                if previous is not None and previous.value is not None:
                    self.sink.report(
                        msg.tables.FACT_THERE_ALREADY,
                        fact.span,
                        others=[previous.span],
                        row=row.name.text,
                        name=name,
                        table=table.name,
                    )
                else:
                    added_to = (self, row.name.text, name, fact)
                    self.extensions.facts[table.origin].append(added_to)
            both = {**facts, **{n: f for n, f in old.facts.items() if f.value is not None}}
            table.rows[row.name.text] = RowValue(
                table.origin, row.name.text, {**old.facts, **both}, old.span
            )
        for key, value in table.rows.items():
            nulls = [n for n in added if n not in given.get(key, ()) and table.fields[n].optional]
            if nulls:
                facts_of = LaterFacts(_with_nulls(value, nulls))
                table.rows[key] = RowValue(value.table, value.name, facts_of, value.span)

    def override(self, table: hir.Table, item: ast.Facts) -> None:
        """Correct facts of rows of *table*, for the whole program. Corrections apply after all
        modules have added their facts."""
        self.extensions.add(table)
        if not item.rows:
            self.sink.report(msg.tables.CORRECTS_NO_ROW, item.name.span, table=table.name)
        for row in item.rows:
            given = self.row_facts(row)
            if not row.body:
                self.sink.report(msg.tables.CORRECTS_NO_FACT, row.name.span, row=row.name.text)
            self.extensions.corrections[table.origin].append((self, row, given))

    def correct(self, table: hir.Table, row: ast.Row, given: dict[str, Fact]) -> None:
        """Replace facts of *row* in *table* by the facts *given*."""
        key = row.name.text
        old = table.rows.get(key)
        if old is None:
            self.sink.report(
                msg.tables.UNKNOWN_ROW,
                row.name.span,
                table=table.name,
                key=key,
                guess=guess(key, table.rows),
            )
            return
        held = dict(old.facts)
        for name, fact in given.items():
            corrected = self.corrected(table, key, name, fact, held.get(name))
            if corrected is not None:
                held[name] = corrected
        table.rows[key] = RowValue(table.origin, key, held, old.span)

    def corrected(
        self, table: hir.Table, key: str, name: str, fact: Fact, old: Fact | None
    ) -> Fact | None:
        """*fact*, which replaces *old*. None after reporting that it cannot, and None if another
        correction has the same value."""
        if not self.check_added(table, name, fact) or old is None or fact.wrong or old.wrong:
            return None
        if old.shadowed is None:
            if not same(fact.value, old.value):  # versions are printed as they are written
                return Fact(fact.value, fact.span, shadowed=old, because=fact.because)
            self.sink.report(
                msg.tables.SAME_VALUE, fact.span, others=[old.span], row=key, name=name
            )
        elif not equal(fact.value, old.value):
            self.sink.report(
                msg.tables.CORRECTED_TWICE,
                fact.span,
                others=[old.span],
                table=table.name,
                key=key,
                name=name,
                value=show(fact.value),
                before=show(old.value),
            )
        return None

    def added_fields(self, table: hir.Table, item: ast.Facts) -> list[str]:
        """The columns that *item* adds, entered into *table*."""
        added: list[str] = []
        spans = {one.name.text: one.name.span for one in reversed(item.fields)}
        for name, kind in self.fields(item.fields).items():
            if name in table.fields:
                first = self.extensions.columns.get((table.origin, name), table.span)
                self.sink.report(
                    msg.tables.FIELD_THERE_ALREADY,
                    spans[name],
                    others=[first],
                    table=table.name,
                    name=name,
                )
                continue
            table.fields[name] = kind
            self.extensions.columns[table.origin, name] = spans[name]
            added.append(name)
        return added

    def check_added(self, table: hir.Table, name: str, fact: Fact) -> bool:
        """Whether *fact*, which is added to *table*, has a column and its type. Otherwise it is
        reported."""
        if name not in table.fields:
            self.undeclared(table, name, fact)
        elif not self.fits(fact, table.fields[name]):
            self.wrong(name, fact, table.fields[name])
        else:
            return name != ENFORCED or self.check_enforced(table, fact)
        return False

    def check_enforced(self, table: hir.Table, fact: Fact) -> bool:
        """Whether `enforced` names only fields of *table*; other names are reported. A misspelt
        name would enforce nothing."""
        named = fact.value if isinstance(fact.value, tuple) else ()
        for name in named:
            if name not in table.fields:
                self.sink.report(
                    msg.tables.ENFORCES_NO_FIELD,
                    fact.span,
                    enforced=ENFORCED,
                    name=str(name),
                    guess=guess(str(name), table.fields),
                )
                return False
        return True

    def undeclared(self, table: hir.Table, name: str, fact: Fact) -> None:
        kind = value_kind(fact.value) if fact.value is not None else "string"
        declared = f"facts {table.name} += ({name}: {_written_type(fact.value, kind)}) {{ … }}"
        self.sink.report(
            msg.tables.UNKNOWN_FIELD_CORRECTED,
            fact.span,
            name=name,
            fields=", ".join(table.fields),
            guess=guess(name, table.fields),
            declared=declared,
        )

    def fill(
        self, row: ast.Row, facts: dict[str, Fact], fields: Mapping[str, hir.FieldType]
    ) -> None:
        """Add a null fact for each optional field that *row* leaves out."""
        for name, kind in fields.items():
            if kind.optional and name not in facts:
                facts[name] = Fact(None, row.name.span)

    # --- constants -----------------------------------------------------------------------

    def evaluate(self, expr: ast.Expr, view: View) -> Value:
        """The value of an expression that no variant changes. Raises Failed after reporting."""
        plain = written_out(expr)
        if not isinstance(plain, _NotPlain):
            return plain
        resolved = self.expressions.resolve(expr, view)
        return Evaluator(Constants(self.sink, self.demand), self.sink).value(resolved)

    def constant(self, expr: ast.Expr, view: View) -> Value:
        try:
            return self.evaluate(expr, view)
        except Failed:
            return None


# Types of other languages, with those of this one.
_TYPES_ELSEWHERE: Final = {
    "str": "string", "text": "string", "char": "string", "integer": "int", "number": "int",
    "double": "float", "boolean": "bool", "array": "list", "dict": "record",
    "object": "record", "map": "record", "file": "path",
}  # fmt: skip


def _type_meant(name: str) -> Guess:
    """The type that may be meant by *name*, which is no type."""
    meant = _TYPES_ELSEWHERE.get(name.lower())
    return Guess(meant, True) if meant is not None else guess(name, FIELD_KINDS)


def _with_nulls(row: RowValue, names: list[str]) -> Callable[[], dict[str, Fact]]:
    """The facts of *row*, with null for *names*. They are computed when they are read."""
    return lambda: {**{name: Fact(None, row.span) for name in names}, **row.facts}


def _written_type(value: Value, kind: str) -> str:
    """The type for a column of values such as *value*, which other rows may leave out."""
    if isinstance(value, tuple) and value:
        return f"[{value_kind(value[0])}]?"
    return f"{kind}?"


def because_text(text: ast.StringLit | None, sink: Sink) -> str:
    """A reason: plain text, the same for every variant."""
    if text is None:
        return ""
    for part in text.parts:
        if not isinstance(part, str):
            sink.report(msg.declarations.COMPUTED_REASON, part.span)
    return "".join(part for part in text.parts if isinstance(part, str))


class _NotPlain:
    """The answer for an expression that names something."""

    __slots__ = ()


_NOT_PLAIN: Final = _NotPlain()


def written_out(expr: ast.Expr | ast.Spread | ast.Each) -> Value | _NotPlain:
    """The value of a literal, or of a list of literals, without resolving and evaluating it. Nearly
    all facts are literals, and there are hundreds of them."""
    match expr:
        case ast.StringLit(parts=parts):
            texts = [part for part in parts if isinstance(part, str)]
            return "".join(texts) if len(texts) == len(parts) else _NOT_PLAIN
        case ast.VersionLit():
            return Version(expr.text)
        case ast.IntLit() | ast.BoolLit():
            return expr.value
        case ast.NullLit():
            return None
        case ast.ListLit(items=items) if expr.span.end - expr.span.start < LIMIT_LIST:
            values: list[Value] = []
            for item in items:
                value = written_out(item)
                if isinstance(value, _NotPlain):
                    return value
                values.append(value)
            return tuple(values)
        case _:
            return _NOT_PLAIN


def is_written_out(expr: ast.Expr) -> bool:
    """Whether *expr* names nothing and computes nothing: its text is its value."""
    return not isinstance(written_out(expr), _NotPlain)


def _names_help(field: str, value: Value) -> str:
    """The advice for a fact *value* that only Nix knows: write names in the table, and find their
    packages in a setting."""
    if not isinstance(value, tuple):
        return f"write its name as a string, and use that in a setting: `pkgs[AXIS.{field}]`"
    packages = [one for one in value if isinstance(one, NixRef) and one.root == "pkgs"]
    sets = {one.attributes[:-1] for one in packages}
    if len(sets) != 1 or len(packages) < len(value):
        packages, sets = [], {()}
    names = [f'"{one.attributes[-1]}"' for one in packages[:3]]
    listed = ", ".join([*names, *(["…"] if len(packages) != len(names) or not names else [])])
    path = ".".join(["pkgs", *sets.pop(), "${name}"])
    return (
        f"write the names as strings, `{field} = [{listed}]`, and use them in a setting: "
        f'`buildInputs += nix"""map (name: {path}) {{{{AXIS.{field}}}}}"""`'
    )


def fits(value: Value, kind: hir.FieldType) -> bool:
    """Whether *value* is of the declared type."""
    if value is None:
        return kind.optional or kind.kind in ("any", "null")
    if isinstance(value, UnlockedValue):  # the lock has a string in its place
        return kind.kind in ("any", "string") and not kind.allowed
    if kind.kind != "any" and value_kind(value) != kind.kind:
        return False
    if kind.allowed and not any(equal(value, choice) for choice in kind.allowed):
        return False
    if kind.element is not None and isinstance(value, tuple):
        return all(fits(item, kind.element) for item in value)
    return True


def type_text(kind: hir.FieldType) -> str:
    """A type in words: `a version`, `a list, [version]`."""
    text = article(kind.kind) + (f", `{kind.show()}`" if kind.element is not None else "")
    return f"{text}, or null" if kind.optional else text


def _misfit(value: Value, kind: hir.FieldType) -> str:
    if kind.element is not None and isinstance(value, tuple):
        for number, item in enumerate(value, start=1):
            if not fits(item, kind.element):
                return f"element {number} is {type_name(item)}"
    return f"this is {type_name(value)}"


def _type_help(value: Value, kind: hir.FieldType) -> str:
    if kind.kind == "version" and isinstance(value, str) and is_version(value):
        return f"write it without quotes: `{value}`"
    if kind.kind == "version" and isinstance(value, int):
        return f"write a version with a dot: `{value}.0`"
    if kind.kind == "float" and isinstance(value, Version | int):
        return f"write `float({show(value)})`"
    if kind.kind == "string" and isinstance(value, Version):
        return f'write it in quotes: "{value.text}"'
    if kind.kind == "list" and not isinstance(value, tuple):
        return "write a list: `[…]`"
    return ""


def _key_of(row: ast.Row, name: str) -> Span | None:
    """The place of the name of the fact *name* in *row*."""
    keys = [item.path[0] for item in row.body if isinstance(item, ast.Assign)]
    return next((key.span for key in keys if key.text == name), None)
