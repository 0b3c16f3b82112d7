# The source tree, put together from one fetch a repository.
{
  stdenv,
  fetchFromGitHub,
  version,
}:
stdenv.mkDerivation {
  pname = "torch-src";
  inherit version;
  srcs = [
    (fetchFromGitHub {
      owner = "pytorch";
      repo = "pytorch";
      rev = "v${version}";
      hash = "sha256-MYzzceoQh01jzQU9tyAl47PU4M+QbuKwHXQAE8yt1Hg=";
    })
    (fetchFromGitHub {
      owner = "facebookincubator";
      repo = "gloo";
      rev = "54cbae0d3a67fa890b4c3d9ee162b7860315e341";
      hash = "sha256-Jszhe67FteiSbkbUEjVIkWVUjUY8IS5qVHct4HvcfIg=";
    })
  ];
}
