"""What the expressions of one recipe say, as far as the reader of Nix reduces them.

Names of the caller and of nixpkgs stay as they are; what is not understood is Unread. Every value
keeps the place where it is written, so a set, a list or a text is read part by part.
"""

from __future__ import annotations

import re

from tvarc.byhand.audit.model import (
    Added,
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
from tvarc.byhand.reading.library import FOLDED, function_name
from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.reduce import ARGUMENT, Read, Reducer, bindings_of
from tvarc.byhand.reading.scopes import NOWHERE, Bound, Scope, root_scope
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import root_of, unread, why_unread
from tvarc.light import Final, Iterable, Iterator, Protocol
from tvarc.nix.language.quoting import interpolation
from tvarc.nix.language.reader import NotNix
from tvarc.nix.language.syntax import (
    FALSE,
    NULL,
    TRUE,
    NixApply,
    NixAssert,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixExpr,
    NixFloat,
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
    NixSteps,
    NixString,
    children,
    elements,
    extent_of,
    names_in,
    written_path,
)

_MAX_STEPS: Final = 50_000
_MAX_DEPTH: Final = 120
_MAX_APPLIED: Final = 2_000
_MAX_TEXT: Final = 1 << 18
# What calls the function of a file with packages for all that its argument lacks.
_CALLERS_OF_FILES: Final = ("callPackage",)
COMMIT: Final = re.compile(r"\b[0-9a-f]{40}\b")
_CALLING_FILES: Final = ("import", *_CALLERS_OF_FILES)
# The nixpkgs that a recipe imports, beside the one that its caller hands it.
OWN: Final = "nixpkgs"
_CALLERS: Final = ("pkgs", OWN)
_GIVEN: Final = "@given:"  # before the name of an argument of the recipe
_CONDITIONAL: Final = ("optional", "optionals", "optionalString", "optionalAttrs", "mkIf")
_WRAPPING: Final = ("mkDefault", "mkForce", "mkOverride")
_DECIDED: Final = ("&&", "||", "->", "==", "!=", "<", "<=", ">", ">=")
_OTHER_FILE: Final = "it is in another file, which the audit does not read"
_REFS: Final = ("rev", "tag")
_HASHES: Final = ("sha256", "outputHash")
_FETCHING: Final = "fetch"
EXTENDING: Final = ("appendOverlays", "extend")
_MAKING: Final = ("import", *EXTENDING)
_OF_OWN: Final = ("toString", "toList", "remove")  # what makes the package's own value fit

Located = tuple[NixExpr, Scope]
"""An expression, and the scope that it was written in."""


class Recipes(Protocol):
    """The recipes of a folder that others may need."""

    def file(self, importer: str, named: str) -> str:
        """The path of the one that the file *importer* calls *named*; empty for any other file."""

    def argument(self, name: str) -> str:
        """The path of the one that an argument of this *name* is; empty for any other."""


def nothing_read(importer: str, named: str) -> str:
    """Why a file is not read where no file is, as a `Read`: there is no more to say."""
    return ""


def given(name: str) -> NixExpr:
    """What stands for the argument *name* of a recipe, which its caller passes."""
    if name in _CALLERS:
        return NixIdent("@pkgs")
    return NixIdent("@lib" if name == "lib" else f"{_GIVEN}{name}")


def is_argument(node: NixExpr) -> bool:
    """Whether *node* is an argument of the recipe."""
    return isinstance(node, NixIdent) and (node.name == "@pkgs" or node.name.startswith(_GIVEN))


def is_root(node: NixExpr) -> bool:
    """Whether *node* is what a function is applied to, or a nixpkgs."""
    return isinstance(node, NixIdent) and node.name.startswith("@")


class Constants(Reducer):
    """Reads the constants of one text, and of files that it imports as far as *read* has them.

    One of *recipes* is not looked into, because it is read as a file of its own. `whole` is set
    while the reader looks into it all the same. Raises NotNix for too much of anything.
    """

    most_steps = _MAX_STEPS
    __slots__ = (
        "_bodies",
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
        parser: RecipeParser,
        text: str,
        path: str = "",
        read: Read = nothing_read,
        recipes: Recipes | None = None,
    ) -> None:
        super().__init__(parser, read)
        self.text = text
        self.path = path
        self.steps = 0
        self.caller = "pkgs"  # what the nixpkgs of the caller is called
        self.followed: list[Followed] = []
        self.whole = False
        self.own: Found = None  # what the nixpkgs of the recipe is fetched by, where that is known
        self._recipes = recipes
        self._roots: dict[tuple[str, str], Followed | None] = {}
        self._refused: dict[str, str] = {}  # why, by the path as it is written
        self._bodies: dict[tuple[int, int], tuple[NixExpr, Scope, Located | None]] = {}

    def begin(self) -> None:
        """Begin with another package of the same text."""
        self.steps = 0
        self.caller = "pkgs"
        self.own = None

    def outside(self) -> Scope:
        """The scope of the text, in which nothing is bound."""
        return root_scope(self.path)

    def step(self, count: int = 1) -> None:
        self.steps += count
        if self.steps > _MAX_STEPS:
            raise NotNix("it takes more steps to follow than any recipe")

    # --- how the reader goes about recipes ------------------------------------------------------

    def left(self, node: NixExpr, reason: str) -> NixExpr:
        return unread(node, reason)

    def _add(self, size: int, node: NixExpr) -> None:
        self.step(size)

    def _path(self, node: NixPath, scope: Scope) -> NixExpr:
        return node  # as it is written

    def _step(self, node: NixExpr, scope: Scope) -> Located | None:
        self.step()
        if not isinstance(node, NixApply):
            return super()._step(node, scope)
        if not self.whole and self.linked(node, scope):
            return None
        key = (id(node), id(scope))
        known = self._bodies.get(key)
        if known is None:
            if len(self._bodies) >= _MAX_APPLIED:
                return None
            self._bodies[key] = (node, scope, None)  # what asks for itself is not understood
            found = self._chosen(node, scope) or super()._step(node, scope)
            known = self._bodies[key] = (node, scope, found)
        return known[2]

    def _reduced(self, node: NixExpr, scope: Scope) -> NixExpr:
        if isinstance(node, NixApply):
            path = self._instantiated(node, scope)
            if path is not None:
                return NixIdent(f"@{path}")
        return super()._reduced(node, scope)

    def _applied(self, function: NixExpr, argument: NixExpr, scope: Scope) -> Located | None:
        called, at = self.head(function, scope)
        match called:
            case NixApply(NixIdent("pipe") | NixSelect() as piped, start) if last_step(
                piped
            ) == "pipe" and self._of_library(piped, at):
                return self._piped((start, at), (argument, scope))
            case NixApply(caller, file) if last_step(caller) in _CALLERS_OF_FILES:
                made = self._function(file, at)
                if made is None:
                    return None
                whose = caller.base if isinstance(caller, NixSelect) else None
                alone = isinstance(caller, NixSelect) and len(caller.path) == 1
                return self._called(*made, (argument, scope), (whose if alone else None, at))
            case _:
                return super()._applied(function, argument, scope)

    def _imported(self, path: NixPath, scope: Scope) -> Located | None:
        """What the file says that *path* names; None where it is not read."""
        key = scope.file, path_text(path)
        if key not in self._roots:
            self._roots[key] = self._follow(*key)
        found = self._roots[key]
        return (found.root, root_scope(found.path)) if found is not None else None

    def _follow(self, importer: str, named: str) -> Followed | None:
        """The file that *importer* imports as *named*; None where it is not read."""
        found = self._read(importer, named)
        if not isinstance(found, str) and found[0] == self.path:
            found = "it refers back to this file"
        if isinstance(found, str):
            self._refused[named] = found
            return None
        try:
            start, root = self._parser.followed(*found)
        except NotNix as fault:
            self._refused[named] = f"{found[0]}: {fault.reason}"
            return None
        followed = Followed(*found, start, root)
        self.followed.append(followed)
        return followed

    # --- names ----------------------------------------------------------------------------------

    def resolve(self, node: NixExpr, scope: Scope) -> Located:
        """What *node* is in the end, as far as names and functions lead. A name that leads nowhere
        is itself."""
        node, scope = self.head(node, scope)
        if isinstance(node, NixApply) and self._library_call(node, scope):
            made = self.reduce(node, scope)
            if isinstance(made, NixList | NixAttrs | NixString | NixInt | NixLambda):
                return made, NOWHERE
        return node, scope

    def _library_call(self, node: NixApply, scope: Scope) -> bool:
        """Whether *node* calls a function of the library that the reader knows."""
        function: NixExpr = node
        while isinstance(function, NixApply):
            function = function.function
        if last_step(function) not in FOLDED:
            return False
        return bool(function_name(self.reduce(function, scope)))

    def keys(self, path: NixSteps, scope: Scope) -> tuple[str, ...] | None:
        """The names in *path*, be they computed of constants; None where one is not known."""
        names = written_path(path)
        if names is None:
            steps = [self._key(step, scope) for step in path]
            known = tuple([step for step in steps if step is not None])
            names = known if len(known) == len(steps) else None
        return names

    def linked(self, node: NixExpr, scope: Scope) -> str:
        """The path of the other recipe that *node* is, as no name for it leads further: a call of
        its file, or an argument. Empty for anything else."""
        if self._recipes is None:
            return ""
        if isinstance(node, NixIdent):
            bound = scope.look(node.name)
            name = bound.node.name if bound and isinstance(bound.node, NixIdent) else node.name
            own = name.removeprefix(_GIVEN)
            return self._recipes.argument(own) if own != name else ""
        if not isinstance(node, NixApply):
            return ""
        called, at = self._by_name(node.function, scope)
        if not isinstance(called, NixApply) or last_step(called.function) not in _CALLING_FILES:
            return ""
        file, where = self._by_name(called.argument, at)
        return self._recipes.file(where.file, path_text(file)) if isinstance(file, NixPath) else ""

    def named_recipes(self, root: NixExpr) -> frozenset[str]:
        """The paths of all other recipes that *root*, the whole text, names."""
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
                case NixApply(NixApply(call, file), _) if last_step(call) in _CALLING_FILES:
                    waiting.append(file)  # what it is handed is for that one
                    continue
                case _:
                    pass
            waiting += children(node)
        found.update(map(self._recipes.argument, arguments & used))
        return frozenset(found - {"", self._recipes.file(self.path, f"./{_last(self.path)}")})

    def _by_name(self, node: NixExpr, scope: Scope) -> Located:
        """What *node* is bound to, through names alone."""
        while isinstance(node, NixIdent):
            self.step()
            bound = scope.look(node.name)
            if bound is None:
                break
            node, scope = bound.node, bound.scope
        return node, scope

    def reference(self, node: NixExpr, scope: Scope) -> str | None:
        """The name of what only Nix knows: `final.cudaPackages_13`; None for anything else."""
        node, scope = self.resolve(node, scope)
        match node:
            case NixIdent(name):
                if node in (TRUE, FALSE, NULL):
                    return None
                return self._root_name(name)
            case NixSelect(base, path):
                above = self.reference(base, scope)
                if above is None:
                    return None
                keys = self.keys(path, scope)
                return ".".join((above, *keys)) if keys is not None else None
            case NixPath() | NixSearchPath():
                return path_text(node)
            case NixApply():
                return self._instantiated(node, scope)
            case _:
                return None

    def _root_name(self, name: str) -> str:
        """What a root is called in words."""
        if name == "@pkgs":
            return self.caller
        return name.removeprefix(_GIVEN).removeprefix("@")

    def _instantiated(self, node: NixApply, scope: Scope) -> str | None:
        """OWN for `import SOURCE { … }`, with or without more overlays."""
        if not _may_import(node):
            return None
        (function, at), arguments = self.called(node, scope)
        if isinstance(function, NixSelect) and function.path[-1] in EXTENDING:
            return self.reference(function.base, at) if len(function.path) == 1 else None
        if function != NixIdent("import") or len(arguments) != 2:
            return None
        if _is_of_file(self.head(*arguments[0])[0]):
            return None
        source = self.value(*arguments[0]) if self.own is not None else None
        return _other_nixpkgs(source) if _are_apart(self.own, source) else OWN

    # --- calls ----------------------------------------------------------------------------------

    def opened(self, function: NixLambda, scope: Scope, root: str) -> Located:
        """The body of *function*, which is applied to what is called *root*."""
        inner = Scope(scope, {}, scope.file)
        whole = NixIdent(f"@{root}")
        if function.whole:
            inner.names[function.whole] = Bound(whole, NOWHERE)
        for formal in function.formals:
            inner.names[formal.name] = Bound(NixSelect(whole, (formal.name,)), NOWHERE)
        return function.body, inner

    def applied_to(self, function: Located, *arguments: Located) -> Located:
        """*function* called with *arguments*, each in the scope that it was written in."""
        scope = Scope(None, {"function": Bound(*function)}, function[1].file)
        whole = extent_of(function[0])
        node: NixExpr = NixIdent("function", extent=whole)
        for number, argument in enumerate(arguments):
            name = f"argument {number}"
            scope.names[name] = Bound(*argument)
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

    def _function(self, node: NixExpr, scope: Scope) -> tuple[NixLambda, Scope] | None:
        """The function that *node* is, or that the file says which it names."""
        node, scope = self.resolve(node, scope)
        if isinstance(node, NixPath):
            found = self._imported(node, scope)
            if found is None:
                return None
            node, scope = self.resolve(*found)
        return (node, scope) if isinstance(node, NixLambda) and node.formals else None

    def _called(
        self,
        function: NixLambda,
        scope: Scope,
        argument: Located,
        caller: tuple[NixExpr | None, Scope],
    ) -> Located | None:
        """The body of *function* as `callPackage` calls it with *argument*: *caller* passes what
        that lacks, its own packages; those of the recipe's caller where that is None."""
        names = self._names_given(*argument)
        if names is None:
            return None
        inner = Scope(scope, {ARGUMENT: Bound(*argument)}, scope.file)
        if function.whole:
            inner.names[function.whole] = Bound(*argument)
        packages, outer = caller
        for formal in function.formals:
            name = formal.name
            if name in names:
                inner.names[name] = Bound(NixSelect(NixIdent(ARGUMENT), (name,)), inner)
            elif packages is not None:
                named = NixSelect(packages, (name,), extent=packages.extent)
                inner.names[name] = Bound(named, outer)
            else:
                inner.names[name] = Bound(given(name), NOWHERE)
        return function.body, inner

    def _names_given(self, node: NixExpr, scope: Scope) -> set[str] | None:
        """The names in a set that is written out, `a // b` put together; None for another."""
        node, scope = self.resolve(node, scope)
        if isinstance(node, NixBinary) and node.op == "//":
            first = self._names_given(node.left, scope)
            second = self._names_given(node.right, scope)
            return first | second if first is not None and second is not None else None
        if not isinstance(node, NixAttrs):
            return None
        paths = [path for path, _ in self.entries(node, scope)]
        names = {path[0] for path in paths if path}
        return names if None not in paths else None

    def _chosen(self, node: NixApply, scope: Scope) -> Located | None:
        """What `lib.optionals CONDITION VALUE` and its like are, and what only warns; None where
        the condition is not decided, and for any other call."""
        function = node.function
        if isinstance(function, NixIdent | NixSelect) and last_step(function) in _WRAPPING[:2]:
            return (node.argument, scope) if self._of_library(function, scope) else None
        if self._warns(function, scope):
            return node.argument, scope
        if not isinstance(function, NixApply):
            return None
        name, condition = last_step(function.function), function.argument
        if name not in (*_CONDITIONAL, _WRAPPING[2]):
            return None
        if not self._of_library(function.function, scope):
            return None
        if name != "optional" and (name == _WRAPPING[2] or self.truth(condition, scope)):
            return node.argument, scope
        return None  # what is left out, the library knows

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
        if not isinstance(function, NixIdent | NixSelect):
            return False
        path = (self.reference(function, scope) or "").split(".")
        return "lib" in path[:-1]

    def called(self, node: NixExpr, scope: Scope) -> tuple[Located, list[Located]]:
        """The function of a call and its arguments, in order."""
        arguments: list[Located] = []
        function, at = self.head(node, scope)
        while isinstance(function, NixApply):
            arguments.append((function.argument, at))
            function, at = self.head(function.function, at)
        arguments.reverse()
        return (function, at), arguments

    # --- values ---------------------------------------------------------------------------------

    def truth(self, node: NixExpr, scope: Scope) -> bool | None:
        """Whether the condition *node* holds; None where Nix alone knows."""
        made = self.reduce(node, scope)
        return made == TRUE if made in (TRUE, FALSE) else None

    def value(self, node: NixExpr, scope: Scope, depth: int = 0) -> Found:
        """What *node* says."""
        written, where = node, scope
        node, scope = self.resolve(node, scope)
        if depth > _MAX_DEPTH:
            return self.unread(written, where)
        other = self.linked(node, scope)
        if other:
            return Linked(other)
        known = self._known(node, scope, depth)
        return known[0] if known is not None else self.unread(written, where)

    def _known(self, node: NixExpr, scope: Scope, depth: int) -> tuple[Found] | None:
        """What *node* says, which names lead no further from; None where it is not understood."""
        found: Found | None
        match node:
            case NixString(parts):
                return (self._text(parts, scope, depth),)
            case NixInt(number):
                return (number,)
            case NixFloat(text):
                return (text,)
            case NixList():
                return (tuple([self.value(item, scope, depth + 1) for item in elements(node)]),)
            case NixIdent("true" | "false"):
                return (node == TRUE,)
            case NixIdent("null"):
                return (None,)
            case NixAttrs():
                found = self.table(node, scope, depth)
            case NixBinary("++" | "+" | "//" as operator, left, right):
                first = self.value(left, scope, depth + 1)
                second = self.value(right, scope, depth + 1)
                found = combined(operator, first, second)
                if found is None:
                    return self._decided(node, scope, depth)
            case NixBinary() | NixNot() | NixHas():
                return self._decided(node, scope, depth)
            case NixApply():
                found = self._call(node, scope, depth)
                if found is None:
                    return self._decided(node, scope, depth)
            case NixIf(NixBinary("==", asked, NixIdent("null")), NixList(()), own) if self._is_old(
                asked, scope
            ):
                # `if old.patches or null == null then [ ] else old.patches`
                same = self.reference(asked, scope) == self.reference(own, scope)
                found = self.value(own, scope, depth + 1) if same else None
            case _:
                path = self.reference(node, scope)
                found = Ref(path) if path is not None else None
        return (found,) if found is not None else None

    def _decided(self, node: NixExpr, scope: Scope, depth: int) -> tuple[Found] | None:
        """What *node* says if the reader reduces it to data."""
        made = self.reduce(node, scope)
        is_data = isinstance(made, NixString | NixInt | NixList | NixAttrs)
        if is_data or made in (TRUE, FALSE, NULL) or root_of(made) is not None:
            return self._known(made, NOWHERE, depth + 1)
        return None

    def _call(self, node: NixApply, scope: Scope, depth: int) -> Found | None:
        """What a function of nixpkgs makes that the reader leaves as it is."""
        (function, at), arguments = self.called(node, scope)
        name = (self.reference(function, at) or "").rpartition(".")[2]
        if not name.startswith((_FETCHING, "cmake")) and name not in _OF_OWN:
            return None
        return made_by(name, [self.value(*argument, depth + 1) for argument in arguments])

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
        """The paths of a set and what stands there; None for a path that is not known."""
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

    def sets(self, node: NixExpr, scope: Scope) -> Iterator[Located]:
        """The sets that *node* is put together of by `//`, those that are over others last."""
        node, scope = self.resolve(node, scope)
        if isinstance(node, NixBinary) and node.op == "//":
            yield from self.sets(node.left, scope)
            yield from self.sets(node.right, scope)
        else:
            yield node, scope

    def _text(self, parts: tuple[str | NixExpr, ...], scope: Scope, depth: int) -> str:
        pieces: list[str] = []
        size = 0
        for part in parts:
            piece = plain(part) if isinstance(part, str) else self._interpolated(part, scope, depth)
            size += len(piece)
            if size > _MAX_TEXT:
                raise NotNix("a text in it is larger than in any recipe")
            pieces.append(piece)
        return "".join(pieces)

    def _interpolated(self, node: NixExpr, scope: Scope, depth: int) -> str:
        match self.value(node, scope, depth + 1):
            case str() as value:
                return value
            case Ref(path):
                return interpolation(path)
            case Linked(path):
                return interpolation(beside(path))
            case _:
                return unread_part(self.source(node))

    # --- what is not understood -----------------------------------------------------------------

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
                if bound is None or bound.node.extent is None or name in seen:
                    continue
                seen.add(name)
                texts.append(f"{name} = {self.source(bound.node)}")
                waiting.append((bound.node, bound.scope))
        return Unread(texts[0], "; ".join(sorted(texts[1:])), why)

    def why(self, node: NixExpr, scope: Scope) -> str:
        """A clause that says why *node* is not understood."""
        node, scope = self.resolve(node, scope)
        reason = why_unread(node)
        if reason is not None:
            return reason
        match node:
            case NixIf():
                return "only Nix knows its condition"
            case NixNot() | NixHas():
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
        read = any(name == named and file is not None for (_, name), file in self._roots.items())
        return "it is in another file, whose result is not understood" if read else _OTHER_FILE

    def source(self, node: NixExpr) -> str:
        """The text of *node*, on one line."""
        extent = extent_of(node)
        text, start = self.text, 0
        for one in self.followed:
            if one.start <= extent.start:
                text, start = one.text, one.start
        return " ".join(text[extent.start - start : extent.end - start].split())

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


# --- values that are not wholly known ------------------------------------------------------------


def combined(operator: str, first: Found, second: Found) -> Found | None:
    """What `++`, `+` and `//` make of two values; None where that is not understood."""
    if operator == "+":
        # A text of which a part is not understood still says the rest.
        first = _partly(first, beside=second)
        second = _partly(second, beside=first)
    if isinstance(first, Ref):
        return Added(first, second)
    if isinstance(first, Added):
        joined = _joined(operator, first.value, second)
        return Added(first.base, joined, first.before) if joined is not None else None
    if isinstance(second, Added) and isinstance(first, tuple | str):
        joined = _joined(operator, first, second.value)
        before = len(first) + second.before
        return Added(second.base, joined, before) if joined is not None else None
    if isinstance(second, Ref) and isinstance(first, tuple | str):
        return Added(second, first, len(first))
    return _joined(operator, first, second)


def _partly(value: Found, beside: Found) -> Found:
    known = beside.value if isinstance(beside, Added) else beside
    if isinstance(value, Unread) and isinstance(known, str):
        return unread_part(value.text)
    return value


def _joined(operator: str, left: Found, right: Found) -> Found | None:
    match operator, left, right:
        case "++", tuple(), tuple():
            return left + right
        case "+", str(), str():
            return left + right if len(left) + len(right) <= _MAX_TEXT else None
        case "//", Table(mine), Table(theirs):
            return Table(tuple((dict(mine) | dict(theirs)).items()))
        case _:
            return None


def made_by(name: str, values: list[Found]) -> Found | None:
    """What the function *name* of nixpkgs makes of *values*; None for one that is not known, or
    does not take such values."""
    match name, values:
        case "toString" | "toList", [Ref(path) as own] if path.startswith("old."):
            return own  # it is a text anyway, and `+=` adds to a list of it
        case "remove", [None, Ref(path) as own] if path.startswith("old."):
            return own
        case "cmakeFeature" | "cmakeOptionType", [*_, str() as name, str() as text]:
            kind = values[0] if len(values) == 3 else "STRING"
            return f"-D{name}:{kind}={text}"
        case "cmakeBool", [str() as name, bool() as holds]:
            return f"-D{name}:BOOL={'TRUE' if holds else 'FALSE'}"
        case _, [Table() as table] if name.startswith(_FETCHING):
            return Fetched(name, tuple(_fetched_field(*entry) for entry in table.entries))
        case _, [str() as url] if name.startswith(_FETCHING):
            return Fetched(name, (("url", url),))
        case _:
            return None


def _fetched_field(key: str, value: Found) -> tuple[str, Found]:
    if key in _REFS:
        return "ref", value.removeprefix("refs/tags/") if isinstance(value, str) else value
    return ("hash" if key in _HASHES else key), value


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


def _may_import(node: NixApply) -> bool:
    """Whether *node* may be a call of `import`, or of what extends a nixpkgs: no other function of
    a set has the name of either."""
    function: NixExpr = node
    while isinstance(function, NixApply):
        function = function.function
    return not isinstance(function, NixSelect) or last_step(function) in _MAKING


def _is_of_file(source: NixExpr) -> bool:
    """Whether *source* names a file of Nix, and no folder."""
    match source:
        case NixPath(text) | NixString((*_, str() as text)) | NixBinary("+", _, NixString((text,))):
            return isinstance(text, str) and plain(text).endswith(".nix")
        case _:
            return False


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
