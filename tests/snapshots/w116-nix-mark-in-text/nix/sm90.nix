# sm90: sm90
# Made by tvarc from input.tvar: matrix m, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-5wPlMtOmcof10svYZ0gU5Eu75BHR6nM97P8G2E5OsxE=
{ hello, stdenv }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  cmakeFlags = (old.cmakeFlags or [ ]) ++ [
    "-DZLIB_ROOT=\${pkgs.zlib}"
    "-DGPU=\${gpu}"
    "-DROOT=\${CMAKE_ROOT}"
  ];
  version = "1";
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
      chosen = "sm90";
    };
  preConfigure = toString (old.preConfigure or "") + ''
    # ''${gpu} in a comment
    export CXXFLAGS="-O2 ''${CXXFLAGS} ''${toolkit} ''${lib.version} ''${lib.getDev pkgs.zlib}"
    for fast in a b; do echo ''${fast} ''${out} ''${version} \''${gpu} ''${gpu:-none}; done
    echo ''${prefix-of-it} ''${final.x} ''${self.x} ''${builtins.nixVersion} ''${no-one} ''${no-one.x}
    echo ''${chosen} sm90 ''${variant}'';
})
