"""Decided recipes, the Nix language that they are printed in, and evaluation by real Nix."""
