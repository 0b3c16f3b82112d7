"""Resolve overlays, patches and pins."""

from __future__ import annotations

from tvarc.diagnostics.suggest import did_you_mean
from tvarc.light import replace
from tvarc.nixpkgs import FORMS, is_python_set
from tvarc.sema import hir
from tvarc.sema.formats import PIN_FORMATS
from tvarc.sema.scope import IN_OVERLAY, IN_OVERRIDE, IN_RECIPE, Symbol, View
from tvarc.sema.settings import OWN_BLOCKS, Body, Conditions, Settings
from tvarc.syntax import ast
from tvarc.values import UNLOCKED

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
PIN_FIELDS = ("github", "rev", "url", "hash")


class Sources:
    """Resolves what changes nixpkgs (overlays, patches) and which nixpkgs it is (pins)."""

    __slots__ = ("expressions", "settings", "sink")

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.expressions = settings.expressions
        self.sink = settings.sink

    # --- overlays ------------------------------------------------------------------------

    def overlay(self, item: ast.Overlay, symbol: Symbol) -> hir.OverlayDef:
        for key in item.target:
            if not key.text:
                self.sink.error("E210", "a package has a name", key.span, "this one is empty")
        roots = IN_OVERRIDE if item.relation == "for" else IN_OVERLAY
        body = Body(item.name.text, symbol.id, View("an overlay", settings=False, roots=roots))
        via: hir.Write | None = None
        items: list[ast.Item] = []
        for inner in item.body:
            if (
                isinstance(inner, ast.Assign)
                and inner.path[0].text == "via"
                and not inner.path[0].quoted
            ):
                via = self.via(inner, item)
            else:
                items.append(inner)
        self.overlay_items(tuple(items), item, body, ())
        if not body.writes and not item.body:
            self.sink.error(
                "E507",
                f"overlay `{item.name.text}` changes nothing",
                item.span,
                "empty",
                help="write what it sets, `name = value`, or remove it",
            )
        return hir.OverlayDef(
            item.name.text,
            symbol.id,
            item.relation,
            tuple(key.text for key in item.target),
            self.settings.because(item.because),
            False,
            via,
            body.layer(item.span),
            item.span,
            item.because.span if item.because is not None else None,
        )

    def overlay_items(
        self, items: tuple[ast.Item, ...], overlay: ast.Overlay, body: Body, conditions: Conditions
    ) -> None:
        for inner in items:
            match inner:
                case ast.Assign() if overlay.relation == "for" and inner.path[0].text in OWN_BLOCKS:
                    self.settings.own_block(inner.path[0])
                case ast.Assign():
                    keys = tuple(key.text for key in inner.path)
                    self.settings.write(inner, ("attrs", *keys), body, conditions, body.view.roots)
                case ast.When():
                    self.overlay_items(
                        inner.body, overlay, body, self.settings.when(inner, body, conditions)
                    )
                case ast.Block() if overlay.relation == "for" and inner.name.text in (
                    "args",
                    "env",
                    "passthru",
                    "meta",
                ):
                    self.settings.block(inner, body, conditions)
                case ast.Script() if overlay.relation == "for":
                    self.settings.script(inner, body, conditions)
                case ast.Block():
                    known = ("args", "env", "passthru", "meta") if overlay.relation == "for" else ()
                    self.sink.error(
                        "E210",
                        f"an overlay has no block `{inner.name.text}`",
                        inner.name.span,
                        "unknown block",
                        help=did_you_mean(inner.name.text, known)
                        or "an overlay `for` one package has `args`, `env`, `passthru` and `meta`",
                    )
                case _:
                    self.settings.misplaced(
                        inner, "an overlay sets attributes", "write `name = value`"
                    )

    def via(self, item: ast.Assign, overlay: ast.Overlay) -> hir.Write | None:
        name = item.value.name if isinstance(item.value, ast.Ref) else ""
        if overlay.relation is None or (overlay.relation == "for" and len(overlay.target) < 2):
            self.sink.error(
                "E210", "`via` says how a package set is changed", item.span, "no package set here"
            )
            return None
        if name not in FORMS:
            self.sink.error(
                "E301",
                "`via` is extensions, override, scope or extend",
                item.value.span,
                "unknown form",
                help=did_you_mean(name, FORMS),
            )
            return None
        keys = overlay.target if overlay.relation == "in" else overlay.target[:-1]
        if name == "extensions" and not is_python_set(tuple(key.text for key in keys)):
            self.sink.error(
                "E301",
                "`via = extensions` is for sets of Python packages",
                item.value.span,
                f"`{'.'.join(key.text for key in keys)}` is none",
                help="`scope` is `.overrideScope`, `extend` is `.extend`",
            )
            return None
        return hir.Write(
            ("via",),
            "=",
            hir.Const(name, item.value.span),
            "normal",
            (),
            "",
            overlay.name.text,
            item.span,
        )

    def patch(self, item: ast.Patch, symbol: Symbol) -> hir.OverlayDef:
        body = Body(item.name.text, symbol.id, View("a patch", settings=False, roots=frozenset()))
        for inner in item.body:
            if not isinstance(inner, ast.Assign) or len(inner.path) != 1 or inner.op != "=":
                self.settings.misplaced(inner, "a patch has fields", "write `field = value`")
                continue
            key = inner.path[0]
            if key.text not in PATCH_FIELDS:
                self.sink.error(
                    "E210",
                    f"a patch has no field `{key.text}`",
                    key.span,
                    "unknown field",
                    notes=("fields: " + ", ".join(PATCH_FIELDS),),
                    help=did_you_mean(key.text, PATCH_FIELDS),
                )
                continue
            view = replace(body.view, what=f"`{key.text}`", hash=key.text == "hash")
            value = self.expressions.known(inner.value, view)
            body.writes.append(
                hir.Write((key.text,), "=", value, "normal", (), "", body.name, inner.span)
            )
        self.patch_source(item, body)
        return hir.OverlayDef(
            item.name.text,
            symbol.id,
            "for",
            tuple(key.text for key in item.target),
            self.settings.because(item.because),
            True,
            None,
            body.layer(item.span),
            item.span,
            item.because.span if item.because is not None else None,
        )

    def patch_source(self, item: ast.Patch, body: Body) -> None:
        names = [write.path[0] for write in body.writes if isinstance(write, hir.Write)]
        for name in {name for name in names if names.count(name) > 1}:
            places = [w.span for w in body.writes if isinstance(w, hir.Write) and w.path[0] == name]
            self.sink.error(
                "E202",
                f"`{name}` is written twice",
                places[1],
                "again here",
                others=((places[0], "first here"),),
            )
        if ("url" in names) == ("file" in names):
            self.sink.error(
                "E208",
                "a patch comes from a `url` or a `file`",
                item.name.span,
                "one of them, not both" if "url" in names else "neither is given",
                help='`url = "https://…"` with `hash = "sha256-…"`, or `file = path("./a.patch")`',
            )
        elif "url" in names and "hash" not in names:
            self.sink.error(
                "E208",
                "a patch by url needs its hash",
                item.name.span,
                "`hash` missing",
                notes=("Nix refuses to fetch it without",),
                help="`hash = unlocked`, and `tvarc lock` finds it out",
            )

    # --- pins ----------------------------------------------------------------------------

    def pin(self, item: ast.Pin, symbol: Symbol) -> hir.PinDef:
        body = Body(item.name.text, symbol.id, View("a pin", settings=False, roots=IN_RECIPE))
        fields: dict[str, hir.Write] = {}
        for inner in item.body:
            if isinstance(inner, ast.Block) and inner.name.text == "config":
                self.settings.block(inner, body, ())
            elif (
                isinstance(inner, ast.Assign)
                and inner.path[0].text == "config"
                and len(inner.path) > 1
            ):
                self.settings.in_block("config", inner, inner.path[1:], body, ())
            elif isinstance(inner, ast.Assign) and len(inner.path) == 1 and inner.op == "=":
                self.pin_field(inner, body, fields)
            else:
                self.settings.misplaced(
                    inner, "a pin has fields and `config`", "write `field = value`"
                )
        if "url" in fields and "github" in fields:
            self.sink.error(
                "E209",
                "a pin has a `url` or a `github`",
                fields["github"].span,
                "one of them, not both",
                others=((fields["url"].span, "the other"),),
            )
        if "url" not in fields:
            missing = [name for name in ("github", "rev") if name not in fields]
            if missing:
                self.sink.error(
                    "E208",
                    f"pin `{item.name.text}` lacks `{'`, `'.join(missing)}`",
                    item.name.span,
                    "fields missing",
                    help='`github = "NixOS/nixpkgs"` and `rev = "…"`, or `url = "https://…"`',
                )
        config = tuple(write for write in body.writes if isinstance(write, hir.Write))
        return hir.PinDef(item.name.text, symbol.id, fields, config, item.span)

    def pin_field(self, item: ast.Assign, body: Body, fields: dict[str, hir.Write]) -> None:
        key = item.path[0]
        if key.text not in PIN_FIELDS:
            self.sink.error(
                "E210",
                f"a pin has no field `{key.text}`",
                key.span,
                "unknown field",
                notes=("fields: " + ", ".join((*PIN_FIELDS, "config")),),
                help=did_you_mean(key.text, (*PIN_FIELDS, "config")),
            )
            return
        if key.text in fields:
            self.sink.error(
                "E202",
                f"`{key.text}` is written twice",
                key.span,
                "again here",
                others=((fields[key.text].span, "first here"),),
            )
            return
        view = replace(body.view, what=f"`{key.text}`", hash=key.text == "hash")
        value = self.expressions.known(item.value, view)
        if isinstance(value, hir.Const) and value.value != UNLOCKED:
            PIN_FORMATS[key.text].refuse(key.text, value.value, value.span, self.sink)
        fields[key.text] = hir.Write(
            (key.text,), "=", value, "normal", (), "", body.name, item.span
        )
