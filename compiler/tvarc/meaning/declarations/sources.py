"""Resolve overlays, patches and pins."""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, IN_PARTS, OF_OVERLAY, OF_PIN, SETS
from tvarc.light import Sequence, replace
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.declarations.expressions import Join
from tvarc.meaning.declarations.inputs import field_value, one_place
from tvarc.meaning.declarations.settings import Body, Conditions, Settings, in_parts
from tvarc.meaning.declarations.written_out import refuse_malformed
from tvarc.meaning.evaluation.formats import (
    PATCH_FORMATS,
    PIN_FORMATS,
    bad_checkout,
    named_otherwise,
)
from tvarc.meaning.evaluation.formless import refuse_declarations
from tvarc.meaning.names.scope import IN_OVERLAY, IN_OVERRIDE, IN_RECIPE, Symbol, View
from tvarc.nix.nixpkgs import FORMS, is_python_set
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import Span, UnreadableSource

PATCH_FIELDS = (
    "name",
    "url",
    "hash",
    "file",
    "stripLen",
    "extraPrefix",
    "excludes",
    "includes",
    "revert",
    "relative",
)
PIN_FIELDS = ("github", "rev", "url", "path", "hash", "release", "date")

TARGET = "target"
UNTIL = "until"
"""The block of the steps of a target that are computed."""


def _is_block(item: ast.Block) -> bool:
    """Whether *item* is a block of an overlay `for` a package."""
    return item.name.text in OF_OVERLAY and item.name.text not in IN_PARTS


def _listed(names: Sequence[str]) -> str:
    """*names* in backticks, with commas and an `and`."""
    *most, last = [f"`{name}`" for name in names]
    return f"{', '.join(most)} and {last}"


def no_such_form(
    via: str, path: hir.Path, span: Span, sink: Sink, notes: tuple[str, ...] = ()
) -> bool:
    """Whether *via* cannot change the set at *path*, which is then reported."""
    if via != "extensions" or is_python_set(path):
        return False
    sink.report(msg.overlays.NO_PYTHON_SET, span, notes=notes, name=".".join(path))
    return True


def is_nixpkgs(target: tuple[ast.Key | ast.ComputedKey, ...]) -> bool:
    """Whether *target* begins with `pkgs` and has more steps. Then `pkgs` is nixpkgs itself."""
    head = target[0] if len(target) > 1 else None
    return isinstance(head, ast.Key) and head.text == "pkgs" and not head.quoted


class Sources:
    """Resolves changes of nixpkgs (overlays, patches) and the choice of nixpkgs (pins)."""

    __slots__ = ("checkout", "expressions", "flags", "settings", "sink")

    def __init__(self, settings: Settings, checkout: Join, flags: frozenset[str]) -> None:
        self.settings = settings
        self.checkout = checkout
        self.flags = flags  # the names of all flags of recipes of the program
        self.expressions = settings.expressions
        self.sink = settings.sink

    # --- overlays ------------------------------------------------------------------------

    def overlay(self, item: ast.Overlay, symbol: Symbol) -> hir.OverlayDef:
        target = self.target(item)
        roots = IN_OVERRIDE if item.relation == "for" else IN_OVERLAY
        view = View("an overlay", settings=False, roots=roots, listed_by=self.flags)
        body = Body(item.name.text, symbol.id, view)
        via: hir.Write | None = None
        items: list[ast.Item] = []
        for inner in item.body:
            if (
                isinstance(inner, ast.Assign)
                and inner.path[0].text == "via"
                and not inner.path[0].quoted
            ):
                via = self.via(inner, item, target)
            else:
                items.append(inner)
        self.overlay_items(tuple(items), item, body, ())
        if not body.writes and not item.body:
            self.sink.report(msg.overlays.CHANGES_NOTHING, item.span, name=item.name.text)
        return self.overlay_def(item, symbol, target, via, body)

    def overlay_def(
        self, item: ast.Overlay | ast.Patch, symbol: Symbol, target: tuple[str | hir.Write, ...],
        via: hir.Write | None, body: Body,
    ) -> hir.OverlayDef:  # fmt: skip
        """The overlay or the patch *item*, which does what *body* writes."""
        return hir.OverlayDef(
            item.name.text,
            symbol.id,
            "for" if isinstance(item, ast.Patch) else item.relation,
            target,
            self.settings.because(item.because),
            isinstance(item, ast.Patch),
            via,
            body.layer(item.span),
            item.span,
            item.because.span if item.because is not None else None,
            self.until(item),
        )

    def until(self, item: ast.Overlay | ast.Patch) -> hir.Until | None:
        """The condition under which *item* is no longer needed. `pkgs` before a package is nixpkgs
        itself."""
        written = item.until
        if written is None:
            return None
        nixpkgs = is_nixpkgs(written.package)
        package = tuple(key.text for key in written.package[nixpkgs:])
        for key in written.package:
            if not key.text:
                self.sink.report(msg.overlays.EMPTY_PACKAGE, key.span)
        value = self.expressions.known(
            written.version, View("the version in `until`", settings=False)
        )
        write = hir.plain_write((UNTIL,), value, item.name.text, written.version.span)
        return hir.Until(package, nixpkgs, write, written.span)

    def target(self, item: ast.Overlay | ast.Patch) -> tuple[str | hir.Write, ...]:
        """The steps of the target of *item* in nixpkgs. A leading `pkgs` is nixpkgs itself, and is
        left out."""
        steps = item.target[1:] if is_nixpkgs(item.target) else item.target
        found: list[str | hir.Write] = []
        view = View("the target of an overlay", settings=False)
        for number, step in enumerate(steps):
            if isinstance(step, ast.Key):
                if not step.text:
                    self.sink.report(msg.overlays.EMPTY_PACKAGE, step.span)
                found.append(step.text)
                continue
            value = self.expressions.known(step.value, view)
            path = (TARGET, str(number))
            found.append(hir.plain_write(path, value, item.name.text, step.span))
        return tuple(found)

    def overlay_items(
        self, items: tuple[ast.Item, ...], overlay: ast.Overlay, body: Body, conditions: Conditions
    ) -> None:
        for inner in items:
            match inner:
                case ast.Assign() if overlay.relation == "for" and inner.path[0].text in SETS:
                    self.settings.own_block(inner.path[0])
                case ast.Assign():
                    keys = tuple(key.text for key in inner.path)
                    self.settings.write(
                        inner, (ATTRIBUTES, *keys), body, conditions, body.view.roots
                    )
                case ast.When():
                    into = body.conditions
                    for branch, held in self.settings.when(inner, body.view, conditions, into):
                        self.overlay_items(branch, overlay, body, held)
                case ast.Block() if overlay.relation == "for" and in_parts(inner):
                    path = (ATTRIBUTES, inner.name.text)
                    self.settings.text(path, inner, body, conditions)
                case ast.Block() if overlay.relation == "for" and _is_block(inner):
                    self.settings.block(inner, body, conditions)
                case ast.Script() if overlay.relation == "for":
                    self.settings.script(inner, body, conditions)
                case ast.Block():
                    known = OF_OVERLAY if overlay.relation == "for" else ()
                    self.sink.report(
                        msg.overlays.UNKNOWN_BLOCK,
                        inner.name.span,
                        name=inner.name.text,
                        guess=guess(inner.name.text, known),
                        known=_listed(OF_OVERLAY),
                    )
                case _:
                    self.sink.report(msg.overlays.ONLY_ATTRIBUTES, inner.span)

    def via(
        self, item: ast.Assign, overlay: ast.Overlay, target: tuple[str | hir.Write, ...]
    ) -> hir.Write | None:
        name = item.value.name if isinstance(item.value, ast.Ref) else ""
        if overlay.relation is None or (overlay.relation == "for" and len(target) < 2):
            self.sink.report(msg.overlays.VIA_WITHOUT_SET, item.span)
            return None
        if name not in FORMS:
            self.sink.report(msg.overlays.BAD_VIA, item.value.span, guess=guess(name, FORMS))
            return None
        keys = target if overlay.relation == "in" else target[:-1]
        fixed = tuple(key for key in keys if isinstance(key, str))
        if len(fixed) == len(keys) and no_such_form(name, fixed, item.value.span, self.sink):
            return None
        value = hir.Const(name, item.value.span)
        return hir.plain_write(("via",), value, overlay.name.text, item.span)

    def patch(self, item: ast.Patch, symbol: Symbol) -> hir.OverlayDef:
        view = View("a patch", settings=False, roots=frozenset(), listed_by=self.flags)
        body = Body(item.name.text, symbol.id, view)
        for inner in item.body:
            if not isinstance(inner, ast.Assign) or len(inner.path) != 1 or inner.op != "=":
                self.sink.report(msg.patches.ONLY_FIELDS, inner.span)
                continue
            key = inner.path[0]
            if key.text not in PATCH_FIELDS:
                self.sink.report(
                    msg.patches.UNKNOWN_FIELD,
                    key.span,
                    name=key.text,
                    known=", ".join(PATCH_FIELDS),
                    advice=named_otherwise(key.text, PATCH_FIELDS),
                    guess=guess(key.text, PATCH_FIELDS),
                )
                continue
            view = replace(body.view, what=f"`{key.text}`", hash=key.text == "hash")
            value = self.expressions.known(inner.value, view)
            if refuse_declarations((key.text,), value, self.settings.scope, self.sink):
                value = hir.Broken(value.span)
            refuse_malformed(PATCH_FORMATS, key.text, value, self.sink)
            body.writes.append(hir.plain_write((key.text,), value, body.name, inner.span))
        self.patch_source(item, body)
        return self.overlay_def(item, symbol, self.target(item), None, body)

    def patch_source(self, item: ast.Patch, body: Body) -> None:
        names = [write.path[0] for write in body.writes]
        for name in {name for name in names if names.count(name) > 1}:
            places = [write.span for write in body.writes if write.path[0] == name]
            self.sink.report(
                msg.declarations.WRITTEN_TWICE, places[1], others=[places[0]], name=name
            )
        if ("url" in names) == ("file" in names):
            self.sink.report(
                msg.patches.URL_AND_FILE if "url" in names else msg.patches.NO_URL_OR_FILE,
                item.name.span,
            )
        elif "url" in names and "hash" not in names:
            self.sink.report(msg.patches.URL_WITHOUT_HASH, item.name.span)

    # --- pins ----------------------------------------------------------------------------

    def pin(self, item: ast.Pin, symbol: Symbol) -> hir.PinDef:
        body = Body(item.name.text, symbol.id, View("a pin", settings=False, roots=IN_RECIPE))
        fields: dict[str, hir.Write] = {}
        for inner in item.body:
            if isinstance(inner, ast.Block) and inner.name.text in OF_PIN:
                self.settings.block(inner, body, (), OF_PIN)
            elif (
                isinstance(inner, ast.Assign)
                and inner.path[0].text in OF_PIN
                and len(inner.path) > 1
            ):
                block = inner.path[0].text
                self.settings.in_block(block, inner, inner.path[1:], body, ())
            elif isinstance(inner, ast.Block):
                self.sink.report(
                    msg.pins.UNKNOWN_BLOCK,
                    inner.name.span,
                    name=inner.name.text,
                    known=", ".join(OF_PIN),
                    guess=guess(inner.name.text, OF_PIN),
                )
            elif isinstance(inner, ast.Assign) and len(inner.path) == 1 and inner.op == "=":
                self.pin_field(inner, body, fields)
            else:
                self.sink.report(msg.pins.ONLY_FIELDS, inner.span, blocks=_listed(OF_PIN))
        spans = {name: write.span for name, write in fields.items()}
        places = one_place("a pin", spans, self.sink)
        if not set(places) & {"url", "path"}:
            missing = [name for name in ("github", "rev") if name not in fields]
            if missing:
                self.sink.report(
                    msg.pins.FIELDS_MISSING,
                    item.name.span,
                    name=item.name.text,
                    missing="`, `".join(missing),
                )
        if "date" in fields and "release" not in fields:
            self.sink.report(msg.pins.RELEASE_MISSING, fields["date"].span, name=item.name.text)
        checkout = self.checkout_of(fields["path"]) if "path" in fields else ""
        blocks = tuple(body.writes)
        return hir.PinDef(item.name.text, symbol.id, fields, blocks, item.span, checkout)

    def checkout_of(self, write: hir.Write) -> str:
        """The folder that `path` names; empty after reporting a fault. It is the same for all
        variants, because it is checked before any variant is decided."""
        value = write.value
        if not isinstance(value, hir.Const):
            if not isinstance(value, hir.Broken):
                self.sink.report(msg.pins.COMPUTED_PATH, value.span)
            return ""
        text = value.value
        if not isinstance(text, str) or bad_checkout(text) is not None:
            return ""  # already reported
        try:
            return self.checkout(write.span.file, text)
        except UnreadableSource as fault:
            self.sink.report(
                msg.pins.NO_NIXPKGS, value.span, text=text, file=fault.file, reason=fault.reason
            )
            return ""

    def pin_field(self, item: ast.Assign, body: Body, fields: dict[str, hir.Write]) -> None:
        key = item.path[0]
        if key.text not in PIN_FIELDS:
            self.sink.report(
                msg.pins.UNKNOWN_FIELD,
                key.span,
                name=key.text,
                known=", ".join(PIN_FIELDS),
                blocks=", ".join(OF_PIN),
                guess=guess(key.text, (*PIN_FIELDS, *OF_PIN)),
            )
            return
        first = fields[key.text].span if key.text in fields else None
        view = replace(body.view, what=f"`{key.text}`", hash=key.text == "hash")
        value = field_value(item, first, PIN_FORMATS, self.expressions, view)
        if value is None:
            return
        fields[key.text] = hir.plain_write((key.text,), value, body.name, item.span)
