{ gpu, cuda ? "12_9", cpuFlags ? [ ], platform, description, pname ? "@name@" }:
let
  nixpkgs = import (builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
    @digest@
  }) {
    config = { allowUnfree = true; cudaSupport = true; allowBroken = true; @caps@ };
    overlays = [ (final: prev: { cudaPackages = final.${"@whole@"}; }) ];
  };
  inherit (nixpkgs) lib;
  mkTorch = target: nixpkgs.python3Packages.torch.override {
    cudaSupport = true;
    gpuTargets = [ target ];
  };
in
(mkTorch gpu).overrideAttrs (oldAttrs: {
    inherit pname;
    version = "@version@";
    preConfigure = (oldAttrs.preConfigure or "") + ''
      export CXXFLAGS="${lib.concatStringsSep " " cpuFlags} $CXXFLAGS"
      echo "GPU target: ${gpu}"
    '';
    meta = oldAttrs.meta // {
      description = description;
      platforms = @platforms@;
    };
  })
