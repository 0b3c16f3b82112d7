"""The evaluator of Nix that people wrote: it reduces an expression as far as its text decides it.

`reduce.py` is the evaluator, `library.py` has the functions of Nix and of nixpkgs that it knows,
`scopes.py` the names of a text, `trees.py` and `marks.py` what is reduced, and `shared.py` what
recipes have in common. Nix is never run.
"""
