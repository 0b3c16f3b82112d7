{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/fe5e41d7ffc0421f0913e8472ce6238ed0daf8e3.tar.gz";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
    };
    overlays = [ ];
  };
in
(pinned.python313Packages.torch.override {
  cudaSupport = false;
  rocmSupport = false;
}).overrideAttrs
  (old: {
    pname = "pytorch-python313-darwin-mps";
    preConfigure = toString (old.preConfigure or "") + ''
      export BLAS=vecLib
    '';
    passthru = (old.passthru or { }) // {
      gpuArch = "mps";
      blasProvider = "veclib";
    };
    meta = (old.meta or { }) // {
      description = "PyTorch ${old.version or ""} for Apple GPUs (MPS)";
      longDescription = ''
        PyTorch ${old.version or ""} with Metal Performance Shaders, and Apple's Accelerate (vecLib) as BLAS.
      '';
      platforms = [ "aarch64-darwin" ];
    };
  })
