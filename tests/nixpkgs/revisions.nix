# What is known to differ between the nixpkgs revisions that recipes pin; any other revision is
# taken to be like `newest`.
let
  newest = {
    torchVersion = "2.9.1";
    visionVersion = "0.24.0";
    audioVersion = "2.9.1";
    magmaKnowsCuda13 = false;
  };
  known = {
    "2017d6d515f8a7b289fe06d3a880a7ec588c3900" = {
      magmaKnowsCuda13 = true;
    };
    "fe5e41d7ffc0421f0913e8472ce6238ed0daf8e3" = {
      torchVersion = "2.8.0";
      visionVersion = "0.23.0";
      audioVersion = "2.8.0";
    };
  };
in
url:
let
  named = builtins.filter (revision: builtins.length (builtins.split revision url) > 1) (
    builtins.attrNames known
  );
in
builtins.foldl' (facts: revision: facts // known.${revision}) newest named
