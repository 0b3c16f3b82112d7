"""Partial evaluation of Nix: names of a file give way to what they stand for. Nix is never run.

What is reduced names nothing but roots, such as `@pkgs` and `@old`, the parameters of functions
that nobody applies, and Nix's own names. What an interpolation of a constant has given stays marked
in the text: it is one word when texts are compared.
"""

from __future__ import annotations

import posixpath

from tvarc.byhand.importing.folding import GLOBALS, KNOWN_IN_LIBRARY, folded_binary, folded_call
from tvarc.byhand.importing.marks import FOLD_CLOSE, FOLD_OPEN, PRIVATE, plain
from tvarc.byhand.importing.scopes import NOWHERE, Bound, Scope, root_scope
from tvarc.byhand.importing.shared import RecipeParser
from tvarc.byhand.importing.trees import (
    attrs_of,
    entries_of,
    joined,
    own_text,
    path_node,
    selected,
    text_of,
)
from tvarc.light import Callable, Final, Sequence, replace
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
    NixString,
    NixWith,
    elements,
    extent_of,
)

_DEEPEST: Final = 120
_MOST_STEPS: Final = 400
_MOST_PARTS: Final = 200_000

Read = Callable[[str, str], "tuple[str, str] | str"]
"""The path and the text of the file that the first names as the second, or why there is none."""


_Tree = dict[str, "NixExpr | _Tree"]
"""A set that is put together of paths."""


_LIBRARY: Final = NixIdent("@lib")
_HEADS: Final = (NixString, NixAttrs, NixList, NixInt, NixBinary, NixLambda)
"""What is clear of itself."""


class NotImported(Exception):
    """Why a recipe is not imported, a clause, and where the cause stands in it."""

    def __init__(self, reason: str, node: NixExpr | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = extent_of(node).start if node is not None else 0


class Reducer:
    """Reduces the expressions of one file and of those that it imports."""

    __slots__ = ("_depth", "_folder", "_parser", "_read", "_size", "bindings", "busy", "imports")

    def __init__(self, parser: RecipeParser, read: Read, folder: str = "") -> None:
        self._parser = parser
        self._read = read
        self._folder = folder  # where files are, seen from the program
        self._depth = 0
        self._size = 0  # how many parts were put together, each as often as it is written out
        self.bindings: list[tuple[str, Bound]] = []
        self.busy: list[tuple[Bound, int]] = []  # what is being reduced, and how deep it stands
        self.imports: list[str] = []

    # --- to the head ---------------------------------------------------------------------------

    def head(self, node: NixExpr, scope: Scope) -> tuple[NixExpr, Scope]:
        """*node* evaluated so far that it is clear what it is."""
        for _ in range(_MOST_STEPS):
            found = self._step(node, scope)
            if found is None:
                return node, scope
            node, scope = found
        raise NotImported("its names lead in a circle, or through too many steps", node)

    def _step(self, node: NixExpr, scope: Scope) -> tuple[NixExpr, Scope] | None:
        match node:
            case NixIdent(name):
                return self._named(name, scope)
            case NixLet(entries, body):
                return body, self.let(entries, scope)
            case NixWith(environment, body):
                return body, Scope(scope, {}, scope.file, Bound(environment, scope))
            case NixAssert(_, body):
                return body, scope
            case NixIf(condition, then, otherwise):
                decided = self.reduce(condition, scope)
                if decided in (TRUE, FALSE):
                    return then if decided == TRUE else otherwise, scope
                return None
            case NixApply(function, argument):
                return self._applied(function, argument, scope)
            case NixSelect(base, path, _):
                return self._member(node, base, path, scope)
            case _:
                return None

    def _named(self, name: str, scope: Scope) -> tuple[NixExpr, Scope] | None:
        bound = scope.look(name)
        if bound is not None:
            bound.used = True
            return bound.node, bound.scope
        if name in GLOBALS or name.startswith("@"):
            return None
        environments = scope.environments()
        if not environments:
            return None
        if len(environments) > 1:
            return self._of_several(name, environments), NOWHERE
        opened = environments[0]
        return NixSelect(opened.node, (name,)), opened.scope

    def _of_several(self, name: str, environments: Sequence[Bound]) -> NixExpr:
        """*name* of the innermost `with` that has it: as Nix finds it, where only Nix knows."""
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
            raise NotImported(f"`{name}` is in none of the sets that `with` opens")
        made: NixExpr | None = None
        for one in reversed(left):
            made = self._select(NixSelect(one, (name,), made), NOWHERE)
        assert made is not None
        return made

    def _applied(
        self, function: NixExpr, argument: NixExpr, scope: Scope
    ) -> tuple[NixExpr, Scope] | None:
        handing = self._handing(function, argument, scope)
        if handing is not None:
            return handing, NOWHERE
        called, at = self.head(function, scope)
        if isinstance(called, NixLambda):
            return called.body, self.entered(called, at, argument, scope)
        if called == NixIdent("import") and at.look("import") is None:
            target, where = self.head(argument, scope)
            if isinstance(target, NixPath):
                return self._imported(target, where)
        return None

    def _handing(self, function: NixExpr, argument: NixExpr, scope: Scope) -> NixExpr | None:
        """The package set of which `callPackage (names@{ … }: names) { }` hands packages."""
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
        known = isinstance(given, NixAttrs)
        if known and isinstance(given, NixAttrs):
            names = _names(given)
        for formal in called.formals:
            if not known or formal.name in names:
                chosen: NixExpr = NixSelect(given, (formal.name,))
                inner.names[formal.name] = Bound(chosen, where, used=True)
            elif formal.default is not None:
                inner.names[formal.name] = Bound(formal.default, inner, used=True)
            else:
                raise NotImported(f"a function is called without `{formal.name}`", argument)
        return inner

    def _imported(self, path: NixPath, scope: Scope) -> tuple[NixExpr, Scope]:
        found = self._read(scope.file, path.text)
        if isinstance(found, str):
            raise NotImported(f"it imports `{path.text}`: {found}", path)
        name, text = found
        if any(mark in text for mark in PRIVATE):
            raise NotImported(f"`{name}` has private-use characters", path)
        if name not in self.imports:
            self.imports.append(name)
        try:
            return self._parser.parse(text), root_scope(name)
        except NotNix as fault:
            raise NotImported(f"it imports `{name}`: {fault.reason}", path) from None

    def _member(
        self, node: NixSelect, base: NixExpr, path: Sequence[object], scope: Scope
    ) -> tuple[NixExpr, Scope] | None:
        if not path:
            return base, scope
        key = path[0]
        found, at = self.head(base, scope)
        if not isinstance(found, NixAttrs) or not isinstance(key, str):
            return None
        value = self._entry(found, at, key)
        rest = node.path[1:]
        if value is None:
            if node.default is None:
                raise NotImported(f"there is no attribute `{key}`", node)
            return node.default, scope
        if rest:
            if node.default is not None:
                return None
            return NixSelect(value[0], rest), value[1]
        return value

    def _entry(self, attrs: NixAttrs, at: Scope, key: str) -> tuple[NixExpr, Scope] | None:
        """What *key* is in *attrs*."""
        inner = self.bound(_bindings(attrs), at) if attrs.recursive else at
        for entry in attrs.entries:
            match entry:
                case NixBinding(path, value) if path == (key,):
                    if not any(
                        isinstance(other, NixBinding)
                        and other.path[0] == key
                        and other is not entry
                        for other in attrs.entries
                    ):
                        return value, inner
                case NixInherit(names, None) if key in names:
                    return NixIdent(key), at
                case NixInherit(names, source) if source is not None and key in names:
                    return NixSelect(source, (key,)), inner
                case _:
                    pass
        values = dict(entries_of(self._attrs(attrs, at)))
        return (values[key], NOWHERE) if key in values else None

    def let(self, entries: Sequence[NixBinding | NixInherit], scope: Scope) -> Scope:
        """The scope within a `let`, whose names are taken down."""
        inner = self.bound(entries, scope)
        self.bindings += inner.names.items()
        return inner

    def bound(self, entries: Sequence[NixBinding | NixInherit], scope: Scope) -> Scope:
        """The scope within a `let`, or within a set that reads itself."""
        inner = Scope(scope, {}, scope.file)
        sets: dict[str, list[NixBinding]] = {}
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
                    raise NotImported("a name in it is computed", entry.value)
        for name, parts in sets.items():
            inner.names[name] = Bound(NixAttrs(tuple(parts)), inner)
        return inner

    # --- to the bottom -------------------------------------------------------------------------

    def reduce(self, node: NixExpr, scope: Scope) -> NixExpr:
        """*node* without any name that the file has given."""
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                raise NotImported("it is nested too deeply, or refers to itself", node)
            bound = scope.look(node.name) if isinstance(node, NixIdent) else None
            if bound is not None:
                return self._of(bound)
            key = self._parser.key(node, scope)
            if key is None:
                return self._to_bottom(node, scope)
            known = self._parser.reduced.get(key)
            if known is not None:
                self.bindings += known[1]
                self._add(known[2], node)
                return known[0]
            count, size = len(self.bindings), self._size
            made = self._to_bottom(node, scope)
            self._parser.keep(key, made, tuple(self.bindings[count:]), self._size - size)
            return made
        finally:
            self._depth -= 1

    def _add(self, size: int, node: NixExpr) -> None:
        """Count the parts of *node*: names of names double what a few lines say with each line."""
        self._size += size
        if self._size > _MOST_PARTS:
            raise NotImported(f"it has more than {_MOST_PARTS} parts with its names resolved", node)

    def _to_bottom(self, node: NixExpr, scope: Scope) -> NixExpr:
        self._add(1, node)
        if not isinstance(node, _HEADS):
            node, scope = self.head(node, scope)
        return self._reduced(node, scope)

    def _of(self, bound: Bound) -> NixExpr:
        """What *bound* stands for, reduced."""
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
                return NixList(tuple([self.reduce(item, scope) for item in elements(node)]))
            case NixAttrs():
                return self._attrs(node, scope)
            case NixSelect():
                return self._select(node, scope)
            case NixBinary("+", NixPath() as left, right):
                return self._below(left, self.reduce(right, scope), scope)
            case NixBinary(op, left, right):
                return folded_binary(op, self.reduce(left, scope), self.reduce(right, scope))
            case NixApply(function, argument):
                called = self.reduce(function, scope)
                if self.busy and self.busy[-1][1] == self._depth:
                    self.busy[-1][0].knot = self.knot_of(called)
                return self.call(called, self.reduce(argument, scope))
            case NixNot(operand):
                inner = self.reduce(operand, scope)
                return FALSE if inner == TRUE else TRUE if inner == FALSE else NixNot(inner)
            case NixHas(base, path):
                if not all(isinstance(step, str) for step in path):
                    raise NotImported("it reads an attribute with a computed name", node)
                return NixHas(self.reduce(base, scope), path)
            case NixIf(condition, then, otherwise):
                return NixIf(
                    self.reduce(condition, scope),
                    self.reduce(then, scope),
                    self.reduce(otherwise, scope),
                )
            case NixLambda():
                return self._lambda(node, scope)
            case _:
                raise NotImported("it uses Nix that the import does not understand", node)

    def _path(self, node: NixPath, scope: Scope) -> NixExpr:
        """The file that *node* names, as it is seen from the program."""
        if node.home or node.text.startswith("/"):
            raise NotImported(f"it names `{node.text}`, which other machines may not have", node)
        place = posixpath.dirname(scope.file)
        path = posixpath.normpath(posixpath.join(self._folder, place, node.text))
        here = posixpath.normpath(posixpath.join(self._folder, place))
        if f"{here}/".startswith(f"{path}/") or path in (".", "..") or path.endswith("/.."):
            raise NotImported("it names its own folder", node)
        return path_node(path)

    def _below(self, left: NixPath, more: NixExpr, scope: Scope) -> NixExpr:
        """The path *left* with *more* behind it, which may be a file of the recipe's own folder."""
        text = text_of(more)
        if text is None or not plain(text).startswith("/"):
            return folded_binary("+", self._path(left, scope), more)
        return self._path(replace(left, text=left.text + plain(text)), scope)

    def knot_of(self, function: NixExpr) -> NixExpr | None:
        """What *function* makes of any argument, also to those who ask within that."""
        return None

    def call(self, function: NixExpr, argument: NixExpr) -> NixExpr:
        """*function* applied to *argument*, both reduced."""
        if isinstance(function, NixLambda):
            return self.reduce(NixApply(function, argument), NOWHERE)
        folded = folded_call(function, argument, self.call)
        return folded if folded is not None else NixApply(function, argument)

    def _lambda(self, node: NixLambda, scope: Scope) -> NixExpr:
        inner = Scope(scope, {}, scope.file)
        for name in (node.whole, *(formal.name for formal in node.formals)):
            if name:
                inner.names[name] = Bound(NixIdent(name), NOWHERE, used=True)
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
        return NixLambda(parameter, self.reduce(node.body, inner))

    def _string(self, node: NixString, scope: Scope) -> NixExpr:
        if len(node.parts) == 1 and isinstance(node.parts[0], str):
            return NixString(node.parts)
        parts: list[str | NixExpr] = []
        for part in node.parts:
            if isinstance(part, str):
                parts.append(part)
                continue
            value = self.reduce(part, scope)
            match value:
                case NixString((str() as text,)) if FOLD_OPEN not in text:
                    parts.append(f"{FOLD_OPEN}{text}{FOLD_CLOSE}")
                case NixString(inner):
                    parts += inner
                case _:
                    parts.append(own_text(value) or value)
        return joined(parts)

    def _attrs(self, node: NixAttrs, scope: Scope) -> NixAttrs:
        inner = self.bound(_bindings(node), scope) if node.recursive else scope
        made: _Tree = {}
        for entry in node.entries:
            match entry:
                case NixInherit(names, source):
                    for name in names:
                        chosen = NixIdent(name) if source is None else NixSelect(source, (name,))
                        at = scope if source is None else inner
                        made[name] = self.reduce(chosen, at)
                case NixBinding(path, value):
                    steps = [self._key(step, inner) for step in path]
                    _put(made, steps, self.reduce(value, inner))
                case NixSlot():
                    pass
        return _frozen(made)

    def _key(self, step: str | NixExpr, scope: Scope) -> str:
        if isinstance(step, str):
            return step
        match self.reduce(step, scope):
            case NixString((str() as text,)):
                return plain(text)
            case _:
                raise NotImported("the name of an attribute is computed", step)

    def _select(self, node: NixSelect, scope: Scope) -> NixExpr:
        base = self.reduce(node.base, scope)
        path = tuple([self._key(step, scope) for step in node.path])
        default = self.reduce(node.default, scope) if node.default is not None else None
        while path and isinstance(base, NixAttrs):
            values = dict(entries_of(base))
            if path[0] not in values:
                if default is None:
                    raise NotImported(f"there is no attribute `{path[0]}`", node)
                return default
            base, path = values[path[0]], path[1:]
        return selected(base, path, default)


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


def _bindings(attrs: NixAttrs) -> list[NixBinding | NixInherit]:
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


def _frozen(made: _Tree) -> NixAttrs:
    return attrs_of(
        [(key, _frozen(value) if isinstance(value, dict) else value) for key, value in made.items()]
    )
