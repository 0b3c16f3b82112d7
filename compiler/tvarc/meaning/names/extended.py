"""Finds the recipe, mixin or matrix that `extends` or `with` names: `NAME` or `MODULE.NAME`."""

from __future__ import annotations

from tvarc.light import Literal
from tvarc.meaning import messages as msg
from tvarc.meaning.names.names import Names
from tvarc.meaning.names.scope import Symbol
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import Span


def extended(
    written: tuple[ast.Name, ...], kind: Literal["recipe", "mixin", "matrix"], names: Names
) -> Symbol | None:
    """The declaration of *kind* that is named; None after reporting that there is none."""
    return _here(written[0], kind, names) if len(written) == 1 else _within(written, kind, names)


def named_by(expr: ast.Expr) -> tuple[ast.Name, ...]:
    """The names in `a` or `a.b`, the forms that `extends` may have; none for any other expression.
    """
    names: list[ast.Name] = []
    while isinstance(expr, ast.Member):
        names.append(ast.Name(expr.name.text, expr.name.span))
        expr = expr.base
    if not isinstance(expr, ast.Ref):
        return ()
    return (ast.Name(expr.name, expr.span), *reversed(names))


def _here(name: ast.Name, kind: str, names: Names) -> Symbol | None:
    found = names.found(name.text, name.span)
    if found is None:
        return None
    if found and found[0].kind == kind:
        return found[0]
    if found and (name.text, kind) in names.scope.again:
        return None  # the intended declaration has a name that is already taken
    if found:
        _refuse(found[0], name.span, kind, names.sink)
    elif not names.scope.is_lost(name.text) and not names.scope.refuse_unused(
        msg.names.UNKNOWN_OF_KIND, name.text, name.span, names.sink, rows=False, kind=kind
    ):
        known = [symbol.name for symbol in names.scope.symbols() if symbol.kind == kind]
        names.sink.report(
            msg.names.UNKNOWN_OF_KIND,
            name.span,
            kind=kind,
            name=name.text,
            guess=guess(name.text, known),
            advice=_in_modules(name.text, kind, names),
        )
    return None


def _in_modules(name: str, kind: str, names: Names) -> str:
    """The name with its module, if a module that is imported under a name declares it."""
    for alias, module in names.scope.aliases.items():
        symbol = module.own.get(name)
        if symbol is not None and symbol.kind == kind:
            return f"did you mean `{alias}.{name}`?"
    return ""


def _within(written: tuple[ast.Name, ...], kind: str, names: Names) -> Symbol | None:
    first, second = written[0], written[1]
    module = names.scope.aliases.get(first.text)
    if module is None or len(written) > 2:
        if not names.scope.is_lost(first.text):
            names.sink.report(
                msg.names.UNKNOWN_MODULE,
                first.span,
                name=first.text,
                guess=guess(first.text, names.scope.aliases),
            )
        return None
    symbol = module.own.get(second.text)
    if symbol is not None and symbol.kind == kind:
        names.seen(first.text, first.span, names.scope.own.get(first.text))
        names.seen(second.text, second.span, symbol)
        return symbol
    if symbol is not None and (kind == "matrix" or "mixin" in (kind, symbol.kind)):
        _refuse(symbol, second.span, kind, names.sink)
        return None
    if module.is_lost(second.text):
        return None
    known = [one.name for one in module.own.values() if one.kind == kind]
    names.sink.report(
        msg.names.NO_PARENT_IN_MODULE,
        second.span,
        module=first.text,
        kind=kind,
        name=second.text,
        guess=guess(second.text, known),
        known=", ".join(f"`{one}`" for one in known[:5]) if known else None,
    )
    return None


def _refuse(symbol: Symbol, span: Span, kind: str, sink: Sink) -> None:
    match kind, symbol.kind:
        case "matrix", "variant":
            message = msg.names.EXTENDS_VARIANT
        case "matrix", "recipe":
            message = msg.names.EXTENDS_RECIPE
        case "recipe", "mixin":
            message = msg.names.EXTENDS_MIXIN
        case "mixin", "recipe":
            message = msg.names.WITH_RECIPE
        case _:
            message = msg.names.EXTENDS_OTHER
    sink.report(
        message,
        span,
        others=[symbol.span],
        found=symbol.describe(),
        kind=kind,
        name=symbol.name,
    )


def refuse_circle(symbol: Symbol, open: list[str], span: Span, sink: Sink) -> tuple[str, ...]:
    """Report that *symbol* extends itself, through all that follow it in *open*. Returns the ids of
    the circle."""
    ring = open[open.index(symbol.id) :]
    names = [ident.rpartition("::")[2] for ident in ring]
    sink.report(
        msg.names.EXTENDS_ITSELF,
        span,
        kind=symbol.kind,
        name=symbol.name,
        ring=" → ".join([*names, symbol.name]),
    )
    return tuple(ring)
