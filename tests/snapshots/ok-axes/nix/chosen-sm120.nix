# chosen-sm120: Blackwell (RTX 50 series, RTX PRO)
# Made by tvarc from input.tvar: matrix by-where, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-nT8VmUoaO7+tMl82RfmuV4SKhKhYQ3Sqix1555JdJVM=
{ hello }:

hello
