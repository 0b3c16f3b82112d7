"""Nix text → syntax tree, by tree-sitter, which only this module uses. Nothing is evaluated."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left

from tvarc.light import TYPE_CHECKING, Callable, Final, Sequence, cast, dataclass
from tvarc.nix.language.indentation import Escaped, strip_indentation
from tvarc.nix.language.syntax import (
    Extent,
    NixApply,
    NixAssert,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixExpr,
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
    NixSearchPath,
    NixSelect,
    NixSteps,
    NixString,
    NixWith,
    extent_of,
    written_path,
)

if TYPE_CHECKING:
    from tree_sitter import Node as Raw
    from tree_sitter import Tree

MAX_BYTES: Final = 1 << 16
_MAX_DEPTH: Final = 250
_TEXTS: Final = ("string_expression", "indented_string_expression")
# tree-sitter repairs some long runs of operators in quadratic time.
_MAX_OPERATORS: Final = 5_000
_INNER: Final = re.compile(rb"[\x80-\xbf]")  # bytes inside a character
_COMMENTS: Final = re.compile(rb"#|/\*")
_OPERATORS = re.compile(rb"[.?@!<>+*]|//|&&|\|\||->|==")
_OF_OPERATORS: Final = b".?@!<>+*/&|-="
_OPS: Final[tuple[NixOp, ...]] = (
    "++", "//", "+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "->",
)  # fmt: skip
_OP: Final[dict[str, NixOp]] = {op: op for op in _OPS}
_GREATEST: Final = 2**63 - 1
_MOST_DIGITS: Final = 19
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}
_LINE_ENDS: Final = re.compile("\r\n?")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, and the thing that follows it: the attribute *name*, or the *element* of a list.
    `within` is the name of the attribute around it. If nothing with a name follows, `start` is
    negative."""

    extent: Extent
    start: int = -1
    name: str = ""
    element: NixExpr | None = None
    within: str = ""


class NotNix(Exception):
    """A text that is no Nix, or is too long. `reason` is a clause for the user."""

    def __init__(self, reason: str, offset: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset


class NixParser:
    """Reads Nix texts, one after another."""

    __slots__ = ("_known", "_last", "_parse", "shared")

    def __init__(self) -> None:
        import tree_sitter
        import tree_sitter_nix

        self._known: dict[bytes, NixExpr | NixBinding] = {}
        self.shared: dict[int, NixExpr] = {}  # shared by several texts, by identity
        language = tree_sitter.Language(tree_sitter_nix.language())
        self._parse = tree_sitter.Parser(language).parse
        self._last: tuple[bytes, Tree | None] = (b"", None)

    def parse(self, text: str, start: int = 0) -> NixExpr:
        """The expression *text*. Its places count from *start*. Raises NotNix."""
        return self._read(text, start, None)

    def parse_shared(self, text: str) -> NixExpr:
        """The same expression without places. Bindings and elements with the same text as in an
        earlier text are the nodes of that text. Raises NotNix, with the place of an error that the
        grammar finds."""
        return self._read(text, 0, self._known)

    def _read(
        self, text: str, start: int, known: dict[bytes, NixExpr | NixBinding] | None
    ) -> NixExpr:
        try:
            data = text.encode("utf-8")
        except UnicodeEncodeError:
            raise NotNix("it is not UTF-8") from None
        if len(data) > MAX_BYTES:
            raise NotNix(f"it is larger than {MAX_BYTES >> 10} KiB")
        if data.startswith(codecs.BOM_UTF8):
            raise NotNix("it begins with a byte order mark, which Nix does not read")
        if b"\0" in data:
            raise NotNix("it holds a NUL byte", text.index("\0"))
        if _operators(data) > _MAX_OPERATORS:
            raise NotNix(f"it has more than {_MAX_OPERATORS} operators")
        tree = self._tree(data)
        if tree is None:
            raise NotNix("it cannot be parsed")
        offsets = _Offsets(data, start)
        root = tree.root_node
        bad = _first_error(root)
        if bad is not None:
            raise NotNix("tvarc cannot read this as Nix", offsets(bad.start_byte))
        expression = root.child_by_field_name("expression")
        if expression is None:
            raise NotNix("it holds no expression")
        building = _Building(offsets) if known is None else _Sharing(offsets, known, self.shared)
        return building.node(expression, 0)

    def _tree(self, data: bytes) -> Tree | None:
        """The tree of *data* by tree-sitter, cached for the next call."""
        if self._last[0] != data:
            self._last = data, self._parse(data)
        return self._last[1]

    def comments(self, text: str) -> list[Comment]:
        """The comments of *text*, in order. `parse` must accept *text*."""
        data = text.encode("utf-8")
        tree = self._tree(data)
        marks = [mark.start() for mark in _COMMENTS.finditer(data)]
        if tree is None or not marks:
            return []
        building = _Building(_Offsets(data, 0))
        found: list[Comment] = []
        waiting = [(tree.root_node, "")]
        while waiting:
            node, within = waiting.pop()
            if node.type == "binding":
                within = building.name_of(node)
            children = node.children
            inner: list[tuple[Raw, str]] = []
            for at, child in enumerate(children):
                if child.type == "comment":
                    in_list = node.type == "list_expression"
                    follows = children[at + 1 :]
                    found.append(building.comment(child, follows, within, in_list=in_list))
                elif child.type not in _TEXTS and (
                    bisect_left(marks, child.start_byte) < bisect_left(marks, child.end_byte)
                ):
                    inner.append((child, within))
            waiting += reversed(inner)
        return sorted(found, key=lambda one: one.extent.start)


def _operators(data: bytes) -> int:
    """The number of operators in *data*, or a larger number. If there are few, characters of
    operators are counted."""
    characters = len(data) - len(data.translate(None, _OF_OPERATORS))
    return characters if characters <= _MAX_OPERATORS else len(_OPERATORS.findall(data))


class _Offsets:
    """Converts offsets in bytes to offsets in code points."""

    __slots__ = ("_inner", "_start", "data")

    def __init__(self, data: bytes, start: int) -> None:
        self.data = data
        self._start = start
        self._inner: list[int] | None = [] if data.isascii() else None

    def __call__(self, at: int) -> int:
        if self._inner is None:  # most texts need no conversion
            self._inner = [found.start() for found in _INNER.finditer(self.data)]
        return self._start + (at - bisect_left(self._inner, at) if self._inner else at)


def _first_error(root: Raw) -> Raw | None:
    # Asking a node for its parent recurses in C, and overflows the stack in a deeply nested text.
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
    """Whether the child of *node* is the comma after the last argument of a pattern, or the error
    node after it. Nix accepts that comma, and this grammar does not."""
    if node.type != "formals" or not 0 < at < len(children) - 1:
        return False
    child, before, after = children[at], children[at - 1], children[at + 1]
    if after.type != "}":
        return False
    if child.is_error:
        return before.type in ("formal", "ellipses") and child.text == b","
    return _is_nameless(child) and before.type == "," and bool(children[at - 2].text)


def _is_nameless(raw: Raw) -> bool:
    """Whether *raw* is an argument of a pattern that is missing."""
    return raw.type == "formal" and not raw.text


class _Building:
    __slots__ = ("_makers", "offsets")

    def __init__(self, offsets: _Offsets) -> None:
        self.offsets = offsets
        self._makers: dict[str, Callable[[Raw, int], NixExpr]] = {
            "variable_expression": self._name,
            "string_expression": self._string,
            "indented_string_expression": self._indented,
            "integer_expression": self._integer,
            "float_expression": self._float,
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
            "has_attr_expression": self._has,
        }

    def node(self, raw: Raw, depth: int) -> NixExpr:
        """The node for *raw*. Raises NotNix if it is nested too deeply."""
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
        return self._other(raw, depth + 1)

    def extent(self, raw: Raw) -> Extent | None:
        return Extent(self.offsets(raw.start_byte), self.offsets(raw.end_byte))

    def text(self, raw: Raw) -> str:
        return self.offsets.data[raw.start_byte : raw.end_byte].decode("utf-8")

    def field(self, raw: Raw, name: str, depth: int) -> NixExpr:
        child = raw.child_by_field_name(name)
        if child is None:
            raise NotNix("it is no valid Nix", self.offsets(raw.start_byte))
        return self.node(child, depth)

    def _name(self, raw: Raw, depth: int) -> NixExpr:
        return NixIdent(self.text(raw), extent=self.extent(raw))

    def _integer(self, raw: Raw, depth: int) -> NixExpr:
        return NixInt(self._digits(raw), extent=self.extent(raw))

    def _digits(self, raw: Raw) -> int:
        text = self.text(raw).lstrip("0")
        if len(text) > _MOST_DIGITS or int(text or "0") > _GREATEST:
            raise NotNix("a number in it is beyond 64 bits", self.offsets(raw.start_byte))
        return int(text or "0")

    def _float(self, raw: Raw, depth: int) -> NixExpr:
        return NixFloat(self.text(raw), extent=self.extent(raw))

    def _path(self, raw: Raw, depth: int) -> NixExpr:
        if any(child.type == "interpolation" for child in raw.named_children):
            return self._other(raw, depth)
        home = raw.type == "hpath_expression"
        return NixPath(self.text(raw), home, extent=self.extent(raw))

    def _search_path(self, raw: Raw, depth: int) -> NixExpr:
        return NixSearchPath(self.text(raw)[1:-1], extent=self.extent(raw))

    def _uri(self, raw: Raw, depth: int) -> NixExpr:
        return NixString((self.text(raw),), extent=self.extent(raw))

    def name_of(self, binding: Raw) -> str:
        """The last step of the path that *binding* sets. Empty if the step is computed."""
        path = binding.child_by_field_name("attrpath")
        keys = self._keys(path, 0) if path is not None else ()
        return keys[-1] if keys and isinstance(keys[-1], str) else ""

    def comment(self, raw: Raw, after: Sequence[Raw], within: str, *, in_list: bool) -> Comment:
        """The comment *raw*, with the thing that follows it in *after*."""
        extent = Extent(self.offsets(raw.start_byte), self.offsets(raw.end_byte))
        follows = next((one for one in after if one.type != "comment"), None)
        if follows is not None and follows.type == "binding_set":
            follows = next((one for one in follows.children if one.type != "comment"), None)
        if follows is None:
            return Comment(extent)
        start = self.offsets(follows.start_byte)
        if follows.type == "binding":
            return Comment(extent, start, self.name_of(follows))
        if in_list and follows.is_named:
            return Comment(extent, start, element=self.node(follows, 0), within=within)
        return Comment(extent)

    def _other(self, raw: Raw, depth: int) -> NixExpr:
        within = [self.node(child, depth) for child in raw.named_children if _counts(child)]
        return NixOther(self.text(raw), tuple(within), extent=self.extent(raw))

    def _string(self, raw: Raw, depth: int) -> NixExpr:
        pieces = self._pieces(raw, depth, _plain_escape, _LINE_ENDS)
        return NixString(tuple(pieces), extent=self.extent(raw))

    def _indented(self, raw: Raw, depth: int) -> NixExpr:
        tokens = self._tokens(raw, depth, _indented_escape)
        pieces = cast("list[str | NixExpr]", strip_indentation(tokens))
        return NixString(tuple(pieces), True, extent=self.extent(raw))

    def _pieces(
        self,
        raw: Raw,
        depth: int,
        unescape: Callable[[str], str],
        line_ends: re.Pattern[str],
    ) -> list[str | NixExpr]:
        """The texts and interpolations of a string. No two texts are neighbours. Its *line_ends*
        become newlines; in a `''` string, Nix keeps carriage returns."""
        pieces: list[str | NixExpr] = []
        for token in self._tokens(raw, depth, unescape):
            match token:
                case str():
                    text = line_ends.sub("\n", token) if "\r" in token else token
                case Escaped(text):
                    pass
                case _:
                    pieces.append(token)
                    continue
            if pieces and isinstance(pieces[-1], str):
                pieces[-1] += text
            else:
                pieces.append(text)
        return pieces

    def _tokens(
        self, raw: Raw, depth: int, unescape: Callable[[str], str]
    ) -> list[str | Escaped | NixExpr]:
        """The texts, escapes and interpolations of a string. No two texts are neighbours."""
        tokens: list[str | Escaped | NixExpr] = []
        for child in raw.named_children:
            if child.type == "interpolation":
                tokens.append(self.field(child, "expression", depth))
            elif child.type in ("escape_sequence", "dollar_escape"):
                tokens.append(Escaped(unescape(self.text(child))))
            elif child.type == "string_fragment":
                text = self.text(child)
                if tokens and isinstance(tokens[-1], str):
                    tokens[-1] += text
                else:
                    tokens.append(text)
        return tokens

    def _keys(self, raw: Raw, depth: int) -> NixSteps:
        return tuple([self._key(child, depth) for child in raw.named_children if _counts(child)])

    def _key(self, raw: Raw, depth: int) -> str | NixExpr:
        if raw.type == "identifier":
            return self.text(raw)
        computed = raw.type == "interpolation"
        made = self.field(raw, "expression", depth) if computed else self.node(raw, depth)
        if isinstance(made, NixString) and all(isinstance(part, str) for part in made.parts):
            return "".join([part for part in made.parts if isinstance(part, str)])
        return made

    def _select(self, raw: Raw, depth: int) -> NixExpr:
        base = self.field(raw, "expression", depth)
        path = raw.child_by_field_name("attrpath")
        default = raw.child_by_field_name("default")
        return NixSelect(
            base,
            self._keys(path, depth) if path is not None else (),
            self.node(default, depth) if default is not None else None,
            extent=self.extent(raw),
        )

    def _apply(self, raw: Raw, depth: int) -> NixExpr:
        function, argument = self.field(raw, "function", depth), self.field(raw, "argument", depth)
        return NixApply(function, argument, extent=self.extent(raw))

    def _function(self, raw: Raw, depth: int) -> NixExpr:
        whole = raw.child_by_field_name("universal")
        pattern = raw.child_by_field_name("formals")
        name = self.text(whole) if whole is not None else ""
        parameter: str | NixFormals = name
        if pattern is not None:
            formals: list[NixFormal] = []
            for child in pattern.named_children:
                named = child.child_by_field_name("name") if child.type == "formal" else None
                if named is not None and not _is_nameless(child):
                    default = child.child_by_field_name("default")
                    value = self.node(default, depth) if default is not None else None
                    formals.append(NixFormal(self.text(named), value))
            open_ended = any(child.type == "ellipses" for child in pattern.named_children)
            parameter = NixFormals(tuple(formals), open_ended, name)
        body = self.field(raw, "body", depth)
        return NixLambda(parameter, body, extent=self.extent(raw))

    def _bindings(self, raw: Raw, depth: int) -> tuple[NixBinding | NixInherit, ...]:
        found: list[NixBinding | NixInherit] = []
        for group in raw.named_children:
            if group.type != "binding_set":
                continue
            for child in group.named_children:
                if child.type == "binding":
                    known = self.known(child)
                    if not isinstance(known, NixBinding):
                        path = child.child_by_field_name("attrpath")
                        keys = self._keys(path, depth) if path is not None else ()
                        value = self.field(child, "expression", depth)
                        known = NixBinding(keys, value, extent=self.extent(child))
                        self.keep(child, known)
                    found.append(known)
                elif child.type in ("inherit", "inherit_from"):
                    source = child.child_by_field_name("expression")
                    attrs = child.child_by_field_name("attrs")
                    keys = self._keys(attrs, depth) if attrs is not None else ()
                    names = tuple([key for key in keys if isinstance(key, str)])
                    inner = self.node(source, depth) if source is not None else None
                    found.append(NixInherit(names, inner, extent=self.extent(child)))
        _each_once(found)
        return tuple(found)

    def known(self, raw: Raw) -> NixExpr | NixBinding | None:
        """The binding or the list element that was already made from the same text as *raw*."""
        return None

    def keep(self, raw: Raw, made: NixExpr | NixBinding) -> None:
        """Keep the node that was made from *raw*."""

    def _attrs(self, raw: Raw, depth: int) -> NixExpr:
        recursive = raw.type == "rec_attrset_expression"
        return NixAttrs(self._bindings(raw, depth), recursive, extent=self.extent(raw))

    def _let(self, raw: Raw, depth: int) -> NixExpr:
        body = self.field(raw, "body", depth)
        return NixLet(self._bindings(raw, depth), body, extent=self.extent(raw))

    def _with(self, raw: Raw, depth: int) -> NixExpr:
        environment, body = self.field(raw, "environment", depth), self.field(raw, "body", depth)
        return NixWith(environment, body, extent=self.extent(raw))

    def _assert(self, raw: Raw, depth: int) -> NixExpr:
        condition, body = self.field(raw, "condition", depth), self.field(raw, "body", depth)
        return NixAssert(condition, body, extent=self.extent(raw))

    def _list(self, raw: Raw, depth: int) -> NixExpr:
        items: list[NixExpr] = []
        for child in raw.named_children:
            if _counts(child):
                known = self.known(child)
                if known is None or isinstance(known, NixBinding):
                    known = self.node(child, depth)
                    self.keep(child, known)
                items.append(known)
        return NixList(tuple(items), extent=self.extent(raw))

    def _binary(self, raw: Raw, depth: int) -> NixExpr:
        operator = raw.child_by_field_name("operator")
        op = _OP.get(self.text(operator)) if operator is not None else None
        if op is None:
            return self._other(raw, depth)
        left, right = self.field(raw, "left", depth), self.field(raw, "right", depth)
        return NixBinary(op, left, right, extent=self.extent(raw))

    def _has(self, raw: Raw, depth: int) -> NixExpr:
        path = raw.child_by_field_name("attrpath")
        base = self.field(raw, "expression", depth)
        keys = self._keys(path, depth) if path is not None else ()
        return NixHas(base, keys, extent=self.extent(raw))

    def _if(self, raw: Raw, depth: int) -> NixExpr:
        return NixIf(
            self.field(raw, "condition", depth),
            self.field(raw, "consequence", depth),
            self.field(raw, "alternative", depth),
            extent=self.extent(raw),
        )

    def _unary(self, raw: Raw, depth: int) -> NixExpr:
        operator = raw.child_by_field_name("operator")
        extent = self.extent(raw)
        inner = self.field(raw, "argument", depth)
        if operator is not None and self.text(operator) == "!":
            return NixNot(inner, extent=extent)
        match inner:
            case NixInt(value) if value > 0:
                return NixInt(-value, extent=extent)
            case NixFloat(text) if not text.startswith("-"):
                return NixFloat("-" + text, extent=extent)
            case _:
                return NixBinary("-", NixInt(0), inner, extent=extent)  # the form that Nix has


class _Sharing(_Building):
    """Makes nodes without places. Equal texts share one node."""

    __slots__ = ("_known", "_shared")

    def __init__(
        self,
        offsets: _Offsets,
        known: dict[bytes, NixExpr | NixBinding],
        shared: dict[int, NixExpr],
    ) -> None:
        super().__init__(offsets)
        self._known = known
        self._shared = shared

    def extent(self, raw: Raw) -> Extent | None:
        return None

    def known(self, raw: Raw) -> NixExpr | NixBinding | None:
        return self._known.get(self.offsets.data[raw.start_byte : raw.end_byte])

    def keep(self, raw: Raw, made: NixExpr | NixBinding) -> None:
        self._known[self.offsets.data[raw.start_byte : raw.end_byte]] = made
        node = made.value if isinstance(made, NixBinding) else made
        self._shared[id(node)] = node


def _each_once(bindings: Sequence[NixBinding | NixInherit]) -> None:
    """Refuse names that are defined twice. Nix joins two sets with one name, and refuses everything
    else."""
    sets: dict[tuple[str, ...], bool] = {}
    for one in bindings:
        if isinstance(one, NixBinding):
            written = written_path(one.path)
            is_set, paths = isinstance(one.value, NixAttrs), [written] if written else []
        else:
            is_set, paths = False, [(name,) for name in one.names]
        for path in paths:
            if path in sets and not (is_set and sets[path]):
                raise NotNix(f"`{'.'.join(path)}` is defined twice", extent_of(one).start)
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
