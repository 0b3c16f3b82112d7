import ../lib/mk.nix {
  gpu = "@target@";
  cuda = "@short@";
  cpuFlags = @flags@;
  platform = "@platform@";
  description = "@description@";
}
