"""Programs under ten kilobytes that ask for much: each question ends, with an answer or in words.
What is counted is work, and never seconds: so a test fails on any machine or on none."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from support.alone import one_by_one
from support.command import ROOT, calls, tvarc
from support.compile import codes, compile_on_disk, compile_text, messages
from tvarc.build.assembly.source_map import SourceMaps
from tvarc.build.impact import line_impact
from tvarc.commands.line import exits
from tvarc.commands.shown import markdown
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.exclusion_eval import count_dropped
from tvarc.matrix.variants import Variant
from tvarc.meaning import budget
from tvarc.nix.language.late import Printed
from tvarc.values.value import MISSING, Late, Record

# --- the programs ---------------------------------------------------------------------------------

HEAD = "recipe r {{ package = pkgs.hello, pin = none\n{sets}\n}}\n"
OUT = 'output o { file = "out/{{variant}}.nix" }\n'
ONE_FILE = 'output o: all { file = "default.nix" }\n'


def _axes(*sizes: int) -> str:
    return "".join(
        f"axis a{i} = [{', '.join(str(n) for n in range(size))}]\n" for i, size in enumerate(sizes)
    )


def _matrix(count: int, more: str = "", limit: int = 0) -> str:
    names = [f"a{i}" for i in range(count)]
    text = "-".join(f"{{{{{name}}}}}" for name in names)
    raised = f"limit = {limit}\n" if limit else ""
    axes = " * ".join(names)
    return f'matrix m {{ recipe = r, axes = {axes}, name = "v-{text}"\n{raised}{more} }}\n'


def many_overlays(overlays: int = 150, side: int = 92) -> str:
    """Overlays of one line each, on each of the cells of a square."""
    named = "".join(f"overlay o{i} in pkgs {{ x{i} = 1 }}\n" for i in range(overlays))
    listed = ", ".join(f"o{i}" for i in range(overlays))
    sets = f'overlays = [{listed}]\nattrs.k = "{{{{a0}}}}-{{{{a1}}}}"'
    return named + _axes(side, side) + HEAD.format(sets=sets) + _matrix(2) + OUT


def many_exclusions(exclusions: int = 46) -> str:
    """Exclusions that read all axes of 99,452 cells, none of them made of `and` alone."""
    lines = "\n".join(
        f'exclude a0 == {i} and a1 == {i} or a1 == {i} and a2 == {i} because "r{i}"'
        for i in range(exclusions)
    )
    return _axes(46, 46, 47) + HEAD.format(sets="") + _matrix(3, lines) + OUT


def one_long_exclusion(terms: int = 46) -> str:
    """One exclusion of many `or`s over all axes of 99,452 cells."""
    term = " or ".join(f"(a0 == {i} and a1 == {i} and a2 == {i})" for i in range(terms))
    line = f'exclude {term} because "x"'
    return _axes(46, 46, 47) + HEAD.format(sets="") + _matrix(3, line) + OUT


def all_without_pin(form: str = "flake", file: str = "flake.nix") -> str:
    """99,452 entries of one file that a flake cannot build."""
    sets = 'attrs.k = "{{a0}}-{{a1}}-{{a2}}"'
    out = f'output o: {form} {{ file = "{file}" }}\n'
    return _axes(46, 46, 47) + HEAD.format(sets=sets) + _matrix(3) + out


def many_cells() -> str:
    """99,452 cells that differ in one setting."""
    sets = 'attrs.k = "{{a0}}-{{a1}}-{{a2}}"'
    return _axes(46, 46, 47) + HEAD.format(sets=sets) + _matrix(3) + OUT


def a_million_cells() -> str:
    sets = 'attrs.k = "{{a0}}-{{a1}}-{{a2}}"'
    return _axes(100, 100, 100) + HEAD.format(sets=sets) + _matrix(3, limit=1_000_000) + OUT


def many_matrices(matrices: int = 10) -> str:
    """Matrices that are each within the limit, and a million cells together."""
    text = _axes(46, 46, 47) + HEAD.format(sets='attrs.k = "{{a0}}-{{a1}}-{{a2}}"')
    for i in range(matrices):
        text += _matrix(3).replace("matrix m", f"matrix m{i}").replace('"v-', f'"v{i}-')
    return text + OUT


def large_recipes(*sizes: int) -> str:
    """A kilobyte of program for gigabytes of recipes."""
    lets = 'let s0 = "0000000000"\n' + "".join(
        f'let s{i} = "{{{{s{i - 1}}}}}{{{{s{i - 1}}}}}"\n' for i in range(1, 13)
    )
    sets = 'attrs { x = s12, k = "{{a0}}-{{a1}}-{{a2}}" }'
    return lets + _axes(*(sizes or (46, 46, 47))) + HEAD.format(sets=sets) + _matrix(3) + OUT


def many_settings(settings: int = 200) -> str:
    """Settings that each differ in each of 99,452 cells."""
    sets = "\n".join(f'attrs.k{i} = "{{{{a0}}}}-{{{{a1}}}}-{{{{a2}}}}"' for i in range(settings))
    return _axes(46, 46, 47) + HEAD.format(sets=sets) + _matrix(3) + OUT


def many_conditions(conditions: int = 100) -> str:
    """Conditions that each read all axes."""
    sets = "\n".join(
        f'when a0 == {i % 46} and a1 == {i % 46} or a2 == {i % 46} {{ attrs.k{i} = "x" }}'
        for i in range(conditions)
    )
    return _axes(46, 46, 47) + HEAD.format(sets=sets) + _matrix(3) + OUT


def many_requirements(requirements: int = 100) -> str:
    """Checks that each read all axes, and what is decided."""
    sets = 'attrs.k = "{{a0}}-{{a1}}-{{a2}}"\n' + "\n".join(
        f'require attrs.k != "{i}" because "w{i}"' for i in range(requirements)
    )
    return _axes(46, 46, 47) + HEAD.format(sets=sets) + _matrix(3) + OUT


def wide_axes() -> str:
    """Many axes of two values."""
    return _axes(*[2] * 16) + HEAD.format(sets='attrs.k = "{{a0}}"') + _matrix(16) + OUT


def decided_by_name() -> str:
    """A package that depends on the name: no cell shares anything."""
    sets = "attrs.k = variant\nattrs.l = upper(variant)"
    text = _axes(46, 46, 47) + HEAD.format(sets=sets) + _matrix(3) + OUT
    return text.replace("pkgs.hello", "pkgs[upper(variant)]")


def much_excluded() -> str:
    """All cells but one are dropped."""
    lines = 'exclude a0 != 1 or a1 != 1 or a2 != 1 because "x"'
    return _axes(46, 46, 47) + HEAD.format(sets="") + _matrix(3, lines) + OUT


def many_reasons(exclusions: int = 150) -> str:
    """Millions of reasons: each exclusion drops all cells but one."""
    lines = "\n".join(
        f'exclude a0 != 1 or a1 != 1 or a2 != 1 because "r{i}"' for i in range(exclusions)
    )
    return _axes(46, 46, 47) + HEAD.format(sets="") + _matrix(3, lines) + OUT


def large_in_one_file(*sizes: int) -> str:
    """Gigabytes of recipes in one file, which is made in memory."""
    return large_recipes(*sizes).replace(OUT, ONE_FILE)


def doubled_texts(lets: int = 18) -> str:
    """`let`s that each hold the two before them, so that a text has thousands of pieces."""
    named = 'let s0 = "{{a0}}-{{a1}}"\n' + "".join(
        f'let s{i} = "{{{{s{i - 1}}}}}{{{{s{max(i - 2, 0)}}}}}"\n' for i in range(1, lets)
    )
    sets = named + "\n".join(f"attrs.k{i} = s{i}" for i in range(lets))
    return _axes(200, 200) + HEAD.format(sets=sets) + _matrix(2) + OUT


def many_needs(matrices: int = 12) -> str:
    """Matrices in a row, each of whose variants needs one of the matrix before it."""
    text = _axes(100, 40)
    for i in range(matrices):
        need = f", needs n = m{i - 1}" if i else ""
        sets = f'attrs.k = "{{{{a0}}}}"{need}'
        one = HEAD.format(sets=sets) + _matrix(2)
        one = one.replace("recipe r {", f"recipe r{i} {{").replace("recipe = r,", f"recipe = r{i},")
        text += one.replace("matrix m {", f"matrix m{i} {{").replace('"v-', f'"v{i}-')
    return text + OUT


def many_nix_texts(texts: int = 70) -> str:
    """Texts of Nix that each differ in each cell."""
    sets = "\n".join(
        f'attrs.k{i} = nix"""[ {{{{a0}}}} {{{{a1}}}} (pkgs.hello.override {{ x = {i}; }}) ]"""'
        for i in range(texts)
    )
    return _axes(200, 200) + HEAD.format(sets=sets) + _matrix(2) + OUT


def many_outputs(outputs: int = 60) -> str:
    """Outputs that each have a file for each cell."""
    sets = 'attrs.k = "{{a0}}-{{a1}}"'
    out = "".join(
        f'output o{i} {{ file = "out{i}/{{{{variant}}}}.nix" }}\n' for i in range(outputs)
    )
    return _axes(200, 200) + HEAD.format(sets=sets) + _matrix(2) + out


def many_own_overlays(overlays: int = 40) -> str:
    """Overlays that each differ in each cell."""
    named = "".join(
        f'overlay p{i} for hello {{ attrs.postPatch = "{{{{a0}}}}-{{{{a1}}}} {i}" }}\n'
        for i in range(overlays)
    )
    sets = f"overlays = [{', '.join(f'p{i}' for i in range(overlays))}]"
    return _axes(200, 200) + named + HEAD.format(sets=sets) + _matrix(2) + OUT


def long_chain(recipes: int = 60) -> str:
    """Recipes that each extend the one before, with settings that differ in each cell."""
    text = _axes(200, 200) + 'recipe r0 { package = pkgs.hello, pin = none, attrs.l = ["a"] }\n'
    for i in range(1, recipes):
        sets = f'attrs.k{i} = "{{{{a0}}}}-{{{{a1}}}}", attrs.l += ["{{{{a1}}}}x{i}"]'
        text += f"recipe r{i} extends r{i - 1} {{ {sets} }}\n"
    return text + _matrix(2).replace("recipe = r,", f"recipe = r{recipes - 1},") + OUT


def many_includes(includes: int = 150, side: int = 46) -> str:
    """A sparse matrix of many `include`s, which are one condition with the operands of all."""
    lines = "\n".join(
        f'include {i % side} * [{i * 7 % side}, {i * 11 % side}] * [{i * 3 % side}] because "i{i}"'
        if i % 2
        else f"include a0 == {i % side} and a1 != {i % 41} and a2 == {i % 7}"
        for i in range(includes)
    )
    sets = 'attrs.k = "{{a0}}-{{a1}}-{{a2}}"'
    return _axes(side, side, side) + HEAD.format(sets=sets) + _matrix(3, lines) + OUT


def long_lists(settings: int = 5, elements: int = 72, *sizes: int) -> str:
    """Lists of elements that each read all axes, by a `for`."""
    sets = "\n".join(
        f'attrs.k{i} = ["{{{{x}}}}-{{{{a0}}}}-{{{{a1}}}}" for x in xs]' for i in range(settings)
    )
    named = f"let xs = {[*range(elements)]}\n"
    return named + _axes(*(sizes or (14, 12))) + HEAD.format(sets=sets) + _matrix(2) + OUT


def many_removals(removals: int = 24, *sizes: int) -> str:
    """One list to which many conditions add, and from which they remove."""
    listed = ", ".join(f'"x{i}"' for i in range(removals))
    sets = f"attrs.l = [{listed}]\n"
    sets += "\n".join(
        f'when a{i % 2} == {i} {{ attrs.l -= ["x{i}"] }}\nattrs.l += ["{{{{a{i % 2}}}}}-{i}"]'
        for i in range(removals)
    )
    return _axes(*(sizes or (60, 60))) + HEAD.format(sets=sets) + _matrix(2) + OUT


def long_scripts(parts: int = 60, form: str = "flake") -> str:
    """A script of many parts, which each read all axes, in one file of all variants."""
    sets = "\n".join(
        f'script preConfigure {{ part p{i} """\n    echo {{{{a0}}}} {{{{a1}}}} {i}\n  """ }}'
        for i in range(parts)
    )
    pin = 'pin nixpkgs { github = "NixOS/nixpkgs", rev = "' + "0" * 40 + '" }\n'
    recipe = HEAD.format(sets=sets).replace(", pin = none", "")
    out = f'output o: {form} {{ file = "{form}.nix" }}\n'
    return pin + _axes(150, 150) + recipe + _matrix(2) + out


PROGRAMS: dict[str, Callable[[], str]] = {
    "overlays": many_overlays,
    "exclusions": many_exclusions,
    "ors": one_long_exclusion,
    "flake": all_without_pin,
    "all": lambda: all_without_pin("all", "default.nix"),
    "million": a_million_cells,
    "matrices": many_matrices,
    "large": large_recipes,
    "settings": many_settings,
    "conditions": many_conditions,
    "requirements": many_requirements,
    "axes": wide_axes,
    "names": decided_by_name,
    "excluded": much_excluded,
    "plain": many_cells,
    "reasons": many_reasons,
    "one-file": large_in_one_file,
    "lets": doubled_texts,
    "needs": many_needs,
    "nix-texts": many_nix_texts,
    "outputs": many_outputs,
    "own-overlays": many_own_overlays,
    "chain": long_chain,
    "includes": many_includes,
    "lists": long_lists,
    "removals": many_removals,
    "scripts": long_scripts,
}
"""Each by what it has much of."""


# --- the questions --------------------------------------------------------------------------------


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The expressions that were evaluated."""
    return calls(monkeypatch, "tvarc.meaning.evaluation.evaluate.Evaluator.value")


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The settings that were printed."""
    return calls(monkeypatch, "tvarc.nix.lower.memo.print_entry")


@pytest.fixture
def decided(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The variants that were decided, each as often as it was."""
    recipe = "tvarc.decide.elaborate.Elaboration.recipe"
    return calls(monkeypatch, recipe, lambda _, deciding, *__: deciding.variant)


def test_each_program_is_small() -> None:
    assert all(len(program()) < 10_000 for program in PROGRAMS.values())


@pytest.mark.slow
@pytest.mark.parametrize("program", [many_exclusions, one_long_exclusion])
def test_conditions_are_evaluated_by_column(
    program: Callable[[], str], evaluated: list[object]
) -> None:
    """46 comparisons of an axis with a number, for 46 numbers each: not for 99,452 cells."""
    made = compile_text(program())
    assert codes(made) == [], messages(made)
    assert len(evaluated) < 50_000
    evaluated.clear()
    assert made.resolution is not None and made.expansion is not None
    (matrix,) = made.resolution.program.matrices
    dropped = count_dropped(matrix, made.expansion.excludes[matrix.id], Dependencies())
    assert dropped == 46 * 46 * 47 - len(made.variants) > 0
    assert len(evaluated) < 50_000


@pytest.mark.slow
def test_why_not_asks_by_column(evaluated: list[object], here: Path) -> None:
    Path("variants.tvar").write_text(_cube(26, many_exclusions(8)))
    assert tvarc("list", "--excluded").stdout.startswith("m: 408 of 17576 cells dropped\n")
    assert "a1 == 1" in tvarc("why-not", "a0=1", "a1=1").stdout
    assert len(evaluated) < 30_000  # not for each of eight exclusions in each cell


def test_overlays_are_ordered_once_for_each_list(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = calls(monkeypatch, "tvarc.decide.order.order_of")
    made = compile_text(many_overlays(20, 6))
    assert len(made.recipes()) == 36
    assert codes(made) == [], messages(made)
    assert len(asked) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "plain", "conditions", "names", "matrices", "needs", "nix-texts", "outputs", "own-overlays"
    ],
)  # fmt: skip
def test_what_is_evaluated_too_often_is_refused_in_words(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is made a small one here, as the real one takes seconds to come to."""
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 2000)
    made = compile_text(PROGRAMS[name]())
    for _ in one_by_one(made):
        pass
    found = [one for one in made.diagnostics if one.code == "E308"]
    assert len(found) == 1, messages(made)
    assert found[0].title.endswith("is evaluated too often")
    assert "2000 evaluations in total for all cells" in found[0].labels[0].text
    assert "read fewer axes" in found[0].help


@pytest.mark.slow
@pytest.mark.parametrize(
    "program", sorted(ROOT.glob("examples/*/variants.tvar")), ids=lambda file: file.parent.name
)
def test_real_programs_take_far_less(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of what there is would do for each example, whatever is counted."""
    for name in vars(budget):
        if name.startswith("LIMIT_ALL_"):
            monkeypatch.setattr(budget, name, getattr(budget, name) // 10)
    made = compile_on_disk(program)
    assert not made.sink.has_errors, messages(made)
    for _ in made.files(program.name):
        pass
    assert "E308" not in codes(made), messages(made)


@pytest.mark.slow
def test_reasons_that_are_too_many_are_not_listed(here: Path) -> None:
    """Those of all cells are counted before any is told; those of one cell are told."""
    Path("variants.tvar").write_text(many_reasons(10))
    for words in (["list", "--excluded"], ["list", "--excluded", "--json"], ["why-not", "m"]):
        result = tvarc(*words, code=exits.FAILED)
        assert "E308" in result.stderr and "to list all reasons" in result.stderr
        assert result.stdout == ""
    assert tvarc("why-not", "a0=2", "a1=1", "a2=1").exit_code == exits.OK


@pytest.mark.slow
def test_pick_decides_only_what_tells_of_a_machine(evaluated: list[object], here: Path) -> None:
    Path("variants.tvar").write_text(_cube(26, many_settings()))
    Path("cpuinfo").write_text("flags : sse2\n")
    tvarc("pick", "--cpuinfo", "cpuinfo", code=exits.OK)
    assert len(evaluated) < 5000


@pytest.mark.slow
def test_who_maps_one_by_one_only_what_there_is_time_for(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 2000)
    Path("variants.tvar").write_text(many_cells())
    result = tvarc("who", "variants.tvar:5", code=exits.FAILED)
    assert "too many cells to map them one by one" in result.stderr


def _mapped_one_by_one(program: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many recipes `who` maps before it refuses to map more."""
    made = compile_text(program)
    maps = SourceMaps(made.traced(), made.file, made.file)

    found = line_impact.find(made, maps, made.variants, maps.numbering.line(made.file, 5))
    assert codes(made) == ["E308"], messages(made)
    return len(found.names)


def _constant_settings(settings: int, text: str = "x") -> str:
    """Recipes of so many settings, whose values are evaluated once for all cells."""
    more = "\n".join(f'attrs.c{i} = "{text}"' for i in range(settings))
    return many_cells().replace("attrs.k =", f"{more}\nattrs.k =")


@pytest.mark.slow
def test_who_maps_fewer_recipes_the_more_pieces_their_texts_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A text that `let`s double has thousands of pieces, each from lines of its own."""
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 8000)
    plain = _mapped_one_by_one(_constant_settings(2), monkeypatch)
    assert _mapped_one_by_one(doubled_texts(), monkeypatch) < plain // 40


def test_a_late_part_that_stands_often_is_searched_for_once() -> None:
    """The pieces of a text that `let`s double are thousands, of a few late parts."""
    first, other = Late(frozenset(), whole=False), Late(frozenset(), whole=False)
    printed = Printed(["x", first, "\xfc", other, "", first] * 1000)
    asked: Counter[Late] = Counter()

    class Texts(dict[Late, str]):
        def __getitem__(self, late: Late) -> str:
            asked[late] += 1
            return super().__getitem__(late)

    texts = Texts({first: "é", other: "b"})
    assert printed.size(texts) == len(printed.filled({**texts}).encode()) == 8000
    assert asked == {first: 1, other: 1}


def test_what_is_within_the_text_of_an_overlay_is_tagged_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A node that has lines around it only says nothing new of the texts within."""
    tagged = calls(monkeypatch, "tvarc.values.provenance.Tagged.__new__")
    made = compile_text(many_own_overlays(20))
    maps = SourceMaps(made.traced(), made.file, made.file)
    recipe = maps.recipe(made.variants[0], late=True)
    assert recipe is not None
    text = maps.file(recipe, "here.nix").text
    pieces = sum(len(line.split()) for line in text.splitlines())
    assert 0 < len(tagged) < 2 * pieces


@pytest.mark.slow
def test_a_need_that_variants_share_counts_once() -> None:
    """A need of each variant counts as sixteen evaluations."""
    cells = f"axis a0 = {[*range(30)]}\naxis a1 = {[*range(30)]}\n"
    needed = "recipe n { package = pkgs.hello, pin = none }\n"
    for axes, least, most in (
        ("a0", 30 * 16, 30 * 17 + 200),
        ("a0 * a1", 900 * 16, 900 * 19),
    ):
        name = "n-{{a0}}" if axes == "a0" else "n-{{a0}}-{{a1}}"
        of = f'matrix of {{ recipe = n, axes = {axes}, name = "{name}" }}\n'
        recipe = "recipe r { package = pkgs.hello, pin = none, needs n = of }\n"
        matrix = 'matrix m { recipe = r, axes = a0 * a1, name = "v-{{a0}}-{{a1}}" }\n'
        made = compile_text(cells + needed + of + recipe + matrix + OUT)
        assert made.elaboration is not None, messages(made)
        before = made.elaboration.shared.total.evaluations_left
        for _ in made.files("variants.tvar", lints=False):
            pass
        assert codes(made) == [], messages(made)
        used = before - made.elaboration.shared.total.evaluations_left
        assert least <= used < most, used


@pytest.mark.slow
@pytest.mark.parametrize(
    "large",
    [
        _constant_settings(80),
        many_conditions(80).replace("pin = none", 'pin = none\nattrs.k = "x"'),
        many_cells().replace(
            "attrs.k =",
            "\n".join(f'attrs.e{i} = upper("{{{{a1}}}}{{{{a2}}}}{{{{a0}}}}")' for i in range(8))
            + "\nattrs.k =",
        ),
    ],
    ids=["lines", "entries", "evaluations"],
)
def test_who_maps_fewer_recipes_the_larger_they_are(
    large: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 4000)
    small = _mapped_one_by_one(many_cells(), monkeypatch)
    assert _mapped_one_by_one(large, monkeypatch) < small // 2


@pytest.mark.slow
def test_what_is_kept_out_of_a_variant_is_not_searched_for_in_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The keys that one variant asks for do not become more with the variants mapped before it."""
    asked = calls(monkeypatch, "tvarc.decide.decide.Deciding.key")
    condition = 'when a0 == 100 or a1 == 100 { attrs.w = "x" }'
    made = compile_text(many_cells().replace("attrs.k =", f"{condition}\nattrs.k ="))
    maps = SourceMaps(made.traced(), made.file, made.file)
    each = []
    for variant in made.variants[:200]:
        asked.clear()
        mapped = maps.of(variant)
        assert mapped is not None and len(mapped.entries) == 1
        each.append(len(asked))
    assert max(each[100:]) <= max(each[:10])


@pytest.mark.slow
def test_variants_of_one_file_are_compared_by_their_texts(decided: list[str], here: Path) -> None:
    """Only the variant that differs is compared setting by setting."""
    axis = [*range(10)]
    cells = "".join(f"axis a{n} = {axis}\n" for n in range(3))
    one = many_settings(2).partition("recipe r")[2].replace(OUT, ONE_FILE)
    program = f"{cells}recipe r{one}"
    Path("old.tvar").write_text(program)
    changed = 'when a0 == 1 and a1 == 2 and a2 == 3 { attrs.other = "x" }\nattrs.k0'
    Path("variants.tvar").write_text(program.replace("attrs.k0", changed, 1))
    result = tvarc("diff", "--against", "old.tvar")
    assert "changed: a0 1; a1 2; a2 3: 1 variant\n  attrs.other" in result.stdout, result.stdout
    assert {name for name, count in Counter(decided).items() if count > 2} == {"v-1-2-3"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (3100, "settings in all variants, of which at most 49600 are compared"),
        (40_000, "is evaluated too often"),
    ],
)
def test_differences_that_are_too_many_are_refused_in_words(
    limit: int, words: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of 100 settings, each with each of the cells."""
    axis = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
    cells = f"axis a0 = {axis}\naxis a1 = {axis}\naxis a2 = {axis}\n"
    program = cells + many_settings(100).partition("recipe r")[2].join(["recipe r", ""])
    Path("variants.tvar").write_text(program)
    Path("old.tvar").write_text(program.replace('.k0 = "', '.k0 = "x'))
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", limit)
    result = tvarc("diff", "--against", "old.tvar", code=exits.TROUBLE)
    assert "E308" in result.stderr, result.stderr
    assert words in result.stderr


@pytest.mark.slow
def test_one_file_of_all_variants_has_a_limit() -> None:
    made = compile_text(large_in_one_file(26, 26, 26))
    for _ in made.files("variants.tvar", collections=True):
        pass
    assert codes(made) == ["E812"], messages(made)
    assert "over its limit of 134,217,728 bytes" in messages(made)


def test_one_file_of_all_variants_has_the_limit_of_its_program() -> None:
    few = large_in_one_file(2, 2, 2)
    for limit, found in ((9_000, ["E812"]), (400_000, [])):
        made = compile_text(few.replace(": all {", f": all {{ limit = {limit},"))
        for _ in made.files("variants.tvar", collections=True):
            pass
        assert codes(made) == found, messages(made)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["million", "matrices"])
def test_the_cells_of_all_matrices_are_bounded(name: str) -> None:
    made = compile_text(PROGRAMS[name]())
    assert codes(made) == ["E413"], messages(made)
    assert len(made.variants) <= budget.LIMIT_ALL_CELLS


@pytest.mark.slow
def test_no_variant_is_decided_of_matrices_that_are_too_large_together(
    decided: list[str], here: Path
) -> None:
    """The error says all that there is to say."""
    Path("variants.tvar").write_text(PROGRAMS["matrices"]())
    for words in (["check"], ["list"], ["build", "--dry-run"], ["who", "variants.tvar:4"]):
        result = tvarc(*words, code=exits.FAILED)
        assert "E413" in result.stderr, result.stderr
    assert not decided


@pytest.mark.slow
def test_a_flake_without_a_pin_is_told_by_its_first_cell(
    evaluated: list[object], here: Path
) -> None:
    Path("variants.tvar").write_text(all_without_pin())
    result = tvarc("check", code=exits.FAILED)
    assert "error[E509]: a flake cannot build `v-0-0-0`" in result.stderr
    assert len(evaluated) < 5000


@pytest.mark.slow
def test_variants_that_are_too_many_for_one_file_are_refused() -> None:
    """To print 99,452 variants takes minutes, and Nix cannot use such a file."""
    made = compile_text(PROGRAMS["all"]())
    for _ in made.files("variants.tvar", collections=True):
        pass
    assert codes(made) == ["E308"], messages(made)
    assert "output `o` has too many variants for one file" in messages(made)


def test_builds_that_are_too_many_to_compare_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 20_000)
    made = compile_text(large_recipes(10, 10, 10))
    for _ in made.files("variants.tvar"):
        pass
    assert "W114" in [one.code for one in made.diagnostics], messages(made)
    assert "too many variants to compare them with each other" in messages(made)


@pytest.mark.slow
def test_a_comparison_that_cannot_end_is_not_begun(
    evaluated: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To compare 1,000 variants would evaluate 100 settings of each of them."""
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 100_000)
    cells = "".join(f"axis a{n} = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n" for n in range(3))
    made = compile_text(cells + "recipe r" + many_settings(100).partition("recipe r")[2])
    for _ in made.files("variants.tvar"):
        pass
    assert "too many variants to compare them with each other" in messages(made)
    assert len(evaluated) < 10_000


@pytest.mark.slow
def test_files_are_measured_as_they_are_decided(decided: list[str]) -> None:
    """Variants that are too many to be kept are decided once, if nobody asks for their files."""
    axis = [*range(26)]
    cells = "".join(f"axis a{n} = {axis}\n" for n in range(3))
    made = compile_text(cells + "recipe r" + many_settings(1).partition("recipe r")[2])
    for _ in made.files("variants.tvar"):
        pass
    assert len(decided) > 1 << 14
    assert set(Counter(decided).values()) == {1}


@pytest.mark.slow
def test_recipes_have_a_size_that_a_program_can_raise(here: Path) -> None:
    """Six gigabytes of a kilobyte: told by a dry run, and nothing is written."""
    program = Path("variants.tvar")
    program.write_text(large_recipes())
    result = tvarc("build", "--dry-run", code=exits.FAILED)
    assert "E812" in result.stderr and "over its limit of 1,073,741,824 bytes" in result.stderr
    few = large_recipes(4, 4, 4)
    program.write_text(few)
    assert "\n2,6" in tvarc("build", "--dry-run").stdout
    limited = few.replace("output o {", "output o { limit = 90000,")
    program.write_text(limited)
    assert "over its limit of 90,000 bytes" in tvarc("build").stderr
    assert not Path("out").exists()
    program.write_text(limited.replace("90000", "4000000"))
    assert tvarc("build").exit_code == exits.OK


@pytest.mark.slow
def test_a_package_of_each_variant_counts_as_sixteen_evaluations() -> None:
    """Nothing that surrounds the settings is shared. Other variants pay for one only."""
    for program, least, most in (
        (decided_by_name(), 16_000, 20_000),
        (many_cells(), 16, 500),
    ):
        made = compile_text(_thousand(program))
        assert made.elaboration is not None
        before = made.elaboration.shared.total.evaluations_left
        for _ in made.files("variants.tvar", lints=False):
            pass
        assert codes(made) == [], messages(made)
        assert least < before - made.elaboration.shared.total.evaluations_left < most


@pytest.mark.slow
def test_a_page_counts_the_values_of_axes_by_column(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each value is printed some times, not once for each variant."""
    printed = calls(monkeypatch, "tvarc.commands.documents.axis_text")
    page = 'output p: docs { file = "page.md" }\n'
    Path("variants.tvar").write_text(_thousand(many_cells()) + page)
    assert tvarc("build").exit_code == exits.OK
    assert "1000 variants" in Path("page.md").read_text()
    assert "| `0` | 100 " in Path("page.md").read_text()
    assert len(printed) < 500


def _cube(side: int, program: str) -> str:
    """*program* with three axes of so many values."""
    cells = "".join(f"axis a{n} = {[*range(side)]}\n" for n in range(3))
    return cells + "recipe r" + program.partition("recipe r")[2]


def _thousand(program: str) -> str:
    return _cube(10, program)


@pytest.mark.slow
def test_states_of_one_source_are_decided_once(decided: list[str], here: Path) -> None:
    """What is wrong is still reported."""
    program = _thousand(many_cells())
    for name in ("variants.tvar", "old.tvar"):
        Path(name).write_text(program)
    result = tvarc("diff", "--against", "old.tvar", code=exits.OK)
    assert result.stdout == "no change in 1,000 variants\n"
    assert set(Counter(decided).values()) == {1}
    decided.clear()
    Path("old.tvar").write_text(f"{program}# another line\n")
    assert tvarc("diff", "--against", "old.tvar").stdout == result.stdout
    assert set(Counter(decided).values()) == {2}
    long = 'attrs.v = version("{{a0}}.1234567890123456789")'
    for name in ("variants.tvar", "old.tvar"):
        Path(name).write_text(program.replace("attrs.k", f"{long}\nattrs.k"))
    assert "error[E305]" in tvarc("diff", "--against", "old.tvar").stderr


@pytest.mark.parametrize(
    ("limit", "when", "words"),
    [
        (3_000, "a0 == 1", "too many variants to compare their texts"),
        (10_000, "a0 != 1", "too many differences to compare them"),
        (10_000, "a0 == 1", ""),
    ],
)
def test_texts_that_are_too_many_are_not_compared(
    limit: int, when: str, words: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three evaluations for a variant, and eight more if it differs."""
    program = _thousand(many_cells())
    Path("variants.tvar").write_text(program)
    changed = f'when {when} {{ attrs.w = "x" }}\nattrs.k'
    Path("old.tvar").write_text(program.replace("attrs.k", changed))
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", limit)
    result = tvarc("diff", "--against", "old.tvar")
    if words:
        assert result.exit_code == exits.TROUBLE
        assert "E308" in result.stderr and words in result.stderr, result.stderr
    else:
        assert result.stdout.startswith("1,000 variants: 100 changed"), result.stdout


@pytest.mark.slow
def test_a_page_holds_only_the_settings_that_there_is_time_for(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What each variant has for itself counts, and what all of them share counts once."""
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 4000)
    own = _thousand(many_settings(20))
    whole = _thousand(many_settings(1)).replace('k0 = "', 'k0 = upper("', 1)
    for program, code in (
        (own, exits.FAILED),
        (whole.replace('a2}}"\n', 'a2}}")\n', 1), exits.FAILED),
        (own.replace(f"a0 = {[*range(10)]}", "a0 = [0]"), exits.OK),
        (many_overlays(100, 3), exits.OK),
    ):
        Path("variants.tvar").write_text(program)
        result = tvarc("report", "--html", "page.html", code=code)
        assert ("too many settings for one page" in result.stderr) == bool(code), result.stderr
        assert Path("page.html").exists() != bool(code)


def test_a_page_and_a_dump_make_once_what_variants_share(
    printed: list[object], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of a hundred variants has twenty settings, which differ in late parts alone."""
    explained = calls(monkeypatch, "tvarc.commands.report.data.place_of")
    program = _thousand(many_settings(20)).replace(f"a0 = {[*range(10)]}", "a0 = [0]")
    Path("variants.tvar").write_text(program)
    assert tvarc("report", "--html", "page.html").exit_code == exits.OK
    assert 20 < len(explained) < 100
    assert Path("page.html").stat().st_size < 200_000
    printed.clear()
    assert tvarc("dump", "--stage", "nix").stdout.count("# file: ") == 100
    assert len(printed) == 20


@pytest.mark.slow
def test_who_maps_fewer_recipes_with_many_axes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 4000)
    small = _mapped_one_by_one(many_cells(), monkeypatch)
    assert _mapped_one_by_one(wide_axes(), monkeypatch) < small * 3 // 4


def test_who_maps_nothing_if_there_is_no_time_for_all(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The smallest variants count as four evaluations each."""
    asked = calls(monkeypatch, "tvarc.build.assembly.source_map.SourceMaps.reached")
    Path("variants.tvar").write_text(_thousand(many_cells()))
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 3_900)
    assert "too many cells to map them one by one" in tvarc("who", "variants.tvar:4").stderr
    assert not asked
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 8_000)
    assert tvarc("who", "variants.tvar:4").exit_code == exits.OK
    assert len(asked) == 1000


@pytest.mark.parametrize("stage", ["ir", "nix"])
def test_variants_that_are_too_many_are_not_printed(
    stage: str, decided: list[str], here: Path
) -> None:
    Path("variants.tvar").write_text(many_cells())
    result = tvarc("dump", "--stage", stage, code=exits.FAILED)
    assert "error[E308]: `m` has too many variants to print each of them" in result.stderr
    assert result.stdout == "" and not decided
    few = tvarc("dump", "--stage", stage, "--only", "v-1-2-3")
    assert few.exit_code == exits.OK and few.stdout, few.stderr


@pytest.mark.slow
def test_a_dry_run_makes_each_text_once(decided: list[str], here: Path) -> None:
    """The texts of so many variants are measured when they are decided."""
    Path("variants.tvar").write_text(_cube(26, many_settings(1)))
    result = tvarc("build", "--dry-run", code=exits.OK)
    assert "bytes in all" in result.stdout
    assert len(decided) > 1 << 14 and set(Counter(decided).values()) == {1}


def test_a_cell_that_a_table_repeats_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = calls(monkeypatch, "tvarc.commands.shown.markdown.safe")
    head = ((markdown.Text("name"),), (markdown.Text("value"),))
    rows = [((markdown.Code(f"v-{n}"),), (markdown.Code("1|2"),)) for n in range(100)]
    text = markdown.print_markdown([markdown.Table(head, tuple(rows))])
    assert text.count("`1\\|2`") == 100
    assert len(asked) == 103


@pytest.mark.parametrize(
    "words", [["lock", "--check"], ["stale"], ["bump", "axis", "a0", "1", "77", "--dry-run"]]
)
def test_what_needs_no_text_of_a_variant_evaluates_none(
    words: list[str], evaluated: list[object], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of 1,000 variants has a text of its own. So many builds are not compared here."""
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 3000)
    Path("variants.tvar").write_text(_thousand(many_cells()))
    tvarc(*words, code=exits.OK)
    assert len(evaluated) < 500


def test_a_selector_looks_at_each_value_of_an_axis_once(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not once for each variant that has the value."""
    asked = calls(monkeypatch, "tvarc.matrix.select.value_texts", lambda _, axis, __: axis)
    Path("variants.tvar").write_text(_thousand(many_cells()))
    result = tvarc("explain", "a0=1", "a2=3")
    assert "`a0=1 a2=3` selects 10 variants" in result.stderr
    assert sorted(asked) == ["a0"] * 10 + ["a2"] * 10
    assert "`a0=10` selects no variant" in tvarc("explain", "a0=10").stderr


def test_a_misspelt_selector_reads_each_name_once(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step of a name that many variants share is looked at once."""
    read: list[object] = []
    real = Variant.pieces.fget  # type: ignore[attr-defined]

    def counted(self: Variant) -> object:
        read.append(self)
        return real(self)

    monkeypatch.setattr(Variant, "pieces", property(counted))
    Path("variants.tvar").write_text(_thousand(many_cells()))
    assert "E901" in tvarc("explain", "zzz").stderr
    assert 1000 <= len(read) < 1500


@pytest.fixture
def texts_made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The variants whose texts were made, each as often as it was."""
    parts = "tvarc.build.assembly.bodies.Bodies.parts"
    return calls(monkeypatch, parts, lambda _, recipe, __: recipe.variant)


@pytest.mark.slow
def test_files_are_measured_without_their_texts(
    texts_made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes of texts follow from those of late parts. A character may have several bytes."""
    monkeypatch.setattr("tvarc.build.assembly.files.MOST_KEPT", 900)
    made = compile_text(_thousand(many_settings(2)).replace('k0 = "', 'k0 = "\xfc'))
    files = made.files("variants.tvar")
    for _ in files:
        pass
    assert codes(made) == [], messages(made)
    assert not texts_made
    assert files.size() == sum(len(file.data()) for file in files)


@pytest.mark.parametrize("settings", [1, 2])
def test_the_size_of_files_is_that_of_their_bytes(settings: int) -> None:
    """With late parts in slots and around them."""
    program = _thousand(many_settings(settings))
    made = compile_text(program.replace('k0 = "', 'k0 = "\xfc'))
    files = made.files("variants.tvar")
    for _ in files:
        pass
    assert codes(made) == [], messages(made)
    assert files.size() == sum(len(file.data()) for file in files)


@pytest.mark.slow
def test_a_diff_makes_each_text_once(
    texts_made: list[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once in each state, although so many variants are not kept."""
    monkeypatch.setattr("tvarc.build.assembly.files.MOST_KEPT", 900)
    program = _thousand(many_cells())
    Path("variants.tvar").write_text(program)
    Path("old.tvar").write_text(f"{program}# another line\n")
    assert tvarc("diff", "--against", "old.tvar").stdout == "no change in 1,000 variants\n"
    assert len(set(texts_made)) == 1000 and set(Counter(texts_made).values()) == {2}


def test_what_is_around_settings_is_compared_once(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All variants have the same overlays, and each differs in a line of its own."""
    compared = calls(monkeypatch, "tvarc.build.diff.compare.Comparer.overlay")
    program = many_overlays(20, 10)
    Path("variants.tvar").write_text(program)
    Path("old.tvar").write_text(program.replace("pin = none", 'pin = none, meta.homepage = "q"'))
    result = tvarc("diff", "--against", "old.tvar")
    assert result.stdout.startswith("100 variants: 100 changed"), result.stdout
    assert len(compared) == 20


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["check", "--eval", "--dry-run"], "for Nix to evaluate them together"),
        (["realise", "--dry-run"], "for Nix to evaluate them together"),
        (["build", "--source-map"], "for a source map"),
    ],
)
def test_what_is_made_of_each_variant_is_refused_for_too_many(
    words: list[str], message: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each variant counts as sixteen evaluations."""
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 15_000)
    Path("variants.tvar").write_text(_thousand(many_cells()))
    result = tvarc(*words, code=exits.FAILED)
    assert f"error[E308]: `m` has too many variants {message}" in result.stderr
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["build", "--source-map"], "for a source map"),
        (["check", "--eval", "--dry-run"], "for Nix to evaluate them together"),
    ],
)
def test_settings_that_are_not_shared_are_refused(
    words: list[str], message: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of three settings is decided for each of 1,000 variants."""
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 17_500)
    shared = _thousand(many_settings(3))
    own = shared
    for number in range(3):
        text = f'k{number} = "{{{{a0}}}}-{{{{a1}}}}-{{{{a2}}}}"'
        own = own.replace(text, text.replace('"', 'upper("', 1) + ")")
    for program, code in ((own, exits.FAILED), (shared, exits.OK)):
        Path("variants.tvar").write_text(program)
        result = tvarc(*words, code=code)
        assert (f"too many variants {message}" in result.stderr) == bool(code)
        assert Path("out").exists() == ("build" in words and not code)


def test_a_build_of_many_files_is_refused_unless_the_output_allows_it(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tvarc.commands.build.full_build.MOST_FILES", 999)
    program = _thousand(many_cells())
    Path("variants.tvar").write_text(program)
    assert tvarc("build", "--dry-run").exit_code == exits.OK
    assert tvarc("build", "--only", "a0=1").exit_code == exits.OK
    result = tvarc("build", code=exits.FAILED)
    assert "error[E812]: output `o` has too many recipes: 1,000" in result.stderr
    assert "limit = 2147483648" in result.stderr
    assert len([*Path("out").iterdir()]) == 100
    Path("variants.tvar").write_text(program.replace('.nix" }', '.nix", limit = 2147483648 }'))
    assert tvarc("build").exit_code == exits.OK


def test_what_nix_evaluates_together_has_a_limit(
    printed: list[object], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All recipes are one text. A setting with late parts is printed once for all of them."""
    Path("variants.tvar").write_text(_thousand(many_settings(3)))
    assert tvarc("check", "--eval", "--dry-run").exit_code == exits.OK
    assert len(printed) == 3
    monkeypatch.setattr("tvarc.commands.programs.selecting.MOST_EVALUATED", 1000)
    result = tvarc("check", "--eval", "--dry-run", code=exits.FAILED)
    assert "too many variants for Nix to evaluate them together" in result.stderr


def test_a_page_of_needs_has_a_limit(here: Path) -> None:
    """A page shows the needs of each variant. It is refused before they are followed."""
    page = 'output page: docs { file = "docs/v.md" }\n'
    Path("variants.tvar").write_text(many_needs() + page)
    result = tvarc("build", "--dry-run", code=exits.FAILED)
    assert "has too many variants with needs for a page" in result.stderr


@pytest.mark.parametrize("words", [["list", "--excluded"], ["why-not", "m"]])
def test_reasons_of_many_operands_count_more(
    words: list[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All `include`s of a matrix are one condition, which each dropped cell asks."""
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 3000)
    for includes, code in ((40, exits.FAILED), (2, exits.OK)):
        Path("variants.tvar").write_text(many_includes(includes, 10))
        result = tvarc(*words, code=code)
        assert ("E308" in result.stderr) == bool(code)


def test_a_page_of_long_lists_has_a_limit(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The place of each element is searched for in its list. Both programs have as many elements.
    """
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 10_000)
    for settings, elements, code in ((1, 60, exits.FAILED), (12, 5, exits.OK)):
        Path("variants.tvar").write_text(long_lists(settings, elements, 4, 4))
        result = tvarc("report", "--html", "page.html", code=code)
        assert ("have too many settings for one page" in result.stderr) == bool(code)


def test_a_comparison_counts_with_its_page(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 9000)
    program = long_lists(12, 5, 4, 4)
    Path("variants.tvar").write_text(program)
    Path("old.tvar").write_text(program.replace("{{x}}-", "{{x}}_"))
    assert tvarc("report", "--html", "page.html").exit_code == exits.OK
    result = tvarc("report", "--html", "other.html", "--against", "old.tvar", code=exits.FAILED)
    assert "have too many settings for one page" in result.stderr, result.stderr


def test_a_setting_that_is_written_often_counts_more(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 5000)
    for removals, code in ((24, exits.FAILED), (3, exits.OK)):
        Path("variants.tvar").write_text(many_removals(removals, 10, 10))
        result = tvarc("build", "--source-map", code=code)
        assert ("too many variants for a source map" in result.stderr) == bool(code)


def test_recipes_that_are_too_many_are_not_imported_together(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are refused before any is read."""
    Path("by-hand").mkdir()
    for name in ("a", "b"):
        text = f'{{ hello }}:\nhello.override {{\n  x = "{name}";\n}}\n'
        Path("by-hand", f"hello-{name}.nix").write_text(text)
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 15)
    result = tvarc("import", "by-hand", "--dry-run", code=exits.FAILED)
    assert "error[E308]: `by-hand` has too many recipes to import them together" in result.stderr
    assert "they have 8 lines, of which at most 7 are imported at once" in result.stderr
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 16)
    assert "too many recipes" not in tvarc("import", "by-hand", "--dry-run").stderr


def test_a_key_of_a_large_record_is_found_by_an_index() -> None:
    """A table of a program may have a key for each cell."""
    asked: list[object] = []

    class Key(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            asked.append(other)
            return str.__eq__(self, other)

    record = Record(tuple([(Key(f"k{n}"), n) for n in range(1000)]))
    assert [record.get(f"k{n}") for n in range(1000)] == [*range(1000)]
    assert record.get("other") == MISSING
    assert len(asked) < 3000
    assert record == Record(record.entries)


@pytest.mark.slow
def test_texts_in_values_are_not_searched_for_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of all variants asks each of them which files it names."""
    found: Counter[str] = Counter()

    def counted(frame: object, event: str, _: object) -> None:
        if event == "call":
            found[frame.f_code.co_qualname] += 1  # type: ignore[attr-defined]

    program = long_scripts(20).replace(str([*range(150)])[1:-1], "0, 1, 2, 3")
    made = compile_text(program)
    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        for _ in made.collections("variants.tvar"):
            pass
    finally:
        sys.setprofile(before)
    assert codes(made) == [], messages(made)
    assert 0 < found["values_in"] < 16 * 20 * 20, found["values_in"]


def test_recipes_that_cannot_be_decided_for_nix_are_refused_in_words(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nix evaluates recipes that are decided again, and each file of a variant counts again."""
    axes = f"axis a0 = {[*range(10)]}\naxis a1 = {[*range(10)]}\n"
    program = axes + "recipe r" + many_outputs(8).partition("recipe r")[2]
    Path("variants.tvar").write_text(program)
    monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", 3000)
    assert tvarc("check").exit_code == exits.OK
    result = tvarc("check", "--eval", "--dry-run", code=exits.FAILED)
    assert "error[E308]" in result.stderr and "is evaluated too often" in result.stderr


def test_a_check_counts_as_more_than_its_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten warnings of 100 cells are 1,000 evaluations, and as many reports."""
    sets = "\n".join(f'warn w{i} = a0 != {i} and a1 != {i} because "b{i}"' for i in range(10))
    program = _axes(10, 10) + HEAD.format(sets=sets) + _matrix(2) + OUT
    for limit, found in ((1_800, True), (6_000, False)):
        monkeypatch.setattr(budget, "LIMIT_ALL_EVALUATIONS", limit)
        made = compile_text(program)
        for _ in made.files("variants.tvar"):
            pass
        assert ("E308" in codes(made)) is found, messages(made)


def test_matrices_that_extend_each_other_share_the_limit_of_cells() -> None:
    """What goes over all cells takes seconds above 131,072 of them."""
    assert budget.LIMIT_ALL_CELLS == 1 << 17
    program = _axes(250, 250) + HEAD.format(sets="")
    program += "".join(
        _matrix(2).replace("matrix m", f"matrix m{i}").replace('"v-', f'"v{i}-') for i in range(3)
    )
    made = compile_text(program + OUT)
    assert codes(made) == ["E413"], messages(made)
