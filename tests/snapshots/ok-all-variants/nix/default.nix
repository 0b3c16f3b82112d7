# All 5 variants in one file: by name, and by the values of the axes.
# Made by tvarc from input.tvar: matrix apps, plain.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-bpYHnpUpeBkLD5mDMUMZNpiI7q8VB5zvUhiS47x1a/M=
{
  pkgs ? import <nixpkgs> { },
  cuda-packages-input ? builtins.fetchTarball {
    url = "https://github.com/example/cuda-packages/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
    sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
  },
}:

let
  # nixpkgs; config allowUnfree; overlays toolkit
  variants-1 =
    let
      nixpkgs = builtins.fetchTarball {
        url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
        sha256 = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
      };
      pinned = import nixpkgs {
        inherit (pkgs.stdenv.hostPlatform) system;
        config = {
          allowUnfree = true;
        };
        overlays = [
          # toolkit
          (final: prev: { cudaPackages = final.cudaPackages_12_9; })
        ];
      };
    in
    {
      app-12_9-sm80 =
        assert
          pinned.lib.versionAtLeast pinned.lib.trivial.release "25.11"
          || throw "pin `nixpkgs` states release 25.11, its nixpkgs is of ${pinned.lib.trivial.release}";
        assert
          pinned ? hello.overrideAttrs
          || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
        pinned.hello.overrideAttrs (old: {
          buildInputs = (old.buildInputs or [ ]) ++ [ (cuda-packages-input + "/pkgs/cudart.nix") ];
          env = (old.env or { }) // {
            GPU = "A100";
          };
          meta = (old.meta or { }) // {
            platforms = [ "x86_64-linux" ];
          };
        });
      app-12_9-sm90 =
        assert
          pinned.lib.versionAtLeast pinned.lib.trivial.release "25.11"
          || throw "pin `nixpkgs` states release 25.11, its nixpkgs is of ${pinned.lib.trivial.release}";
        assert
          pinned ? hello.overrideAttrs
          || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
        pinned.hello.overrideAttrs (old: {
          buildInputs = (old.buildInputs or [ ]) ++ [ (cuda-packages-input + "/pkgs/cudart.nix") ];
          env = (old.env or { }) // {
            GPU = "H100";
          };
          meta = (old.meta or { }) // {
            platforms = [ "aarch64-linux" ];
          };
        });
    };

  # nixpkgs; config allowUnfree; overlays toolkit
  variants-2 =
    let
      nixpkgs = builtins.fetchTarball {
        url = "https://github.com/NixOS/nixpkgs/archive/ffffffffffffffffffffffffffffffffffffffff.tar.gz";
        sha256 = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
      };
      pinned = import nixpkgs {
        inherit (pkgs.stdenv.hostPlatform) system;
        config = {
          allowUnfree = true;
        };
        overlays = [
          # toolkit
          (final: prev: { cudaPackages = final.cudaPackages_13_0; })
        ];
      };
    in
    {
      app-13_0-sm80 =
        assert
          pinned.lib.versionAtLeast pinned.lib.trivial.release "25.11"
          || throw "pin `nixpkgs` states release 25.11, its nixpkgs is of ${pinned.lib.trivial.release}";
        assert
          pinned ? hello.overrideAttrs
          || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
        pinned.hello.overrideAttrs (old: {
          buildInputs = (old.buildInputs or [ ]) ++ [ (cuda-packages-input + "/pkgs/cudart.nix") ];
          env = (old.env or { }) // {
            GPU = "A100";
          };
          meta = (old.meta or { }) // {
            platforms = [ "x86_64-linux" ];
          };
        });
      app-13_0-sm90 =
        assert
          pinned.lib.versionAtLeast pinned.lib.trivial.release "25.11"
          || throw "pin `nixpkgs` states release 25.11, its nixpkgs is of ${pinned.lib.trivial.release}";
        assert
          pinned ? hello.overrideAttrs
          || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
        pinned.hello.overrideAttrs (old: {
          buildInputs = (old.buildInputs or [ ]) ++ [ (cuda-packages-input + "/pkgs/cudart.nix") ];
          env = (old.env or { }) // {
            GPU = "H100";
          };
          meta = (old.meta or { }) // {
            platforms = [ "aarch64-linux" ];
          };
        });
    };

  # Without a pin: the caller's nixpkgs.
  variants-3 = {
    plain =
      pkgs.callPackage
        (
          { hello, zlib }:
          assert
            hello ? overrideAttrs
            || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
          hello.overrideAttrs (old: { buildInputs = (old.buildInputs or [ ]) ++ [ zlib ]; })
        )
        { };
  };

  # Each variant by its name.
  variants = variants-1 // variants-2 // variants-3;
in
variants
// {
  "12_9" = {
    sm80 = variants.app-12_9-sm80;
    sm90 = variants.app-12_9-sm90;
  };
  "13_0" = {
    sm80 = variants.app-13_0-sm80;
    sm90 = variants.app-13_0-sm90;
  };
}
