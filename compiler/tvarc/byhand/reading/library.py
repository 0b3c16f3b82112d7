"""Operators and functions of Nix, and functions of nixpkgs' library, on reduced nodes. A function
returns None for a call that it cannot evaluate. Nix counts the bytes of a text, and changes only
the case of ASCII letters.
"""

from __future__ import annotations

import posixpath
import re
from functools import partial, reduce
from itertools import chain, compress

from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.trees import (
    Entries,
    attrs_of,
    call_of,
    entries_of,
    file_of_input,
    input_of,
    joined,
    own,
    path_node,
    path_of,
    text_of,
)
from tvarc.light import Callable, Final, Iterable, Sequence, cast
from tvarc.nix.language.syntax import (
    FALSE,
    NULL,
    TRUE,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixFloat,
    NixIdent,
    NixInt,
    NixLambda,
    NixList,
    NixOp,
    NixSelect,
    NixString,
    elements,
)
from tvarc.nix.language.uses import GLOBALS

Call = Callable[[NixExpr, NixExpr], NixExpr]
"""Applies a reduced function to a reduced argument."""

_MOST_BITS: Final = 63
_MOST_RANGE: Final = 1_000
_CONSTANTS: Final = (TRUE, FALSE, NULL)


def is_constant(node: NixExpr) -> bool:
    """Whether *node* is fully known, without functions, paths and numbers with a point."""
    match node:
        case NixInt():
            return True
        case NixString():
            return text_of(node) is not None
        case NixList():
            return all(map(is_constant, elements(node)))
        case NixAttrs():
            return all(is_constant(one) for _, one in entries_of(node))
        case _:
            return node in _CONSTANTS


# --- operators -----------------------------------------------------------------------------------


def folded_binary(op: NixOp, left: NixExpr, right: NixExpr) -> NixExpr:
    """`left op right`, evaluated as far as both are known."""
    match op:
        case "+":
            return _plus(left, right)
        case "++":
            return _concatenated(left, right)
        case "//":
            return _updated(left, right)
        case "==" | "!=" if is_constant(left) and is_constant(right):
            return _truth(is_same(left, right) == (op == "=="))
        case "==" | "!=" if _differ(left, right):
            return _truth(op == "!=")
        case "<" | "<=" | ">" | ">=":
            order = _order(left, right)
            if order is None:
                return NixBinary(op, left, right)
            holds = {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}
            return _truth(holds[op])
        case "&&" | "||":
            ends = _truth(op == "||")  # results that one side decides alone
            if ends in (left, right):
                return ends
            if left in (TRUE, FALSE):
                return right
            return left if right in (TRUE, FALSE) else NixBinary(op, left, right)
        case "->" if left in (TRUE, FALSE):
            return right if left == TRUE else TRUE
        case "-" | "*" | "/":
            return _number(op, left, right)
        case _:
            return NixBinary(op, left, right)


def _truth(holds: bool) -> NixExpr:
    return TRUE if holds else FALSE


def is_same(left: NixExpr, right: NixExpr) -> bool:
    """Whether two constants are equal. The order of keys in sets does not matter."""
    match left, right:
        case NixString(), NixString():
            return plain(text_of(left) or "") == plain(text_of(right) or "")
        case NixList(), NixList():
            one, other = elements(left), elements(right)
            return len(one) == len(other) and all(map(is_same, one, other))
        case NixAttrs(), NixAttrs():
            mine, theirs = dict(entries_of(left)), dict(entries_of(right))
            return mine.keys() == theirs.keys() and all(
                is_same(value, theirs[key]) for key, value in mine.items()
            )
        case _:
            return left == right


def _differ(left: NixExpr, right: NixExpr) -> bool:
    """Whether two values have different kinds or lengths, and so differ whatever they contain."""
    match left, right:
        case NixList(), NixList():
            return len(left.items) != len(right.items)
        case (NixList() | NixAttrs() | NixString() | NixLambda(), _) if right == NULL:
            return True
        case (_, NixList() | NixAttrs() | NixString() | NixLambda()) if left == NULL:
            return True
        case _:
            return False


def _order(left: NixExpr, right: NixExpr) -> int | None:
    """The order of two numbers or texts, as -1, 0 or 1."""
    match left, right:
        case NixInt(one), NixInt(other):
            return (one > other) - (one < other)
        case NixString(), NixString():
            mine, theirs = text_of(left), text_of(right)
            if mine is None or theirs is None:
                return None
            first, last = _bytes(mine), _bytes(theirs)
            return (first > last) - (first < last)
        case _:
            return None


def _bytes(text: str) -> bytes:
    return plain(text).encode(errors="surrogatepass")


def _number(op: NixOp, left: NixExpr, right: NixExpr) -> NixExpr:
    if isinstance(left, NixInt) and isinstance(right, NixInt):
        one, other = left.value, right.value
        made: int | None = None
        match op:
            case "+":
                made = one + other
            case "-":
                made = one - other
            case "*":
                made = one * other
            case "/" if other:
                made = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
            case _:
                pass
        if made is not None and abs(made) < 1 << _MOST_BITS:
            return NixInt(made)
    return NixBinary(op, left, right)


def _plus(left: NixExpr, right: NixExpr) -> NixExpr:
    if isinstance(left, NixString) and isinstance(right, NixString):
        return joined((*left.parts, *right.parts))
    path, more = path_of(left), text_of(right)
    if path is not None and more is not None and plain(more).startswith("/"):
        return path_node(posixpath.normpath(path + plain(more)))
    file = file_of_input(left)
    if file is not None and isinstance(right, NixString):
        return NixBinary("+", file[0], joined((file[1], *right.parts)))
    if own(left) is not None and isinstance(right, NixString):
        return joined((left, *right.parts))
    if own(right) is not None and isinstance(left, NixString):
        return joined((*left.parts, right))
    return _number("+", left, right)


def _concatenated(left: NixExpr, right: NixExpr) -> NixExpr:
    if isinstance(left, NixList) and isinstance(right, NixList):
        return NixList((*left.items, *right.items))
    if right == NixList(()):
        return left
    if left == NixList(()):
        return right
    if isinstance(right, NixBinary) and right.op == "++":
        return _concatenated(_concatenated(left, right.left), right.right)
    if isinstance(left, NixBinary) and left.op == "++" and isinstance(right, NixList):
        last = left.right
        if isinstance(last, NixList):
            return NixBinary("++", left.left, NixList((*last.items, *right.items)))
    return NixBinary("++", left, right)


def _updated(left: NixExpr, right: NixExpr) -> NixExpr:
    if isinstance(left, NixAttrs) and isinstance(right, NixAttrs):
        return attrs_of(list({**dict(entries_of(left)), **dict(entries_of(right))}.items()))
    if right == NixAttrs(()):
        return left
    if left == NixAttrs(()):
        return right
    if isinstance(right, NixBinary) and right.op == "//":
        return _updated(_updated(left, right.left), right.right)
    if isinstance(left, NixBinary) and left.op == "//" and isinstance(left.right, NixAttrs):
        return NixBinary("//", left.left, _updated(left.right, right))
    return NixBinary("//", left, right)


# --- functions -----------------------------------------------------------------------------------


def function_name(function: NixExpr) -> str:
    """The last name of a function of Nix or of nixpkgs' library; empty for any other."""
    match function:
        case NixIdent(name) if name in GLOBALS:
            return name
        case NixSelect(NixIdent("@lib" | "builtins"), path, None):
            return str(path[-1])
        case _:
            return ""


def folded_call(function: NixExpr, argument: NixExpr, call: Call) -> NixExpr | None:
    """The result of *function* for *argument*; None unless the function is known and the argument
    is constant."""
    called, arguments = call_of(function)
    arguments.append(argument)
    kinds, make = _FUNCTIONS.get(function_name(called), _UNKNOWN)
    if len(kinds) != len(arguments):
        return None
    known: list[object] = []
    for kind, node in zip(kinds, arguments, strict=True):
        value = kind(node)
        if kind is _function:
            value = partial(_applied, call, node)
        elif kind is _functions and isinstance(value, list):
            value = [partial(_applied, call, one) for one in value]
        if value is None:
            return None
        known.append(value)
    return _node(make(*known))


def _node(value: object) -> NixExpr | None:
    """The result of a function as a node: a list for several values."""
    match value:
        case bool():
            return _truth(value)
        case int():
            return NixInt(value)
        case str():
            return NixString((value,))
        case list():
            items = [made for one in value if (made := _node(one)) is not None]
            return NixList(tuple(items))
        case _:
            return cast("NixExpr | None", value)


# Converters for the kinds of arguments. Each returns None for any other node.

_Function = Callable[..., NixExpr]
_Kind = Callable[[NixExpr], object]


def _any(node: NixExpr) -> NixExpr:
    return node


def _function(node: NixExpr) -> NixExpr:
    """A function, as something that applies it."""
    return node


def _functions(node: NixExpr) -> list[NixExpr] | None:
    """The same for a list of functions."""
    return _items(node)


def _applied(call: Call, function: NixExpr, *arguments: NixExpr) -> NixExpr:
    return reduce(call, arguments, function)


def _constant(node: NixExpr) -> NixExpr | None:
    return node if is_constant(node) else None


def _bool(node: NixExpr) -> bool | None:
    return node == TRUE if node in (TRUE, FALSE) else None


def _int(node: NixExpr) -> int | None:
    return node.value if isinstance(node, NixInt) else None


def _text(node: NixExpr) -> str | None:
    """The text of a constant string, without marks."""
    text = text_of(node)
    return plain(text) if text is not None else None


def _items(node: NixExpr) -> list[NixExpr] | None:
    return elements(node) if isinstance(node, NixList) else None


def _not_empty(node: NixExpr) -> list[NixExpr] | None:
    return _items(node) or None


def _constants(node: NixExpr) -> list[NixExpr] | None:
    items = _items(node)
    return items if items is not None and all(map(is_constant, items)) else None


def _texts(node: NixExpr) -> list[str] | None:
    items = _items(node)
    texts = [text for one in items or () if (text := _text(one)) is not None]
    return texts if items is not None and len(texts) == len(items) else None


def _entries(node: NixExpr) -> Entries | None:
    return entries_of(node) if isinstance(node, NixAttrs) else None


def _in_order(node: NixExpr) -> Entries | None:
    """The entries of a set in Nix's order."""
    entries = _entries(node)
    return sorted(entries, key=lambda one: _bytes(one[0])) if entries is not None else None


# --- texts ---------------------------------------------------------------------------------------


def _concat_sep(separator: str, items: list[NixExpr]) -> NixExpr | None:
    parts: list[str | NixExpr] = []
    for number, item in enumerate(items):
        if not isinstance(item, NixString):
            return None
        parts += ([separator] if number else []) + list(item.parts)
    return joined(parts)


def _concat_map_sep(separator: str, function: _Function, items: list[NixExpr]) -> NixExpr | None:
    return _concat_sep(separator, list(map(function, items)))


def _to_string(node: NixExpr) -> NixExpr | None:
    match node:
        case NixString():
            return node
        case NixInt(value):
            return NixString((str(value),))
        case NixList():
            items = elements(node)
            parts: list[str | NixExpr] = []
            for number, item in enumerate(items):
                made = _to_string(item)
                if not isinstance(made, NixString):
                    return None
                parts += made.parts
                # Nix prints no blank after an empty list.
                if number < len(items) - 1 and item != NixList(()):
                    parts.append(" ")
            return joined(parts)
        case _ if node in _CONSTANTS:
            return NixString(("1" if node == TRUE else "",))
        case _ if input_of(node) is not None:
            return NixString((node,))  # it is in the store
        case _:
            return None


_UPPER: Final = {code: code - 32 for code in range(ord("a"), ord("z") + 1)}
_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def _replaced(old: list[str], new: list[str], text: str) -> str | None:
    """`replaceStrings FROM TO TEXT`: at each place, the first text of FROM that matches."""
    if len(old) != len(new) or ("" in old and not text.isascii()):
        return None  # with an empty text Nix would split the bytes of one character
    made: list[str] = []
    at = 0
    while at <= len(text):
        number = next((n for n, one in enumerate(old) if text.startswith(one, at)), None)
        if number is not None:
            made.append(new[number])
        if number is not None and old[number]:
            at += len(old[number])
            continue
        made.append(text[at : at + 1])
        at += 1
    return "".join(made)


def _characters_replaced(old: list[str], new: list[str], text: str) -> str | None:
    """`lib.replaceChars` of old nixpkgs: the same for single characters."""
    is_single = all(len(one) == 1 and one.isascii() for one in old)
    return _replaced(old, new, text) if is_single else None


def _cut(start: int, length: int, text: str) -> str | None:
    if start < 0:
        return None
    try:
        return _bytes(text)[start : start + length if length >= 0 else None].decode()
    except UnicodeDecodeError:
        return None  # half a character


_VERSION: Final = re.compile(r"[0-9]+|[^0-9.-]+")


def compare_versions(left: str, right: str) -> int:
    """As `builtins.compareVersions`: -1, 0 or 1."""
    mine, theirs = _VERSION.findall(left), _VERSION.findall(right)
    while mine or theirs:
        one, other = (part.pop(0) if part else "" for part in (mine, theirs))
        if _older(one, other):
            return -1
        if _older(other, one):
            return 1
    return 0


def _older(one: str, other: str) -> bool:
    if one.isdecimal() and other.isdecimal():
        return int(one) < int(other)
    if (not one and other.isdecimal()) or (one == "pre" and other != "pre"):
        return True
    if other == "pre":
        return False
    if other.isdecimal():
        return not one.isdecimal()
    return not one.isdecimal() and _bytes(one) < _bytes(other)


# Patterns with the same meaning in both: no alternatives, and no repeated group.
_SIMPLE: Final = re.compile(
    r"(?:[\w\s\-.:,/=@%~_'\"!<>&;#]|\[[^\[\]\\^]+\]|\\[.+*?()\[\]{}]|[*+?()])*"
)
_REPEATED: Final = re.compile(r"(?:^|[(*+?)])[*+?]")


def _match(pattern: str, text: str) -> object:
    """`builtins.match`, for patterns that mean the same to Nix and to Python."""
    if not (pattern.isascii() and text.isascii()):
        return None
    if not _SIMPLE.fullmatch(pattern) or _REPEATED.search(pattern):
        return None
    try:
        found = re.fullmatch(pattern, text, re.DOTALL)
    except re.error:
        return None
    return NULL if found is None else list(found.groups())


# --- lists and sets ------------------------------------------------------------------------------


def _lists(items: list[NixExpr]) -> NixExpr:
    nothing: NixExpr = NixList(())
    return reduce(_concatenated, items, nothing)


def _decided(test: _Function, groups: Iterable[Sequence[NixExpr]]) -> list[bool] | None:
    """Whether *test* holds for the arguments of each of *groups*."""
    answers = [_bool(test(*group)) for group in groups]
    known = [answer for answer in answers if answer is not None]
    return known if len(known) == len(answers) else None


def _ends(ends: bool) -> Callable[..., bool | None]:
    """`any` and `all`: *ends* is the answer for an element that alone decides the result."""

    def made(test: _Function, items: list[NixExpr]) -> bool | None:
        for one in items:
            answer = _bool(test(one))
            if answer is None or answer == ends:
                return answer
        return not ends

    return made


def _filtered(test: _Function, items: list[NixExpr]) -> list[NixExpr] | None:
    kept = _decided(test, [(one,) for one in items])
    return list(compress(items, kept)) if kept is not None else None


def _filter_attrs(test: _Function, entries: Entries) -> NixExpr | None:
    kept = _decided(test, [(NixString((key,)), value) for key, value in entries])
    return attrs_of(list(compress(entries, kept))) if kept is not None else None


def _map_attrs(function: _Function, entries: Entries) -> NixExpr:
    return attrs_of([(key, function(NixString((key,)), value)) for key, value in entries])


def _gen_attrs(names: list[str], function: _Function) -> NixExpr:
    made = {name: function(NixString((name,))) for name in names}
    return attrs_of(list(made.items()))


def _to_list(node: NixExpr) -> NixExpr | None:
    if isinstance(node, NixList):
        return node
    return NixList((node,)) if is_constant(node) else None


def _flat(node: NixExpr) -> list[NixExpr] | None:
    items = _items(node)
    if items is None:
        return [node] if is_constant(node) else None
    found = [_flat(item) for item in items]
    known = [one for one in found if one is not None]
    return list(chain(*known)) if len(known) == len(found) else None


def _piped(value: NixExpr, functions: list[_Function]) -> NixExpr:
    return reduce(lambda made, function: function(made), functions, value)


def _unique(items: list[NixExpr]) -> list[NixExpr]:
    found: list[NixExpr] = []
    for item in items:
        if not any(is_same(item, one) for one in found):
            found.append(item)
    return found


def _kind(*kinds: type[NixExpr], also: tuple[NixExpr, ...] = ()) -> Callable[[NixExpr], object]:
    """Whether a value is of one of *kinds*, or one of *also*."""

    def made(node: NixExpr) -> bool | None:
        if not isinstance(node, _OF_KNOWN_KIND) and node not in _CONSTANTS:
            return None
        return isinstance(node, kinds) or node in also

    return made


_OF_KNOWN_KIND: Final = (NixString, NixInt, NixFloat, NixList, NixAttrs, NixLambda)
_UNKNOWN: Final[tuple[tuple[_Kind, ...], Callable[..., object]]] = (), lambda: None
_FUNCTIONS: Final[dict[str, tuple[tuple[_Kind, ...], Callable[..., object]]]] = {
    "all": ((_function, _items), _ends(False)),
    "any": ((_function, _items), _ends(True)),
    "attrNames": ((_in_order,), lambda entries: [key for key, _ in entries]),
    "attrValues": ((_in_order,), lambda entries: [value for _, value in entries]),
    "boolToString": ((_bool,), lambda holds: "true" if holds else "false"),
    "compareVersions": ((_text, _text), compare_versions),
    "concatLists": ((_items,), _lists),
    "concatMap": ((_function, _items), lambda make, items: _lists(list(map(make, items)))),
    "concatMapStrings": ((_function, _items), partial(_concat_map_sep, "")),
    "concatMapStringsSep": ((text_of, _function, _items), _concat_map_sep),
    "concatStrings": ((_items,), partial(_concat_sep, "")),
    "concatStringsSep": ((text_of, _items), _concat_sep),
    "elem": ((_constant, _constants), lambda one, items: any(map(partial(is_same, one), items))),
    "elemAt": ((_items, _int), lambda items, at: items[at] if 0 <= at < len(items) else None),
    "filter": ((_function, _items), _filtered),
    "filterAttrs": ((_function, _entries), _filter_attrs),
    "flatten": ((_any,), _flat),
    "foldl'": ((_function, _any, _items), lambda make, start, items: reduce(make, items, start)),
    "genAttrs": ((_texts, _function), _gen_attrs),
    "getAttr": ((_text, _entries), lambda key, entries: dict(entries).get(key)),
    "hasAttr": ((_text, _entries), lambda key, entries: key in dict(entries)),
    "hasInfix": ((_text, _text), lambda sought, text: sought in text),
    "hasPrefix": ((_text, _text), lambda sought, text: text.startswith(sought)),
    "hasSuffix": ((_text, _text), lambda sought, text: text.endswith(sought)),
    "head": ((_not_empty,), lambda items: items[0]),
    "id": ((_any,), _any),
    "isAttrs": ((_any,), _kind(NixAttrs)),
    "isBool": ((_any,), _kind(also=(TRUE, FALSE))),
    "isFunction": ((_any,), _kind(NixLambda)),
    "isInt": ((_any,), _kind(NixInt)),
    "isList": ((_any,), _kind(NixList)),
    "isNull": ((_any,), _kind(also=(NULL,))),
    "isString": ((_any,), _kind(NixString)),
    "last": ((_not_empty,), lambda items: items[-1]),
    "length": ((_items,), len),
    "map": ((_function, _items), lambda make, items: list(map(make, items))),
    "mapAttrs": ((_function, _entries), _map_attrs),
    "mapAttrsToList": (
        (_function, _in_order),
        lambda make, entries: [make(NixString((key,)), value) for key, value in entries],
    ),
    "match": ((_text, _text), _match),
    "optional": ((_bool, _any), lambda holds, one: [one] if holds else []),
    "optionalAttrs": ((_bool, _any), lambda holds, one: one if holds else NixAttrs(())),
    "optionalString": ((_bool, _any), lambda holds, one: one if holds else ""),
    "optionals": ((_bool, _any), lambda holds, one: one if holds else []),
    "pipe": ((_any, _functions), _piped),
    "range": (
        (_int, _int),
        lambda one, last: list(range(one, last + 1)) if last - one < _MOST_RANGE else None,
    ),
    "remove": (
        (_constant, _constants),
        lambda one, items: [other for other in items if not is_same(other, one)],
    ),
    "removeAttrs": (
        (_entries, _texts),
        lambda entries, names: attrs_of([one for one in entries if one[0] not in names]),
    ),
    "removePrefix": ((_text, _text), lambda prefix, text: text.removeprefix(prefix)),
    "removeSuffix": ((_text, _text), lambda suffix, text: text.removesuffix(suffix)),
    "replaceChars": ((_texts, _texts, _text), _characters_replaced),
    "replaceStrings": ((_texts, _texts, _text), _replaced),
    "reverseList": ((_items,), lambda items: items[::-1]),
    "singleton": ((_any,), lambda one: [one]),
    "splitString": ((_text, _text), lambda between, text: text.split(between) if between else None),
    "stringLength": ((_text,), lambda text: len(_bytes(text))),
    "substring": ((_int, _int, _text), _cut),
    "tail": ((_not_empty,), lambda items: items[1:]),
    "toList": ((_any,), _to_list),
    "toLower": ((_text,), lambda text: text.translate(_LOWER)),
    "toString": ((_any,), _to_string),
    "toUpper": ((_text,), lambda text: text.translate(_UPPER)),
    "unique": ((_constants,), _unique),
    "versionAtLeast": ((_text, _text), lambda one, other: compare_versions(one, other) >= 0),
    "versionOlder": ((_text, _text), lambda one, other: compare_versions(one, other) < 0),
}
"""The arguments and the implementation of each function. A result of None keeps the call."""

FOLDED: Final = frozenset(_FUNCTIONS)
"""The names of the functions that this module evaluates."""
KNOWN_IN_LIBRARY: Final = frozenset(
    (
        "attrsets", "cmakeBool", "cmakeFeature", "enableFeature", "escapeShellArg",
        "escapeShellArgs", "fakeHash", "fakeSha256", "getBin", "getDev", "getLib", "licenses",
        "lists", "maintainers", "makeBinPath", "makeLibraryPath", "mesonBool", "mesonEnable",
        "mesonOption", "platforms", "recursiveUpdate", "sourceTypes", "strings", "subtractLists",
        "systems", "teams", "trivial", "versions", "withFeature",
    )
) | FOLDED - GLOBALS - {"compareVersions", "match"}  # fmt: skip
"""Names that nixpkgs' library has, whatever sets a `with` around them opens."""
