"""tvarc: a declarative language for build matrices, and its compiler to Nix recipes.

Other programs use `tvarc.api`. Everything else in this package is private."""

__version__ = "0.1.0"

RECURSION_LIMIT = 20_000
"""The recursion limit of Python during a compilation. The parser limits the nesting of a program;
this limit is enough for all stages."""
