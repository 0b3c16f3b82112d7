"""`tvar.lock`: the hashes of fetched sources, in a file next to the program."""
