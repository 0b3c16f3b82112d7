# tool-v2: v2
# Made by tvarc from input.tvar: matrix tools, recipe tool.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-czy1OjaAIfEhYyRdJiQNbWnOg+puJmQtN3+as5It2Ls=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://example.org/n.tar.gz";
    sha256 = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [
      # vendored
      (
        final: prev:
        assert prev ? gum || throw "overlay `vendored`: this nixpkgs has no `gum`";
        {
          gum =
            assert
              prev ? gum.overrideAttrs
              || throw "overlay `vendored`: this nixpkgs has no package `gum` with `.overrideAttrs`";
            prev.gum.overrideAttrs (_: {
              src = final.fetchgit {
                url = "https://example.org/gum";
                rev = "1";
                sha256 = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAnokM7U4209w=";
              };
              vendorHash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAC1vxzpyNkko=";
            });
        }
      )
    ];
  };
in
assert
  pinned ? ripgrep.overrideAttrs
  || throw "this nixpkgs has no package `ripgrep` with `.overrideAttrs`";
pinned.ripgrep.overrideAttrs (old: {
  src =
    assert
      pinned.lib.functionArgs pinned.fetchFromGitHub ? tag
      || throw "`github(…)` with `tag` is known to nixpkgs from 25.05 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
    pinned.fetchFromGitHub {
      owner = "me";
      repo = "tool";
      tag = "v2";
      hash = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
    };
  cargoHash = null;
  cargoLock =
    assert
      (old.__structuredAttrs or false)
      || throw "`cargoLock`: the attributes of `${old.name or old.pname}` are not structured, so its builder gets no set";
    {
      outputHashes = {
        "dep-1.0" = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAkgWYEO8SsfU=";
      };
    };
})
