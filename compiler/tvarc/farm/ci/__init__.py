"""What other systems take to build the variants of a program: jobs and workflows."""
