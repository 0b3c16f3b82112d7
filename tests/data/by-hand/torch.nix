(self: super: {
        python3Packages = super.python3Packages.override {
          overrides = pself: psuper: {
            torch = psuper.torch.overrideAttrs (oldAttrs: rec {
              version = "2.10.0";
              src = super.fetchFromGitHub {
                owner = "pytorch";
                repo = "pytorch";
                rev = "v${version}";   # the tag
                hash = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
                fetchSubmodules = true;
              };
              patches = [];
            });
          };
        };
      })
