"""A partial evaluator of hand-written Nix: it reduces an expression as far as its text decides the
value.

`reduce.py` is the evaluator, `library.py` has the functions of Nix and of nixpkgs that it knows,
`scopes.py` the names of a text, `trees.py` and `marks.py` the reduced trees, and `shared.py` the
parts that recipes share. Nix never runs.
"""
