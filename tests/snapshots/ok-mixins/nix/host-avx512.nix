# host-avx512: AVX-512
# Made by tvarc from input.tvar: matrix hosts, recipe host.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-TIu7xmMXCPw1hrLC/YJR0gGA19d23OY2UWEJR673oIQ=
{ hello, stdenv }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  cmakeFlags = (old.cmakeFlags or [ ]) ++ [ "-DISA=avx512" ];
  jobs = 2;
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
