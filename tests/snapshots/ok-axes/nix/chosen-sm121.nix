# chosen-sm121: Blackwell (GB10, DGX Spark)
# Made by tvarc from input.tvar: matrix by-where, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-E4J5d7QSuymQzsbrDowY8AcCl9REsYok7bk8wkoQXdA=
{ hello }:

hello
