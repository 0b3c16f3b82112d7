"""Platforms against instruction sets, and how flags are read out of scripts."""

from __future__ import annotations

import pytest

from support.compile import compile_text
from support.effort import for_each
from support.lints import about, build, pin, told
from tvarc.advice.lints.cuda import changes_of, package_name
from tvarc.advice.lints.flags import Flags, exported_by, together
from tvarc.advice.lints.subjects import exporting

HEAD = pin(config="allowUnfree = true")


def exported(flags: str, platforms: str) -> str:
    body = f'env {{ CXXFLAGS = "{flags}" }}, meta {{ platforms = [{platforms}] }}'
    return HEAD + build(body, "pkgs.hello")


@for_each(
    "flags, platforms, wrong",
    [
        ("-mavx2", '"aarch64-linux"', "aarch64-linux"),
        ("-mavx2", '"x86_64-linux", "aarch64-linux"', "aarch64-linux"),
        ("-mavx2", '"x86_64-linux"', ""),
        ("-mavx2", '"x86_64-darwin"', ""),
        ("-mavx2", '"i686-linux", "riscv64-linux"', ""),  # not spoken of
        ("-mamx-tile", '"aarch64-linux"', "aarch64-linux"),
        ("-march=x86-64-v3", '"aarch64-linux"', "aarch64-linux"),
        ("-march=haswell", '"aarch64-darwin"', "aarch64-darwin"),
        ("-march=armv9-a+sve2", '"x86_64-linux"', "x86_64-linux"),
        ("-mcpu=neoverse-v2", '"x86_64-linux"', "x86_64-linux"),
        ("-mcpu=grace", '"x86_64-linux"', "x86_64-linux"),
        ("-mcpu=grace", '"aarch64-linux"', ""),
        ("-march=native", '"x86_64-linux", "aarch64-linux"', ""),
        ("-mtune=haswell", '"aarch64-linux"', ""),
        ("-mavx2 -march=armv9-a", '"x86_64-linux"', ""),  # of both: somebody chooses later
        ("-O2 -fPIC", '"x86_64-linux", "aarch64-linux"', ""),
    ],
)
def test_platforms(flags: str, platforms: str, wrong: str) -> None:
    found = about(exported(flags, platforms), "platform-against-isa")
    assert [item.labels[0].text for item in found] == ([f"names {wrong}"] if wrong else [])


@for_each(
    "isa, flags, switches, found",
    [
        ("avx2", "-mavx512f", "", ["exports -mavx512f"]),
        ("avx2", "-mavx2 -mfma -mf16c", "", []),
        ("avx", "-mavx -mfma", "", ["exports -mfma"]),
        ("avx", "-mfma -mno-fma", "", []),
        ("avx512", "-mf16c -mavx512cd", "", []),  # each AVX-512 host has both
        ("avx512bf16", "-mavx512vnni", "", []),
        ("avx512vnni", "-mavx512bf16", "", ["exports -mavx512bf16"]),
        ("avx2", "-march=haswell", "", []),
        ("avx2", "-march=skylake-avx512", "", ["exports -march=skylake-avx512"]),
        ("avx2", "-march=x86-64-v4", "", ["exports -march=x86-64-v4"]),
        ("x86-64-v4", "-march=x86-64-v4 -mavx512f", "", []),
        ("avx2", "-march=native -O2", "", []),
        ("avx2", "", '"-DGGML_AVX2=ON", "-DGGML_AVX512=ON"', ["sets -DGGML_AVX512=ON"]),
        ("avx2", "", '"-DGGML_AVX512:BOOL=1"', ["sets -DGGML_AVX512:BOOL=1"]),
        ("avx2", "", '"-DGGML_AVX512=ON", "-DGGML_AVX512=OFF"', []),
        ("avx2", "", '"-DGGML_AVX512=ON", "-DGGML_NATIVE=ON"', []),
        ("avx512bf16", "", '"-DGGML_AVX512_VNNI=ON", "-DGGML_AMX_TILE=ON"',
         ["sets -DGGML_AMX_TILE=ON"]),
        ("armv9", "-mavx2", '"-DGGML_AVX512=ON"', []),  # W106 has the architecture
    ],
)  # fmt: skip
def test_flags_beyond_the_instruction_set(
    isa: str, flags: str, switches: str, found: list[str]
) -> None:
    text = f"""use std.cpu
    axis isa = cpu[{isa}]
    recipe r {{ package = pkgs.hello, pin = none, env {{ CFLAGS = "{flags}" }}
               attrs {{ cmakeFlags += [{switches}] }} }}
    matrix m {{ recipe = r, axes = isa, name = "m-{{{{isa}}}}" }}
    """
    told_of = [one.labels[0].text for one in about(text, "flag-beyond-isa")]
    assert told_of == found


def test_platforms_that_nix_knows_are_not_spoken_of() -> None:
    text = exported("-mavx2", "").replace("platforms = []", "platforms = pkgs.lib.platforms.arm")
    assert about(text, "platform-against-isa") == []


def test_an_axis_value_tells_where_no_flags_are_exported() -> None:
    text = """use std.cpu
    axis isa = cpu[avx2, armv9]
    recipe r { package = pkgs.hello, pin = none, env { ISA = isa }
               meta { platforms = ["x86_64-linux"] } }
    matrix m { recipe = r, axes = isa, name = "{{isa}}" }
    """
    assert "for 1 variant: armv9" in told(text, "platform-against-isa")
    assert "armv9 is for aarch64" in told(text, "platform-against-isa")
    assert about(text.replace('["x86_64-linux"]', "[isa.platform]"), "platform-against-isa") == []


def flags(script: str, more: str = "") -> Flags:
    """What a build exports whose `preConfigure` is *script*."""
    text = f'{more}\nscript preConfigure {{ part p """\n{script}\n""" }}'
    (recipe,) = compile_text(HEAD + build(text, "pkgs.hello")).recipes()
    parts = exporting(changes_of(recipe, package_name(recipe)))
    return together(map(exported_by, parts))


def words(script: str, more: str = "") -> list[str]:
    return [word.text for word in flags(script, more).words]


@for_each(
    "script, expected",
    [
        ('export CFLAGS="-mavx2 $CFLAGS"', ["-mavx2"]),
        ("export CXXFLAGS='-mavx2 -mfma'", ["-mavx2", "-mfma"]),
        ("CXXFLAGS+=-mavx2", ["-mavx2"]),
        ('export CFLAGS="-mfma" CXXFLAGS="-mavx2"', ["-mfma", "-mavx2"]),
        ('export A=1; export NIX_CFLAGS_COMPILE="$NIX_CFLAGS_COMPILE -mavx"', ["-mavx"]),
        ('export CFLAGS="-mavx2\n  -mfma"', ["-mavx2", "-mfma"]),
        ('export LDFLAGS="-mavx2"', []),
        ('echo "-mavx2"', []),
        ('export CFLAGS="-mcpu={{pkgs.cpu}} -mavx"', ["-mavx"]),
        ('if [ "$(uname -m)" = x86_64 ]; then\n  export CFLAGS=-mavx2\nfi', []),
        ("if true; then export CFLAGS=-mavx2; fi\nexport CXXFLAGS=-mfma", ["-mfma"]),
        ("case $system in\n  x86*) export CFLAGS=-mavx2 ;;\nesac\nexport CFLAGS=-mfma", ["-mfma"]),
        ("cat > x.cmake <<EOF\nif(X)\nendif()\nEOF\nexport CFLAGS=-mfma", ["-mfma"]),
    ],
)
def test_flags_of_scripts(script: str, expected: list[str]) -> None:
    assert words(script) == expected


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("pkgs.lib.platforms.aarch64", "aarch64-linux"),
        ("[pkgs.lib.platforms.aarch64]", "aarch64-linux"),
        ("pkgs.lib.platforms.x86_64", ""),
        ("pkgs.lib.platforms.linux", ""),  # of many kinds of CPUs
        ("pkgs.mine.aarch64", ""),
    ],
)
def test_lists_of_platforms_that_nixpkgs_has(written: str, named: str) -> None:
    text = exported("-mavx2", "PLATFORMS").replace('"PLATFORMS"', "PLATFORMS")
    found = about(text.replace("[PLATFORMS]", written), "platform-against-isa")
    assert [f"names {named}" in item.labels[0].text for item in found] == ([True] if named else [])


def test_flags_of_variables_and_attributes() -> None:
    more = 'env { CFLAGS = "-mavx", OTHER = "-mno" }, attrs { NIX_CFLAGS = ["-mfma", "-O2"] }'
    assert words("true", more) == ["-mavx", "-mfma"]


@for_each(
    "script, off",
    [
        ("export USE_CUDNN=0", True),
        ("export USE_CUDNN=OFF", True),
        ('USE_CUDNN="no"', True),
        ("export USE_CUDNN=1", False),
        ("true", False),
        ("export USE_CUDNN=0\nexport USE_CUDNN=1", False),
        ("export USE_CUDNN=", None),
        ("export USE_CUDNN={{pkgs.switch}}", None),
        ("unset USE_CUDNN", None),
        ("if true; then export USE_CUDNN=0; fi", None),
    ],
)
def test_switches(script: str, off: bool | None) -> None:
    assert flags(script).switched_off("USE_CUDNN") is off


def test_a_script_that_is_nix_may_say_anything() -> None:
    more = "attrs { postPatch = nix'''\"export USE_CUDNN=0\"''' }".replace("'''", '"""')
    assert flags("true", more).switched_off("USE_CUDNN") is None
    assert flags("true", 'env { USE_CUDNN = "0" }').switched_off("USE_CUDNN") is True


@for_each(
    "isa, words, wrong",
    [
        ("armv9", "for ARMv9 (NVIDIA Grace, Graviton3+)", ["AWS Graviton3/3E"]),
        ("armv9", "for Graviton3, Graviton4", ["AWS Graviton3/3E"]),
        ("armv9", "for Graviton4, Grace and Axion", []),
        ("armv9", "for Ampere Altra", ["Ampere Altra"]),
        ("armv9", "for AmpereOne", ["AmpereOne"]),
        ("armv9", "for Ampere GPUs (A100)", []),
        ("armv8_2", "for Graviton3, Ampere Altra and Grace", []),
        ("avx2", "for Grace", ["NVIDIA Grace"]),
        ("avx2", "with grace", []),
        ("armv9", "not for Graviton3", []),
        ("armv9", "newer than Graviton3", []),
        ("armv9", "for DGX Spark (GB10)", []),  # of GPUs
        ("armv9", "for Graviton3 {{pkgs.hello.version}}", ["AWS Graviton3/3E"]),
    ],
)
def test_cpus_that_a_text_names(isa: str, words: str, wrong: list[str]) -> None:
    text = f"""use std.cpu
    axis isa = cpu[{isa}]
    recipe r {{ package = pkgs.hello, pin = none, env {{ ISA = isa }}
               meta {{ description = "{words}" }} }}
    matrix m {{ recipe = r, axes = isa, name = "v" }}
    """
    found = about(text, "cpu-misnamed")
    assert [item.notes[-1].partition(" supports ")[0] for item in found] == wrong


def test_a_build_for_several_instruction_sets_is_for_the_cpus_of_each() -> None:
    """And one without an axis of the table is passed over."""
    text = """use std.cpu
    axis isa = cpu[armv9]
    recipe r { package = pkgs.hello, pin = none, meta { description = "for Graviton3" } }
    matrix m { recipe = r, axes = isa, name = "v" }
    """
    assert len(about(text, "cpu-misnamed")) == 1
    assert (
        about(text.replace("axis isa = cpu[armv9]", 'axis isa = ["armv9"]'), "cpu-misnamed") == []
    )
