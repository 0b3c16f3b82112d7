"""The command line: the input of a command, its work, and its output."""
