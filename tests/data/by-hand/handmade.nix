# By hand, for @name@
{ pkgs ? import <nixpkgs> {} }:

let
  fixed = import (builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/@pin@.tar.gz";
  }) {
    config = { allowUnfree = true; @broken@cudaSupport = true; };
    overlays = [
      @overlays@
    ];
  };

  gpuArchSM = "@sm@";
  cpuFlags = [ @flags@ ];   # what the CPU has
@helper@
in
  (fixed.python3Packages.@torch@.override {
    cudaSupport = true;
    gpuTargets = [ gpuArchSM ];@args@
  }).overrideAttrs (oldAttrs: {
    pname = "@pname@";
    ninjaFlags = [ "-j32" ];
    requiredSystemFeatures = [ "big-parallel" ];@attrs@
    cmakeFlags = (oldAttrs.cmakeFlags or []) ++ [
      "-DTORCH_BUILD_VERSION=2.10.0"
      "-DCMAKE_CUDA_FLAGS=-I/build/cccl-compat"
      "-DCUDA_VERSION=13.0"@cmake@
    ];
    preConfigure = (oldAttrs.preConfigure or "") + ''
      export CXXFLAGS="${fixed.lib.concatStringsSep " " cpuFlags} $CXXFLAGS"
      export CFLAGS="${fixed.lib.concatStringsSep " " cpuFlags} $CFLAGS"
      export MAX_JOBS=32@script@
      echo "GPU target: ${gpuArchSM}"
    '';
    meta = oldAttrs.meta // {
      description = "PyTorch by hand";
      platforms = [ "@platform@" ];
    };
  })
