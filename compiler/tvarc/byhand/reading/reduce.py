"""Partial evaluation of Nix: values replace the names of a file. Nix never runs.

`Reducer.left` decides about an expression that cannot be reduced. It raises NotRead, or returns a
node in its place, and the rest is still reduced.

A reduced expression names only roots, such as `@pkgs` and `@old`, parameters of functions that are
not applied, and names of Nix itself. The value of an interpolated constant stays marked in the
text: it is one word when texts are compared.
"""

from __future__ import annotations

import posixpath
from contextlib import contextmanager
from itertools import islice

from tvarc.byhand.reading.library import (
    KNOWN_IN_LIBRARY,
    folded_binary,
    folded_call,
    function_name,
)
from tvarc.byhand.reading.marks import FOLD_CLOSE, FOLD_OPEN, plain
from tvarc.byhand.reading.scopes import NOWHERE, REDUCED, Bound, Scope, root_scope
from tvarc.byhand.reading.shared import Imported, Key, RecipeParser
from tvarc.byhand.reading.trees import (
    entries_of,
    joined,
    names_root,
    path_node,
    placed_as,
    rewritten,
    selected,
    text_of,
    value_in,
)
from tvarc.light import Callable, Final, Iterator, Sequence, TypeGuard, replace
from tvarc.nix.language.reader import NotNix
from tvarc.nix.language.syntax import (
    FALSE,
    NULL,
    TRUE,
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
    NixPath,
    NixSearchPath,
    NixSelect,
    NixSlot,
    NixSteps,
    NixString,
    NixWith,
    elements,
    extent_of,
    names_in,
    walk,
)
from tvarc.nix.language.uses import GLOBALS

_DEEPEST: Final = 120
_MOST_STEPS: Final = 400
_MOST_PARTS: Final = 200_000

Read = Callable[[str, str], "tuple[str, str] | str"]
"""The path and the text of the file that the file at the first path imports as the second; or a
clause that says why there is none."""

_Tree = dict[str, "NixExpr | _Tree"]
"""A set during its construction from paths."""


CIRCLE: Final = "its names lead in a circle, or through too many steps"
_MISSING: Final[tuple[NixExpr, Scope]] = (NULL, root_scope("missing"))
_TOO_LONG: Final = "it takes more steps to follow than any recipe"
COMPUTED_NAME: Final = "the name of an attribute is computed"
_NO_SETS: Final = (NixString, NixList, NixInt, NixFloat, NixLambda)
NESTED: Final = "it is nested too deeply, or refers to itself"
_LIBRARY: Final = NixIdent("@lib")
_BUILTINS: Final = NixIdent("builtins")
_IMPORT: Final = NixIdent("import")
_COMPARE: Final = ("versionAtLeast", "versionOlder")
_OF_PATHS: Final = ("toString", "toPath")
"""Functions from a path to a text or a path."""
_FLAKE_PACKAGES: Final = "legacyPackages"
ARGUMENT: Final = "its argument"
"""Within a function of named arguments, the name of its whole argument."""
_CLEAR: Final = frozenset((NixString, NixAttrs, NixList, NixInt, NixBinary, NixLambda))
"""The kinds of nodes that `Reducer.head` returns unchanged."""
_WRITTEN: Final = frozenset((str,))
_SMALL: Final = frozenset((NixString, NixIdent, NixInt))
"""The kinds of most values, which have few parts."""


class NotRead(NotNix):
    """Hand-written Nix cannot be read: a clause with the reason, and the place of the cause."""

    def __init__(self, reason: str, node: NixExpr | None = None) -> None:
        super().__init__(reason, extent_of(node).start if node is not None else 0)


@contextmanager
def no_deeper(reason: str) -> Iterator[None]:
    """A context that raises NotRead with *reason* if a text is nested too deeply for Python."""
    try:
        yield
    except RecursionError:
        raise NotRead(reason) from None


class Reducer:
    """Reduces the expressions of one file and of those that it imports."""

    most_steps = _MOST_STEPS
    """The most steps that `head` takes for one expression."""
    most_in_all = 10_000_000
    """The most steps that are taken for one recipe."""
    __slots__ = (
        "_depth", "_folder", "_imports", "_nested", "_parser", "_place", "_read", "_size",
        "bindings", "busy", "imports", "steps",
    )  # fmt: skip

    def __init__(self, parser: RecipeParser, read: Read, folder: str = "") -> None:
        self._parser = parser
        self._read = read
        self._folder = folder  # where files are, relative to the program
        self._place = ""  # the folder to which names of files are relative
        self._imports: list[Imported] = []  # each as often as it was requested
        self._nested = 0  # how often something was nested too deeply
        self._depth = 0
        self.steps = 0
        self._size = 0  # the number of parts, each counted as often as it occurs
        self.bindings: list[tuple[str, Bound]] = []
        self.busy: list[tuple[Bound, int]] = []  # what is being reduced, and how deep it stands
        self.imports: dict[str, NixPath] = {}  # the path that first names each imported file

    # --- to the head ---------------------------------------------------------------------------

    def head(self, node: NixExpr, scope: Scope) -> tuple[NixExpr, Scope]:
        """*node* evaluated until its kind is clear, and the scope of the result."""
        if type(node) in _CLEAR:
            return node, scope
        passed: list[Bound] = []
        for _ in range(self.most_steps):
            self.steps += 1
            bound = scope.look(node.name) if isinstance(node, NixIdent) else None
            if bound is None:
                found = self._step(node, scope)
                if found is None:
                    break
                node, scope = found
            elif isinstance(bound.reduced, NixAttrs):
                bound.used = True
                node, scope = bound.reduced, REDUCED
                break
            elif bound.headed is not None:
                bound.used = True
                node, scope = bound.headed
                break
            else:
                bound.used = True
                passed.append(bound)
                node, scope = _meant(node, bound)
            if type(node) in _CLEAR:
                break
        else:
            raise NotRead(CIRCLE, node)
        if self.steps > self.most_in_all:
            raise NotRead(_TOO_LONG)
        if not isinstance(node, NixIdent):  # which has the place of its use
            for bound in passed:
                bound.headed = node, scope
        return node, scope

    def left(self, node: NixExpr, reason: str) -> NixExpr:
        """The node in place of *node*, which cannot be reduced; *reason* is a clause that says why.
        Raises NotRead, unless a subclass has such a node."""
        raise NotRead(reason, node)

    def _step(self, node: NixExpr, scope: Scope) -> tuple[NixExpr, Scope] | None:
        match node:
            case NixIdent():
                return self._opened(node, scope)
            case NixSelect(base, path, _):
                return self._member(node, base, path, scope)
            case NixApply():
                return self._applied(node, scope)
            case NixLet(entries, body):
                return body, self.let(entries, scope)
            case NixWith(environment, body):
                return body, Scope(scope, {}, scope.file, Bound(environment, scope))
            case NixAssert(_, body):
                return body, scope
            case NixIf(condition, then, otherwise):
                decided = self.reduce(condition, scope)
                match decided:
                    case NixIdent("true"):
                        return then, scope
                    case NixIdent("false"):
                        return otherwise, scope
                    case _:
                        return None
            case _:
                return None

    def _opened(self, node: NixIdent, scope: Scope) -> tuple[NixExpr, Scope] | None:
        """The attribute of a `with` that the name *node* reads. None if Nix itself binds the name,
        or if there is no `with` around it."""
        name = node.name
        if name in GLOBALS or name.startswith("@"):
            return None
        environments = scope.environments()
        if not environments:
            return None
        if len(environments) > 1:
            return self._of_several(node, environments), NOWHERE
        opened = environments[0]
        return NixSelect(opened.node, (name,), extent=node.extent), opened.scope

    def _of_several(self, node: NixIdent, environments: Sequence[Bound]) -> NixExpr:
        """The name *node* in the innermost `with` that has it; an expression for Nix if only Nix
        can decide."""
        name = node.name
        left: list[NixExpr] = []
        for opened in environments:
            found = self._of(opened)
            if not isinstance(found, NixAttrs):
                left.append(found)
                if found == _LIBRARY and name in KNOWN_IN_LIBRARY:
                    break
            elif name in _names(found):
                left.append(found)
                break
        if not left:
            return self.left(node, f"`{name}` is in none of the sets that `with` opens")
        made: NixExpr | None = None
        for one in reversed(left):
            made = self._select(NixSelect(one, (name,), made), NOWHERE)
        assert made is not None
        return made

    def _applied(self, node: NixApply, scope: Scope) -> tuple[NixExpr, Scope] | None:
        function, argument = node.function, node.argument
        handing = self._handing(function, argument, scope)
        if handing is not None:
            return handing, NOWHERE
        called, at = self.head(function, scope)
        if isinstance(called, NixLambda):
            return called.body, self.entered(called, at, argument, scope)
        if isinstance(called, NixIdent) and called == _IMPORT and at.look(_IMPORT.name) is None:
            file = self.file_named(argument, scope)
            if file is not None:
                return self._imported(*file)
        return None

    def _handing(self, function: NixExpr, argument: NixExpr, scope: Scope) -> NixExpr | None:
        """The package set from which `callPackage (names@{ … }: names) { }` takes its packages."""
        match function, argument:
            case NixApply(call, NixLambda(NixFormals(whole=whole), NixIdent(body))), NixAttrs(()):
                if not whole or whole != body:
                    return None
                found, _ = self.head(call, scope)
                match found:
                    case NixSelect(base, (*path, "callPackage"), None):
                        return selected(base, tuple(map(str, path)), None) if path else base
        return None

    def entered(self, called: NixLambda, at: Scope, argument: NixExpr, scope: Scope) -> Scope:
        """The scope of the body of *called*, applied to *argument*."""
        inner = Scope(at, {}, at.file)
        if called.whole:
            inner.names[called.whole] = Bound(argument, scope, used=True)
        if not isinstance(called.parameter, NixFormals):
            return inner
        given, where = self.head(argument, scope)
        names = _names(given) if isinstance(given, NixAttrs) else None
        inner.names[ARGUMENT] = Bound(given, where, used=True)
        written: dict[str, list[NixBinding | NixInherit]] = {}
        if isinstance(given, NixAttrs) and not given.recursive:
            written, _ = self._parser.once(entries_by_name, given)
        for formal in called.formals:
            chosen: NixExpr = NixSelect(NixIdent(ARGUMENT), (formal.name,))
            at = inner
            match written.get(formal.name):
                case [NixBinding((_,), value)]:
                    chosen, at = value, where
                case [NixInherit(_, None) as entry]:
                    chosen, at = NixIdent(formal.name, extent=entry.extent), where
                case _:
                    pass
            if names is None and formal.default is not None:
                chosen = NixSelect(NixIdent(ARGUMENT), (formal.name,), formal.default)
            elif names is not None and formal.name not in names:
                if formal.default is None:
                    reason = f"a function is called without `{formal.name}`"
                    chosen, at = self.left(argument, reason), NOWHERE
                else:
                    chosen = formal.default
            inner.names[formal.name] = Bound(chosen, at, used=True)
        return inner

    def opened(self, function: NixLambda, scope: Scope) -> tuple[NixExpr, Scope]:
        """The body of the *function* of a recipe, and its scope. An argument has the caller's
        value, or its default if that decides its value."""
        inner = Scope(scope, {}, scope.file)
        if function.whole:
            inner.names[function.whole] = Bound(*self.all_given(function, inner), used=True)
        for formal in function.formals:
            inner.names[formal.name] = Bound(*self.given(formal, inner), used=True)
            if formal.default is not None and self.is_said(formal.name, formal.default, inner):
                inner.names[formal.name] = Bound(formal.default, inner, used=True)
        return function.body, inner

    def all_given(self, function: NixLambda, scope: Scope) -> tuple[NixExpr, Scope]:
        """The set of all arguments that the caller of the recipe *function* passes."""
        raise NotImplementedError

    def given(self, formal: NixFormal, scope: Scope) -> tuple[NixExpr, Scope]:
        """The value that the caller of a recipe passes as *formal*; *scope* has the other
        arguments."""
        raise NotImplementedError

    def is_said(self, name: str, default: NixExpr, scope: Scope) -> bool:
        """Whether *default* decides the value of the argument *name* of a recipe."""
        return False

    def _imported(self, path: NixPath, scope: Scope) -> tuple[NixExpr, Scope] | None:
        """The expression in the file *path*; None if the import stays unchanged."""
        found = self._read(scope.file, path.text)
        if isinstance(found, str):
            return self.left(path, f"it imports `{path.text}`: {found}"), NOWHERE
        name, text = found
        self.imports.setdefault(name, path)
        try:
            return self._parser.imported(text), root_scope(name)
        except NotNix as fault:
            return self.left(path, f"it imports `{name}`: {fault.reason}"), NOWHERE

    def file_named(self, node: NixExpr, scope: Scope) -> tuple[NixPath, Scope] | None:
        """The file that *node* names for `import`, if it is a constant path: `./a.nix`, `./. +
        "/a.nix"`, `"${toString ./.}/a.nix"`, or a name of such a path."""
        node, scope = self.head(node, scope)
        match node:
            case NixPath():
                return node, scope
            case NixApply(function, path) if function_name(function) in _OF_PATHS:
                return self.file_named(path, scope)
            case NixBinary("+", left, right):
                more = text_of(self.reduce(right, scope))
            case NixString((left, *_)) if not isinstance(left, str):
                more = text_of(self.reduce(NixString(node.parts[1:]), scope))
            case _:
                return None
        found = self.file_named(left, scope)
        if found is None or more is None or not plain(more).startswith("/"):
            return None
        return replace(found[0], text=found[0].text + plain(more)), found[1]

    def _member(
        self, node: NixSelect, base: NixExpr, path: NixSteps, scope: Scope
    ) -> tuple[NixExpr, Scope] | None:
        if not path:
            return base, scope
        is_import = path == ("import",) and isinstance(base, NixIdent) and base == _BUILTINS
        if is_import and scope.look(_BUILTINS.name) is None:
            return NixIdent("import", extent=node.extent), NOWHERE
        if len(path) > 1 and path[0] == _FLAKE_PACKAGES:
            packages = self.of_flake(self.reduce(base, scope))
            if packages is not None:  # the packages of all systems are one nixpkgs
                return NixSelect(packages, path[2:], node.default, extent=node.extent), NOWHERE
        key = self._key(path[0], scope)
        if key is None:
            return None
        found = self._entry(base, scope, key)
        if found is None:
            return None
        rest = node.path[1:]
        if found is _MISSING:
            if node.default is None:
                return self.left(node, f"there is no attribute `{key}`"), NOWHERE
            return node.default, scope
        if rest:
            steps = [self._closed(step, scope) for step in rest]
            known = tuple([step for step in steps if step is not None])
            if node.default is not None or len(known) < len(rest):
                return None
            return NixSelect(found[0], known, extent=node.extent), found[1]
        return found

    def of_flake(self, flake: NixExpr) -> NixExpr | None:
        """The nixpkgs of the reduced *flake* for one system; None if it is not known."""
        return None

    def _closed(self, step: str | NixExpr, scope: Scope) -> str | NixExpr | None:
        """A step of a path in a form that is valid in any scope; None if there is none."""
        key = self._key(step, scope)
        if key is not None or isinstance(step, str):
            return key
        made = self.reduce(step, scope)
        names = names_in([made])
        return made if all(one.startswith("@") or one in GLOBALS for one in names) else None

    def _entry(self, base: NixExpr, scope: Scope, key: str) -> tuple[NixExpr, Scope] | None:
        """The value of *key* in the set *base*: `_MISSING` if the set has no such key, None if that
        is not known."""
        found, at = self.head(base, scope)
        if isinstance(found, NixBinary) and found.op == "//":
            over = self._entry(found.right, at, key)
            return self._entry(found.left, at, key) if over is _MISSING else over
        return self._entry_of(found, at, key) if isinstance(found, NixAttrs) else None

    def _entry_of(self, attrs: NixAttrs, at: Scope, key: str) -> tuple[NixExpr, Scope] | None:
        inner = self.bound(bindings_of(attrs), at) if attrs.recursive else at
        entries, whole = self._parser.once(entries_by_name, attrs)
        match entries.get(key, ()):
            case [NixBinding((_,), value)]:
                return value, inner
            case [NixInherit(_, None) as entry]:
                return NixIdent(key, extent=entry.extent), at
            case [NixInherit(_, source) as entry] if source is not None:
                return NixSelect(source, (key,), extent=entry.extent), inner
            case () if whole:
                return _MISSING
            case _:
                pass
        made = self._attrs(attrs, at)
        if not isinstance(made, NixAttrs):
            return None
        values = dict(entries_of(made))
        return (values[key], NOWHERE) if key in values else _MISSING

    def let(self, entries: Sequence[NixBinding | NixInherit], scope: Scope) -> Scope:
        """The scope within a `let`. Its names are noted."""
        inner = self.bound(entries, scope)
        self.bindings += inner.names.items()
        return inner

    def bound(self, entries: Sequence[NixBinding | NixInherit], scope: Scope) -> Scope:
        """The scope within a `let`, or within a set that reads itself."""
        inner = Scope(scope, {}, scope.file)
        sets: dict[str, list[NixBinding | NixInherit | NixSlot]] = {}
        for entry in entries:
            match entry:
                case NixInherit(names, source):
                    for name in names:
                        bound = (
                            Bound(NixIdent(name), scope)
                            if source is None
                            else Bound(NixSelect(source, (name,)), inner)
                        )
                        inner.names[name] = bound
                case NixBinding((str() as name,), value):
                    inner.names[name] = Bound(value, inner)
                case NixBinding((str() as name, *rest), value):
                    sets.setdefault(name, []).append(NixBinding(tuple(rest), value))
                case _:
                    pass  # a computed name binds nothing
        for name, parts in sets.items():
            whole = inner.names[name].node if name in inner.names else None
            if isinstance(whole, NixAttrs):  # Nix merges the two
                parts = [*whole.entries, *parts]
            inner.names[name] = Bound(NixAttrs(tuple(parts)), inner)
        return inner

    def step(self, count: int = 1) -> None:
        """Count *count* steps. Raises NotRead after too many."""
        self.steps += count
        if self.steps > self.most_in_all:
            raise NotRead(_TOO_LONG)

    # --- to the bottom -------------------------------------------------------------------------

    def reduce(self, node: NixExpr, scope: Scope) -> NixExpr:
        """*node* without names that the file binds."""
        if scope is REDUCED:
            return self._again(node)
        bound = scope.look(node.name) if type(node) is NixIdent else None
        if bound is not None and bound.reduced is not None:
            bound.used = True
            self._add(bound.size, bound.node)
            return bound.reduced
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                return self.left(node, NESTED)
            if bound is not None:
                return self._of(bound)
            key = self._key_of(node, scope) if id(node) in self._parser.shared else None
            if key is None:
                return self._to_bottom(node, scope)
            known = self._parser.recalled(key)
            if known is not None:
                made, size, bindings, imported = known
                self._add(size, node)
                self.bindings += bindings
                for one in imported:
                    self._note(one)
                return made
            size, nested = self._size, self._nested
            bound_before, imported_before = len(self.bindings), len(self._imports)
            made = self._to_bottom(node, scope)
            if nested == self._nested:
                bindings = tuple(self.bindings[bound_before:])
                imported = tuple(dict.fromkeys(self._imports[imported_before:]))
                self._parser.keep(key, (made, self._size - size, bindings, imported))
            return made
        finally:
            self._depth -= 1

    def _key_of(self, node: NixExpr, scope: Scope) -> Key | None:
        """The key of the reduced value of *node*, which `shared` has. Equal keys mean equal
        results. None if a name in it has no known value, or if anything else affects the result."""
        names = self._parser.names(node)
        if names is None or scope.environments():
            return None
        signs: list[object] = [self._place]
        found: list[Bound] = []
        for name in names:
            bound = scope.look(name)
            if bound is not None:
                sign = bound.sign or self._sign_of(bound)
                if sign is None:
                    return None
                signs += (name, sign)
                found.append(bound)
        for bound in found:
            bound.used = True
        return id(node), tuple(signs)

    def _sign_of(self, bound: Bound) -> object:
        """A value that only equal values of *bound* have; None if the value is not known."""
        if bound.sign is None:
            bound.sign = self._parser.sign(bound)
        return bound.sign

    def _note(self, one: Imported) -> None:
        """Remember an import of the recipe."""
        self._imports.append(one)

    def _add(self, size: int, node: NixExpr) -> None:
        """Count the parts of *node*, because in a chain of names each line can double the value."""
        self._size += size
        if self._size > _MOST_PARTS:
            whose = "it has"
            if self.imports:
                name, node = list(self.imports.items())[-1]
                whose = f"with `{name}`, which it imports, it has"
            raise NotRead(f"{whose} more than {_MOST_PARTS} parts with its names resolved", node)

    def _to_bottom(self, node: NixExpr, scope: Scope) -> NixExpr:
        self._add(1, node)
        if type(node) not in _CLEAR:
            node, scope = self.head(node, scope)
        return self._reduced(node, scope) if scope is not REDUCED else self._again(node)

    def _again(self, node: NixExpr) -> NixExpr:
        """*node*, which is already reduced. Its parts count at each of its places: a set that reads
        itself has more of them at each step, although each is in memory once."""
        if type(node) not in _SMALL:
            self._add(sum(1 for _ in islice(walk([node]), _MOST_PARTS + 1)), node)
        return node

    def _of(self, bound: Bound) -> NixExpr:
        """The value of *bound*, reduced."""
        bound.used = True
        if bound.reduced is None:
            if bound.knot is not None:
                return bound.knot
            self.busy.append((bound, self._depth + 1))
            size = self._size
            bound.reduced = self.reduce(bound.node, bound.scope)
            bound.size = self._size - size
            self.busy.pop()
        else:
            self._add(bound.size, bound.node)
        return bound.reduced

    def _reduced(self, node: NixExpr, scope: Scope) -> NixExpr:
        match node:
            case NixString():
                return self._string(node, scope)
            case NixIdent() | NixInt() | NixFloat() | NixSearchPath():
                return node
            case NixPath():
                return self._path(node, scope)
            case NixList():
                items = [self._part(item, scope) for item in elements(node)]
                return NixList(tuple(items), extent=node.extent)
            case NixAttrs():
                return self._attrs(node, scope)
            case NixSelect():
                return self._select(node, scope)
            case NixBinary("+", NixPath() as left, right):
                return self._below(left, self.reduce(right, scope), scope)
            case NixBinary("&&" | "||" | "->" as op, left, right):
                first = self.reduce(left, scope)
                if first == (TRUE if op == "||" else FALSE):
                    return FALSE if op == "&&" else TRUE  # whatever the other side is
                return placed_as(folded_binary(op, first, self.reduce(right, scope)), node)
            case NixBinary(op, left, right):
                one, other = self._part(left, scope), self._part(right, scope)
                return placed_as(folded_binary(op, one, other), node)
            case NixApply(function, argument):
                called = self.reduce(function, scope)
                if self.busy and self.busy[-1][1] == self._depth:
                    self.busy[-1][0].knot = self.knot_of(called)
                return placed_as(self.call(called, self._part(argument, scope)), node)
            case NixNot(operand):
                inner = self.reduce(operand, scope)
                if inner in (TRUE, FALSE):
                    return FALSE if inner == TRUE else TRUE
                return NixNot(inner, extent=node.extent)
            case NixHas(base, path):
                return self._has(node, base, path, scope)
            case NixIf(condition, then, otherwise):
                return NixIf(
                    self.reduce(condition, scope),
                    self._part(then, scope),
                    self._part(otherwise, scope),
                    extent=node.extent,
                )
            case NixLambda():
                return self._lambda(node, scope)
            case _:
                return self.left(node, "it uses Nix that tvarc does not evaluate")

    def _path(self, node: NixPath, scope: Scope) -> NixExpr:
        """The path, from the program, of the file that *node* names."""
        if node.home or node.text.startswith("/"):
            raise NotRead(f"it names `{node.text}`, which other machines may not have", node)
        place = posixpath.dirname(scope.file)
        path = posixpath.normpath(posixpath.join(self._folder, place, node.text))
        here = posixpath.normpath(posixpath.join(self._folder, place))
        if f"{here}/".startswith(f"{path}/") or path in (".", "..") or path.endswith("/.."):
            raise NotRead("it names its own folder", node)
        return path_node(path)

    def _below(self, left: NixPath, more: NixExpr, scope: Scope) -> NixExpr:
        """The path *left* with *more* after it, which may be a file in the recipe's own folder."""
        text = text_of(more)
        if text is None or not plain(text).startswith("/"):
            return folded_binary("+", self._path(left, scope), more)
        return self._path(replace(left, text=left.text + plain(text)), scope)

    def knot_of(self, function: NixExpr) -> NixExpr | None:
        """The result of *function* for any argument, which is also available during its own
        evaluation."""
        return None

    def call(self, function: NixExpr, argument: NixExpr) -> NixExpr:
        """*function* applied to *argument*, both reduced."""
        if isinstance(function, NixLambda):
            return self.reduce(NixApply(function, argument), NOWHERE)
        folded = folded_call(function, argument, self.call)
        if folded in (TRUE, FALSE):
            self._note_comparison(function, argument)
        return folded if folded is not None else NixApply(function, argument)

    def _note_comparison(self, function: NixExpr, argument: NixExpr) -> None:
        """Note a comparison of two versions, if both sides are versions."""
        match function:
            case NixApply(called, first) if function_name(called) in _COMPARE:
                texts = [plain(text_of(one) or "") for one in (first, argument)]
                for one, other in (texts, texts[::-1]):
                    self._parser.compared.setdefault(one, {})[other] = None
            case _:
                pass

    def _lambda(self, node: NixLambda, scope: Scope) -> NixExpr:
        inner = Scope(scope, {}, scope.file)
        names = [name for name in (node.whole, *(one.name for one in node.formals)) if name]
        hiding = {name: f"{hidden}'" for name in names if (hidden := _hidden_by(name, scope))}
        for name in names:
            inner.names[name] = Bound(NixIdent(hiding.get(name, name)), NOWHERE, used=True)
        parameter = node.parameter
        if isinstance(parameter, NixFormals):
            formals = [
                NixFormal(
                    one.name,
                    self.reduce(one.default, inner) if one.default is not None else None,
                )
                for one in parameter.formals
            ]
            parameter = NixFormals(tuple(formals), parameter.ellipsis, parameter.whole)
        body = self.reduce(node.body, inner)
        for name, other in hiding.items():
            if not any(names_root(body, one) for one in _shorter(other)):
                body = _renamed(body, other, name)
            elif isinstance(parameter, str):
                parameter = other
            else:
                reason = f"two functions around each other name a parameter `{name}`"
                return self.left(node, reason)
        return NixLambda(parameter, body, extent=node.extent)

    def _string(self, node: NixString, scope: Scope) -> NixExpr:
        if len(node.parts) == 1 and isinstance(node.parts[0], str):
            return replace(node, block=False) if node.block else node
        parts: list[str | NixExpr] = []
        for part in node.parts:
            if isinstance(part, str):
                parts.append(part)
                continue
            value = self.reduce(part, scope)
            match value:
                case NixString((str() as text,)) if FOLD_OPEN not in text:
                    parts.append(self._marked(part, text))
                case NixString(inner):
                    parts += inner
                case _:
                    parts.append(value)
        return joined(parts, node.extent)

    def _part(self, node: NixExpr, scope: Scope) -> NixExpr:
        """The reduced *node*, a part of another expression, with its link."""
        return self.with_link(node, self.reduce(node, scope))

    def with_link(self, written: NixExpr, value: NixExpr) -> NixExpr:
        """The text *value* with marks of folding around it, if it has one line and is *written* as
        a name: `rev = version` and `"v" + version` have the link that `"v${version}"` has."""
        return self._folded(written, value) if isinstance(written, NixIdent | NixSelect) else value

    def _folded(self, written: NixExpr, value: NixExpr) -> NixExpr:
        """The text *value* of the expression *written* with marks of folding around it, if it has
        one line and no such mark."""
        match value:
            case NixString((str() as text,)) if text and "\n" not in text and FOLD_OPEN not in text:
                return replace(value, parts=(self._marked(written, text),))
            case _:
                return value

    def _marked(self, written: NixExpr, text: str) -> str:
        """The *text* of the expression *written*, with marks of folding around it."""
        match written:
            case NixIdent(name) | NixSelect(_, (*_, str() as name)):
                self._parser.read_as.setdefault(text, {})[name] = None
            case _:
                pass
        return f"{FOLD_OPEN}{text}{FOLD_CLOSE}"

    def _has(self, node: NixHas, base: NixExpr, path: NixSteps, scope: Scope) -> NixExpr:
        steps = self.keys(path, scope)
        if steps is None:
            return self.left(node, "it reads an attribute with a computed name")
        where = scope
        for number, step in enumerate(steps):
            found = self._entry(base, where, step)
            if found is _MISSING:
                return FALSE
            if found is None:
                inner = self.reduce(base, where)
                return _has_in(inner, steps[number:], node)
            base, where = found
        return TRUE

    def _attrs(self, node: NixAttrs, scope: Scope) -> NixExpr:
        inner = self.bound(bindings_of(node), scope) if node.recursive else scope
        made: _Tree = {}
        computed: list[NixExpr] = []
        for entry in node.entries:
            match entry:
                case NixInherit(names, source):
                    for name in names:
                        chosen = NixIdent(name) if source is None else NixSelect(source, (name,))
                        at = scope if source is None else inner
                        made[name] = self._part(chosen, at)
                case NixBinding(path, value):
                    if not _is_plain(path) and any(self._is_null(one, inner) for one in path):
                        continue  # because Nix leaves it out
                    keys = self.keys(path, inner)
                    if keys is None:
                        computed.append(self.left(value, COMPUTED_NAME))
                        continue
                    _put(made, keys, self._part(value, inner))
                case NixSlot():
                    pass
        for name in inner.names if node.recursive else ():  # what the set writes once and reads
            text = made.get(name)
            if inner.names[name].used and isinstance(text, NixString):
                made[name] = self._folded(NixIdent(name), text)
        found: NixExpr = _frozen(made, node.extent)
        for one in computed:  # it may be any of its attributes
            found = NixBinary("//", found, one, extent=node.extent)
        return found

    def _is_null(self, step: str | NixExpr, scope: Scope) -> bool:
        return not isinstance(step, str) and self.reduce(step, scope) == NULL

    def keys(self, path: NixSteps, scope: Scope) -> tuple[str, ...] | None:
        """The names in *path*, literal or computed from constants; None if one is not known."""
        if _is_plain(path):
            return path
        steps = [self._key(step, scope) for step in path]
        names = tuple([step for step in steps if step is not None])
        return names if len(names) == len(steps) else None

    def _key(self, step: str | NixExpr, scope: Scope) -> str | None:
        """The name of an attribute; None if it is computed from unknown values."""
        if isinstance(step, str):
            return step
        text = text_of(self.reduce(step, scope))
        return plain(text) if text is not None else None

    def _select(self, node: NixSelect, scope: Scope) -> NixExpr:
        base = self.reduce(node.base, scope)
        path = self.keys(node.path, scope)
        if path is None:
            return self.left(node, COMPUTED_NAME)
        default = self._part(node.default, scope) if node.default is not None else None
        while path:
            found = entry_in(base, path[0])
            if found is None:
                if default is None:
                    return self.left(node, f"there is no attribute `{path[0]}`")
                return default
            if found is base:
                break
            base, path = found, path[1:]
        if default is not None and path and is_no_set(base):
            return default
        made = selected(base, path, default)
        return replace(made, extent=node.extent) if isinstance(made, NixSelect) else made


def _meant(node: NixExpr, bound: Bound) -> tuple[NixExpr, Scope]:
    """The expression of the binding *bound*, which the name *node* reads, and its scope."""
    found = bound.node
    if bound.scope is NOWHERE and found.extent is None and node.extent is not None:
        found = replace(found, extent=node.extent)  # it has no other place
    return found, bound.scope


def entry_in(base: NixExpr, key: str) -> NixExpr | None:
    """The value of *key* in the reduced set *base*: None if the set has no such key, *base* itself
    if that is not known."""
    match base:
        case NixAttrs():
            return value_in(base, key)
        case NixBinary("//", left, NixAttrs() as right):
            found = value_in(right, key)
            if found is not None:
                return found
            under = entry_in(left, key)
            return base if under is left else under
        case _:
            return base


def _has_in(base: NixExpr, path: tuple[str, ...], node: NixHas) -> NixExpr:
    """The value of *node*, `base ? path`, for a reduced *base*."""
    for number, step in enumerate(path):
        found = entry_in(base, step)
        if found is None or is_no_set(base):
            return FALSE
        if found is base:
            return NixHas(base, path[number:], extent=node.extent)
        base = found
    return TRUE


def is_no_set(node: NixExpr) -> bool:
    """Whether the reduced *node* is certainly not a set, so that it has no attributes."""
    if isinstance(node, NixIdent):
        return node.name in ("true", "false", "null")
    return isinstance(node, _NO_SETS)


def _hidden_by(name: str, scope: Scope) -> str:
    """The parameter of an outer function, which is not applied, that a parameter *name* would hide;
    empty if there is none."""
    bound = scope.look(name)
    if bound is None or bound.scope is not NOWHERE or not isinstance(bound.node, NixIdent):
        return ""
    return bound.node.name if bound.node.name.rstrip("'") == name.rstrip("'") else ""


def _shorter(name: str) -> list[str]:
    """The names of the parameters that a parameter *name* would hide."""
    bare = name.rstrip("'")
    return [bare + "'" * number for number in range(len(name) - len(bare))]


def _renamed(body: NixExpr, name: str, to: str) -> NixExpr:
    return rewritten(body, lambda one: NixIdent(to) if one == NixIdent(name) else None)


def entries_by_name(
    attrs: NixAttrs,
) -> tuple[dict[str, list[NixBinding | NixInherit]], bool]:
    """The entries of a set by the names that they bind, and whether these are all its names."""
    found: dict[str, list[NixBinding | NixInherit]] = {}
    whole = True
    for entry in attrs.entries:
        match entry:
            case NixBinding((str() as name, *_), _):
                found.setdefault(name, []).append(entry)
            case NixBinding():
                whole = False  # its name is computed
            case NixInherit(names):
                for name in names:
                    found.setdefault(name, []).append(entry)
            case _:
                pass
    return found, whole


def _names(attrs: NixAttrs) -> set[str]:
    found: set[str] = set()
    for entry in attrs.entries:
        match entry:
            case NixBinding((str() as name, *_), _):
                found.add(name)
            case NixInherit(names):
                found.update(names)
            case _:
                pass
    return found


def bindings_of(attrs: NixAttrs) -> list[NixBinding | NixInherit]:
    """The entries of a set that bind names."""
    return [entry for entry in attrs.entries if not isinstance(entry, NixSlot)]


def _put(into: _Tree, path: Sequence[str], value: NixExpr) -> None:
    key = path[0]
    there = into.get(key)
    if isinstance(there, NixAttrs):
        there = into[key] = {**dict(entries_of(there))}
    if len(path) > 1:
        if not isinstance(there, dict):
            there = into[key] = {}
        _put(there, path[1:], value)
    elif isinstance(there, dict) and isinstance(value, NixAttrs):
        for name, one in entries_of(value):
            _put(there, [name], one)
    else:
        into[key] = value


def _frozen(made: _Tree, extent: Extent | None = None) -> NixAttrs:
    entries = [
        NixBinding((key,), _frozen(value) if isinstance(value, dict) else value)
        for key, value in made.items()
    ]
    return NixAttrs(tuple(entries), extent=extent)


def _is_plain(path: NixSteps) -> TypeGuard[tuple[str, ...]]:
    """Whether all names in *path* are literal."""
    return _WRITTEN.issuperset(map(type, path))
