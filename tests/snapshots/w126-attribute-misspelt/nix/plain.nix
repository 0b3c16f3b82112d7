# plain
# Made by tvarc from input.tvar: matrix plain, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-+7UdIYcsncs4NzbPxoCgycNJxGy+BPdTd68rl8FqtA8=
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
    };
    overlays = [
      # openmpi
      (
        final: prev:
        assert prev ? openmpi || throw "overlay `openmpi`: this nixpkgs has no `openmpi`";
        {
          openmpi =
            assert
              prev ? openmpi.overrideAttrs
              || throw "overlay `openmpi`: this nixpkgs has no package `openmpi` with `.overrideAttrs`";
            prev.openmpi.overrideAttrs (_: { configureFalgs = [ "--with-ucx" ]; });
        }
      )
    ];
  };
in
assert
  pinned ? hello.overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
pinned.hello.overrideAttrs (old: {
  buidInputs = [ pinned.zlib ];
  postInstal = "true";
  dontStrp = true;
  cmakeFlagss = [ ];
  buildFlavour = "plain";
  USE_NCCLS = "1";
  gpuTarget = "9.0";
  qmakeFlags = [ "-r" ];
  pversion = "1.0";
  preConfgure = toString (old.preConfgure or "") + ''
    export CFLAGS=-O3
  '';
  meta = (old.meta or { }) // {
    descripton = "A greeting";
  };
})
