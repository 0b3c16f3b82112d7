# The part of nixpkgs' library that recipes and this model use, under the same names.
#
# The model itself uses all of it; `ofAge` is what a nixpkgs of this age shows.
{
  knowledge ? import ../ages.nix { },
}:
let
  inherit (knowledge) features release missingFromLibrary;

  lib = lists // strings // attrsets // fixedPoints // trivial // customisation // metadata;

  inherit (builtins)
    attrNames
    concatLists
    concatMap
    concatStringsSep
    elem
    elemAt
    filter
    foldl'
    functionArgs
    hasAttr
    head
    isAttrs
    isFunction
    isList
    isString
    length
    listToAttrs
    map
    mapAttrs
    match
    replaceStrings
    split
    splitVersion
    stringLength
    substring
    tail
    ;

  trivial = {
    inherit (builtins)
      isAttrs
      isBool
      isInt
      isList
      isPath
      isString
      seq
      toJSON
      typeOf
      ;
    importTOML = file: builtins.fromTOML (builtins.readFile file);
    # A set with a functor is a function too, and may say what it takes.
    isFunction = f: isFunction f || (f ? __functor && lib.isFunction (f.__functor f));
    functionArgs =
      f: if f ? __functor then f.__functionArgs or (lib.functionArgs (f.__functor f)) else functionArgs f;
    setFunctionArgs = f: arguments: {
      __functor = _: f;
      __functionArgs = arguments;
    };
    id = x: x;
    const = x: _: x;
    flip =
      f: a: b:
      f b a;
    boolToString = b: if b then "true" else "false";
    assertMsg =
      condition: message:
      condition
      || (if features.assertMsgThrows then throw message else builtins.trace message false);
    inherit release;
    version = "${release}pre-git";
    versionSuffix = "pre-git";
    throwIf = condition: message: if condition then throw message else (x: x);
    throwIfNot = condition: message: if condition then (x: x) else throw message;
    warn = message: builtins.trace "evaluation warning: ${message}";
    warnIf = condition: message: if condition then lib.warn message else (x: x);
    warnIfNot = condition: message: if condition then (x: x) else lib.warn message;
    fakeHash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    fakeSha256 = "0000000000000000000000000000000000000000000000000000000000000000";
    isDerivation = value: (value.type or null) == "derivation";
  };

  lists = {
    inherit (builtins)
      all
      any
      concatLists
      concatMap
      elem
      elemAt
      filter
      foldl'
      genList
      head
      length
      map
      sort
      tail
      ;
    optional = condition: value: if condition then [ value ] else [ ];
    optionals = condition: values: if condition then values else [ ];
    singleton = value: [ value ];
    toList = value: if isList value then value else [ value ];
    flatten = value: if isList value then concatMap lib.flatten value else [ value ];
    remove = value: filter (x: x != value);
    unique = foldl' (seen: x: if elem x seen then seen else seen ++ [ x ]) [ ];
    intersectLists = a: filter (x: elem x a);
    subtractLists = a: filter (x: !(elem x a));
    findFirst =
      predicate: default: values:
      let
        found = filter predicate values;
      in
      if found == [ ] then default else head found;
    last = values: elemAt values (length values - 1);
    init = values: builtins.genList (elemAt values) (length values - 1);
    foldr =
      f: nul: values:
      if values == [ ] then nul else f (head values) (lib.foldr f nul (tail values));
    partition = predicate: values: {
      right = filter predicate values;
      wrong = filter (x: !(predicate x)) values;
    };
  };

  upperCase = lib.stringToCharacters "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  lowerCase = lib.stringToCharacters "abcdefghijklmnopqrstuvwxyz";

  strings = {
    inherit (builtins)
      concatStringsSep
      replaceStrings
      splitVersion
      stringLength
      substring
      toString
      ;
    stringToCharacters = s: builtins.genList (i: substring i 1 s) (stringLength s);
    concatStrings = concatStringsSep "";
    concatMapStrings = f: values: concatStringsSep "" (map f values);
    concatMapStringsSep =
      separator: f: values:
      concatStringsSep separator (map f values);
    concatLines = lib.concatMapStrings (line: line + "\n");
    optionalString = condition: s: if condition then s else "";
    hasPrefix = prefix: s: substring 0 (stringLength prefix) s == prefix;
    hasSuffix =
      suffix: s:
      let
        from = stringLength s - stringLength suffix;
      in
      from >= 0 && substring from (stringLength s) s == suffix;
    hasInfix = infix: s: length (split (lib.escapeRegex infix) s) > 1;
    removePrefix =
      prefix: s: if lib.hasPrefix prefix s then substring (stringLength prefix) (-1) s else s;
    removeSuffix =
      suffix: s:
      if lib.hasSuffix suffix s then substring 0 (stringLength s - stringLength suffix) s else s;
    escapeRegex = lib.escape (lib.stringToCharacters "\\[{()^$?*+|.");
    escape = characters: replaceStrings characters (map (c: "\\${c}") characters);
    escapeShellArg = value: "'${replaceStrings [ "'" ] [ "'\\''" ] (toString value)}'";
    escapeShellArgs = lib.concatMapStringsSep " " lib.escapeShellArg;
    toUpper = replaceStrings lowerCase upperCase;
    toLower = replaceStrings upperCase lowerCase;
    splitString = separator: s: filter isString (split (lib.escapeRegex separator) (toString s));
    versionOlder = a: b: builtins.compareVersions b a == 1;
    versionAtLeast = a: b: !(lib.versionOlder a b);
    cmakeFeature = name: value: "-D${name}:STRING=${value}";
    cmakeBool = name: value: "-D${name}:BOOL=${if value then "TRUE" else "FALSE"}";
    getName =
      value:
      if isString value then
        (builtins.parseDrvName value).name
      else
        value.pname or (builtins.parseDrvName value.name).name;
    getVersion =
      value:
      if isString value then
        (builtins.parseDrvName value).version
      else
        value.version or (builtins.parseDrvName value.name).version;
    versions =
      let
        take = count: version: lib.concatStringsSep "." (lib.sublist count (splitVersion version));
      in
      {
        major = take 1;
        minor = version: elemAt (splitVersion version) 1;
        patch = version: elemAt (splitVersion version) 2;
        majorMinor = take 2;
      };
    sublist =
      count: values:
      builtins.genList (elemAt values) (if length values < count then length values else count);
  };

  attrsets = {
    inherit (builtins)
      attrNames
      attrValues
      hasAttr
      intersectAttrs
      listToAttrs
      mapAttrs
      removeAttrs
      ;
    optionalAttrs = condition: attrs: if condition then attrs else { };
    nameValuePair = name: value: { inherit name value; };
    genAttrs = names: f: listToAttrs (map (name: lib.nameValuePair name (f name)) names);
    filterAttrs =
      predicate: attrs:
      removeAttrs attrs (filter (name: !(predicate name attrs.${name})) (attrNames attrs));
    mapAttrs' = f: attrs: listToAttrs (map (name: f name attrs.${name}) (attrNames attrs));
    mapAttrsToList = f: attrs: map (name: f name attrs.${name}) (attrNames attrs);
    attrByPath =
      path: default: attrs:
      if path == [ ] then
        attrs
      else if isAttrs attrs && hasAttr (head path) attrs then
        lib.attrByPath (tail path) default attrs.${head path}
      else
        default;
    hasAttrByPath =
      path: attrs:
      path == [ ] || (hasAttr (head path) attrs && lib.hasAttrByPath (tail path) attrs.${head path});
    recursiveUpdate =
      a: b:
      a
      // mapAttrs (
        name: value:
        if isAttrs value && isAttrs (a.${name} or null) && !(lib.isDerivation value) then
          lib.recursiveUpdate a.${name} value
        else
          value
      ) b;
    getOutput =
      output: package:
      if package.outputSpecified or false then package else package.${output} or package.out or package;
    getBin = lib.getOutput "bin";
    getDev = lib.getOutput "dev";
    getLib = lib.getOutput "lib";
    getExe =
      package: lib.getExe' package (package.meta.mainProgram or (lib.getName package));
    getExe' = package: program: "${lib.getBin package}/bin/${program}";
    recurseIntoAttrs = attrs: attrs // { recurseForDerivations = true; };
  };

  fixedPoints = {
    fix =
      f:
      let
        x = f x;
      in
      x;
    extends =
      overlay: f: final:
      let
        prev = f final;
      in
      prev // overlay final prev;
    composeExtensions =
      f: g: final: prev:
      let
        first = f final prev;
      in
      first // g final (prev // first);
    composeManyExtensions = lib.foldr lib.composeExtensions (_: _: { });
    # An overlay in any of the three spellings that nixpkgs takes, as a function of two arguments.
    toExtension =
      overlay:
      if isFunction overlay then
        final: prev:
        let
          once = overlay prev;
        in
        if isFunction once then overlay final prev else once
      else
        _: _: overlay;
    makeExtensible =
      f: lib.fix (self: f self // { extend = overlay: lib.makeExtensible (lib.extends overlay f); });
  };

  customisation = import ./customisation.nix { inherit lib features; };
  metadata = import ./metadata.nix;

  parts = {
    inherit
      lists
      strings
      attrsets
      fixedPoints
      trivial
      customisation
      ;
  };
  shown = part: removeAttrs part missingFromLibrary;
in
lib // parts // { ofAge = shown lib // builtins.mapAttrs (_: shown) parts; }
