# hello-sm80: sm80
# Made by tvarc from input.tvar: matrix builds, recipe child.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-P1DSNPW3lzFFXsehSj5pAcvQ0p5yI2id3+U2LuBSF3A=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
    sha256 = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
    };
    overlays = [
      # quickly
      (
        final: prev:
        assert
          prev ? python3Packages
          || throw "overlay `quickly`: this nixpkgs has no `python3Packages`";
        assert
          prev ? pythonPackagesExtensions
          || throw "overlay `quickly`: `pythonPackagesExtensions`, by which all Python sets are changed, is known to nixpkgs from 22.11 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: {
              numpy =
                assert
                  pyPrev ? numpy.overrideAttrs
                  || throw "overlay `quickly`: this nixpkgs has no package `numpy` with `.overrideAttrs`";
                pyPrev.numpy.overrideAttrs (old: {
                  doCheck = false;
                  jobs = "8";
                  buildInputs =
                    (old.buildInputs or [ ])
                    ++ (
                      let
                        final = pyFinal;
                      in
                      ([ final.zlib ])
                    );
                });
            })
          ];
        }
      )
    ];
  };
in
assert
  builtins.isAttrs pinned.python3Packages.numpy
  || throw "overlay `quickly`: `python3Packages.numpy` of this nixpkgs is no package";
assert
  pinned ? hello.overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
pinned.hello.overrideAttrs (old: {
  buildInputs =
    [ pinned.zlib ]
    ++ builtins.filter (p: builtins.match "cu.*" (p.pname or "") == null) (
      builtins.concatLists [
        # it is one of many
        (
          let
            pkgs = pinned;
          in
          (with pkgs; [ curl ])
        )
      ]
    )
    ++ [ pinned.openssl ]
    ++ builtins.filter (p: builtins.match "cu.*" (p.pname or "") == null) (
      let
        pkgs = pinned;
        lib = pinned.lib;
      in
      (lib.optional true pkgs.hwloc)
    );
  hooks =
    assert
      (old.__structuredAttrs or false)
      || throw "`hooks`: the attributes of `${old.name or old.pname}` are not structured, so its builder gets no set";
    assert
      (builtins.isAttrs (old.hooks or { }) && !(old ? hooks.outPath))
      || throw "`hooks` of `${old.name or old.pname}` is of the kind `${builtins.typeOf old.hooks}`; keys are added to a set that is no package";
    (old.hooks or { })
    // {
      last = "b";
    };
  set =
    assert
      (old.__structuredAttrs or false)
      || throw "`set`: the attributes of `${old.name or old.pname}` are not structured, so its builder gets no set";
    { a = 1; };
  passthru = (old.passthru or { }) // {
    pinned = "p";
  };
})
