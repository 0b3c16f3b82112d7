"""Resolve expressions: names become symbols, and early checks run."""

from __future__ import annotations

from tvarc.blocks import IN_PARTS, OF_RECIPE
from tvarc.light import Callable, Final, assert_never, replace
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.declarations.written_out import refuse_malformed
from tvarc.meaning.evaluation.compare import refuse_no_key
from tvarc.meaning.evaluation.evaluate import nix_in_nix
from tvarc.meaning.evaluation.formats import FILE, SOURCE_FORMATS, named_otherwise
from tvarc.meaning.evaluation.identical import refuse_itself
from tvarc.meaning.evaluation.kinds import ANY, Kind, kind_of, mentions_nix
from tvarc.meaning.evaluation.show import show_expr
from tvarc.meaning.functions import FUNCTIONS, Signature
from tvarc.meaning.names.names import Names
from tvarc.meaning.names.scope import NEEDS, Marked, ModuleScope, View
from tvarc.nix.nixpkgs import HASHES_BY_NAME, is_hash
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import Span, UnreadableSource
from tvarc.values.value import NONE, PathValue, RowValue, Version, is_version

Join = Callable[[str, str], str]
"""The name of a file, from the name of the file that mentions it and a relative path. Raises
UnreadableSource if no recipe could read the file."""


# The names that the emitted Nix binds around Nix text.
_ORDERED: Final = ("version", "int", "float", "string")
_AROUND_NIX: Final = ("pkgs", "caller", "lib", "old", "needs", "final", "prev")


class Expressions:
    """Resolves the expressions of one module."""

    __slots__ = ("inside", "join", "looked_for", "marked", "names", "scope", "sink")

    def __init__(self, scope: ModuleScope, sink: Sink, join: Join) -> None:
        self.scope = scope
        self.sink = sink
        self.join = join
        self.inside: hir.Expr | None = None  # the module's input, if it has one
        self.names = Names(scope, sink)
        self.marked: list[Marked] = []  # strings with `${…}` or another mark of Nix
        # Names in Nix text that a `with` provides. An argument with such a name would hide them.
        self.looked_for: set[str] = set()

    # --- entry points -------------------------------------------------------------------

    def resolve(self, expr: ast.Expr, view: View, hint: hir.Table | None = None) -> hir.Expr:
        """*expr* with its names resolved; `hint` is the table whose rows a bare name may mean."""
        match expr:
            case ast.StringLit():
                return self.text(expr, view)
            case ast.IntLit() | ast.BoolLit():
                return hir.Const(expr.value, expr.span)
            case ast.VersionLit():
                return hir.Const(Version(expr.text), expr.span)
            case ast.NullLit():
                return hir.Const(None, expr.span)
            case ast.NoneLit():
                return hir.Const(NONE, expr.span)
            case ast.NixLit():
                return self.nix(expr, view)
            case ast.Ref():
                return self.names.name(expr.name, expr.span, view, hint)
            case ast.Member():
                return self.member(expr, view)
            case ast.Index():
                return self.index(expr, view)
            case ast.ListLit():
                return hir.ListOf(tuple(self.item(i, view, hint) for i in expr.items), expr.span)
            case ast.RecordLit():
                found: list[tuple[hir.Path, hir.Expr]] = []
                for entry in expr.entries:
                    path = tuple([key.text for key in entry.path])
                    inner = hash_view(view, path) if view.locks else view
                    found.append((path, self.resolve(entry.value, inner)))
                return hir.RecordOf(tuple(found), expr.span)
            case ast.Not():
                return hir.Not(self.condition(expr.operand, view, "not"), expr.span)
            case ast.Compare():
                return self.compare(expr, view)
            case ast.Logic():
                left = self.condition(expr.left, view, expr.op)
                right = self.condition(expr.right, view, expr.op, left)
                if isinstance(right, hir.Broken) and expr.op == "or":
                    return right  # a value that may be null, with its default: one message
                return hir.Logic(expr.op, left, right, expr.span)
            case ast.Conditional():
                return hir.If(
                    self.condition(expr.condition, view, "if"),
                    self.resolve(expr.then, view, hint),
                    self.resolve(expr.otherwise, view, hint),
                    expr.span,
                )
            case ast.Call():
                return self.call(expr, view)
            case ast.Product():
                self.sink.report(msg.expressions.STAR_ON_VALUES, expr.span)
                return hir.Broken(expr.span)
            case _:
                assert_never(expr)

    def known(self, expr: ast.Expr, view: View, hint: hir.Table | None = None) -> hir.Expr:
        """*expr* with its names resolved. A value that only Nix knows is refused: the compiler
        needs the values of names, paths and conditions early."""
        resolved = self.resolve(expr, view, hint)
        return hir.Broken(expr.span) if self.refuse_nix(resolved, view.what) else resolved

    def condition(
        self, expr: ast.Expr, view: View, what: str, after: hir.Expr | None = None
    ) -> hir.Expr:
        """A condition: known to the compiler, true or false. It may be an operand *after* another.
        """
        resolved = self.resolve(expr, view)
        if self.refuse_nix(resolved, f"`{what}`"):
            return hir.Broken(expr.span)
        kind = kind_of(resolved)
        if kind.name not in ("any", "bool"):
            if what == "or" and isinstance(after, hir.Broken):
                return hir.Broken(expr.span)  # one message on a value with its default
            choice = default = None
            if what == "or" and after is None and kind.name != "row":
                choice, default = show_expr(resolved), "OTHER"
            elif what == "or" and after is not None and kind_of(after).name == "any":
                choice, default = show_expr(after), show_expr(resolved)
            self.sink.report(
                msg.expressions.NO_TRUTH,
                expr.span,
                what=what,
                kind=kind.show(),
                expr=show_expr(resolved),
                row=self.some_row(resolved, kind),
                value=None,
                entries=_compared(resolved),
                again=f"{show_expr(after.left)} {after.op} {show_expr(resolved)}"
                if isinstance(after, hir.Compare)
                else None,
                choice=choice,
                default=default,
                axis=self.axis_of(resolved),
                cells=f"{show_expr(resolved)} * VALUE" if what == "include" else None,
            )
            return hir.Broken(expr.span)
        return resolved

    def some_row(self, expr: hir.Expr, kind: Kind) -> str:
        """The name of a row that *expr* may have as its value, as an example. Empty if *expr* is no
        row."""
        if kind.name != "row":
            return ""
        axis = self.scope.axes.get(expr.axis) if isinstance(expr, hir.AxisRef) else None
        values = axis.values if axis is not None else None
        names = [one.name for one in values or () if isinstance(one, RowValue)]
        return next(iter(names or (kind.table.rows if kind.table is not None else ())), "NAME")

    def axis_of(self, expr: hir.Expr) -> str | None:
        """The name of an axis that has *expr*, a row that is written as a name, among its values.
        None for any other expression."""
        if not isinstance(expr, hir.Const) or not isinstance(expr.value, RowValue):
            return None
        axes = self.scope.axes.items()
        return next((name for name, one in axes if expr.value in (one.values or ())), None)

    def refuse_nix(self, expr: hir.Expr, what: str) -> bool:
        found = mentions_nix(expr)
        if found is None:
            return False
        self.sink.report(msg.expressions.READS_NIX, found.span, what=what)
        return True

    # --- members -------------------------------------------------------------------------

    def member(self, expr: ast.Member, view: View) -> hir.Expr:
        base = expr.base
        if isinstance(base, ast.Ref) and base.name not in view.lets:
            found = self.scope.find(base.name)
            if found and found[0].kind == "table":
                return self.names.row(found[0], expr)
            if found and found[0].kind == "module":
                return self.names.in_module(base.name, expr, view)
            if not found and base.name in (*OF_RECIPE, *IN_PARTS):
                return self.names.late((base.name, expr.name.text), expr.span, view)
            if not found and base.name == NEEDS and base.name not in view.flags:
                return self.names.need(expr.name, expr.span, view) or hir.Broken(expr.span)
        known = self.decided_of_need(expr, view)
        if known is not None:
            return known
        inner = self.resolve(base, view)
        if isinstance(inner, hir.Broken):
            return hir.Broken(expr.span)
        if not self.has_field(inner, expr):
            return hir.Broken(expr.span)
        return hir.Member(inner, expr.name.text, expr.name.span, expr.span)

    def decided_of_need(self, expr: ast.Member, view: View) -> hir.Expr | None:
        """`needs.torch.variant`, `needs.torch.attrs.pname`: a value of the program in a need; None
        for anything else.
        """
        block = expr.base if isinstance(expr.base, ast.Member) else None
        keyed = block is not None and block.name.text in OF_RECIPE
        need = block.base if block is not None and keyed else expr.base
        if not isinstance(need, ast.Member) or not isinstance(need.base, ast.Ref):
            return None
        if need.base.name != NEEDS or not (keyed or expr.name.text in ("variant", "version")):
            return None
        found = self.resolve(need, view)
        if not isinstance(found, hir.NeedRef):
            return found if isinstance(found, hir.Broken) else None
        path = (
            (block.name.text, expr.name.text) if block is not None and keyed else (expr.name.text,)
        )
        return replace(found, path=path, span=expr.span)

    def has_field(self, base: hir.Expr, expr: ast.Member) -> bool:
        """Whether *base* may have the field that *expr* names; False after reporting that it has
        not. The fields of a row are known early, and plain values have no fields."""
        kind = kind_of(base)
        name = expr.name.text
        if kind.table is not None:
            if name not in kind.table.fields:
                if self.scope.is_lost(name):
                    return False
                self.sink.report(
                    msg.expressions.UNKNOWN_FIELD,
                    expr.name.span,
                    owner=kind.table.name,
                    name=name,
                    fields=", ".join(kind.table.fields),
                    guess=guess(name, kind.table.fields),
                )
                return False
        elif isinstance(base, hir.Const) and isinstance(base.value, RowValue):
            facts = base.value.facts
            if name not in facts:
                if self.scope.is_lost(name):
                    return False
                self.sink.report(
                    msg.expressions.UNKNOWN_FIELD,
                    expr.name.span,
                    owner=base.value.name,
                    name=name,
                    fields=", ".join(facts),
                    guess=guess(name, facts),
                )
                return False
        elif kind.name in ("string", "version", "bool", "int", "list"):
            of = kind.name == "version" and name in ("major", "minor")
            advice = f"write `{name}({show_expr(base)})`" if of else ""
            self.sink.report(msg.values.NO_FIELDS, expr.name.span, kind=kind.show(), advice=advice)
            return False
        return True

    def index(self, expr: ast.Index, view: View) -> hir.Expr:
        pick = expr.picks[0]
        if len(expr.picks) != 1 or isinstance(pick, ast.RangePick | ast.WherePick | ast.AxisPick):
            self.sink.report(msg.expressions.PICKS_SEVERAL, expr.span)
            return hir.Broken(expr.span)
        rows = self.rows(expr.base, view)
        base = rows if rows is not None else self.resolve(expr.base, view)
        return hir.Index(base, self.known(pick, view), expr.span)

    def rows(self, expr: ast.Expr, view: View) -> hir.Rows | hir.Broken | None:
        """The rows of the table that *expr* names, here or in a module; None if it names none."""
        match expr:
            case ast.Ref() if expr.name not in view.lets and expr.name not in view.flags:
                if view.fields is not None and expr.name in view.fields.fields:
                    return None
                scope, name, span = self.scope, expr.name, expr.span
                found = scope.find(name)
            case ast.Member(base=ast.Ref() as alias) if alias.name in self.scope.aliases:
                scope, name, span = self.scope.aliases[alias.name], expr.name.text, expr.span
                found = [scope.own[name]] if name in scope.own else []
            case _:
                return None
        if len(found) != 1 or found[0].kind != "table":
            return None
        table = scope.tables.get(name)
        if table is None:
            self.names.unread_table(found[0], span)
            return hir.Broken(span)
        return hir.Rows(table, span)

    # --- compound values -----------------------------------------------------------------

    def is_unread(self, span: Span) -> bool:
        """Whether an interpolation in *span* has a syntax error, so its value is not known."""
        return any(
            one.code.startswith("E10") and one.primary is not None and span.has(one.primary)
            for one in self.sink
        )

    def text(self, expr: ast.StringLit, view: View) -> hir.Expr:
        if self.is_unread(expr.span):
            return hir.Broken(expr.span)
        if any(isinstance(part, str) and ("$" in part or "{" in part) for part in expr.parts):
            names = (*view.lets, *view.flags)
            self.marked.append(Marked(expr.span, expr.script, self.scope, names, view.roots))
        if all(isinstance(part, str) for part in expr.parts):
            return hir.Const("".join(p for p in expr.parts if isinstance(p, str)), expr.span)
        parts = tuple(
            part if isinstance(part, str) else self.resolve(part.value, view) for part in expr.parts
        )
        return hir.Text(parts, expr.span)

    def nix(self, expr: ast.NixLit, view: View) -> hir.Expr:
        """Nix text; all values in it that only Nix knows are refused at once."""
        parts: list[str | hir.NixInterpolation] = []
        broken = not expr.parts
        if self.inside is not None:
            from tvarc.nix.language.text_paths import files_named

            named = next(files_named(expr.parts), None)
            if named is not None:
                self.sink.report(msg.modules.PATH_IN_NIX, expr.span, path=named)
                broken = True
        at_once: Span | None = None
        for outer in expr.outer:
            if outer.name == "pkgs":
                at_once = None if outer.later else outer.span
            elif not view.anywhere and self.names.refuse_root(outer.name, outer.span, view):
                broken = True
        needs = [self.names.need_of_text(one, view) for one in expr.needs]
        broken = broken or None in needs
        for part in expr.parts:
            if isinstance(part, str):
                parts.append(part)
                continue
            value = self.resolve(part.value, view)
            found = mentions_nix(value)
            if found is not None:
                self.sink.report(msg.expressions.NIX_IN_NIX, found.span, advice=nix_in_nix(value))
                broken = True
            parts.append(hir.NixInterpolation(value, part.place, part.dollar, part.span))
        if broken:
            return hir.Broken(expr.span)
        if any(isinstance(part, str) and "with" in part for part in parts):
            from tvarc.nix.language.uses import named_below_with

            text = "".join([part if isinstance(part, str) else "null" for part in parts])
            self.looked_for |= named_below_with(text, _AROUND_NIX)
        read = tuple([one for one in needs if one is not None])
        return hir.NixCode(tuple(parts), at_once, read, expr.span)

    def item(
        self, item: ast.Expr | ast.Spread | ast.Each, view: View, hint: hir.Table | None
    ) -> hir.Expr | hir.Spread:
        if isinstance(item, ast.Each):
            return hir.Spread(self.each(item, view, hint), item.span)
        if isinstance(item, ast.Spread):
            return hir.Spread(self.resolve(item.value, view, hint), item.span)
        return self.resolve(item, view, hint)

    def each(self, item: ast.Each, view: View, hint: hir.Table | None) -> hir.Expr:
        """An element for each element of another list. The name that `for` introduces may not
        shadow another name."""
        name = item.name.text
        source = self.resolve(item.source, view)
        first = self.names.declaration(name, view)
        if first is not None:
            self.sink.report(msg.settings.NAME_TWICE, item.name.span, others=[first], name=name)
        elements = {**view.elements, name: item.name.span}
        inner = replace(view, elements=elements, hash=False, hashes=False, locks=False)
        condition = None
        if item.condition is not None:
            condition = self.condition(item.condition, inner, "if")
        items = hir.ListOf((self.item(item.element, inner, hint),), item.element.span)
        return hir.Each(items, name, source, condition, item.span)

    def compare(self, expr: ast.Compare, view: View) -> hir.Expr:
        left: hir.Expr
        right: hir.Expr
        rows = self.rows(expr.right, view) if expr.op in ("in", "not in") else None
        if rows is not None:
            left, right = self.resolve(expr.left, view), rows
        elif isinstance(expr.left, ast.Ref) and not self.names.declared(expr.left.name, view):
            # An undeclared bare name on the left may be a row of the table on the right.
            right = self.resolve(expr.right, view)
            left = self.resolve(expr.left, view, _table_of(right))
        else:
            left = self.resolve(expr.left, view)
            right = self.resolve(expr.right, view, _table_of(left))
        for side in (left, right):
            if self.refuse_nix(side, "a comparison"):
                return hir.Broken(expr.span)
        if refuse_itself(expr.op, left, right, expr.span, self.sink):
            return hir.Broken(expr.span)
        compared = hir.Compare(expr.op, left, right, expr.span)
        self.check_kinds(compared)
        return compared

    def check_kinds(self, expr: hir.Compare) -> None:
        left, right = expr.left, expr.right
        mine, theirs = kind_of(left), kind_of(right)
        if expr.op in ("in", "not in"):
            if theirs.name == "list":
                theirs = theirs.element or ANY
            elif theirs.name == "record":
                if mine.name not in ("any", "string", "row"):  # a key, or has the name of one
                    refuse_no_key(expr, mine.show(), self.sink)
                return
            elif theirs.name not in ("any", "string", "record"):
                from tvarc.meaning.evaluation.unlike import one_value_help

                self.sink.report(
                    msg.comparisons.NO_LIST,
                    expr.right.span,
                    op=expr.op,
                    kind=theirs.show(),
                    advice=one_value_help(expr),
                )
                return
        if "any" in (mine.name, theirs.name) or "null" in (mine.name, theirs.name):
            return
        if expr.op in ("is", "is not"):
            return
        if mine.name != theirs.name or mine.origin != theirs.origin:
            from tvarc.meaning.evaluation.unlike import as_the_other

            self.sink.report(
                msg.comparisons.DIFFERENT_TYPES,
                expr.left.span,
                others=[expr.right.span],
                kind=mine.show(),
                other_kind=theirs.show(),
                left=mine.show(),
                right=theirs.show(),
                edits=(
                    *as_the_other(left, theirs.name, theirs.table.rows if theirs.table else ()),
                    *as_the_other(right, mine.name, mine.table.rows if mine.table else ()),
                ),
                advice=_in_help(expr.op, mine, theirs, left, right)
                or _kinds_help(mine, theirs, left, right),
            )
        elif expr.op in ("<", "<=", ">", ">=") and mine.name not in _ORDERED:
            self.sink.report(msg.comparisons.NO_ORDER, expr.span, kind=mine.show(), op=expr.op)

    def call(self, expr: ast.Call, view: View) -> hir.Expr:
        name = expr.function.text
        signature = FUNCTIONS.get(name)
        if signature is None:
            from tvarc.syntax.elsewhere_words import FETCHERS, METHODS

            known = METHODS | FETCHERS

            self.sink.report(
                msg.functions.UNKNOWN_FUNCTION,
                expr.function.span,
                name=name,
                known=", ".join(FUNCTIONS),
                advice=known.get(name),
                guess=None if name in known else guess(name, FUNCTIONS),
            )
            return hir.Broken(expr.span)
        bound = self.bind(expr, signature, view)
        if bound is None:
            return hir.Broken(expr.span)
        if name == "path":
            return self.path(expr, bound["file"])
        if name in ("github", "url"):
            for field, value in bound.items():
                refuse_malformed(SOURCE_FORMATS, field, value, self.sink)
        ordered = [(p.name, bound.pop(p.name)) for p in signature.parameters if p.name in bound]
        return hir.Apply(name, (*ordered, *bound.items()), expr.span)

    def path(self, expr: ast.Call, file: hir.Expr) -> hir.Expr:
        if not isinstance(file, hir.Const) or not isinstance(file.value, str):
            self.sink.report(msg.functions.COMPUTED_PATH, file.span)
            return hir.Broken(expr.span)
        if not file.value or not file.value.isprintable():
            self.sink.report(msg.functions.EMPTY_PATH, file.span)
            return hir.Broken(expr.span)
        if FILE.refuse("path", file.value, file.span, self.sink):
            return hir.Broken(expr.span)
        try:
            name = self.join(self.scope.file, file.value)
            if self.inside is not None:
                found = hir.Const(name.partition("/")[2], file.span)
                return hir.Apply("file", (("input", self.inside), ("file", found)), expr.span)
            return hir.Const(PathValue(name), expr.span)
        except UnreadableSource as fault:
            from tvarc.files.disk import report_unreadable

            advice = "the path is relative to the folder of this `.tvar` file"
            report_unreadable(fault, self.sink, expr.span, label="named here", advice=advice)
            return hir.Broken(expr.span)

    def bind(self, expr: ast.Call, signature: Signature, view: View) -> dict[str, hir.Expr] | None:
        """The arguments by parameter name; None after reporting one that does not fit."""
        names = [parameter.name for parameter in signature.parameters]
        bound: dict[str, hir.Expr] = {}
        before = len(self.sink)
        position = 0
        for argument in expr.arguments:
            named = argument.name is not None and argument.name.text == "hash"
            locks = signature.name == "call"
            inner = view
            if (view.hash, view.locks, view.hashes) != (named, locks, False):
                inner = replace(view, hash=named, locks=locks, hashes=False)
            if signature.name == "file" and not bound:
                inner = replace(inner, path=("input",))
            value = self.resolve(argument.value, inner)
            if argument.name is None and signature.more and position >= len(names):
                name = str(position)
                names.append(name)
                position += 1
            elif argument.name is None:
                if position >= min(len(names), signature.positional):
                    self.sink.report(
                        msg.functions.ARGUMENT_WITHOUT_NAME
                        if position < len(names)
                        else msg.functions.TOO_MANY_ARGUMENTS,
                        argument.span,
                        function=signature.name,
                        form=signature.show(),
                    )
                    continue
                name = names[position]
                position += 1
            else:
                name = argument.name.text
            if name not in names:
                self.sink.report(
                    msg.functions.UNKNOWN_ARGUMENT,
                    argument.span,
                    at=argument.name.span if argument.name is not None else None,
                    function=signature.name,
                    name=name,
                    form=signature.show(),
                    advice=named_otherwise(name, names),
                    guess=guess(name, names),
                )
            elif name in bound:
                self.sink.report(msg.functions.ARGUMENT_TWICE, argument.span, name=name)
            else:
                bound[name] = value
        missing = [p.name for p in signature.parameters if p.required and p.name not in bound]
        if missing and len(self.sink) == before:
            self.sink.report(
                msg.functions.ARGUMENTS_MISSING,
                expr.span,
                function=signature.name,
                missing="`, `".join(missing),
                form=signature.show(),
            )
        return bound if len(self.sink) == before and not missing else None


def hash_view(view: View, path: hir.Path) -> View:
    """The view of the value at *path* in a record or a package. A value with the name of a hash is
    a hash."""
    named = view.hashes or is_hash(path)
    several = path[-1] in HASHES_BY_NAME
    if (view.hash, view.hashes) == (named, several):
        return view
    return replace(view, hash=named, hashes=several)


def where_view(view: View, table: hir.Table) -> View:
    """The view within `T[where …]`: the fields of the row at hand are names."""
    return replace(view, fields=table, what="`where`")


def _table_of(expr: hir.Expr) -> hir.Table | None:
    kind = kind_of(expr)
    if kind.table is not None:
        return kind.table
    if kind.element is not None:
        return kind.element.table
    return None


def _compared(expr: hir.Expr) -> str | None:
    """The comparisons to write instead of a record that is used as a condition, such as `{ gpu =
    sm80 }`. None for any other expression."""
    if not isinstance(expr, hir.RecordOf) or not expr.entries:
        return None
    return " and ".join(f"{'.'.join(path)} == {show_expr(value)}" for path, value in expr.entries)


def _in_help(op: str, left: Kind, right: Kind, one: hir.Expr, several: hir.Expr) -> str:
    """The comparison to write, if an axis is compared with the names of its values."""
    if op not in ("in", "not in") or (left.name, right.name) != ("row", "string"):
        return ""
    from tvarc.meaning.evaluation.unlike import in_names_help

    return in_names_help(show_expr(one), isinstance(several, hir.ListOf))


def _kinds_help(left: Kind, right: Kind, *sides: hir.Expr) -> str:
    from tvarc.meaning.evaluation.unlike import FLOAT_HELP, bare_help, version_help

    names = {left.name, right.name}
    written = [side.value for side in sides if isinstance(side, hir.Const)]
    if names == {"version", "string"}:
        made = next((side for side in sides if isinstance(side, hir.Text)), None)
        if made is not None:
            return version_help(made)
        texts = [value for value in written if isinstance(value, str) and is_version(value)]
        version = next((value for value in written if isinstance(value, Version)), None)
        if version is not None and not texts:
            return f'the other side is a string: write this in quotes, `"{version.text}"`'
        return f"write a version without quotes: `{texts[0] if texts else '13.0'}`"
    if names == {"version", "int"}:
        number = next((v for v in written if isinstance(v, int)), 13)
        return f"write a version with a dot: `{number}.0`, not `{number}`"
    if names in ({"float", "version"}, {"float", "int"}):
        return FLOAT_HELP
    quoted = next((value for value in written if isinstance(value, str)), "")
    if names in ({"bool", "string"}, {"int", "string"}) and quoted:
        return bare_help(quoted, "bool" in names)
    if names == {"row", "string"}:
        return "write a value of an axis without quotes"
    if names == {"row"}:
        return "compare a field of one with a field of the other"
    if "row" in names:
        return "compare one of its fields"
    return ""
