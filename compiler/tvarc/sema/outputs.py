"""Resolve outputs: which files are written, a file for each variant or one for all of them."""

from __future__ import annotations

from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.light import Final
from tvarc.sema import hir
from tvarc.sema.expressions import Expressions
from tvarc.sema.scope import View
from tvarc.source import Span
from tvarc.syntax import ast

FIELDS: Final = ("file", "form", "prefix")
FORMS: Final[tuple[hir.OutputForm, ...]] = ("recipes", "all", "flake")
_FILE: Final = '`file = ".flox/pkgs/{{variant}}.nix"`'


class Outputs:
    """Resolves the outputs of one module."""

    __slots__ = ("expressions", "sink")

    def __init__(self, expressions: Expressions, sink: Sink) -> None:
        self.expressions = expressions
        self.sink = sink

    def output(self, item: ast.Output) -> hir.OutputDef | None:
        """The output that *item* declares; None after reporting why it is none."""
        before = len(self.sink)
        fields: dict[str, ast.Assign] = {}
        for inner in item.body:
            self.field(inner, fields)
        name = item.name.text
        if "file" not in fields:
            if len(self.sink) == before:
                self.sink.error(
                    "E208",
                    f"output `{name}` names no file",
                    item.name.span,
                    "`file` missing",
                    help=_FILE,
                )
            return None
        form = self.form(name, fields.get("form"))
        file = self.expressions.known(fields["file"].value, View("a file's name", settings=True))
        prefix = None
        if "prefix" in fields:
            view = View("the first step of an attribute", settings=True)
            prefix = self.expressions.known(fields["prefix"].value, view)
            if form == "recipes":
                self.refuse_prefix(fields["prefix"])
        if form is None or (form != "recipes" and not self.is_plain(name, form, file, fields)):
            return None
        return hir.OutputDef(name, file, item.span, form, prefix)

    def field(self, inner: ast.Item, fields: dict[str, ast.Assign]) -> None:
        if not isinstance(inner, ast.Assign) or len(inner.path) != 1 or inner.op != "=":
            self.sink.error("E210", "an output has fields only", inner.span, "no field", help=_FILE)
            return
        key = inner.path[0]
        if key.text not in FIELDS:
            self.sink.error(
                "E210",
                f"an output has no field `{key.text}`",
                key.span,
                "unknown field",
                notes=("fields: " + ", ".join(FIELDS),),
                help=did_you_mean(key.text, FIELDS) or _FILE,
            )
        elif key.text in fields:
            self.sink.error(
                "E202",
                f"`{key.text}` is written twice",
                inner.span,
                "again here",
                others=((fields[key.text].span, "first here"),),
            )
        else:
            fields[key.text] = inner

    def form(self, name: str, written: ast.Assign | None) -> hir.OutputForm | None:
        """What is written, by default what the name of the output says; None after reporting a
        form that there is not."""
        if written is None:
            return next((form for form in FORMS if form == name), "recipes")
        value = written.value
        named = value.name if isinstance(value, ast.Ref) else ""
        found = next((form for form in FORMS if form == named), None)
        if found is None:
            self.sink.error(
                "E201",
                f"there is no form `{named}` of an output" if named else "a form is a name",
                value.span,
                "unknown form" if named else "no name",
                notes=("forms: " + ", ".join(FORMS),),
                help=did_you_mean(named, FORMS) or "`form = all` puts all variants in one file",
            )
        return found

    def refuse_prefix(self, written: ast.Assign) -> None:
        self.sink.error(
            "E209",
            "a file for each variant has no names by axis",
            written.path[0].span,
            "no names that it could stand before",
            help="`form = all` puts all variants in one file, each by its name and by its axes",
        )

    def is_plain(
        self, name: str, form: hir.OutputForm, file: hir.Expr, fields: dict[str, ast.Assign]
    ) -> bool:
        """Whether *file* is one for all variants, which is reported where it is not."""
        if isinstance(file, hir.Broken):
            return False
        if isinstance(file, hir.Const) and isinstance(file.value, str):
            return True
        written = fields.get("form")
        span: Span = fields["file"].value.span
        meant = f"output `{name}` has one file for all variants"
        self.sink.error(
            "E403",
            f"{meant}: its name is written out",
            span,
            "computed",
            others=() if written is None else ((written.span, f"by `form = {form}`"),),
            help="a file for each variant is `form = recipes`"
            if written is None
            else 'such as `file = "default.nix"`',
        )
        return False
