# c3: 3
# Made by tvarc from input.tvar: matrix callers, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-WL+Ip4uiitAUSI3MUEYHydeRUTsXN9Cedtqi3q/SVjU=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  doInstallCheck = true;
  preConfigure = toString (old.preConfigure or "") + "echo three";
})
