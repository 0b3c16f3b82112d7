"""Guards: the recipe checks for an attribute if it is not known whether nixpkgs has it. If the
attribute is missing, the recipe fails with a sentence.

`assert CONDITION || throw "sentence"; body` evaluates to the body. A condition never reads the
value that the body changes: inside an overlay it reads `prev`.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING
from tvarc.nix.language.syntax import (
    NixApply,
    NixAssert,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixExpr,
    NixHas,
    NixIdent,
    NixNot,
    NixSelect,
    NixString,
    placed,
)
from tvarc.nix.lower.context import Context
from tvarc.nix.nixpkgs import FEATURES

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines


def guarded(
    condition: NixExpr,
    words: tuple[str | NixExpr, ...] | NixString,
    body: NixExpr,
    lines: Lines = 0,
) -> NixExpr:
    """*body*, guarded by *condition*. If this is false, Nix stops with the sentence of *words*.
    With tracing, *lines* are the source lines that require the guard."""
    sentence = words if isinstance(words, NixString) else NixString(words)
    thrown = NixApply(NixIdent("throw"), sentence)
    asked = NixBinary("||", condition, thrown)
    return NixAssert(placed(asked, 0, lines) if lines else asked, body)


def since(feature: str, what: str, context: Context) -> str:
    """The sentence for a nixpkgs that lacks *feature*. *what* needs the feature."""
    first = FEATURES[feature].first
    then = (
        "state the `release` of the pin, and it is written as this nixpkgs takes it"
        if context.pinned
        else "call this recipe with a later one, or pin one"
    )
    return f"{context.where}{what} is known to nixpkgs from {first} on; {then}"


def with_argument(
    feature: str,
    function: str,
    argument: str,
    what: str,
    body: NixExpr,
    context: Context,
    lines: Lines = 0,
) -> NixExpr:
    """*body*, which calls *function* with *argument*. It is guarded if the function may not accept
    the argument. *lines* are the source lines that pass it."""
    if context.age.knows(feature) is not None:
        return body
    known = NixApply(context.library(("functionArgs",)), context.package_set((function,)))
    words = since(feature, what, context)
    return guarded(NixHas(known, (argument,)), (words,), body, lines_of(context, lines))


def lines_of(context: Context, lines: Lines = 0) -> Lines:
    """The source lines of a guard that *lines* require; none without tracing."""
    traced = context.traced
    return lines | traced.whole | traced.age if traced is not None else 0


def with_env(body: NixExpr, context: Context, lines: Lines = 0) -> NixExpr:
    """*body*, the value of `env`. It is guarded if stdenv may not know `env`. *lines* wrote the
    value."""
    if context.age.knows("env") is not None:
        return body
    probe = NixAttrs(
        (NixBinding(("name",), NixString(("probe",))), NixBinding(("env",), NixAttrs(())))
    )
    made = NixApply(context.asked(("stdenv", "mkDerivation")), probe)
    # An older stdenv makes `env` a variable.
    taken = NixHas(NixSelect(made, ("drvAttrs",)), ("env",))
    words = since("env", "`env`", context)
    return guarded(NixNot(taken), (words,), body, lines_of(context, lines))


def ordered(context: Context) -> NixExpr:
    """Whether `overrideScope` takes `final: prev:`. nixpkgs got this name of the library at the
    same time."""
    return NixHas(context.library(()), ("makeScopeWithSplicing'",))
