"""Lints on Torch and its package: cuDNN, CUDA 13, cmakeFlags, releases; and on pins."""

from __future__ import annotations

import pytest

from support.effort import for_each
from support.library import rows
from support.lints import HASH, OLDER, REV, STRANGE, about, build, cuda_set, names, pin
from tvarc.values.value import RowValue, Version

WITH_CUDNN = "46336d4d6980ae6f136b45c8507b17787eb186a0"
BEFORE = "c543a59edf25ada193719764f3bc0c6ba835f94d"  # of 2025-11-16
BOUND = "2017d6d515f8a7b289fe06d3a880a7ec588c3900"  # of a day that is no more than a bound
DRIVER = 'meta { longDescription = "Driver: 580 or newer." }'


def cudnn(more: str = "", capability: str = "6.1", rev: str = REV, set: str = "") -> bool:
    overlay = cuda_set(set) if set else ""
    listed = "overlays = [kit]\n" if set else ""
    body = f'{listed}config {{ cudaCapabilities = ["{capability}"] }}\n{more}\n{DRIVER}'
    return bool(about(pin(rev) + overlay + build(body), "cudnn-below-floor"))


def script(text: str) -> str:
    return f'script preConfigure {{ part p """\n{text}\n""" }}'


def test_cudnn_where_it_does_not_run() -> None:
    assert cudnn()
    assert cudnn(rev=WITH_CUDNN)
    assert cudnn(capability="7.0")
    assert not cudnn(capability="7.5")
    assert not cudnn(capability="9.0a")
    assert cudnn(script("export USE_CUDNN=1"))


def test_cudnn_that_is_off_or_perhaps_off() -> None:
    assert not cudnn(script("export USE_CUDNN=0"))
    assert not cudnn('env { USE_CUDNN = "0" }')
    assert not cudnn("attrs { USE_CUDNN = 0 }")
    assert not cudnn(script("source ./USE_CUDNN"))
    assert not cudnn("args { cudaSupport = false }")


def test_cudnn_of_a_pin_that_is_not_known() -> None:
    assert not cudnn(rev=STRANGE)
    assert not cudnn(rev=BEFORE)
    assert not cudnn(rev=BOUND)


def test_cudnn_of_what_the_toolkit_does_not_build_anyway() -> None:
    text = cuda_set("cudaPackages_13_0")
    body = (
        f'overlays = [kit], config {{ cudaCapabilities = ["6.1"], allowBroken = true }}\n{DRIVER}'
    )
    assert names(pin() + text + build(body)) == ["gpu-unknown-to-toolkit"]
    assert cudnn(set="cudaPackages_12_8")


def test_an_overlay_of_torch_may_switch_cudnn_off() -> None:
    overlay = 'overlay o for python3Packages.torch { env { USE_CUDNN = "0" } }\n'
    body = 'overlays = [o], config { cudaCapabilities = ["6.1"] }'
    assert about(pin() + overlay + build(body), "cudnn-below-floor") == []


def test_every_torch_that_was_read_builds_with_cuda_11_and_12() -> None:
    for row in rows("nixpkgs", "nixpkgs-torch").values():
        majors = row.facts["cuda-majors"].value
        assert isinstance(majors, tuple) and {11, 12} <= set(majors)


def marked(
    body: str = "", rev: str = REV, config: str = "cudaSupport = true", set: str = "13_0"
) -> bool:
    text = pin(rev, config) + cuda_set(f"cudaPackages_{set}")
    return bool(about(text + build(f"overlays = [kit]\n{body}\n{DRIVER}"), "cuda-marked-broken"))


@for_each(
    "body, rev, config, set, wrong",
    [
        ("", REV, "cudaSupport = true", "13_0", True),
        ("", OLDER, "cudaSupport = true", "13_0", True),  # 2.8.0, between two that agree
        ("", REV, "cudaSupport = true", "13", True),
        ("", REV, "cudaSupport = true", "12_9", False),
        ("", REV, "cudaSupport = true, allowBroken = true", "13_0", False),
        ("", REV, "cudaSupport = true, allowBroken = false", "13_0", True),
        ("", REV, 'cudaSupport = true, allowBrokenPredicate = nix"""p: true"""', "13_0", False),
        ("", REV, "allowUnfree = true", "13_0", False),  # no CUDA
        ("", STRANGE, "cudaSupport = true", "13_0", False),
        ("", BOUND, "cudaSupport = true", "13_0", False),  # its Torch is not known
        ("meta { broken = false }", REV, "cudaSupport = true", "13_0", False),
        ("config { allowBroken = true }", REV, "cudaSupport = true", "13_0", False),
        ("attrs { version = 2.13.0 }", REV, "cudaSupport = true", "13_0", True),  # pin's package
    ],
)
def test_cuda_13(body: str, rev: str, config: str, set: str, wrong: bool) -> None:
    if "meta" in body:
        body = "meta { broken = false }"
    assert marked(body, rev, config, set) == wrong


def test_an_overlay_may_take_the_mark_off() -> None:
    overlay = "overlay o for python3Packages.torch { meta { broken = false } }\n"
    text = pin() + cuda_set("cudaPackages_13_0") + overlay
    body = f"overlays = [kit, o]\n{DRIVER}"
    assert about(text + build(body), "cuda-marked-broken") == []


@for_each(
    "body, package, rev, wrong",
    [
        ('attrs { cmakeFlags += ["-DA=1"] }', "python3Packages.torch", REV, True),
        ('attrs { cmakeFlags = ["-DA=1"] }', "python313Packages.torch", OLDER, True),
        ("attrs { cmakeFlags = [] }", "python3Packages.torch", REV, False),
        ('attrs { cmakeFlags += ["-DA=1"] }', "magma", REV, False),
        ('attrs { cmakeFlags += ["-DA=1"] }', "python3Packages.torchvision", REV, False),
        ('attrs { cmakeFlags += ["-DA=1"] }', "python3Packages.torch", STRANGE, False),
        ('attrs { cmakeFlags += ["-DA=1"] }', "python3Packages.torch", BOUND, False),
        (
            'attrs { cmakeFlags += ["-DA=1"], dontUseCmakeConfigure = false }',
            "python3Packages.torch",
            REV,
            False,
        ),
        (
            f'attrs {{ cmakeFlags += ["-DA=1"] }}\n{script("export CMAKE_ARGS=$cmakeFlags")}',
            "python3Packages.torch",
            REV,
            False,
        ),
    ],
)
def test_cmake_flags(body: str, package: str, rev: str, wrong: bool) -> None:
    text = pin(rev, "allowUnfree = true") + build(body, f"pkgs.{package}")
    told = [name for name in names(text) if name != "own-list-dropped"]
    assert told == (["cmake-flags-unreached"] if wrong else [])


@pytest.mark.parametrize(
    ("torch", "wrong"),
    [
        ("2.7.0", False),  # older than all that were read
        ("2.9.1", True),
        ("2.10.0", False),  # between one that loses them and one that hands them over
        ("2.13.0", False),
        ("2.14.0", False),
    ],
)
def test_a_later_package_hands_cmake_flags_over(torch: str, wrong: bool) -> None:
    rev = "f" * 40
    row = f'mine {{ rev = "{rev}", torch = {torch}, sources = [], mark = "single" }}'
    text = f"use std.nixpkgs\nfacts nixpkgs-pin += {{ {row} }}\n"
    text += pin(rev=rev) + build('attrs { cmakeFlags += ["-DA=1"] }')
    assert names(text) == (["cmake-flags-unreached"] if wrong else [])


def test_cmake_flags_are_told_of_where_each_was_written() -> None:
    text = """
    recipe base { package = pkgs.python3Packages.torch, attrs { cmakeFlags += ["-DA=1", "-DB=1"] } }
    recipe r extends base { attrs { cmakeFlags += ["-DC=1"] } }
    variant v { recipe = r }
    """
    assert names(pin(config="allowUnfree = true") + text) == ["cmake-flags-unreached"] * 2


PACKAGE = {"vision": "torchvision", "audio": "torchaudio"}


def paired(kind: str, version: str, torch: str, rev: str = STRANGE) -> bool:
    """Whether the lint speaks of the two; an empty version is not written."""
    overlay = f"overlay t for python3Packages.torch {{ version = {torch} }}\n" if torch else ""
    body = "overlays = [t]\n" if torch else ""
    body += f"attrs {{ version = {version} }}" if version else ""
    text = pin(rev, "allowUnfree = true") + overlay
    made = build(body, f"pkgs.python3Packages.{PACKAGE[kind]}")
    return bool(about(text + made, "release-not-paired"))


@for_each(
    "kind, version, torch, rev, wrong",
    [
        ("vision", "0.25.0", "2.10.0", STRANGE, False),
        ("vision", '"0.25.0"', '"2.10.0"', STRANGE, False),
        ("vision", "0.24.0", "2.9.1", STRANGE, True),
        ("vision", "0.24.1", "2.9.1", STRANGE, False),
        ("vision", "0.24.1", '"2.9.1+cu128"', STRANGE, False),
        ("vision", "0.29.1", "2.15.0", STRANGE, False),
        ("vision", "0.29.1", "2.13.0", STRANGE, True),
        ("vision", "0.29.0", "2.14.1", STRANGE, True),
        ("audio", "2.9.0", "2.10.0", STRANGE, True),
        ("audio", "2.11.0", "2.12.1", STRANGE, False),
        ("audio", "2.11.0", "2.5.0", STRANGE, False),
        ("vision", "0.99.0", "2.10.0", STRANGE, False),
        ("vision", "0.25.0", 'version("2.10.0rc1")', STRANGE, False),
        ("vision", "pkgs.newest", "2.10.0", STRANGE, False),
        ("vision", "", "2.10.0", OLDER, True),  # the pin has 0.23.0
        ("vision", "", "2.8.0", OLDER, False),
        ("vision", "0.25.0", "", OLDER, True),  # the pin has Torch 2.8.0
        ("vision", "0.23.0", "", OLDER, False),
        ("vision", "", "", OLDER, False),
        ("vision", "0.25.0", "", REV, False),  # sources disagree on its Torch
        ("vision", "", "2.10.0", STRANGE, False),
    ],
)
def test_pairs(kind: str, version: str, torch: str, rev: str, wrong: bool) -> None:
    assert paired(kind, version, torch, rev) == wrong


@pytest.mark.slow
def test_every_pair_of_the_library_is_right_and_every_other_one_wrong() -> None:
    releases = rows("torch", "torch-release").values()
    visions = rows("torch", "torch-vision").values()
    for release in list(releases)[::4]:
        for vision in visions:
            fits = any(_same(vision, one) for one in _list(release))
            told = paired("vision", _text(vision), _text(release))
            assert told != fits, (release.name, vision.name)


def _list(release: RowValue) -> list[Version]:
    found = release.facts["vision"].value
    assert isinstance(found, tuple)
    return [one for one in found if isinstance(one, Version)]


def _same(row: RowValue, version: Version) -> bool:
    return _text(row) == version.text


def _text(row: RowValue) -> str:
    version = row.facts["version"].value
    assert isinstance(version, Version)
    return version.text


def test_an_overlay_in_the_way_leaves_the_pin_unknown() -> None:
    body = "overlays = [o], attrs { version = 0.25.0 }"
    for overlay in (
        "overlay o in python3Packages { torch = prev.torch-bin }\n",
        "overlay o { python3Packages = final.python312Packages }\n",
        'overlay o for python3Packages.torch { src = path("./x") }\n',
    ):
        text = pin(OLDER, "allowUnfree = true") + overlay
        made = build(body, "pkgs.python3Packages.torchvision")
        assert about(text + made, "release-not-paired") == [], overlay


def test_pins() -> None:
    bare = f'pin p {{ github = "NixOS/nixpkgs", rev = "{REV}" }}\n'
    assert names(bare + build("", "pkgs.hello")) == ["pin-without-hash"]
    assert names(pin() + build("", "pkgs.hello")) == []
    assert names(build("pin = none", "pkgs.hello")) == []
    # A pin that no variant uses fetches nothing.
    assert names(bare + build("pin = none", "pkgs.hello")) == []
    assert HASH in about(bare + build("", "pkgs.hello"), "pin-without-hash")[0].help


# --- names and what stands in their place ------------------------------------------------------

ALIASES = [
    "python3Packages.pytorch",
    "python313Packages.pytorch",
    "python313.pkgs.pytorch",
    "python313.pkgs.torch",
    "python3Packages.pytorchWithCuda",
    "python3Packages.torchWithCuda",
    "python3Packages.torch-no-triton",
]
WARM = 'config { cudaCapabilities = ["6.1"] }'


@for_each("package", ALIASES)
def test_torch_by_any_of_its_names(package: str) -> None:
    """Every lint that asks for Torch knows it by this name."""
    text = pin() + cuda_set("cudaPackages_13_0")
    body = (
        "overlays = [kit, vision]\n"
        'args { gpuTargets = ["sm_75"] }\n'
        'attrs { cmakeFlags += ["-DA=1"], version = 2.10.0 }\n'
    )
    vision = "overlay vision for python3Packages.torchvision { version = 0.24.1 }\n"
    assert set(names(text + vision + build(body, f"pkgs.{package}"))) == {
        "target-not-dotted",
        "cuda-marked-broken",
        "cmake-flags-unreached",
        "targets-without-capabilities",
        "release-not-paired",
        "driver-not-stated",
    }
    cold = pin() + build(f"{WARM}\n{DRIVER}", f"pkgs.{package}")
    assert names(cold) == ["cudnn-below-floor"]


@for_each(
    "target, package, wrong",
    [
        ("pytorch", "torchvision", True),
        ("torch", "torchvision", True),
        ("torch-bin", "torchvision", False),  # it is another Torch
        ("torch-bin", "torchvision-bin", True),
        ("pytorch-bin", "torchvision-bin", True),
        ("torch", "torchvision-bin", False),
        ("torchWithCuda", "torchvision", False),
    ],
)
def test_the_torch_that_a_torchvision_is_built_on(
    target: str, package: str, *, wrong: bool
) -> None:
    overlay = f"overlay t for python3Packages.{target} {{ version = 2.10.0 }}\n"
    body = "overlays = [t], attrs { version = 0.24.1 }"
    text = pin(STRANGE, "allowUnfree = true") + overlay
    made = build(body, f"pkgs.python3Packages.{package}")
    assert bool(about(text + made, "release-not-paired")) == wrong


def test_a_release_of_a_binary_package() -> None:
    body = "overlays = [t], attrs { version = 2.10.0 }"
    overlay = "overlay t for python3Packages.torchvision-bin { version = 0.24.1 }\n"
    text = pin(STRANGE, "allowUnfree = true") + overlay
    made = build(body, "pkgs.python3Packages.pytorch-bin")
    assert about(text + made, "release-not-paired")


def test_of_a_wheel_nothing_is_said_that_holds_for_sources_alone() -> None:
    body = f'{WARM}\nattrs {{ cmakeFlags += ["-DA=1"] }}\n{DRIVER}'
    text = pin() + cuda_set("cudaPackages_13_0")
    made = build(f"overlays = [kit]\n{body}", "pkgs.python3Packages.pytorch-bin")
    assert set(names(text + made)) == {"gpu-unknown-to-toolkit"}
    assert (
        names(pin(config="allowUnfree = true") + build("", "pkgs.python3Packages.torch-bin")) == []
    )


OVERLAID = "overlay t for python3Packages.torch { version = 2.10.0, args { cudaSupport = true } }\n"


@for_each(
    "given, wrong",
    [
        ("", True),
        ('args { torch = nix"""customPytorch""" }', False),
        ("args { torch = pkgs.customPytorch }", False),
        ("args { torch = pkgs.python312Packages.torch }", False),
        ("args { torch = pkgs.python3Packages.torch-bin }", False),
        ("args { torch = pkgs.python3Packages.torch }", True),
        ("args { torch = pkgs.python3Packages.pytorch }", True),
        ("args { torch = pkgs.python3.pkgs.torchWithCuda }", True),
    ],
)
def test_a_torch_that_took_the_place_of_the_sets_own(given: str, *, wrong: bool) -> None:
    """Which release that is, and whether it is a CUDA build, nothing tells."""
    for rev in (STRANGE, OLDER):
        for listed in ("overlays = [t]\n", ""):
            text = pin(rev, "allowUnfree = true") + OVERLAID
            text += "variant other { recipe = o }\n"
            text += "recipe o { package = pkgs.hello, overlays = [t] }\n"
            body = f"{listed}{given}\nattrs {{ version = 0.24.1 }}"
            made = build(body, "pkgs.python3Packages.torchvision")
            told = about(text + made, "release-not-paired")
            assert bool(told) == (wrong and (bool(listed) or rev == OLDER))


def test_a_driver_is_not_asked_for_where_the_torch_is_not_known() -> None:
    text = pin() + cuda_set("cudaPackages_12_8")
    vision = "pkgs.python3Packages.torchvision"
    assert names(text + build("overlays = [kit]", vision)) == ["driver-not-stated"]
    body = 'overlays = [kit]\nargs { torch = nix"""mine""" }'
    assert names(text + build(body, vision)) == []


def test_an_argument_of_an_overlay_takes_the_place_of_the_torch_as_well() -> None:
    overlay = 'overlay o for python3Packages.torchvision { args { torch = nix"""mine""" } }\n'
    body = "overlays = [t, o], attrs { version = 0.24.1 }"
    text = pin(STRANGE, "allowUnfree = true") + OVERLAID + overlay
    made = build(body, "pkgs.python3Packages.torchvision")
    assert about(text + made, "release-not-paired") == []


PUT = "overlay put in python3Packages { torch = prev.torch-bin }\n"


@pytest.mark.parametrize(
    ("order", "wrong"), [("t", True), ("put, t", True), ("t, put", False), ("put", False)]
)
def test_the_torch_that_an_overlay_puts_is_the_one_that_is_judged(
    order: str, *, wrong: bool
) -> None:
    """What stands after it changes what it put."""
    text = pin(OLDER, "allowUnfree = true") + OVERLAID + PUT
    text += "recipe o { package = pkgs.hello, overlays = [t, put] }\nvariant other { recipe = o }\n"
    body = f"overlays = [{order}], attrs {{ version = 0.24.1 }}"
    made = build(body, "pkgs.python3Packages.torchvision")
    assert bool(about(text + made, "release-not-paired")) == wrong


def test_the_package_of_the_pin_is_not_what_an_overlay_put() -> None:
    body = 'attrs { cmakeFlags += ["-DA=1"] }'
    assert about(pin() + build(body), "cmake-flags-unreached")
    for overlay in (PUT, "overlay put { python3Packages = final.python312Packages }\n"):
        text = pin() + overlay + build(f"overlays = [put]\n{body}")
        assert about(text, "cmake-flags-unreached") == []
        cold = pin() + overlay + build(f"overlays = [put]\n{WARM}\n{DRIVER}")
        assert about(cold, "cudnn-below-floor") == []


def test_a_source_alone_has_no_version_that_is_known() -> None:
    torch = "overlay t for python3Packages.torch { version = 2.10.0 }\n"
    source = 'attrs { src = nix"""pkgs.fetchurl { url = ./x; }""" }'
    vision = "pkgs.python3Packages.torchvision"
    text = pin(OLDER, "allowUnfree = true") + torch
    assert about(text + build("overlays = [t]", vision), "release-not-paired")
    assert about(text + build(f"overlays = [t]\n{source}", vision), "release-not-paired") == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        'args { cudaPackages = nix"""mine""" }',
        "args { cudnn = pkgs.mine }",
        "overlays = [o]",
    ],
)
def test_a_cudnn_that_is_not_that_of_the_pin(body: str) -> None:
    overlays = [
        "overlay o { cudnn = prev.mine }\n",
        'overlay o { cudaPackages = nix"""prev.mine""" }\n',
        "overlay o in cudaPackages { cudnn = prev.mine }\n",
    ]
    for overlay in overlays if "overlays" in body else [""]:
        text = pin() + overlay + build(f"{body}\n{WARM}\n{DRIVER}")
        assert about(text, "cudnn-below-floor") == []


def test_a_script_that_nix_writes_may_say_anything() -> None:
    mine = 'let mine = nix"""mine"""\n'
    cold = f"{WARM}\n{DRIVER}\n"
    flags = 'attrs { cmakeFlags += ["-DA=1"] }\n'
    for part, open_ in (
        ("{{mine}}", True),
        ("export B=1\n  {{mine}}", True),
        ("export A={{mine}}", False),
        ("{{pkgs.mine}}", False),
    ):
        text = mine + pin() + build(cold + script(part))
        assert bool(about(text, "cudnn-below-floor")) != open_
        text = mine + pin() + build(flags + script(part))
        assert bool(about(text, "cmake-flags-unreached")) != open_


def test_what_is_built_on_a_torch_has_its_toolkit() -> None:
    """An overlay of Torch chooses the set, also for TorchVision."""
    overlay = (
        "overlay t for python3Packages.pytorch { args { cudaPackages = pkgs.cudaPackages_13_0 } }\n"
    )
    body = f"overlays = [t]\n{WARM}\n{DRIVER}"
    made = build(body, "pkgs.python3Packages.torchvision")
    assert names(pin() + overlay + made) == ["gpu-unknown-to-toolkit"]
