# All 8 variants in one file: by name, and by the values of the axes.
# Made by tvarc from input.tvar: matrix apps.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-TPc7UeQ5DOuGMwFNWYTo72nHhytjWEI9XlGxvVu/drA=
{
  pkgs ? import <nixpkgs> { },
}:

let
  # Without a pin: the caller's nixpkgs.
  variants = {
    app-v2-gcc-on =
      pkgs.callPackage
        (
          { hello, stdenv }:
          assert
            hello ? overrideAttrs
            || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
          hello.overrideAttrs (old: {
            env =
              assert
                !(
                  (stdenv.mkDerivation {
                    name = "probe";
                    env = { };
                  }).drvAttrs ? env
                )
                || throw "`env` is known to nixpkgs from 23.05 on; call this recipe with a later one, or pin one";
              (old.env or { })
              // {
                CC = "gcc";
                ISA = "v2";
                LTO = "on";
              };
          })
        )
        { };
    app-v2-gcc-off =
      pkgs.callPackage
        (
          { hello, stdenv }:
          assert
            hello ? overrideAttrs
            || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
          hello.overrideAttrs (old: {
            env =
              assert
                !(
                  (stdenv.mkDerivation {
                    name = "probe";
                    env = { };
                  }).drvAttrs ? env
                )
                || throw "`env` is known to nixpkgs from 23.05 on; call this recipe with a later one, or pin one";
              (old.env or { })
              // {
                CC = "gcc";
                ISA = "v2";
                LTO = "off";
              };
          })
        )
        { };
    app-v2-clang-on =
      pkgs.callPackage
        (
          { hello, stdenv }:
          assert
            hello ? overrideAttrs
            || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
          hello.overrideAttrs (old: {
            env =
              assert
                !(
                  (stdenv.mkDerivation {
                    name = "probe";
                    env = { };
                  }).drvAttrs ? env
                )
                || throw "`env` is known to nixpkgs from 23.05 on; call this recipe with a later one, or pin one";
              (old.env or { })
              // {
                CC = "clang";
                ISA = "v2";
                LTO = "on";
              };
          })
        )
        { };
    app-v2-clang-off =
      pkgs.callPackage
        (
          { hello, stdenv }:
          assert
            hello ? overrideAttrs
            || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
          hello.overrideAttrs (old: {
            env =
              assert
                !(
                  (stdenv.mkDerivation {
                    name = "probe";
                    env = { };
                  }).drvAttrs ? env
                )
                || throw "`env` is known to nixpkgs from 23.05 on; call this recipe with a later one, or pin one";
              (old.env or { })
              // {
                CC = "clang";
                ISA = "v2";
                LTO = "off";
              };
          })
        )
        { };
    app-v3-gcc-on =
      pkgs.callPackage
        (
          { hello, stdenv }:
          assert
            hello ? overrideAttrs
            || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
          hello.overrideAttrs (old: {
            env =
              assert
                !(
                  (stdenv.mkDerivation {
                    name = "probe";
                    env = { };
                  }).drvAttrs ? env
                )
                || throw "`env` is known to nixpkgs from 23.05 on; call this recipe with a later one, or pin one";
              (old.env or { })
              // {
                CC = "gcc";
                ISA = "v3";
                LTO = "on";
              };
          })
        )
        { };
    app-v3-gcc-off =
      pkgs.callPackage
        (
          { hello, stdenv }:
          assert
            hello ? overrideAttrs
            || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
          hello.overrideAttrs (old: {
            env =
              assert
                !(
                  (stdenv.mkDerivation {
                    name = "probe";
                    env = { };
                  }).drvAttrs ? env
                )
                || throw "`env` is known to nixpkgs from 23.05 on; call this recipe with a later one, or pin one";
              (old.env or { })
              // {
                CC = "gcc";
                ISA = "v3";
                LTO = "off";
              };
          })
        )
        { };
    app-v3-clang-on =
      pkgs.callPackage
        (
          { hello, stdenv }:
          assert
            hello ? overrideAttrs
            || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
          hello.overrideAttrs (old: {
            env =
              assert
                !(
                  (stdenv.mkDerivation {
                    name = "probe";
                    env = { };
                  }).drvAttrs ? env
                )
                || throw "`env` is known to nixpkgs from 23.05 on; call this recipe with a later one, or pin one";
              (old.env or { })
              // {
                CC = "clang";
                ISA = "v3";
                LTO = "on";
              };
          })
        )
        { };
    app-v3-clang-off =
      pkgs.callPackage
        (
          { hello, stdenv }:
          assert
            hello ? overrideAttrs
            || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
          hello.overrideAttrs (old: {
            env =
              assert
                !(
                  (stdenv.mkDerivation {
                    name = "probe";
                    env = { };
                  }).drvAttrs ? env
                )
                || throw "`env` is known to nixpkgs from 23.05 on; call this recipe with a later one, or pin one";
              (old.env or { })
              // {
                CC = "clang";
                ISA = "v3";
                LTO = "off";
              };
          })
        )
        { };
  };
in
variants
// {
  v2 = {
    clang = {
      off = variants.app-v2-clang-off;
      on = variants.app-v2-clang-on;
    };
    gcc = {
      off = variants.app-v2-gcc-off;
      on = variants.app-v2-gcc-on;
    };
  };
  v3 = {
    clang = {
      off = variants.app-v3-clang-off;
      on = variants.app-v3-clang-on;
    };
    gcc = {
      off = variants.app-v3-gcc-off;
      on = variants.app-v3-gcc-on;
    };
  };
}
