{ pkgs ? import <nixpkgs> { } }:
let
  nixpkgs = import (builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
    @digest@
  }) {
    config = { allowUnfree = true; cudaSupport = true; allowBroken = true; @caps@ };
    overlays = [  ];
  };
  inherit (nixpkgs) lib;
  gpu = "@target@";
  cpuFlags = @flags@;
in
nixpkgs.python3Packages.buildPythonPackage rec {
  pname = "@name@";
  version = "@version@";
  src = nixpkgs.fetchFromGitHub {
    owner = "pytorch";
    repo = "pytorch";
    rev = "v${version}";
    hash = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
    fetchSubmodules = true;
  };
  nativeBuildInputs = [ nixpkgs.cmake nixpkgs.ninja nixpkgs.@set@.cuda_nvcc ];
  buildInputs = with nixpkgs.@set@; [ cudnn libcublas nixpkgs.magma ];
  env.TORCH_CUDA_ARCH_LIST = gpu;
  preConfigure = ''
    export CXXFLAGS="${lib.concatStringsSep " " cpuFlags} $CXXFLAGS"
    echo "GPU target: ${gpu}"
  '';
  meta = {
    description = "@description@";
    platforms = @platforms@;
  };
}
