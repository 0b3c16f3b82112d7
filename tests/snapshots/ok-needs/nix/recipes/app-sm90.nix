# app-sm90: sm90
# Made by tvarc from input.tvar: matrix apps, recipe app.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-G1UmAL67c/6aL8NaY81IyPrsTEtltLZ7ZvxLMEhTN4w=
{
  hello,
  pkgs,
  torch2_10-sm90,
}:

let
  needs = {
    vision = import ./vision-v25-sm90.nix { inherit pkgs; };
    torch = torch2_10-sm90;
    tool =
      let
        nixpkgs = builtins.fetchTarball {
          url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
          sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
        };
        needs = {
          # the tool links it
          zlib = pinned.zlib;
        };
        pinned = import nixpkgs {
          inherit (pkgs.stdenv.hostPlatform) system;
          config = { };
          overlays = [ ];
        };
      in
      assert
        pinned ? hello.overrideAttrs
        || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
      pinned.hello.overrideAttrs (_: { zlib = needs.zlib; });
  };
in
assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  buildInputs = (old.buildInputs or [ ]) ++ [
    needs.vision
    needs.tool
    needs.torch.out
  ];
  gpu = "9.0";
})
