"""Nix syntax tree → text, in the official Nix style (RFC 166). Only this package quotes Nix.

An expression has up to three documents: for any place (`_expression`), as an operand, with
parentheses if it needs them (`_operand`), and as the value after `=` (`_value`). Each node is
printed once, however often its document is used.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, assert_never
from tvarc.nix.language.document import (
    HARDLINE,
    INDENT,
    LINE,
    SOFTLINE,
    WIDTH,
    AsksWidth,
    Doc,
    LineMap,
    Slot,
    Wrapped,
    broken,
    choice,
    concat,
    flat_text,
    group,
    is_open,
    nest,
    on_one_line,
    render,
    render_around,
    render_around_mapped,
    render_mapped,
    separated,
    tagged,
    wrapped,
)
from tvarc.nix.language.quoting import (
    attribute,
    attribute_path,
    comment_line,
    identifier,
    integer,
    path_parts,
    search_path,
)
from tvarc.nix.language.shape import (
    HUGGING,
    is_empty,
    is_short,
    needs_parentheses,
    operands_of,
    stands_beside,
)
from tvarc.nix.language.strings import Interpolation, string, within_string
from tvarc.nix.language.syntax import (
    NixApply,
    NixAssert,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixCommented,
    NixExpr,
    NixFile,
    NixFloat,
    NixFormal,
    NixFormals,
    NixHas,
    NixIdent,
    NixIf,
    NixInherit,
    NixInt,
    NixLambda,
    NixLet,
    NixList,
    NixNot,
    NixOp,
    NixOther,
    NixPath,
    NixQuoted,
    NixRaw,
    NixSearchPath,
    NixSelect,
    NixSlot,
    NixSteps,
    NixString,
    NixWith,
    bare,
    written_path,
)
from tvarc.text.diagnostics.model import CompilerBug

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines, Places

_BLANK_LINE = concat(HARDLINE, HARDLINE)

_FLAT_ARGUMENT_ITEMS = 4
"""A list of at most this many plain elements stays on one line before other arguments, if it fits.
"""


def print_file(file: NixFile) -> str:
    """The text of a whole file. It ends in one newline."""
    return render(_file(file))


def _file(file: NixFile) -> Doc:
    parts: list[Doc] = []
    for line in file.header:
        parts += (_comment(line), HARDLINE)
    body = file.body
    while isinstance(body, NixLambda) and isinstance(body.parameter, NixFormals):
        parts += (_formals(body.parameter), ":", HARDLINE, HARDLINE)
        body = body.body
    parts.append(_let(body, spaced=True) if isinstance(body, NixLet) else _expression(body))
    parts.append(HARDLINE)
    return concat(*parts)


def print_around(
    body: NixExpr | NixBinding, indent: int = 0
) -> tuple[list[str], list[tuple[str, int]]]:
    """The texts around the slots of a file without a header, or of an indented entry of a set
    (`render_around`)."""
    return render_around(_around(body), indent)


def print_around_mapped(
    body: NixExpr | NixBinding, indent: int = 0
) -> tuple[list[tuple[str, LineMap]], list[tuple[str, int]]]:
    """The result of `print_around`, with the source lines of each text."""
    return render_around_mapped(_around(body), indent)


def _around(body: NixExpr | NixBinding) -> Doc:
    return _binding(body) if isinstance(body, NixBinding) else _file(NixFile((), body))


def print_entry(entry: NixBinding, indent: int) -> str:
    """The text of an entry of a set in a slot, after a line break."""
    return "\n" + render(_binding(entry), indent)


def print_entry_mapped(entry: NixBinding, indent: int) -> tuple[str, LineMap]:
    """The result of `print_entry`, and its source lines, without the line break."""
    text, lines = render_mapped(_binding(entry), indent)
    return "\n" + text, lines


def print_comment(line: str) -> str:
    """A line of a file's header, without the line break at its end."""
    return wrapped("# ", comment_line(line))


def print_expr(expr: NixExpr) -> str:
    """The text of a single expression, without a newline at its end."""
    return render(_expression(expr))


def _expression(expr: NixExpr) -> Doc:
    """The document of an expression that is in no operator, application or list."""
    places = expr.places
    if places is not None:
        doc = _expression(bare(expr)) if not places.lines else _by_lines(expr, places.lines)
        return tagged(doc, places.made, places.around)
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
            return _raw("".join(map(_raw_part, expr.parts)))
        case NixBinary():
            return _binary(expr.op, operands_of(expr))
        case NixInt():
            return integer(expr.value)
        case NixFloat():
            return expr.text
        case NixLet():
            return _let(expr)
        case NixIf():
            return _if(expr)
        case NixNot():
            operand = expr.operand
            plain = isinstance(operand, NixApply)
            inner = _expression(operand) if plain else _operand(operand)
            return concat("!", inner)
        case NixHas():
            return _has(expr)
        case NixAssert():
            return _assert(expr)
        case NixWith():
            return _with(expr)
        case NixPath(text, True):
            return text
        case NixPath():
            start, rest = path_parts(expr.text)
            return concat(start, " + ", _string(NixString((rest,)))) if rest else start
        case NixSearchPath():
            return search_path(expr.name)
        case NixOther():
            return _raw(expr.text)
        case _:
            assert_never(expr)


def _by_lines(expr: NixExpr, lines: tuple[Lines, ...]) -> Doc:
    """The document of a text of several lines, with the source lines of each."""
    match expr:
        case NixString():
            return _string(expr, lines)
        case NixRaw():
            return _raw("".join(map(_raw_part, expr.parts)), lines)
        case _:
            raise CompilerBug("only texts are made of lines")


def _tagged_pair(pair: tuple[Doc, Doc | None], places: Places) -> tuple[Doc, Doc | None]:
    doc, hug = pair
    made, around = places.made, places.around
    return tagged(doc, made, around), None if hug is None else tagged(hug, made, around)


def _operand(expr: NixExpr) -> Doc:
    """The document of an argument, an element of a list, or an operand."""
    if not needs_parentheses(expr):
        return _expression(expr)
    if expr.places is not None:
        return tagged(_operand(bare(expr)), expr.places.made, expr.places.around)
    match expr:
        case NixApply():
            compact, chain = _applied(expr)
            if isinstance(chain, str):
                return "(" + chain + ")"
            loose = group("(", chain, SOFTLINE, ")")
            return loose if compact is None else choice(concat("(", compact, ")"), loose)
        case NixLambda():
            doc, absorbs = _lambda(expr)
            return group("(", doc, ")") if absorbs else _parenthesised(group(doc))
        case _:
            return _parenthesised(_expression(expr))


def _absorbable(expr: NixExpr, doc: Doc) -> bool:
    """Whether the document opens on its first line and continues on further lines."""
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
    """Two forms of an application. In the first one, the last argument opens on the first line;
    None if it cannot. In the second one, each argument may have its own line."""
    arguments: list[NixExpr] = []
    function: NixExpr = expr
    while isinstance(function, NixApply):
        arguments.append(function.argument)
        function = function.function
    head = _operand(function)
    for argument in reversed(arguments[1:]):
        head = _apply(head, _argument(argument), len(arguments))
    last, hug = _last_argument(arguments[0])
    chain = _apply(head, last, len(arguments))
    opening = flat_text(head)
    if hug is None or opening is None:
        return None, chain
    return concat(opening, " ", hug), chain


def _argument(expr: NixExpr) -> Doc:
    """An argument before the last."""
    if expr.places is not None and isinstance(expr, NixList):
        return tagged(_argument(bare(expr)), expr.places.made, expr.places.around)
    if isinstance(expr, NixList) and 1 < len(expr.items) <= _FLAT_ARGUMENT_ITEMS:
        items = [_item(item) for item in expr.items]
        if all(isinstance(item, str) for item in items):
            return group("[", nest(LINE, *separated(LINE, items)), LINE, "]")
        return _bracketed(items)
    return _operand(expr)


def _last_argument(expr: NixExpr) -> tuple[Doc, Doc | None]:
    """The last argument, and its form over several lines after an opening, if it has one."""
    if expr.places is not None and not expr.places.lines:
        return _tagged_pair(_last_argument(bare(expr)), expr.places)
    match expr:
        case NixApply(NixIdent() as function, (NixAttrs() | NixList()) as argument) if not is_empty(
            argument
        ):
            inner = broken(_expression(argument))
            doc = group("(", _expression(function), " ", inner, ")")
        case NixApply():
            doc = group("(", nest(SOFTLINE, _expression(expr)), SOFTLINE, ")")
        case NixLambda(body=NixLambda()):
            # In `f (a: b: …)`, a function with two arguments has its own lines.
            doc = group("(", nest(SOFTLINE, group(_lambda(expr)[0])), SOFTLINE, ")")
        case _:
            doc = _operand(expr)
            if not needs_parentheses(expr) and not _absorbable(expr, doc):
                return doc, None
    return doc, None if isinstance(doc, str) else broken(doc)


# Names and strings


def _string(expr: NixString, lines: tuple[Lines, ...] = ()) -> Doc:
    parts = expr.parts
    if len(parts) == 1 and isinstance(parts[0], str):
        return string([parts[0]], expr.block, lines)
    return string(
        [part if isinstance(part, str) else Interpolation(_expression(part)) for part in parts],
        expr.block,
        lines,
    )


def _path(steps: NixSteps) -> Doc:
    written = written_path(steps)
    if written is not None:
        return attribute_path(written)
    return concat(*separated(".", [_step(step) for step in steps]))


def _step(step: str | NixExpr) -> Doc:
    if isinstance(step, str):
        return attribute(step)
    if isinstance(step, NixString) and any(not isinstance(part, str) for part in step.parts):
        return _string(NixString(step.parts))
    return Interpolation(_expression(step)).doc


def _select(expr: NixSelect) -> Doc:
    base = expr.base
    target = _operand(base)
    if isinstance(base, NixRaw) and isinstance(target, str) and target.isdigit():
        target = _parenthesised(target)  # `1.x` is a number and a name
    if not isinstance(base, NixIdent | NixSelect | NixRaw | NixOther) and not needs_parentheses(
        base
    ):
        target = _parenthesised(target)
    selected = concat(target, ".", _path(expr.path))
    if expr.default is None:
        return selected
    return concat(selected, " or ", _operand(expr.default))


def _raw(text: str, lines: tuple[Lines, ...] = ()) -> Doc:
    """The document of a *text* of Nix, with the source lines of its lines."""
    from tvarc.nix.language.raw import raw  # most programs have no such text

    return raw(text, lines)


def _raw_part(part: str | NixQuoted) -> str:
    """A part of Nix text. A value is on one line, because the text around it is the user's own."""
    if isinstance(part, str):
        return part
    if isinstance(part.value, str):
        assert part.place not in ("code", "attribute")
        return within_string(part.value, part.place, part.dollar)
    return on_one_line(_operand(_without_blocks(part.value)))


def _without_blocks(expr: NixExpr) -> NixExpr:
    """A literal in which all strings have their form for one line."""
    match expr:
        case NixString():
            return NixString(expr.parts)
        case NixList():
            return NixList(tuple([_without_blocks(_literal(item)) for item in expr.items]))
        case NixAttrs():
            entries: list[NixBinding] = []
            for entry in expr.entries:
                if not isinstance(entry, NixBinding):
                    raise CompilerBug("a literal set in Nix text has bindings only")
                entries.append(NixBinding(entry.path, _without_blocks(entry.value)))
            return NixAttrs(tuple(entries))
        case _:
            return expr


def _literal(item: NixExpr | NixCommented) -> NixExpr:
    if isinstance(item, NixCommented):
        raise CompilerBug("a literal list in Nix text has elements only")
    return item


# Lists and attribute sets


def _item(item: NixExpr | NixCommented) -> Doc:
    if isinstance(item, NixCommented):
        doc = concat(_comment(item.comment), HARDLINE, _operand(item.value))
        places = item.places
        return doc if places is None else tagged(doc, places.made, places.around)
    return _operand(item)


def _list(expr: NixList) -> Doc:
    return _bracketed([_item(item) for item in expr.items]) if expr.items else "[ ]"


def _attrs(expr: NixAttrs, *, wide: bool = False) -> Doc:
    """An attribute set. A single plain entry may stay on one line, unless the set is *wide*."""
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
    key, end = concat(_path(binding.path), " ="), ";"
    places = binding.places
    if places is not None:
        key, end = tagged(key, places.made, places.around), _mark(end, places)
    doc = concat(key, _value(binding.value), end)
    if binding.comment:
        return concat(_comment(binding.comment), HARDLINE, doc)
    return doc


def _mark(text: str, places: Places) -> str:
    """*text* around the parts that have *places*."""
    from tvarc.values.provenance import Tagged

    return Tagged(text, 0, places.made | places.around)


def _inherit(entry: NixInherit) -> Doc:
    head: Doc = "inherit"
    if entry.source is not None:
        head = concat("inherit ", _parenthesised(_expression(entry.source)))
    if not entry.names:
        return concat(head, ";")
    names: list[Doc] = [attribute(name) for name in entry.names]
    return group(head, nest(LINE, *separated(LINE, names), SOFTLINE, ";"))


def _value(expr: NixExpr) -> Doc:
    """The text after `=` or `?`, with the blank or the line break before it."""
    if expr.places is not None and not expr.places.lines:
        return tagged(_value(bare(expr)), expr.places.made, expr.places.around)
    match expr:
        case NixAttrs():
            return concat(" ", _attrs(expr, wide=True))
        case NixApply():
            return _applied_value(*_applied(expr))
        case NixLambda():
            doc, absorbs = _lambda(expr)
            return concat(" ", group(doc)) if absorbs else group(nest(LINE, doc))
        case NixBinary():
            return _binary_value(expr)
        case NixLet() | NixIf() | NixNot() | NixAssert() | NixWith():
            return group(nest(LINE, _expression(expr)))
        case _:
            return concat(_blank(expr.places), _expression(expr))


def _blank(places: Places | None) -> str:
    """The blank before a text whose lines have source lines of their own. The blank is not part of
    the text around it."""
    if places is None:
        return " "
    from tvarc.values.provenance import Tagged

    return Tagged(" ", 0, places.around)


# Functions, let, if


def _formals(formals: NixFormals) -> Doc:
    """The head of a function. It has several lines if it has a default or more than two names."""
    items: list[Doc] = [_formal(formal) for formal in formals.formals]
    whole = identifier(formals.whole) + "@" if formals.whole else ""
    short = len(items) <= 2 and all(formal.default is None for formal in formals.formals)
    if short:
        if formals.ellipsis:
            items.append("...")
        return concat(whole + "{ ", *separated(", ", items), " }") if items else whole + "{ }"
    lines: list[Doc] = [concat(item, ",") for item in items]
    if formals.ellipsis:
        lines.append("...")
    return concat(whole + "{", nest(HARDLINE, *separated(HARDLINE, lines)), HARDLINE, "}")


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
    """Bindings and a body. With `spaced`, blank lines separate the bindings if one has several
    lines."""
    if not expr.entries:
        return _expression(expr.body)
    entries = _entries(expr.entries)
    parts = separated(HARDLINE, entries)
    if spaced and any(_spans_lines(entry) for entry in entries):
        parts = separated(_BLANK_LINE, entries)
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


def _assert(expr: NixAssert) -> Doc:
    condition = group("assert", nest(LINE, _expression(expr.condition)), ";")
    if expr.condition.places is not None:
        condition = tagged(condition, 0, expr.condition.places.around)
    body = expr.body
    if isinstance(body, NixBinary):
        # As after `=`, an added set has several lines, whatever it contains.
        doc = _binary(body.op, operands_of(body), wide=True)
        if body.places is not None:
            doc = tagged(doc, body.places.made, body.places.around)
        return concat(condition, HARDLINE, doc)
    return concat(condition, HARDLINE, _expression(body))


def _with(expr: NixWith) -> Doc:
    head = group("with", nest(LINE, _expression(expr.environment)), ";")
    doc = _expression(expr.body)
    if _absorbable(expr.body, doc):
        return concat(head, " ", doc)
    return group(head, LINE, doc)


# Operators


def _has(expr: NixHas) -> Doc:
    # `f x ? a` tests the result of the application.
    base = _expression(expr.base) if isinstance(expr.base, NixApply) else _operand(expr.base)
    return concat(base, " ? ", _path(expr.path))


def _side(expr: NixExpr, op: NixOp) -> Doc:
    return _expression(expr) if stands_beside(expr, op) else _operand(expr)


def _right(operand: NixExpr, op: NixOp, *, wide: bool = False) -> tuple[Doc, Doc | None]:
    """The operand after an operator, and its form that only opens on this line, if it has one."""
    if operand.places is not None and not operand.places.lines:
        return _tagged_pair(_right(bare(operand), op, wide=wide), operand.places)
    if isinstance(operand, NixApply):
        compact, chain = _applied(operand)
        return _applied_value(compact, chain), concat(" ", compact) if compact else None
    if wide and isinstance(operand, NixAttrs):
        doc = _attrs(operand, wide=True)
    else:
        doc = _side(operand, op)
    if _absorbable(operand, doc):
        return concat(" ", doc), concat(" ", broken(doc))
    if isinstance(
        operand, NixLet
    ):  # its parentheses open on this line and close on a line of their own
        return concat(" ", doc), None
    return concat(" ", nest(doc)), None


def _binary(op: NixOp, operands: list[NixExpr], *, wide: bool = False) -> Doc:
    parts: list[Doc] = [_side(operands[0], op)]
    for operand in operands[1:]:
        parts += (LINE, op, _right(operand, op, wide=wide)[0])
    return group(*parts)


def _binary_value(expr: NixBinary) -> Doc:
    """An operation after `=`. If it has two operands, one may open or close on the line of the
    other."""
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


# Layouts that are used in many places: documents in, documents out


def _parenthesised(doc: Doc) -> Doc:
    if isinstance(doc, str):
        return "(" + doc + ")"
    return group("(", nest(SOFTLINE, doc), SOFTLINE, ")")


def _apply(function: Doc, argument: Doc, arguments: int) -> Doc:
    if arguments <= 2 and isinstance(function, str) and isinstance(argument, str):
        return function + " " + argument
    return group(function, nest(LINE, argument))


def _applied_value(compact: Doc | None, chain: Doc) -> Doc:
    """An application after `=` or an operator."""
    if compact is not None:
        return choice(concat(" ", compact), nest(HARDLINE, choice(compact, chain)))
    return " " + chain if isinstance(chain, str) else group(nest(LINE, chain))


def _comment(text: str) -> Doc:
    return Wrapped("# ", comment_line(text) if type(text) is str else _like(text))


def _like(text: str) -> str:
    from tvarc.values.provenance import like

    return like(comment_line(text), text)


def _bracketed(items: list[Doc]) -> Doc:
    line = LINE if len(items) == 1 else HARDLINE
    return group("[", nest(line, *separated(line, items)), line, "]")


def _spans_lines(entry: Doc) -> bool:
    flat = flat_text(entry)
    if flat is None or len(flat) > WIDTH - INDENT:
        return True
    if is_open(flat):
        raise AsksWidth
    return False
