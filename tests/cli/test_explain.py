"""`tvarc explain`: one variant, one path, or the page on a code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import ROOT, SMALL, tvarc
from support.html import page_entries
from tvarc.commands.line import exits
from tvarc.text.diagnostics.registry import CODES


def test_a_variant(project: Path) -> None:
    result = tvarc("explain", "sm90", code=exits.OK)
    assert result.stdout.startswith("hello-cuda12_8-sm90\nmatrix all ")
    for place in ("variants.tvar:7", "variants.tvar:19", "variants.tvar:21", "variants.tvar:24"):
        assert place in result.stdout
    assert result.stderr == ""


@pytest.fixture
def large_project(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program of this project, with two axes whose rows have many facts."""
    monkeypatch.chdir(ROOT)


def _blocks(*words: str) -> list[list[str]]:
    """The blocks that `explain` prints of a variant, each as its lines."""
    result = tvarc("explain", *words, code=exits.OK)
    return [block.splitlines() for block in result.stdout.split("\n\n")]


def test_what_was_asked_comes_first(large_project: None) -> None:
    """The head is short, settings follow, and what describes the variant is last."""
    head, *blocks = _blocks("sm103-avx512bf16")
    assert [line.split()[0] for line in head[1:]] == ["matrix", "recipe"]
    assert [block[0].split()[0] for block in blocks] == [
        "package", "args", "attrs", "script", "overlays", "pin", "config", "passthru", "meta",
        "files", "axes",
    ]  # fmt: skip


def test_facts_are_a_line_for_each_axis_value(large_project: None) -> None:
    gpu, isa = _blocks("sm103-avx512bf16")[-1][1:]
    assert gpu.startswith("  gpu = sm103: Blackwell Ultra (B300, GB300), 19 facts  ")
    assert gpu.endswith("  std/nvidia.tvar:336")
    assert isa.startswith("  isa = avx512bf16: AVX-512 BF16, 12 facts  ")


def test_all_facts(large_project: None) -> None:
    """`--facts` changes the last block alone, to what `explain SELECTOR axes` prints."""
    folded, whole = _blocks("sm103-avx512bf16"), _blocks("sm103-avx512bf16", "--facts")
    assert folded[:-1] == whole[:-1]
    assert folded[-1][0] == "axes (--facts shows all facts)"
    axes = whole[-1]
    assert axes[0] == "axes"
    assert sum(line.startswith("    ") and " = " in line for line in axes) == 19 + 12
    assert any(line.startswith("    first-driver = 575.51.03 ") for line in axes)


def test_a_corrected_fact_is_not_folded(here: Path) -> None:
    """A person wrote it, so it is among the first suspects."""
    (here / "variants.tvar").write_text(
        "use std.nvidia\n"
        'facts nvidia override { sm90 { first-driver = 590.10 because "ours is older" } }\n'
        "recipe r { pin = none\n package = pkgs.hello }\n"
        "axis gpu = nvidia[sm90]\n"
        'variant v { recipe = r, axes = gpu, name = "v" }\n'
        'output o { file = "{{variant}}.nix" }\n'
    )
    lines = _blocks("v")[-1]
    assert lines[1].startswith("  gpu = sm90: Hopper (H100, H200, GH200), ")
    assert lines[2].startswith("      first-driver = 590.10 ")
    assert lines[3].split() == ["because", "ours", "is", "older"]
    assert lines[4].split()[0] == "shadows"
    assert len(lines) == 5


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("sm90", "--json"), "JSON has all facts"),
        (("sm90", "attrs"), "it needs a whole variant"),
        (("E601",), "it needs a whole variant"),
        (("recipe.nix:3",), "it needs a whole variant"),
        (("--nix-log",), "it reads standard input"),
    ],
)
def test_facts_belong_to_a_variant(project: Path, words: tuple[str, ...], what: str) -> None:
    result = tvarc("explain", *words, "--facts", code=exits.USAGE)
    assert what in " ".join(result.stderr.replace("│", " ").split())


def test_one_path_and_pairs_as_words(project: Path) -> None:
    one = tvarc("explain", "cuda12_8-sm100", "attrs.flags").stdout
    assert one.splitlines()[1].split() == ["attrs.flags", "=", '["-a"]', "base", "variants.tvar:21"]
    assert tvarc("explain", "gpu=sm100", "cuda=12.8", "attrs.flags").stdout == one


def test_json(project: Path) -> None:
    data = json.loads(tvarc("explain", "sm90", "--json").stdout)
    assert data["variant"] == "hello-cuda12_8-sm90"
    assert data["attrs"][2]["elements"][0]["origin"]["line"] == 21
    part = json.loads(tvarc("explain", "sm90", "script.preConfigure.two", "--json").stdout)
    assert part["origin"]["conditions"][0]["text"] == "fast"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["sm100"], ["error[E902]: `sm100` selects 2 variants", "  hello-cuda12_8-sm100"]),
        (["sm101"], ["error[E901]", "did you mean `sm100`?"]),
        (["sm90", "attrs.flag"], ["error[E904]", "did you mean `attrs.flags`?"]),
        (["E999"], ["error[E904]: there is no code `E999`"]),
    ],
)
def test_faults(project: Path, args: list[str], words: list[str]) -> None:
    result = tvarc("explain", *args, code=exits.FAILED)
    assert result.stdout == ""
    for word in words:
        assert word in result.stderr


def test_errors_of_the_variant_come_with_its_answer(project: Path) -> None:
    (project / "variants.tvar").write_text(SMALL + '\nrequire gpu != sm90 because "so"\n')
    result = tvarc("explain", "sm90", "attrs.flags", code=exits.FAILED)
    assert "error[E405]" in result.stderr
    assert "attrs.flags" in result.stdout
    assert tvarc("explain", "cuda13_0-sm100", "attrs.flags").exit_code == exits.OK


@pytest.mark.slow
def test_pages_of_codes(here: Path) -> None:
    for code, title in CODES.items():
        page = tvarc("explain", code, code=exits.OK)
        assert code in page.stdout
        assert title in page.stdout
    assert json.loads(tvarc("explain", "E203", "--json").stdout)["title"] == CODES["E203"]


def test_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    whole = tvarc("explain", "sm103-avx512bf16", code=exits.OK)
    assert "because CUDA 13 removed cudaDeviceProp.clockRate, which MAGMA reads" in whole.stdout
    flags = tvarc("explain", "sm103-avx512bf16", "attrs.cmakeFlags", "--json")
    data = json.loads(flags.stdout)
    assert data["extends"] is True
    assert [one["origin"]["layer"] for one in data["elements"]] == [
        "torch-base",
        "torch-cuda",
        "torch-cuda",
    ]


def test_a_list_that_begins_with_one_only_nix_knows(here: Path) -> None:
    """It is shown, also where nothing that is added is left; no value tells a part of the list."""
    (here / "variants.tvar").write_text(
        '''recipe h { package = pkgs.hello, pin = none, attrs {
          bare = nix"""[ 1 ]""", bare += ["x"], bare -= ["x"]
          more = nix"""[ 1 ]""", more += ["x"]
        } }
        axis i = ["a"]
        matrix m { recipe = h, axes = i, name = "{{i}}" }
        output o { file = "{{variant}}.nix" }
        '''
    )
    head = 'nix"""[ 1 ]"""'
    for key, elements in (("bare", []), ("more", ["x"])):
        assert f"{key} = {head} " in tvarc("explain", "a").stdout
        assert f"attrs.{key} = {head} " in tvarc("explain", "a", f"attrs.{key}").stdout
        data = json.loads(tvarc("explain", "a", f"attrs.{key}", "--json").stdout)
        assert data["head"] == {"nix": head}
        assert "value" not in data
        assert [one["value"] for one in data.get("elements", [])] == elements
        page = page_entries(tvarc("report", "a", "--html", "-").stdout)
        assert page[f"attrs.{key}"]["text"] == (f'{head} ++ ["x"]' if elements else head)


def test_a_text_with_nix_in_it(project: Path) -> None:
    text = SMALL.replace("  script preConfigure", """  attrs {
    text = "with {{nix\"\"\"lib.version\"\"\"}} in it"
  }
  script preConfigure""", 1)
    assert text != SMALL
    (project / "variants.tvar").write_text(text)
    result = tvarc("explain", "sm90", "attrs.text", code=exits.OK)
    assert "lib.version" in result.stdout


def test_the_chain_of_a_recipe_with_mixins(project: Path) -> None:
    (project / "variants.tvar").write_text(
        "recipe base { package = pkgs.hello, pin = none, attrs { jobs = 1 } }\n"
        "mixin one { attrs { jobs = 2 } }\n"
        "mixin two { attrs { jobs = 3 } }\n"
        "recipe child extends base with one, two { }\n"
        "variant v { recipe = child }\n"
        'output nix { file = "{{variant}}.nix" }\n',
        encoding="utf-8",
    )
    assert "\nrecipe base → one → two → child\n" in tvarc("explain", "v").stdout
    assert "shadows 2 (two sets it anew: mixin two's `=` over mixin one's `=`)" in " ".join(
        tvarc("explain", "v", "attrs.jobs").stdout.split()
    )
    data = json.loads(tvarc("explain", "v", "--json").stdout)
    assert data["recipe"]["value"] == ["base", "one", "two", "child"]
    who = tvarc("who", "variants.tvar:2").stdout
    assert "shadowed in 1 of 1 variants by variants.tvar:3" in who
