# one
# Made by tvarc from input.tvar: matrix one, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-fPkueq8JFl1LQmvbkKZPzdTA+eelQrX8qsB/bCQ4RUo=
{
  fetchFromGitHub,
  fetchgit,
  fetchurl,
  hello,
  lib,
}:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  j1 = "a, b";
  s1 = [
    "a"
    "b"
  ];
  r1 = "a_b_c";
  u1 = "ABC";
  l1 = "abc";
  f1 = "2100";
  n1 = "2_10_0";
  v1 = "2 10";
  p1 = "2.11.0rc1";
  x1 = [
    1.5
    (-2.5e-07)
    3.0
  ];
  i1 = "b";
  spread = [
    "x"
    "a"
    "b"
    "new"
  ];
  src =
    assert
      lib.functionArgs fetchFromGitHub ? tag
      || throw "`github(…)` with `tag` is known to nixpkgs from 25.05 on; call this recipe with a later one, or pin one";
    assert
      lib.functionArgs fetchgit ? hash
      || throw "`github(…)` with `submodules` and `hash` is known to nixpkgs from 22.05 on; call this recipe with a later one, or pin one";
    fetchFromGitHub {
      owner = "pytorch";
      repo = "pytorch";
      tag = "v2.10.0";
      hash = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
      fetchSubmodules = true;
    };
  data = fetchurl {
    name = "data";
    url = "https://example.org/data.tar.gz";
    hash = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
  };
  j2 = builtins.concatStringsSep ":" [
    hello.name
    "b"
  ];
  s2 = lib.splitString "." old.version;
  r2 = builtins.replaceStrings [ "-" ] [ "_" ] old.pname;
  u2 = lib.toUpper old.pname;
  l2 = lib.toLower old.pname;
  f2 = builtins.replaceStrings [ "." ] [ "" ] old.version;
  n2 = builtins.replaceStrings [ "." ] [ "_" ] old.version;
  v2 = "${lib.versions.major old.version}.${lib.versions.minor old.version} of ${hello}";
  c2 = "${
    builtins.concatStringsSep " " [
      hello
      "x"
    ]
  }";
  d2 =
    let
      pkgs = { inherit lib; };
    in
    (pkgs.lib.id [ 1 2 ]);
  e2 = ({ a = old.version; }).a;
})
