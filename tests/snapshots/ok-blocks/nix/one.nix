# one
# Made by tvarc from input.tvar: matrix one, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-9i96U3q6p4dHYbosIG0Y37SV2rSqxdYAkaXfINkWYKQ=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
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
assert
  (pinned ? python3Packages.torch.override && pinned ? python3Packages.torch.overrideAttrs)
  || throw "this nixpkgs has no package `python3Packages.torch` with `.override` and `.overrideAttrs`";
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
    nested =
      assert
        (old.__structuredAttrs or false)
        || throw "`nested`: the attributes of `${old.name or old.pname}` are not structured, so its builder gets no set";
      assert
        (builtins.isAttrs (old.nested or { }) && !(old ? nested.outPath))
        || throw "`nested` of `${old.name or old.pname}` is of the kind `${builtins.typeOf old.nested}`; keys are added to a set that is no package";
      (old.nested or { })
      // {
        deeper =
          assert
            (builtins.isAttrs (old.nested.deeper or { }) && !(old ? nested.deeper.outPath))
            || throw "`nested.deeper` of `${old.name or old.pname}` is of the kind `${builtins.typeOf old.nested.deeper}`; keys are added to a set that is no package";
          (old.nested.deeper or { })
          // {
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
    env =
      assert
        !(
          (pinned.stdenv.mkDerivation {
            name = "probe";
            env = { };
          }).drvAttrs ? env
        )
        || throw "`env` is known to nixpkgs from 23.05 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
      (old.env or { })
      // {
        USE_CUDA = "1";
        CUDA_HOME = "${pinned.cudaPackages.cudatoolkit}";
      };
    passthru = (old.passthru or { }) // {
      gpu =
        assert
          builtins.isAttrs (old.passthru.gpu or { })
          || throw "`passthru.gpu` of `${old.name or old.pname}` is of the kind `${builtins.typeOf old.passthru.gpu}`; keys are added to a set";
        (old.passthru.gpu or { })
        // {
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
