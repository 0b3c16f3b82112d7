# All 8 variants in one file: by name, and by the values of the axes.
# Made by tvarc from input.tvar: matrix torches, visions, apps, tools.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-OES9+dPFJYxKbrzxcmO3PIhDHxmXdDoCF3u3YrxTL9I=
{
  pkgs ? import <nixpkgs> { },
}:

let
  # nixpkgs
  variants-1 =
    let
      nixpkgs = builtins.fetchTarball {
        url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
        sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
      };
      pinned = import nixpkgs {
        inherit (pkgs.stdenv.hostPlatform) system;
        config = { };
        overlays = [ ];
      };
    in
    {
      torch-sm80 =
        assert
          pinned.lib.versionAtLeast pinned.lib.trivial.release "25.11"
          || throw "pin `nixpkgs` states release 25.11, its nixpkgs is of ${pinned.lib.trivial.release}";
        assert
          pinned ? python3Packages.torch.overrideAttrs
          || throw "this nixpkgs has no package `python3Packages.torch` with `.overrideAttrs`";
        pinned.python3Packages.torch.overrideAttrs (_: { gpu = "A100"; });
      torch-sm90 =
        assert
          pinned.lib.versionAtLeast pinned.lib.trivial.release "25.11"
          || throw "pin `nixpkgs` states release 25.11, its nixpkgs is of ${pinned.lib.trivial.release}";
        assert
          pinned ? python3Packages.torch.overrideAttrs
          || throw "this nixpkgs has no package `python3Packages.torch` with `.overrideAttrs`";
        pinned.python3Packages.torch.overrideAttrs (_: { gpu = "H100"; });
      app-sm80 =
        let
          needs = {
            # it reads pictures
            vision = variants.vision-sm80;
          };
        in
        assert
          pinned.lib.versionAtLeast pinned.lib.trivial.release "25.11"
          || throw "pin `nixpkgs` states release 25.11, its nixpkgs is of ${pinned.lib.trivial.release}";
        assert
          pinned ? hello.overrideAttrs
          || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
        pinned.hello.overrideAttrs (old: {
          buildInputs = (old.buildInputs or [ ]) ++ [ needs.vision ];
          gpu = "A100";
        });
      app-sm90 =
        let
          needs = {
            # it reads pictures
            vision = variants.vision-sm90;
          };
        in
        assert
          pinned.lib.versionAtLeast pinned.lib.trivial.release "25.11"
          || throw "pin `nixpkgs` states release 25.11, its nixpkgs is of ${pinned.lib.trivial.release}";
        assert
          pinned ? hello.overrideAttrs
          || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
        pinned.hello.overrideAttrs (old: {
          buildInputs = (old.buildInputs or [ ]) ++ [ needs.vision ];
          gpu = "H100";
        });
    };

  # nixpkgs; overlays with-torch; needs torch-sm80
  variants-2 =
    let
      nixpkgs = builtins.fetchTarball {
        url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
        sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
      };
      needs = {
        torch = variants.torch-sm80;
      };
      pinned = import nixpkgs {
        inherit (pkgs.stdenv.hostPlatform) system;
        config = { };
        overlays = [
          # with-torch
          (
            final: prev:
            assert
              prev ? python3Packages
              || throw "overlay `with-torch`: this nixpkgs has no `python3Packages`";
            {
              pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
                (pyFinal: pyPrev: { torch = needs.torch; })
              ];
            }
          )
        ];
      };
    in
    {
      vision-sm80 =
        assert
          pinned.lib.versionAtLeast pinned.lib.trivial.release "25.11"
          || throw "pin `nixpkgs` states release 25.11, its nixpkgs is of ${pinned.lib.trivial.release}";
        assert
          pinned ? python3Packages.torchvision.overrideAttrs
          || throw "this nixpkgs has no package `python3Packages.torchvision` with `.overrideAttrs`";
        pinned.python3Packages.torchvision.overrideAttrs (_: { gpu = "A100"; });
    };

  # nixpkgs; overlays with-torch; needs torch-sm90
  variants-3 =
    let
      nixpkgs = builtins.fetchTarball {
        url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
        sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
      };
      needs = {
        torch = variants.torch-sm90;
      };
      pinned = import nixpkgs {
        inherit (pkgs.stdenv.hostPlatform) system;
        config = { };
        overlays = [
          # with-torch
          (
            final: prev:
            assert
              prev ? python3Packages
              || throw "overlay `with-torch`: this nixpkgs has no `python3Packages`";
            {
              pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
                (pyFinal: pyPrev: { torch = needs.torch; })
              ];
            }
          )
        ];
      };
    in
    {
      vision-sm90 =
        assert
          pinned.lib.versionAtLeast pinned.lib.trivial.release "25.11"
          || throw "pin `nixpkgs` states release 25.11, its nixpkgs is of ${pinned.lib.trivial.release}";
        assert
          pinned ? python3Packages.torchvision.overrideAttrs
          || throw "this nixpkgs has no package `python3Packages.torchvision` with `.overrideAttrs`";
        pinned.python3Packages.torchvision.overrideAttrs (_: { gpu = "H100"; });
    };

  # Without a pin: the caller's nixpkgs.
  variants-4 = {
    tool-sm80 =
      pkgs.callPackage
        (
          { hello }:
          let
            needs = {
              app = variants.app-sm80;
            };
          in
          assert
            hello ? overrideAttrs
            || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
          hello.overrideAttrs (_: { app = needs.app; })
        )
        { };
    tool-sm90 =
      pkgs.callPackage
        (
          { hello }:
          let
            needs = {
              app = variants.app-sm90;
            };
          in
          assert
            hello ? overrideAttrs
            || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
          hello.overrideAttrs (_: { app = needs.app; })
        )
        { };
  };

  # Each variant by its name.
  variants = variants-1 // variants-2 // variants-3 // variants-4;
in
variants
// {
  apps = {
    sm80 = variants.app-sm80;
    sm90 = variants.app-sm90;
  };
  tools = {
    sm80 = variants.tool-sm80;
    sm90 = variants.tool-sm90;
  };
  torches = {
    sm80 = variants.torch-sm80;
    sm90 = variants.torch-sm90;
  };
  visions = {
    sm80 = variants.vision-sm80;
    sm90 = variants.vision-sm90;
  };
}
