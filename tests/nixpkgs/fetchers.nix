# Fetchers: fixed-output derivations that are instantiated and never built. Each refuses arguments
# that it does not know, and a missing hash.
{
  lib,
  stdenv,
  features,
  # What fetches. Whoever changes it by something fetched waits for himself.
  curl,
}:
let
  # The hash that was given, as nixpkgs reads it: `""` stands for a hash still to be found.
  resolveHash =
    {
      fetcher,
      url,
      hash,
      sha256,
    }:
    if hash != null && sha256 != null then
      throw "multiple hashes passed to ${fetcher}: only one of `hash' and `sha256' may be set"
    else if hash == null && sha256 == null then
      throw "${fetcher} requires a hash for fixed-output derivation: ${url}"
    else
      let
        given = if hash != null then hash else sha256;
      in
      if given == "" then lib.fakeHash else given;

  fixedOutput =
    {
      name,
      outputHash,
      recursive,
      passthru ? { },
      ...
    }@arguments:
    stdenv.mkDerivation (
      removeAttrs arguments [ "recursive" ]
      // {
        inherit name outputHash passthru;
        outputHashAlgo = "sha256";
        outputHashMode = if recursive then "recursive" else "flat";
        nativeBuildInputs = [ curl ];
        preferLocalBuild = true;
      }
    );

  fetchurl =
    {
      url ? "",
      urls ? [ url ],
      name ? baseNameOf (toString (lib.head urls)),
      hash ? null,
      sha256 ? null,
      postFetch ? "",
      curlOpts ? "",
      executable ? false,
      meta ? { },
      passthru ? { },
    }:
    fixedOutput {
      inherit
        name
        urls
        postFetch
        curlOpts
        executable
        meta
        passthru
        ;
      recursive = executable;
      outputHash = resolveHash {
        fetcher = "fetchurl";
        url = lib.head urls;
        inherit hash sha256;
      };
    };

  fetchpatch = if features.patchRelative then patchOfDirectory else wholePatch;

  wholePatch =
    {
      url,
      name ? baseNameOf url,
      hash ? null,
      sha256 ? null,
      stripLen ? 0,
      extraPrefix ? null,
      excludes ? [ ],
      includes ? [ ],
      revert ? false,
      postFetch ? "",
    }@arguments:
    patchOfDirectory arguments;

  patchOfDirectory =
    {
      url,
      name ? baseNameOf url,
      hash ? null,
      sha256 ? null,
      relative ? null,
      stripLen ? 0,
      decode ? "cat",
      extraPrefix ? null,
      excludes ? [ ],
      includes ? [ ],
      revert ? false,
      postFetch ? "",
    }@arguments:
    # The hash was looked for under one name only.
    if !features.patchHash && arguments.sha256 == null then
      throw "fetchpatch requires sha256"
    else if excludes != [ ] && includes != [ ] then
      throw "fetchpatch: cannot use excludes and includes simultaneously"
    else
      fixedOutput {
        inherit
          name
          url
          relative
          stripLen
          decode
          extraPrefix
          excludes
          includes
          revert
          postFetch
          ;
        recursive = false;
        outputHash = resolveHash {
          fetcher = "fetchpatch";
          inherit url hash sha256;
        };
      };

  fetchzip =
    {
      url ? "",
      urls ? [ url ],
      name ? "source",
      hash ? null,
      sha256 ? null,
      stripRoot ? true,
      extension ? null,
      postFetch ? "",
      meta ? { },
      passthru ? { },
    }:
    fixedOutput {
      inherit
        name
        urls
        stripRoot
        extension
        postFetch
        meta
        passthru
        ;
      recursive = true;
      outputHash = resolveHash {
        fetcher = "fetchzip";
        url = lib.head urls;
        inherit hash sha256;
      };
    };

  fetchgit = if features.gitHash then gitByHash else gitBySha256;

  gitBySha256 =
    {
      url,
      rev ? "HEAD",
      name ? "source",
      sha256 ? null,
      fetchSubmodules ? true,
      leaveDotGit ? false,
      deepClone ? leaveDotGit,
      branchName ? null,
      postFetch ? "",
    }@arguments:
    gitByHash ({ inherit rev; } // arguments);

  gitByHash =
    {
      url,
      rev ? null,
      tag ? null,
      name ? "source",
      hash ? null,
      sha256 ? null,
      fetchSubmodules ? true,
      fetchLFS ? false,
      leaveDotGit ? false,
      deepClone ? leaveDotGit,
      sparseCheckout ? [ ],
      branchName ? null,
      postFetch ? "",
      meta ? { },
      passthru ? { },
    }:
    fixedOutput {
      inherit
        name
        url
        fetchSubmodules
        fetchLFS
        leaveDotGit
        deepClone
        sparseCheckout
        branchName
        postFetch
        meta
        passthru
        ;
      rev = gitRevision "fetchgit" { inherit rev tag; };
      recursive = true;
      outputHash = resolveHash {
        fetcher = "fetchgit";
        inherit url hash sha256;
      };
    };

  # Exactly one of the two; a tag is a reference of its own.
  gitRevision =
    fetcher:
    { rev, tag }:
    if (rev == null) == (tag == null) then
      throw "${fetcher} requires one of either `rev` or `tag` to be provided (not both)."
    else if tag != null then
      "refs/tags/${tag}"
    else
      rev;

  fetchFromGitHub = if features.githubTag then githubByTag else githubByRev;

  # Whatever it does not know is handed on to the fetcher that it calls, which may not know it either.
  githubByRev =
    {
      owner,
      repo,
      rev,
      name ? "source",
      fetchSubmodules ? false,
      private ? false,
      githubBase ? "github.com",
      ...
    }@arguments:
    let
      known = {
        owner = false;
        repo = false;
        rev = false;
        name = true;
        fetchSubmodules = true;
        private = true;
        githubBase = true;
      };
      homepage = "https://${githubBase}/${owner}/${repo}";
      others = removeAttrs arguments (lib.attrNames known);
      fetched =
        if fetchSubmodules then
          fetchgit (
            others
            // {
              inherit name rev fetchSubmodules;
              url = "${homepage}.git";
            }
          )
        else
          fetchzip (
            others
            // {
              inherit name;
              url = "${homepage}/archive/${rev}.tar.gz";
            }
          );
    in
    fetched
    // {
      inherit owner repo rev;
      meta = {
        inherit homepage;
      };
      _model = {
        inherit
          owner
          repo
          rev
          fetchSubmodules
          ;
        tag = null;
        hash = arguments.hash or arguments.sha256 or null;
      };
    };

  githubByTag =
    {
      owner,
      repo,
      rev ? null,
      tag ? null,
      hash ? null,
      sha256 ? null,
      name ? "source",
      fetchSubmodules ? false,
      fetchLFS ? false,
      leaveDotGit ? false,
      deepClone ? false,
      forceFetchGit ? false,
      sparseCheckout ? [ ],
      githubBase ? "github.com",
      private ? false,
      postFetch ? "",
      meta ? { },
      passthru ? { },
    }:
    let
      homepage = "https://${githubBase}/${owner}/${repo}";
      byGit = fetchSubmodules || leaveDotGit || deepClone || forceFetchGit || sparseCheckout != [ ];
      # It is fetchgit that has to know the hash by its name.
      refused = fetchgit {
        inherit hash;
        url = homepage;
      };
    in
    if byGit && hash != null && !features.gitHash then
      refused
    else
    fixedOutput {
      inherit
        name
        fetchSubmodules
        fetchLFS
        leaveDotGit
        deepClone
        forceFetchGit
        sparseCheckout
        private
        postFetch
        ;
      url = homepage;
      rev = gitRevision "fetchFromGitHub" { inherit rev tag; };
      recursive = true;
      outputHash = resolveHash {
        fetcher = "fetchFromGitHub";
        url = homepage;
        inherit hash sha256;
      };
      meta = {
        inherit homepage;
      }
      // meta;
      passthru = {
        inherit owner repo tag;
        rev = if tag != null then "refs/tags/${tag}" else rev;
      }
      // passthru;
      _model = {
        inherit
          owner
          repo
          rev
          tag
          fetchSubmodules
          ;
        hash = if hash != null then hash else sha256;
      };
    };
in
{
  inherit
    fetchurl
    fetchpatch
    fetchzip
    fetchgit
    fetchFromGitHub
    ;
  fetchpatch2 = fetchpatch;
}
