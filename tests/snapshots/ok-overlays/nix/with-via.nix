# with-via
# Made by tvarc from input.tvar: matrix with-via, recipe overridden.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-hUHJ+ItyJlAl8TLXC73HJDXz77PIv6OYBlXMExRFGX8=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
    };
    overlays = [
      # first
      (
        final: prev:
        assert
          prev ? python3Packages || throw "overlay `first`: this nixpkgs has no `python3Packages`";
        {
          python3Packages =
            assert
              (
                prev ? python3Packages.override
                && prev.lib.functionArgs prev.python3Packages.override ? overrides
              )
              || throw "overlay `first`: `python3Packages` of this nixpkgs has no `.override` that takes `overrides`; write another `via`";
            prev.python3Packages.override (old: {
              overrides = prev.lib.composeExtensions (old.overrides or (_: _: { })) (
                pyFinal: pyPrev: {
                  torch =
                    assert
                      pyPrev ? torch.overrideAttrs
                      || throw "overlay `first`: this nixpkgs has no package `torch` with `.overrideAttrs`";
                    pyPrev.torch.overrideAttrs (_: { doCheck = false; });
                }
              );
            });
        }
      )
      # second
      (
        final: prev:
        assert
          prev ? python3Packages || throw "overlay `second`: this nixpkgs has no `python3Packages`";
        {
          python3Packages =
            assert
              (
                prev ? python3Packages.override
                && prev.lib.functionArgs prev.python3Packages.override ? overrides
              )
              || throw "overlay `second`: `python3Packages` of this nixpkgs has no `.override` that takes `overrides`; write another `via`";
            prev.python3Packages.override (old: {
              overrides = prev.lib.composeExtensions (old.overrides or (_: _: { })) (
                pyFinal: pyPrev: {
                  torch =
                    assert
                      pyPrev ? torch.overrideAttrs
                      || throw "overlay `second`: this nixpkgs has no package `torch` with `.overrideAttrs`";
                    pyPrev.torch.overrideAttrs (old: {
                      postInstall = toString (old.postInstall or "") + ''
                        rm -rf $out/test
                      '';
                    });
                }
              );
            });
        }
      )
    ];
  };
in
pinned.python3Packages.torch
