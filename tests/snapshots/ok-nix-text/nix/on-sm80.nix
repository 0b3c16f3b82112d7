# on-sm80: Ampere
# Made by tvarc from input.tvar: matrix m, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Tdfii+bwvJNGB4rHgonQglCgh65QK70JbrXZJrxMGFY=
names@{
  hello,
  lib,
  writeText,
  zlib,
  sm80 ? null,
}:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  code = (lib.optionals (lib.elem "8.0" [ "A100" "A 30" ]) [ "sm80" { threads = 8; tests = false; note = null; "odd key" = { of = [ 1 "sm80" ]; }; } ]);
  quoted =
    let
      pkgs = { inherit writeText zlib; };
    in
    (pkgs.writeText "gpu-sm80" "Ampere ${pkgs.zlib} $sm80 {{gpu}}");
  block =
    let
      pkgs = { inherit zlib; };
    in
    (''
  Ampere
    ${pkgs.zlib}/sm80 'Ampere' $sm80 ''$sm80 $$sm80 {{gpu}}
  ${lib.concatStringsSep "," [ "A100" "A 30" ]} A100 A 30 ${ "sm80" }
'');
  path =
    let
      pkgs = names;
    in
    ({ "sm80" = pkgs."sm80".out or null; a."sm80".b = (./. + "/a file/b"); });
  comment = ([
  # {{gpu}} is no value here, nor is {{
  1 /* {{nothing}} */ "sm80"
]);
  late = (lib.toUpper "n-sm80" + "on-sm80 8");
  named = "n-sm80";
})
