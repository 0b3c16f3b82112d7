"""Lower values to Nix expressions."""

from __future__ import annotations

from tvarc.backend.nix.context import Context
from tvarc.backend.nix.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixBool,
    NixExpr,
    NixIdent,
    NixInherit,
    NixInt,
    NixLambda,
    NixLet,
    NixList,
    NixNull,
    NixPath,
    NixRaw,
    NixSelect,
    NixString,
)
from tvarc.diagnostics.model import CompilerBug
from tvarc.light import assert_never
from tvarc.values import (
    DeclValue,
    Missing,
    NixCall,
    NixRef,
    NixSource,
    NixText,
    NoneValue,
    PathValue,
    Record,
    RowValue,
    UnlockedValue,
    Value,
    Version,
)

OLD = NixIdent("old")


def lower_value(value: Value, context: Context) -> NixExpr:
    """*value* as Nix, where *context* says what the roots are."""
    match value:
        case bool():
            return NixBool(value)
        case str():
            return lower_text(value)
        case int():
            return NixInt(value)
        case None:
            return NixNull()
        case Version():
            return NixString((value.text,))
        case RowValue() | DeclValue():
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
        case NoneValue():
            raise CompilerBug("`none` reached the backend")
        case UnlockedValue():
            raise CompilerBug("`unlocked` reached the backend")
        case _:
            assert_never(value)


def lower_text(text: str) -> NixString:
    return NixString((text,) if text else (), block="\n" in text)


def lower_text_parts(text: NixText, context: Context) -> NixString:
    parts: list[str | NixExpr] = []
    for part in text.parts:
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, NixRef) and part.root == "old":
            # A package without this attribute has an empty one.
            parts.append(NixSelect(OLD, part.attributes, NixString(())))
        else:
            parts.append(lower_value(part, context))
    return NixString(tuple(parts), block=any(isinstance(p, str) and "\n" in p for p in parts))


def lower_ref(ref: NixRef, context: Context) -> NixExpr:
    match ref.root:
        case "pkgs":
            return context.package_set(ref.attributes)
        case "old":
            return NixSelect(OLD, ref.attributes) if ref.attributes else OLD
        case "final" | "prev":
            base = context.final if ref.root == "final" else context.prev
            if base is None:
                raise CompilerBug(f"`{ref.root}` outside an overlay reached the backend")
            return NixSelect(base, ref.attributes) if ref.attributes else base
        case _:
            raise CompilerBug(f"root `{ref.root}` reached the backend")


def lower_source(source: NixSource, context: Context) -> NixExpr:
    """Nix that a user wrote: the names it may use are bound around it where they are not yet."""
    words = _words(source.text)
    outer: list[NixBinding | NixInherit] = []
    inner: list[NixBinding | NixInherit] = []
    if "pkgs" in words:
        pkgs = context.package_set(())
        if pkgs != NixIdent("pkgs"):
            outer.append(NixBinding(("pkgs",), pkgs))
    if "lib" in words:
        if context.lib is None:
            context.formals.names.add("lib")
        else:
            outer.append(NixBinding(("lib",), context.lib))
    for name, meant in (("final", context.final), ("prev", context.prev)):
        if name in words and meant is not None and meant != NixIdent(name):
            inner.append(NixBinding((name,), meant))
    expr: NixExpr = NixRaw(source.text)
    if inner:
        expr = NixLet(tuple(inner), expr)
    return NixLet(tuple(outer), expr) if outer else expr


def _words(text: str) -> set[str]:
    """The identifiers in Nix text, those in its strings and comments among them."""
    return set("".join(c if c.isalnum() or c in "_'-" else " " for c in text).split())


# --- functions ---------------------------------------------------------------------------------


def lower_call(call: NixCall, context: Context) -> NixExpr:
    arguments = dict(call.arguments)
    match call.function:
        case "github":
            return _github(call, context)
        case "url":
            fetch: dict[str, Value] = {
                key: arguments[key] for key in ("name", "url", "hash") if key in arguments
            }
            return NixApply(context.package_set(("fetchurl",)), _attrs(fetch, context))
        case "select":
            attribute = arguments["attribute"]
            assert isinstance(attribute, str)
            return NixSelect(lower_value(arguments["value"], context), (attribute,))
        case _:
            return _on_text(call.function, arguments, context)


def _github(call: NixCall, context: Context) -> NixExpr:
    repository = call.argument("repository")
    submodules = call.argument("submodules")
    fields: dict[str, Value] = {}
    if isinstance(repository, str):
        fields["owner"], _, fields["repo"] = repository.partition("/")
    for key in ("name", "rev", "tag", "hash"):
        value = call.argument(key)
        if not isinstance(value, Missing):
            fields[key] = value
    if submodules is True:
        fields["fetchSubmodules"] = True
    return NixApply(context.package_set(("fetchFromGitHub",)), _attrs(fields, context))


def _attrs(fields: dict[str, Value], context: Context) -> NixAttrs:
    return NixAttrs(tuple(NixBinding((k,), lower_value(v, context)) for k, v in fields.items()))


def builtin(name: str) -> NixExpr:
    """`builtins.name`."""
    return NixSelect(NixIdent("builtins"), (name,))


def apply_nix(function: NixExpr, *arguments: NixExpr) -> NixExpr:
    """`f a b`."""
    for argument in arguments:
        function = NixApply(function, argument)
    return function


def _on_text(function: str, arguments: dict[str, Value], context: Context) -> NixExpr:
    values = [lower_value(value, context) for value in arguments.values()]
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
    """*items* without the packages whose name fits *pattern* (`*` and `?` as in a shell)."""
    name = NixSelect(NixIdent("p"), ("pname",), NixString(()))
    match_ = apply_nix(builtin("match"), NixString((_regular(pattern),)), name)
    test = NixLambda("p", NixBinary("==", match_, NixNull()))
    return apply_nix(builtin("filter"), test, items)


def _regular(pattern: str) -> str:
    """A shell pattern as the extended regular expression that Nix takes."""
    shown = {"*": ".*", "?": ".", "]": "]", "^": "\\^", "[": "\\[", "\\": "\\\\"}
    plain = "-_ "
    return "".join(shown.get(c, c if c.isalnum() or c in plain else f"[{c}]") for c in pattern)
