# tool-v1: v1
# Made by tvarc from input.tvar: matrix tools, recipe tool.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-hj+Sb4zy1w11R2FZPVNWpu6m2jiKDt8ezVHwo6VVVpQ=
{
  fetchFromGitLab,
  fetchurl,
  hello,
  lib,
}:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  src = fetchFromGitLab {
    owner = "me";
    repo = "tool";
    rev = "v1";
    hash = "";
  };
  cargoHash = "";
  vendorHash = lib.fakeHash;
  extra =
    let
      pkgs = { inherit fetchurl; };
    in
    (pkgs.fetchurl { url = "https://example.org/a"; sha256 = lib.fakeSha256; });
  data = fetchurl {
    url = "https://example.org/v1";
    hash = lib.fakeHash;
  };
})
