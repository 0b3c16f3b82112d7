rec {
      pin = "0182a361324364ae3f436a63005877674cf45efb"; pins = { "12_9" = pin; };
      sets = { "12_9" = "cudaPackages_12_9"; "13_0" = "cudaPackages_13_0"; };
    }