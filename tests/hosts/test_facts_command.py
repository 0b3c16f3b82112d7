"""`tvarc facts` on the command line, and what rows go with."""

from __future__ import annotations

import json
import re
from datetime import date, timedelta
from pathlib import Path

import pytest

from support.command import tvarc
from tvarc.commands.line import exits
from tvarc.commands.start.completion import Typed, offer


def found(*words: str) -> list[dict[str, object]]:
    result = tvarc("facts", *words, "--json", code=exits.OK)
    data = json.loads(result.stdout)
    assert isinstance(data, list)
    return data


def goes_with(*words: str) -> dict[str, list[str]]:
    (row,) = found(*words)
    related = row["goes-with"]
    assert isinstance(related, dict)
    return related


@pytest.mark.slow
def test_a_gpu(here: Path) -> None:
    text = tvarc("facts", "sm103").stdout
    assert text.startswith("sm103  (table nvidia, std/nvidia.tvar:")
    assert "575.51.03" in text and "How sure:" in text and "Sources:" in text
    assert "NVIDIA, CUDA GPU Compute Capability page" in text
    related = goes_with("sm103")
    assert related["CUDA toolkits"][:2] == ["12.9", "13.0"] and "12.8" not in str(related)
    assert "sm100" in related["it runs builds for"] and "sm120" not in str(related)
    assert "sm103" in related["builds for it run on"]
    assert {"avx2", "armv9"} <= set(related["instruction sets of its hosts"])
    assert "avx2" not in goes_with("sm110")["instruction sets of its hosts"]
    assert goes_with("sm70")["CUDA toolkits"][-1] == "12.9"
    assert goes_with("sm87")["builds for it run on"] == ["sm87"]  # a Tegra
    assert not {"13.0", "13.1"} & set(goes_with("sm87")["CUDA toolkits"])
    assert {"12.9", "13.2"} <= set(goes_with("sm87")["CUDA toolkits"])
    assert "sm87" not in goes_with("cuda", "13.1")["GPUs"]
    assert "sm87" in goes_with("cuda", "13.2")["GPUs"]
    assert "sm87" not in goes_with("sm86")["builds for it run on"]
    assert goes_with("gfx90a") == {"builds for it run on": ["gfx90a"]}


@pytest.mark.slow
def test_an_instruction_set() -> None:
    related = goes_with("avx512vnni")
    assert {"avx512vnni", "avx512", "avx2"} <= set(related["such a CPU runs builds for"])
    assert "avx512bf16" in related["builds for it run on CPUs with"]
    assert "avx512" not in related["builds for it run on CPUs with"]
    assert "graviton4" in goes_with("armv9")["known CPUs that have it"]
    assert "graviton3" not in goes_with("armv9")["known CPUs that have it"]


@pytest.mark.slow
def test_a_toolkit_by_its_version() -> None:
    for words in (("cuda", "12.8"), ("cuda-toolkit", "12.8"), ("cuda12_8",)):
        gpus = goes_with(*words)["GPUs"]
        assert {"sm70", "sm100", "sm120"} <= set(gpus) and "sm103" not in gpus
    assert "sm70" not in goes_with("cuda", "13.0")["GPUs"]
    assert [row["name"] for row in found("cuda", "13")][:2] == ["cuda13_0", "cuda13_1"]
    assert [row["name"] for row in found("cuda", "12.8.93")] == ["cuda12_8"]
    assert [row["name"] for row in found("cuda", "13.0.0")] == ["cuda13_0"]
    names = {row["name"] for row in found("torch", "2.9")}
    assert {"torch2_9_0", "torch2_9_1", "minor2_9"} <= names
    assert "torch2_10_0" not in names
    assert {"torch2_10_0", "minor2_10"} <= {row["name"] for row in found("torch", "2.10.0")}
    assert goes_with("cuda", "12.8")["PyTorch that is released for it"][:2] == ["2.7", "2.8"]
    assert len(found("torch", "2.10")) > 1


@pytest.mark.parametrize(
    ("spelt", "name"),
    [
        ("sm_103", "sm103"),
        ("SM103", "sm103"),
        ("armv8.2", "armv8_2"),
        ("H100", "sm90"),
        ("rtx 5090", "sm120"),
        ("GTX 1080 Ti", "sm61"),
        ("Jetson T5000", "sm110"),
        ("Hopper", "sm90"),
        ("8.6", "sm86"),
        ("GFX90A", "gfx90a"),
    ],
)
def test_names_as_people_spell_them(spelt: str, name: str) -> None:
    assert [row["name"] for row in found(spelt)] == [name]


def test_a_name_of_two_words_needs_no_quotes() -> None:
    assert [row["name"] for row in found("GTX", "1080")] == ["sm61"]


@pytest.mark.slow
def test_tables() -> None:
    text = tvarc("facts", "nvidia").stdout
    assert text.startswith("nvidia: ") and "\n  sm90 " in text
    assert "nvidia " in tvarc("facts").stdout
    (table,) = found("nvidia")
    rows, fields = table["rows"], table["fields"]
    assert isinstance(rows, dict) and isinstance(fields, dict)
    assert rows["sm90"]["capability"] == "9.0" and fields["capability"] == "version"
    assert {"nvidia", "cpu"} <= {str(one["table"]) for one in found()}
    assert {one["module"] for one in found("cuda")} == {"std/cuda.tvar"}
    assert found("std.cuda") == found("cuda")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("avx512vni",), "did you mean `avx512vnni`?"),
        (("nvidai",), "did you mean `nvidia`?"),
        (("cuda", "99.1"), "the standard library has no `cuda` of version 99.1"),
        (("kuda", "12.8"), "did you mean `cuda12_8`?"),
        (("",), "the standard library has no ``"),
    ],
)
def test_unknown_names(words: tuple[str, ...], said: str) -> None:
    result = tvarc("facts", *words)
    assert (result.exit_code, result.stdout) == (exits.FAILED, "")
    assert "error[E907]" in result.stderr and said in result.stderr
    told = json.loads(tvarc("facts", *words, "--format", "json").stdout)
    assert [item["code"] for item in told["diagnostics"]] == ["E907"]


@pytest.mark.slow
def test_tables_say_of_which_day_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "rows (std/nvidia.tvar; as of 2026-" in tvarc("facts", "nvidia").stdout
    assert "; as of 2026-" in tvarc("facts", "sm90").stdout.splitlines()[0]
    tables = found()
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", str(one["as-of"])) for one in tables)
    monkeypatch.setattr("tvarc.commands.facts.today", lambda: date(2026, 12, 1))
    stale = tvarc("facts", "--stale").stdout
    assert f"all {len(tables)} tables were compared with their sources" in stale
    assert found("--stale") == []
    newest = max(date.fromisoformat(str(one["as-of"])) for one in tables)
    monkeypatch.setattr("tvarc.commands.facts.today", lambda: newest + timedelta(days=366))
    young = [one for one in tables if one["as-of"] == newest.isoformat()]
    assert len(found("--stale")) == len(tables) - len(young)
    monkeypatch.setattr("tvarc.commands.facts.today", lambda: newest + timedelta(days=367))
    assert len(found("--stale")) == len(tables)
    assert "  nvidia " in tvarc("facts", "--stale").stdout
    assert tvarc("facts", "nvidia", "--stale").exit_code == exits.USAGE


ADDED = """use std.nvidia
{above}
facts nvidia += {{
  sm140 {{
    capability = 14.0, label = "Ours", first-cuda = 15.0, machines = ["x86_64"], hosts = ["x86_64"]
    products = ["Our GPU"], architecture = "Ours", datacenter = [], workstation = [], consumer = []
    embedded = [], sources = [], mark = "unsourced"
  }}
}}
"""


@pytest.mark.slow
def test_rows_of_a_program_are_of_its_own_day(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of the day on which the library's table was held against its sources."""
    program = here / "variants.tvar"
    monkeypatch.setattr("tvarc.commands.facts.today", lambda: date(2026, 12, 1))
    program.write_text(ADDED.format(above=""), encoding="utf-8")
    head = tvarc("facts", "sm140").stdout.splitlines()[0]
    assert head == "sm140  (table nvidia, variants.tvar:4; as of an unknown date)"
    assert [one["as-of"] for one in found("sm140")] == [None]
    assert "; as of 2026-" in tvarc("facts", "sm90").stdout.splitlines()[0]
    listed = tvarc("facts", "nvidia").stdout
    assert "; as of 2026-" in listed.splitlines()[0]
    assert "Ours, 14.0 (added at variants.tvar:4)" in " ".join(listed.split())
    stale = tvarc("facts", "--stale").stdout
    assert stale == "  nvidia.sm140  as of an unknown date (added at variants.tvar:4)\n"
    assert [one["name"] for one in found("--stale")] == ["sm140"]
    program.write_text(ADDED.format(above="# As of 2026-11-30."), encoding="utf-8")
    assert tvarc("facts", "sm140").stdout.splitlines()[0].endswith("; as of 2026-11-30)")
    assert found("--stale") == []


def test_what_is_not_known_of_a_row(here: Path) -> None:
    """A GPU without the facts that decide its toolkits and hosts: not that there are none."""
    row = 'sm130 { capability = 13.0, label = "Next" }'
    text = f"use std.nvidia\nfacts nvidia += {{ {row} }}\n"
    (here / "variants.tvar").write_text(text, encoding="utf-8")
    shown = " ".join(tvarc("facts", "sm130").stdout.split())
    assert "CUDA toolkits not known instruction sets of its hosts not known" in shown
    related = goes_with("sm130")
    assert related["CUDA toolkits"] is None
    assert related["instruction sets of its hosts"] is None
    assert related["it runs builds for"] == ["sm130"]


@pytest.mark.slow
def test_names_are_offered_to_the_shell() -> None:
    assert offer("facts", Typed("sm9", (), ()))[0] == "sm90"
    assert "nvidia" in offer("facts", Typed("nv", (), ()))
    assert offer("facts", Typed("no such", (), ())) == []
