"""Follows names of a Nix text to what they are bound to, and reads what is written out there.

Texts and lists are put together where all parts are written out. A condition is decided where it is
made of constants. Functions of the recipe's own are applied, and files followed that it imports; of
nixpkgs' functions those that choose by a condition (`lib.optionals`), and those of `operators.py`,
which computes with values that are known. What is not understood is Unread.
"""

from __future__ import annotations

import re

from tvarc.byhand.audit.model import (
    Fetched,
    Followed,
    Found,
    Linked,
    Ref,
    Table,
    Unread,
    beside,
    unread_part,
)
from tvarc.byhand.audit.operators import (
    ASKING,
    COMPARING,
    MAX_TEXT,
    answer_to,
    combined,
    compared,
    is_constant,
    made_by,
)
from tvarc.byhand.audit.scopes import Bound, Located, Scope
from tvarc.light import Callable, Final, Iterable, Protocol
from tvarc.nix.language.quoting import interpolation
from tvarc.nix.language.reader import NotNix
from tvarc.nix.language.syntax import (
    NixApply,
    NixAssert,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixExpr,
    NixFloat,
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
    NixSlot,
    NixSteps,
    NixString,
    NixWith,
    children,
    elements,
    extent_of,
    names_in,
    written_path,
)

_MAX_STEPS: Final = 50_000
_MAX_DEPTH: Final = 120
_MAX_APPLIED: Final = 2_000
# What calls the function of a file with packages for all that its argument lacks.
_CALLERS_OF_FILES: Final = ("callPackage",)
COMMIT: Final = re.compile(r"\b[0-9a-f]{40}\b")
_CALLING_FILES: Final = ("import", *_CALLERS_OF_FILES)
_LITERALS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}
# The nixpkgs that a recipe imports, beside the one that its caller hands it.
OWN: Final = "nixpkgs"
_CALLERS: Final = ("pkgs", OWN)
# What nixpkgs' library makes of a value where a condition does not hold.
_CONDITIONAL: Final[dict[str, NixExpr | None]] = {
    "optional": NixList(()),
    "optionals": NixList(()),
    "optionalString": NixString(()),
    "optionalAttrs": NixAttrs(()),
    "mkIf": None,  # no value at all
}
_WRAPPING: Final = ("mkDefault", "mkForce", "mkOverride")
_LIBRARY: Final = "lib"
_DECIDED: Final = ("&&", "||", "->", *COMPARING)
_OTHER_FILE: Final = "it is in another file, which the audit does not read"


Opened = Callable[[str, str, int], "tuple[str, str, NixExpr] | str"]
"""Reads the file that is imported as the second in the file that is the first, and parses it with
places from the third on: its path, its text and what it says; a clause that says why where it is
not to be had."""


class Recipes(Protocol):
    """The recipes of a folder that others may need."""

    def file(self, importer: str, named: str) -> str:
        """The path of the one that the file *importer* calls *named*; empty for any other file."""

    def argument(self, name: str) -> str:
        """The path of the one that an argument of this *name* is; empty for any other."""


class Constants:
    """Reads the constants of one text, and of files that it imports as far as *opened* has them.

    What is one of *recipes* is not looked into: it says what it is in its own file. `whole` is set
    while that is asked which the text itself is made by.
    """

    __slots__ = (
        "_bodies",
        "_opened",
        "_recipes",
        "_refused",
        "_roots",
        "caller",
        "followed",
        "own",
        "path",
        "steps",
        "text",
        "whole",
    )

    def __init__(
        self,
        text: str,
        path: str = "",
        opened: Opened | None = None,
        recipes: Recipes | None = None,
    ) -> None:
        self.text = text
        self.path = path
        self.steps = 0
        self.caller = "pkgs"  # what the nixpkgs of the caller is called
        self.followed: list[Followed] = []
        self.whole = False
        self.own: Found = None  # what the nixpkgs of the recipe is fetched by, where that is known
        self._opened = opened
        self._recipes = recipes
        self._roots: dict[tuple[str, str], NixExpr | None] = {}
        self._refused: dict[str, str] = {}  # why, by the path as it is written
        self._bodies: dict[tuple[int, int], tuple[NixExpr, Scope, Located | None]] = {}

    def begin(self) -> None:
        """Begin with another package of the same text."""
        self.steps = 0
        self.caller = "pkgs"
        self.own = None

    def step(self) -> None:
        self.steps += 1
        if self.steps > _MAX_STEPS:
            raise NotNix("it takes more steps to follow than any recipe")

    def resolve(self, node: NixExpr, scope: Scope) -> Located:
        """What *node* is in the end, as far as names lead: through `let`, `with`, `assert`, written
        sets, and conditions that are constant. A name that leads nowhere is itself."""
        while True:
            self.step()
            match node:
                case NixLet(bindings, body):
                    scope = Scope(scope).bind(bindings, scope)
                    node = body
                case NixWith(environment, body):
                    opened = Scope(scope)
                    opened.within = (environment, scope)
                    node, scope = body, opened
                case NixAssert(_, body):
                    node = body
                case NixIdent(name):
                    bound = scope.look(name)
                    if bound is None or bound.node is None:
                        return node, scope
                    node, scope = bound.node, bound.scope
                case NixSelect(base, path):
                    inner = self._selected(base, path, scope)
                    if inner is None:
                        return node, scope
                    node, scope = inner
                case NixIf(condition, then, otherwise):
                    holds = self.truth(condition, scope)
                    if holds is None:
                        return node, scope
                    node = then if holds else otherwise
                case NixApply():
                    if not self.whole and self.linked(node, scope):
                        return node, scope
                    chosen = self._chosen(node, scope)
                    if chosen is not None:
                        node = chosen
                        continue
                    applied = self._applied(node, scope)
                    if applied is None:
                        return node, scope
                    node, scope = applied
                case _:
                    return node, scope

    def linked(self, node: NixExpr, scope: Scope) -> str:
        """The path of the other recipe that *node* is, as no name for it leads further: a call of
        its file, or an argument. Empty for anything else."""
        if self._recipes is None:
            return ""
        if isinstance(node, NixIdent):
            bound = scope.look(node.name)
            given = bound is not None and bound.node is None and bound.root == node.name
            return self._recipes.argument(node.name) if given else ""
        if not isinstance(node, NixApply):
            return ""
        called, at = self._by_name(node.function, scope)
        if not isinstance(called, NixApply) or last_step(called.function) not in _CALLING_FILES:
            return ""
        file, _ = self._by_name(called.argument, at)
        if not isinstance(file, NixPath):
            return ""
        return self._recipes.file(self._file_of(file), path_text(file))

    def named_recipes(self, root: NixExpr) -> frozenset[str]:
        """The paths of all other recipes that *root*, the whole text, names."""
        if self._recipes is None:
            return frozenset()
        found: set[str] = set()
        given: set[str] = set()
        used: set[str] = set()
        waiting = [root]
        while waiting:
            node = waiting.pop()
            match node:
                case NixPath():
                    found.add(self._recipes.file(self.path, path_text(node)))
                case NixLambda():
                    given.update([one.name for one in node.formals])
                case NixIdent(name):
                    used.add(name)
                case NixAttrs(entries) | NixLet(entries, _):
                    for one in entries:
                        if isinstance(one, NixInherit) and one.source is None:
                            used.update(one.names)
                case NixApply(NixApply(call, file), _) if last_step(call) in _CALLING_FILES:
                    waiting.append(file)  # what it is handed is for that one
                    continue
                case _:
                    pass
            waiting += children(node)
        found.update(map(self._recipes.argument, given & used))
        return frozenset(found - {"", self._recipes.file(self.path, f"./{_last(self.path)}")})

    def _by_name(self, node: NixExpr, scope: Scope) -> Located:
        """What *node* is bound to, through names alone."""
        while isinstance(node, NixIdent):
            self.step()
            bound = scope.look(node.name)
            if bound is None or bound.node is None:
                break
            node, scope = bound.node, bound.scope
        return node, scope

    def _file_of(self, node: NixExpr) -> str:
        """The path of the file that *node* stands in."""
        start = extent_of(node).start
        return next((one.path for one in reversed(self.followed) if start >= one.start), self.path)

    def _applied(self, node: NixApply, scope: Scope) -> Located | None:
        """What a function of the recipe's own says of its argument, and what a file says that is
        imported; None for any other call."""
        key = (id(node), id(scope))
        known = self._bodies.get(key)
        if known is None:
            if len(self._bodies) >= _MAX_APPLIED:
                return None
            self._bodies[key] = (node, scope, None)  # what asks for itself is not understood
            known = self._bodies[key] = (node, scope, self._body(node, scope))
        return known[2]

    def applied_to(self, function: Located, *arguments: Located) -> Located:
        """*function* called with *arguments*, each in the scope that it was written in."""
        scope = Scope()
        scope.names["function"] = Bound(*function)
        node: NixExpr = NixIdent("function", extent=extent_of(function[0]))
        for number, argument in enumerate(arguments):
            name = f"argument {number}"
            scope.names[name] = Bound(*argument)
            whole = extent_of(function[0])
            node = NixApply(node, NixIdent(name, extent=extent_of(argument[0])), extent=whole)
        return node, scope

    def _piped(self, start: Located, functions: Located) -> Located | None:
        """What `lib.pipe START [ … ]` is; None where the functions are not written out."""
        listed, at = self.resolve(*functions)
        if not isinstance(listed, NixList):
            return None
        for function in elements(listed):
            start = self.applied_to((function, at), start)
        return start

    def _body(self, node: NixApply, scope: Scope) -> Located | None:
        function, at = self.resolve(node.function, scope)
        match function:
            case NixApply(NixIdent("pipe") | NixSelect() as called, start) if last_step(
                called
            ) == "pipe" and self._of_library(called, at):
                return self._piped((start, at), (node.argument, scope))
            case NixIdent("import") if at.look("import") is None:
                return self._imported(node.argument, scope)
            case NixSelect(_, ("import",)):
                return self._imported(node.argument, scope)
            case NixLambda():
                return self._bound(function, at, (node.argument, scope), None)
            case NixApply() if last_step(function.function) in _CALLERS_OF_FILES:
                made = self._function(function.argument, at)
                if made is None:
                    return None
                base = function.function
                whose = base.base if isinstance(base, NixSelect) and len(base.path) == 1 else None
                return self._bound(*made, (node.argument, scope), (whose, at))
            case _:
                return None

    def _function(self, node: NixExpr, scope: Scope) -> tuple[NixLambda, Scope] | None:
        """The function that *node* is, or that the file says which it names."""
        node, scope = self.resolve(node, scope)
        if isinstance(node, NixPath):
            found = self._imported(node, scope)
            if found is None:
                return None
            node, scope = self.resolve(*found)
        return (node, scope) if isinstance(node, NixLambda) and node.formals else None

    def _imported(self, node: NixExpr, scope: Scope) -> Located | None:
        """What the file says that *node* names; None where it is not read."""
        node, _ = self.resolve(node, scope)
        if not isinstance(node, NixPath) or self._opened is None:
            return None
        inside = self._file_of(node)
        named = path_text(node)
        key = (inside, named)
        if key not in self._roots:
            begin = len(self.text) + 1
            found = self._opened(inside, named, begin)
            if isinstance(found, str):
                self._roots[key], self._refused[named] = None, found
            else:
                self._roots[key] = found[2]
                self.followed.append(Followed(found[0], found[1], begin))
                self.text = f"{self.text}\n{found[1]}"
        root = self._roots[key]
        return (root, Scope()) if root is not None else None

    def _bound(
        self,
        function: NixLambda,
        scope: Scope,
        argument: Located,
        caller: tuple[NixExpr | None, Scope] | None,
    ) -> Located | None:
        """The body of *function* with *argument* bound. *caller* hands on what the argument lacks:
        its own packages, as `callPackage` does; those of the scope where that is None."""
        inner = Scope(scope)
        if function.whole:
            inner.names[function.whole] = Bound(argument[0], argument[1])
        if not isinstance(function.parameter, str):
            given = self._given(*argument)
            if given is None:
                return None
            for formal in function.formals:
                if formal.name in given:
                    inner.names[formal.name] = Bound(*given[formal.name])
                elif formal.default is not None and caller is None:
                    inner.names[formal.name] = Bound(formal.default, inner)
                elif caller is not None and caller[0] is not None:
                    packages, outer = caller[0], caller[1]
                    named = NixSelect(packages, (formal.name,), extent=packages.extent)
                    inner.names[formal.name] = Bound(named, outer)
                else:
                    inner.names[formal.name] = Bound(None, inner, formal.name)
        return function.body, inner

    def _given(self, node: NixExpr, scope: Scope) -> dict[str, Located] | None:
        """The attributes of a set that is written out, `a // b` put together; None for another."""
        node, scope = self.resolve(node, scope)
        if isinstance(node, NixBinary) and node.op == "//":
            first, second = self._given(node.left, scope), self._given(node.right, scope)
            return first | second if first is not None and second is not None else None
        if not isinstance(node, NixAttrs):
            return None
        found: dict[str, Located] = {}
        for path, where in self.entries(node, scope):
            if path is None or len(path) != 1:
                return None
            found[path[0]] = where
        return found

    def _chosen(self, node: NixApply, scope: Scope) -> NixExpr | None:
        """What `lib.optionals CONDITION VALUE` and its like are; None where the condition is not
        decided, and for any other call."""
        function = node.function
        if isinstance(function, NixIdent | NixSelect) and last_step(function) in _WRAPPING[:2]:
            return node.argument if self._of_library(function, scope) else None
        if self._warns(function, scope):
            return node.argument
        if not isinstance(function, NixApply):
            return None
        name, condition = last_step(function.function), function.argument
        if name not in (*_CONDITIONAL, _WRAPPING[2]):
            return None
        if not self._of_library(function.function, scope):
            return None
        if name == _WRAPPING[2]:
            return node.argument
        holds = self.truth(condition, scope)
        if holds is None:
            return None
        if not holds:
            return _CONDITIONAL[name]
        return (
            NixList((node.argument,), extent=node.extent) if name == "optional" else node.argument
        )

    def is_left_out(self, node: NixExpr, scope: Scope) -> bool:
        """Whether *node* is `lib.mkIf CONDITION …` of a condition that does not hold."""
        node, scope = self.resolve(node, scope)
        if not isinstance(node, NixApply) or not isinstance(node.function, NixApply):
            return False
        function, condition = node.function.function, node.function.argument
        named = last_step(function) == "mkIf" and self._of_library(function, scope)
        return named and self.truth(condition, scope) is False

    def _warns(self, function: NixExpr, scope: Scope) -> bool:
        """Whether *function* is its argument, perhaps with a warning: `lib.warn "…"`, `lib.warnIf
        CONDITION "…"`, or one of these or `lib.id` by a condition."""
        if isinstance(function, NixIf):
            return self._warns(function.then, scope) and self._warns(function.otherwise, scope)
        if isinstance(function, NixIdent | NixSelect):
            return last_step(function) == "id" and self._of_library(function, scope)
        if not isinstance(function, NixApply):
            return False
        inner, wanted = function.function, "warn"
        if isinstance(inner, NixApply):
            inner, wanted = inner.function, "warnIf"
        return last_step(inner) == wanted and self._of_library(inner, scope)

    def _of_library(self, function: NixExpr, scope: Scope) -> bool:
        """Whether *function* is of nixpkgs' library."""
        if isinstance(function, NixIdent) and scope.look(function.name) is None:
            opened = [self.reference(*one) or "" for one in scope.surrounding()]
            return any(path.rpartition(".")[2] == _LIBRARY for path in opened)
        path = self.reference(function, scope)
        return path is not None and _LIBRARY in path.split(".")[:-1]

    def truth(self, node: NixExpr, scope: Scope) -> bool | None:
        """Whether the condition *node* holds; None where Nix alone knows."""
        node, scope = self.resolve(node, scope)
        match node:
            case NixIdent(name) if scope.look(name) is None:
                return _LITERALS.get(name)
            case NixNot(negated):
                holds = self.truth(negated, scope)
                return None if holds is None else not holds
            case NixBinary(operator, left, right) if operator in COMPARING:
                return compared(operator, self.value(left, scope), self.value(right, scope))
            case NixBinary(operator, left, right) if operator in _DECIDED:
                first = self.truth(left, scope)
                if operator == "->":
                    operator, first = "||", None if first is None else not first
                ends = operator == "||"  # what either side decides alone
                if first is ends:
                    return ends
                second = self.truth(right, scope)
                if second is ends:
                    return ends
                return None if first is None or second is None else not ends
            case NixApply():
                return self._asked(node, scope)
            case _:
                return None

    def _asked(self, node: NixApply, scope: Scope) -> bool | None:
        """What the functions say that ask about constants."""
        (function, at), arguments = self.called(node, scope)
        name = (self.reference(function, at) or "").rpartition(".")[2]
        if name not in ASKING or len(arguments) != 2:
            return None
        first, second = (self.value(*argument) for argument in arguments)
        return answer_to(name, first, second)

    def _selected(self, base: NixExpr, path: NixSteps, scope: Scope) -> Located | None:
        """The expression at *path* of a set that is written out."""
        if not path:
            return base, scope
        node, inside = self.resolve(base, scope)
        key = self._step(path[0], scope)
        if not isinstance(node, NixAttrs) or key is None:
            return None
        entries = Scope(inside).bind(node.entries, inside)
        found = entries.names.get(key)
        if found is None or found.node is None:
            return None
        # Only a recursive set sees its own names.
        at = found.scope if node.recursive or found.scope is not entries else inside
        if len(path) == 1:
            return found.node, at
        return NixSelect(found.node, path[1:], extent=found.node.extent), at

    def _step(self, key: str | NixExpr, scope: Scope) -> str | None:
        """A step of a path, be it computed of constants: `${sm}`; None where it is not known."""
        if isinstance(key, str):
            return key
        value = self.value(key, scope)
        return value if isinstance(value, str) and is_constant(value) else None

    def reference(self, node: NixExpr, scope: Scope) -> str | None:
        """The name of what only Nix knows: `final.cudaPackages_13`; None for anything else."""
        node, scope = self.resolve(node, scope)
        match node:
            case NixIdent(name):
                bound = scope.look(name)
                if bound is not None:
                    return self.caller if bound.root in _CALLERS else bound.root or None
                if name in _LITERALS:
                    return None
                for environment, outer in scope.surrounding():
                    above = self.reference(environment, outer)
                    return f"{above}.{name}" if above is not None else None
                return name
            case NixSelect(base, path):
                above = self.reference(base, scope)
                if above is None:
                    return None
                keys = [self._step(key, scope) for key in path]
                return ".".join((above, *filter(None, keys))) if None not in keys else None
            case NixPath() | NixSearchPath():
                return path_text(node)
            case NixApply():
                return self._instantiated(node, scope)
            case _:
                return None

    def _instantiated(self, node: NixApply, scope: Scope) -> str | None:
        """OWN for `import SOURCE { … }`, with or without more overlays."""
        (function, at), arguments = self.called(node, scope)
        if isinstance(function, NixSelect) and function.path[-1] in ("appendOverlays", "extend"):
            return self.reference(function.base, at) if len(function.path) == 1 else None
        if not isinstance(function, NixIdent) or function.name != "import" or at.look("import"):
            return None
        if len(arguments) != 2:
            return None
        source = self.value(*arguments[0]) if self.own is not None else None
        return _other_nixpkgs(source) if _are_apart(self.own, source) else OWN

    def called(self, node: NixExpr, scope: Scope) -> tuple[Located, list[Located]]:
        """The function of a call and its arguments, in order."""
        arguments: list[Located] = []
        function, at = self.resolve(node, scope)
        while isinstance(function, NixApply):
            arguments.append((function.argument, at))
            function, at = self.resolve(function.function, at)
        arguments.reverse()
        return (function, at), arguments

    def value(self, node: NixExpr, scope: Scope, depth: int = 0) -> Found:
        """What *node* says."""
        written, where = node, scope
        node, scope = self.resolve(node, scope)
        if depth > _MAX_DEPTH:
            return self.unread(written, where)
        other = self.linked(node, scope)
        if other:
            return Linked(other)
        match node:
            case NixString(parts):
                return self._text(parts, scope, depth)
            case NixInt(number):
                return number
            case NixFloat(text):
                return text
            case NixList():
                return tuple([self.value(item, scope, depth + 1) for item in elements(node)])
            case NixAttrs():
                entries = self.table(node, scope, depth)
                return entries if entries is not None else self.unread(written, where)
            case NixIdent(name) if name in _LITERALS and scope.look(name) is None:
                return _LITERALS[name]
        found: Found
        match node:
            case NixBinary(operator) if operator in _DECIDED:
                found = self.truth(node, scope)
            case NixNot():
                found = self.truth(node, scope)
            case NixBinary(operator, left, right):
                found = self._binary(operator, left, right, scope, depth)
            case NixApply():
                found = self._call(node, scope, depth)
                if found is None:
                    found = self._asked(node, scope)
            case NixIf(NixBinary("==", asked, NixIdent("null")), NixList(()), own) if self._is_old(
                asked, scope
            ):
                # `if old.patches or null == null then [ ] else old.patches`
                same = self.reference(asked, scope) == self.reference(own, scope)
                found = self.value(own, scope, depth + 1) if same else None
            case _:
                path = self.reference(node, scope)
                found = Ref(path) if path is not None else None
        return found if found is not None else self.unread(written, where)

    def _is_old(self, node: NixExpr, scope: Scope) -> bool:
        """Whether *node* is an attribute of the package that is changed."""
        return (self.reference(node, scope) or "").startswith("old.")

    def table(self, node: NixAttrs, scope: Scope, depth: int = 0) -> Table | None:
        """A set that is written out; None when a key is not."""
        entries: list[tuple[str, Found]] = []
        for path, (value, at) in self.entries(node, scope):
            if path is None:
                return None
            entries.append((".".join(path), self.value(value, at, depth + 1)))
        return Table(tuple(entries))

    def entries(
        self, node: NixAttrs, scope: Scope
    ) -> Iterable[tuple[tuple[str, ...] | None, Located]]:
        """The paths of a set and what stands there; None for a path that is not written out."""
        inside = Scope(scope).bind(node.entries, scope) if node.recursive else scope
        for one in node.entries:
            self.step()
            if isinstance(one, NixBinding):
                yield written_path(one.path), (one.value, inside)
                continue
            if isinstance(one, NixSlot):
                continue
            for name in one.names:
                if one.source is None:
                    yield (name,), (NixIdent(name, extent=one.extent), scope)
                else:
                    yield (name,), (NixSelect(one.source, (name,), extent=one.extent), inside)

    def _text(self, parts: tuple[str | NixExpr, ...], scope: Scope, depth: int) -> str:
        pieces: list[str] = []
        size = 0
        for part in parts:
            piece = part if isinstance(part, str) else self._interpolated(part, scope, depth)
            size += len(piece)
            if size > MAX_TEXT:
                raise NotNix("a text in it is larger than in any recipe")
            pieces.append(piece)
        return "".join(pieces)

    def _interpolated(self, node: NixExpr, scope: Scope, depth: int) -> str:
        value = self.value(node, scope, depth + 1)
        match value:
            case str():
                return value
            case Ref(path):
                return interpolation(path)
            case Linked(path):
                return interpolation(beside(path))
            case _:
                return unread_part(self.source(node))

    def _binary(
        self, operator: str, left: NixExpr, right: NixExpr, scope: Scope, depth: int
    ) -> Found | None:
        if operator not in ("++", "+", "//"):
            return None
        first = self.value(left, scope, depth + 1)
        second = self.value(right, scope, depth + 1)
        return combined(operator, first, second)

    def _call(self, node: NixApply, scope: Scope, depth: int) -> Found | None:
        (function, at), arguments = self.called(node, scope)
        path = self.reference(function, at)
        name = (path or "").rpartition(".")[2]
        values = [self.value(*argument, depth + 1) for argument in arguments]
        return made_by(name, values)

    def unread(self, node: NixExpr, scope: Scope) -> Unread:
        """*node* as it is written, with what it refers to: equal texts mean equal things."""
        why = self.why(node, scope)
        while isinstance(node, NixAssert):
            node = node.body
        texts = [self.source(node)]
        seen: set[str] = set()
        waiting: list[Located] = [(node, scope)]
        while waiting and len(seen) < 50:
            self.step()
            one, at = waiting.pop()
            for name in sorted(names_in([one])):
                bound = at.look(name)
                if bound is None or bound.node is None or name in seen:
                    continue
                seen.add(name)
                texts.append(f"{name} = {self.source(bound.node)}")
                waiting.append((bound.node, bound.scope))
        return Unread(texts[0], "; ".join(sorted(texts[1:])), why)

    def why(self, node: NixExpr, scope: Scope) -> str:
        """A clause that says why *node* is not understood."""
        node, scope = self.resolve(node, scope)
        match node:
            case NixIf():
                return "only Nix knows its condition"
            case NixNot():
                return "only Nix knows the condition"
            case NixBinary(operator, left, right):
                if operator in _DECIDED:
                    return "only Nix knows the condition"
                for side in (left, right):
                    inner, at = self.resolve(side, scope)
                    if isinstance(inner, NixIf | NixApply):
                        return self.why(inner, at)
                return f"`{operator}` has a side that is not a plain value"
            case NixApply():
                return self._why_not_applied(node, scope)
            case NixLambda():
                return "it is a function"
            case NixPath() | NixSearchPath():
                return self.why_not_read(node)
            case NixSelect():
                return "it is part of a value that the audit does not follow"
            case NixAttrs():
                return "it has computed names"
            case _:
                return "it is computed by Nix"

    def _why_not_applied(self, node: NixApply, scope: Scope) -> str:
        (function, at), arguments = self.called(node, scope)
        path = self.reference(function, at)
        name = (path or last_step(function)).rpartition(".")[2]
        if name in _CONDITIONAL:
            return "only Nix knows its condition"
        if name in ("import", "callPackage") and arguments:
            file, _ = self.resolve(*arguments[0])
            if isinstance(file, NixPath):
                return self.why_not_read(file)
        if name in ("override", "overrideAttrs", "overridePythonAttrs"):
            return "it changes a package in place"
        if name == "filter":
            return "it removes something from the package's own value"
        if isinstance(function, NixLambda):
            return "the audit does not apply a function that the recipe defines"
        return (
            f"the audit does not apply the function `{name}`"
            if name
            else "the audit does not apply a function"
        )

    def why_not_read(self, file: NixPath | NixSearchPath) -> str:
        """A clause that says why nothing is known of another file."""
        named = path_text(file)
        if self._refused.get(named):
            return f"{_OTHER_FILE}: {self._refused[named]}"
        read = any(name == named and root is not None for (_, name), root in self._roots.items())
        return "it is in another file, whose result is not understood" if read else _OTHER_FILE

    def source(self, node: NixExpr) -> str:
        """The text of *node*, on one line."""
        extent = extent_of(node)
        return " ".join(self.text[extent.start : extent.end].split())

    def strings(self, node: NixExpr, scope: Scope) -> frozenset[str]:
        """Every text that is written out in *node*, or in a constant that it names."""
        found: set[str] = set()
        waiting = [node]
        while waiting:
            self.step()
            one = waiting.pop()
            if isinstance(one, NixString):
                found |= {part for part in one.parts if isinstance(part, str)}
            if isinstance(one, NixIdent):
                bound = scope.look(one.name)
                if bound is not None and isinstance(bound.node, NixString | NixList):
                    waiting.append(bound.node)
            waiting += children(one)
        return frozenset(found)


def _are_apart(own: Found, source: Found) -> bool:
    """Whether *source* is surely another nixpkgs than that of the recipe."""
    if not (isinstance(own, Fetched) and isinstance(source, Fetched)):
        return False
    mine, theirs = dict(own.fields), dict(source.fields)
    return any(mine.get(key) != theirs.get(key) for key in ("url", "owner", "repo", "ref"))


def _other_nixpkgs(source: Found) -> str:
    """What another nixpkgs is called, by its commit if it names one."""
    texts = (
        [text for _, text in source.fields if isinstance(text, str)]
        if isinstance(source, Fetched)
        else []
    )
    commit = next((found[0] for text in texts if (found := COMMIT.search(text))), "")
    return f"{OWN}@{commit[:12] or 'another'}"


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def path_text(node: NixPath | NixSearchPath) -> str:
    """A path as it is written."""
    return f"<{node.name}>" if isinstance(node, NixSearchPath) else node.text


def receiver(method: NixSelect) -> NixExpr:
    """What the *method* that is selected last belongs to."""
    rest = method.path[:-1]
    return NixSelect(method.base, rest, extent=method.extent) if rest else method.base


def last_step(node: NixExpr) -> str:
    """The name itself, or the last step of a selection; empty for what is neither."""
    match node:
        case NixIdent(name):
            return name
        case NixSelect(_, path) if path and isinstance(path[-1], str):
            return path[-1]
        case _:
            return ""


def parameters(function: NixLambda) -> list[str]:
    """The names of the arguments of a curried function, empty for one that is a pattern."""
    names = [function.whole]
    body = function.body
    while isinstance(body, NixLambda):
        names.append(body.whole)
        body = body.body
    return names
