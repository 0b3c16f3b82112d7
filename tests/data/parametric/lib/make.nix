
{ version, backend, sm ? null, cuda ? null, isa
, root ? builtins.fetchTarball { url = "https://example.org/torch.tar.gz"; sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="; }
}:
let
  gpus = import ./gpus.nix;
  cudas = import (./. + "/cudas.nix");
  isas = import "${toString ./.}/isas.nix";
  isCuda = backend == "cuda";
  gpu = if isCuda then gpus.${sm} else null;
  short = builtins.replaceStrings [ "." ] [ "" ] version;
  major = builtins.head (builtins.match "([0-9]+)[.].*" version);
  name = "vision${short}-" + (if isCuda then "cuda${cuda}-sm${sm}-${isa}" else "cpu-${isa}");
  torch = import "${toString root}/pkgs/torch-${isa}.nix" { };
  pin = if isCuda && cudas ? pins && cudas.pins ? ${cuda} then cudas.pins.${cuda} else cudas.pin;
  nixpkgs = import (builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/${pin}.tar.gz";
    sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
  }) ({
    config = { allowUnfree = true; } // (if isCuda then { cudaSupport = true; } else { });
  } // (if isCuda then {
    overlays = [ (final: prev: { cudaPackages = final.${cudas.sets.${cuda}}; }) ]
      ++ (if major == "9" then [ (final: prev: { magma = null; }) ] else [ ]);
  } else { }));
  inherit (nixpkgs) lib;
in
if isCuda then
  nixpkgs.python3Packages.torchvision.overrideAttrs (old: {
    pname = name;
    passthru = (old.passthru or { }) // { inherit torch; };
    preConfigure = (old.preConfigure or "") + ''
      export CXXFLAGS="${lib.concatStringsSep " " isas.${isa}} $CXXFLAGS"
      export TORCH_CUDA_ARCH_LIST="${gpu.capability}"
    '';
    meta = (old.meta or { }) // { description = "For ${gpu.names} (SM${sm})"; };
  } // lib.optionalAttrs (gpu ? clear) { patches = [ ]; })
else
  nixpkgs.python3Packages.torchvision.overrideAttrs (old: { pname = name; })
