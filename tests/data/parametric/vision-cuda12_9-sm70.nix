{ pkgs ? import <nixpkgs> { } }:
import ./lib/make.nix { version = "0.25"; isa = "avx2"; backend = "cuda"; sm = "70"; cuda = "12_9"; }
