# probe-sm121: sm121
# Made by tvarc from input.tvar: matrix probes, recipe probe.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-GU9hHkMs0eEqHQRvH2YQCIXlHkpNJ+8SQVWsvm46kBw=
{
  stdenv,
  cuda-packages-input ? builtins.fetchTarball {
    url = "https://github.com/example/cuda-packages/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
    sha256 = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU=";
  },
}:

(stdenv.mkDerivation {
  pname = "probe-sm121";
  version = "1.0";
  src = cuda-packages-input;
}).overrideAttrs
  (old: {
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
        CAPABILITY = "12.1";
      };
  })
