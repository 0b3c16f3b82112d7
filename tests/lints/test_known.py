"""Lints on what a pin, a Torch or a compiler has: right, wrong, and not known."""

from __future__ import annotations

import pytest

from support.effort import for_each
from support.lints import HASH, OLDER, REV, STRANGE, about, build, cuda_set, names, pin, told

FREE = "allowUnfree = true"


def stated(fields: str, config: str = FREE) -> str:
    """A pin of a commit that nobody knows, which says *fields* of itself."""
    return pin(STRANGE, config).replace('hash = "', f'{fields}, hash = "')


@for_each(
    "head, python, version, wrong",
    [
        (pin(OLDER, FREE), "python314Packages", "", "Torch 2.8.0 supports Python 3.9 to 3.13"),
        (pin(OLDER, FREE), "python313Packages", "", ""),
        (pin(OLDER, FREE), "python3Packages", "", ""),  # 3.13 there
        (pin(OLDER, FREE), "python3Packages", "2.5.1", ""),  # an experiment
        (pin(OLDER, FREE), "python314.pkgs", "2.8.0", "supports Python 3.9 to 3.13"),
        (pin(OLDER, FREE), "python39Packages", "2.9.1", "supports Python 3.10 to 3.14"),
        (pin(OLDER, FREE), "python310Packages", "2.15.0", "supports Python 3.11 to 3.15"),
        (pin(OLDER, FREE), "python39Packages", "2.99.0", ""),  # a release to come
        (pin(OLDER, FREE), "pypy310Packages", "2.15.0", ""),
        (pin(OLDER, FREE), "python313FreeThreadingPackages", "2.5.1", ""),
        (pin(STRANGE, FREE), "python39Packages", "", ""),
        (pin(STRANGE, FREE), "python39Packages", "2.9.1", "supports Python 3.10 to 3.14"),
        (pin(STRANGE, FREE), "python3Packages", "2.9.1", ""),
        (pin(REV, FREE), "python39Packages", "", ""),  # sources disagree on its Torch
    ],
)  # fmt: skip
def test_pythons_of_a_torch(head: str, python: str, version: str, wrong: str) -> None:
    body = f'attrs {{ version = "{version}" }}' if version else ""
    found = about(head + build(body, f"pkgs.{python}.torch"), "python-not-built")
    assert [wrong in item.notes[1] for item in found] == ([True] if wrong else [])


def test_the_python_of_what_is_built_on_torch() -> None:
    text = pin(OLDER, FREE) + build("", "pkgs.python314Packages.torchvision")
    assert "Torch 2.8.0 supports" in told(text, "python-not-built")
    own = "args { torch = pkgs.mine }"
    assert names(pin(OLDER, FREE) + build(own, "pkgs.python314Packages.torchvision")) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("head", "set", "wrong"),
    [
        (pin(config=FREE), "12_4", "up to 25.05, and the pin is 26.05"),
        (pin(config=FREE), "12_7", "no nixpkgs has this set"),
        (pin(config=FREE), "13_2", "did not have it before 2026-03-10"),
        (pin(config=FREE), "12_8", ""),
        (pin(config=FREE), "13_9", "no nixpkgs has ever had this set"),  # of no table
        (pin(config=FREE), "99_9", "the newest is `cudaPackages_13_3`"),
        (pin(config=FREE), "99", "no nixpkgs has ever had this set"),
        (pin(config=FREE), "13", ""),
        (pin(config=FREE), "12_9_1", ""),
        (pin(STRANGE, FREE), "99_9", ""),  # perhaps it is younger than what is listed
        (stated("release = 25.11"), "99_9", "no nixpkgs has ever had this set"),
        (stated("release = 26.11"), "99_9", ""),  # that is not out yet
        (stated("release = 27.05"), "99_9", ""),
        (pin(STRANGE, FREE), "12_4", ""),
        (pin(STRANGE, FREE), "12_7", "no nixpkgs has this set"),
        (stated("release = 24.05"), "12_8", "since 25.05, and the pin is 24.05"),
        (stated("release = 24.05"), "12_3", ""),
        (stated("release = 25.11"), "12_4", ""),  # perhaps of before its branch
        (stated('release = 25.11, date = "2025-12-24"'), "12_4", "up to 25.05"),
        (stated('release = 25.11, date = "2025-12-24"'), "13_1", "not have it before 2026-02-03"),
        (stated("release = 26.05"), "12_4", "up to 25.05"),
        (stated("release = 26.05"), "13_1", ""),
    ],
)  # fmt: skip
def test_sets_of_a_pin(head: str, set: str, wrong: str) -> None:
    text = head + cuda_set(f"cudaPackages_{set}") + build("overlays = [kit]", "pkgs.magma")
    found = about(text, "set-not-in-pin")
    assert [wrong in item.notes[1] for item in found] == ([True] if wrong else [])


def test_of_a_set_that_is_not_there_no_more_is_told() -> None:
    """What is marked broken is a build with a CUDA that there is."""
    for set, wrong in (("99_9", ["set-not-in-pin"]), ("13_0", ["cuda-marked-broken"])):
        text = pin(config="allowUnfree = true, cudaSupport = true")
        text += cuda_set(f"cudaPackages_{set}")
        text += build('overlays = [kit], meta { longDescription = "Driver: 580 or newer" }')
        assert names(text) == wrong


def test_a_set_that_an_overlay_makes_is_there() -> None:
    own = "overlay kit { cudaPackages_12_4 = prev.cudaPackages_12_8, cudaPackages = final.X }\n"
    text = pin(config=FREE) + own.replace("X", "cudaPackages_12_4")
    assert names(text + build("overlays = [kit]", "pkgs.magma")) == []


@for_each(
    "version, target, wrong",
    [
        ("2.8.0", "11.0", "Torch 2.9 is the first that supports 11.0"),
        ("2.9.0", "11.0", ""),
        ("2.5.1", "10.0", "Torch 2.6 is the first"),
        ("2.6.0", "12.0+PTX", "Torch 2.7 is the first"),
        ("2.8.0", "10.0f", "Torch 2.9 is the first that supports 10.0f"),
        ("2.8.0", "10.0a", ""),
        ("2.8.0", "20.0", ""),  # a GPU to come
        ("2.8.0", "9.0", ""),
        ("", "10.7", ""),  # sources disagree on the Torch of the pin
    ],
)
def test_targets_of_a_torch(version: str, target: str, wrong: str) -> None:
    written = f'attrs {{ version = "{version}" }}\n' if version else ""
    text = pin() + build(f'{written}args {{ gpuTargets = ["{target}"] }}')
    found = about(text, "torch-too-old")
    assert [wrong in item.notes[1] for item in found] == ([True] if wrong else [])


def test_targets_of_what_needs_none() -> None:
    body = 'attrs { version = "2.5.1" }, args { gpuTargets = ["11.0"] }'
    assert "torch-too-old" not in names(pin() + build(body, "pkgs.python3Packages.torch-bin"))
    off = body.replace("args { ", "args { cudaSupport = false, ")
    assert "torch-too-old" not in names(pin() + build(off))


@for_each(
    "body, wrong",
    [
        ('env { CXXFLAGS = "-mavx" }', True),
        ('env { CXXFLAGS = "-march=x86-64-v2 -O2" }', True),
        ('env { CXXFLAGS = "-march=bdver2" }', True),
        ('env { CXXFLAGS = "-mavx", USE_FBGEMM = "0" }', False),
        ('env { CXXFLAGS = "-mavx", USE_FBGEMM = "1" }', True),
        ('env { CXXFLAGS = "-mavx" }, attrs { USE_FBGEMM = false }', False),  # an empty text
        ('env { CXXFLAGS = "-mavx" }, attrs { cmakeFlags += ["-DUSE_FBGEMM=OFF"] }', False),
        ('env { CXXFLAGS = "-mavx -mavx2 -mfma" }', False),
        ('env { CXXFLAGS = "-mavx -march=unheard-of" }', False),
        ('env { CXXFLAGS = "-march=armv8-a" }', False),
        ('env { CXXFLAGS = "-O3" }', False),
        ('env { CXXFLAGS = "-mavx" }, script s { part p "export USE_FBGEMM=OFF" }', False),
        ('env { CXXFLAGS = "-mavx" }, script s { part p "if a; then USE_FBGEMM=0; fi" }', False),
    ],
)
def test_cpus_that_fbgemm_does_not_run_on(body: str, wrong: bool) -> None:
    assert ("fbgemm-left-on" in names(pin(config=FREE) + build(body))) == wrong


def test_fbgemm_is_of_torch_alone() -> None:
    body = 'env { CXXFLAGS = "-mavx" }'
    for package in ("pkgs.hello", "pkgs.python3Packages.torch-bin"):
        assert names(pin(config=FREE) + build(body, package)) == []


@for_each(
    "key, right",
    [
        ("cudaCapability", "cudaCapabilities"),
        ("cudacapabilities", "cudaCapabilities"),
        ("allowBorken", "allowBroken"),
        ("rocmSuport", "rocmSupport"),
        ("allowUnfreePredicate", ""),
        ("ours", ""),
        ("my-own-setting", ""),
    ],
)
def test_settings(key: str, right: str) -> None:
    text = pin(config=f'"{key}" = true' if "-" in key else f"{key} = true")
    found = about(text + build("", "pkgs.hello"), "setting-misspelt")
    assert [f"write `{right}`" in item.help for item in found] == ([True] if right else [])


@for_each(
    "key, right",
    [
        ("configureFalgs", "configureFlags"),
        ("configureFlag", "configureFlags"),
        ("nativeBuildInput", "nativeBuildInputs"),
        ("buildinputs", "buildInputs"),
        ("dontuseCmakeConfigure", "dontUseCmakeConfigure"),
        ("cmakeFlagg", "cmakeFlags"),
        ("makeFlags", ""),
        ("cmakeFlags", ""),
        ("configureOptions", ""),
        ("buildFlavour", ""),
        ("gpuArch", ""),
        ("srcz", ""),  # too short to tell
        ("CMAKEFLAGS", ""),
        ("build_inputs", ""),
        # Words of hooks that differ in a letter from another one.
        ("qmakeFlags", ""),
        ("imakeFlags", ""),
        ("dontUseQmakeConfigure", ""),
        ("dontUseImakeConfigure", ""),
        ("gnFlags", ""),
        ("desktopItem", ""),  # of many recipes of nixpkgs, beside the `desktopItems` of a hook
        ("pypaBuildFlags", ""),
        ("disabledTests", ""),
        ("pytestFlagsArray", ""),
        ("maturinBuildFlags", ""),
        ("dontCompressFatbin", ""),
        ("mesonInstallTags", ""),
        # Words of a hook that nobody has told of.
        ("xmakeFlags", ""),
        ("dontUseXmakeConfigure", ""),
        ("wcfPath", ""),
        # Words of a recipe itself.
        ("pversion", ""),
        ("pVersion", ""),
        ("versions", ""),
        ("versoin", "version"),
        ("patchs", "patches"),
        ("preBuildPhase", ""),
        ("tarball", ""),
        ("ldFlags", ""),
        # Slips in words of hooks.
        ("qmakeFlag", "qmakeFlags"),
        ("disabledTest", "disabledTests"),
        ("pythonImportCheck", "pythonImportsCheck"),
        ("dontUsePypaBiuld", "dontUsePypaBuild"),
        ("perConfigure", "preConfigure"),
    ],
)
def test_a_misspelt_attribute_is_reported_with_the_right_name(key: str, right: str) -> None:
    text = pin(config=FREE) + build(f'attrs {{ {key} = ["x"] }}', "pkgs.hello")
    found = about(text, "attribute-misspelt")
    assert [f"write `{right}`" in item.help for item in found] == ([True] if right else [])


@for_each(
    "script, right",
    [
        ("preConfgure", "preConfigure"),
        ("postInstal", "postInstall"),
        ("buildPahse", "buildPhase"),
        ("postAutoreconf", ""),
        ("postVenvCreation", ""),
        ("myPhase", ""),
        ("sayHello", ""),
    ],
)
def test_a_misspelt_script_is_reported_with_the_right_name(script: str, right: str) -> None:
    text = pin(config=FREE) + build(f'script {script} {{ part a "x", part b "y" }}', "pkgs.hello")
    found = about(text, "attribute-misspelt")
    assert [f"write `script {right}`" in item.help for item in found] == ([True] if right else [])


@for_each(
    "key, right",
    [
        ("descripton", "description"),
        ("longdescription", "longDescription"),
        ("mainProgam", "mainProgram"),
        ("platform", "platforms"),
        ("licence", "license"),
        ("homepagge", "homepage"),
        ("maintainer", "maintainers"),
        # Names that nixpkgs knows, words of a recipe itself, and short ones.
        ("hydraPlatforms", ""),
        ("schedulingPriority", ""),
        ("cudaArchitecture", ""),
        ("reviewers", ""),
        ("tags", ""),
        ("test", ""),
    ],
)
def test_entries_of_meta(key: str, right: str) -> None:
    written = f'meta {{ {key} = "x" }}'
    overlay = f"overlay o for zlib {{ {written} }}\n"
    for text in (
        build(written, "pkgs.hello"),
        overlay + build("overlays = [o]", "pkgs.hello"),
    ):
        found = about(pin(config=FREE) + text, "attribute-misspelt")
        assert [f"write `{right}`" in one.help for one in found] == ([True] if right else []), text


def test_an_entry_of_meta_that_many_variants_share_is_told_once() -> None:
    text = """
axis gpu { sm80 { }, sm90 { } }
recipe hello { package = pkgs.hello, meta { descripton = "for {{gpu}}" } }
matrix all { recipe = hello, axes = gpu, name = "{{gpu}}" }
"""
    (found,) = about(pin(config=FREE) + text, "attribute-misspelt")
    assert found.notes[0] == "for 2 variants: sm80, sm90"


def test_scripts_of_overlays_and_of_many_variants() -> None:
    text = """
axis gpu { sm80 { }, sm90 { } }
overlay mpi for openmpi { script postInstal { part x "{{gpu}}" } }
recipe hello {
  package  = pkgs.hello
  overlays = [mpi]
  script postInstal { part a "{{gpu}}", when gpu == sm90 { part b "x" } }
  script postInstall { part a "{{gpu}}" }
}
matrix all { recipe = hello, axes = gpu, name = "{{gpu}}" }
"""
    found = about(pin(config=FREE) + text, "attribute-misspelt")
    assert [item.notes[0] for item in found] == ["for 2 variants: sm80, sm90"] * 2


@for_each(
    "target, wrong",
    [
        ("gfx90a", False),
        ("gfx90a:xnack-", False),
        ("gfx1036", False),
        ("gfx1250", False),
        ("gfx11-generic", False),
        ("gfx1400", False),  # of a generation to come
        ("gfx90", True),
        ("gfx1109", True),
        ("gfx9000", False),
        ("gfx-90a", True),
        ("GFX90A", True),
        ("9.0", False),
        ("Hopper", False),
    ],
)
def test_targets_of_amd(target: str, wrong: bool) -> None:
    text = pin(config="rocmSupport = true") + build(f'args {{ gpuTargets = ["{target}"] }}')
    assert ("amd-target-unknown" in names(text)) == wrong


@for_each(
    "set, target, driver, wrong",
    [
        ("12_9", "9.0+PTX", "525", True),
        ("12_9", "9.0+PTX", "570.26", True),
        ("12_9", "9.0+PTX", "575", False),
        ("12_9", "9.0", "525", False),
        ("12_9", "9.0+PTX", "470", False),  # another lint says that
        ("13_4", "9.0+PTX", "580", False),  # its driver is not known
        ("12", "9.0+PTX", "525", False),  # it moves
    ],
)
def test_drivers_for_ptx(set: str, target: str, driver: str, wrong: bool) -> None:
    body = (
        f'overlays = [kit], args {{ gpuTargets = ["{target}"] }}\n'
        f'meta {{ longDescription = "Driver: {driver} or newer" }}'
    )
    text = pin() + cuda_set(f"cudaPackages_{set}") + build(body)
    assert ("ptx-needs-driver" in names(text)) == wrong


@for_each(
    "head, set, flag, wrong",
    [
        (pin(config=FREE), "", "-march=knl", True),
        (pin(config=FREE), "", "-mavx512f -mavx512er", True),
        (pin(config=FREE), "", "-mavx512f", False),
        (pin(), "13_0", "-march=knl", True),
        (pin(), "12_9", "-march=knl", False),  # GCC 14 at most
        (pin(), "12", "-march=knl", False),
        (stated("release = 24.11"), "", "-march=knl", False),
        (stated("release = 25.05"), "", "-march=knl", True),
        (pin(STRANGE, FREE), "", "-march=knl", False),
    ],
)
def test_flags_that_newer_compilers_dropped(head: str, set: str, flag: str, wrong: bool) -> None:
    overlay = cuda_set(f"cudaPackages_{set}") if set else ""
    body = f'env {{ CFLAGS = "{flag}" }}' + (", overlays = [kit]" if set else "")
    assert ("flag-dropped-by-gcc" in names(head + overlay + build(body, "pkgs.magma"))) == wrong


def test_too_old_and_not_stated_are_two_messages() -> None:
    """One text may state too old a driver for some variants, and none for others."""
    text = (
        pin()
        + cuda_set("cudaPackages_12_9")
        + 'axis n = ["a", "b"]\n'
        + "recipe r { package = pkgs.python3Packages.torch, overlays = [kit], env { N = n }\n"
        + 'meta { description = "{{if n == "a" then "driver 470" else "no word"}}" } }\n'
        + 'matrix m { recipe = r, axes = n, name = "{{n}}" }\n'
    )
    found = about(text, "driver-not-stated")
    assert [(item.title.partition(": ")[2], item.notes[0]) for item in found] == [
        ("the description states a driver that is too old", "for 1 variant: a"),
        ("the description does not state the driver that the build needs", "for 1 variant: b"),
    ]
    assert HASH in text
