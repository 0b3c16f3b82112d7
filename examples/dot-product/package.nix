# The library and its program, as nixpkgs would have them. `dot-isa` is a script, so the package
# needs a shell when it runs.
{ stdenv, busybox }:
stdenv.mkDerivation {
  pname = "dot-product";
  version = "1.0";
  src = ./src;
  buildInputs = [ busybox ];
  installPhase = ''
    make install PREFIX=$out
    printf '%s\n' '#!${busybox}/bin/sh' "$out/bin/dot | { read line; echo \"\$line\"; }" > $out/bin/dot-isa
    chmod +x $out/bin/dot-isa
  '';
  meta.license = {
    spdxId = "MIT";
    fullName = "MIT License";
  };
}
