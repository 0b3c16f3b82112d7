{ stdenv }: stdenv.mkDerivation { }
