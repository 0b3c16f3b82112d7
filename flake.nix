{
  description = "A declarative language for build matrices, and its compiler to Nix recipes";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { nixpkgs, ... }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      packages =
        system:
        let
          tvarc = import ./default.nix { pkgs = nixpkgs.legacyPackages.${system}; };
        in
        {
          name = system;
          value = {
            inherit tvarc;
            default = tvarc;
          };
        };
    in
    {
      packages = builtins.listToAttrs (map packages systems);
      overlays.default = final: _: { tvarc = final.callPackage ./.flox/pkgs/tvarc.nix { }; };
    };
}
