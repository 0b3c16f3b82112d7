"""Entries of variants in a manifest of Flox, which is a user's file."""
