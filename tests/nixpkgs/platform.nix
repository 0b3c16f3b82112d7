# What nixpkgs knows of a system such as "x86_64-linux".
{ lib, given }:
let
  # A platform may be named by its system or, as one to compile for, by its triple.
  system =
    given.system or (
      let
        triple = lib.splitString "-" given.config;
      in
      "${lib.head triple}-${if lib.hasInfix "darwin" given.config then "darwin" else "linux"}"
    );
  known = lib.splitString "-" system;
  cpu = builtins.elemAt known 0;
  kernel = builtins.elemAt known 1;
in
if !(lib.elem system lib.platforms.all) then
  throw "Unsupported system: ${system}"
else
  {
    inherit system kernel;
    config = if kernel == "darwin" then "${cpu}-apple-darwin" else "${cpu}-unknown-linux-gnu";
    parsed = {
      cpu.name = cpu;
      kernel.name = kernel;
    };
    linuxArch = if cpu == "aarch64" then "arm64" else cpu;
    is64bit = true;
    isAarch = cpu == "aarch64";
    isAarch64 = cpu == "aarch64";
    isx86 = cpu == "x86_64";
    isx86_64 = cpu == "x86_64";
    isLinux = kernel == "linux";
    isDarwin = kernel == "darwin";
    isUnix = true;
  }
  // removeAttrs given [ "system" ]
