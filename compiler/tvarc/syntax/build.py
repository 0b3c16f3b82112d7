"""Expressions and types: from the parser's tree to the AST."""

from __future__ import annotations

from tvarc.diagnostics.model import CompilerBug, Sink
from tvarc.light import Callable, Literal, cast
from tvarc.source import Source, Span
from tvarc.syntax import ast
from tvarc.syntax.cst import MAX_DEPTH, Cst, Leaf
from tvarc.syntax.script import strip_indentation
from tvarc.syntax.strings import Hole, fence_of, read_script, read_string, read_verbatim

# Parses the expression between two offsets in place; reports its faults itself.
ParsePart = Callable[[int, int], "Cst | Leaf | None"]
Node = Cst | Leaf

_SEPARATORS = frozenset({"COMMA", "_NL"})


def inner(node: Node) -> list[Node]:
    """What stands between the brackets of *node*, without separators."""
    return [part for part in children(node)[1:-1] if kind(part) not in _SEPARATORS]


def children(node: Node) -> list[Node]:
    """The children of a rule; a token has none."""
    return node.children if isinstance(node, Cst) else []


def kind(node: Node) -> str:
    """The rule or the terminal of *node*."""
    return node.rule if isinstance(node, Cst) else node.type


class ExpressionBuilder:
    """Builds expressions of one source. Bad literals go to the sink; the tree stays whole."""

    __slots__ = ("_level", "_parse_part", "_sink", "_source", "_text")

    def __init__(self, source: Source, sink: Sink, parse_part: ParsePart) -> None:
        self._source = source
        self._text = source.text
        self._sink = sink
        self._parse_part = parse_part
        self._level = 0  # of nesting around the node at hand

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
        """The text of a string that may hold no interpolation, being *what*."""
        texts: list[str] = []
        for piece in read_string(self._text, node.start_pos + 1, node.end_pos - 1, self._bad_text):
            if isinstance(piece, Hole):
                self._error(
                    "E103",
                    piece.start,
                    piece.end,
                    f"{what} cannot hold an interpolation",
                    "not known when the file is read",
                    "write the text out",
                )
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
                return ast.ListLit(tuple(self._element(part) for part in inner(node)), span)
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

    def _pick(self, node: Node) -> ast.Expr | ast.RangePick | ast.WherePick:
        parts = children(node)
        if kind(node) == "range_pick":
            first, last = self.expression(parts[0]), self.expression(parts[2])
            return ast.RangePick(first, last, self.span(node))
        if kind(node) == "where_pick":
            return ast.WherePick(self.expression(parts[1]), self.span(node))
        return self.expression(node)

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
        """A string or a script, its interpolations parsed in place."""
        start, end = node.start_pos, node.end_pos
        pieces: list[str | Hole]
        script = kind(node) == "SCRIPT_TEXT"
        if script:
            fence = fence_of(self._text, start)
            raw = read_script(self._text, start + fence, end - fence, self._bad_text)
            pieces = strip_indentation(raw)
        else:
            pieces = read_string(self._text, start + 1, end - 1, self._bad_text)
        parts: list[str | ast.Interpolation] = []
        for piece in pieces:
            if isinstance(piece, str):
                parts.append(piece)
            elif (hole := self._interpolation(piece)) is not None:
                parts.append(hole)
        return ast.StringLit(tuple(parts), script, self.span(node))

    def _interpolation(self, hole: Hole) -> ast.Interpolation | None:
        if not self._text[hole.start + 2 : hole.end - 2].strip():
            self._error(
                "E103",
                hole.start,
                hole.end,
                "an interpolation is empty",
                "",
                "name a value, or write `\\{{` for the characters `{{`",
            )
            return None
        node = self._parse_part(hole.start + 2, hole.end - 2)
        if node is None:
            return None
        if self._level + node.depth > MAX_DEPTH:
            self._error(
                "E109",
                hole.start,
                hole.end,
                "nested too deeply",
                f"more than {MAX_DEPTH} levels",
                "give the inner part a name with `let`",
            )
            return None
        span = Span(self._source.file, hole.start, hole.end)
        return ast.Interpolation(self.expression(node), span)

    def _nix(self, leaf: Leaf) -> ast.NixLit:
        start = leaf.start_pos + len("nix")
        fence = fence_of(self._text, start)
        raw: list[str] = [read_verbatim(self._text, start + fence, leaf.end_pos - fence)]
        return ast.NixLit("".join(strip_indentation(raw)), self.span(leaf))

    def _number(self, leaf: Leaf) -> ast.IntLit | ast.VersionLit:
        text, span = self.written(leaf), self.span(leaf)
        if text.isdigit():
            if len(text) > 18:
                self._error(
                    "E104",
                    leaf.start_pos,
                    leaf.end_pos,
                    "the number is too large",
                    "more than 18 digits",
                    "put it in quotes if it is text",
                )
                return ast.IntLit(0, span)
            if len(text) > 1 and text[0] == "0":
                self._error(
                    "E104",
                    leaf.start_pos,
                    leaf.end_pos,
                    "a number begins with a zero",
                    "",
                    f'write `{int(text)}`, or `"{text}"` if it is text',
                )
            return ast.IntLit(int(text), span)
        if text.replace(".", "").isdigit():
            if all(len(part) <= 18 for part in text.split(".")):
                return ast.VersionLit(text, span)
            self._error(
                "E104",
                leaf.start_pos,
                leaf.end_pos,
                "a part of the version is too large",
                "more than 18 digits",
                "put it in quotes if it is text",
            )
            return ast.VersionLit("0.0", span)
        self._bad_number(leaf, text)
        return ast.VersionLit("0.0", span)

    def _bad_number(self, leaf: Leaf, text: str) -> None:
        shown = text if len(text) <= 40 else text[:40] + "…"
        if "." in text:
            self._error(
                "E104",
                leaf.start_pos,
                leaf.end_pos,
                "a version holds a letter",
                "only digits and dots stand without quotes",
                f'write `version("{shown}")`',
            )
        else:
            self._error(
                "E104",
                leaf.start_pos,
                leaf.end_pos,
                f"`{shown}` is neither number nor name",
                "a name begins with a letter or `_`",
                f'write `"{shown}"` if it is text',
            )

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
                    self._error(
                        "E101",
                        parts[0].start_pos,
                        parts[0].end_pos,
                        "unknown kind of type",
                        "only `one_of` takes values",
                        'write `one_of("a", "b")`',
                    )
                values = [part for part in parts[2:-1] if kind(part) != "COMMA"]
                return ast.OneOfType(tuple(self.expression(value) for value in values), span)
            case other:
                raise CompilerBug(f"rule {other} in a type")

    # --- faults ----------------------------------------------------------------------------

    def _bad_text(self, start: int, end: int, title: str, label: str, advice: str) -> None:
        self._error("E103", start, end, title, label, advice)

    def _error(self, code: str, start: int, end: int, title: str, label: str, advice: str) -> None:
        self._sink.error(code, title, Span(self._source.file, start, end), label, help=advice)
