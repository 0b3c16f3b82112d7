"""The effect of a line of source: the variants that it reaches, and the lines of their recipes."""
