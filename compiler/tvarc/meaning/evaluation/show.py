"""Resolved expressions in the spelling of the language, for messages."""

from __future__ import annotations

from tvarc.light import assert_never
from tvarc.meaning import hir
from tvarc.values.value import quote, show, show_call, show_key


def brief(expr: hir.Expr) -> str:
    """*expr* for advice: long parts are left out."""
    text = show_expr(expr)
    return text if len(text) <= 40 else "…"


def show_expr(expr: hir.Expr) -> str:
    """*expr* on one line. Long strings are kept whole."""
    match expr:
        case hir.Const():
            return show(expr.value)
        case hir.Text():
            inner = (
                quote(p)[1:-1] if isinstance(p, str) else "{{" + show_expr(p) + "}}"
                for p in expr.parts
            )
            return '"' + "".join(inner) + '"'
        case hir.AxisRef():
            return expr.axis
        case hir.LetRef():
            return expr.target.name
        case hir.SettingRef():
            return expr.path[1] if expr.path[0] == "flag" else ".".join(expr.path)
        case hir.FieldRef() | hir.NixRoot():
            return expr.name
        case hir.Rows():
            return expr.table.name
        case hir.NeedRef():
            return ".".join(("needs", show_key(expr.name), *map(show_key, expr.path)))
        case hir.Link():
            chosen = [_choice(choice) for choice in expr.choices]
            return f"{expr.name}[{', '.join(chosen)}]" if chosen else expr.name
        case hir.Lacks():
            return f"nothing of {show_expr(expr.link)}"
        case hir.NixCode():
            inner = (
                p.replace("{{", "\\{{") if isinstance(p, str) else _nix_interpolation(p)
                for p in expr.parts
            )
            return f'nix"""{"".join(inner)}"""'
        case hir.Member():
            return f"{show_expr(expr.base)}.{show_key(expr.name)}"
        case hir.Index():
            return f"{show_expr(expr.base)}[{show_expr(expr.key)}]"
        case hir.Each():
            condition = f" if {show_expr(expr.condition)}" if expr.condition is not None else ""
            source = show_expr(expr.source)
            return f"{show_expr(expr.items)[:-1]} for {expr.name} in {source}{condition}]"
        case hir.ListOf():
            return "[" + ", ".join(_item(item) for item in expr.items) + "]"
        case hir.RecordOf():
            inner_entries = (
                f"{'.'.join(map(show_key, path))} = {show_expr(value)}"
                for path, value in expr.entries
            )
            return "{ " + ", ".join(inner_entries) + " }" if expr.entries else "{}"
        case hir.Not():
            return f"not {_operand(expr.operand)}"
        case hir.Compare() | hir.Logic():
            return f"{_operand(expr.left)} {expr.op} {_operand(expr.right)}"
        case hir.If():
            condition, then = show_expr(expr.condition), show_expr(expr.then)
            return f"if {condition} then {then} else {show_expr(expr.otherwise)}"
        case hir.Apply("input", ((_, hir.Const(name)), *_)):
            return str(name)
        case hir.Apply():
            return show_call(expr.function, ((n, show_expr(value)) for n, value in expr.arguments))
        case hir.Broken():
            return "…"
        case _:
            assert_never(expr)


def _choice(choice: hir.AxisChoice) -> str:
    word = "where" if choice.where else "="
    return f"{choice.axis} {word} {show_expr(choice.value)}"


def _item(item: hir.Expr | hir.Spread) -> str:
    if isinstance(item, hir.Spread) and isinstance(item.value, hir.Each):
        return show_expr(item.value)[1:-1]
    return f"...{show_expr(item.value)}" if isinstance(item, hir.Spread) else show_expr(item)


def _nix_interpolation(inner: hir.NixInterpolation) -> str:
    dollar = "$" if inner.dollar else ""
    if inner.value == hir.Const("{{", inner.span):
        return dollar + "\\{{"
    return f"{dollar}{{{{{show_expr(inner.value)}}}}}"


def _operand(expr: hir.Expr) -> str:
    text = show_expr(expr)
    return f"({text})" if isinstance(expr, hir.Compare | hir.Logic | hir.If) else text


def show_target(target: tuple[str | hir.Write, ...]) -> str:
    """The target of an overlay in its written form: `pkgs[python.set].numpy`."""
    text = ""
    for step in target:
        if isinstance(step, hir.Write):
            text = f"{text or 'pkgs'}[{show_expr(step.value)}]"
        else:
            text += f".{step}" if text else step
    return text
