"""The files from which other systems build the variants of a program: jobs and workflows."""
