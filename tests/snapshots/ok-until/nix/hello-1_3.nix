# hello-1_3: 1.3
# Made by tvarc from input.tvar: matrix m, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-5dGLBzca1ZZjx8KvEiUEcpx5nwk1xzlJd/jQeR71zj0=
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
    config = { };
    overlays = [
      # one: the test hangs
      (
        final: prev:
        assert
          prev ? python3Packages || throw "overlay `one`: this nixpkgs has no `python3Packages`";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: {
              numpy =
                (
                  if prev.lib.versionAtLeast (pyPrev.numpy.version or "0") "1.20" then
                    prev.lib.warn "overlay `one`: not needed since numpy 1.20; this nixpkgs has ${pyPrev.numpy.version or "0"}"
                  else
                    prev.lib.id
                )
                  (
                    assert
                      pyPrev ? numpy.overrideAttrs
                      || throw "overlay `one`: this nixpkgs has no package `numpy` with `.overrideAttrs`";
                    pyPrev.numpy.overrideAttrs (_: { doInstallCheck = false; })
                  );
            })
          ];
        }
      )
      # several
      (
        final: prev:
        assert
          prev ? python3Packages
          || throw "overlay `several`: this nixpkgs has no `python3Packages`";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: {
              a =
                (
                  if prev.lib.versionAtLeast (pyPrev.scipy.version or "0") "99.1" then
                    prev.lib.warn "overlay `several`: not needed since scipy 99.1; this nixpkgs has ${pyPrev.scipy.version or "0"}"
                  else
                    prev.lib.id
                )
                  pyPrev.numpy;
              b =
                (
                  if prev.lib.versionAtLeast (pyPrev.scipy.version or "0") "99.1" then
                    prev.lib.warn "overlay `several`: not needed since scipy 99.1; this nixpkgs has ${pyPrev.scipy.version or "0"}"
                  else
                    prev.lib.id
                )
                  pyPrev.scipy;
            })
          ];
        }
      )
      # plain
      (final: prev: {
        greeting =
          (
            if prev.lib.versionAtLeast (prev.hello.version or "0") "1.3" then
              prev.lib.warn "overlay `plain`: not needed since hello 1.3; this nixpkgs has ${prev.hello.version or "0"}"
            else
              prev.lib.id
          )
            prev.hello;
      })
      # fix
      (
        final: prev:
        assert prev ? magma || throw "patch `fix`: this nixpkgs has no `magma`";
        {
          magma =
            (
              if prev.lib.versionAtLeast (prev.hello.version or "0") "2.12" then
                prev.lib.warn "patch `fix`: not needed since hello 2.12; this nixpkgs has ${prev.hello.version or "0"}"
              else
                prev.lib.id
            )
              (
                assert
                  prev ? magma.overrideAttrs
                  || throw "patch `fix`: this nixpkgs has no package `magma` with `.overrideAttrs`";
                prev.magma.overrideAttrs (old: {
                  patches = prev.lib.remove null (prev.lib.toList (old.patches or [ ])) ++ [
                    ./magma.patch
                  ];
                })
              );
        }
      )
    ];
  };
in
assert
  pinned.lib.versionAtLeast pinned.lib.trivial.release "26.05"
  || throw "pin `nixpkgs` states release 26.05, its nixpkgs is of ${pinned.lib.trivial.release}";
assert
  builtins.isAttrs pinned.python3Packages.numpy
  || throw "overlay `one`: `python3Packages.numpy` of this nixpkgs is no package";
assert
  builtins.isAttrs pinned.python3Packages
  || throw "overlay `several`: `python3Packages` of this nixpkgs is no set";
assert
  pinned ? hello.overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
pinned.hello.overrideAttrs (_: { label = "1.3"; })
