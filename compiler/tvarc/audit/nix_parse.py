"""Nix text to `nix_tree`, by tree-sitter: the only module that knows it. Nothing is evaluated."""

from __future__ import annotations

import re
from bisect import bisect_left

from tvarc.audit.nix_tree import (
    Assert,
    Attrs,
    Binary,
    Binding,
    Bindings,
    Call,
    If,
    Inherit,
    Lambda,
    Let,
    ListOf,
    Name,
    Node,
    NoReader,
    Not,
    NotNix,
    Number,
    Other,
    PathName,
    Place,
    Select,
    Text,
    With,
)
from tvarc.light import TYPE_CHECKING, Callable, Final, Sequence
from tvarc.syntax.script import strip_indentation

if TYPE_CHECKING:
    from tree_sitter import Node as Raw

MAX_BYTES: Final = 1 << 16
_MAX_DEPTH: Final = 250
# tree-sitter mends some long runs of operators in time that grows with their square.
_MAX_OPERATORS: Final = 5_000
_OPERATORS = re.compile(rb"[.?@!<>+*]|//|&&|\|\||->|==")
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}


class NixParser:
    """Reads Nix texts, one after another; raises NoReader where tree-sitter is not installed."""

    __slots__ = ("_parse",)

    def __init__(self) -> None:
        try:
            import tree_sitter
            import tree_sitter_nix
        except ImportError as fault:
            raise NoReader(str(fault)) from None
        language = tree_sitter.Language(tree_sitter_nix.language())
        self._parse = tree_sitter.Parser(language).parse

    def parse(self, text: str) -> Node:
        """The expression that *text* is; raises NotNix."""
        try:
            data = text.encode("utf-8")
        except UnicodeEncodeError:
            raise NotNix("it is not UTF-8") from None
        if len(data) > MAX_BYTES:
            raise NotNix(f"it is larger than {MAX_BYTES >> 10} KiB")
        if b"\0" in data:
            raise NotNix("it holds a NUL byte", text.index("\0"))
        if len(_OPERATORS.findall(data)) > _MAX_OPERATORS:
            raise NotNix(f"it has more than {_MAX_OPERATORS} operators")
        tree = self._parse(data)
        if tree is None:
            raise NotNix("it cannot be parsed")
        offsets = _Offsets(data)
        root = tree.root_node
        bad = _first_error(root)
        if bad is not None:
            raise NotNix("the reader takes it for no valid Nix", offsets(bad.start_byte))
        expression = root.child_by_field_name("expression")
        if expression is None:
            raise NotNix("it holds no expression")
        return _Building(offsets).node(expression, 0)


class _Offsets:
    """Offsets in bytes to offsets in code points."""

    __slots__ = ("_inner", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        plain = data.isascii()
        self._inner = [] if plain else [i for i, byte in enumerate(data) if byte & 0xC0 == 0x80]

    def __call__(self, at: int) -> int:
        return at - bisect_left(self._inner, at) if self._inner else at


def _first_error(root: Raw) -> Raw | None:
    # Asking a node for its parent recurses in C, and overflows the stack of a nested text.
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            return node
        children = node.children
        waiting += [
            child
            for at, child in reversed(list(enumerate(children)))
            if (child.has_error or child.is_missing) and not _is_last_comma(node, children, at)
        ]
    return None


def _is_last_comma(node: Raw, children: Sequence[Raw], at: int) -> bool:
    """Whether the child of *node* is the comma after the last argument of a pattern, or what the
    grammar misses behind it: Nix takes that comma, this grammar does not."""
    if node.type != "formals" or not 0 < at < len(children) - 1:
        return False
    child, before, after = children[at], children[at - 1], children[at + 1]
    if after.type != "}":
        return False
    if child.is_error:
        return before.type in ("formal", "ellipses") and child.text == b","
    return _is_nameless(child) and before.type == "," and bool(children[at - 2].text)


def _is_nameless(raw: Raw) -> bool:
    """Whether *raw* is an argument of a pattern that is not there."""
    return raw.type == "formal" and not raw.text


class _Building:
    __slots__ = ("_makers", "offsets")

    def __init__(self, offsets: _Offsets) -> None:
        self.offsets = offsets
        self._makers: dict[str, Callable[[Raw, int], Node]] = {
            "variable_expression": self._name,
            "string_expression": self._string,
            "indented_string_expression": self._indented,
            "integer_expression": self._number,
            "float_expression": self._number,
            "path_expression": self._path,
            "hpath_expression": self._path,
            "spath_expression": self._search_path,
            "uri_expression": self._uri,
            "select_expression": self._select,
            "apply_expression": self._apply,
            "function_expression": self._function,
            "attrset_expression": self._attrs,
            "rec_attrset_expression": self._attrs,
            "let_expression": self._let,
            "with_expression": self._with,
            "assert_expression": self._assert,
            "list_expression": self._list,
            "binary_expression": self._binary,
            "if_expression": self._if,
            "unary_expression": self._unary,
        }

    def node(self, raw: Raw, depth: int) -> Node:
        """*raw* as a node of ours; raises NotNix when it is nested too deeply."""
        if depth > _MAX_DEPTH:
            raise NotNix("it is nested too deeply", self.offsets(raw.start_byte))
        while raw.type == "parenthesized_expression":
            inner = raw.child_by_field_name("expression")
            if inner is None:
                break
            raw = inner
        maker = self._makers.get(raw.type)
        if maker is not None:
            return maker(raw, depth + 1)
        within = tuple([self.node(c, depth + 1) for c in raw.named_children if _counts(c)])
        return Other(raw.type, within, place=self.place(raw))

    def place(self, raw: Raw) -> Place:
        return Place(self.offsets(raw.start_byte), self.offsets(raw.end_byte))

    def text(self, raw: Raw) -> str:
        return self.offsets.data[raw.start_byte : raw.end_byte].decode("utf-8")

    def field(self, raw: Raw, name: str, depth: int) -> Node:
        child = raw.child_by_field_name(name)
        if child is None:
            raise NotNix("it is no valid Nix", self.offsets(raw.start_byte))
        return self.node(child, depth)

    def _name(self, raw: Raw, depth: int) -> Node:
        return Name(self.text(raw), place=self.place(raw))

    def _number(self, raw: Raw, depth: int) -> Node:
        return Number(self.text(raw), place=self.place(raw))

    def _path(self, raw: Raw, depth: int) -> Node:
        return PathName(self.text(raw), place=self.place(raw))

    def _search_path(self, raw: Raw, depth: int) -> Node:
        return PathName(self.text(raw)[1:-1], True, place=self.place(raw))

    def _uri(self, raw: Raw, depth: int) -> Node:
        return Text((self.text(raw),), place=self.place(raw))

    def _string(self, raw: Raw, depth: int) -> Node:
        return Text(tuple(self._pieces(raw, depth, _plain_escape)), place=self.place(raw))

    def _indented(self, raw: Raw, depth: int) -> Node:
        pieces = strip_indentation(self._pieces(raw, depth, _indented_escape))
        return Text(tuple(pieces), place=self.place(raw))

    def _pieces(self, raw: Raw, depth: int, unescape: Callable[[str], str]) -> list[str | Node]:
        """The texts and holes of a string, no two texts side by side."""
        pieces: list[str | Node] = []
        run: list[str] = []
        for child in raw.named_children:
            if child.type == "interpolation":
                if run:
                    pieces.append("".join(run))
                    run = []
                pieces.append(self.field(child, "expression", depth))
            elif child.type in ("escape_sequence", "dollar_escape"):
                run.append(unescape(self.text(child)))
            elif child.type == "string_fragment":
                run.append(self.text(child).replace("\r\n", "\n"))
        if run:
            pieces.append("".join(run))
        return pieces

    def _keys(self, raw: Raw, depth: int) -> tuple[str | Node, ...]:
        return tuple([self._key(child, depth) for child in raw.named_children if _counts(child)])

    def _key(self, raw: Raw, depth: int) -> str | Node:
        if raw.type == "identifier":
            return self.text(raw)
        if raw.type == "interpolation":
            return self.field(raw, "expression", depth)
        made = self.node(raw, depth)
        if isinstance(made, Text) and all(isinstance(part, str) for part in made.parts):
            return "".join(part for part in made.parts if isinstance(part, str))
        return made

    def _select(self, raw: Raw, depth: int) -> Node:
        base = self.field(raw, "expression", depth)
        path = raw.child_by_field_name("attrpath")
        default = raw.child_by_field_name("default")
        return Select(
            base,
            self._keys(path, depth) if path is not None else (),
            self.node(default, depth) if default is not None else None,
            place=self.place(raw),
        )

    def _apply(self, raw: Raw, depth: int) -> Node:
        function, argument = self.field(raw, "function", depth), self.field(raw, "argument", depth)
        return Call(function, argument, place=self.place(raw))

    def _function(self, raw: Raw, depth: int) -> Node:
        whole = raw.child_by_field_name("universal")
        pattern = raw.child_by_field_name("formals")
        formals: list[tuple[str, Node | None]] | None = None
        if pattern is not None:
            formals = []
            for child in pattern.named_children:
                name = child.child_by_field_name("name") if child.type == "formal" else None
                if name is not None and not _is_nameless(child):
                    default = child.child_by_field_name("default")
                    value = self.node(default, depth) if default is not None else None
                    formals.append((self.text(name), value))
        return Lambda(
            self.text(whole) if whole is not None else None,
            tuple(formals) if formals is not None else None,
            self.field(raw, "body", depth),
            place=self.place(raw),
        )

    def _bindings(self, raw: Raw, depth: int) -> Bindings:
        found: list[Binding | Inherit] = []
        for group in raw.named_children:
            if group.type != "binding_set":
                continue
            for child in group.named_children:
                place = self.place(child)
                if child.type == "binding":
                    path = child.child_by_field_name("attrpath")
                    keys = self._keys(path, depth) if path is not None else ()
                    found.append(Binding(keys, self.field(child, "expression", depth), place=place))
                elif child.type in ("inherit", "inherit_from"):
                    source = child.child_by_field_name("expression")
                    attrs = child.child_by_field_name("attrs")
                    keys = self._keys(attrs, depth) if attrs is not None else ()
                    names = tuple([key for key in keys if isinstance(key, str)])
                    inner = self.node(source, depth) if source is not None else None
                    found.append(Inherit(names, inner, place=place))
        _each_once(found)
        return tuple(found)

    def _attrs(self, raw: Raw, depth: int) -> Node:
        recursive = raw.type == "rec_attrset_expression"
        return Attrs(self._bindings(raw, depth), recursive, place=self.place(raw))

    def _let(self, raw: Raw, depth: int) -> Node:
        body = self.field(raw, "body", depth)
        return Let(self._bindings(raw, depth), body, place=self.place(raw))

    def _with(self, raw: Raw, depth: int) -> Node:
        environment, body = self.field(raw, "environment", depth), self.field(raw, "body", depth)
        return With(environment, body, place=self.place(raw))

    def _assert(self, raw: Raw, depth: int) -> Node:
        return Assert(self.field(raw, "body", depth), place=self.place(raw))

    def _list(self, raw: Raw, depth: int) -> Node:
        items = [self.node(child, depth) for child in raw.named_children if _counts(child)]
        return ListOf(tuple(items), place=self.place(raw))

    def _binary(self, raw: Raw, depth: int) -> Node:
        operator = raw.child_by_field_name("operator")
        return Binary(
            self.text(operator) if operator is not None else "",
            self.field(raw, "left", depth),
            self.field(raw, "right", depth),
            place=self.place(raw),
        )

    def _if(self, raw: Raw, depth: int) -> Node:
        return If(
            self.field(raw, "condition", depth),
            self.field(raw, "consequence", depth),
            self.field(raw, "alternative", depth),
            place=self.place(raw),
        )

    def _unary(self, raw: Raw, depth: int) -> Node:
        operator = raw.child_by_field_name("operator")
        inner = self.field(raw, "argument", depth)
        if operator is not None and self.text(operator) == "!":
            return Not(inner, place=self.place(raw))
        return Other(raw.type, (inner,), place=self.place(raw))


def _each_once(bindings: Sequence[Binding | Inherit]) -> None:
    """Nix puts two sets of one name together, and refuses all else that is defined twice."""
    sets: dict[tuple[str | Node, ...], bool] = {}
    for one in bindings:
        if isinstance(one, Binding):
            written = all(isinstance(key, str) for key in one.path)
            is_set, paths = isinstance(one.value, Attrs), [one.path] if written else []
        else:
            is_set, paths = False, [(name,) for name in one.names]
        for path in paths:
            if path in sets and not (is_set and sets[path]):
                shown = ".".join(key for key in path if isinstance(key, str))
                raise NotNix(f"`{shown}` is defined twice", one.place.start)
            sets[path] = is_set


def _counts(raw: Raw) -> bool:
    return raw.type != "comment" and not raw.is_error


def _plain_escape(text: str) -> str:
    if not text.startswith("\\"):
        return "$" if text.endswith("$") else text  # `$${` is no interpolation
    return _ESCAPES.get(text[1:], text[1:])


def _indented_escape(text: str) -> str:
    if text.startswith("''\\"):
        return _ESCAPES.get(text[3:], text[3:])
    if text == "'''":
        return "''"
    return text[2:] if text.startswith("''") else text


def names_in(nodes: Sequence[Node]) -> frozenset[str]:
    """Every variable that *nodes* name, whatever binds it."""
    found: set[str] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, Name):
            found.add(node.name)
        waiting += inner(node)
    return frozenset(found)


def inner(node: Node) -> list[Node]:
    """The expressions that *node* is made of."""
    match node:
        case Text(parts):
            return [part for part in parts if isinstance(part, Node)]
        case Select(base, path, default):
            keys = [key for key in path if isinstance(key, Node)]
            return [base, *keys, *([default] if default is not None else [])]
        case Call(function, argument):
            return [function, argument]
        case Lambda(_, formals, body):
            defaults = [value for _, value in formals or () if value is not None]
            return [*defaults, body]
        case Binding(path, value):
            return [*(key for key in path if isinstance(key, Node)), value]
        case Inherit(names, source):
            return [source] if source is not None else [Name(name) for name in names]
        case Attrs(bindings):
            return list(bindings)
        case Let(bindings, body):
            return [*bindings, body]
        case With(environment, body):
            return [environment, body]
        case Assert(body):
            return [body]
        case ListOf(items):
            return list(items)
        case Binary(_, left, right):
            return [left, right]
        case If(condition, then, otherwise):
            return [condition, then, otherwise]
        case Not(negated):
            return [negated]
        case Other(_, within):
            return list(within)
        case _:
            return []
