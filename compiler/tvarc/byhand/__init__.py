"""Reads hand-written Nix, judges it, and turns it into a program."""
