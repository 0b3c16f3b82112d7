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
    Slot,
    Wrapped,
    broken,
    choice,
    concat,
    flat_text,
    group,
    is_unsure,
    nest,
    on_one_line,
    render,
    render_around,
    separated,
    tagged,
    wrapped,
)
from tvarc.nix.language.late import NO_WIDTHS, TEXT, Open, Printed, Widths
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
    NixLate,
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
    return render(_PLAIN.file(file))


def print_around(
    body: NixExpr | NixBinding,
    indent: int = 0,
    widths: Widths = NO_WIDTHS,
    *,
    mapped: bool = False,
) -> tuple[list[Printed], list[tuple[str, int]]]:
    """The texts around the slots of a file without a header, or of an indented entry of a set
    (`render_around`). Raises AsksWidth if the layout depends on the width of a late part that is
    not in *widths*."""
    return render_around(_Documents(widths).around(body), indent, mapped=mapped)


def print_entry(
    entry: NixBinding, indent: int, widths: Widths = NO_WIDTHS, *, mapped: bool = False
) -> Printed:
    """The text of an entry of a set in a slot, after a line break. The other parameters are those
    of `print_around`."""
    doc = concat(HARDLINE, _Documents(widths).binding(entry))
    (text,), _ = render_around(doc, indent, mapped=mapped)
    return text


def print_comment(line: str) -> str:
    """A line of a file's header, without the line break at its end."""
    return wrapped("# ", comment_line(line))


def print_expr(expr: NixExpr) -> str:
    """The text of a single expression, without a newline at its end."""
    return render(_PLAIN.expression(expr))


class _Documents:
    """Makes the documents of expressions. *widths* are the known widths of late parts."""

    __slots__ = ("_widths",)

    def __init__(self, widths: Widths) -> None:
        self._widths = widths

    def file(self, file: NixFile) -> Doc:
        parts: list[Doc] = []
        for line in file.header:
            parts += (_comment(line), HARDLINE)
        body = file.body
        while isinstance(body, NixLambda) and isinstance(body.parameter, NixFormals):
            parts += (self._formals(body.parameter), ":", HARDLINE, HARDLINE)
            body = body.body
        parts.append(
            self._let(body, spaced=True) if isinstance(body, NixLet) else self.expression(body)
        )
        parts.append(HARDLINE)
        return concat(*parts)

    def around(self, body: NixExpr | NixBinding) -> Doc:
        return self.binding(body) if isinstance(body, NixBinding) else self.file(NixFile((), body))

    def expression(self, expr: NixExpr) -> Doc:
        """The document of an expression that is in no operator, application or list."""
        places = expr.places
        if places is not None:
            doc = (
                self.expression(bare(expr))
                if not places.lines
                else self._by_lines(expr, places.lines)
            )
            return tagged(doc, places.made, places.around)
        match expr:
            case NixString():
                return self._string(expr)
            case NixIdent():
                return identifier(expr.name)
            case NixSelect():
                return self._select(expr)
            case NixApply():
                compact, chain = self._applied(expr)
                return chain if compact is None else choice(compact, chain)
            case NixList():
                return self._list(expr)
            case NixAttrs():
                return self._attrs(expr)
            case NixLambda():
                return group(self._lambda(expr)[0])
            case NixRaw():
                return _raw("".join(map(self._raw_part, expr.parts)))
            case NixBinary():
                return self._binary(expr.op, operands_of(expr))
            case NixInt():
                return integer(expr.value)
            case NixFloat():
                return expr.text
            case NixLet():
                return self._let(expr)
            case NixIf():
                return self._if(expr)
            case NixNot():
                operand = expr.operand
                plain = isinstance(operand, NixApply)
                inner = self.expression(operand) if plain else self._operand(operand)
                return concat("!", inner)
            case NixHas():
                return self._has(expr)
            case NixAssert():
                return self._assert(expr)
            case NixWith():
                return self._with(expr)
            case NixPath(text, True):
                return text
            case NixPath():
                start, rest = path_parts(expr.text)
                return concat(start, " + ", self._string(NixString((rest,)))) if rest else start
            case NixSearchPath():
                return search_path(expr.name)
            case NixOther():
                return _raw(expr.text)
            case NixLate():
                raise CompilerBug("a late part is a part of a string")
            case _:
                assert_never(expr)

    def _by_lines(self, expr: NixExpr, lines: tuple[Lines, ...]) -> Doc:
        """The document of a text of several lines, with the source lines of each."""
        match expr:
            case NixString():
                return self._string(expr, lines)
            case NixRaw():
                return _raw("".join(map(self._raw_part, expr.parts)), lines)
            case _:
                raise CompilerBug("only texts are made of lines")

    def _operand(self, expr: NixExpr) -> Doc:
        """The document of an argument, an element of a list, or an operand."""
        if not needs_parentheses(expr):
            return self.expression(expr)
        if expr.places is not None:
            return tagged(self._operand(bare(expr)), expr.places.made, expr.places.around)
        match expr:
            case NixApply():
                compact, chain = self._applied(expr)
                if isinstance(chain, TEXT):
                    return concat("(", chain, ")")
                loose = group("(", chain, SOFTLINE, ")")
                return loose if compact is None else choice(concat("(", compact, ")"), loose)
            case NixLambda():
                doc, absorbs = self._lambda(expr)
                return group("(", doc, ")") if absorbs else _parenthesised(group(doc))
            case _:
                return _parenthesised(self.expression(expr))

    # Application

    def _applied(self, expr: NixApply) -> tuple[Doc | None, Doc]:
        """Two forms of an application. In the first one, the last argument opens on the first line;
        None if it cannot. In the second one, each argument may have its own line."""
        arguments: list[NixExpr] = []
        function: NixExpr = expr
        while isinstance(function, NixApply):
            arguments.append(function.argument)
            function = function.function
        head = self._operand(function)
        for argument in reversed(arguments[1:]):
            head = _apply(head, self._argument(argument), len(arguments))
        last, hug = self._last_argument(arguments[0])
        chain = _apply(head, last, len(arguments))
        opening = flat_text(head)
        if hug is None or opening is None:
            return None, chain
        return concat(opening, " ", hug), chain

    def _argument(self, expr: NixExpr) -> Doc:
        """An argument before the last."""
        if expr.places is not None and isinstance(expr, NixList):
            return tagged(self._argument(bare(expr)), expr.places.made, expr.places.around)
        if isinstance(expr, NixList) and 1 < len(expr.items) <= _FLAT_ARGUMENT_ITEMS:
            items = [self._item(item) for item in expr.items]
            if all(isinstance(item, TEXT) for item in items):
                return group("[", nest(LINE, *separated(LINE, items)), LINE, "]")
            return _bracketed(items)
        return self._operand(expr)

    def _last_argument(self, expr: NixExpr) -> tuple[Doc, Doc | None]:
        """The last argument, and its form over several lines after an opening, if it has one."""
        if expr.places is not None and not expr.places.lines:
            return _tagged_pair(self._last_argument(bare(expr)), expr.places)
        match expr:
            case NixApply(NixIdent() as function, (NixAttrs() | NixList()) as argument) if (
                not is_empty(argument)
            ):
                inner = broken(self.expression(argument))
                doc = group("(", self.expression(function), " ", inner, ")")
            case NixApply():
                doc = group("(", nest(SOFTLINE, self.expression(expr)), SOFTLINE, ")")
            case NixLambda(body=NixLambda()):
                # In `f (a: b: …)`, a function with two arguments has its own lines.
                doc = group("(", nest(SOFTLINE, group(self._lambda(expr)[0])), SOFTLINE, ")")
            case _:
                doc = self._operand(expr)
                if not needs_parentheses(expr) and not _absorbable(expr, doc):
                    return doc, None
        return doc, None if isinstance(doc, TEXT) else broken(doc)

    # Names and strings

    def _string(self, expr: NixString, lines: tuple[Lines, ...] = ()) -> Doc:
        parts = expr.parts
        if len(parts) == 1 and isinstance(parts[0], str):
            return string([parts[0]], expr.block, lines)
        return string(map(self._part, parts), expr.block, lines)

    def _part(self, part: str | NixExpr) -> str | Open | Interpolation:
        if isinstance(part, str):
            return part
        if isinstance(part, NixLate):
            width = self._widths.get(part.part)
            return Open("", (part.part,), width or 1, width is not None)
        return Interpolation(self.expression(part))

    def _path(self, steps: NixSteps) -> Doc:
        written = written_path(steps)
        if written is not None:
            return attribute_path(written)
        return concat(*separated(".", [self._step(step) for step in steps]))

    def _step(self, step: str | NixExpr) -> Doc:
        if isinstance(step, str):
            return attribute(step)
        if isinstance(step, NixString) and any(not isinstance(part, str) for part in step.parts):
            return self._string(NixString(step.parts))
        return Interpolation(self.expression(step)).doc

    def _select(self, expr: NixSelect) -> Doc:
        base = expr.base
        target = self._operand(base)
        if isinstance(base, NixRaw) and isinstance(target, str) and target.isdigit():
            target = _parenthesised(target)  # `1.x` is a number and a name
        if not isinstance(base, NixIdent | NixSelect | NixRaw | NixOther) and not needs_parentheses(
            base
        ):
            target = _parenthesised(target)
        selected = concat(target, ".", self._path(expr.path))
        if expr.default is None:
            return selected
        return concat(selected, " or ", self._operand(expr.default))

    def _raw_part(self, part: str | NixQuoted) -> str:
        """A part of Nix text. A value is on one line, because the text around it is the user's."""
        if isinstance(part, str):
            return part
        if isinstance(part.value, str):
            assert part.place not in ("code", "attribute")
            return within_string(part.value, part.place, part.dollar)
        return on_one_line(self._operand(_without_blocks(part.value)))

    # Lists and attribute sets

    def _item(self, item: NixExpr | NixCommented) -> Doc:
        if isinstance(item, NixCommented):
            doc = concat(_comment(item.comment), HARDLINE, self._operand(item.value))
            places = item.places
            return doc if places is None else tagged(doc, places.made, places.around)
        return self._operand(item)

    def _list(self, expr: NixList) -> Doc:
        return _bracketed([self._item(item) for item in expr.items]) if expr.items else "[ ]"

    def _attrs(self, expr: NixAttrs, *, wide: bool = False) -> Doc:
        """An attribute set. A single plain entry may stay on one line, unless the set is *wide*."""
        opening = "rec {" if expr.recursive else "{"
        if not expr.entries:
            return opening + " }"
        line = LINE if is_short(expr.entries, wide) else HARDLINE
        entries = separated(line, self._entries(expr.entries))
        return group(opening, nest(line, *entries), line, "}")

    def _entries(self, entries: tuple[NixBinding | NixInherit | NixSlot, ...]) -> list[Doc]:
        return [self._entry(entry) for entry in entries]

    def _entry(self, entry: NixBinding | NixInherit | NixSlot) -> Doc:
        if isinstance(entry, NixBinding):
            return self.binding(entry)
        return Slot(entry.name) if isinstance(entry, NixSlot) else self._inherit(entry)

    def binding(self, binding: NixBinding) -> Doc:
        key, end = concat(self._path(binding.path), " ="), ";"
        places = binding.places
        if places is not None:
            key, end = tagged(key, places.made, places.around), _mark(end, places)
        doc = concat(key, self._value(binding.value), end)
        if binding.comment:
            return concat(_comment(binding.comment), HARDLINE, doc)
        return doc

    def _inherit(self, entry: NixInherit) -> Doc:
        head: Doc = "inherit"
        if entry.source is not None:
            head = concat("inherit ", _parenthesised(self.expression(entry.source)))
        if not entry.names:
            return concat(head, ";")
        names: list[Doc] = [attribute(name) for name in entry.names]
        return group(head, nest(LINE, *separated(LINE, names), SOFTLINE, ";"))

    def _value(self, expr: NixExpr) -> Doc:
        """The text after `=` or `?`, with the blank or the line break before it."""
        if expr.places is not None and not expr.places.lines:
            return tagged(self._value(bare(expr)), expr.places.made, expr.places.around)
        match expr:
            case NixAttrs():
                return concat(" ", self._attrs(expr, wide=True))
            case NixApply():
                return _applied_value(*self._applied(expr))
            case NixLambda():
                doc, absorbs = self._lambda(expr)
                return concat(" ", group(doc)) if absorbs else group(nest(LINE, doc))
            case NixBinary():
                return self._binary_value(expr)
            case NixLet() | NixIf() | NixNot() | NixAssert() | NixWith():
                return group(nest(LINE, self.expression(expr)))
            case _:
                return concat(_blank(expr.places), self.expression(expr))

    # Functions, let, if

    def _formals(self, formals: NixFormals) -> Doc:
        """The head of a function. With a default, or more than two names, it has several lines."""
        items: list[Doc] = [self._formal(formal) for formal in formals.formals]
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

    def _formal(self, formal: NixFormal) -> Doc:
        name = identifier(formal.name)
        return name if formal.default is None else concat(name, " ?", self._value(formal.default))

    def _lambda(self, expr: NixLambda) -> tuple[Doc, bool]:
        """A function, and whether its body opens on the line of its parameters."""
        if isinstance(expr.parameter, NixFormals):
            body = expr.body
            doc = (
                self._attrs(body, wide=True)
                if isinstance(body, NixAttrs)
                else self.expression(body)
            )
            return concat(self._formals(expr.parameter), ":", LINE, doc), False
        head = identifier(expr.parameter) + ":"
        count = 1
        inner = expr.body
        while isinstance(inner, NixLambda) and isinstance(inner.parameter, str):
            head += " " + identifier(inner.parameter) + ":"
            count += 1
            inner = inner.body
        doc = self.expression(inner)
        if _absorbable(inner, doc):
            return concat(head, " ", broken(doc)), True
        return concat(head, LINE, doc), False

    def _let(self, expr: NixLet, *, spaced: bool = False) -> Doc:
        """Bindings and a body. With `spaced`, blank lines separate the bindings if one has several
        lines."""
        if not expr.entries:
            return self.expression(expr.body)
        entries = self._entries(expr.entries)
        parts = separated(HARDLINE, entries)
        if spaced and any(_spans_lines(entry) for entry in entries):
            parts = separated(_BLANK_LINE, entries)
        return concat(
            "let", nest(HARDLINE, *parts), HARDLINE, "in", HARDLINE, self.expression(expr.body)
        )

    def _if(self, expr: NixIf) -> Doc:
        parts: list[Doc] = []
        branch: NixExpr = expr
        line = LINE if not isinstance(expr.otherwise, NixIf) else HARDLINE
        while isinstance(branch, NixIf):
            condition = nest(LINE, self.expression(branch.condition))
            then = nest(line, group(self.expression(branch.then)))
            parts += (group("if", condition, LINE, "then"), then, line, "else ")
            branch = branch.otherwise
        parts[-1] = "else"
        return group(*parts, nest(line, group(self.expression(branch))))

    def _assert(self, expr: NixAssert) -> Doc:
        condition = group("assert", nest(LINE, self.expression(expr.condition)), ";")
        if expr.condition.places is not None:
            condition = tagged(condition, 0, expr.condition.places.around)
        body = expr.body
        if isinstance(body, NixBinary):
            # As after `=`, an added set has several lines, whatever it contains.
            doc = self._binary(body.op, operands_of(body), wide=True)
            if body.places is not None:
                doc = tagged(doc, body.places.made, body.places.around)
            return concat(condition, HARDLINE, doc)
        return concat(condition, HARDLINE, self.expression(body))

    def _with(self, expr: NixWith) -> Doc:
        head = group("with", nest(LINE, self.expression(expr.environment)), ";")
        doc = self.expression(expr.body)
        if _absorbable(expr.body, doc):
            return concat(head, " ", doc)
        return group(head, LINE, doc)

    # Operators

    def _has(self, expr: NixHas) -> Doc:
        # `f x ? a` tests the result of the application.
        base = (
            self.expression(expr.base)
            if isinstance(expr.base, NixApply)
            else self._operand(expr.base)
        )
        return concat(base, " ? ", self._path(expr.path))

    def _side(self, expr: NixExpr, op: NixOp) -> Doc:
        return self.expression(expr) if stands_beside(expr, op) else self._operand(expr)

    def _right(self, operand: NixExpr, op: NixOp, *, wide: bool = False) -> tuple[Doc, Doc | None]:
        """The operand after an operator, and its form that only opens on this line, if any."""
        if operand.places is not None and not operand.places.lines:
            return _tagged_pair(self._right(bare(operand), op, wide=wide), operand.places)
        if isinstance(operand, NixApply):
            compact, chain = self._applied(operand)
            return _applied_value(compact, chain), concat(" ", compact) if compact else None
        if wide and isinstance(operand, NixAttrs):
            doc = self._attrs(operand, wide=True)
        else:
            doc = self._side(operand, op)
        if _absorbable(operand, doc):
            return concat(" ", doc), concat(" ", broken(doc))
        if isinstance(
            operand, NixLet
        ):  # its parentheses open on this line and close on a line of their own
            return concat(" ", doc), None
        return concat(" ", nest(doc)), None

    def _binary(self, op: NixOp, operands: list[NixExpr], *, wide: bool = False) -> Doc:
        parts: list[Doc] = [self._side(operands[0], op)]
        for operand in operands[1:]:
            parts += (LINE, op, self._right(operand, op, wide=wide)[0])
        return group(*parts)

    def _binary_value(self, expr: NixBinary) -> Doc:
        """An operation after `=`. If it has two operands, one may open or close on the line of the
        other."""
        operands = operands_of(expr)
        op = expr.op
        if op not in HUGGING or len(operands) != 2:
            return group(nest(LINE, self._binary(op, operands)))
        left = self._side(operands[0], op)
        right, hug = self._right(operands[1], op, wide=True)
        opening = flat_text(left)
        if hug is not None and opening is not None:
            loose = group(left, LINE, op, right)
            return choice(concat(" ", opening, " ", op, hug), nest(HARDLINE, loose))
        if _absorbable(operands[0], left) and flat_text(right) is not None:
            return concat(" ", left, " ", op, right)
        return group(nest(LINE, group(left, LINE, op, right)))


_PLAIN = _Documents(NO_WIDTHS)


def _tagged_pair(pair: tuple[Doc, Doc | None], places: Places) -> tuple[Doc, Doc | None]:
    doc, hug = pair
    made, around = places.made, places.around
    return tagged(doc, made, around), None if hug is None else tagged(hug, made, around)


def _absorbable(expr: NixExpr, doc: Doc) -> bool:
    """Whether the document opens on its first line and continues on further lines."""
    match expr:
        case NixAttrs():
            return bool(expr.entries)
        case NixList():
            return bool(expr.items)
        case NixString() | NixRaw():
            return not isinstance(doc, TEXT)
        case _:
            return False


def _raw(text: str, lines: tuple[Lines, ...] = ()) -> Doc:
    """The document of a *text* of Nix, with the source lines of its lines."""
    from tvarc.nix.language.raw import raw  # most programs have no such text

    return raw(text, lines)


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


def _mark(text: str, places: Places) -> str:
    """*text* around the parts that have *places*."""
    from tvarc.values.provenance import Tagged

    return Tagged(text, 0, places.made | places.around)


def _blank(places: Places | None) -> str:
    """The blank before a text whose lines have source lines of their own. The blank is not part of
    the text around it."""
    if places is None:
        return " "
    from tvarc.values.provenance import Tagged

    return Tagged(" ", 0, places.around)


# Layouts that are used in many places: documents in, documents out


def _parenthesised(doc: Doc) -> Doc:
    if isinstance(doc, TEXT):
        return concat("(", doc, ")")
    return group("(", nest(SOFTLINE, doc), SOFTLINE, ")")


def _apply(function: Doc, argument: Doc, arguments: int) -> Doc:
    if arguments <= 2 and isinstance(function, TEXT) and isinstance(argument, TEXT):
        return concat(function, " ", argument)
    return group(function, nest(LINE, argument))


def _applied_value(compact: Doc | None, chain: Doc) -> Doc:
    """An application after `=` or an operator."""
    if compact is not None:
        return choice(concat(" ", compact), nest(HARDLINE, choice(compact, chain)))
    return concat(" ", chain) if isinstance(chain, TEXT) else group(nest(LINE, chain))


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
    if is_unsure(flat):
        raise AsksWidth
    return False
