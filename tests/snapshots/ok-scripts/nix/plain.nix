# plain
# Made by tvarc from input.tvar: matrix plain, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-wILElA2Ix/mG2kuBDsbebaCzBJDNOGyVKqcSsAbnXSU=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  preConfigure = toString (old.preConfigure or "") + ''
    export CXXFLAGS="$CXXFLAGS"
    echo 1.0 > version.txt
    echo "'''quoted''' ''${HOME} $out {{braces}} C:\\tmp"
      # deeper by two
    echo unnamed
  '';
})
