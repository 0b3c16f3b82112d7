"""Values without a form in Nix, in a place that Nix reads: `none`, `unlocked`, and declarations,
such as recipes and overlays. A text prints a declaration as its name."""

from __future__ import annotations

from tvarc.light import Iterator, dataclass
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.evaluation.kinds import outcomes
from tvarc.meaning.names.scope import ModuleScope, Symbol
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Span
from tvarc.values.value import DeclValue, NixCall, NixText, NoneValue, Record, UnlockedValue, Value

NAME_DECLARATIONS = ("pin", "overlays", "flag", "needs")
"""The settings whose values name declarations, by the first step of their path. No others do."""

# Settings that are declarations, as expressions name them.
_SETTINGS: dict[hir.Path, str] = {
    ("recipe",): "recipe",
    ("matrix",): "matrix",
    ("pin",): "pin",
    ("overlays",): "list of overlays",
}


@dataclass(frozen=True, slots=True)
class Named:
    """A declaration as an expression names it. `noun` is its kind, and `package` the package that
    it changes, if the program states it."""

    noun: str
    written: str
    package: str = ""


def refuse_declarations(path: hir.Path, expr: hir.Expr, scope: ModuleScope, sink: Sink) -> bool:
    """Report each declaration that *expr* may be or contain, whether or not a variant has it.
    *expr* is the value of the setting *path*. Returns whether there was one."""
    if path[0] in NAME_DECLARATIONS:
        return False
    before = len(sink)
    for found, place in outcomes(expr, within=True):
        if isinstance(found, hir.Const) and isinstance(found.value, DeclValue):
            refuse(path, _named(found.value, scope), place.span, sink)
        elif isinstance(found, hir.SettingRef) and found.path in _SETTINGS:
            refuse(path, Named(_SETTINGS[found.path], found.path[0]), place.span, sink)
    return len(sink) > before


def refuse(path: hir.Path, named: Named, span: Span, sink: Sink) -> None:
    """Report that the setting *path* gets the declaration *named*."""
    an = "an" if named.noun[0] in "aeiou" else "a"
    built = named.noun in ("recipe", "matrix", "variant")
    sink.report(
        msg.values.BUILD_FOR_NIX if built else msg.values.DECLARATION_FOR_NIX,
        span,
        noun=f"{an} {named.noun}",
        written=named.written,
        advice=_help(path, named),
    )


def _help(path: hir.Path, named: Named) -> str:
    text = f'for its name as a string, write `"{{{{{named.written}}}}}"`'
    if named.noun in ("overlay", "patch"):
        listed = f"list it in the recipe, `overlays += [{named.written}]`"
        if named.noun == "patch" and path[-1] == "patches":
            return f'{listed}, or name the file: `path("./a.patch")`'
        package = named.package or "pkgs.NAME"
        return f"{listed}; for the package that the {named.noun} changes, write `{package}`; {text}"
    if named.noun == "list of overlays":
        return 'for the names as a string, write `"{{overlays}}"`'
    if named.noun == "pin":
        return f"for the pinned nixpkgs, write `pkgs`; {text}"
    if path == ("package",) and named.noun == "recipe":
        package = named.package or "pkgs.NAME"
        if package == named.written:  # the recipe itself names the package
            return f"for the package of nixpkgs, write `package = pkgs.{package}`"
        return f"write `package = {package}`, or `extends {named.written}` before the braces"
    if named.package:
        return f"for its package, write `{named.package}`; {text}"
    return f"for a package of nixpkgs, write `pkgs.NAME`; {text}"


def _named(value: DeclValue, scope: ModuleScope) -> Named:
    """The name of a declaration in the module of *scope*."""
    for written, symbol, packages in _symbols(scope):
        if symbol.id == value.id:
            return Named(symbol.kind, written, packages.get(value.id, ""))
    return Named(value.kind, value.name)


def _symbols(scope: ModuleScope) -> Iterator[tuple[str, Symbol, dict[str, str]]]:
    for symbol in scope.symbols():
        yield symbol.name, symbol, scope.packages
    for alias, module in scope.aliases.items():
        for symbol in module.own.values():
            yield f"{alias}.{symbol.name}", symbol, module.packages


# --- values ------------------------------------------------------------------------------------


def declaration_in(value: Value) -> DeclValue | None:
    """The first declaration that *value* is or contains; None if there is none."""
    return next((one for one in _formless_in(value) if isinstance(one, DeclValue)), None)


def nothing_in(value: Value) -> NoneValue | UnlockedValue | None:
    """The first `none` or `unlocked` that *value* is or contains; None if there is none. An
    `unlocked` in the place of a hash does not count, because the hash replaces it later."""
    return next((one for one in _formless_in(value) if not isinstance(one, DeclValue)), None)


def nothing_written(expr: hir.Expr, nothing: NoneValue | UnlockedValue) -> Span:
    """The first place in *expr* that leads to *nothing*; all of *expr* if there is none."""
    for found, place in outcomes(expr, within=True):
        if isinstance(found, hir.Const) and nothing_in(found.value) == nothing:
            return place.span
    return expr.span


def _formless_in(value: Value) -> Iterator[DeclValue | NoneValue | UnlockedValue]:
    """The values without a form in Nix that *value* is or contains."""
    match value:
        case DeclValue() | NoneValue() | UnlockedValue():
            yield value
            return
        case tuple():
            held: Iterator[Value] = iter(value)
        case Record():
            held = (item for _, item in value)
        case NixCall():
            held = (item for key, item in value.arguments if key != "hash")
        case NixText():
            held = iter(value.parts)
        case _:
            return
    for item in held:
        if type(item) is not str:  # most are strings, which have a form
            yield from _formless_in(item)


def named_value(value: DeclValue) -> Named:
    """A declaration whose name in the expression is not known."""
    return Named(value.kind, value.name)


def names_as_text(items: tuple[Value, ...]) -> tuple[Value, ...]:
    """*items* with each declaration replaced by its name, as a text prints it."""
    return tuple(
        names_as_text(item)
        if isinstance(item, tuple)
        else item.name
        if isinstance(item, DeclValue)
        else item
        for item in items
    )
