# c1: 1
# Made by tvarc from input.tvar: matrix callers, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-nozhbjw/GQ7HrfTfUuIjuclSkpiUa8J+X/48rbRl8Hc=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  doCheck = true;
  cmakeFlags = (old.cmakeFlags or [ ]) ++ [
    # the first
    "-DONE=1"
  ];
  preConfigure = toString (old.preConfigure or "") + "echo 1";
})
