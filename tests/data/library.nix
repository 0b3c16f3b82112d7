rec {
  optional = cond: elem: if cond then [ elem ] else [ ];
  optionals = cond: elems: if cond then elems else [ ];
  optionalString = cond: string: if cond then string else "";
  optionalAttrs = cond: as: if cond then as else { };
  toList = x: if builtins.isList x then x else [ x ];
  remove = e: builtins.filter (x: x != e);
  id = x: x;
  singleton = x: [ x ];
  concatStrings = builtins.concatStringsSep "";
  concatMapStrings = f: list: concatStrings (map f list);
  concatMapStringsSep = sep: f: list: builtins.concatStringsSep sep (map f list);
  boolToString = b: if b then "true" else "false";
  hasPrefix = pref: str: builtins.substring 0 (builtins.stringLength pref) str == pref;
  hasSuffix = suffix: content:
    let l = builtins.stringLength content; s = builtins.stringLength suffix; in
    l >= s && builtins.substring (l - s) l content == suffix;
  hasInfix = infix: content:
    infix == "" || builtins.replaceStrings [ infix ] [ "" ] content != content;
  letters = s: builtins.genList (p: builtins.substring p 1 s) (builtins.stringLength s);
  lower = letters "abcdefghijklmnopqrstuvwxyz";
  upper = letters "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  replaceChars = old: new: s: concatMapStrings (builtins.replaceStrings old new) (letters s);
  toUpper = builtins.replaceStrings lower upper;
  toLower = builtins.replaceStrings upper lower;
  removePrefix = prefix: str:
    if hasPrefix prefix str
    then builtins.substring (builtins.stringLength prefix) (builtins.stringLength str) str
    else str;
  removeSuffix = suffix: str:
    if hasSuffix suffix str
    then builtins.substring 0 (builtins.stringLength str - builtins.stringLength suffix) str
    else str;
  last = list: builtins.elemAt list (builtins.length list - 1);
  reverseList = xs:
    let l = builtins.length xs; in builtins.genList (n: builtins.elemAt xs (l - n - 1)) l;
  unique = builtins.foldl' (acc: e: if builtins.elem e acc then acc else acc ++ [ e ]) [ ];
  flatten = x: if builtins.isList x then builtins.concatMap flatten x else [ x ];
  range = first: last:
    if first > last then [ ] else builtins.genList (n: first + n) (last - first + 1);
  mapAttrsToList = f: attrs: map (name: f name attrs.${name}) (builtins.attrNames attrs);
  filterAttrs = pred: set:
    let left = name: !pred name set.${name}; in
    builtins.removeAttrs set (builtins.filter left (builtins.attrNames set));
  genAttrs = names: f: builtins.listToAttrs (map (n: { name = n; value = f n; }) names);
  splitString = sep: s:
    builtins.filter builtins.isString (builtins.split (escape sep) s);
  escape = builtins.replaceStrings [ "." ] [ "\\." ];
  versionAtLeast = v1: v2: builtins.compareVersions v1 v2 != -1;
  versionOlder = v1: v2: builtins.compareVersions v2 v1 == 1;
  pipe = builtins.foldl' (x: f: f x);
}
