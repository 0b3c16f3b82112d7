"""Entries of variants in a manifest of Flox, which is a person's file."""
