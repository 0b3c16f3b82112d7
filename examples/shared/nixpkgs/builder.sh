# Builds a package: a script, or the phases of nixpkgs around `make`. The tools are the machine's.
export PATH=/usr/bin:/bin SHELL=/bin/sh
for package in $nativeBuildInputs; do PATH=$package/bin:$PATH; done
for package in $buildInputs; do PATH=$PATH:$package/bin; done
# A static program runs in an image without the machine's libraries.
export CC="gcc -static $NIX_CFLAGS_COMPILE" AR=ar

if [ -n "$script" ]; then
  eval "$script"
  exit
fi
cp -r "$src" source
chmod -R u+w source
cd source
eval "${preBuild:-}"
eval "${buildPhase:-make}"
eval "${postBuild:-}"
eval "${preInstall:-}"
eval "${installPhase:-make install PREFIX=$out}"
eval "${postInstall:-}"
