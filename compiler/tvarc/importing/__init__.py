"""Hand-made recipes → a program that builds the same: read, explained, written, proven."""
