"""`std.torch` against the collected facts, and its tables against each other."""

from __future__ import annotations

import re
from typing import Any

import pytest

from support.effort import for_each
from support.library import MARKS, at_least, collected, fact, rows, text, texts, version
from tvarc.values.row_facts import versions_fact
from tvarc.values.value import RowValue, Version

TORCH = collected("torch")
RELEASES = rows("torch", "torch-release")
VISION = rows("torch", "torch-vision")
AUDIO = rows("torch", "torch-audio")
WHEELS = rows("torch", "torch-wheel")
MINORS = rows("torch", "torch-minor")
PROBLEMS = rows("torch", "torch-problem")
GPUS = rows("nvidia", "nvidia")
TOOLKITS = rows("cuda", "cuda-toolkit")
CAPABILITIES = {text(row, "capability") for row in GPUS.values()}
UNKNOWN = (None, "not found")


def name_of(kind: str, release: str) -> str:
    return f"{kind}{release.replace('.', '_')}"


def hash_mark(told: str) -> str | None:
    return None if told == "missing" else MARKS[told]


def test_releases_are_those_of_the_facts() -> None:
    assert list(RELEASES) == [name_of("torch", entry["version"]) for entry in TORCH["releases"]]


@for_each("entry", TORCH["releases"])
def test_a_release_has_the_facts(entry: dict[str, Any]) -> None:
    row = RELEASES[name_of("torch", entry["version"])]
    assert text(row, "version") == entry["version"]
    assert text(row, "tag") == entry["tag"]
    assert text(row, "commit") == entry["commit"]
    assert text(row, "hash") == entry["src_hash_fetchSubmodules"]
    assert text(row, "hash-mark") == hash_mark(entry["confidence"]["hash"])
    assert texts(row, "vision") == entry["torchvision"]
    assert text(row, "audio") == entry["torchaudio"].partition(" ")[0]
    assert texts(row, "python") == entry["python"]
    assert texts(row, "python-experimental") == entry["python_experimental"]
    assert text(row, "released") == entry["release"]
    assert texts(row, "python-free-threaded") == entry["free_threaded"]
    assert set(entry["src_hash_sources"]) <= set(texts(row, "sources"))
    assert text(row, "mark") == MARKS[entry["confidence"]["pairing"]]


@pytest.mark.parametrize(
    ("kind", "table"), [("vision", VISION), ("audio", AUDIO)], ids=["vision", "audio"]
)
def test_companions_have_the_facts(kind: str, table: dict[str, RowValue]) -> None:
    told: dict[str, dict[str, Any]] = TORCH[f"torch{kind}"]
    assert list(table) == [name_of(kind, release) for release in told]
    for release, entry in told.items():
        row = table[name_of(kind, release)]
        assert text(row, "version") == release and text(row, "tag") == f"v{release}"
        assert text(row, "commit") == entry["commit"]
        assert text(row, "hash") == entry["src_hash"]
        assert text(row, "hash-mark") == hash_mark(entry["hash_mark"])
        needs = re.search(r"(==|>=)([\d.]+)", "".join(entry["requires_torch"]))
        assert text(row, "torch") == (needs[2] if needs else None)
        assert fact(row, "exact") == bool(needs and needs[1] == "==")
        assert set(entry["hash_sources"]) <= set(texts(row, "sources"))
        if kind == "audio":
            assert [one.text for one in versions_fact(row, "python")] == entry["python"]
        if kind == "vision":
            python = f">={text(row, 'min-python')}"
            refused = text(row, "not-python")
            assert entry["requires_python"] == [python + (f",!={refused}" if refused else "")]


def test_a_hash_is_marked_and_nothing_else_is() -> None:
    for row in [*RELEASES.values(), *VISION.values(), *AUDIO.values()]:
        assert (fact(row, "hash") is None) == (fact(row, "hash-mark") is None), row.name


def test_pairs_exist_and_agree_from_both_sides() -> None:
    for row in RELEASES.values():
        release = version(row, "version")
        for vision in texts(row, "vision"):
            assert goes_with(VISION[name_of("vision", vision)], release), row.name
        assert goes_with(AUDIO[name_of("audio", text(row, "audio") or "")], release), row.name
        exact = [v for v in VISION.values() if fact(v, "exact") and goes_with(v, release)]
        assert {text(v, "version") for v in exact} <= set(texts(row, "vision"))


def goes_with(companion: RowValue, release: Version) -> bool:
    needs = fact(companion, "torch")
    if needs is None:
        return True
    assert isinstance(needs, Version)
    return needs == release if fact(companion, "exact") else at_least(release, needs)


def test_wheels_are_those_of_the_facts() -> None:
    told = [entry for entry in TORCH["releases"] if entry["default_wheel_x86_64"]]
    assert list(WHEELS) == [name_of("wheel", entry["version"]) for entry in told]
    for row, entry in zip(WHEELS.values(), told, strict=True):
        x86, arm = entry["default_wheel_x86_64"], entry["default_wheel_aarch64"]
        assert text(row, "torch") == entry["version"]
        for field in ("cuda", "cudnn", "nccl", "triton"):
            assert text(row, field) == x86[field], field
        assert texts(row, "targets") == x86["archs"].split()
        on_cpu = arm is not None and arm["cuda"] == "CPU only"
        assert text(row, "aarch64-cuda") == (arm["cuda"] if arm and not on_cpu else None)
        assert (fact(row, "aarch64-targets") is None) == (arm is None)
        assert texts(row, "aarch64-targets") == (arm["archs"].split() if arm and not on_cpu else [])


def test_wheels_are_made_by_toolkits_that_know_their_targets() -> None:
    for row in WHEELS.values():
        assert name_of("torch", text(row, "torch") or "") in RELEASES
        for cuda, targets in (("cuda", "targets"), ("aarch64-cuda", "aarch64-targets")):
            if fact(row, cuda) is None:
                continue
            toolkit = TOOLKITS[name_of("cuda", text(row, cuda) or "")]
            known = {text(GPUS[name], "capability") for name in texts(toolkit, "targets")}
            assert set(texts(row, targets)) <= known, row.name
            for name in GPUS:
                if text(GPUS[name], "capability") in texts(row, targets):
                    assert names(GPUS[name], version(row, "torch")), f"{row.name}: {name}"


def names(gpu: RowValue, release: Version) -> bool:
    first = fact(gpu, "first-torch")
    return first is None or (isinstance(first, Version) and at_least(release, first))


def test_minors_are_those_of_the_facts() -> None:
    told = TORCH["release_matrix"]
    assert list(MINORS) == [name_of("minor", entry["minor"]) for entry in told]
    for row, entry in zip(MINORS.values(), told, strict=True):
        assert text(row, "version") == entry["minor"]
        assert text(row, "stable") == entry["stable_cuda"]
        assert text(row, "experimental") in (entry["experimental_cuda"], None)
        for field in ("stable", "experimental"):
            for toolkit in texts(row, f"{field}-cuda"):
                if not entry[f"{field}_cuda"].startswith("as "):
                    assert toolkit in entry[f"{field}_cuda"], row.name
        rocm = entry["rocm"]
        assert text(row, "rocm") == (None if rocm in UNKNOWN else rocm.replace("as 2.12", "7.2"))
        standard = entry["cxx_standard"]
        assert fact(row, "cxx") == (None if standard in UNKNOWN else int(standard))


def test_every_release_has_a_minor() -> None:
    for row in RELEASES.values():
        assert name_of("minor", ".".join(version(row, "version").parts[:2])) in MINORS


def test_the_default_wheel_is_built_with_an_official_toolkit() -> None:
    for row in WHEELS.values():
        minor = MINORS[name_of("minor", ".".join(version(row, "torch").parts[:2]))]
        official = [*texts(minor, "stable-cuda"), *texts(minor, "experimental-cuda")]
        assert fact(minor, "stable-cuda") is None or text(row, "cuda") in official, row.name


def test_new_targets_are_those_of_the_facts() -> None:
    told = TORCH["cpp_extension_supported_arches"]
    for span, words in told.items():
        first, _, last = span.partition("-")
        found = texts(MINORS[name_of("minor", first)], "new-targets")
        dropped = texts(MINORS[name_of("minor", first)], "dropped-targets")
        written = re.findall(r"\d+\.\d+a?", words)
        assert set(written) <= {*found, *dropped}, span
        assert {one.removesuffix("a") for one in found} <= CAPABILITIES
        for name, row in MINORS.items():
            minor = version(row, "version")
            after = last and name != name_of("minor", first) and at_least(minor, Version(first))
            if after and at_least(Version(last), minor):
                assert texts(row, "new-targets") == [], name


def test_the_first_torch_of_a_gpu_is_no_newer_than_its_builder_lists_it() -> None:
    for gpu in GPUS.values():
        capability, first = text(gpu, "capability"), fact(gpu, "first-torch")
        for row in MINORS.values():
            if capability in texts(row, "new-targets") and isinstance(first, Version):
                assert at_least(version(row, "version"), first), gpu.name


def test_suffixes_are_those_of_the_facts() -> None:
    assert "rejected up to 2.8, accepted from 2.9" in TORCH["cmake_arch_parser"]["f_suffix"]
    for row in MINORS.values():
        newer = at_least(version(row, "version"), Version("2.9"))
        assert texts(row, "suffixes") == (["a", "f"] if newer else ["a"])


def test_targets_of_rocm_are_those_of_the_facts() -> None:
    told = TORCH["rocm_arches"]
    first = [f"gfx{one}" for one in told["2.8-2.9"].removeprefix("gfx").split()]
    second = [*first, *(f"gfx{one}" for one in told["2.10"].split()[2:])]
    third = [*second, *(f"gfx{one}" for one in told["2.13"].split()[2:])]
    assert texts(MINORS["minor2_8"], "rocm-targets") == first
    assert texts(MINORS["minor2_9"], "rocm-targets") == first
    assert texts(MINORS["minor2_10"], "rocm-targets") == second
    assert texts(MINORS["minor2_13"], "rocm-targets") == third


def test_magma_has_the_facts() -> None:
    (row,) = rows("torch", "torch-magma").values()
    told = TORCH["magma"]
    assert text(row, "version") == told["version"]
    assert text(row, "github-hash") == told["src_github_hash"]
    assert text(row, "tarball-hash") == told["src_icl_tarball_hash"]
    assert text(row, "cuda13-commit") == told["cuda13_patch_commit"]
    assert text(row, "cuda13-url") == f"https://{told['cuda13_patch_url']}"
    assert text(row, "cuda13-hash") == told["cuda13_patch_hash"]


def test_problems_have_sound_ranges() -> None:
    for row in PROBLEMS.values():
        for what in ("torch", "cuda"):
            start, end = fact(row, f"{what}-from"), fact(row, f"{what}-below")
            if isinstance(start, Version) and isinstance(end, Version):
                assert not at_least(start, end), row.name
        assert text(row, "what") and text(row, "why")
