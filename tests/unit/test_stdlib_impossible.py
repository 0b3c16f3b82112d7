"""`std.impossible` drops what the collected facts say nobody has, and nothing else."""

from __future__ import annotations

import re
from typing import Any

import pytest

from support.compile import codes, compile_text, messages, std_sources
from support.library import collected, comments_of, module_tables
from tvarc.meaning import hir
from tvarc.values.row_facts import texts_fact
from tvarc.values.value import Version

AXES = {
    "gpu": ("nvidia", "nvidia"),
    "isa": ("cpu", "cpu"),
    "toolkit": ("cuda", "cuda-toolkit"),
    "release": ("torch", "torch-release"),
}
Dropped = set[tuple[str, str]]


def dropped(first: str, second: str) -> Dropped:
    """The pairs of rows, of the whole tables, that are dropped."""
    uses = "".join(f"use std.{module}\n" for module, _ in AXES.values())
    axes = "".join(f"axis {axis} = {table}\n" for axis, (_, table) in AXES.items())
    made = compile_text(
        f"{uses}{axes}recipe r {{ package = pkgs.hello, pin = none }}\n"
        f"matrix m {{ recipe = r, axes = {first} * {second}, "
        f'name = "{{{{{first}}}}}--{{{{{second}}}}}" }}\n'
        "exclude std.impossible\n"
    )
    assert codes(made) == [], messages(made)
    kept = {tuple(variant.name.split("--")) for variant in made.variants}
    sides = [module_tables(module)[table].rows for module, table in (AXES[first], AXES[second])]
    return {(one, two) for one in sides[0] for two in sides[1] if (one, two) not in kept}


def row(prefix: str, version: str) -> str:
    return prefix + version.replace(".", "_")


def gpus() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = collected("gpu")["architectures"]
    return found


def toolkits() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = collected("cuda")["toolkits"]
    return found


def isas() -> dict[str, dict[str, Any]]:
    """What was collected of the rows of `cpu`, by their names."""
    facts = collected("isa")
    found = {
        entry["id"].replace(".", "_").replace("+", "-"): {**entry, "arch": arch}
        for arch, key in (("x86_64", "x86"), ("aarch64", "arm"))
        for entry in facts[key]
    }
    return {name: found[name] for name in module_tables("cpu")["cpu"].rows}


def below(one: str, two: str) -> bool:
    return Version(one).compare(Version(two)) < 0


def test_a_gpu_on_one_chip_with_another_cpu() -> None:
    # "unknown" alone, or "x86_64 unknown", is no claim.
    hosts = {gpu["sm"].replace("_", ""): " ".join(gpu["hosts"]) for gpu in gpus()}
    found = dropped("gpu", "isa")
    assert found == {
        (gpu, isa)
        for gpu, told in hosts.items()
        for isa, entry in isas().items()
        # A card goes into any host with a slot, whatever lists of supported hosts say.
        if "x86_64" not in told and "aarch64" in told and entry["arch"] == "x86_64"
    }
    assert ("sm110", "avx2") in found and ("sm90", "armv9") not in found
    assert ("sm61", "armv8_2") not in found  # that no list has it does not make it impossible
    rows = module_tables("nvidia")["nvidia"].rows.values()
    on_chip = {one.name for one in rows if "hosts" in (texts_fact(one, "enforced") or ())}
    assert on_chip == {gpu for gpu, _ in found}
    assert not [pair for pair in found if pair[0] in ("sm88", "sm107")]


def test_a_toolkit_that_does_not_know_the_gpu() -> None:
    wanted = {
        (gpu["sm"].replace("_", ""), row("cuda", toolkit["version"]))
        for gpu in gpus()
        for toolkit in toolkits()
        if below(toolkit["version"], gpu["first_cuda"])
        or (gpu["last_cuda"] is not None and below(gpu["last_cuda"], toolkit["version"]))
    }
    found = dropped("gpu", "toolkit")
    assert found == wanted  # which hosts have a toolkit documents alone say: W102 tells of it
    assert ("sm70", "cuda13_0") in found and ("sm103", "cuda12_8") in found
    # The compilers' own lists say the same.
    for name, toolkit in module_tables("cuda")["cuda-toolkit"].rows.items():
        targets = toolkit.facts["targets"].value
        assert isinstance(targets, tuple)
        known = {gpu for gpu, other in wanted if other == name}
        assert known == set(module_tables("nvidia")["nvidia"].rows) - set(targets)


def test_an_instruction_set_newer_than_every_compiler_of_the_toolkit() -> None:
    wanted = {
        (isa, row("cuda", toolkit["version"]))
        for isa, entry in isas().items()
        for toolkit in toolkits()
        if int(entry["gcc_min_tested"].removeprefix("<=")) > toolkit["max_gcc_major"]
    }
    assert dropped("isa", "toolkit") == wanted
    assert ("avx10_2", "cuda12_9") in wanted and ("avx10_2", "cuda13_0") not in wanted


def test_a_torch_that_cannot_name_the_gpu() -> None:
    listed = collected("torch")["cpp_extension_supported_arches"]
    assert "10.1 replaced by 11.0" in listed["2.9-2.13"]
    found = dropped("gpu", "release")
    for name, gpu in module_tables("nvidia")["nvidia"].rows.items():
        first = gpu.facts["first-torch"].value
        for release, torch in module_tables("torch")["torch-release"].rows.items():
            version = torch.facts["version"].value
            assert isinstance(version, Version)
            early = isinstance(first, Version) and version.compare(first) < 0
            late = name == "sm101" and not below(version.text, "2.9")
            assert ((name, release) in found) == (early or late), (name, release)


@pytest.mark.parametrize(("first", "second"), [("isa", "release"), ("toolkit", "release")])
def test_nothing_else_is_claimed(first: str, second: str) -> None:
    assert dropped(first, second) == set()


def test_each_exclusion_has_a_reason_that_names_its_source() -> None:
    sources = comments_of(std_sources()["impossible"]).sources
    made = compile_text("use std.impossible\n")
    assert made.resolution is not None
    checks = made.resolution.program.excludes
    assert len(checks) == 6
    for check in checks:
        assert isinstance(check, hir.Check)
        named = re.search(r"\(([\w, -]+)\)$", check.because)
        assert named is not None, check.because
        assert set(named[1].split(", ")) <= sources.keys()
    others = [comments_of(std_sources()[module]).sources for module in ("nvidia", "cpu", "cuda")]
    for id, told in sources.items():
        assert told in [other.get(id) for other in others], id


def test_suffixed_targets_are_not_judged() -> None:
    made = compile_text(
        "use std.nvidia\nuse std.cpu\naxis gpu = nvidia-target[sm110a]\naxis isa = cpu[avx2]\n"
        "recipe r { package = pkgs.hello, pin = none }\n"
        'matrix m { recipe = r, axes = gpu * isa, name = "{{gpu}}-{{isa}}" }\n'
        'output o { file = "{{variant}}.nix" }\nexclude std.impossible\n'
    )
    made.recipes()
    assert [variant.name for variant in made.variants] == ["sm110a-avx2"]
    assert codes(made) == ["E601"], messages(made)


@pytest.mark.parametrize(
    ("enforced", "kept"),
    [
        ("", ["avx2", "armv9"]),
        ("enforced = []", ["avx2", "armv9"]),
        ('enforced = ["hosts"]', ["avx2"]),
    ],
)
def test_a_gpu_that_a_program_adds_says_what_is_enforced(enforced: str, kept: list[str]) -> None:
    """A row that does not say keeps its cells: its hosts may be those of a list."""
    made = compile_text(
        f"""use std.nvidia
        use std.cpu
        facts nvidia += {{
          sm200 {{
            capability = 20.0, architecture = "x", label = "x", products = [], hosts = ["x86_64"]
            first-cuda = 12.0, datacenter = [], workstation = [], consumer = [], embedded = []
            machines = [], sources = [], mark = "single", {enforced}
          }}
        }}
        axis gpu = nvidia[sm110, sm200]
        axis isa = cpu[avx2, armv9]
        recipe r {{ package = pkgs.hello, pin = none }}
        matrix m {{ recipe = r, axes = gpu * isa, name = "{{{{gpu}}}}-{{{{isa}}}}" }}
        exclude std.impossible
        """
    )
    assert codes(made) == [], messages(made)
    assert [one.name for one in made.variants] == ["sm110-armv9", *(f"sm200-{one}" for one in kept)]
