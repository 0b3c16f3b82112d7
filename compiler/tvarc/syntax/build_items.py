"""Items: declarations, settings, blocks; from the parser's tree to the AST."""

from __future__ import annotations

from tvarc.diagnostics.model import CompilerBug
from tvarc.light import Literal, cast
from tvarc.source import Span
from tvarc.syntax import ast
from tvarc.syntax.build import ExpressionBuilder, Node, children, inner, kind
from tvarc.syntax.cst import Cst

Strength = Literal["default", "normal", "force"]


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
                return ast.Block(self.name(parts[0]), self._body(parts), span)
            case "when":
                return ast.When(self.expression(parts[1]), self._body(parts), span)
            case "let":
                return ast.Let(self.name(parts[1]), self.expression(parts[3]), span)
            case "use":
                return self._use(parts, span)
            case "facts" | "facts_extended":
                return self._facts(node)
            case "axis_source" | "axis_rows" | "axis_abstract":
                return self._axis(node)
            case "input":
                return ast.Input(self.name(parts[1]), self.expression(parts[3]), span)
            case "overlay" | "patch":
                return self._overlay_or_patch(node)
            case "recipe":
                written = children(parts[3]) if len(parts) == 5 else []
                extends = tuple(self.name(part) for part in written if kind(part) == "NAME")
                return ast.Recipe(self.name(parts[1]), extends, self._body(parts), span)
            case "pin":
                return ast.Pin(self.name(parts[1]), self._body(parts), span)
            case "matrix":
                return ast.Matrix(self.name(parts[1]), self._body(parts), span)
            case "variant":
                return ast.Variant(self.name(parts[1]), self._body(parts), span)
            case "output":
                return ast.Output(self.name(parts[1]), self._body(parts), span)
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
                return ast.Needs(self.name(parts[1]), self.expression(parts[3]), span)
            case "script":
                return self._script(parts, span)
            case "part" | "part_removed" | "part_unnamed":
                return self._part(node)
            case other:
                raise CompilerBug(f"rule {other} as an item")

    # --- what items share ------------------------------------------------------------------

    def _body(self, parts: list[Node]) -> tuple[ast.Item, ...]:
        return tuple(self.item(part) for part in inner(parts[-1]))

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
                    self._error(
                        "E101",
                        place.start,
                        place.end,
                        "`because` gives no reason",
                        "this text is empty",
                        "say why, for whoever reads the message",
                    )
                return reason
        return None

    def _strength(self, parts: list[Node]) -> tuple[Strength, list[Node]]:
        """`default` or `force`, if it leads, and the parts after it."""
        if kind(parts[0]) in ("DEFAULT", "FORCE"):
            return cast("Strength", self.written(parts[0])), parts[1:]
        return "normal", parts

    # --- single items ----------------------------------------------------------------------

    def _assign(self, parts: list[Node], span: Span) -> ast.Assign:
        strength, rest = self._strength(parts)
        path, operator, value = rest[:3]
        return ast.Assign(
            self.keys(children(path)),
            cast("Literal['=', '+=', '-=']", self.written(operator)),
            self.expression(value), strength, self._because(rest[3:]), span,
        )  # fmt: skip

    def _use(self, parts: list[Node], span: Span) -> ast.Use:
        target = parts[1]
        module: tuple[str, ...] | None = None
        path: str | None = None
        if kind(target) == "STRING":
            path = self.plain_text(target, "an imported path")
        else:
            module = tuple(self.written(part) for part in children(target) if kind(part) == "NAME")
        alias = self.name(parts[3]) if len(parts) == 4 else None
        return ast.Use(module, path, alias, self.span(target), span)

    def _facts(self, node: Cst) -> ast.Facts:
        parts = node.children
        extends = node.rule == "facts_extended"
        fields = () if extends else tuple(self._field(part) for part in inner(parts[2]))
        rows = self._rows(parts[3])
        return ast.Facts(self.name(parts[1]), extends, fields, rows, self.span(node))

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
        target = self.keys(children(parts[3])) if related else ()
        if node.rule == "patch":
            return ast.Patch(name, target, because, body, span)
        relation = cast("Literal['in', 'for']", self.written(parts[2])) if related else None
        return ast.Overlay(name, relation, target, because, body, span)

    def _flag(self, parts: list[Node], span: Span) -> ast.Flag:
        typed = kind(parts[2]) == "COLON"
        declared = self.type(parts[3]) if typed else None
        value = self.expression(parts[5] if typed else parts[3])
        return ast.Flag(self.name(parts[1]), declared, value, self._because(parts), span)

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
