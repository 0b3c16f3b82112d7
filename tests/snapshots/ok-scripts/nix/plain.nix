# plain
# Made by tvarc from input.tvar: matrix plain, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-GhPPxIR3mg8mnYQnbaPLYugjIC8N4uG3rsKrZb7VAIA=
{ hello }:

hello.overrideAttrs (old: {
  preConfigure = (old.preConfigure or "") + ''
    export CXXFLAGS="$CXXFLAGS"
    echo 1.0 > version.txt
    echo "'''quoted''' ''${HOME} $out {{braces}} C:\\tmp"
      # deeper by two
    echo unnamed
  '';
})
