# app-sm80: sm80
# Made by tvarc from input.tvar: matrix apps, recipe app.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-tgklfr2cGz2f9kvtlbyPWJ+Tl2QIVMeP1dDpqhkHeKc=
{
  hello,
  pkgs,
  torch2_10-sm80,
}:

let
  needs = {
    vision = import ./vision-v25-sm80.nix { inherit pkgs; };
    torch = torch2_10-sm80;
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
  gpu = "8.0";
})
