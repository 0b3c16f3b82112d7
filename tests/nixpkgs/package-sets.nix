# Package sets of other languages and of programs with plugins: one of each kind that nixpkgs has or
# had. What can be done to a set is decided by how it is made, and that has changed with time.
{
  lib,
  config,
  features,
  pkgs,
  callPackage,
}:
let
  package =
    pname: version: buildInputs:
    pkgs.stdenv.mkDerivation {
      inherit pname version buildInputs;
      meta = {
        description = "Member ${pname} of a package set";
        platforms = lib.platforms.unix;
      };
    };

  spliced = f: lib.makeScopeWithSplicing' { inherit (pkgs) newScope; } { inherit f; };

  # `.extend`, and no `.override` any more in what comes of it.
  extensible = f: lib.makeExtensible (self: f self // { callPackage = pkgs.newScope self; });

  noExtension = _: _: { };

  perlMembers = self: {
    URI = package "perl-URI" "5.05" [ ];
    LWP = package "perl-libwww-perl" "6.67" [ self.URI ];
    XMLParser = package "perl-XML-Parser" "2.46" [ self.LWP ];
  };
  # `overrides` is a function of nixpkgs, and its members know of them: but not as `prev`.
  perlPackages =
    if features.perlScope then
      spliced perlMembers
    else
      callPackage (
        { overrides }:
        lib.fix (
          self: perlMembers self // { callPackage = pkgs.newScope self; } // overrides pkgs
        )
      ) { overrides = config.perlPackageOverrides or (_: { }); };

  luaMembers = self: {
    luafilesystem = package "lua-luafilesystem" "1.8.0" [ ];
    penlight = package "lua-penlight" "1.13.1" [ self.luafilesystem ];
  };
  luaPackages =
    if features.luaScope then
      spliced luaMembers
    else
      callPackage ({ overrides }: extensible (lib.extends overrides luaMembers)) {
        overrides = noExtension;
      };

  beamMembers = self: {
    rebar3 = package "rebar3" "3.13.2" [ ];
    hex = package "hex" "0.20.5" [ self.rebar3 ];
    elixir = package "elixir" "1.10.4" [ self.hex ];
  };
  beamErlang = callPackage ({ stdenv }: extensible beamMembers) { };

  ocamlMembers = self: {
    findlib = package "ocaml-findlib" "1.8.1" [ ];
    dune = package "dune" "2.7.1" [ self.findlib ];
  };

  haskellMembers = self: {
    text = package "text" "1.2.4.1" [ ];
    aeson = package "aeson" "1.5.4.1" [ self.text ];
  };
  haskellPackages = callPackage (
    { overrides }: extensible (lib.extends overrides haskellMembers)
  ) { overrides = noExtension; };

  # One of these two modules is made with the kernel that the set was made for, whatever an overlay
  # says of it.
  linux = package "linux" "6.12" [ ];
  linuxMembers = self: {
    kernel = linux;
    bbswitch = package "bbswitch" "0.8" [ self.kernel ];
    zfs = package "zfs-kernel" "2.2.2" [ linux ];
  };

  # `overrides` is a plain set.
  rPackages = callPackage (
    { overrides }:
    lib.fix (
      self:
      {
        Rcpp = package "r-Rcpp" "1.0.5" [ ];
        RcppArmadillo = package "r-RcppArmadillo" "0.9.900" [ self.Rcpp ];
      }
      // overrides
    )
  ) { overrides = (config.rPackageOverrides or (_: { })) pkgs; };

  # A plain set, whose members find each other where they are written.
  gst_all_1 = callPackage (
    { stdenv }:
    rec {
      gstreamer = package "gstreamer" "1.18.0" [ ];
      gst-plugins-base = package "gst-plugins-base" "1.18.0" [ gstreamer ];
    }
  ) { };

  qtMembers = self: {
    qtbase = package "qtbase" "5.15.0" [ ];
    qtsvg = package "qtsvg" "5.15.0" [ self.qtbase ];
  };

  llvmTools = self: {
    llvm = package "llvm" "11.0.0" [ ];
    clang = package "clang" "11.0.0" [ self.llvm ];
  };
  llvmLibraries = self: {
    libcxxabi = package "libcxxabi" "11.0.0" [ ];
    libcxx = package "libcxx" "11.0.0" [ self.libcxxabi ];
  };
  # Two sets, one over the other: the methods that are seen are those of the tools, and lose the rest.
  llvmParts =
    let
      tools = lib.makeExtensible llvmTools;
      libraries = lib.makeExtensible llvmLibraries;
    in
    { inherit tools libraries; } // libraries // tools;
in
{
  inherit
    gst_all_1
    haskellPackages
    luaPackages
    perlPackages
    rPackages
    ;
  beam.packages.erlang = beamErlang;
  beamPackages =
    if features.beamTop then
      pkgs.beam.packages.erlang
    else
      removeAttrs pkgs.beam.packages.erlang [
        "extend"
        "override"
      ];
  linuxPackages = extensible linuxMembers;
  llvmPackages =
    if features.llvmScope then
      spliced (self: llvmLibraries self // llvmTools self)
    else
      callPackage ({ stdenv }: llvmParts) { };
  ocamlPackages = lib.makeScope pkgs.newScope ocamlMembers;
  qt5 = callPackage ({ newScope }: lib.makeScope newScope qtMembers) { };
  # Nothing to change it by.
  rubyPackages = {
    rake = package "rake" "13.0" [ ];
  };
}
