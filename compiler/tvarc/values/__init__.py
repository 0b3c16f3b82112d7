"""Values of the language, facts as values, and the source lines that values come from."""
