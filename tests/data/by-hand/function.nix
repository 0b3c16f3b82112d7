{ pkgs ? import <nixpkgs> { } }:
let
  pinned = import (builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
    @digest@
  }) {
    config = { allowUnfree = true; cudaSupport = true; allowBroken = true; @caps@ };
    overlays = [  ];
  };
  gpu = "@target@";
  cpuFlags = @flags@;
in
pinned.callPackage (
  { lib, python3Packages, @set@, fetchFromGitHub }:
  let
    torch = python3Packages.torch.override {
      cudaPackages = @set@;
      cudaSupport = true;
      gpuTargets = [ gpu ];
    };
  in
  torch.overrideAttrs (oldAttrs: {
    pname = "@name@";
    version = "@version@";
    preConfigure = (oldAttrs.preConfigure or "") + ''
      export CXXFLAGS="${lib.concatStringsSep " " cpuFlags} $CXXFLAGS"
      echo "GPU target: ${gpu}"
    '';
    meta = oldAttrs.meta // {
      description = "@description@";
      platforms = @platforms@;
    };
  })
) { }
