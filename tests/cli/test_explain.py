"""`tvarc explain`: one variant, one path, or the page on a code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.command import ROOT, SMALL, tvarc
from support.html import page_entries
from tvarc.cli import exits
from tvarc.diagnostics.registry import CODES


def test_a_variant(project: Path) -> None:
    result = tvarc("explain", "sm90")
    assert result.exit_code == exits.OK, result.stderr
    assert result.stdout.startswith("hello-cuda12_8-sm90\n\nmatrix all ")
    for place in ("variants.tvar:7", "variants.tvar:19", "variants.tvar:21", "variants.tvar:24"):
        assert place in result.stdout
    assert result.stderr == ""


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
    result = tvarc("explain", *args)
    assert result.exit_code == exits.FAILED
    assert result.stdout == ""
    for word in words:
        assert word in result.stderr


def test_errors_of_the_variant_come_with_its_answer(project: Path) -> None:
    (project / "variants.tvar").write_text(SMALL + '\nrequire gpu != sm90 because "so"\n')
    result = tvarc("explain", "sm90", "attrs.flags")
    assert result.exit_code == exits.FAILED
    assert "error[E405]" in result.stderr
    assert "attrs.flags" in result.stdout
    assert tvarc("explain", "cuda13_0-sm100", "attrs.flags").exit_code == exits.OK


def test_pages_of_codes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # no program is needed
    for code, title in CODES.items():
        page = tvarc("explain", code)
        assert page.exit_code == exits.OK
        assert code in page.stdout
        assert title in page.stdout
    assert json.loads(tvarc("explain", "E203", "--json").stdout)["title"] == CODES["E203"]


def test_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    whole = tvarc("explain", "sm103-avx512bf16")
    assert whole.exit_code == exits.OK
    assert "because CUDA 13 removed cudaDeviceProp.clockRate, which MAGMA reads" in whole.stdout
    flags = tvarc("explain", "sm103-avx512bf16", "attrs.cmakeFlags", "--json")
    data = json.loads(flags.stdout)
    assert data["extends"] is True
    assert [one["origin"]["layer"] for one in data["elements"]] == [
        "torch-base",
        "torch-cuda",
        "torch-cuda",
    ]


def test_a_list_that_begins_with_one_only_nix_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is shown, also where nothing that is added is left; no value tells a part of the list."""
    (tmp_path / "variants.tvar").write_text(
        '''recipe h { package = pkgs.hello, pin = none, attrs {
          bare = nix"""[ 1 ]""", bare += ["x"], bare -= ["x"]
          more = nix"""[ 1 ]""", more += ["x"]
        } }
        axis i = ["a"]
        matrix m { recipe = h, axes = i, name = "{{i}}" }
        output o { file = "{{variant}}.nix" }
        '''
    )
    monkeypatch.chdir(tmp_path)
    head = 'nix"""[ 1 ]"""'
    for key, elements in (("bare", []), ("more", ["x"])):
        assert f"{key} = {head} " in tvarc("explain", "a").stdout
        assert f"attrs.{key} = {head} " in tvarc("explain", "a", f"attrs.{key}").stdout
        data = json.loads(tvarc("explain", "a", f"attrs.{key}", "--json").stdout)
        assert data["head"] == {"nix": head}
        assert "value" not in data
        assert [one["value"] for one in data.get("elements", [])] == elements
        page = page_entries(tvarc("explain", "a", "--html", "-").stdout)
        assert page[f"attrs.{key}"]["text"] == (f'{head} ++ ["x"]' if elements else head)
