# All 4 variants in one file: by name, and by the values of the axes.
# Made by tvarc from input.tvar: matrix apps.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-/8y4KTzNd3lLvMYdZYTGls6plk2G64hN8d86AfKNtTM=
{
  description = "4 variants of input.tvar";
  inputs = {
    nixpkgs = {
      type = "github";
      owner = "NixOS";
      repo = "nixpkgs";
      rev = "0182a361324364ae3f436a63005877674cf45efb";
      narHash = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
      flake = false;
    };
    tarball = {
      type = "tarball";
      url = "https://example.org/nixpkgs.tar.gz";
      narHash = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU=";
      flake = false;
    };
  };
  outputs =
    inputs:
    let
      # All variants, for the system of `pkgs`.
      variants-of =
        pkgs:
        let
          # nixpkgs
          variants-1 =
            let
              nixpkgs = inputs.nixpkgs;
              pinned = import nixpkgs {
                inherit (pkgs.stdenv.hostPlatform) system;
                config = { };
                overlays = [ ];
              };
            in
            {
              app-sm80-avx2 =
                assert
                  pinned.lib.versionAtLeast pinned.lib.trivial.release "25.11"
                  || throw "pin `nixpkgs` states release 25.11, its nixpkgs is of ${pinned.lib.trivial.release}";
                assert
                  pinned ? hello.overrideAttrs
                  || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
                pinned.hello.overrideAttrs (old: {
                  env = (old.env or { }) // {
                    GPU = "A100";
                    ISA = "avx2";
                  };
                  meta = (old.meta or { }) // {
                    platforms = [ "x86_64-linux" ];
                  };
                });
              app-sm90-avx2 =
                assert
                  pinned.lib.versionAtLeast pinned.lib.trivial.release "25.11"
                  || throw "pin `nixpkgs` states release 25.11, its nixpkgs is of ${pinned.lib.trivial.release}";
                assert
                  pinned ? hello.overrideAttrs
                  || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
                pinned.hello.overrideAttrs (old: {
                  env = (old.env or { }) // {
                    GPU = "H100";
                    ISA = "avx2";
                  };
                  meta = (old.meta or { }) // {
                    platforms = [
                      "x86_64-linux"
                      "aarch64-linux"
                    ];
                  };
                });
            };
          # tarball
          variants-2 =
            let
              nixpkgs = inputs.tarball;
              pinned = import nixpkgs {
                inherit (pkgs.stdenv.hostPlatform) system;
                config = { };
                overlays = [ ];
              };
            in
            {
              app-sm80-avx512 =
                assert
                  pinned.lib.versionAtLeast pinned.lib.trivial.release "25.11"
                  || throw "pin `tarball` states release 25.11, its nixpkgs is of ${pinned.lib.trivial.release}";
                assert
                  pinned ? hello.overrideAttrs
                  || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
                pinned.hello.overrideAttrs (old: {
                  env = (old.env or { }) // {
                    GPU = "A100";
                    ISA = "avx512";
                  };
                  meta = (old.meta or { }) // {
                    platforms = [ "x86_64-linux" ];
                  };
                });
              app-sm90-avx512 =
                assert
                  pinned.lib.versionAtLeast pinned.lib.trivial.release "25.11"
                  || throw "pin `tarball` states release 25.11, its nixpkgs is of ${pinned.lib.trivial.release}";
                assert
                  pinned ? hello.overrideAttrs
                  || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
                pinned.hello.overrideAttrs (old: {
                  env = (old.env or { }) // {
                    GPU = "H100";
                    ISA = "avx512";
                  };
                  meta = (old.meta or { }) // {
                    platforms = [
                      "x86_64-linux"
                      "aarch64-linux"
                    ];
                  };
                });
            };
          # Each variant by its name.
          variants = variants-1 // variants-2;
        in
        variants;
      x86_64-linux = variants-of { stdenv.hostPlatform.system = "x86_64-linux"; };
      aarch64-linux = variants-of { stdenv.hostPlatform.system = "aarch64-linux"; };
    in
    {
      # Each variant by its name.
      packages = {
        x86_64-linux = {
          inherit (x86_64-linux) app-sm80-avx2 app-sm80-avx512 app-sm90-avx2 app-sm90-avx512;
        };
        aarch64-linux = { inherit (aarch64-linux) app-sm90-avx2 app-sm90-avx512; };
      };
      # And by the values of its axes.
      legacyPackages = {
        x86_64-linux = {
          sm80 = {
            avx2 = x86_64-linux.app-sm80-avx2;
            avx512 = x86_64-linux.app-sm80-avx512;
          };
          sm90 = {
            avx2 = x86_64-linux.app-sm90-avx2;
            avx512 = x86_64-linux.app-sm90-avx512;
          };
        };
        aarch64-linux = {
          sm90 = {
            avx2 = aarch64-linux.app-sm90-avx2;
            avx512 = aarch64-linux.app-sm90-avx512;
          };
        };
      };
      hydraJobs = {
        app-sm80-avx2.x86_64-linux = x86_64-linux.app-sm80-avx2;
        app-sm80-avx512.x86_64-linux = x86_64-linux.app-sm80-avx512;
        app-sm90-avx2.x86_64-linux = x86_64-linux.app-sm90-avx2;
        app-sm90-avx2.aarch64-linux = aarch64-linux.app-sm90-avx2;
        app-sm90-avx512.x86_64-linux = x86_64-linux.app-sm90-avx512;
        app-sm90-avx512.aarch64-linux = aarch64-linux.app-sm90-avx512;
      };
    };
}
