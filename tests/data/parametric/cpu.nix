import ./lib/make.nix { version = "9.1"; isa = "avx2"; backend = "cpu"; }
