"""The meaning of bare names in expressions."""

from __future__ import annotations

from tvarc.blocks import CONFIG, OF_RECIPE
from tvarc.light import TYPE_CHECKING, Final, Iterable, Sequence, assert_never, dataclass
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.functions import SIGNATURES
from tvarc.meaning.names.scope import LATE_NAMES, NEEDS, ROOTS, ModuleScope, Symbol, View
from tvarc.nix.nixpkgs import KINDS
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import Guess, guess
from tvarc.text.source import Span
from tvarc.values.value import UNLOCKED, DeclValue, Value

if TYPE_CHECKING:
    from tvarc.text.diagnostics.message import Message

_UNLOCKED = "unlocked"
_LISTED: Final = 8
_NO_VALUES: Final = ("recipe", "matrix", "variant", "output", "module")
# Words of other languages, with those of this one.
_ELSEWHERE: Final = {
    "yes": "true", "no": "false", "on": "true", "off": "false", "nil": "null",
    "undefined": "null",
}  # fmt: skip
# The characters before a name in other languages.
_OF_NAMES: Final = ("var", "local", "each", "self")


@dataclass(slots=True, eq=False)
class Names:
    """Looks names up for the expressions of one module, and reports unknown ones."""

    scope: ModuleScope
    sink: Sink

    def name(self, name: str, span: Span, view: View, hint: hir.Table | None) -> hir.Expr:
        if name in view.elements or (view.fields is not None and name in view.fields.fields):
            return hir.FieldRef(name, span)
        if name in view.lets:
            return hir.LetRef(view.lets[name], span)
        if name in view.flags:
            return self.late(("flag", name), span, view)
        found = self.found(name, span)
        if found is None:
            return hir.Broken(span)
        if found:
            return self.symbol(found[0], span, view)
        if hint is not None and name in hint.rows:
            return hir.Const(hint.rows[name], span)
        if view.listed_by is not None and name in view.listed_by:
            return hir.SettingRef(("flag", name), span)
        if name in LATE_NAMES:
            return self.late((name,), span, view)
        if name in ROOTS:
            return self.root(name, span, view)
        rows = self.scope.rows_named(name)
        if len(rows) == 1:
            return hir.Const(rows[0], span)
        if rows:
            self.ambiguous(
                name,
                span,
                [(row.span, _row_place(row.table)) for row in rows],
                [f"`{table}.{name}`" for row in rows if (table := _table_name(row.table))],
            )
            return hir.Broken(span)
        if name == _UNLOCKED and (view.hash or view.anywhere):
            return hir.Const(UNLOCKED, span)
        if not self.scope.is_lost(name):
            self.unknown(name, span, view, hint)
        return hir.Broken(span)

    def found(self, name: str, span: Span) -> list[Symbol] | None:
        """The symbols that *name* means; None after reporting that it may mean several.

        An axis may be named in several modules and given its values in one.
        """
        found = self.scope.find(name)
        several = len({symbol.id for symbol in found}) > 1
        if several and (any(s.kind != "axis" for s in found) or self.given_twice(found)):
            self.ambiguous(name, span, [(s.span, s.describe()) for s in found])
            return None
        return found

    def seen(self, name: str, span: Span, symbol: Symbol | None) -> None:
        """Called for each *name* that is found to mean *symbol* in another way than by `found`.
        Editors note it."""

    def picked(self, name: str, span: Span, values: Iterable[Value]) -> None:
        """Called for each *name* that picks one of *values*. Editors note it."""

    def given_twice(self, axes: list[Symbol]) -> bool:
        return len([axis for axis in axes if axis.id in self.scope.given]) > 1

    def declared(self, name: str, view: View) -> bool:
        """Whether *name* is declared here. An undeclared name may still be a row of a table."""
        fields = view.fields.fields if view.fields is not None else {}
        return name in fields or self.declaration(name, view) is not None

    def declaration(self, name: str, view: View) -> Span | None:
        """The place where *name* is declared; None if it is not declared."""
        if name in view.elements:
            return view.elements[name]
        known = view.lets.get(name) or view.flags.get(name)
        return known.span if known else next((s.span for s in self.scope.find(name)), None)

    def unknown(self, name: str, span: Span, view: View, hint: hir.Table | None) -> None:
        aliased = [
            f"{alias}.{name}"
            for alias, module in self.scope.aliases.items()
            if name in module.own and module.own[name].kind not in ("module", "output")
        ]
        special = name in (*OF_RECIPE, "std", _UNLOCKED, *SIGNATURES) or aliased
        if not special and self.scope.refuse_unused(
            msg.names.UNKNOWN, name, span, self.sink, rows=hint is None
        ):
            return
        lost = sorted(self.scope.lost or ())  # names that broken items may declare
        known = [
            *self.scope.names(),
            *lost,
            *view.lets,
            *view.flags,
            *(view.listed_by or ()),
            *LATE_NAMES,
            *OF_RECIPE,
            *sorted(view.roots),
        ]
        known = [*view.elements, *known]
        if view.fields is not None:
            known = [*view.fields.fields, *known]
        if hint is not None:
            known = [*hint.rows, *known]
        near = guess(name, known)
        if aliased:
            near = Guess(aliased[-1], len(aliased) == 1, tuple(aliased[:-1]))
        if name.lower() in ("true", "false", "null"):
            near = Guess(name.lower(), sure=True)
        if name == _UNLOCKED and (near.word or not span.file.startswith("--")):
            self.refuse_unlocked(span)
            return
        rows = list(hint.rows) if hint is not None else []
        self.sink.report(
            self.message(name, near, span, rows),
            span,
            notes=(msg.names.READS_FLAGS,) if view.listed_by is not None else (),
            cause=f"{self.scope.file} without {name}",
            name=name,
            guess=near,
            word=_ELSEWHERE.get(name.lower()),
            function=SIGNATURES[name].show() if name in SIGNATURES else None,
            table=hint.name if hint is not None else None,
            rows=", ".join(rows[:_LISTED]) + (" …" if len(rows) > _LISTED else ""),
            advice=self.of_axes(name) or _fitting(name, view),
        )

    def of_axes(self, name: str) -> str:
        """The advice for *name* with values of axes in it, as the name of a variant has them."""
        found = {
            axis.name: row.name
            for axis in self.scope.axes.values()
            for row in (axis.table.rows.values() if axis.table is not None else ())
            if f"-{row.name}-" in f"-{name}-"
        }
        if not found:
            return ""
        compared = " and ".join(f"{axis} == {row}" for axis, row in found.items())
        return f"for the variants with these values, write `{compared}`"

    def message(self, name: str, near: Guess, span: Span, rows: Sequence[str]) -> Message:
        """The message on *name*, which has no meaning here. *near* is a similar name, and *rows*
        are rows that may be meant."""
        if name in OF_RECIPE:
            return msg.names.BLOCK_AS_VALUE
        if name.lower() == "none":
            return msg.names.NONE_ELSEWHERE
        if name.lower() in _ELSEWHERE and not rows:
            return msg.names.OTHER_WORD
        if span.file.startswith("--") and not near.word:
            return msg.names.WITHOUT_QUOTES
        if name in _OF_NAMES or name == "stdenv":
            return msg.names.UNKNOWN
        if name == "std":
            return msg.names.LIBRARY_AS_VALUE
        if name in SIGNATURES:
            return msg.names.FUNCTION_AS_VALUE
        if near.word:
            return msg.names.TEXT_OR_NAME if self.is_no_value(near.word) else msg.names.MISSPELT
        if rows:
            return msg.names.NO_ROW
        return msg.names.NAME_OF_VARIANT if name == "name" else msg.names.UNKNOWN

    def is_no_value(self, name: str) -> bool:
        """Whether *name* is a declaration that is no value, such as a recipe."""
        return any(symbol.kind in _NO_VALUES for symbol in self.scope.find(name))

    def refuse_unlocked(self, span: Span) -> None:
        self.sink.report(msg.names.UNLOCKED_HERE, span)

    def ambiguous(
        self,
        name: str,
        span: Span,
        places: list[tuple[Span, str]],
        choices: list[str] | None = None,
    ) -> None:
        self.sink.report(
            msg.names.AMBIGUOUS_ROW if choices else msg.names.AMBIGUOUS,
            span,
            others=places,
            name=name,
            choices=" or ".join(choices or ()),
        )

    def symbol(self, symbol: Symbol, span: Span, view: View) -> hir.Expr:
        match symbol.kind:
            case "let" | "input":
                let = self.scope_of(symbol).lets.get(symbol.name)
                return hir.LetRef(let, span) if let is not None else hir.Broken(span)
            case "axis":
                return self.axis(symbol, span, view)
            case "mixin":  # `recipe is NAME` holds for all recipes with the mixin
                return hir.Const(DeclValue("recipe", symbol.name, symbol.id), span)
            case "recipe" | "overlay" | "patch" | "matrix" | "variant" | "pin":
                kind = "matrix" if symbol.kind == "variant" else symbol.kind
                return hir.Const(DeclValue(kind, symbol.name, symbol.id), span)
            case "table":
                self.sink.report(
                    msg.names.TABLE_AS_VALUE, span, table=symbol.describe(), name=symbol.name
                )
            case "module":
                self.sink.report(msg.names.MODULE_AS_VALUE, span, name=symbol.name)
            case "output":
                self.sink.report(msg.names.OUTPUT_AS_VALUE, span, name=symbol.name)
            case _:
                assert_never(symbol.kind)
        return hir.Broken(span)

    def scope_of(self, symbol: Symbol) -> ModuleScope:
        if symbol.file == self.scope.file:
            return self.scope
        for alias in self.scope.aliases.values():
            if alias.file == symbol.file:
                return alias
        return self.scope

    def axis(self, symbol: Symbol, span: Span, view: View) -> hir.Expr:
        if not view.axes:
            self.sink.report(msg.names.AXIS_NOT_HERE, span, reader=view.what, axis=symbol.name)
            return hir.Broken(span)
        axis = self.scope_of(symbol).axes.get(symbol.name)
        return hir.AxisRef(symbol.name, axis.table if axis else None, span)

    def late(self, path: hir.Path, span: Span, view: View) -> hir.Expr:
        if not view.settings and path not in (("recipe",), ("matrix",)):
            what = f"flag `{path[1]}`" if path[0] == "flag" else f"`{'.'.join(path)}`"
            self.sink.report(msg.names.READ_TOO_EARLY, span, reader=view.what, what=what)
            return hir.Broken(span)
        return hir.SettingRef(path, span)

    def root(self, name: str, span: Span, view: View) -> hir.Expr:
        if name == NEEDS:
            self.refuse_all_needs(span)
            return hir.Broken(span)
        if self.refuse_root(name, span, view):
            return hir.Broken(span)
        return hir.NixRoot(name, span)

    def refuse_all_needs(self, span: Span) -> None:
        self.sink.report(msg.names.NEEDS_AS_VALUE, span)

    def need(self, name: ast.Name | ast.Key, span: Span, view: View) -> hir.NeedRef | None:
        """The value `needs.NAME`. A recipe's settings and its overlays may read it; elsewhere it is
        reported, and the result is None."""
        if not view.settings and view.listed_by is None:
            self.sink.report(msg.names.NEED_TOO_EARLY, span, reader=view.what, name=name.text)
            return None
        return hir.NeedRef(name.text, (), name.span, span)

    def need_of_text(self, read: ast.NixNeed, view: View) -> hir.NeedRef | None:
        """The need that Nix text reads; None after reporting a fault."""
        if read.name is None:
            self.refuse_all_needs(read.span)
            return None
        return self.need(read.name, read.span, view)

    def refuse_root(self, name: str, span: Span, view: View) -> bool:
        """Whether the root *name* is not available here, which is then reported."""
        if name not in view.roots and view.roots:
            where = (
                "an overlay"
                if name in ("final", "prev")
                else "`attrs`, in scripts, and in an overlay `for` a package"
            )
            self.sink.report(
                msg.names.ROOT_NOT_HERE if name != "old" else msg.names.OLD_NOT_HERE,
                span,
                name=name,
                where=where,
            )
            return True
        return False

    def row(self, symbol: Symbol, expr: ast.Member) -> hir.Expr:
        table = self.scope.tables.get(symbol.name)
        if table is None:
            self.unread_table(symbol, expr.span)
            return hir.Broken(expr.span)
        row = table.rows.get(expr.name.text)
        if row is None and self.scope.is_lost(expr.name.text):
            return hir.Broken(expr.span)
        if row is None:
            self.sink.report(
                msg.names.UNKNOWN_ROW,
                expr.name.span,
                table=symbol.name,
                name=expr.name.text,
                guess=guess(expr.name.text, table.rows),
            )
            return hir.Broken(expr.span)
        return hir.Const(row, expr.span)

    def unread_table(self, symbol: Symbol, span: Span) -> None:
        """Report that *symbol*, a table, is read where its rows are not known yet."""
        if not self.scope.is_lost(symbol.name):
            self.sink.report(
                msg.names.TABLE_TOO_EARLY, span, others=[symbol.span], table=symbol.name
            )

    def in_module(self, alias: str, expr: ast.Member, view: View) -> hir.Expr:
        module = self.scope.aliases[alias]
        symbol = module.own.get(expr.name.text)
        if symbol is None:
            self.sink.report(
                msg.names.NOT_IN_MODULE,
                expr.name.span,
                module=alias,
                name=expr.name.text,
                guess=guess(expr.name.text, module.own),
            )
            return hir.Broken(expr.span)
        self.seen(alias, expr.base.span, self.scope.own.get(alias))
        self.seen(symbol.name, expr.name.span, symbol)
        return self.symbol(symbol, expr.span, view)


def _fitting(name: str, view: View) -> str:
    """The advice for the unknown *name*: what to write in *view* instead. Empty if there is no
    advice."""
    if view.path[:1] == ("overlays",):
        return f"declare it: `overlay {name} {{ … }}`"
    if view.path == ("input",):
        return f"declare it: `input {name} {{ … }}`"
    if view.path[:1] == ("pin",):
        return f"declare it: `pin {name} {{ … }}`"
    if name in ("default", "force"):
        return f"write `{name}` before the setting: `{name} x = …`"
    if name in _OF_NAMES:
        return f"names have no `{name}.` before them: `{name}.x` is `x`"
    if name == "stdenv":
        return (
            "only Nix knows the platform; compare a fact of an axis, such as `isa.platform == "
            '"x86_64-linux"`'
        )
    if name == "builtins":
        return 'write functions of Nix in Nix text: nix"""builtins.…"""'
    match KINDS.get(view.path):
        case "truth":
            return f"write true or false, or declare a flag: `flag {name} = true`"
        case "text":
            return ""
    if "pkgs" not in view.roots or view.path[:1] == (CONFIG,):
        return ""
    return f'for a package of nixpkgs, write `pkgs.{name}`; for a string, write "{name}"'


def _row_place(origin: str) -> str:
    return f"a row of {_table_name(origin)}"


def _table_name(origin: str) -> str:
    return origin.rpartition("::")[2]
