# torch-gfx90: gfx90
# Made by tvarc from input.tvar: matrix builds, recipe torch.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-cRk93coodYJYqtYa3fmVdTineiD33f9Smb/QANS/z1s=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
    sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
      rocmSupport = true;
    };
    overlays = [
      # clr
      (
        final: prev:
        assert prev ? rocmPackages || throw "overlay `clr`: this nixpkgs has no `rocmPackages`";
        {
          rocmPackages =
            assert
              (prev.lib ? makeScopeWithSplicing' && prev ? rocmPackages.overrideScope)
              || throw "overlay `clr`: `rocmPackages.overrideScope` that takes `final: prev:` is known to nixpkgs from 23.11 on; state the `release` of the pin, and it is written as this nixpkgs takes it; where the set has no such method, write `via = update`";
            prev.rocmPackages.overrideScope (
              setFinal: setPrev: {
                clr =
                  assert
                    setPrev ? clr.override
                    || throw "overlay `clr`: this nixpkgs has no package `rocmPackages.clr` with `.override`";
                  setPrev.clr.override {
                    localGpuTargets = [
                      "gfx1032"
                      "gfx1039"
                    ];
                  };
              }
            );
        }
      )
    ];
  };
in
assert
  builtins.isAttrs pinned.rocmPackages.clr
  || throw "overlay `clr`: `rocmPackages.clr` of this nixpkgs is no package";
assert
  pinned ? python3Packages.torch.override
  || throw "this nixpkgs has no package `python3Packages.torch` with `.override`";
pinned.python3Packages.torch.override {
  gpuTargets = [
    "gfx90:xnack-"
    "GFX942"
  ];
}
