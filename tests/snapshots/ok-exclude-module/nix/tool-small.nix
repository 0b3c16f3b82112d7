# tool-small: small
# Made by tvarc from input.tvar: matrix tools, recipe tool.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-QQtxvm26YAzGc9Gg/GYtotSqNLtczc9plZuO0060r60=
{ figlet }:

figlet
