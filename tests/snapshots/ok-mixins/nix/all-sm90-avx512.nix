# all-sm90-avx512: Hopper (H100, H200, GH200), AVX-512
# Made by tvarc from input.tvar: matrix alls, recipe all.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-jV5ng+8fTpZvEqo+1dZ4OQn3uWl6J0dWiTf9DCPp9Tc=
{ hello, stdenv }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  cmakeFlags = (old.cmakeFlags or [ ]) ++ [
    "-DBASE=ON"
    "-DCUDA=sm_90"
    "-DISA=avx512"
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
      NIX_CFLAGS_COMPILE = "-mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma";
      MAX_JOBS = "16";
    };
})
