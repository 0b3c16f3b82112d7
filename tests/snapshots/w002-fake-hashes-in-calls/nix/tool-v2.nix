# tool-v2: v2
# Made by tvarc from input.tvar: matrix tools, recipe tool.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Ajeu8WBeehhKNlWG+F7SxBDB4rKes7/Kxr3suKaTTLg=
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
    rev = "v2";
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
    url = "https://example.org/v2";
    hash = lib.fakeHash;
  };
})
