# The library and its program, as nixpkgs would have them. `dot-isa` is a script, so the package
# needs a shell when it runs.
{ stdenv, runtimeShell }:
stdenv.mkDerivation {
  pname = "dot-product";
  version = "1.0";
  src = ./src;
  installPhase = ''
    make install PREFIX=$out
    printf '%s\n' '#!${runtimeShell}' "$out/bin/dot | { read line; echo \"\$line\"; }" > $out/bin/dot-isa
    chmod +x $out/bin/dot-isa
  '';
  meta.license = {
    spdxId = "MIT";
    fullName = "MIT License";
  };
}
