"""Lower values to Nix expressions."""

from __future__ import annotations

import posixpath

from tvarc.light import TYPE_CHECKING, Callable, Final, Sequence, assert_never, replace
from tvarc.nix import ir
from tvarc.nix.language.quoting import attribute, is_identifier
from tvarc.nix.language.syntax import (
    FALSE,
    NULL,
    TRUE,
    NixApply,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixExpr,
    NixFloat,
    NixFormal,
    NixIdent,
    NixIf,
    NixInherit,
    NixInt,
    NixLambda,
    NixLate,
    NixLet,
    NixList,
    NixPath,
    NixQuoted,
    NixRaw,
    NixSelect,
    NixString,
    placed,
    walk,
)
from tvarc.nix.lower.context import CALLER, Context, Formals, may_be_argument
from tvarc.nix.lower.guards import with_argument
from tvarc.nix.lower.scopes import NAMES, SCOPE, handed
from tvarc.nix.nixpkgs import TEXTS, holds_no_path
from tvarc.text.diagnostics.model import CompilerBug
from tvarc.values.value import (
    DeclValue,
    Late,
    Missing,
    NixCall,
    NixPart,
    NixRef,
    NixSource,
    NixText,
    NixValue,
    NoneValue,
    PathValue,
    Record,
    RowValue,
    UnlockedValue,
    Value,
    Version,
    float_text,
)

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines, Prov, Run

OLD = NixIdent("old")


def lower_value(value: Value, context: Context, prov: Prov | None = None) -> NixExpr:
    """*value* as Nix. *context* decides the meaning of the roots. With *prov*, each node has the
    source lines that made it."""
    if prov is not None:
        return _traced(value, context, prov)
    match value:
        case bool():
            return TRUE if value else FALSE
        case str():
            return lower_text(value)
        case int():
            return NixInt(value)
        case float():
            return NixFloat(float_text(value))
        case None:
            return NULL
        case Version():
            return NixString((value.text,))
        case RowValue():
            return NixString((value.name,))
        case tuple():
            return NixList(tuple(lower_value(item, context) for item in value))
        case Record():
            return NixAttrs(tuple(NixBinding((k,), lower_value(v, context)) for k, v in value))
        case PathValue():
            return NixPath(context.relative(value.file))
        case NixRef():
            return lower_ref(value, context)
        case NixSource():
            return lower_source(value, context)
        case NixText():
            return lower_text_parts(value, context)
        case NixCall():
            return lower_call(value, context)
        case Late():
            return NixString((NixLate(value),))
        case DeclValue():
            raise CompilerBug(f"{value.kind} `{value.name}` reached the backend")
        case NoneValue():
            raise CompilerBug("`none` reached the backend")
        case UnlockedValue():
            raise CompilerBug("`unlocked` reached the backend")
        case _:
            assert_never(value)


def _traced(value: Value, context: Context, prov: Prov) -> NixExpr:
    match value:
        case str() | NixText():
            return traced_text(value, context, prov)
        case tuple():
            items = tuple([lower_value(v, context, prov.item(n)) for n, v in enumerate(value)])
            return placed(NixList(items), prov.own if items else prov.all, prov.head)
        case Record():
            entries = [
                _entry(key, item, context, prov.item(n)) for n, (key, item) in enumerate(value)
            ]
            return placed(NixAttrs(tuple(entries)), prov.own if entries else prov.all)
        case NixCall():
            return placed(
                asking(context, prov.all, lambda inner: lower_call(value, inner, prov)), prov.own
            )
        case NixSource():
            return asking(context, prov.all, lambda inner: lower_source(value, inner, prov))
        case _:
            made = prov.all | _of_age(value, context)
            return placed(asking(context, made, lambda inner: lower_value(value, inner)), made)


def _of_age(value: Value, context: Context) -> Lines:
    """The lines that state the age of nixpkgs, if the form of *value* depends on it."""
    if context.traced is None or not isinstance(value, NixRef) or value.root != "old":
        return 0
    return context.traced.age if value.attributes[:1] == ("env",) else 0


def asking(context: Context, lines: Lines, lower: Callable[[Context], NixExpr]) -> NixExpr:
    """The result of *lower*. The arguments of the file that it uses are needed by *lines*."""
    formals = Formals()
    scope = context.scope.fresh() if context.scope is not None else None
    made = lower(replace(context, formals=formals, scope=scope))
    context.formals.ask(formals, lines)
    if context.scope is not None and scope is not None:
        context.scope.ask(scope, lines)
    return made


def _entry(key: str, value: Value, context: Context, prov: Prov) -> NixBinding:
    return placed(NixBinding((key,), lower_value(value, context, prov)), 0, prov.all | prov.head)


def traced_text(text: str | NixText, context: Context, prov: Prov) -> NixString:
    """A text, with the source lines of each of its lines and of each part that only Nix knows."""
    values = text.parts if isinstance(text, NixText) else (text,)
    runs = prov.runs(text)
    found = by_line(values, runs)
    lines, interpolated = found if found is not None else _alike(values, prov.all)
    parts: list[str | NixExpr] = []
    left = iter(interpolated)
    for part in values:
        if isinstance(part, str):
            parts += (part,) if part else ()
            continue
        made = next(left) | _of_age(part, context)
        if isinstance(part, Late):
            parts.append(NixLate(part))
            continue
        one = asking(context, made, lambda inner, part=part: _in_text(part, inner))  # type: ignore[misc]
        parts.append(placed(one, made))
    block = any(isinstance(p, str) and "\n" in p for p in parts)
    return placed(NixString(tuple(parts), block), 0, 0, tuple(lines))


def by_line(parts: Sequence[object], runs: Sequence[Run]) -> tuple[list[Lines], list[Lines]] | None:
    """The source lines of each line of a text, and of each part that is not text. None if *runs*
    belong to another text."""
    lines: list[Lines] = [0]
    interpolated: list[Lines] = []
    left = iter(runs)
    for part in parts:
        if not isinstance(part, str):
            length, made = next(left, (0, 0))
            while length == 0:
                lines[-1] |= made
                length, made = next(left, (1, 0))
            if length is not None:
                return None
            lines[-1] |= made
            interpolated.append(made)
            continue
        at = 0
        while at < len(part):
            length, made = next(left, (None, 0))
            if length is None or at + length > len(part):
                return None
            first, *more = part[at : at + length].split("\n")
            if first or not length:
                lines[-1] |= made
            lines += [made if one else 0 for one in more]
            at += length
    for length, made in left:
        if length != 0:
            return None
        lines[-1] |= made
    return lines, interpolated


def _alike(parts: Sequence[object], made: Lines) -> tuple[list[Lines], list[Lines]]:
    """The lines and parts of a text for which only the lines *made* of the whole are known."""
    count = sum([part.count("\n") for part in parts if isinstance(part, str)])
    return [made] * (count + 1), [made for part in parts if not isinstance(part, str)]


def lower_text(text: str) -> NixString:
    return NixString((text,) if text else (), block="\n" in text)


def text_of(run: Sequence[str | NixExpr]) -> NixString:
    """The string of the parts *run*."""
    merged: list[str | NixExpr] = []
    for piece in run:
        if merged and isinstance(piece, str) and isinstance(merged[-1], str):
            merged[-1] += piece
        else:
            merged.append(piece)
    return NixString(tuple(merged), block=any(isinstance(p, str) and "\n" in p for p in merged))


def lower_text_parts(text: NixText, context: Context) -> NixString:
    parts: list[str | NixExpr] = []
    for part in text.parts:
        if isinstance(part, str):
            parts.append(part)
        else:
            parts.append(NixLate(part) if isinstance(part, Late) else _in_text(part, context))
    return NixString(tuple(parts), block=any(isinstance(p, str) and "\n" in p for p in parts))


def _in_text(part: NixValue, context: Context) -> NixExpr:
    """A part of a text that only Nix knows."""
    if isinstance(part, NixRef) and part.root == "old":
        return own_text(own_attributes(part.attributes, context), context)
    return lower_value(part, context)


def own_text(path: tuple[str, ...], context: Context) -> NixExpr:
    """The package's own value at *path*, as its builder gets it. It is empty if it is missing or
    null. The elements of a list are joined with blanks."""
    own = NixSelect(OLD, path, NixString(()))
    if path[0] in TEXTS and len(path) == 1:
        return own
    if holds_no_path(path):
        return NixApply(NixIdent("toString"), own)
    # `toString` does not copy a path to the store, so a builder could not read it.
    copied = NixIf(
        NixApply(builtin("isPath"), NixIdent("x")), NixString((NixIdent("x"),)), NixIdent("x")
    )
    one_or_more = NixApply(context.library(("toList",)), own)
    texts = apply_nix(NixIdent("map"), NixLambda("x", copied), one_or_more)
    return NixApply(NixIdent("toString"), texts)


def own_attributes(attributes: tuple[str, ...], context: Context) -> tuple[str, ...]:
    """The path of a package's own attribute. Before nixpkgs had `env`, variables were plain
    attributes."""
    if len(attributes) > 1 and attributes[0] == "env" and context.age.knows("env") is False:
        return attributes[1:]
    return attributes


def lower_ref(ref: NixRef, context: Context) -> NixExpr:
    match ref.root:
        case "pkgs":
            return context.package(ref.attributes)
        case "caller":
            return context.caller_set(ref.attributes)
        case "old":
            attributes = own_attributes(ref.attributes, context)
            return NixSelect(OLD, attributes) if attributes else OLD
        case "needs":
            return NixSelect(NixIdent("needs"), ref.attributes)
        case "final" | "prev":
            base = context.final if ref.root == "final" else context.prev
            if base is None:
                raise CompilerBug(f"`{ref.root}` outside an overlay reached the backend")
            return NixSelect(base, ref.attributes) if ref.attributes else base
        case _:
            raise CompilerBug(f"root `{ref.root}` reached the backend")


def lower_source(source: NixSource, context: Context, prov: Prov | None = None) -> NixExpr:
    """Nix text of the user, with bindings for the names that it may use and that are not bound yet.
    """
    named = words(" {} ".join([part for part in source.parts if isinstance(part, str)]))
    outer: list[NixBinding | NixInherit] = []
    inner: list[NixBinding | NixInherit] = []
    called: list[NixBinding | NixInherit] = []
    if "pkgs" in named:
        pkgs = packages_for(source, "pkgs", context)
        if isinstance(pkgs, NixBinary) and NixIdent(CALLER) in walk([pkgs]):
            # Nix would read `let pkgs = pkgs // …` as a circle.
            called.append(NixBinding((SCOPE.name,), pkgs))
            pkgs = SCOPE
        if pkgs is not None and pkgs != NixIdent("pkgs"):
            outer.append(NixBinding(("pkgs",), pkgs))
    if "caller" in named:
        caller: NixExpr | None = context.caller_set(())
        if not context.pinned:
            theirs = replace(context, pkgs=None, scope=None)
            caller = packages_for(source, "caller", theirs)
        if caller is not None:
            called.append(NixBinding(("caller",), caller))
    if "lib" in named:
        if context.lib is None:
            context.formals.names.add("lib")
        else:
            outer.append(NixBinding(("lib",), context.lib))
    for name, meant in (("final", context.final), ("prev", context.prev)):
        if name in named and meant is not None and meant != NixIdent(name):
            inner.append(NixBinding((name,), meant))
    parts = [_lower_part(part, context) for part in source.parts]
    if source.folder:
        parts = _in_place(parts, source.folder, context)
    expr: NixExpr = NixRaw(tuple(parts))
    if prov is not None:
        found = by_line(source.parts, prov.runs(source))
        lines, _ = found if found is not None else _alike(source.parts, prov.all)
        expr = placed(expr, 0, prov.all, tuple(lines))
    if inner:
        expr = NixLet(tuple(inner), expr)
    expr = NixLet(tuple(outer), expr) if outer else expr
    # These bindings are outside of the others, because a `pkgs` among the others is another one.
    expr = NixLet(tuple(called), expr) if called else expr
    return expr if prov is None or isinstance(expr, NixRaw) else placed(expr, 0, prov.all)


def packages_for(source: NixSource, name: str, context: Context) -> NixExpr | None:
    """The value of the variable *name* in Nix text. Its attributes mean the same as `pkgs.NAME` in
    the rest of the recipe. None if the text takes nothing from it.

    If nixpkgs builds only for this machine, the value is its top level. Otherwise it is a set of
    packages from callPackage. A text that passes on the set gets the top level with these packages
    in it. A text that computes names also gets the package set of the scope.
    """
    if context.scope is None and context.pkgs is not None:
        return context.pkgs
    from tvarc.nix.language.uses import uses_of

    around = ["pkgs", "caller", "lib", "old", "needs"]
    if context.final is not None:
        around += ["final", "prev"]
    uses = uses_of("".join(map(_as_read, source.parts)), name, around)
    names = uses.required | uses.optional
    computed = uses.computed or not all(map(is_identifier, names))
    whole = uses.whole or computed or CALLER in names
    taken = {one for one in names if is_identifier(one) and one != CALLER}
    parts = [context.top_level(())] if whole else []
    if computed and context.set_path:
        parts.append(context.top_level(context.set_path))
    if context.scope is not None and taken:
        context.scope.required |= uses.required & taken
        context.scope.optional |= uses.optional & taken
        parts.append(SCOPE)
    elif taken:
        arguments = {one for one in taken if may_be_argument(one) or one == "lib"}
        # An argument hides a name that a `with` provides. If nixpkgs lacks a package, Nix looks for
        # its name in the next `with`, and stops if there is none.
        arguments -= uses.bare - uses.required
        arguments -= context.looked_for
        others = taken - arguments
        context.formals.names |= uses.required & arguments
        lacking = arguments - uses.required
        if lacking:
            context.formals.optional |= lacking
            parts.append(NixIdent(NAMES))
        elif arguments:
            parts.append(NixAttrs((NixInherit(tuple(sorted(arguments))),)))
        if others:
            needed = uses.required & others
            parts.append(handed(context.call_package(), needed, others - needed))
    whole_set: NixExpr | None = NixAttrs(()) if uses.named and not parts else None
    for part in parts:
        whole_set = part if whole_set is None else NixBinary("//", whole_set, part)
    return whole_set


def _as_read(part: str | NixPart) -> str:
    """*part* of Nix text for the search for names. A value in it becomes code without names."""
    if isinstance(part, str):
        return part
    if part.place == "code":
        return "null"
    if part.place != "attribute":
        return "x"
    assert isinstance(part.value, str)
    return attribute(part.value)


def _lower_part(part: str | NixPart, context: Context) -> str | NixQuoted:
    if isinstance(part, str):
        return part
    if part.place in ("code", "attribute"):
        return NixQuoted(lower_value(part.value, context), part.place, part.dollar)
    assert isinstance(part.value, str)
    return NixQuoted(part.value, part.place, part.dollar)


def _in_place(
    parts: Sequence[str | NixQuoted], folder: str, context: Context
) -> list[str | NixQuoted]:
    """*parts* with their relative paths, which begin at *folder*, relative to the emitted file."""
    from tvarc.nix.language.text_paths import moved_paths

    return moved_paths(parts, lambda path: context.relative(posixpath.join(folder, path)))


def words(text: str) -> set[str]:
    """The identifiers in Nix text, including words of its strings and comments."""
    return set("".join(c if c.isalnum() or c in "_'-" else " " for c in text).split())


# --- functions ---------------------------------------------------------------------------------


def lower_call(call: NixCall, context: Context, prov: Prov | None = None) -> NixExpr:
    """The Nix code for a function of the language, or for a fetched source."""
    arguments = dict(call.arguments)
    provs: dict[str, Prov] = {}
    if prov is not None:
        provs = {name: prov.item(n) for n, (name, _) in enumerate(call.arguments)}
        if "hash" in provs:  # the hash may be the lock's
            provs["hash"] = provs["hash"].flat()
    match call.function:
        case "github":
            return _github(call, context, provs)
        case "url":
            fetch: dict[str, Value] = {
                key: arguments[key] for key in ("name", "url", "hash") if key in arguments
            }
            return NixApply(context.package_set(("fetchurl",)), _attrs(fetch, context, provs))
        case "select":
            attribute = arguments["attribute"]
            assert isinstance(attribute, str)
            base = lower_value(arguments["value"], context, provs.get("value"))
            made = NixSelect(base, (attribute,))
            return made if prov is None else placed(made, prov.all)
        case "input":
            return _input(call, context, provs)
        case "file":
            base = lower_value(arguments["input"], context, provs.get("input"))
            file = arguments["file"]
            assert isinstance(file, str)
            return NixBinary("+", base, lower_value(f"/{file}", context, provs.get("file")))
        case "call":
            function, *given = arguments
            what = arguments[function]
            called = lower_value(what, context, provs.get(function))
            if is_file(what):
                called = NixApply(NixIdent("import"), called)
            values = [lower_value(arguments[n], context, provs.get(n)) for n in given]
            return apply_nix(called, *values)
        case _:
            return _on_text(call.function, arguments, context, provs)


INPUT: Final = "-input"
"""The ending of the name of a recipe's argument for an input. callPackage fills arguments with the
name of a package, and many repositories have such a name."""


def is_file(value: Value) -> bool:
    """Whether *value* is a file of Nix code, which is not evaluated yet."""
    return isinstance(value, PathValue) or (isinstance(value, NixCall) and value.function == "file")


def _input(call: NixCall, context: Context, provs: dict[str, Prov]) -> NixExpr:
    """The argument of the recipe for an input, and its default."""
    given = dict(call.arguments)
    name = f"{given['name']}{INPUT}"
    if "path" in given:
        source = lower_value(given["path"], context, provs.get("path"))
    else:
        fields: dict[str, Value] = {"url": given["url"], "sha256": given["hash"]}
        found = {"url": provs["url"], "sha256": provs["hash"]} if provs else {}
        source = NixApply(builtin("fetchTarball"), _attrs(fields, context, found))
    context.formals.add(NixFormal(name, source))
    return NixIdent(name)


def taken_input(taken: ir.Taken, context: Context) -> str:
    """The name of the recipe's argument for an input that the recipe passes on."""
    formals = Formals()
    made = lower_value(taken.source, replace(context, formals=formals))
    assert isinstance(made, NixIdent)
    if context.traced is not None:
        for name, default in formals.defaults.items():
            formals.defaults[name] = placed(default, taken.lines, taken.lines)
    context.formals.ask(formals, taken.lines)
    return made.name


def _github(call: NixCall, context: Context, provs: dict[str, Prov]) -> NixExpr:
    repository = call.argument("repository")
    submodules = call.argument("submodules")
    fields: dict[str, Value] = {}
    if isinstance(repository, str):
        fields["owner"], _, fields["repo"] = repository.partition("/")
    age = context.age
    for key in ("name", "rev", "tag", "hash"):
        value = call.argument(key)
        if isinstance(value, Missing):
            continue
        if key == "tag" and age.knows("fetch-tag") is False:
            fields["rev"] = _joined("refs/tags/", value)
        elif key == "hash" and submodules is True and age.knows("fetchgit-hash") is False:
            fields["sha256"] = value  # `sha256` accepts an SRI hash, too
        else:
            fields[key] = value
    if submodules is True:
        fields["fetchSubmodules"] = True
    provs = _of_fields(provs, context)
    made: NixExpr = NixApply(
        context.package_set(("fetchFromGitHub",)), _attrs(fields, context, provs)
    )
    asked = 0
    for prov in provs.values():
        asked |= prov.all
    if submodules is True and "hash" in fields:
        what = "`github(…)` with `submodules` and `hash`"
        made = with_argument("fetchgit-hash", "fetchgit", "hash", what, made, context, asked)
    if "tag" in fields:
        what = "`github(…)` with `tag`"
        made = with_argument("fetch-tag", "fetchFromGitHub", "tag", what, made, context, asked)
    return made


def _of_fields(provs: dict[str, Prov], context: Context) -> dict[str, Prov]:
    """The provenance of the arguments for fetching from GitHub. They depend on the age of nixpkgs.
    """
    if not provs or context.traced is None:
        return {}
    found = {key: prov.flat() if key != "name" else prov for key, prov in provs.items()}
    found["owner"] = found["repo"] = found["repository"]
    for key in ("tag", "rev", "hash"):
        if key in found:
            found[key] = found[key].headed(context.traced.age)
    for key, other in (("rev", "tag"), ("sha256", "hash"), ("fetchSubmodules", "submodules")):
        if other in found:
            found.setdefault(key, found[other])
    return found


def _joined(start: str, value: Value) -> Value:
    """*start*, followed by the text of *value*."""
    match value:
        case str():
            return start + value
        case Version():
            return start + value.text
        case RowValue() | DeclValue():
            return start + value.name
        case NixText(parts):
            return NixText((start, *parts))
        case NixRef() | NixSource() | NixCall():
            return NixText((start, value))
        case _:
            raise CompilerBug("no text reached the backend as a tag")


def _attrs(fields: dict[str, Value], context: Context, provs: dict[str, Prov]) -> NixAttrs:
    if provs:
        return NixAttrs(tuple([_entry(k, v, context, provs[k]) for k, v in fields.items()]))
    return NixAttrs(tuple(NixBinding((k,), lower_value(v, context)) for k, v in fields.items()))


def builtin(name: str) -> NixExpr:
    """`builtins.name`."""
    return NixSelect(NixIdent("builtins"), (name,))


def apply_nix(function: NixExpr, *arguments: NixExpr) -> NixExpr:
    """`f a b`."""
    for argument in arguments:
        function = NixApply(function, argument)
    return function


def _on_text(
    function: str, arguments: dict[str, Value], context: Context, provs: dict[str, Prov]
) -> NixExpr:
    values = [lower_value(v, context, provs.get(name)) for name, v in arguments.items()]
    match function:
        case "join":
            return apply_nix(builtin("concatStringsSep"), values[1], values[0])
        case "split":
            return apply_nix(context.library(("splitString",)), values[1], values[0])
        case "replace":
            return _replaced(values[0], values[1], values[2])
        case "flat":
            return _replaced(values[0], NixString((".",)), NixString(()))
        case "under":
            return _replaced(values[0], NixString((".",)), NixString(("_",)))
        case "upper":
            return apply_nix(context.library(("toUpper",)), values[0])
        case "lower":
            return apply_nix(context.library(("toLower",)), values[0])
        case "major" | "minor":
            return apply_nix(context.library(("versions", function)), values[0])
        case _:
            raise CompilerBug(f"function `{function}` reached the backend")


def _replaced(text: NixExpr, old: NixExpr, new: NixExpr) -> NixExpr:
    return apply_nix(builtin("replaceStrings"), NixList((old,)), NixList((new,)), text)


def name_filter(pattern: str, items: NixExpr) -> NixExpr:
    """*items* without the packages whose name matches *pattern* (`*` and `?` as in a shell)."""
    name = NixSelect(NixIdent("p"), ("pname",), NixString(()))
    match_ = apply_nix(builtin("match"), NixString((_regular(pattern),)), name)
    test = NixLambda("p", NixBinary("==", match_, NULL))
    return apply_nix(builtin("filter"), test, items)


def _regular(pattern: str) -> str:
    """A shell pattern as an extended regular expression of Nix."""
    shown = {"*": ".*", "?": ".", "]": "]", "^": "\\^", "[": "\\[", "\\": "\\\\"}
    plain = "-_ "
    return "".join(shown.get(c, c if c.isalnum() or c in plain else f"[{c}]") for c in pattern)
