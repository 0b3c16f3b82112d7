# What builds packages of a model that `builds`: the phases of nixpkgs with what a recipe puts around
# them, and each output a file of its own. There is a shell alone, and no other program but busybox.
set -e
phase() {
  echo "@nix {\"action\":\"setPhase\",\"phase\":\"$1\"}" >&2
  shift
  for script in "$@"; do eval "$script"; done
}
applyPatches() {
  for patch in $patches; do
    echo "applying patch $patch"
    /bin/busybox grep -q '^--- ' "$patch" || {
      echo "Only garbage was found in the patch input."
      exit 1
    }
  done
}
if [ -n "$buildCommandPath" ]; then
  export SHELL=/bin/sh PATH="$TMPDIR/bin:/usr/bin:/bin"
  /bin/busybox mkdir -p "$TMPDIR/bin"
  /bin/busybox --install -s "$TMPDIR/bin"
  . "$buildCommandPath"
  exit
fi
phase patchPhase "$prePatch" applyPatches "$postPatch"
phase configurePhase "$preConfigure" "$configurePhase" "$postConfigure"
phase buildPhase "$preBuild" "$buildPhase" "$postBuild"
phase installPhase "$preInstall" "$installPhase" "$postInstall"
for output in $outputs; do eval "echo $name-$output > \$$output"; done
