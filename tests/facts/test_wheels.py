"""`std.torch`, held against the wheels that were published: which Python each is for, and what
TorchVision and TorchAudio ask for."""

from __future__ import annotations

import re
from email.parser import Parser

import pytest

from facts.wheels import versions, wheel
from support.library import fact, rows, text
from tvarc.values.value import Version

pytestmark = [pytest.mark.facts, pytest.mark.slow]

RELEASES = rows("torch", "torch-release")
VISIONS = rows("torch", "torch-vision")
AUDIOS = rows("torch", "torch-audio")
PYTHONS = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux2014_x86_64", "manylinux1_x86_64")


def published(package: str, python: str, abi: str) -> frozenset[str]:
    platforms = [word for one in PLATFORMS for word in ("--platform", one)]
    return versions(
        package, "--python-version", python, "--only-binary", ":all:", "--implementation", "cp",
        "--abi", abi, *platforms,
    )  # fmt: skip


def listed(row_field: str, python: str) -> set[str]:
    return {
        text(row, "version") or ""
        for row in RELEASES.values()
        if python in [one.text for one in _versions(row, row_field)]
    }


def _versions(row: object, name: str) -> list[Version]:
    value = fact(row, name)  # type: ignore[arg-type]
    return [one for one in value if isinstance(one, Version)] if isinstance(value, tuple) else []


@pytest.mark.parametrize("python", PYTHONS)
def test_each_python_has_the_wheels_of_the_table(python: str) -> None:
    known = {text(row, "version") for row in RELEASES.values()}
    told = published("torch", python, f"cp{python.replace('.', '')}") & known
    if not told and not listed("python", python):
        return
    missing = listed("python", python) - told
    assert not missing, f"no wheel for Python {python}: {sorted(missing)}"
    beyond = told - listed("python", python) - listed("python-experimental", python)
    assert not beyond, f"wheels for Python {python} that the table lacks: {sorted(beyond)}"


@pytest.mark.parametrize("python", ["3.13", "3.14", "3.15"])
def test_wheels_without_the_global_lock(python: str) -> None:
    known = {text(row, "version") for row in RELEASES.values()}
    told = published("torch", python, f"cp{python.replace('.', '')}t") & known
    assert told == listed("python-free-threaded", python)


@pytest.mark.parametrize("python", PYTHONS)
def test_each_python_has_the_wheels_of_torchaudio(python: str) -> None:
    known = {text(row, "version"): row for row in AUDIOS.values()}
    ours = {
        version
        for version, row in known.items()
        if python in [one.text for one in _versions(row, "python")]
    }
    if python == "3.15":  # pip tells no "none" from a registry that does not answer
        assert not ours
        return
    assert published("torchaudio", python, f"cp{python.replace('.', '')}") & known.keys() == ours


def metadata(package: str, version: str) -> tuple[list[str], str]:
    """What a wheel requires, and the Python that it asks for."""
    with wheel(package, version) as archive:
        (name,) = [one for one in archive.namelist() if one.endswith(".dist-info/METADATA")]
        told = Parser().parsestr(archive.read(name).decode())
    return told.get_all("Requires-Dist") or [], told.get("Requires-Python", "")


def torch_of(required: list[str]) -> str:
    """What is required of Torch, without blanks and brackets: `==2.10.0`."""
    found = [re.sub(r"[() ]|^torch", "", one) for one in required if re.match(r"torch\b", one)]
    return found[0] if found else ""


@pytest.mark.parametrize("version", ["0.29.2", "0.29.0", "0.25.0"])
def test_the_torch_that_torchvision_requires(version: str) -> None:
    (row,) = [row for row in VISIONS.values() if text(row, "version") == version]
    required, python = metadata("torchvision", version)
    sign = "==" if fact(row, "exact") else ">="
    assert torch_of(required) == f"{sign}{text(row, 'torch')}"
    assert f">={text(row, 'min-python')}" in python.replace(" ", "")
    assert (text(row, "not-python") or "") in python


@pytest.mark.parametrize("version", ["2.11.0", "2.10.0"])
def test_the_torch_that_torchaudio_requires(version: str) -> None:
    (row,) = [row for row in AUDIOS.values() if text(row, "version") == version]
    required, _ = metadata("torchaudio", version)
    told = text(row, "torch")
    assert torch_of(required) == (f"=={told}" if told else "")


def test_a_newer_release_is_told_of() -> None:
    """What is newer than the table is told: then the table is to be held against its sources."""
    newest = max((Version(text(row, "version") or "0") for row in RELEASES.values()), key=_parts)
    told = [one for one in versions("torch") if _is_release(one)]
    newer = [one for one in told if _parts(Version(one)) > _parts(newest)]
    if newer:  # no fault of whoever runs the tests today
        pytest.skip(f"std.torch does not know {', '.join(newer)} yet")


def _is_release(one: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+){1,2}", one) is not None


def _parts(version: Version) -> tuple[int, ...]:
    return tuple(map(int, version.parts))
