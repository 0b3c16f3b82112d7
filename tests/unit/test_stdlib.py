"""The standard library's rows, held against the collected facts that they are made from."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from support.compile import ROOT, VARIANTS, codes, compile_text, compile_variants, messages
from tvarc.sema import hir
from tvarc.values import RowValue, Value, Version

GPU = json.loads((ROOT / "tests/data/gpu.json").read_text(encoding="utf-8"))["architectures"]
ISA = json.loads((ROOT / "tests/data/isa.json").read_text(encoding="utf-8"))["rows"]


def table(name: str) -> hir.Table:
    compilation = compile_text("use std.nvidia\nuse std.cpu\n")
    assert codes(compilation) == [], messages(compilation)
    assert compilation.resolution is not None
    return compilation.resolution.program.tables[name]


def fact(row: RowValue, name: str) -> Value:
    return row.facts[name].value


def listed(row: RowValue, name: str) -> list[str]:
    value = fact(row, name)
    assert isinstance(value, tuple)
    return [str(item) for item in value]


def test_gpus_are_those_of_the_facts() -> None:
    rows = table("nvidia").rows
    assert list(rows) == [entry["sm"].replace("_", "") for entry in GPU]
    for entry in GPU:
        row = rows[entry["sm"].replace("_", "")]
        assert fact(row, "capability") == Version(entry["compute_capability"])
        assert entry["architecture"].startswith(str(fact(row, "architecture")))
        assert fact(row, "first-cuda") == Version(entry["first_cuda"])
        assert fact(row, "first-driver") == Version(entry["first_toolkit_driver_linux"])
        hosts = {host.partition("-")[0].partition(" ")[0] for host in entry["hosts"]}
        assert set(listed(row, "hosts")) == hosts


def test_what_the_facts_call_conflicting_is_marked() -> None:
    text = (ROOT / "stdlib" / "nvidia.tvar").read_text(encoding="utf-8")
    for entry in GPU:
        if entry["confidence"] != "verified":
            row = text.partition(f"  {entry['sm'].replace('_', '')} {{")[2].partition("\n  }")[0]
            assert "disagree" in row, entry["sm"]


def expanded(entry: dict[str, Any], field: str) -> list[str]:
    """`<avx512>` and its like stand for the words of another row."""
    words: list[str] = entry[field].split() if isinstance(entry[field], str) else entry[field]
    found: list[str] = []
    for word in words:
        if word.startswith("<"):
            other = next(e for e in ISA if e["id"] == word.strip("<>"))
            found += expanded(other, field)
        else:
            found.append(word)
    return found


def test_instruction_sets_are_those_of_the_facts() -> None:
    rows = table("cpu").rows
    wanted = {e["id"].replace(".", "_"): e for e in ISA if e["id"] != "armv8.4+sve"}
    assert set(rows) == set(wanted)
    for name, entry in wanted.items():
        row = rows[name]
        assert sorted(listed(row, "flags")) == sorted(expanded(entry, "gcc_flags")), name
        assert sorted(listed(row, "cpuinfo")) == sorted(expanded(entry, "cpuinfo_all_of")), name
        assert fact(row, "arch") == ("x86_64" if entry["side"] == "x86" else "aarch64")
        assert fact(row, "platform") == f"{fact(row, 'arch')}-linux"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_gcc_accepts_the_flags() -> None:
    machine = subprocess.run(["gcc", "-dumpmachine"], capture_output=True, text=True, check=True)
    arch = machine.stdout.partition("-")[0]
    for row in table("cpu").rows.values():
        if fact(row, "arch") == arch:
            command = ["gcc", *listed(row, "flags"), "-x", "c", "-fsyntax-only", "/dev/null"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr


def test_impossible_hosts_are_warned_of_from_facts() -> None:
    text = VARIANTS.read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if line.startswith("warn impossible-host = off")]
    compilation = compile_variants(text.replace(line, ""))
    recipes = compilation.recipes()
    assert len(recipes) == 44
    assert codes(compilation) == ["W001"]
    (warning,) = compilation.diagnostics
    assert "impossible-host" in warning.title
    assert any(note.startswith("for 8 variants: ") for note in warning.notes)
    assert "because" in line and codes_of_the_plan() == []


def codes_of_the_plan() -> list[str]:
    compilation = compile_variants()
    compilation.recipes()
    return codes(compilation)
