"""The model nixpkgs is itself right: it composes, overrides and refuses as nixpkgs does.

In every expression below `p` is an instance of it for x86_64-linux.
"""

from __future__ import annotations

from typing import Any

import pytest

from support.nix import requires_nix
from support.recipes import NixError, model_value

# Two recipes are one derivation in each Nix or in none.
pytestmark = [pytest.mark.nix, pytest.mark.once, requires_nix]

ALLOWED = "allowBroken = true; allowUnfree = true;"


def value(expression: str, config: str = "", overlays: str = "") -> Any:
    """The value of `expression`; `config` and `overlays` are the inside of a set and of a list."""
    return model_value(f"""
      let p = import <nixpkgs> {{
        system = "x86_64-linux"; config = {{ {config} }}; overlays = [ {overlays} ];
      }}; in {expression}
    """)


def refusal(expression: str, config: str = "") -> str:
    with pytest.raises(NixError) as raised:
        value(expression, config)
    return str(raised.value)


# Overlays and package sets


def test_later_overlays_see_earlier_ones_and_all_see_the_end() -> None:
    overlays = """
      (final: prev: { a = "a"; seen = final.b; })
      (final: prev: { b = prev.a + "b"; })
    """
    assert value("[ p.b p.seen ]", overlays=overlays) == ["ab", "ab"]


def test_extend_and_append_overlays_come_after_the_first_ones() -> None:
    expression = """[
      (p.extend (final: prev: { a = prev.a + "1"; })).a
      (p.appendOverlays [ (final: prev: { a = prev.a + "2"; }) (_: _: { b = "b"; }) ]).a
    ]"""
    assert value(expression, overlays='(final: prev: { a = "a"; })') == ["a1", "a2"]


def by_extension(package: str) -> str:
    """An overlay that marks one Python package in every set."""
    return """(final: prev: {
      pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
        (pyFinal: pyPrev: {
          PACKAGE = pyPrev.PACKAGE.overrideAttrs (old: { marker = "changed"; });
        })
      ];
    })""".replace("PACKAGE", package)


def by_override(package: str) -> str:
    """An overlay that marks one Python package of python3Packages, in the older form."""
    return """(final: prev: {
      python3Packages = prev.python3Packages.override {
        overrides = pyFinal: pyPrev: {
          PACKAGE = pyPrev.PACKAGE.overrideAttrs (old: { marker = "changed"; });
        };
      };
    })""".replace("PACKAGE", package)


def by_composed_override(package: str) -> str:
    """As `by_override`, keeping the overrides that were there."""
    return """(final: prev: {
      python3Packages = prev.python3Packages.override (old: {
        overrides = final.lib.composeExtensions old.overrides (pyFinal: pyPrev: {
          PACKAGE = pyPrev.PACKAGE.overrideAttrs (old: { marker = "changed"; });
        });
      });
    })""".replace("PACKAGE", package)


def markers(overlays: str, package_set: str = "python3Packages") -> Any:
    """The marks of torch and numpy."""
    names = f"[ p.{package_set}.torch p.{package_set}.numpy ]"
    return value(f"map (package: package.marker or null) {names}", overlays=overlays)


@pytest.mark.parametrize(
    "package_set", ["python3Packages", "python311Packages", "python312Packages"]
)
def test_two_python_extensions_both_take_effect(package_set: str) -> None:
    overlays = by_extension("torch") + by_extension("numpy")
    assert markers(overlays, package_set) == ["changed", "changed"]


def test_a_second_plain_override_of_overrides_clobbers_the_first() -> None:
    assert markers(by_override("torch") + by_override("numpy")) == [None, "changed"]


def test_an_override_that_composes_keeps_both() -> None:
    overlays = by_override("torch") + by_composed_override("numpy")
    assert markers(overlays) == ["changed", "changed"]


def test_an_extension_survives_an_override() -> None:
    assert markers(by_extension("torch") + by_override("numpy")) == ["changed", "changed"]


def test_override_scope_adds_to_a_set() -> None:
    python = """
      let s = p.python3Packages.overrideScope (final: prev: {
        torch = prev.torch.overrideAttrs { marker = 1; };
      }); in [ s.torch.marker s.torchvision.torch.marker ]
    """
    assert value(python) == [1, 1]
    cuda = "(p.cudaPackages.overrideScope (final: prev: { cudnn = prev.nccl; })).cudnn.pname"
    assert value(cuda) == "nccl"


@pytest.mark.slow
def test_python_sets_and_cuda_sets_have_their_versions() -> None:
    sets = "[ p.python3Packages p.python311Packages p.python312Packages p.python313Packages ]"
    versions = value(f"map (s: s.python.pythonVersion) {sets}")
    assert versions == ["3.13", "3.11", "3.12", "3.13"]
    sets = """[
      p.cudaPackages p.cudaPackages_12 p.cudaPackages_13
      p.cudaPackages_12_6 p.cudaPackages_12_8 p.cudaPackages_12_9
      p.cudaPackages_13_0 p.cudaPackages_13_1
    ]"""
    versions = value(f"map (s: s.cudaMajorMinorVersion) {sets}")
    assert versions == ["12.8", "12.8", "13.0", "12.6", "12.8", "12.9", "13.0", "13.1"]


# Overriding one package


def test_override_and_override_attrs_survive_each_other() -> None:
    expression = """
      let
        renamed = package: package.overrideAttrs (old: { pname = old.pname + "-mine"; });
        torch = p.python3Packages.torch;
        call = { cudaSupport = true; gpuTargets = [ "9.0" ]; };
      in
      map (t: [ t.pname t.cudaSupport t._model.gpuTargets ]) [
        ((renamed torch).override call)
        ((renamed (torch.override call)).override { gpuTargets = [ "8.6" ]; })
      ]
    """
    assert value(expression) == [
        ["torch-mine", True, ["9.0"]],
        ["torch-mine", True, ["8.6"]],
    ]


def test_override_takes_a_function_of_the_earlier_arguments() -> None:
    expression = """
      ((p.python3Packages.torch.override { gpuTargets = [ "9.0" ]; }).override (old: {
        gpuTargets = old.gpuTargets ++ [ "12.0" ];
      }))._model.gpuTargets
    """
    assert value(expression) == ["9.0", "12.0"]


def test_override_attrs_in_its_two_argument_form_sees_later_changes() -> None:
    expression = """
      let
        first = p.magma.overrideAttrs (
          final: prev: { banner = "${prev.pname} ${final.version}"; }
        );
        second = first.overrideAttrs (old: { version = "3.0"; });
      in
      [ second.banner second.name second.src.tag ]
    """
    assert value(expression) == ["magma 3.0", "magma-3.0", "v3.0"]


def test_python_packages_keep_their_name_and_their_own_override() -> None:
    expression = """
      let
        six = (p.python3Packages.six.overrideAttrs (old: { marker = 1; })).overridePythonAttrs (
          old: { version = "2.0"; }
        );
        torch = p.python3Packages.torch.overrideAttrs { pname = "mine"; };
      in
      [ six.marker six.name torch.pname torch.name ]
    """
    assert value(expression) == [1, "python3.13-six-2.0", "mine", "python3.13-torch-2.9.1"]


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("p.python3Packages.tourch", "attribute 'tourch' missing"),
        ("p.cudaPackages_13_9", "attribute 'cudaPackages_13_9' missing"),
        ("(p.python3Packages.torch.override { gpuTarget = [ ]; }).pname", "'gpuTarget'"),
        ("(p.magma.override { cuda = true; }).pname", "'cuda'"),
        ("p.callPackage ({ nothing }: nothing) { }", 'argument "nothing"'),
        ('(p.fetchFromGitHub { owner = "o"; repo = "r"; revision = "v"; }).rev', "'revision'"),
    ],
)
def test_what_is_not_there_is_an_error_that_names_it(expression: str, said: str) -> None:
    assert said in refusal(expression)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('rev = "v";', "requires a hash"),
        ("hash = p.lib.fakeHash;", "either `rev` or `tag`"),
        ('rev = "v"; tag = "v"; hash = "";', "either `rev` or `tag`"),
        ('rev = "v"; hash = "sha256-short=";', "invalid SRI hash"),
    ],
)
def test_a_fetch_needs_one_revision_and_a_hash(arguments: str, said: str) -> None:
    assert said in refusal(
        f'(p.fetchFromGitHub {{ owner = "o"; repo = "r"; {arguments} }}).drvPath'
    )


def test_the_fake_hash_is_good_enough_to_instantiate() -> None:
    assert value('(p.fetchpatch { url = "https://host/a.patch"; hash = ""; }).drvPath')


def test_env_may_not_repeat_an_attribute() -> None:
    package = '(p.stdenv.mkDerivation { name = "x"; A = "1"; env.A = "2"; }).drvPath'
    assert "overlapping: A" in refusal(package)


def test_lists_and_env_reach_the_builder_and_passthru_does_not() -> None:
    expression = """
      let
        attributes = {
          name = "x";
          flags = [ "-a" "-b" ];
          env.E = "e";
          nothing = null;
          passthru.extra = 1;
          meta.description = "d";
        };
        x = p.stdenv.mkDerivation attributes;
        without = p.stdenv.mkDerivation (removeAttrs attributes [ "passthru" "meta" "nothing" ]);
      in
      {
        inherit (x) extra;
        inherit (x.drvAttrs) E flags;
        inherit (x.meta) description;
        same = x.drvPath == without.drvPath;
      }
    """
    assert value(expression) == {
        "extra": 1,
        "E": "e",
        "flags": ["-a", "-b"],
        "description": "d",
        "same": True,
    }


# Refusals


@pytest.mark.slow
def test_unfree_packages_need_permission() -> None:
    nvcc = "p.cudaPackages.cuda_nvcc.drvPath"
    assert "unfree license (‘CUDA EULA’), refusing to evaluate" in refusal(nvcc)
    assert value(nvcc, ALLOWED)
    only_mkl = 'allowUnfreePredicate = package: package.pname == "mkl";'
    assert value("p.mkl.drvPath", only_mkl)
    assert "unfree license" in refusal(nvcc, only_mkl)


def test_platforms_are_checked() -> None:
    torch = 'p.python3Packages.torch.overrideAttrs { meta.platforms = [ "aarch64-linux" ]; }'
    assert "not available on the requested hostPlatform" in refusal(f"({torch}).drvPath")
    assert value(f"({torch}).drvPath", "allowUnsupportedSystem = true;")


def test_an_unknown_system_and_a_setting_of_the_wrong_type_are_errors() -> None:
    with pytest.raises(NixError, match="Unsupported system: i686-hurd"):
        model_value('(import <nixpkgs> { system = "i686-hurd"; }).which.drvPath')
    assert "not of type `bool'" in refusal("p.mkl.drvPath", 'allowUnfree = "yes";')


def cuda_torch(config: str, package_set: str) -> str:
    """The conditions that break PyTorch with this CUDA, or its drvPath."""
    chosen = f"(final: prev: {{ cudaPackages = final.{package_set}; }})"
    config = f"cudaSupport = true; allowUnfree = true; {config}"
    torch = "p.python3Packages.torch"
    broken = f"{torch}.meta.broken && ! p.config.allowBroken"
    conditions = f'builtins.concatStringsSep ", " (builtins.attrNames {torch}.brokenConditions)'
    answer: str = value(
        f"if {broken} then {conditions} else {torch}.drvPath", config, overlays=chosen
    )
    return answer


@pytest.mark.parametrize("release", ["12_6", "12_8", "12_9"])
def test_torch_with_cuda_12_is_allowed(release: str) -> None:
    assert cuda_torch("", f"cudaPackages_{release}").endswith(".drv")


@pytest.mark.slow
@pytest.mark.parametrize("release", ["13_0", "13_1"])
def test_torch_with_cuda_13_is_broken_at_this_age(release: str) -> None:
    assert cuda_torch("", f"cudaPackages_{release}") == "Unsupported CUDA version"
    assert cuda_torch("allowBroken = true;", f"cudaPackages_{release}").endswith(".drv")


@pytest.mark.slow
def test_torch_with_a_cuda_other_than_magmas_is_broken() -> None:
    torch = """(p.python3Packages.torch.override {
      cudaSupport = true;
      cudaPackages = p.cudaPackages_12_9;
    })"""
    assert value(f"builtins.attrNames {torch}.brokenConditions") == [
        "Magma cudaPackages does not match cudaPackages"
    ]
    assert "is marked as broken" in refusal(f"{torch}.drvPath", "allowUnfree = true;")


# PyTorch and what it stands on


def architectures(capabilities: str, targets: str = "") -> str:
    """The preConfigure of PyTorch with these configured capabilities and called targets."""
    config = f"cudaSupport = true; allowUnfree = true; cudaCapabilities = [ {capabilities} ];"
    torch = f"p.python3Packages.torch.override {{ gpuTargets = [ {targets} ]; }}"
    answer: str = value(f"({torch}).preConfigure", config)
    return answer


@pytest.mark.slow
def test_gpu_targets_are_used_as_they_are_and_else_come_from_the_configuration() -> None:
    assert 'TORCH_CUDA_ARCH_LIST="sm_90"' in architectures('"8.6"', '"sm_90"')
    assert 'TORCH_CUDA_ARCH_LIST="8.6;9.0"' in architectures('"8.6" "9.0"')
    with pytest.raises(NixError, match="No supported GPU targets specified"):
        architectures('"11.0"')


def test_capabilities_of_the_configuration_reach_magma_and_nccl() -> None:
    magma, nccl = value(
        "[ p.magma-cuda-static.cmakeFlags p.cudaPackages.nccl.makeFlags ]",
        'cudaCapabilities = [ "9.0" "12.0" ];',
    )
    assert "-DCMAKE_CUDA_ARCHITECTURES:STRING=90;120" in magma
    assert "-DMIN_ARCH:STRING=900" in magma
    assert nccl == [
        "NVCC_GENCODE=-gencode=arch=compute_90,code=sm_90 -gencode=arch=compute_120,code=sm_120"
    ]


def test_a_patch_of_magma_reaches_the_magma_that_torch_links() -> None:
    magma = "(p.python3Packages.torch.override { cudaSupport = true; })._model.magma"
    overlay = "(final: prev: { magma = prev.magma.overrideAttrs (old: { marker = 1; }); })"
    assert value(f"[ {magma}.marker {magma}.static ]", overlays=overlay) == [1, True]


def test_blas_provider_is_exchanged_by_an_overlay() -> None:
    overlay = """(final: prev: {
      blas = prev.blas.override { blasProvider = final.mkl; };
      lapack = prev.lapack.override { lapackProvider = final.mkl; };
    })"""
    expression = """
      let t = p.python3Packages.torch; in [ t.blasProvider.pname (map baseNameOf t.patches) ]
    """
    provider, patches = value(expression, ALLOWED, overlay)
    assert provider == "mkl"
    assert "disable-cmake-mkl-rpath.patch" in patches
    assert "64-bit integers" in refusal("(p.blas.override { isILP64 = true; }).name")


def test_vision_and_audio_build_on_the_torch_of_their_set() -> None:
    expression = """
      let s = p.python3Packages; in [
        s.torchvision.torch.marker
        s.torchaudio.torch.marker
        (s.torchvision.override { torch = s.torchWithCuda; }).cudaSupport
      ]
    """
    assert value(expression, overlays=by_extension("torch")) == ["changed", "changed", True]


def test_what_a_known_revision_has_follows_the_pin() -> None:
    expression = """
      let
        at = rev: import <nixpkgs> {
          system = "x86_64-linux";
          modelArgs.url = "https://github.com/NixOS/nixpkgs/archive/${rev}.tar.gz";
        };
        known = pkgs: [
          pkgs.python3Packages.torch.version
          (builtins.length pkgs.magma.patches)
        ];
      in
      map (rev: known (at rev)) [
        "fe5e41d7ffc0421f0913e8472ce6238ed0daf8e3"
        "0182a361324364ae3f436a63005877674cf45efb"
        "2017d6d515f8a7b289fe06d3a880a7ec588c3900"
      ]
    """
    assert model_value(expression) == [["2.8.0", 0], ["2.9.1", 0], ["2.9.1", 1]]


def test_rocm_takes_its_own_targets() -> None:
    torch = "p.python3Packages.torchWithRocm"
    script, magma, broken = value(
        f"[ {torch}.preConfigure {torch}._model.magma.rocmSupport {torch}.brokenConditions ]"
    )
    assert 'PYTORCH_ROCM_ARCH="gfx900;gfx906;' in script
    assert "gfx1010" not in script
    assert (magma, broken) == (True, {})


def test_a_runtime_for_one_gpu_narrows_the_libraries_of_rocm_and_not_magma() -> None:
    overlay = """(final: prev: {
      rocmPackages = prev.rocmPackages.overrideScope (setFinal: setPrev: {
        clr = setPrev.clr.override { localGpuTargets = [ "gfx90a" ]; };
      });
    })"""
    torch = "p.python3Packages.torchWithRocm"
    script, targets, magma = value(
        f"[ {torch}.preConfigure {torch}._model.rocmTargets p.magma-hip.cmakeFlags ]",
        overlays=overlay,
    )
    assert 'PYTORCH_ROCM_ARCH="gfx90a"' in script
    assert targets == ["gfx90a"]
    assert "-DGPU_TARGET:STRING=900,906,908,1010,1030" in magma


def test_switches_of_torch_are_attributes_and_may_not_stand_in_env_too() -> None:
    torch = """(p.python3Packages.torch.overrideAttrs (old: {
      env = old.env // { USE_NNPACK = "0"; };
    })).drvPath"""
    assert "overlapping: USE_NNPACK" in refusal(torch)
