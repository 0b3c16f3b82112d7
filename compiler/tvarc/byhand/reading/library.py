"""Operators and functions of Nix, and functions of nixpkgs' library, on reduced nodes.

A function returns None for a call that stays as it is. Nix counts the bytes of a text, and changes
the case of ASCII letters alone.
"""

from __future__ import annotations

import posixpath
import re

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
from tvarc.light import Callable, Final, Sequence
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
    """Whether *node* is wholly known, and no function, path or number with a point is in it."""
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
    """`left op right`, worked out as far as both are known."""
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
            ends = _truth(op == "||")  # what either side decides alone
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
    """Whether two constants are equal: of sets the order of keys does not matter."""
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
    """Whether two values are of unlike kinds or lengths, whatever is in them."""
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
    """Which of two numbers or texts is the lesser one, as -1, 0 or 1."""
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
    """*function* of *argument*, where it is one that is known and given what is constant."""
    called, arguments = call_of(function)
    arguments.append(argument)
    maker = _FUNCTIONS.get((function_name(called), len(arguments)))
    return maker(arguments, call) if maker is not None else None


_Maker = Callable[["list[NixExpr]", Call], "NixExpr | None"]


def _items(node: NixExpr) -> list[NixExpr] | None:
    return elements(node) if isinstance(node, NixList) else None


def _text(node: NixExpr) -> str | None:
    """The text of a constant string, without marks."""
    text = text_of(node)
    return plain(text) if text is not None else None


def _texts(nodes: Sequence[NixExpr] | None) -> list[str] | None:
    """The texts of *nodes*, if all of them are constant strings."""
    if nodes is None:
        return None
    texts = [text for one in nodes if (text := _text(one)) is not None]
    return texts if len(texts) == len(nodes) else None


def _strings(texts: Sequence[str]) -> NixExpr:
    return NixList(tuple([NixString((text,)) for text in texts]))


def _of_texts(make: Callable[..., str | int | bool | NixExpr | None]) -> _Maker:
    """A function of constant texts, as *make* has it; of any others the call is left as it is."""

    def made(arguments: list[NixExpr], call: Call) -> NixExpr | None:
        texts = _texts(arguments)
        if texts is None:
            return None
        match make(*texts):
            case bool() as holds:
                return _truth(holds)
            case int() as number:
                return NixInt(number)
            case str() as text:
                return NixString((text,))
            case other:
                return other

    return made


def _concat_sep(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    separator, items = text_of(arguments[0]), _items(arguments[1])
    if separator is None or items is None:
        return None
    parts: list[str | NixExpr] = []
    for number, item in enumerate(items):
        if not isinstance(item, NixString):
            return None
        parts += ([separator] if number else []) + list(item.parts)
    return joined(parts)


def _concat_map_sep(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    mapped = _map(arguments[1:], call)
    return _concat_sep([arguments[0], mapped], call) if mapped is not None else None


def _concat_map_strings(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    return _concat_map_sep([NixString(("",)), *arguments], call)


def _concat(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    return _concat_sep([NixString(("",)), arguments[0]], call)


def _map(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _items(arguments[1])
    return None if items is None else NixList(tuple([call(arguments[0], one) for one in items]))


def _to_string(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    match arguments[0]:
        case NixString():
            return arguments[0]
        case NixInt(value):
            return NixString((str(value),))
        case NixList() as listed:
            items = elements(listed)
            parts: list[str | NixExpr] = []
            for number, item in enumerate(items):
                made = _to_string([item], call)
                if not isinstance(made, NixString):
                    return None
                parts += made.parts
                # Nix writes no blank after an empty list.
                if number < len(items) - 1 and item != NixList(()):
                    parts.append(" ")
            return joined(parts)
        case node if node in _CONSTANTS:
            return NixString(("1" if node == TRUE else "",))
        case node if input_of(node) is not None:
            return NixString((node,))  # it is in the store
        case _:
            return None


def _optional(empty: NixExpr, *, one: bool = False) -> _Maker:
    def made(arguments: list[NixExpr], call: Call) -> NixExpr | None:
        if arguments[0] not in (TRUE, FALSE):
            return None
        chosen = NixList((arguments[1],)) if one else arguments[1]
        return chosen if arguments[0] == TRUE else empty

    return made


def _singleton(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    return NixList((arguments[0],))


def _same(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    return arguments[0]


def _constants(items: Sequence[NixExpr] | None) -> list[NixExpr] | None:
    """*items*, if all of them are constant."""
    return list(items) if items is not None and all(map(is_constant, items)) else None


def _elem(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _constants(_items(arguments[1]))
    if items is None or not is_constant(arguments[0]):
        return None
    return _truth(any(is_same(arguments[0], one) for one in items))


def _concat_map(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    mapped = _map(arguments, call)
    return _lists([mapped], call) if mapped is not None else None


def _bool_to_string(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    if arguments[0] not in (TRUE, FALSE):
        return None
    return NixString(("true" if arguments[0] == TRUE else "false",))


def _lists(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _items(arguments[0])
    if items is None:
        return None
    made: NixExpr = NixList(())
    for item in items:
        made = _concatenated(made, item)
    return made


_UPPER: Final = {code: code - 32 for code in range(ord("a"), ord("z") + 1)}
_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def _upper(text: str) -> str:
    return text.translate(_UPPER)


def _lower(text: str) -> str:
    return text.translate(_LOWER)


def _has_infix(sought: str, text: str) -> bool:
    return sought in text


def _has_prefix(sought: str, text: str) -> bool:
    return text.startswith(sought)


def _has_suffix(sought: str, text: str) -> bool:
    return text.endswith(sought)


def _split(separator: str, text: str) -> NixExpr | None:
    return _strings(text.split(separator)) if separator else None


def _replaced(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    """`replaceStrings FROM TO TEXT`: at each place the first text of FROM that is there."""
    old, new = _texts(_items(arguments[0])), _texts(_items(arguments[1]))
    text = _text(arguments[2])
    if text is None or old is None or new is None or len(old) != len(new):
        return None
    if "" in old and not text.isascii():
        return None  # Nix would part the bytes of one character
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
    return NixString(("".join(made),))


def _to_list(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    if isinstance(arguments[0], NixList):
        return arguments[0]
    return NixList((arguments[0],)) if is_constant(arguments[0]) else None


def _removed(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _constants(_items(arguments[1]))
    if items is None or not is_constant(arguments[0]):
        return None
    return NixList(tuple([one for one in items if not is_same(one, arguments[0])]))


def _filtered(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _items(arguments[1])
    if items is None:
        return None
    answers = [call(arguments[0], one) for one in items]
    if any(answer not in (TRUE, FALSE) for answer in answers):
        return None
    return NixList(
        tuple([one for one, answer in zip(items, answers, strict=True) if answer == TRUE])
    )


def _decided_by(ends: NixExpr) -> _Maker:
    """`any` and `all`: *ends* is the answer for an element that alone decides the result."""

    def made(arguments: list[NixExpr], call: Call) -> NixExpr | None:
        items = _items(arguments[1])
        if items is None:
            return None
        for one in items:
            answer = call(arguments[0], one)
            if answer not in (TRUE, FALSE):
                return None
            if answer == ends:
                return ends
        return FALSE if ends == TRUE else TRUE

    return made


def _element(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _items(arguments[0])
    match arguments[1]:
        case NixInt(number) if items is not None and 0 <= number < len(items):
            return items[number]
        case _:
            return None


def _head(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _items(arguments[0])
    return items[0] if items else None


def _last(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _items(arguments[0])
    return items[-1] if items else None


def _tail(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _items(arguments[0])
    return NixList(tuple(items[1:])) if items else None


def _reversed(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _items(arguments[0])
    return NixList(tuple(items[::-1])) if items is not None else None


def _length(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _items(arguments[0])
    return NixInt(len(items)) if items is not None else None


def _unique(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _constants(_items(arguments[0]))
    if items is None:
        return None
    found: list[NixExpr] = []
    for item in items:
        if not any(is_same(item, one) for one in found):
            found.append(item)
    return NixList(tuple(found))


def _flat(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _items(arguments[0])
    if items is None:
        return NixList((arguments[0],)) if is_constant(arguments[0]) else None
    found: list[NixExpr] = []
    for item in items:
        made = _flat([item], call)
        if not isinstance(made, NixList):
            return None
        found += elements(made)
    return NixList(tuple(found))


def _range(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    match arguments:
        case [NixInt(first), NixInt(last)] if last - first < _MOST_RANGE:
            return NixList(tuple(map(NixInt, range(first, last + 1))))
        case _:
            return None


def _fold(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _items(arguments[2])
    if items is None:
        return None
    made = arguments[1]
    for item in items:
        made = call(call(arguments[0], made), item)
    return made


def _piped(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _items(arguments[1])
    if items is None:
        return None
    made = arguments[0]
    for function in items:
        made = call(function, made)
    return made


# --- sets ----------------------------------------------------------------------------------------


def _sorted_entries(node: NixExpr) -> Entries | None:
    """The entries of a set in the order in which Nix has them."""
    if not isinstance(node, NixAttrs):
        return None
    return sorted(entries_of(node), key=lambda entry: _bytes(entry[0]))


def _attr_names(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    entries = _sorted_entries(arguments[0])
    return _strings([key for key, _ in entries]) if entries is not None else None


def _attr_values(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    entries = _sorted_entries(arguments[0])
    return NixList(tuple([value for _, value in entries])) if entries is not None else None


def _has_attr(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    key = _text(arguments[0])
    if key is None or not isinstance(arguments[1], NixAttrs):
        return None
    return _truth(key in dict(entries_of(arguments[1])))


def _get_attr(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    key = _text(arguments[0])
    if key is None or not isinstance(arguments[1], NixAttrs):
        return None
    return dict(entries_of(arguments[1])).get(key)


def _map_attrs(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    if not isinstance(arguments[1], NixAttrs):
        return None
    return attrs_of(
        [
            (key, call(call(arguments[0], NixString((key,))), value))
            for key, value in entries_of(arguments[1])
        ]
    )


def _map_attrs_to_list(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    entries = _sorted_entries(arguments[1])
    if entries is None:
        return None
    named = [(NixString((key,)), value) for key, value in entries]
    return NixList(tuple([call(call(arguments[0], key), value) for key, value in named]))


def _filter_attrs(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    if not isinstance(arguments[1], NixAttrs):
        return None
    kept: Entries = []
    for key, value in entries_of(arguments[1]):
        answer = call(call(arguments[0], NixString((key,))), value)
        if answer not in (TRUE, FALSE):
            return None
        if answer == TRUE:
            kept.append((key, value))
    return attrs_of(kept)


def _gen_attrs(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    names = _texts(_items(arguments[0]))
    if names is None:
        return None
    made = {name: call(arguments[1], NixString((name,))) for name in names}
    return attrs_of(list(made.items()))


def _removed_attrs(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    names = _texts(_items(arguments[1]))
    if names is None or not isinstance(arguments[0], NixAttrs):
        return None
    return attrs_of([entry for entry in entries_of(arguments[0]) if entry[0] not in names])


def _kind(*kinds: type[NixExpr], also: tuple[NixExpr, ...] = ()) -> _Maker:
    """Whether a value is of one of *kinds*, or one of *also*."""

    def made(arguments: list[NixExpr], call: Call) -> NixExpr | None:
        known = isinstance(arguments[0], NixString | NixInt | NixFloat | NixList | NixAttrs)
        if not known and not isinstance(arguments[0], NixLambda) and arguments[0] not in _CONSTANTS:
            return None
        return _truth(isinstance(arguments[0], kinds) or arguments[0] in also)

    return made


# --- texts ---------------------------------------------------------------------------------------


def _cut(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    text = _text(arguments[2])
    match arguments:
        case [NixInt(start), NixInt(length), _] if text is not None and start >= 0:
            data = _bytes(text)
            try:
                end = len(data) if length < 0 else start + length
                return NixString((data[start:end].decode(),))
            except UnicodeDecodeError:
                return None  # half a character
        case _:
            return None


def _without_prefix(prefix: str, text: str) -> str:
    return text.removeprefix(prefix)


def _without_suffix(suffix: str, text: str) -> str:
    return text.removesuffix(suffix)


def _string_length(text: str) -> int:
    return len(_bytes(text))


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


def _at_least(version: str, least: str) -> bool:
    return compare_versions(version, least) >= 0


def _is_older(version: str, other: str) -> bool:
    return compare_versions(version, other) < 0


# What a pattern may have so that both read it alike: no alternatives, no group that is repeated.
_SIMPLE: Final = re.compile(
    r"(?:[\w\s\-.:,/=@%~_'\"!<>&;#]|\[[^\[\]\\^]+\]|\\[.+*?()\[\]{}]|[*+?()])*"
)
_REPEATED: Final = re.compile(r"(?:^|[(*+?)])[*+?]")


def _match(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    """`builtins.match`, for patterns that mean the same to Nix and to Python."""
    pattern, text = map(_text, arguments)
    if pattern is None or text is None or not (pattern.isascii() and text.isascii()):
        return None
    if not _SIMPLE.fullmatch(pattern) or _REPEATED.search(pattern):
        return None
    try:
        found = re.fullmatch(pattern, text, re.DOTALL)
    except re.error:
        return None
    if found is None:
        return NULL
    return _strings(found.groups())


_FUNCTIONS: Final[dict[tuple[str, int], _Maker]] = {
    ("all", 2): _decided_by(FALSE),
    ("any", 2): _decided_by(TRUE),
    ("attrNames", 1): _attr_names,
    ("attrValues", 1): _attr_values,
    ("boolToString", 1): _bool_to_string,
    ("compareVersions", 2): _of_texts(compare_versions),
    ("concatLists", 1): _lists,
    ("concatMap", 2): _concat_map,
    ("concatMapStrings", 2): _concat_map_strings,
    ("concatMapStringsSep", 3): _concat_map_sep,
    ("concatStrings", 1): _concat,
    ("concatStringsSep", 2): _concat_sep,
    ("elem", 2): _elem,
    ("elemAt", 2): _element,
    ("filter", 2): _filtered,
    ("filterAttrs", 2): _filter_attrs,
    ("flatten", 1): _flat,
    ("foldl'", 3): _fold,
    ("genAttrs", 2): _gen_attrs,
    ("getAttr", 2): _get_attr,
    ("hasAttr", 2): _has_attr,
    ("hasInfix", 2): _of_texts(_has_infix),
    ("hasPrefix", 2): _of_texts(_has_prefix),
    ("hasSuffix", 2): _of_texts(_has_suffix),
    ("head", 1): _head,
    ("id", 1): _same,
    ("isAttrs", 1): _kind(NixAttrs),
    ("isBool", 1): _kind(also=(TRUE, FALSE)),
    ("isFunction", 1): _kind(NixLambda),
    ("isInt", 1): _kind(NixInt),
    ("isList", 1): _kind(NixList),
    ("isNull", 1): _kind(also=(NULL,)),
    ("isString", 1): _kind(NixString),
    ("last", 1): _last,
    ("length", 1): _length,
    ("map", 2): _map,
    ("mapAttrs", 2): _map_attrs,
    ("mapAttrsToList", 2): _map_attrs_to_list,
    ("match", 2): _match,
    ("optional", 2): _optional(NixList(()), one=True),
    ("optionalAttrs", 2): _optional(NixAttrs(())),
    ("optionalString", 2): _optional(NixString(("",))),
    ("optionals", 2): _optional(NixList(())),
    ("pipe", 2): _piped,
    ("range", 2): _range,
    ("remove", 2): _removed,
    ("removeAttrs", 2): _removed_attrs,
    ("removePrefix", 2): _of_texts(_without_prefix),
    ("removeSuffix", 2): _of_texts(_without_suffix),
    ("replaceStrings", 3): _replaced,
    ("reverseList", 1): _reversed,
    ("singleton", 1): _singleton,
    ("splitString", 2): _of_texts(_split),
    ("stringLength", 1): _of_texts(_string_length),
    ("substring", 3): _cut,
    ("tail", 1): _tail,
    ("toList", 1): _to_list,
    ("toLower", 1): _of_texts(_lower),
    ("toString", 1): _to_string,
    ("toUpper", 1): _of_texts(_upper),
    ("unique", 1): _unique,
    ("versionAtLeast", 2): _of_texts(_at_least),
    ("versionOlder", 2): _of_texts(_is_older),
}

FOLDED: Final = frozenset([name for name, _ in _FUNCTIONS])
"""The names of the functions that are worked out here."""
KNOWN_IN_LIBRARY: Final = frozenset(
    (
        "attrsets", "cmakeBool", "cmakeFeature", "enableFeature", "escapeShellArg",
        "escapeShellArgs", "fakeHash", "fakeSha256", "getBin", "getDev", "getLib", "licenses",
        "lists", "maintainers", "makeBinPath", "makeLibraryPath", "mesonBool", "mesonEnable",
        "mesonOption", "platforms", "recursiveUpdate", "sourceTypes", "strings", "subtractLists",
        "systems", "teams", "trivial", "versions", "withFeature",
    )
) | FOLDED - GLOBALS - {"compareVersions", "match"}  # fmt: skip
"""Names that nixpkgs' library has, whatever else a `with` around it may open."""
