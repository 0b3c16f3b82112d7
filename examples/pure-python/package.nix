# A module compiled for one interpreter, and a script that runs it.
{ stdenv, python }:
stdenv.mkDerivation {
  pname = "words";
  version = "1.0";
  src = ./src;
  buildInputs = [ python ];
  buildPhase = "${python.interpreter} -m compileall -q words.py";
  installPhase = ''
    mkdir -p $out/bin $out/lib/words
    cp -r words.py __pycache__ $out/lib/words
    printf '%s\n' '#!${python.interpreter}' 'import sys' "sys.path.insert(0, '$out/lib/words')" \
      'import words' 'words.main()' > $out/bin/words
    chmod +x $out/bin/words
  '';
  meta.license = {
    spdxId = "MIT";
    fullName = "MIT License";
  };
}
