{ pkgs ? import <nixpkgs> { } }:
let
  nixpkgs_pinned = import (builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
    @digest@
  }) {
    config = { allowUnfree = true; cudaSupport = true; allowBroken = true; @caps@ };
    overlays = [ (final: prev: { cudaPackages = final.@set@; }) ];
  };
  inherit (nixpkgs_pinned) lib;
  gpu = "@target@";
  cpuFlags = @flags@;
in
  (nixpkgs_pinned.python3Packages.torch.override {
    cudaSupport = true;
    gpuTargets = [ gpu ];
  }).overrideAttrs (oldAttrs: {
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
