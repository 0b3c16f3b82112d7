"""The expander, held against a plain product with plain conditions; variants against cells."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.compile import codes, compile_text, messages
from support.effort import examples
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.exclusion_eval import dropped_cells
from tvarc.matrix.expand import Exclusion

AXES = ("a", "b", "c")


@st.composite
def matrices(draw: st.DrawFn) -> tuple[list[list[int]], list[list[tuple[int, str, int]]]]:
    """Values of each axis, and exclusions as conjunctions of (axis, comparison, value)."""
    values = [
        draw(st.lists(st.integers(0, 9), min_size=1, max_size=4, unique=True))
        for _ in range(draw(st.integers(1, 3)))
    ]
    term = st.tuples(
        st.integers(0, len(values) - 1), st.sampled_from(["==", "!=", "<", ">="]), st.integers(0, 9)
    )
    return values, draw(st.lists(st.lists(term, min_size=1, max_size=3), max_size=3))


def holds(cell: tuple[int, ...], term: tuple[int, str, int]) -> bool:
    axis, comparison, value = term
    left = cell[axis]
    return {"==": left == value, "!=": left != value, "<": left < value, ">=": left >= value}[
        comparison
    ]


@pytest.mark.slow
@given(matrices())
@settings(max_examples=examples(60))
def test_variants_are_the_cells_that_no_exclusion_drops(
    matrix: tuple[list[list[int]], list[list[tuple[int, str, int]]]],
) -> None:
    values, exclusions = matrix
    axes = AXES[: len(values)]
    lines = [f"axis {axis} = {listed}" for axis, listed in zip(axes, values, strict=True)]
    conditions = [" and ".join(f"{axes[i]} {op} {n}" for i, op, n in terms) for terms in exclusions]
    name = "-".join(f"{axis}{{{{{axis}}}}}" for axis in axes)
    lines += [
        "recipe r { package = pkgs.hello, pin = none }",
        "matrix m {",
        "recipe = r",
        f"axes = {' * '.join(axes)}",
        f'name = "{name}"',
        *(f"exclude {condition}" for condition in conditions),
        "}",
    ]
    compilation = compile_text("\n".join(lines) + "\n")
    cells = list(product(*values))
    kept = [c for c in cells if not any(all(holds(c, t) for t in terms) for terms in exclusions)]
    found = [tuple(variant.values.values()) for variant in compilation.variants]
    assert found == kept, messages(compilation)
    assert len({variant.name for variant in compilation.variants}) == len(kept)
    recipes = compilation.recipes()
    idle = [
        terms for terms in exclusions if not any(all(holds(c, t) for t in terms) for c in cells)
    ]
    if not kept:
        assert codes(compilation) == ["E401"]
    else:
        assert codes(compilation) == ["E601"] * len(idle), messages(compilation)
        assert [recipe.variant for recipe in recipes] == [v.name for v in compilation.variants]


@pytest.mark.slow
@given(matrices(), st.integers(0, 9))
@settings(max_examples=examples(60))
def test_variants_and_dropped_cells_are_the_whole_product(
    matrix: tuple[list[list[int]], list[list[tuple[int, str, int]]]], bound: int
) -> None:
    values, exclusions = matrix
    axes = AXES[: len(values)]
    conditions = [" and ".join(f"{axes[i]} {op} {n}" for i, op, n in terms) for terms in exclusions]
    # The last one under a condition, the first one at top level.
    lines = [f"exclude {text}" for text in conditions]
    if lines:
        lines[-1] = f"when a >= {bound} {{ {lines[-1]} }}"
    program = [
        *(f"axis {axis} = {listed}" for axis, listed in zip(axes, values, strict=True)),
        "recipe r { package = pkgs.hello, pin = none }",
        *lines[:1],
        "matrix m {",
        "recipe = r",
        f"axes = {' * '.join(axes)}",
        f'name = "v{"-".join(f"{{{{{axis}}}}}" for axis in axes)}"',
        *lines[1:],
        "}",
    ]
    made = compile_text("\n".join(program) + "\n")
    assert codes(made) in ([], ["E401"]), messages(made)
    assert made.resolution is not None and made.expansion is not None
    (found,) = made.resolution.program.matrices
    excludes = made.expansion.excludes[found.id]
    dropped = list(dropped_cells(found, excludes, Dependencies()))

    def drops(number: int, cell: tuple[int, ...]) -> bool:
        applies = number < len(exclusions) - 1 or cell[0] >= bound
        return applies and all(holds(cell, term) for term in exclusions[number])

    order = [*range(1, len(exclusions)), *range(len(exclusions))[:1]]  # the matrix's own come first
    number_of = {id(check): number for check, number in zip(excludes, order, strict=True)}
    told = {
        tuple(cell.variant.values.values()): [number_of[id(r.check)] for r in cell.reasons]
        for cell in dropped
    }
    expected = {
        cell: [number for number in order if drops(number, cell)] for cell in product(*values)
    }
    assert told == {cell: numbers for cell, numbers in expected.items() if numbers}
    built = {tuple(variant.values.values()) for variant in made.variants}
    assert built | told.keys() == set(expected) and not built & told.keys()
    names = [variant.name for variant in (*made.variants, *(cell.variant for cell in dropped))]
    assert len(set(names)) == len(expected) and all(names)
    for cell in dropped:
        for reason in cell.reasons:
            for one in reason.operands:
                assert cell.variant.values[one.text] == one.value


@pytest.mark.slow
@given(st.lists(st.integers(1, 40), min_size=1, max_size=4), st.integers(1, 2000))
@settings(max_examples=examples(30))
def test_the_limit_counts_cells_before_any_is_made(sizes: list[int], limit: int) -> None:
    axes = [f"axis x{i} = {list(range(size))}" for i, size in enumerate(sizes)]
    names = "-".join(f"{{{{x{i}}}}}" for i in range(len(sizes)))
    program = "\n".join(
        [
            *axes,
            "recipe r { package = pkgs.hello, pin = none }",
            "matrix m {",
            "recipe = r",
            f"axes = {' * '.join(f'x{i}' for i in range(len(sizes)))}",
            f'name = "v{names}"',
            f"limit = {limit}",
            "}",
        ]
    )
    total = 1
    for size in sizes:
        total *= size
    if total > 4000:
        limit = min(limit, 2000)
    compilation = compile_text(program + "\n")
    assert codes(compilation) == (["E404"] if total > limit else [])
    assert len(compilation.variants) == (0 if total > limit else total)


TERMS = (
    "a == 1", "a > 7", "b == 2", "not (a == 1)", "(a == 1 or b == 2)", "true", "false", "a",
    'a == "x"', "b < \"x\"", "a in [1, 2]", "row.yes", "row.no == 1", "row.other",
)  # fmt: skip


@pytest.mark.slow
@given(st.lists(st.sampled_from(TERMS), min_size=1, max_size=4), st.booleans())
@settings(max_examples=examples(120))
def test_terms_by_themselves_mean_what_the_whole_means(terms: list[str], nested: bool) -> None:
    """Faults included: what stands behind a term that is false is not asked."""
    condition = " and ".join(terms)
    if nested and len(terms) > 2:
        condition = f"{terms[0]} and ({' and '.join(terms[1:])})"
    text = f"""\
facts rows (yes: bool) {{
  one {{ yes = true }}
  two {{ yes = false }}
}}
axis a = [1, 2, 8]
axis b = [2, 3]
axis row = rows[one, two]
recipe r {{ package = pkgs.hello, pin = none }}
matrix m {{
  recipe = r
  axes = a * b * row
  name = "a{{{{a}}}}-b{{{{b}}}}-{{{{row}}}}"
  exclude {condition}
}}
"""
    found = compile_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Exclusion, "by_parts", lambda *_: None)
        whole = compile_text(text)
    assert [v.name for v in found.variants] == [v.name for v in whole.variants]
    assert messages(found) == messages(whole)
    assert not {code for code in codes(found) if code.startswith("E1")}
