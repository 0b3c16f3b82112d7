"""Random Nix trees, as the printer takes them."""

from __future__ import annotations

from hypothesis import strategies as st

from tvarc.nix.language.syntax import (
    NixApply,
    NixAssert,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixCommented,
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
    NixOp,
    NixPath,
    NixRaw,
    NixSearchPath,
    NixSelect,
    NixSteps,
    NixString,
    NixWith,
)

IDENTS = ("a", "b", "a_name_that_is_long_enough_to_break_lines", "f'", "x-y")
OPS: tuple[NixOp, ...] = (
    "++", "//", "+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "->",
)  # fmt: skip
names = st.sampled_from(["a", "b c", "if", "long_attribute_name"])
leaves: st.SearchStrategy[NixExpr] = (
    st.sampled_from(IDENTS).map(NixIdent)
    | st.integers(-3, 3).map(NixInt)
    | st.sampled_from(["text", "", "1\n2\n", "a text that is long enough to go over the line"]).map(
        lambda text: NixString((text,), block=True)
    )
    | st.sampled_from(["/a/b", "/a b/c"]).map(NixPath)
    | st.sampled_from(["1.5", "-0.25"]).map(NixFloat)
    | st.sampled_from([NixSearchPath("nixpkgs"), NixPath("~/a", home=True)])
)
raw = st.sampled_from(["a", "a b", "a # c", "{\n  a = 1;\n}", "a ''\n  x\n''", '"s"']).map(
    lambda text: NixRaw((text,))
)


def _steps(inner: st.SearchStrategy[NixExpr]) -> st.SearchStrategy[NixSteps]:
    """A path of attributes, some of them computed."""
    return st.lists(names | names | names | inner, min_size=1, max_size=3).map(tuple)


def _bindings(
    inner: st.SearchStrategy[NixExpr],
) -> st.SearchStrategy[tuple[NixBinding | NixInherit, ...]]:
    def bindings(
        found: list[tuple[NixExpr, str]], source: NixExpr | None
    ) -> tuple[NixBinding | NixInherit, ...]:
        entries: list[NixBinding | NixInherit] = [
            NixBinding((f"k{index}",), value, comment)
            for index, (value, comment) in enumerate(found)
        ]
        if source is not None:
            entries.append(NixInherit(("i1", "i 2"), source))
        return tuple(entries)

    comments = st.sampled_from(["", "", "a comment"])
    return st.builds(bindings, st.lists(st.tuples(inner, comments), max_size=3), st.none() | inner)


def _formals(inner: st.SearchStrategy[NixExpr]) -> st.SearchStrategy[NixFormals]:
    defaults = st.lists(st.none() | inner, max_size=3)
    return st.builds(
        lambda found, ellipsis, whole: NixFormals(
            tuple(NixFormal(f"p{index}", value) for index, value in enumerate(found)),
            ellipsis,
            whole,
        ),
        defaults,
        st.booleans(),
        st.sampled_from(["", "", "whole"]),
    )


def _composite(inner: st.SearchStrategy[NixExpr]) -> st.SearchStrategy[NixExpr]:
    items = inner | st.builds(NixCommented, st.just("c"), inner)
    return (
        st.builds(NixApply, inner, inner)
        | st.builds(lambda f, a, b: NixApply(NixApply(f, a), b), inner, inner, inner)
        | st.builds(NixBinary, st.sampled_from(OPS), inner, inner)
        | st.builds(NixSelect, inner, _steps(inner), st.none() | inner)
        | st.builds(lambda found: NixList(tuple(found)), st.lists(items, max_size=4))
        | st.builds(NixAttrs, _bindings(inner), st.booleans())
        | st.builds(NixLambda, st.sampled_from(IDENTS) | _formals(inner), inner)
        | st.builds(NixLet, _bindings(inner), inner)
        | st.builds(NixIf, inner, inner, inner)
        | st.builds(NixNot, inner)
        | st.builds(NixAssert, inner, inner)
        | st.builds(NixHas, inner, _steps(inner))
        | st.builds(NixWith, inner, inner)
        | st.builds(lambda key, value: NixAttrs((NixBinding(("k", key), value),)), inner, inner)
        | st.builds(lambda part: NixString(("x\n", part, "\n"), block=True), inner)
    )


def trees_of(leaf: st.SearchStrategy[NixExpr]) -> st.SearchStrategy[NixExpr]:
    return st.recursive(leaf, _composite, max_leaves=14)
