"""What functions and operators of Nix make of constants."""

from __future__ import annotations

import posixpath

from tvarc.byhand.importing.marks import plain
from tvarc.byhand.importing.trees import (
    attrs_of,
    entries_of,
    file_of_input,
    joined,
    own_text,
    path_node,
    path_of,
    text_of,
)
from tvarc.light import Callable, Final
from tvarc.nix.language.syntax import (
    FALSE,
    NULL,
    TRUE,
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixFloat,
    NixIdent,
    NixInt,
    NixList,
    NixOp,
    NixSelect,
    NixString,
    elements,
)

GLOBALS: Final = frozenset(
    (
        "abort", "baseNameOf", "break", "builtins", "derivation", "derivationStrict", "dirOf",
        "false", "fetchGit", "fetchMercurial", "fetchTarball", "fetchTree", "fromTOML", "import",
        "isNull", "map", "null", "placeholder", "removeAttrs", "scopedImport", "throw", "toString",
        "true",
    )
)  # fmt: skip
"""The names that Nix itself has: no `with` hides them."""

Call = Callable[[NixExpr, NixExpr], NixExpr]


def _constant(node: NixExpr) -> bool:
    match node:
        case NixInt() | NixFloat():
            return True
        case NixString():
            return text_of(node) is not None
        case NixList():
            return all(map(_constant, elements(node)))
        case _:
            return node in (TRUE, FALSE, NULL)


def folded_binary(op: NixOp, left: NixExpr, right: NixExpr) -> NixExpr:
    """`left op right`, worked out as far as both are known."""
    match op:
        case "+":
            return _plus(left, right)
        case "++":
            return _concatenated(left, right)
        case "//":
            return _updated(left, right)
        case "==" | "!=" if _constant(left) and _constant(right):
            return TRUE if (_bare(left) == _bare(right)) == (op == "==") else FALSE
        case "==" | "!=" if _differ(left, right):
            return FALSE if op == "==" else TRUE
        case "&&" if left in (TRUE, FALSE):
            return right if left == TRUE else FALSE
        case "||" if left in (TRUE, FALSE):
            return TRUE if left == TRUE else right
        case _:
            return NixBinary(op, left, right)


def _differ(left: NixExpr, right: NixExpr) -> bool:
    """Whether two values are of unlike kinds or lengths, whatever is in them."""
    match left, right:
        case NixList(), NixList():
            return len(left.items) != len(right.items)
        case (NixList() | NixAttrs() | NixString(), _) if right == NULL:
            return True
        case (_, NixList() | NixAttrs() | NixString()) if left == NULL:
            return True
        case _:
            return False


def _bare(node: NixExpr) -> NixExpr:
    text = text_of(node)
    return NixString((plain(text),)) if text is not None else node


def _plus(left: NixExpr, right: NixExpr) -> NixExpr:
    if isinstance(left, NixString) and isinstance(right, NixString):
        return joined((*left.parts, *right.parts))
    path, more = path_of(left), text_of(right)
    if path is not None and more is not None and plain(more).startswith("/"):
        return path_node(posixpath.normpath(path + plain(more)))
    file = file_of_input(left)
    if file is not None and isinstance(right, NixString):
        return NixBinary("+", file[0], joined((file[1], *right.parts)))
    own = own_text(left)
    if own is not None and isinstance(right, NixString):
        return joined((own, *right.parts))
    own = own_text(right)
    if own is not None and isinstance(left, NixString):
        return joined((*left.parts, own))
    return NixBinary("+", left, right)


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
    arguments = [argument]
    while isinstance(function, NixApply):
        arguments.insert(0, function.argument)
        function = function.function
    maker = _FUNCTIONS.get((function_name(function), len(arguments)))
    return maker(arguments, call) if maker is not None else None


def _items(node: NixExpr) -> list[NixExpr] | None:
    return elements(node) if isinstance(node, NixList) else None


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
        case NixList():
            return _concat_sep([NixString((" ",)), arguments[0]], call)
        case node if node in (TRUE, FALSE, NULL):
            return NixString(("1" if node == TRUE else "",))
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


def _elem(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _items(arguments[1])
    if items is None or not all(map(_constant, [arguments[0], *items])):
        return None
    return TRUE if _bare(arguments[0]) in map(_bare, items) else FALSE


def _concat_map(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    mapped = _map(arguments, call)
    return _lists([mapped], call) if mapped is not None else None


def _bool_to_string(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    if arguments[0] not in (TRUE, FALSE):
        return None
    return NixString(("true" if arguments[0] == TRUE else "false",))


def _asked(holds: Callable[[str, str], bool]) -> _Maker:
    """What a function that asks one text about another answers."""

    def made(arguments: list[NixExpr], call: Call) -> NixExpr | None:
        sought, text = map(text_of, arguments)
        if sought is None or text is None:
            return None
        return TRUE if holds(plain(text), plain(sought)) else FALSE

    return made


def _lists(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    items = _items(arguments[0])
    if items is None:
        return None
    made: NixExpr = NixList(())
    for item in items:
        made = _concatenated(made, item)
    return made


def _texts(change: Callable[[str], str]) -> _Maker:
    def made(arguments: list[NixExpr], call: Call) -> NixExpr | None:
        text = text_of(arguments[0])
        return NixString((change(plain(text)),)) if text is not None else None

    return made


def _replaced(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    sides = [_items(one) for one in arguments[:2]]
    text = text_of(arguments[2])
    if text is None or sides[0] is None or sides[1] is None or len(sides[0]) != 1:
        return None
    old, new = text_of(sides[0][0]), text_of(sides[1][0])
    if not old or new is None:
        return None
    return NixString((plain(text).replace(plain(old), plain(new)),))


def _own(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    """`lib.toList (old.x or [ ])`: the package's own list."""
    match arguments[-1]:
        case NixSelect(NixIdent("@old"), path, default) if default in (None, NixList(())):
            return NixSelect(NixIdent("@old"), path)
        case NixList():
            return arguments[-1] if len(arguments) == 1 else None
        case _:
            return None


def _without_null(arguments: list[NixExpr], call: Call) -> NixExpr | None:
    return _own(arguments, call) if arguments[0] == NULL else None


_Maker = Callable[["list[NixExpr]", Call], "NixExpr | None"]
_FUNCTIONS: Final[dict[tuple[str, int], _Maker]] = {
    ("concatStringsSep", 2): _concat_sep,
    ("concatMapStringsSep", 3): _concat_map_sep,
    ("concatStrings", 1): _concat,
    ("map", 2): _map,
    ("toString", 1): _to_string,
    ("optional", 2): _optional(NixList(()), one=True),
    ("optionals", 2): _optional(NixList(())),
    ("optionalString", 2): _optional(NixString(("",))),
    ("optionalAttrs", 2): _optional(NixAttrs(())),
    ("concatLists", 1): _lists,
    ("concatMap", 2): _concat_map,
    ("singleton", 1): _singleton,
    ("id", 1): _same,
    ("elem", 2): _elem,
    ("boolToString", 1): _bool_to_string,
    ("hasPrefix", 2): _asked(str.startswith),
    ("hasSuffix", 2): _asked(str.endswith),
    ("hasInfix", 2): _asked(str.__contains__),
    ("toUpper", 1): _texts(str.upper),
    ("toLower", 1): _texts(str.lower),
    ("replaceStrings", 3): _replaced,
    ("toList", 1): _own,
    ("remove", 2): _without_null,
}

KNOWN_IN_LIBRARY: Final = frozenset(
    (
        "any", "attrNames", "attrValues", "attrsets", "cmakeBool", "cmakeFeature",
        "concatMapStrings", "enableFeature", "escapeShellArg", "escapeShellArgs", "fakeHash",
        "fakeSha256",
        "filterAttrs", "flatten", "genAttrs", "getBin", "getDev", "getLib", "licenses", "lists",
        "maintainers", "makeBinPath", "makeLibraryPath", "mapAttrs", "mapAttrsToList", "mesonBool",
        "mesonEnable", "mesonOption", "platforms", "range", "recursiveUpdate", "sourceTypes",
        "splitString", "strings", "subtractLists", "systems", "teams", "trivial", "unique",
        "versionAtLeast", "versionOlder", "versions", "withFeature",
    )
) | {name for name, _ in _FUNCTIONS} - GLOBALS  # fmt: skip
"""Names that nixpkgs' library has, whatever else a `with` around it may open."""
