"""The command line: what a command reads, does, and prints."""
