# one
# Made by tvarc from input.tvar: matrix one, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-pYVAtvtfdZOs6ozToHQ5FraO9gb8AH3mF7lAW+4R6m8=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
    sha256 = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
      permittedInsecurePackages = [ "openssl-1.1.1w" ];
      cudaSupport = true;
    };
    overlays = [ ];
  };
in
(pinned.python3Packages.torch.override {
  cudaSupport = true;
  gpuTargets = [
    "9.0"
    "9.0+PTX"
  ];
  blas = pinned.openblas;
  stdenv = pinned.gcc14Stdenv;
}).overrideAttrs
  (old: {
    pname = "hello";
    "odd key" = "a\tb \"c\" \\d \${e} $\${f} ''g'' é";
    lines = ''
      first
      second '''''${x}
    '';
    flags = [
      ""
      " "
      "-DX='a b'"
      "$out"
      "\${lib}"
      "'' $\${x}"
      "\\"
      "${pinned.hello}/bin"
    ];
    count = 3;
    empty = [ ];
    nothing = null;
    nested = (old.nested or { }) // {
      deeper = (old.nested.deeper or { }) // {
        key = 1;
      };
      other = {
        a = [
          1
          2
        ];
        b = {
          c = false;
        };
      };
    };
    source = ./src;
    env = (old.env or { }) // {
      USE_CUDA = "1";
      CUDA_HOME = "${pinned.cudaPackages.cudatoolkit}";
    };
    passthru = (old.passthru or { }) // {
      gpu = (old.passthru.gpu or { }) // {
        arch = "sm_90";
        capability = "9.0";
      };
      old = old.passthru;
      tests =
        let
          pkgs = pinned;
        in
        (
          {
            import-check = pkgs.runCommand "check" { } "touch $out";
          }
        );
    };
    meta = (old.meta or { }) // {
      description = "Hello for hello as one";
      longDescription = ''
        Two lines,
          one indented.
      '';
      platforms = [ "x86_64-linux" ];
      maintainers = (old.meta.maintainers or [ ]) ++ [ pinned.lib.maintainers.nobody ];
    };
  })
