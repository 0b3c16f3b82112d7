"""`facts T override { … }`: what a program corrects holds wherever the table is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import tvarc
from support.compile import codes, compile_text, messages
from support.hosts import chosen, compiled, host_with, names
from support.hosts import program as host_program
from support.lints import about, build, cuda_set, pin
from tvarc.commands.line import exits

THOR = """use std.torch-build
use std.nvidia
use std.cpu
use std.cuda

facts nvidia override { sm110 { min-driver = 590.10 because "read off our Thors" } }

pin nixpkgs {
  github = "NixOS/nixpkgs"
  rev    = "0182a361324364ae3f436a63005877674cf45efb"
  hash   = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
}
axis gpu     = nvidia[sm110]
axis isa     = cpu[armv9]
axis toolkit = cuda-toolkit[cuda13_0]
matrix m { recipe = torch-cuda, axes = gpu * isa * toolkit, name = "{{gpu}}" }
output o { file = "{{variant}}.nix" }
"""


@pytest.fixture
def thor(here: Path) -> Path:
    """A folder with a program whose one line mends the row of a GPU."""
    (here / "variants.tvar").write_text(THOR, encoding="utf-8")
    return here


def said(*words: str) -> str:
    result = tvarc(*words, code=exits.OK)
    return " ".join(result.stdout.split())


@pytest.mark.slow
@pytest.mark.usefixtures("thor")
def test_one_line_mends_a_row_and_explain_shows_it() -> None:
    asked = said("explain", "sm110", "axes.gpu")
    assert "min-driver = 590.10 variants.tvar:6 because read off our Thors" in asked
    assert "shadows 580.00 (corrected for the whole program) facts nvidia std/nvidia.tvar" in asked
    made_of = said("explain", "sm110", "meta.longDescription")
    assert "Driver: 590 or newer." in made_of
    assert "reads nvidia.sm110.min-driver = 590.10 variants.tvar:6" in made_of
    assert "because read off our Thors shadows 580.00 (corrected for the whole program;" in made_of
    page = said("report", "sm110", "--html", "-")
    assert "because read off our Thors" in page and "(corrected for the whole" in page
    data = json.loads(tvarc("explain", "sm110", "meta.longDescription", "--json").stdout)
    (read,) = (
        one for one in data["reads"] if (one["row"], one["field"]) == ("sm110", "min-driver")
    )
    assert (read["value"], read["sources"], read["mark"]) == ("590.10", [], None)
    assert (read["because"], read["shadowed"]["value"]) == ("read off our Thors", "580.00")
    assert "THOR-LOG" in read["shadowed"]["sources"]


@pytest.mark.usefixtures("thor")
def test_the_line_tells_what_it_reaches() -> None:
    assert "affects 1 of 1 variant" in said("who", "variants.tvar:6")


@pytest.mark.slow
@pytest.mark.usefixtures("thor")
def test_facts_shows_what_the_program_corrects() -> None:
    corrected = "590.10 (corrected at variants.tvar:6, because read off our Thors; shadows 580.00)"
    assert corrected in said("facts", "sm110")
    (row,) = json.loads(tvarc("facts", "sm110", "--json").stdout)
    assert row["facts"]["min-driver"] == "590.10"
    assert row["corrected"]["min-driver"]["shadowed"] == "580.00"
    assert row["corrected"]["min-driver"]["line"] == 6
    assert "corrected" not in json.loads(tvarc("facts", "sm120", "--json").stdout)[0]


@pytest.mark.slow
def test_facts_of_a_program_elsewhere(thor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (thor / "below").mkdir()
    monkeypatch.chdir(thor / "below")
    assert "corrected at ../variants.tvar:6" in said("facts", "sm110")
    away = thor / "away"
    away.mkdir()
    (away / "variants.tvar").write_text('let a = "b"\n', encoding="utf-8")
    monkeypatch.chdir(away)
    assert "corrected" not in said("facts", "sm110")
    assert "corrected" in said("facts", "sm110", "--file", str(thor))


@pytest.mark.slow
def test_facts_where_a_program_is_wrong(here: Path) -> None:
    """It is no obstacle where nobody named it, and told of."""
    (here / "variants.tvar").write_text(THOR + "let x = y\n", encoding="utf-8")
    result = tvarc("facts", "sm110")
    assert result.exit_code == exits.OK and "580.00" in result.stdout
    assert "note: `variants.tvar` has errors" in result.stderr
    named = tvarc("facts", "sm110", "--file", "variants.tvar")
    assert named.exit_code == exits.FAILED and "error[E201]" in named.stderr
    missing = tvarc("facts", "sm110", "--file", "no.tvar")
    assert missing.exit_code == exits.FAILED and "cannot read `no.tvar`" in missing.stderr


@pytest.mark.slow
def test_what_another_program_adds_is_shown(here: Path) -> None:
    text = 'use std.nvidia\nfacts nvidia += (rack: string?) { sm90 { rack = "north" } }\n'
    (here / "variants.tvar").write_text(text, encoding="utf-8")
    assert "rack north" in said("facts", "sm90")


LATER = """
use std.nvidia
facts nvidia override { sm90 { first-cuda = 13.1 because "for the test" } }
"""


@pytest.mark.parametrize("corrected", [False, True])
def test_lints_read_what_is_corrected(corrected: bool) -> None:
    body = 'overlays = [kit], config { cudaCapabilities = ["9.0"] }'
    text = pin() + cuda_set("cudaPackages_13_0") + build(body, "pkgs.magma")
    found = about((LATER if corrected else "") + text, "gpu-unknown-to-toolkit")
    began = "the first CUDA that does is 13.1"
    assert [began in item.notes[1] for item in found] == [True] * corrected
    for item in found:  # the program says so, and nobody else
        assert item.notes[1].endswith("(corrected in input.tvar, because for the test)")
        line = next(label for label in item.labels if not label.primary)
        assert line.text == "the program says so here"
        assert LATER[line.span.start : line.span.end].startswith("first-cuda = 13.1")


STATED = """
use std.nvidia
use std.cuda
axis toolkit = cuda-toolkit[cuda13_0]
%s
recipe torch {
  package = pkgs.python3Packages.torch, overlays = [kit], config { cudaCapabilities = ["9.0"] }
  args { gpuTargets = ["9.0"] }, meta { longDescription = "Driver: 520 or newer." }
}
matrix m { recipe = torch, axes = toolkit, name = "torch-{{toolkit}}" }
output o { file = "{{variant}}.nix" }
"""


@pytest.mark.parametrize(
    ("item", "cited"),
    [
        ("", "CUDA 13.0 needs driver 580 or newer (std.cuda: RN131, RN132, COMPAT)"),
        (
            'facts nvidia override { sm90 { min-driver = 590.0 because "ours" } }',
            "sm_90 needs driver 590.0 or newer (corrected in input.tvar, because ours)",
        ),
    ],
)
def test_the_driver_that_a_program_corrects_is_cited_as_its_own(item: str, cited: str) -> None:
    (found,) = about(pin() + cuda_set("cudaPackages_13_0") + STATED % item, "driver-not-stated")
    assert found.notes[1] == cited
    assert [label.text for label in found.labels if not label.primary] == (
        ["the program says so here"] if item else []
    )


def test_the_choice_of_a_variant_reads_what_is_corrected() -> None:
    axis, cuda = "axis card = nvidia[sm90]", "let cuda = 13.0"
    mended = "facts nvidia override { sm90 { min-driver = 590.10 } }"
    host = host_with("9.0", driver="580.65.06")
    sure = mended.replace("590.10", '590.10, enforced = ["min-driver"]')
    for item, expected in (("", ["v-sm90"]), (mended, ["v-sm90"]), (sure, [])):
        text = host_program("card", item, axis, cuda)
        (kind,) = chosen(host, compiled(text)).kinds
        assert names(kind) == expected
        told = [one for fit in kind.fits for one in fit.judgement.reasons if one.place is not None]
        assert [one.text for one in told] == [
            "driver 580.65.06 is older than the 590.10 that is named for sm90 (corrected in "
            "input.tvar); nothing is known to enforce it, so it is not refused"
        ] * (item is mended)
        for one in (*told, *(one for fit in kind.refused for one in fit.judgement.refusals)):
            assert one.place is not None
            assert text[one.place.start : one.place.end] == "min-driver = 590.10"


@pytest.mark.parametrize(("corrected", "kept"), [("", ["cuda12_9", "cuda13_0"]), (LATER, [])])
def test_what_is_impossible_is_what_is_corrected(corrected: str, kept: list[str]) -> None:
    text = f"""
        use std.cuda
        {corrected or "use std.nvidia"}
        axis gpu     = nvidia[sm90, sm100]
        axis toolkit = cuda-toolkit[cuda12_9, cuda13_0]
        recipe r {{ package = pkgs.hello, pin = none }}
        matrix m {{ recipe = r, axes = gpu * toolkit, name = "{{{{gpu}}}}-{{{{toolkit}}}}" }}
        exclude std.impossible
        exclude gpu == sm100 and toolkit == cuda12_9 because "something to drop"
    """
    made = compile_text(text)
    assert codes(made) == [], messages(made)
    of_90 = [one.name.partition("-")[2] for one in made.variants if one.name.startswith("sm90")]
    assert of_90 == kept


def test_why_a_cell_is_missing_cites_the_line_that_corrects(here: Path) -> None:
    """The library's reason has the library's sources, and the fact is not theirs."""
    program = f"""{LATER}
use std.cuda
axis gpu     = nvidia[sm90, sm100]
axis toolkit = cuda-toolkit[cuda12_9, cuda13_0]
recipe r {{ package = pkgs.hello, pin = none, env {{ T = toolkit }} }}
matrix m {{ recipe = r, axes = gpu * toolkit, name = "{{{{gpu}}}}-{{{{toolkit}}}}" }}
exclude std.impossible
exclude gpu == sm100 and toolkit.version == 12.9 because "x"
output o {{ file = "{{{{variant}}}}.nix" }}
"""
    Path("variants.tvar").write_text(program, encoding="utf-8")
    cited = "the program corrects gpu.first-cuda: variants.tvar:3 "
    assert cited in said("why-not", "sm90-cuda12_9")
    assert "the program corrects" not in said("why-not", "sm100-cuda12_9")


def test_a_reason_is_plain_text() -> None:
    made = compile_text(
        'facts t (a: int) { r { a = 1 } }\nfacts t override { r { a = 2 because "{{x}}" } }'
    )
    assert codes(made) == ["E209"], messages(made)


def test_what_is_enforced_is_a_field_of_the_table() -> None:
    """A misspelt limit would enforce nothing, in silence."""
    program = """
      use std.nvidia
      facts nvidia override { sm90 { min-driver = 590.0, enforced = ["min-driver"] } }
      axis gpu = nvidia[sm90]
      recipe r { package = pkgs.hello, pin = none }
      matrix m { recipe = r, axes = gpu, name = "{{gpu}}" }
      output o { file = "{{variant}}.nix" }
    """
    assert codes(compile_text(program)) == []
    wrong = compile_text(program.replace('["min-driver"]', '["min-drivr"]'))
    assert codes(wrong) == ["E207"]
    assert "did you mean `min-driver`" in messages(wrong)
