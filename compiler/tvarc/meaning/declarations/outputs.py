"""Resolve outputs: the files to write, one for each variant or one for all of them."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.declarations.expressions import Expressions
from tvarc.meaning.names.scope import View
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import Guess, guess

OF_FORM: Final[dict[hir.OutputForm, tuple[str, ...]]] = {
    "flox-manifest": ("catalog", "flake", "group", "only"),
    "jobs": ("only",),
    "github": ("tvarc", "only", "runners", "matrix", "ledger", "publish", "before", "after"),
    "image": ("only", "name", "tag", "run", "env"),
    "docs": (),
}
"""The fields that only some forms have."""
OF_JOBS: Final[tuple[hir.OutputForm, ...]] = ("jobs", "github", "image")
"""Forms that describe to other systems what to build or to run."""
_WRITTEN_OUT: Final = ("matrix", "tvarc", "ledger")
_OF_NO_VARIANT: Final = ("publish", "before", "after")
_OF_SOME: Final = tuple(dict.fromkeys(key for keys in OF_FORM.values() for key in keys))
_LIMIT_ONE_FILE: Final = 1 << 27
"""The default limit, in bytes, for all recipes in one file. The file is made in memory."""
FIELDS: Final = ("file", "prefix", "limit", *_OF_SOME)
FORMS: Final[tuple[hir.OutputForm, ...]] = ("recipes", "all", "flake", *OF_FORM)
_FILE: Final = 'write `file = ".flox/pkgs/{{variant}}.nix"`'
_NEEDED: Final[dict[hir.OutputForm | None, str]] = {
    None: _FILE,
    "recipes": _FILE,
    "all": 'write `file = "default.nix"`',
    "flake": 'write `file = "flake.nix"`',
    "flox-manifest": 'write `file = ".flox/env/manifest.toml"` and `catalog = "ORGANISATION"`',
    "jobs": 'write `file = "jobs.jsonl"`',
    "github": 'write `file = ".github/workflows/NAME.yml"` and `tvarc = "github:OWNER/tvarc/REV"`',
    "image": 'write `file = "images.nix"`',
    "docs": 'write `file = "README.md"`',
}
"""The text to write if an output of this form lacks a required field."""


def _fields_of(form: hir.OutputForm | None) -> tuple[str, ...]:
    """The fields of an output of *form*. All fields if the form is unknown."""
    if form is None:
        return FIELDS
    one_file = ("prefix", "limit") if form in ("all", "flake") else ()
    named = ("limit",) if form == "recipes" else one_file
    return ("file", *named, *OF_FORM.get(form, ()))


class Outputs:
    """Resolves the outputs of one module."""

    __slots__ = ("expressions", "sink")

    def __init__(self, expressions: Expressions, sink: Sink) -> None:
        self.expressions = expressions
        self.sink = sink

    def output(self, item: ast.Output) -> hir.OutputDef | None:
        """The output that *item* declares; None after reporting a fault."""
        before = len(self.sink)
        fields: dict[str, ast.Assign] = {}
        name = item.name.text
        form = self.form(item)
        for inner in item.body:
            self.field(inner, fields, form)
        if "file" not in fields:
            if len(self.sink) == before:
                self.sink.report(
                    msg.outputs.NO_FILE, item.name.span, name=name, advice=_NEEDED[form]
                )
            return None
        file = self.expressions.known(fields["file"].value, View("a file's name", settings=True))
        prefix = None
        if "prefix" in fields:
            view = View("the first step of an attribute", settings=True)
            prefix = self.expressions.known(fields["prefix"].value, view)
            if form == "recipes" or form in OF_FORM:
                self.refuse_prefix(fields["prefix"])
        limit = self.limit(form, fields)
        more = self.of_form(name, form, fields)
        if form == "flox-manifest":
            self.demand_way(name, fields, item)
        if form is None or (form != "recipes" and not self.is_plain(item, form, file, fields)):
            return None
        if form in OF_FORM and len(self.sink) > before:
            return None
        found = hir.OutputDef(name, file, item.span, form, prefix, more)
        if limit is None and form in ("all", "flake"):
            limit = _LIMIT_ONE_FILE
        return found if limit is None else replace(found, limit=limit)

    def limit(self, form: hir.OutputForm | None, fields: dict[str, ast.Assign]) -> int | None:
        """The field `limit`; None if there is none, or after reporting a fault in it."""
        written = fields.get("limit")
        if written is None:
            return None
        if form not in (None, "recipes", "all", "flake"):
            self.sink.report(msg.outputs.LIMIT_OF_OTHER_FORM, written.path[0].span, form=form)
            return None
        if isinstance(written.value, ast.IntLit) and written.value.value > 0:
            return written.value.value
        self.sink.report(msg.declarations.BAD_LIMIT, written.value.span)
        return None

    def of_form(
        self, name: str, form: hir.OutputForm | None, fields: dict[str, ast.Assign]
    ) -> tuple[tuple[str, hir.Expr], ...]:
        """The fields that only some forms have. Faults in them are reported."""
        found: list[tuple[str, hir.Expr]] = []
        for key in _OF_SOME:
            if key not in fields:
                continue
            written = fields[key]
            if form is not None and key not in OF_FORM.get(form, ()):
                self.refuse_field(key, form, written)
            elif key == "only":
                view = View("`only`", settings=True)
                found.append((key, self.expressions.condition(written.value, view, "only")))
            else:
                varies = key not in _OF_NO_VARIANT
                view = View(f"`{key}` of an output", axes=varies, settings=varies)
                value = self.expressions.known(written.value, view)
                if key in _WRITTEN_OUT and not isinstance(value, hir.Const | hir.Broken):
                    self.refuse_computed(name, key, written)
                found.append((key, value))
        return tuple(found)

    def refuse_field(self, key: str, form: hir.OutputForm, written: ast.Assign) -> None:
        forms = [one for one, keys in OF_FORM.items() if key in keys]
        named = " and ".join(f"`{one}`" for one in forms)
        self.sink.report(
            msg.outputs.FIELD_OF_ONE_FORM if len(forms) == 1 else msg.outputs.FIELD_OF_OTHER_FORMS,
            written.path[0].span,
            key=key,
            named=named,
            form=form,
            first=forms[0],
        )

    def refuse_computed(self, name: str, key: str, written: ast.Assign) -> None:
        self.sink.report(msg.outputs.COMPUTED_TEXT, written.value.span, key=key, name=name)

    def demand_way(self, name: str, fields: dict[str, ast.Assign], item: ast.Output) -> None:
        """Report a manifest that does not state where Flox finds packages, or states it twice."""
        ways = [key for key in ("catalog", "flake") if key in fields]
        if not ways:
            self.sink.report(msg.outputs.NO_WAY, item.name.span, name=name)
        elif len(ways) > 1:
            self.sink.report(
                msg.outputs.TWO_WAYS,
                fields["flake"].span,
                others=[fields["catalog"].span],
                name=name,
            )

    def field(
        self, inner: ast.Item, fields: dict[str, ast.Assign], form: hir.OutputForm | None
    ) -> None:
        known = _fields_of(form)
        listed = ", ".join(known)
        holder = f"an output of the form `{form}`" if form else "an output"
        if not isinstance(inner, ast.Assign) or len(inner.path) != 1 or inner.op != "=":
            self.sink.report(
                msg.outputs.NO_FIELD, inner.span, holder=holder, known=listed, first=known[0]
            )
            return
        key = inner.path[0]
        if key.text == "form":
            self.sink.report(msg.outputs.FORM_AS_FIELD, inner.span)
        elif key.text not in FIELDS:
            self.sink.report(
                msg.outputs.UNKNOWN_FIELD,
                key.span,
                name=key.text,
                holder=holder,
                known=listed,
                guess=Guess("file", True)
                if key.text in ("path", "filename")
                else guess(key.text, known),
            )
        elif key.text in fields:
            self.sink.report(
                msg.declarations.WRITTEN_TWICE,
                inner.span,
                others=[fields[key.text].span],
                name=key.text,
            )
        else:
            fields[key.text] = inner

    def form(self, item: ast.Output) -> hir.OutputForm | None:
        """The form of *item*; `recipes` if it names none. None after reporting an unknown form, or
        an output without a form that has the name of one."""
        said = item.form or item.name
        found = next((form for form in FORMS if form == said.text), None)
        if item.form is None:
            if found is None or found == "recipes":
                return "recipes"
            self.sink.report(msg.outputs.NO_FORM, said.span, name=said.text)
            return None
        if found is None:
            self.sink.report(
                msg.outputs.UNKNOWN_FORM,
                said.span,
                named=said.text,
                forms=", ".join(FORMS),
                guess=guess(said.text, FORMS),
            )
        return found

    def refuse_prefix(self, written: ast.Assign) -> None:
        self.sink.report(msg.outputs.PREFIX_WITHOUT_EFFECT, written.path[0].span)

    def is_plain(
        self, item: ast.Output, form: hir.OutputForm, file: hir.Expr, fields: dict[str, ast.Assign]
    ) -> bool:
        """Whether *file* is the same name for all variants; False after reporting that it is not.
        """
        if isinstance(file, hir.Broken):
            return False
        if isinstance(file, hir.Const) and isinstance(file.value, str):
            return True
        self.sink.report(
            msg.outputs.COMPUTED_NAME,
            fields["file"].value.span,
            others=[] if item.form is None else [item.form.span],
            name=item.name.text,
            form=form,
        )
        return False
