"""What one evaluation may take, and what very large programs may: asked before memory is taken."""

from __future__ import annotations

import re
import time
import tracemalloc
from functools import cache
from pathlib import Path

import pytest

from support.command import calls, tvarc
from support.compile import codes, compile_text, messages
from tvarc.build.assembly import files as all_files
from tvarc.build.driver import Compilation, compile_file
from tvarc.commands.line import exits
from tvarc.decide import decide
from tvarc.files.disk import MemoryLoader
from tvarc.matrix.cells import Grid, Projections
from tvarc.meaning import budget
from tvarc.meaning.budget import (
    FREE_MADE,
    FREE_RECIPE,
    FREE_RECIPE_ELEMENTS,
    FREE_STEPS,
    LIMIT_ALL_RECIPES,
    LIMIT_ALL_STEPS,
    LIMIT_LIST,
    LIMIT_STEPS,
    LIMIT_TEXT,
    Budget,
    OverBudget,
    Total,
    Weight,
)
from tvarc.meaning.evaluation.compare import equal
from tvarc.meaning.functions import apply_known
from tvarc.syntax.parser import parse_module
from tvarc.text.diagnostics import suggest
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source
from tvarc.values.value import Record, Value

TAIL = """
variant v { recipe = r }
output o { file = "{{variant}}.nix" }
"""
TEXTS = "\n".join(
    [
        'let s0 = "0000000000"',
        *(f'let s{i} = "{{{{s{i - 1}}}}}{{{{s{i - 1}}}}}"' for i in range(1, 17)),
    ]
)
LISTS = "\n".join(
    [
        "let l0 = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]",
        *(f"let l{i} = [{', '.join([f'...l{i - 1}'] * 10)}]" for i in range(1, 5)),
    ]
)
STEPS = "\n".join(
    ["let b0 = attrs.y", *(f"let b{i} = [b{i - 1}, 1] == [1, b{i - 1}]" for i in range(1, 60))]
)
HASH = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ="
MEMORY = 64 << 20  # bytes; a single value of those below would take more than all of it


def recipe(attrs: str, more: str = "") -> str:
    return f"recipe r {{ package = pkgs.hello, pin = none\nattrs {{ {attrs} }}\n{more}\n}}" + TAIL


def several(one: str, count: int = 3000, between: str = ", ") -> str:
    """*one* so often, `%` in it being the number of each."""
    return between.join(one.replace("%", str(number)) for number in range(count))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lets", "attrs"),
    [
        (TEXTS, 'x = replace(s12, "0", s12)'),
        (TEXTS, f"x = join([{several('1')}], s16)"),
        (TEXTS, 'x = split("{{s16}}{{s13}}", "0")'),
        (TEXTS, f"x = [{several('upper(s16)')}]"),
        (TEXTS, f"x = [{several('s16')}]"),
        (TEXTS, f"x = {{ {several('k% = s16')} }}"),
        (TEXTS, f'x = "{several("{{s16}}", between="")}"'),
        (TEXTS, f'x = "{several("{{s16}}", between="")}{{{{pkgs.hello}}}}"'),
        (LISTS, f"x = [{several('...l3')}]"),
        (LISTS, several("x += l3", between="\n")),
        (LISTS, several("x.k% = l3", between="\n")),
        (TEXTS, several("x% = s16", between="\n")),
    ],
    ids=[
        "replace", "join", "split", "texts", "shared", "record", "text", "nix-text", "spread",
        "added", "keys", "settings",
    ],
)  # fmt: skip
def test_what_is_too_large_is_refused_before_it_is_made(lets: str, attrs: str) -> None:
    refused(compile_text(f"{lets}\n{recipe(attrs)}"))


def test_a_script_that_is_too_large_is_refused_before_it_is_made() -> None:
    parts = several('part p% "{{s16}}"', 300, "\n")
    refused(compile_text(f"{TEXTS}\n" + recipe("", f"script postInstall {{ {parts} }}")))


def refused(made: Compilation) -> None:
    tracemalloc.start()
    try:
        made.recipes()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert set(codes(made)) == {"E308"}, messages(made)
    assert most < MEMORY
    (item, *_) = made.diagnostics
    assert item.labels
    assert item.help


@pytest.mark.slow
def test_a_recipe_that_is_too_large_is_told_its_limits() -> None:
    made = compile_text(f"{LISTS}\n{recipe(several('x% = l2', 100, chr(10)))}")
    made.recipes()
    told = [(item.title, item.labels[0].text) for item in made.diagnostics]
    limits = f"over {budget.LIMIT_ELEMENTS} elements or {budget.LIMIT_RECIPE} characters in all"
    assert told == [("the recipe is too large", f"{limits} settings together")], messages(made)


@pytest.mark.slow
def test_an_evaluation_ends() -> None:
    made = compile_text(f"{STEPS}\n{recipe('y = true, x = b59')}")
    made.recipes()
    assert "E308" in codes(made), messages(made)


def test_the_axes_behind_a_key_are_found_once_a_let() -> None:
    """The program would take 3^60 steps if each `let` were looked into where it is named."""
    lets = [f'let k{i} = if k{i - 1} == "a" then k{i - 1} else k{i - 1}' for i in range(1, 61)]
    text = "\n".join(['let k0 = "b"', *lets, "let known = { c = 1 }"])
    made = compile_text(f"{text}\n{recipe('x = known[k60]')}")
    made.recipes()
    assert codes(made) == ["E207"], messages(made)


DOUBLED = [f"let l{i} = [...l{i - 1}, ...l{i - 1}]" for i in range(1, 15)]


@pytest.mark.slow
def test_looking_into_a_long_list_is_quick_or_refused() -> None:
    """16,384 elements: strings are compared at once; versions one by one, which is charged."""
    asked = ", ".join(f'"q{i}" not in l14' for i in range(100))
    lets = "\n".join(['let l0 = ["a"]', *DOUBLED])
    made = compile_text(f"{lets}\n{recipe(f'x = [{asked}]')}")
    spent = -time.process_time()
    (decided,) = made.recipes()
    spent += time.process_time()
    assert decided.changes.attrs[0].value == (True,) * 100
    assert spent < 1
    lets = "\n".join(["let l0 = [1.0]", *DOUBLED])
    for size, expected in ((12, set()), (18, {"E308"})):
        asked = ", ".join(f"2.{i} not in l14" for i in range(size))
        made = compile_text(f"{lets}\n{recipe(f'x = [{asked}]')}")
        made.recipes()
        assert set(codes(made)) == expected, messages(made)


def test_a_list_that_others_double_is_looked_through_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether a thing is in a list that names it is asked of what is written."""
    listed = calls(monkeypatch, "tvarc.meaning.evaluation.identical.is_itself")
    lets = "\n".join(['let l0 = ["a", variant]', *DOUBLED])
    made = compile_text(f"{lets}\n{recipe('x = variant in l14')}")
    assert codes(made) == ["E212"]
    assert len(listed) < 10


def test_an_exclusion_finds_each_let_once_a_cell() -> None:
    """The program would take 2^60 steps if each `let` were evaluated where it is named."""
    made = compile_text(
        "axis a { v { f = 1 } }\n"
        + STEPS.replace("attrs.y", "a.f == 1")
        + "\nrecipe r { package = pkgs.hello, pin = none }\n"
        + 'matrix m { recipe = r, axes = a, name = "{{a}}"\nexclude b59 because "x" }\n'
        + 'output o { file = "{{variant}}.nix" }\n'
    )
    made.recipes()
    assert codes(made) == ["E601"], messages(made)


@pytest.mark.parametrize(
    ("cells", "fits"),
    [(20, True), (60, False)],  # each cell makes texts of three million characters
)
def test_the_lets_of_exclusions_count_for_all_cells(cells: int, fits: bool) -> None:
    made = compile_text(
        f"axis a = [{', '.join(map(str, range(cells)))}]\n{TEXTS}\n"
        + 'let t = upper("{{s16}}") == "{{a}}"\n'
        + "\nrecipe r { package = pkgs.hello, pin = none }\n"
        + 'matrix m { recipe = r, axes = a, name = "v{{a}}"\nexclude t because "x" }\n'
        + 'output o { file = "{{variant}}.nix" }\n'
    )
    assert made.expansion is not None
    assert set(codes(made)) == (set() if fits else {"E308"}), messages(made)


@pytest.mark.slow
def test_whether_a_value_fits_does_not_depend_on_what_was_evaluated_before() -> None:
    large = f"x = [{several('...l3', 2)}], y = [{several('...l3', 2)}]"
    for attrs in (large, large.replace("x =", "z ="), f"{large}, a = l3"):
        made = compile_text(f"{LISTS}\n{recipe(attrs)}")
        made.recipes()
        assert codes(made) == [], messages(made)


CELLS = "axis a = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n" + "".join(
    f"axis a{i} = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n" for i in range(2)
)
EACH = "{{a}}{{a0}}{{a1}}"


def thousand(sets: str = "", exclude: str = "", name: str = "") -> str:
    """A program of a thousand cells."""
    return (
        f"{CELLS}{TEXTS}\nrecipe r {{ package = pkgs.hello, pin = none\n{sets} }}\n"
        f'matrix m {{ recipe = r, axes = a * a0 * a1, name = "n-{EACH}{name}"\n{exclude} }}\n'
        'output o { file = "{{variant}}.nix" }\n'
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "subject"),
    [
        (thousand(f'attrs.k = "{{{{s16}}}}{EACH}"'), "`attrs.k` is too large"),
        (
            thousand(f'passthru.j = "{EACH}"\nattrs.k = "{{{{passthru.j}}}}{{{{s16}}}}"'),
            "`attrs.k` is too large",
        ),
        (
            thousand(f'attrs.k = nix"""{{{{s16}}}} {EACH.replace("}{", "} {")}"""'),
            "`attrs.k` is too large",
        ),
        (
            thousand(exclude=f'exclude "{{{{s15}}}}{EACH}" == s14 because "x"'),
            "`exclude` makes too many long strings",
        ),
        (
            thousand(name=f'{{{{if "{{{{s15}}}}{EACH}" == s14 then "a" else "b"}}}}'),
            "`name` makes too many long strings",
        ),
    ],
    ids=["setting", "another", "nix", "exclude", "name"],
)
def test_what_all_cells_take_together_is_bounded(
    text: str, subject: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At an eighth of the limits, which a few cells exceed: the first cells are decided."""
    for name in ("LIMIT_ALL_MADE", "LIMIT_ALL_RECIPES"):
        monkeypatch.setattr(budget, name, getattr(budget, name) >> 5)
    made = compile_text(text)
    made.recipes()
    assert codes(made) == ["E308"], messages(made)
    (item,) = made.diagnostics
    assert item.title == subject
    assert "in total for all cells" in item.labels[0].text


def test_a_text_weighs_its_characters_and_is_one_element() -> None:
    weight = Weight()
    weight.add("abc", Budget())
    assert (weight.elements, weight.characters) == (1, 3)
    weight.add(("d", ("e", 1)), Budget())
    assert (weight.elements, weight.characters) == (6, 5)


@pytest.mark.parametrize("first", [LIMIT_STEPS, LIMIT_STEPS - 1, 1, FREE_STEPS])
def test_an_evaluation_has_so_many_steps(first: int) -> None:
    """Without a total exactly so many. With one it takes steps by the hundred, so it may end a few
    hundred earlier, and never later."""
    alone, one_of_many = Budget(), Budget(Total(Sink()))
    for whole, spare in ((alone, 0), (one_of_many, 300)):
        whole.step(min(first, LIMIT_STEPS - spare))
        whole.step(LIMIT_STEPS - spare - min(first, LIMIT_STEPS - spare))
        with pytest.raises(OverBudget):
            whole.step(spare + 1)


@pytest.mark.slow
def test_small_evaluations_are_free() -> None:
    total = Total(Sink())
    for _ in range(LIMIT_ALL_STEPS // FREE_STEPS + 10):
        budget = Budget(total)
        budget.step(FREE_STEPS)
        budget.text(FREE_MADE)
    budget.step()
    with pytest.raises(OverBudget):
        total.steps(LIMIT_ALL_STEPS)


def test_all_recipes_are_bounded() -> None:
    total = Total(Sink())
    for _ in range(100):
        total.recipe(FREE_RECIPE_ELEMENTS, FREE_RECIPE)
    with pytest.raises(OverBudget):
        total.recipe(0, FREE_RECIPE + LIMIT_ALL_RECIPES + 1)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["{{t}}{{upper(variant)}}", "{{t}}{{a}}{{upper(variant)}}"])
def test_what_is_decided_again_is_charged_once(
    text: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Values that are too many to keep are found again for each file: those of a program that is
    within the limits all are, and of one that is not there is no file at all."""
    axis = "[" + ", ".join(f'"x{i}"' for i in range(10)) + "]"
    (here / "variants.tvar").write_text(
        f"""let t = "{"a" * 3000}"
        axis a = {axis}
        axis b = {axis}
        recipe r {{ package = pkgs.hello, pin = none, attrs {{ x = "{text}" }} }}
        matrix m {{ recipe = r, axes = a * b, name = "{{{{a}}}}{{{{b}}}}" }}
        output o {{ file = "out/{{{{variant}}}}.nix" }}
        """
    )
    monkeypatch.setattr(decide, "REMEMBERED_WEIGHT", 1 << 14)
    monkeypatch.setattr(all_files, "MOST_KEPT", 10)
    monkeypatch.setattr(budget, "LIMIT_ALL_MADE", 300_000)
    checked = tvarc("check")  # the lints decide what they look at, too
    assert (checked.exit_code, checked.stderr) == (exits.OK, "")
    result = tvarc("build")
    assert (result.exit_code, result.stderr) == (exits.OK, "")
    files = sorted((here / "out").iterdir())
    assert len(files) == 100
    for file in files:
        file.unlink()
    monkeypatch.setattr(budget, "LIMIT_ALL_MADE", 150_000)
    result = tvarc("build", "--no-cache", code=exits.FAILED)
    assert "error[E308]" in result.stderr
    assert not list((here / "out").iterdir())


def test_a_budget_asks_before_it_gives() -> None:
    budget = Budget()
    with pytest.raises(OverBudget):
        budget.text(LIMIT_TEXT + 1)
    with pytest.raises(OverBudget):
        budget.elements(LIMIT_LIST + 1)
    budget.step(LIMIT_STEPS)
    with pytest.raises(OverBudget):
        budget.step()
    budget = Budget()
    with pytest.raises(OverBudget):
        for _ in range(1000):
            budget.text(LIMIT_TEXT)


def test_keys_count() -> None:
    value: Value = Record((("k" * 100_000, 1),))
    weight = Weight()
    with pytest.raises(OverBudget):
        for _ in range(100):
            weight.add(value, Budget())


@pytest.mark.parametrize("name", ["replace", "join"])
def test_functions_ask_for_what_they_make(name: str) -> None:
    big = "0" * (LIMIT_TEXT // 2)
    arguments: dict[str, tuple[tuple[str, Value], ...]] = {
        "replace": (("text", big), ("from", "0"), ("to", big)),
        "join": (("list", ("a",) * 10_000), ("separator", big)),
    }
    tracemalloc.start()
    try:
        with pytest.raises(OverBudget):
            apply_known(name, arguments[name], Budget())
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1 << 20


@cache
def _parse_once() -> None:
    """Load what is loaded once."""
    parse_module(Source("a.tvar", "let b = 1\n" * 6000), Sink())


@pytest.mark.slow
@pytest.mark.parametrize("char", ["\n", "#\n", " \n", "\r\n"])
@pytest.mark.parametrize("around", [("", ""), ("let a = {\n", "}\n"), ("let a = [\n", "]\n")])
def test_lines_take_little_memory(char: str, around: tuple[str, str]) -> None:
    text = around[0] + char * 200_000 + around[1]
    _parse_once()
    tracemalloc.start()
    try:
        parse_module(Source("a.tvar", text), Sink())
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 20 * len(text)


def test_projections_of_many_axes_share_what_the_grid_knows() -> None:
    grid = Grid([1, 3, 1, 2, 5])
    assert grid.strides == (30, 10, 10, 5, 1)
    projection = Projections(grid).on([1, 3])
    assert [projection.cell(key) for key in range(6)] == [0, 5, 10, 15, 20, 25]
    assert [grid.indices(projection.cell(key)) for key in (0, 5)] == [
        (0, 0, 0, 0, 0),
        (0, 2, 0, 1, 0),
    ]


@pytest.mark.slow
def test_a_suggestion_compares_few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = calls(monkeypatch, "tvarc.text.diagnostics.suggest.edits_between")
    known = [f"known-name-{i}" for i in range(10_000)]
    assert suggest.nearest("known-nmae-4321", known) == "known-name-4321"
    assert len(asked) <= suggest.COMPARED
    assert suggest.nearest("known-nmae-4321", reversed(known)) == "known-name-4321"


@pytest.mark.slow
def test_a_long_chain_of_recipes_asks_each_of_them_once() -> None:
    lines = ["recipe r0 { package = pkgs.hello, pin = none, let a = 1 }"]
    lines += [f"recipe r{i} extends r{i - 1} {{ attrs {{ x{i} = a }} }}" for i in range(1, 800)]
    made = compile_text(
        "\n".join(lines).replace(", let a = 1 }", "\nlet a = 1 }")
        + "\nvariant v { recipe = r799 }\n"
        + 'output o { file = "{{variant}}.nix" }\n'
    )
    (recipe,) = made.recipes()
    assert codes(made) == [], messages(made)
    assert len(recipe.changes.attrs) == 799
    assert made.resolution is not None
    chain = made.resolution.program.matrices[0].recipe.chain()
    # Nothing is copied where a recipe adds nothing.
    assert len(chain) == 800


def test_elements_are_removed_by_what_they_are() -> None:
    made = compile_text(
        recipe('x = [1, true, "1", 1.0, [1], { a = 1, b = 2 }, "s"], x -= [true, { b = 2, a = 1 }]')
    )
    (one,) = made.recipes()
    assert one.changes.attrs[0].value == (1, "1", *one.changes.attrs[0].value[2:])  # type: ignore[index]
    assert len(one.changes.attrs[0].value) == 5  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["", 'file = path("./a.patch")'])
def test_a_patch_without_an_address_is_told_so(field: str) -> None:
    text = f"patch fix for hello {{ hash = unlocked\n{field} }}\n"
    text += "recipe r { package = pkgs.hello, pin = none, overlays = [fix] }" + TAIL
    made = compile_text(text)
    made.recipes()
    assert "E208" in codes(made) or field, messages(made)


def test_a_revision_is_a_whole_commit() -> None:
    for rev, code in (
        ("abc", ["E702"]),
        ("main", ["E702"]),
        ("refs/tags/v1", ["E702"]),
        ("A" * 40, ["E702"]),
        ("a" * 40, []),
    ):
        source = f'github("a/b", rev = "{rev}", hash = "{HASH}")'
        made = compile_text(recipe(f"src = {source}"))
        made.recipes()
        assert codes(made) == code, messages(made)


def test_hidden_directions_are_told_and_can_be_switched_off() -> None:
    text = "# \u202e\n" + recipe("x = 1")
    made = compile_text(text)
    made.recipes()
    assert [(item.code, item.name) for item in made.diagnostics] == [("W118", "hidden-direction")]
    assert "\u202e" not in messages(made)
    off = compile_text(text + 'warn hidden-direction = off because "Hebrew"\n')
    off.recipes()
    assert off.diagnostics == []
    loader = MemoryLoader({"a.tvar": text, "b.tvar": 'use "./a.tvar"\n'}, {})
    other = compile_file("b.tvar", loader)
    other.recipes()
    assert [item.code for item in other.diagnostics] == ["W118"]


@pytest.mark.parametrize(
    ("left", "right"),
    [((1,), (True,)), ((1, 2), (1,)), (("a",), (1,)), ((), ("a",)), ((1, True), (True, 1))],
)
def test_lists_that_are_compared_at_once_keep_kinds_apart(left: Value, right: Value) -> None:
    assert not equal(left, right)
    assert not equal(right, left)
    assert equal(left, left)
    assert equal(right, right)


@pytest.mark.parametrize("asked", ["1 in [true]", '1 in ["1"]', '1 in [1, "1"]', "true in [1, 0]"])
def test_what_cannot_be_compared_is_told_of_any_list(asked: str) -> None:
    made = compile_text(recipe(f"x = {asked}"))
    made.recipes()
    assert codes(made) == ["E303"]


@pytest.mark.parametrize("denied", ["a == x0 and b == x1 and c == x2", "a == b and b == c"])
def test_what_an_exclusion_lets_pass_is_asked_by_the_axes_it_reads(
    denied: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`and not (…)`, which lets single cells pass, is not evaluated for every cell."""
    axis = "[" + ", ".join(f'"x{i}"' for i in range(10)) + "]"
    quoted = re.sub(r"x\d", r'"\g<0>"', denied)
    asked = calls(monkeypatch, "tvarc.meaning.evaluation.evaluate.Evaluator.value")
    made = compile_text(
        f"""axis a = {axis}
        axis b = {axis}
        axis c = {axis}
        recipe r {{ package = pkgs.hello, pin = none }}
        matrix m {{ recipe = r, axes = a * b * c, name = "{{{{a}}}}{{{{b}}}}{{{{c}}}}"
          exclude c != "x9" and not ({quoted}) because "few" }}
        output o {{ file = "{{{{variant}}}}.nix" }}
        """
    )
    cells = [(a, b, c) for a in range(10) for b in range(10) for c in range(10)]
    passes = {
        (a, b, c)
        for a, b, c in cells
        if c == 9 or ((a, b, c) == (0, 1, 2) if "x0" in denied else a == b == c)
    }
    assert [v.name for v in made.variants] == [f"x{a}x{b}x{c}" for a, b, c in sorted(passes)]
    assert len(asked) < 1000
