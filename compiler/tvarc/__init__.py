"""tvarc: a declarative language for build matrices, and its compiler to Nix recipes.

Other programs use `tvarc.api`. Everything else in this package is private."""

__version__ = "0.1.0"

RECURSION_LIMIT = 20_000
"""How deep Python may call while a program is compiled. The parser limits what a person may nest;
this is room for what the stages make of it."""
