{ python3, lib, fetchFromGitHub, cudaPackages_13 }:

let
  gpuArchSM = "sm_121";
  cpuFlags = [ "-march=armv9-a+sve+sve2" ];
  torchSource = "${toString <nixpkgs>}/pkgs/development/python-modules/torch/source";
  base = python3.pkgs.callPackage torchSource {
    cudaPackages = cudaPackages_13 // { cusparselt = cudaPackages_13.libcusparse_lt; };
    cudaSupport = true;
    gpuTargets = [ gpuArchSM ];
  };
in
base.overrideAttrs (oldAttrs: let
  nightly = fetchFromGitHub {
    owner = "pytorch"; repo = "pytorch"; rev = "v2.9.0"; hash = ""; fetchSubmodules = true;
  };
in {
  pname = "pytorch-python313-cuda13_0-sm121-armv9-nightly";
  version = "2.9.0-nightly";
  src = nightly;
  preConfigure = (oldAttrs.preConfigure or "") + ''
    export CXXFLAGS="$CXXFLAGS ${lib.concatStringsSep " " cpuFlags}"
  '';
  meta = oldAttrs.meta // { platforms = [ "aarch64-linux" ]; };
})
