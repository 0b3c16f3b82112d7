# Evaluates many recipe files in one go, each as it stands, with this model in the place of the
# nixpkgs that it fetches. `jobs` is the path of a JSON file: see tests/support/recipes.py.
{ jobs }:
let
  lib = import ./lib { };
  facts = import ./facts.nix { inherit lib; };
  landing = import ./landing.nix { inherit lib; };
  request = builtins.fromJSON (builtins.readFile jobs);

  # What a fetched nixpkgs is to a recipe: it can be imported, and stands for a path in a string.
  pinOf = fetched: {
    outPath = toString ./.;
    modelPin = fetched;
  };

  # `age` is that of what a recipe fetches; whoever calls it has a nixpkgs of the usual age.
  model =
    age: fetched: arguments:
    import ./. (arguments // { modelArgs = fetched // { inherit age; }; });

  scopeFor =
    {
      name,
      age,
      system,
      sources,
    }:
    let
      # What a recipe itself refuses is told, as `tryEval` keeps it to itself.
      throwAloud =
        message: builtins.trace (aloud { refused = name; inherit message; }) (throw message);

      refuse = name: _: throw "a recipe may not call builtins.${name} here";

      fetchTarball =
        argument:
        let
          fetched = if builtins.isString argument then { url = argument; } else argument;
          unknown = builtins.attrNames (
            removeAttrs fetched [
              "name"
              "sha256"
              "url"
            ]
          );
        in
        if unknown != [ ] then
          throw "unsupported argument '${builtins.head unknown}' to 'fetchTarball'"
        else if request.pure && !(fetched ? sha256) then
          throw "in pure evaluation mode, 'fetchTarball' requires a 'sha256' argument"
        else if sources ? ${fetched.url} then
          sources.${fetched.url}
        else if lib.hasInfix "nixpkgs" fetched.url then
          pinOf fetched
        else
          throw "no source stands for ${fetched.url} in this test";

      importWith =
        target:
        if builtins.isAttrs target && target ? modelPin then
          model age target.modelPin
        else
          builtins.scopedImport scope target;

      findFile =
        _: name:
        if request.pure then
          throw "cannot look up '<${name}>' in pure evaluation mode"
        else if name == "nixpkgs" then
          pinOf { }
        else
          throw "file '${name}' was not found in the Nix search path";

      scopedBuiltins =
        removeAttrs builtins (lib.optional request.pure "currentSystem")
        // {
          inherit fetchTarball;
          import = importWith;
          findFile = findFile;
          fetchGit = refuse "fetchGit";
          fetchTree = refuse "fetchTree";
          fetchurl = refuse "fetchurl";
          getFlake = refuse "getFlake";
          getEnv = _: "";
        }
        // lib.optionalAttrs request.aloud { throw = throwAloud; }
        // lib.optionalAttrs (!request.pure) { currentSystem = system; };

      scope = lib.optionalAttrs request.aloud { throw = throwAloud; } // {
        inherit fetchTarball;
        builtins = scopedBuiltins;
        import = importWith;
        __findFile = findFile;
        __nixPath = [ ];
      };
    in
    scope;

  # The nixpkgs of the caller. Recipes of one system share it, since it takes longer than a recipe.
  callerOf =
    system:
    model null { } {
      inherit system;
      config.allowUnfree = true;
    };
  callers = lib.genAttrs [ "x86_64-linux" "aarch64-linux" ] callerOf;

  # As Flox calls a package: arguments come from nixpkgs by name, and `pkgs` is nixpkgs itself.
  callRecipe =
    {
      name,
      age,
      file,
      sources,
      ...
    }:
    system:
    let
      value = builtins.scopedImport (scopeFor {
        inherit
          name
          age
          system
          sources
          ;
      }) file;
    in
    if lib.isFunction value then (callers.${system} or (callerOf system)).callPackage value { } else value;

  # The system that was asked for; or else x86_64-linux, or else the first that the recipe is for.
  chosen =
    job:
    let
      usual = "x86_64-linux";
      first = callRecipe job usual;
      platforms = first.meta.platforms or [ usual ];
    in
    if job.system != null then
      callRecipe job job.system
    else if lib.elem usual platforms then
      first
    else
      callRecipe job (lib.head platforms);

  # One line for whoever reads what Nix prints.
  aloud = message: "judge: ${builtins.toJSON message}";

  answer =
    name: described:
    let
      job = described // { inherit name; };
      package = chosen job;
      wanted =
        if request.details then
          facts package
        else
          {
            inherit (package) drvPath;
          }
          // lib.optionalAttrs request.aloud {
            landed = landing job package;
          };
      refusal = builtins.tryEval (
        if package.refusal or null != null then
          "${package.name} ${package.refusal}"
        else
          "something that ${package.name} needs is refused"
      );
      tried = builtins.tryEval (builtins.deepSeq wanted wanted);
    in
    builtins.addErrorContext "while judging the recipe '${name}'" (
      if !request.recordRefusals then
        builtins.deepSeq wanted wanted
      else if tried.success then
        tried.value
      else
        {
          drvPath = null;
          refusal = if refusal.success then refusal.value else "the recipe is refused";
        }
    );

  # Whatever is found out is told at once: one recipe may end the process, by an error of Nix that
  # nothing catches.
  answerAloud =
    name: job:
    let
      answered = answer name job;
    in
    builtins.seq (builtins.deepSeq answered null) (
      builtins.trace (aloud {
        judged = name;
        inherit answered;
      }) answered
    );
in
builtins.mapAttrs (if request.aloud then answerAloud else answer) request.recipes
