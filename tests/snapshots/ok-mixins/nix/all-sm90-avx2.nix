# all-sm90-avx2: Hopper (H100, H200, GH200), AVX2
# Made by tvarc from input.tvar: matrix alls, recipe all.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Qg2v7o7eOrzquzeZY4kz++d44GFzaebkeYX4YYUrzlQ=
{ hello, stdenv }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  cmakeFlags = (old.cmakeFlags or [ ]) ++ [
    "-DBASE=ON"
    "-DCUDA=sm_90"
    "-DISA=avx2"
    "-DTARGET=sm_90"
  ];
  doCheck = true;
  jobs = 8;
  env =
    assert
      !(
        (stdenv.mkDerivation {
          name = "probe";
          env = { };
        }).drvAttrs ? env
      )
      || throw "`env` is known to nixpkgs from 23.05 on; call this recipe with a later one, or pin one";
    (old.env or { })
    // {
      NIX_CFLAGS_COMPILE = "-mavx2 -mfma -mf16c";
      MAX_JOBS = "16";
    };
})
