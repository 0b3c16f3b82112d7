"""`tvar.lock`: the hashes of what is fetched, beside the program."""
