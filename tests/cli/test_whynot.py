"""`why-not`: all that keeps a cell out, and a change that admits it when it is made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.command import SMALL, tvarc
from support.compile import ROOT, VARIANTS, compile_text, compile_variants
from tvarc.build.driver import Compilation
from tvarc.commands.line import exits

LIBRARY = """\
use std.nvidia
use std.cpu
use std.cuda

axis gpu = nvidia[sm70, sm90, sm110]
axis isa = cpu[avx2, armv9]
axis toolkit = cuda-toolkit[cuda12_8, cuda13_0]
axis python = ["py312", "py313"]

recipe hello { package = pkgs.hello, pin = none }

matrix gpus {
  recipe = hello
  axes   = gpu[sm70, sm90] * isa * toolkit
  name   = "{{toolkit}}-{{gpu}}-{{isa}}"
  exclude gpu == sm90 and isa == avx2 because "it is too slow"
  exclude gpu == sm90 or isa == armv9
    because "nobody asked"
}
matrix cpus { recipe = hello, axes = isa * python, name = "cpu-{{isa}}-{{python}}" }

exclude std.impossible because "we asked"
exclude isa == armv9 because "never on ARM"

output nix { file = "{{variant}}.nix" }
"""


def asked(*words: str) -> dict[str, Any]:
    """The answers by matrix."""
    result = tvarc("why-not", *words, "--json")
    assert (result.exit_code, result.stderr) == (exits.OK, "")
    return {one["matrix"]: one for one in json.loads(result.stdout)}


def edited(text: str, answer: dict[str, Any]) -> str:
    """*text* after the edits of the change that *answer* tells."""
    for edit in sorted(answer["change"]["edits"], key=lambda edit: -edit["start"]):
        text = text[: edit["start"]] + edit["text"] + text[edit["end"] :]
    return text


def names(made: Compilation) -> set[str]:
    assert not made.sink.has_errors
    return {variant.name for variant in made.variants}


def admits(text: str, answer: dict[str, Any], *, variants: bool = False) -> None:
    """The change admits what it says, and nothing else."""
    compiled = compile_variants if variants else compile_text
    before, after = names(compiled(text)), names(compiled(edited(text, answer)))
    change = answer["change"]
    assert after - before == {change["variant"], *change["others"]}
    assert before - after == set(change["lost"])


def test_a_value_that_is_only_in_the_table(project: Path) -> None:
    text = VARIANTS.read_text(encoding="utf-8")
    (project / "variants.tvar").write_text(text, encoding="utf-8")
    found = asked("sm61-avx512", "cuda=13.0")
    answer = found["gpu-builds"]
    assert (answer["axes"], answer["built"]) == ({"gpu": ["sm61"], "isa": ["avx512"]}, [])
    line = text[: text.index("axis gpu")].count("\n") + 1
    (missing,) = answer["missing"]
    assert (missing["axis"], missing["value"], missing["line"]) == ("gpu", "sm61", line)
    assert answer["lets"][0]["value"] == "13.0"
    assert "nvidia[sm61, sm80," in edited(text, answer)
    admits(text, answer, variants=True)
    assert found["cpu-builds"]["strange"] == ["sm61"]
    assert found["cpu-builds"]["change"] is None


def test_an_exclusion_with_its_operands_and_what_else_it_drops(project: Path) -> None:
    result = tvarc("why-not", "hello-cuda13_0-sm90")
    line = SMALL[: SMALL.index("  exclude")].count("\n") + 1
    assert result.stdout.splitlines() == [
        "all: no such variant",
        "  cuda = 13.0, gpu = sm90",
        "",
        "  excluded: never",
        f"      variants.tvar:{line}: exclude gpu == sm90 and cuda == 13.0",
        "      gpu = sm90, cuda = 13.0",
        "      it drops no other cell",
        "",
        "  the smallest change:",
        f"    variants.tvar:{line}: remove the exclusion",
        '      - exclude gpu == sm90 and cuda == 13.0 because "never"',
        "    it adds nothing else",
    ]
    admits(SMALL, asked("sm90", "cuda=13.0")["all"])


def test_a_cell_that_is_there(project: Path) -> None:
    result = tvarc("why-not", "sm90", "cuda=12.8")
    assert result.stdout.splitlines() == [
        "all: the variant exists",
        "  cuda = 12.8, gpu = sm90",
        "  built: hello-cuda12_8-sm90",
    ]
    assert asked("hello-cuda12_8-sm90")["all"]["built"] == ["hello-cuda12_8-sm90"]


def test_several_cells(project: Path) -> None:
    answer = asked("sm90")["all"]
    assert answer["built"] == ["hello-cuda12_8-sm90"]
    assert answer["absent"] == ["hello-cuda13_0-sm90"]
    assert answer["exclusions"][0]["cells"] == 1
    assert "1 of 2 cells are built" in tvarc("why-not", "sm90").stdout


@pytest.mark.parametrize(
    ("word", "listed"), [("cuda=12.9", "[12.8, 12.9, 13.0]"), ("cuda=13.1", "[12.8, 13.0, 13.1]")]
)
def test_a_value_of_a_plain_axis(project: Path, word: str, listed: str) -> None:
    answer = asked(word, "sm100")["all"]
    assert f"axis cuda = {listed}" in edited(SMALL, answer)
    admits(SMALL, answer)


@pytest.mark.slow
def test_all_exclusions_those_of_modules_and_slices(project: Path) -> None:
    (project / "variants.tvar").write_text(LIBRARY)
    answer = asked("sm110-armv9", "cuda=12.8")["gpus"]
    assert answer["missing"][0]["standing"] == "sliced off"
    assert [one["because"] for one in answer["exclusions"]] == [
        "nobody asked",
        "this toolkit is older than the first that knows the GPU (PTXAS); we asked",
        "never on ARM",
    ]
    assert answer["exclusions"][1]["operands"] == {
        "toolkit.version": "12.8",
        "gpu.first-cuda": "13.0",
    }
    assert answer["exclusions"][1]["through"]["module"] == "std.impossible"
    # Four lines: three of them narrowed, and the slice; the library is left alone.
    kinds = [edit["kind"] for edit in answer["change"]["edits"]]
    assert sorted(kinds) == ["add", "narrow", "narrow", "narrow"]
    assert {edit["file"] for edit in answer["change"]["edits"]} == {"variants.tvar"}
    after = edited(LIBRARY, answer)
    assert "gpu[sm70, sm90, sm110] * isa" in after
    assert "(gpu == sm90 or isa == armv9) and not (gpu == sm110 and" in after
    assert "{ exclude std.impossible because" in after
    admits(LIBRARY, answer)
    assert answer["change"]["variant"] == "cuda12_8-sm110-armv9"


@pytest.mark.slow
@pytest.mark.parametrize("words", [["sm90-avx2"], ["sm90-armv9"], ["cpu-armv9"], ["sm70-armv9"]])
def test_the_change_is_one(project: Path, words: list[str]) -> None:
    (project / "variants.tvar").write_text(LIBRARY)
    for answer in asked(*words).values():
        if answer["change"] is not None:
            admits(LIBRARY, answer)


@pytest.mark.parametrize("end", ["", " ", "  # why", "\n"])
def test_an_exclusion_at_the_very_end(project: Path, end: str) -> None:
    text = f'{LIBRARY}exclude isa == avx2 and python == "py312" because "last"{end}'
    (project / "variants.tvar").write_text(text)
    for answer in asked("cpu-avx2-py312").values():
        if answer["change"] is not None:
            admits(text, answer)


def test_no_change_has_less_company(project: Path) -> None:
    """Of what narrows, what removes and what speaks of fewer axes, the best is taken."""
    (project / "variants.tvar").write_text(LIBRARY)
    answer = asked("cpu-armv9-py312")["cpus"]
    assert answer["change"]["others"] == [] and answer["change"]["lost"] == []
    assert answer["instead"]["others"]
    assert answer["exclusions"][0]["others"] == 1


def test_a_let_that_disagrees(project: Path) -> None:
    (project / "variants.tvar").write_text(VARIANTS.read_text(encoding="utf-8"))
    shown = tvarc("why-not", "sm90", "cuda=12.8").stdout
    assert "cuda is 13.0 for all variants, not 12.8: change `let cuda` (variants.tvar:" in shown


@pytest.mark.slow
def test_a_let_that_disagrees_hides_nothing_else(project: Path) -> None:
    """What else keeps the cell out is told as well, and the change is one that admits it."""
    text = VARIANTS.read_text(encoding="utf-8")
    (project / "variants.tvar").write_text(text)
    shown = tvarc("why-not", "sm61-avx512", "cuda=12.8").stdout
    assert "`sm61` is not in axis `gpu`, but table `nvidia` has it" in shown
    answer = asked("sm61-avx512", "cuda=12.8")["gpu-builds"]
    assert answer["built"] == []
    assert [edit["kind"] for edit in answer["change"]["edits"]] == ["set", "add"]
    after = compile_variants(edited(text, answer))
    assert answer["change"]["variant"] == "python313-cuda12_8-sm61-avx512"
    assert answer["change"]["variant"] in names(after)
    assert answer["change"]["lost"] == [] and len(answer["change"]["others"]) == 3


def test_a_let_may_be_all_that_keeps_a_cell_out(project: Path) -> None:
    """An exclusion reads it, and lets the cell pass when it is another value."""
    text = SMALL.replace("cuda == 13.0 because", "old because").replace(
        "let newest", "let old = 1\nlet newest"
    ).replace("gpu == sm90 and old", "gpu == sm90 and old == 1")  # fmt: skip
    (project / "variants.tvar").write_text(text)
    answer = asked("sm90", "cuda=13.0", "old=2")["all"]
    assert [edit["text"] for edit in answer["change"]["edits"]] == ["2"]
    admits(text, answer)
    computed = text.replace("let old = 1", "let old = if true then 1 else 2")
    (project / "variants.tvar").write_text(computed)
    answer = asked("sm90", "cuda=13.0", "old=2")["all"]
    assert answer["change"] is None and answer["exclusions"]
    (project / "variants.tvar").write_text(text)
    assert asked("sm90", "cuda=13.0", "old=" + "9" * 5000)["all"]["change"] is None


@pytest.mark.slow
def test_a_value_that_no_table_has_by_the_word_of_its_table(project: Path) -> None:
    """`cuda` is no axis, but the axis over `cuda-toolkit` is meant by it."""
    file = str(ROOT / "examples/torch-2.10/variants.tvar")
    result = tvarc("why-not", "sm90", "cuda=11.8", "--file", file)
    told = " ".join(result.stderr.replace("=", " ").split())
    assert result.exit_code == exits.FAILED
    assert "`11.8` is not a value of axis `toolkit`, and table `cuda-toolkit`" in told
    assert "axis `toolkit` has cuda12_8, cuda12_9, cuda13_0, cuda13_1" in told
    assert "adds a row: `NAME {" in told


def test_errors_that_the_new_variant_would_have(project: Path) -> None:
    text = SMALL.replace(
        "  attrs {", '  require gpu != sm90 or cuda < 13.0 because "no"\n  attrs {'
    )
    (project / "variants.tvar").write_text(text)
    (fault,) = asked("sm90", "cuda=13.0")["all"]["change"]["errors"]
    assert fault.startswith("E405: ")


def test_a_change_that_the_program_refuses(project: Path) -> None:
    """The matrix is as large as it may be."""
    text = SMALL.replace("  recipe = base", "  recipe = base\n  limit  = 6")
    (project / "variants.tvar").write_text(text)
    change = asked("sm90", "cuda=12.9")["all"]["change"]
    assert (change["variant"], change["errors"]) == ("", ["E404: matrix `all` has 9 cells"])
    shown = tvarc("why-not", "sm90", "cuda=12.9").stdout
    assert "tvarc found no change that adds it" in shown
    assert "E404: matrix `all` has 9 cells" in shown


@pytest.mark.parametrize(
    ("words", "note"),
    [
        (["sm91"], "did you mean `sm90`?"),
        (["gpu=sm91"], "not a value of axis `gpu`, and table `gpu` has no such row"),
        (["gpu=vega20"], "add a row: `vega20 { capability = … }`"),
        (["cuda=x"], "axis `cuda` has no value `x`"),
        (["gpus=sm90"], "there is no axis `gpus`"),
        (["sm90", "quux", "gpus=1"], "`quux` is not a value of an axis or a row of its table"),
    ],
)
def test_words_that_mean_nothing(project: Path, words: list[str], note: str) -> None:
    result = tvarc("why-not", *words)
    assert (result.exit_code, result.stdout) == (exits.FAILED, "")
    assert "error[E901]" in result.stderr
    assert note in result.stderr
    assert result.stderr.count("error[E901]") == (2 if len(words) == 3 else 1)


def test_errors_come_first(project: Path) -> None:
    (project / "variants.tvar").write_text(SMALL + "\nlet x = nobody\n")
    result = tvarc("why-not", "sm90")
    assert (result.exit_code, result.stdout) == (exits.FAILED, "")
    assert "error[E201]" in result.stderr


def test_a_program_without_a_matrix(project: Path) -> None:
    (project / "variants.tvar").write_text("let x = 1\n")
    result = tvarc("why-not", "sm90")
    assert (result.exit_code, result.stdout) == (exits.FAILED, "")
    assert "error[E901]: there is no matrix" in result.stderr


def test_nothing_is_written(project: Path) -> None:
    before = (project / "variants.tvar").read_bytes()
    tvarc("why-not", "sm90", "cuda=13.0")
    assert (project / "variants.tvar").read_bytes() == before


@pytest.mark.slow
def test_the_question_of_237(project: Path) -> None:
    """Pascal has no AVX-512 in the tables, and no CUDA 13 at all: both are said."""
    file = str(ROOT / "examples/torch-2.10/variants.tvar")
    result = tvarc("why-not", "sm61-avx512", "cuda=13.0", "--json", "--file", file)
    answer = next(one for one in json.loads(result.stdout) if one["matrix"] == "cuda")
    assert answer["axes"] == {"toolkit": ["cuda13_0"], "gpu": ["sm61"], "isa": ["avx512"]}
    reasons = {one["because"]: one for one in answer["exclusions"]}
    assert set(reasons) == {
        "this toolkit is newer than the last that knows the GPU (PTXAS)",
        "no table has AVX-512 for Pascal",
    }
    assert all(one["others"] >= one["others_alone"] > 0 for one in reasons.values())
    change = answer["change"]
    assert change["variant"] == "pytorch-python313-cuda13_0-sm61-avx512"
    assert change["others"] == change["lost"] == []
    assert {edit["kind"] for edit in change["edits"]} == {"narrow"}
    assert all(edit["file"].endswith("shared/torch.tvar") for edit in change["edits"])
    shown = tvarc("why-not", "sm61-avx512", "cuda=13.0", "--file", file).stdout
    assert "shared/torch.tvar` is imported: other programs that use it change, too" in " ".join(
        shown.split()
    )
