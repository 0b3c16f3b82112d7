{
      "70" = { capability = "7.0"; names = "V100"; };
      "90" = { capability = "9.0"; names = "L40S"; clear = true; };
    }