"""Reduced Nix trees: functions that make them, take them apart, and replace parts."""

from __future__ import annotations

from operator import is_

from tvarc.byhand.reading.marks import plain
from tvarc.light import Callable, Final, Iterator, Sequence, replace
from tvarc.nix.language.syntax import (
    Extent,
    NixApply,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixExpr,
    NixFormal,
    NixFormals,
    NixHas,
    NixIdent,
    NixIf,
    NixLambda,
    NixList,
    NixNot,
    NixSelect,
    NixString,
    children,
    elements,
    names_in,
    walk,
)

Entries = list[tuple[str, NixExpr]]
"""The keys and the values of a set, in order."""

GIVEN: Final = "@given:"
"""The prefix of the name of an argument of a recipe."""
GIVEN_PKGS: Final = "@given-pkgs"
"""The root of the argument `pkgs` of a recipe that takes packages as arguments, too."""
SOURCE: Final = "src"
"""The attribute with the source of a recipe."""
SOURCE_NODE: Final = NixIdent(f"@{SOURCE}")
"""The node for this source in a recipe that reads it by name."""
_EMPTY: Final = (NixString(("",)), NixString(()), NixList(()), NixAttrs(()))


def selected(base: NixExpr, path: tuple[str, ...], default: NixExpr | None = None) -> NixExpr:
    """`base.path` for a reduced *base*. The `lib` of any nixpkgs is the same library."""
    if not path:
        return base
    if isinstance(base, NixSelect) and base.default is None:
        path = (*[str(step) for step in base.path], *path)
        base = base.base
    if isinstance(base, NixIdent) and base.name.startswith("@") and path[0] == "lib":
        base, path = NixIdent("@lib"), path[1:]
        if not path:
            return base
    return NixSelect(base, path, default)


def joined(parts: Sequence[str | NixExpr], extent: Extent | None = None) -> NixString:
    """A string of *parts*, without adjacent texts, and without empty texts unless it is the only
    part."""
    made: list[str | NixExpr] = []
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        made += [text, part] if text else [part]
        text = ""
    if text:
        made.append(text)
    return NixString(tuple(made) or ("",), extent=extent)


def entries_of(attrs: NixAttrs) -> Entries:
    """The keys and the values of a reduced set."""
    return [
        (entry.path[0], entry.value)
        for entry in attrs.entries
        if isinstance(entry, NixBinding) and isinstance(entry.path[0], str)
    ]


def value_in(attrs: NixAttrs, key: str) -> NixExpr | None:
    """The value of *key* in a reduced set; None if it has no such key."""
    for entry in reversed(attrs.entries):
        if isinstance(entry, NixBinding) and entry.path[0] == key:
            return entry.value
    return None


def attrs_of(entries: Sequence[tuple[str, NixExpr]]) -> NixAttrs:
    """The set of *entries*."""
    return NixAttrs(tuple([NixBinding((key,), value) for key, value in entries]))


def call_of(node: NixExpr) -> tuple[NixExpr, list[NixExpr]]:
    """The function of a call and its arguments, in order; *node* and no arguments if it is not a
    call."""
    arguments: list[NixExpr] = []
    while isinstance(node, NixApply):
        arguments.insert(0, node.argument)
        node = node.function
    return node, arguments


def text_of(node: NixExpr) -> str | None:
    """The text of a constant string, including marks."""
    match node:
        case NixString((str() as text,)):
            return text
        case _:
            return None


def unread(node: NixExpr, reason: str) -> NixExpr:
    """The node in place of *node*, which cannot be reduced; *reason* is a clause that says why."""
    return NixApply(NixIdent("@unread"), NixString((reason,)), extent=node.extent)


def placed_as(made: NixExpr, node: NixExpr) -> NixExpr:
    """*made*, with the place of *node* if it has none."""
    match made:
        case NixApply() | NixBinary() | NixList() | NixAttrs() | NixString() | NixSelect() if (
            made.extent is None
        ):
            return replace(made, extent=node.extent) if node.extent is not None else made
        case _:
            return made


def why_unread(node: NixExpr) -> str | None:
    """The reason in a node that `unread` has made; None for any other node."""
    match node:
        case NixApply(NixIdent("@unread"), NixString((str() as reason,))):
            return reason
        case _:
            return None


def rewritten(node: NixExpr, change: Callable[[NixExpr], NixExpr | None]) -> NixExpr:
    """*node*, in which the results of *change* replace parts. If nothing changes, it is *node*
    itself, so that cached results for nodes stay valid."""
    changed = change(node)
    if changed is not None:
        return changed

    def inner(one: NixExpr) -> NixExpr:
        return rewritten(one, change)

    match node:
        case NixString(parts):
            made = [one if isinstance(one, str) else inner(one) for one in parts]
            return node if parts and _same(made, parts) else joined(made)
        case NixList():
            items = elements(node)
            found = [inner(item) for item in items]
            return node if _same(found, node.items) else NixList(tuple(found))
        case NixAttrs():
            entries = entries_of(node)
            values = [(key, inner(value)) for key, value in entries]
            is_same = len(entries) == len(node.entries) and all(
                one is other for (_, one), (_, other) in zip(values, entries, strict=True)
            )
            return node if is_same else attrs_of(values)
        case NixSelect(base, path, default):
            steps = tuple([str(step) for step in path])
            below, instead = inner(base), inner(default) if default is not None else None
            if below is base and instead is default and isinstance(base, NixIdent | NixApply):
                return node if steps[0] != "lib" else selected(below, steps, instead)
            return selected(below, steps, instead)
        case NixBinary(op, left, right):
            one, other = inner(left), inner(right)
            return node if one is left and other is right else NixBinary(op, one, other)
        case NixApply(function, argument):
            called, given = inner(function), inner(argument)
            is_same = called is function and given is argument
            return node if is_same else NixApply(called, given)
        case NixNot(operand):
            return NixNot(inner(operand))
        case NixHas(base, path):
            return NixHas(inner(base), path)
        case NixIf(condition, then, otherwise):
            return NixIf(inner(condition), inner(then), inner(otherwise))
        case NixLambda(NixFormals(formals, ellipsis, whole), body):
            arguments = [
                NixFormal(one.name, inner(one.default) if one.default is not None else None)
                for one in formals
            ]
            return NixLambda(NixFormals(tuple(arguments), ellipsis, whole), inner(body))
        case NixLambda(parameter, body):
            return NixLambda(parameter, inner(body))
        case _:
            return node


def _same(made: Sequence[object], parts: Sequence[object]) -> bool:
    """Whether the elements of *made* are identical to those of *parts*."""
    return len(made) == len(parts) and all(map(is_, made, parts))


def unmarked(node: NixExpr) -> NixExpr:
    """*node* without the marks of folded texts."""

    def change(one: NixExpr) -> NixExpr | None:
        match one:
            case NixString((str() as text,)):
                bare = plain(text)
                return one if bare == text else NixString((bare,))
            case NixString(parts):
                return joined(
                    [
                        plain(part) if isinstance(part, str) else rewritten(part, change)
                        for part in parts
                    ]
                )
            case _:
                return None

    return rewritten(node, change)


def own(node: NixExpr) -> str | None:
    """The name of the package's own attribute *node*; None for any other expression. An empty
    default does not matter. The forms that the compiler writes around an attribute that may be null
    or of another kind do not matter, either."""
    match node:
        case NixSelect(NixIdent("@old"), (str() as key,), default):
            return key if default is None or default in _EMPTY else None
        case NixApply(NixIdent("toString"), NixSelect() as inner):
            return own(inner)
        case NixApply(  # of a list, whose elements may be paths
            NixIdent("toString"),
            NixApply(
                NixApply(
                    NixIdent("map"),
                    NixLambda("x", NixIf(_, NixString((NixIdent("x"),)), NixIdent("x"))),
                ),
                NixApply(NixSelect(NixIdent("@lib"), ("toList",), None), NixSelect() as inner),
            ),
        ):
            return own(inner)
        case NixApply(
            NixApply(NixSelect(NixIdent("@lib"), ("remove",), None), NixIdent("null")),
            NixApply(NixSelect(NixIdent("@lib"), ("toList",), None), NixSelect() as inner),
        ):
            return own(inner)
        case NixIf(
            NixBinary("==", NixSelect(asked, path, NixIdent("null")), NixIdent("null")),
            NixList(()),
            NixSelect() as inner,
        ) if inner == NixSelect(asked, path):
            return own(inner)
        case _:
            return None


def root_of(node: NixExpr) -> tuple[str, tuple[str, ...]] | None:
    """The root and the path of `@root.a.b`; None for any other expression."""
    match node:
        case NixIdent(name) if name.startswith("@"):
            return name, ()
        case NixSelect(NixIdent(name), path, None) if name.startswith("@"):
            return name, tuple([str(step) for step in path])
        case _:
            return None


def last_step(node: NixExpr) -> str:
    """The last name in the path of `@root.a.b`; empty for any other expression."""
    where = root_of(node)
    return where[1][-1] if where is not None and where[1] else ""


def last_name(node: NixExpr) -> str:
    """The name *node*, or the last name of the selection *node*; empty for any other expression.
    `last_step` is for the path of a package."""
    match node:
        case NixIdent(name):
            return name.removeprefix(GIVEN)
        case NixSelect(_, path) if path and isinstance(path[-1], str):
            return path[-1]
        case _:
            return ""


def path_of(node: NixExpr) -> str | None:
    """The path, from the program, of the file *node*."""
    match node:
        case NixApply(NixIdent("@path"), NixString((str() as text,))):
            return text
        case _:
            return None


def path_node(path: str) -> NixExpr:
    """The node for a file, by its path."""
    return NixApply(NixIdent("@path"), NixString((path,)))


def input_node(url: str, digest: str) -> NixExpr:
    """The node for a tarball, by its address and its hash."""
    return NixApply(NixIdent("@input"), NixString((f"{url} {digest}",)))


def input_of(node: NixExpr) -> tuple[str, str] | None:
    """The address and the hash of the tarball *node*."""
    match node:
        case NixApply(NixIdent("@input"), NixString((str() as text,))):
            url, _, digest = text.partition(" ")
            return url, digest
        case _:
            return None


def file_of_input(node: NixExpr) -> tuple[NixExpr, str] | None:
    """The tarball and the path in it of the file *node*."""
    match node:
        case NixBinary("+", tarball, NixString((str() as path,))) if input_of(tarball) is not None:
            return tarball, path
        case NixString((NixApply() as tarball, str() as path)) if input_of(tarball) is not None:
            return tarball, path
        case _:
            return None


def paths_in(node: NixExpr) -> list[str]:
    """The files that *node* names."""
    return [path for one in within(node) if (path := path_of(one)) is not None]


def reads_own(node: NixExpr, name: str) -> bool:
    """Whether *node* reads the package's own attribute *name*, or all of them."""
    found = False

    def look(one: NixExpr) -> NixExpr | None:
        nonlocal found
        match one:
            case NixSelect(NixIdent("@old"), path):
                found = found or path[0] == name
                return one
            case NixHas(NixIdent("@old"), path):
                found = found or path[0] == name
                return one
            case NixIdent("@old"):
                found = True
            case _:
                pass
        return None

    rewritten(node, look)
    return found


def function_of(body: NixExpr, roots: Sequence[tuple[str, str]]) -> NixExpr:
    """*body* as a function of each root, with a name for each value that it does not bind. Leading
    parameters that it does not read are left out, except the last."""
    bound = {*names_in([body]), *parameters_in(body)}
    read = [root for root, _ in roots if root in bound]
    for number, (root, wanted) in reversed(list(enumerate(roots))):
        last = number == len(roots) - 1
        if not last and not any(one in read for one, _ in roots[: number + 1]):
            continue
        name = wanted
        while name in bound:
            name = f"own-{name}"
        given = NixIdent(name)
        body = rewritten(body, lambda one, r=root, g=given: g if one == NixIdent(r) else None)  # type: ignore[misc]
        body = NixLambda(name if root in read else "_", body)
    return body


def parameters_in(node: NixExpr) -> set[str]:
    """The names of the parameters of all functions in *node*."""
    functions = [one for one in walk([node]) if isinstance(one, NixLambda)]
    named = {formal.name for one in functions for formal in one.formals}
    return {*named, *[one.whole for one in functions]}


def free_in(node: NixExpr) -> set[str]:
    """The names that *node* reads from around it. What a `let` or a `rec` binds counts as read."""
    match node:
        case NixIdent(name):
            return {name}
        case NixLambda(_, body):
            own = {node.whole, *[one.name for one in node.formals]}
            read = [body, *[one.default for one in node.formals if one.default is not None]]
            return set().union(*map(free_in, read)) - own
        case _:
            return set().union(*map(free_in, children(node)))


def names_root(node: NixExpr, root: str) -> bool:
    """Whether *root* is anywhere in *node*."""
    return any(isinstance(one, NixIdent) and one.name == root for one in walk([node]))


def within(node: NixExpr) -> Iterator[NixExpr]:
    """*node* and all nodes in it, in the order of the text."""
    yield node
    for one in children(node):
        yield from within(one)
