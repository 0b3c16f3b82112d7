"""How fast tvarc is beside what one would use instead: whole processes, in turn. See README.md."""
