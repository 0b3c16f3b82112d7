"""tvarc: a declarative language for build matrices, and its compiler to Nix recipes."""

__version__ = "0.1.0"
