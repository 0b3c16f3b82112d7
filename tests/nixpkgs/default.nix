# A small nixpkgs of our own, to judge emitted recipes with: the same fixed point of overlays, the
# same `override`s and the same refusals as the real one, around a few packages. Nothing is ever
# built or fetched: a recipe is judged by the derivation that it gives.
{
  system ? builtins.currentSystem,
  localSystem ? system,
  config ? { },
  overlays ? [ ],
  # How the model was reached, `{ url, sha256, … }` of the pin: see stdenv.nix.
  modelArgs ? { },
}:
let
  lib = import ./lib;
  host = if builtins.isAttrs localSystem then localSystem.system else localSystem;
  checkedConfig = import ./config.nix { inherit lib config; };

  withOverlays =
    applied:
    let
      base = import ./all-packages.nix {
        inherit lib;
        config = checkedConfig;
        system = host;
        modelArgs = modelArgs // {
          inherit config;
          overlays = builtins.length applied;
        };
        extend = more: withOverlays (applied ++ more);
      };
    in
    lib.fix (builtins.foldl' (packages: overlay: lib.extends overlay packages) base applied);

  checkedOverlays =
    if !(builtins.isList overlays) then
      throw "The overlays argument to nixpkgs must be a list."
    else
      overlays;
in
withOverlays checkedOverlays
