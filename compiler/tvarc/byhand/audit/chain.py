"""Takes a package apart: what it starts from, and how it is changed on the way.

`(pkgs.magma.override { … }).overrideAttrs (old: { … })` starts from `pkgs.magma` and is changed by
two sets. Nix's ways to say this differ in spelling; here they are one.
"""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, SETS
from tvarc.byhand.audit.constants import Constants, Located, last_step, receiver
from tvarc.byhand.audit.model import (
    UNREAD_PART,
    Added,
    Found,
    Gap,
    Inner,
    Ref,
    Seen,
    Table,
    Unread,
    holds_unread,
)
from tvarc.byhand.reading.scopes import Scope
from tvarc.light import Final, Iterator, dataclass, field
from tvarc.nix.language.quoting import interpolation
from tvarc.nix.language.syntax import (
    NixApply,
    NixAssert,
    NixAttrs,
    NixExpr,
    NixIdent,
    NixLambda,
    NixSelect,
    extent_of,
)

_ARGS: Final = ("override",)
_ATTRS: Final = ("overrideAttrs", "overridePythonAttrs", "overrideDerivation")
_CALLERS: Final = ("callPackage", "callPackageWith", "newScope")
_BUILDERS: Final = (
    "mkDerivation",
    "buildPythonPackage",
    "buildPythonApplication",
    "buildGoModule",
    "buildRustPackage",
    "runCommand",
    "symlinkJoin",
)
_MOST_LINKS: Final = 50


@dataclass(slots=True)
class Chain:
    """A package: what it starts from, and what changes it, the innermost first."""

    start: Located
    args: list[Located] = field(default_factory=list)
    attrs: list[Located] = field(default_factory=list)
    called: Located | None = None  # the package that `callPackage` calls
    builder: str = ""  # the function that builds it from scratch


def chain(constants: Constants, node: NixExpr, scope: Scope) -> Chain:
    """*node* taken apart."""
    args: list[Located] = []
    attrs: list[Located] = []
    for _ in range(_MOST_LINKS):
        node, scope = constants.resolve(node, scope)
        if not isinstance(node, NixApply):
            break
        link = _link(constants, node, scope)
        if link is None:
            break
        name, node, argument = link
        (args if name in _ARGS else attrs).append(argument)
        scope = argument[1]
    args.reverse()
    attrs.reverse()
    made = Chain((node, scope), args, attrs)
    if isinstance(node, NixApply):
        _start_of_call(constants, node, scope, made)
    return made


def _link(
    constants: Constants, node: NixApply, scope: Scope
) -> tuple[str, NixExpr, Located] | None:
    """The method that *node* calls, the package that it is called on, and its argument."""
    function, at = constants.resolve(node.function, scope)
    if not isinstance(function, NixSelect) or not function.path or at is not scope:
        return None
    name = function.path[-1]
    if not isinstance(name, str) or name not in (*_ARGS, *_ATTRS):
        return None
    return name, receiver(function), (node.argument, scope)


def _start_of_call(constants: Constants, node: NixApply, scope: Scope, made: Chain) -> None:
    (function, at), arguments = constants.called(node, scope)
    name = (constants.reference(function, at) or last_step(function)).rpartition(".")[2]
    if name in _CALLERS and len(arguments) == 2:
        made.called = arguments[0]
        made.args.insert(0, arguments[1])
    elif name in _BUILDERS and arguments:
        made.builder = name
        made.attrs.insert(0, arguments[-1])


@dataclass(slots=True)
class Settings:
    """Settings by path, what overrides last winning, and what of them is not understood."""

    seen: dict[str, Seen] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)
    inner: dict[str, Inner] = field(default_factory=dict)


def read_changes(constants: Constants, made: Chain) -> Settings:
    """`args.x` and `attrs.x`, `env.x`, `passthru.x`, `meta.x` of a package."""
    settings = Settings()
    for argument in made.args:
        _read_set(constants, argument, "args", settings)
    for argument in made.attrs:
        _read_set(constants, argument, "attrs", settings)
    return settings


def read_settings(constants: Constants, place: Located, block: str) -> Settings:
    """The keys of one set as settings `block.key`."""
    settings = Settings()
    _read_set(constants, place, block, settings)
    return settings


def _read_set(constants: Constants, where: Located, block: str, into: Settings) -> None:
    for node, scope in _sets(constants, *where):
        if not isinstance(node, NixAttrs):
            unread = constants.unread(node, scope)
            into.gaps.append(Gap(block, unread.text, unread.why, extent_of(node)))
            continue
        for path, (value, at) in constants.entries(node, scope):
            if path is None or not path:
                into.gaps.append(Gap(block, constants.source(value), COMPUTED, extent_of(value)))
                continue
            if constants.is_left_out(value, at):
                continue
            found = Seen(constants.value(value, at), extent_of(value))
            top, *rest = path
            named = block == ATTRIBUTES and top in SETS
            prefix = [top, *rest] if named else [block, top, *rest]
            if block == "args" and isinstance(found.value, Unread):
                changed = _changed_in_place(constants, value, at)
                if changed is not None:
                    into.inner[".".join(prefix)] = changed
            _store(into, ".".join(prefix), found, spread=named and not rest)


def _changed_in_place(constants: Constants, node: NixExpr, scope: Scope) -> Inner | None:
    """The package that `torch.override { … }` changes where it is handed on, with the changes."""
    made = chain(constants, node, scope)
    package = constants.reference(*made.start) if made.args or made.attrs else None
    return Inner(package, read_changes(constants, made).seen) if package is not None else None


def _store(into: Settings, path: str, found: Seen, *, spread: bool) -> None:
    """Keep a setting; a set is spread over its keys where these are settings (`meta = { … }`)."""
    inner: Found = found.value.value if isinstance(found.value, Added) else found.value
    if spread and isinstance(inner, Table):
        for key, value in inner.entries:
            _store(into, f"{path}.{key}", Seen(value, found.place), spread=False)
        return
    if spread and isinstance(found.value, Ref):
        return  # `meta = old.meta` changes nothing
    into.seen[path] = Seen(_own_part(path, found.value), found.place)
    for unread in _unread_in(found.value):
        into.gaps.append(Gap(path, unread.text, unread.why, found.place))


def _own_part(path: str, value: Found) -> Found:
    """A text that has the package's own value in its middle (`"${old.x} …"`) is read as an addition
    to that value."""
    own = f"old.{path.removeprefix('attrs.').removeprefix('args.')}"
    if isinstance(value, str):
        first, found, last = value.partition(interpolation(own))
        if found and own not in last:
            return Added(Ref(own), first + last, len(first))
    return value


COMPUTED: Final = "its name is computed"


def _unread_in(value: Found) -> Iterator[Unread]:
    match value:
        case Unread():
            yield value
        case str() if UNREAD_PART in value:
            part = value[value.index(UNREAD_PART) :].partition("\n")[0]
            yield Unread(part, why="Nix computes this part of the text")
        case tuple():
            for item in value:
                yield from _unread_in(item)
        case Added(_, inner):
            yield from _unread_in(inner)
        case Table(entries):
            for _, item in entries:
                yield from _unread_in(item)
        case _:
            if holds_unread(value):
                yield Unread("a fetcher's arguments", why="they are computed by Nix")


def _bare(node: NixExpr) -> NixExpr:
    """*node* less what it asserts first."""
    while isinstance(node, NixAssert):
        node = node.body
    return node


def _sets(constants: Constants, node: NixExpr, scope: Scope) -> Iterator[Located]:
    """The sets that an argument is made of: of a function its body, of `a // b` both."""
    for one, at in constants.sets(node, scope):
        if isinstance(one, NixLambda):
            names = ["old"]
            if isinstance(_bare(one.body), NixLambda):  # `finalAttrs: old: …`
                names = ["own", "old"]
            body: NixExpr = one
            for name in names:
                body = _bare(body)
                if not isinstance(body, NixLambda):
                    break
                body, at = constants.opened(body, at, name)
            yield from _sets(constants, body, at)
        elif not isinstance(one, NixIdent) or constants.reference(one, at) != "old":
            yield one, at
