"""Reduces the expressions of one recipe. A part that cannot be reduced is kept with a reason.

A reduced expression names the caller's nixpkgs `@pkgs`, another argument `@given:NAME`, each
nixpkgs that the recipe makes itself `@nixpkgs:NUMBER`, and another recipe of the folder
`@recipe:PATH`.
"""

from __future__ import annotations

import posixpath

from tvarc.byhand.audit.names import Siblings
from tvarc.byhand.reading.library import FOLDED, function_name
from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.reduce import ARGUMENT, NESTED, Read, Reducer, bindings_of
from tvarc.byhand.reading.scopes import NOWHERE, Bound, Scope, root_scope
from tvarc.byhand.reading.shared import Followed, Imported, Key, Nixpkgs, RecipeParser
from tvarc.byhand.reading.trees import (
    GIVEN,
    attrs_of,
    call_of,
    entries_of,
    last_name,
    rewritten,
    selected,
    unread,
    why_unread,
)
from tvarc.light import Final, Iterable, replace
from tvarc.nix.language.printer import print_expr
from tvarc.nix.language.reader import NotNix
from tvarc.nix.language.syntax import (
    FALSE,
    TRUE,
    NixApply,
    NixAssert,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixExpr,
    NixFloat,
    NixFormal,
    NixHas,
    NixIdent,
    NixIf,
    NixInherit,
    NixInt,
    NixLambda,
    NixLet,
    NixList,
    NixNot,
    NixPath,
    NixSearchPath,
    NixSelect,
    NixString,
    children,
    extent_of,
)
from tvarc.nix.lower.values import INPUT

_MAX_STEPS: Final = 200_000
_MAX_HEADS: Final = 50_000
_MOST_NAMES: Final = 20  # for one value
_MAX_APPLIED: Final = 2_000
_CALL_PACKAGE: Final = "callPackage"
_CALLING_FILES: Final = ("import", _CALL_PACKAGE)
_CALLERS: Final = ("pkgs", "nixpkgs")
RECIPE: Final = "@recipe:"
"""Before the path of another recipe of the folder."""
_MADE: Final = "@nixpkgs:"
_FUNCTION: Final = "@function:"
"""Before the number of a function, whose body is reduced where it is applied."""
CALLER: Final = "@pkgs"
"""The nixpkgs of the caller."""
_EXTENDING: Final = ("appendOverlays", "extend")
_CONDITIONAL: Final = ("optional", "optionals", "optionalString", "optionalAttrs", "mkIf")
_WRAPPING: Final = ("mkDefault", "mkForce")
_DECIDED: Final = ("&&", "||", "->", "==", "!=", "<", "<=", ">", ">=")
_OTHER_FILE: Final = "it is in another file, which the audit does not read"
LEFT_OUT: Final = "its condition does not hold"

Located = tuple[NixExpr, Scope]
"""An expression and its scope."""


def nothing_read(importer: str, named: str) -> str:
    """A `Read` that reads no file and states no reason."""
    return ""


def given(name: str) -> NixExpr:
    """The value of the argument *name* of a recipe, which its caller passes."""
    if name in _CALLERS:
        return NixIdent(CALLER)
    return NixIdent("@lib" if name == "lib" else f"{GIVEN}{name}")


class TolerantReducer(Reducer):
    """Reduces the expressions of one text, and of the imported files that *read* returns. The
    *recipes* are not read, because each is read as a file of its own, except those in `inside`.
    Raises NotNix if a limit is exceeded.
    """

    most_steps = _MAX_HEADS
    most_in_all = _MAX_STEPS
    __slots__ = (
        "_bodies",
        "_first",
        "_forced",
        "_functions",
        "_pending",
        "_recipes",
        "_refused",
        "_roots",
        "_starts",
        "_wholes",
        "followed",
        "inside",
        "path",
        "text",
    )

    def __init__(
        self,
        parser: RecipeParser,
        text: str,
        path: str = "",
        read: Read = nothing_read,
        recipes: Siblings | None = None,
    ) -> None:
        super().__init__(parser, read)
        self.text = text
        self.path = path
        self.followed: list[Followed] = []
        self.inside: set[str] = set()
        self._place = posixpath.dirname(path)
        self._first = len(parser.nixpkgs)
        self._forced: set[int] = set()  # names that are being reduced because a value names them
        self._functions: dict[tuple[int, int], NixExpr] = {}
        self._pending: list[tuple[NixExpr, int]] = []  # sources, and the results made from them
        self._starts: set[int] = set()  # of the files that are followed
        self._recipes = recipes
        self._roots: dict[tuple[str, str], Imported] = {}
        self._refused: dict[str, str] = {}  # the reasons, by the path relative to the recipe
        self._wholes: dict[int, tuple[NixExpr, NixExpr]] = {}
        self._bodies: dict[tuple[int, int], tuple[NixExpr, Scope, Located | None]] = {}

    # --- the function of a recipe ----------------------------------------------------------

    def outside(self) -> Scope:
        """The scope of the text, in which nothing is bound."""
        return root_scope(self.path)

    def body(self, root: NixExpr) -> Located:
        """The body of the function of a recipe, with its arguments in scope."""
        node, scope = self.resolve(root, self.outside())
        while isinstance(node, NixLambda):
            node, scope = self.resolve(*self.opened(node, scope))
        return node, scope

    def all_given(self, function: NixLambda, scope: Scope) -> Located:
        return given(function.whole), NOWHERE

    def given(self, formal: NixFormal, scope: Scope) -> Located:
        return given(formal.name), NOWHERE

    def is_said(self, name: str, default: NixExpr, scope: Scope) -> bool:
        """Whether the default of an argument decides its value. It does if it is a constant that no
        attribute of nixpkgs replaces, or a nixpkgs that the recipe fetches. The name of an input is
        not in nixpkgs, so its default always counts. `<nixpkgs>` belongs to the caller, and so does
        a package that is named."""
        if name.endswith(INPUT):
            return True
        match default:
            case NixIdent("true" | "false") | NixInt() | NixFloat() | NixSearchPath():
                return True
            case NixString(parts):
                return all(isinstance(part, str) for part in parts)
            case NixPath():
                return False
            case _:
                pass
        node, at = self.resolve(default, scope)
        if isinstance(node, NixSelect):
            node, at = self.resolve(node.base, at)
        if not isinstance(node, NixApply):
            return False
        (function, _), arguments = self.called(node, at)
        name = last_name(function)
        if name != "import":
            return name == "getFlake" or name.startswith("fetch")
        source, _ = self.resolve(*arguments[0])
        return not isinstance(source, NixSearchPath)

    # --- the reduction of recipes ----------------------------------------------------------------

    def left(self, node: NixExpr, reason: str) -> NixExpr:
        if reason == NESTED:
            self._nested += 1
        return unread(node, reason)

    def _key_of(self, node: NixExpr, scope: Scope) -> Key | None:
        return super()._key_of(node, scope) if not self.inside else None

    def _sign_of(self, bound: Bound) -> object:
        if bound.sign is None:
            named = self._named_by(bound)
            bound.sign = super()._sign_of(named)
            if bound.sign is None and named.reduced is None and id(named) not in self._forced:
                self._forced.add(id(named))
                self._of(named)
                self._forced.discard(id(named))
                bound.sign = super()._sign_of(named)
        return bound.sign

    def _named_by(self, bound: Bound) -> Bound:
        """The binding whose value *bound* passes on, if it is a formal with a name as its argument,
        or an inherited name; otherwise *bound*."""
        for _ in range(_MOST_NAMES):
            node, scope = bound.node, bound.scope
            match node:
                case NixSelect(NixIdent(name), (str() as key,), None) if name == ARGUMENT:
                    found = self._entry(NixIdent(ARGUMENT), scope, key)
                    if found is None:
                        return bound
                    node, scope = found
                case _:
                    pass
            other = scope.look(node.name) if isinstance(node, NixIdent) else None
            if other is None or other is bound:
                return bound
            bound = other
        return bound

    def _lambda(self, node: NixLambda, scope: Scope) -> NixExpr:
        key = id(node), id(scope)
        known = self._functions.get(key)
        if known is None:
            number = len(self._parser.functions)
            self._parser.functions.append((node, scope))
            known = NixIdent(f"{_FUNCTION}{number}", extent=node.extent)
            self._functions[key] = known
        return known

    def function(self, node: NixExpr) -> Located | None:
        """The function *node*, which is reduced, and its scope."""
        match node:
            case NixIdent(name) if name.startswith(_FUNCTION):
                return self._parser.functions[int(name.removeprefix(_FUNCTION))]
            case NixLambda():
                return node, NOWHERE
            case _:
                return None

    def applied(self, node: NixExpr, *roots: str) -> NixExpr:
        """The function *node*, applied to as many of *roots* as it takes; *node* itself if it is
        not a function."""
        for root in roots:
            if self.function(node) is None:
                break
            node = self.call(node, NixIdent(root))
        return node

    def takes_two(self, node: NixExpr) -> bool:
        """Whether *node* is a function that returns a function."""
        found = self.function(node)
        body = found[0].body if found is not None and isinstance(found[0], NixLambda) else None
        while isinstance(body, NixAssert):
            body = body.body
        return isinstance(body, NixLambda)

    def whole(self, node: NixExpr) -> NixExpr:
        """The reduced *node* with the bodies of its functions reduced."""
        known = self._wholes.get(id(node))
        if known is not None:
            return known[1]

        def change(one: NixExpr) -> NixExpr | None:
            found = self.function(one) if isinstance(one, NixIdent) else None
            if found is None or not isinstance(found[0], NixLambda):
                return None
            return self.whole(super(TolerantReducer, self)._lambda(found[0], found[1]))

        made = rewritten(node, change)
        self._wholes[id(node)] = node, made
        return made

    def _add(self, size: int, node: NixExpr) -> None:
        self._size += size
        self.steps += size
        if self.steps > self.most_in_all:
            self.step()

    def _path(self, node: NixPath, scope: Scope) -> NixExpr:
        """The path *node*, relative to the recipe."""
        if scope.file in ("", self.path) or node.home or node.text.startswith("/"):
            return node
        place = posixpath.join(posixpath.dirname(scope.file), node.text)
        seen = posixpath.relpath(place, posixpath.dirname(self.path) or ".")
        return replace(node, text=seen if seen.startswith("../") else f"./{seen}")

    def _applied(self, node: NixApply, scope: Scope) -> Located | None:
        key = (id(node), id(scope))
        known = self._bodies.get(key)
        if known is None:
            if len(self._bodies) >= _MAX_APPLIED:
                return None
            self._bodies[key] = (node, scope, None)  # an import of itself is not understood
            known = self._bodies[key] = (node, scope, super()._applied(node, scope))
        return known[2]

    def _imported(self, path: NixPath, scope: Scope) -> Located | None:
        """The expression in the file *path*; None if the file is not read."""
        importer, named = scope.file or self.path, path_text(path)
        other = self._other_recipe(importer, named)
        if other:
            return NixIdent(f"{RECIPE}{other}", extent=path.extent), NOWHERE
        key = importer, named
        if key not in self._roots:
            self._roots[key] = self._follow(path, scope, *key)
        found = self._roots[key]
        self._note(found)
        return (found.file.root, root_scope(found.file.path)) if found.file is not None else None

    def _note(self, one: Imported) -> None:
        super()._note(one)
        if one.file is None:
            self._refused[one.named] = one.reason
        elif one.file.start not in self._starts:
            self._starts.add(one.file.start)
            self.followed.append(one.file)
            self.followed.sort(key=lambda other: other.start)

    def _other_recipe(self, importer: str, named: str) -> str:
        """The path of the other recipe that *importer* names; empty for any other file."""
        other = self._recipes.file(importer, named) if self._recipes is not None else ""
        return other if other not in self.inside else ""

    def _follow(self, path: NixPath, scope: Scope, importer: str, named: str) -> Imported:
        """The file that *importer* imports as *named*."""
        seen = self._path(path, scope)
        shown = seen.text if isinstance(seen, NixPath) else named
        found = self._read(importer, named)
        if not isinstance(found, str) and found[0] == self.path:
            found = "it refers back to this file"
        if isinstance(found, str):
            return Imported(shown, None, found)
        try:
            start, root = self._parser.followed(*found)
        except NotNix as fault:
            return Imported(shown, None, f"{found[0]}: {fault.reason}")
        return Imported(shown, Followed(*found, start, root))

    def of_flake(self, flake: NixExpr) -> NixExpr:
        return flake if flake == NixIdent(CALLER) else self._new(Nixpkgs(flake))

    # --- calls ----------------------------------------------------------------------------------

    def knot_of(self, function: NixExpr) -> NixExpr | None:
        match function:
            case NixApply(NixIdent("import"), source) if not _is_of_file(source):
                made = self._parser.nixpkgs
                made.append(Nixpkgs(source))
                self._pending.append((source, len(made) - 1))
                return NixIdent(f"{_MADE}{len(made) - 1}")
            case _:
                return None

    def call(self, function: NixExpr, argument: NixExpr) -> NixExpr:
        match function:
            case NixIdent(name) if name.startswith(RECIPE):
                return function
            case NixIdent(name) if name.startswith(_FUNCTION):
                called, at = self._parser.functions[int(name.removeprefix(_FUNCTION))]
                return self.reduce(called.body, self.entered(called, at, argument, NOWHERE))
            case NixApply(NixIdent("import"), source) if not _is_of_file(source):
                return self._new(Nixpkgs(source, argument))
            case NixSelect(NixIdent(base), (str() as method,), None) if (
                method in _EXTENDING and is_nixpkgs(base)
            ):
                more = argument if method == "appendOverlays" else NixList((argument,))
                return self._new(Nixpkgs(NixIdent(base), None, base, more))
            case NixApply(caller, made) if last_name(caller) == _CALL_PACKAGE:
                package = self._package(caller, made, argument)
                if package is not None:
                    return package
            case _:
                chosen = _chosen(function, argument)
                if chosen is not None:
                    return chosen
        return super().call(function, argument)

    def _new(self, made: Nixpkgs) -> NixExpr:
        """The root for *made*. Equal ones have one root."""
        kept = self._parser.nixpkgs
        if self._pending and self._pending[-1][0] is made.source and made.arguments is not None:
            _, number = self._pending.pop()
            kept[number] = made
            return NixIdent(f"{_MADE}{number}")
        for number in range(self._first, len(kept)):
            known = kept[number]
            if (known.source, known.arguments, known.base, known.overlays) == (
                made.source, made.arguments, made.base, made.overlays,
            ):  # fmt: skip
                return NixIdent(f"{_MADE}{number}")
        kept.append(made)
        return NixIdent(f"{_MADE}{len(kept) - 1}")

    def nixpkgs(self, root: str) -> Nixpkgs | None:
        """The nixpkgs *root* that the recipe makes itself; None for any other root."""
        if not root.startswith(_MADE):
            return None
        return self._parser.nixpkgs[int(root.removeprefix(_MADE))]

    def _package(self, caller: NixExpr, made: NixExpr, argument: NixExpr) -> NixExpr | None:
        """The result of `callPackage` for *made*, a function or its file, with *argument*. The set
        of *caller* passes the arguments that *argument* lacks. None if the function is not read."""
        function, at = made, NOWHERE
        if isinstance(made, NixPath):
            found = self._imported(made, at)
            if found is None:
                return None
            function, at = self.head(*found)
            if isinstance(function, NixIdent) and function.name.startswith(RECIPE):
                return function
        else:
            function, at = self.function(made) or (made, at)
        if not isinstance(function, NixLambda) or not function.formals:
            return None
        if not isinstance(argument, NixAttrs):
            return None
        passed = dict(entries_of(argument))
        for formal in function.formals:
            name, default = formal.name, formal.default
            if name in passed or (default is not None and self.is_said("", default, at)):
                continue
            match caller:
                case NixSelect(packages, (_,), None):
                    passed[name] = selected(packages, (name,))
                case _:
                    passed[name] = given(name)
        argument = attrs_of(list(passed.items()))
        return self.reduce(function.body, self.entered(function, at, argument, NOWHERE))

    def called(self, node: NixExpr, scope: Scope) -> tuple[Located, list[Located]]:
        """The function of a call and its arguments, in order."""
        arguments: list[Located] = []
        function, at = self.head(node, scope)
        while isinstance(function, NixApply):
            arguments.append((function.argument, at))
            function, at = self.head(function.function, at)
        arguments.reverse()
        return (function, at), arguments

    # --- sets that are reduced in part --------------------------------------------------------

    def resolve(self, node: NixExpr, scope: Scope) -> Located:
        """*node* with its names followed and its functions applied, until its kind is clear. A name
        that is not bound stays as it is."""
        node, scope = self.head(node, scope)
        if isinstance(node, NixApply) and self._library_call(node, scope):
            made = self.reduce(node, scope)
            if isinstance(made, NixList | NixAttrs | NixString | NixInt):
                return made, NOWHERE
            return self.function(made) or (node, scope)
        return node, scope

    def _library_call(self, node: NixApply, scope: Scope) -> bool:
        """Whether *node* calls a function of the library that the reader knows."""
        function, _ = call_of(node)
        if last_name(function) not in FOLDED:
            return False
        return bool(function_name(self.reduce(function, scope)))

    def entries(
        self, node: NixAttrs, scope: Scope
    ) -> Iterable[tuple[tuple[str, ...] | None, Located]]:
        """The paths of a set and their values; None for a path that is not known."""
        named = bindings_of(node)
        inside = self.bound(named, scope) if node.recursive else scope
        for one in named:
            self.step()
            if isinstance(one, NixBinding):
                yield self.keys(one.path, inside), (one.value, inside)
                continue
            for name in one.names:
                if one.source is None:
                    yield (name,), (NixIdent(name, extent=one.extent), scope)
                else:
                    yield (name,), (NixSelect(one.source, (name,), extent=one.extent), inside)

    # --- other recipes --------------------------------------------------------------------------

    def linked(self, node: NixExpr) -> str:
        """The path of the other recipe that the reduced *node* calls by its file or takes as an
        argument; empty for any other expression."""
        match node:
            case NixIdent(name) if name.startswith(RECIPE):
                return name.removeprefix(RECIPE)
            case NixIdent(name) if name.startswith(GIVEN) and self._recipes is not None:
                return self._recipes.argument(name.removeprefix(GIVEN))
            case _:
                return ""

    def named_recipes(self, root: NixExpr) -> frozenset[str]:
        """The paths of all other recipes that the whole text *root* names."""
        if self._recipes is None:
            return frozenset()
        found: set[str] = set()
        arguments: set[str] = set()
        used: set[str] = set()
        waiting = [root]
        while waiting:
            node = waiting.pop()
            match node:
                case NixPath():
                    found.add(self._recipes.file(self.path, path_text(node)))
                case NixLambda():
                    arguments.update([one.name for one in node.formals])
                case NixIdent(name):
                    used.add(name)
                case NixAttrs(entries) | NixLet(entries, _):
                    for one in entries:
                        if isinstance(one, NixInherit) and one.source is None:
                            used.update(one.names)
                case NixApply(NixApply(call, file), _) if last_name(call) in _CALLING_FILES:
                    waiting.append(file)  # its arguments belong to that one
                    continue
                case _:
                    pass
            waiting += children(node)
        found.update(map(self._recipes.argument, arguments & used))
        own = self._recipes.file(self.path, f"./{posixpath.basename(self.path)}")
        return frozenset(found - {"", own})

    # --- what is not understood -----------------------------------------------------------------

    def why(self, node: NixExpr) -> str:
        """A clause that says why the reduced *node* is not understood."""
        reason = why_unread(node)
        if reason is not None:
            return reason
        if self.function(node) is not None:
            return "it is a function"
        match node:
            case NixIf():
                return "only Nix knows its condition"
            case NixNot() | NixHas():
                return "only Nix knows the condition"
            case NixBinary(operator, left, right):
                if operator in _DECIDED:
                    return "only Nix knows the condition"
                for side in (left, right):
                    if isinstance(side, NixIf | NixApply):
                        return self.why(side)
                return f"`{operator}` has a side that is not a plain value"
            case NixApply():
                return self._why_not_applied(node)
            case NixPath() | NixSearchPath():
                return self.why_not_read(node)
            case NixSelect():
                return "it is part of a value that the audit does not follow"
            case NixAttrs():
                return "it has computed names"
            case _:
                return "it is computed by Nix"

    def _why_not_applied(self, node: NixApply) -> str:
        function, arguments = call_of(node)
        name = last_name(function)
        if name in _CONDITIONAL:
            return "only Nix knows its condition"
        if name in _CALLING_FILES and isinstance(arguments[0], NixPath):
            return self.why_not_read(arguments[0])
        if name in ("override", "overrideAttrs", "overridePythonAttrs"):
            return "it changes a package in place"
        if name == "filter":
            return "it removes something from the package's own value"
        return (
            f"the audit does not apply the function `{name}`"
            if name
            else "the audit does not apply a function"
        )

    def why_not_read(self, file: NixPath | NixSearchPath) -> str:
        """A clause that says why nothing is known about another file."""
        named = path_text(file)
        if self._refused.get(named):
            return f"{_OTHER_FILE}: {self._refused[named]}"
        read = any(one.named == named and one.file is not None for one in self._imports)
        return "it is in another file, whose result is not understood" if read else _OTHER_FILE

    def source(self, node: NixExpr) -> str:
        """The text of *node*, on one line: from its file, or printed if it is in no file."""
        while isinstance(node, NixAssert):
            node = node.body
        extent = extent_of(node)
        if not extent.end:
            return " ".join(print_expr(rewritten(node, _in_words)).split())
        text, start = self.text, 0
        for one in self.followed:
            if one.start <= extent.start:
                text, start = one.text, one.start
        return " ".join(text[extent.start - start : extent.end - start].split())


def _in_words(node: NixExpr) -> NixExpr | None:
    """A root, or a part that is not understood, as a valid name in Nix."""
    match node:
        case NixApply() if why_unread(node) is not None:
            return NixIdent("unknown")
        case NixIdent(name) if name.startswith("@"):
            return NixIdent(name.removeprefix(GIVEN).removeprefix("@").partition(":")[0])
        case _:
            return None


def _chosen(function: NixExpr, argument: NixExpr) -> NixExpr | None:
    """*argument*, if *function* of the library only wraps it, in a condition that holds or a
    warning; None for any other call."""
    if function_name(function) in _WRAPPING or _warns(function):
        return argument
    match function:
        case NixApply(inner, condition) if function_name(inner) == "mkIf":
            if condition == FALSE:
                return unread(argument, LEFT_OUT)
            return argument if condition == TRUE else None
        case NixApply(inner, _) if function_name(inner) == "mkOverride":
            return argument
        case _:
            return None


def _warns(function: NixExpr) -> bool:
    """Whether *function* returns its argument, perhaps with a warning: `lib.warn "…"`, `lib.warnIf
    CONDITION "…"`, or one of these or `lib.id` by a condition."""
    match function:
        case NixIf(_, then, otherwise):
            return _warns(then) and _warns(otherwise)
        case NixApply(NixApply(inner, _), _):
            return function_name(inner) == "warnIf"
        case NixApply(inner, _):
            return function_name(inner) == "warn"
        case _:
            return function_name(function) == "id"


def is_nixpkgs(root: str) -> bool:
    """Whether *root* is a nixpkgs."""
    return root == CALLER or root.startswith(_MADE)


def _is_of_file(source: NixExpr) -> bool:
    """Whether *source* names a file of Nix, and not a folder."""
    match source:
        case NixPath(text) | NixString((*_, str() as text)) | NixBinary("+", _, NixString((text,))):
            return isinstance(text, str) and plain(text).endswith(".nix")
        case _:
            return False


def path_text(node: NixPath | NixSearchPath) -> str:
    """A path in its written form."""
    return f"<{node.name}>" if isinstance(node, NixSearchPath) else node.text
