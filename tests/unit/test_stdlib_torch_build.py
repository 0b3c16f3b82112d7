"""`std.torch-build` as programs use it: what its recipes decide, and what they refuse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.compile import codes, compile_text, messages
from support.library import (
    all_tables,
    axes,
    fact,
    module_overlays,
    module_program,
    module_recipes,
    rows,
    text,
    texts,
    version,
)
from support.torch_build import cpu, cuda, matrix, program, rocm
from tvarc.advice.hosts.driver import floor, of_gpu
from tvarc.advice.hosts.toolkit import Toolkit
from tvarc.nix import ir
from tvarc.values.value import NixText, RowValue, Version

GPUS = rows("nvidia", "nvidia")
CPUS = rows("cpu", "cpu")
TOOLKITS = rows("cuda", "cuda-toolkit")
RELEASES = rows("torch", "torch-release")
AMD = rows("amd", "amd")
WITH_A_SET = ", ".join(name for name, row in TOOLKITS.items() if fact(row, "set") is not None)


def built(*items: str) -> dict[str, ir.Recipe]:
    compilation = compile_text(program(*items))
    found = {recipe.variant: recipe for recipe in compilation.recipes()}
    assert not compilation.sink.has_errors, messages(compilation)
    return found


def refused(*items: str) -> tuple[list[str], str]:
    compilation = compile_text(program(*items))
    compilation.recipes()
    return codes(compilation), messages(compilation)


def parts(recipe: ir.Recipe, script: str = "preConfigure") -> dict[str, str]:
    """The named parts of a script that are there, in order."""
    found = (one for one in recipe.changes.scripts if one.key == script)
    return {
        part.name: "".join(str(piece) for piece in part.text.parts)
        if isinstance(part.text, NixText)
        else str(part.text)
        for one in found
        for part in one.parts
        if part.name not in (None, "old") and part.text is not None
    }


def overlays(recipe: ir.Recipe) -> list[str]:
    return [overlay.name for overlay in recipe.overlays]


# --- what it declares ----------------------------------------------------------------------------


def test_recipes_read_the_axes_of_the_library() -> None:
    read = {recipe.name: sorted(axes(recipe)) for recipe in module_recipes("torch-build")}
    assert read == {
        "torch-base": [],
        "torch-linux": ["isa"],
        "torch-cpu": ["isa"],
        "torch-cuda": ["gpu", "isa", "toolkit"],
        "torch-rocm": ["gfx", "isa"],
        "torch-mps": [],
    }
    (source,) = [one for one in module_overlays("torch-build") if one.name == "torch-source"]
    assert axes(source.layer) == ["release"]


def test_no_flag_and_no_let_hides_a_row_of_the_library() -> None:
    """`when isa == avx2` in a recipe that extends one of these has to mean the row."""
    named = {row.name for _, table in all_tables() for row in table.rows.values()}
    recipes = module_program("torch-build").recipes
    flags = {flag.name for recipe in recipes for flag in recipe.layer.flags}
    lets = {name for recipe in recipes for name in recipe.lets}
    assert flags and lets
    assert not (flags | lets) & (named | {"gpu", "isa", "toolkit", "release", "gfx", "python"})


def test_a_missing_axis_is_named() -> None:
    found, told = refused(matrix("m", "torch-cuda", "gpu[sm90] * isa[avx2]", "{{gpu}}"))
    assert set(found) == {"E304"}
    assert "matrix `of-m` has no axis `toolkit`" in told


def test_it_can_be_imported_under_a_name() -> None:
    text_ = """
      use std.cpu
      use std.torch-build as torch
      pin nixpkgs { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
      axis isa = cpu[avx2]
      recipe mine extends torch.torch-cpu { attrs { pname = "mine" } }
      matrix m { recipe = mine, axes = isa, name = "{{isa}}" }
      output o { file = "{{variant}}.nix" }
    """
    compilation = compile_text(text_)
    assert len(compilation.recipes()) == 1
    assert not compilation.sink.has_errors, messages(compilation)


@pytest.mark.slow
def test_nothing_is_warned_of_where_a_program_is_right() -> None:
    compilation = compile_text(
        program(
            cuda("m", gpu="sm61, sm90", isa="avx, avx512", toolkit="cuda12_6, cuda12_8, cuda12_9"),
            cuda("n", gpu="sm90, sm103", toolkit="cuda13_0, cuda13_1"),
            cuda("arm", gpu="sm90, sm110, sm121", isa="armv9", toolkit="cuda13_0"),
            cpu("c", isa="avx, avx2, armv8_2"),
            cpu("k", 'flag blas = "mkl"', "flag jobs = 4"),
            rocm("r", gfx="gfx90a, gfx1030"),
            with_source("torch2_8_0, torch2_10_0", name="s"),
            "variant mps { recipe = torch-mps }",
        )
    )
    assert len(compilation.recipes()) == 12 + 4 + 3 + 3 + 1 + 2 + 2 + 1
    assert codes(compilation) == [], messages(compilation)


# --- what follows from facts ---------------------------------------------------------------------


def pairs() -> Iterator[tuple[str, RowValue, RowValue]]:
    for toolkit in TOOLKITS.values():
        for gpu in GPUS.values():
            if fact(toolkit, "set") is not None:
                yield f"m-{toolkit.name}-{gpu.name}-avx2", toolkit, gpu


@pytest.fixture(scope="module")
def every_gpu() -> dict[str, ir.Recipe]:
    """All GPUs with all toolkits, be they possible or not."""
    return built(cuda("m", gpu=", ".join(GPUS), toolkit=WITH_A_SET))


def test_cudnn_is_off_where_the_facts_say(every_gpu: dict[str, ir.Recipe]) -> None:
    for name, toolkit, gpu in pairs():
        ends = fact(gpu, "no-cudnn-from")
        oldest = fact(toolkit, "cudnn")
        assert isinstance(oldest, tuple) and isinstance(oldest[0], Version)
        off = isinstance(ends, Version) and oldest[0].compare(ends) >= 0
        assert ("cudnn" in parts(every_gpu[name])) == off, name
        assert off == (version(gpu, "capability").compare(Version("7.5")) < 0), name


def test_what_cuda_13_needs_is_there_for_cuda_13_alone(every_gpu: dict[str, ir.Recipe]) -> None:
    for name, toolkit, _ in pairs():
        recipe, newer = every_gpu[name], version(toolkit, "version").compare(Version("13.0")) >= 0
        assert ("cccl" in parts(recipe)) == newer, name
        assert ("magma-clock-rate" in overlays(recipe)) == newer, name
        assert ("allowBroken" in held(recipe, "config")) == newer, name


def test_the_driver_is_the_one_that_pick_asks_for(every_gpu: dict[str, ir.Recipe]) -> None:
    for name, toolkit, gpu in pairs():
        known = Toolkit(version(toolkit, "version"), toolkit)
        wanted = floor(known, of_gpu(gpu))
        assert wanted is not None
        (told,) = [s.value for s in every_gpu[name].changes.meta if s.key == "longDescription"]
        assert f"Driver: {wanted.driver.parts[0]} or newer." in shown(told), name


def shown(value: object) -> str:
    return "".join(map(str, value.parts)) if isinstance(value, NixText) else str(value)


def test_kernels_for_avx2_are_off_where_the_cpu_lacks_it() -> None:
    for name, recipe in built(cpu("m", isa=", ".join(CPUS))).items():
        row = CPUS[name.removeprefix("m-")]
        # AMX says nothing of AVX2 by itself, but stands in no CPU without.
        lacks = text(row, "arch") == "x86_64" and "avx2" not in [row.name, *texts(row, "satisfies")]
        found = parts(recipe)
        assert ("avx-only" in found) == ("onednn" in found) == (lacks and name != "m-amx"), name
        assert f'export CXXFLAGS="{" ".join(texts(row, "flags"))} $CXXFLAGS"' in found["flags"]
        (platforms,) = [s.value for s in recipe.changes.meta if s.key == "platforms"]
        assert platforms == (text(row, "platform"),)


@pytest.mark.slow
def test_magma_is_left_out_for_what_it_does_not_know() -> None:
    for name, recipe in built(rocm("m", gfx=", ".join(AMD))).items():
        known = fact(AMD[name.split("-")[1]], "magma")
        assert ("magma" in parts(recipe)) == (known is False), name
        assert ("effectiveMagma" in {s.key for s in recipe.changes.args}) == (known is False), name


def test_every_release_with_a_hash_can_be_built() -> None:
    known = [name for name, row in RELEASES.items() if fact(row, "hash") is not None]
    found = built(with_source(", ".join(known)))
    assert len(found) == len(known) >= 7
    for recipe in found.values():
        assert overlays(recipe) == ["torch-source"]


def with_source(releases: str, name: str = "m") -> str:
    axes = f"release[{releases}] * isa[avx2]"
    return matrix(name, "torch-cpu", axes, f"{name}-{{{{release}}}}", "overlays += [torch-source]")


# --- refusals ------------------------------------------------------------------------------------


def test_mkl_is_refused_on_arm() -> None:
    found, told = refused(cpu("m", 'flag blas = "mkl"', isa="avx2, armv9"))
    assert found == ["E405"]
    assert "MKL is for x86_64 alone" in told and "for 1 variant: m-armv9" in told


def test_a_toolkit_that_nixpkgs_has_no_set_of_is_refused() -> None:
    found, told = refused(cuda("m", gpu="sm90", toolkit="cuda12_4, cuda12_8"))
    assert found == ["E405"]
    assert "nixpkgs has no package set of this toolkit" in told and "for 1 variant" in told


def test_another_set_may_stand_in_for_one_that_nixpkgs_lacks() -> None:
    legacy = "overlay legacy { cudaPackages = final.cudaPackages_12_4 }"
    (recipe,) = built(
        legacy, cuda("m", "overlays = [legacy]", gpu="sm90", toolkit="cuda12_4")
    ).values()
    assert overlays(recipe) == ["legacy"]


@pytest.mark.slow
def test_a_release_without_hash_is_unlocked_until_one_is_given() -> None:
    compilation = compile_text(program(with_source("torch2_12_0")))
    compilation.recipes()
    assert codes(compilation) == ["W002"], messages(compilation)
    assert "pytorch/pytorch v2.12.0 with submodules" in messages(compilation)
    hash_ = text(RELEASES["torch2_10_0"], "hash")
    given = f'facts torch-release += {{ torch2_12_0 {{ hash = "{hash_}" }} }}'
    source = program(with_source("torch2_12_0")).replace("axis gpu ", f"{given}\naxis gpu ", 1)
    compilation = compile_text(source)
    (recipe,) = compilation.recipes()
    assert codes(compilation) == [], messages(compilation)
    (overlay,) = recipe.overlays
    told_of = {setting.key: setting.value for setting in overlay.changes.passthru}
    assert told_of == {"torchvision": (Version("0.27.0"),), "torchaudio": Version("2.11.0")}


# --- what an extending program sets --------------------------------------------------------------


@pytest.mark.slow
def test_a_recipe_that_extends_one_may_set_what_it_wants() -> None:
    found = built(
        """recipe mine extends torch-cuda {
          package = pkgs.python312Packages.torch
          args  { gpuTargets = [sm90a.target] }
          attrs { pname = "mine-{{variant}}" }
          script preConfigure {
            part flags \"\"\"
              export CXXFLAGS="-O3 $CXXFLAGS"
            \"\"\"
            part blas = none
          }
          when isa == avx2 { attrs { jobs = driver } }
          meta { description = "mine, driver {{driver}}" }
          passthru { blasProvider = "mine" }
        }""",
        matrix("m", "mine", "gpu[sm90] * isa[avx2] * toolkit[cuda13_0]", "x"),
    )
    (recipe,) = found.values()
    assert parts(recipe)["flags"] == 'export CXXFLAGS="-O3 $CXXFLAGS"\n'
    assert "blas" not in parts(recipe)
    assert {s.key: s.value for s in recipe.changes.args}["gpuTargets"] == ("9.0a",)
    attrs = {s.key: s.value for s in recipe.changes.attrs}
    assert (attrs["pname"], attrs["jobs"]) == ("mine-x", Version("580.0"))


def test_a_name_is_made_from_the_variant_unless_one_is_given() -> None:
    (recipe,) = built(cpu("m")).values()
    assert {s.key: s.value for s in recipe.changes.attrs} == {"pname": "torch-m-avx2"}


@pytest.mark.slow
def test_every_flag_can_be_turned() -> None:
    """Each flag changes what is made, in the way of its name."""
    was = built(cuda("m", gpu="sm61, sm90", isa="avx", toolkit="cuda12_9, cuda13_0"))
    turned = {
        "jobs = 8": ("cuda12_9-sm90-avx", "preBuild", "jobs", True),
        'blas = "mkl"': ("cuda12_9-sm90-avx", "preConfigure", "blas", True),
        "avx2-kernels = true": ("cuda12_9-sm90-avx", "preConfigure", "avx-only", False),
        "onednn = true": ("cuda12_9-sm90-avx", "preConfigure", "onednn", False),
        "cudnn = true": ("cuda12_9-sm61-avx", "preConfigure", "cudnn", False),
        "cccl = false": ("cuda13_0-sm90-avx", "preConfigure", "cccl", False),
        "allow-broken = false": ("cuda13_0-sm90-avx", "config", "allowBroken", False),
        "narrow = false": ("cuda13_0-sm90-avx", "config", "cudaCapabilities", False),
        "magma-fix = false": ("cuda13_0-sm90-avx", "overlays", "magma-clock-rate", False),
    }
    for setting, (variant, where, name, there) in turned.items():
        one = cuda(
            "m", f"flag {setting}", gpu="sm61, sm90", isa="avx", toolkit="cuda12_9, cuda13_0"
        )
        now = built(one)[f"m-{variant}"]
        before = was[f"m-{variant}"]
        assert (name in held(now, where)) == there, setting
        assert held(now, where) != held(before, where), setting
    for setting, name in {"narrow = false": "narrow-clr", "magma = true": "effectiveMagma"}.items():
        (before,) = built(rocm("m", gfx="gfx90a")).values()
        (now,) = built(rocm("m", f"flag {setting}", gfx="gfx90a")).values()
        where = "overlays" if name == "narrow-clr" else "args"
        assert name in held(before, where) and name not in held(now, where), setting
    recipes = module_recipes("torch-build")
    declared = {flag.name for recipe in recipes for flag in recipe.layer.flags}
    assert declared == {setting.partition(" ")[0] for setting in turned} | {"magma"}


def held(recipe: ir.Recipe, where: str) -> dict[str, object]:
    """What stands in one place of a recipe, by name."""
    if where == "overlays":
        return dict.fromkeys(overlays(recipe))
    if where == "config":
        return {s.key: s.value for s in recipe.config}
    if where == "args":
        return {s.key: s.value for s in recipe.changes.args}
    return dict(parts(recipe, where))


def test_a_walk_finds_the_axes_behind_lets() -> None:
    (driver,) = [
        let
        for recipe in module_program("torch-build").recipes
        for name, let in recipe.lets.items()
        if name == "driver"
    ]
    assert set(axes(driver)) == {"gpu", "toolkit"}
