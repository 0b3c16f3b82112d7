"""Random Nix trees, as the printer takes them."""

from __future__ import annotations

from hypothesis import strategies as st

from tvarc.nix.language import syntax as nix

IDENTS = ("a", "b", "a_name_that_is_long_enough_to_break_lines", "f'", "x-y")
OPS: tuple[nix.NixOp, ...] = (
    "++", "//", "+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "->",
)  # fmt: skip
names = st.sampled_from(["a", "b c", "if", "long_attribute_name"])
leaves: st.SearchStrategy[nix.NixExpr] = (
    st.sampled_from(IDENTS).map(nix.NixIdent)
    | st.integers(-3, 3).map(nix.NixInt)
    | st.sampled_from(["text", "", "1\n2\n", "a text that is long enough to go over the line"]).map(
        lambda text: nix.NixString((text,), block=True)
    )
    | st.sampled_from(["/a/b", "/a b/c"]).map(nix.NixPath)
    | st.sampled_from(["1.5", "-0.25"]).map(nix.NixFloat)
    | st.sampled_from([nix.NixSearchPath("nixpkgs"), nix.NixPath("~/a", home=True)])
)
raw = st.sampled_from(["a", "a b", "a # c", "{\n  a = 1;\n}", "a ''\n  x\n''", '"s"']).map(
    lambda text: nix.NixRaw((text,))
)


def _steps(inner: st.SearchStrategy[nix.NixExpr]) -> st.SearchStrategy[nix.NixSteps]:
    """A path of attributes, some of them computed."""
    return st.lists(names | names | names | inner, min_size=1, max_size=3).map(tuple)


def _bindings(
    inner: st.SearchStrategy[nix.NixExpr],
) -> st.SearchStrategy[tuple[nix.NixBinding | nix.NixInherit, ...]]:
    def bindings(
        found: list[tuple[nix.NixExpr, str]], source: nix.NixExpr | None
    ) -> tuple[nix.NixBinding | nix.NixInherit, ...]:
        entries: list[nix.NixBinding | nix.NixInherit] = [
            nix.NixBinding((f"k{index}",), value, comment)
            for index, (value, comment) in enumerate(found)
        ]
        if source is not None:
            entries.append(nix.NixInherit(("i1", "i 2"), source))
        return tuple(entries)

    comments = st.sampled_from(["", "", "a comment"])
    return st.builds(bindings, st.lists(st.tuples(inner, comments), max_size=3), st.none() | inner)


def _formals(inner: st.SearchStrategy[nix.NixExpr]) -> st.SearchStrategy[nix.NixFormals]:
    defaults = st.lists(st.none() | inner, max_size=3)
    return st.builds(
        lambda found, ellipsis, whole: nix.NixFormals(
            tuple(nix.NixFormal(f"p{index}", value) for index, value in enumerate(found)),
            ellipsis,
            whole,
        ),
        defaults,
        st.booleans(),
        st.sampled_from(["", "", "whole"]),
    )


def _composite(inner: st.SearchStrategy[nix.NixExpr]) -> st.SearchStrategy[nix.NixExpr]:
    items = inner | st.builds(nix.NixCommented, st.just("c"), inner)
    return (
        st.builds(nix.NixApply, inner, inner)
        | st.builds(lambda f, a, b: nix.NixApply(nix.NixApply(f, a), b), inner, inner, inner)
        | st.builds(nix.NixBinary, st.sampled_from(OPS), inner, inner)
        | st.builds(nix.NixSelect, inner, _steps(inner), st.none() | inner)
        | st.builds(lambda found: nix.NixList(tuple(found)), st.lists(items, max_size=4))
        | st.builds(nix.NixAttrs, _bindings(inner), st.booleans())
        | st.builds(nix.NixLambda, st.sampled_from(IDENTS) | _formals(inner), inner)
        | st.builds(nix.NixLet, _bindings(inner), inner)
        | st.builds(nix.NixIf, inner, inner, inner)
        | st.builds(nix.NixNot, inner)
        | st.builds(nix.NixAssert, inner, inner)
        | st.builds(nix.NixHas, inner, _steps(inner))
        | st.builds(nix.NixWith, inner, inner)
        | st.builds(
            lambda key, value: nix.NixAttrs((nix.NixBinding(("k", key), value),)), inner, inner
        )
        | st.builds(lambda part: nix.NixString(("x\n", part, "\n"), block=True), inner)
    )


def trees_of(leaf: st.SearchStrategy[nix.NixExpr]) -> st.SearchStrategy[nix.NixExpr]:
    return st.recursive(leaf, _composite, max_leaves=14)
