"""Makes the AST from the parser's tree: first expressions and types, then the items made of them.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Callable, Literal, cast, replace
from tvarc.nix.language.indentation import strip_indentation
from tvarc.syntax import ast
from tvarc.syntax.cst import MAX_DEPTH, Cst, Leaf
from tvarc.syntax.strings import Interpolation, fence_of, read_script, read_string
from tvarc.text.diagnostics.model import CompilerBug, Sink, filled
from tvarc.text.source import Source, Span

if TYPE_CHECKING:
    from tvarc.syntax.nix_text import Gap
    from tvarc.text.diagnostics.message import Message, Text

# Parses the expression between two offsets of the source, and reports its faults.
ParsePart = Callable[[int, int], "Cst | Leaf | None"]
Node = Cst | Leaf
Strength = Literal["default", "normal", "force"]


def inner(node: Node) -> list[Node]:
    """The nodes between the brackets of *node*, without commas."""
    return [part for part in children(node)[1:-1] if kind(part) != "COMMA"]


def children(node: Node) -> list[Node]:
    """The children of a rule; a token has none."""
    return node.children if isinstance(node, Cst) else []


def kind(node: Node) -> str:
    """The rule or the terminal of *node*."""
    return node.rule if isinstance(node, Cst) else node.type


class ExpressionBuilder:
    """Builds expressions of one source. A bad literal is reported to the sink, and the rest of the
    tree is kept."""

    __slots__ = ("_level", "_parse_part", "_sink", "_source", "_text")

    def __init__(self, source: Source, sink: Sink, parse_part: ParsePart) -> None:
        self._source = source
        self._text = source.text
        self._sink = sink
        self._parse_part = parse_part
        self._level = 0  # how deep the current node is nested

    # --- places and small parts ------------------------------------------------------------

    def span(self, node: Node) -> Span:
        return Span(self._source.file, node.start_pos, node.end_pos)

    def between(self, first: Node, last: Node) -> Span:
        return Span(self._source.file, first.start_pos, last.end_pos)

    def written(self, node: Node) -> str:
        return self._text[node.start_pos : node.end_pos]

    def name(self, node: Node) -> ast.Name:
        return ast.Name(self.written(node), self.span(node))

    def key(self, node: Node) -> ast.Key:
        if kind(node) != "STRING":
            return ast.Key(self.written(node), False, self.span(node))
        return ast.Key(self.plain_text(node, "a key"), True, self.span(node))

    def keys(self, nodes: list[Node]) -> tuple[ast.Key, ...]:
        return tuple(self.key(node) for node in nodes if kind(node) != "DOT")

    def plain_text(self, node: Node, what: str) -> str:
        """The text of a string that may not have interpolations. *what* names the string in the
        message."""
        texts: list[str] = []
        for piece in read_string(self._text, node.start_pos + 1, node.end_pos - 1, self._report):
            if isinstance(piece, Interpolation):
                from tvarc.syntax import messages as msg

                self._report(msg.strings.VALUE_NOT_KNOWN, piece.start, piece.end, what=what)
            else:
                texts.append(piece)
        return "".join(texts)

    # --- expressions -----------------------------------------------------------------------

    def expression(self, node: Node) -> ast.Expr:
        self._level += 1
        built = self._rule(node) if isinstance(node, Cst) else self._token(node)
        self._level -= 1
        return built

    def _token(self, leaf: Leaf) -> ast.Expr:
        span = self.span(leaf)
        match leaf.type:
            case "NAME":
                return ast.Ref(self.written(leaf), span)
            case "STRING" | "SCRIPT_TEXT":
                return self.string(leaf)
            case "NUMBER":
                return self._number(leaf)
            case "TRUE" | "FALSE":
                return ast.BoolLit(leaf.type == "TRUE", span)
            case "NULL":
                return ast.NullLit(span)
            case "NONE":
                return ast.NoneLit(span)
            case "NIX":
                return self._nix(leaf)
            case other:
                raise CompilerBug(f"terminal {other} in an expression")

    def _rule(self, node: Cst) -> ast.Expr:
        parts = node.children
        span = self.span(node)
        match node.rule:
            case "paren":
                return self.expression(parts[1])
            case "member":
                return ast.Member(self.expression(parts[0]), self.key(parts[2]), span)
            case "index":
                base = self.expression(parts[0])
                picks = tuple(self._pick(part) for part in parts[2:-1] if kind(part) != "COMMA")
                return ast.Index(base, picks, span)
            case "list":
                return ast.ListLit(tuple(map(self._item_of_list, inner(node))), span)
            case "record":
                return ast.RecordLit(tuple(self._entry(part) for part in inner(node)), span)
            case "call":
                arguments = tuple(
                    self._argument(part) for part in parts[2:-1] if kind(part) != "COMMA"
                )
                return ast.Call(self.name(parts[0]), arguments, span)
            case "negated":
                return ast.Not(self.expression(parts[1]), span)
            case "logic":
                operator = cast("Literal['and', 'or']", self.written(parts[1]))
                left, right = self.expression(parts[0]), self.expression(parts[2])
                return ast.Logic(operator, left, right, span)
            case "compare":
                words = " ".join(self.written(part) for part in parts[1:-1])
                left, right = self.expression(parts[0]), self.expression(parts[-1])
                return ast.Compare(cast("ast.CompareOp", words), left, right, span)
            case "conditional":
                return ast.Conditional(
                    self.expression(parts[1]),
                    self.expression(parts[3]),
                    self.expression(parts[5]),
                    span,
                )
            case "product":
                terms = tuple(self.expression(part) for part in parts if kind(part) != "STAR")
                return ast.Product(terms, span)
            case other:
                raise CompilerBug(f"rule {other} in an expression")

    def _pick(self, node: Node) -> ast.Pick:
        parts = children(node)
        if kind(node) == "range_pick":
            first, last = self.expression(parts[0]), self.expression(parts[2])
            return ast.RangePick(first, last, self.span(node))
        if kind(node) == "where_pick":
            return ast.WherePick(self.expression(parts[1]), self.span(node))
        if kind(node) in ("axis_where", "axis_value"):
            where = kind(node) == "axis_where"
            value = self.expression(parts[2])
            return ast.AxisPick(self.name(parts[0]), value, where, self.span(node))
        return self.expression(node)

    def _item_of_list(self, node: Node) -> ast.Expr | ast.Spread | ast.Each:
        if kind(node) != "each":
            return self._element(node)
        element, _, name, _, source, *condition = children(node)
        return ast.Each(
            self._element(element), self.name(name), self.expression(source),
            self.expression(condition[1]) if condition else None, self.span(node),
        )  # fmt: skip

    def _element(self, node: Node) -> ast.Expr | ast.Spread:
        if kind(node) == "spread":
            return ast.Spread(self.expression(children(node)[1]), self.span(node))
        return self.expression(node)

    def _entry(self, node: Node) -> ast.RecordEntry:
        path, _, value = children(node)
        return ast.RecordEntry(self.keys(children(path)), self.expression(value), self.span(node))

    def _argument(self, node: Node) -> ast.Argument:
        if kind(node) == "named_argument":
            name, _, value = children(node)
            return ast.Argument(self.name(name), self.expression(value), self.span(node))
        value = children(node)[0]
        return ast.Argument(None, self.expression(value), self.span(node))

    # --- literals --------------------------------------------------------------------------

    def string(self, node: Node) -> ast.StringLit:
        """A string or a script. Its interpolations are parsed in place."""
        start, end = node.start_pos, node.end_pos
        pieces: list[str | Interpolation]
        script = kind(node) == "SCRIPT_TEXT"
        if script:
            fence = fence_of(self._text, start)
            raw = read_script(self._text, start + fence, end - fence, self._report)
            pieces = strip_indentation(raw)
        else:
            pieces = read_string(self._text, start + 1, end - 1, self._report)
        parts: list[str | ast.Interpolation] = []
        for piece in pieces:
            if isinstance(piece, str):
                parts.append(piece)
            elif (found := self._interpolation(piece)) is not None:
                parts.append(found)
        return ast.StringLit(tuple(parts), script, self.span(node))

    def _interpolation(self, found: Interpolation) -> ast.Interpolation | None:
        if not self._text[found.start + 2 : found.end - 2].strip():
            from tvarc.syntax import messages as msg

            self._report(msg.strings.EMPTY, found.start, found.end)
            return None
        node = self._parse_part(found.start + 2, found.end - 2)
        if node is None:
            return None
        if self._level + node.depth > MAX_DEPTH:
            from tvarc.syntax import messages as msg

            self._report(msg.strings.TOO_DEEP, found.start, found.end, most=MAX_DEPTH)
            return None
        span = Span(self._source.file, found.start, found.end)
        return ast.Interpolation(self.expression(node), span)

    def _nix(self, leaf: Leaf) -> ast.NixLit:
        from tvarc.syntax.nix_text import read_nix

        start = leaf.start_pos + len("nix")
        fence = fence_of(self._text, start)
        first, last = start + fence, leaf.end_pos - fence
        read = read_nix(self._text, first, last, self._report)
        wrong = read.imbalance
        if wrong is not None:
            from tvarc.syntax import messages as msg

            if not self._text[first:last].strip():
                self._report(msg.nix_texts.EMPTY, leaf.start_pos, leaf.end_pos)
            else:
                message = msg.nix_texts.FOREIGN if wrong.foreign else msg.nix_texts.UNBALANCED
                self._report(message, wrong.start, wrong.end, reason=wrong.reason)
            return ast.NixLit((), (), (), self.span(leaf))
        parts: list[str | ast.NixInterpolation] = []
        for piece in strip_indentation(read.pieces):
            if isinstance(piece, str):
                parts.append(piece)
            elif (found := self._nix_interpolation(piece)) is not None:
                parts.append(found)
        file = self._source.file
        outer = [ast.NixOuter(x.name, x.later, Span(file, x.start, x.end)) for x in read.outer]
        needs = [
            ast.NixNeed(
                ast.Name(x.name, Span(file, x.at, x.at + len(x.name))) if x.name else None,
                Span(file, x.start, x.end),
            )
            for x in read.needed
        ]
        return ast.NixLit(tuple(parts), tuple(outer), tuple(needs), self.span(leaf))

    def _nix_interpolation(self, gap: Gap) -> ast.NixInterpolation | None:
        span = Span(self._source.file, gap.start, gap.end)
        if gap.escaped:
            return ast.NixInterpolation(
                ast.StringLit(("{{",), False, span), gap.place, gap.dollar, span
            )
        held = self._interpolation(Interpolation(gap.start, gap.end))
        return (
            ast.NixInterpolation(held.value, gap.place, gap.dollar, span)
            if held is not None
            else None
        )

    def _number(self, leaf: Leaf) -> ast.IntLit | ast.VersionLit:
        text, span = self.written(leaf), self.span(leaf)
        digits = text.removeprefix("-")
        if digits.isdigit():
            if len(digits) > 18:
                from tvarc.syntax import messages as msg

                self._report(msg.literals.NUMBER_TOO_LARGE, leaf.start_pos, leaf.end_pos)
                return ast.IntLit(1, span)  # few settings refuse it as well
            if len(digits) > 1 and digits[0] == "0":
                from tvarc.syntax import messages as msg

                place = leaf.start_pos, leaf.end_pos
                self._report(msg.literals.LEADING_ZERO, *place, number=int(text), text=text)
            return ast.IntLit(int(text), span)
        if text.replace(".", "").isdigit():
            if all(len(part) <= 18 for part in text.split(".")):
                return ast.VersionLit(text, span)
            from tvarc.syntax import messages as msg

            self._report(msg.literals.PART_TOO_LARGE, leaf.start_pos, leaf.end_pos)
            return ast.VersionLit("0.0", span)
        if text.startswith("-"):
            from tvarc.syntax import messages as msg

            self._report(msg.literals.SIGNED_VERSION, leaf.start_pos, leaf.end_pos, text=text)
            return ast.VersionLit("0.0", span)
        self._bad_number(leaf, text)
        return ast.VersionLit("0.0", span)

    def _bad_number(self, leaf: Leaf, text: str) -> None:
        from tvarc.syntax import messages as msg

        place, long = (leaf.start_pos, leaf.end_pos), len(text) > 40
        shown = text[:40] + "…" if long else text
        if "." in text:
            whole = None if long else text
            self._report(msg.literals.LETTER_IN_VERSION, *place, shown=shown, whole=whole)
        else:
            number = meant_number(text)
            self._report(msg.literals.NO_NUMBER, *place, shown=shown, number=number)

    # --- types -----------------------------------------------------------------------------

    def type(self, node: Node) -> ast.TypeExpr:
        self._level += 1
        built = self._type(node)
        self._level -= 1
        return built

    def _type(self, node: Node) -> ast.TypeExpr:
        parts, span = children(node), self.span(node)
        match kind(node):
            case "NAME":
                return ast.NamedType(self.written(node), span)
            case "list_type":
                return ast.ListType(self.type(parts[1]), span)
            case "optional_type":
                return ast.OptionalType(self.type(parts[0]), span)
            case "choice_type":
                if self.written(parts[0]) != "one_of":
                    from tvarc.syntax import messages as msg

                    place = parts[0].start_pos, parts[0].end_pos
                    self._report(msg.literals.UNKNOWN_TYPE, *place)
                values = [part for part in parts[2:-1] if kind(part) != "COMMA"]
                return ast.OneOfType(tuple(self.expression(value) for value in values), span)
            case other:
                raise CompilerBug(f"rule {other} in a type")

    # --- faults ----------------------------------------------------------------------------

    def _report(self, message: Message, start: int, end: int, **fields: Text) -> None:
        self._sink.add(filled(message, Span(self._source.file, start, end), fields))


def meant_number(text: str) -> str | None:
    """The number that *text* is in other languages, such as `1_000` or `0x10`, in the spelling of
    this one. None if it is none."""
    digits = text.removeprefix("-")
    first, *groups = digits.split("_")
    if groups and digits.replace("_", "").isdigit() and {3} == set(map(len, groups)):
        return text.replace("_", "")
    try:
        if digits[:2] in ("0x", "0b", "0o"):
            return str(int(text, 0))
        float(text)
    except ValueError:
        return None
    return f'float("{text}")' if "e" in text.lower() and first == digits else None


class ItemBuilder(ExpressionBuilder):
    """Builds the items of one source."""

    __slots__ = ()

    def item(self, node: Node) -> ast.Item:
        if not isinstance(node, Cst):
            raise CompilerBug(f"terminal {node.type} as an item")
        self._level += 1
        built = self._item(node)
        self._level -= 1
        return built

    def _item(self, node: Cst) -> ast.Item:
        parts, span = node.children, self.span(node)
        match node.rule:
            case "assign":
                return self._assign(parts, span)
            case "block":
                return ast.Block(self.name(parts[0]), self._body(parts), None, span)
            case "when":
                otherwise = self._else(children(parts[3])) if len(parts) == 4 else None
                return ast.When(self.expression(parts[1]), self._body(parts[:3]), otherwise, span)
            case "let":
                return ast.Let(self.name(parts[1]), self.expression(parts[3]), span)
            case "language":
                return self._language(parts, span)
            case "use":
                return self._use(parts, span)
            case "facts" | "facts_extended" | "facts_corrected":
                return self._facts(node)
            case "axis_source" | "axis_rows" | "axis_abstract":
                return self._axis(node)
            case "input":
                return ast.Input(self.name(parts[1]), self._body(parts), span)
            case "overlay" | "patch":
                return self._overlay_or_patch(node)
            case "recipe":
                extends, mixins = self._extends(parts), self._mixins(parts)
                return ast.Recipe(
                    self.name(parts[1]), extends, mixins, False, self._body(parts), span
                )
            case "mixin":
                return ast.Recipe(self.name(parts[1]), (), (), True, self._body(parts), span)
            case "pin":
                return ast.Pin(self.name(parts[1]), self._body(parts), span)
            case "matrix":
                return ast.Matrix(
                    self.name(parts[1]), self._extends(parts), self._body(parts), span
                )
            case "variant":
                return ast.Variant(self.name(parts[1]), self._body(parts), span)
            case "output":
                form = self.name(parts[3]) if kind(parts[2]) == "COLON" else None
                return ast.Output(self.name(parts[1]), form, self._body(parts), span)
            case "include":
                return ast.Include(self.expression(parts[1]), self._because(parts), span)
            case "exclude":
                return ast.Exclude(self.expression(parts[1]), self._because(parts), span)
            case "require":
                return ast.Require(self.expression(parts[1]), self._because(parts), span)
            case "warn":
                condition = None if kind(parts[3]) == "OFF" else self.expression(parts[3])
                return ast.Warn(self.name(parts[1]), condition, self._because(parts), span)
            case "flag":
                return self._flag(parts, span)
            case "needs":
                return self._needs(parts, span)
            case "script":
                return self._script(parts, span)
            case "test":
                name, of = self.name(parts[0]), self.key(parts[1])
                return ast.Block(name, self._body(parts), of, span)
            case "part" | "part_removed" | "part_unnamed":
                return self._part(node)
            case other:
                raise CompilerBug(f"rule {other} as an item")

    # --- what items share ------------------------------------------------------------------

    def _body(self, parts: list[Node]) -> tuple[ast.Item, ...]:
        return tuple(self.item(part) for part in inner(parts[-1]))

    def _else(self, parts: list[Node]) -> ast.Else:
        behind = parts[1]
        body = (self.item(behind),) if kind(behind) == "when" else self._body([behind])
        return ast.Else(body, self.span(parts[0]))

    def _extends(self, parts: list[Node]) -> tuple[ast.Name, ...]:
        """The names of `extends a.b` between the name and the body; empty without `extends`."""
        return self._dotted(parts[3]) if kind(parts[2]) == "EXTENDS" else ()

    def _mixins(self, parts: list[Node]) -> tuple[tuple[ast.Name, ...], ...]:
        """The names of each mixin after `with`."""
        kinds = [kind(part) for part in parts]
        named = parts[kinds.index("WITH") + 1 :] if "WITH" in kinds else []
        return tuple(self._dotted(part) for part in named if kind(part) == "dotted")

    def _dotted(self, node: Node) -> tuple[ast.Name, ...]:
        return tuple(self.name(part) for part in children(node) if kind(part) == "NAME")

    def _rows(self, node: Node) -> tuple[ast.Row, ...]:
        return tuple(
            ast.Row(self.name(children(row)[0]), self._body(children(row)), self.span(row))
            for row in inner(node)
        )

    def _because(self, parts: list[Node]) -> ast.StringLit | None:
        for part in parts:
            if kind(part) == "because":
                word, text = children(part)
                reason = self.string(text)
                if not any(not isinstance(piece, str) or piece.strip() for piece in reason.parts):
                    place = self.between(word, text)
                    from tvarc.syntax import messages as msg

                    self._report(msg.literals.NO_REASON, place.start, place.end)
                return reason
        return None

    def _strength(self, parts: list[Node]) -> tuple[Strength, list[Node]]:
        """The strength from a leading `default` or `force`, and the parts after it."""
        if kind(parts[0]) in ("DEFAULT", "FORCE"):
            return cast("Strength", self.written(parts[0])), parts[1:]
        return "normal", parts

    # --- single items ----------------------------------------------------------------------

    def _assign(self, parts: list[Node], span: Span) -> ast.Item:
        strength, rest = self._strength(parts)
        path, operator, value = rest[:3]
        setting = ast.Assign(
            self.keys(children(path)),
            cast("Literal['=', '+=', '-=']", self.written(operator)),
            self.expression(value), strength, self._because(rest[3:]), span,
        )  # fmt: skip
        return self._where(setting, rest[3:], span)

    def _where(self, setting: ast.Item, behind: list[Node], span: Span) -> ast.Item:
        """The *setting*, in a `when` if one is in the parts *behind* its value."""
        if not behind or kind(behind[0]) != "WHEN":
            return setting
        return ast.When(self.expression(behind[1]), (setting,), None, span)

    def _language(self, parts: list[Node], span: Span) -> ast.Language:
        needs = len(parts) > 2
        program = self.name(parts[3]) if needs else None
        version = self.written(parts[5]) if needs else ""
        return ast.Language(self.written(parts[1]), program, version, span)

    def _use(self, parts: list[Node], span: Span) -> ast.Use:
        target = parts[1]
        module: tuple[str, ...] | None = None
        path: str | None = None
        if kind(target) == "STRING":
            path = self.plain_text(target, "an imported path")
        else:
            module = tuple(self.written(part) for part in children(target) if kind(part) == "NAME")
        behind = zip(parts[2::2], parts[3::2], strict=True)
        words = {kind(word): self.name(name) for word, name in behind}
        origin, alias = words.get("FROM"), words.get("AS")
        return ast.Use(module, path, origin, alias, self.span(target), span)

    def _facts(self, node: Cst) -> ast.Facts:
        parts = node.children
        extends = node.rule != "facts"
        overrides = node.rule == "facts_corrected"
        written = next((part for part in parts if kind(part) == "fields"), None)
        fields = tuple(self._field(part) for part in inner(written)) if written is not None else ()
        last, data = parts[-1], None
        rows: tuple[ast.Row, ...] = ()
        if kind(last) == "from":
            text = children(last)[1]
            path = self.plain_text(text, "the path of a table")
            data = ast.DataFile(path, self.span(text))
        else:
            rows = self._rows(last)
        name = self.name(parts[1])
        return ast.Facts(name, extends, overrides, fields, rows, data, self.span(node))

    def _field(self, node: Node) -> ast.FieldDecl:
        name, _, declared = children(node)
        return ast.FieldDecl(self.name(name), self.type(declared), self.span(node))

    def _axis(self, node: Cst) -> ast.Axis:
        parts, span = node.children, self.span(node)
        name = self.name(parts[1])
        if node.rule == "axis_source":
            return ast.Axis(name, self.expression(parts[3]), None, None, span)
        if node.rule == "axis_rows":
            return ast.Axis(name, None, self._rows(parts[2]), None, span)
        return ast.Axis(name, None, None, self.name(parts[3]), span)

    def _overlay_or_patch(self, node: Cst) -> ast.Overlay | ast.Patch:
        parts, span = node.children, self.span(node)
        name, because, body = self.name(parts[1]), self._because(parts), self._body(parts)
        related = kind(parts[2]) in ("IN", "FOR")
        target = self._target(children(parts[3])) if related else ()
        until = next((self._until(part) for part in parts if kind(part) == "until"), None)
        if node.rule == "patch":
            return ast.Patch(name, target, until, because, body, span)
        relation = cast("Literal['in', 'for']", self.written(parts[2])) if related else None
        return ast.Overlay(name, relation, target, until, because, body, span)

    def _until(self, node: Node) -> ast.Until:
        _, package, _, version = children(node)
        keys = tuple(self.key(step) for step in children(package) if kind(step) != "DOT")
        return ast.Until(keys, self.expression(version), self.span(node))

    def _target(self, nodes: list[Node]) -> tuple[ast.Key | ast.ComputedKey, ...]:
        steps: list[ast.Key | ast.ComputedKey] = []
        for node in nodes:
            if kind(node) == "step":
                value = self.expression(children(node)[1])
                steps.append(ast.ComputedKey(value, self.span(node)))
            elif kind(node) != "DOT":
                steps.append(self.key(node))
        return tuple(steps)

    def _flag(self, parts: list[Node], span: Span) -> ast.Item:
        typed = kind(parts[2]) == "COLON"
        declared = self.type(parts[3]) if typed else None
        value, *behind = parts[5:] if typed else parts[3:]
        flag = ast.Flag(
            self.name(parts[1]), declared, self.expression(value), self._because(behind), span
        )
        return self._where(flag, behind, span)

    def _needs(self, parts: list[Node], span: Span) -> ast.Needs:
        kinds = [kind(part) for part in parts]
        target = self.expression(parts[3])
        drops = "EXCLUDE" in kinds
        whole = _before_exclude(target)
        if whole is not None:
            target, drops = whole, True
        because = self._because(parts)
        return ast.Needs(self.name(parts[1]), target, "BY" in kinds, drops, because, span)

    def _script(self, parts: list[Node], span: Span) -> ast.Script:
        name = self.key(parts[1])
        if kind(parts[2]) == "body":
            return ast.Script(name, self._body(parts), span)
        added = ast.Part(
            None, None, None, self.string(parts[3]), "normal", self.between(parts[2], parts[3])
        )
        return ast.Script(name, (added,), span)

    def _part(self, node: Cst) -> ast.Part:
        strength, rest = self._strength(node.children)
        span = self.span(node)
        if node.rule == "part_unnamed":
            return ast.Part(None, None, None, self.string(rest[1]), strength, span)
        name = self.name(rest[1])
        if node.rule == "part_removed":
            return ast.Part(name, None, None, ast.NoneLit(self.span(rest[3])), strength, span)
        if len(rest) == 3:
            return ast.Part(name, None, None, self.string(rest[2]), strength, span)
        placement = cast("Literal['before', 'after']", self.written(rest[2]))
        return ast.Part(name, placement, self.name(rest[3]), self.string(rest[4]), strength, span)


def _before_exclude(expr: ast.Expr) -> ast.Expr | None:
    """The expression before the words `or exclude` of a need; None if *expr* does not end with
    these words. They belong to the whole need. After an `if` the parser has put them into the last
    branch."""
    match expr:
        case ast.Logic("or", left, ast.Ref("exclude")):
            return left
        case ast.Conditional():
            inner = _before_exclude(expr.otherwise)
            return replace(expr, otherwise=inner) if inner is not None else None
        case _:
            return None
