{ lib, pkgs, }:
pkgs.hello.overrideAttrs (old: { a = [ ]; })
