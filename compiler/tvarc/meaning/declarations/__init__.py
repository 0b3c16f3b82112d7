"""Declarations of a program, from syntax to the resolved program."""
