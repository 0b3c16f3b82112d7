"""Resolve inputs: other repositories with files for recipes."""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Final, Mapping, dataclass
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.declarations.expressions import Expressions, Join
from tvarc.meaning.declarations.written_out import refuse_malformed
from tvarc.meaning.evaluation.formats import (
    INPUT_FORMATS,
    Format,
    ReleaseFormat,
    bad_checkout,
)
from tvarc.meaning.names.scope import View
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import Span, UnreadableSource
from tvarc.values.value import UNLOCKED, PathValue

if TYPE_CHECKING:
    from tvarc.text.diagnostics.message import Message

FIELDS: Final = ("github", "rev", "url", "path", "hash")
_PLACES: Final = ("github", "url", "path")


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """Resolves the inputs of one module. `folder` takes the name of a file and a relative path, and
    returns the name of the folder. It raises UnreadableSource if no one else would have that
    folder."""

    expressions: Expressions
    folder: Join
    sink: Sink

    def input(self, item: ast.Input) -> hir.Expr:
        """The source that *item* declares: a call of `input`, its fields in order."""
        before = len(self.sink)
        fields: dict[str, hir.Expr] = {}
        places: dict[str, Span] = {}
        for inner in item.body:
            if isinstance(inner, ast.Assign) and len(inner.path) == 1 and inner.op == "=":
                self.field(inner, fields, places)
            else:
                self.sink.report(msg.inputs.NO_FIELD, inner.span)
        # Fields that a syntax error left out are not reported as missing.
        if not self.check_places(item, places) or len(self.sink) > before:
            return hir.Broken(item.span)
        if "path" in fields:
            found = self.checkout(fields["path"], item.span.file)
            if found is None:
                return hir.Broken(item.span)
            fields["path"] = found
        name = hir.Const(item.name.text, item.name.span)
        given = [(key, fields[key]) for key in FIELDS if key in fields]
        return hir.Apply("input", (("name", name), *given), item.span)

    def field(self, item: ast.Assign, fields: dict[str, hir.Expr], places: dict[str, Span]) -> None:
        key = item.path[0]
        if key.text not in FIELDS:
            self.sink.report(
                msg.inputs.UNKNOWN_FIELD,
                key.span,
                name=key.text,
                fields=", ".join(FIELDS),
                guess=guess(key.text, FIELDS),
            )
            return
        view = View(f"`{key.text}` of an input", settings=False, hash=key.text == "hash")
        value = field_value(item, places.get(key.text), INPUT_FORMATS, self.expressions, view)
        if value is not None:
            places[key.text] = item.span
            fields[key.text] = value

    def check_places(self, item: ast.Input, places: dict[str, Span]) -> bool:
        """Whether *item* has a place, and a hash if it is fetched. Reports what is missing, and a
        second place."""
        found = one_place("an input", places, self.sink)
        wanted = {"github": ("rev", "hash"), "url": ("hash",), "path": ()}
        missing = [one for one in wanted[found[0]] if one not in places] if found else []
        if missing or not found:
            self.sink.report(
                _lacking(missing),
                item.name.span,
                name=item.name.text,
                missing="`, `".join(missing),
            )
        return bool(found) and not missing

    def checkout(self, value: hir.Expr, file: str) -> hir.Const | None:
        """The folder that `path` names, which is the same for all variants. None after reporting
        that there is none."""
        text = value.value if isinstance(value, hir.Const) else None
        if not isinstance(text, str):
            self.sink.report(msg.inputs.COMPUTED_PATH, value.span)
            return None
        if bad_checkout(text) is not None:
            return None  # already reported
        try:
            return hir.Const(PathValue(self.folder(file, text)), value.span)
        except UnreadableSource as fault:
            self.sink.report(
                msg.inputs.NO_INPUT, value.span, text=text, file=fault.file, reason=fault.reason
            )
            return None


def field_value(
    item: ast.Assign,
    first: Span | None,
    formats: Mapping[str, Format | ReleaseFormat],
    expressions: Expressions,
    view: View,
) -> hir.Expr | None:
    """The value of the field *item* of an input or a pin. Reports a value that *formats* refuse.
    None after reporting that the field is also written at *first*."""
    key, sink = item.path[0], expressions.sink
    if first is not None:
        sink.report(msg.declarations.WRITTEN_TWICE, key.span, others=[first], name=key.text)
        return None
    value = expressions.known(item.value, view)
    if isinstance(value, hir.Const) and value.value != UNLOCKED:
        formats[key.text].refuse(key.text, value.value, value.span, sink)
    refuse_malformed(formats, key.text, value, sink)
    return value


def one_place(what: str, fields: Mapping[str, Span], sink: Sink) -> list[str]:
    """The fields of *what*, an input or a pin, that state its place. Reports several of them, and
    reports fields that may not be combined with `path`."""
    found = [name for name in _PLACES if name in fields]
    if len(found) > 1:
        others = [(fields[name], "another") for name in found[1:]]
        sink.report(msg.inputs.NO_ONE_PLACE, fields[found[0]], others=others, what=what)
    for name in ("rev", "hash") if found == ["path"] else ():
        if name in fields:
            sink.report(
                msg.inputs.FIELD_BESIDE_PATH,
                fields[name],
                others=[fields["path"]],
                what=what,
                name=name,
            )
    return found


def _lacking(missing: list[str]) -> Message:
    """The message on an input that lacks the fields *missing*, or that has no source at all."""
    match missing:
        case []:
            return msg.inputs.NO_SOURCE
        case ["hash"]:
            return msg.inputs.NO_HASH
        case [_]:
            return msg.inputs.FIELD_MISSING
        case _:
            return msg.inputs.FIELDS_MISSING
