"""Nix syntax tree → text, in the official Nix style (RFC 166). Only this package quotes Nix.

An expression has up to three documents: as it stands where anything may stand (`_expression`),
as an operand, with parentheses if it needs them (`_operand`), and as the value after `=`
(`_value`). Each node is printed once, however often its document is used.
"""

from __future__ import annotations

from tvarc.backend.nix.document import (
    HARDLINE,
    LINE,
    SOFTLINE,
    Doc,
    Slot,
    broken,
    choice,
    concat,
    flat_text,
    group,
    nest,
    render,
    render_around,
    separated,
    wrapped,
)
from tvarc.backend.nix.layout import (
    BLANK_LINE,
    FLAT_ARGUMENT_ITEMS,
    applied_value,
    apply,
    bracketed,
    comment,
    parenthesised,
    spans_lines,
)
from tvarc.backend.nix.quoting import (
    attribute,
    attribute_path,
    comment_line,
    identifier,
    integer,
    path_parts,
    search_path,
)
from tvarc.backend.nix.raw import raw
from tvarc.backend.nix.shape import (
    HUGGING,
    is_empty,
    is_short,
    needs_parentheses,
    operands_of,
    stands_beside,
)
from tvarc.backend.nix.strings import Interpolation, string
from tvarc.backend.nix.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixBool,
    NixCommented,
    NixExpr,
    NixFile,
    NixFormal,
    NixFormals,
    NixIdent,
    NixIf,
    NixInherit,
    NixInt,
    NixLambda,
    NixLet,
    NixList,
    NixNot,
    NixNull,
    NixOp,
    NixPath,
    NixRaw,
    NixSearchPath,
    NixSelect,
    NixSlot,
    NixString,
)
from tvarc.light import assert_never


def print_file(file: NixFile) -> str:
    """The text of a whole file, which ends in one newline."""
    return render(_file(file))


def _file(file: NixFile) -> Doc:
    parts: list[Doc] = []
    for line in file.header:
        parts += (comment(line), HARDLINE)
    body = file.body
    while isinstance(body, NixLambda) and isinstance(body.parameter, NixFormals):
        parts += (_formals(body.parameter), ":", HARDLINE, HARDLINE)
        body = body.body
    parts.append(_let(body, spaced=True) if isinstance(body, NixLet) else _expression(body))
    parts.append(HARDLINE)
    return concat(*parts)


def print_around(body: NixExpr) -> tuple[list[str], list[tuple[str, int]]]:
    """The text of a file without a header, around the slots in it; see `render_around`."""
    return render_around(_file(NixFile((), body)))


def print_entry(entry: NixBinding, indent: int) -> str:
    """An entry of a set as it stands in a slot, before it the line break."""
    return "\n" + render(_binding(entry), indent)


def print_element(element: NixExpr | NixCommented, indent: int) -> str:
    """An element of a list as it stands in a slot, before it the line break."""
    return "\n" + render(_item(element), indent)


def print_comment(line: str) -> str:
    """A line of a file's header, without a line break at its end."""
    return wrapped("# ", comment_line(line))


def print_expr(expr: NixExpr) -> str:
    """The text of an expression as it stands alone, without a newline at its end."""
    return render(_expression(expr))


def _expression(expr: NixExpr) -> Doc:
    """The document of an expression where no operator, application or list is around it."""
    match expr:
        case NixString():
            return _string(expr)
        case NixIdent():
            return identifier(expr.name)
        case NixSelect():
            return _select(expr)
        case NixApply():
            compact, chain = _applied(expr)
            return chain if compact is None else choice(compact, chain)
        case NixList():
            return _list(expr)
        case NixAttrs():
            return _attrs(expr)
        case NixLambda():
            return group(_lambda(expr)[0])
        case NixRaw():
            return raw(expr.text)
        case NixBinary():
            return _binary(expr.op, operands_of(expr))
        case NixBool():
            return "true" if expr.value else "false"
        case NixInt():
            return integer(expr.value)
        case NixNull():
            return "null"
        case NixLet():
            return _let(expr)
        case NixIf():
            return _if(expr)
        case NixNot():
            operand = expr.operand
            inner = _expression(operand) if isinstance(operand, NixApply) else _operand(operand)
            return concat("!", inner)
        case NixPath():
            start, rest = path_parts(expr.text)
            return concat(start, " + ", _string(NixString((rest,)))) if rest else start
        case NixSearchPath():
            return search_path(expr.name)
        case _:
            assert_never(expr)


def _operand(expr: NixExpr) -> Doc:
    """The document of an argument, an element of a list, or an operand."""
    if not needs_parentheses(expr):
        return _expression(expr)
    match expr:
        case NixApply():
            compact, chain = _applied(expr)
            if isinstance(chain, str):
                return "(" + chain + ")"
            loose = group("(", chain, SOFTLINE, ")")
            return loose if compact is None else choice(concat("(", compact, ")"), loose)
        case NixLambda():
            doc, absorbs = _lambda(expr)
            return group("(", doc, ")") if absorbs else parenthesised(group(doc))
        case _:
            return parenthesised(_expression(expr))


def _absorbable(expr: NixExpr, doc: Doc) -> bool:
    """Whether the document opens on the line that it stands on and goes over further lines."""
    match expr:
        case NixAttrs():
            return bool(expr.entries)
        case NixList():
            return bool(expr.items)
        case NixString() | NixRaw():
            return not isinstance(doc, str)
        case _:
            return False


# Application


def _applied(expr: NixApply) -> tuple[Doc | None, Doc]:
    """An application that keeps the opening of its last argument on the first line, if it can,
    and one whose arguments may each stand on a line."""
    arguments: list[NixExpr] = []
    function: NixExpr = expr
    while isinstance(function, NixApply):
        arguments.append(function.argument)
        function = function.function
    head = _operand(function)
    for argument in reversed(arguments[1:]):
        head = apply(head, _argument(argument), len(arguments))
    last, hug = _last_argument(arguments[0])
    chain = apply(head, last, len(arguments))
    opening = flat_text(head)
    if hug is None or opening is None:
        return None, chain
    return concat(opening, " ", hug), chain


def _argument(expr: NixExpr) -> Doc:
    """An argument before the last."""
    if isinstance(expr, NixList) and 1 < len(expr.items) <= FLAT_ARGUMENT_ITEMS:
        items = [_item(item) for item in expr.items]
        if all(isinstance(item, str) for item in items):
            return group("[", nest(LINE, *separated(LINE, items)), LINE, "]")
        return bracketed(items)
    return _operand(expr)


def _last_argument(expr: NixExpr) -> tuple[Doc, Doc | None]:
    """The last argument, and its form that goes over lines after an opening, if it has one."""
    match expr:
        case NixApply(NixIdent() as function, (NixAttrs() | NixList()) as argument) if not is_empty(
            argument
        ):
            inner = broken(_expression(argument))
            doc = group("(", _expression(function), " ", inner, ")")
        case NixApply():
            doc = group("(", nest(SOFTLINE, _expression(expr)), SOFTLINE, ")")
        case NixLambda(body=NixLambda()):
            # `f (a: b: …)`: with two arguments the function stands on lines of its own.
            doc = group("(", nest(SOFTLINE, group(_lambda(expr)[0])), SOFTLINE, ")")
        case _:
            doc = _operand(expr)
            if not needs_parentheses(expr) and not _absorbable(expr, doc):
                return doc, None
    return doc, None if isinstance(doc, str) else broken(doc)


# Names and strings


def _string(expr: NixString) -> Doc:
    parts = expr.parts
    if len(parts) == 1 and isinstance(parts[0], str):
        return string([parts[0]], expr.block)
    return string(
        [part if isinstance(part, str) else Interpolation(_expression(part)) for part in parts],
        expr.block,
    )


def _select(expr: NixSelect) -> Doc:
    base = expr.base
    target = _operand(base)
    if not isinstance(base, NixIdent | NixSelect | NixRaw) and not needs_parentheses(base):
        target = parenthesised(target)
    selected = concat(target, ".", attribute_path(expr.path))
    if expr.default is None:
        return selected
    return concat(selected, " or ", _operand(expr.default))


# Lists and attribute sets


def _item(item: NixExpr | NixCommented | NixSlot) -> Doc:
    if isinstance(item, NixSlot):
        return Slot(item.name)
    if isinstance(item, NixCommented):
        return concat(comment(item.comment), HARDLINE, _operand(item.value))
    return _operand(item)


def _list(expr: NixList) -> Doc:
    return bracketed([_item(item) for item in expr.items]) if expr.items else "[ ]"


def _attrs(expr: NixAttrs, *, wide: bool = False) -> Doc:
    """An attribute set; one of a single plain entry may stay on one line unless it is *wide*."""
    opening = "rec {" if expr.recursive else "{"
    if not expr.entries:
        return opening + " }"
    line = LINE if is_short(expr.entries, wide) else HARDLINE
    entries = separated(line, _entries(expr.entries))
    return group(opening, nest(line, *entries), line, "}")


def _entries(entries: tuple[NixBinding | NixInherit | NixSlot, ...]) -> list[Doc]:
    return [_entry(entry) for entry in entries]


def _entry(entry: NixBinding | NixInherit | NixSlot) -> Doc:
    if isinstance(entry, NixBinding):
        return _binding(entry)
    return Slot(entry.name) if isinstance(entry, NixSlot) else _inherit(entry)


def _binding(binding: NixBinding) -> Doc:
    doc = concat(attribute_path(binding.path), " =", _value(binding.value), ";")
    if binding.comment:
        return concat(comment(binding.comment), HARDLINE, doc)
    return doc


def _inherit(entry: NixInherit) -> Doc:
    head: Doc = "inherit"
    if entry.source is not None:
        head = concat("inherit ", parenthesised(_expression(entry.source)))
    if not entry.names:
        return concat(head, ";")
    names: list[Doc] = [attribute(name) for name in entry.names]
    return group(head, nest(LINE, *separated(LINE, names), SOFTLINE, ";"))


def _value(expr: NixExpr) -> Doc:
    """What follows `=` or `?`, with the blank or the line break before it."""
    match expr:
        case NixAttrs():
            return concat(" ", _attrs(expr, wide=True))
        case NixApply():
            return applied_value(*_applied(expr))
        case NixLambda():
            doc, absorbs = _lambda(expr)
            return concat(" ", group(doc)) if absorbs else group(nest(LINE, doc))
        case NixBinary():
            return _binary_value(expr)
        case NixLet() | NixIf() | NixNot():
            return group(nest(LINE, _expression(expr)))
        case _:
            return concat(" ", _expression(expr))


# Functions, let, if


def _formals(formals: NixFormals) -> Doc:
    """The head of a function, over lines when it has a default or more than two names."""
    items: list[Doc] = [_formal(formal) for formal in formals.formals]
    short = len(items) <= 2 and all(formal.default is None for formal in formals.formals)
    if short:
        names = [item for item in items if isinstance(item, str)]
        flat = ", ".join([*names, "..."] if formals.ellipsis else names)
        return "{ " + flat + " }" if flat else "{ }"
    lines: list[Doc] = [concat(item, ",") for item in items]
    if formals.ellipsis:
        lines.append("...")
    return concat("{", nest(HARDLINE, *separated(HARDLINE, lines)), HARDLINE, "}")


def _formal(formal: NixFormal) -> Doc:
    name = identifier(formal.name)
    return name if formal.default is None else concat(name, " ?", _value(formal.default))


def _lambda(expr: NixLambda) -> tuple[Doc, bool]:
    """A function, and whether its body opens on the line of its parameters."""
    if isinstance(expr.parameter, NixFormals):
        body = expr.body
        doc = _attrs(body, wide=True) if isinstance(body, NixAttrs) else _expression(body)
        return concat(_formals(expr.parameter), ":", LINE, doc), False
    head = identifier(expr.parameter) + ":"
    count = 1
    inner = expr.body
    while isinstance(inner, NixLambda) and isinstance(inner.parameter, str):
        head += " " + identifier(inner.parameter) + ":"
        count += 1
        inner = inner.body
    doc = _expression(inner)
    if _absorbable(inner, doc):
        return concat(head, " ", broken(doc)), True
    return concat(head, LINE, doc), False


def _let(expr: NixLet, *, spaced: bool = False) -> Doc:
    """Bindings and a body; `spaced` parts the bindings by blank lines if one spans lines."""
    if not expr.entries:
        return _expression(expr.body)
    entries = _entries(expr.entries)
    parts = separated(HARDLINE, entries)
    if spaced and any(spans_lines(entry) for entry in entries):
        parts = separated(BLANK_LINE, entries)
    return concat("let", nest(HARDLINE, *parts), HARDLINE, "in", HARDLINE, _expression(expr.body))


def _if(expr: NixIf) -> Doc:
    parts: list[Doc] = []
    branch: NixExpr = expr
    line = LINE if not isinstance(expr.otherwise, NixIf) else HARDLINE
    while isinstance(branch, NixIf):
        condition = nest(LINE, _expression(branch.condition))
        then = nest(line, group(_expression(branch.then)))
        parts += (group("if", condition, LINE, "then"), then, line, "else ")
        branch = branch.otherwise
    parts[-1] = "else"
    return group(*parts, nest(line, group(_expression(branch))))


# Operators


def _side(expr: NixExpr, op: NixOp) -> Doc:
    return _expression(expr) if stands_beside(expr, op) else _operand(expr)


def _right(operand: NixExpr, op: NixOp, *, wide: bool = False) -> tuple[Doc, Doc | None]:
    """What follows an operator, and its form that only opens on the line, if it has one."""
    if isinstance(operand, NixApply):
        compact, chain = _applied(operand)
        return applied_value(compact, chain), concat(" ", compact) if compact else None
    if wide and isinstance(operand, NixAttrs):
        doc = _attrs(operand, wide=True)
    else:
        doc = _side(operand, op)
    if _absorbable(operand, doc):
        return concat(" ", doc), concat(" ", broken(doc))
    return concat(" ", nest(doc)), None


def _binary(op: NixOp, operands: list[NixExpr]) -> Doc:
    parts: list[Doc] = [_side(operands[0], op)]
    for operand in operands[1:]:
        parts += (LINE, op, _right(operand, op)[0])
    return group(*parts)


def _binary_value(expr: NixBinary) -> Doc:
    """An operation after `=`: of two operands, one may open or close on the line of the other."""
    operands = operands_of(expr)
    op = expr.op
    if op not in HUGGING or len(operands) != 2:
        return group(nest(LINE, _binary(op, operands)))
    left = _side(operands[0], op)
    right, hug = _right(operands[1], op, wide=True)
    opening = flat_text(left)
    if hug is not None and opening is not None:
        loose = group(left, LINE, op, right)
        return choice(concat(" ", opening, " ", op, hug), nest(HARDLINE, loose))
    if _absorbable(operands[0], left) and flat_text(right) is not None:
        return concat(" ", left, " ", op, right)
    return group(nest(LINE, group(left, LINE, op, right)))
