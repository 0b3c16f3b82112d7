"""`std.cpu` and `std.gcc`, held against the GCC of this machine: the flags and names that it
accepts, and what these switch on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable

import pytest

from support.library import collected, fact, rows, text, texts
from tvarc.values.value import Version

pytestmark = pytest.mark.facts

ROWS = rows("cpu", "cpu")
SOCS = rows("cpu", "cpu-soc")
TARGETS = rows("gcc", "gcc-target")
ACCEPTANCE: dict[str, dict[str, dict[str, str]]] = collected("isa")["flag_acceptance"]
COMPILERS = {"x86_64": ("gcc", "x86_64-linux-gnu-gcc"), "aarch64": ("gcc", "aarch64-linux-gnu-gcc")}


def first_of(flag: str, arch: str, release: int) -> Version | None:
    """The first GCC of *release* that accepted *flag*, where an earlier one of it did not."""
    told = ACCEPTANCE[arch].get(flag, {}).get(str(release), "")
    found = re.match(r"accepted from ([\d.]+)", told)
    return Version(found[1]) if found else None


def compiler(arch: str) -> str | None:
    """A GCC for *arch*, of this machine or a cross compiler."""
    for name in COMPILERS[arch]:
        if shutil.which(name) and output(name, "-dumpmachine").startswith(f"{arch}-"):
            return name
    return None


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.slow
@pytest.mark.parametrize("arch", COMPILERS)
def test_gcc_accepts_what_its_release_should(arch: str) -> None:
    gcc = compiler(arch)
    if gcc is None and not os.environ.get("CI"):
        pytest.skip(f"there is no GCC for {arch}")
    assert gcc is not None, arch
    full = Version(output(gcc, "-dumpfullversion"))
    release = int(full.parts[0])
    wanted = [(row.name, texts(row, "flags"), fact(row, "oldest-gcc")) for row in ROWS.values()
              if text(row, "arch") == arch]  # fmt: skip
    wanted += [(row.name, texts(row, "flags"), fact(row, "oldest-gcc")) for row in SOCS.values()
               if arch == "aarch64"]  # fmt: skip
    wanted += [(row.name, [text(row, "flag") or ""], fact(row, "oldest-gcc"))
               for row in TARGETS.values() if text(row, "arch") == arch]  # fmt: skip
    for name, flags, since in wanted:
        if not isinstance(since, int):
            continue
        done = subprocess.run(
            [gcc, *flags, "-x", "c", "-fsyntax-only", "/dev/null"],
            capture_output=True,
            text=True,
            check=False,
        )
        late = [one for flag in flags if (one := first_of(flag, arch, release)) is not None]
        if any(full.compare(one) < 0 for one in late):
            assert done.returncode != 0, f"{name}: accepted by {full.text} already"
            continue
        # 12 stands for 12 and all before it: of those nobody knows the first.
        if release >= since:
            assert done.returncode == 0, f"{name}: {done.stderr}"
        elif since > 12:
            assert done.returncode != 0, f"{name}: accepted by {release} already"


# Names of features, and those that a GCC has for itself or has got since: 12 told of fewer on Arm.
MACRO = {"x86_64": r"#define __([A-Z]\w*)__ 1", "aarch64": r"#define __ARM_FEATURE_(\w+) [^0].*"}
OF_GCC = {"evex256", "evex512"}


def features(gcc: str, arch: str, flags: Iterable[str]) -> set[str] | None:
    """What *flags* switch on, by the macros of *gcc*; None where it does not accept them."""
    done = subprocess.run(
        [gcc, *flags, "-x", "c", "-dM", "-E", "/dev/null"],
        capture_output=True,
        text=True,
        check=False,
    )
    found = (re.fullmatch(MACRO[arch], line) for line in done.stdout.splitlines())
    names = {match[1].lower() for match in found if match is not None}
    return names - OF_GCC if done.returncode == 0 else None


@pytest.mark.slow
@pytest.mark.parametrize("arch", COMPILERS)
def test_flags_switch_on_what_the_compiler_says(arch: str) -> None:
    gcc = compiler(arch)
    if gcc is None and not os.environ.get("CI"):
        pytest.skip(f"there is no GCC for {arch}")
    assert gcc is not None, arch
    base = features(gcc, arch, ["-march=x86-64" if arch == "x86_64" else "-march=armv8-a"])
    assert base is not None
    checked = 0
    for row in ROWS.values():
        found = features(gcc, arch, texts(row, "flags")) if text(row, "arch") == arch else None
        if found is None:
            continue
        checked += 1
        told = set(texts(row, "switches-on"))
        assert found - base == told if arch == "x86_64" else found - base <= told, row.name
    assert checked >= 4
