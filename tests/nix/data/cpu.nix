# A recipe without a GPU and with one system other than the usual.
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
    sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
  };
in
(pinned.python312Packages.torch.override {
  cudaSupport = false;
}).overrideAttrs
  (old: {
    pname = "pytorch291-python312-cpu-armv9";

    env = (old.env or { }) // {
      USE_CUDNN = "0";
    };

    passthru = (old.passthru or { }) // {
      cpuISA = "armv9";
    };

    meta = (old.meta or { }) // {
      platforms = [ "aarch64-linux" ];
    };
  })
