"""What a line of source reaches: which variants, and which lines of their recipes."""
